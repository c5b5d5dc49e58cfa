/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The delay that the next request may expect (lookahead.h). */
#include "placement/submesh/lookahead.h"
#include "torus/alloc.h"
#include "placement/state/free_boxes.h"

/*
 * The maximal free boxes (free_boxes.h) of a torus less the first n regions of a
 * sequence, for several n. They are kept until the sequence changes before n:
 *
 *	before     a b c d e f      kept for n = 0, 2, 4, 5
 *	now        a b c x d e f    of use:      0, 2
 *
 * The same cuts in the same order make a list, whether it was kept or not. So no
 * answer depends on earlier searches.
 *
 * Cost: a list O(regions between it and the longest shorter one kept) cuts; a few
 * lists in between are kept, too. Memory: 28 lists.
 */

#define TORUS_PREFIX_REGIONS 320

struct torus_box_prefixes;

struct torus_box_prefix {
	struct torus_free_boxes *boxes;
	uint32_t note; /* the caller's; 0 when the list is new */
	uint32_t length;
	uint64_t last_used; /* number of a sequence; 0: empty */
};

#define LENGTHS 10 /* at most, asked for of one sequence */
#define BETWEEN 12 /* lists in between that a sequence keeps, about */
#define PREFIXES 28

_Static_assert(LENGTHS + BETWEEN + 2 < PREFIXES,
	       "no list of this sequence is evicted");

struct torus_box_prefixes {
	const struct torus *t;
	struct torus_region region[TORUS_PREFIX_REGIONS]; /* the sequence */
	uint32_t regions,
		same;      /* added; of these, equal to the former sequence's */
	bool settled;      /* only lists of this sequence are left */
	uint64_t sequence; /* its number */
	struct torus_box_prefix prefix[PREFIXES];
};

static void torus_box_prefixes_destroy(struct torus_box_prefixes *p)
{
	for (uint32_t i = 0; p && i < PREFIXES; i++)
		torus_free_boxes_destroy(p->prefix[i].boxes);
	torus_free(p);
}

/* Boxes of fewer than `least` nodes are not listed. t must outlive it. NULL with
 * ENOMEM. */
static struct torus_box_prefixes *
torus_box_prefixes_create(const struct torus *t, uint32_t least)
{
	struct torus_box_prefixes *p = torus_alloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->t = t;
	for (uint32_t i = 0; i < PREFIXES; i++) {
		p->prefix[i].boxes = torus_free_boxes_create(t, least,
							     UINT32_MAX);
		if (!p->prefix[i].boxes) {
			torus_box_prefixes_destroy(p);
			return NULL;
		}
	}
	return p;
}

/* Drop the lists that hold for the former sequence only. */
static void prefixes_settle(struct torus_box_prefixes *p)
{
	if (p->settled)
		return;
	p->settled = true;
	for (uint32_t i = 0; i < PREFIXES; i++)
		if (p->prefix[i].length > p->same)
			p->prefix[i].last_used = 0;
}

static bool regions_equal(const struct torus *t, const struct torus_region *a,
			  const struct torus_region *b)
{
	bool equal = true;

	for (uint32_t d = 0; d < t->dims; d++)
		equal &= a->base[d] == b->base[d] &&
			 a->extent[d] == b->extent[d] &&
			 a->stride[d] == b->stride[d];
	return equal;
}

static void torus_box_prefixes_add(struct torus_box_prefixes *p,
				   const struct torus_region *region)
{
	struct torus_region *old = &p->region[p->regions];

	if (p->same == p->regions && regions_equal(p->t, old, region))
		p->same++;
	else
		*old = *region;
	p->regions++;
}

/* Return the longest list of at most `length` regions; NULL: none. */
static struct torus_box_prefix *prefix_longest(struct torus_box_prefixes *p,
					       uint32_t length)
{
	struct torus_box_prefix *longest = NULL;

	for (uint32_t i = 0; i < PREFIXES; i++) {
		struct torus_box_prefix *prefix = &p->prefix[i];

		if (prefix->last_used && prefix->length <= length &&
		    (!longest || prefix->length > longest->length))
			longest = prefix;
	}
	return longest;
}

/* Return the list that was used longest ago, made a copy of another (NULL: of
 * that of no regions). */
static struct torus_box_prefix *prefix_copy(struct torus_box_prefixes *p,
					    const struct torus_box_prefix *from)
{
	struct torus_box_prefix *to = NULL;

	for (uint32_t i = 0; i < PREFIXES; i++)
		if (&p->prefix[i] != from &&
		    (!to || p->prefix[i].last_used < to->last_used))
			to = &p->prefix[i];
	to->length = from ? from->length : 0;
	if (from) {
		torus_free_boxes_copy(to->boxes, from->boxes);
	} else {
		torus_free_boxes_begin(to->boxes, NULL);
		torus_free_boxes_finish(to->boxes);
	}
	to->note = 0;
	to->last_used = p->sequence;
	return to;
}

/* Return the boxes less the first `length` regions of the sequence, all of which have
 * been added. At most ten lengths may be asked for of one sequence, in ascending
 * order. Valid until the next sequence. */
static struct torus_box_prefix *
torus_box_prefixes_get(struct torus_box_prefixes *p, uint32_t length)
{
	uint32_t step = p->regions / BETWEEN + 1;
	struct torus_box_prefix *prefix;

	prefixes_settle(p);
	prefix = prefix_longest(p, length);
	if (prefix && prefix->length == length) {
		prefix->last_used = p->sequence;
		return prefix;
	}
	if (prefix && prefix->last_used < p->sequence)
		prefix->last_used = p->sequence -
				    1; /* evicted after older ones */
	prefix = prefix_copy(p, prefix);
	while (prefix->length < length) {
		torus_free_boxes_cut(prefix->boxes,
				     &p->region[prefix->length++]);
		if (prefix->length < length && prefix->length % step == 0)
			prefix = prefix_copy(p, prefix);
	}
	return prefix;
}

/* Number of job ends considered. Later ends weigh little: most shapes fit by
 * then, and their times are less reliable. */
#define RELEASES 8

/* Only boxes of at least a fifth of the machine count: smaller ones nearly
 * always fit. */
#define LARGE(nodes) (((nodes) + 4) / 5)

/* Boxes of which none contains another; more are dropped. */
#define MOST_SIZES 64

/* Boxes of nodes that are neither usable nor held. */
#define MOST_CLOSED 64

_Static_assert(TORUS_LOOKAHEAD_HOLDS + MOST_CLOSED <= TORUS_PREFIX_REGIONS,
	       "room for each region of a search");

/* Extents in ascending order. */
struct sizes {
	uint32_t extent[TORUS_MAX_DIMS];
};

struct torus_lookahead {
	const struct torus *torus;
	uint32_t size[TORUS_MAX_DIMS]; /* of the machine, ascending */
	uint32_t step[TORUS_MAX_DIMS]; /* stride of `nodes` along each dimension */
	uint32_t *nodes; /* nodes of the classes that count within given sizes */
	uint32_t total;  /* of all classes */
	int64_t longest_us; /* longest interval counted, so that sums fit in 64 bits */
	uint64_t *closed; /* scratch: nodes neither usable nor held */

	/* of this search: maximal boxes from now_us on, and from each end on. Their
	 * note: nodes of the classes that fit, plus 1; 0: not counted */
	int64_t now_us;
	int64_t end_us[RELEASES];
	uint32_t ends;
	struct torus_box_prefixes *prefixes; /* of closed nodes and of the holds,
						last end first */
	uint32_t boxed;                      /* boxes of closed nodes */
	struct torus_box_prefix *boxes[RELEASES + 1];
};

/* Insert an extent into n ascending ones. */
static void sizes_insert(uint32_t *sorted, uint32_t n, uint32_t extent)
{
	for (; n > 0 && sorted[n - 1] > extent; n--)
		sorted[n] = sorted[n - 1];
	sorted[n] = extent;
}

/* Return the nodes of the classes with exactly these extents: 0 unless they
 * ascend. */
static uint32_t lookahead_class_nodes(const struct torus_lookahead *l,
				      uint32_t i)
{
	uint32_t volume = 1, last = 0;

	for (uint32_t d = 0; d < l->torus->dims; d++) {
		uint32_t extent = i / l->step[d] % l->size[d] + 1;

		if (extent < last)
			return 0;
		last = extent;
		volume *= extent;
	}
	return volume < LARGE(l->torus->nodes) ? 0 : volume;
}

struct torus_lookahead *torus_lookahead_create(const struct torus *t)
{
	struct torus_lookahead *l = torus_alloc(1, sizeof(*l));
	uint32_t n;

	if (!l)
		return NULL;
	l->torus = t;
	l->nodes = torus_alloc(t->nodes, sizeof(*l->nodes));
	l->closed = torus_alloc(torus_bits_words(t->nodes), sizeof(uint64_t));
	l->prefixes = torus_box_prefixes_create(t, LARGE(t->nodes));
	if (!l->nodes || !l->closed || !l->prefixes) {
		torus_lookahead_destroy(l);
		return NULL;
	}
	for (uint32_t d = 0; d < t->dims; d++)
		sizes_insert(l->size, d, t->size[d]);
	/* Prefix sums along every dimension. */
	n = l->torus->nodes;
	for (uint32_t d = 0, step = 1; d < l->torus->dims; d++) {
		l->step[d] = step;
		step *= l->size[d];
	}
	for (uint32_t i = 0; i < n; i++)
		l->nodes[i] = lookahead_class_nodes(l, i);
	for (uint32_t d = 0; d < l->torus->dims; d++) {
		for (uint32_t i = 0; i < n; i++) {
			if (i / l->step[d] % l->size[d] > 0)
				l->nodes[i] += l->nodes[i - l->step[d]];
		}
	}
	l->total = l->nodes[n - 1];
	l->longest_us = INT64_MAX / (RELEASES + 1) / l->total;
	return l;
}

void torus_lookahead_destroy(struct torus_lookahead *l)
{
	if (!l)
		return;
	torus_box_prefixes_destroy(l->prefixes);
	torus_free(l->nodes);
	torus_free(l->closed);
	torus_free(l);
}

/* Boxes of which none contains another. */
struct sizes_set {
	const struct torus_lookahead *l;
	uint32_t used;
	struct sizes at[MOST_SIZES];
};

static uint32_t sizes_nodes(const struct torus_lookahead *l,
			    const struct sizes *s)
{
	uint32_t i = 0;

	for (uint32_t d = 0; d < l->torus->dims; d++)
		i += (s->extent[d] - 1) * l->step[d];
	return l->nodes[i];
}

static bool sizes_within(uint32_t dims, const struct sizes *in,
			 const struct sizes *s)
{
	for (uint32_t d = 0; d < dims; d++) {
		if (s->extent[d] > in->extent[d])
			return false;
	}
	return true;
}

/* Add sizes to the set, unless they lie within others or contain no box that
 * counts. */
static void sizes_set_add(struct sizes_set *set, const struct sizes *s)
{
	uint32_t dims = set->l->torus->dims;

	for (uint32_t i = 0; i < set->used; i++) {
		if (sizes_within(dims, &set->at[i], s))
			return;
	}
	if (sizes_nodes(set->l, s) == 0)
		return;
	for (uint32_t i = set->used; i-- > 0;) {
		if (sizes_within(dims, s, &set->at[i]))
			set->at[i] = set->at[--set->used];
	}
	if (set->used < MOST_SIZES)
		set->at[set->used++] = *s;
}

static void sizes_set_add_box(void *arg, const int32_t *extent)
{
	struct sizes_set *set = arg;
	struct sizes s;

	for (uint32_t d = 0; d < set->l->torus->dims; d++)
		sizes_insert(s.extent, d, (uint32_t)extent[d]);
	/* cppcheck-suppress uninitvar; a torus has a dimension */
	sizes_set_add(set, &s);
}

/* Return the nodes of the classes that fit within any box of the set. The sets
 * shrink fast: the common part of two boxes is nearly always too small to
 * count. */
static uint32_t sizes_set_nodes(const struct sizes_set *set)
{
	uint32_t dims = set->l->torus->dims, sum = 0;

	for (uint32_t i = 0; i < set->used; i++) {
		struct sizes_set both; /* not `sizes`: it needs no clearing */

		both.l = set->l;
		both.used = 0;
		for (uint32_t k = 0; k < i; k++) {
			struct sizes s;

			for (uint32_t d = 0; d < dims; d++) {
				uint32_t a = set->at[i].extent[d];
				uint32_t b = set->at[k].extent[d];

				s.extent[d] = a < b ? a : b;
			}
			/* cppcheck-suppress uninitvar; a torus has a dimension */
			sizes_set_add(&both, &s);
		}
		sum += sizes_nodes(set->l, &set->at[i]);
		if (both.used)
			sum -= sizes_set_nodes(&both);
	}
	return sum;
}

/* Add the nodes that are neither usable nor held to the sequence, as boxes; false if
 * there are too many. */
static bool lookahead_add_closed(struct torus_lookahead *l,
				 const uint64_t *usable,
				 const struct torus_near *hold, uint32_t holds)
{
	const struct torus *t = l->torus;
	uint32_t words = torus_bits_words(t->nodes), at = 0;
	struct torus_region box;

	torus_bits_zero(l->closed, words);
	torus_bits_set_range(l->closed, 0, t->nodes);
	torus_bits_andnot(l->closed, usable, words);
	for (uint32_t k = 0; k < holds; k++)
		torus_region_erase(hold[k].region, t, l->closed);
	for (l->boxed = 0; l->boxed < MOST_CLOSED; l->boxed++) {
		if (!torus_region_carve(t, l->closed, &at, &box))
			return true;
		torus_box_prefixes_add(l->prefixes, &box);
	}
	return torus_bits_next(l->closed, words, at) == UINT32_MAX;
}

bool torus_lookahead_begin(struct torus_lookahead *l, const uint64_t *usable,
			   int64_t now_us, const struct torus_near *hold,
			   uint32_t holds)
{
	uint32_t first[RELEASES + 1];
	uint32_t j = 0;

	l->now_us = now_us;
	/* List the ends that count. first[i] gets the first hold after i ends. */
	while (j < holds && hold[j].end_us <= l->now_us)
		j++;
	l->ends = 0;
	first[0] = j;
	while (l->ends < RELEASES && j < holds && hold[j].end_us != INT64_MAX) {
		int64_t end_us = hold[j].end_us;

		while (j < holds && hold[j].end_us == end_us)
			j++;
		l->end_us[l->ends++] = end_us;
		first[l->ends] = j;
	}
	l->boxed = 0;
	/* Begin a sequence of at most TORUS_PREFIX_REGIONS; then add them in order. */
	prefixes_settle(l->prefixes);
	l->prefixes->sequence++;
	l->prefixes->regions = l->prefixes->same = 0;
	l->prefixes->settled = false;
	if (usable && !lookahead_add_closed(l, usable, hold, holds))
		return false;
	for (uint32_t k = holds; k-- > first[0];)
		torus_box_prefixes_add(l->prefixes, hold[k].region);
	for (uint32_t i = l->ends + 1; i-- > 0;)
		l->boxes[i] = torus_box_prefixes_get(l->prefixes,
						     l->boxed + holds -
							     first[i]);
	return torus_free_boxes_exact(l->boxes[0]->boxes);
}

/* Return the nodes of the classes that fit after i ends, beside `taken` (NULL:
 * nothing). */
static uint32_t lookahead_nodes_fit(struct torus_lookahead *l, uint32_t i,
				    const struct torus_region *taken)
{
	struct torus_box_prefix *list = l->boxes[i];
	struct sizes_set set;
	uint32_t nodes;

	if (!taken && list->note)
		return list->note - 1;
	set.l = l;
	set.used = 0;
	torus_free_boxes_beside(list->boxes, taken, sizes_set_add_box, &set);
	nodes = sizes_set_nodes(&set);
	if (!taken)
		list->note = nodes + 1;
	return nodes;
}

int64_t torus_lookahead_delay(struct torus_lookahead *l,
			      const struct torus_near *place, int64_t least)
{
	bool taken = place->end_us > l->now_us;
	int64_t sum = 0, t = l->now_us;

	for (uint32_t i = 0, n = 0; n < RELEASES && (taken || i < l->ends);
	     n++) {
		int64_t end = i < l->ends ? l->end_us[i] : INT64_MAX, length;
		uint32_t left;

		if (taken && place->end_us < end)
			end = place->end_us;
		if (end == INT64_MAX)
			break;
		left = l->total -
		       lookahead_nodes_fit(l, i, taken ? place->region : NULL);
		if (left == 0 || sum >= least)
			break;
		length = end - t < l->longest_us ? end - t : l->longest_us;
		sum += length * left;
		taken &= end < place->end_us;
		i += i < l->ends && end == l->end_us[i];
		t = end;
	}
	return sum;
}
