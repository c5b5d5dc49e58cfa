/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Confidence intervals, against values of a table of Student's t. */
#include "unit.h"

#include <math.h>

#include "report/spread.h"

static double half_width(const double *x, int n)
{
	struct torus_moments m = { 0 };

	for (int i = 0; i < n; i++)
		torus_moments_add(&m, x[i]);
	return torus_moments_half_width(&m);
}

static void by_hand(void **state)
{
	/* deviation 1, t of 2 degrees of freedom 4.302653 */
	const double three[] = { 1, 2, 3 };
	/* deviation sqrt(2.5), t of 4 degrees of freedom 2.776445 */
	const double five[] = { 1, 2, 3, 4, 5 };

	(void)state;
	assert_true(fabs(half_width(three, 3) - 4.302653 / sqrt(3)) < 1e-5);
	assert_true(fabs(half_width(five, 5) - 2.776445 * sqrt(2.5) / sqrt(5)) <
		    1e-5);
}

static void too_few(void **state)
{
	const double one[] = { 7 };

	(void)state;
	assert_true(isnan(half_width(one, 0)));
	assert_true(isnan(half_width(one, 1)));
}

/* Depression scores of nine patients (Hollander and Wolfe 1973, table 3.1): the
 * sum of the positive ranks is 40, one-sided p 0.01953. */
static void signed_rank(void **state)
{
	static const double x[] = { 1.83, 0.50, 1.62, 2.48, 1.68,
				    1.88, 1.55, 3.06, 1.30 };
	static const double y[] = { 0.878, 0.647, 0.598, 2.05, 1.06,
				    1.29,  1.06,  3.14,  1.29 };
	static const double six[] = { 1, 2, 3, 4, 5, 6 };
	static const double ties[] = { 1, -1, 0, 0 };
	double d[300];

	(void)state;
	for (int i = 0; i < 9; i++)
		d[i] = x[i] - y[i];
	assert_true(fabs(torus_signed_rank(d, 9) - 0.0390625) < 1e-12);
	assert_true(fabs(torus_signed_rank(six, 6) - 2 / 64.) < 1e-12);
	assert_true(fabs(torus_signed_rank(ties, 4) - 1) < 1e-12);
	assert_true(fabs(torus_signed_rank(ties + 2, 2) - 1) < 1e-12);
	/* 9540 of 200 ranks: exact, by the normal distribution 0.53415; the
	 * same of 201: 0.46005 */
	for (int i = 0; i < 201; i++)
		d[i] = (i % 20 < 11 ? 1 : -1) * (i + 0.5);
	assert_true(fabs(torus_signed_rank(d, 200) - 0.53415) < 0.002);
	assert_true(fabs(torus_signed_rank(d, 201) - 0.46005) < 0.00001);
}

/* The published example (Efron, Tibshirani 1993) needs their random numbers;
 * what holds of every BCa interval of skewed values does not. */
static void bca_intervals_follow_the_skew(void **state)
{
	static const double same[] = { 3, 3, 3, 3, 3, 3 };
	double value[40], mean = 0;
	struct torus_interval i, again, other;

	(void)state;
	for (int k = 0; k < 40; k++) {
		value[k] = -log((k + 0.5) / 40); /* exponential */
		mean += value[k] / 40;
	}
	i = torus_bootstrap_mean(value, 40);
	again = torus_bootstrap_mean(value, 40);
	assert_true(i.low < mean && mean < i.high);
	/* the long tail is on the right, and so is the longer arm */
	assert_true(i.high - mean > 1.2 * (mean - i.low));
	/* 1.96 sigmas of the mean, about */
	assert_true(fabs((i.high - i.low) / 2 - 1.96 / sqrt(40)) < 0.05);
	assert_memory_equal(&i, &again, sizeof(i));
	for (int k = 0; k < 40; k++)
		value[k] = -value[k];
	other = torus_bootstrap_mean(value, 40);
	assert_true(fabs(other.low + i.high) < 0.03 &&
		    fabs(other.high + i.low) < 0.03);
	i = torus_bootstrap_mean(same, 6);
	assert_true(fabs(i.low - 3) < 1e-12 && fabs(i.high - 3) < 1e-12);
	assert_true(isnan(torus_bootstrap_mean(same, 5).low));
}

/*
 * Coverage. Logs are drawn from a known process: pieces (weeks) whose values are skewed, as
 * waits are, with mean 1. Of each interval that is printed, 90 to 98 % must hold the mean.
 */
#define LOGS 600

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Gamma of shape 3, mean 1. */
static double skewed(void)
{
	return -(log(uniform()) + log(uniform()) + log(uniform())) / 3;
}

static void covered(const char *what, int hits)
{
	double share = (double)hits / LOGS;

	if (share < 0.9 || share > 0.98)
		fail_msg("%s: %.3f of the intervals hold the mean", what, share);
}

/* Independent seeds of a model, and batch means of a log: by t and by BCa. */
static void intervals_of_runs_and_batches_cover_the_mean(void **state)
{
	int by_t = 0, by_bca = 0;

	(void)state;
	for (int k = 0; k < LOGS; k++) {
		struct torus_moments m = { 0 };
		struct torus_interval bca;
		double value[26];

		for (int i = 0; i < 26; i++) {
			value[i] = skewed();
			torus_moments_add(&m, value[i]);
		}
		bca = torus_bootstrap_mean(value, 26);
		by_t += fabs(m.mean - 1) <= torus_moments_half_width(&m);
		by_bca += bca.low <= 1 && 1 <= bca.high;
	}
	covered("by t", by_t);
	covered("by BCa", by_bca);
}

/* Resamples of one log, of few weeks and of many; more resamples do not make the interval
 * narrower. */
static void intervals_of_resamples_cover_the_mean(void **state)
{
	static const uint32_t weeks[] = { 4, 8, 26 };

	(void)state;
	for (int w = 0; w < 3; w++) {
		const uint32_t n = weeks[w];
		int hits[2] = { 0, 0 };

		for (int k = 0; k < 2 * LOGS; k++) {
			uint32_t draws = k % 2 ? 200 : 40;
			double log[26], drawn[200], own = 0;
			struct torus_interval i;

			for (uint32_t j = 0; j < n; j++)
				own += (log[j] = skewed()) / n;
			for (uint32_t d = 0; d < draws; d++) {
				drawn[d] = 0;
				for (uint32_t j = 0; j < n; j++)
					drawn[d] +=
						log[(uint32_t)(uniform() * n)] /
						n;
			}
			i = torus_resample_interval(own, drawn, draws, n);
			hits[k % 2] += i.low <= 1 && 1 <= i.high;
		}
		covered("40 resamples", hits[0]);
		covered("200 resamples", hits[1]);
	}
	assert_true(isnan(
		torus_resample_interval(1, (double[]){ 1, 2 }, 2, 4).low));
}

static void holm_adjusts_in_order(void **state)
{
	double p[] = { 0.01, NAN, 0.04, 0.03, 0.005 };

	(void)state;
	torus_holm(p, 5);
	assert_true(fabs(p[0] - 0.03) < 1e-12);
	assert_true(isnan(p[1]));
	assert_true(fabs(p[2] - 0.06) < 1e-12); /* as large as the one before */
	assert_true(fabs(p[3] - 0.06) < 1e-12);
	assert_true(fabs(p[4] - 0.02) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(too_few),
		cmocka_unit_test(signed_rank),
		cmocka_unit_test(bca_intervals_follow_the_skew),
		cmocka_unit_test(intervals_of_runs_and_batches_cover_the_mean),
		cmocka_unit_test(intervals_of_resamples_cover_the_mean),
		cmocka_unit_test(holm_adjusts_in_order),
	};

	return UNIT_RUN(tests);
}
