/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises of a cycle (cycle.h), copied so that they can be published with
 * the host's locks and without the cycle, and listed in the plan file
 * (format/plan_file.h).
 */
#ifndef LIVE_PROMISES_PLAN_LISTING_H
#define LIVE_PROMISES_PLAN_LISTING_H

#include "live/agent.h"
#include "torus/config.h"

#define PLAN_LISTING_MOST 1000     /* queued jobs */
#define PLAN_LISTING_EXPLAINED 100 /* queued jobs with their blockers */

struct plan_file;

struct plan_listing_job {
	struct cycle_promise promise; /* its pointers: see below */
	struct torus_text region;     /* of promise.place */
	struct torus_text reason;     /* with names (reason.h) */
	char *ask;                    /* the request as text; NULL: no memory */
	char *out;                    /* names of blockers.out, or NULL */
	struct cycle_blockers blockers;
	bool placed; /* `region` is set */
};

struct plan_listing {
	struct plan_listing_job *job;
	uint32_t count, room;
	uint64_t *nodes; /* machine bitmaps, one per entry */
	uint32_t words;
};

/* Copy what the cycle promises now; `config` is the configuration of the cycle.
 * Without memory the list is shorter. In each entry the promise's place, reason,
 * blockers and request are NULL, since region, reason, blockers and ask have them;
 * its nodes point into the list. hides: REASON_HIDES_... (reason.h). */
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
