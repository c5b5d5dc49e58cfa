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

/* Return the 95 % interval of the mean of independent values, by Student's t adjusted for
 * their skewness. NAN below two values. */
struct torus_interval torus_mean_interval(const double *value, size_t n);

/*
 * The same of batch means of one log, in order. Neighbours that are alike tell less:
 * *independent is the number of independent batches that would tell as much, and the
 * interval is theirs. NAN (undecided) if the batches or *independent are too few.
 */
#define TORUS_BATCHES_LEAST 8
#define TORUS_BATCHES_INDEPENDENT 4
struct torus_interval torus_batch_interval(const double *value, size_t n,
					   double *independent);

/*
 * Return the interval around a log's own value from the values of resamples of it, that were
 * drawn from so many pieces (weeks; 0: unknown, many), by their standard deviation. The
 * resamples of n pieces vary less than logs do by sqrt((n - 1) / n), and few pieces are
 * widened as Student's t is. The skewness is that of the log's own days where there are
 * TORUS_BATCHES_LEAST of them, or else that of the resamples. More resamples do not make it
 * narrower. NAN below TORUS_RESAMPLES_LEAST values or 2 pieces.
 */
#define TORUS_RESAMPLES_LEAST 39
struct torus_interval torus_resample_interval(double own, const double *value,
					      size_t n, uint32_t pieces,
					      const double *day, size_t days);

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
