/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan's internals, shared by the files of this directory. */
#ifndef PLANNING_PLANNING_H
#define PLANNING_PLANNING_H

#include "planning/profile.h"
#include "torus/placement.h"
#include "torus/plan.h"
#include "torus/scratch.h"

/* A known end of a running job. */
struct plan_end {
	int64_t end_us;
	uint32_t slot;
};

/* The latest shadow time: its ask and its answer. */
struct plan_shadow {
	bool valid;
	uint64_t generation;  /* the state's */
	struct torus_ask ask; /* ask.allowed is NULL or `allowed` */
	int64_t length_us;    /* length of the job */
	uint64_t outages;     /* number of the ask's outages, which may be freed
				 meanwhile */
	uint64_t *allowed;
	enum torus_answer answer;
	int64_t asked_us; /* now_us of the call */
	int64_t when_us;
	int64_t suspect_us; /* before this time the ask may fit, because of
			       an early end */
	struct torus_placement place;
	struct torus_placement_room room;
	uint64_t *map;         /* usable at `when`; only if shadow_in_maps() */
	uint32_t usable;       /* nodes in map */
	uint64_t *low, *probe; /* scratch of a search: state after the ends up to
				  `lo`; state to probe */
};

struct plan_reservation {
	struct torus_reservation r;
	struct torus_placement_room room; /* kept for the next reservation in
					     this entry */
	bool used;
	uint32_t next_unused; /* UINT32_MAX: none */
};

/* At `stamp`, no span from until_us on has gained nodes since `since`. */
struct plan_gain {
	uint64_t since, stamp;
	int64_t until_us;
};

struct torus_plan {
	struct torus_state *state;
	const struct torus_machine *machine;
	uint32_t words;
	bool timeless;
	bool maps; /* all strategies tell for any nodes (torus/strategy.h) */
	bool by_nodes; /* all strategies are by_nodes (torus/strategy.h) */
	uint64_t searches, windows;

	uint64_t *memory;                   /* memory of all machine bitmaps */
	struct torus_placement_room answer; /* room of the place that a call
					       returns; the shadow time has
					       its own */
	struct torus_regions regions[2];    /* of both */
	struct torus_scratch scratch;
	struct plan_shadow shadow;

	/* known ends in order; for strategies with memory, the undo records of
	 * the first `released` of them */
	struct plan_end *end;
	struct torus_undo *undo;
	uint32_t ends, end_room, released;

	struct plan_reservation *reservation;
	uint32_t reservations, reservation_room;
	uint32_t first_unused; /* reservation entry; UINT32_MAX: none */

	struct torus_profile profile;
	struct plan_gain gain;
	uint64_t profile_generation;
	int64_t profile_now_us;  /* when it was built */
	int64_t profile_seen_us; /* when it was last up to date */
	bool profile_valid;
	bool tangled; /* a node in it was taken twice */
};

/* torus_state_find() and torus_state_find_in(), counted. */
enum torus_answer plan_find(struct torus_plan *p, const struct torus_ask *ask,
			    struct torus_placement *out);
enum torus_answer plan_find_in(struct torus_plan *p, const struct torus_ask *ask,
			       const uint64_t *usable,
			       struct torus_placement *out);

/*
 * Set the machine bitmap `open` to the ask's allowed nodes (NULL: all) without
 * those that are out during a run of `length` from `start` on. Return false if
 * `start` is later than the last possible start.
 */
bool plan_open(const struct torus_plan *p, const struct torus_ask *ask,
	       int64_t start_us, int64_t length_us, uint64_t *open);

/* Return the job's length by the ask's hints; at least 1 microsecond. */
static inline int64_t plan_length(const struct torus_ask *ask)
{
	return ask->end_us > ask->now_us ? ask->end_us - ask->now_us : 1;
}

/*
 * Return the newest fact of the cache (NULL: empty) about windows of this length
 * from `start` on, or the fact that there was none at stamp `since`.
 */
struct torus_window_fact plan_recall(const struct torus_window_cache *cache,
				     int64_t length_us, int64_t start_us,
				     uint64_t since);
void plan_learn(struct torus_window_cache *cache,
		const struct torus_window_fact *fact);

/* Clear a placement's nodes in a machine bitmap. */
void plan_erase(const struct torus_plan *p, const struct torus_placement *place,
		uint64_t *map);

/* Return true if it is certain at once that two placements have no node in
 * common. */
bool plan_apart(const struct torus_plan *p, const struct torus_placement *a,
		const struct torus_placement *b);

/* List the known ends, in order. -1 with ENOMEM. */
int plan_list_ends(struct torus_plan *p, int64_t now_us);

/* With memory: set the state to the time after the first k listed ends, by
 * releases and undos; 0 restores it. */
void plan_rewind(struct torus_plan *p, uint32_t k);

/* Set a machine bitmap to the placement's nodes that are in service. */
void plan_paint(const struct torus_plan *p, const struct torus_placement *place,
		uint64_t *nodes);

/* An answer of plan_window(): the window's start, the place, and the nodes usable
 * throughout the window in the caller's machine bitmap. The caller also provides
 * the place's room. */
struct plan_window {
	int64_t when_us;
	struct torus_placement place;
	struct torus_placement_room *room;
	uint64_t *usable;
};

/* torus_plan_window() without a cache. */
enum torus_answer plan_window(struct torus_plan *p, const struct torus_ask *ask,
			      const struct torus_window_bounds *bounds,
			      struct plan_window *found);

/* Drop a shadow time that depends on reservations, after these changed. */
static inline void plan_shadow_reserved(struct torus_plan *p)
{
	if (p->shadow.outages)
		p->shadow.valid = false;
}

/*
 * A commit or release through the plan, of nodes until end_us. shadow.c updates
 * the shadow time by it, reserve.c the profile. The nodes are set if the profile is
 * current, and of a release also if the shadow time is before end_us.
 */
struct plan_change {
	int64_t now_us, end_us;
	uint64_t before; /* the state's generation until then */
	const uint64_t *nodes;
};
void plan_shadow_committed(struct torus_plan *p, const struct plan_change *c,
			   const struct torus_placement *committed);
void plan_shadow_released(struct torus_plan *p, const struct plan_change *c);
void plan_profile_moved(struct torus_plan *p, const struct plan_change *c,
			bool taken);

/* Return true if the profile is that of the present state, at any time. */
static inline bool plan_profile_current(const struct torus_plan *p)
{
	return p->profile_valid &&
	       p->profile_generation == torus_state_generation(p->state);
}

/* Move the profile's begin to now; build it anew if it is out of date. -1 with
 * ENOMEM. */
int plan_profile_renew(struct torus_plan *p, int64_t now_us);

static inline int plan_profile_ready(struct torus_plan *p, int64_t now_us)
{
	if (plan_profile_current(p) && p->profile_seen_us == now_us)
		return 0;
	return plan_profile_renew(p, now_us);
}

/* Return the end of a reservation; one of no length lasts one instant. */
static inline int64_t plan_reserved_until(const struct torus_reservation *r)
{
	return torus_end_after(r->end_us, r->start_us);
}

void plan_reservations_free(struct torus_plan *p);

#endif
