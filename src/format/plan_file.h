/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises of a cycle (cycle.h), copied so that they can be told with the
 * host's locks and without the cycle; and the file that tells them to `storus
 * reservations`, a line each:
 *
 *	torus-plan 1
 *	time SECONDS
 *	discipline NAME
 *	queued NUMBER
 *	NAME NUMBER                              what the cycles took
 *	stretch_max_step WORDS...                the longest stretch's most
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

#include "live/agent.h"
#include "torus/config.h"

#define PLAN_LISTING_MOST 1000 /* queued jobs */
#define PLAN_LISTING_EXPLAINED                                                 \
	100 /* of which so many are told what blocks them */

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
 * the promise are not to be used (region, reason, blockers and ask are), nodes
 * points into the list. */
void plan_listing_collect(struct plan_listing *list,
			  const struct torus_config *config, struct cycle *c);
void plan_listing_free(struct plan_listing *list);

struct plan_file_summary {
	const char *discipline;
	uint32_t queued;
	int64_t at_us;
	const struct agent_counts *counts;
	const char *journal_error; /* why it is not written, or NULL */
	const char *config;        /* the path in force, or NULL */
	int64_t config_us;         /* when it was read */
	int64_t refused_us;        /* when a later one was not used */
	const char *config_errors; /* lines on that one, or NULL */
	const char *ignored;       /* what of slurm.conf is not done, or NULL */
	bool is_private;           /* only the owner may read the file */
};

/* Put the list in place of the file's contents, readable by all who may look
 * into its directory, unless it is private. 0, or -1 with errno; the file is the old one then. */
int plan_file_write(const struct plan_listing *list,
		    const struct plan_file_summary *about, const char *path);

#endif
