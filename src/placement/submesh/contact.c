/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared surfaces (score.h). Numbers are signed because vector units compare
 * signed integers; a surface has at most 2 x 8 x TORUS_MAX_NODES nodes. */
#include "placement/submesh/score.h"

#include "torus/alloc.h"

#define LANES 8
#define BLOCKS (TORUS_CONTACT_MOST / LANES)

#define CONTACT_INLINE static inline __attribute__((always_inline))

/* Loads and stores may be unaligned: allocations are aligned to 16. */
typedef int32_t eight __attribute__((vector_size(4 * LANES), aligned(4)));

typedef void contact_fn(struct torus_contact *c, const uint32_t *x,
			const uint32_t *extent);

struct torus_contact {
	const struct torus *torus;
	contact_fn *meet;
	uint32_t used;
	/* entries from `used` on are undefined; the caller reads only `used`
	 * surfaces */
	eight base[TORUS_MAX_DIMS][BLOCKS];
	eight extent[TORUS_MAX_DIMS][BLOCKS];
	eight surface[BLOCKS];
};

/* Eight arcs on a dimension of n nodes. */
struct contact_arcs {
	int32_t n;
	bool wrap;
	const eight *base, *extent;
};

/* Compare the arc of `length` nodes at x with the eight arcs: the nodes in
 * both, and how many ends of the first arc lie flush with the other. */
CONTACT_INLINE void contact_arcs_meet(const struct contact_arcs *arcs, int32_t x,
				      int32_t length, eight *both, eight *faces)
{
	eight zero = { 0 }, e = zero + length, a = *arcs->base - x;
	eight end, less, over;

	if (arcs->wrap)
		a += (a < 0) & arcs->n;
	end = a + *arcs->extent;
	less = end < e;
	*both = ((end & less) | (e & ~less)) - (a & (a > 0));
	*both &= *both > 0;
	if (!arcs->wrap) {
		*faces = -((a == e) + (end == 0));
		return;
	}
	over = end - arcs->n; /* the other crosses the edge to the first */
	less = over < e;
	over = (over & less) | (e & ~less);
	*both += over & (over > 0);
	*faces = zero;
	if (length < arcs->n)
		*faces = -((a == e) + (end == arcs->n)) &
			 (*arcs->extent != arcs->n);
}

CONTACT_INLINE void contact_meet(struct torus_contact *c, const uint32_t *x,
				 const uint32_t *extent)
{
	const struct torus *t = c->torus;

	for (uint32_t k = 0; k * LANES < c->used; k++) {
		eight surface = { 0 }, overlap = surface == 0;

		overlap = -overlap;
		for (uint32_t d = 0; d < t->dims; d++) {
			const struct contact_arcs arcs = {
				.n = (int32_t)t->size[d],
				.wrap = t->wrap[d],
				.base = &c->base[d][k],
				.extent = &c->extent[d][k],
			};
			eight both, faces;

			contact_arcs_meet(&arcs, (int32_t)x[d],
					  (int32_t)extent[d], &both, &faces);
			surface = surface * both + overlap * faces;
			overlap *= both;
		}
		c->surface[k] = surface;
	}
}

static void contact_plain(struct torus_contact *c, const uint32_t *x,
			  const uint32_t *extent)
{
	contact_meet(c, x, extent);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void
contact_avx2(struct torus_contact *c, const uint32_t *x, const uint32_t *extent)
{
	contact_meet(c, x, extent);
}
#endif

void torus_contact_wide(struct torus_contact *c, bool wide)
{
	c->meet = contact_plain;
#ifdef __x86_64__
	if (wide && __builtin_cpu_supports("avx2"))
		c->meet = contact_avx2;
#else
	(void)wide;
#endif
}

struct torus_contact *torus_contact_create(const struct torus *t)
{
	struct torus_contact *c = torus_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->torus = t;
	torus_contact_wide(c, true);
	return c;
}

void torus_contact_destroy(struct torus_contact *c)
{
	torus_free(c);
}

void torus_contact_clear(struct torus_contact *c)
{
	c->used = 0;
}

void torus_contact_add(struct torus_contact *c, const struct torus_region *r)
{
	uint32_t i = c->used++;

	for (uint32_t d = 0; d < c->torus->dims; d++) {
		((int32_t *)c->base[d])[i] = (int32_t)r->base[d];
		((int32_t *)c->extent[d])[i] = (int32_t)r->extent[d];
	}
}

const int32_t *torus_contact_of(struct torus_contact *c, const uint32_t *x,
				const uint32_t *extent)
{
	c->meet(c, x, extent);
	return (const int32_t *)c->surface;
}
