/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh` for node counts: the most compact free box of that volume, or of
 * the next volume that the machine holds as a box. The most compact boxes of
 * the empty machine are tried first: on the LANL CM-5 log 95 % of successful
 * searches end there. If none of them fits, all boxes are walked depth first,
 * extents ascending, with shared erosions (submesh.c). Boxes less compact than
 * the best so far are pruned.
 */
#include "placement/submesh/factor.h"
#include "placement/orient.h"
#include "placement/submesh/submesh.h"

/* A search for a box of a given volume. */
struct count_search {
	struct submesh *s;
	struct torus_search_limit *limit;
	const struct torus_ask *links; /* the ask whose links matter; NULL: none */
	const struct torus_free_boxes *boxes; /* maximal free boxes of the
						 usable nodes, or NULL */
	const struct torus_free_boxes *exact; /* submesh_exact_boxes() */
	const struct torus_ask *ask;          /* which boxes will do */
	bool closed;                          /* every axis must be a ring */
	uint64_t hops;                        /* of the best so far */
	uint32_t rings;
	uint64_t spread;           /* sum of squared extents */
	struct torus_score *score; /* NULL: take the first */
	int64_t contact;           /* of the best so far */
	uint32_t extent[TORUS_MAX_DIMS];
	uint64_t room[TORUS_MAX_DIMS + 1]; /* volume of the dimensions from d on */
	struct torus_region *out;
};

/* Return true if a box has as many hops as the best so far and is no better by the
 * other criteria. Boxes of more hops do not get here: walk_count() leaves them out. */
static bool count_is_worse(const struct count_search *x, uint64_t hops,
			   uint32_t rings, uint64_t spread)
{
	return hops == x->hops &&
	       (rings < x->rings ||
		(rings == x->rings &&
		 (spread > x->spread || (spread == x->spread && !x->score))));
}

static void note_box(struct count_search *x, const uint64_t *bases,
		     uint64_t hops)
{
	const struct torus *t = x->s->torus;
	uint64_t spread = 0;
	uint32_t rings = 0, open = 0, base;
	int64_t contact = 0;
	bool equal;

	for (uint32_t d = 0; d < t->dims; d++) {
		rings += torus_orient_closed(t, d, x->extent[d]);
		spread += torus_factor_spread(t, d, x->extent[d]);
	}
	if (count_is_worse(x, hops, rings, spread))
		return;
	if (x->exact)
		bases = submesh_box_bases(x->s, x->exact, x->extent, bases);
	if (bases)
		bases = torus_base_ranges_narrow(&x->s->around, x->extent,
						 bases);
	if (bases && x->links)
		bases = torus_orient_rings(x->links, NULL, x->extent, bases,
					   &open);
	if (!bases)
		return;
	rings -= open;
	if (open && count_is_worse(x, hops, rings, spread))
		return;
	equal = hops == x->hops && rings == x->rings && spread == x->spread;
	base = x->score ?
		       torus_score_base(x->score, bases, x->extent, &contact) :
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
static void walk_count(struct count_search *x, uint32_t d, uint32_t left,
		       uint64_t hops, const uint64_t *in)
{
	const struct torus *t = x->s->torus;
	uint32_t have = 1;

	if (torus_search_limit_over(x->limit))
		return;
	if (d == t->dims) {
		if (torus_factor_within(t, x->extent, x->ask))
			note_box(x, in, hops);
		return;
	}
	for (uint32_t e = 1; e <= t->size[d] && e <= left; e++) {
		uint64_t more;

		if (left % e || left / e > x->room[d + 1])
			continue;
		more = hops + torus_factor_along(t, d, e);
		if (more > x->hops || !torus_factor_allows(t, d, e, x->closed) ||
		    !torus_base_ranges_allows(&x->s->around, d, e))
			continue;
		x->extent[d] = e;
		if (!torus_free_boxes_hold(x->boxes, x->extent, d + 1, left / e))
			continue;
		if (e > have && !x->exact) {
			if (!submesh_lengthen(x->s, d, have, x->extent, in))
				break;
			in = x->s->level[d + 1];
			have = e;
		}
		walk_count(x, d + 1, left / e, more, in);
	}
	x->extent[d] = 1;
}

/* Find the most compact box of exactly `volume` nodes. The caller fills s,
 * limit, boxes, ask, closed, score and out. */
static bool find_box(struct count_search *x, uint32_t volume,
		     const uint64_t *usable)
{
	const struct torus *t = x->s->torus;

	if (torus_bits_count(usable, x->s->words) < volume)
		return false;
	x->hops = UINT64_MAX;
	x->room[t->dims] = 1;
	for (uint32_t d = t->dims; d-- > 0;) {
		x->room[d] = x->room[d + 1] * t->size[d];
		x->extent[d] = 1;
	}
	walk_count(x, 0, volume, 0, usable);
	return x->hops != UINT64_MAX;
}

/* A walk over the most compact boxes. Boxes that share their first extents
 * share erosions. */
struct compact_search {
	struct submesh *s;
	const uint64_t *in[TORUS_MAX_DIMS + 1]; /* eroded before dimension d */
	uint32_t extent[TORUS_MAX_DIMS];        /* of the latest box */
	const struct torus_ask *ask;
	uint32_t done; /* number of its dimensions that are eroded */
	bool stuck;    /* no run was long enough in the next dimension */
};

/* Return the usable bases of a box, NULL if there are none. */
static const uint64_t *erode_box(struct compact_search *x,
				 const uint32_t *extent)
{
	uint32_t dims = x->s->torus->dims, d = 0, box[TORUS_MAX_DIMS];

	for (uint32_t i = 0; i < dims; i++)
		box[i] = 1;
	for (; d < x->done && extent[d] == x->extent[d]; d++)
		box[d] = extent[d];
	if (x->stuck && d == x->done && extent[d] >= x->extent[d])
		return NULL;
	memcpy(x->extent, extent, sizeof(x->extent));
	for (x->stuck = false; d < dims; d++) {
		x->in[d + 1] = x->in[d];
		x->done = d;
		box[d] = extent[d];
		if (extent[d] == 1)
			continue;
		x->stuck = !submesh_lengthen(x->s, d, 1, box, x->in[d]);
		if (x->stuck)
			return NULL;
		x->in[d + 1] = x->s->level[d + 1];
	}
	x->done = dims;
	return x->in[dims];
}

/* Keep the bases at which the box holds the required nodes and that the links
 * allow. *open: how many of its rings dead links open. */
static const uint64_t *compact_bases(struct compact_search *x,
				     const uint32_t *extent, uint32_t *open)
{
	const struct torus_free_boxes *exact = submesh_exact_boxes(x->s, x->ask);
	const uint64_t *bases = exact ? submesh_box_bases(x->s, exact, extent,
							  x->in[0]) :
					erode_box(x, extent);

	if (bases)
		bases = torus_base_ranges_narrow(&x->s->around, extent, bases);
	return bases ? torus_orient_rings(x->ask, NULL, extent, bases, open) :
		       NULL;
}

static bool may_hold(const struct submesh *s, const uint32_t *extent)
{
	for (uint32_t d = 0; d < s->torus->dims; d++) {
		if (!torus_base_ranges_allows(&s->around, d, extent[d]))
			return false;
	}
	return true;
}

/*
 * Try the most compact boxes first, because nearly always one of them fits.
 * Among them the one with the most rings and then the most contact wins, as in
 * the walk.
 */
static bool find_compact(struct submesh *s, const struct submesh_grant *g,
			 const uint64_t *usable, const struct torus_ask *ask,
			 struct torus_score *score, struct torus_region *out)
{
	struct compact_search x = { .s = s, .ask = ask, .in = { usable } };
	uint32_t base = UINT32_MAX, best = 0, least = UINT32_MAX;
	int64_t contact, most = -1;

	for (uint32_t i = 0; i < g->boxes && (score || least > 0); i++) {
		const uint64_t *bases = NULL;
		uint32_t at, open = 0;

		if (may_hold(s, g->box[i]) &&
		    torus_free_boxes_hold(ask->boxes, g->box[i], s->torus->dims,
					  1))
			bases = compact_bases(&x, g->box[i], &open);
		if (!bases || open > least)
			continue;
		contact = 0;
		at = score ? torus_score_base(score, bases, g->box[i],
					      &contact) :
			     torus_bits_next(bases, s->words, 0);
		if (at == UINT32_MAX || (open == least && contact <= most))
			continue;
		most = contact;
		least = open;
		base = at;
		best = i;
	}
	if (base == UINT32_MAX) /* also for one node if none is free */
		return false;
	torus_region_whole(out, s->torus);
	torus_coord(s->torus, base, out->base);
	memcpy(out->extent, g->box[best], s->torus->dims * sizeof(*out->extent));
	return true;
}

/* Return the cache entry of a count (Fibonacci hashing, because traces ask for
 * powers of two). */
static struct submesh_grant *submesh_count_slot(struct submesh *s,
						const struct torus_ask *ask)
{
	const struct torus_box_limits *l = &ask->limits;
	uint32_t h = (ask->count * 2 + torus_factor_closed(ask) +
		      l->aspect * 31 + l->bisection * 1021) *
		     UINT32_C(0x9e3779b9);

	return &s->grant[h >> (32 - s->grant_bits)];
}

/* The search for the largest box of cells with nodes: branch and bound. */
#define MOST_WORDS_LIMITED 40000000 /* under a limit: 4 ms, once */
#define MOST_WORDS 1000000000       /* eroded at most, about 100 ms */

struct most_search {
	struct submesh *s;
	uint64_t room[TORUS_MAX_DIMS + 1]; /* volume of the dimensions from d on */
	uint64_t best, words, most_words;
	struct torus_search_limit *limit;
};

/* Count an erosion. Return true if the search must end. */
static bool most_spend(struct most_search *x, uint32_t passes)
{
	x->words += (uint64_t)x->s->words * passes;
	return torus_search_limit_spend(x->limit, x->s->words * passes) ||
	       x->words >= x->most_words;
}

/* Return the longest run along the last dimension, in no more erosions than its
 * logarithm takes twice. */
static uint32_t most_run(struct most_search *x, uint32_t d, const uint64_t *in)
{
	uint32_t have = 1, step = 1, size = x->s->torus->size[d];
	bool grows = true;

	while (step > 0) {
		bool fits = have + step <= size;

		if (fits && most_spend(x, 4))
			return size;
		fits = fits && submesh_erode(x->s, d, 1, have + step, in);
		have += fits ? step : 0;
		grows &= fits;
		step = grows ? 2 * step : step / 2;
	}
	return have;
}

/* Return true if the longest runs along the dimensions from d on allow a larger box
 * than the best. */
static bool most_may_exceed(struct most_search *x, uint32_t d, uint64_t volume,
			    const uint64_t *in)
{
	for (; d < x->s->torus->dims && volume * x->room[d] > x->best; d++)
		volume *= most_run(x, d, in);
	return d == x->s->torus->dims && volume > x->best;
}

static void most_walk(struct most_search *x, uint32_t d, uint64_t volume,
		      const uint64_t *in)
{
	const struct torus *t = x->s->torus;

	if (d + 1 == t->dims) {
		volume *= most_run(x, d, in);
		x->best = volume > x->best ? volume : x->best;
		return;
	}
	for (uint32_t e = 1; e <= t->size[d] && !most_spend(x, 1); e++) {
		if (e > 1) {
			if (!submesh_erode(x->s, d, e - 1, e, in))
				return;
			in = x->s->level[d + 1];
		}
		if (volume * e * x->room[d + 1] > x->best &&
		    most_may_exceed(x, d + 1, volume * e, in))
			most_walk(x, d + 1, volume * e, in);
	}
}

/* Return a number of cells that no box of cells with nodes exceeds. It is searched
 * for once: the volumes above it need no search each. */
static uint32_t submesh_most(struct submesh *s, bool search,
			     struct torus_search_limit *limit)
{
	struct most_search x = { .s = s,
				 .limit = limit,
				 .most_words = limit ? MOST_WORDS_LIMITED :
						       MOST_WORDS };
	const struct torus *t = s->torus;
	uint32_t present;

	if (!s->present)
		return t->nodes;
	if (s->most)
		return s->most;
	present = torus_bits_count(s->present, s->words);
	if (!search || present == 0 || present == t->nodes ||
	    (limit && s->most_limited))
		return present;
	s->most_limited = true;
	x.room[t->dims] = 1;
	for (uint32_t d = t->dims; d-- > 0;)
		x.room[d] = x.room[d + 1] * t->size[d];
	most_walk(&x, 0, 1, s->present);
	if (x.words < x.most_words && !torus_search_limit_cut(limit))
		s->most = (uint32_t)x.best;
	else if (!limit)
		s->most = present;
	return s->most ? s->most : present;
}

/* A search that was ended continues at its volume, and completes that volume,
 * so repeated calls eventually find the answer. */
const struct submesh_grant *submesh_grant(struct submesh *s,
					  const struct torus_ask *ask)
{
	struct submesh_grant *g = submesh_count_slot(s, ask);
	struct torus_search_limit *limit = ask->limit, *first = limit;
	struct torus_region r;
	struct count_search x = { .s = s,
				  .ask = ask,
				  .closed = torus_factor_closed(ask),
				  .out = &r };
	uint32_t v, most;
	bool cached = g->count == ask->count && g->closed == x.closed &&
		      memcmp(&g->limits, &ask->limits, sizeof(g->limits)) == 0;

	if (cached && (g->next == 0 || torus_search_limit_cut(limit)))
		return g;
	torus_base_ranges_set(&s->around, NULL);
	submesh_set_links(s, NULL);
	if (cached) {
		v = g->next;
		first = NULL;
	} else {
		v = torus_factor_next(s->torus, ask->count, ask);
	}
	x.limit = first;
	most = submesh_most(s, !cached || !limit, limit);
	g->count = ask->count;
	g->closed = x.closed;
	g->limits = ask->limits;
	g->boxes = g->granted = 0;
	while (v && v <= most && s->present && !find_box(&x, v, s->present)) {
		if (first && torus_search_limit_cut(limit)) {
			g->next = v;
			return g;
		}
		x.limit = first = limit;
		v = torus_factor_next(s->torus, v + 1, ask);
	}
	if (v > most)
		v = 0;
	g->next = 0;
	g->granted = v;
	g->boxes = torus_factor_compact(s->torus, v, ask, g->box, SUBMESH_BOXES);
	return g;
}

static void refuse_count(const struct submesh *s, const struct torus_ask *ask,
			 bool closed, struct torus_error *why)
{
	uint32_t nodes = s->torus->nodes, count = torus_ask_count(ask);

	if (s->present)
		nodes = torus_bits_count(s->present, s->words);
	if (ask->count <= nodes)
		torus_error_add(why, "%s has no box of %u node%s%s",
				s->torus->name, count, count == 1 ? "" : "s",
				torus_ask_limited(ask) ?
					" or more within the limits; omit or relax them" :
				closed ? " whose axes are all closed rings" :
					 "");
	else
		torus_error_add(why, "%u nodes: %s has only %llu", count,
				s->torus->name,
				(unsigned long long)torus_ask_cell_nodes(ask,
									 nodes));
}

enum torus_answer submesh_find_count(struct submesh *s,
				     const struct torus_ask *ask,
				     const uint64_t *usable,
				     struct torus_placement *out,
				     struct torus_error *why)
{
	bool closed = torus_factor_closed(ask);
	const struct submesh_grant *g = NULL;
	struct torus_placement place = { 0 };
	struct torus_score *score = NULL;
	struct count_search walk = { .s = s,
				     .limit = ask->limit,
				     .boxes = ask->boxes,
				     .exact = submesh_exact_boxes(s, ask),
				     .ask = ask,
				     .closed = closed,
				     .out = &place.region };

	if (ask->count <= s->torus->nodes)
		g = submesh_grant(s, ask);
	if (!g || g->granted == 0) {
		if (torus_search_limit_cut(ask->limit))
			return TORUS_NOT_NOW;
		refuse_count(s, ask, closed, why);
		return TORUS_NEVER;
	}
	torus_base_ranges_set(&s->around, ask->required);
	s->around.open = ask->links != NULL;
	if (!torus_free_boxes_hold(ask->boxes, NULL, 0, g->granted))
		return TORUS_NOT_NOW;
	if (torus_score_begin(s->score, ask, usable))
		score = s->score;
	walk.score = score;
	walk.links = ask->links ? ask : NULL;
	submesh_set_links(s, ask);
	if (!submesh_take_cells(s, &usable))
		return TORUS_NOT_NOW;
	if (!find_compact(s, g, usable, ask, score, &place.region) &&
	    !find_box(&walk, g->granted, usable))
		return TORUS_NOT_NOW;
	torus_factor_finish(s->torus, ask, &place);
	*out = place;
	return TORUS_FITS;
}
