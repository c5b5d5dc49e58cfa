/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers of the property tests: splitmix64, seeded by TORUS_SEED or
 * the clock; the seed is printed. TORUS_TEST_LONG makes a test longer. */
#ifndef TESTSUITE_RANDOM_H
#define TESTSUITE_RANDOM_H

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RANDOM_HELPER static inline __attribute__((unused))

struct random {
	uint64_t state;
};

RANDOM_HELPER uint64_t random_bits(struct random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* 0 .. n-1, n > 0. */
RANDOM_HELPER uint32_t random_below(struct random *r, uint32_t n)
{
	return (uint32_t)((random_bits(r) >> 32) * n >> 32);
}

RANDOM_HELPER bool random_percent(struct random *r, uint32_t p)
{
	return random_below(r, 100) < p;
}

/* As a TAP comment, so that a failure can be repeated. The cases allocate and
 * free the same memory thousands of times: the heap keeps it. */
RANDOM_HELPER uint64_t random_seed(const char *test)
{
	const char *given = getenv("TORUS_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) :
				(uint64_t)time(NULL) * 1000003u;

	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 16 << 20);
	printf("# %s: TORUS_SEED=%llu\n", test, (unsigned long long)seed);
	fflush(stdout);
	return seed;
}

RANDOM_HELPER bool random_wanted(const char *variable)
{
	const char *text = getenv(variable);

	return text && *text && *text != '0';
}

/* `usual`; `times` as much with TORUS_TEST_LONG, a sixteenth with
 * TORUS_TEST_SHORT, which is for builds whose tests also run elsewhere. */
RANDOM_HELPER uint32_t random_effort(uint32_t usual, uint32_t times)
{
	if (random_wanted("TORUS_TEST_LONG"))
		return usual * times;
	if (random_wanted("TORUS_TEST_SHORT"))
		return (usual + 15) / 16;
	return usual;
}

#endif
