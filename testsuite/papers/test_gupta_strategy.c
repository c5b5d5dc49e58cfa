/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gupta, Srimani (1997), as far as it is about places: link-disjoint subtori
 * (section 2.1), the contention model (2.2, 2.4.3) and the choice among
 * subtori (2.4.2) with the worked example of 2.4.4. Rows and columns are
 * dimensions 0 and 1. One unit of the paper's time is a second here.
 */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "../unit/predicted.h"
#include "../unit/unit.h"

#define SECOND INT64_C(1000000)

static struct torus_region subtorus(const struct torus *t, uint32_t e0,
				    uint32_t e1, uint32_t row, uint32_t col)
{
	struct torus_region r;

	torus_region_whole(&r, t);
	r.extent[0] = e0;
	r.extent[1] = e1;
	r.base[0] = row;
	r.base[1] = col;
	for (uint32_t d = 0; d < t->dims; d++)
		r.stride[d] = t->size[d] / r.extent[d];
	return r;
}

/* Remark 1: link-disjoint iff both offsets differ; a largest set of pairwise
 * link-disjoint subtori has min(K1, K2) members (the diagonal). */
static void link_disjoint(void **state)
{
	struct torus t = unit_torus("8x12");
	const uint32_t k1 = 4, k2 = 3;
	uint32_t pairs = 0;

	(void)state;
	for (uint32_t i = 0; i < k1 * k2; i++) {
		for (uint32_t k = 0; k < k1 * k2; k++) {
			uint32_t a1 = i / k2, b1 = i % k2;
			uint32_t a2 = k / k2, b2 = k % k2;
			struct torus_region x = subtorus(&t, 2, 4, a1, b1);
			struct torus_region y = subtorus(&t, 2, 4, a2, b2);
			int d = torus_contention_along(&t, &x, &y);

			if (i == k)
				continue;
			assert_int_equal(d < 0, a1 != a2 && b1 != b2);
			assert_int_equal(d, torus_contention_along(&t, &y, &x));
			if (d >= 0)
				assert_int_equal(d, a1 != a2 ? 0 : 1);
			pairs += d < 0;
		}
	}
	assert_int_equal(pairs, k1 * k2 * (k1 - 1) * (k2 - 1));
}

struct plan_listing_job {
	uint64_t job[8];
	int64_t us[8];
	uint32_t n;
	const struct torus_state *s;
};

static void tell(void *arg, uint32_t slot, int64_t us)
{
	struct plan_listing_job *t = arg;

	t->job[t->n] = torus_state_hold(t->s, slot)->job;
	t->us[t->n++] = us;
}

static int64_t told_of(const struct plan_listing_job *t, uint64_t job)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->job[i] == job)
			return t->us[i];
	}
	return 0;
}

struct bench {
	struct torus_machine m;
	struct torus_state *s;
};

static void setup(struct bench *b, const char *key, const char *value)
{
	struct torus_options options = { 0 };
	struct torus t = unit_torus("8x8");
	struct torus_error err = { 0 };

	if (key) {
		snprintf(options.item[0].key, TORUS_OPTION_KEY, "%s", key);
		snprintf(options.item[0].value, TORUS_OPTION_VALUE, "%s", value);
		options.used = 1;
	}
	b->m = (struct torus_machine){ 0 };
	if (torus_machine_init(&b->m, &t, unit_strategy("subtorus"), &options,
			       &err))
		fail_msg("%s", err.text);
	b->s = torus_state_create(&b->m);
	assert_non_null(b->s);
}

static void teardown(struct bench *b)
{
	struct torus_error err = { 0 };

	if (!torus_state_check(b->s, &err))
		fail_msg("%s", err.text);
	torus_state_destroy(b->s);
	torus_machine_free(&b->m);
}

/* A job in a given subtorus. */
static uint32_t put(struct bench *b, uint64_t job, uint32_t e, uint32_t row,
		    uint32_t col, int64_t end)
{
	struct torus_placement place = { .granted = e * e };
	uint32_t slot;

	place.region = subtorus(&b->m.pod[0].torus, e, e, row, col);
	slot = torus_state_commit(b->s, &place, job, NULL, 0, end, NULL);
	assert_int_not_equal(slot, TORUS_NO_SLOT);
	return slot;
}

/* The load of a new job of `us` in a given subtorus. */
static int64_t load(struct bench *b, uint32_t e, uint32_t row, uint32_t col,
		    int64_t us, struct plan_listing_job *told)
{
	struct torus_placement place = { .granted = e * e };
	struct plan_listing_job unused = { .s = b->s };

	place.region = subtorus(&b->m.pod[0].torus, e, e, row, col);
	if (!told)
		told = &unused;
	*told = (struct plan_listing_job){ .s = b->s };
	return predicted_load(b->s, &place, 0, us, tell, told);
}

/* Section 2.2, the example: row links shared for D by two 4x4: D/2 each. */
static void two_equal(void **state)
{
	struct bench b;
	struct plan_listing_job told;

	(void)state;
	setup(&b, NULL, NULL);
	put(&b, 1, 4, 0, 0, 6 * SECOND);
	assert_int_equal(load(&b, 4, 0, 1, 8 * SECOND, &told), 3 * SECOND);
	assert_int_equal(told_of(&told, 1), 3 * SECOND);
	assert_int_equal(load(&b, 4, 1, 1, 8 * SECOND, &told), 0);
	assert_int_equal(told.n, 0);
	teardown(&b);
}

/* Fig. 4: J_l (4x4 at (0,0)) is dilated by D/4, J_k (2x2 at (0,1)) by D/2;
 * whoever came first. */
static void fig4_dilates_both_jobs(void **state)
{
	const int64_t d = 4 * SECOND;
	struct plan_listing_job told;
	struct bench b;

	(void)state;
	setup(&b, NULL, NULL);
	put(&b, 1, 4, 0, 0, d);
	assert_int_equal(load(&b, 2, 0, 1, INT64_MAX, &told), d / 2);
	assert_int_equal(told.n, 1);
	assert_int_equal(told_of(&told, 1), d / 4);
	teardown(&b);
	setup(&b, NULL, NULL);
	put(&b, 1, 2, 0, 1, d);
	assert_int_equal(load(&b, 4, 0, 0, INT64_MAX, &told), d / 4);
	assert_int_equal(told_of(&told, 1), d / 2);
	teardown(&b);
}

/* The same per unit of time, whatever the ends: 1/2 and 1/4; a job does not
 * slow itself. */
static void dilation_rates_do_not_depend_on_ends(void **state)
{
	struct torus_placement place = { .granted = 4 };
	struct plan_listing_job told;
	struct bench b;
	uint32_t slot;

	(void)state;
	setup(&b, NULL, NULL);
	slot = put(&b, 1, 4, 0, 0, -SECOND);
	place.region = subtorus(&b.m.pod[0].torus, 2, 2, 0, 1);
	told = (struct plan_listing_job){ .s = b.s };
	assert_int_equal(torus_contention_rate(b.s, &place, tell, &told),
			 TORUS_CONTENTION_ONE / 2);
	assert_int_equal(told_of(&told, 1), TORUS_CONTENTION_ONE / 4);
	assert_int_equal(torus_contention_rate(b.s,
					       &torus_state_hold(b.s, slot)->place,
					       NULL, NULL),
			 0);
	teardown(&b);
}

/* A running job's new end counts: the load of (0,1) beside J1 (0,0). */
static void moved_end(void **state)
{
	struct torus_text moved = { 0 }, placed = { 0 };
	struct bench b;
	uint32_t slot;

	(void)state;
	setup(&b, NULL, NULL);
	slot = put(&b, 1, 4, 0, 0, 2 * SECOND);
	torus_state_set_end(b.s, slot, 6 * SECOND);
	assert_int_equal(load(&b, 4, 0, 1, 8 * SECOND, NULL), 3 * SECOND);
	assert_int_equal(torus_state_save(b.s, &moved), 0);
	teardown(&b);
	setup(&b, NULL, NULL);
	put(&b, 1, 4, 0, 0, 6 * SECOND);
	assert_int_equal(torus_state_save(b.s, &placed), 0);
	assert_string_equal(moved.data, placed.data);
	teardown(&b);
	torus_text_free(&moved);
	torus_text_free(&placed);
}

/* Where the strategy puts a job that would take `us` from now = 0 on. */
static void choose(struct bench *b, const char *shape, int64_t us,
		   uint32_t *row, uint32_t *col)
{
	struct torus_ask ask = unit_shape(shape, NULL, true);
	struct torus_placement out;

	ask.end_us = us;
	assert_int_equal(torus_state_find(b->s, &ask, &out, NULL), TORUS_FITS);
	*row = out.region.base[0];
	*col = out.region.base[1];
}

/* Section 2.4.4 at time 2: J2 to J5 get (0,0) (1,1) (0,1) (1,0); the loads of
 * J3 are 1, 1, 0, those of J4 are 3 and 3. */
static void example_at_2(void **state)
{
	struct plan_listing_job told;
	uint32_t row, col;
	struct bench b;

	(void)state;
	setup(&b, NULL, NULL);
	choose(&b, "4x4", 2 * SECOND, &row, &col);
	assert_int_equal(row * 10 + col, 0);
	put(&b, 2, 4, 0, 0, 2 * SECOND);
	assert_int_equal(load(&b, 4, 0, 1, 4 * SECOND, NULL), SECOND);
	assert_int_equal(load(&b, 4, 1, 0, 4 * SECOND, NULL), SECOND);
	assert_int_equal(load(&b, 4, 1, 1, 4 * SECOND, NULL), 0);
	choose(&b, "4x4", 4 * SECOND, &row, &col);
	assert_int_equal(row * 10 + col, 11);
	put(&b, 3, 4, 1, 1, 4 * SECOND);
	assert_int_equal(load(&b, 4, 0, 1, 4 * SECOND, &told), 3 * SECOND);
	assert_int_equal(told_of(&told, 2), SECOND);
	assert_int_equal(told_of(&told, 3), 2 * SECOND);
	assert_int_equal(load(&b, 4, 1, 0, 4 * SECOND, NULL), 3 * SECOND);
	choose(&b, "4x4", 4 * SECOND, &row, &col);
	assert_int_equal(row * 10 + col, 1); /* the first of two equals */
	put(&b, 4, 4, 0, 1, 7 * SECOND);
	choose(&b, "4x4", SECOND, &row, &col);
	assert_int_equal(row * 10 + col, 10);
	teardown(&b);
}

static bool count_bases(void *arg, const struct torus_placement *place)
{
	strcat(arg, "(");
	sprintf((char *)arg + strlen(arg), "%u,%u)", place->region.base[0],
		place->region.base[1]);
	return true;
}

/* Section 2.4.4 at time 4, J6 = (2, 4): candidates (1,0) (1,2) (3,0) (3,2),
 * each with load 2.75; it disturbs J2 by 3/8 and J3 by 1. */
static void example_at_4(void **state)
{
	static const uint32_t place[][2] = {
		{ 1, 0 }, { 1, 2 }, { 3, 0 }, { 3, 2 }
	};
	struct torus_ask ask = unit_shape("2x2", NULL, true);
	char bases[256] = "";
	uint32_t row, col;
	struct plan_listing_job told;
	struct bench b;

	(void)state;
	setup(&b, NULL, NULL);
	put(&b, 2, 4, 0, 0, 1500000);
	put(&b, 3, 4, 1, 1, 4500000);
	put(&b, 4, 4, 0, 1, 5 * SECOND);
	torus_state_find_all(b.s, &ask, count_bases, bases);
	assert_string_equal(bases, "(1,0)(1,2)(3,0)(3,2)");
	for (int i = 0; i < 4; i++)
		assert_int_equal(load(&b, 2, place[i][0], place[i][1],
				      4 * SECOND, &told),
				 2750000);
	load(&b, 2, 1, 0, 4 * SECOND, &told);
	assert_int_equal(told.n, 2);
	assert_int_equal(told_of(&told, 2), 375000);
	assert_int_equal(told_of(&told, 3), SECOND);
	choose(&b, "2x2", 4 * SECOND, &row, &col);
	assert_int_equal(row * 10 + col, 10);
	teardown(&b);
}

/* Options: two of the four 4x4 subtori are link-disjoint; a cap of 1.5 allows
 * one neighbour on a line, 2.0 both. */
static void options_bound_the_shared_links(void **state)
{
	static const struct {
		const char *key, *value;
		uint32_t jobs;
	} row[] = {
		{ "link_disjoint", "true", 2 },
		{ "link_disjoint", "false", 4 },
		{ "max_dilation", "1", 2 },
		{ "max_dilation", "1.499", 2 },
		{ "max_dilation", "1.5", 2 },
		{ "max_dilation", "1.999999", 2 },
		{ "max_dilation", "2.0", 4 },
		{ "max_dilation", "1000", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_ask ask = unit_shape("4x4", NULL, true);
		struct torus_placement out;
		struct bench b;
		uint32_t n = 0;

		setup(&b, row[i].key, row[i].value);
		while (torus_state_find(b.s, &ask, &out, NULL) == TORUS_FITS) {
			assert_int_not_equal(torus_state_commit(b.s, &out, n,
								NULL, 0, 1,
								NULL),
					     TORUS_NO_SLOT);
			n++;
		}
		assert_int_equal(n, row[i].jobs);
		teardown(&b);
	}
}

/* Expected failures: extents that do not divide, with what would; options. */
static void extents_that_do_not_divide_are_refused(void **state)
{
	static const char *const bad[] = { "0.9", "1.",     "x", "1.2x",
					   "-1",  "1000.1", "" };
	const struct torus_strategy *s = unit_strategy("subtorus");
	struct torus_ask ask = unit_shape("3x4", NULL, true);
	struct torus t = unit_torus("8x8"), flat = unit_torus("flat:8");
	struct torus_options none = { 0 };
	struct torus_error err = { 0 };
	struct torus_placement out;
	struct bench b;

	(void)state;
	setup(&b, NULL, NULL);
	assert_int_equal(torus_state_find(b.s, &ask, &out, &err), TORUS_NEVER);
	assert_non_null(strstr(err.text, "2x4"));
	assert_non_null(strstr(err.text, "4x4"));
	ask = unit_shape("16x3", NULL, true);
	torus_error_clear(&err);
	assert_int_equal(torus_state_find(b.s, &ask, &out, &err), TORUS_NEVER);
	assert_non_null(strstr(err.text, "8x2 (16 nodes)"));
	ask = unit_count(65, 'N');
	assert_int_equal(torus_state_find(b.s, &ask, &out, NULL), TORUS_NEVER);
	/* counts: 12 is no volume of a subtorus of 8x8, 16 is: 4x4 */
	ask = unit_count(12, 'T');
	assert_int_equal(torus_state_find(b.s, &ask, &out, NULL), TORUS_FITS);
	assert_string_equal(unit_region(&b.m.pod[0].torus, &out),
			    "torus:0,0+4x4/2x2");
	assert_int_equal(out.ring, 3);
	teardown(&b);
	assert_int_equal(torus_strategy_supports(s, &flat, &none, NULL), -1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct torus_options o = { .used = 1,
					   .item = { { "max_dilation", "" } } };

		snprintf(o.item[0].value, TORUS_OPTION_VALUE, "%s", bad[i]);
		assert_int_equal(torus_strategy_supports(s, &t, &o, NULL), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(link_disjoint),
		cmocka_unit_test(two_equal),
		cmocka_unit_test(dilation_rates_do_not_depend_on_ends),
		cmocka_unit_test(moved_end),
		cmocka_unit_test(fig4_dilates_both_jobs),
		cmocka_unit_test(example_at_2),
		cmocka_unit_test(example_at_4),
		cmocka_unit_test(options_bound_the_shared_links),
		cmocka_unit_test(extents_that_do_not_divide_are_refused),
	};

	return UNIT_RUN(tests);
}
