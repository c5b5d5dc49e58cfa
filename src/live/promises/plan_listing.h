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

#define PLAN_LISTING_MOST 1000 /* queued jobs */
#define PLAN_LISTING_EXPLAINED                                                 \
	100 /* of which so many are told what blocks them */

struct plan_file;

struct plan_listing_job {
	struct cycle_promise promise; /* its pointers: see below */
	struct torus_text region;     /* of promise.place */
	struct torus_text reason;     /* with names (reason.h) */
	char *ask;                    /* what it asks for; NULL: no memory */
	char *out;                    /* names of blockers.out, or NULL */
	struct cycle_blockers blockers;
	bool placed;
};

struct plan_listing {
	struct plan_listing_job *job;
	uint32_t count, room;
	uint64_t *nodes; /* machine bitmaps, one per entry */
	uint32_t words;
};

/* What the cycle, of that configuration, promises now. What memory does not
 * suffice for is left out. In the entries place, reason, blockers and request of
 * the promise are NULL (region, reason, blockers and ask have them), nodes points
 * into the list. hides: of reasons (reason.h). */
void plan_listing_collect(struct plan_listing *list,
			  const struct torus_config *config, unsigned hides,
			  struct cycle *c);
void plan_listing_free(struct plan_listing *list);

/* Write the plan file; of `about` time, counts and jobs are filled in here. 0, or
 * -1 with errno. */
int plan_listing_write(const struct plan_listing *list,
		       const struct plan_file *about,
		       const struct agent_counts *counts, const char *path,
		       bool is_private);

#endif
