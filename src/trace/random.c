/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Philox4x32-10 and its streams (random.h): ten rounds of two products of 32 by
 * 32 bits; about 10 ns per block. The counter's first two words number the
 * blocks of a stream, the third is the purpose, the fourth the replication; the
 * key is the seed.
 */
#include "trace/random.h"

#define ROUNDS 10
#define MULTIPLIER_0 UINT32_C(0xD2511F53)
#define MULTIPLIER_1 UINT32_C(0xCD9E8D57)
#define WEYL_0 UINT32_C(0x9E3779B9) /* golden ratio */
#define WEYL_1 UINT32_C(0xBB67AE85) /* sqrt(3) - 1 */

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
