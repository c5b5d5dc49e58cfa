/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boxes of n nodes on a machine, and a random choice among them (vary.h).
 *
 * Sides are tried largest first, each a divisor of the remaining nodes and
 * within the machine's sizes, so each set of sides occurs once. Sorted sides
 * fit in some orientation if and only if each is at most the machine's size of
 * the same rank:
 *
 *	machine 8x4x2, sorted		8 4 2
 *	12 nodes			6 2 1, 4 3 1, 3 2 2
 *
 * Two passes over the candidates: the sum of the weights, then the one selected
 * by the random number. One number per job, whatever the outcome. Cost O(sides
 * to the power of the dimensions), in practice some microseconds.
 */
#include "trace/vary.h"

struct walk {
	uint32_t dims;
	uint32_t most[TORUS_MAX_DIMS]; /* the machine's sizes, largest first */
	enum torus_shapes way;
	uint32_t nodes;
	uint32_t side[TORUS_MAX_DIMS];
	double sum;    /* of weights so far */
	double stop;   /* take the first that reaches this sum */
	uint64_t best; /* compact: the smallest surface */
	bool taken;
	struct torus_shape *out;
};

/* Count each pair of sides once. */
static uint64_t shapes_surface(const struct walk *w)
{
	uint64_t sum = 0;
	uint32_t d;

	for (d = 0; d < w->dims; d++)
		sum += w->nodes / w->side[d];
	return sum;
}

static void shapes_take(struct walk *w)
{
	uint32_t d;

	*w->out = (struct torus_shape){ .axes = w->dims };
	for (d = 0; d < w->dims; d++)
		w->out->extent[d] = w->side[d];
	torus_shape_squeeze(w->out);
	w->taken = true;
}

static void shapes_candidate(struct walk *w)
{
	uint64_t s = shapes_surface(w);

	if (w->way == TORUS_SHAPES_COMPACT) {
		if (s >= w->best)
			return;
		w->best = s;
		shapes_take(w);
		return;
	}
	w->sum += w->way == TORUS_SHAPES_WEIGHTED ? 1 / (double)s : 1;
	if (w->sum >= w->stop && !w->taken)
		shapes_take(w);
}

/* Choose sides d and on for the remaining nodes. */
static void shapes_descend(struct walk *w, uint32_t d, uint32_t left)
{
	uint32_t side = d && w->side[d - 1] < w->most[d] ? w->side[d - 1] :
							   w->most[d];

	if (side > left)
		side = left;
	for (; side >= 1; side--) {
		if (left % side)
			continue;
		w->side[d] = side;
		/* the second bound helps compilers that unroll the recursion */
		if (d + 1 < w->dims && d + 1 < TORUS_MAX_DIMS)
			shapes_descend(w, d + 1, left / side);
		else if (left == side)
			shapes_candidate(w);
		if (side == 1)
			break;
	}
}

static void sizes_sort(struct walk *w, const struct torus *t)
{
	uint32_t i, k;

	for (i = 0; i < t->dims; i++) {
		for (k = i; k && w->most[k - 1] < t->size[i]; k--)
			w->most[k] = w->most[k - 1];
		w->most[k] = t->size[i];
	}
	w->dims = t->dims;
}

bool torus_vary_shape(struct torus_vary *vary, uint32_t n,
		      struct torus_shape *shape)
{
	double u = torus_random_unit(&vary->shape_random);
	struct walk w = { .way = vary->shapes,
			  .nodes = n,
			  .best = UINT64_MAX,
			  .stop = 1e300,
			  .out = shape };

	if (n < 1 || n > vary->torus.nodes || vary->torus.flat)
		return false;
	sizes_sort(&w, &vary->torus);
	shapes_descend(&w, 0, n);
	if (w.way == TORUS_SHAPES_COMPACT || !(w.sum > 0))
		return w.taken;
	/* at most the sum, despite rounding */
	w.stop = u * w.sum;
	w.sum = 0;
	shapes_descend(&w, 0, n);
	return w.taken;
}
