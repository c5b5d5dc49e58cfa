/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan file: what a scheduler promises to queued jobs, for `storus
 * reservations` and `storus metrics`. The writer puts a new file in place of the
 * old one; the reader takes what the writer wrote. A line each:
 *
 *	torus-plan 1
 *	time SECONDS
 *	discipline NAME
 *	queued NUMBER
 *	NAME NUMBER                              counts and times of cycles
 *	lock_hold_max_step WORDS...                the longest lock hold's longest step
 *	lock_hold_work_max_step WORDS...           that of the one with most CPU time
 *	journal_error WORDS...                   why it is not written, if so
 *	config PATH...                           the torus.yaml in force
 *	config_since SECONDS                     when it was read
 *	config_refused SECONDS                   when a later one was not used
 *	config_error WORDS...                    a line of what is wrong with it
 *	ignored WORDS...                         what of slurm.conf is not done
 *	job ID START END REGION ALTERNATIVE REASON...
 *	ask GEOMETRY                             of the job before it
 *	holders NUMBER JOB END JOB END...        jobs that hold its place, and
 *						 the first of them
 *	out NUMBER NODE NODE...                  the same of nodes out of service
 *
 * START and END in seconds since the epoch, REGION: `-` where not known. A START
 * without a REGION is a forecast, not a promise.
 */
#ifndef FORMAT_PLAN_FILE_H
#define FORMAT_PLAN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PLAN_FILE_FIRST_LINE "torus-plan 1"
#define PLAN_FILE_HOLDERS 16        /* named of each job */
#define PLAN_FILE_NO_TIME INT64_MIN /* not known, or unlimited */

struct plan_file_holder {
	uint32_t job;
	int64_t end_s;
};

struct plan_file_job {
	uint32_t job;
	int64_t start_s, end_s;
	const char *region; /* NULL: none, start_s is a forecast */
	uint32_t alternative;
	const char *reason; /* NULL: the jobs before it */
	const char *ask;    /* NULL: not known */
	uint32_t holders, named;
	struct plan_file_holder holder[PLAN_FILE_HOLDERS]; /* `named` of them */
	uint32_t outs;
	const char *out; /* names, a blank between them; NULL: none */
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
	const struct plan_file_count *count; /* what the cycles took */
	uint32_t counts;
	const char *journal_error; /* why it is not written, or NULL */
	const char *config;        /* the path in force, or NULL */
	int64_t config_s;          /* when it was read */
	int64_t refused_s;         /* when a later one was not used */
	const char *config_errors; /* lines on that one, or NULL */
	const char *ignored;       /* what of slurm.conf is not done, or NULL */
	uint32_t jobs;
};

/* Rounded up, as slurmctld shows a start. */
int64_t plan_file_seconds(int64_t us);

/*
 * Put the file in place, readable by all who may look into its directory, or by
 * its owner alone (`is_private`). job() fills in the i-th of plan->jobs jobs.
 * Control characters of texts become blanks. 0, or -1 with errno; the file is the
 * old one then.
 */
struct plan_file_source {
	void (*job)(void *arg, uint32_t i, struct plan_file_job *job);
	void *arg;
};
int plan_file_write(const struct plan_file *plan,
		    const struct plan_file_source *jobs, const char *path,
		    bool is_private);

/* A file that has been read, with the memory of its texts. */
struct plan_file_read {
	struct plan_file plan;
	struct plan_file_count *count;
	struct plan_file_job *job;
	char *text, *errors;
	uint32_t count_room, job_room;
	uint32_t line; /* the latest: where reading ended */
};

/* 0; -1 with EINVAL: line read->line is none of this version's plan; -1 with
 * ENOMEM or what reading failed with. The caller calls plan_file_free() in any
 * case. */
int plan_file_read(struct plan_file_read *read, FILE *f);
void plan_file_free(struct plan_file_read *read);
/* The count of that name, or NULL. */
const struct plan_file_count *plan_file_count(const struct plan_file *plan,
					      const char *name);

#endif
