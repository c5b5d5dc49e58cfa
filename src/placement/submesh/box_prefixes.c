/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Free boxes beside growing parts of a sequence of regions (box_prefixes.h). */
#include "placement/submesh/box_prefixes.h"

#include "torus/alloc.h"

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

struct torus_box_prefixes *torus_box_prefixes_create(const struct torus *t,
						     uint32_t least)
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

void torus_box_prefixes_destroy(struct torus_box_prefixes *p)
{
	for (uint32_t i = 0; p && i < PREFIXES; i++)
		torus_free_boxes_destroy(p->prefix[i].boxes);
	torus_free(p);
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

void torus_box_prefixes_begin(struct torus_box_prefixes *p)
{
	prefixes_settle(p);
	p->sequence++;
	p->regions = p->same = 0;
	p->settled = false;
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

void torus_box_prefixes_add(struct torus_box_prefixes *p,
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

struct torus_box_prefix *torus_box_prefixes_get(struct torus_box_prefixes *p,
						uint32_t length)
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
