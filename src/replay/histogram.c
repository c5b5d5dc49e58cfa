/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histogram with buckets that grow with the value (histogram.h). Values below
 * 64 have a bucket each; above, a value is cut to its leading 7 bits:
 *
 *	value 0 .. 63 | 64 .. 127 | 128 .. 255     | 256 .. 511
 *	width    1    |     1     | 2 (64 buckets) | 4 (64 buckets) ...
 */
#include "replay/histogram.h"

#include <math.h>

#define SUB_BITS 6

static uint32_t bucket_of(uint64_t value)
{
	uint32_t shift;

	if (value < TORUS_HISTOGRAM_SUB)
		return (uint32_t)value;
	shift = 63 - (uint32_t)__builtin_clzll(value) - SUB_BITS;
	return (shift << SUB_BITS) + (uint32_t)(value >> shift);
}

/* The middle of a bucket's values. */
static double bucket_middle(uint32_t bucket)
{
	uint32_t shift = bucket >> SUB_BITS;
	uint64_t low;

	if (shift < 2)
		return bucket;
	low = (uint64_t)(TORUS_HISTOGRAM_SUB + bucket % TORUS_HISTOGRAM_SUB);
	return ldexp((double)low + 0.5, (int)shift - 1) - 0.5;
}

void torus_histogram_add(struct torus_histogram *h, uint64_t value, uint64_t n)
{
	h->count[bucket_of(value)] += n;
	h->total += n;
	if (value > h->max)
		h->max = value;
}

double torus_histogram_quantile(const struct torus_histogram *h, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)h->total);
	uint64_t seen = 0;
	uint32_t i;

	if (rank < 1)
		rank = 1;
	for (i = 0; i < TORUS_HISTOGRAM_BUCKETS; i++) {
		seen += h->count[i];
		if (seen >= rank && h->total)
			return fmin(bucket_middle(i), (double)h->max);
	}
	return (double)h->max;
}
