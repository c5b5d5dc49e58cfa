/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh`: complete recognition of boxes in 1 to 8 dimensions, on meshes,
 * toruses and anything between, in every distinct orientation and at every wrapped
 * position.
 *
 * The bitmap of usable nodes is eroded dimension by dimension (erode.h) until its
 * set bits are the bases at which the box fits. The orientations are walked depth
 * first, extents ascending, so that common prefixes are eroded once:
 *
 *   usable -> runs of 2 -> [2xEx.] -> ...
 *                       -> runs of 5 -> [5xEx.] -> ...
 *                                    -> runs of 9: nothing, nor for longer
 *
 * A shape with as many axes as the machine has dimensions needs at least its
 * shortest extent everywhere: that cube is eroded first, and most failing searches
 * end there. If the maximal free boxes (free_boxes.h) hold only usable nodes, they
 * determine the orientations that fit and their bases without erosion.
 *
 * Among orientations, the most closed rings win, on the axes that prefer one (N). A
 * node count takes the most compact box: least mean hops (factor.h), then most
 * rings, then nearest to a cube; a volume that the torus cannot hold as a box is
 * raised to the next one that it can. Ties, also among the bases, are decided by
 * the score (score.h), or else by the first in the walk and the lowest base.
 *
 * Dead links exclude some bases (link_map.h); if not all preferred rings are
 * possible with them, as many as possible are kept. Required nodes exclude extents
 * that are too short for them, and bases whose box does not hold them (submesh.h).
 *
 * Cost: about log2(extent) passes over the bitmap per dimension and orientation,
 * less what is shared or pruned, plus the score's cost for those that fit. Memory:
 * dims + 4 bitmaps, and the score's.
 */
#include "placement/submesh/factor.h"
#include "placement/state/link_map.h"
#include "placement/orient.h"
#include "placement/strategies.h"
#include "placement/submesh/submesh.h"
#include "torus/alloc.h"

static void submesh_destroy(void *self)
{
	struct submesh *s = self;

	if (!s)
		return;
	torus_erode_destroy(s->erode);
	torus_base_ranges_free(&s->around);
	torus_score_destroy(s->score);
	torus_free(s->memory);
	torus_free(s->grant);
	torus_free(s);
}

/* Scale the cache of grants with the machine: larger machines see more
 * different counts. */
static int submesh_create_grants(struct submesh *s)
{
	uint32_t n = SUBMESH_GRANTS;

	while (n < SUBMESH_MOST_GRANTS && n < s->torus->nodes / 16)
		n *= 2;
	while (UINT32_C(1) << s->grant_bits < n)
		s->grant_bits++;
	s->grant = torus_alloc(n, sizeof(*s->grant));
	return s->grant ? 0 : -1;
}

static void *submesh_create(const struct torus *t, const uint64_t *present,
			    const struct torus_options *options)
{
	struct submesh *s = torus_alloc(1, sizeof(*s));
	uint32_t levels = t->dims + 1;

	if (!s)
		return NULL;
	s->torus = t;
	s->present = present;
	s->words = torus_bits_words(t->nodes);
	s->erode = torus_erode_create(t);
	s->score = torus_score_create(t, options);
	s->memory = torus_alloc((size_t)s->words * (levels + 2),
				sizeof(*s->memory));
	if (torus_base_ranges_init(&s->around, t) || submesh_create_grants(s) ||
	    !s->erode || !s->score || !s->memory) {
		submesh_destroy(s);
		return NULL;
	}
	for (uint32_t d = 0; d < levels; d++)
		s->level[d] = s->memory + (size_t)d * s->words;
	s->spare[0] = s->memory + (size_t)levels * s->words;
	s->spare[1] = s->spare[0] + s->words;
	return s;
}

static void submesh_see(void *self, const struct torus_state *state,
			uint32_t pod)
{
	struct submesh *s = self;

	torus_score_see(s->score, state, pod);
}

const uint64_t *submesh_box_bases(struct submesh *s,
				  const struct torus_free_boxes *exact,
				  const uint32_t *extent, const uint64_t *usable)
{
	uint32_t dims = s->torus->dims, d = 0;

	while (d < dims && extent[d] == 1)
		d++;
	if (d == dims)
		return usable;
	if (torus_free_boxes_bases(exact, extent, s->level[dims], s->words))
		return s->level[dims];
	for (; d < dims; d++) {
		if (extent[d] == 1)
			continue;
		if (!submesh_erode(s, d, 1, extent[d], usable))
			return NULL;
		usable = s->level[d + 1];
	}
	return usable;
}

static enum torus_answer submesh_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why)
{
	return ask->by_count ? submesh_find_count(self, ask, usable, out, why) :
			       submesh_find_shape(self, ask, usable, out, why);
}

/* Enumeration of every place. */
struct submesh_listing {
	struct submesh *s;
	const struct torus_ask *ask;
	const uint64_t *usable;
	uint32_t volume; /* of a count; 0: of a shape */
	bool closed;     /* of a count: every axis must be a ring */
	struct torus_placement place;
	bool (*each)(void *arg, const struct torus_placement *place);
	void *arg;
};

/* A dimension that is covered completely has one distinct base: 0, or the one
 * behind a dead link that opens it. */
static bool submesh_list_is_distinct(const struct submesh_listing *l)
{
	const struct torus *t = l->s->torus;
	const struct torus_region *r = &l->place.region;

	for (uint32_t d = 0; d < t->dims; d++) {
		if (r->base[d] > 0 && torus_link_covers(t, r->extent, d) &&
		    torus_link_map_closed(l->ask->links, l->ask->weak, r, d))
			return false;
	}
	return true;
}

/* List a place, with the rings that the links leave. */
static bool submesh_list_one(struct submesh_listing *l)
{
	if (l->ask->links) {
		if (!submesh_list_is_distinct(l))
			return true;
		torus_orient_finish(l->s->torus, l->ask, &l->place);
	}
	return l->each(l->arg, &l->place);
}

/* Return how many bases of a dimension are enumerated. */
static uint32_t submesh_list_bases_along(const struct submesh_listing *l,
					 uint32_t d)
{
	const struct torus *t = l->s->torus;

	if (l->place.region.extent[d] < t->size[d] ||
	    (l->ask->links && t->wrap[d]))
		return t->size[d];
	return 1;
}

static bool submesh_list_extents(struct submesh_listing *l, uint32_t d,
				 uint64_t left);

#define BASE_NODES 8 /* nodes that cost as much as a base */

/* Enumerate bases in lexicographic order of their coordinates; at each one the
 * place, or for a count its boxes. */
static bool submesh_list_bases(struct submesh_listing *l, uint32_t d,
			       const uint64_t *bases)
{
	const struct torus *t = l->s->torus;
	struct torus_region *r = &l->place.region;
	uint32_t last;

	if (d == t->dims)
		return !torus_bits_test(bases, torus_index(t, r->base)) ||
		       (l->volume ? submesh_list_extents(l, 0, l->volume) :
				    submesh_list_one(l));
	last = submesh_list_bases_along(l, d);
	for (r->base[d] = 0; r->base[d] < last; r->base[d]++) {
		if (torus_search_limit_spend(l->ask->limit, BASE_NODES) ||
		    !submesh_list_bases(l, d + 1, bases))
			return false;
	}
	r->base[d] = 0;
	return true;
}

static bool submesh_list_box(struct submesh_listing *l)
{
	const struct torus *t = l->s->torus;
	const uint64_t *in = l->usable;
	uint32_t box[TORUS_MAX_DIMS];
	struct torus_ask any;
	uint32_t open;

	for (uint32_t d = 0; d < t->dims; d++)
		box[d] = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		box[d] = l->place.region.extent[d];
		if (box[d] == 1)
			continue;
		if (!submesh_lengthen(l->s, d, 1, box, in))
			return true;
		in = l->s->level[d + 1];
	}
	/* the bases at which all required rings are closed; NULL: none */
	any = *l->ask;
	/* the list includes open ones beside the preferred rings */
	for (uint32_t a = 0; a < TORUS_MAX_DIMS; a++) {
		if (any.connection[a] == TORUS_CONN_NAV)
			any.connection[a] = TORUS_CONN_MESH;
	}
	in = torus_orient_rings(&any, &l->place.orientation,
				l->place.region.extent, in, &open);
	return !in || submesh_list_bases(l, 0, in);
}

static bool submesh_list_orientation(void *arg,
				     const struct torus_orientation *o)
{
	struct submesh_listing *l = arg;
	const struct torus *t = l->s->torus;

	torus_region_whole(&l->place.region, t);
	for (uint32_t d = 0; d < t->dims; d++)
		l->place.region.extent[d] = torus_orient_extent(t, l->ask,
								o->axis[d], d);
	l->place.orientation = *o;
	torus_orient_finish(t, l->ask, &l->place);
	return !torus_search_limit_over(l->ask->limit) && submesh_list_box(l);
}

/* Return true if the links allow the box of a count at its base. */
static bool submesh_list_count_links(struct submesh_listing *l)
{
	const struct torus_region *r = &l->place.region;
	const struct torus_link_box box = { .extent = r->extent,
					    .weak = l->ask->weak,
					    .must = l->closed ? UINT32_MAX : 0 };
	const uint64_t *bases;

	if (!l->ask->links)
		return true;
	bases = torus_link_map_bases(l->ask->links, &box);
	return (!bases ||
		torus_bits_test(bases, torus_index(l->s->torus, r->base))) &&
	       submesh_list_is_distinct(l);
}

/* Enumerate boxes of `left` more nodes with the orientation's dimensions and
 * the base of l->place, extents from dimension d on. */
static bool submesh_list_extents(struct submesh_listing *l, uint32_t d,
				 uint64_t left)
{
	const struct torus *t = l->s->torus;
	struct torus_region *r = &l->place.region;

	while (d < t->dims && l->place.orientation.axis[d] < 0)
		d++;
	if (torus_search_limit_over(l->ask->limit))
		return false;
	if (d == t->dims) {
		if (left != 1 || !torus_factor_within(t, r->extent, l->ask) ||
		    !torus_region_inside(r, t, l->usable) ||
		    !submesh_list_count_links(l))
			return true;
		torus_factor_finish(t, l->ask, &l->place);
		return l->each(l->arg, &l->place);
	}
	for (uint32_t e = t->unit[d] > 1 ? 1 : 2; e <= t->size[d] && e <= left;
	     e++) {
		/* a dimension that is covered completely has one base, 0 */
		if (left % e || !torus_factor_allows(t, d, e, l->closed) ||
		    (r->base[d] > 0 && e == t->size[d] &&
		     !(l->ask->links && t->wrap[d])) ||
		    (!t->wrap[d] && r->base[d] + e > t->size[d]))
			continue;
		r->extent[d] = e;
		if (!submesh_list_extents(l, d + 1, left / e))
			return false;
	}
	r->extent[d] = 1;
	return true;
}

/* Choose which dimensions the box extends along, in the order of the text. The
 * extents come last, so every box is tried at each base: this is not meant for
 * schedulers. */
static bool submesh_list_counts(struct submesh_listing *l, uint32_t d,
				int8_t axes)
{
	int8_t *axis = l->place.orientation.axis;

	if (d == l->s->torus->dims)
		return submesh_list_bases(l, 0, l->usable);
	axis[d] = -1;
	if (l->s->torus->unit[d] == 1 && !submesh_list_counts(l, d + 1, axes))
		return false;
	axis[d] = axes;
	return torus_vertices(l->s->torus, d) == 1 ||
	       submesh_list_counts(l, d + 1, axes + 1);
}

static void submesh_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	struct submesh_listing l = {
		.s = self, .ask = ask, .usable = usable, .each = each, .arg = arg
	};

	submesh_set_links(l.s, ask);
	if (!submesh_take_cells(l.s, &l.usable))
		return;
	if (!ask->by_count) {
		torus_orient_each(l.s->torus, ask, submesh_list_orientation, &l);
		return;
	}
	l.closed = torus_factor_closed(ask);
	if (ask->count <= l.s->torus->nodes)
		l.volume = submesh_grant(l.s, ask)->granted;
	torus_region_whole(&l.place.region, l.s->torus);
	for (uint32_t d = 0; d < l.s->torus->dims; d++)
		l.place.region.extent[d] = 1;
	if (l.volume)
		submesh_list_counts(&l, 0, 0);
}

const struct torus_strategy torus_strategy_submesh = {
	.name = "submesh",
	.alias = "subcube",
	.summary =
		"complete recognition of boxes: every orientation and wrapped position (the default)",
	.source = "own",
	.options = torus_score_options,
	.occupancy_only = true,
	.complete = true,
	.units = true,
	.links = true,
	.limits = true,
	.create = submesh_create,
	.destroy = submesh_destroy,
	.see = submesh_see,
	.find = submesh_find,
	.find_all = submesh_find_all,
};

/*
 * `submesh` with dead links. Bases with dead links along a dimension are
 * removed when the box gets 2 cells there. Longer boxes consist of such boxes
 * that overlap by one cell, so each of their links lies within one of these
 * (link_map.h).
 */

/* Keep those bases of *in at which the box has no dead link, in `map`. Return
 * whether any is left. */
static bool links_take(struct submesh *s, const struct torus_link_box *box,
		       const uint64_t **in, uint64_t *map)
{
	const uint64_t *live = torus_link_map_bases(s->links, box);
	const uint64_t *from = *in;

	if (!live)
		return true;
	*in = map;
	return torus_erode_and(s->erode, from, live, map);
}

bool submesh_take_links(struct submesh *s, const uint32_t *extent,
			uint32_t along, const uint64_t **in)
{
	const struct torus_link_box box = { .extent = extent,
					    .along = along,
					    .weak = s->weak };

	return links_take(s, &box, in, s->level[0]);
}

bool submesh_take_cells(struct submesh *s, const uint64_t **in)
{
	uint32_t cell[TORUS_MAX_DIMS];

	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++)
		cell[d] = 1;
	return !s->links ||
	       submesh_take_links(s, cell, 1u << s->torus->dims, in);
}

bool submesh_lengthen_linked(struct submesh *s, uint32_t d, const uint32_t *box,
			     const uint64_t *in)
{
	uint32_t pair[TORUS_MAX_DIMS];
	const struct torus_link_box links = { .extent = pair,
					      .along = 1u << d,
					      .weak = s->weak };

	memcpy(pair, box, s->torus->dims * sizeof(*pair));
	pair[d] = 2;
	if (!submesh_erode(s, d, 1, 2, in))
		return false;
	in = s->level[d + 1];
	return links_take(s, &links, &in, s->level[d + 1]) &&
	       (box[d] == 2 || submesh_erode(s, d, 1, box[d] - 1, in));
}
