/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Means of independent runs and how sure they are. */
#ifndef REPORT_SPREAD_H
#define REPORT_SPREAD_H

#include <stddef.h>

#include "replay/metrics.h"

/* Half the width of the two-sided 95 % confidence interval of the mean, by
 * Student's t; NAN below two values. */
double torus_moments_half_width(const struct torus_moments *moments);

struct torus_interval {
	double low, high; /* NAN: there is none */
};

#define TORUS_BOOTSTRAP_RESAMPLES 9999
#define TORUS_BOOTSTRAP_LEAST 6 /* values; fewer say nothing */

/*
 * The same by the bootstrap: bias-corrected and accelerated (Efron 1987), which
 * does not take the values for symmetric. The resamples are the same each time.
 * None below TORUS_BOOTSTRAP_LEAST values, or without memory.
 */
struct torus_interval torus_bootstrap_mean(const double *value, size_t n);

/*
 * Two-sided p of Wilcoxon's signed-rank test that the values are as often above
 * 0 as below; zeros are left out, ties share their ranks. Exact up to 200
 * values, above by the normal approximation. 1 where all are zero.
 */
double torus_signed_rank(const double *value, size_t n);

#endif
