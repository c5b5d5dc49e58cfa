/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of a replay, and quantiles, against numbers worked out by hand. */
#include "unit.h"

#include <math.h>

#include "replay/metrics.h"

#define S INT64_C(1000000)

static void close_to(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-12 * fmax(1, fabs(expected))))
		fail_msg("got %.17g, expected %.17g", got, expected);
}

static struct torus_account job(enum torus_outcome outcome, uint32_t nodes,
				uint32_t granted, int64_t submit, int64_t start,
				int64_t end)
{
	return (struct torus_account){
		.outcome = outcome,
		.requested = nodes,
		.granted = granted,
		.submit_us = submit * S,
		.start_us = start * S,
		.end_us = end * S,
		.run_us = (end - start) * S,
	};
}

/*
 * Four nodes. a: 0, 2 nodes, 0-10; b: 1, 3 nodes (4 granted), 10-12;
 * c: 2, rejected at once; d: 3, 1 node, 12-112, after its deadline.
 */
static struct torus_metrics *example(void)
{
	struct torus_metrics *m = torus_metrics_create();
	struct torus_account list[] = {
		job(TORUS_OUTCOME_REJECTED, 9, 0, 2, 0, 2),
		job(TORUS_OUTCOME_COMPLETED, 2, 2, 0, 0, 10),
		job(TORUS_OUTCOME_COMPLETED, 3, 4, 1, 10, 12),
		job(TORUS_OUTCOME_MISSED, 1, 1, 3, 12, 112),
	};

	assert_non_null(m);
	list[0].deadline = list[1].deadline = list[3].deadline = true;
	list[0].run_us = 5 * S;
	for (int i = 0; i < 4; i++) {
		torus_metrics_submit(m, list[i].submit_us);
		torus_metrics_add(m, &list[i]);
	}
	return m;
}

static void by_hand(void **state)
{
	struct torus_metrics *m = example();

	(void)state;
	assert_int_equal(m->jobs, 4);
	assert_int_equal(m->outcome[TORUS_OUTCOME_COMPLETED], 2);
	assert_int_equal(m->outcome[TORUS_OUTCOME_REJECTED], 1);
	assert_int_equal(m->outcome[TORUS_OUTCOME_MISSED], 1);
	close_to(torus_metrics_span(m), 112);
	/* only the completed ones: waits 0 and 9, responses 10 and 11 */
	close_to(m->wait.mean, 4.5);
	close_to(m->response.mean, 10.5);
	close_to(torus_moments_variance(&m->response), 0.5);
	close_to(torus_histogram_quantile(&m->wait_us, 0.5), 0);
	close_to(torus_histogram_quantile(&m->wait_us, 0.9), 9e6);
	close_to(torus_histogram_quantile(&m->response_us, 0.5), 10e6);
	close_to(torus_histogram_quantile(&m->slowdown_millionths, 1), 1.1e6);
	/* max(1, 10/10) and (9+2)/max(2,10) */
	close_to(m->slowdown.mean, (1 + 1.1) / 2);
	close_to(torus_metrics_utilization(m, 4, false),
		 (20 + 6 + 100) / (4 * 112.));
	close_to(torus_metrics_utilization(m, 4, true),
		 (20 + 8 + 100) / (4 * 112.));
	close_to(torus_metrics_queue(m), (0 + 9 + 0 + 9) / 112.);
	close_to(torus_metrics_running(m), (10 + 2 + 100) / 112.);
	/* b has no deadline; work 9 x 5 and 1 x 100 of 45 + 20 + 100 */
	close_to(torus_metrics_miss(m, false), 2 / 3.);
	close_to(torus_metrics_miss(m, true), 145 / 165.);
	torus_metrics_destroy(m);
}

static void without_jobs_there_are_no_means(void **state)
{
	struct torus_metrics *m = torus_metrics_create();

	(void)state;
	assert_true(isnan(torus_metrics_span(m)));
	assert_true(isnan(torus_metrics_utilization(m, 4, false)));
	assert_true(isnan(torus_metrics_queue(m)));
	assert_true(isnan(torus_metrics_miss(m, false)));
	assert_true(isnan(torus_moments_variance(&m->response)));
	torus_metrics_destroy(m);
}

static double slowdown(int64_t wait_us, int64_t run_us, int64_t bound_us)
{
	struct torus_account job = { .start_us = wait_us,
				     .end_us = wait_us + run_us,
				     .bound_us = bound_us };

	return torus_account_slowdown(&job);
}

static void slowdown_is_bounded(void **state)
{
	(void)state;
	close_to(slowdown(0, 0, 0), 1);
	close_to(slowdown(0, 5 * S, 0), 1);
	close_to(slowdown(4 * S, 5 * S, 0), 1);
	close_to(slowdown(15 * S, 5 * S, 0), 2);
	close_to(slowdown(10 * S, 10 * S, 0), 2);
	close_to(slowdown(300 * S, 100 * S, 0), 4);
	close_to(slowdown(300 * S, 100 * S, 200 * S), 2);
	close_to(slowdown(9 * S, 1 * S, 1), 10);
}

/* Large means with small variance: where a sum of squares loses all. */
static void variance_holds_for_large_means(void **state)
{
	struct torus_moments m = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		torus_moments_add(&m, 1e9 + (i % 2));
	close_to(m.mean, 1e9 + 0.5);
	if (fabs(torus_moments_variance(&m) - 250. / 999) > 1e-6)
		fail_msg("variance %.17g", torus_moments_variance(&m));
}

static void quantiles_are_within_a_bucket(void **state)
{
	static struct torus_histogram h;

	(void)state;
	close_to(torus_histogram_quantile(&h, 0.5), 0);
	assert_true(isnan(torus_histogram_mean(&h)));
	for (uint64_t i = 1; i <= 100; i++)
		torus_histogram_add(&h, i, 1);
	close_to(torus_histogram_mean(&h), 50.5);
	close_to(torus_histogram_quantile(&h, 0.5), 50);
	close_to(torus_histogram_quantile(&h, 0.99), 99);
	close_to(torus_histogram_quantile(&h, 1), 100);
	close_to(torus_histogram_quantile(&h, 0), 1);
}

/* Any value of any size comes back as it was, beside others of its bucket within
 * 0.2 %. */
static void values_return_within_their_bucket(void **state)
{
	(void)state;
	for (uint64_t v = 1; v < UINT64_MAX / 3 * 2; v += v / 7 + 1) {
		struct torus_histogram *h = calloc(1, sizeof(*h));
		double got;

		assert_non_null(h);
		torus_histogram_add(h, v, 3);
		close_to(torus_histogram_mean(h), (double)v);
		torus_histogram_add(h, UINT64_MAX, 1);
		got = torus_histogram_quantile(h, 0.5);
		close_to(got, (double)v);
		torus_histogram_add(h, v + v / 2000, 3);
		got = torus_histogram_quantile(h, 0.25);
		if (fabs(got - (double)v) > 0.002 * (double)v)
			fail_msg("%.17g for %llu", got, (unsigned long long)v);
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(without_jobs_there_are_no_means),
		cmocka_unit_test(slowdown_is_bounded),
		cmocka_unit_test(variance_holds_for_large_means),
		cmocka_unit_test(quantiles_are_within_a_bucket),
		cmocka_unit_test(values_return_within_their_bucket),
	};

	return UNIT_RUN(tests);
}
