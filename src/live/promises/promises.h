/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises to the queued jobs of a cycle (cycle.h): their reservations if the
 * discipline makes any, else the shadow time of the queue's head (promises.c).
 */
#ifndef LIVE_PROMISES_PROMISES_H
#define LIVE_PROMISES_PROMISES_H

#include "live/cycle.h"
#include "torus/config.h"
#include "live/agent.h"

/* Name a job that is a task of an array, in a snapshot or when it has started, for
 * reasons. Without memory it is called by its number. */
void promises_name_task(struct cycle *c, const struct plan_file_id *task);

/*
 * Call each() for the first `most` queued jobs in queue order, the first
 * `explained` of them with a reason, then for those set aside, until it returns
 * false.
 */
void promises_list(struct cycle *c, uint32_t most, uint32_t explained,
		   bool (*each)(void *arg, const struct cycle_promise *p),
		   void *arg);

/* forecast.c: the forecast of queued jobs without a promise: a simulation of the
 * queue. */

/*
 * Forecast the starts of the first `most` queued jobs, if each job runs to its
 * limit and no job is submitted; promises_list() has the result. Decisions do not
 * depend on it. It takes at most budget_us and the search for one job; the other
 * jobs have no forecast.
 */
void forecast_run(struct cycle *c, uint32_t most, int64_t budget_us);

/* saved_promises.c: the promises of a cycle (cycle.h) as text and back, so that they
 * outlive the cycle, and slurmctld. */

/*
 * Append the promises to queued jobs as text, for the cycle of a later
 * configuration or of a restarted host. -1 with ENOMEM.
 */
int saved_promises_save(struct cycle *c, struct torus_text *text);

/* Return true if such a text has a promise. */
bool saved_promises_any(const char *text);

/*
 * Restore such promises, of the same discipline, after the first cycle_update().
 * The jobs of the text that this update had no time for are submitted. A reservation is
 * restored only if the job's request is the same and no running job, reservation or outage
 * overlaps it. -1 with ENOMEM, or EINVAL and a line in err; earlier promises of the text
 * are restored.
 */
int saved_promises_restore(struct cycle *c, const char *text,
			   struct torus_error *err);

/*
 * A queued job's reason (cycle.h) with names, for squeue:
 *
 *	4x2x2 needs 16 nodes, 8 are free; job 17 holds its place; expected 2024-05-01T12:00
 *
 * Its place is the promised one; without a promise, the place whose last holder ends
 * first. The first REASON_NAMES jobs and nodes are named, fewer if the text would be longer
 * than REASON_NAMED_MOST; the others are counted. Jobs or nodes that the reader may not see
 * are only counted.
 */

#define REASON_NAMES 3
#define REASON_MOST 200       /* characters */
#define REASON_NAMED_MOST 100 /* of a reason that names jobs */

#define REASON_HIDES_JOBS 1u
#define REASON_HIDES_NODES 2u

/* Return the name of a node of the machine; "?" if torus.yaml has none. */
const char *reason_node_name(const struct torus_config *config, uint32_t bit);

/* Cut a text, after a complete word if possible, to REASON_MOST characters. */
void reason_bound(char *text);

/* Append the reason of p to the text; p->reason is not NULL. hides:
 * REASON_HIDES_... Return 0, or -1 with ENOMEM. */
int reason_format(const struct torus_config *config,
		  const struct cycle_promise *p, int64_t now_us, unsigned hides,
		  struct torus_text *text);

/* plan_listing.c: the promises of a cycle (cycle.h), copied so that they can be
 * published with the host's locks and without the cycle, and listed in the plan file
 * (format/plan_file.h). */

#define PLAN_LISTING_MOST 1000     /* queued jobs */
#define PLAN_LISTING_EXPLAINED 100 /* queued jobs with their blockers */

struct plan_file;

struct plan_listing_job {
	struct cycle_promise promise; /* its pointers: see below */
	struct torus_text region;     /* of promise.place */
	struct torus_text reason;     /* with names (promises.h) */
	char *ask;                    /* the request as text; NULL: no memory */
	char *out;                    /* names of blockers.out, or NULL */
	struct cycle_blockers blockers;
	bool placed;   /* `region` is set */
	bool expected; /* promise.nodes is of the place, or of the forecast's */
	uint32_t in_file; /* of the i-th entry: the index of the file's i-th */
};

struct plan_listing {
	struct plan_listing_job *job;
	uint32_t count, room;
	uint32_t written; /* entries that the file has */
	uint64_t *nodes;  /* machine bitmaps, one per entry */
	uint32_t words;
	struct torus_usage *usage; /* with their names */
	uint32_t usages, usage_room;
};

/* Copy what the cycle promises now; `config` is the configuration of the cycle.
 * Without memory the list is shorter. In each entry the promise's place, reason,
 * blockers and request are NULL, since region, reason, blockers and ask have them;
 * its nodes point into the list. hides: REASON_HIDES_... (promises.h). */
void plan_listing_collect(struct plan_listing *list,
			  const struct torus_config *config, unsigned hides,
			  struct cycle *c);
void plan_listing_free(struct plan_listing *list);

/* Write the plan file; time, counts and jobs are taken from the list and not from
 * `about`. Return 0, or -1 with errno. */
int plan_listing_write(const struct plan_listing *list,
		       const struct plan_file *about,
		       const struct agent_counts *counts, const char *path,
		       bool is_private);

#endif
