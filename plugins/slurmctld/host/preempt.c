/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preemption: a pending job may take the nodes of jobs that Slurm lets it preempt. Of all
 * places that are free without those jobs it takes the one where they have run the fewest
 * nodes x seconds, and a minute more for each job; the order of Slurm's list plays no part.
 * A suspended job would keep its nodes, so it is no candidate.
 *
 * select_nodes() then ends those jobs. Until the nodes are free they are claimed: no other
 * job gets them, and the job starts there without another pass. Only a job that could
 * preempt the claimer may clear claimed nodes for itself, which ends the claim. A claim
 * also ends if its job or its nodes change, if no job that is told to end has the nodes
 * that are not idle, and CLAIM_US after its begin or after the grace time. A job that
 * was told to end costs nothing more.
 *
 * A job that has a free place keeps its position in the queue, unless it could preempt
 * every job before it: then it does not wait for them.
 *
 * Cost: where preemption is enabled, one list of candidates per cycle and waiting job,
 * PREEMPTORS of them at most (and half as many before the pass), and a choice
 * (live/preemption.h) each. Jobs of a partition and QOS that can preempt nobody now do not
 * count: one list for all of them.
 *
 * The first jobs of the queue, in the order that the last cycle left, get this choice before
 * the pass, too: otherwise the pass starts jobs on free nodes, and they preempt these at
 * once. It ends at the first job that may start without preempting anybody: the pass
 * places that one.
 *
 * In a cycle half of the PREEMPTORS are the first of the queue; the others are the next
 * ones, cycle by cycle, until the queue's end: a sweep. So those that find no place do not
 * keep others from preempting. Where jobs before it were not looked at in the same cycle, a
 * job preempts only in a sweep that began after a place for one was seen: those before it
 * have had the choice.
 */
#include "torus/state_find.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/preempt.h"
#include "slurmctld/host/commit.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/host/pending_job.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/select/choose.h"

#include "live/preemption.h"
#include "live/base/lock_hold.h"

#include "torus/alloc.h"

#define PREEMPTORS 8     /* jobs looked at per cycle */
#define PREEMPT_KINDS 32 /* partitions and QOS that are noted in a cycle */
#define SWEEP_US INT64_C(500000) /* between two cycles of a sweep */
#define CLAIM_US INT64_C(90000000)
#define RESTART_COST 60 /* node seconds: what it takes to begin a job again */
#define ENDING_COST                                                            \
	1e-9 /* of a job that was told to end: more than a free node */

struct preempt_search {
	struct host *h;
	job_record_t *job;
	uint32_t part; /* its n-th pair of partition and QOS, the record's meanwhile */
	uint32_t turn; /* position of the job in h->listing */
	bool yields;   /* jobs before it have not had the choice */
	bool yielded;  /* so it has left a place to them */
	bool early;    /* before the pass */
	bool passes; /* then: it may have a free place, which is the pass's to give */
	struct victims victims;
	struct preemption v;
};

bool preempt_may(job_record_t *job, job_record_t *other, part_record_t *part)
{
	job_queue_rec_t own = { .job_id = job->job_id,
				.job_ptr = job,
				.part_ptr = job->part_ptr,
				.priority = job->priority };
	job_queue_rec_t its = { .job_id = other->job_id,
				.job_ptr = other,
				.part_ptr = part,
				.priority = other->priority };

	return part && preempt_g_job_preempt_check(&own, &its);
}

/* Candidates */

/* Return the node seconds that ending it wastes. (So of places that lose about the same, the
 * one with fewer jobs is cleared.) */
static double preempt_cost_of(const job_record_t *job)
{
	double seconds = difftime(time(NULL), job->start_time);

	if (job->preempt_time)
		return ENDING_COST;
	return RESTART_COST + job->node_cnt * (1 + (seconds > 0 ? seconds : 0));
}

static bool preempt_may_claimer(void *arg, uint32_t id)
{
	job_record_t *claimer = find_job_record(id);

	return !claimer || preempt_may(arg, claimer, claimer->part_ptr);
}

/* Find the nodes that are idle or may be cleared for a job of that length: not those
 * of a job that may not be ended, whether it shares them with one that may or is
 * suspended there. */
static bool list_candidates(struct preempt_search *s,
			    const struct allowed_class *class, int64_t limit_us)
{
	int64_t now_us = seconds_to_us(time(NULL));
	struct host *h = s->h;
	struct preemption *v = &s->v;
	bitstr_t *nodes;

	if (preemption_open(v, h->words, s->victims.count))
		return false;
	nodes = bit_copy(idle_node_bitmap);
	for (uint32_t i = 0; i < s->victims.count; i++) {
		const job_record_t *job = find_job_record(s->victims.id[i]);
		const struct node_map *map;
		bitoff_t last;

		if (!job)
			continue;
		map = &s->h->map;
		last = bit_fls(job->node_bitmap);
		preemption_add_job(&s->v, preempt_cost_of(job));
		for (bitoff_t n = bit_ffs(job->node_bitmap);
		     n >= 0 && n <= last; n++) {
			if (bit_test(job->node_bitmap, n) &&
			    (uint64_t)n < map->nodes &&
			    map->bit_of[n] != UINT32_MAX)
				preemption_add_node(&s->v, map->bit_of[n]);
		}
		bit_or(nodes, job->node_bitmap);
	}
	victims_keep_off(&s->victims, nodes);
	bit_and(nodes, avail_node_bitmap);
	if (h->leaked)
		bit_and_not(nodes, h->leaked);
	node_map_from_slurm(&h->map, nodes, v->usable);
	bit_free(nodes);
	claims_exclude(&h->claims, s->job->job_id, preempt_may_claimer, s->job,
		       v->usable);
	if (class->allowed)
		torus_bits_and(v->usable, v->usable, class->allowed, h->words);
	if (class->outages &&
	    !torus_outages_clear(class->outages, now_us,
				 torus_time_after(now_us, limit_us), v->usable,
				 h->words))
		return false;
	return v->count > 0 || s->early;
}

/* Find the cheapest place for the first alternative. */
static void preempt_search_place(struct preempt_search *s,
				 const struct instance *in,
				 const job_record_t *job,
				 const uint64_t *required)
{
	struct torus_request request;
	struct lock_hold_limit limit;
	struct torus_ask *ask;

	if (job_request_of(job, s->h->may_rotate, &request))
		return;
	ask = &request.alternative[0].ask;
	if (ask->by_count)
		ask->granted = job->details->min_nodes;
	ask->required = required;
	lock_hold_limit_begin(&limit, SEARCH_US);
	ask->limit = &limit.limit;
	preemption_choose_place(&s->v, in->empty, ask);
	/* (the pass tries the other alternatives) */
	s->passes = s->early && request.alternatives > 1 && !s->v.possible;
}

/* Return true if it could preempt all jobs before it in the queue. Jobs with a claim
 * do not count: they have their places. */
static bool preempt_outranks(const struct preempt_search *s)
{
	const struct plan_listing_job *jobs = s->h->listing.job;

	for (uint32_t i = 0; i < s->turn; i++) {
		const struct cycle_name *name = &jobs[i].promise.name;
		job_record_t *other = find_job_record(name->job);

		if (!other || other == s->job || !IS_JOB_PENDING(other) ||
		    (name->copy == 0 && claims_has(&s->h->claims, name->job)))
			continue;
		pending_job_take_qos(other, name->part);
		if (!preempt_may(s->job, other,
				 pending_job_partition(other, name->part)))
			return false;
	}
	return true;
}

/* A look at who leaves some nodes. */
struct clearing {
	const bitstr_t *nodes;
	bitstr_t *staying; /* nodes that are not idle, and that nobody leaves */
	time_t end;        /* of the latest grace time */
};

static int clearing_note(void *object, void *arg)
{
	const job_record_t *job = object;
	struct clearing *x = arg;
	struct job_nodes has;

	if (!job_table_nodes_of(job, &has) || !has.nodes ||
	    !bit_overlap_any((bitstr_t *)(uintptr_t)x->nodes,
			     (bitstr_t *)(uintptr_t)has.nodes) ||
	    (!has.completing && !(job->preempt_time && IS_JOB_RUNNING(job))))
		return 0;
	bit_and_not(x->staying, (bitstr_t *)(uintptr_t)has.nodes);
	if (!has.completing && x->end < job->end_time)
		x->end = job->end_time;
	return 0;
}

/* Return true if a node will not become free: it is down, or drained. */
static bool clearing_lost_node(const bitstr_t *nodes)
{
	bitstr_t *n = (bitstr_t *)(uintptr_t)nodes;
	bitoff_t last = bit_fls(n);

	for (bitoff_t i = bit_ffs(n); i >= 0 && i <= last; i++) {
		const node_record_t *node = node_record_table_ptr[i];

		if (bit_test(n, i) &&
		    (!node || IS_NODE_DOWN(node) || IS_NODE_DRAIN(node) ||
		     IS_NODE_FAIL(node)))
			return true;
	}
	return false;
}

/* Return true if jobs leave all of the nodes that are not idle, one at least. *end: the
 * end of the latest grace time. */
static bool is_clearing(const bitstr_t *nodes, time_t *end)
{
	struct clearing x = { .nodes = nodes, .end = time(NULL) };
	bool any;

	if (clearing_lost_node(nodes))
		return false;
	x.staying = bit_copy((bitstr_t *)(uintptr_t)nodes);
	bit_and_not(x.staying, idle_node_bitmap);
	any = bit_ffs(x.staying) >= 0;
	bit_and_not(x.staying, cg_node_bitmap);
	list_for_each(job_list, clearing_note, &x);
	any = any && bit_ffs(x.staying) < 0;
	bit_free(x.staying);
	*end = x.end;
	return any;
}

/* End the claims on these nodes. */
static void claims_lose(struct host *h, const uint64_t *nodes)
{
	uint32_t job;

	while ((job = claims_end_one(&h->claims, nodes)))
		info("sched/torus: JobId=%u loses the nodes that were being cleared for it to a job that may preempt it",
		     job);
}

/* Claim the nodes for the job if jobs are leaving them, and end claims on them. */
static void claim_make(const struct preempt_search *s,
		       const struct start_order *order)
{
	job_record_t *job = s->job;
	struct claim c = {
		.job = job->job_id,
		.part = s->part,
		.key = pending_job_key(job, job->part_ptr),
		.anywhere = order->anywhere,
		.place = order->place,
		.nodes = s->v.chosen,
	};
	time_t end;

	if (!is_clearing(order->nodes, &end))
		return;
	c.until_us = torus_time_after(seconds_to_us(end), CLAIM_US);
	c.used_until_us = torus_time_after(seconds_to_us(end),
					   limits_time_us(job, job->part_ptr));
	claims_lose(s->h, c.nodes);
	claims_store(&s->h->claims, claims_unused(&s->h->claims), &c);
	job->start_time = end;
	job->state_reason = WAIT_RESOURCES;
	xfree(job->state_desc);
	job->state_desc =
		xstrdup_printf("jobs on %u nodes are being preempted for it",
			       order->count);
	last_job_update = time(NULL);
	info("sched/torus: %pJ preempts, and claims %u nodes", job,
	     order->count);
}

/* Choose the nodes; required: of -w, with a shape or a range of nodes. */
static void preempt_search_run(struct preempt_search *s, const job_record_t *job,
			       bool anywhere, const uint64_t *required)
{
	const struct instance *in = instance_lock();
	bool same = commit_has_machine_of(s->h, in);

	if (same && anywhere)
		preemption_choose_nodes(&s->v, node_count_of(job, job->part_ptr),
					required,
					torus_state_weights(in->empty));
	else if (same)
		preempt_search_place(s, in, job, required);
	instance_unlock();
}

/* Find the place, let Slurm clear it, and claim it for the job. */
static void preempt_clear(struct preempt_search *s, const uint64_t *required)
{
	job_record_t *job = s->job;
	struct start_order order = { .job = job->job_id };
	const uint64_t *unfit = NULL;
	struct host *h = s->h;

	order.anywhere = !job_request_is_shaped(job);
	preempt_search_run(s, job, order.anywhere, required);
	s->passes |= s->early && s->v.possible && s->v.least <= 0;
	if (!s->v.possible || s->passes ||
	    (s->v.least <= 0 && !preempt_outranks(s)))
		return;
	s->yielded = s->yields;
	if (s->yielded)
		return;
	order.place = s->v.place;
	order.nodes = bit_alloc(node_record_count);
	order.count = node_map_to_slurm(&h->map, s->v.chosen, order.nodes);
	if (commit_start(h, job, &order, &unfit) == CYCLE_STARTED)
		claims_lose(h, s->v.chosen);
	else
		claim_make(s, &order);
	job->preempt_in_progress = false;
	bit_free(order.nodes);
	FREE_NULL_BITMAP(order.fit);
}

enum preemptor {
	PREEMPTOR_UNABLE, /* it may not start */
	PREEMPTOR_OF_NOBODY,
	PREEMPTOR_SEARCHED,
};

/* (Slurm's functions take the partition from the job's record.) */
static enum preemptor preempt_for(struct preempt_search *s, part_record_t *part)
{
	job_record_t *job = s->job;
	part_record_t *was = job->part_ptr;
	const struct allowed_class *class = allowed_nodes_class(s->h, job, part);
	compat_list list;
	bool any;

	if (!class || class->none || limits_beyond(s->h, job, class) & 1)
		return PREEMPTOR_UNABLE;
	job->part_ptr = part;
	list = slurm_find_preemptable_jobs(job);
	victims_open(&s->victims, list);
	FREE_NULL_LIST(list);
	any = s->victims.count > 0;
	if (s->early && pending_job_shares(job, part))
		s->passes = true; /* it may join others */
	else if ((any || s->early) &&
		 list_candidates(s, class, limits_time_us(job, part)))
		preempt_clear(s, class->required);
	if (IS_JOB_PENDING(job))
		job->part_ptr = was;
	victims_close(&s->victims);
	preemption_close(&s->v);
	return any ? PREEMPTOR_SEARCHED : PREEMPTOR_OF_NOBODY;
}

/* Whom a job may preempt depends on its partition and QOS, with PreemptMode=WITHIN on its
 * priority, too (a higher one has no fewer victims), and on its reservation. */
struct preempt_kinds {
	uint32_t count;
	const part_record_t *part[PREEMPT_KINDS];
	const void *qos[PREEMPT_KINDS];
	uint32_t priority[PREEMPT_KINDS];
};

static bool kinds_include(const struct preempt_kinds *k,
			  const part_record_t *part, const job_record_t *job)
{
	for (uint32_t i = 0; i < k->count && !job->resv_ptr; i++) {
		if (k->part[i] == part && k->qos[i] == job->qos_ptr &&
		    job->priority <= k->priority[i])
			return true;
	}
	return false;
}

/* Return false if there is no room, or if it is of no kind. */
static bool kinds_add(struct preempt_kinds *k, const part_record_t *part,
		      const job_record_t *job)
{
	if (k->count == PREEMPT_KINDS || job->resv_ptr)
		return false;
	k->part[k->count] = part;
	k->qos[k->count] = job->qos_ptr;
	k->priority[k->count++] = job->priority;
	return true;
}

/* A walk through the queue. */
struct preempt_walk {
	struct agent *agent;
	struct preempt_kinds none; /* that can preempt nobody */
	uint32_t searched;
	bool yields, yielded; /* as in struct preempt_search */
	bool early;
	bool ends;        /* early: here is a job that the pass may start */
	bool locks_given; /* for a moment */
};

/* Look at the job of that position. Return false if there is no room for a claim: others
 * would get the cleared nodes. */
static bool preempt_look(struct host *h, struct preempt_walk *w, uint32_t turn)
{
	const struct cycle_name *name = &h->listing.job[turn].promise.name;
	struct preempt_search s = { .h = h,
				    .part = name->part,
				    .turn = turn,
				    .yields = w->yields,
				    .early = w->early };
	enum preemptor found;
	job_record_t *job;
	part_record_t *part;

	if (!claims_unused(&h->claims))
		return false;
	w->locks_given |= agent_yield_locks(w->agent);
	s.job = job = find_job_record(name->job);
	part = job && IS_JOB_PENDING(job) && job->details ?
		       pending_job_partition(job, name->part) :
		       NULL;
	if (part)
		pending_job_take_qos(job, name->part);
	if (!part || name->copy > 0 || claims_has(&h->claims, name->job) ||
	    (!w->early && kinds_include(&w->none, part, job)) ||
	    !pending_job_prepare(job, part, name->part))
		return true;
	found = preempt_for(&s, part);
	w->yielded = s.yielded;
	w->ends = s.passes;
	w->searched += found == PREEMPTOR_SEARCHED ||
		       (found == PREEMPTOR_OF_NOBODY &&
			(w->early || !kinds_add(&w->none, part, job)));
	return true;
}

bool preempt_early(struct host *h, struct agent *a)
{
	struct preempt_walk w = { .agent = a, .early = true };

	if (!slurm_preemption_enabled() || h->dry_run)
		return false;
	for (uint32_t i = 0; i < h->listing.count && !w.ends &&
			     w.searched < PREEMPTORS / 2 && commit_is_possible();
	     i++) {
		if (!preempt_look(h, &w, i))
			break;
	}
	return w.locks_given;
}

void preempt_run(struct host *h, struct agent *a)
{
	struct preempt_walk w = { .agent = a };
	uint32_t n = h->listing.count, i = 0;

	if (!slurm_preemption_enabled())
		return;
	for (; i < n && w.searched < PREEMPTORS / 2; i++) {
		if (!preempt_look(h, &w, i))
			return;
	}
	if (i < h->preempt_from) {
		i = h->preempt_from;
		w.yields = !h->preempt_seen;
	}
	for (; i < n && w.searched < PREEMPTORS && !w.yielded; i++) {
		if (!preempt_look(h, &w, i))
			return;
	}
	h->preempt_seen = w.yielded || (h->preempt_seen && i < n);
	h->preempt_from = i < n && !w.yielded ? i : 0;
	if (i < n || w.yielded) /* the sweep goes on, or begins anew */
		agent_wake_at(a, agent_now(a) + SWEEP_US);
}

static int grace_is_over(void *object, void *arg)
{
	const job_record_t *job = object;

	return job->preempt_time && IS_JOB_RUNNING(job) && job->node_bitmap &&
	       job->end_time <= time(NULL) &&
	       bit_overlap_any(job->node_bitmap, arg);
}

/* Start the job on its cleared nodes. Return false if the job has changed, or
 * if it may no longer use the nodes. */
static bool claim_serve(struct host *h, const struct claim *c)
{
	job_record_t *job = find_job_record(c->job);
	struct start_order order = { .job = c->job,
				     .place = c->place,
				     .anywhere = c->anywhere };
	const uint64_t *unfit = NULL;
	part_record_t *part;
	bool waits = false;
	time_t end;

	if (!job || !IS_JOB_PENDING(job) || !job->details ||
	    seconds_to_us(time(NULL)) > c->until_us)
		return false;
	part = pending_job_partition(job, c->part);
	if (!part || pending_job_key(job, part) != c->key ||
	    !pending_job_prepare(job, part, c->part))
		return false;
	job->part_ptr = part;
	order.nodes = bit_alloc(node_record_count);
	order.count = node_map_to_slurm(&h->map, c->nodes, order.nodes);
	if (commit_nodes_are_idle(order.nodes)) {
		if (commit_start(h, job, &order, &unfit) == CYCLE_UNFIT)
			leaks_find(h, job, order.nodes);
	} else if (is_clearing(order.nodes, &end)) {
		if (end > time(NULL))
			agent_wake_at(h->self, seconds_to_us(end));
		/* Slurm ends jobs after their grace time every 30 s, and when they
		 * are preempted again */
		if (list_find_first(job_list, grace_is_over, order.nodes)) {
			commit_start(h, job, &order, &unfit);
			job->preempt_in_progress = false;
		}
		waits = IS_JOB_PENDING(job);
	}
	FREE_NULL_BITMAP(order.fit);
	bit_free(order.nodes);
	return waits;
}

bool preempt_serve_claims(struct host *h, struct agent *a)
{
	bool yielded = false;

	for (uint32_t i = 0; i < CLAIMS; i++) {
		struct claim *c = &h->claims.claim[i];

		if (!c->job || !commit_is_possible() || !commit_has_machine(h))
			continue;
		if (!claim_serve(h, c))
			claims_drop(c);
		yielded |= agent_yield_locks(a);
	}
	return yielded;
}
