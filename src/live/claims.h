/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Claims: nodes that are being cleared for a waiting job that preempts others. Nobody else
 * gets them, but for a job that may preempt the claimer.
 *
 * Cost: O(CLAIMS) bitmaps per question.
 */
#ifndef LIVE_CLAIMS_H
#define LIVE_CLAIMS_H

#include "torus/ask.h"

#define CLAIMS 32

struct cycle;

struct claim {
	uint32_t job;          /* the host's number; 0: no claim */
	uint32_t part;         /* which of its pairs of partition and QOS */
	uint64_t key;          /* hash of the job's request at the claim */
	int64_t until_us;      /* the end of the claim */
	int64_t used_until_us; /* expected end of the job there */
	bool anywhere;
	struct torus_placement place; /* its `nodes` are NULL */
	uint64_t *nodes;
	struct torus_regions *regions; /* memory of place.regions */
};

struct claims {
	struct claim claim[CLAIMS];
	uint64_t *maps;
	struct torus_regions *regions;
	uint32_t words;
};

/* Begin without claims for a machine of `words` words: 0, or -1 with ENOMEM, which leaves
 * *s as it was. *s is zero or was opened before. */
int claims_open(struct claims *s, uint32_t words);
void claims_close(struct claims *s);

/* Return true if the job has a claim. (Of an array: for one task, the first in the
 * queue.) */
bool claims_has(const struct claims *s, uint32_t job);

bool claims_any(const struct claims *s);

/* Return true if one of these nodes is claimed. (A cycle learns of claims with its next
 * snapshot, but plans before it.) */
bool claims_meet(const struct claims *s, const uint64_t *nodes);

/* Clear the claimed nodes but those of the job itself, and of claimers that it may
 * preempt. may_preempt NULL: all. */
void claims_exclude(const struct claims *s, uint32_t job,
		    bool (*may_preempt)(void *arg, uint32_t claimer), void *arg,
		    uint64_t *nodes);

/* Set *end_us, the end of a job with these nodes, to when others get them: after the job
 * that they are cleared for. Return false if it gets a part of them only. */
bool claims_until(const struct claims *s, const uint64_t *nodes,
		  int64_t *end_us);

/* Report the claimed nodes to the cycle as busy. */
void claims_withhold(const struct claims *s, struct cycle *c);

/* Return an unused entry, or NULL; store a claim in it: its nodes and regions are
 * copied. */
struct claim *claims_unused(struct claims *s);
void claims_store(struct claims *s, struct claim *unused,
		  const struct claim *claim);

/* End a claim on some of these nodes: return its job, or 0 if there is none. */
uint32_t claims_end_one(struct claims *s, const uint64_t *nodes);
void claims_drop(struct claim *c);
void claims_drop_all(struct claims *s);

#endif
