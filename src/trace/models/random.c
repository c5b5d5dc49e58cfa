/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Philox4x32-10 and its streams (random.h): ten rounds of two products of 32 by
 * 32 bits; about 10 ns per block. The counter's first two words number the
 * blocks of a stream, the third is the purpose, the fourth the replication; the
 * key is the seed. Exponential numbers by inversion; normal ones by the polar
 * method (Marsaglia, Bray 1964; the second value is dropped, so that a draw does
 * not depend on earlier ones); gamma by Marsaglia and Tsang (2000). All are O(1)
 * on average.
 *
 * Everything here is additions, products, quotients, square roots, frexp() and
 * ldexp(), each exact or rounded as IEEE 754 specifies, and compiled without
 * fused operations (-ffp-contract=off): the same bits on every machine.
 */
#include "trace/models/random.h"

#include <math.h>

#define ROUNDS 10
#define MULTIPLIER_0 UINT32_C(0xD2511F53)
#define MULTIPLIER_1 UINT32_C(0xCD9E8D57)
#define WEYL_0 UINT32_C(0x9E3779B9) /* golden ratio */
#define WEYL_1 UINT32_C(0xBB67AE85) /* sqrt(3) - 1 */

/* ln 2 in two parts: products of the first with small integers are exact. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define SQRT_HALF 0x1.6a09e667f3bcdp-1

void torus_philox4x32(const uint32_t counter[4], const uint32_t key[2],
		      uint32_t out[4])
{
	uint32_t a = counter[0], b = counter[1], c = counter[2];
	uint32_t d = counter[3], k0 = key[0], k1 = key[1];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		uint64_t p = (uint64_t)MULTIPLIER_0 * a;
		uint64_t q = (uint64_t)MULTIPLIER_1 * c;

		a = (uint32_t)(q >> 32) ^ b ^ k0;
		b = (uint32_t)q;
		c = (uint32_t)(p >> 32) ^ d ^ k1;
		d = (uint32_t)p;
		k0 += WEYL_0;
		k1 += WEYL_1;
	}
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = d;
}

void torus_random_init(struct torus_random *r, uint64_t seed,
		       uint32_t replication, enum torus_purpose purpose)
{
	*r = (struct torus_random){
		.key = { (uint32_t)seed, (uint32_t)(seed >> 32) },
		.counter = { 0, 0, (uint32_t)purpose, replication },
	};
}

static uint32_t random_word_take(struct torus_random *r)
{
	if (!r->left) {
		torus_philox4x32(r->counter, r->key, r->word);
		if (!++r->counter[0])
			r->counter[1]++;
		r->left = 4;
	}
	return r->word[4 - r->left--];
}

uint64_t torus_random_bits(struct torus_random *r)
{
	uint64_t low = random_word_take(r);

	return low | (uint64_t)random_word_take(r) << 32;
}

double torus_random_unit(struct torus_random *r)
{
	/* 52 bits and a half: exact, and neither 0 nor 1 */
	return ((double)(torus_random_bits(r) >> 12) + 0.5) * 0x1p-52;
}

/* Product and rejection (Lemire 2019). */
uint32_t torus_random_below(struct torus_random *r, uint32_t n)
{
	uint32_t unfair = -n % n;
	uint64_t product;

	do
		product = (uint64_t)random_word_take(r) * n;
	while ((uint32_t)product < unfair);
	return (uint32_t)(product >> 32);
}

/* Distributions */

/*
 * x = 2^k m, m within sqrt(1/2) .. sqrt(2); with s = (m - 1) / (m + 1) is
 * ln m = 2 (s + s^3/3 + s^5/5 + ...), and s^2 < 0.03: twelve terms do.
 */
double torus_exact_log(double x)
{
	double m, s, z, sum = 0;
	int k, i;

	m = frexp(x, &k);
	if (m < SQRT_HALF) {
		m *= 2;
		k--;
	}
	s = (m - 1) / (m + 1);
	z = s * s;
	for (i = 25; i >= 3; i -= 2)
		sum = z * (sum + 1.0 / i);
	return k * LN2_HIGH + (2 * s + (2 * s * sum + k * LN2_LOW));
}

/* x = k ln 2 + r, |r| < 0.35; the power series of e^r, fifteen terms. */
double torus_exact_exp(double x)
{
	double k, r, sum = 1;
	int i;

	if (x > 709)
		x = 709;
	if (x < -745)
		return 0;
	k = floor(x * (1 / 0x1.62e42fefa39efp-1) + 0.5);
	r = x - k * LN2_HIGH - k * LN2_LOW;
	for (i = 15; i >= 1; i--)
		sum = 1 + r * sum / i;
	return ldexp(sum, (int)k);
}

double torus_random_exponential(struct torus_random *r)
{
	return -torus_exact_log(torus_random_unit(r));
}

double torus_random_normal(struct torus_random *r)
{
	double x, y, s;

	do {
		x = 2 * torus_random_unit(r) - 1;
		y = 2 * torus_random_unit(r) - 1;
		s = x * x + y * y;
	} while (s >= 1 || s == 0);
	return x * sqrt(-2 * torus_exact_log(s) / s);
}

double torus_random_normal_within(struct torus_random *r, double mean,
				  double deviation, double low, double high)
{
	double x;

	do
		x = mean + deviation * torus_random_normal(r);
	while (x < low || x > high);
	return x;
}

double torus_random_gamma(struct torus_random *r, double shape)
{
	double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
	double c = 1 / sqrt(9 * d), x, v, u;

	do {
		do {
			x = torus_random_normal(r);
			v = 1 + c * x;
		} while (v <= 0);
		v = v * v * v;
		u = torus_exact_log(torus_random_unit(r));
	} while (u >= 0.5 * x * x + d * (1 - v + torus_exact_log(v)));
	if (shape >= 1)
		return d * v;
	/* for shape + 1, times the right power of a uniform number */
	return d * v *
	       torus_exact_exp(torus_exact_log(torus_random_unit(r)) / shape);
}

uint32_t torus_random_weighted(struct torus_random *r, const double *weight,
			       uint32_t n)
{
	double sum = 0, u;
	uint32_t i;

	for (i = 0; i < n; i++)
		sum += weight[i];
	u = torus_random_unit(r) * sum;
	for (i = 0; i + 1 < n && u >= weight[i]; i++)
		u -= weight[i];
	return i;
}
