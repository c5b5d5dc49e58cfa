/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search of `subtorus`: among the free subtori in all orientations, the one
 * with the least load. The load is the time that the job would lose by sharing
 * links with the jobs placed so far (Gupta and Srimani 1997, section 2.4.2;
 * torus/contention.h). Ties go to the first orientation, then to the first base
 * in row-major order (last dimension fastest). For shapes the load follows from
 * the hints now_us and end_us; for node counts all jobs count as lasting. Jobs
 * of other strategies on the same torus are not counted.
 *
 * First the free bases (subtorus.h); most searches find none. Then, per dimension,
 * the load of each line that a base could use: the jobs on it slow the new one.
 * A free base whose lines along d meet a job's lines in all other dimensions
 * does not overlap it, so they share that line. The load of a base is the sum
 * over the lines through it:
 *
 *       . . A A     a job A of 1x2 loads row 0 (along dimension 0); of a new
 *       . . . .     job every base in that row gets its load once, however
 *       . . . .     many rows the two have in common
 *
 * Cost: O(words) for a search that fails, else O(jobs x lines that they meet
 * x dimensions + bases) per orientation, until a base without load is found.
 * Memory: none of its own.
 */
#include <string.h>

#include "placement/subtorus/subtorus.h"
#include "placement/submesh/factor.h"
#include "placement/orient.h"
#include "torus/contention.h"

#define LONG_TIME (INT64_C(1) << 46) /* more than two years of microseconds */

static uint32_t subtorus_gcd(uint32_t a, uint32_t b)
{
	if ((a & (a - 1)) == 0 && (b & (b - 1)) == 0)
		return a < b ? a : b;
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The lines along dimension d that bases lie on: one per combination of their
 * other coordinates, last dimension fastest. */
struct subtorus_lines {
	uint32_t d;
	int64_t *load;
	int64_t *rate;                 /* only with a maximum dilation */
	uint32_t step[TORUS_MAX_DIMS]; /* index distance to the next line;
					  along d: 0 */
};

/* One search for a region with the extents and strides of `like`. */
struct subtorus_search_state {
	struct subtorus *s;
	const struct torus_ask *ask;
	const uint64_t *usable;
	const uint64_t *required; /* NULL for a listing, which has all places */
	struct torus_region like;
	struct subtorus_lines lines[TORUS_MAX_DIMS];
	uint32_t used; /* number of `lines`: dimensions in which `like` uses
			  links */
	int64_t least; /* SUBTORUS_FORBIDDEN: none found */
	struct torus_region best;
};

static bool subtorus_has_max(const struct subtorus_search_state *x)
{
	return x->s->max_dilation != SUBTORUS_NO_MAXIMUM;
}

/* Return what entry e adds to the time of the requested job. For a node count
 * times are ignored: all jobs count as running together for long. */
static int64_t subtorus_load_of(const struct subtorus_search_state *x,
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

/* What an entry adds to each line of a dimension that it shares. */
struct subtorus_share {
	int64_t load;
	int64_t rate; /* SUBTORUS_FORBIDDEN: the line must not be shared */
};

static struct subtorus_share
subtorus_share_of(const struct subtorus_search_state *x,
		  const struct subtorus_entry *e, uint32_t d)
{
	const struct torus *t = x->s->torus;
	struct subtorus_share share = { .load = subtorus_load_of(x, e, d) };

	if (!subtorus_has_max(x))
		return share;
	share.rate = torus_subtorus_share(t, &e->region, d);
	if (e->rate + torus_subtorus_share(t, &x->like, d) > x->s->max_dilation)
		share.rate = SUBTORUS_FORBIDDEN;
	return share;
}

/*
 * Add entry e to all lines of l that it shares. Combs with strides K and L,
 * both of which divide the size, meet if and only if their bases are equal
 * modulo gap = gcd(K, L). first: the lowest such base. Return their number.
 */
static uint32_t subtorus_add_along(const struct subtorus_search_state *x,
				   const struct subtorus_lines *l,
				   const struct subtorus_entry *e,
				   const uint32_t *gap, const uint32_t *first)
{
	uint32_t dims = x->s->torus->dims, at[TORUS_MAX_DIMS], i = 0, n = 0, c;
	struct subtorus_share share = subtorus_share_of(x, e, l->d);

	if (share.load == 0 && !subtorus_has_max(x))
		return 0;
	for (c = 0; c < dims; c++) {
		at[c] = first[c];
		i += at[c] * l->step[c];
	}
	do {
		n++;
		l->load[i] += share.load;
		if (subtorus_has_max(x)) {
			if (share.rate == SUBTORUS_FORBIDDEN ||
			    l->rate[i] == SUBTORUS_FORBIDDEN)
				l->rate[i] = SUBTORUS_FORBIDDEN;
			else
				l->rate[i] += share.rate;
		}
		for (c = dims; c-- > 0;) {
			if (c == l->d)
				continue;
			at[c] += gap[c];
			i += gap[c] * l->step[c];
			if (at[c] < x->like.stride[c])
				break;
			i -= (at[c] - first[c]) * l->step[c];
			at[c] = first[c];
		}
	} while (c != UINT32_MAX);
	return n;
}

/* Compute loads and rates of all lines; false if the ask's limit ended it. */
static bool subtorus_weigh(struct subtorus_search_state *x)
{
	const struct torus *t = x->s->torus;
	uint32_t gap[TORUS_MAX_DIMS], first[TORUS_MAX_DIMS];
	uint32_t from = 0;

	/* Set up and clear the tables of lines. */
	x->used = 0;
	for (uint32_t d = 0; d < t->dims; d++) {
		struct subtorus_lines *l = &x->lines[x->used];
		uint32_t n = 1;

		if (x->like.extent[d] == 1)
			continue;
		x->used++;
		l->d = d;
		l->load = x->s->load + from;
		l->rate = x->s->rate + from;
		for (uint32_t c = t->dims; c-- > 0;) {
			l->step[c] = c == d ? 0 : n;
			n *= c == d ? 1 : x->like.stride[c];
		}
		from += n;
	}
	memset(x->s->load, 0, from * sizeof(*x->s->load));
	if (subtorus_has_max(x))
		memset(x->s->rate, 0, from * sizeof(*x->s->rate));
	for (uint32_t i = 0; i < x->s->entries && x->used > 0; i++) {
		const struct subtorus_entry *e = &x->s->entry[i];
		uint32_t n = 1;

		for (uint32_t c = 0; c < t->dims; c++) {
			gap[c] = subtorus_gcd(x->like.stride[c],
					      e->region.stride[c]);
			first[c] = e->region.base[c] % gap[c];
		}
		for (uint32_t k = 0; k < x->used; k++) {
			if (e->region.extent[x->lines[k].d] > 1)
				n += subtorus_add_along(x, &x->lines[k], e, gap,
							first);
		}
		if (torus_search_limit_spend(x->ask->limit, n))
			return false;
	}
	return true;
}

/* Bases that differ in the last coordinate only. */
struct subtorus_row {
	uint32_t origin; /* node of the first base */
	int64_t load;    /* load of the shared line along the last dimension */
	int64_t rate;
	uint32_t used; /* number of other lines, which follow one another */
	const int64_t *loads[TORUS_MAX_DIMS];
	const int64_t *rates[TORUS_MAX_DIMS];
};

static void subtorus_row_set(const struct subtorus_search_state *x,
			     struct subtorus_row *row)
{
	const struct torus *t = x->s->torus;
	uint32_t last = t->dims - 1;

	row->origin = row->used = 0;
	row->load = row->rate = 0;
	for (uint32_t c = 0; c < last; c++)
		row->origin += x->like.base[c] * t->stride[c];
	for (uint32_t k = 0; k < x->used; k++) {
		const struct subtorus_lines *l = &x->lines[k];
		uint32_t i = 0;

		for (uint32_t c = 0; c < last; c++)
			i += x->like.base[c] * l->step[c];
		if (l->d == last) {
			row->load = l->load[i];
			row->rate = subtorus_has_max(x) ? l->rate[i] : 0;
		} else {
			row->loads[row->used] = l->load + i;
			row->rates[row->used++] = l->rate + i;
		}
	}
}

/* Return the load of the row's base `at`, or SUBTORUS_FORBIDDEN if the region
 * would slow itself or another job too much. */
static inline int64_t subtorus_row_load(const struct subtorus_search_state *x,
					const struct subtorus_row *row,
					uint32_t at)
{
	int64_t load = row->load, rate = row->rate;

	for (uint32_t k = 0; k < row->used; k++)
		load += row->loads[k][at];
	for (uint32_t k = 0; k < row->used && subtorus_has_max(x); k++) {
		if (rate > x->s->max_dilation ||
		    row->rates[k][at] > x->s->max_dilation)
			return SUBTORUS_FORBIDDEN;
		rate += row->rates[k][at];
	}
	return rate > x->s->max_dilation ? SUBTORUS_FORBIDDEN : load;
}

/* Advance to the first base of the next row in row-major order; false after the
 * last. */
static bool subtorus_next_row(const struct torus *t, struct torus_region *r)
{
	r->base[t->dims - 1] = 0;
	for (uint32_t d = t->dims - 1; d-- > 0;) {
		if (++r->base[d] < r->stride[d])
			return true;
		r->base[d] = 0;
	}
	return false;
}

/* Subtori of the same extents that hold a node are one: the bases are apart by less
 * than a stride. Call each() with that of the first required node. */
static bool subtorus_required_base(struct subtorus_search_state *x,
				   const uint64_t *bases,
				   bool (*each)(void *arg, int64_t load),
				   void *arg)
{
	const struct torus *t = x->s->torus;
	uint32_t last = t->dims - 1, node;
	struct subtorus_row row;
	int64_t load;

	node = torus_bits_next(x->required, torus_bits_words(t->nodes), 0);
	torus_coord(t, node, x->like.base);
	for (uint32_t d = 0; d < t->dims; d++)
		x->like.base[d] %= x->like.stride[d];
	if (!torus_bits_test(bases, torus_index(t, x->like.base)) ||
	    !torus_region_holds(&x->like, t, x->required))
		return true;
	subtorus_row_set(x, &row);
	load = subtorus_row_load(x, &row, x->like.base[last]);
	return load >= x->least || each(arg, load);
}

/*
 * Call each() with x->like at every free base of less load than x->least whose
 * region holds x->required, in row-major order, within the ask's limit. Return
 * false if the limit or each() ended it.
 */
static inline bool subtorus_each_base(struct subtorus_search_state *x,
				      bool (*each)(void *arg, int64_t load),
				      void *arg)
{
	const struct torus *t = x->s->torus;
	uint32_t last = t->dims - 1, n;
	const uint64_t *bases;
	struct subtorus_row row;

	/* Set all strides from the extents, and the base to 0. */
	for (uint32_t d = 0; d < x->s->torus->dims; d++) {
		x->like.base[d] = 0;
		x->like.stride[d] = x->s->torus->size[d] / x->like.extent[d];
	}
	if (torus_search_limit_spend(x->ask->limit,
				     torus_bits_words(t->nodes) * 4))
		return false;
	bases = torus_comb_bases(t, &x->like, x->usable, x->s->map);
	if (!bases)
		return true;
	if (!subtorus_weigh(x))
		return false;
	if (x->required)
		return subtorus_required_base(x, bases, each, arg);
	n = x->like.stride[last];
	do {
		if (torus_search_limit_spend(x->ask->limit, n + 4))
			return false;
		subtorus_row_set(x, &row);
		for (uint32_t i = 0; i < n && row.load < x->least; i++) {
			int64_t load;

			if (!torus_bits_test(bases,
					     row.origin + i * t->stride[last]))
				continue;
			load = subtorus_row_load(x, &row, i);
			x->like.base[last] = i;
			if (load < x->least && !each(arg, load))
				return false;
		}
	} while (subtorus_next_row(t, &x->like));
	return true;
}

/* Keep the least loaded region. */
static bool subtorus_note_best(void *arg, int64_t load)
{
	struct subtorus_search_state *x = arg;

	x->least = load;
	x->best = x->like;
	return load > 0;
}

static void subtorus_set_extents(struct subtorus_search_state *x,
				 const struct torus_orientation *o)
{
	torus_region_whole(&x->like, x->s->torus);
	for (uint32_t d = 0; d < x->s->torus->dims; d++)
		x->like.extent[d] = o->axis[d] < 0 ?
					    1 :
					    x->ask->shape.extent[o->axis[d]];
}

/* Finding a shape */

struct subtorus_shape_search {
	struct subtorus_search_state x;
	bool ever;
	struct torus_orientation best;
};

static bool subtorus_try_oriented(void *arg, const struct torus_orientation *o)
{
	struct subtorus_shape_search *y = arg;
	int64_t before = y->x.least;

	if (torus_search_limit_spend(y->x.ask->limit, 16))
		return false;
	if (!torus_subtorus_allows(y->x.s->torus, y->x.ask, o))
		return true;
	y->ever = true;
	subtorus_set_extents(&y->x, o);
	subtorus_each_base(&y->x, subtorus_note_best, &y->x);
	if (y->x.least < before)
		y->best = *o;
	return y->x.least > 0;
}

static enum torus_answer subtorus_find_shape(struct subtorus_search_state *x,
					     struct torus_placement *out,
					     struct torus_error *why)
{
	struct subtorus_shape_search y = { .x = *x };
	struct torus_ask open = torus_subtorus_open(x->ask);

	torus_orient_each(x->s->torus, &open, subtorus_try_oriented, &y);
	if (!y.ever && !torus_search_limit_cut(x->ask->limit)) {
		torus_subtorus_explain(x->s->torus, x->ask, why);
		return TORUS_NEVER;
	}
	if (y.x.least == SUBTORUS_FORBIDDEN)
		return TORUS_NOT_NOW;
	*out = (struct torus_placement){ .region = y.x.best,
					 .orientation = y.best };
	torus_orient_finish(x->s->torus, x->ask, out);
	return TORUS_FITS;
}

/* Finding a count */

enum torus_answer torus_subtorus_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why)
{
	struct subtorus_search_state x = { .s = self,
					   .ask = ask,
					   .usable = usable,
					   .required = ask->required,
					   .least = SUBTORUS_FORBIDDEN };
	uint32_t words = torus_bits_words(x.s->torus->nodes);
	const struct torus *t;
	bool closed;
	const struct torus_subtorus_box *box;

	if (x.required && torus_bits_next(x.required, words, 0) == UINT32_MAX)
		x.required = NULL;
	if (x.s->max_dilation != SUBTORUS_NO_MAXIMUM)
		torus_subtorus_rates(x.s);
	if (!ask->by_count)
		return subtorus_find_shape(&x, out, why);
	t = x.s->torus;
	closed = x.ask->connection[0] == TORUS_CONN_TORUS;
	box = torus_subtorus_first(x.s->boxes, x.ask->count, closed);
	if (!box) {
		torus_error_add(why, "%s has no subtorus of %u nodes", t->name,
				torus_ask_count(x.ask));
		return TORUS_NEVER;
	}
	torus_region_whole(&x.like, t);
	for (; box && !torus_search_limit_over(x.ask->limit);
	     box = torus_subtorus_next(x.s->boxes, box, closed)) {
		memcpy(x.like.extent, box->extent, sizeof(box->extent));
		subtorus_each_base(&x, subtorus_note_best, &x);
		if (x.least == SUBTORUS_FORBIDDEN)
			continue;
		*out = (struct torus_placement){ .region = x.best };
		torus_factor_finish(t, x.ask, out);
		return TORUS_FITS;
	}
	return TORUS_NOT_NOW;
}

/* Listing a shape's places */

struct subtorus_listing {
	struct subtorus_search_state x;
	struct torus_orientation orientation;
	bool (*each)(void *arg, const struct torus_placement *place);
	void *arg;
};

static bool subtorus_list_base(void *arg, int64_t load)
{
	struct subtorus_listing *l = arg;
	struct torus_placement place = { .region = l->x.like,
					 .orientation = l->orientation };

	(void)load;
	torus_orient_finish(l->x.s->torus, l->x.ask, &place);
	return l->each(l->arg, &place);
}

static bool subtorus_list_oriented(void *arg, const struct torus_orientation *o)
{
	struct subtorus_listing *l = arg;

	if (!torus_subtorus_allows(l->x.s->torus, l->x.ask, o))
		return true;
	subtorus_set_extents(&l->x, o);
	l->orientation = *o;
	return subtorus_each_base(&l->x, subtorus_list_base, l);
}

/* List a count's places: box by box, the most compact first. */
static void subtorus_list_counts(struct subtorus_listing *l)
{
	const struct torus *t = l->x.s->torus;
	const struct torus_ask *count = l->x.ask;
	struct torus_ask ask = *count; /* takes each box in turn as a shape */
	bool closed = ask.connection[0] == TORUS_CONN_TORUS, go_on = true;
	const struct torus_subtorus_box *box =
		torus_subtorus_first(l->x.s->boxes, ask.count, closed);

	memset(ask.connection, TORUS_CONN_NAV, sizeof(ask.connection));
	l->x.ask = &ask;
	for (; box && go_on;
	     box = torus_subtorus_next(l->x.s->boxes, box, closed)) {
		struct torus_placement place = { 0 };

		torus_region_whole(&place.region, t);
		memcpy(place.region.extent, box->extent, sizeof(box->extent));
		torus_factor_finish(t, &ask, &place);
		ask.shape.axes = place.axes;
		for (uint32_t d = 0; d < t->dims; d++) {
			if (place.orientation.axis[d] >= 0)
				ask.shape.extent[place.orientation.axis[d]] =
					box->extent[d];
		}
		if (box->volume == 1)
			ask.shape.extent[0] = 1;
		go_on = subtorus_list_oriented(l, &place.orientation);
	}
	l->x.ask = count;
}

void torus_subtorus_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	struct subtorus_listing l = { .x = { .s = self,
					     .ask = ask,
					     .usable = usable,
					     .least = SUBTORUS_FORBIDDEN },
				      .each = each,
				      .arg = arg };
	struct torus_ask open = torus_subtorus_open(ask);

	if (l.x.s->max_dilation != SUBTORUS_NO_MAXIMUM)
		torus_subtorus_rates(l.x.s);
	if (ask->by_count)
		subtorus_list_counts(&l);
	else
		torus_orient_each(l.x.s->torus, &open, subtorus_list_oriented,
				  &l);
}
