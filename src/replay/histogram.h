/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantiles of many numbers in little memory: a histogram whose buckets are
 * 1/512 of a power of two wide. A quantile is the mean of its bucket's values,
 * so its error is below 0.2 %, and it is exact if all values in the bucket are
 * equal. The largest value is exact.
 */
#ifndef REPLAY_HISTOGRAM_H
#define REPLAY_HISTOGRAM_H

#include <stdint.h>

#define TORUS_HISTOGRAM_SUB 512 /* buckets per power of two */
#define TORUS_HISTOGRAM_BUCKETS (56 * TORUS_HISTOGRAM_SUB)

/* Zeroed = empty; 450 KiB, but untouched pages cost nothing. */
struct torus_histogram {
	uint64_t total;
	uint64_t max;
	struct {
		uint64_t count;
		double sum;
	} bucket[TORUS_HISTOGRAM_BUCKETS];
};

/* Add `value` n times. O(1). */
void torus_histogram_add(struct torus_histogram *h, uint64_t value, uint64_t n);

/* Return the value that a share q (0..1) of all values do not exceed; 0 if
 * empty. */
double torus_histogram_quantile(const struct torus_histogram *h, double q);

#endif
