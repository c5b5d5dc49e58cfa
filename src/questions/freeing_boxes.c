/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boxes that a partition tree could give (freeing.h): whatever its history,
 * a piece lies at multiples of its extents, which are powers of two. The jobs
 * in such a box must end for it, so the cheapest box is a lower bound for the
 * cost of every set.
 *
 * Cost: O(shapes of a box x nodes), and a sort.
 */
#include <stdlib.h>
#include <string.h>

#include "placement/state/grid.h"
#include "questions/freeing_search.h"
#include "torus/alloc.h"

struct freeing_lister {
	struct freeing_search *s;
	struct freeing_boxes *list;
	const struct torus_pod *pod;
	const uint64_t *available; /* of the pod */
	uint32_t room;
};

/* Add a box, unless one of its nodes is unavailable. */
static int freeing_add_box(struct freeing_lister *l, struct torus_region region)
{
	struct freeing_boxes *list = l->list;
	struct freeing_box *b;

	torus_grid_to_nodes(l->pod, &region);
	if (!torus_region_inside(&region, &l->pod->torus, l->available))
		return 0;
	if (TORUS_GROW(list->box, l->room, list->count + 1))
		return -1;
	b = &list->box[list->count++];
	b->pod = (uint32_t)(l->pod - l->s->m->pod);
	b->region = region;
	freeing_price(l->s, b);
	return 0;
}

/* Choose all extents of `cells` cells along dimension d and the following. */
static int freeing_extents(struct freeing_lister *l, struct torus_region *r,
			   uint32_t d, uint32_t cells)
{
	const struct torus *t = &l->pod->grid;
	int rc = 0;

	if (d == t->dims) {
		if (cells != 1)
			return 0;
		/* Add all bases of boxes with these extents. */
		for (uint32_t i = 0; rc == 0 && i < t->nodes; i++) {
			bool aligned = true;

			torus_coord(t, i, r->base);
			for (uint32_t j = 0; j < t->dims; j++)
				aligned = aligned &&
					  r->base[j] % r->extent[j] == 0 &&
					  r->base[j] + r->extent[j] <=
						  t->size[j];
			if (aligned)
				rc = freeing_add_box(l, *r);
		}
		return rc;
	}
	for (uint32_t e = 1; rc == 0 && e <= t->size[d] && cells % e == 0;
	     e *= 2) {
		r->extent[d] = e;
		rc = freeing_extents(l, r, d + 1, cells / e);
	}
	return rc;
}

static int freeing_boxes_by_cost(const void *a, const void *b)
{
	const struct freeing_box *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->held > y->held) - (x->held < y->held);
}

int freeing_list_boxes(struct freeing_search *s, const uint64_t *available,
		       struct freeing_boxes *list)
{
	const struct torus_ask *ask = s->q->ask;
	int rc = 0;

	*list = (struct freeing_boxes){ .complete = true };
	for (uint32_t p = 0; rc == 0 && p < s->m->pods; p++) {
		const struct torus_pod *pod = &s->m->pod[p];
		struct freeing_lister l = { .s = s,
					    .list = list,
					    .pod = pod,
					    .available = available +
							 pod->first_word,
					    .room = list->count };
		struct torus_region r;
		uint32_t cells = 1;
		int i;
		const struct torus_strategy *own;

		if (pod->outside)
			continue;
		/* The ask's strategy has internal state unless one of these holds. */
		i = torus_pod_strategy(pod, ask->strategy);
		own = pod->strategy[i > 0 ? i : 0];
		if (own->occupancy_only || own->by_nodes || own->interleaves) {
			list->complete = false;
			continue;
		}
		while ((uint64_t)cells * pod->cell_nodes < torus_ask_nodes(ask))
			cells *= 2;
		torus_region_whole(&r, &pod->grid);
		rc = freeing_extents(&l, &r, 0, cells);
	}
	if (list->count > 1)
		qsort(list->box, list->count, sizeof(*list->box),
		      freeing_boxes_by_cost);
	return rc;
}
