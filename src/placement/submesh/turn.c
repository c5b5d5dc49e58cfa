/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rotation of three-dimensional requests (turn.h). At most six calls of
 * detect(). */
#include "placement/submesh/turn.h"

#include <stdio.h>

#include "placement/submesh/factor.h"
#include "placement/state/free_boxes.h"
#include "placement/state/link_map.h"
#include "placement/orient.h"
#include "placement/submesh/submesh.h"

struct turn_search {
	const struct torus *torus;
	const struct torus_turn *how;
	const struct torus_ask *ask;
	const uint64_t *usable;
	int8_t axis[TURN_DIMS]; /* the ask's axis of each side; -1: a side of 1 */
};

static const uint8_t turns[6][TURN_DIMS] = { { 0, 1, 2 }, { 0, 2, 1 },
					     { 1, 0, 2 }, { 1, 2, 0 },
					     { 2, 0, 1 }, { 2, 1, 0 } };

/* Set the extents of a rotation; return whether the machine allows it. */
static bool turn_allowed(const struct turn_search *s, const uint8_t *turn,
			 uint32_t *want)
{
	const struct torus_ask *ask = s->ask;

	for (uint32_t d = 0; d < TURN_DIMS; d++) {
		int a = s->axis[turn[d]];

		want[d] = a < 0 ? 1 : ask->shape.extent[a];
		if (d < s->torus->dims)
			want[d] = torus_orient_cells(s->torus, d, want[d]);
		if (want[d] == 0 || want[d] > s->torus->size[d])
			return false;
		if (a >= 0 && d < s->torus->dims &&
		    ask->connection[a] == TORUS_CONN_TORUS &&
		    !torus_orient_closed(s->torus, d, want[d]))
			return false;
	}
	return true;
}

/* Return the dimensions whose axis must be a ring, a bit each. turn == NULL: of
 * a count. */
static uint32_t turn_rings(const struct turn_search *s, const uint8_t *turn)
{
	const struct torus_ask *ask = s->ask;
	uint32_t rings = 0;

	for (uint32_t d = 0; d < s->torus->dims; d++) {
		int a = turn ? s->axis[turn[d]] : 0;

		rings |= (uint32_t)(a >= 0 &&
				    ask->connection[a] == TORUS_CONN_TORUS)
			 << d;
	}
	return rings;
}

/* Return the bases at which the links allow the box; NULL: every base. */
static const uint64_t *turn_link_bases(const struct turn_search *s,
				       const uint8_t *turn, const uint32_t *want)
{
	struct torus_link_box box = { .extent = want, .weak = s->ask->weak };

	if (!s->ask->links)
		return NULL;
	box.must = turn_rings(s, turn);
	return torus_link_map_bases(s->ask->links, &box);
}

/* Return true if an earlier rotation tried the same box: equal extents and,
 * with dead links, equal rings. */
static bool turn_is_tried(const struct turn_search *s,
			  uint32_t want[6][TURN_DIMS], const bool *allowed,
			  uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (allowed[k] &&
		    memcmp(want[k], want[i], sizeof(want[i])) == 0 &&
		    (!s->ask->links ||
		     turn_rings(s, turns[k]) == turn_rings(s, turns[i])))
			return true;
	}
	return false;
}

/* turn == NULL: the box of a count. */
static void turn_set_place(const struct turn_search *s, const uint8_t *turn,
			   const uint32_t *want, const uint32_t *base,
			   struct torus_placement *place)
{
	*place = (struct torus_placement){ 0 };
	torus_region_whole(&place->region, s->torus);
	memset(place->orientation.axis, -1, sizeof(place->orientation.axis));
	for (uint32_t d = 0; d < s->torus->dims; d++) {
		place->region.base[d] = base[d];
		place->region.extent[d] = want[d];
		if (turn && torus_orient_axes(s->ask))
			place->orientation.axis[d] = s->axis[turn[d]];
	}
	if (turn)
		torus_orient_finish(s->torus, s->ask, place);
	else
		torus_factor_finish(s->torus, s->ask, place);
}

/* Return the lowest base from which `want` nodes along d include coordinate
 * `at`. */
static uint32_t turn_first_base(const struct torus *t, uint32_t d,
				uint32_t want, uint32_t at)
{
	if (want == t->size[d] || (!t->wrap[d] && at < want))
		return 0;
	return at >= want - 1 ? at - (want - 1) : t->size[d] + at - (want - 1);
}

/* Return how many consecutive bases do. A dimension that is covered completely
 * has one distinct base; with dead links it is the one behind them, which is
 * not known here. */
static uint32_t turn_bases(const struct turn_search *s, uint32_t d,
			   uint32_t want, uint32_t at)
{
	const struct torus *t = s->torus;
	uint32_t first = turn_first_base(t, d, want, at);
	uint32_t last = at + want > t->size[d] ? t->size[d] - want : at;

	if (want == t->size[d])
		return s->ask->links && t->wrap[d] ? want : 1;
	return t->wrap[d] ? want : last - first + 1;
}

/* Find a base that the links allow (NULL: every base) for a box that holds the
 * required nodes. Tries the bases around the first required node, the first
 * dimension fastest. */
static bool turn_detect_around(const struct turn_search *s, const uint32_t *want,
			       const uint64_t *legal, uint32_t *base)
{
	const struct torus *t = s->torus;
	uint32_t words = torus_bits_words(t->nodes), at[TORUS_MAX_DIMS];
	uint32_t bases = 1, volume = want[0] * want[1] * want[2];
	struct torus_region r;

	torus_coord(t, torus_bits_next(s->ask->required, words, 0), at);
	torus_region_whole(&r, t);
	for (uint32_t d = 0; d < t->dims; d++) {
		r.extent[d] = want[d];
		bases *= turn_bases(s, d, want[d], at[d]);
	}
	for (uint32_t i = 0; i < bases; i++) {
		for (uint32_t d = 0, left = i; d < t->dims; d++) {
			uint32_t n = turn_bases(s, d, want[d], at[d]);

			r.base[d] = (turn_first_base(t, d, want[d], at[d]) +
				     left % n) %
				    t->size[d];
			left /= n;
		}
		memcpy(base, r.base, sizeof(r.base));
		if ((!legal || torus_bits_test(legal, torus_index(t, r.base))) &&
		    torus_region_inside(&r, t, s->usable) &&
		    torus_region_holds(&r, t, s->ask->required))
			return true;
		if (torus_search_limit_spend(s->ask->limit, volume / 8 + words))
			return false;
	}
	return false;
}

/* turn == NULL: the box of a count. */
static bool turn_detect(const struct turn_search *s, const uint8_t *turn,
			const uint32_t *want, uint32_t *base)
{
	const uint64_t *legal;

	if (!torus_free_boxes_hold(s->ask->boxes, want, s->torus->dims, 1))
		return false;
	legal = turn_link_bases(s, turn, want);
	return s->ask->required ?
		       turn_detect_around(s, want, legal, base) :
		       s->how->detect(s->how->self, want, legal, base);
}

/* Set the sides: the axes as typed, 1s included, if there are as many as the machine
 * has dimensions; else the axes of the shape and then sides of 1. */
static void turn_set_sides(struct turn_search *s)
{
	int8_t typed[TORUS_MAX_DIMS];
	bool all = torus_ask_typed(s->ask, typed) == s->torus->dims;

	for (uint32_t i = 0; i < TURN_DIMS; i++)
		s->axis[i] = i >= (all ? s->torus->dims : s->ask->shape.axes) ?
				     -1 :
			     all ? typed[i] :
				   (int8_t)i;
}

static enum torus_answer turn_find_shape(struct turn_search *s,
					 struct torus_placement *out,
					 struct torus_error *why)
{
	const struct torus_ask *ask = s->ask;
	uint32_t want[6][TURN_DIMS], base[TORUS_MAX_DIMS] = { 0 };
	bool allowed[6] = { false }, any = false;
	uint32_t n = s->how->turning && ask->rotate ? 6 : 1;
	bool turning;
	struct torus_ask sides;
	int8_t typed[TORUS_MAX_DIMS];

	turn_set_sides(s);
	for (uint32_t i = 0; i < n && torus_orient_axes(ask) <= s->torus->dims &&
			     !torus_search_limit_cut(ask->limit);
	     i++) {
		allowed[i] = turn_allowed(s, turns[i], want[i]);
		any |= allowed[i];
		if (!allowed[i] || turn_is_tried(s, want, allowed, i) ||
		    !turn_detect(s, turns[i], want[i], base))
			continue;
		turn_set_place(s, turns[i], want[i], base, out);
		return TORUS_FITS;
	}
	if (any || torus_search_limit_cut(ask->limit))
		return TORUS_NOT_NOW;
	/* Explain that the empty machine holds no allowed rotation of the sides. */
	turning = n > 1;
	sides = *s->ask;
	sides.rotate = turning;
	sides.ones = 0;
	if (torus_ask_typed(s->ask, typed) == s->torus->dims) {
		sides.shape.axes = s->torus->dims;
		for (uint32_t i = 0; i < s->torus->dims; i++) {
			int a = typed[i];

			sides.shape.extent[i] = a < 0 ? 1 :
							s->ask->shape.extent[a];
			sides.connection[i] = a < 0 ? (uint8_t)TORUS_CONN_NAV :
						      s->ask->connection[a];
		}
	}
	torus_orient_explain(s->torus, &sides, why);
	return TORUS_NEVER;
}

struct submesh *torus_turn_grants(const struct torus *t, const uint64_t *present)
{
	static const struct torus_options none;

	return present ? torus_strategy_submesh.create(t, present, &none) : NULL;
}

/* Return the volume of the boxes for the count; 0: none, or the limit ended the
 * search. */
static uint32_t turn_volume(const struct turn_search *s)
{
	const struct torus_ask *ask = s->ask;

	if (ask->count > s->torus->nodes)
		return 0;
	return s->how->grants ? submesh_grant(s->how->grants, ask)->granted :
				torus_factor_next(s->torus, ask->count, ask);
}

static enum torus_answer turn_find_count(const struct turn_search *s,
					 struct torus_placement *out,
					 struct torus_error *why)
{
	const struct torus_ask *ask = s->ask;
	struct torus_factor_box box = { 0 };
	uint32_t base[TORUS_MAX_DIMS] = { 0 };
	uint32_t volume = turn_volume(s);

	if (volume == 0 && torus_search_limit_cut(ask->limit))
		return TORUS_NOT_NOW;
	if (volume == 0) {
		torus_error_add(why, "%s has no box of %u nodes",
				s->torus->name, torus_ask_count(ask));
		return TORUS_NEVER;
	}
	while (!torus_search_limit_over(ask->limit) &&
	       torus_factor_box_next(s->torus, volume, ask, &box)) {
		for (uint32_t d = s->torus->dims; d < TURN_DIMS; d++)
			box.extent[d] = 1;
		if (!turn_detect(s, NULL, box.extent, base))
			continue;
		turn_set_place(s, NULL, box.extent, base, out);
		return TORUS_FITS;
	}
	return TORUS_NOT_NOW;
}

enum torus_answer torus_turn_find(const struct torus_turn *how,
				  const struct torus_ask *ask,
				  const uint64_t *usable,
				  struct torus_placement *out,
				  struct torus_error *why)
{
	struct turn_search s = {
		.torus = how->torus, .how = how, .ask = ask, .usable = usable
	};

	return ask->by_count ? turn_find_count(&s, out, why) :
			       turn_find_shape(&s, out, why);
}

/* All places */

/* Return true if the box fits at this base. A ring without a dead link has one distinct
 * base, 0. */
static bool turn_fits_at(const struct turn_search *s, const uint8_t *turn,
			 const uint32_t *want, const uint32_t *base)
{
	const uint64_t *legal = turn_link_bases(s, turn, want);
	uint32_t opens = s->ask->links ?
				 torus_link_map_opens(s->ask->links,
						      s->ask->weak, want) :
				 0;
	const struct torus *t = s->torus;
	struct torus_region r;

	if (torus_search_limit_spend(s->ask->limit, 8))
		return false;
	torus_region_whole(&r, t);
	for (uint32_t d = 0; d < t->dims; d++) {
		r.base[d] = base[d];
		r.extent[d] = want[d];
		if (!t->wrap[d] && base[d] + want[d] > t->size[d])
			return false;
		if (base[d] && want[d] == t->size[d] && !(opens >> d & 1))
			return false;
	}
	return (!legal || torus_bits_test(legal, torus_index(t, base))) &&
	       torus_region_inside(&r, t, s->usable);
}

/* Return true if a closed ring of the place does not begin at 0: it is the one that does. */
static bool turn_is_again(const struct turn_search *s,
			  const struct torus_placement *place)
{
	bool again = false;

	for (uint32_t d = 0; d < s->torus->dims; d++) {
		int a = place->orientation.axis[d];

		again |= place->region.base[d] > 0 && a >= 0 &&
			 place->region.extent[d] == s->torus->size[d] &&
			 place->ring >> a & 1;
	}
	return again;
}

static bool turn_list_at(void *self, const uint32_t *base,
			 bool (*emit)(void *arg,
				      const struct torus_placement *place),
			 void *arg)
{
	const struct turn_search *s = self;
	uint32_t n = s->how->turning && s->ask->rotate ? 6 : 1;
	uint32_t want[6][TURN_DIMS];
	bool allowed[6] = { false };
	struct torus_placement place;

	for (uint32_t i = 0;
	     i < n && torus_orient_axes(s->ask) <= s->torus->dims; i++) {
		allowed[i] = turn_allowed(s, turns[i], want[i]);
		if (!allowed[i] || turn_is_tried(s, want, allowed, i) ||
		    !turn_fits_at(s, turns[i], want[i], base))
			continue;
		turn_set_place(s, turns[i], want[i], base, &place);
		if (!turn_is_again(s, &place) && !emit(arg, &place))
			return false;
	}
	return true;
}

static bool
turn_list_boxes_at(void *self, const uint32_t *base,
		   bool (*emit)(void *arg, const struct torus_placement *place),
		   void *arg)
{
	const struct turn_search *s = self;
	struct torus_factor_box box = { 0 };
	uint32_t volume = turn_volume(s);
	struct torus_placement place;

	while (volume && torus_factor_box_next(s->torus, volume, s->ask, &box)) {
		for (uint32_t d = s->torus->dims; d < TURN_DIMS; d++)
			box.extent[d] = 1;
		if (!turn_fits_at(s, NULL, box.extent, base))
			continue;
		turn_set_place(s, NULL, box.extent, base, &place);
		if (!turn_is_again(s, &place) && !emit(arg, &place))
			return false;
	}
	return !torus_search_limit_cut(s->ask->limit);
}

void torus_turn_find_all(const struct torus_turn *how,
			 const struct torus_ask *ask, const uint64_t *usable,
			 bool (*each)(void *arg,
				      const struct torus_placement *place),
			 void *arg)
{
	struct turn_search s = {
		.torus = how->torus, .how = how, .ask = ask, .usable = usable
	};
	const struct torus_places places = {
		.torus = how->torus,
		.at = ask->by_count ? turn_list_boxes_at : turn_list_at,
		.self = &s,
	};

	if (!ask->by_count)
		turn_set_sides(&s);
	torus_orient_list(&places, each, arg);
}
