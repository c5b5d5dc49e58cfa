/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histogram with buckets that grow with the value (histogram.h). Values below
 * 512 have a bucket each; larger values are cut to their leading 10 bits:
 *
 *	value 0 .. 511 | 512 .. 1023 | 1024 .. 2047    | 2048 .. 4095
 *	width     1    |      1      | 2 (512 buckets) | 4 (512 buckets) ...
 */
#include "replay/histogram.h"

#include <math.h>

#define SUB_BITS 9

static uint32_t histogram_bucket_of(uint64_t value)
{
	uint32_t shift;

	if (value < TORUS_HISTOGRAM_SUB)
		return (uint32_t)value;
	shift = 63 - (uint32_t)__builtin_clzll(value) - SUB_BITS;
	return (shift << SUB_BITS) + (uint32_t)(value >> shift);
}

void torus_histogram_add(struct torus_histogram *h, uint64_t value, uint64_t n)
{
	uint32_t b = histogram_bucket_of(value);

	h->bucket[b].count += n;
	h->bucket[b].sum += (double)value * (double)n;
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
		seen += h->bucket[i].count;
		if (seen >= rank && h->total)
			return h->bucket[i].sum / (double)h->bucket[i].count;
	}
	return (double)h->max;
}
