/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confidence intervals and a test (spread.h), by the GNU Scientific Library.
 *
 * BCa (Efron, Tibshirani: An Introduction to the Bootstrap, 1993, 14.3):
 * instead of the 2.5 % and 97.5 % quantiles of the resampled means it takes
 * other quantiles. They follow from a bias (the share of resampled means below
 * the mean) and an acceleration (the skewness of the jackknifed means). Cost:
 * O(resamples x n).
 */
#include "report/spread.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#define MOST_EXACT 200
#define SEED 20031

double torus_moments_half_width(const struct torus_moments *moments)
{
	double n = (double)moments->n;

	if (moments->n < 2)
		return NAN;
	return gsl_cdf_tdist_Pinv(0.975, n - 1) *
	       sqrt(torus_moments_variance(moments) / n);
}

/* Return a sixth of the skewness of the means that omit one value. */
static double spread_acceleration(const double *value, size_t n, double mean)
{
	double square = 0, cube = 0;

	for (size_t i = 0; i < n; i++) {
		double d = (value[i] - mean) / (double)(n - 1);

		square += d * d;
		cube += d * d * d;
	}
	return square > 0 ? cube / (6 * pow(square, 1.5)) : 0;
}

/* Return the distance of the mean from the median of the resampled means, in
 * sigmas. */
static double spread_bias(const double *resampled, double mean)
{
	const double all = TORUS_BOOTSTRAP_RESAMPLES;
	double below = 0;

	for (size_t b = 0; b < TORUS_BOOTSTRAP_RESAMPLES; b++)
		below += resampled[b] < mean ? 1 :
			 resampled[b] > mean ? 0 :
					       0.5;
	return gsl_cdf_ugaussian_Pinv(fmin(fmax(below, 0.5), all - 0.5) / all);
}

static double end_of(const double *resampled, double z0, double a, double z)
{
	double q = gsl_cdf_ugaussian_P(z0 + (z0 + z) / (1 - a * (z0 + z)));

	return gsl_stats_quantile_from_sorted_data(resampled, 1,
						   TORUS_BOOTSTRAP_RESAMPLES, q);
}

struct torus_interval torus_bootstrap_mean(const double *value, size_t n)
{
	struct torus_interval interval = { NAN, NAN };
	double *mean, centre, z0, a;
	gsl_rng *random;

	if (n < TORUS_BOOTSTRAP_LEAST)
		return interval;
	mean = malloc(TORUS_BOOTSTRAP_RESAMPLES * sizeof(*mean));
	random = gsl_rng_alloc(gsl_rng_mt19937);
	if (mean && random) {
		gsl_rng_set(random, SEED);
		centre = gsl_stats_mean(value, 1, n);
		/* means of samples drawn with replacement, ascending */
		for (size_t b = 0; b < TORUS_BOOTSTRAP_RESAMPLES; b++) {
			double sum = 0;

			for (size_t i = 0; i < n; i++)
				sum += value[gsl_rng_uniform_int(random, n)];
			mean[b] = sum / (double)n;
		}
		gsl_sort(mean, 1, TORUS_BOOTSTRAP_RESAMPLES);
		z0 = spread_bias(mean, centre);
		a = spread_acceleration(value, n, centre);
		interval.low = end_of(mean, z0, a,
				      gsl_cdf_ugaussian_Pinv(0.025));
		interval.high = end_of(mean, z0, a,
				       gsl_cdf_ugaussian_Pinv(0.975));
	}
	if (random)
		gsl_rng_free(random);
	free(mean);
	return interval;
}

/* Return the quantile q by the positions i / (n + 1) (Weibull), which is not too near to
 * the middle for few values. */
static double plotted(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n + 1) - 1;
	size_t i = at > 0 ? (size_t)at : 0;

	if (at <= 0 || i + 1 >= n)
		return sorted[at <= 0 ? 0 : n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

struct torus_interval torus_resample_interval(double own, const double *value,
					      size_t n, uint32_t pieces)
{
	struct torus_interval interval = { NAN, NAN };
	double *sorted, median, wider = 1;

	if (n < TORUS_RESAMPLES_LEAST || pieces == 1)
		return interval;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return interval;
	for (size_t i = 0; i < n; i++)
		sorted[i] = value[i];
	gsl_sort(sorted, 1, n);
	median = gsl_stats_median_from_sorted_data(sorted, 1, n);
	if (pieces)
		wider = gsl_cdf_tdist_Pinv(0.975, pieces - 1) /
			gsl_cdf_ugaussian_Pinv(0.975) *
			sqrt((double)pieces / (pieces - 1));
	interval.low = own - wider * (median - plotted(sorted, n, 0.025));
	interval.high = own + wider * (plotted(sorted, n, 0.975) - median);
	free(sorted);
	return interval;
}

void torus_holm(double *p, size_t m)
{
	double largest = 0;
	size_t tests = 0;

	for (size_t i = 0; i < m; i++)
		tests += !isnan(p[i]);
	for (size_t k = 0, todo = tests; k < tests; k++, todo--) {
		size_t least = m;

		/* adjusted ones are marked by their sign */
		for (size_t i = 0; i < m; i++)
			if (!isnan(p[i]) && !signbit(p[i]) &&
			    (least == m || p[i] < p[least]))
				least = i;
		largest = fmax(largest, fmin(1, p[least] * (double)todo));
		p[least] = -largest;
	}
	for (size_t i = 0; i < m; i++)
		p[i] = fabs(p[i]);
}

static int by_size(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return (x > y) - (x < y);
}

/* Fill twice the rank of each value (ties: of their middle). Return twice the
 * sum of the ranks of values above 0. */
static size_t spread_ranks(const double *value, size_t n, size_t *twice)
{
	size_t above = 0;

	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && !(fabs(value[j]) > fabs(value[i])); j++)
			;
		for (size_t k = i; k < j; k++) {
			twice[k] = i + 1 + j;
			above += value[k] > 0 ? twice[k] : 0;
		}
	}
	return above;
}

/* Return P(sum <= above) if each rank counts with probability 1/2. */
static double exact_share(const size_t *twice, size_t n, size_t above)
{
	size_t most = n * (n + 1), sum;
	double *p = calloc(most + 1, sizeof(*p)), share = 0;

	if (!p)
		return NAN;
	p[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (sum = most + 1; sum-- > 0;)
			p[sum] = (p[sum] +
				  (sum >= twice[i] ? p[sum - twice[i]] : 0)) /
				 2;
	for (sum = 0; sum <= above; sum++)
		share += p[sum];
	free(p);
	return share;
}

static double normal_share(const size_t *twice, size_t n, size_t above)
{
	double mean = (double)n * (double)(n + 1) / 2, square = 0;

	for (size_t i = 0; i < n; i++)
		square += (double)twice[i] * (double)twice[i] / 4;
	/* continuity correction */
	return gsl_cdf_ugaussian_P(((double)above + 1 - mean) / sqrt(square));
}

double torus_signed_rank(const double *value, size_t n)
{
	double *left = malloc((n + 1) * sizeof(*left)), share = NAN;
	size_t *twice = malloc((n + 1) * sizeof(*twice));
	size_t m = 0, above, most;

	for (size_t i = 0; left && i < n; i++)
		if (value[i] < 0 || value[i] > 0)
			left[m++] = value[i];
	if (left && twice && m) {
		qsort(left, m, sizeof(*left), by_size);
		above = spread_ranks(left, m, twice);
		most = m * (m + 1);
		above = above < most - above ? above : most - above;
		share = m <= MOST_EXACT ? exact_share(twice, m, above) :
					  normal_share(twice, m, above);
	}
	free(left);
	free(twice);
	return fmin(1, 2 * share);
}
