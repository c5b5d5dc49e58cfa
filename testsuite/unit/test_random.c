/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers: the generator's published vectors, streams, and each
 * distribution against its moments. All seeds are fixed: a test that passes
 * once passes always. */
#include "unit.h"

#include <math.h>
#include <stdbool.h>

#include "trace/models/random.h"

#define DRAWS 200000

/* The known answers that came with the generator (Random123). */
static void known_answers_are_reproduced(void **state)
{
	static const struct {
		uint32_t counter[4], key[2], out[4];
	} known[] = {
		{ { 0, 0, 0, 0 },
		  { 0, 0 },
		  { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
		  { 0xffffffff, 0xffffffff },
		  { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
		  { 0xa4093822, 0x299f31d0 },
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};
	uint32_t out[4];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		torus_philox4x32(known[i].counter, known[i].key, out);
		assert_memory_equal(out, known[i].out, sizeof(out));
	}
}

static void streams_differ_by_seed_replication_and_purpose(void **state)
{
	static const uint32_t counter[4] = { 1, 0, TORUS_PURPOSE_SIZES, 9 };
	static const uint32_t key[2] = { 0x89abcdef, 0x01234567 };
	struct torus_random a, b;
	uint32_t out[4];

	(void)state;
	/* The fifth word is the second block's first. */
	torus_random_init(&a, 0x0123456789abcdef, 9, TORUS_PURPOSE_SIZES);
	torus_random_bits(&a);
	torus_random_bits(&a);
	torus_philox4x32(counter, key, out);
	assert_true(torus_random_bits(&a) == (out[0] | (uint64_t)out[1] << 32));
	/* Seed, replication and purpose each make another stream. */
	torus_random_init(&a, 1, 0, TORUS_PURPOSE_SIZES);
	torus_random_init(&b, 1, 0, TORUS_PURPOSE_TIMES);
	assert_true(torus_random_bits(&a) != torus_random_bits(&b));
	torus_random_init(&b, 1, 1, TORUS_PURPOSE_SIZES);
	assert_true(torus_random_bits(&a) != torus_random_bits(&b));
	torus_random_init(&b, UINT64_C(1) << 32, 0, TORUS_PURPOSE_SIZES);
	assert_true(torus_random_bits(&a) != torus_random_bits(&b));
	/* Beyond 2^32 blocks the second word counts on. */
	torus_random_init(&a, 1, 0, TORUS_PURPOSE_SIZES);
	a.counter[0] = UINT32_MAX;
	for (int i = 0; i < 2; i++)
		torus_random_bits(&a);
	assert_int_equal(a.counter[0], 0);
	assert_int_equal(a.counter[1], 1);
}

/* Units in the last place between two doubles. */
static double ulps(double got, double expected)
{
	return fabs(got - expected) /
	       (nextafter(fabs(expected), INFINITY) - fabs(expected));
}

static void log_and_exp(void **state)
{
	struct torus_random r;

	(void)state;
	torus_random_init(&r, 1, 0, TORUS_PURPOSE_TIMES);
	for (int i = 0; i < DRAWS; i++) {
		double u = torus_random_unit(&r);
		double x = (u - 0.5) * 200;

		assert_true(u > 0 && u < 1);
		/* Near 1 the result is small: compare what is left of 1. */
		assert_true(fabs(torus_exact_log(u) - log(u)) <=
			    4e-16 * fmax(0.5, fabs(log(u))));
		assert_true(ulps(torus_exact_exp(x), exp(x)) <= 40);
		assert_true(ulps(torus_exact_exp(x / 100), exp(x / 100)) <= 2);
	}
	assert_true(torus_exact_log(1) == 0);
	assert_true(ulps(torus_exact_log(2), log(2)) <= 1);
	assert_true(ulps(torus_exact_log(0x1p-52), log(0x1p-52)) <= 1);
	assert_true(torus_exact_exp(0) == 1);
	assert_true(torus_exact_exp(-1000) == 0);
	assert_true(isfinite(torus_exact_exp(1000)));
}

/* Bit for bit what this must be on every machine. */
static void same_bits(void **state)
{
	struct torus_random r;
	double sum = 0;
	char text[64];

	(void)state;
	torus_random_init(&r, 42, 7, TORUS_PURPOSE_TIMES);
	for (int i = 0; i < 1000; i++)
		sum += torus_random_exponential(&r) + torus_random_normal(&r) +
		       torus_random_gamma(&r, 0.45) +
		       torus_random_gamma(&r, 4.2) +
		       torus_random_below(&r, 1000);
	snprintf(text, sizeof(text), "%a", sum);
	assert_string_equal(text, "0x1.ef7bf7d2d5c6ap+18");
}

struct sums {
	double mean, variance;
};

enum kind {
	UNIT,
	EXPONENTIAL,
	NORMAL,
	TRUNCATED,
	GAMMA_SMALL,
	GAMMA_LARGE
};

static double draw(struct torus_random *r, enum kind kind)
{
	switch (kind) {
	case UNIT:
		return torus_random_unit(r);
	case EXPONENTIAL:
		return torus_random_exponential(r);
	case NORMAL:
		return torus_random_normal(r);
	case TRUNCATED:
		return torus_random_normal_within(r, 3, 3, 0, 6);
	case GAMMA_SMALL:
		return torus_random_gamma(r, 0.45);
	default:
		return torus_random_gamma(r, 10.2303);
	}
}

/* Within five standard errors of mean and variance; the fourth moment is
 * taken from the sample. */
static void moments_are_within_five_standard_errors(void **state)
{
	/* On +-1 deviation a normal distribution keeps a variance of
	 * 1 - 2 phi(1) / (2 Phi(1) - 1) = 0.291125. */
	static const struct sums expected[] = {
		[UNIT] = { 0.5, 1 / 12.0 },
		[EXPONENTIAL] = { 1, 1 },
		[NORMAL] = { 0, 1 },
		[TRUNCATED] = { 3, 9 * 0.29112509 },
		[GAMMA_SMALL] = { 0.45, 0.45 },
		[GAMMA_LARGE] = { 10.2303, 10.2303 },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(expected) / sizeof(*expected); k++) {
		double m = expected[k].mean, v = expected[k].variance;
		double s1 = 0, s2 = 0, s4 = 0;
		struct torus_random r;

		torus_random_init(&r, 3, (uint32_t)k, TORUS_PURPOSE_TIMES);
		for (int i = 0; i < DRAWS; i++) {
			double x = draw(&r, (enum kind)k) - m;

			s1 += x;
			s2 += x * x;
			s4 += x * x * x * x;
		}
		s1 /= DRAWS;
		s2 /= DRAWS;
		s4 /= DRAWS;
		if (fabs(s1) > 5 * sqrt(v / DRAWS) ||
		    fabs(s2 - v) > 5 * sqrt((s4 - v * v) / DRAWS))
			fail_msg("%zu: mean off by %g, variance %g, expected %g",
				 k, s1, s2, v);
	}
}

/* Counts within five deviations of what they should be. */
static void counts_check(const uint32_t *count, const double *share, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		double e = DRAWS * share[i];

		if (fabs(count[i] - e) > 5 * sqrt(e * (1 - share[i])))
			fail_msg("%u: %u times, expected %g", i, count[i], e);
	}
}

static void discrete_draws_have_their_weights(void **state)
{
	static const double weight[4] = { 2, 0, 5, 1 };
	static const double share[4] = { 0.25, 0, 0.625, 0.125 };
	static const double seventh[7] = { 1 / 7.0, 1 / 7.0, 1 / 7.0, 1 / 7.0,
					   1 / 7.0, 1 / 7.0, 1 / 7.0 };
	uint32_t weighted[4] = { 0 }, below[7] = { 0 };
	struct torus_random r;

	(void)state;
	torus_random_init(&r, 5, 0, TORUS_PURPOSE_SIZES);
	for (int i = 0; i < DRAWS; i++) {
		weighted[torus_random_weighted(&r, weight, 4)]++;
		below[torus_random_below(&r, 7)]++;
		assert_int_equal(torus_random_below(&r, 1), 0);
	}
	counts_check(weighted, share, 4);
	counts_check(below, seventh, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers_are_reproduced),
		cmocka_unit_test(streams_differ_by_seed_replication_and_purpose),
		cmocka_unit_test(log_and_exp),
		cmocka_unit_test(same_bits),
		cmocka_unit_test(moments_are_within_five_standard_errors),
		cmocka_unit_test(discrete_draws_have_their_weights),
	};

	return UNIT_RUN(tests);
}
