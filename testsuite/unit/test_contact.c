/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The surface that a box shares with others, against a count of its nodes'
 * neighbours; with the processor's wide vectors and without.
 */
#include "placement/submesh/score.h"
#include "../property/random.h"
#include "unit.h"

#define BOXES 21 /* two blocks of eight and a part of one */

static struct random draws = { 1 };

static void draw_box(const struct torus *t, struct torus_region *r)
{
	torus_region_whole(r, t);
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t n = t->size[d];

		r->extent[d] = 1 + random_below(&draws, n);
		r->base[d] = random_below(&draws,
					  t->wrap[d] ? n : n - r->extent[d] + 1);
	}
}

static bool holds(const struct torus *t, const struct torus_region *r,
		  const uint32_t *x)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t n = t->size[d];

		if ((x[d] + n - r->base[d]) % n >= r->extent[d])
			return false;
	}
	return true;
}

/* The links along d that lead from a node of `box` at x to one of `other`. */
static uint32_t links_at(const struct torus *t, const struct torus_region *box,
			 const struct torus_region *other, const uint32_t *x,
			 uint32_t d)
{
	uint32_t n = t->size[d], y[TORUS_MAX_DIMS], sum = 0;

	memcpy(y, x, sizeof(y));
	if (t->wrap[d] || x[d] + 1 < n) {
		y[d] = (x[d] + 1) % n;
		sum += !holds(t, box, y) && holds(t, other, y);
	}
	if (t->wrap[d] || x[d] > 0) {
		y[d] = (x[d] + n - 1) % n;
		sum += !holds(t, box, y) && holds(t, other, y);
	}
	return sum;
}

/* The shared surface; UINT32_MAX if the boxes share nodes. */
static uint32_t count_surface(const struct torus *t,
			      const struct torus_region *box,
			      const struct torus_region *other)
{
	uint32_t sum = 0, x[TORUS_MAX_DIMS] = { 0 };

	for (uint32_t i = 0; i < t->nodes; i++) {
		torus_coord(t, i, x);
		if (!holds(t, box, x))
			continue;
		if (holds(t, other, x))
			return UINT32_MAX;
		for (uint32_t d = 0; d < t->dims; d++)
			sum += links_at(t, box, other, x, d);
	}
	return sum;
}

static void try_boxes(const struct torus *t, struct torus_contact *c)
{
	struct torus_region box, other[BOXES];
	int32_t plain[BOXES];
	const int32_t *wide;

	draw_box(t, &box);
	torus_contact_clear(c);
	for (uint32_t i = 0; i < BOXES; i++) {
		draw_box(t, &other[i]);
		torus_contact_add(c, &other[i]);
	}
	torus_contact_wide(c, false);
	memcpy(plain, torus_contact_of(c, box.base, box.extent), sizeof(plain));
	torus_contact_wide(c, true);
	wide = torus_contact_of(c, box.base, box.extent);
	for (uint32_t i = 0; i < BOXES; i++) {
		uint32_t n = count_surface(t, &box, &other[i]);

		assert_int_equal(plain[i], wide[i]);
		if (n != UINT32_MAX)
			assert_int_equal(plain[i], n);
	}
}

static void contact_counts_the_busy_and_open_surface(void **state)
{
	static const char *const machine[] = {
		"8x8x8", "8x8x8:MMM", "5x7x3:TMT",       "2x2x2x4",
		"1x6x2", "130:M",     "3x1x4x2x3:TMTMT",
	};

	(void)state;
	for (size_t m = 0; m < sizeof(machine) / sizeof(*machine); m++) {
		struct torus t = unit_torus(machine[m]);
		struct torus_contact *c = torus_contact_create(&t);

		assert_non_null(c);
		for (int round = 0; round < 100; round++)
			try_boxes(&t, c);
		torus_contact_destroy(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contact_counts_the_busy_and_open_surface),
	};

	return UNIT_RUN(tests);
}
