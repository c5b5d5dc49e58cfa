/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the maximal free boxes of a torus (free_boxes.h). */
#include "placement/state/box_list.h"

bool torus_free_boxes_exact(const struct torus_free_boxes *f)
{
	return !f->loose;
}

bool torus_free_boxes_hold(const struct torus_free_boxes *f,
			   const uint32_t *extent, uint32_t d, uint64_t nodes)
{
	for (uint32_t k = 0; f && k * LANES < f->list.used; k++) {
		lanes fits = f->list.extent[0][k] > 0;

		for (uint32_t i = 0; i < d; i++)
			fits &= f->list.extent[i][k] >= (int32_t)extent[i];
		if (!lanes_any(fits))
			continue;
		if (nodes <= 1)
			return true;
		for (uint32_t i = 0; i < LANES; i++) {
			uint64_t more = fits[i] ? 1 : 0;

			for (uint32_t j = d; j < f->t->dims; j++)
				more *= (uint32_t)f->list.extent[j][k][i];
			if (more >= nodes)
				return true;
		}
	}
	return !f;
}

/* Return the bases of a box with these extents within b, as a region; false if
 * b is too short. */
static bool box_bases(const struct torus *t, const struct free_box *b,
		      const uint32_t *extent, struct torus_region *r)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t have = (uint32_t)b->extent[d];

		if (have < extent[d])
			return false;
		r->base[d] = (uint32_t)b->base[d];
		r->extent[d] = t->wrap[d] && have == t->size[d] ?
				       have :
				       have - extent[d] + 1;
	}
	return true;
}

void torus_free_boxes_beside(const struct torus_free_boxes *f,
			     const struct torus_region *taken,
			     void (*each)(void *arg, const int32_t *extent),
			     void *arg)
{
	const struct torus *t = f->t;
	struct free_box b, r = { 0 };

	if (taken)
		r = box_of(t, taken);
	for (uint32_t i = 0; i < f->list.used; i++) {
		box_get(&f->list, t->dims, i, &b);
		if (!taken || !box_meets(t, &b, &r)) {
			each(arg, b.extent);
			continue;
		}
		for (uint32_t d = 0; d < t->dims; d++) {
			struct box_gaps gaps = box_beside(t, &b, d, &r);
			int32_t whole = b.extent[d];

			for (uint32_t k = 0; k < gaps.used; k++) {
				b.extent[d] = gaps.extent[k];
				each(arg, b.extent);
			}
			b.extent[d] = whole;
		}
	}
}

bool torus_free_boxes_bases(const struct torus_free_boxes *f,
			    const uint32_t *extent, uint64_t *map, uint32_t most)
{
	const struct torus *t = f->t;
	struct torus_region r;
	struct free_box b;

	torus_region_whole(&r, t);
	torus_bits_zero(map, torus_bits_words(t->nodes));
	for (uint32_t i = 0; i < f->list.used; i++) {
		uint64_t rows = 1;

		box_get(&f->list, t->dims, i, &b);
		if (!box_bases(t, &b, extent, &r))
			continue;
		for (uint32_t d = 1; d < t->dims; d++)
			rows *= r.extent[d];
		if (rows > most)
			return false;
		most -= (uint32_t)rows;
		torus_region_paint(&r, t, map);
	}
	return true;
}

bool torus_free_boxes_hold_turned(const struct torus_free_boxes *f,
				  const struct torus_shape *shape)
{
	int32_t want[TORUS_MAX_DIMS];

	if (!f || shape->axes > f->t->dims)
		return true;
	for (uint32_t d = 0; d < f->t->dims; d++) {
		if (f->t->unit[d] > 1)
			return true;
	}
	/* the extents, largest first, padded with 1s */
	for (uint32_t a = 0; a < f->t->dims; a++) {
		int32_t e = a < shape->axes ? (int32_t)shape->extent[a] : 1;
		uint32_t i = a;

		for (; i > 0 && want[i - 1] < e; i--)
			want[i] = want[i - 1];
		want[i] = e;
	}
	for (uint32_t k = 0; k * LANES < f->list.used; k++) {
		lanes fits = f->list.extent[0][k] > 0;
		lanes left[TORUS_MAX_DIMS];

		for (uint32_t d = 0; d < f->t->dims; d++)
			left[d] = f->list.extent[d][k];
		for (uint32_t i = 0; i < f->t->dims; i++) {
			/* the largest remaining extent goes to left[i] */
			for (uint32_t d = i + 1; d < f->t->dims; d++) {
				lanes more = left[d] > left[i];
				lanes swap = (left[i] ^ left[d]) & more;

				left[i] ^= swap;
				left[d] ^= swap;
			}
			fits &= left[i] >= want[i];
		}
		if (lanes_any(fits))
			return true;
	}
	return false;
}
