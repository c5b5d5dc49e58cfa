/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contention for links (torus/contention.h). Allocates nothing. */
#include "torus/contention.h"

/* The nodes of a region along one dimension. */
struct comb {
	uint32_t base, extent, stride;
};

static struct comb comb_of(const struct torus_region *r, uint32_t d)
{
	return (struct comb){ r->base[d], r->extent[d], r->stride[d] };
}

static bool combs_meet(const struct comb *a, const struct comb *b, uint32_t size)
{
	uint32_t at = a->base;

	for (uint32_t k = 0; k < a->extent; k++) {
		uint32_t steps = at >= b->base ? at - b->base :
						 at + size - b->base;

		if (steps % b->stride == 0 && steps / b->stride < b->extent)
			return true;
		at += a->stride;
		at -= at >= size ? size : 0;
	}
	return false;
}

/* Return how many links of a line the region uses, counted from its base. */
static uint32_t contention_links(const struct comb *c, const struct torus *t,
				 uint32_t d)
{
	uint32_t size = t->size[d];

	if (c->extent == 1)
		return 0;
	if (t->wrap[d] && (uint64_t)c->extent * c->stride == size)
		return size;
	return (c->extent - 1) * c->stride;
}

/* Return true if both use a common link on a line that they share. */
static bool links_meet(const struct comb *a, const struct comb *b,
		       const struct torus *t, uint32_t d)
{
	uint32_t size = t->size[d], na = contention_links(a, t, d),
		 nb = contention_links(b, t, d);
	uint32_t ahead = b->base >= a->base ? b->base - a->base :
					      b->base + size - a->base;

	/* b starts within a, or a starts within b */
	return na && nb && (ahead < na || size - ahead < nb);
}

int torus_contention_along(const struct torus *t, const struct torus_region *a,
			   const struct torus_region *b)
{
	int along = -1;

	for (uint32_t d = 0; d < t->dims; d++) {
		struct comb ca = comb_of(a, d), cb = comb_of(b, d);

		if (combs_meet(&ca, &cb, t->size[d]))
			continue;
		if (along >= 0 || !links_meet(&ca, &cb, t, d))
			return -1;
		along = (int)d;
	}
	return along;
}

int64_t torus_contention_load(const struct torus *t,
			      const struct torus_region *by, int d, int64_t us)
{
	int64_t extent = by->extent[d], size = t->size[d];

	if (us == INT64_MAX)
		return us;
	return us / size * extent + us % size * extent / size;
}

/* Return the first dimension along which the hold shares links with the place,
 * or -1. */
static int shared_with(const struct torus_state *s, const struct torus_hold *h,
		       const struct torus_placement *place)
{
	const struct torus *t = &torus_state_machine(s)->pod[place->pod].torus;

	if (t->flat || place->scattered || h->place.scattered ||
	    h->place.pod != place->pod)
		return -1;
	return torus_contention_along(t, &place->region, &h->place.region);
}

int64_t torus_contention_rate(
	const struct torus_state *s, const struct torus_placement *place,
	void (*each)(void *arg, uint32_t slot, int64_t millionths), void *arg)
{
	const struct torus *t = &torus_state_machine(s)->pod[place->pod].torus;
	int64_t sum = 0;

	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		uint32_t slot = torus_state_by_end(s, k);
		const struct torus_hold *h = torus_state_hold(s, slot);
		int d = shared_with(s, h, place);

		if (d < 0)
			continue;
		sum += torus_contention_load(t, &h->place.region, d,
					     TORUS_CONTENTION_ONE);
		if (each)
			each(arg, slot,
			     torus_contention_load(t, &place->region, d,
						   TORUS_CONTENTION_ONE));
	}
	return sum;
}
