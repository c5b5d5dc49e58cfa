/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows on the aligned sub-cubes of a hypercube, by the choices of the
 * real-time schedulers (timetable.h): first fit (Buddy/RT), or the stacking rule
 * (Mohapatra, sections 2.2 and 3.2).
 *
 * The stacking rule counts levels of the buddy scheme. A sub-cube inside a
 * larger piece costs a level for each halving of that piece. A sub-cube made of
 * smaller pieces costs a level for each size between:
 *
 *     piece 3 [0..7]         a 1-cube there: 2 levels split
 *     pieces 1 1 2 [0..7]    a 3-cube there: 2 levels coalesced
 *
 * So jobs of equal size follow each other on the same nodes. Pieces change with
 * every booking, and with nothing else.
 *
 * Cost: for a sub-cube of 2^k of n nodes O(n / 2^k x uses), where few uses are
 * examined more than once. Memory: one entry per running job and booking, one
 * byte per node.
 */
#include <string.h>

#include "torus/state_find.h"
#include "discipline/timetable.h"
#include "torus/alloc.h"

/* A use: 2^level nodes from `base` on are in use from `from_us` to `to_us`. If
 * they are no sub-cube, `nodes` is their bitmap. */
struct torus_cube_use {
	uint32_t base, level;
	const uint64_t *nodes;
	int64_t from_us, to_us;
};

bool torus_cubes_suit(const struct torus_machine *m)
{
	const struct torus_strategy *buddy = torus_strategy_find(
		"subcube-buddy");

	return m->pods == 1 && m->pod[0].strategies == 1 &&
	       m->pod[0].strategy[0] == buddy;
}

static uint32_t cubes_level_of(uint32_t nodes)
{
	uint32_t k = 0;

	while (nodes >> (k + 1))
		k++;
	return k;
}

int torus_cubes_init(struct torus_cubes *c, const struct torus_machine *m)
{
	c->nodes = m->pod[0].torus.nodes;
	c->level = torus_alloc(c->nodes, 1);
	if (!c->level)
		return -1;
	memset(c->level, (int)cubes_level_of(c->nodes), c->nodes);
	return 0;
}

void torus_cubes_free(struct torus_cubes *c)
{
	torus_free(c->level);
	torus_free(c->use);
}

static void cubes_cut(struct torus_cubes *c, const struct torus *t,
		      const struct torus_region *region, uint32_t nodes)
{
	uint32_t base = torus_index(t, region->base);
	uint32_t k = cubes_level_of(nodes);

	/* The other halves of a larger piece that is split. */
	for (uint32_t l = c->level[base]; l > k; l--) {
		uint32_t half = UINT32_C(1) << (l - 1);

		memset(c->level + ((base ^ half) & ~(half - 1)), (int)l - 1,
		       half);
	}
	memset(c->level + base, (int)k, (size_t)1 << k);
}

void torus_cubes_take(struct torus_cubes *c, const struct torus *t,
		      const struct torus_placement *place)
{
	const struct torus_regions *several = place->regions;

	if (!several) {
		cubes_cut(c, t, &place->region, place->granted);
		return;
	}
	for (uint32_t i = 0; i < several->count; i++)
		cubes_cut(c, t, &several->item[i].region,
			  place->granted / several->count);
}

/* Return the number of levels to split or coalesce for the sub-cube. */
static uint32_t cubes_levels(const struct torus_cubes *c, uint32_t base,
			     uint32_t k)
{
	uint32_t least = k, i = base;

	if (c->level[base] >= k)
		return c->level[base] - k;
	for (; i < base + (UINT32_C(1) << k); i += UINT32_C(1) << c->level[i]) {
		if (c->level[i] < least)
			least = c->level[i];
	}
	return k - least;
}

static void cubes_use_set(struct torus_cube_use *u, const struct torus *t,
			  const struct torus_placement *place, int64_t from_us,
			  int64_t to_us)
{
	*u = (struct torus_cube_use){ .from_us = from_us, .to_us = to_us };
	if (place->scattered) {
		u->nodes = place->nodes;
		return;
	}
	u->base = torus_index(t, place->region.base);
	u->level = cubes_level_of(place->granted);
}

/* List the uses from now on. -1 with ENOMEM. */
static int cubes_gather(struct torus_timetable *t,
			const struct torus_outages *out, int64_t now_us)
{
	const struct torus *cube = &torus_state_machine(t->state)->pod[0].torus;
	struct torus_cubes *c = &t->cubes;
	uint32_t holds = torus_state_holds(t->state);
	uint32_t want = holds + t->bookings + (out ? out->count : 0);

	if (TORUS_GROW(c->use, c->room, want))
		return -1;
	c->uses = holds + t->bookings;
	for (uint32_t i = 0; i < holds; i++) {
		const struct torus_hold *h = torus_state_ending(t->state, i);

		cubes_use_set(&c->use[i], cube, &h->place, now_us,
			      torus_end_after(h->end_us, now_us));
	}
	for (uint32_t i = 0; i < t->bookings; i++) {
		const struct torus_booking *b = &t->booking[i];

		cubes_use_set(&c->use[holds + i], cube,
			      torus_timetable_where(t, i), b->start_us,
			      torus_end_after(b->end_us, b->start_us));
	}
	for (uint32_t i = 0; out && i < out->count; i++)
		c->use[c->uses++] = (struct torus_cube_use){
			.nodes = out->outage[i].nodes,
			.from_us = out->outage[i].from_us,
			.to_us = out->outage[i].to_us,
		};
	return 0;
}

/* Return true if a use and a sub-cube share a node. Of two sub-cubes one
 * contains the other, or they are disjoint. */
static bool cubes_meets(const struct torus_cube_use *u, uint32_t base,
			uint32_t k)
{
	if (u->nodes)
		return torus_bits_any_range(u->nodes, base, UINT32_C(1) << k);
	return (u->base ^ base) >> (u->level > k ? u->level : k) == 0;
}

/*
 * Return the earliest start from which the sub-cube is free for the whole
 * length, or TORUS_NO_TIME if that is after `latest`. A use that conflicts with
 * a start conflicts with every start before its end, so that end is tried next.
 */
static int64_t cubes_earliest(const struct torus_cubes *c, uint32_t base,
			      uint32_t k, int64_t from_us, int64_t latest_us,
			      int64_t length_us)
{
	int64_t start_us = from_us;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < c->uses; i++) {
			const struct torus_cube_use *u = &c->use[i];

			if (u->to_us <= start_us || !cubes_meets(u, base, k) ||
			    u->from_us >= torus_time_after(start_us, length_us))
				continue;
			start_us = u->to_us;
			moved = true;
			if (start_us > latest_us)
				return TORUS_NO_TIME;
		}
	}
	return start_us;
}

/* Return true if the job may use all nodes of the sub-cube, and all are in service.
 * (There is only one torus, so node indices are bits of the machine.) */
static bool cubes_usable(const struct torus_state *s,
			 const struct torus_job *job, uint32_t base, uint32_t n)
{
	const uint64_t *present = torus_state_machine(s)->pod[0].present;

	return !torus_bits_any_range(torus_state_out_map(s), base, n) &&
	       (!present || torus_bits_all_range(present, base, n)) &&
	       (!job->allowed || torus_bits_all_range(job->allowed, base, n));
}

/* Choose a sub-cube: its base and start. */
static bool cubes_choose(const struct torus_timetable *t,
			 const struct torus_query *q, uint32_t k,
			 int64_t from_us, int64_t latest_us, uint32_t *base,
			 int64_t *when_us)
{
	const struct torus_cubes *c = &t->cubes;
	uint32_t least = UINT32_MAX, size = UINT32_C(1) << k;

	*when_us = TORUS_NO_TIME;
	for (uint32_t b = 0; b < c->nodes; b += size) {
		uint32_t cost = q->choice == TORUS_CHOICE_STACKING ?
					cubes_levels(c, b, k) :
					0;
		int64_t start_us;

		if (cost > least || !cubes_usable(t->state, q->job, b, size))
			continue;
		start_us = cubes_earliest(c, b, k, from_us, latest_us,
					  q->eat ? INT64_MAX : q->length_us);
		if (start_us == TORUS_NO_TIME ||
		    (cost == least && start_us >= *when_us))
			continue;
		least = cost;
		*base = b;
		*when_us = start_us;
		if (q->choice == TORUS_CHOICE_FIRST_FIT)
			break;
	}
	return *when_us != TORUS_NO_TIME;
}

enum torus_answer torus_cubes_find(struct torus_timetable *t,
				   const struct torus_query *q, uint32_t k,
				   int64_t from_us, int64_t latest_us,
				   struct torus_window *w)
{
	const struct torus_ask *ask = torus_job_ask(q->job, k, from_us);
	const struct torus_outages *out = q->job->outages;
	uint32_t base = 0;

	t->cubes.searches++;
	w->alternative = k;
	if (out && latest_us > out->last_start_us)
		latest_us = out->last_start_us;
	if (torus_state_possible(t->state, ask, &w->place, NULL) != TORUS_FITS)
		return TORUS_NOT_NOW;
	if (cubes_gather(t, out, q->now_us))
		return TORUS_FAILED;
	if (!cubes_choose(t, q, cubes_level_of(w->place.granted), from_us,
			  latest_us, &base, &w->when_us))
		return TORUS_NOT_NOW;
	torus_bits_zero(t->brush, torus_state_machine(t->state)->words);
	torus_bits_set_range(t->brush, base, w->place.granted);
	return torus_state_find_in(t->state, ask, t->brush, &w->place);
}
