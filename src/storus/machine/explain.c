/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus explain: why a job waits and until when, or where it runs. Plain sentences;
 * with -v a table of the alternatives or the neighbours as well, with -o or
 * --noheader a table alone.
 */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "storus/base/args.h"
#include "storus/base/clock.h"
#include "storus/machine/explain.h"
#include "storus/base/json.h"
#include "storus/base/slurm.h"
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

/* Return true if the answer is about the live cluster. */
static bool explain_is_live(const struct storus_source *s)
{
	return !s->snapshot && !s->schedule && !s->busy.count && !s->torus;
}

/* Say why there is no machine, and in the same line why slurmctld has no answer either. */
static int explain_unknown(int status, const struct torus_error *err,
			   const struct torus_error *why)
{
	if (!*why->text)
		return storus_say_errors(NAME, status, err);
	return storus_say(NAME, status, "%.*s; %.*s",
			  (int)strcspn(err->text, "\n"), err->text,
			  (int)strcspn(why->text, "\n"), why->text);
}

static int explain_job(struct explain *e)
{
	struct torus_error err = { 0 }, why = { 0 };
	int status = storus_question_machine(&e->q, &err);
	const struct snapshot_job *job;
	size_t length;

	if (status != STORUS_DONE) {
		/* a login node without torus.yaml: what slurmctld knows */
		int known = explain_is_live(&e->q.source) && !e->q.snapshot ?
				    explain_ended(e, &why) :
				    STORUS_GO;

		return known != STORUS_GO ? known :
					    explain_unknown(status, &err, &why);
	}
	job = snapshot_job_find(e->q.snapshot, e->id);
	length = strlen(e->id);
	/* an array: its first task */
	for (uint32_t j = 0; !job && j < e->q.snapshot->jobs; j++) {
		if (strncmp(e->q.snapshot->job[j].id, e->id, length) == 0 &&
		    e->q.snapshot->job[j].id[length] == '_')
			job = &e->q.snapshot->job[j];
	}
	e->job = job;
	if (!e->job && explain_is_live(&e->q.source)) {
		status = explain_ended(e, &why);
		if (status != STORUS_GO)
			return status;
	}
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
	if (!e->job->running) {
		/* why nodes in use have no job here */
		uint32_t n = torus_bits_count(e->q.snapshot->hidden,
					      e->q.config->machine.words);

		if (n)
			storus_print("%u node%s in use by jobs that are not visible to you (PrivateData in slurm.conf); ask the administrators\n",
				     n, n == 1 ? " is" : "s are");
	}
	if (e->verbose && !e->job->running) {
		storus_print("\n");
		status = explain_put_table(e);
	}
	if (status == STORUS_DONE)
		storus_age_print("Snapshot", storus_age_time_us(e->q.snapshot));
	return status;
}

/* Add the job numbers of an operand: 17, 17_4, 17,18, or another name of a job in a
 * snapshot or a schedule (new1 of storus what-if). */
static int explain_take_ids(const struct explain *e, const char *typed,
			    json_t *ids)
{
	while (*typed) {
		size_t n = strcspn(typed, ",");
		json_t *id = json_stringn(typed, n);

		json_array_append_new(ids, id);
		if (!id || (!storus_args_is_job(json_string_value(id)) &&
			    (explain_is_live(&e->q.source) ||
			     ((*typed < '0' || *typed > '9') &&
			      strncmp(typed, "new", 3)))))
			return storus_say(NAME, STORUS_USAGE,
					  "unexpected operand \"%.*s\": expected job numbers, for example 17 or 17_4",
					  (int)n, typed);
		typed += n + (typed[n] == ',');
	}
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
	explain_first_free(e);
	torus_free(e->allowed);
	torus_free(e->out);
	torus_free(e->floating);
	storus_question_free(&e->q);
}

/* Explain one of several jobs. Each has a question of its own. */
static int explain_next(const struct explain *words, const char *id, bool first,
			json_t *all)
{
	struct explain one = *words;
	int status;

	one.id = id;
	one.all = all;
	one.table.noheader |= !first && storus_table_asked(&one.table);
	if (!first && !storus_table_asked(&one.table) && !one.table.json)
		storus_print("\n");
	status = explain_job(&one);
	explain_clear(&one);
	storus_table_free(&one.table);
	return status;
}

/* Add the number of a line of squeue: 17, 17_4, or 17_[0-3] as 17. */
static int explain_take_id(void *ids, char *line)
{
	size_t digits = strspn(line, "0123456789");

	if (line[digits] != '_' || line[digits + 1] == '[')
		line[digits] = '\0';
	line[strcspn(line, " \n")] = '\0';
	json_array_append_new(ids, json_string(line));
	return STORUS_DONE;
}

/* Add the caller's jobs, the waiting ones first. */
static int explain_mine(const struct explain *words, json_t *ids)
{
	static const char *const squeue[] = { "squeue", "--me", "-h",  "-t",
					      "PD,R",   "-S",   "t,i", "-o",
					      "%i",     NULL };
	struct storus_source source = words->q.source;
	const struct passwd *me = getpwuid(geteuid());
	struct torus_error err = { 0 }, why = { 0 };
	struct snapshot *s = NULL;
	int status = storus_source_open(&source, &s, &err);

	/* a login node without torus.yaml: slurmctld knows them */
	if (status != STORUS_DONE &&
	    (!explain_is_live(&source) ||
	     storus_slurm_lines(squeue, &why, explain_take_id, ids) !=
		     STORUS_DONE))
		return explain_unknown(status, &err, &why);
	for (int running = 0; me && s && running < 2; running++) {
		for (uint32_t j = 0; j < s->jobs; j++) {
			if (s->job[j].running == running &&
			    strcmp(s->job[j].user, me->pw_name) == 0)
				json_array_append_new(ids,
						      json_string(s->job[j].id));
		}
	}
	snapshot_destroy(s);
	if (json_array_size(ids) > 0)
		return STORUS_GO;
	return storus_say(NAME, STORUS_NO,
			  "no job of yours waits or runs here; name one: storus explain 17");
}

static int explain_run(void *words)
{
	const struct explain *e = words;
	json_t *ids = json_array();
	int status = STORUS_GO;

	for (uint32_t i = 0; status == STORUS_GO && i < e->ids.count; i++)
		status = explain_take_ids(e, e->ids.word[i], ids);
	if (status == STORUS_GO && e->ids.count == 0)
		status = explain_mine(e, ids);
	if (status == STORUS_GO) {
		size_t n;
		json_t *all;

		n = json_array_size(ids);
		all = n > 1 && e->table.json ? json_array() : NULL;
		status = STORUS_DONE;
		for (size_t i = 0; i < n; i++) {
			int one = explain_next(e,
					       json_string_value(
						       json_array_get(ids, i)),
					       i == 0, all);

			status = one > status ? one : status;
		}
		if (all)
			n = (size_t)storus_json_write(NAME,
						      json_pack("{s:i, s:o}",
								"schema", 1,
								"jobs", all),
						      e->table.json);
		status = all && (int)n > status ? (int)n : status;
	}
	json_decref(ids);
	return status;
}

const struct storus_command storus_explain = {
	.name = "explain",
	.summary = "explain why a job waits and until when, or where it runs",
	.usage = "[JOB]... [OPTION]...",
	.about =
		"For a waiting job: Slurm's reason, each alternative on the machine now, the place that\n"
		"is free first and which jobs hold it until when, nodes out of service in its way, its\n"
		"start by the plan or the forecast, and which other shape of the same size would start\n"
		"now. For a running job: its region and rings, its neighbours, and the cost of sharing\n"
		"links with them. For one that has just ended: what it asked, got and waited for.\n"
		"Without a job: all of yours.",
	.options = options,
	STORUS_WORDS(struct explain, .table.column = explain_columns),
	.operand = { .value = "job number", STORUS_TO(struct explain, ids) },
	.examples = "  storus explain 17\n"
		    "  storus explain\n"
		    "  storus explain 17 -v\n"
		    "  storus explain 17_4 --snapshot now.snap --json\n",
	.run = explain_run,
};
