/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maximal free boxes of the pods of a state (free_boxes.h): cut when a hold
 * begins, rebuilt at the next query after one has ended.
 *
 * A rebuild after a release cuts the nearest holds first. Boxes then lose their
 * distant parts at once, and few of them meet the holds that follow. On
 * 64x32x32 with 22 holds this makes a quarter of the parts that the order of
 * ends makes, and the list overflows less often.
 */
#include "placement/state/state.h"

/* Distances are sorted into this many buckets; the last takes all larger
 * ones. */
#define GAPS 64

/* A list that takes more parts to rebuild costs more than the searches that it
 * saves, which cost O(words). */
#define BOXES_PARTS(words) (8 * (words) + 256)

/* Return true if a strategy of the pod searches for boxes of its nodes. On a
 * separate grid, or for shapes in vertices, the pod's boxes do not apply. */
static bool pod_seeks_boxes(const struct torus_pod *pod)
{
	if (!torus_plain(&pod->torus))
		return false;
	for (uint32_t i = 0; i < pod->strategies; i++) {
		if (pod->strategy[i]->complete && !pod->torus.flat)
			return true;
	}
	return false;
}

int state_list_boxes(struct torus_state *s, uint32_t nodes)
{
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];
		struct state_boxes *b = &s->boxes[p];

		if (b->list || pod->torus.nodes < nodes || !pod_seeks_boxes(pod))
			continue;
		b->list = torus_free_boxes_create(&pod->torus, 1,
						  BOXES_PARTS(pod->words));
		if (!b->list)
			return -1;
		b->releases = STATE_RELEASES + 1;
	}
	return 0;
}

void state_boxes_released(struct torus_state *s, uint32_t pod,
			  const struct torus_region *r)
{
	struct state_boxes *b = &s->boxes[pod];

	if (b->idle)
		b->releases = STATE_RELEASES + 1;
	b->idle -= b->idle > 0;
	if (b->releases < STATE_RELEASES)
		b->released[b->releases] = *r;
	if (b->releases <= STATE_RELEASES)
		b->releases++;
}

/* Return the number of nodes between two regions, along all dimensions. */
static uint32_t boxes_gap(const struct torus *t, const struct torus_region *a,
			  const struct torus_region *b)
{
	uint32_t sum = 0;

	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t size = t->size[d];
		uint32_t ahead = b->base[d] + (b->base[d] < a->base[d]) * size -
				 a->base[d];
		uint32_t behind = ahead ? size - ahead : 0, gap = size;

		if (ahead < a->extent[d] || behind < b->extent[d])
			continue;
		if (t->wrap[d] || b->base[d] > a->base[d])
			gap = ahead - a->extent[d];
		if ((t->wrap[d] || b->base[d] < a->base[d]) &&
		    behind - b->extent[d] < gap)
			gap = behind - b->extent[d];
		sum += gap;
	}
	return sum < GAPS ? sum : GAPS - 1;
}

/* Rebuild the boxes after a release, or (NULL) from nothing. */
static void state_release_boxes(struct torus_state *s, uint32_t pod,
				const struct torus_region *released)
{
	struct torus_free_boxes *f = s->boxes[pod].list;
	uint32_t first[GAPS];
	const struct torus *t = &s->machine->pod[pod].torus;

	/* Sort the pod's regions by their distance from `released`, each distance in the order
	 * of ends: first[] has the first of each list, s->nearest what follows each. They are
	 * indices of s->by_end; UINT32_MAX ends a list. */
	memset(first, 0xff, GAPS * sizeof(*first));
	for (uint32_t i = s->holds; i-- > 0;) {
		const struct torus_placement *place =
			&s->slot[s->by_end[i].slot].hold.place;
		uint32_t gap = 0;

		if (place->pod != pod || place->scattered)
			continue;
		if (released)
			gap = boxes_gap(t, released, &place->region);
		s->nearest[i] = first[gap];
		first[gap] = i;
	}
	torus_free_boxes_begin(f, released);
	for (uint32_t g = 0; g < GAPS; g++) {
		for (uint32_t i = first[g]; i != UINT32_MAX; i = s->nearest[i])
			torus_free_boxes_cut(f, &s->slot[s->by_end[i].slot]
							 .hold.place.region);
	}
	torus_free_boxes_finish(f);
}

const struct torus_free_boxes *state_boxes(struct torus_state *s, uint32_t pod)
{
	struct state_boxes *b = &s->boxes[pod];
	uint32_t n;

	if (!b->list || (b->idle && b->releases))
		return NULL;
	if (!b->releases)
		return b->list;
	if (b->releases > STATE_RELEASES)
		state_release_boxes(s, pod, NULL);
	for (uint32_t i = 0; i < b->releases && b->releases <= STATE_RELEASES;
	     i++)
		state_release_boxes(s, pod, &b->released[i]);
	b->releases = 0;
	b->overflows = torus_free_boxes_exact(b->list) ? 0 : b->overflows + 1;
	if (b->overflows > 16)
		b->overflows = 16;
	/* more consecutive overflows: no list for more releases */
	n = b->overflows > 1 ? (1u << (b->overflows - 1)) - 1 : 0;
	b->idle = n < STATE_BOXES_IDLE ? n : STATE_BOXES_IDLE;
	return b->list;
}

bool state_boxes_exact(const struct torus_state *s, uint32_t pod)
{
	const struct torus_free_boxes *f = s->boxes[pod].list;

	return f && torus_free_boxes_exact(f) && !s->any_out &&
	       s->scattered == 0 && !s->machine->pod[pod].present;
}
