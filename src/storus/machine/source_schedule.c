/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A schedule file at a time as a snapshot (source.h): rows are streamed. Jobs that
 * run then run; jobs that were submitted and have not started wait. Their shapes are
 * not in a schedule, their node counts are. Cost: O(file).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "torus/number.h"
#include "replay/replay.h"
#include "report/schedule.h"
#include "storus/lab/summary_file.h"
#include "storus/machine/source.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus/regions.h"

/* From the first submit to the last end. */
struct schedule_span {
	int64_t first_us, last_us;
};

struct schedule_source {
	struct storus_source *source;
	struct torus_schedule_file *file;
	struct snapshot *s;
	uint64_t *one, *nodes, *taken;
	struct schedule_span span;
	bool recorded; /* the history, which nothing checks */
	uint32_t unplaced, unplaced_nodes; /* running jobs without a place */
	struct torus_error *err;
};

static int schedule_no_memory(struct schedule_source *r)
{
	torus_error_add(r->err, "out of memory");
	errno = ENOMEM;
	return -1;
}

static int schedule_run(struct schedule_source *r, struct snapshot_job *job,
			const char *region)
{
	const struct torus_machine *m = &r->s->config->machine;

	torus_bits_zero(r->nodes, m->words);
	if (storus_regions_paint(m, region, r->one, r->nodes, r->err))
		return torus_schedule_wrong(r->file, r->err,
					    "region: not one of this machine",
					    region);
	if (r->recorded && torus_bits_meet(r->nodes, r->taken, m->words)) {
		r->unplaced++;
		r->unplaced_nodes += job->count;
		return 0;
	}
	if (torus_bits_meet(r->nodes, r->taken, m->words))
		return torus_schedule_wrong(
			r->file, r->err,
			"region: another job holds one of its nodes at that time",
			region);
	torus_bits_or(r->taken, r->nodes, m->words);
	job->running = true;
	job->place = (char *)(uintptr_t)region;
	return snapshot_add_job(r->s, job, r->nodes) ? schedule_no_memory(r) : 0;
}

static char *schedule_field(const struct torus_schedule_fields *row,
			    enum torus_schedule_column column)
{
	return (char *)(uintptr_t)row->field[column];
}

static int schedule_row(struct schedule_source *r,
			const struct torus_schedule_fields *row)
{
	const char *region = row->field[TORUS_COLUMN_REGION];
	int64_t at_us = r->source->at_us;
	struct snapshot_job job = {
		.id = (char *)(uintptr_t)row->field[TORUS_COLUMN_ID],
		.submit_us = row->submit_us,
		.start_us = row->start_us,
		.end_us = row->end_us,
		.limit_us = SNAPSHOT_NO_TIME,
		.count = row->requested,
	};
	uint8_t ring[TORUS_MAX_REGIONS];
	uint32_t axes;

	if (row->start_us == TORUS_NO_TIME || row->end_us <= at_us ||
	    row->submit_us > at_us)
		return 0; /* not started, ended, or not yet submitted */
	if (row->start_us <= at_us && !*region) {
		r->unplaced++;
		r->unplaced_nodes += job.count;
		return 0;
	}
	if (row->start_us <= at_us) {
		job.orientation = schedule_field(row, TORUS_COLUMN_ORIENTATION);
		job.ring = schedule_field(row, TORUS_COLUMN_RING);
		if (*job.ring &&
		    torus_rings_parse(job.ring, torus_regions_count(region),
				      ring, &axes))
			return torus_schedule_wrong(
				r->file, r->err,
				"ring: expected T or M for each axis, for example TM",
				job.ring);
		return schedule_run(r, &job, region);
	}
	job.limit_us = row->end_us - row->start_us;
	r->source->waiting++;
	return snapshot_add_job(r->s, &job, NULL) ? schedule_no_memory(r) : 0;
}

static int schedule_rows(struct schedule_source *r)
{
	struct torus_schedule_fields row;
	int got;

	while ((got = torus_schedule_next(r->file, &row, r->err)) > 0) {
		if (row.submit_us != TORUS_NO_TIME &&
		    row.submit_us < r->span.first_us)
			r->span.first_us = row.submit_us;
		if (row.end_us != TORUS_NO_TIME && row.end_us > r->span.last_us)
			r->span.last_us = row.end_us;
		got = schedule_row(r, &row);
		if (got < 0)
			break;
	}
	return got;
}

/* Take over the discipline that made the schedule, and its options: the file of --torus
 * may have another one. */
static void schedule_policy(struct schedule_source *r, const json_t *summary)
{
	struct torus_scheduler_settings *settings = &r->s->config->scheduler;
	const char *name = json_string_value(
		json_object_get(summary, "discipline"));
	const json_t *options = json_object_get(summary, "options");
	const json_t *limit = json_object_get(options, "wait_limit");
	const struct torus_discipline *d = name ? torus_discipline_find(name) :
						  NULL;
	json_t *of_discipline;

	if (name && !d && r->source->command == &storus_what_if)
		storus_say(r->source->command, 0,
			   "notice: %s was made by %s, which cannot be played forward; %s is used",
			   r->source->schedule, name,
			   settings->discipline->name);
	r->recorded = name && !strcmp(name, torus_discipline_recorded.name);
	if (!d)
		return;
	settings->discipline = d;
	settings->options = (struct torus_options){ 0 };
	settings->wait_limit_us =
		json_is_number(limit) && json_number_value(limit) >= 0 &&
				json_number_value(limit) < 1e12 ?
			(int64_t)(json_number_value(limit) * 1e6) :
			TORUS_NO_TIME;
	of_discipline = json_object_get(options, "discipline");
	for (void *i = json_object_iter(of_discipline); i;
	     i = json_object_iter_next(of_discipline, i))
		torus_options_set(&settings->options, json_object_iter_key(i),
				  json_string_value(json_object_iter_value(i)));
}

/* Check that the summary in the directory is of this schedule and this
 * machine. */
static int schedule_identify(struct schedule_source *r)
{
	struct storus_source *source = r->source;
	json_t *summary;
	int rc = storus_summary_file_read(source->command, source->schedule,
					  &summary);

	errno = EINVAL;
	if (!rc)
		rc = storus_summary_file_machine(source->schedule, summary,
						 &r->s->config->machine, r->err);
	if (!rc)
		schedule_policy(r, summary);
	if (!rc) {
		/* A date of --at, of a schedule whose clock begins with its trace. */
		int64_t begin_s = json_integer_value(
			json_object_get(json_object_get(summary, "trace_header"),
					"unix_start_time"));

		if (begin_s > 0 && source->at_us / 1000000 >= begin_s)
			source->at_us -= begin_s * 1000000;
	}
	json_decref(summary);
	return rc ? -1 : 0;
}

/* Print what the file is, after it was read. */
static int schedule_finish(struct storus_source *source,
			   struct schedule_source *r)
{
	char at[TORUS_SECONDS_SIZE], title[300];
	char hex[TORUS_TRACE_DIGEST_SIZE];
	const struct schedule_span *span;
	char first[TORUS_SECONDS_SIZE], last[TORUS_SECONDS_SIZE];

	torus_seconds_format(source->at_us, at);
	snprintf(title, sizeof(title), "%.200s at %s s", source->schedule, at);
	if (snapshot_set_source(r->s, title))
		return schedule_no_memory(r);
	r->s->time_us = source->at_us;
	if (!torus_schedule_digest(r->file, hex))
		snprintf(source->digest, sizeof(source->digest),
			 "schedule_sha256: %s", hex);
	span = &r->span;
	if (span->first_us <= span->last_us &&
	    (r->source->at_us < span->first_us ||
	     r->source->at_us >= span->last_us)) {
		torus_seconds_format(span->first_us, first);
		torus_seconds_format(span->last_us, last);
		storus_say(r->source->command, 0,
			   "notice: --at %s: %s covers %s to %s s, no job runs at that time",
			   at, r->source->schedule, first, last);
	}
	if (r->unplaced)
		storus_say(source->command, 0,
			   "notice: %s: at that time %" PRIu32
			   " more job%s, on %" PRIu32
			   " nodes that the trace does not name or that another job holds",
			   source->schedule, r->unplaced,
			   r->unplaced == 1 ? " runs" : "s run",
			   r->unplaced_nodes);
	return 0;
}

void storus_source_say_shapes(const struct storus_source *s)
{
	if (s->waiting)
		storus_say(s->command, 0,
			   "notice: %s has no shapes: waiting jobs are taken to ask for a number of nodes",
			   s->schedule);
}

int storus_source_schedule(struct storus_source *source, struct snapshot *s,
			   struct torus_error *err)
{
	size_t words = s->config->machine.words;
	struct schedule_source r = {
		.source = source,
		.file = torus_schedule_open(source->schedule, err),
		.s = s,
		.one = torus_alloc(3 * words, sizeof(*r.one)),
		.span = { INT64_MAX, INT64_MIN },
		.err = err,
	};
	int rc = -1, saved;

	if (r.file && r.one) {
		r.nodes = r.one + words;
		r.taken = r.nodes + words;
		rc = schedule_identify(&r) || schedule_rows(&r) ? -1 : 0;
	} else if (r.file) {
		schedule_no_memory(&r);
	} else {
		errno = EINVAL;
	}
	if (rc == 0)
		rc = schedule_finish(source, &r);
	saved = errno;
	if (r.file)
		torus_schedule_close(r.file);
	torus_free(r.one);
	return rc == 0         ? STORUS_DONE :
	       saved == EINVAL ? STORUS_USAGE :
				 STORUS_TROUBLE;
}
