/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus explain: why a job waits and until when, or where it runs. Plain sentences;
 * with -v a table of the alternatives or the neighbours as well, with -o or
 * --noheader a table alone.
 */
#include <stdio.h>
#include <string.h>

#include "storus/base/clock.h"
#include "storus/machine/explain.h"
#include "storus/base/table.h"
#include "torus/alloc.h"

#define NAME &storus_explain

static const struct storus_option options[] = {
	STORUS_SOURCE_OPTIONS(struct explain, q.source),
	{ "verbose", NULL, "also print a table", .letter = 'v',
	  STORUS_TO(struct explain, verbose) },
	STORUS_TABLE_OPTIONS(struct explain, table),
	{ 0 },
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

static int explain_job(struct explain *e)
{
	struct torus_error err = { 0 };
	int status = storus_question_machine(&e->q, &err);

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	e->job = explain_find(e->q.snapshot, e->id);
	if (!e->job)
		return storus_say(NAME, STORUS_NO,
				  "there is no job %s: it has ended, or is hidden from you",
				  e->id);
	if (!e->job->running) {
		storus_source_say_shapes(&e->q.source);
		status = explain_pending(e);
	}
	if (status != STORUS_DONE)
		return status;
	if (e->table.json)
		return explain_put_json(e);
	if (storus_table_asked(&e->table))
		return explain_put_table(e);
	if (e->job->running)
		explain_print_running(e);
	else
		explain_print_pending(e);
	if (e->verbose && !e->job->running) {
		putchar('\n');
		status = explain_put_table(e);
	}
	if (status == STORUS_DONE)
		storus_age_print("Snapshot", storus_age_time_us(e->q.snapshot));
	return status;
}

/* Is it a job number, or new1 of storus what-if? */
static int explain_check_id(const char *id)
{
	if (!id)
		return storus_say(NAME, STORUS_USAGE,
				  "expected a job; write for example storus explain 17");
	if ((id[0] < '0' || id[0] > '9') && strncmp(id, "new", 3))
		return storus_say(NAME, STORUS_USAGE,
				  "unexpected operand \"%s\": expected one job number",
				  id);
	return STORUS_GO;
}

void explain_clear(struct explain *e)
{
	for (uint32_t k = 0; k < TORUS_MAX_ALTERNATIVES; k++) {
		freeing_free(&e->alternative[k].earliest);
		freeing_free(&e->alternative[k].cheapest);
		torus_free(e->alternative[k].out);
		torus_free(e->alternative[k].links);
		torus_free(e->alternative[k].region);
	}
	forward_free(&e->forward);
	torus_free(e->allowed);
	torus_free(e->out);
	torus_free(e->floating);
	storus_question_free(&e->q);
}

static int explain_run(void *words)
{
	struct explain *e = words;
	int status = explain_check_id(e->id);

	if (status == STORUS_GO)
		status = explain_job(e);
	explain_clear(e);
	return status;
}

const struct storus_command storus_explain = {
	.name = "explain",
	.summary = "explain why a job waits and until when, or where it runs",
	.usage = "JOB [OPTION]...",
	.about =
		"For a waiting job: Slurm's reason, each alternative on the machine now, the place that\n"
		"is free first and which jobs hold it until when, nodes out of service in its way, its\n"
		"start by the plan or the forecast, and which other shape of the same size would start\n"
		"now. For a running job: its region and rings, its neighbours, and the cost of sharing\n"
		"links with them.",
	.options = options,
	STORUS_WORDS(struct explain, .table.column = explain_columns),
	.operand = { .value = "job number", STORUS_TO(struct explain, id) },
	.examples = "  storus explain 17\n"
		    "  storus explain 17 -v\n"
		    "  storus explain 17_4 --snapshot now.snap --json\n",
	.run = explain_run,
};
