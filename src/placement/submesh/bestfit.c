/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh-bf` and `submesh-wf`: Best Fit and Worst Fit with turning, which
 * Bani-Mohammad et al. name (section II) without a definition.
 *
 * Best Fit takes the place with the fewest free nodes around it, Worst Fit the one
 * with the most, in the first orientation that fits; ties go to the lowest base. A
 * node is around a box if a link of the machine joins it to the box:
 *
 *	f f .
 *	B B f		the box B at the left edge of a mesh: 5 free nodes around
 *	B B f		it, f; # is busy
 *	f # .
 *
 * Running sums along the dimensions count the free nodes of all boxes, and of all layers
 * beside them, at once. With required nodes the first place around them is taken
 * (turn.h).
 *
 * Cost: O(nodes) per orientation. Memory: 4 words of 32 bits per node. 1 to 3
 * dimensions.
 */
#include "placement/strategies.h"
#include "placement/submesh/turn.h"
#include "torus/alloc.h"

#define NO_PLACE UINT32_MAX

struct bestfit {
	const struct torus *torus;
	bool worst;
	struct submesh *grants; /* torus_turn_grants() */
	const uint64_t *usable; /* of the current search */
	struct torus_search_limit *limit;
	/* scratch, per node: 1 if it is free, twice a sum, and the free nodes around
	 * the box with its base here */
	uint32_t *free, *sum[2], *around;
};

static void bestfit_destroy(void *self)
{
	struct bestfit *f = self;

	if (!f)
		return;
	torus_strategy_submesh.destroy(f->grants);
	torus_free(f->free);
	torus_free(f);
}

static struct bestfit *bestfit_create(const struct torus *t,
				      const uint64_t *present, bool worst)
{
	struct bestfit *f = torus_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->torus = t;
	f->worst = worst;
	f->free = torus_alloc(4 * (size_t)t->nodes, sizeof(*f->free));
	f->grants = torus_turn_grants(t, present);
	if (!f->free || (!f->grants && present)) {
		bestfit_destroy(f);
		return NULL;
	}
	f->sum[0] = f->free + t->nodes;
	f->sum[1] = f->sum[0] + t->nodes;
	f->around = f->sum[1] + t->nodes;
	return f;
}

/* Set each out[i] to the sum of the `want` values from i on along dimension d, across
 * the edge. */
static void bestfit_sum(const struct torus *t, uint32_t d, uint32_t want,
			const uint32_t *in, uint32_t *out)
{
	uint32_t n = t->size[d], stride = t->stride[d];

	for (uint32_t first = 0; first < t->nodes; first++) {
		uint32_t sum = 0;

		if (first / stride % n != 0)
			continue;
		for (uint32_t k = 0; k < want; k++)
			sum += in[first + k * stride];
		for (uint32_t k = 0; k < n; k++) {
			out[first + k * stride] = sum;
			sum += in[first + (k + want) % n * stride] -
			       in[first + k * stride];
		}
	}
}

/* Return the free nodes of a box per base, as bestfit_sum() does; `flat` (or none, -1):
 * a dimension in which it is one node wide. */
static const uint32_t *bestfit_boxes(struct bestfit *f, const uint32_t *want,
				     int flat)
{
	const uint32_t *in = f->free;
	int to = 0;

	for (uint32_t d = 0; d < f->torus->dims; d++) {
		if (want[d] < 2 || (int)d == flat)
			continue;
		bestfit_sum(f->torus, d, want[d], in, f->sum[to]);
		in = f->sum[to];
		to = 1 - to;
	}
	return in;
}

/* Mark the bases at which the box has no place. Return false if there is none. */
static bool bestfit_mark(struct bestfit *f, const uint32_t *want,
			 const uint64_t *bases)
{
	const struct torus *t = f->torus;
	uint32_t volume = want[0] * want[1] * want[2], at[TORUS_MAX_DIMS];
	const uint32_t *boxes;
	bool any = false;

	for (uint32_t i = 0; i < t->nodes; i++)
		f->free[i] = torus_bits_test(f->usable, i);
	boxes = bestfit_boxes(f, want, -1);
	for (uint32_t i = 0; i < t->nodes; i++) {
		bool fits = boxes[i] == volume &&
			    (!bases || torus_bits_test(bases, i));

		torus_coord(t, i, at);
		for (uint32_t d = 0; d < t->dims; d++)
			fits = fits &&
			       (t->wrap[d] || at[d] + want[d] <= t->size[d]);
		f->around[i] = fits ? 0 : NO_PLACE;
		any |= fits;
	}
	return any;
}

/* Add the free nodes of the layers on both sides of the box in dimension d. */
static void bestfit_add_layers(struct bestfit *f, const uint32_t *want,
			       uint32_t d)
{
	const struct torus *t = f->torus;
	uint32_t n = t->size[d], stride = t->stride[d], gap = n - want[d];
	const uint32_t *layer = bestfit_boxes(f, want, (int)d);

	for (uint32_t i = 0; i < t->nodes && gap > 0; i++) {
		uint32_t at = i / stride % n, line = i - at * stride;
		uint32_t after = at + want[d], before = at + n - 1;

		if (f->around[i] == NO_PLACE)
			continue;
		if (t->wrap[d] || after < n)
			f->around[i] += layer[line + after % n * stride];
		/* one node wide, both sides are the same layer */
		if (t->wrap[d] ? gap > 1 : at > 0)
			f->around[i] += layer[line + before % n * stride];
	}
}

static bool bestfit_detect(void *self, const uint32_t *want,
			   const uint64_t *bases, uint32_t *base)
{
	struct bestfit *f = self;
	uint32_t nodes = f->torus->nodes, best = NO_PLACE;

	if (torus_search_limit_spend(f->limit, nodes / 4) ||
	    !bestfit_mark(f, want, bases))
		return false;
	for (uint32_t d = 0; d < f->torus->dims; d++) {
		if (torus_search_limit_spend(f->limit, nodes / 4))
			return false;
		bestfit_add_layers(f, want, d);
	}
	for (uint32_t i = 0; i < nodes; i++) {
		if (f->around[i] != NO_PLACE &&
		    (best == NO_PLACE ||
		     (f->worst ? f->around[i] > f->around[best] :
				 f->around[i] < f->around[best])))
			best = i;
	}
	torus_coord(f->torus, best, base);
	return true;
}

static enum torus_answer bestfit_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why)
{
	struct bestfit *f = self;
	const struct torus_turn how = { f->torus, true, bestfit_detect, f,
					f->grants };

	f->usable = usable;
	f->limit = ask->limit;
	return torus_turn_find(&how, ask, usable, out, why);
}

static void bestfit_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	struct bestfit *f = self;
	const struct torus_turn how = { f->torus, true, bestfit_detect, f,
					f->grants };

	torus_turn_find_all(&how, ask, usable, each, arg);
}

/* The two descriptors differ in name and choice. */
#define BESTFIT(id, NAME, SUMMARY, WORST)                                      \
	static void *id##_create(const struct torus *t,                        \
				 const uint64_t *present,                      \
				 const struct torus_options *options)          \
	{                                                                      \
		(void)options;                                                 \
		return bestfit_create(t, present, WORST);                      \
	}                                                                      \
	const struct torus_strategy torus_strategy_submesh_##id = {            \
		.name = NAME,                                                  \
		.summary = SUMMARY,                                            \
		.source = "Bani-Mohammad et al., section II",                  \
		.occupancy_only = true,                                        \
		.complete = true,                                              \
		.units = true,                                                 \
		.links = true,                                                 \
		.limits = true,                                                \
		.most_dims = TURN_DIMS,                                        \
		.create = id##_create,                                         \
		.destroy = bestfit_destroy,                                    \
		.find = bestfit_find,                                          \
		.lists_only = true,                                            \
		.find_all = bestfit_find_all,                                  \
	}

BESTFIT(bf, "submesh-bf",
	"Best Fit with turning: where the fewest free nodes are around the box",
	false);
BESTFIT(wf, "submesh-wf",
	"Worst Fit with turning: where the most free nodes are around the box",
	true);
