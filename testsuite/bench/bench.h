/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the benchmarks share: random numbers that are the same in every run,
 * clocks, the median. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* Marsaglia's xorshift; a program may begin at another seed. */
static uint64_t bench_seed = 1;

static inline uint32_t bench_below(uint32_t n)
{
	bench_seed ^= bench_seed << 13;
	bench_seed ^= bench_seed >> 7;
	bench_seed ^= bench_seed << 17;
	return (uint32_t)((bench_seed >> 11) % n);
}

/* Splitmix64: in (0, 1), both ends excluded, for runs with a seed each. */
static inline double bench_unit(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double bench_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline double bench_cpu_us(void)
{
	return bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-3;
}

static inline double bench_cpu_ms(void)
{
	return bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-6;
}

static inline double bench_thread_us(void)
{
	return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) * 1e-3;
}

static inline int bench_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts them. */
static inline double bench_median(double *value, size_t n)
{
	if (n == 0)
		return 0;
	qsort(value, n, sizeof(*value), bench_ascending);
	return value[n / 2];
}

#endif
