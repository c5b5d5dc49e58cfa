/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history itself as a policy: each job starts and ends when the trace says so, on
 * the nodes that the trace names, if it does. Nothing is decided or checked: nodes that
 * jobs shared are counted for each of them.
 *
 * A job that is larger than the machine is rejected, as in a replay, so that the other
 * jobs can be compared. Cost: O(log jobs in the system) per job.
 */
#include "replay/replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "replay/ends.h"
#include "replay/jobs.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus/regions.h"

const struct torus_discipline torus_discipline_recorded = {
	.name = "recorded",
	.summary = "starts and ends as the trace has them",
	.why_no_limit = "its starts are those of the trace",
};

const struct torus_discipline *torus_policy_find(const char *name)
{
	return strcmp(name, torus_discipline_recorded.name) ?
		       torus_discipline_find(name) :
		       &torus_discipline_recorded;
}

const char *torus_recorded_refuses(const struct torus_replay_options *options)
{
	return options->run_scale != 1                       ? "run_scale" :
	       options->load_scale != 1                      ? "load_scale" :
	       options->overrun != TORUS_OVERRUN_RAISE       ? "overrun" :
	       options->pass_budget_us || options->pass_jobs ? "pass_budget" :
	       options->faults[TORUS_FAULT_NODES].mtbf_us ||
			       options->faults[TORUS_FAULT_LINKS].mtbf_us ?
							       "faults" :
	       options->limit_max_us ? "limit_max" :
	       options->outages      ? "outage" :
	       options->contention   ? "contention" :
				       NULL;
}

/* A job from its submission to its end. */
struct recorded_job {
	struct torus_replay_job *job;
	char place[TORUS_TRACE_PLACE_SIZE];
};

struct recorded {
	const struct torus_machine *machine;
	const struct torus_replay_options *options;
	const struct torus_replay_hooks *hooks;
	struct torus_metrics *metrics;
	struct torus_replay_jobs jobs;
	struct torus_ends ends;
	uint64_t *map; /* nodes of a place */
	uint64_t started, lacking;
};

static int recorded_finish(struct recorded *r, struct torus_replay_job *job,
			   const char *place, int64_t end_us, const char *reason)
{
	bool ran = job->granted > 0;
	const struct torus_replay_row row = {
		.id = job->id,
		.user = job->owner.user,
		.number = job->job.id,
		.account = {
			.outcome = !ran ? reason ? TORUS_OUTCOME_REJECTED :
						   TORUS_OUTCOME_UNFINISHED :
				   end_us > job->job.deadline_us ?
					  TORUS_OUTCOME_MISSED :
					  TORUS_OUTCOME_COMPLETED,
			.deadline = job->job.deadline_us != TORUS_NO_TIME,
			.requested = job->requested,
			.granted = job->granted,
			.submit_us = job->job.submit_us,
			.held_us = job->held_us,
			.start_us = job->job.start_us,
			.end_us = end_us,
			.run_us = job->run_us,
			.bound_us = r->options->slowdown_bound_us,
		},
		.region = place,
		.reason = ran || reason ? reason : "the trace has no start",
	};

	torus_metrics_add(r->metrics, &row.account);
	return r->hooks->row ? r->hooks->row(r->hooks->arg, r->machine, &row) :
			       0;
}

/* Finish the jobs that end by then. */
static int recorded_end_until(struct recorded *r, int64_t until_us)
{
	const struct torus_end *end;
	int rc = 0;

	while (!rc && (end = torus_ends_first(&r->ends)) &&
	       end->at_us <= until_us) {
		struct recorded_job *ended = end->job;

		rc = recorded_finish(r, ended->job, ended->place, end->at_us,
				     NULL);
		torus_ends_drop(&r->ends);
		torus_replay_job_drop(&r->jobs, ended->job);
		torus_free(ended);
	}
	return rc;
}

/* Return 0, or -1 with errno. */
static int recorded_start(struct recorded *r,
			  const struct torus_trace_record *record,
			  struct torus_replay_job *job)
{
	struct recorded_job *started = torus_alloc(1, sizeof(*started));
	struct torus_end end = { .order = r->started++, .job = started };
	struct torus_error why = { 0 };
	struct torus_placement p;

	if (!started)
		return -1;
	started->job = job;
	job->granted = job->requested;
	/* Copy the place of the trace if this machine has its nodes. */
	if (*record->place &&
	    !torus_regions_place_parse(r->machine, record->place, r->map, &p,
				       &why) &&
	    p.granted) {
		started->job->granted = p.granted;
		memcpy(started->place, record->place, sizeof(started->place));
	}
	/* a job that ran when a window of time began starts with the window */
	job->job.start_us = record->start_us > job->job.submit_us ?
				    record->start_us :
				    job->job.submit_us;
	end.at_us = job->job.start_us + job->run_us;
	if (!torus_ends_add(&r->ends, end))
		return 0;
	torus_free(started);
	return -1;
}

static int recorded_take(struct recorded *r,
			 const struct torus_trace_record *from,
			 struct torus_error *err)
{
	struct torus_trace_record record = *from;
	struct torus_replay_job *job;
	char reason[64];
	int rc;

	if (record.kind || record.begun)
		return 0;
	record.only.length = 0; /* it started, so it had its nodes */
	job = torus_replay_job_make(&r->jobs, r->options, &record, err);
	if (!job || recorded_end_until(r, job->submitted_us))
		return -1;
	torus_metrics_submit(r->metrics, job->job.submit_us);
	if (record.start_us != TORUS_NO_TIME &&
	    job->requested <= r->machine->nodes)
		return recorded_start(r, &record, job);
	if (record.start_us !=
	    TORUS_NO_TIME) /* for those who look at the history */
		job->job.start_us = record.start_us;
	snprintf(reason, sizeof(reason), "the machine has %u nodes",
		 r->machine->nodes);
	r->lacking += record.start_us == TORUS_NO_TIME;
	rc = recorded_finish(r, job, NULL, job->submitted_us,
			     job->requested > r->machine->nodes ? reason : NULL);
	torus_replay_job_drop(&r->jobs, job);
	return rc;
}

static void recorded_close(struct recorded *r)
{
	int saved = errno;

	for (size_t i = 0; i < r->ends.count; i++)
		torus_free(r->ends.heap[i].job);
	torus_ends_free(&r->ends);
	torus_replay_jobs_free(&r->jobs);
	torus_free(r->map);
	errno = saved;
}

enum torus_replay_answer
torus_recorded_run(struct torus_trace *trace, const struct torus_machine *m,
		   const struct torus_replay_options *options,
		   const struct torus_replay_hooks *hooks,
		   struct torus_metrics *metrics, struct torus_error *err)
{
	const char *contradicts = torus_recorded_refuses(options);
	struct recorded r = { .machine = m,
			      .options = options,
			      .hooks = hooks,
			      .metrics = metrics,
			      .jobs.machine = m,
			      .map = torus_alloc(m->words, sizeof(*r.map)) };
	enum torus_trace_answer answer = TORUS_TRACE_FAILED;
	const struct torus_trace_record *record;
	uint64_t ticks = 0;
	int rc = r.map ? 0 : -1;

	if (contradicts) {
		recorded_close(&r);
		torus_error_add(err,
				"%s contradicts the policy recorded, which keeps the trace's starts and ends; omit it",
				contradicts);
		return TORUS_REPLAY_REFUSED;
	}
	errno = 0;
	while (!rc && (answer = torus_trace_next(trace, &record, err)) ==
			      TORUS_TRACE_JOB) {
		rc = recorded_take(&r, record, err);
		if (++ticks % 64 == 0 && hooks->tick)
			hooks->tick(hooks->arg, metrics->jobs);
	}
	if (!rc && answer == TORUS_TRACE_END)
		rc = recorded_end_until(&r, INT64_MAX);
	metrics->untimed = r.lacking;
	recorded_close(&r);
	if (answer == TORUS_TRACE_REFUSED || (rc && errno == EINVAL))
		return TORUS_REPLAY_REFUSED;
	if (rc || answer != TORUS_TRACE_END)
		return TORUS_REPLAY_FAILED;
	if (metrics->jobs && metrics->jobs == r.lacking) {
		torus_error_add(err,
				"no job has a start: the policy recorded needs sacct's column Start, the wait times of SWF, or the journal of sched/torus");
		return TORUS_REPLAY_REFUSED;
	}
	return TORUS_REPLAY_DONE;
}
