/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus what-if: which jobs would start when, if nodes were drained or resumed, jobs
 * were cancelled or submitted, or another discipline or strategy decided. It simulates
 * the snapshot forward twice, without and with the changes, at the same time.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "questions/forward.h"
#include "questions/occupancy.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/base/output.h"
#include "storus/machine/question.h"
#include "storus/machine/source.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus_build.h"

#define NAME &storus_what_if

/* The start in a play; of a job that it did not reach, "open". */
static json_t *what_if_start_value(const json_t *play)
{
	return json_is_true(json_object_get(play, "open")) ?
		       json_string("open") :
		       json_incref(json_object_get(play, "start"));
}

static json_t *what_if_before_value(const json_t *row, bool csv)
{
	(void)csv;
	return what_if_start_value(json_object_get(row, "before"));
}

static json_t *what_if_after_value(const json_t *row, bool csv)
{
	(void)csv;
	return what_if_start_value(json_object_get(row, "after"));
}

/* How much later it starts: seconds in CSV. */
static json_t *what_if_change_value(const json_t *row, bool csv)
{
	const json_t *before = json_object_get(json_object_get(row, "before"),
					       "start");
	const json_t *after = json_object_get(json_object_get(row, "after"),
					      "start");
	char text[32];
	int64_t us;

	if (!json_is_number(before) || !json_is_number(after))
		return NULL;
	us = llround((json_number_value(after) - json_number_value(before)) *
		     1e6);
	if (csv)
		return storus_clock_json(us);
	storus_clock_duration(us, text, sizeof(text));
	return json_string(text);
}

/* The region; in a table why a job is rejected. */
static json_t *what_if_region_value(const json_t *row, bool csv)
{
	json_t *region = json_object_get(json_object_get(row, "after"),
					 "region");

	return json_incref(csv || json_is_string(region) ?
				   region :
				   json_object_get(row, "rejected"));
}

static const struct storus_column columns[] = {
	{ "job", 'i', "JOB", .width = -10 },
	{ "user", 'u', "USER", .width = -10 },
	{ "ask", 'g', "ASK", .width = -14 },
	{ "before", 'b', "BEFORE", .width = -19, .time = true,
	  .value = what_if_before_value },
	{ "after", 'a', "AFTER", .width = -19, .time = true,
	  .value = what_if_after_value },
	{ "change", 'c', "CHANGE", .width = 12, .value = what_if_change_value },
	{ "region_after", 'r', "REGION_AFTER", .width = -24,
	  .value = what_if_region_value },
	{ "reason", 0, "REASON", .width = -10, .more = true },
	{ 0 },
};

struct what_if {
	struct storus_source source;
	struct storus_table table;
	struct storus_list changes; /* options and their values */
	struct storus_list shapes;  /* of further jobs */
	const char *discipline, *strategy, *report;
	const char *command; /* as typed */
	struct snapshot *before_snapshot, *snapshot;
	struct forward_bound bound;
	struct forward before, after;
};

static const struct storus_option options[] = {
	{ "drain", "NODES",
	  "out of service: node[00-03], or a region; may be repeated",
	  STORUS_PAIRS_TO(struct what_if, changes) },
	{ "up", "NODES", "in service again; may be repeated",
	  STORUS_PAIRS_TO(struct what_if, changes) },
	{ "cancel", "JOB",
	  "this job ends now, or does not wait any more; may be repeated",
	  STORUS_PAIRS_TO(struct what_if, changes) },
	{ "submit", "WORDS",
	  "one more job, with options of sbatch: \"4x4 -t 30\",\n"
	  "\"--geometry=4x4 -t 30\"; may be repeated",
	  STORUS_PAIRS_TO(struct what_if, changes) },
	{ "geometry", "SHAPE",
	  "one more job of this shape, as an operand; may be repeated",
	  STORUS_TO(struct what_if, shapes) },
	{ "discipline", "NAME", "a discipline of `storus list disciplines`",
	  STORUS_TO(struct what_if, discipline) },
	{ "strategy", "NAME", "a strategy of `storus list strategies`",
	  STORUS_TO(struct what_if, strategy) },
	{ "report", "FILE.html", "also write a page", .writes = true,
	  STORUS_TO(struct what_if, report) },
	{ "compute", "DURATION",
	  "processor time of each of the two plays; 0: until all jobs have started\n"
	  "(default: 1.6; on a single processor 0.8)",
	  STORUS_TO(struct what_if, bound.compute_us) },
	STORUS_SOURCE_OPTIONS(struct what_if, source),
	STORUS_TABLE_OPTIONS(struct what_if, table),
	{ 0 },
};

static int what_if_make(struct what_if *w)
{
	struct torus_error err = { 0 };
	int status = STORUS_DONE;
	const char **word = w->changes.word;
	uint32_t submitted = 0;

	for (uint32_t i = 0; status == STORUS_DONE && i < w->changes.count;
	     i += 2) {
		submitted += !strcmp(word[i], "submit");
		status = what_if_change(w->snapshot, word[i], word[i + 1],
					submitted);
	}
	for (uint32_t i = 0; status == STORUS_DONE && i < w->shapes.count; i++)
		status = what_if_change(w->snapshot, "submit",
					w->shapes.word[i], ++submitted);
	if (status == STORUS_DONE && w->strategy &&
	    torus_config_strategy(w->snapshot->config, w->strategy, &err))
		status = storus_say_errors(NAME, STORUS_USAGE, &err);
	return status;
}

/* One of the two plays. They share nothing but the bound. */
struct what_if_side {
	struct snapshot *s;
	struct torus_scheduler_settings settings;
	const struct forward_bound *bound;
	struct forward *f;
	struct torus_error err;
	bool played;
};

static void *what_if_play(void *arg)
{
	struct what_if_side *side = arg;

	side->played = occupancy_prepare(side->s) == 0 &&
		       forward_play(side->s, &side->settings, side->bound,
				    side->f, &side->err) == 0;
	return NULL;
}

static int what_if_played(const struct what_if_side *side)
{
	if (side->played)
		return STORUS_DONE;
	return side->err.count ?
		       storus_say_errors(NAME, STORUS_USAGE, &side->err) :
		       storus_no_memory(NAME);
}

/* Play both sides at the same time; one after the other if there is no second
 * thread. */
static int what_if_play_both(struct what_if *w)
{
	struct snapshot *s = w->snapshot;
	struct what_if_side before = {
		.s = w->before_snapshot,
		.settings = w->before_snapshot->config->scheduler,
		.bound = &w->bound,
		.f = &w->before,
	};
	struct what_if_side after = { .s = s,
				      .settings = s->config->scheduler,
				      .bound = &w->bound,
				      .f = &w->after };
	pthread_t thread;
	bool beside;
	int status;

	if (w->discipline) {
		after.settings.discipline = torus_discipline_find(w->discipline);
		after.settings.options.used =
			0; /* options of the configured discipline */
	}
	if (!after.settings.discipline)
		return storus_say(NAME, STORUS_USAGE,
				  "--discipline: got \"%s\"; storus list disciplines names them",
				  w->discipline);
	beside = pthread_create(&thread, NULL, what_if_play, &before) == 0;
	if (!beside)
		what_if_play(&before);
	what_if_play(&after);
	if (beside)
		pthread_join(thread, NULL);
	status = what_if_played(&before);
	if (status == STORUS_DONE)
		status = what_if_played(&after);
	if (status == STORUS_DONE && *s->scheduler && !w->changes.count &&
	    !w->discipline && !w->strategy) {
		storus_question_take_plan(w->before_snapshot, &w->before, false);
		storus_question_take_plan(w->snapshot, &w->after, false);
	}
	return status;
}

/* Return the job without the changes; NULL: it was not in the snapshot. */
static const struct forward_job *what_if_before(const struct what_if *w,
						const char *id, uint32_t hint)
{
	const struct snapshot *s = w->before_snapshot;

	/* both lists have the same order, and few jobs are cancelled */
	for (uint32_t k = 0; k < s->jobs; k++) {
		uint32_t j = (hint + k) % s->jobs;

		if (strcmp(s->job[j].id, id) == 0)
			return &w->before.job[j];
	}
	return NULL;
}

static const char *what_if_ask(const struct snapshot_job *job, char *buffer,
			       size_t size)
{
	if (*job->words.geometry)
		return job->words.geometry;
	if (job->least && job->least < job->count)
		snprintf(buffer, size, "%u-%u", job->least, job->count);
	else
		snprintf(buffer, size, "%u", job->count);
	return buffer;
}

static json_t *what_if_start_json(const struct forward_job *f)
{
	json_t *o = f ? json_pack("{s:o, s:o, s:s?}", "start",
				  storus_clock_json(f->start_us), "end",
				  storus_clock_json(f->end_us), "region",
				  f->region) :
			json_null();

	if (f && f->open)
		json_object_set_new(o, "open", json_true());
	return o;
}

/* Write a start. Returns buffer. */
static const char *what_if_start(const struct snapshot *s,
				 const struct forward_job *f, char *buffer)
{
	if (f && !f->open)
		return storus_clock(s, f->start_us, buffer);
	snprintf(buffer, STORUS_CLOCK_SIZE, f ? "open" : "-");
	return buffer;
}

/* Jobs that start, and how long they wait. */
struct what_if_waits {
	uint32_t jobs;
	double sum_s;
};

struct what_if_sum {
	uint32_t waiting, earlier, later, open;
	struct what_if_waits before, after;
};

static void what_if_wait(struct what_if_waits *waits, int64_t submit_us,
			 const struct forward_job *f)
{
	if (!f || f->start_us == SNAPSHOT_NO_TIME)
		return;
	waits->jobs++;
	if (submit_us != SNAPSHOT_NO_TIME && submit_us < f->start_us)
		waits->sum_s += (double)(f->start_us - submit_us) * 1e-6;
}

static double what_if_mean_s(const struct what_if_waits *waits)
{
	return waits->jobs ? waits->sum_s / waits->jobs : 0;
}

/* Count a job. One without a start in either simulation is not compared. */
static void what_if_count(struct what_if_sum *sum,
			  const struct snapshot_job *job,
			  const struct forward_job *before,
			  const struct forward_job *after)
{
	bool open = after->open || (before && before->open);

	sum->waiting++;
	sum->open += open;
	if (open)
		return;
	what_if_wait(&sum->before, job->submit_us, before);
	what_if_wait(&sum->after, job->submit_us, after);
	if (!before)
		return;
	/* (no start counts as the latest) */
	sum->earlier += after->start_us < before->start_us;
	sum->later += after->start_us > before->start_us;
}

/* Who decides in the plays: "sched/backfill as conservative", "easy". */
static const char *what_if_scheduler(const struct what_if *w, char *text,
				     size_t size)
{
	const char *slurm = w->snapshot->scheduler;
	const char *name = w->snapshot->config->scheduler.discipline->name;
	bool other = *slurm && strcmp(slurm, "sched/torus");

	snprintf(text, size, "%s%s%s%s%s", slurm,
		 !*slurm ? "" :
		 other   ? " as " :
			   " with ",
		 name, w->discipline ? "; after: " : "",
		 w->discipline ? w->discipline : "");
	return text;
}

static void what_if_print_sum(const struct what_if *w,
			      const struct what_if_sum *sum)
{
	char before[32], after[32], scheduler[256];

	storus_clock_duration((int64_t)(what_if_mean_s(&sum->before) * 1e6),
			      before, sizeof(before));
	storus_clock_duration((int64_t)(what_if_mean_s(&sum->after) * 1e6),
			      after, sizeof(after));
	storus_print("%u waiting job%s: %u start%s earlier, %u later; mean wait %s before, %s after\n",
		     sum->waiting, sum->waiting == 1 ? "" : "s", sum->earlier,
		     sum->earlier == 1 ? "s" : "", sum->later, before, after);
	if (sum->open)
		storus_print("%u of them %s open: %.6g s of computing did not reach %s (--compute 0 does)\n",
			     sum->open, sum->open == 1 ? "is" : "are",
			     (double)w->bound.compute_us * 1e-6,
			     sum->open == 1 ? "it" : "them");
	storus_print("Estimated, as scheduled by %s.\n",
		     what_if_scheduler(w, scheduler, sizeof(scheduler)));
}

static json_t *what_if_sum_json(const struct what_if_sum *sum)
{
	return json_pack("{s:i, s:i, s:i, s:f, s:f, s:i, s:i, s:i}", "waiting",
			 (int)sum->waiting, "earlier", (int)sum->earlier,
			 "later", (int)sum->later, "mean_wait_before_s",
			 what_if_mean_s(&sum->before), "mean_wait_after_s",
			 what_if_mean_s(&sum->after), "started_before",
			 (int)sum->before.jobs, "started_after",
			 (int)sum->after.jobs, "open", (int)sum->open);
}

/* The changes, as typed. */
static json_t *what_if_changes_json(const struct what_if *w)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->changes.count; i += 2)
		json_array_append_new(list,
				      json_sprintf("%s %s", w->changes.word[i],
						   w->changes.word[i + 1]));
	if (w->discipline)
		json_array_append_new(list, json_sprintf("discipline %s",
							 w->discipline));
	if (w->strategy)
		json_array_append_new(list,
				      json_sprintf("strategy %s", w->strategy));
	return list;
}

/* Write the page (report/page.h). */
static int what_if_page(const struct what_if *w, const struct what_if_sum *sum,
			json_t *jobs)
{
	const struct report_origin origin = { .version = PACKAGE_VERSION,
					      .command = w->command };
	const struct torus_report_page page = { .title = "storus what-if",
						.origin = &origin };
	const struct snapshot *s = w->snapshot;
	json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:o, s:O}", "title",
			      "What if", "source", s->source ? s->source : "",
			      "now",
			      s->time_us == SNAPSHOT_NO_TIME ?
				      json_integer(0) :
				      storus_clock_json(s->time_us),
			      "changes", what_if_changes_json(w), "summary",
			      what_if_sum_json(sum), "jobs", jobs);
	int status = STORUS_TROUBLE;

	if (storus_json_origin(o, w->command))
		status = storus_page_put_json(NAME, w->report,
					      torus_report_what_if, &page, o);
	else
		storus_no_memory(NAME);
	json_decref(o);
	return status;
}

static int what_if_print(struct what_if *w)
{
	const struct snapshot *s = w->snapshot;
	struct what_if_sum sum = { 0 };
	bool asked = storus_table_asked(&w->table);
	char scheduler[256];
	json_t *page = json_array();
	int status = STORUS_DONE;

	w->table.dated = s->dated;
	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct forward_job *before, *after = &w->after.job[j];
		char count[24];
		json_t *row;

		if (s->job[j].running)
			continue;
		before = what_if_before(w, s->job[j].id, j);
		what_if_count(&sum, &s->job[j], before, after);
		row = json_pack("{s:s, s:s, s:s, s:o, s:o}", "job",
				s->job[j].id, "user", s->job[j].user, "ask",
				what_if_ask(&s->job[j], count, sizeof(count)),
				"before", what_if_start_json(before), "after",
				what_if_start_json(after));
		if (after->why)
			json_object_set_new(row, "reason",
					    json_string(after->why));
		else if (forward_hold(&s->job[j]) != FORWARD_NONE)
			json_object_set_new(row, "reason",
					    json_string(s->job[j].reason));
		if (w->report) {
			/* A copy of a row for the page, with both starts as text. */
			char b[STORUS_CLOCK_SIZE], a[STORUS_CLOCK_SIZE];
			json_t *copy = json_copy(row);

			json_object_set_new(copy, "at",
					    json_pack("[s, s]",
						      what_if_start(w->snapshot,
								    before, b),
						      what_if_start(w->snapshot,
								    after, a)));
			json_array_append_new(page, copy);
		}
		if (after->why && !w->table.json)
			json_object_set_new(row, "rejected",
					    json_string(after->why));
		storus_table_row(&w->table, row);
	}
	if (w->report)
		status = what_if_page(w, &sum, page);
	json_decref(page);
	if (status == STORUS_DONE && w->table.json)
		return storus_json_answer(
			NAME,
			json_pack("{s:i, s:s, s:o, s:o}", "schema", 1,
				  "scheduler",
				  what_if_scheduler(w, scheduler,
						    sizeof(scheduler)),
				  "summary", what_if_sum_json(&sum), "jobs",
				  storus_table_rows(&w->table)),
			s, w->table.json);
	if (status == STORUS_DONE)
		status = storus_table_end(NAME, &w->table);
	if (!asked && !w->table.json) {
		what_if_print_sum(w, &sum);
		storus_age_print("Snapshot", storus_age_time_us(s));
	}
	return status;
}

static int what_if_answer(struct what_if *w)
{
	struct torus_error err = { 0 };
	int status = storus_source_open(&w->source, &w->before_snapshot, &err);
	struct torus_error why = { 0 };
	struct torus_text text = { 0 };
	struct snapshot *copy = NULL;

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	storus_source_say_shapes(&w->source);
	/* Copy a snapshot through its text, which is complete. */
	if (snapshot_write(w->before_snapshot, &text) == 0)
		copy = snapshot_read("snapshot", text.data, text.length, &why);
	torus_text_free(&text);
	w->snapshot = copy;
	if (w->snapshot) /* a schedule's own discipline */
		w->snapshot->config->scheduler =
			w->before_snapshot->config->scheduler;
	if (!w->snapshot)
		return storus_no_memory(NAME);
	status = what_if_make(w);
	if (status == STORUS_DONE)
		status = what_if_play_both(w);
	return status == STORUS_DONE ? what_if_print(w) : status;
}

static int what_if_run(void *words)
{
	struct what_if *w = words;
	int status;

	if (w->bound.compute_us < 0) {
		cpu_set_t set;
		bool one = sched_getaffinity(0, sizeof(set), &set) == 0 ?
				   CPU_COUNT(&set) == 1 :
				   sysconf(_SC_NPROCESSORS_ONLN) == 1;

		/* the default. Both plays together take this long on two
		 * processors. (A process may be confined to one, as jobs are.) */
		w->bound.compute_us = one ? FORWARD_COMPUTE_US :
					    2 * FORWARD_COMPUTE_US;
	}
	status = what_if_answer(w);
	forward_free(&w->before);
	forward_free(&w->after);
	snapshot_destroy(w->before_snapshot);
	snapshot_destroy(w->snapshot);
	return status;
}

const struct storus_command storus_what_if = {
	.name = "what-if",
	.summary = "show which jobs would start when after a change",
	.usage = "[SHAPE]... [CHANGE]... [OPTION]...",
	.about =
		"Plays the machine forward twice, as it is and with the changes: every job runs to its\n"
		"time limit, and no job is submitted but those of a SHAPE and of --submit. Prints a\n"
		"line per waiting job: its start before\n"
		"and after, and its region then. Jobs that wait for other reasons than nodes (a\n"
		"dependency, a hold, a limit) do not start. Starts that are not decided within\n"
		"--compute are \"open\". The cluster's own scheduler decides, which the answer names:\n"
		"sched/torus by torus.yaml, sched/backfill as conservative, sched/builtin as fcfs.",
	.options = options,
	STORUS_WORDS(struct what_if, .table.column = columns,
		     .bound.compute_us = -1),
	.operand = { .value = "shape", STORUS_TO(struct what_if, shapes) },
	.line = { STORUS_TO(struct what_if, command) },
	.examples =
		"  storus what-if 4x4x2\n"
		"  storus what-if --drain 'node[00-03]'\n"
		"  storus what-if --snapshot now.snap --submit '--geometry=8x8x4 -t 120'\n"
		"  storus what-if --drain 'node[00-03]' --report drain.html\n"
		"  storus what-if --snapshot now.snap --discipline conservative --json\n"
		"  storus what-if --cancel 17 -o '%i %a'\n",
	.run = what_if_run,
};
