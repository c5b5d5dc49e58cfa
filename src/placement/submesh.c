/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh`: complete recognition of boxes in 1 to 8 dimensions, on meshes,
 * toruses and anything between, in every distinct orientation and at every
 * wrapped position.
 *
 * The bitmap of usable nodes is eroded dimension by dimension (erode.h) until its set
 * bits are the bases at which the box fits. The orientations are walked
 * depth first, dimension by dimension, extents ascending, so that what they
 * have in common is eroded once:
 *
 *   usable -> runs of 2 -> [2xEx.] -> ...
 *                       -> runs of 5 -> [5xEx.] -> ...
 *                                    -> runs of 9: nothing, nor for longer
 *
 * A shape with as many axes as the machine has dimensions needs at least its
 * shortest extent everywhere: that cube is eroded first, and most failing
 * searches end there.
 *
 * Among orientations: most closed rings on the axes that want one (N). A node
 * count takes the most compact box: least mean hops (factor.h), then most
 * rings, then nearest to a cube; volumes that the torus cannot hold as a box
 * go to the next larger that it can. Among equals, and among the bases of
 * each, the score decides (score.h); without one, the first in the walk and
 * the lowest base.
 *
 * Cost: about log2(extent) passes over the bitmap per dimension and
 * orientation, less what is shared or pruned; and the score's for those that
 * fit. Memory: dims + 3 bitmaps, and the score's.
 */
#include <stdio.h>

#include "placement/erode.h"
#include "placement/factor.h"
#include "placement/orient.h"
#include "placement/score.h"
#include "placement/strategies.h"
#include "torus/alloc.h"

#define GRANTS 64 /* remembered answers of granted() */

struct grant {
	uint32_t count; /* 0: empty */
	uint32_t granted;
	bool closed;
};

struct submesh {
	const struct torus *torus;
	const uint64_t *present; /* NULL: all */
	uint32_t words;
	struct torus_erode *erode;
	struct torus_score *score;
	uint64_t *level[TORUS_MAX_DIMS + 1]; /* after the dimensions below */
	uint64_t *spare[2];
	uint64_t *memory;
	struct grant grant[GRANTS];
};

static int submesh_supports(const struct torus *t,
			    const struct torus_options *options,
			    struct torus_error *why)
{
	if (t->flat)
		return torus_error_add(why, "submesh: %s has no topology (flat)",
				       t->name);
	return torus_options_check(options, torus_score_options, "submesh",
				   why);
}

static void submesh_destroy(void *self)
{
	struct submesh *s = self;

	if (!s)
		return;
	torus_erode_destroy(s->erode);
	torus_score_destroy(s->score);
	torus_free(s->memory);
	torus_free(s);
}

/* Takes the score, also when it fails. */
static void *create(const struct torus *t, const uint64_t *present,
		    struct torus_score *score)
{
	struct submesh *s = torus_alloc(1, sizeof(*s));
	uint32_t levels = t->dims + 1;

	if (!s) {
		torus_score_destroy(score);
		return NULL;
	}
	s->torus = t;
	s->present = present;
	s->words = torus_bits_words(t->nodes);
	s->erode = torus_erode_create(t);
	s->score = score;
	s->memory = torus_alloc((size_t)s->words * (levels + 2),
				sizeof(*s->memory));
	if (!s->erode || !s->score || !s->memory) {
		submesh_destroy(s);
		return NULL;
	}
	for (uint32_t d = 0; d < levels; d++)
		s->level[d] = s->memory + (size_t)d * s->words;
	s->spare[0] = s->memory + (size_t)levels * s->words;
	s->spare[1] = s->spare[0] + s->words;
	return s;
}

static void *submesh_create(const struct torus *t, const uint64_t *present,
			    const struct torus_options *options)
{
	return create(t, present, torus_score_create(t, options));
}

static void *submesh_copy(const void *self)
{
	const struct submesh *s = self;

	return create(s->torus, s->present, torus_score_copy(s->score));
}

static void submesh_see(void *self, const struct torus_state *state,
			uint32_t pod)
{
	struct submesh *s = self;

	torus_score_see(s->score, state, pod);
}

/*
 * Lengthen the runs in `in` from have to want nodes along d; the result is in
 * level[d + 1], and in may be that same bitmap. Returns whether any is left.
 */
static bool lengthen(struct submesh *s, uint32_t d, uint32_t have,
		     uint32_t want, const uint64_t *in)
{
	uint64_t *result = s->spare[0];
	bool any = torus_erode_runs(s->erode, d, have, want, in, result,
				    s->spare[1]);

	s->spare[0] = s->level[d + 1];
	s->level[d + 1] = result;
	return any;
}

/* A search for a shape: the best orientation so far. */
struct search {
	struct submesh *s;
	const struct torus_ask *ask;
	uint32_t axes;
	uint32_t have;       /* the cube that is eroded already */
	int rings;           /* of the best so far; -1: none found */
	int most_rings;      /* no orientation can have more */
	struct torus_score *score; /* NULL: the first will do */
	int64_t contact;     /* of the best so far */
	int64_t delay;       /* of the best so far; -1: not worked out yet */
	struct torus_orientation o;
	struct torus_placement *out;
};

static uint32_t extent_of(const struct torus_ask *ask, int a)
{
	return a < 0 ? 1 : ask->shape.extent[a];
}

/* Axes of the shape that want a ring (N) and get one in this orientation. */
static int wanted_rings(const struct search *x)
{
	const struct torus *t = x->s->torus;
	int rings = 0;

	for (uint32_t d = 0; d < t->dims; d++) {
		int a = x->o.axis[d];

		if (a >= 0 && x->ask->connection[a] == TORUS_CONN_NAV &&
		    torus_orient_closed(t, d, extent_of(x->ask, a)))
			rings++;
	}
	return rings;
}

/* Is the region, as good in rings, better than the best so far? */
static bool hurts_less(struct search *x, const struct torus_region *r,
		       int64_t contact, int64_t *delay)
{
	if (!torus_score_looks(x->score))
		return contact > x->contact;
	if (x->delay < 0)
		x->delay = torus_score_delay(x->score, &x->out->region);
	*delay = torus_score_delay(x->score, r);
	return *delay < x->delay ||
	       (*delay == x->delay && contact > x->contact);
}

/* An orientation fits; its bases are the set bits of `bases`. */
static void note_fit(struct search *x, const uint64_t *bases)
{
	const struct torus *t = x->s->torus;
	int64_t contact = 0, delay = -1;
	int rings = wanted_rings(x);
	struct torus_region r;
	uint32_t base;

	if (rings < x->rings || (rings == x->rings && !x->score))
		return;
	torus_region_whole(&r, t);
	for (uint32_t d = 0; d < t->dims; d++)
		r.extent[d] = extent_of(x->ask, x->o.axis[d]);
	base = x->score ? torus_score_base(x->score, bases, r.extent,
					   &contact) :
			  torus_bits_next(bases, x->s->words, 0);
	torus_coord(t, base, r.base);
	if (rings == x->rings && !hurts_less(x, &r, contact, &delay))
		return;
	x->rings = rings;
	x->contact = contact;
	x->delay = delay;
	x->out->region = r;
	x->out->orientation = x->o;
}

/* What may lie along dimension d, extents ascending, '-' (-1) first. */
static uint32_t list_options(const struct search *x, uint32_t d, uint32_t used,
			     int *option)
{
	uint32_t left = x->axes - (uint32_t)__builtin_popcount(used), n = 0;

	if (left < x->s->torus->dims - d)
		option[n++] = -1;
	for (uint32_t a = 0; a < x->axes; a++) {
		uint32_t i;

		if (used >> a & 1 ||
		    !torus_orient_allows(x->s->torus, x->ask, a, d) ||
		    !torus_orient_first_of_equals(x->ask, a, used))
			continue;
		for (i = n++; i > 0 && extent_of(x->ask, option[i - 1]) >
					       extent_of(x->ask, (int)a);
		     i--)
			option[i] = option[i - 1];
		option[i] = (int)a;
	}
	return n;
}

/* Walk the orientations from dimension d on; `in` fits all before it. */
static void walk(struct search *x, uint32_t d, uint32_t used,
		 const uint64_t *in)
{
	const struct torus *t = x->s->torus;
	int option[TORUS_MAX_DIMS + 1];
	uint32_t n, have = x->have;

	if (x->axes - (uint32_t)__builtin_popcount(used) > t->dims - d)
		return;
	if (d == t->dims) {
		note_fit(x, in);
		return;
	}
	n = list_options(x, d, used, option);
	for (uint32_t i = 0;
	     i < n && (x->score || x->rings < x->most_rings); i++) {
		uint32_t want = extent_of(x->ask, option[i]);

		if (want > have) {
			if (!lengthen(x->s, d, have, want, in))
				return;
			in = x->s->level[d + 1];
			have = want;
		}
		x->o.axis[d] = (int8_t)option[i];
		walk(x, d + 1,
		     option[i] < 0 ? used : used | 1u << option[i], in);
	}
}

/* Does any orientation exist, whatever is free? Also bounds the rings. */
static bool count_rings(void *arg, const struct torus_orientation *o)
{
	struct search *x = arg;
	int rings;

	x->o = *o;
	rings = wanted_rings(x);
	if (rings > x->most_rings)
		x->most_rings = rings;
	return true;
}

/* Erode the cube that every orientation contains. */
static bool erode_cube(struct search *x, const uint64_t **in)
{
	const struct torus *t = x->s->torus;
	uint32_t least = UINT32_MAX;

	if (x->axes < t->dims)
		return true;
	for (uint32_t a = 0; a < x->axes; a++) {
		if (x->ask->shape.extent[a] < least)
			least = x->ask->shape.extent[a];
	}
	for (uint32_t d = 0; d < t->dims && least > 1; d++) {
		uint64_t *result = x->s->spare[0];

		if (!torus_erode_runs(x->s->erode, d, 1, least, *in, result,
				      x->s->spare[1]))
			return false;
		x->s->spare[0] = x->s->level[0];
		x->s->level[0] = result;
		*in = result;
	}
	x->have = least;
	return true;
}

/* Search `usable`; most_rings is known. Returns whether it fits somewhere. */
static bool search_shape(struct search *x, const uint64_t *usable,
			 struct torus_score *score)
{
	if (torus_bits_count(usable, x->s->words) < torus_ask_nodes(x->ask))
		return false;
	x->score = score && torus_score_begin(score, x->ask, usable) ? score :
								       NULL;
	x->have = 1;
	x->rings = -1;
	memset(x->o.axis, -1, sizeof(x->o.axis));
	if (erode_cube(x, &usable))
		walk(x, 0, 0, usable);
	return x->rings >= 0;
}

static enum torus_answer find_shape(struct submesh *s,
				    const struct torus_ask *ask,
				    const uint64_t *usable,
				    struct torus_placement *out,
				    struct torus_error *why)
{
	struct torus_placement place = { 0 };
	struct search x = { .s = s, .ask = ask, .most_rings = -1,
			    .out = &place };

	x.axes = torus_orient_axes(ask);
	memset(x.o.axis, -1, sizeof(x.o.axis));
	torus_orient_each(s->torus, ask, count_rings, &x);
	if (x.most_rings < 0) {
		torus_orient_explain(s->torus, ask, why);
		return TORUS_NEVER;
	}
	if (search_shape(&x, usable, s->score)) {
		torus_orient_finish(s->torus, ask, &place);
		*out = place;
		return TORUS_FITS;
	}
	if (s->present && !search_shape(&x, s->present, NULL)) {
		torus_error_add(why, "%s: the shape would fit only over cells that have no node",
				s->torus->name);
		return TORUS_NEVER;
	}
	return TORUS_NOT_NOW;
}

/* A search for a box of a given volume: the most compact so far. */
struct count_search {
	struct submesh *s;
	bool closed;        /* every axis must be a ring */
	uint64_t hops;      /* of the best so far */
	uint32_t rings;
	uint64_t spread;    /* sum of squared extents */
	struct torus_score *score; /* NULL: the first will do */
	int64_t contact;    /* of the best so far */
	uint32_t extent[TORUS_MAX_DIMS];
	uint64_t room[TORUS_MAX_DIMS + 1]; /* volume of the dimensions from d */
	struct torus_region *out;
};

static void note_box(struct count_search *x, const uint64_t *bases,
		     uint64_t hops)
{
	const struct torus *t = x->s->torus;
	uint64_t spread = 0;
	uint32_t rings = 0, base;
	int64_t contact = 0;
	bool equal;

	for (uint32_t d = 0; d < t->dims; d++) {
		rings += torus_orient_closed(t, d, x->extent[d]);
		spread += (uint64_t)x->extent[d] * x->extent[d];
	}
	if (hops == x->hops &&
	    (rings < x->rings ||
	     (rings == x->rings &&
	      (spread > x->spread || (spread == x->spread && !x->score)))))
		return;
	equal = hops == x->hops && rings == x->rings && spread == x->spread;
	base = x->score ? torus_score_base(x->score, bases, x->extent,
					   &contact) :
			  torus_bits_next(bases, x->s->words, 0);
	if (equal && contact <= x->contact)
		return;
	x->hops = hops;
	x->rings = rings;
	x->spread = spread;
	x->contact = contact;
	torus_region_whole(x->out, t);
	torus_coord(t, base, x->out->base);
	memcpy(x->out->extent, x->extent, t->dims * sizeof(*x->extent));
}

/* Walk the boxes of `left` nodes in the dimensions from d on. */
static void walk_count(struct count_search *x, uint32_t d, uint64_t left,
		       uint64_t hops, const uint64_t *in)
{
	const struct torus *t = x->s->torus;
	uint32_t have = 1;

	if (d == t->dims) {
		note_box(x, in, hops);
		return;
	}
	for (uint32_t e = 1; e <= t->size[d] && e <= left; e++) {
		bool ring = t->wrap[d] && e == t->size[d];
		uint64_t more = hops + torus_factor_hops(e, ring);

		if (left % e || left / e > x->room[d + 1] || more > x->hops ||
		    !torus_factor_allows(t, d, e, x->closed))
			continue;
		if (e > have) {
			if (!lengthen(x->s, d, have, e, in))
				return;
			in = x->s->level[d + 1];
			have = e;
		}
		x->extent[d] = e;
		walk_count(x, d + 1, left / e, more, in);
	}
}

/* The most compact box of exactly `volume` nodes, if there is one. */
static bool find_box(struct submesh *s, uint32_t volume, bool closed,
		     const uint64_t *usable, struct torus_score *score,
		     struct torus_region *out)
{
	struct count_search x = { .s = s, .closed = closed, .score = score,
				  .hops = UINT64_MAX, .out = out };

	if (torus_bits_count(usable, s->words) < volume)
		return false;
	x.room[s->torus->dims] = 1;
	for (uint32_t d = s->torus->dims; d-- > 0;)
		x.room[d] = x.room[d + 1] * s->torus->size[d];
	walk_count(&x, 0, volume, 0, usable);
	return x.hops != UINT64_MAX;
}

/* The smallest volume >= count that the empty machine holds as a box, or 0.
 * Cells without a node make this a search; so the answers are kept. */
static uint32_t granted(struct submesh *s, uint32_t count, bool closed)
{
	struct grant *g = &s->grant[(count * 2 + closed) % GRANTS];
	struct torus_region r;
	uint32_t v;

	if (g->count == count && g->closed == closed)
		return g->granted;
	v = torus_factor_next(s->torus, count, closed);
	while (v && s->present && !find_box(s, v, closed, s->present, NULL, &r))
		v = torus_factor_next(s->torus, v + 1, closed);
	*g = (struct grant){ .count = count, .granted = v, .closed = closed };
	return v;
}

static void refuse_count(const struct submesh *s, const struct torus_ask *ask,
			 bool closed, struct torus_error *why)
{
	uint32_t nodes = s->torus->nodes;

	if (s->present)
		nodes = torus_bits_count(s->present, s->words);
	torus_error_add(why, "%u nodes: %s has %u%s%s", ask->count,
			s->torus->name, nodes,
			ask->count <= nodes ? ", but no box of so many" : "",
			ask->count <= nodes && closed ?
				" whose axes are all closed rings" :
				"");
}

static enum torus_answer find_count(struct submesh *s,
				    const struct torus_ask *ask,
				    const uint64_t *usable,
				    struct torus_placement *out,
				    struct torus_error *why)
{
	bool closed = ask->connection[0] == TORUS_CONN_TORUS;
	struct torus_placement place = { 0 };
	struct torus_score *score = NULL;
	uint32_t volume = 0;

	if (ask->count <= s->torus->nodes)
		volume = granted(s, ask->count, closed);
	if (volume == 0) {
		refuse_count(s, ask, closed, why);
		return TORUS_NEVER;
	}
	if (torus_score_begin(s->score, ask, usable))
		score = s->score;
	if (!find_box(s, volume, closed, usable, score, &place.region))
		return TORUS_NOT_NOW;
	torus_factor_finish(s->torus, &place);
	*out = place;
	return TORUS_FITS;
}

static enum torus_answer submesh_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why)
{
	return ask->by_count ? find_count(self, ask, usable, out, why) :
			       find_shape(self, ask, usable, out, why);
}

/* Listing every place. */
struct listing {
	struct submesh *s;
	const struct torus_ask *ask;
	const uint64_t *usable;
	bool closed; /* of a count: every axis must be a ring */
	struct torus_placement place;
	bool (*each)(void *arg, const struct torus_placement *place);
	void *arg;
};

/* Bases in lexicographic order of their coordinates. A dimension that is
 * covered whole has one distinct base, 0. */
static bool list_bases(struct listing *l, uint32_t d, const uint64_t *bases)
{
	const struct torus *t = l->s->torus;
	struct torus_region *r = &l->place.region;
	uint32_t last;

	if (d == t->dims)
		return !torus_bits_test(bases, torus_index(t, r->base)) ||
		       l->each(l->arg, &l->place);
	last = r->extent[d] == t->size[d] ? 1 : t->size[d];
	for (r->base[d] = 0; r->base[d] < last; r->base[d]++) {
		if (!list_bases(l, d + 1, bases))
			return false;
	}
	r->base[d] = 0;
	return true;
}

static bool list_box(struct listing *l)
{
	const struct torus *t = l->s->torus;
	const uint64_t *in = l->usable;

	for (uint32_t d = 0; d < t->dims; d++) {
		if (l->place.region.extent[d] == 1)
			continue;
		if (!lengthen(l->s, d, 1, l->place.region.extent[d], in))
			return true;
		in = l->s->level[d + 1];
	}
	return list_bases(l, 0, in);
}

static bool list_orientation(void *arg, const struct torus_orientation *o)
{
	struct listing *l = arg;
	const struct torus *t = l->s->torus;

	torus_region_whole(&l->place.region, t);
	for (uint32_t d = 0; d < t->dims; d++)
		l->place.region.extent[d] = extent_of(l->ask, o->axis[d]);
	l->place.orientation = *o;
	torus_orient_finish(t, l->ask, &l->place);
	return list_box(l);
}

/* Boxes of `left` more nodes with the orientation's dimensions and the base
 * of l->place, extents from dimension d on. */
static bool list_extents(struct listing *l, uint32_t d, uint64_t left)
{
	const struct torus *t = l->s->torus;
	struct torus_region *r = &l->place.region;

	while (d < t->dims && l->place.orientation.axis[d] < 0)
		d++;
	if (d == t->dims) {
		if (left != 1 || !torus_region_inside(r, t, l->usable))
			return true;
		torus_factor_finish(t, &l->place);
		return l->each(l->arg, &l->place);
	}
	for (uint32_t e = 2; e <= t->size[d] && e <= left; e++) {
		/* a dimension that is covered whole has one base, 0 */
		if (left % e || !torus_factor_allows(t, d, e, l->closed) ||
		    (r->base[d] > 0 && e == t->size[d]) ||
		    (!t->wrap[d] && r->base[d] + e > t->size[d]))
			continue;
		r->extent[d] = e;
		if (!list_extents(l, d + 1, left / e))
			return false;
	}
	r->extent[d] = 1;
	return true;
}

static bool list_count_bases(struct listing *l, uint32_t d, uint64_t volume)
{
	const struct torus *t = l->s->torus;
	struct torus_region *r = &l->place.region;

	if (d == t->dims)
		return !torus_bits_test(l->usable, torus_index(t, r->base)) ||
		       list_extents(l, 0, volume);
	for (r->base[d] = 0; r->base[d] < t->size[d]; r->base[d]++) {
		if (!list_count_bases(l, d + 1, volume))
			return false;
	}
	r->base[d] = 0;
	return true;
}

/* Which dimensions the box extends along, in the order of the text. The
 * extents come last, so every box is tried at each base; this is no search
 * for a scheduler. */
static bool list_counts(struct listing *l, uint32_t d, int8_t axes,
			uint64_t volume)
{
	int8_t *axis = l->place.orientation.axis;

	if (d == l->s->torus->dims)
		return list_count_bases(l, 0, volume);
	axis[d] = -1;
	if (!list_counts(l, d + 1, axes, volume))
		return false;
	axis[d] = axes;
	return l->s->torus->size[d] == 1 ||
	       list_counts(l, d + 1, axes + 1, volume);
}

static void submesh_find_all(void *self, const struct torus_ask *ask,
			     const uint64_t *usable,
			     bool (*each)(void *arg,
					  const struct torus_placement *place),
			     void *arg)
{
	struct listing l = { .s = self, .ask = ask, .usable = usable,
			     .each = each, .arg = arg };
	uint32_t volume = 0;

	if (!ask->by_count) {
		torus_orient_each(l.s->torus, ask, list_orientation, &l);
		return;
	}
	l.closed = ask->connection[0] == TORUS_CONN_TORUS;
	if (ask->count <= l.s->torus->nodes)
		volume = granted(l.s, ask->count, l.closed);
	torus_region_whole(&l.place.region, l.s->torus);
	for (uint32_t d = 0; d < l.s->torus->dims; d++)
		l.place.region.extent[d] = 1;
	if (volume)
		list_counts(&l, 0, 0, volume);
}

const struct torus_strategy torus_strategy_submesh = {
	.name = "submesh",
	.alias = "subcube",
	.summary = "complete recognition of boxes: every orientation and wrapped position (the default)",
	.source = "own",
	.options = torus_score_options,
	.occupancy_only = true,
	.complete = true,
	.supports = submesh_supports,
	.create = submesh_create,
	.destroy = submesh_destroy,
	.copy = submesh_copy,
	.see = submesh_see,
	.find = submesh_find,
	.find_all = submesh_find_all,
};
