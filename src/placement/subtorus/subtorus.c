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
 * A region's stride is size / extent in every dimension; its base is any offset
 * below the strides. This file keeps the internal state: a list of the placed
 * regions and their expected ends. subtorus_find.c chooses among the free
 * regions.
 *
 * Options: link_disjoint (only regions that share no link with a job placed
 * here), max_dilation (no job, new or old, may ever be slowed by more than this
 * factor). They apply for every possible job length, so hints do not change
 * whether a place is found.
 *
 * Cost: commit and release O(region), with max_dilation O(jobs^2). Memory: one
 * entry per node.
 */
#include <errno.h>
#include <stdlib.h>

#include "placement/strategies.h"
#include "placement/subtorus/subtorus.h"
#include "torus/alloc.h"
#include "torus/contention.h"
#include "torus/number.h"
#include "torus/text.h"

static const struct torus_option_help help[] = {
	{ "link_disjoint", "true|false", "false",
	  "give only regions that share no link with a job placed here" },
	{ "max_dilation", "1.0..1000.0", "none",
	  "no job may be slowed by more than this factor by shared links" },
	{ 0 },
};

/* Limits on contention depend on the jobs placed so far. */
static bool subtorus_tells_for_any(const struct torus_options *options)
{
	return !torus_options_get(options, "max_dilation") &&
	       !torus_options_is(options, "link_disjoint", "true");
}

static void subtorus_destroy(void *self)
{
	struct subtorus *s = self;

	if (!s)
		return;
	torus_free(s->entry);
	torus_free(s->at);
	torus_free(s->boxes);
	torus_free(s->map[0]);
	torus_free(s->load);
	torus_free(s->rate);
	torus_free(s);
}

static void *subtorus_create(const struct torus *t, const uint64_t *present,
			     const struct torus_options *options)
{
	struct subtorus *s = torus_alloc(1, sizeof(*s));
	uint32_t words = torus_bits_words(t->nodes), lines = 0;

	(void)present; /* cells without a node are never usable */
	if (!s)
		return NULL;
	s->torus = t;
	s->entry = torus_alloc(t->nodes, sizeof(*s->entry));
	s->at = torus_alloc(t->nodes, sizeof(*s->at));
	for (uint32_t d = 0; d < t->dims; d++)
		lines += t->nodes / t->size[d];
	s->boxes = torus_subtorus_boxes_create(t);
	s->map[0] = torus_alloc(2 * (size_t)words, sizeof(*s->map[0]));
	s->load = torus_alloc(lines, sizeof(*s->load));
	s->rate = torus_alloc(lines, sizeof(*s->rate));
	if (!s->entry || !s->at || !s->boxes || !s->map[0] || !s->load ||
	    !s->rate) {
		subtorus_destroy(s);
		return NULL;
	}
	s->map[1] = s->map[0] + words;
	s->max_dilation = torus_options_millionths(options, "max_dilation",
						   SUBTORUS_NO_MAXIMUM);
	if (s->max_dilation != SUBTORUS_NO_MAXIMUM)
		s->max_dilation -= SUBTORUS_ONE;
	if (torus_options_is(options, "link_disjoint", "true"))
		s->max_dilation = 0;
	return s;
}

/* Contention */

int64_t torus_subtorus_share(const struct torus *t,
			     const struct torus_region *r, uint32_t d)
{
	int64_t part = SUBTORUS_ONE * r->extent[d] / t->size[d];

	return part > 0 ? part : 1;
}

void torus_subtorus_rates(struct subtorus *s)
{
	for (uint32_t i = 0; i < s->entries; i++)
		s->entry[i].rate = 0;
	for (uint32_t i = 0; i < s->entries; i++) {
		struct subtorus_entry *a = &s->entry[i];

		for (uint32_t k = 0; k < i; k++) {
			struct subtorus_entry *b = &s->entry[k];
			int d = torus_contention_along(s->torus, &a->region,
						       &b->region);

			if (d < 0)
				continue;
			a->rate += torus_subtorus_share(s->torus, &b->region,
							(uint32_t)d);
			b->rate += torus_subtorus_share(s->torus, &a->region,
							(uint32_t)d);
		}
	}
}

/* Return true if the dilation limit allows the region. */
static bool within_max_dilation(struct subtorus *s, const struct torus_region *r)
{
	int64_t rate = 0;

	if (s->max_dilation == SUBTORUS_NO_MAXIMUM)
		return true;
	torus_subtorus_rates(s);
	for (uint32_t i = 0; i < s->entries; i++) {
		const struct subtorus_entry *e = &s->entry[i];
		int d = torus_contention_along(s->torus, r, &e->region);

		if (d < 0)
			continue;
		rate += torus_subtorus_share(s->torus, &e->region, (uint32_t)d);
		if (e->rate + torus_subtorus_share(s->torus, r, (uint32_t)d) >
		    s->max_dilation)
			return false;
	}
	return rate <= s->max_dilation;
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

static void subtorus_append(struct subtorus *s, const struct subtorus_entry *e)
{
	s->at[torus_index(s->torus, e->region.base)] = s->entries;
	s->entry[s->entries++] = *e;
}

static int subtorus_commit(void *self, const struct torus_placement *place,
			   struct torus_memo *memo)
{
	struct subtorus *s = self;
	struct subtorus_entry e = { .region = place->region,
				    .end_us = place->end_us };

	(void)memo;
	if (!is_subtorus(s->torus, &e.region) ||
	    !within_max_dilation(s, &e.region)) {
		errno = EBUSY;
		return -1;
	}
	subtorus_append(s, &e);
	return 0;
}

static void subtorus_undo_commit(void *self, const struct torus_placement *place,
				 const struct torus_memo *memo)
{
	struct subtorus *s = self;

	(void)place;
	(void)memo;
	s->entries--;
}

/* Remove the entry: the last one takes its index. */
static void subtorus_release(void *self, const struct torus_placement *place,
			     struct torus_memo *memo)
{
	struct subtorus *s = self;
	uint32_t i = s->at[torus_index(s->torus, place->region.base)];
	const struct subtorus_entry *last = &s->entry[--s->entries];

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
	struct subtorus_entry e = { .region = place->region,
				    .end_us = (int64_t)memo->value[1] };

	if (i < s->entries) {
		struct subtorus_entry moved = s->entry[i];

		subtorus_append(s, &moved);
		s->entry[i] = e;
		s->at[torus_index(s->torus, e.region.base)] = i;
	} else {
		subtorus_append(s, &e);
	}
}

static void subtorus_set_end(void *self, const struct torus_placement *place)
{
	struct subtorus *s = self;

	s->entry[s->at[torus_index(s->torus, place->region.base)]].end_us =
		place->end_us;
}

static bool subtorus_knows(const void *self, const struct torus_placement *place)
{
	const struct subtorus *s = self;
	uint32_t i = s->at[torus_index(s->torus, place->region.base)];

	return i < s->entries && s->entry[i].end_us == place->end_us &&
	       torus_region_equal(&s->entry[i].region, &place->region, s->torus);
}

/* Write NODE+EXTENTS@END for every entry, or -. */
static int subtorus_save(const void *self, struct torus_text *text)
{
	const struct subtorus *s = self;

	for (uint32_t i = 0; i < s->entries; i++) {
		const struct subtorus_entry *e = &s->entry[i];

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

static bool subtorus_read_number(const char **p, uint32_t most, uint32_t *value)
{
	return torus_text_number(p, value) && *value <= most;
}

static bool read_entry(const struct subtorus *s, const char **p,
		       struct subtorus_entry *e)
{
	const struct torus *t = s->torus;
	uint32_t node;
	uint64_t end;
	bool minus;

	torus_region_whole(&e->region, t);
	if (!subtorus_read_number(p, t->nodes - 1, &node))
		return false;
	torus_coord(t, node, e->region.base);
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t *extent = &e->region.extent[d];

		if (*(*p)++ != (d ? 'x' : '+') ||
		    !subtorus_read_number(p, t->size[d], extent) || *extent == 0)
			return false;
		e->region.stride[d] = t->size[d] / *extent;
	}
	if (*(*p)++ != '@')
		return false;
	minus = **p == '-';
	*p = torus_number_scan_whole(*p + minus, INT64_MAX, &end);
	e->end_us = minus ? -(int64_t)end : (int64_t)end;
	return *p && is_subtorus(t, &e->region);
}

static int subtorus_restore(void *self, const char *text,
			    struct torus_error *err)
{
	struct subtorus *s = self;
	const char *p = text, *start;

	if (strcmp(text, "-") == 0)
		return 0;
	for (;; p++) {
		struct subtorus_entry e = { 0 };

		start = p;
		if (s->entries == s->torus->nodes || !read_entry(s, &p, &e) ||
		    (*p != ' ' && *p != '\0'))
			return torus_error_add(err,
					       "subtorus: got \"%.40s\": expected NODE+EXTENTS@END of a subtorus",
					       start);
		subtorus_append(s, &e);
		if (*p == '\0')
			return 0;
	}
}

static bool subtorus_check(const void *self, const uint64_t *busy,
			   struct torus_error *err)
{
	const struct subtorus *s = self;
	const char *fault = NULL;

	torus_bits_zero(s->map[0], torus_bits_words(s->torus->nodes));
	for (uint32_t i = 0; i < s->entries && !fault; i++) {
		const struct torus_region *r = &s->entry[i].region;

		if (!is_subtorus(s->torus, r))
			fault = "an entry is no subtorus";
		else if (torus_region_touches(r, s->torus, s->map[0]))
			fault = "two entries overlap";
		else if (!torus_region_inside(r, s->torus, busy))
			fault = "an entry's nodes are not busy";
		else if (s->at[torus_index(s->torus, r->base)] != i)
			fault = "an entry cannot be found by its base";
		torus_region_paint(r, s->torus, s->map[0]);
	}
	if (fault)
		torus_error_add(err, "subtorus: %s", fault);
	return !fault;
}

const struct torus_strategy torus_strategy_subtorus = {
	.name = "subtorus",
	.summary =
		"interleaved subtori, the one with the least contention for links",
	.source = "Gupta, Srimani 1997, sections 2.1, 2.2 and 2.4.2",
	.options = help,
	.interleaves = true,
	.tells_for_any = subtorus_tells_for_any,
	.create = subtorus_create,
	.destroy = subtorus_destroy,
	.find = torus_subtorus_find,
	.find_all = torus_subtorus_find_all,
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
