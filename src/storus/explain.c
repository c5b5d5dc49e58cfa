/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus explain: why a job waits and until when, or where it runs. Plain sentences;
 * with -v a table of the alternatives or the neighbours as well, with -o or
 * --noheader a table alone.
 */
#include <stdio.h>
#include <string.h>

#include "questions/occupancy.h"
#include "storus/explain.h"
#include "storus/table.h"
#include "torus/alloc.h"

#define NAME &storus_explain

enum {
	OPT_VERBOSE = STORUS_SOURCE_END + 100,
};

static const struct storus_option options[] = {
	STORUS_SOURCE_OPTIONS,
	{ "verbose", OPT_VERBOSE, NULL,
	  "a table below the sentences as well (or -v)" },
	STORUS_TABLE_OPTIONS,
	{ NULL, 0, NULL, NULL },
};

static int explain_run(int argc, char **argv);

const struct storus_command storus_explain = {
	.name = "explain",
	.summary = "why a job waits and until when, or where it runs",
	.usage = "JOB [OPTION]...",
	.about =
		"Of a waiting job: what Slurm says, each alternative on the machine now, the place\n"
		"that is free first and who holds it until when, nodes out of service in its way,\n"
		"when it starts by the plan or the forecast, and which other shape of the same size\n"
		"would start now. Of a running job: its region and rings, its neighbours, and what\n"
		"sharing links with them costs.",
	.options = options,
	.examples = "  storus explain 17\n"
		    "  storus explain 17 -v\n"
		    "  storus explain 17_4 --snapshot now.snap --json\n",
	.run = explain_run,
};

static const struct snapshot_job *explain_find(const struct snapshot *s,
					       const char *id)
{
	const struct snapshot_job *job = snapshot_job_find(s, id);
	size_t length = strlen(id);

	/* an array: its first task */
	for (uint32_t j = 0; !job && j < s->jobs; j++) {
		if (strncmp(s->job[j].id, id, length) == 0 &&
		    s->job[j].id[length] == '_')
			job = &s->job[j];
	}
	return job;
}

struct explain_words {
	const char *id;
	bool verbose;
	struct storus_table table;
};

static int explain_answer(struct explain *e, const struct explain_words *w)
{
	struct torus_error err = { 0 };
	int status = storus_question_machine(&e->q, &err);

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	e->job = explain_find(e->q.snapshot, w->id);
	if (!e->job)
		return storus_say(NAME, STORUS_NO,
				  "there is no job %s: it is over, or not visible to you",
				  w->id);
	status = e->job->running ? STORUS_DONE : explain_pending(e);
	if (status != STORUS_DONE)
		return status;
	if (w->table.json)
		return explain_put_json(e, w->table.json_path);
	if (w->table.format || w->table.noheader)
		return explain_put_table(e, &w->table);
	if (e->job->running)
		explain_print_running(e, w->verbose);
	else
		explain_print_pending(e);
	if (w->verbose && !e->job->running) {
		putchar('\n');
		return explain_put_table(e, &w->table);
	}
	return STORUS_DONE;
}

static int explain_option(struct explain_words *w,
			  const struct storus_args *args, int id)
{
	switch (id) {
	case OPT_VERBOSE:
		w->verbose = true;
		return 1;
	case STORUS_ARGS_OPERAND:
		if (w->id || args->value[0] < '0' ||
		    (args->value[0] > '9' && strncmp(args->value, "new", 3)))
			return storus_say(NAME, STORUS_ARGS_BAD,
					  "unexpected operand \"%s\": expected one job number",
					  args->value);
		w->id = args->value;
		return 1;
	default:
		return id;
	}
}

static int explain_read_words(int argc, char **argv, struct explain *e,
			      struct explain_words *w)
{
	static char verbose[] = "--verbose";
	struct storus_args args;
	int id;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-v") == 0)
			argv[i] = verbose;
	}
	storus_table_spell_out(argc, argv);
	storus_args_begin(&args, NAME, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		int taken = storus_source_take(&e->q.source, &args, id);

		if (!taken && !storus_table_take(&w->table, &args, id))
			taken = explain_option(w, &args, id);
		if (taken < 0)
			return taken;
	}
	if (!w->id)
		return storus_say(NAME, STORUS_ARGS_BAD,
				  "expected a job; write for example storus explain 17");
	id = storus_source_check(&e->q.source);
	return id == STORUS_ARGS_END ? storus_table_check(&w->table, NAME) : id;
}

static void explain_free(struct explain *e)
{
	for (uint32_t k = 0; k < TORUS_MAX_ALTERNATIVES; k++) {
		freeing_free(&e->alternative[k].earliest);
		freeing_free(&e->alternative[k].cheapest);
		torus_free(e->alternative[k].out);
	}
	forward_free(&e->forward);
	torus_free(e->allowed);
	storus_question_free(&e->q);
	torus_free(e);
}

static int explain_run(int argc, char **argv)
{
	struct explain *e = torus_alloc(1, sizeof(*e));
	struct explain_words w = { .table.column = explain_columns };
	int id, status = STORUS_USAGE;

	if (!e || storus_question_init(&e->q, NAME, argc)) {
		torus_free(e);
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	}
	id = explain_read_words(argc, argv, e, &w);
	if (id == STORUS_ARGS_HELP)
		status = STORUS_DONE;
	else if (id == STORUS_ARGS_END)
		status = explain_answer(e, &w);
	explain_free(e);
	return status;
}
