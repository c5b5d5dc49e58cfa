/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of `storus metrics` share: the question, and how a sample is put. */
#ifndef STORUS_METRICS_H
#define STORUS_METRICS_H

#include <jansson.h>

#include "replay/idle.h"
#include "storus/machine/question.h"
#include "torus/text.h"

struct metrics {
	struct storus_question q;
	struct torus_text text;
	json_t *list; /* --json; else NULL */
	struct storus_list shape;
	const char *output, *plan, *json; /* files, "-", or NULL */
	bool lacking;
	uint64_t *present, *map, *reserved, *busy; /* map: idle, not reserved */
};

struct metrics_labels {
	const char *key[2], *value[2];
};

/* Begin the samples of a name; type: "gauge" or "counter". A shortage of memory sets
 * m->lacking, here and below. */
void metrics_family(struct metrics *m, const char *name, const char *type,
		    const char *help);

/* Put a sample; l may be NULL. */
void metrics_put(struct metrics *m, const char *name,
		 const struct metrics_labels *l, double value);

/* Put a sample with one label. */
void metrics_of(struct metrics *m, const char *name, const char *key,
		const char *label, double value);

/* Jobs by state and reason, and idle nodes by cause: m->map, m->reserved and
 * m->present are set. */
void metrics_jobs(struct metrics *m);

/*
 * Idle nodes by cause. `cause` is replay/idle.h's, asked on the nodes that jobs may
 * have now: in service, held by no job, not in a reservation that is on. Jobs that
 * Slurm holds back for other reasons than nodes wait for none.
 */
struct metrics_idle {
	uint32_t cause[TORUS_IDLE_CAUSES];
	uint32_t held_back; /* that such jobs would take, of the remaining ones */
};

/* Machine bitmaps: the nodes that jobs may have now; the nodes that exist. Call
 * occupancy_prepare() first. -1 with ENOMEM. */
int metrics_idle_find(const struct snapshot *s, const uint64_t *idle,
		      const uint64_t *present, struct metrics_idle *count);

/* The numbers of the plan file. One that cannot be read is a metric, not a
 * failure. */
void metrics_read_plan(struct metrics *m);

#endif
