/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preemption: a job that waits may take the nodes of jobs that Slurm lets it
 * preempt. Of all places that would be free without those, the cheapest to
 * clear is taken: where the least is lost, in nodes x seconds that the jobs
 * there have run. Slurm's list order plays no part.
 *
 * select_nodes() then ends those jobs. Until the nodes are free they are
 * claimed: nobody else gets them, and the job starts there without another
 * pass. A claim is dropped after CLAIM_SECONDS, or so long after the grace time.
 *
 * A job for which a place is free waits for its turn like all others, unless it
 * could preempt all those that wait before it: then it need not let them start
 * first.
 *
 * Jobs that are preempted by suspending keep their nodes, so that mode
 * clears nothing.
 *
 * Cost: where preemption is enabled, one list of candidates per cycle and
 * waiting job, PREEMPTORS of them at most, and all places of a request whose
 * turn it is.
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "sched/torus/host.h"

#include <math.h>

#include "torus/alloc.h"

#define PREEMPTORS 8     /* jobs looked at per cycle, in queue order */
#define VICTIMS 64       /* of a place */
#define PLACES 20000     /* looked at */
#define CLAIM_SECONDS 90

struct search {
	struct host *h;
	uint32_t turn;      /* of the job, in h->told */
	const struct instance *in;
	int32_t *victim_of; /* per machine bit: index in cost[], or -1 */
	double *cost;       /* of each candidate */
	uint32_t candidates;
	uint32_t places;
	uint64_t *paint;
	bool found;
	double least;
	struct torus_placement place;
};

/* Candidates */

static bool can_be_ended(job_record_t *job)
{
	uint16_t mode = slurm_job_preempt_mode(job);

	return job->node_bitmap && IS_JOB_RUNNING(job) &&
	       (mode == PREEMPT_MODE_REQUEUE || mode == PREEMPT_MODE_CANCEL);
}

static int add_candidate(void *object, void *arg)
{
	job_record_t *job = object;
	struct search *s = arg;
	uint32_t bit;

	if (!can_be_ended(job))
		return 0;
	s->cost[s->candidates] =
		(double)job->node_cnt *
		(1.0 + difftime(time(NULL), job->start_time));
	node_map_from_slurm(&s->h->map, job->node_bitmap, s->h->nodes);
	torus_bits_or(s->h->busy, s->h->nodes, s->h->words);
	bit = torus_bits_next(s->h->nodes, s->h->words, 0);
	for (; bit != UINT32_MAX;
	     bit = torus_bits_next(s->h->nodes, s->h->words, bit + 1))
		s->victim_of[bit] = (int32_t)s->candidates;
	s->candidates++;
	return 0;
}

/* Places */

static double cost_of(const struct search *s)
{
	int32_t seen[VICTIMS];
	uint32_t words = s->h->words, n = 0;
	uint32_t bit = torus_bits_next(s->paint, words, 0);
	double cost = 0;

	for (; bit != UINT32_MAX;
	     bit = torus_bits_next(s->paint, words, bit + 1)) {
		int32_t v = s->victim_of[bit];
		uint32_t i = 0;

		if (v < 0)
			continue;
		while (i < n && seen[i] != v)
			i++;
		if (i < n)
			continue;
		if (n == VICTIMS)
			return HUGE_VAL;
		seen[n++] = v;
		cost += s->cost[v];
	}
	return cost;
}

static bool weigh(void *arg, const struct torus_placement *place)
{
	struct search *s = arg;
	double cost;

	torus_bits_zero(s->paint, s->h->words);
	torus_placement_paint(s->in->machine, place, s->paint);
	cost = cost_of(s);
	if (!s->found || cost < s->least) {
		s->found = true;
		s->least = cost;
		s->place = *place;
	}
	return ++s->places < PLACES;
}

/* The cheapest place for the first alternative inside the nodes in h->busy. */
static void find_cheapest(struct search *s, const job_record_t *job)
{
	struct torus_request request;
	struct torus_ask *ask;
	struct torus_placement place;

	if (request_read(job->spank_job_env, job->spank_job_env_size,
			 s->h->may_rotate, &request, NULL))
		return;
	ask = &request.alternative[0].ask;
	if (ask->by_count)
		ask->granted = job->details->min_nodes;
	if (torus_state_find_all(s->in->empty, ask, request.strategy,
				 s->h->busy, weigh, s) == 0)
		return;
	/* the strategy does not list its places */
	if (torus_state_find(s->in->empty, ask, request.strategy, s->h->busy,
			     &place, NULL) == TORUS_FITS)
		weigh(s, &place);
}

/* Without a shape: free nodes first, then those of the cheapest jobs. */
static void take_cheapest(struct search *s, uint32_t want)
{
	uint32_t bits = s->h->words * 64;
	int32_t victim = -1; /* free nodes */

	s->least = 0;
	torus_bits_zero(s->paint, s->h->words);
	while (want > 0) {
		for (uint32_t b = 0; b < bits && want > 0; b++) {
			if (torus_bits_test(s->h->busy, b) &&
			    s->victim_of[b] == victim) {
				torus_bits_set(s->paint, b);
				want--;
			}
		}
		if (victim >= 0) {
			s->least += s->cost[victim];
			s->cost[victim] = HUGE_VAL; /* taken */
		}
		victim = -1;
		for (uint32_t v = 0; v < s->candidates; v++) {
			if (s->cost[v] < HUGE_VAL &&
			    (victim < 0 || s->cost[v] < s->cost[victim]))
				victim = (int32_t)v;
		}
		if (victim < 0)
			break;
	}
	s->found = want == 0;
	s->place = (struct torus_placement){ .scattered = true };
}

/* What may be cleared for a job of such length, in h->busy. */
static bool list_candidates(struct search *s, const struct class *class,
			    int64_t limit_us, compat_list list)
{
	int64_t now_us = time(NULL) * HOST_US;
	struct host *h = s->h;
	uint32_t n = (uint32_t)list_count(list);

	s->victim_of = torus_alloc((size_t)h->words * 64,
				   sizeof(*s->victim_of));
	s->cost = torus_alloc(n, sizeof(*s->cost));
	s->paint = torus_alloc(h->words, sizeof(*s->paint));
	if (!s->victim_of || !s->cost || !s->paint)
		return false;
	for (uint32_t b = 0; b < h->words * 64; b++)
		s->victim_of[b] = -1;
	node_map_from_slurm(&h->map, idle_node_bitmap, h->busy);
	list_for_each(list, add_candidate, s);
	node_map_from_slurm(&h->map, avail_node_bitmap, h->nodes);
	torus_bits_and(h->busy, h->busy, h->nodes, h->words);
	if (class->allowed)
		torus_bits_and(h->busy, h->busy, class->allowed, h->words);
	if (class->outages &&
	    !torus_outages_clear(class->outages, now_us, now_us + limit_us,
				 h->busy, h->words))
		return false;
	return s->candidates > 0;
}

/* Could it preempt all that wait before it? Those that are being cleared for
 * have their places. */
static bool outranks(const struct search *s, job_record_t *job)
{
	const struct told *told = s->h->told.told;
	job_queue_rec_t own = { .job_id = job->job_id, .job_ptr = job,
				.part_ptr = job->part_ptr,
				.priority = job->priority };

	for (uint32_t i = 0; i < s->turn; i++) {
		const struct cycle_name *name = &told[i].promise.name;
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

static void claim(struct host *h, const job_record_t *job,
		  const struct ordered *order)
{
	struct claim *c = NULL;

	for (uint32_t i = 0; i < HOST_CLAIMS && !c; i++) {
		if (!h->claims[i].job)
			c = &h->claims[i];
	}
	if (!c)
		return;
	c->job = job->job_id;
	c->until = time(NULL) + CLAIM_SECONDS;
	c->place = order->place;
	c->anywhere = order->anywhere;
	c->nodes = bit_copy(order->nodes);
	list_for_each(job_list, wait_for_grace, c);
	info("sched/torus: %pJ preempts, and claims %u nodes", job,
	     order->count);
}

/* Find the place, and let Slurm clear it. */
static void clear_for(struct search *s, job_record_t *job)
{
	struct ordered order = { .job = job->job_id };
	const uint64_t *unfit = NULL;
	struct host *h = s->h;

	order.anywhere = !request_given(job->spank_job_env,
					job->spank_job_env_size);
	s->in = instance_lock();
	if (s->in && s->in->site->number == h->followed &&
	    s->in->mapped == h->mapped) {
		if (order.anywhere)
			take_cheapest(s, host_nodes_of(job));
		else
			find_cheapest(s, job);
		if (s->found && !order.anywhere) {
			torus_bits_zero(s->paint, h->words);
			torus_placement_paint(s->in->machine, &s->place,
					      s->paint);
		}
	}
	instance_unlock();
	if (!s->found || (s->least <= 0 && !outranks(s, job)))
		return;
	order.place = s->place;
	order.nodes = bit_alloc(node_record_count);
	order.count = node_map_to_slurm(&h->map, s->paint, order.nodes);
	if (host_start(h, job, &order, &unfit) != CYCLE_STARTED &&
	    job->preempt_in_progress)
		claim(h, job, &order);
	job->preempt_in_progress = false;
	bit_free(order.nodes);
	FREE_NULL_BITMAP(order.fit);
}

static void preempt_for(struct host *h, job_record_t *job, part_record_t *part,
			uint32_t turn)
{
	const struct class *class = host_class(h, job, part);
	struct search s = { .h = h, .turn = turn };
	compat_list list;

	if (!class || class->none || host_beyond(h, job, class) & 1)
		return;
	list = slurm_find_preemptable_jobs(job);
	if (list && list_count(list) > 0 &&
	    list_candidates(&s, class, host_limit_us(job, part), list))
		clear_for(&s, job);
	FREE_NULL_LIST(list);
	torus_free(s.victim_of);
	torus_free(s.cost);
	torus_free(s.paint);
}

bool host_claims(const struct host *h, uint32_t job)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		if (h->claims[i].job == job)
			return true;
	}
	return false;
}

void host_preempt(struct host *h, struct agent *a)
{
	uint32_t looked = 0;

	if (!slurm_preemption_enabled())
		return;
	for (uint32_t i = 0; i < h->told.count && looked < PREEMPTORS; i++) {
		const struct cycle_name *name = &h->told.told[i].promise.name;
		job_record_t *job;
		part_record_t *part;

		agent_breathe(a);
		job = find_job_record(name->job);
		part = job && IS_JOB_PENDING(job) && job->details ?
			       host_partition(job, name->part) :
			       NULL;
		if (!part || name->copy > 0 || host_claims(h, name->job) ||
		    !host_runnable(job, part))
			continue;
		looked++;
		preempt_for(h, job, part, i);
	}
}

/* Claims */

static void drop_claim(struct claim *c)
{
	FREE_NULL_BITMAP(c->nodes);
	*c = (struct claim){ 0 };
}

/* The nodes are free: the job starts. False: it, or the claim, is no more. */
static bool serve(struct host *h, struct claim *c)
{
	job_record_t *job = find_job_record(c->job);
	struct ordered order = { .job = c->job, .place = c->place,
				 .anywhere = c->anywhere, .nodes = c->nodes };
	const uint64_t *unfit = NULL;

	if (!job || !IS_JOB_PENDING(job) || !job->details ||
	    time(NULL) > c->until || !host_runnable(job, job->part_ptr))
		return false;
	if (!host_are_free(c->nodes))
		return true;
	order.count = (uint32_t)bit_set_count(c->nodes);
	host_start(h, job, &order, &unfit);
	FREE_NULL_BITMAP(order.fit);
	return false;
}

void host_serve_claims(struct host *h)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		struct claim *c = &h->claims[i];

		if (c->job && !serve(h, c))
			drop_claim(c);
	}
}

void host_tell_claims(struct host *h)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		if (!h->claims[i].job)
			continue;
		node_map_from_slurm(&h->map, h->claims[i].nodes, h->nodes);
		cycle_busy(h->cycle, h->nodes, h->claims[i].until * HOST_US);
	}
}

void host_drop_claims(struct host *h)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++)
		drop_claim(&h->claims[i]);
}
