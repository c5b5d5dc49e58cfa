/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that all searches of a submission have together, by thread and job. */
#include "unit.h"

#include "live/base/lock_hold.h"
#include "slurmctld/submit/submission.h"

#include <pthread.h>
#include <stdlib.h>

/* What a thread that checks nothing gets for job 7. */
static void *elsewhere(void *arg)
{
	*(int64_t **)arg = submission_spent_us_of(7, time(NULL));
	return NULL;
}

static void searches_of_a_submission_share_a_clock(void **state)
{
	int64_t *other = (int64_t *)state;
	pthread_t thread;

	assert_null(submission_spent_us_of(7, time(NULL)));
	submission_begin(0);
	*submission_spent_us() = 300;
	/* the job gets its id after job_submit's check */
	assert_int_equal(*submission_spent_us_of(7, time(NULL)), 300);
	assert_null(submission_spent_us_of(8, time(NULL)));
	assert_int_equal(pthread_create(&thread, NULL, elsewhere, &other), 0);
	pthread_join(thread, NULL);
	assert_null(other);
	submission_begin(0);
	assert_int_equal(*submission_spent_us_of(8, time(NULL)), 0);
}

/* The thread's next request is about a job that was submitted before, or the plugin
 * itself refused the submission: nothing is spent of that job's time. */
static void a_refused_submission_leaves_the_next_job_its_time(void **state)
{
	(void)state;
	submission_begin(0);
	*submission_spent_us() = 300;
	assert_null(submission_spent_us_of(9, time(NULL) - 5));
	assert_int_equal(*submission_spent_us_of(10, time(NULL)), 300);
	submission_begin(0);
	*submission_spent_us() = 300;
	submission_refused();
	assert_null(submission_spent_us_of(9, time(NULL)));
}

static void an_update_finds_the_clock_of_its_job(void **state)
{
	(void)state;
	submission_begin(7);
	assert_null(submission_spent_us_of(8, time(NULL)));
	assert_int_equal(*submission_spent_us_of(7, time(NULL)), 0);
}

/* Nothing is left: the search ends at its first step. */
static void a_spent_limit_ends_the_search_at_once(void **state)
{
	struct lock_hold_limit limit;
	int64_t spent_us = 0;

	(void)state;
	lock_hold_limit_begin_of(&limit, &spent_us);
	assert_false(limit.limit.cut);
	lock_hold_limit_end_of(&limit, &spent_us);
	spent_us = SEARCH_US;
	lock_hold_limit_begin_of(&limit, &spent_us);
	assert_true(limit.limit.cut);
	assert_true(lock_hold_limit_passed(&limit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searches_of_a_submission_share_a_clock),
		cmocka_unit_test(
			a_refused_submission_leaves_the_next_job_its_time),
		cmocka_unit_test(an_update_finds_the_clock_of_its_job),
		cmocka_unit_test(a_spent_limit_ends_the_search_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
