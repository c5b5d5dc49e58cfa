/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sbatch --test-only: job_submit, then job_test(WILL_RUN), in one thread, of a record
 * that slurmctld removes afterwards.
 *
 * sched/torus leaves here where and when it expects its queued jobs to start, by its plan
 * or its forecast; under sched/backfill a pending job has its planned start and nodes in
 * its record. Those of the jobs that go before this one are reserved; the answer is the
 * earliest window beside them. With EASY a job may delay all waiting jobs but the first
 * ones: at each time only their places are reserved, and those of the jobs that have
 * started by then. The answer is an estimate: jobs without an expected place are not
 * reserved, and other jobs may come.
 *
 * Slurm then adds the node time of all pending jobs of the same or a higher priority,
 * divided by the nodes, whether or not these jobs come first. The record gets the highest
 * priority, so that there are none.
 *
 * Cost: O(jobs), and a search for a window, within the time of the submission's searches;
 * with EASY up to STEPS_MOST times.
 */
#include "slurmctld/select/test_only.h"

#include "live/base/saturate.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/submit/submission.h"
#include "torus/plan.h"
#include "torus/state_find.h"

#define RESERVED_MOST 1000 /* as many as sched/torus lists */
#define STEPS_MOST 32      /* then no waiting job may be delayed */
#define SAME_US 1000000    /* starts that are one: Slurm's clock has seconds */

static pthread_mutex_t expecting = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint32_t job;
	int64_t start_us;
	bitstr_t *nodes;
} expected[RESERVED_MOST];
static uint32_t expected_count;
static uint32_t expected_firm = UINT32_MAX; /* of test_only_forget() */

struct planned {
	struct instance *in; /* reserve in its plan; NULL: clear in `slurm` */
	const job_record_t *job;
	int64_t now_us;
	uint64_t *nodes;
	uint32_t count;
	uint32_t firm; /* waiting jobs that may not be delayed: how many of the
			      queue's first, at `at_us` */
	int64_t at_us; /* take what has started by then, and the firm ones */
	int64_t change_us; /* next time at which that is more */
	bitstr_t *slurm;
	int64_t next_us; /* first end of those whose nodes were cleared */
};

void test_only_forget(uint32_t firm)
{
	pthread_mutex_lock(&expecting);
	for (uint32_t i = 0; i < expected_count; i++)
		FREE_NULL_BITMAP(expected[i].nodes);
	expected_count = 0;
	expected_firm = firm;
	pthread_mutex_unlock(&expecting);
}

void test_only_expect(uint32_t job, int64_t start_us, bitstr_t *nodes)
{
	pthread_mutex_lock(&expecting);
	if (expected_count < RESERVED_MOST) {
		expected[expected_count].job = job;
		expected[expected_count].start_us = start_us;
		expected[expected_count++].nodes = bit_copy(nodes);
	}
	pthread_mutex_unlock(&expecting);
}

bool test_only_is(const job_record_t *job, uint16_t mode)
{
	return SELECT_IS_MODE_WILL_RUN(mode) && job->details &&
	       submission_spent_us_of(job->job_id, job->details->submit_time);
}

/* Return the end of a job that starts then. */
static int64_t planned_end(const job_record_t *job, int64_t start_us)
{
	return torus_time_after(start_us,
				job_request_limit_us(job, job->part_ptr));
}

static void planned_take(struct planned *p, const job_record_t *job,
			 bitstr_t *nodes, int64_t start_us)
{
	struct torus_placement place = { .scattered = true, .spread = true };
	int64_t end_us;

	if (p->in && start_us < p->now_us)
		start_us = p->now_us;
	if (start_us > p->at_us + SAME_US) {
		if (p->firm == 0) {
			if (start_us < p->change_us)
				p->change_us = start_us;
			return;
		}
		p->firm -= p->firm < UINT32_MAX;
		if (p->firm < UINT32_MAX && start_us < p->change_us)
			p->change_us = start_us;
	}
	end_us = planned_end(job, start_us);
	p->count++;
	if (p->in) {
		node_map_from_slurm(&p->in->map, nodes, p->nodes);
		place.nodes = p->nodes;
		place.granted = torus_bits_count(p->nodes,
						 p->in->machine->words);
		torus_plan_reserve(p->in->plan, &place, job->job_id, NULL,
				   start_us, end_us);
	} else if (end_us > p->now_us &&
		   start_us < planned_end(p->job, p->now_us)) {
		bit_and_not(p->slurm, nodes);
		if (end_us < p->next_us)
			p->next_us = end_us;
	}
}

static bool planned_is_before(const struct planned *p, const job_record_t *job)
{
	return p->count < RESERVED_MOST && IS_JOB_PENDING(job) &&
	       job != p->job && job->priority >= p->job->priority;
}

/* Take the planned nodes of a pending job that goes before ours. */
static int planned_each(void *object, void *arg)
{
	const job_record_t *job = object;
	struct planned *p = arg;
	bitstr_t *nodes = NULL;

	if (!planned_is_before(p, job) || !job->start_time || !job->sched_nodes)
		return 0;
	if (!compat_nodes_named(job->sched_nodes, true, &nodes))
		planned_take(p, job, nodes, seconds_to_us(job->start_time));
	FREE_NULL_BITMAP(nodes);
	return 0;
}

/* Take the planned places that count at p->at_us; with `firm` all of them. */
static void planned_all(struct planned *p, bool firm)
{
	p->count = 0;
	p->change_us = TORUS_NO_TIME;
	pthread_mutex_lock(&expecting);
	p->firm = expected_count && !firm ? expected_firm : UINT32_MAX;
	for (uint32_t i = 0; i < expected_count; i++) {
		const job_record_t *job = find_job_record(expected[i].job);

		if (job && planned_is_before(p, job) &&
		    bit_size(expected[i].nodes) == node_record_count)
			planned_take(p, job, expected[i].nodes,
				     expected[i].start_us);
	}
	if (expected_count == 0)
		list_for_each(job_list, planned_each, p);
	pthread_mutex_unlock(&expecting);
}

enum torus_answer test_only_find(struct instance *in, const job_record_t *job,
				 const struct torus_ask *ask, int64_t now_us,
				 int64_t *when_us, struct torus_placement *place)
{
	struct planned p = {
		.in = in, .job = job, .now_us = now_us, .at_us = now_us
	};
	struct torus_window_bounds bounds = {
		.now_us = now_us,
		.length_us = ask->end_us == TORUS_NO_TIME ? TORUS_NO_TIME :
							    ask->end_us - now_us,
	};
	enum torus_answer answer;
	uint32_t steps = 0;

	if (!torus_state_timeless(in->state))
		return torus_plan_shadow(in->plan, ask, now_us, when_us, place);
	p.nodes = torus_scratch_take(&in->scratch);
	do {
		planned_all(&p, ++steps == STEPS_MOST);
		if (p.count == 0 && p.change_us == TORUS_NO_TIME) {
			answer = torus_plan_shadow(in->plan, ask, now_us,
						   when_us, place);
			break;
		}
		bounds.from_us = p.at_us;
		bounds.latest_us = p.change_us == TORUS_NO_TIME ?
					   TORUS_NO_TIME - 1 :
					   p.change_us - 1;
		answer = torus_plan_window(in->plan, ask, &bounds, NULL,
					   when_us, place);
		torus_plan_clear(in->plan);
		p.at_us = p.change_us;
	} while (answer == TORUS_NOT_NOW && p.at_us != TORUS_NO_TIME &&
		 !torus_search_limit_cut(ask->limit));
	torus_scratch_return(&in->scratch, p.nodes);
	return answer;
}

bool test_only_planned(const job_record_t *job, uint16_t mode, bitstr_t *nodes,
		       time_t from, time_t *next)
{
	struct planned p = { .job = job,
			     .now_us = seconds_to_us(from),
			     .at_us = seconds_to_us(from),
			     .slurm = nodes,
			     .next_us = TORUS_NO_TIME };

	if (!test_only_is(job, mode))
		return false;
	planned_all(&p, false);
	*next = p.next_us == TORUS_NO_TIME ? 0 :
					     (time_t)seconds_from_us(p.next_us);
	return true;
}

void test_only_answered(job_record_t *job, uint16_t mode)
{
	if (test_only_is(job, mode))
		job->priority = UINT32_MAX;
}
