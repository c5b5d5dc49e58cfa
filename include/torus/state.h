/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine state: free nodes, the regions that jobs hold with their expected
 * ends, and the strategies' memories.
 *
 * Nodes that are out of service or fenced (torus_state_out()) are never usable.
 *
 * Cost: find is the strategy's; commit and release are O(region) plus
 * O(running) for the list ordered by expected end. Commit, release and undo do
 * not allocate after torus_state_reserve(), or once as many jobs have run at the
 * same time.
 */
#ifndef TORUS_STATE_H
#define TORUS_STATE_H

#include "torus/machine.h"

#define TORUS_NO_SLOT UINT32_MAX

struct torus_state;

/* One running (or reserved) job's hold on the machine. Read only. */
struct torus_hold {
	uint64_t job; /* the host's number */
	void *owner;  /* the host's pointer, e.g. its struct torus_job */
	int64_t start_us;
	int64_t end_us;               /* expected end; INT64_MAX: unknown */
	struct torus_placement place; /* nodes points into the state */
};

/* Record for the undo of a commit or release. Undo the latest first. */
struct torus_undo {
	uint32_t slot;
	uint64_t generation; /* generation before the operation */
	struct torus_memo memo;
};

/* m must outlive the state. NULL with ENOMEM. */
struct torus_state *torus_state_create(const struct torus_machine *m);
void torus_state_destroy(struct torus_state *s);
const struct torus_machine *torus_state_machine(const struct torus_state *s);

/* Allocate room for n holds. (A slot's first scattered placement still allocates
 * its node bitmap.) 0, or -1 with ENOMEM. */
int torus_state_reserve(struct torus_state *s, uint32_t n);

/*
 * Give a place to a job. Return its slot, or TORUS_NO_SLOT with the state
 * unchanged: ENOMEM, or EBUSY if a node is in use or the strategy can no longer
 * grant the place. u may be NULL.
 */
uint32_t torus_state_commit(struct torus_state *s,
			    const struct torus_placement *place, uint64_t job,
			    void *owner, int64_t start_us, int64_t end_us,
			    struct torus_undo *u);

/*
 * Release a hold. With u the slot stays reserved until torus_state_undo(), which
 * must follow; without u it may be used again at once.
 */
void torus_state_release(struct torus_state *s, uint32_t slot,
			 struct torus_undo *u);

/* Undo the latest commit or release that is not yet undone. */
void torus_state_undo(struct torus_state *s, const struct torus_undo *u);

/* Change the job number of a hold (a task of an array gets its own number when it
 * starts). */
void torus_state_renumber(struct torus_state *s, uint32_t slot, uint64_t job);

/* Set a new expected end. No earlier commit or release may be undone then. */
void torus_state_set_end(struct torus_state *s, uint32_t slot, int64_t end_us);

/* Replace the set of nodes that are out of service or fenced. NULL: none. */
void torus_state_out(struct torus_state *s, const uint64_t *out);

/* Return the machine bitmap of free, present nodes in service; return their
 * number. */
const uint64_t *torus_state_free_map(const struct torus_state *s);
uint32_t torus_state_free_nodes(const struct torus_state *s);
const uint64_t *torus_state_out_map(const struct torus_state *s);
/* Return the machine bitmap of the nodes that exist. */
const uint64_t *torus_state_present_map(const struct torus_state *s);

/* Return a number that is new after every commit, release and change of service;
 * undo restores the old one. Equal numbers mean equal states. */
uint64_t torus_state_generation(const struct torus_state *s);

/* Return a hold by its slot, or the slot of a hold in order of end. Holds with
 * equal ends are in order of their commits, which save and restore keep. */
const struct torus_hold *torus_state_hold(const struct torus_state *s,
					  uint32_t slot);
uint32_t torus_state_holds(const struct torus_state *s);
uint32_t torus_state_by_end(const struct torus_state *s, uint32_t k);

/* Return the k-th hold in order of end. */
static inline const struct torus_hold *
torus_state_ending(const struct torus_state *s, uint32_t k)
{
	return torus_state_hold(s, torus_state_by_end(s, k));
}

/* Return the first expected end; INT64_MAX: unknown, or no hold. */
static inline int64_t torus_state_next_end_us(const struct torus_state *s)
{
	return torus_state_holds(s) > 0 ? torus_state_ending(s, 0)->end_us :
					  INT64_MAX;
}

/* Return true if the expected end of a hold has passed. */
static inline bool torus_state_overdue(const struct torus_state *s,
				       int64_t now_us)
{
	return torus_state_holds(s) > 0 && torus_state_next_end_us(s) <= now_us;
}

/* Check that holds are disjoint, present and counted, and the strategies. */
bool torus_state_check(const struct torus_state *s, struct torus_error *err);

#endif
