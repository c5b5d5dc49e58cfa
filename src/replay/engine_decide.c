/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decisions of an instant (engine.h): run a pass of the scheduler, then
 * start, preempt or reject the jobs that it decided. O(log running) per job,
 * plus the scheduler's work.
 */
#include "torus/state_find.h"
#include "replay/engine.h"
#include "replay/engine_journal.h"

#include "replay/replay.h"

/*
 * One pass in TIMED_PASSES is timed: reading the clock twice costs 50 ns, as
 * much as a small search. Powers of two.
 */
#define TIMED_PASSES 16

/* Passes in turn in which a policy leaves an idle machine idle. */
#define IDLE_PASSES 10000

/* Any time plus any duration allowed in a trace stays below 2^63. */
#define MOST_NOW_US (4 * TORUS_TRACE_MAX_SECONDS * 1000000)

static void engine_cancel_withdrawal(struct engine *e,
				     struct torus_replay_job *job)
{
	if (job->left_us != TORUS_NO_TIME)
		torus_ends_remove(&e->leaves, job);
	job->left_us = TORUS_NO_TIME;
	if (job->only_now)
		torus_engine_forget_moves(e, job);
}

enum torus_replay_answer torus_engine_reject(struct engine *e,
					     struct torus_replay_job *job,
					     const char *reason)
{
	enum torus_replay_answer answer =
		torus_engine_finish(e, job, TORUS_OUTCOME_REJECTED, reason);

	torus_replay_job_drop(&e->jobs, job);
	return answer;
}

enum torus_replay_answer torus_engine_reject_queued(struct engine *e,
						    struct torus_replay_job *job,
						    const char *reason)
{
	e->queued--;
	engine_cancel_withdrawal(e, job);
	return torus_engine_reject(e, job, reason);
}

static enum torus_replay_answer engine_start(struct engine *e,
					     struct torus_replay_job *job)
{
	const struct torus_hold *hold = torus_state_hold(e->state,
							 job->job.slot);
	struct torus_end end = {
		.at_us = e->now_us + job->run_us - job->ran_us,
		.order = e->starts++,
		.job = job,
	};
	int64_t latest_us = end.at_us;

	/* of a ladder: the granted alternative */
	job->requested = (uint32_t)torus_ask_nodes(
		&job->job.request.alternative[job->job.alternative].ask);
	if (e->options->check &&
	    !torus_check_start(e->scheduler, job, e->now_us, e->err))
		return TORUS_REPLAY_VIOLATION;
	if (e->options->contention &&
	    torus_dilate_start(&e->ends, e->state, job, e->now_us, &end.at_us,
			       &latest_us))
		e->dilated = true;
	if (latest_us > MOST_NOW_US) {
		torus_error_add(e->err, "the schedule goes beyond %g seconds",
				(double)MOST_NOW_US * 1e-6);
		return TORUS_REPLAY_REFUSED;
	}
	engine_cancel_withdrawal(e, job);
	job->started_us = e->now_us;
	job->granted = hold->place.granted;
	e->granted += job->granted;
	e->queued--;
	if (torus_ends_add(&e->ends, end) ||
	    (job->changes && torus_engine_await_change(e, job)))
		return torus_engine_failed(e, "start");
	return TORUS_REPLAY_DONE;
}

static bool pass_is_over(void *arg, uint32_t budgets)
{
	const struct engine *e = arg;
	int64_t ns = torus_clock_processor_ns() - e->pass_began_ns;

	return ns / 1000 / budgets >= e->options->pass_budget_us;
}

static struct torus_job *pass_limited(struct engine *e)
{
	int64_t before = torus_clock_processor_ns(), ns;
	const struct torus_pass_limit limit = {
		.over = e->options->pass_budget_us ? pass_is_over : NULL,
		.arg = e,
		.limited = e->options->pass_jobs > 0,
		.steps = e->options->pass_jobs,
	};
	struct torus_job *job;

	e->pass_began_ns = before;
	torus_scheduler_pass_limit(e->scheduler, &limit);
	job = torus_scheduler_pass(e->scheduler, e->now_us, &e->wake_us);
	ns = torus_clock_processor_ns() - before;
	if (ns > e->metrics->pass_max_ns)
		e->metrics->pass_max_ns = ns;
	e->metrics->cut += torus_scheduler_cut(e->scheduler)->cut;
	return job;
}

static struct torus_job *engine_pass(struct engine *e)
{
	bool journal =
		e->limit.limited; /* a journal states where this pass ended */
	const struct torus_scheduler_stats *stats;
	uint64_t searches;
	int64_t before, ns;
	struct torus_job *job;

	torus_scheduler_pass_limit(e->scheduler, &e->limit);
	e->limit = (struct torus_pass_limit){ 0 };
	if (!journal && (e->options->pass_budget_us || e->options->pass_jobs))
		return pass_limited(e);
	if (e->passes++ % TIMED_PASSES)
		return torus_scheduler_pass(e->scheduler, e->now_us,
					    &e->wake_us);
	/* Run a pass and measure the mean time of its searches. */
	stats = torus_scheduler_stats(e->scheduler);
	searches = stats->searches;
	before = torus_clock_ns();
	job = torus_scheduler_pass(e->scheduler, e->now_us, &e->wake_us);
	ns = torus_clock_ns() - before;
	searches = stats->searches - searches;
	if (searches)
		torus_histogram_add(&e->metrics->placement_ns,
				    (uint64_t)ns / searches, searches);
	return job;
}

enum torus_replay_answer torus_engine_policy_idles(struct engine *e,
						   const char *and)
{
	torus_error_add(e->err,
			TORUS_PIPE_PREFIX
			"%s: the policy starts none of %zu jobs on an idle machine%s",
			e->options->pipe, e->queued, and);
	return TORUS_REPLAY_FAILED;
}

/* Check the policy after a pass, which may have failed, or which does not let the
 * replay end: the machine is idle, no job comes, and it starts none. */
static enum torus_replay_answer decide_policy(struct engine *e, bool decided)
{
	bool idle = !decided && !e->next && e->ends.count == 0 && e->queued > 0;

	if (torus_pipe_failed(e->pipe))
		return TORUS_REPLAY_REFUSED;
	e->idle_passes = idle ? e->idle_passes + 1 : 0;
	if (e->idle_passes < IDLE_PASSES)
		return TORUS_REPLAY_DONE;
	return torus_engine_policy_idles(e,
					 " and asks to be woken again and again");
}

/* Run one pass. *preempted: it preempted jobs, so another pass must follow. */
static enum torus_replay_answer decide_once(struct engine *e, bool *preempted)
{
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	struct torus_job *job = engine_pass(e), *next;

	if (torus_scheduler_lacked_memory(e->scheduler))
		return torus_engine_no_memory(e, "scheduler");
	if (e->pipe)
		answer = decide_policy(e, job != NULL);
	if (torus_state_wrong(e->state, e->err))
		answer = TORUS_REPLAY_REFUSED;
	for (; job && !answer; job = next) {
		next = job->decided; /* a rejected job is freed */
		if (job->state == TORUS_JOB_RUNNING) {
			answer = engine_start(e, job->host);
		} else if (job->state == TORUS_JOB_QUEUED) {
			struct torus_replay_job *run = job->host;

			/* it keeps its completed work and is started again later */
			torus_ends_remove(&e->ends, run);
			if (run->changes)
				torus_engine_forget_changes(e, run);
			run->ran_us += e->now_us - run->started_us;
			e->metrics->preemptions++;
			run->note = "preempted; its last part is shown";
			e->granted -= run->granted;
			run->granted = 0;
			e->queued++;
			*preempted = true;
		} else {
			answer = torus_engine_reject_queued(e, job->host,
							    job->reason);
		}
	}
	if (e->dilated)
		torus_scheduler_change(e->scheduler, e->now_us);
	e->dilated = false;
	if (!answer && e->wake_us <= e->now_us) {
		torus_error_add(e->err, "the discipline wants to be woken in "
					"the past");
		answer = TORUS_REPLAY_VIOLATION;
	}
	return answer;
}

enum torus_replay_answer torus_engine_decide(struct engine *e)
{
	enum torus_replay_answer answer;
	bool preempted;

	do {
		preempted = false;
		answer = decide_once(e, &preempted);
	} while (!answer && preempted);
	return answer;
}
