/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event engine (replay.h). Time advances from instant to instant: the next
 * end, the next submission or the time at which the discipline wants to wake,
 * whichever comes first. The events of an instant are processed in this order:
 * ends in the order of the starts; changed limits of running jobs, nodes out of
 * service or in use by others, links down or weak; faults (engine_faults.c);
 * withdrawn jobs and jobs that may use other nodes; submissions in input order.
 * Then one pass decides. A job with run time 0 ends within its instant: the
 * loop processes the same time again.
 *
 * Cost: O(log running) per job, plus the scheduler's work.
 */
#include "config/policy_watch.h"
#include "torus/placement.h"
#include "replay/engine.h"
#include "replay/engine_journal.h"

#include <errno.h>

#include "torus/alloc.h"
#include "torus/weights.h"

#define SCRATCH 1 /* bitmaps of functions that call each other */

#define TICK_INSTANTS 64

static enum torus_replay_answer engine_fetch(struct engine *e)
{
	const struct torus_trace_record *record;
	enum torus_trace_answer answer;

	e->next = NULL;
	errno = 0;
	torus_watch_pause(true);
	answer = torus_trace_next(e->trace, &record, e->err);
	torus_watch_pause(false);
	switch (answer) {
	case TORUS_TRACE_END:
		return TORUS_REPLAY_DONE;
	case TORUS_TRACE_REFUSED:
		return TORUS_REPLAY_REFUSED;
	case TORUS_TRACE_FAILED:
		return TORUS_REPLAY_FAILED;
	case TORUS_TRACE_JOB:
		break;
	}
	e->next = torus_replay_job_make(&e->jobs, e->options, record, e->err);
	if (e->next && e->pipe && !e->next->kind &&
	    torus_pipe_describe(e->next, record))
		return torus_engine_no_memory(e, "policy");
	if (e->next)
		return TORUS_REPLAY_DONE;
	return errno == EINVAL ? TORUS_REPLAY_REFUSED :
				 torus_engine_failed(e, "trace");
}

enum torus_replay_answer torus_engine_finish(struct engine *e,
					     struct torus_replay_job *job,
					     enum torus_outcome outcome,
					     const char *reason)
{
	struct torus_replay_row row = {
		.id = job->id,
		.user = job->owner.user,
		.number = job->job.id,
		.account = {
			.outcome = outcome,
			.deadline = job->job.deadline_us != TORUS_NO_TIME,
			.requested = job->requested,
			.granted = job->granted,
			.submit_us = job->job.submit_us,
			.held_us = job->held_us,
			.start_us = job->job.start_us,
			.end_us = e->now_us,
			.ran_us = job->ran_us,
			.run_us = job->run_us,
			.bound_us = e->options->slowdown_bound_us,
		},
		.reason = reason ? reason : job->note,
	};
	int stop = 0;

	if (job->begun) /* the replay did not decide on it */
		return TORUS_REPLAY_DONE;
	if (e->hooks->row) {
		if (job->granted) {
			row.place =
				&torus_state_hold(e->state, job->job.slot)->place;
			row.strategy = e->machine->pod[row.place->pod]
					       .strategy[row.place->strategy]
					       ->name;
		}
		torus_watch_pause(true);
		stop = e->hooks->row(e->hooks->arg, e->machine, &row);
		torus_watch_pause(false);
	}
	torus_metrics_add(e->metrics, &row.account);
	if (stop && e->err->count) /* the hook has added a line */
		return TORUS_REPLAY_FAILED;
	return stop ? torus_engine_failed(e, "schedule") : TORUS_REPLAY_DONE;
}

static enum torus_replay_answer engine_end_all(struct engine *e)
{
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	const struct torus_end *end;

	while (!answer && (end = torus_ends_first(&e->ends)) &&
	       end->at_us == e->now_us) {
		struct torus_replay_job *job = end->job;

		torus_ends_drop(&e->ends);
		torus_idle_commit(&e->metrics->idle);
		if (job->changes)
			torus_engine_forget_changes(e, job);
		answer = torus_engine_finish(e, job,
					     e->now_us > job->job.deadline_us ?
						     TORUS_OUTCOME_MISSED :
						     TORUS_OUTCOME_COMPLETED,
					     NULL);
		e->granted -= job->granted;
		torus_scheduler_end(e->scheduler, &job->job, e->now_us);
		torus_replay_job_drop(&e->jobs, job);
	}
	return answer;
}

static enum torus_replay_answer leave_all(struct engine *e)
{
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	const struct torus_end *end;

	while (!answer && (end = torus_ends_first(&e->leaves)) &&
	       end->at_us == e->now_us) {
		struct torus_replay_job *job = end->job;

		torus_ends_drop(&e->leaves);
		if (job->only_now)
			torus_engine_forget_moves(e, job);
		torus_scheduler_remove(e->scheduler, &job->job, e->now_us);
		e->queued--;
		answer = torus_engine_finish(e, job, TORUS_OUTCOME_UNFINISHED,
					     "withdrawn");
		torus_replay_job_drop(&e->jobs, job);
	}
	return answer;
}

static enum torus_replay_answer submit_one(struct engine *e,
					   struct torus_replay_job *job)
{
	const struct torus_end leave = { job->left_us, e->order++, job };
	bool wanted = e->hooks->row != NULL;
	enum torus_answer answer;

	torus_error_clear(&e->why);
	torus_engine_restrict(e, job);
	torus_metrics_submit(e->metrics, job->job.submit_us);
	if (job->job.limit_us > torus_replay_outages_longest(e->outage_rules))
		return torus_engine_reject(
			e, job,
			"its limit is longer than any time between outages");
	answer = torus_scheduler_submit(e->scheduler, &job->job, e->now_us,
					wanted ? &e->why : NULL);
	if (answer == TORUS_NEVER)
		return torus_engine_reject(e, job, wanted ? e->why.text : NULL);
	if (torus_scheduler_lacked_memory(e->scheduler))
		return torus_engine_no_memory(e, "submit");
	e->queued++;
	if ((job->left_us != TORUS_NO_TIME &&
	     torus_ends_add(&e->leaves, leave)) ||
	    (job->only_now && torus_engine_await_move(e, job)))
		return torus_engine_failed(e, "submit");
	return TORUS_REPLAY_DONE;
}

static enum torus_replay_answer engine_submit_all(struct engine *e)
{
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;

	while (!answer && e->next && !e->next->kind && !e->next->begun &&
	       e->next->submitted_us == e->now_us) {
		answer = submit_one(e, e->next);
		if (!answer)
			answer = engine_fetch(e);
	}
	return answer ? answer : torus_engine_resume(e);
}

/* Apply a line that is no pending job. */
static enum torus_replay_answer apply_other(struct engine *e,
					    struct torus_replay_job *other)
{
	enum torus_replay_answer answer;

	if (other->begun)
		return torus_engine_adopt(e, other);
	if (other->kind == TORUS_TRACE_KIND_STATE) {
		answer = torus_engine_begin_line(e, &other->text);
	} else if (other->kind == TORUS_TRACE_KIND_OUTAGES) {
		answer = torus_engine_outages(e, &other->text);
	} else if (other->kind == TORUS_TRACE_KIND_LINK) {
		answer = torus_engine_link(e, other);
	} else if (other->kind == TORUS_TRACE_KIND_WEIGHTS) {
		answer = torus_engine_weights(e, other);
	} else {
		answer = torus_engine_begin_state(e, false);
		if (!answer)
			answer = torus_engine_withhold(e, other);
	}
	torus_replay_job_drop(&e->jobs, other);
	return answer;
}

/* Apply limits of running jobs, nodes out of service or in use by others,
 * links, node weights, and the initial state of a scheduler. */
static enum torus_replay_answer apply_changes(struct engine *e)
{
	enum torus_replay_answer answer = torus_engine_change_all(e);

	while (!answer && e->next && (e->next->kind || e->next->begun) &&
	       e->next->submitted_us == e->now_us) {
		answer = apply_other(e, e->next);
		if (!answer)
			answer = engine_fetch(e);
	}
	if (!answer)
		answer = torus_engine_begin_state(e, true);
	if (!answer && e->links_changed)
		answer = torus_engine_set_links(e);
	if (!answer && e->weights_changed)
		answer = torus_engine_set_weights(e);
	if (e->changed)
		torus_scheduler_change(e->scheduler, e->now_us);
	e->changed = false;
	return answer;
}

/* Return the time of the next instant; TORUS_NO_TIME if there is none. */
static int64_t engine_next(struct engine *e)
{
	int64_t fault_us = torus_engine_faults_next(e);
	const struct torus_end *end = torus_ends_first(&e->ends);
	const struct torus_end *leave = torus_ends_first(&e->leaves);
	const struct torus_end *change = torus_ends_first(&e->changes);
	const struct torus_end *move = torus_ends_first(&e->moves);
	int64_t now_us = e->wake_us;

	if (end && end->at_us < now_us)
		now_us = end->at_us;
	if (leave && leave->at_us < now_us)
		now_us = leave->at_us;
	if (change && change->at_us < now_us)
		now_us = change->at_us;
	if (move && move->at_us < now_us)
		now_us = move->at_us;
	if (e->next && e->next->submitted_us < now_us)
		now_us = e->next->submitted_us;
	if (fault_us < now_us)
		now_us = fault_us;
	return now_us > e->options->until_us ? TORUS_NO_TIME : now_us;
}

/* Advance to the next instant. *more: there is one. */
static enum torus_replay_answer engine_advance(struct engine *e, bool *more)
{
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	int64_t next = engine_next(e);

	*more = next != TORUS_NO_TIME;
	if (!*more)
		return answer;
	if (e->options->idle && e->metrics->jobs && next > e->now_us) {
		struct torus_idle_spell spell = { .from_us = e->now_us,
						  .until_us = next };
		struct torus_state *state = torus_scheduler_state(e->scheduler);

		/* account for idle nodes from this instant to the next */
		torus_idle_causes(state,
				  torus_scheduler_queue(e->scheduler)->head,
				  e->now_us, &e->idle_answers, spell.nodes);
		spell.nodes[TORUS_IDLE_OUT] = torus_state_machine(state)->nodes -
					      (uint32_t)e->granted -
					      torus_state_free_nodes(state);
		answer = torus_idle_add(&e->metrics->idle, &spell) ?
				 torus_engine_no_memory(e, "idle nodes") :
				 TORUS_REPLAY_DONE;
	}
	e->now_us = next;
	return answer;
}

static enum torus_replay_answer engine_instant(struct engine *e)
{
	enum torus_replay_answer answer;

	torus_watch_beat();
	if (e->outage_rules)
		torus_replay_outages_pass(e->outage_rules, e->now_us);
	answer = engine_end_all(e);
	if (!answer)
		answer = apply_changes(e);
	if (!answer && e->faults)
		answer = torus_engine_faults(e);
	if (!answer)
		answer = leave_all(e);
	if (!answer)
		answer = torus_engine_move_all(e);
	if (!answer)
		answer = engine_submit_all(e);
	if (!answer)
		answer = torus_engine_decide(e);
	if (!answer && e->options->check &&
	    !torus_check_instant(e->scheduler, e->now_us,
				 e->ends.count + e->untracked, e->queued,
				 e->granted + e->untracked_count, e->err))
		answer = TORUS_REPLAY_VIOLATION;
	if (++e->instants % TICK_INSTANTS == 0 && e->hooks->tick)
		e->hooks->tick(e->hooks->arg, e->metrics->jobs);
	return answer;
}

/* Give up the jobs that no event can start any more. */
static enum torus_replay_answer give_up(struct engine *e, int64_t last)
{
	struct torus_queue *queue = torus_scheduler_queue(e->scheduler);
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	const struct torus_end *end;

	e->now_us = last;
	while (!answer && (end = torus_ends_first(&e->ends))) {
		struct torus_replay_job *job = end->job;

		torus_ends_drop(&e->ends);
		torus_idle_commit(&e->metrics->idle);
		answer = torus_engine_finish(e, job, TORUS_OUTCOME_UNFINISHED,
					     NULL);
	}
	while (!answer && queue->head) {
		struct torus_replay_job *job = queue->head->host;

		torus_scheduler_remove(e->scheduler, &job->job, e->now_us);
		answer = torus_engine_finish(e, job, TORUS_OUTCOME_UNFINISHED,
					     NULL);
		torus_replay_job_drop(&e->jobs, job);
	}
	return answer;
}

static enum torus_replay_answer engine_run(struct engine *e)
{
	enum torus_replay_answer answer = engine_fetch(e);
	bool more = true;
	int64_t last = 0;

	e->wake_us = TORUS_NO_TIME;
	if (!answer && e->next)
		answer = torus_engine_faults_begin(e);
	if (!answer && e->next && e->options->outages)
		answer = torus_engine_outages_begin(e);
	while (!answer && more) {
		answer = engine_advance(e, &more);
		if (answer || !more)
			break;
		last = e->now_us;
		answer = engine_instant(e);
	}
	/* (nodes that do not return may be what its jobs wait for) */
	if (!answer && e->idle_passes > 0 &&
	    torus_bits_count(e->out, e->machine->words) == 0)
		answer = torus_engine_policy_idles(e,
						   ", and no event will follow");
	if (!answer)
		answer = give_up(e, last);
	torus_idle_begin(&e->metrics->idle, e->metrics->first_submit_us,
			 e->machine->nodes);
	if (e->outage_rules)
		e->metrics->outages_unmet =
			torus_replay_outages_unmet(e->outage_rules,
						   e->options->outages,
						   e->metrics->last_end_us);
	return answer;
}

/* Allocate state, bitmaps and links of a replay. Return DONE or the reported
 * failure; call engine_close() in either case. */
static enum torus_replay_answer engine_open(struct engine *e)
{
	uint32_t words = e->machine->words;

	e->jobs.machine = e->machine;
	e->memory = torus_alloc((SCRATCH + 3) * (size_t)words,
				sizeof(*e->memory));
	e->state = e->memory ? torus_state_create(e->machine) : NULL;
	if (!e->state)
		return torus_engine_failed(e, "machine state");
	e->present = e->memory;
	e->out = e->present + words;
	e->out_failed = e->out + words;
	e->scratch = (struct torus_scratch){ .memory = e->out_failed + words,
					     .words = words,
					     .room = SCRATCH };
	torus_bits_copy(e->present, torus_state_free_map(e->state), words);
	if (torus_link_list_copy(&e->links, torus_state_links(e->state)))
		return torus_engine_no_memory(e, "links");
	e->weights = torus_weights_create(e->machine);
	if (!e->weights)
		return torus_engine_no_memory(e, "weights");
	return TORUS_REPLAY_DONE;
}

static void engine_close(struct engine *e)
{
	torus_scheduler_destroy(e->scheduler);
	torus_pipe_close(e->pipe);
	torus_state_destroy(e->state);
	torus_ends_free(&e->ends);
	torus_ends_free(&e->leaves);
	torus_ends_free(&e->moves);
	torus_ends_free(&e->changes);
	torus_free(e->memory);
	torus_free(e->untracked_slots);
	torus_text_free(&e->begun_with);
	torus_text_free(&e->promised);
	torus_text_free(&e->outage_text);
	torus_weights_destroy(e->weights);
	torus_text_free(&e->weights_text);
	torus_link_list_free(&e->links);
	torus_link_list_free(&e->links_failed);
	torus_link_list_free(&e->links_all);
	torus_faults_destroy(e->faults);
	torus_replay_outages_free(e->outages);
	torus_replay_outages_free(e->outage_rules);
	torus_replay_jobs_free(&e->jobs);
}

static enum torus_replay_answer engine_schedule(struct engine *e)
{
	const struct torus_scheduler_stats *stats;
	struct torus_scheduler_settings how = *e->settings;
	enum torus_replay_answer answer;

	/* the work done by a preempted run would be lost with dilation */
	how.no_preemption |= e->options->contention;
	how.reserve_nodes = how.as_live;
	errno = 0;
	if (e->options->pipe) {
		e->pipe = torus_pipe_open(e->options->pipe, e->state,
					  e->options->seed, e->err);
		if (!e->pipe)
			return torus_engine_failed(e, e->options->pipe);
		how.policy = torus_pipe_host(e->pipe);
	}
	e->scheduler = torus_scheduler_create(e->state, &how, e->err);
	if (!e->scheduler)
		return errno == EINVAL ? TORUS_REPLAY_REFUSED :
					 torus_engine_failed(e, "scheduler");
	e->idle_answers.plan = torus_scheduler_plan(e->scheduler);
	answer = engine_run(e);
	stats = torus_scheduler_stats(e->scheduler);
	e->metrics->searches = stats->searches;
	e->metrics->strangers = stats->strangers;
	e->metrics->crowded = stats->crowded;
	e->metrics->wholes = stats->wholes;
	e->metrics->unequal = stats->unequal;
	return answer;
}

/* Return the name of the first policy of a file among discipline and strategies, or NULL. */
static const char *engine_policy(const struct torus_machine *m,
				 const struct torus_scheduler_settings *settings)
{
	const struct torus_discipline *d = settings->discipline;

	if (d->own)
		return d->name;
	for (uint32_t p = 0; p < m->pods; p++) {
		if (m->pod[p].strategy[0]->checked)
			return m->pod[p].strategy[0]->name;
	}
	return NULL;
}

enum torus_replay_answer
torus_replay_run(struct torus_trace *trace, const struct torus_machine *m,
		 const struct torus_scheduler_settings *settings,
		 const struct torus_replay_options *options,
		 const struct torus_replay_hooks *hooks,
		 struct torus_metrics *metrics, struct torus_error *err)
{
	struct engine e = { .trace = trace,
			    .machine = m,
			    .options = options,
			    .settings = settings,
			    .hooks = hooks,
			    .metrics = metrics,
			    .err = err };
	enum torus_replay_answer answer;
	const char *policy;
	int saved;

	if (settings->discipline == &torus_discipline_recorded)
		return torus_recorded_run(trace, m, options, hooks, metrics,
					  err);
	if (options->contention && torus_dilate_supports(m, err))
		return TORUS_REPLAY_REFUSED;
	policy = engine_policy(m, settings);
	if (policy)
		torus_watch_enter(policy, false);
	errno = 0;
	answer = engine_open(&e);
	if (!answer)
		answer = engine_schedule(&e);
	saved = errno;
	engine_close(&e);
	if (policy)
		torus_watch_leave();
	errno = saved;
	return answer;
}
