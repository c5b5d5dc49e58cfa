/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes that a torus with units can hold, nearest above one that it cannot
 * (factor.h): every assignment of the axes to dimensions, each extent rounded
 * up to the next multiple of the grain there. O(assignments x dimensions).
 */
#include "placement/submesh/factor.h"

#include <stdio.h>

#include "placement/orient.h"

#define NEAREST_MOST 3

struct nearest {
	const struct torus *t;
	const struct torus_ask *ask;
	uint32_t axes;
	uint32_t extent[TORUS_MAX_DIMS]; /* chosen along each dimension */
	int axis[TORUS_MAX_DIMS];        /* -1: none */
	uint64_t volume;                 /* of the best so far */
	struct torus_shape best[NEAREST_MOST];
	uint32_t n;
};

static void nearest_note(struct nearest *x, uint64_t volume)
{
	struct torus_shape shape;

	if (volume > x->volume)
		return;
	if (volume < x->volume)
		x->n = 0;
	x->volume = volume;
	/* Fill the shape as chosen: the axes in the ask's order, then the axes that the grain
	 * adds. */
	shape = (struct torus_shape){ .axes = x->axes };
	for (uint32_t d = 0; d < x->t->dims; d++) {
		if (x->axis[d] >= 0)
			shape.extent[x->axis[d]] = x->extent[d];
		else if (x->extent[d] > 1)
			shape.extent[shape.axes++] = x->extent[d];
	}
	if (shape.axes == 0)
		shape.extent[shape.axes++] = 1;
	for (uint32_t i = 0; i < x->n; i++) {
		if (x->best[i].axes == shape.axes &&
		    memcmp(x->best[i].extent, shape.extent,
			   x->best[i].axes * sizeof(*x->best[i].extent)) == 0)
			return;
	}
	if (x->n < NEAREST_MOST)
		x->best[x->n++] = shape;
}

static void nearest_choose(struct nearest *x, uint32_t d, uint32_t used,
			   uint64_t volume)
{
	uint32_t left = x->axes - (uint32_t)__builtin_popcount(used);

	if (left > x->t->dims - d || volume > x->volume)
		return;
	if (d == x->t->dims) {
		nearest_note(x, volume);
		return;
	}
	for (int a = -1; a < (int)x->axes; a++) {
		uint32_t want = a < 0 ? 1 : x->ask->shape.extent[a];
		uint32_t grain = x->t->unit[d];

		if (a >= 0 &&
		    (used >> a & 1 || (!x->ask->rotate && (uint32_t)a != d)))
			continue;
		want = ((want - 1) / grain + 1) * grain;
		if (want > x->t->size[d] * grain)
			continue;
		x->axis[d] = a;
		x->extent[d] = want;
		nearest_choose(x, d + 1, a < 0 ? used : used | 1u << a,
			       volume * want);
	}
}

/* Fill up to NEAREST_MOST shapes of the least volume that contain the ask's
 * shape in some orientation and begin and end on units; return their number. */
static uint32_t nearest_shapes(const struct torus *t,
			       const struct torus_ask *ask,
			       struct torus_shape *shape)
{
	struct nearest x = { .t = t,
			     .ask = ask,
			     .axes = torus_orient_axes(ask),
			     .volume = UINT64_MAX };

	nearest_choose(&x, 0, 0, 1);
	memcpy(shape, x.best, sizeof(x.best));
	return x.n;
}

/* Return true if no rotation of the shape lies on the grid, but one would
 * without units. */
static bool only_units_forbid(const struct torus *grid,
			      const struct torus_ask *ask)
{
	struct torus vertices = *grid;

	for (uint32_t d = 0; d < grid->dims; d++) {
		vertices.size[d] *= grid->unit[d];
		vertices.unit[d] = 1;
	}
	return !torus_orient_any(grid, ask) && torus_orient_any(&vertices, ask);
}

static void format_box(const struct torus *t, const uint32_t *extent,
		       char *text, size_t size)
{
	struct torus_shape box = { .axes = t->dims };

	memcpy(box.extent, extent, t->dims * sizeof(*extent));
	torus_shape_format(&box, text, size);
}

bool torus_nearest_explain(const struct torus_pod *pod,
			   const struct torus_ask *ask, struct torus_error *why)
{
	const struct torus *t = &pod->torus;
	struct torus_shape nearest[NEAREST_MOST];
	char shape[96], unit[96], grain[96], list[NEAREST_MOST * 104];
	bool node = torus_node_vertices(t) > 1;
	bool coarse = memcmp(t->unit, t->grain, sizeof(t->unit)) != 0;
	size_t used = 0;
	uint32_t n;

	if (ask->by_count || !only_units_forbid(&pod->grid, ask))
		return false;
	torus_shape_format(&ask->shape, shape, sizeof(shape));
	format_box(t, t->unit, unit, sizeof(unit));
	format_box(t, t->grain, grain, sizeof(grain));
	n = nearest_shapes(&pod->grid, ask, nearest);
	for (uint32_t i = 0; i < n; i++) {
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s",
					 i ? " or " : "; ask for ");
		used += (size_t)torus_shape_format(&nearest[i], list + used,
						   sizeof(list) - used);
	}
	list[used] = '\0';
	torus_error_add(why,
			"%s on %s: %s%s%s%s%s, and no turn of the shape fits that%s",
			shape, t->name, node ? "a node is " : "",
			node ? unit : "", node && coarse ? " and " : "",
			coarse ? "regions are multiples of " : "",
			coarse ? grain : "", list);
	return true;
}
