/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh` for shapes: the walk over the orientations (submesh.c), and the
 * choice among those that fit.
 *
 * On small machines the walk costs more than the erosion. So the axes are
 * sorted once, no orientation is listed in advance, and the search checks
 * whether an orientation exists at all only if it found nothing.
 */
#include "placement/orient.h"
#include "placement/submesh/submesh.h"

/* A search for a shape: the best orientations so far. */
struct submesh_shape_search {
	struct submesh *s;
	const struct torus_ask *ask;
	const struct torus_free_boxes *boxes; /* maximal free boxes of the
						 usable nodes, or NULL */
	const struct torus_free_boxes *exact; /* submesh_exact_boxes() */
	uint32_t axes;
	uint8_t axis[TORUS_MAX_DIMS]; /* sorted by extent, so equal ones are adjacent */
	uint32_t have[TORUS_MAX_DIMS + 1]; /* the box that is eroded already */
	int rings;                         /* rings of the best so far; -1:
					      none */
	int most_rings;                    /* maximum over all orientations */
	struct torus_score *score;         /* NULL: take the first */
	struct torus_score_place best[TORUS_SCORE_CANDIDATES]; /* by contact */
	uint32_t n;
	struct torus_orientation o;
	struct torus_region region; /* extents of the current orientation;
				       from the current dimension on, those
				       eroded so far */
};

static bool submesh_place_before(const struct torus_ask *ask, uint8_t a,
				 uint8_t b)
{
	if (ask->shape.extent[a] != ask->shape.extent[b])
		return ask->shape.extent[a] < ask->shape.extent[b];
	return ask->connection[a] < ask->connection[b];
}

static void sort_axes(struct submesh_shape_search *x)
{
	x->axes = torus_orient_axes(x->ask);
	for (uint32_t a = 0; a < x->axes; a++) {
		uint32_t i = a;

		for (; i > 0 &&
		       submesh_place_before(x->ask, (uint8_t)a, x->axis[i - 1]);
		     i--)
			x->axis[i] = x->axis[i - 1];
		x->axis[i] = (uint8_t)a;
	}
}

/* Return true if the axis may lie along d and is the first of its unused
 * equals. */
static bool submesh_place_stands(const struct submesh_shape_search *x,
				 uint32_t i, uint32_t d, uint32_t used)
{
	const struct torus_ask *ask = x->ask;
	uint8_t a = x->axis[i], b;

	if (used >> a & 1 || !torus_orient_allows(x->s->torus, ask, a, d) ||
	    !torus_base_ranges_allows(&x->s->around, d,
				      torus_orient_extent(x->s->torus, ask, a,
							  d)))
		return false;
	if (i == 0 || !ask->rotate)
		return true;
	b = x->axis[i - 1];
	return used >> b & 1 || submesh_place_before(ask, b, a);
}

/* Return true if the axis prefers a ring (N) and gets one along d. */
static bool submesh_rings(const struct submesh_shape_search *x, uint32_t a,
			  uint32_t d)
{
	return x->ask->connection[a] == TORUS_CONN_NAV &&
	       torus_orient_closed(x->s->torus, d,
				   torus_orient_extent(x->s->torus, x->ask,
						       (int)a, d));
}

static void bound_rings(struct submesh_shape_search *x)
{
	x->most_rings = 0;
	for (uint32_t a = 0; a < x->axes; a++) {
		uint32_t d = 0;

		while (d < x->s->torus->dims && !submesh_rings(x, a, d))
			d++;
		x->most_rings += d < x->s->torus->dims;
	}
}

/* Return true if a place is found and no other place can have more rings or a
 * better score. */
static bool submesh_rings_enough(const struct submesh_shape_search *x)
{
	return !x->score || torus_score_spent(x->score);
}

/* Keep the bases of an orientation with the rings that dead links leave; NULL
 * if none is suitable. The rings that dead links open are removed from
 * *ring. */
static const uint64_t *submesh_ring_bases(const struct submesh_shape_search *x,
					  const uint64_t *bases, int *ring)
{
	uint32_t open;

	bases = torus_orient_rings(x->ask, &x->o, x->region.extent, bases,
				   &open);
	*ring -= (int)open;
	if (*ring < x->rings || (*ring == x->rings && submesh_rings_enough(x)))
		return NULL;
	return bases;
}

/* Note an orientation that fits; its bases are the set bits of `bases`. */
static void note_fit(struct submesh_shape_search *x, const uint64_t *bases,
		     int ring)
{
	const uint64_t *with_rings;
	int64_t contact = 0;
	uint32_t base;
	uint32_t i;

	if (ring < x->rings || (ring == x->rings && submesh_rings_enough(x)))
		return;
	if (x->exact)
		bases = submesh_box_bases(x->s, x->exact, x->region.extent,
					  bases);
	if (!bases)
		return;
	bases = torus_base_ranges_narrow(&x->s->around, x->region.extent, bases);
	if (!bases)
		return;
	base = torus_bits_next(bases, x->s->words, 0);
	if (base == UINT32_MAX) /* one node, and none free */
		return;
	if (x->s->links) {
		with_rings = submesh_ring_bases(x, bases, &ring);
		if (!with_rings)
			return;
		if (with_rings != bases)
			base = torus_bits_next(with_rings, x->s->words, 0);
		bases = with_rings;
	}
	if (ring > x->rings)
		x->n = 0;
	x->rings = ring;
	if (x->score)
		base = torus_score_base(x->score, bases, x->region.extent,
					&contact);
	torus_coord(x->s->torus, base, x->region.base);
	/* Insert a place into the best; ties keep their order. */
	i = x->n;
	if (i == TORUS_SCORE_CANDIDATES && x->best[i - 1].contact >= contact)
		return;
	if (i < TORUS_SCORE_CANDIDATES)
		x->n++;
	else
		i--;
	for (; i > 0 && x->best[i - 1].contact < contact; i--)
		x->best[i] = x->best[i - 1];
	x->best[i].contact = contact;
	x->best[i].region = x->region;
	x->best[i].orientation = x->o;
}

/* Position of a walk over the orientations. */
struct submesh_walk {
	uint32_t d;    /* current dimension */
	uint32_t used; /* axes placed in the dimensions before it, a bit each */
	uint32_t left; /* number of other axes */
	int ring;      /* rings so far */
	const uint64_t *in; /* bases that fit all dimensions before d, ... */
	uint32_t have;      /* ... and runs of this length along d; with exact
			       boxes all usable nodes */
};

static void submesh_orientations_walk(struct submesh_shape_search *x,
				      struct submesh_walk *w);

/* Place axis a (-1: none) along w->d, if there are runs of its length. */
static bool submesh_orientation_try(struct submesh_shape_search *x,
				    struct submesh_walk *w, int a)
{
	uint32_t want = torus_orient_extent(x->s->torus, x->ask, a, w->d);
	struct submesh_walk next;
	bool placed = a >= 0;

	x->region.extent[w->d] = want;
	if (!torus_free_boxes_hold(x->boxes, x->region.extent, w->d + 1, 1))
		return true;
	if (want > w->have && !x->exact) {
		if (!submesh_lengthen(x->s, w->d, w->have, x->region.extent,
				      w->in))
			return false;
		w->in = x->s->level[w->d + 1];
		w->have = want;
	}
	x->o.axis[w->d] = (int8_t)a;
	/* not a copy: reading whole a struct just written in parts is slow */
	next.d = w->d + 1;
	next.used = placed ? w->used | 1u << a : w->used;
	next.left = w->left - placed;
	next.ring = w->ring + (placed && submesh_rings(x, (uint32_t)a, w->d));
	next.in = w->in;
	next.have = x->have[next.d];
	submesh_orientations_walk(x, &next);
	if (next.d < x->s->torus->dims)
		x->region.extent[next.d] = x->have[next.d];
	return true;
}

/* Walk the orientations from dimension w->d on: axes that may lie along it by
 * extent, '-' first. */
static void submesh_orientations_walk(struct submesh_shape_search *x,
				      struct submesh_walk *w)
{
	uint32_t dims = x->s->torus->dims;

	if (w->left > dims - w->d || torus_search_limit_over(x->ask->limit))
		return;
	if (w->d == dims) {
		note_fit(x, w->in, w->ring);
		return;
	}
	if (w->left < dims - w->d && x->s->torus->unit[w->d] == 1 &&
	    torus_base_ranges_allows(&x->s->around, w->d, 1) &&
	    !submesh_orientation_try(x, w, -1))
		return;
	for (uint32_t i = 0; i < x->axes; i++) {
		if (x->rings == x->most_rings && submesh_rings_enough(x))
			return;
		if (submesh_place_stands(x, i, w->d, w->used) &&
		    !submesh_orientation_try(x, w, x->axis[i]))
			return;
	}
}

/* Begin with the part common to all orientations. */
static bool submesh_shape_begin(struct submesh_shape_search *x,
				const uint64_t **in)
{
	uint32_t dims = x->s->torus->dims, along = 1u << dims;
	const struct torus *t;
	uint32_t shortest;

	for (uint32_t d = 0; d <= dims; d++)
		x->have[d] = 1;
	/* Erode the cube (in cells: a box) that every orientation contains. *along gets the
	 * dimensions in which it has more than one cell. */
	t = x->s->torus;
	if (x->axes >= t->dims && !x->exact) {
		shortest = x->ask->shape.extent[x->axis[0]];
		for (uint32_t d = 0; d < t->dims; d++) {
			uint64_t *result = x->s->spare[0];
			uint32_t least = (shortest - 1) / t->unit[d] + 1;

			if (least == 1)
				continue;
			if (least > t->size[d] ||
			    !torus_erode_runs(x->s->erode, d, 1, least, *in,
					      result, x->s->spare[1]))
				return false;
			x->s->spare[0] = x->s->level[0];
			x->s->level[0] = result;
			*in = result;
			along |= 1u << d;
			x->have[d] = least;
		}
	}
	if (x->s->links && !submesh_take_links(x->s, x->have, along, in))
		return false;
	memcpy(x->region.extent, x->have, dims * sizeof(*x->have));
	return true;
}

/* Return true if the shape fits somewhere in `usable`. Then best[0] is the best
 * place. */
static bool submesh_shape_search(struct submesh_shape_search *x,
				 const uint64_t *usable,
				 struct torus_score *score)
{
	if (!torus_free_boxes_hold_turned(x->boxes, &x->ask->shape))
		return false;
	x->score = score && torus_score_begin(score, x->ask, usable) ? score :
								       NULL;
	x->rings = -1;
	x->n = 0;
	torus_region_whole(&x->region, x->s->torus);
	x->o.folded = false;
	memset(x->o.axis, -1, sizeof(x->o.axis));
	if (submesh_shape_begin(x, &usable))
		submesh_orientations_walk(x, &(struct submesh_walk){
						     .left = x->axes,
						     .in = usable,
						     .have = x->have[0] });
	return x->rings >= 0;
}

/* Stop at an orientation in which the box can hold the required nodes. */
static bool submesh_shape_stop(void *arg, const struct torus_orientation *o)
{
	const struct submesh_shape_search *x = arg;
	bool holds = true;

	for (uint32_t d = 0; d < x->s->torus->dims; d++) {
		holds &=
			torus_base_ranges_allows(&x->s->around, d,
						 torus_orient_extent(x->s->torus,
								     x->ask,
								     o->axis[d],
								     d));
	}
	return !holds;
}

static void submesh_shape_explain(const struct torus *t,
				  const struct torus_ask *ask,
				  struct torus_error *why)
{
	char shape[96];

	torus_shape_format(&ask->shape, shape, sizeof(shape));
	if (ask->required)
		torus_error_add(why,
				"%s: no place for %s holds all the nodes that are required",
				t->name, shape);
	else
		torus_orient_explain(t, ask, why);
}

enum torus_answer submesh_find_shape(struct submesh *s,
				     const struct torus_ask *ask,
				     const uint64_t *usable,
				     struct torus_placement *out,
				     struct torus_error *why)
{
	struct submesh_shape_search
		x; /* not the places: clearing them would cost a tenth of the search */
	uint32_t best = 0;

	x.s = s;
	x.ask = ask;
	x.boxes = ask->boxes;
	x.exact = submesh_exact_boxes(s, ask);
	torus_base_ranges_set(&s->around, ask->required);
	s->around.open = ask->links != NULL;
	submesh_set_links(s, ask);
	sort_axes(&x);
	bound_rings(&x);
	if (submesh_shape_search(&x, usable, s->score)) {
		if (x.score)
			best = torus_score_choose(x.score, x.best, x.n);
		*out = (struct torus_placement){
			.region = x.best[best].region,
			.orientation = x.best[best].orientation
		};
		torus_orient_finish(s->torus, ask, out);
		return TORUS_FITS;
	}
	if (torus_search_limit_cut(ask->limit))
		return TORUS_NOT_NOW;
	if (torus_orient_each(s->torus, ask, submesh_shape_stop, &x)) {
		submesh_shape_explain(s->torus, ask, why);
		return TORUS_NEVER;
	}
	x.boxes = x.exact = NULL;
	submesh_set_links(s, NULL);
	if (s->present && !submesh_shape_search(&x, s->present, NULL) &&
	    !torus_search_limit_cut(ask->limit)) {
		torus_error_add(why,
				"%s: each place for the shape has cells without a node",
				s->torus->name);
		return TORUS_NEVER;
	}
	return TORUS_NOT_NOW;
}
