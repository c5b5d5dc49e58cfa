/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `subtorus`: interleaved subtori T^(a,b) with the least contention. Gupta and
 * Srimani (1997), sections 2.1, 2.2 and 2.4.2, generalised to 1-8 dimensions
 * and to all extents that divide the machine's.
 *
 *   8x8, 4x4 subtori:  0 1 0 1 0 1 0 1   every 2nd node along both dimensions;
 *                      2 3 2 3 2 3 2 3   0 and 3 share no link, 0 and 1 share
 *                      0 1 0 1 0 1 0 1   those of a line
 *                      ...
 *
 * A region's stride is size / extent in every dimension, its base any offset
 * below the strides. Of the free ones, over all orientations, the one with
 * the least load is taken: the time that the job would lose by sharing links
 * with the jobs placed so far (torus/contention.h). Ties go to the first
 * orientation, then to the first base in row-major order (last dimension
 * fastest). For shapes the load follows from the hints now_us and end_us, for
 * node counts all jobs are taken to last; jobs of other strategies on the
 * same torus are not counted.
 *
 * Options: link_disjoint (only regions that share no link with a job placed
 * here), max_dilation (no job, new or old, may at any time be slowed by more
 * than this factor). They hold for every length of the jobs, so that hints do
 * not change the answer.
 *
 * Cost: find O(jobs x bases that compete + bases x region) per orientation,
 * until a base without load is found; commit and release O(region), with
 * max_dilation O(jobs^2). Memory: one entry per node.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "placement/factor.h"
#include "placement/orient.h"
#include "placement/strategies.h"
#include "placement/subtorus.h"
#include "torus/alloc.h"
#include "torus/contention.h"

#define MILLION INT64_C(1000000)
#define LONG_TIME (INT64_C(1) << 46) /* more than two years of microseconds */
#define NO_LIMIT INT64_MAX

struct entry {
	struct torus_region region;
	int64_t end_us;
	int64_t rate; /* scratch: its dilation by all others, in millionths */
};

struct subtorus {
	const struct torus *torus;
	int64_t limit; /* dilation allowed beyond 1, in millionths */
	struct entry *entry;
	uint32_t entries;
	uint32_t *at;     /* node -> the entry whose base it is */
	uint64_t *marked; /* scratch of check */
	/* scratch of find, by base in row-major order */
	int64_t *load;
	int64_t *rate; /* in millionths; NO_LIMIT: an old job forbids it */
};

static const struct torus_option_help help[] = {
	{ "link_disjoint", "true|false", "false",
	  "give only regions that share no link with a job placed here" },
	{ "max_dilation", "1.0..1000.0", "none",
	  "no job may be slowed by more than this factor by shared links" },
	{ 0 },
};

static int subtorus_supports(const struct torus *t,
			     const struct torus_options *options,
			     struct torus_error *why)
{
	if (t->flat)
		return torus_error_add(why, "subtorus: %s has no topology (flat)",
				       t->name);
	return torus_options_check(options, help, "subtorus", why);
}

static void subtorus_destroy(void *self)
{
	struct subtorus *s = self;

	if (!s)
		return;
	torus_free(s->entry);
	torus_free(s->at);
	torus_free(s->marked);
	torus_free(s->load);
	torus_free(s->rate);
	torus_free(s);
}

static struct subtorus *allocate(const struct torus *t)
{
	struct subtorus *s = torus_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->torus = t;
	s->entry = torus_alloc(t->nodes, sizeof(*s->entry));
	s->at = torus_alloc(t->nodes, sizeof(*s->at));
	s->marked = torus_alloc(torus_bits_words(t->nodes),
				sizeof(*s->marked));
	s->load = torus_alloc(t->nodes, sizeof(*s->load));
	s->rate = torus_alloc(t->nodes, sizeof(*s->rate));
	if (s->entry && s->at && s->marked && s->load && s->rate)
		return s;
	subtorus_destroy(s);
	return NULL;
}

static void *subtorus_create(const struct torus *t, const uint64_t *present,
			     const struct torus_options *options)
{
	struct subtorus *s = allocate(t);
	const char *disjoint = torus_options_get(options, "link_disjoint");

	(void)present; /* cells without a node are never usable */
	if (!s)
		return NULL;
	s->limit = torus_options_millionths(options, "max_dilation", NO_LIMIT);
	if (s->limit != NO_LIMIT)
		s->limit -= MILLION;
	if (disjoint && strcmp(disjoint, "true") == 0)
		s->limit = 0;
	return s;
}

static void *subtorus_copy(const void *self)
{
	const struct subtorus *of = self;
	struct subtorus *s = allocate(of->torus);

	if (!s)
		return NULL;
	s->limit = of->limit;
	s->entries = of->entries;
	memcpy(s->entry, of->entry, of->entries * sizeof(*s->entry));
	memcpy(s->at, of->at, of->torus->nodes * sizeof(*s->at));
	return s;
}

/* Contention */

/* A region's part of a line along d, in millionths: by so much it slows whom
 * it shares the line with. At least 1, so that sharing is never nothing. */
static int64_t share(const struct torus *t, const struct torus_region *r,
		     uint32_t d)
{
	int64_t part = MILLION * r->extent[d] / t->size[d];

	return part > 0 ? part : 1;
}

/* How much every entry is slowed by the others now. */
static void find_rates(struct subtorus *s)
{
	for (uint32_t i = 0; i < s->entries; i++)
		s->entry[i].rate = 0;
	for (uint32_t i = 0; i < s->entries; i++) {
		struct entry *a = &s->entry[i];

		for (uint32_t k = 0; k < i; k++) {
			struct entry *b = &s->entry[k];
			int d = torus_contention_along(s->torus, &a->region,
						       &b->region);

			if (d < 0)
				continue;
			a->rate += share(s->torus, &b->region, (uint32_t)d);
			b->rate += share(s->torus, &a->region, (uint32_t)d);
		}
	}
}

/* May a region be added, as far as the limit goes? */
static bool within_limit(struct subtorus *s, const struct torus_region *r)
{
	int64_t rate = 0;

	if (s->limit == NO_LIMIT)
		return true;
	find_rates(s);
	for (uint32_t i = 0; i < s->entries; i++) {
		const struct entry *e = &s->entry[i];
		int d = torus_contention_along(s->torus, r, &e->region);

		if (d < 0)
			continue;
		rate += share(s->torus, &e->region, (uint32_t)d);
		if (e->rate + share(s->torus, r, (uint32_t)d) > s->limit)
			return false;
	}
	return rate <= s->limit;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* One search for a region with the extents and strides of `like`. */
struct search {
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
static int64_t load_of(const struct search *x, const struct entry *e,
		       uint32_t d)
{
	int64_t end = e->end_us < x->ask->end_us ? e->end_us : x->ask->end_us;
	int64_t together = LONG_TIME;

	if (!x->ask->by_count && end <= x->ask->now_us)
		return 0;
	if (!x->ask->by_count &&
	    (uint64_t)end - (uint64_t)x->ask->now_us < (uint64_t)LONG_TIME)
		together = end - x->ask->now_us;
	return torus_contention_load(x->s->torus, &e->region, (int)d, together);
}

/*
 * Add entry e to all bases that share its lines along d and do not overlap
 * it: combs with strides K and L, both of which divide the size, meet iff
 * their offsets are equal modulo gcd(K, L).
 */
static void add_along(struct search *x, const struct entry *e, uint32_t d)
{
	const struct torus *t = x->s->torus;
	int64_t load = load_of(x, e, d), rate = share(t, &e->region, d);
	bool forbids = x->s->limit != NO_LIMIT &&
		       e->rate + share(t, &x->like, d) > x->s->limit;
	uint32_t g[TORUS_MAX_DIMS] = { 0 }, at[TORUS_MAX_DIMS] = { 0 }, c;

	for (c = 0; c < t->dims; c++) {
		g[c] = gcd(x->like.stride[c], e->region.stride[c]);
		at[c] = c == d ? 0 : e->region.base[c] % g[c];
	}
	do {
		uint32_t i = 0;

		for (c = 0; c < t->dims; c++)
			i = i * x->like.stride[c] + at[c];
		if (at[d] % g[d] != e->region.base[d] % g[d]) {
			x->s->load[i] += load;
			if (forbids || x->s->rate[i] == NO_LIMIT)
				x->s->rate[i] = NO_LIMIT;
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
}

/* Loads and rates of all bases. */
static void weigh(struct search *x)
{
	const struct torus *t = x->s->torus;
	uint32_t bases = t->nodes / torus_region_nodes(&x->like, t);

	memset(x->s->load, 0, bases * sizeof(*x->s->load));
	memset(x->s->rate, 0, bases * sizeof(*x->s->rate));
	for (uint32_t i = 0; i < x->s->entries; i++) {
		const struct entry *e = &x->s->entry[i];

		for (uint32_t d = 0; d < t->dims; d++) {
			if (e->region.extent[d] > 1 && x->like.extent[d] > 1)
				add_along(x, e, d);
		}
	}
}

/* Extents are set: all strides and no base. */
static void set_strides(struct search *x)
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

/* The least loaded free region with these extents, if it beats the best so
 * far. */
static void look(struct search *x)
{
	const struct torus *t = x->s->torus;
	uint32_t i = 0;

	set_strides(x);
	weigh(x);
	do {
		int64_t load = x->s->load[i];

		if (x->s->rate[i++] > x->s->limit ||
		    (x->found && load >= x->least) ||
		    !torus_region_inside(&x->like, t, x->usable))
			continue;
		x->found = true;
		x->least = load;
		x->best = x->like;
		if (load == 0)
			return;
	} while (next_base(t, &x->like));
}

static void set_extents(struct search *x, const struct torus_orientation *o)
{
	torus_region_whole(&x->like, x->s->torus);
	for (uint32_t d = 0; d < x->s->torus->dims; d++)
		x->like.extent[d] =
			o->axis[d] < 0 ?
				1 :
				x->ask->shape.extent[o->axis[d]];
}

/* Finding a shape */

struct shape_search {
	struct search x;
	bool ever;
	struct torus_orientation best;
};

static bool look_oriented(void *arg, const struct torus_orientation *o)
{
	struct shape_search *y = arg;
	int64_t before = y->x.found ? y->x.least : NO_LIMIT;
	bool found = y->x.found;

	if (!torus_subtorus_allows(y->x.s->torus, y->x.ask, o))
		return true;
	y->ever = true;
	set_extents(&y->x, o);
	look(&y->x);
	if (y->x.found && (!found || y->x.least < before))
		y->best = *o;
	return !y->x.found || y->x.least > 0;
}

static enum torus_answer find_shape(struct search *x,
				    struct torus_placement *out,
				    struct torus_error *why)
{
	struct shape_search y = { .x = *x };
	struct torus_ask open = torus_subtorus_open(x->ask);

	torus_orient_each(x->s->torus, &open, look_oriented, &y);
	if (!y.ever) {
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

static enum torus_answer find_count(struct search *x,
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
	while (torus_subtorus_next(t, volume, closed, &box)) {
		torus_region_whole(&x->like, t);
		memcpy(x->like.extent, box.extent,
		       t->dims * sizeof(*box.extent));
		look(x);
		if (!x->found)
			continue;
		*out = (struct torus_placement){ .region = x->best };
		torus_factor_finish(t, out);
		return TORUS_FITS;
	}
	return TORUS_NOT_NOW;
}

static enum torus_answer subtorus_find(void *self, const struct torus_ask *ask,
				       const uint64_t *usable,
				       struct torus_placement *out,
				       struct torus_error *why)
{
	struct search x = { .s = self, .ask = ask, .usable = usable };

	if (x.s->limit != NO_LIMIT)
		find_rates(x.s);
	return ask->by_count ? find_count(&x, out, why) :
			       find_shape(&x, out, why);
}

/* Listing a shape's places */

struct listing {
	struct search x;
	bool (*each)(void *arg, const struct torus_placement *place);
	void *arg;
};

static bool list_oriented(void *arg, const struct torus_orientation *o)
{
	struct listing *l = arg;
	const struct torus *t = l->x.s->torus;
	uint32_t i = 0;

	if (!torus_subtorus_allows(t, l->x.ask, o))
		return true;
	set_extents(&l->x, o);
	set_strides(&l->x);
	weigh(&l->x);
	do {
		struct torus_placement place = { .region = l->x.like,
						 .orientation = *o };

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
static void list_counts(struct listing *l)
{
	const struct torus *t = l->x.s->torus;
	bool closed = l->x.ask->connection[0] == TORUS_CONN_TORUS, go_on = true;
	struct torus_subtorus_box box = { 0 };
	uint32_t volume = 0;

	if (l->x.ask->count <= t->nodes)
		volume = torus_subtorus_volume(t, l->x.ask->count, closed);
	while (volume && go_on && torus_subtorus_next(t, volume, closed, &box)) {
		struct torus_placement place = { 0 };
		struct torus_ask ask = *l->x.ask;

		torus_region_whole(&place.region, t);
		memcpy(place.region.extent, box.extent,
		       t->dims * sizeof(*box.extent));
		torus_factor_finish(t, &place);
		ask.shape.axes = place.axes;
		for (uint32_t d = 0; d < t->dims; d++) {
			if (place.orientation.axis[d] >= 0)
				ask.shape.extent[place.orientation.axis[d]] =
					box.extent[d];
		}
		if (volume == 1)
			ask.shape.extent[0] = 1;
		memset(ask.connection, TORUS_CONN_NAV, sizeof(ask.connection));
		l->x.ask = &ask;
		go_on = list_oriented(l, &place.orientation);
	}
}

static void subtorus_find_all(void *self, const struct torus_ask *ask,
			      const uint64_t *usable,
			      bool (*each)(void *arg,
					   const struct torus_placement *place),
			      void *arg)
{
	struct listing l = { .x = { .s = self, .ask = ask, .usable = usable },
			     .each = each, .arg = arg };
	struct torus_ask open = torus_subtorus_open(ask);

	if (l.x.s->limit != NO_LIMIT)
		find_rates(l.x.s);
	if (ask->by_count)
		list_counts(&l);
	else
		torus_orient_each(l.x.s->torus, &open, list_oriented, &l);
}

/* The list */

static bool is_subtorus(const struct torus *t, const struct torus_region *r)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		if ((uint64_t)r->extent[d] * r->stride[d] != t->size[d] ||
		    r->base[d] >= r->stride[d])
			return false;
	}
	return true;
}

static void append(struct subtorus *s, const struct entry *e)
{
	s->at[torus_index(s->torus, e->region.base)] = s->entries;
	s->entry[s->entries++] = *e;
}

static int subtorus_commit(void *self, const struct torus_placement *place,
			   struct torus_memo *memo)
{
	struct subtorus *s = self;
	struct entry e = { .region = place->region, .end_us = place->end_us };

	(void)memo;
	if (!is_subtorus(s->torus, &e.region) || !within_limit(s, &e.region)) {
		errno = EBUSY;
		return -1;
	}
	append(s, &e);
	return 0;
}

static void subtorus_undo_commit(void *self,
				 const struct torus_placement *place,
				 const struct torus_memo *memo)
{
	struct subtorus *s = self;

	(void)place;
	(void)memo;
	s->entries--;
}

/* The last entry takes the place of the one that goes. */
static void subtorus_release(void *self, const struct torus_placement *place,
			     struct torus_memo *memo)
{
	struct subtorus *s = self;
	uint32_t i = s->at[torus_index(s->torus, place->region.base)];
	const struct entry *last = &s->entry[--s->entries];

	memo->value[0] = i;
	memo->value[1] = (uint64_t)s->entry[i].end_us;
	s->at[torus_index(s->torus, last->region.base)] = i;
	s->entry[i] = *last;
}

static void subtorus_undo_release(void *self,
				  const struct torus_placement *place,
				  const struct torus_memo *memo)
{
	struct subtorus *s = self;
	uint32_t i = (uint32_t)memo->value[0];
	struct entry e = { .region = place->region,
			   .end_us = (int64_t)memo->value[1] };

	if (i < s->entries) {
		struct entry moved = s->entry[i];

		append(s, &moved);
		s->entry[i] = e;
		s->at[torus_index(s->torus, e.region.base)] = i;
	} else {
		append(s, &e);
	}
}

static void subtorus_set_end(void *self, const struct torus_placement *place)
{
	struct subtorus *s = self;

	s->entry[s->at[torus_index(s->torus, place->region.base)]].end_us =
		place->end_us;
}

static bool subtorus_knows(const void *self,
			   const struct torus_placement *place)
{
	const struct subtorus *s = self;
	uint32_t i = s->at[torus_index(s->torus, place->region.base)];

	return i < s->entries && s->entry[i].end_us == place->end_us &&
	       torus_region_equal(&s->entry[i].region, &place->region,
				  s->torus);
}

/* NODE+EXTENTS@END for every entry, or - */
static int subtorus_save(const void *self, struct torus_text *text)
{
	const struct subtorus *s = self;

	for (uint32_t i = 0; i < s->entries; i++) {
		const struct entry *e = &s->entry[i];

		if (torus_text_add(text, "%s%u", i ? " " : "",
				   torus_index(s->torus, e->region.base)))
			return -1;
		for (uint32_t d = 0; d < s->torus->dims; d++) {
			if (torus_text_add(text, "%c%u", d ? 'x' : '+',
					   e->region.extent[d]))
				return -1;
		}
		if (torus_text_add(text, "@%lld", (long long)e->end_us))
			return -1;
	}
	return s->entries ? 0 : torus_text_add(text, "-");
}

static bool read_number(const char **p, uint32_t most, uint32_t *value)
{
	char *after;
	unsigned long n;

	if (!isdigit((unsigned char)**p))
		return false;
	n = strtoul(*p, &after, 10);
	*p = after;
	*value = (uint32_t)n;
	return n <= most;
}

static bool read_entry(const struct subtorus *s, const char **p,
		       struct entry *e)
{
	const struct torus *t = s->torus;
	uint32_t node;
	char *after;

	torus_region_whole(&e->region, t);
	if (!read_number(p, t->nodes - 1, &node))
		return false;
	torus_coord(t, node, e->region.base);
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t *extent = &e->region.extent[d];

		if (*(*p)++ != (d ? 'x' : '+') ||
		    !read_number(p, t->size[d], extent) || *extent == 0)
			return false;
		e->region.stride[d] = t->size[d] / *extent;
	}
	if (*(*p)++ != '@')
		return false;
	errno = 0;
	e->end_us = strtoll(*p, &after, 10);
	if (after == *p || errno)
		return false;
	*p = after;
	return is_subtorus(t, &e->region);
}

static int subtorus_restore(void *self, const char *text,
			    struct torus_error *err)
{
	struct subtorus *s = self;
	const char *p = text, *start;

	if (strcmp(text, "-") == 0)
		return 0;
	for (;; p++) {
		struct entry e = { 0 };

		start = p;
		if (s->entries == s->torus->nodes || !read_entry(s, &p, &e) ||
		    (*p != ' ' && *p != '\0'))
			return torus_error_add(err, "subtorus: got \"%.40s\": expected NODE+EXTENTS@END of a subtorus",
					       start);
		append(s, &e);
		if (*p == '\0')
			return 0;
	}
}

static bool subtorus_check(const void *self, const uint64_t *busy,
			   struct torus_error *err)
{
	const struct subtorus *s = self;
	const char *fault = NULL;

	torus_bits_zero(s->marked, torus_bits_words(s->torus->nodes));
	for (uint32_t i = 0; i < s->entries && !fault; i++) {
		const struct torus_region *r = &s->entry[i].region;

		if (!is_subtorus(s->torus, r))
			fault = "an entry is no subtorus";
		else if (torus_region_touches(r, s->torus, s->marked))
			fault = "two entries overlap";
		else if (!torus_region_inside(r, s->torus, busy))
			fault = "an entry's nodes are not busy";
		else if (s->at[torus_index(s->torus, r->base)] != i)
			fault = "an entry cannot be found by its base";
		torus_region_paint(r, s->torus, s->marked);
	}
	if (fault)
		torus_error_add(err, "subtorus: %s", fault);
	return !fault;
}

const struct torus_strategy torus_strategy_subtorus = {
	.name = "subtorus",
	.summary = "interleaved subtori, the one with the least contention for links",
	.source = "Gupta, Srimani 1997, sections 2.1, 2.2 and 2.4.2",
	.options = help,
	.interleaves = true,
	.supports = subtorus_supports,
	.create = subtorus_create,
	.destroy = subtorus_destroy,
	.copy = subtorus_copy,
	.find = subtorus_find,
	.find_all = subtorus_find_all,
	.commit = subtorus_commit,
	.release = subtorus_release,
	.undo_commit = subtorus_undo_commit,
	.undo_release = subtorus_undo_release,
	.set_end = subtorus_set_end,
	.knows = subtorus_knows,
	.save = subtorus_save,
	.restore = subtorus_restore,
	.check = subtorus_check,
};
