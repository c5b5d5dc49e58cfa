/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus update: another shape for a waiting job. The words are checked here as
 * sbatch checks them, on torus.yaml where it can be read; slurmctld's
 * job_submit/torus decides (plugins/slurmctld/submit/submit_update.c). They travel in the
 * Comment of a job update, one for each record that the job has in the queue:
 * tasks of an array that were requeued have records of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/admin_comment.h"
#include "storus/base/args.h"
#include "storus/machine/question.h"
#include "storus/machine/source.h"
#include "storus/base/clock.h"
#include "storus/base/slurm.h"
#include "storus/base/table.h"
#include "storus/storus.h"
#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"

#define NAME &storus_update
#define ID_SIZE 32
#define UPDATE_POLLS                                                           \
	8 /* of squeue, each half a second: the scheduler's next pass */

struct update_words {
	struct storus_list operands;
	const char *job; /* the first of them */
	struct torus_request_words request;
	struct storus_table table;
};

#define UPDATE_WORD(member, kind, name, variable, column, value, choices, help) \
	{ name, value, help, STORUS_TO(struct update_words, request.member) },

static const struct storus_option options[] = {
	TORUS_REQUEST_WORDS(UPDATE_WORD)
		STORUS_TABLE_OPTIONS(struct update_words, table),
	{ 0 },
};

struct target {
	const char *job;     /* as typed */
	char (*id)[ID_SIZE]; /* of records to update */
	size_t ids;
	char state[24]; /* of a record that is not waiting */
	struct torus_error *err;
};

/* Check that the shape is possible on the idle machine, as far as torus.yaml
 * tells. */
static int update_check_machine(const struct torus_request_words *words)
{
	struct torus_error err = { 0 };
	struct torus_placement place;
	struct storus_question q = { .words = *words,
				     .strategy = words->placement };
	int status = STORUS_DONE;
	char path[4096];

	storus_config_path(path, sizeof(path));
	if (access(path, R_OK) != 0)
		return STORUS_DONE;
	q.source.torus = path;
	if (storus_question_machine(&q, &err) ||
	    storus_question_request(&q, &err))
		status = storus_say_errors(NAME, STORUS_USAGE, &err);
	else if (storus_question_ask(&q, NULL, &place, &err) != TORUS_FITS)
		status = storus_say_errors(NAME, STORUS_NO, &err);
	storus_question_free(&q);
	return status;
}

/* Without the plugin the text would become the job's comment. */
static int check_plugin(void)
{
	struct torus_error err = { 0 };
	char plugins[1024], *list = plugins, *word;
	int status = storus_slurm_setting("JobSubmitPlugins", plugins,
					  sizeof(plugins), &err);

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	while ((word = strsep(&list, ",")))
		if (!strcmp(word, "torus") || !strcmp(word, "job_submit/torus"))
			return STORUS_DONE;
	return storus_say(NAME, STORUS_TROUBLE,
			  "slurm.conf has no JobSubmitPlugins=torus, which changes shapes");
}

static int add_id(struct target *t, const char *id)
{
	if (TORUS_RESIZE(t->id, t->ids + 1)) {
		torus_error_add(t->err, "out of memory");
		return STORUS_TROUBLE;
	}
	snprintf(t->id[t->ids++], ID_SIZE, "%s", id);
	return STORUS_DONE;
}

/* ID|ARRAY|NAME|STATE; NAME is 5, 5_2 or, for the tasks that share a record,
 * 5_[3-9]. */
static int take_record(void *arg, char *line)
{
	struct target *t = arg;
	char *word[4], *next = line;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 4; i++) {
		word[i] = strsep(&next, "|");
		if (!word[i])
			return STORUS_DONE;
	}
	if (strcmp(word[0], t->job) && strcmp(word[1], t->job) &&
	    strcmp(word[2], t->job))
		return STORUS_DONE;
	if (strcmp(word[3], "PENDING")) {
		snprintf(t->state, sizeof(t->state), "%s", word[3]);
		return STORUS_DONE;
	}
	return add_id(t, strchr(word[2], '[') ? word[1] : word[2]);
}

static int find_records(struct target *t)
{
	static const char *const squeue[] = { "squeue", "--noheader", "--all",
					      "--format=%A|%F|%i|%T", NULL };
	int status = storus_slurm_lines(squeue, t->err, take_record, t);

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, t->err);
	if (t->ids == 0 && t->state[0])
		return storus_say(NAME, STORUS_NO,
				  "job %s is %s; the shape of a job can change only while it waits",
				  t->job, t->state);
	/* a task without a record of its own */
	if (t->ids == 0 && strchr(t->job, '_'))
		return add_id(t, t->job);
	return t->ids ?
		       STORUS_DONE :
		       storus_say(NAME, STORUS_NO,
				  "job %s is not in the queue, or belongs to another user",
				  t->job);
}

static int no_line(void *arg, char *line)
{
	(void)arg;
	fputs(line, stderr);
	return STORUS_DONE;
}

static int send_one(const char *id, const char *comment)
{
	char job[ID_SIZE + 8];
	const char *const scontrol[] = { "scontrol", "update", job, comment,
					 NULL };
	struct torus_error err = { 0 };

	snprintf(job, sizeof(job), "JobId=%s", id);
	if (storus_slurm_lines(scontrol, &err, no_line, NULL) == STORUS_DONE)
		return STORUS_DONE;
	return storus_say(NAME, STORUS_NO, "job %s keeps its shape: %s", id,
			  err.text);
}

/* Note a record's state after the update: "PENDING|2026-01-31T12:00:00". */
static int update_take_state(void *arg, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (strchr(line, '|'))
		snprintf(arg, ID_SIZE + 32, "%s", line);
	return STORUS_DONE;
}

static const struct storus_column columns[] = {
	{ "job", 'i', "JOB", .width = -10 },
	{ "geometry", 'g', "GEOMETRY", .width = -20 },
	{ "state", 'T', "STATE", .width = -10 },
	{ "start", 'S', "START", .width = -19, .time = true },
	{ 0 },
};

/* Say what the job asks for now, and when it is expected; as a row with a table's options.
 * The scheduler needs a moment for its new plan. */
static void update_say(struct storus_table *table, const char *id,
		       const char *geometry, int polls)
{
	const char *const squeue[] = { "squeue", "--noheader", "--all",
				       "--jobs", id,           "--format=%T|%S",
				       NULL };
	const struct timespec pause = { .tv_nsec = 500000000 };
	char state[ID_SIZE + 32] = "", *start = NULL;
	int64_t start_us = SNAPSHOT_NO_TIME;

	for (int i = 0; i < polls; i++) {
		struct torus_error err = { 0 };

		if (storus_slurm_lines(squeue, &err, update_take_state, state))
			break;
		start = strchr(state, '|');
		if (start)
			*start++ = '\0';
		if (strcmp(state, "PENDING") || (start && strcmp(start, "N/A")))
			break;
		nanosleep(&pause, NULL);
	}
	if (table->json || storus_table_asked(table)) {
		table->dated = true;
		if (start && !torus_slurm_time(start, 0, &start_us))
			start_us = SNAPSHOT_NO_TIME;
		storus_table_row(table,
				 json_pack("{s:s, s:s, s:s?, s:o}", "job", id,
					   "geometry", geometry, "state",
					   *state ? state : NULL, "start",
					   storus_clock_json(start_us)));
		return;
	}
	printf("Job %s asks for %s now", id, geometry);
	if (start && strcmp(state, "PENDING"))
		printf("; it has started.\n");
	else if (start && strcmp(start, "N/A"))
		printf("; it is expected to start at %s.\n", start);
	else
		printf("; storus explain %s says when it may start.\n", id);
}

static int update_job(struct update_words *w)
{
	const struct torus_request_words *words = &w->request;
	struct torus_error err = { 0 };
	struct torus_request request;
	struct target t = { .job = w->job, .err = &err };
	int status;

	if (torus_request_parse(&request, words, &err))
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	status = update_check_machine(words);
	if (status == STORUS_DONE)
		status = check_plugin();
	if (status == STORUS_DONE)
		status = find_records(&t);
	if (status == STORUS_DONE) {
		struct torus_text comment = { 0 };

		if (torus_text_add(&comment, "Comment=") ||
		    job_update_write(words, &comment))
			status = storus_no_memory(NAME);
		for (size_t i = 0; i < t.ids && status != STORUS_TROUBLE; i++) {
			int one = send_one(t.id[i], comment.data);

			if (one == STORUS_DONE)
				update_say(&w->table, t.id[i], words->geometry,
					   t.ids == 1 ? UPDATE_POLLS : 1);
			status = one > status ? one : status;
		}
		torus_text_free(&comment);
		if (status != STORUS_TROUBLE &&
		    (w->table.json || storus_table_asked(&w->table))) {
			int rows = storus_table_end_rows(NAME, &w->table, "jobs",
							 SNAPSHOT_NO_TIME);

			status = rows ? rows : status;
		}
	}
	torus_free(t.id);
	return status;
}

static int update_run(void *words)
{
	struct update_words *w = words;
	const char **typed = w->operands.word;
	uint32_t n = w->operands.count;

	w->job = n ? typed[0] : NULL;
	if (w->job && !storus_args_is_job(w->job))
		return storus_say(NAME, STORUS_USAGE,
				  "got \"%s\", expected one job: 17, or a task of an array: 17_4",
				  w->job);
	if (n > 2 || (n == 2 && w->request.geometry))
		return storus_say(NAME, STORUS_USAGE,
				  "unexpected operand \"%s\" after \"%s\": expected one job and one shape",
				  typed[n - 1], typed[n - 2]);
	if (n == 2)
		w->request.geometry = typed[1];
	if (!w->job || !w->request.geometry)
		return storus_say(NAME, STORUS_USAGE,
				  "%s is missing; write for example storus update 17 --geometry=4x4x2",
				  w->job ? "--geometry" : "the job");
	return update_job(w);
}

const struct storus_command storus_update = {
	.name = "update",
	.summary = "change the shape of a waiting job",
	.usage = "JOB {SHAPE | --geometry=SHAPE} [OPTION]...",
	.about = "Replaces the request of a waiting job, or of all waiting tasks of an array, as if\n"
		 "it had been submitted with exactly these options. Only the job's owner or an\n"
		 "operator may do so. A running job, or one that was submitted without --geometry, is\n"
		 "refused (exit status 1).",
	.options = options,
	STORUS_WORDS(struct update_words, .table.column = columns),
	.operand = { .value = "job", STORUS_TO(struct update_words, operands) },
	.examples = "  storus update 17 --geometry=4x4x2\n"
		    "  storus update 17 --geometry=8x8,4x4@1h --conn-type=torus\n"
		    "  storus update 17_4 --geometry=2x2x2 --no-rotate\n",
	.run = update_run,
};
