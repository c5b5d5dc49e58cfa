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
 * Return the two-sided p of Wilcoxon's signed-rank test of the hypothesis that
 * the values are symmetric about 0. Zeros are ignored, ties share their ranks.
 * Exact up to 200 values, beyond that the normal approximation. 1 if all are
 * zero.
 */
double torus_signed_rank(const double *value, size_t n);

#endif
