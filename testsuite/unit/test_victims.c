/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A shape has its nodes to itself: victims_check_start() refuses a start that would share
 * them, whatever the scheduler and the wrapped plugin have chosen. The records are those of
 * Slurm's headers; the functions of slurmctld are fake_slurm.c's.
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/select/choose.h"

#include "fake_slurm.h"
#include "unit.h"

#define SHAPED 1 /* entries of spank_job_env */

static struct fake_list table;
static job_record_t record[4];
static uint64_t nodes[4];

bool job_request_is_shaped(const job_record_t *job)
{
	return job->spank_job_env_size == SHAPED;
}

bool job_table_nodes_of(const job_record_t *job, struct job_nodes *out)
{
	*out = (struct job_nodes){ .nodes = job->node_bitmap };
	return job->node_bitmap &&
	       (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job) ||
		IS_JOB_COMPLETING(job));
}

job_record_t *find_job_record(uint32_t id)
{
	return id >= 1 && id <= UNIT_ROWS(record) ? &record[id - 1] : NULL;
}

static int requeue(void *job)
{
	(void)job;
	return PREEMPT_MODE_REQUEUE;
}

/* Job i + 1 has these nodes. */
static job_record_t *job(uint32_t i, uint32_t state, bool shaped, uint64_t has)
{
	nodes[i] = has;
	record[i] = (job_record_t){
		.job_id = i + 1,
		.job_state = state,
		.spank_job_env_size = shaped ? SHAPED : 0,
		.node_bitmap = (bitstr_t *)(has ? &nodes[i] : NULL),
	};
	fake_list_add(&table, &record[i]);
	return &record[i];
}

static void no_jobs(void)
{
	table.count = 0;
	job_list = (void *)&table;
	fake_preempt_mode = requeue;
	fake_error[0] = '\0';
}

/* The starts that share nodes, by who starts where another job has nodes. */
static void
a_start_that_shares_nodes_of_a_shape_is_refused_and_logged(void **state)
{
	static const struct {
		bool shaped, other_shaped;
		uint32_t other; /* state of the other job */
		uint64_t starts_on, other_on;
		int answer;
	} rows[] = {
		{ true, false, JOB_RUNNING, 0x3, 0x2, SLURM_ERROR },
		{ true, true, JOB_RUNNING, 0x3, 0x3, SLURM_ERROR },
		{ false, true, JOB_RUNNING, 0x1, 0x3, SLURM_ERROR },
		{ true, false, JOB_SUSPENDED, 0x3, 0x1, SLURM_ERROR },
		{ false, true, JOB_SUSPENDED, 0x3, 0x1, SLURM_ERROR },
		{ true, false, JOB_COMPLETE | JOB_COMPLETING, 0x3, 0x1,
		  SLURM_ERROR },
		/* jobs without a shape may share */
		{ false, false, JOB_RUNNING, 0x3, 0x3, SLURM_SUCCESS },
		/* disjoint nodes */
		{ true, true, JOB_RUNNING, 0x3, 0xc, SLURM_SUCCESS },
		/* the other has ended */
		{ true, true, JOB_COMPLETE, 0x3, 0x3, SLURM_SUCCESS },
		/* no nodes */
		{ true, true, JOB_RUNNING, 0, 0x3, SLURM_SUCCESS },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
		job_record_t *starts, *other;

		no_jobs();
		other = job(0, rows[i].other, rows[i].other_shaped,
			    rows[i].other_on);
		starts = job(1, JOB_RUNNING, rows[i].shaped, rows[i].starts_on);
		if (victims_check_start(starts) != rows[i].answer)
			fail_msg("row %zu: another answer", i);
		if (rows[i].answer == SLURM_SUCCESS) {
			assert_string_equal(fake_error, "");
			continue;
		}
		assert_string_equal(
			fake_error,
			"torus: %pJ is not started: it would share nodes with %pJ, and a shape has its nodes to itself; please report this");
		assert_ptr_equal(fake_error_job[0], starts);
		assert_ptr_equal(fake_error_job[1], other);
	}
}

/* Who has nodes of a place: those that Slurm may end are listed, any other forbids it. */
static void a_place_has_victims_only_if_all_its_jobs_may_be_ended(void **state)
{
	struct fake_list candidates = { 0 };
	job_record_t *victim, *other, *starts;
	uint64_t place = 0x6;
	compat_list ended = NULL;

	(void)state;
	no_jobs();
	victim = job(0, JOB_RUNNING, false, 0x2);
	other = job(1, JOB_RUNNING, true, 0x8);
	starts = job(2, JOB_PENDING, true, 0);
	fake_list_add(&candidates, victim);
	assert_int_equal(victims_of_place(starts, (bitstr_t *)&place,
					  (void *)&candidates, &ended),
			 PLACE_HAS_VICTIMS);
	assert_int_equal(list_count(ended), 1);
	free(ended);
	ended = NULL;
	place = 0xe; /* and the other's */
	assert_int_equal(victims_of_place(starts, (bitstr_t *)&place,
					  (void *)&candidates, &ended),
			 PLACE_HAS_OTHERS);
	assert_null(ended);
	other->job_state = JOB_SUSPENDED; /* keeps its nodes */
	assert_int_equal(victims_of_place(starts, (bitstr_t *)&place,
					  (void *)&candidates, &ended),
			 PLACE_HAS_OTHERS);
	place = 0x1;
	assert_int_equal(victims_of_place(starts, (bitstr_t *)&place,
					  (void *)&candidates, &ended),
			 PLACE_IS_FREE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_start_that_shares_nodes_of_a_shape_is_refused_and_logged),
		cmocka_unit_test(
			a_place_has_victims_only_if_all_its_jobs_may_be_ended),
	};

	return UNIT_RUN(tests);
}
