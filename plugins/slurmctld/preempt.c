/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preemption: a pending job may take the nodes of jobs that Slurm lets it preempt. Of all
 * places that are free without those jobs it takes the one where they have run the fewest
 * nodes x seconds; the order of Slurm's list plays no part. A suspended job would keep its
 * nodes, so it is no candidate.
 *
 * select_nodes() then ends those jobs. Until the nodes are free they are claimed: no other
 * job gets them, and the job starts there without another pass. A claim ends CLAIM_SECONDS
 * after its begin or after the grace time.
 *
 * A job that has a free place keeps its position in the queue, unless it could preempt
 * every job before it: then it does not wait for them.
 *
 * Cost: where preemption is enabled, one list of candidates per cycle and waiting job,
 * PREEMPTORS of them at most, and a choice (live/preemption.h) each.
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "live/preemption.h"
#include "live/search_limit.h"
#include "slurmctld/host.h"

#define PREEMPTORS 8 /* jobs looked at per cycle, in queue order */
#define CLAIM_SECONDS 90

struct preempt_search {
	struct host *h;
	uint32_t turn;    /* position of the job in h->listing */
	compat_list list; /* of candidates */
	struct preemption v;
};

/* Candidates */

static bool can_be_ended(job_record_t *job)
{
	uint16_t mode = slurm_job_preempt_mode(job);

	return job->node_bitmap && IS_JOB_RUNNING(job) &&
	       (mode == PREEMPT_MODE_REQUEUE || mode == PREEMPT_MODE_CANCEL);
}

/* Return the node seconds that ending it wastes. */
static double preempt_cost_of(const job_record_t *job)
{
	double seconds = difftime(time(NULL), job->start_time);

	return job->node_cnt * (1 + (seconds > 0 ? seconds : 0));
}

static int preempt_is_job(void *object, void *arg)
{
	return object == arg;
}

static int add_candidate(void *object, void *arg)
{
	job_record_t *job = object;
	struct preempt_search *s = arg;
	const struct node_map *map = &s->h->map;
	bitoff_t last;

	if (!can_be_ended(job))
		return 0;
	preemption_add_job(&s->v, preempt_cost_of(job));
	last = bit_fls(job->node_bitmap);
	for (bitoff_t i = bit_ffs(job->node_bitmap); i >= 0 && i <= last; i++) {
		if (bit_test(job->node_bitmap, i) && (uint64_t)i < map->nodes &&
		    map->bit_of[i] != UINT32_MAX)
			preemption_add_node(&s->v, map->bit_of[i]);
	}
	return 0;
}

/* Nodes shared with a job that may not be ended are not cleared. */
static int keep_shared(void *object, void *arg)
{
	const job_record_t *job = object;
	struct preempt_search *s = arg;
	struct host *h = s->h;
	uint64_t *nodes;

	if (!job->node_bitmap || !IS_JOB_RUNNING(job) ||
	    !host_shares(job, job->part_ptr) ||
	    list_find_first(s->list, preempt_is_job, (void *)(uintptr_t)job))
		return 0;
	nodes = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, job->node_bitmap, nodes);
	torus_bits_andnot(s->v.usable, nodes, h->words);
	torus_scratch_return(&h->scratch, nodes);
	return 0;
}

/* Find the nodes that are idle or may be cleared for a job of that length. */
static bool list_candidates(struct preempt_search *s,
			    const struct allowed_class *class, int64_t limit_us,
			    compat_list list)
{
	int64_t now_us = seconds_to_us(time(NULL));
	struct host *h = s->h;
	struct preemption *v = &s->v;
	uint64_t *nodes;

	if (preemption_open(v, h->words, (uint32_t)list_count(list)))
		return false;
	node_map_from_slurm(&h->map, idle_node_bitmap, v->usable);
	list_for_each(list, add_candidate, s);
	s->list = list;
	list_for_each(job_list, keep_shared, s);
	nodes = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, avail_node_bitmap, nodes);
	torus_bits_and(v->usable, v->usable, nodes, h->words);
	torus_scratch_return(&h->scratch, nodes);
	if (class->allowed)
		torus_bits_and(v->usable, v->usable, class->allowed, h->words);
	if (class->outages &&
	    !torus_outages_clear(class->outages, now_us, now_us + limit_us,
				 v->usable, h->words))
		return false;
	return v->count > 0;
}

/* Find the cheapest place for the first alternative. */
static void preempt_search_place(struct preempt_search *s,
				 const struct instance *in,
				 const job_record_t *job,
				 const uint64_t *required)
{
	struct torus_request request;
	struct search_limit limit;
	struct torus_ask *ask;

	if (job_request_of(job, s->h->may_rotate, &request))
		return;
	ask = &request.alternative[0].ask;
	if (ask->by_count)
		ask->granted = job->details->min_nodes;
	ask->required = required;
	search_limit_begin(&limit, SEARCH_US);
	ask->limit = &limit.limit;
	preemption_choose_place(&s->v, in->empty, ask);
}

/* Return true if it could preempt all jobs before it in the queue. Jobs with a claim
 * do not count: they have their places. */
static bool preempt_outranks(const struct preempt_search *s, job_record_t *job)
{
	const struct plan_listing_job *jobs = s->h->listing.job;
	job_queue_rec_t own = { .job_id = job->job_id,
				.job_ptr = job,
				.part_ptr = job->part_ptr,
				.priority = job->priority };

	for (uint32_t i = 0; i < s->turn; i++) {
		const struct cycle_name *name = &jobs[i].promise.name;
		job_queue_rec_t other = { .job_id = name->job };

		other.job_ptr = find_job_record(name->job);
		if (name->job == job->job_id || !other.job_ptr ||
		    !IS_JOB_PENDING(other.job_ptr) ||
		    host_claims(s->h, name->job))
			continue;
		other.part_ptr = host_partition(other.job_ptr, name->part);
		other.priority = other.job_ptr->priority;
		if (!other.part_ptr ||
		    !preempt_g_job_preempt_check(&own, &other))
			return false;
	}
	return true;
}

/* A job that has a grace time ends after it. */
static int wait_for_grace(void *object, void *arg)
{
	const job_record_t *job = object;
	struct claim *c = arg;

	if (job->preempt_time && IS_JOB_RUNNING(job) && job->node_bitmap &&
	    bit_overlap_any(job->node_bitmap, c->nodes) &&
	    c->until < job->end_time + CLAIM_SECONDS)
		c->until = job->end_time + CLAIM_SECONDS;
	return 0;
}

static struct claim *unused_claim(struct host *h)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		if (!h->claims[i].job)
			return &h->claims[i];
	}
	return NULL;
}

static void claim_make(struct claim *c, const job_record_t *job,
		       const struct start_order *order)
{
	*c = (struct claim){
		.job = job->job_id,
		.key = host_key(job, job->part_ptr),
		.until = time(NULL) + CLAIM_SECONDS,
		.anywhere = order->anywhere,
		.place = order->place,
		.nodes = bit_copy(order->nodes),
	};
	list_for_each(job_list, wait_for_grace, c);
	info("sched/torus: %pJ preempts, and claims %u nodes", job,
	     order->count);
}

/* Choose the nodes; required: of -w, with a shape or a range of nodes. */
static void preempt_search_run(struct preempt_search *s, const job_record_t *job,
			       bool anywhere, const uint64_t *required)
{
	const struct instance *in = instance_lock();
	bool same = host_has_machine_of(s->h, in);

	if (same && anywhere)
		preemption_choose_nodes(&s->v, host_nodes_of(job, job->part_ptr),
					required);
	else if (same)
		preempt_search_place(s, in, job, required);
	instance_unlock();
}

/* Find the place, let Slurm clear it, and claim it for the job. */
static void preempt_clear(struct preempt_search *s, job_record_t *job,
			  const uint64_t *required, struct claim *c)
{
	struct start_order order = { .job = job->job_id };
	const uint64_t *unfit = NULL;
	struct host *h = s->h;

	order.anywhere = !job_request_is_shaped(job);
	preempt_search_run(s, job, order.anywhere, required);
	if (!s->v.possible || (s->v.least <= 0 && !preempt_outranks(s, job)))
		return;
	order.place = s->v.place;
	order.nodes = bit_alloc(node_record_count);
	order.count = node_map_to_slurm(&h->map, s->v.chosen, order.nodes);
	if (host_start(h, job, &order, &unfit) != CYCLE_STARTED &&
	    job->preempt_in_progress)
		claim_make(c, job, &order);
	job->preempt_in_progress = false;
	bit_free(order.nodes);
	FREE_NULL_BITMAP(order.fit);
}

static void preempt_for(struct host *h, job_record_t *job, part_record_t *part,
			uint32_t turn, struct claim *c)
{
	const struct allowed_class *class = host_allowed_class(h, job, part);
	struct preempt_search s = { .h = h, .turn = turn };
	compat_list list;

	if (!class || class->none || host_beyond_limits(h, job, class) & 1)
		return;
	list = slurm_find_preemptable_jobs(job);
	if (list && list_count(list) > 0 &&
	    list_candidates(&s, class, host_limit_us(job, part), list))
		preempt_clear(&s, job, class->required, c);
	FREE_NULL_LIST(list);
	preemption_close(&s.v);
}

bool host_claims(const struct host *h, uint32_t job)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		if (h->claims[i].job == job)
			return true;
	}
	return false;
}

/* (The cycle learns of claims with the next snapshot, but plans before it.) */
bool host_claimed(const struct host *h, const bitstr_t *nodes)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		const struct claim *c = &h->claims[i];

		if (c->job &&
		    bit_overlap_any(c->nodes, (bitstr_t *)(uintptr_t)nodes))
			return true;
	}
	return false;
}

void host_preempt(struct host *h, struct agent *a)
{
	uint32_t searched = 0;

	if (!slurm_preemption_enabled())
		return;
	for (uint32_t i = 0; i < h->listing.count && searched < PREEMPTORS;
	     i++) {
		const struct cycle_name *name = &h->listing.job[i].promise.name;
		struct claim *c = unused_claim(h);
		job_record_t *job;
		part_record_t *part;

		if (!c)
			return; /* others would get the cleared nodes */
		agent_yield_locks(a);
		job = find_job_record(name->job);
		part = job && IS_JOB_PENDING(job) && job->details ?
			       host_partition(job, name->part) :
			       NULL;
		if (!part || name->copy > 0 || host_claims(h, name->job) ||
		    !host_runnable(job, part))
			continue;
		searched++;
		preempt_for(h, job, part, i, c);
	}
}

/* Claims */

static void claim_drop(struct claim *c)
{
	FREE_NULL_BITMAP(c->nodes);
	*c = (struct claim){ 0 };
}

/* Start the job on its cleared nodes. Return false if the job has changed, or
 * if it may no longer use the nodes. */
static bool claim_serve(struct host *h, struct claim *c)
{
	job_record_t *job = find_job_record(c->job);
	struct start_order order = { .job = c->job,
				     .place = c->place,
				     .anywhere = c->anywhere,
				     .nodes = c->nodes };
	const uint64_t *unfit = NULL;

	if (!job || !IS_JOB_PENDING(job) || !job->details ||
	    time(NULL) > c->until || host_key(job, job->part_ptr) != c->key ||
	    !host_runnable(job, job->part_ptr))
		return false;
	if (!host_are_free(c->nodes))
		return true;
	order.count = (uint32_t)bit_set_count(c->nodes);
	host_start(h, job, &order, &unfit);
	FREE_NULL_BITMAP(order.fit);
	return false;
}

bool host_serve_claims(struct host *h, struct agent *a)
{
	bool yielded = false;

	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		struct claim *c = &h->claims[i];

		if (!c->job || !host_may_schedule() || !host_still_there(h))
			continue;
		if (!claim_serve(h, c))
			claim_drop(c);
		yielded |= agent_yield_locks(a);
	}
	return yielded;
}

void host_withhold_claims(struct host *h)
{
	uint64_t *nodes = torus_scratch_take(&h->scratch);

	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		if (!h->claims[i].job)
			continue;
		node_map_from_slurm(&h->map, h->claims[i].nodes, nodes);
		cycle_add_untracked(h->cycle, nodes,
				    seconds_to_us(h->claims[i].until));
	}
	torus_scratch_return(&h->scratch, nodes);
}

void host_drop_claims(struct host *h)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++)
		claim_drop(&h->claims[i]);
}
