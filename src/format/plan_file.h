/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan file: the scheduler's promises to queued jobs, for `storus
 * reservations` and `storus metrics`. The writer replaces the old file
 * atomically. It is JSON; a member that does not apply is not there:
 *
 *	{
 *	 "format": "torus-plan",
 *	 "schema": 2,
 *	 "time": 1764000000,
 *	 "discipline": "easy",
 *	 "queued": 2,
 *	 "counts": {                    of the cycles: numbers, and texts for the steps
 *	  "cycles": 120,                of the longest lock hold
 *	  "lock_hold_max_step": "snapshot"
 *	 },
 *	 "journal_error": "...",        why the journal is not written
 *	 "policy_error": "...",         why a policy of one's own is not asked any more
 *	 "config": "/etc/slurm/torus.yaml",  the file in force
 *	 "config_since": 1764000000,    when it was read
 *	 "config_refused": 1764000001,  when a newer one was refused
 *	 "config_errors": ["..."],      what is wrong with that
 *	 "ignored": "...",              settings of slurm.conf that are ignored
 *	 "usage": [                     where the queue's order counts it (torus/usage.h)
 *	  {"user": "ada", "node_s": 7200.5, "since": 1764000000.25, "nodes": 4}],
 *	 "jobs": [
 *	  {"job": 12, "array": 5, "task": 0, "start": 1764000060, "end": 1764003660,
 *	   "region": "pod0:0,0+2x2", "alternative": 0, "reason": "...", "ask": "2x2",
 *	   "holders": 20, "held_by": [{"job": 7, "end": 1764000060}],
 *	   "out": 3, "out_nodes": "n1 n2 n3"}
 *	 ]
 *	}
 *
 * "array" and "task" name a task of an array as squeue does, 5_0. "holders" jobs hold the
 * place, the first of which "held_by" lists; "out" nodes are out of service. Times are
 * seconds since the epoch; without "end" a holder has no limit. A "start" without a
 * "region" is a forecast, not a promise.
 */
#ifndef FORMAT_PLAN_FILE_H
#define FORMAT_PLAN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "torus/text.h"
#include "torus/usage.h"

#define PLAN_FILE_HOLDERS 16        /* number listed per job */
#define PLAN_FILE_NO_TIME INT64_MIN /* unknown or unlimited */

/* A job. A task of an array is called 5_0. */
struct plan_file_id {
	uint32_t job;
	uint32_t array; /* job number of its array; 0: it is no task */
	uint32_t task;
};

/* Write the name of a job as squeue does. */
#define PLAN_FILE_ID_SIZE 24
void plan_file_id_format(const struct plan_file_id *id,
			 char text[PLAN_FILE_ID_SIZE]);

struct plan_file_holder {
	struct plan_file_id id;
	int64_t end_s;
};

struct plan_file_job {
	struct plan_file_id id;
	int64_t start_s, end_s;
	const char *region; /* NULL: none, start_s is a forecast */
	uint32_t alternative;
	const char *reason; /* NULL: earlier jobs */
	const char *ask;    /* NULL: unknown */
	uint32_t holders, named;
	struct plan_file_holder
		holder[PLAN_FILE_HOLDERS]; /* number of holders; `named` of
					      them are listed */
	uint32_t outs;
	const char *out; /* names separated by blanks; NULL: none */
};

/* A number, or a text. */
struct plan_file_count {
	const char *name;
	int64_t value;
	const char *text; /* NULL: a number */
};

struct plan_file {
	int64_t time_s;
	const char *discipline;
	uint32_t queued;
	const struct plan_file_count *count; /* measurements of the cycles */
	uint32_t counts;
	const char *journal_error; /* why it is not written, or NULL */
	const char *policy_error; /* why a policy is not asked any more, or NULL */
	const char *config;       /* the path in force, or NULL */
	int64_t config_s;         /* when it was read */
	int64_t refused_s;        /* when a newer one was refused */
	const char *config_errors; /* its error lines, or NULL */
	const char *ignored;       /* ignored settings of slurm.conf, or NULL */
	const struct torus_usage *usage;
	uint32_t usages;
	uint32_t jobs;
};

/* Round up, as slurmctld shows a start. */
int64_t plan_file_seconds(int64_t us);

/*
 * Replace the file, readable by all who may search its directory, or only by
 * its owner (`is_private`). job() fills in the i-th of plan->jobs jobs. Return 0, or
 * -1 with errno and the old file unchanged.
 */
struct plan_file_source {
	void (*job)(void *arg, uint32_t i, struct plan_file_job *job);
	void *arg;
};
int plan_file_write(const struct plan_file *plan,
		    const struct plan_file_source *jobs, const char *path,
		    bool is_private);

/* A plan file in memory, with its texts. */
struct plan_file_read {
	struct plan_file plan;
	struct plan_file_count *count;
	struct plan_file_job *job;
	struct torus_usage *usage;
	char *text, *errors;
	uint32_t count_room, job_room;
};

/*
 * Return 0; -1 with EINVAL and in *err NAME:LINE: what is wrong with it; -1 with ENOMEM
 * or a read error. Control characters in texts become `?`. Files of earlier versions,
 * lines that begin with "torus-plan 1", are read as well. Call plan_file_free() in any
 * case.
 */
int plan_file_read(struct plan_file_read *read, FILE *f, const char *name,
		   struct torus_error *err);
void plan_file_free(struct plan_file_read *read);
struct json;
struct json_value;
struct json_writer;

/* Write and read the member "usage", which snapshots have, too; nothing if it is empty.
 * The caller frees the array, whose names are those of the JSON text. -1: errno. */
void plan_file_put_usage(struct json_writer *w, const struct torus_usage *usage,
			 uint32_t count);
int plan_file_take_usage(struct json *json, const struct json_value *list,
			 struct torus_usage **usage, uint32_t *count);
/* Return the count of that name, or NULL. */
const struct plan_file_count *plan_file_count(const struct plan_file *plan,
					      const char *name);

#endif
