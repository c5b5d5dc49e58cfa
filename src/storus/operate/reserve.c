/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus reserve: create a Slurm reservation of exactly one region. Of all regions of
 * the shape it takes the one that overlaps the fewest node seconds of running jobs, by
 * their expected ends, and of waiting jobs, by the forecast. scontrol creates the
 * reservation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "torus/placement.h"
#include "storus/machine/cluster.h"
#include "storus/operate/reserve.h"
#include "storus/base/slurm.h"
#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"

#define NAME &storus_reserve
#define UNLIMITED_US                                                           \
	(INT64_C(365) * 86400 * 1000000) /* Slurm makes it a year */

#define RESERVE_WORD(...) STORUS_QUESTION_WORD(struct reserve, "", __VA_ARGS__)

static const struct storus_option options[] = {
	{ "geometry", "SHAPE", "the same as the operand",
	  STORUS_TO(struct reserve, shape) },
	{ "start", "TIME",
	  "as Slurm takes it: now (the default), now+1hour, tomorrow, 16:00, 01/31-12:00,\n"
	  "2027-01-31T12:00:00",
	  STORUS_TO(struct reserve, start) },
	{ "duration", "TIME", "as Slurm takes it: " TORUS_SLURM_DURATION,
	  STORUS_TO(struct reserve, duration) },
	{ "name", "NAME", "name of the reservation; default: chosen by Slurm",
	  STORUS_TO(struct reserve, name) },
	{ "users", "LIST", "who may use it; default: you",
	  STORUS_TO(struct reserve, users) },
	{ "accounts", "LIST", "which accounts may use it",
	  STORUS_TO(struct reserve, accounts) },
	{ "flags", "LIST",
	  "flags of the reservation; IGNORE_JOBS is added if jobs may still run there",
	  STORUS_TO(struct reserve, flags) },
	{ "release", "NAME", "delete this reservation instead",
	  STORUS_TO(struct reserve, release) },
	{ "dry-run", NULL, "print the command of scontrol but do not run it",
	  STORUS_TO(struct reserve, dry_run) },
	TORUS_REQUEST_WORDS(RESERVE_WORD)
		STORUS_SOURCE_OPTIONS(struct reserve, q.source),
	STORUS_TABLE_OPTIONS(struct reserve, table),
	{ 0 },
};

static int reserve_times(struct reserve *r)
{
	const struct snapshot *s = r->q.snapshot;
	int64_t now_us = s->time_us == SNAPSHOT_NO_TIME ? 0 : s->time_us;
	char hint[TORUS_SLURM_HINT_SIZE];
	int64_t length_us;

	if (!torus_slurm_time(r->start ? r->start : "now", now_us, &r->start_us))
		return storus_say(NAME, STORUS_USAGE,
				  "--start: got \"%s\", expected a time, " TORUS_SLURM_TIME,
				  r->start);
	if (!torus_slurm_duration(r->duration, &length_us) || length_us == 0)
		return storus_say(NAME, STORUS_USAGE,
				  "--duration: got \"%s\", expected a duration above 0: " TORUS_SLURM_DURATION
				  "%s",
				  r->duration,
				  torus_slurm_duration_hint(r->duration, hint));
	if (length_us == TORUS_NO_TIME)
		length_us = UNLIMITED_US;
	r->end_us = torus_time_after(r->start_us, length_us);
	return STORUS_DONE;
}

/* Return how long a job overlaps the time of the reservation. */
static int64_t reserve_overlap(const struct reserve *r,
			       const struct snapshot_job *job)
{
	int64_t from_us = job->running || job->start_us < r->start_us ?
				  r->start_us :
				  job->start_us;
	int64_t until_us = job->end_us < r->end_us ? job->end_us : r->end_us;

	return job->nodes && until_us > from_us ? until_us - from_us : 0;
}

/* Return the cost of a job: its nodes x its overlap with the reservation. */
static int reserve_costs(struct reserve *r)
{
	const struct snapshot *s = r->q.snapshot;
	uint32_t words = s->config->machine.words;

	r->allowed = torus_alloc(words, sizeof(*r->allowed));
	r->cost = torus_alloc(s->jobs, sizeof(*r->cost));
	if (!r->allowed || !r->cost)
		return storus_no_memory(NAME);
	memset(r->allowed, 0xff, words * sizeof(*r->allowed));
	for (uint32_t i = 0; i < s->reservations; i++) {
		if (s->reservation[i].start_us < r->end_us &&
		    r->start_us < s->reservation[i].end_us)
			torus_bits_andnot(r->allowed, s->reservation[i].map,
					  words);
	}
	if (reserve_plan_make(&r->plan, s))
		return storus_no_memory(NAME);
	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct snapshot_job *job = &r->plan.with.job[j];

		r->cost[j] = (uint64_t)reserve_overlap(r, job) * job->nodes;
	}
	return STORUS_DONE;
}

static int reserve_choose(struct reserve *r)
{
	struct torus_error err = { 0 };
	const struct freeing_question question = {
		.s = &r->plan.with,
		.ask = &r->q.request.alternative[0].ask,
		.allowed = r->allowed,
		.cost = r->cost,
		.every = true,
	};

	if (storus_question_request(&r->q, &err))
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	if (torus_ask_several(question.ask))
		return storus_say(NAME, STORUS_USAGE,
				  "%s: a reservation is over one region; make one for each",
				  r->shape);
	if (freeing_find(&question, &r->f))
		return storus_question_unlisted(NAME, r->shape);
	if (r->f.answer == TORUS_FITS && !r->f.place.scattered)
		return STORUS_DONE;
	if (r->f.answer == TORUS_NEVER)
		return storus_say(NAME, STORUS_NO, "%s: no region: %s",
				  r->shape, r->f.why.text);
	return storus_say(NAME, STORUS_NO,
			  "%s: no region: %snodes that are out of service, reserved or of jobs hidden from you block every place",
			  r->shape, storus_question_links(&r->q));
}

/* Append the names of the region's nodes, separated by commas. */
static int reserve_names(const struct reserve *r, struct torus_text *text)
{
	const struct torus_config *config = r->q.config;
	const struct torus_machine *m = &config->machine;
	uint64_t *map = torus_alloc(m->words, sizeof(*map));
	int rc = map ? 0 : -1;

	if (map)
		torus_placement_paint(m, &r->f.place, map);
	for (uint32_t b = map ? torus_bits_next(map, m->words, 0) : UINT32_MAX;
	     rc == 0 && b != UINT32_MAX;
	     b = torus_bits_next(map, m->words, b + 1)) {
		uint32_t index, p = torus_machine_pod(m, b, &index);

		if (!config->names[p] || !config->names[p][index]) {
			/* a dry run: on a live cluster only nodes with names
			 * are free */
			torus_free(map);
			return STORUS_DONE;
		}
		rc = torus_text_add(text, "%s%s", text->length ? "," : "",
				    config->names[p][index]);
	}
	torus_free(map);
	return rc ? storus_no_memory(NAME) : STORUS_DONE;
}

static int reserve_take_line(void *arg, char *line)
{
	struct reserve *r = arg;

	line[strcspn(line, "\n")] = '\0';
	if (*line && !*r->answer)
		snprintf(r->answer, sizeof(r->answer), "%s", line);
	return STORUS_DONE;
}

/* Return true if only JSON or a table is printed. */
static bool reserve_brief(const struct reserve *r)
{
	return r->table.json || storus_table_asked(&r->table);
}

/* The words of scontrol. */
struct reserve_command {
	struct torus_text word[7];
	const char *argv[11];
};

static int reserve_command_make(const struct reserve *r, const char *nodes,
				struct reserve_command *c)
{
	time_t at = (time_t)(r->start_us / 1000000);
	long long minutes = (r->end_us - r->start_us + 59999999) / 60000000;
	const char *user = getenv("USER");
	char start[32] = "now";
	struct tm tm;
	int rc = 0, n = 0, words = 0;
	bool runs_into = false;

	/* a running job may overlap the time of the reservation */
	for (uint32_t i = 0; i < r->f.jobs; i++)
		runs_into |= r->plan.with.job[r->f.job[i]].running &&
			     r->cost[r->f.job[i]];
	if (r->start && strcmp(r->start, "now") && localtime_r(&at, &tm))
		strftime(start, sizeof(start), "%FT%T", &tm);
	rc |= torus_text_add(&c->word[n++], "Nodes=%s", nodes);
	rc |= torus_text_add(&c->word[n++], "StartTime=%s", start);
	rc |= torus_text_add(&c->word[n++], "Duration=%lld", minutes);
	if (r->accounts)
		rc |= torus_text_add(&c->word[n++], "Accounts=%s", r->accounts);
	if (r->users || !r->accounts)
		rc |= torus_text_add(&c->word[n++], "Users=%s",
				     r->users ? r->users :
				     user     ? user :
						"root");
	if (r->name)
		rc |= torus_text_add(&c->word[n++], "ReservationName=%s",
				     r->name);
	if (runs_into || r->flags)
		rc |= torus_text_add(&c->word[n++], "Flags=%s%s%s",
				     runs_into ? "IGNORE_JOBS" : "",
				     runs_into && r->flags ? "," : "",
				     r->flags ? r->flags : "");
	c->argv[words++] = "scontrol";
	c->argv[words++] = "create";
	c->argv[words++] = "reservation";
	for (int i = 0; i < n; i++)
		c->argv[words++] = c->word[i].data;
	return rc;
}

static int reserve_do(struct reserve *r)
{
	struct torus_text nodes = { 0 }, region = { 0 };
	int status = reserve_names(r, &nodes);
	const char *names;

	if (status == STORUS_DONE &&
	    torus_placement_format(&r->q.config->machine, &r->f.place, &region))
		status = storus_no_memory(NAME);
	if (status == STORUS_DONE && nodes.length) {
		struct reserve_command c = { 0 };
		struct torus_error err = { 0 };

		if (reserve_command_make(r, nodes.data, &c))
			status = storus_no_memory(NAME);
		else if (r->dry_run)
			for (int i = 0; !reserve_brief(r) && c.argv[i]; i++)
				printf("%s%s", c.argv[i],
				       c.argv[i + 1] ? " " : "\n");
		else
			status = storus_slurm_lines(c.argv, &err,
						    reserve_take_line, r);
		if (err.count)
			storus_say(NAME, 0,
				   "%s (only operators may create reservations)",
				   err.text);
		for (size_t i = 0; i < sizeof(c.word) / sizeof(*c.word); i++)
			torus_text_free(&c.word[i]);
	}
	names = nodes.length ? nodes.data : "";
	if (status == STORUS_DONE && reserve_brief(r))
		status = reserve_put_row(r, region.data, names);
	else if (status == STORUS_DONE)
		reserve_print(r, region.data);
	torus_text_free(&nodes);
	torus_text_free(&region);
	return status;
}

/* Stop at the line of the reservation to be deleted. */
static int reserve_seek(void *arg, char *line)
{
	const struct reserve *r = arg;
	size_t prefix = strlen("ReservationName="), length = strlen(r->release);
	bool same = strncmp(line, "ReservationName=", prefix) == 0 &&
		    strncmp(line + prefix, r->release, length) == 0 &&
		    (line[prefix + length] == ' ' ||
		     line[prefix + length] == '\n');

	return same ? STORUS_TROUBLE : STORUS_DONE;
}

/* Find out why a reservation was not deleted: STORUS_NO if none has that name,
 * STORUS_TROUBLE if slurmctld does not answer or refuses. */
static int reserve_unreleased(struct reserve *r)
{
	static const char *const command[] = { "scontrol", "--oneliner", "show",
					       "reservation", NULL };
	struct torus_error err = { 0 };

	return storus_slurm_lines(command, &err, reserve_seek, r) ==
			       STORUS_DONE ?
		       STORUS_NO :
		       STORUS_TROUBLE;
}

static int reserve_answer(struct reserve *r)
{
	struct torus_error err = { 0 };
	int status;

	if (r->release) {
		struct torus_text word = { 0 };
		struct torus_error why = { 0 };

		status = STORUS_TROUBLE;
		if (torus_text_add(&word, "ReservationName=%s", r->release) ==
		    0) {
			const char *const command[] = { "scontrol", "delete",
							word.data, NULL };

			status = storus_slurm_lines(command, &why,
						    reserve_take_line, r);
		}
		torus_text_free(&word);
		return status == STORUS_DONE ?
			       STORUS_DONE :
			       storus_say(NAME, reserve_unreleased(r),
					  "reservation %s is not deleted: %s",
					  r->release, why.text);
	}
	status = storus_question_machine(&r->q, &err);
	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	if (!r->dry_run && (r->q.source.snapshot || !r->q.snapshot->dated))
		return storus_say(NAME, STORUS_USAGE,
				  "only a live cluster can have a reservation; add --dry-run");
	status = reserve_times(r);
	if (status == STORUS_DONE)
		status = reserve_costs(r);
	if (status == STORUS_DONE)
		status = reserve_choose(r);
	return status == STORUS_DONE ? reserve_do(r) : status;
}

static int reserve_run(void *words)
{
	struct reserve *r = words;
	int status;

	if (!r->release && (!r->shape || !r->duration))
		return storus_say(NAME, STORUS_USAGE,
				  "%s is missing; for example storus reserve 4x4x4 --duration 2:00:00",
				  r->shape ? "--duration" : "a shape");
	r->q.words.geometry = r->shape;
	status = reserve_answer(r);
	freeing_free(&r->f);
	reserve_plan_free(&r->plan);
	torus_free(r->allowed);
	torus_free(r->cost);
	storus_question_free(&r->q);
	return status;
}

const struct storus_command storus_reserve = {
	.name = "reserve",
	.summary = "create a Slurm reservation over exactly a shape's region",
	.usage = "SHAPE --duration TIME [OPTION]... | --release NAME",
	.about =
		"Chooses the region of the shape in which jobs would still use the fewest node seconds\n"
		"(running jobs until their time limits, waiting jobs as forecast), and lets scontrol\n"
		"reserve its nodes. Nodes of other reservations at that time are excluded. You need\n"
		"Slurm's permission to create reservations; storus map and scontrol show reservation\n"
		"show the result, and --release deletes it. Exit status 1: no region.",
	.options = options,
	STORUS_WORDS(struct reserve, .table.column = reserve_columns),
	.operand = { .value = "shape", STORUS_TO(struct reserve, shape) },
	.examples =
		"  storus reserve 4x4x2 --start now+3600 --duration 2:00:00 \\\n"
		"    --users root --name tests\n"
		"  storus reserve 4x4 --duration 60 --dry-run\n"
		"  storus reserve --release tests\n",
	.run = reserve_run,
};
