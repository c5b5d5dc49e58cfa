/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a plan, shared by the files of this directory. */
#ifndef PLANNING_PLANNING_H
#define PLANNING_PLANNING_H

#include "planning/profile.h"
#include "torus/plan.h"
#include "torus/scratch.h"

/* A known end: who gives its nodes back when. */
struct plan_end {
	int64_t end_us;
	uint32_t slot;
};

/* What the latest shadow time was worked out from, and what came out. */
struct plan_shadow {
	bool valid;
	uint64_t generation;  /* the state's */
	struct torus_ask ask; /* its allowed nodes: NULL or `allowed` */
	int64_t length_us;    /* the question's, and the number of its */
	uint64_t outages;     /* outages, 0: none; (ask's may be gone) */
	uint64_t *allowed;
	enum torus_answer answer;
	int64_t asked_us; /* the question's `now` */
	int64_t when_us;
	int64_t suspect_us; /* before this it may have come to fit */
	struct torus_placement place;
	struct torus_placement_room room;
	uint64_t *map;   /* usable at `when`; timeless strategies only */
	uint32_t usable; /* nodes in map */
	uint64_t *low,
		*probe; /* of a search: ends seen released; the next map */
};

struct plan_reservation {
	struct torus_reservation r;
	struct torus_placement_room room; /* stays for the next use */
	bool used;
	uint32_t next_unused; /* UINT32_MAX: none */
};

/* As of `stamp`, no span from until_us on has gained nodes since `since`. */
struct plan_gain {
	uint64_t since, stamp;
	int64_t until_us;
};

struct torus_plan {
	struct torus_state *state;
	const struct torus_machine *machine;
	uint32_t words;
	bool timeless;
	bool by_nodes; /* all strategies are (torus/strategy.h) */
	uint64_t searches;

	uint64_t *memory;                   /* of all machine bitmaps */
	struct torus_placement_room answer; /* of the place that a call answered
					       with; the shadow time's has its
					       own */
	struct torus_regions regions[2];    /* theirs */
	struct torus_scratch scratch;
	struct plan_shadow shadow;

	/* known ends in order, and for strategies with memory the releases
	 * of the first `released` of them */
	struct plan_end *end;
	struct torus_undo *undo;
	uint32_t ends, end_room, released;

	struct plan_reservation *reservation;
	uint32_t reservations, reservation_room;
	uint32_t first_unused; /* of the reservations; UINT32_MAX: none */

	struct torus_profile profile;
	struct plan_gain gain;
	uint64_t profile_generation;
	int64_t profile_now_us;  /* when it was built */
	int64_t profile_seen_us; /* when it was last found true */
	bool profile_valid;
	bool tangled; /* something in it was taken twice */
};

/* torus_state_find() and torus_state_find_in(), counted. */
enum torus_answer plan_find(struct torus_plan *p, const struct torus_ask *ask,
			    struct torus_placement *out,
			    struct torus_error *why);
enum torus_answer plan_find_in(struct torus_plan *p, const struct torus_ask *ask,
			       const uint64_t *usable,
			       struct torus_placement *out,
			       struct torus_error *why);

/*
 * The ask's allowed nodes (NULL: all), less its outages for a run of `length`
 * from `start` on, in the machine bitmap `open`. False: it cannot start as late
 * as that.
 */
bool plan_open(const struct torus_plan *p, const struct torus_ask *ask,
	       int64_t start_us, int64_t length_us, uint64_t *open);

/* How long it lasts, by its hints; at least an instant. */
static inline int64_t plan_length(const struct torus_ask *ask)
{
	return ask->end_us > ask->now_us ? ask->end_us - ask->now_us : 1;
}

/*
 * What the cache (NULL: empty) says of windows of this length: the newest fact
 * for starts from `start` on, or else that nothing was found at stamp `since`.
 */
struct torus_window_fact plan_recall(const struct torus_window_cache *cache,
				     int64_t length_us, int64_t start_us,
				     uint64_t since);
void plan_learn(struct torus_window_cache *cache,
		const struct torus_window_fact *fact);

/* Clear the placement's nodes in a machine bitmap. */
void plan_erase(const struct torus_plan *p, const struct torus_placement *place,
		uint64_t *map);

/* List the known ends, in order. -1 with ENOMEM. */
int plan_list_ends(struct torus_plan *p, int64_t now_us);

/* Strategies with memory: make the state as after the first k listed ends
 * (releases and undoes); 0 restores it. */
void plan_rewind(struct torus_plan *p, uint32_t k);

/* The placement's nodes that are in service, alone, in a machine bitmap. */
void plan_paint(const struct torus_plan *p, const struct torus_placement *place,
		uint64_t *nodes);

/* An answer of plan_window(): the window's begin, the place, and in a machine
 * bitmap of the caller's all nodes that are usable throughout the window. The
 * caller also gives the place's room. */
struct plan_window {
	int64_t when_us;
	struct torus_placement place;
	const struct torus_placement_room *room;
	uint64_t *usable;
};

/* torus_plan_window() without a cache. */
enum torus_answer plan_window(struct torus_plan *p, const struct torus_ask *ask,
			      const struct torus_window_bounds *bounds,
			      struct plan_window *found,
			      struct torus_error *why);

/* What is reserved has changed: a shadow time that went by that is of no more
 * use. */
static inline void plan_shadow_reserved(struct torus_plan *p)
{
	if (p->shadow.outages)
		p->shadow.valid = false;
}

/*
 * A commit or release through the plan: the nodes are taken or given back, until
 * end_us. shadow.c keeps the shadow time up to date with it, reserve.c the
 * profile. (For a shadow time that is not before end_us the nodes do not matter,
 * and need not be set.)
 */
struct plan_change {
	int64_t now_us, end_us;
	uint64_t before; /* the state's generation until then */
	const uint64_t *nodes;
};
void plan_shadow_committed(struct torus_plan *p, const struct plan_change *c);
void plan_shadow_released(struct torus_plan *p, const struct plan_change *c);
void plan_profile_moved(struct torus_plan *p, const struct plan_change *c,
			bool taken);

/* Return true if the profile shows the present state. Time may have passed. */
static inline bool plan_profile_current(const struct torus_plan *p)
{
	return p->profile_valid &&
	       p->profile_generation == torus_state_generation(p->state);
}

/* Let the profile begin now; build it unless it is still true. -1 with
 * ENOMEM. */
int plan_profile_renew(struct torus_plan *p, int64_t now_us);

static inline int plan_profile_ready(struct torus_plan *p, int64_t now_us)
{
	if (plan_profile_current(p) && p->profile_seen_us == now_us)
		return 0;
	return plan_profile_renew(p, now_us);
}

/* When a reservation is over; one of no length still takes its instant. */
static inline int64_t plan_reserved_until(const struct torus_reservation *r)
{
	return torus_end_after(r->end_us, r->start_us);
}

void plan_reservations_free(struct torus_plan *p);

#endif
