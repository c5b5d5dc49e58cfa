/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/backfill's map of the future: consecutive slots of time, each with the nodes
 * that no planned job has then. Running jobs are not in it.
 *
 *     now     slot 0     | slot 1          | slot 2 ... window's end
 *             all nodes  | without job A's | ...
 */
#ifndef DISCIPLINE_SLURM_SLOTS_H
#define DISCIPLINE_SLURM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

struct slurm_slot {
	int64_t begin, end; /* seconds */
	uint32_t next;      /* index of the next slot; 0: none */
	uint64_t *nodes;    /* machine bitmap */
};

struct slurm_slots {
	struct slurm_slot *slot;
	uint32_t used, room; /* slots are not used again in a map */
	uint32_t words;
	int64_t resolution;
	uint64_t *memory;
};

/* Allocate room for `most` planned jobs. -1 with ENOMEM. Zeroed = empty. */
int slurm_slots_init(struct slurm_slots *m, uint32_t most, uint32_t words,
		     int64_t resolution);
void slurm_slots_free(struct slurm_slots *m);

/* Begin a map of one slot with these nodes, from now to the window's end. */
void slurm_slots_begin(struct slurm_slots *m, int64_t now, int64_t until,
		       const uint64_t *nodes);

/*
 * Clear in `nodes` those that are planned for others in a run from `start` to `end`.
 * Return the time at which a later attempt may have other nodes, before nodes were
 * cleared; 0: none.
 */
int64_t slurm_slots_narrow(const struct slurm_slots *m, int64_t start,
			   int64_t end, uint64_t *nodes, uint64_t *scratch);

/* Return true if a planned job has one of the nodes in [start, end). */
bool slurm_slots_overlap(const struct slurm_slots *m, const uint64_t *nodes,
			 int64_t start, int64_t end);

/* Take the nodes from start to end, at least one resolution long. */
void slurm_slots_take(struct slurm_slots *m, const uint64_t *nodes,
		      int64_t start, int64_t end);

#endif
