/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The places that `sbatch --test-only` plans around: written by the cycle's thread, forgotten
 * by the one that stops the plugin, read by Slurm's. The functions of slurmctld are
 * fake_slurm.c's: a bitmap that was freed has all nodes.
 */
#include "torus_build.h" /* before Slurm's config.h */

#include <pthread.h>
#include <stdatomic.h>

#include "slurmctld/instance/job_request.h"
#include "slurmctld/select/test_only.h"
#include "slurmctld/submit/submission.h"

#include "fake_slurm.h"
#include "unit.h"

#define ROUNDS 1000000
#define PLACES 8

static struct fake_list table;
static struct job_details details;
static job_record_t asks, waits[PLACES];
static atomic_bool over;
static int64_t limit_us;

job_record_t *find_job_record(uint32_t id)
{
	return id >= 1 && id <= PLACES ? &waits[id - 1] : NULL;
}

int64_t job_request_limit_us(const job_record_t *job, const part_record_t *part)
{
	(void)job;
	(void)part;
	return limit_us;
}

/* (for asks with a shape, which live tests have) */
void node_map_from_slurm(const struct node_map *map, const bitstr_t *nodes,
			 uint64_t *to)
{
	(void)map;
	(void)nodes;
	(void)to;
}

int64_t *submission_spent_us_of(uint32_t job, time_t submitted_at)
{
	static int64_t spent_us;

	(void)submitted_at;
	return job == asks.job_id ? &spent_us : NULL;
}

/* The places of jobs 1 to PLACES: nodes 0 to PLACES - 1. */
static void expect_all(void)
{
	for (uint32_t i = 0; i < PLACES; i++) {
		uint64_t nodes = UINT64_C(1) << i;

		test_only_expect(i + 1, 0, (bitstr_t *)&nodes);
	}
}

/* Return the nodes that the answer leaves to a run from then on. */
static uint64_t answer_from(time_t from)
{
	uint64_t nodes = UINT64_MAX;
	time_t next;

	assert_true(test_only_planned(&asks, SELECT_MODE_WILL_RUN,
				      (bitstr_t *)&nodes, from, &next));
	return nodes;
}

static uint64_t answer(void)
{
	return answer_from(0);
}

static int create(void **state)
{
	(void)state;
	job_list = (void *)&table;
	limit_us = INT64_C(60000000);
	asks = (job_record_t){ .job_id = 100,
			       .details = &details,
			       .priority = 5 };
	for (uint32_t i = 0; i < PLACES; i++)
		waits[i] = (job_record_t){ .job_id = i + 1,
					   .job_state = JOB_PENDING,
					   .priority = 5 };
	test_only_forget(UINT32_MAX);
	return 0;
}

static void places_are_reserved_for_the_jobs_that_go_before(void **state)
{
	(void)state;
	assert_true(answer() == UINT64_MAX);
	expect_all();
	assert_true(answer() == ~(uint64_t)0xff);
	waits[1].priority = 4;            /* later than ours */
	waits[2].job_state = JOB_RUNNING; /* Slurm knows its nodes */
	assert_true(answer() == ~(uint64_t)0xf9);
	test_only_forget(UINT32_MAX);
	assert_true(answer() == UINT64_MAX);
}

/* Job 1 may not be delayed, job 2 may: a run that ends before job 1 starts takes the nodes
 * of job 2, and from its start on job 2 is the first. */
static void with_easy_only_the_first_waiting_jobs_keep_their_places(void **state)
{
	static const struct {
		time_t from;
		uint64_t nodes; /* that the answer leaves out of the three */
	} rows[] = { { 0, 0x1 }, { 148, 0x1 }, { 150, 0x3 }, { 190, 0x7 } };

	(void)state;
	test_only_forget(1);
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t nodes = UINT64_C(1) << i;

		test_only_expect(i + 1, (150 + 40 * i) * INT64_C(1000000),
				 (bitstr_t *)&nodes);
	}
	limit_us = INT64_C(200000000);
	for (size_t i = 0; i < UNIT_ROWS(rows); i++)
		assert_true(answer_from(rows[i].from) == ~rows[i].nodes);
	test_only_forget(UINT32_MAX);
}

static void *forget_and_expect(void *arg)
{
	(void)arg;
	while (!over) {
		test_only_forget(UINT32_MAX);
		expect_all();
	}
	return NULL;
}

static void *forget_only(void *arg)
{
	(void)arg;
	while (!over)
		test_only_forget(UINT32_MAX);
	return NULL;
}

static void an_answer_reads_no_place_that_another_thread_forgets(void **state)
{
	pthread_t cycle, stop;
	uint64_t wrong = 0;

	(void)state;
	over = false;
	assert_int_equal(pthread_create(&cycle, NULL, forget_and_expect, NULL),
			 0);
	assert_int_equal(pthread_create(&stop, NULL, forget_only, NULL), 0);
	for (uint32_t i = 0; i < ROUNDS; i++)
		wrong |= ~answer() & ~(uint64_t)0xff;
	over = true;
	pthread_join(cycle, NULL);
	pthread_join(stop, NULL);
	assert_true(wrong == 0);
	test_only_forget(UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(places_are_reserved_for_the_jobs_that_go_before,
				       create),
		cmocka_unit_test_setup(with_easy_only_the_first_waiting_jobs_keep_their_places,
				       create),
		cmocka_unit_test_setup(an_answer_reads_no_place_that_another_thread_forgets,
				       create),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
