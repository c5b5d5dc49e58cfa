/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's side of the agent's host table (live/agent.h) in the simulated site: what a
 * snapshot tells, and what Slurm does with an order. Each call may be the one at which
 * slurmctld crashes.
 */
#include "beside.h"
#include "life.h"
#include "rules.h"
#include "site.h"

#include "format/node_state.h"
#include "live/mirror/cycle_report.h"
#include "live/mirror/mirror.h"
#include "live/mirror/outages.h"
#include "live/mirror/waiting.h"
#include "live/promises/promises.h"
#include "live/orders.h"
#include "live/sharing.h"

#define COMPLETES_US (10 * SIM_SECOND)

static void host_call(struct sim_world *w)
{
	if (w->crash_in > 0 && --w->crash_in == 0)
		longjmp(w->crash, 1);
}

static int64_t host_now(void *arg)
{
	return ((struct sim_world *)arg)->now_us;
}

static void host_lock(void *arg)
{
	struct sim_world *w = arg;

	if (w->locked)
		rule_broken("the locks are taken twice");
	host_call(w);
	if (w->lock_us) {
		if (w->waited_us < w->lock_us)
			w->waited_us = w->lock_us;
		world_pass(w, random_below(&w->slow, (uint32_t)w->lock_us),
			   &w->slow);
	}
	world_change_during(w);
	w->locked = true;
}

static void host_unlock(void *arg)
{
	struct sim_world *w = arg;

	if (!w->locked)
		rule_broken("the locks are released twice");
	w->locked = false;
	host_call(w);
}

static bool host_changed(void *arg, bool *soon)
{
	(void)arg;
	*soon = false;
	return true;
}

/* One of four users; some jobs have none. */
static const struct torus_job_owner *owner_of(struct sim_world *w,
					      const struct sim_job *j)
{
	static const char *const user[] = { "ada", "b,b", "", NULL };
	uint32_t n = (j->pending.name.job % SIM_TASKS + w->seed) % 4;

	return w->seed < SIM_WIDER || n == 3 ?
		       NULL :
		       owners_add(w->cycle, user[n], n == 2 ? "lab" : NULL);
}

static int tell_running(struct sim_world *w, struct sim_job *j,
			uint64_t *sharers)
{
	struct cycle_running_job use = { .job = j->pending.name.job,
					 .start_us = j->start_us,
					 .end_us = j->start_us + j->limit_us,
					 .nodes = j->nodes };
	uint32_t nodes = torus_bits_count(j->nodes, w->m.words);
	bool whole = claims_until(&w->claims, j->nodes, &use.end_us);

	use.owner = owner_of(w, j);
	use.shares = j->pending.shares;
	use.place = j->has_place ? &j->place : NULL;
	if (use.shares)
		*sharers = (*sharers * 31 + use.job) * 31 +
			   (j->state == SIM_COMPLETING);
	if (j->state == SIM_COMPLETING) {
		if (!running_completing(w->cycle, use.job, use.start_us))
			untracked_add(w->cycle, j->nodes,
				      w->now_us + COMPLETES_US);
		return 0;
	}
	if (!whole && !use.shares) { /* (one hold has one end) */
		untracked_add(w->cycle, j->nodes, use.end_us);
		return 0;
	}
	return running_unchanged(w->cycle, use.job, nodes, use.start_us,
				 use.end_us) ?
		       0 :
		       running_add(w->cycle, &use);
}

static int tell_pending(struct sim_world *w, struct sim_job *j)
{
	struct cycle_pending_job *p = &j->pending;
	uint64_t allowed[WORKLOAD_WORDS];

	memset(allowed, 0xff, sizeof(allowed));
	if (j->confined)
		memcpy(allowed, j->allowed, sizeof(allowed));
	site_outages(w, j, allowed);
	if (node_sets_add(w->cycle, allowed, &p->allowed) ||
	    (j->requires && node_sets_add(w->cycle, j->required, &p->required)) ||
	    outages_add(w->cycle, &j->outages.o, &p->outages))
		return -1;
	p->owner = owner_of(w, j);
	return waiting_unchanged(w->cycle, &p->name, p->key, p->allowed,
				 p->outages, p->priority) ?
		       0 :
		       waiting_add(w->cycle, p);
}

/* Nodes as plugins/slurmctld tells them: free, busy for a time, or out. */
static void tell_nodes(struct sim_world *w)
{
	uint64_t out[WORKLOAD_WORDS] = { 0 }, silent[WORKLOAD_WORDS] = { 0 };

	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		enum node_use use = node_state_row(w->node[b])->use;
		int64_t until_us = 0;

		if (!torus_bits_test(w->present, b) ||
		    !(w->node[b] & SIM_UNUSABLE))
			continue;
		if (use == NODE_RETURNS) {
			untracked_add_node(w->cycle, b,
					   w->silent_us[b] + 72 * SIM_SECOND);
			continue;
		}
		if (use != NODE_OUT)
			until_us = untracked_await(w->cycle, b, w->silent_us[b]);
		if (until_us) {
			agent_wake_at(w->agent, until_us);
		} else {
			torus_bits_set(out, b);
			if (use == NODE_SILENT)
				torus_bits_set(silent, b);
		}
	}
	cycle_set_out(w->cycle, out);
	cycle_set_silent(w->cycle, silent);
}

static struct cycle *host_snapshot(void *arg, struct agent *a)
{
	struct sim_world *w = arg;
	bool complete = true;
	uint64_t sharers = 1;

	host_call(w);
	life_renew_journal(w);
	beside_serve_claims(w);
	if (w->seed >= SIM_WIDEST && w->preempts && !w->dry)
		beside_preempt(w, true);
	w->told = false;
	w->looks++;
	if ((w->weights && cycle_set_weights(w->cycle, w->weights)) ||
	    cycle_set_links(w->cycle, &w->links))
		return NULL;
	cycle_begin(w->cycle, agent_now(a));
	for (uint32_t i = 0; i < w->jobs && complete; i++) {
		struct sim_job *j = &w->job[i];

		if (j->state == SIM_RUNNING || j->state == SIM_COMPLETING)
			complete = tell_running(w, j, &sharers) == 0;
	}
	if (!complete)
		return NULL;
	sharing_set_hash(w->cycle, sharers);
	tell_nodes(w);
	claims_withhold(&w->claims, w->cycle);
	w->changed = false;
	w->told = true;
	for (uint32_t i = 0; i < w->jobs && complete; i++) {
		agent_yield_locks(a);
		if (w->job[i].state == SIM_PENDING &&
		    w->job[i].pending.eligible_us <= w->now_us)
			complete = tell_pending(w, &w->job[i]) == 0;
	}
	w->told &= complete;
	return complete ? w->cycle : NULL;
}

static void host_updated(void *arg, struct cycle *c)
{
	struct sim_world *w = arg;

	if (w->promises_left.data) {
		saved_promises_restore(c, w->promises_left.data, NULL);
		torus_text_free(&w->promises_left);
		w->disturbed |= !w->saved_now;
		rule_restored(w);
	}
	w->saved_now = false;
	if (!w->changed && w->told && !w->failing)
		rule_mirror(w);
	host_call(w);
}

/* Slurm's select_nodes(): the order's nodes must be free and usable for it. */
static enum cycle_result host_commit(void *arg, const struct cycle_order *o,
				     uint32_t *job, const uint64_t **unfit)
{
	struct sim_world *w = arg;
	struct sim_job *j = world_job(w, o->name.job);
	static uint64_t some[WORKLOAD_WORDS];
	const char *why;
	bool cleared;

	if (!w->locked)
		rule_broken("an order without the locks");
	if (!j)
		rule_broken("an order for job %u, which does not exist",
			    o->name.job);
	*job = o->name.job;
	w->offered++;
	if (w->refuse > 0) {
		w->refuse--;

		w->counts.refusals++;
		w->disturbed = true;
		w->refused++;
		rule_another_place(w, j, o);
		j->refused_look = w->looks;
		j->refused_cycle = w->cycle_number;
		workload_nodes(&w->refuse_how, &w->m, 20, some);
		if (random_percent(&w->refuse_how, 50))
			*unfit = some;
		if (w->refusal == CYCLE_UNFIT)
			torus_bits_or(j->unfit, *unfit ? some : o->nodes,
				      w->m.words);
		world_say(w, "  job %u is refused on nodes %llx: %s",
			  o->name.job, (unsigned long long)*o->nodes,
			  w->refusal == CYCLE_UNFIT ? "unfit" :
			  w->refusal == CYCLE_LATER ? "later" :
						      "never");
		if (*unfit)
			world_say(w, "    since nodes %llx do not fit",
				  (unsigned long long)*some);
		return w->refusal;
	}
	cleared = !o->reject_reason && claims_meet(&w->claims, o->nodes);
	why = rule_forbids(w, j, o);
	if (why && !w->changed)
		rule_broken("job %u %s", o->name.job, why);
	beside_claimed(w, j, some);
	if (!o->reject_reason && !cleared &&
	    torus_bits_meet(some, o->nodes, w->m.words))
		rule_broken("job %u would get nodes that are cleared for another",
			    o->name.job);
	if (why || cleared) { /* what it was decided on is old */
		j->refused_cycle = w->cycle_number;
		w->refused++;
		w->disturbed = true;
		return CYCLE_LATER;
	}
	if (o->reject_reason) {
		j->state = SIM_OVER;
	} else {
		rule_another_place(w, j, o);
		rule_start(w, j, o);
		j->late = w->now_us > cycle_report_now(w->cycle) + SIM_SECOND;
		if (j->task && j->pending.name.job < SIM_TASKS)
			j->pending.name.job += SIM_TASKS;
		*job = j->pending.name.job;
		w->disturbed |= j->refused_cycle > 0;
		world_begin_job(w, j, o->limit_us, o->nodes, true);
	}
	host_call(w);
	return CYCLE_STARTED;
}

static void host_forecast(void *arg, struct cycle *c)
{
	struct sim_world *w = arg;

	forecast_run(c, 20, SIM_SECOND);
	if (!w->failing)
		rule_promises(w);
	beside_note_queue(w);
	if (!w->failing)
		life_note_plan(w);
	host_call(w);
}

static void host_publish(void *arg, struct agent *a)
{
	struct sim_world *w = arg;

	(void)a;
	host_call(arg);
	if (!w->preempts)
		return;
	beside_preempt(w, false);
	host_call(w);
}

static void host_ended(void *arg, struct cycle *c, const struct agent_counts *n)
{
	struct sim_world *w = arg;
	struct torus_error err = { 0 };

	if (!w->failing)
		life_write_plan(w, n);
	if (!journal_idle(w->journal)) {
		journal_until(w->journal, cycle_report_now(c));
		journal_write(w->journal, &err);
	}
	host_call(w);
}

const struct agent_host sim_host = {
	.now = host_now,
	.lock = host_lock,
	.unlock = host_unlock,
	.changed = host_changed,
	.snapshot = host_snapshot,
	.updated = host_updated,
	.commit = host_commit,
	.join = beside_join,
	.forecast = host_forecast,
	.publish = host_publish,
	.ended = host_ended,
};

/* Another scheduler starts the jobs. */
const struct agent_host sim_dry_host = {
	.now = host_now,
	.lock = host_lock,
	.unlock = host_unlock,
	.changed = host_changed,
	.snapshot = host_snapshot,
	.updated = host_updated,
	.forecast = host_forecast,
	.publish = host_publish,
	.ended = host_ended,
};
