/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus what-if: who would start when if nodes were drained or came back, jobs were
 * cancelled or submitted, or another discipline or strategy decided. The snapshot is
 * played forward twice, as it is and as it would be.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "questions/forward.h"
#include "questions/occupancy.h"
#include "storus/clock.h"
#include "storus/json.h"
#include "storus/source.h"
#include "storus/table.h"
#include "storus/what_if.h"
#include "torus/alloc.h"
#include "torus/discipline.h"

#define NAME &storus_what_if

enum {
	OPT_DRAIN = STORUS_SOURCE_END,
	OPT_UP,
	OPT_CANCEL,
	OPT_SUBMIT,
	OPT_DISCIPLINE,
	OPT_STRATEGY,
	OPT_REPORT,
};

static const struct storus_option options[] = {
	{ "drain", OPT_DRAIN, "NODES",
	  "out of service: node[00-03], or a region; may be repeated" },
	{ "up", OPT_UP, "NODES", "in service again; may be repeated" },
	{ "cancel", OPT_CANCEL, "JOB",
	  "this job ends now, or does not wait any more; may be repeated" },
	{ "submit", OPT_SUBMIT, "WORDS",
	  "one more job, in sbatch's words: \"--geometry=4x4 -t 30\"; may be\n"
	  "repeated" },
	{ "discipline", OPT_DISCIPLINE, "NAME",
	  "a discipline of `storus list disciplines`" },
	{ "strategy", OPT_STRATEGY, "NAME",
	  "a strategy of `storus list strategies`" },
	{ "report", OPT_REPORT, "FILE.html", "as a page, too" },
	STORUS_SOURCE_OPTIONS,
	STORUS_TABLE_OPTIONS,
	{ NULL, 0, NULL, NULL },
};

static int what_if_run(int argc, char **argv);

const struct storus_command storus_what_if = {
	.name = "what-if",
	.summary = "who would start when, if something were otherwise",
	.usage = "[CHANGE]... [OPTION]...",
	.about = "Plays the machine forward twice, as it is and with the changes: every job runs as\n"
		 "long as it may, nobody else comes. A line per waiting job: its start before and\n"
		 "after, and where it goes then. Jobs that Slurm holds back for other reasons than\n"
		 "nodes (a dependency, a hold, a limit) do not start.",
	.options = options,
	.examples =
		"  storus what-if --drain 'node[00-03]'\n"
		"  storus what-if --snapshot now.snap --submit '--geometry=8x8x4 -t 120'\n"
		"  storus what-if --drain 'node[00-03]' --report drain.html\n"
		"  storus what-if --snapshot now.snap --discipline conservative --json\n"
		"  storus what-if --cancel 17 -o '%i %a'\n",
	.run = what_if_run,
};

static const struct storus_column columns[] = {
	{ 'i', "JOB", -10 },          { 'u', "USER", -10 },
	{ 'g', "ASK", -14 },          { 'b', "BEFORE", -19 },
	{ 'a', "AFTER", -19 },        { 'c', "CHANGE", 12 },
	{ 'r', "REGION_AFTER", -24 }, { 0, NULL, 0 },
};

struct what_if_option {
	enum what_if_kind kind;
	const char *value;
};

struct what_if {
	struct storus_source source;
	struct storus_table table;
	struct what_if_option *change;
	uint32_t changes;
	const char *discipline, *strategy, *report;
	char *command; /* as typed */
	struct snapshot *before_snapshot, *snapshot;
	struct forward before, after;
};

/* The same again: through its text, which has all of it. */
static struct snapshot *what_if_copy(const struct snapshot *s)
{
	struct torus_error err = { 0 };
	struct torus_text text = { 0 };
	struct snapshot *copy = NULL;

	if (snapshot_write(s, &text) == 0)
		copy = snapshot_read("snapshot", text.data, text.length, &err);
	torus_text_free(&text);
	return copy;
}

static int what_if_make(struct what_if *w)
{
	struct torus_error err = { 0 };
	int status = STORUS_DONE;
	uint32_t submitted = 0;

	for (uint32_t i = 0; status == STORUS_DONE && i < w->changes; i++) {
		submitted += w->change[i].kind == WHAT_IF_SUBMIT;
		status = what_if_change(w->snapshot, w->change[i].kind,
					w->change[i].value, submitted);
	}
	if (status == STORUS_DONE && w->strategy &&
	    torus_config_strategy(w->snapshot->config, w->strategy, &err))
		status = storus_say_errors(NAME, STORUS_USAGE, &err);
	return status;
}

static int what_if_play(struct snapshot *s, const char *discipline,
			struct forward *f)
{
	struct torus_scheduler_settings settings = s->config->scheduler;
	struct torus_error err = { 0 };

	if (discipline) {
		settings.discipline = torus_discipline_find(discipline);
		settings.options.used = 0; /* another discipline's */
	}
	if (!settings.discipline)
		return storus_say(NAME, STORUS_USAGE,
				  "--discipline: got \"%s\"; storus list disciplines names them",
				  discipline);
	if (occupancy_prepare(s) == 0 &&
	    forward_play(s, &settings, f, &err) == 0)
		return STORUS_DONE;
	if (err.count)
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	return storus_say(NAME, STORUS_TROUBLE, "out of memory");
}

/* What a job has in the play before; NULL: it was not there. */
static const struct forward_job *what_if_before(const struct what_if *w,
						const char *id, uint32_t hint)
{
	const struct snapshot *s = w->before_snapshot;

	/* both lists are in one order, and few jobs go */
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
	if (*job->geometry)
		return job->geometry;
	snprintf(buffer, size, "%u", job->count);
	return buffer;
}

static json_t *what_if_start_json(const struct forward_job *f)
{
	return f ? json_pack("{s:o, s:o, s:s?}", "start",
			     storus_clock_json(f->start_us), "end",
			     storus_clock_json(f->end_us), "region", f->region) :
		   json_null();
}

static json_t *what_if_row_json(const struct snapshot_job *job,
				const struct forward_job *before,
				const struct forward_job *after)
{
	char count[16];
	json_t *o = json_pack("{s:s, s:s, s:s, s:o, s:o}", "job", job->id,
			      "user", job->user, "ask",
			      what_if_ask(job, count, sizeof(count)), "before",
			      what_if_start_json(before), "after",
			      what_if_start_json(after));

	if (after->why)
		json_object_set_new(o, "reason", json_string(after->why));
	else if (forward_hold(job) != FORWARD_NONE)
		json_object_set_new(o, "reason", json_string(job->reason));
	return o;
}

static void what_if_print_row(const struct what_if *w,
			      const struct snapshot_job *job,
			      const struct forward_job *before,
			      const struct forward_job *after)
{
	char b[STORUS_CLOCK_SIZE] = "-", a[STORUS_CLOCK_SIZE];
	char change[32] = "-", count[16];
	const char *value[] = {
		job->id,
		job->user,
		what_if_ask(job, count, sizeof(count)),
		b,
		a,
		change,
		after->region ? after->region :
		after->why    ? after->why :
				"-",
	};

	if (before)
		storus_clock(w->snapshot, before->start_us, b);
	storus_clock(w->snapshot, after->start_us, a);
	if (before && before->start_us != SNAPSHOT_NO_TIME &&
	    after->start_us != SNAPSHOT_NO_TIME)
		storus_clock_duration(after->start_us - before->start_us,
				      change, sizeof(change));
	storus_table_row(&w->table, value);
}

struct what_if_sum {
	uint32_t waiting, earlier, later, started, before; /* before: started */
};

static void what_if_count(struct what_if_sum *sum,
			  const struct forward_job *before,
			  const struct forward_job *after)
{
	sum->waiting++;
	sum->started += after->start_us != SNAPSHOT_NO_TIME;
	if (!before)
		return;
	sum->before += before->start_us != SNAPSHOT_NO_TIME;
	/* no start is later than any */
	sum->earlier += after->start_us < before->start_us;
	sum->later += after->start_us > before->start_us;
}

static void what_if_print_sum(const struct what_if *w,
			      const struct what_if_sum *sum)
{
	char before[32], after[32];

	storus_clock_duration(w->before.mean_wait_us, before, sizeof(before));
	storus_clock_duration(w->after.mean_wait_us, after, sizeof(after));
	printf("%u waiting job%s: %u start%s earlier, %u later; mean wait %s before, %s after\n",
	       sum->waiting, sum->waiting == 1 ? "" : "s", sum->earlier,
	       sum->earlier == 1 ? "s" : "", sum->later, before, after);
}

static json_t *what_if_sum_json(const struct what_if *w,
				const struct what_if_sum *sum)
{
	return json_pack("{s:i, s:i, s:i, s:f, s:f, s:i, s:i}", "waiting",
			 (int)sum->waiting, "earlier", (int)sum->earlier,
			 "later", (int)sum->later, "mean_wait_before_s",
			 (double)w->before.mean_wait_us * 1e-6,
			 "mean_wait_after_s",
			 (double)w->after.mean_wait_us * 1e-6, "started_before",
			 (int)sum->before, "started_after", (int)sum->started);
}

/* A row for the page: as JSON, and the two starts in words. */
static json_t *what_if_page_row(const struct what_if *w, json_t *row,
				const struct forward_job *before,
				const struct forward_job *after)
{
	char b[STORUS_CLOCK_SIZE] = "-", a[STORUS_CLOCK_SIZE];

	if (before)
		storus_clock(w->snapshot, before->start_us, b);
	storus_clock(w->snapshot, after->start_us, a);
	json_object_set_new(row, "at", json_pack("[s, s]", b, a));
	return row;
}

/* The changes, as typed. */
static json_t *what_if_changes_json(const struct what_if *w)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->changes; i++) {
		const struct what_if_option *o = &w->change[i];

		json_array_append_new(list, json_sprintf("%s %s",
							 options[o->kind].name,
							 o->value));
	}
	if (w->discipline)
		json_array_append_new(list, json_sprintf("discipline %s",
							 w->discipline));
	if (w->strategy)
		json_array_append_new(list,
				      json_sprintf("strategy %s", w->strategy));
	return list;
}

static int what_if_page(const struct what_if *w, const struct what_if_sum *sum,
			json_t *jobs)
{
	const struct snapshot *s = w->snapshot;
	json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:o, s:O}", "title",
			      "What if", "source", s->source ? s->source : "",
			      "now",
			      s->time_us == SNAPSHOT_NO_TIME ?
				      json_integer(0) :
				      storus_clock_json(s->time_us),
			      "changes", what_if_changes_json(w), "summary",
			      what_if_sum_json(w, sum), "jobs", jobs);
	int status = o ? what_if_report(w->report, w->command, o) :
			 storus_say(NAME, STORUS_TROUBLE, "out of memory");

	json_decref(o);
	return status;
}

static int what_if_print(struct what_if *w)
{
	const struct snapshot *s = w->snapshot;
	struct what_if_sum sum = { 0 };
	json_t *jobs = json_array(), *rows = json_array();
	int status = STORUS_DONE;

	if (!w->table.json)
		storus_table_begin(&w->table);
	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct forward_job *before, *after = &w->after.job[j];

		if (s->job[j].running)
			continue;
		before = what_if_before(w, s->job[j].id, j);
		what_if_count(&sum, before, after);
		if (w->table.json)
			json_array_append_new(jobs,
					      what_if_row_json(&s->job[j],
							       before, after));
		else
			what_if_print_row(w, &s->job[j], before, after);
		if (w->report)
			json_array_append_new(
				rows,
				what_if_page_row(w,
						 what_if_row_json(&s->job[j],
								  before, after),
						 before, after));
	}
	if (w->report)
		status = what_if_page(w, &sum, rows);
	json_decref(rows);
	if (!w->table.json && !w->table.format && !w->table.noheader)
		what_if_print_sum(w, &sum);
	if (!w->table.json) {
		json_decref(jobs);
		return status;
	}
	if (status != STORUS_DONE) {
		json_decref(jobs);
		return status;
	}
	status = storus_json_write(NAME,
				   json_pack("{s:i, s:o, s:o}", "schema", 1,
					     "summary",
					     what_if_sum_json(w, &sum), "jobs",
					     jobs),
				   w->table.json_path);
	return status;
}

static int what_if_answer(struct what_if *w)
{
	struct torus_error err = { 0 };
	int status = storus_source_open(&w->source, &w->before_snapshot, &err);

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	w->snapshot = what_if_copy(w->before_snapshot);
	if (!w->snapshot)
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	status = what_if_make(w);
	if (status == STORUS_DONE)
		status = what_if_play(w->before_snapshot, NULL, &w->before);
	if (status == STORUS_DONE)
		status = what_if_play(w->snapshot, w->discipline, &w->after);
	return status == STORUS_DONE ? what_if_print(w) : status;
}

static int what_if_option(struct what_if *w, const struct storus_args *args,
			  int id)
{
	switch (id) {
	case OPT_DRAIN:
	case OPT_UP:
	case OPT_CANCEL:
	case OPT_SUBMIT:
		w->change[w->changes++] = (struct what_if_option){
			(enum what_if_kind)(id - OPT_DRAIN), args->value
		};
		return 1;
	case OPT_DISCIPLINE:
		w->discipline = args->value;
		return 1;
	case OPT_STRATEGY:
		w->strategy = args->value;
		return 1;
	case OPT_REPORT:
		w->report = args->value;
		return 1;
	case STORUS_ARGS_OPERAND:
		return storus_say(NAME, STORUS_ARGS_BAD,
				  "\"%s\": unexpected; every word of this command is an option",
				  args->value);
	default:
		return id;
	}
}

static int what_if_read_words(int argc, char **argv, struct what_if *w)
{
	struct storus_args args;
	int id;

	storus_table_spell_out(argc, argv);
	storus_args_begin(&args, NAME, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		int taken = storus_source_take(&w->source, &args, id);

		if (!taken && !storus_table_take(&w->table, &args, id))
			taken = what_if_option(w, &args, id);
		if (taken < 0)
			return taken;
	}
	id = storus_source_check(&w->source);
	return id == STORUS_ARGS_END ? storus_table_check(&w->table, NAME) : id;
}

static int what_if_run(int argc, char **argv)
{
	struct what_if w = { .table.column = columns,
			     .change = torus_alloc((size_t)argc,
						   sizeof(*w.change)) };
	int id, status = STORUS_USAGE;

	w.command = storus_command_line(argc,
					argv); /* -o is not spelt out yet */
	if (!w.change || !w.command ||
	    storus_source_init(&w.source, NAME, argc)) {
		torus_free(w.change);
		free(w.command);
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	}
	id = what_if_read_words(argc, argv, &w);
	if (id == STORUS_ARGS_HELP)
		status = STORUS_DONE;
	else if (id == STORUS_ARGS_END)
		status = what_if_answer(&w);
	forward_free(&w.before);
	forward_free(&w.after);
	snapshot_destroy(w.before_snapshot);
	snapshot_destroy(w.snapshot);
	torus_free(w.change);
	free(w.command);
	storus_source_free(&w.source);
	return status;
}
