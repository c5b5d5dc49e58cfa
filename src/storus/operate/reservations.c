/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus reservations: the present plan of sched/torus in slurmctld. It reads the plan
 * file, which slurmctld writes after each cycle (src/format/plan_file.h), and sends no
 * request to slurmctld for the plan. Its path is in torus.yaml (plan_file), else under
 * the StateSaveLocation of `scontrol show config`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/operate/reservations.h"
#include "storus/machine/source.h"
#include "storus/base/slurm.h"
#include "storus/storus.h"
#include "torus/config.h"
#include "torus/number.h"

#define NAME &storus_reservations
#define FILE_NAME "torus_plan"

/* What is asked for. */
struct reservations_words {
	const char *file, *id;
	struct storus_table table;
	bool verbose;
	bool live; /* no file was named */
};

static const struct storus_option options[] = {
	{ "file", "FILE",
	  "the plan file; default: plan_file of torus.yaml, else in StateSaveLocation",
	  STORUS_TO(struct reservations_words, file) },
	{ "verbose", NULL,
	  "also the time of cycles and locks, and what could start now",
	  .letter = 'v', STORUS_TO(struct reservations_words, verbose) },
	STORUS_TABLE_OPTIONS(struct reservations_words, table),
	{ 0 },
};

/* Where the file is */

int reservations_find_file(char *path, struct torus_error *err)
{
	char directory[RESERVATIONS_PATH_SIZE - sizeof(FILE_NAME) - 1];
	int status;
	struct torus_config *config;
	struct torus_error why;
	bool printed;

	/* torus.yaml's plan_file, if there is a readable torus.yaml. */
	torus_error_clear(&why);
	config = torus_config_read(storus_config_path(path,
						      RESERVATIONS_PATH_SIZE),
				   &why);
	printed = config && *config->live.plan_file;
	if (printed)
		snprintf(path, RESERVATIONS_PATH_SIZE, "%s",
			 config->live.plan_file);
	torus_config_destroy(config);
	if (printed)
		return STORUS_DONE;
	path[0] = '\0';
	status = storus_slurm_setting("StateSaveLocation", directory,
				      sizeof(directory), err);
	if (*directory)
		snprintf(path, RESERVATIONS_PATH_SIZE, "%s/" FILE_NAME,
			 directory);
	return status;
}

static int read_plan(struct plan_file_read *read, const char *path)
{
	FILE *f = fopen(path, "re");
	struct torus_error err;
	int rc;

	if (!f && errno == EACCES)
		return storus_say(NAME, STORUS_TROUBLE,
				  "%s: %s; run the command as SlurmUser, or set plan_file in torus.yaml (with PrivateData in slurm.conf only SlurmUser can read it)",
				  path, strerror(errno));
	if (!f)
		return storus_say(NAME, STORUS_TROUBLE,
				  "%s: %s; is slurmctld running with SchedulerType=sched/torus? On another host it takes a torus.yaml with plan_file: ask the administrators",
				  path, strerror(errno));
	torus_error_clear(&err);
	rc = plan_file_read(read, f, path, &err);
	fclose(f);
	if (rc == 0)
		return STORUS_DONE;
	if (errno != EINVAL)
		return storus_say(NAME, STORUS_TROUBLE, "%s: %s", path,
				  strerror(errno));
	return storus_say_errors(NAME, STORUS_USAGE, &err);
}

/* Return true if it is that job, by its number or as 5_0 (NULL: any). */
static bool reservations_is(const struct plan_file_job *job, const char *id)
{
	char name[PLAN_FILE_ID_SIZE];

	plan_file_id_format(&job->id, name);
	return !id || (strchr(id, '_') ? strcmp(name, id) == 0 :
					 job->id.job == torus_number_of(id));
}

/* Write a row per job; or everything about one job. A job in several partitions, and an
 * array, has several entries. Return how many. */
static uint32_t reservations_write_jobs(const struct plan_file_read *read,
					struct reservations_words *w)
{
	bool rows = !w->id || w->table.json || storus_table_asked(&w->table);
	uint32_t jobs = 0;

	for (uint32_t i = 0; i < read->plan.jobs; i++) {
		if (!reservations_is(&read->job[i], w->id))
			continue;
		if (rows) {
			storus_table_row(&w->table,
					 reservations_row(&read->job[i]));
		} else {
			printf("%s", jobs ? "\n" : "");
			reservations_print_job(&read->job[i]);
		}
		jobs++;
	}
	return jobs;
}

static int reservations_write(const struct plan_file_read *read,
			      struct reservations_words *w)
{
	bool found = !w->id, asked = storus_table_asked(&w->table);
	int status = STORUS_DONE;
	json_t *o, *free;
	struct torus_error err;
	json_t *rows;

	for (uint32_t i = 0; i < read->plan.jobs && !found; i++)
		found = reservations_is(&read->job[i], w->id);
	if (!found)
		return storus_say(NAME, STORUS_NO,
				  "job %s is not in the plan, because it is not in the queue of sched/torus (squeue -j %s)",
				  w->id, w->id);
	/* Print the plan also if the cluster does not answer. Report what is missing, unless
	 * the plan itself reports a wrong torus.yaml. */
	if (!w->verbose || !w->live) {
		free = NULL;
	} else {
		torus_error_clear(&err);
		rows = reservations_free(&err);
		if (!rows && (!read->plan.config_errors ||
			      !strstr(read->plan.config_errors, err.text)))
			storus_say_errors(NAME, STORUS_TROUBLE, &err);
		free = rows;
	}
	w->table.dated = true;
	if (w->table.json) {
		reservations_write_jobs(read, w);
		o = reservations_json(&read->plan, storus_table_rows(&w->table));
		if (free)
			json_object_set_new(o, "free", free);
		return storus_json_write(NAME, o, w->table.json);
	}
	if (w->verbose && !w->table.csv)
		reservations_print_counts(&read->plan);
	if (free && !w->table.csv)
		status = reservations_print_free(free);
	json_decref(free);
	reservations_write_jobs(read, w);
	if (status == STORUS_DONE && (!w->id || asked))
		status = storus_table_end(NAME, &w->table);
	if (!asked)
		storus_age_print("Plan", reservations_time_us(&read->plan));
	return status;
}

static int reservations_take_job(struct reservations_words *w)
{
	char number[16];
	uint64_t id, task;

	/* 5 or 5_0 */
	snprintf(number, sizeof(number), "%.*s", (int)strcspn(w->id, "_"),
		 w->id);
	if (!torus_number_whole(number, 1, UINT32_MAX - 1, &id) ||
	    (strchr(w->id, '_') &&
	     !torus_number_whole(strchr(w->id, '_') + 1, 0, UINT32_MAX, &task)))
		return storus_say(NAME, STORUS_USAGE,
				  "unexpected operand \"%s\": expected one job number",
				  w->id);
	return STORUS_GO;
}

static int reservations_run(void *words)
{
	struct reservations_words *w = words;
	char path[RESERVATIONS_PATH_SIZE];
	int status = w->id ? reservations_take_job(w) : STORUS_GO;
	struct plan_file_read read = { 0 };

	if (status != STORUS_GO)
		return status;
	if (!w->file) {
		struct torus_error err;

		torus_error_clear(&err);
		status = reservations_find_file(path, &err);
		if (status != STORUS_DONE)
			return storus_say_errors(NAME, status, &err);
		if (!*path)
			return storus_say(NAME, STORUS_TROUBLE,
					  "scontrol show config does not show StateSaveLocation; name the file with --file");
		w->file = path;
		w->live = true;
	}
	status = read_plan(&read, w->file);
	if (status == STORUS_DONE)
		status = reservations_write(&read, w);
	plan_file_free(&read);
	return status;
}

const struct storus_command storus_reservations = {
	.name = "reservations",
	.summary = "show the plan of sched/torus: job, region, start",
	.usage = "[OPTION]... [JOB]",
	.about =
		"Prints one line per queued job, in the order of the queue: when and where it will\n"
		"start, if the discipline plans that, and what blocks it. The plan file is in\n"
		"StateSaveLocation, which only SlurmUser can read; with plan_file in torus.yaml users\n"
		"can read it. An \"(estimate)\" is not a promise: it assumes that every job runs to its\n"
		"time limit.\n"
		"With -v, unless --file names the plan, also the live cluster's largest free box of\n"
		"each partition and torus.\n"
		"With JOB all details of that job: its alternatives, its place, the jobs that hold it\n"
		"and when they end, and its nodes that are out of service.",
	.options = options,
	STORUS_WORDS(struct reservations_words,
		     .table.column = reservations_columns),
	.operand = { .value = "job number",
		     STORUS_TO(struct reservations_words, id) },
	.examples =
		"  storus reservations\n"
		"  storus reservations -v\n"
		"  storus reservations 17\n"
		"  storus reservations --noheader -o '%i %S'\n"
		"  storus reservations --json | jq '.plan[] | select(.region)'\n",
	.run = reservations_run,
};
