/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Means of independent runs and their uncertainty. */
#ifndef REPORT_SPREAD_H
#define REPORT_SPREAD_H

#include <stddef.h>

#include "replay/metrics.h"

/* Return half the width of the two-sided 95 % confidence interval of the mean,
 * by Student's t; NAN below two values. */
double torus_moments_half_width(const struct torus_moments *moments);

struct torus_interval {
	double low, high; /* NAN: there is none */
};

#define TORUS_BOOTSTRAP_RESAMPLES 9999
#define TORUS_BOOTSTRAP_LEAST 6 /* minimum number of values */

/*
 * Return the interval of the mean by the bootstrap: bias-corrected and
 * accelerated (Efron 1987), without assuming symmetry. The resamples are the
 * same each time. NAN below TORUS_BOOTSTRAP_LEAST values, or without memory.
 */
struct torus_interval torus_bootstrap_mean(const double *value, size_t n);

/*
 * Return the interval around a log's own value from the values of resamples of it, that were
 * drawn from so many pieces (weeks; 0: unknown, many): their percentiles 2.5 and 97.5 as
 * distances from their median, widened as Student's t is for few pieces, since the
 * resamples of n pieces vary less than logs do by sqrt((n - 1) / n) (Hesterberg 2015, the
 * expanded percentile interval). More resamples do not make it narrower. NAN below
 * TORUS_RESAMPLES_LEAST values or 2 pieces, or without memory.
 */
#define TORUS_RESAMPLES_LEAST 39
struct torus_interval torus_resample_interval(double own, const double *value,
					      size_t n, uint32_t pieces);

/*
 * Adjust the p of a family of tests by Holm (1979), in place: the k-th least of m becomes
 * (m - k + 1) p, at least as large as the one before, at most 1. NAN are no tests. O(m^2).
 */
void torus_holm(double *p, size_t m);

/*
 * Return the two-sided p of Wilcoxon's signed-rank test of the hypothesis that
 * the values are symmetric about 0. Zeros are ignored, ties share their ranks.
 * Exact up to 200 values, beyond that the normal approximation. 1 if all are
 * zero.
 */
double torus_signed_rank(const double *value, size_t n);

#endif
