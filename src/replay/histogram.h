/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantiles of many numbers in little memory: a histogram whose buckets are
 * 1/64 of a power of two wide, so that a quantile is off by less than 1 %
 * (the middle of a bucket is given: 1/128). The largest value is exact.
 */
#ifndef REPLAY_HISTOGRAM_H
#define REPLAY_HISTOGRAM_H

#include <stdint.h>

#define TORUS_HISTOGRAM_SUB 64 /* buckets per power of two */
#define TORUS_HISTOGRAM_BUCKETS (59 * TORUS_HISTOGRAM_SUB)

/* Zeroed = empty; 30 KiB. */
struct torus_histogram {
	uint64_t total;
	uint64_t max;
	uint64_t count[TORUS_HISTOGRAM_BUCKETS];
};

/* Add `value` n times. O(1). */
void torus_histogram_add(struct torus_histogram *h, uint64_t value, uint64_t n);

/* The value that a share q (0..1) of all do not exceed; 0 if empty. */
double torus_histogram_quantile(const struct torus_histogram *h, double q);

#endif
