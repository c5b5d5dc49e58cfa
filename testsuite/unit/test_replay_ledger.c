/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trimmed measures and users, against numbers worked out by hand. */
#include "unit.h"

#include <math.h>

#include "replay/ledger.h"

#define S INT64_C(1000000)

static struct torus_ledger *ledger;

static void add(const char *user, uint32_t nodes, int64_t submit, int64_t start,
		int64_t end, enum torus_outcome outcome)
{
	struct torus_account a = {
		.outcome = outcome,
		.requested = nodes,
		.granted = outcome == TORUS_OUTCOME_REJECTED ? 0 : 2 * nodes,
		.submit_us = submit * S,
		.start_us = start * S,
		.end_us = end * S,
		.run_us = (end - start) * S,
	};

	assert_int_equal(torus_ledger_add(ledger, &a, user), 0);
}

/*
 * Submits at 0, 20, 40, 60, 100. Without the first 20 and the last 40 %:
 * the window is 20..60 s.
 *
 * Twice the nodes are granted.
 *
 *	user nodes submit start  end	in the window: run	queue
 *	ann	4	0     0   30	10 s			0
 *	bob	2	20   30   50	20 s			10
 *	ann	1	40   50   90	10 s			10
 *	eve	8	60    -   60	rejected at once	0
 *	bob	2	100 100  120	-			-
 */
static void fill(void)
{
	ledger = torus_ledger_create();
	assert_non_null(ledger);
	add("ann", 4, 0, 0, 30, TORUS_OUTCOME_COMPLETED);
	add("eve", 8, 60, 0, 60, TORUS_OUTCOME_REJECTED);
	add("bob", 2, 20, 30, 50, TORUS_OUTCOME_COMPLETED);
	add("bob", 2, 100, 100, 120, TORUS_OUTCOME_COMPLETED);
	add("ann", 1, 40, 50, 90, TORUS_OUTCOME_COMPLETED);
}

static void close_to(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("got %.17g, expected %.17g", got, expected);
}

static void a_trimmed_window_measures_its_jobs_only(void **state)
{
	const struct torus_trim trim = { { false, true }, { 20e6, 0.4 } };
	struct torus_metrics *m = torus_metrics_create();

	(void)state;
	fill();
	assert_int_equal(torus_ledger_trim(ledger, &trim, m, NULL), 0);
	assert_true(m->first_submit_us == 20 * S && m->last_end_us == 60 * S);
	assert_int_equal(m->jobs, 3);
	assert_int_equal(m->outcome[TORUS_OUTCOME_COMPLETED], 2);
	assert_int_equal(m->outcome[TORUS_OUTCOME_REJECTED], 1);
	close_to(m->wait.mean, 10);
	close_to(m->response.mean, 40);
	close_to(torus_metrics_utilization(m, 8, false),
		 (4 * 10 + 2 * 20 + 1 * 10) / (8 * 40.0));
	close_to(torus_metrics_utilization(m, 8, true),
		 2 * (4 * 10 + 2 * 20 + 1 * 10) / (8 * 40.0));
	close_to(torus_metrics_queue(m), 20 / 40.0);
	close_to(torus_metrics_running(m), 40 / 40.0);
	torus_metrics_destroy(m);
	torus_ledger_destroy(ledger);
}

/* Nothing cut: the running sums, but for the span, which ends with the last
 * submit. */
static void without_a_trim_the_sums_are_the_same(void **state)
{
	const struct torus_trim trim = { { false, false }, { 0, 0 } };
	struct torus_metrics *m = torus_metrics_create();

	(void)state;
	fill();
	assert_int_equal(torus_ledger_trim(ledger, &trim, m, NULL), 0);
	assert_int_equal(m->jobs, 5);
	close_to(m->wait.mean, (0 + 10 + 10 + 0) / 4.0);
	close_to(torus_metrics_utilization(m, 8, false),
		 (4 * 30 + 2 * 20 + 1 * 40) / (8 * 100.0));
	torus_metrics_destroy(m);
	torus_ledger_destroy(ledger);
}

static void nothing_left(void **state)
{
	static const struct torus_trim trim[] = {
		{ { true, true }, { 0.5, 0.5 } },
		{ { true, true }, { 0.9, 0.9 } },
		{ { false, false }, { 60e6, 40e6 } },
		{ { false, false }, { 1e300, 0 } },
	};
	struct torus_metrics *m = torus_metrics_create();
	struct torus_error err = { 0 };

	(void)state;
	fill();
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(torus_ledger_trim(ledger, &trim[i], m, &err),
				 -1);
	assert_int_equal(err.count, 4);
	assert_non_null(strstr(err.text, "nothing is left of 100 s"));
	torus_ledger_destroy(ledger);
	ledger = torus_ledger_create();
	assert_int_equal(torus_ledger_trim(ledger, &trim[0], m, &err), -1);
	torus_ledger_destroy(ledger);
	torus_metrics_destroy(m);
}

/* What ran before it was preempted counts where its last part begins. */
static void work_before_a_preemption_counts_with_the_last_part(void **state)
{
	const struct torus_trim trim = { { false, false }, { 20e6, 20e6 } };
	static const struct {
		int64_t start;
		double share; /* of 40 s on 8 nodes */
	} row[] = {
		{ 50, (10 + 5) * 4 / 320.0 },
		{ 70, 0 },
		{ 15, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_metrics *m = torus_metrics_create();
		struct torus_account a = {
			.outcome = TORUS_OUTCOME_COMPLETED,
			.requested = 4,
			.granted = 4,
			.submit_us = 10 * S,
			.start_us = row[i].start * S,
			.end_us = (row[i].start + 5) * S,
			.ran_us = 10 * S,
			.run_us = 15 * S,
		};

		ledger = torus_ledger_create();
		add("ann", 1, 0, 0, 0, TORUS_OUTCOME_REJECTED);
		add("ann", 1, 80, 0, 80, TORUS_OUTCOME_REJECTED);
		assert_int_equal(torus_ledger_add(ledger, &a, "ann"), 0);
		assert_int_equal(torus_ledger_trim(ledger, &trim, m, NULL), 0);
		close_to(torus_metrics_utilization(m, 8, false), row[i].share);
		torus_metrics_destroy(m);
		torus_ledger_destroy(ledger);
	}
}

static void each_user_has_own_means(void **state)
{
	const struct torus_ledger_user *u;
	size_t n;

	(void)state;
	fill();
	assert_int_equal(torus_ledger_users(ledger, INT64_MIN, INT64_MAX, &u,
					    &n),
			 0);
	assert_int_equal(n, 3);
	assert_string_equal(u[0].name, "ann");
	assert_string_equal(u[1].name, "bob");
	assert_string_equal(u[2].name, "eve");
	assert_int_equal(u[0].jobs, 2);
	close_to(u[0].wait.mean, 5);
	close_to(u[0].response.mean, 40);
	close_to(u[0].node_s, 4 * 30 + 40);
	close_to(u[0].slowdown.mean, (1 + 50 / 40.0) / 2);
	assert_int_equal(u[2].jobs, 1);
	assert_int_equal(u[2].completed, 0);
	close_to(u[2].node_s, 0);
	/* of a window only, and then without those who have nothing in it */
	assert_int_equal(torus_ledger_users(ledger, 20 * S, 40 * S, &u, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(u[0].jobs, 1);
	close_to(u[0].response.mean, 50);
	torus_ledger_destroy(ledger);
}

/* Thousands of names, in an order that is bad for a sorted array. */
static void thousands_of_users_are_kept_sorted(void **state)
{
	const struct torus_ledger_user *u;
	char name[32];
	size_t n;

	(void)state;
	ledger = torus_ledger_create();
	for (int i = 5000; i; i--) {
		snprintf(name, sizeof(name), "u%04d", i % 2500);
		add(name, 1, i, i, i + 1, TORUS_OUTCOME_COMPLETED);
	}
	assert_int_equal(torus_ledger_users(ledger, INT64_MIN, INT64_MAX, &u,
					    &n),
			 0);
	assert_int_equal(n, 2500);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "u%04zu", i);
		assert_string_equal(u[i].name, name);
		assert_int_equal(u[i].jobs, 2);
	}
	torus_ledger_destroy(ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trimmed_window_measures_its_jobs_only),
		cmocka_unit_test(without_a_trim_the_sums_are_the_same),
		cmocka_unit_test(nothing_left),
		cmocka_unit_test(
			work_before_a_preemption_counts_with_the_last_part),
		cmocka_unit_test(each_user_has_own_means),
		cmocka_unit_test(thousands_of_users_are_kept_sorted),
	};

	return UNIT_RUN(tests);
}
