/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults in a replay (engine.h, faults.h). A run on a node that fails ends, and
 * its work is lost. The job is submitted again in that instant, behind the
 * queued jobs of the same rank, as Slurm requeues it, at most
 * TORUS_FAULT_REQUEUES times. A job that loses a further run counts as failed.
 * A link that fails ends no run.
 *
 * While no job runs and none is to be submitted, no component fails. Otherwise
 * a job that needs the whole of a large machine would keep the replay waiting
 * for a time without any fault.
 *
 * Cost: O(running jobs x words) for a fault of a node; O(running jobs + links)
 * for a link.
 */
#include "torus/placement.h"
#include "replay/engine.h"
#include "replay/engine_journal.h"

#include <stddef.h>
#include <string.h>

enum torus_replay_answer torus_engine_faults_begin(struct engine *e)
{
	return torus_faults_create(&e->faults, e->machine, e->options,
				   e->present, e->next->submitted_us) ?
		       torus_engine_no_memory(e, "faults") :
		       TORUS_REPLAY_DONE;
}

static bool faults_are_spared(const struct engine *e)
{
	return !e->next && e->ends.count == 0;
}

int64_t torus_engine_faults_next(struct engine *e)
{
	if (!e->faults || (faults_are_spared(e) &&
			   (!e->queued || !torus_faults_out(e->faults))))
		return TORUS_NO_TIME;
	torus_faults_spare(e->faults, e->instants ? e->now_us : INT64_MIN);
	return torus_faults_next(e->faults);
}

void torus_engine_set_out(struct engine *e)
{
	uint64_t *out = torus_scratch_take(&e->scratch);

	torus_bits_copy(out, e->out, e->machine->words);
	torus_bits_or(out, e->out_failed, e->machine->words);
	torus_state_out(e->state, out);
	torus_scratch_return(&e->scratch, out);
}

/* Return the run on failed nodes that began first, or NULL. */
static struct torus_replay_job *faults_hit(struct engine *e,
					   const uint64_t *failed)
{
	uint64_t *map = torus_scratch_take(&e->scratch);
	const struct torus_end *first = NULL;

	for (size_t i = 0; i < e->ends.count; i++) {
		const struct torus_end *end = &e->ends.heap[i];
		const struct torus_replay_job *job = end->job;

		if (first && first->order < end->order)
			continue;
		torus_bits_zero(map, e->machine->words);
		torus_hold_paint(e->state,
				 torus_state_hold(e->state, job->job.slot), map);
		if (torus_bits_meet(map, failed, e->machine->words))
			first = end;
	}
	torus_scratch_return(&e->scratch, map);
	return first ? first->job : NULL;
}

/* Submit the job again, unchanged. */
static enum torus_replay_answer faults_requeue(struct engine *e,
					       struct torus_replay_job *job)
{
	size_t own = offsetof(struct torus_job, state);
	struct torus_error why = { 0 };

	memset((char *)&job->job + own, 0, sizeof(job->job) - own);
	job->job.limit_us = job->limit_us;
	job->note = "a node failed; its last run is shown";
	job->granted = 0;
	job->ran_us = 0;
	job->changes = 0; /* changes of the lost run */
	if (torus_scheduler_submit(e->scheduler, &job->job, e->now_us, &why) ==
	    TORUS_NEVER)
		return torus_engine_reject(e, job, why.text);
	if (torus_scheduler_lacked_memory(e->scheduler))
		return torus_engine_no_memory(e, "submit");
	e->metrics->faults.requeued++;
	e->queued++;
	return TORUS_REPLAY_DONE;
}

static enum torus_replay_answer faults_end(struct engine *e,
					   struct torus_replay_job *job)
{
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	bool over = job->begun || job->lost == TORUS_FAULT_REQUEUES;
	int64_t saved_us = job->ran_us + e->now_us - job->started_us;

	torus_ends_remove(&e->ends, job);
	if (job->changes)
		torus_engine_forget_changes(e, job);
	job->lost++;
	e->metrics->faults.hits++;
	if (e->options->checkpoint_us && !over)
		saved_us -= saved_us % e->options->checkpoint_us;
	else
		saved_us = 0;
	job->run_us -= saved_us;
	e->metrics->faults.lost_us += (double)job->granted *
				      (double)(job->ran_us + e->now_us -
					       job->started_us - saved_us);
	if (over) {
		torus_idle_commit(&e->metrics->idle);
		answer =
			torus_engine_finish(e, job, TORUS_OUTCOME_FAILED,
					    "a node failed, in each of its runs");
	}
	e->granted -= job->granted;
	torus_scheduler_end(e->scheduler, &job->job, e->now_us);
	if (over)
		torus_replay_job_drop(&e->jobs, job);
	else if (!answer)
		answer = faults_requeue(e, job);
	return answer;
}

/* Apply faults and repairs due now; *nodes: nodes were affected. */
static enum torus_replay_answer faults_take(struct engine *e, bool *nodes)
{
	struct torus_fault fault;

	while (torus_faults_take(e->faults, e->now_us, &fault)) {
		e->changed = true;
		if (fault.kind == TORUS_FAULT_NODES) {
			*nodes = true;
			e->metrics->faults.nodes += fault.failed;
			if (fault.failed)
				torus_bits_set(e->out_failed, fault.bit);
			else
				torus_bits_clear(e->out_failed, fault.bit);
			continue;
		}
		e->links_changed = true;
		e->metrics->faults.links += fault.failed;
		if (torus_link_list_set(&e->links_failed, &fault.link))
			return torus_engine_no_memory(e, "links");
		if (fault.failed) {
			/* a failed link under runs, which continue */
			for (size_t i = 0; i < e->ends.count; i++) {
				struct torus_replay_job *job =
					e->ends.heap[i].job;
				const struct torus_hold *h =
					torus_state_hold(e->state,
							 job->job.slot);

				if (!torus_placement_has_link(e->machine,
							      &h->place,
							      &fault.link))
					continue;
				e->metrics->faults.over++;
				if (!job->note)
					job->note =
						"a link of its region failed while it ran";
			}
		}
	}
	return TORUS_REPLAY_DONE;
}

enum torus_replay_answer torus_engine_faults(struct engine *e)
{
	struct torus_replay_job *job;
	enum torus_replay_answer answer;
	bool nodes = false;

	if (faults_are_spared(e))
		torus_faults_spare(e->faults, e->now_us);
	answer = faults_take(e, &nodes);
	if (nodes)
		torus_engine_set_out(e);
	if (!answer && e->links_changed)
		answer = torus_engine_set_links(e);
	if (e->changed)
		torus_scheduler_change(e->scheduler, e->now_us);
	e->changed = false;
	while (!answer && nodes && (job = faults_hit(e, e->out_failed)))
		answer = faults_end(e, job);
	return answer;
}
