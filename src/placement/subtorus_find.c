/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search of `subtorus`: of the free subtori, over all orientations, the one
 * with the least load: the time that the job would lose by sharing links with
 * the jobs placed so far (Gupta and Srimani 1997, section 2.4.2;
 * torus/contention.h). Ties go to the first orientation, then to the first base
 * in row-major order (last dimension fastest). For shapes the load follows from
 * the hints now_us and end_us, for node counts all jobs are taken to last; jobs
 * of other strategies on the same torus are not counted.
 *
 * Cost: O(jobs x bases that compete + bases x region) per orientation, until a
 * base without load is found. Memory: none of its own.
 */
#include <string.h>

#include "placement/factor.h"
#include "placement/orient.h"
#include "placement/subtorus.h"
#include "placement/subtorus_list.h"
#include "torus/contention.h"

#define LONG_TIME (INT64_C(1) << 46) /* more than two years of microseconds */

static uint32_t subtorus_gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* One search for a region with the extents and strides of `like`. */
struct subtorus_search_state {
	struct subtorus *s;
	const struct torus_ask *ask;
	const uint64_t *usable;
	struct torus_region like;
	bool found;
	int64_t least;
	struct torus_region best;
};

/* What entry e adds to the time of the job that is asked for. For a node
 * count times are left out: all are taken to run together for long. */
static int64_t load_of(const struct subtorus_search_state *x,
		       const struct subtorus_entry *e, uint32_t d)
{
	int64_t end_us = e->end_us < x->ask->end_us ? e->end_us : x->ask->end_us;
	int64_t together = LONG_TIME;

	if (!x->ask->by_count && end_us <= x->ask->now_us)
		return 0;
	if (!x->ask->by_count &&
	    (uint64_t)end_us - (uint64_t)x->ask->now_us < (uint64_t)LONG_TIME)
		together = end_us - x->ask->now_us;
	return torus_contention_load(x->s->torus, &e->region, (int)d, together);
}

/*
 * Add entry e to all bases that share its lines along d and do not overlap
 * it: combs with strides K and L, both of which divide the size, meet iff
 * their offsets are equal modulo gcd(K, L). False: the ask's limit has ended it.
 */
static bool add_along(struct subtorus_search_state *x,
		      const struct subtorus_entry *e, uint32_t d)
{
	const struct torus *t = x->s->torus;
	int64_t load = load_of(x, e, d);
	int64_t rate = torus_subtorus_share(t, &e->region, d);
	bool forbids = x->s->limit != SUBTORUS_NO_LIMIT &&
		       e->rate + torus_subtorus_share(t, &x->like, d) >
			       x->s->limit;
	uint32_t g[TORUS_MAX_DIMS] = { 0 }, at[TORUS_MAX_DIMS] = { 0 }, c;

	for (c = 0; c < t->dims; c++) {
		g[c] = subtorus_gcd(x->like.stride[c], e->region.stride[c]);
		at[c] = c == d ? 0 : e->region.base[c] % g[c];
	}
	do {
		uint32_t i = 0;

		if (torus_limit_spend(x->ask->limit, 1))
			return false;
		for (c = 0; c < t->dims; c++)
			i = i * x->like.stride[c] + at[c];
		if (at[d] % g[d] != e->region.base[d] % g[d]) {
			x->s->load[i] += load;
			if (forbids || x->s->rate[i] == SUBTORUS_NO_LIMIT)
				x->s->rate[i] = SUBTORUS_NO_LIMIT;
			else
				x->s->rate[i] += rate;
		}
		for (c = 0; c < t->dims; c++) {
			at[c] += c == d ? 1 : g[c];
			if (at[c] < x->like.stride[c])
				break;
			at[c] = c == d ? 0 : e->region.base[c] % g[c];
		}
	} while (c < t->dims);
	return true;
}

/* Loads and rates of all bases; false: the ask's limit has ended it. */
static bool subtorus_weigh(struct subtorus_search_state *x)
{
	const struct torus *t = x->s->torus;
	uint32_t bases = t->nodes / torus_region_nodes(&x->like, t);

	memset(x->s->load, 0, bases * sizeof(*x->s->load));
	memset(x->s->rate, 0, bases * sizeof(*x->s->rate));
	for (uint32_t i = 0; i < x->s->entries; i++) {
		const struct subtorus_entry *e = &x->s->entry[i];

		for (uint32_t d = 0; d < t->dims; d++) {
			if (e->region.extent[d] > 1 && x->like.extent[d] > 1 &&
			    !add_along(x, e, d))
				return false;
		}
	}
	return !torus_limit_spend(x->ask->limit, bases / 64 + 1);
}

/* Extents are set: all strides and no base. */
static void set_strides(struct subtorus_search_state *x)
{
	for (uint32_t d = 0; d < x->s->torus->dims; d++) {
		x->like.base[d] = 0;
		x->like.stride[d] = x->s->torus->size[d] / x->like.extent[d];
	}
}

/* The next base in row-major order; false after the last. */
static bool next_base(const struct torus *t, struct torus_region *r)
{
	for (uint32_t d = t->dims; d-- > 0;) {
		if (++r->base[d] < r->stride[d])
			return true;
		r->base[d] = 0;
	}
	return false;
}

/* Return true if the region is free and holds the required nodes. */
static bool subtorus_suits(const struct subtorus_search_state *x)
{
	const struct torus *t = x->s->torus;

	return torus_region_inside(&x->like, t, x->usable) &&
	       (!x->ask->required ||
		torus_region_holds(&x->like, t, x->ask->required));
}

/* The least loaded free region with these extents, if it beats the best so
 * far; of those seen within the ask's limit. */
static void subtorus_search(struct subtorus_search_state *x)
{
	const struct torus *t = x->s->torus;
	uint32_t i = 0, work;

	set_strides(x);
	work = torus_region_nodes(&x->like, t) / 8 + 4;
	if (!subtorus_weigh(x))
		return;
	do {
		int64_t load = x->s->load[i];

		if (torus_limit_spend(x->ask->limit, work))
			return;
		if (x->s->rate[i++] > x->s->limit ||
		    (x->found && load >= x->least) || !subtorus_suits(x))
			continue;
		x->found = true;
		x->least = load;
		x->best = x->like;
		if (load == 0)
			return;
	} while (next_base(t, &x->like));
}

static void set_extents(struct subtorus_search_state *x,
			const struct torus_orientation *o)
{
	torus_region_whole(&x->like, x->s->torus);
	for (uint32_t d = 0; d < x->s->torus->dims; d++)
		x->like.extent[d] = o->axis[d] < 0 ?
					    1 :
					    x->ask->shape.extent[o->axis[d]];
}

/* Finding a shape */

struct shape_search {
	struct subtorus_search_state x;
	bool ever;
	struct torus_orientation best;
};

static bool try_oriented(void *arg, const struct torus_orientation *o)
{
	struct shape_search *y = arg;
	int64_t before = y->x.found ? y->x.least : SUBTORUS_NO_LIMIT;
	bool found = y->x.found;

	if (torus_limit_spend(y->x.ask->limit, 16))
		return false;
	if (!torus_subtorus_allows(y->x.s->torus, y->x.ask, o))
		return true;
	y->ever = true;
	set_extents(&y->x, o);
	subtorus_search(&y->x);
	if (y->x.found && (!found || y->x.least < before))
		y->best = *o;
	return !y->x.found || y->x.least > 0;
}

static enum torus_answer subtorus_find_shape(struct subtorus_search_state *x,
					     struct torus_placement *out,
					     struct torus_error *why)
{
	struct shape_search y = { .x = *x };
	struct torus_ask open = torus_subtorus_open(x->ask);

	torus_orient_each(x->s->torus, &open, try_oriented, &y);
	if (!y.ever && !torus_limit_cut(x->ask->limit)) {
		torus_subtorus_explain(x->s->torus, x->ask, why);
		return TORUS_NEVER;
	}
	if (!y.x.found)
		return TORUS_NOT_NOW;
	*out = (struct torus_placement){ .region = y.x.best,
					 .orientation = y.best };
	torus_orient_finish(x->s->torus, x->ask, out);
	return TORUS_FITS;
}

/* Finding a count */

static enum torus_answer subtorus_find_count(struct subtorus_search_state *x,
					     struct torus_placement *out,
					     struct torus_error *why)
{
	const struct torus *t = x->s->torus;
	bool closed = x->ask->connection[0] == TORUS_CONN_TORUS;
	struct torus_subtorus_box box = { 0 };
	uint32_t volume = 0;

	if (x->ask->count <= t->nodes)
		volume = torus_subtorus_volume(t, x->ask->count, closed);
	if (volume == 0) {
		torus_error_add(why, "%u nodes: %s holds no such subtorus",
				x->ask->count, t->name);
		return TORUS_NEVER;
	}
	while (!torus_limit_over(x->ask->limit) &&
	       torus_subtorus_next(t, volume, closed, &box)) {
		torus_region_whole(&x->like, t);
		memcpy(x->like.extent, box.extent,
		       t->dims * sizeof(*box.extent));
		subtorus_search(x);
		if (!x->found)
			continue;
		*out = (struct torus_placement){ .region = x->best };
		torus_factor_finish(t, x->ask, out);
		return TORUS_FITS;
	}
	return TORUS_NOT_NOW;
}

enum torus_answer torus_subtorus_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why)
{
	struct subtorus_search_state x = { .s = self,
					   .ask = ask,
					   .usable = usable };

	if (x.s->limit != SUBTORUS_NO_LIMIT)
		torus_subtorus_rates(x.s);
	return ask->by_count ? subtorus_find_count(&x, out, why) :
			       subtorus_find_shape(&x, out, why);
}

/* Listing a shape's places */

struct subtorus_listing {
	struct subtorus_search_state x;
	bool (*each)(void *arg, const struct torus_placement *place);
	void *arg;
};

static bool list_oriented(void *arg, const struct torus_orientation *o)
{
	struct subtorus_listing *l = arg;
	const struct torus *t = l->x.s->torus;
	uint32_t i = 0, work;

	if (!torus_subtorus_allows(t, l->x.ask, o))
		return true;
	set_extents(&l->x, o);
	set_strides(&l->x);
	work = torus_region_nodes(&l->x.like, t) / 8 + 4;
	if (!subtorus_weigh(&l->x))
		return false;
	do {
		struct torus_placement place = { .region = l->x.like,
						 .orientation = *o };

		if (torus_limit_spend(l->x.ask->limit, work))
			return false;
		if (l->x.s->rate[i++] > l->x.s->limit ||
		    !torus_region_inside(&l->x.like, t, l->x.usable))
			continue;
		torus_orient_finish(t, l->x.ask, &place);
		if (!l->each(l->arg, &place))
			return false;
	} while (next_base(t, &l->x.like));
	return true;
}

/* A count's places: box by box, the most compact first. */
static void subtorus_list_counts(struct subtorus_listing *l)
{
	const struct torus *t = l->x.s->torus;
	bool closed = l->x.ask->connection[0] == TORUS_CONN_TORUS, go_on = true;
	struct torus_subtorus_box box = { 0 };
	const struct torus_ask *count = l->x.ask;
	struct torus_ask ask = *count; /* in turn each box as a shape */
	uint32_t volume = 0;

	if (ask.count <= t->nodes)
		volume = torus_subtorus_volume(t, ask.count, closed);
	memset(ask.connection, TORUS_CONN_NAV, sizeof(ask.connection));
	l->x.ask = &ask;
	while (volume && go_on && torus_subtorus_next(t, volume, closed, &box)) {
		struct torus_placement place = { 0 };

		torus_region_whole(&place.region, t);
		memcpy(place.region.extent, box.extent,
		       t->dims * sizeof(*box.extent));
		torus_factor_finish(t, &ask, &place);
		ask.shape.axes = place.axes;
		for (uint32_t d = 0; d < t->dims; d++) {
			if (place.orientation.axis[d] >= 0)
				ask.shape.extent[place.orientation.axis[d]] =
					box.extent[d];
		}
		if (volume == 1)
			ask.shape.extent[0] = 1;
		go_on = list_oriented(l, &place.orientation);
	}
	l->x.ask = count;
}

void torus_subtorus_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	struct subtorus_listing l = {
		.x = { .s = self, .ask = ask, .usable = usable },
		.each = each,
		.arg = arg
	};
	struct torus_ask open = torus_subtorus_open(ask);

	if (l.x.s->limit != SUBTORUS_NO_LIMIT)
		torus_subtorus_rates(l.x.s);
	if (ask->by_count)
		subtorus_list_counts(&l);
	else
		torus_orient_each(l.x.s->torus, &open, list_oriented, &l);
}
