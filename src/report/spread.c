/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confidence intervals and a test (spread.h), by the GNU Scientific Library.
 *
 * Waits are skewed and differences of waits more so: the interval by Student's t then lies
 * too low. Willink (2005: A confidence interval and test for the mean of an asymmetric
 * distribution, (3)) turns the quantiles of t by the inverse of a cubic of the skewness.
 * Tafazzoli, Steiger, Wilson (2011: N-Skart, IEEE Trans. Automatic Control 56) do so with
 * batch means, and widen by the correlation of neighbours. Cost: O(n).
 */
#include "report/spread.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#define MOST_EXACT 200
#define MANY 1000
/* The variance of skewed values is known as well as that of so large a share of normal
 * ones, and better where the skewness is that of many days; found with logs of known
 * processes (testsuite/unit/test_spread.c). */
#define FREEDOM 0.6
#define FREEDOM_RESAMPLES 0.8

double torus_moments_half_width(const struct torus_moments *moments)
{
	double n = (double)moments->n;

	if (moments->n < 2)
		return NAN;
	return gsl_cdf_tdist_Pinv(0.975, n - 1) *
	       sqrt(torus_moments_variance(moments) / n);
}

/* Return the skewness of the mean of n values, of which `independent` are; 0 below three. */
static double spread_skewness(const double *value, size_t n, double independent)
{
	double mean = gsl_stats_mean(value, 1, n), cube = 0, deviation;

	if (n < 3)
		return 0;
	deviation = gsl_stats_sd_m(value, 1, n, mean);
	if (!(deviation > 0))
		return 0;
	for (size_t i = 0; i < n; i++)
		cube += pow((value[i] - mean) / deviation, 3);
	return cube * (double)n /
	       ((double)(n - 1) * (double)(n - 2) * sqrt(independent));
}

/* Return how many independent values tell as much as n that follow each other, by the
 * correlation of neighbours; its estimate is too low by 1/n. */
static double spread_independent(const double *value, size_t n)
{
	double mean = gsl_stats_mean(value, 1, n), all = 0, next = 0, r;

	for (size_t i = 0; i < n; i++) {
		all += (value[i] - mean) * (value[i] - mean);
		if (i)
			next += (value[i] - mean) * (value[i - 1] - mean);
	}
	r = all > 0 ? fmin(fmax(next / all + 1 / (double)n, 0), 0.9) : 0;
	return (double)n * (1 - r) / (1 + r);
}

/* Return the quantile t, turned by the skewness of the estimate (Willink). */
static double spread_turned(double t, double skewness)
{
	double b = skewness / 6;

	return fabs(b) < 1e-6 ? t : (cbrt(1 + 6 * b * (t - b)) - 1) / (2 * b);
}

/* Return the interval around an estimate from its standard error, its skewness and the
 * degrees of freedom. */
static struct torus_interval spread_interval(double estimate, double error,
					     double skewness, double freedom)
{
	double t = gsl_cdf_tdist_Pinv(0.975, freedom);

	return (struct torus_interval){
		estimate - fmax(0, spread_turned(t, skewness)) * error,
		estimate - fmin(0, spread_turned(-t, skewness)) * error,
	};
}

struct torus_interval torus_mean_interval(const double *value, size_t n)
{
	double mean;

	if (n < 2)
		return (struct torus_interval){ NAN, NAN };
	mean = gsl_stats_mean(value, 1, n);
	return spread_interval(mean,
			       gsl_stats_sd_m(value, 1, n, mean) /
				       sqrt((double)n),
			       spread_skewness(value, n, (double)n),
			       FREEDOM * (double)(n - 1));
}

struct torus_interval torus_batch_interval(const double *value, size_t n,
					   double *independent)
{
	double mean;

	*independent = n ? spread_independent(value, n) : 0;
	if (n < TORUS_BATCHES_LEAST || *independent < TORUS_BATCHES_INDEPENDENT)
		return (struct torus_interval){ NAN, NAN };
	mean = gsl_stats_mean(value, 1, n);
	return spread_interval(mean,
			       gsl_stats_sd_m(value, 1, n, mean) /
				       sqrt(*independent),
			       spread_skewness(value, n, *independent),
			       *independent - 1);
}

struct torus_interval torus_resample_interval(double own, const double *value,
					      size_t n, uint32_t pieces,
					      const double *day, size_t days)
{
	double error, skewness;

	if (n < TORUS_RESAMPLES_LEAST || pieces == 1)
		return (struct torus_interval){ NAN, NAN };
	error = gsl_stats_sd(value, 1, n) *
		(pieces ? sqrt(pieces / (pieces - 1.)) : 1);
	skewness = days >= TORUS_BATCHES_LEAST ?
			   spread_skewness(day, days,
					   spread_independent(day, days)) :
			   spread_skewness(value, n, 1);
	return spread_interval(own, error, skewness,
			       FREEDOM_RESAMPLES *
				       (pieces ? pieces - 1. : MANY));
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
		if (m <= MOST_EXACT)
			share = exact_share(twice, m, above);
		else {
			double mean = (double)m * (double)(m + 1) / 2,
			       square = 0;

			for (size_t i = 0; i < m; i++)
				square += (double)twice[i] * (double)twice[i] /
					  4;
			/* continuity correction */
			share = gsl_cdf_ugaussian_P(((double)above + 1 - mean) /
						    sqrt(square));
		}
	}
	free(left);
	free(twice);
	return fmin(1, 2 * share);
}
