/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs beside others on the simulated site (world.h), as Slurm's side of them:
 *
 *   - a waiting job of a higher rank preempts running ones (live/preemption.h). These are
 *     requeued or cancelled, some after a grace time; until they have left, the nodes are
 *     claimed for it (live/claims.h), and it starts there;
 *   - jobs for any nodes share them, two a node.
 *
 * A suspended job keeps its nodes; nobody preempts it.
 */
#include "beside.h"
#include "rules.h"
#include "site.h"

#include "live/mirror/mirror.h"
#include "live/preemption.h"
#include "live/promises/promises.h"
#include "torus/placement.h"
#include "torus/regions.h"
#include "torus/state_find.h"
#include "torus/weights.h"

#define PREEMPTORS 4 /* waiting jobs that are looked at in a cycle */
#define CLAIM_US (90 * SIM_SECOND)
#define ENDING_COST 1e-9

static bool has_nodes(const struct sim_job *j)
{
	return j->state == SIM_RUNNING || j->state == SIM_COMPLETING;
}

/* Claims */

void beside_claimed(const struct sim_world *w, const struct sim_job *j,
		    uint64_t *map)
{
	torus_bits_zero(map, w->m.words);
	for (uint32_t i = 0; i < CLAIMS; i++) {
		const struct claim *c = &w->claims.claim[i];

		if (c->job && &w->job[c->job - 1] != j)
			torus_bits_or(map, c->nodes, w->m.words);
	}
}

static uint32_t number_of(const struct sim_world *w, const struct sim_job *j)
{
	return (uint32_t)(j - w->job) + 1;
}

bool beside_has_claim(const struct sim_world *w, const struct sim_job *j)
{
	return claims_has(&w->claims, number_of(w, j));
}

/* Is every node that is not idle about to be left? */
static bool is_clearing(const struct sim_world *w, const struct claim *c)
{
	uint64_t staying[WORKLOAD_WORDS];

	world_usable(w, staying);
	if (!torus_bits_subset(c->nodes, staying, w->m.words))
		return false;
	torus_bits_zero(staying, w->m.words);
	for (uint32_t i = 0; i < w->jobs; i++) {
		if (w->job[i].state == SIM_RUNNING && !w->job[i].told_to_end)
			torus_bits_or(staying, w->job[i].nodes, w->m.words);
	}
	return !torus_bits_meet(staying, c->nodes, w->m.words);
}

static void start_claimer(struct sim_world *w, const struct claim *c,
			  struct sim_job *j)
{
	const struct cycle_order o = { .name = j->pending.name,
				       .key = j->pending.key,
				       .limit_us = j->pending.limit_us,
				       .place = c->place,
				       .nodes = c->nodes };
	const char *why = rule_forbids(w, j, &o);

	if (why)
		rule_broken("job %u, which preempted others, %s",
			    j->pending.name.job, why);
	rule_place(w, j, &o);
	world_begin_job(w, j, j->pending.limit_us, c->nodes, false);
	j->has_place = !c->place.scattered;
	j->place = c->place;
	w->disturbed = true;
}

/* Slurm starts the job on its nodes, or keeps them for it, or the claim ends. */
static bool serve_claim(struct sim_world *w, struct claim *c)
{
	struct sim_job *j = &w->job[c->job - 1];
	uint64_t busy[WORKLOAD_WORDS];
	struct cycle_order o = { .name = j->pending.name,
				 .key = c->key,
				 .limit_us = j->pending.limit_us,
				 .nodes = c->nodes };

	if (j->state != SIM_PENDING || j->pending.key != c->key ||
	    j->pending.eligible_us > w->now_us || w->now_us > c->until_us)
		return false;
	world_busy(w, busy);
	if (torus_bits_meet(busy, c->nodes, w->m.words))
		return is_clearing(w, c);
	if (rule_forbids(w, j, &o)) /* another reservation, or a node is lost */
		return false;
	start_claimer(w, c, j);
	return false;
}

void beside_serve_claims(struct sim_world *w)
{
	for (uint32_t i = 0; i < CLAIMS; i++) {
		struct claim *c = &w->claims.claim[i];

		if (!c->job || serve_claim(w, c))
			continue;
		w->disturbed = true;
		claims_drop(c);
	}
}

/* Preemption */

static bool may_preempt(const struct sim_job *j, const struct sim_job *other)
{
	return j->rank > other->rank;
}

static bool is_victim(const struct sim_job *j, const struct sim_job *other)
{
	return other->state == SIM_RUNNING && !other->paused_us &&
	       may_preempt(j, other);
}

struct pair {
	const struct sim_world *w;
	const struct sim_job *j;
};

static bool may_preempt_claimer(void *arg, uint32_t claimer)
{
	const struct pair *pair = arg;

	return may_preempt(pair->j, &pair->w->job[claimer - 1]);
}

/* Nodes that are idle, or may be cleared for the job; the victims with their costs. */
static void list_victims(struct sim_world *w, struct sim_job *j,
			 struct preemption *v)
{
	uint64_t map[WORKLOAD_WORDS], none[WORKLOAD_WORDS];
	struct pair pair = { w, j };
	uint32_t words = w->m.words;

	world_busy(w, map);
	torus_bits_copy(v->usable, w->present, words);
	torus_bits_andnot(v->usable, map, words);
	torus_bits_zero(none, words);
	for (uint32_t i = 0; i < w->jobs; i++) {
		const struct sim_job *other = &w->job[i];

		if (has_nodes(other) && !is_victim(j, other))
			torus_bits_or(none, other->nodes, words);
		if (!is_victim(j, other))
			continue;
		preemption_add_job(v,
				   other->told_to_end ?
					   ENDING_COST :
					   (double)torus_bits_count(other->nodes,
								    words) *
						   (1 +
						    (double)(w->now_us -
							     other->start_us) /
							    SIM_SECOND));
		for (uint32_t b = 0; b < words * 64; b++) {
			if (torus_bits_test(other->nodes, b))
				preemption_add_node(v, b);
		}
	}
	torus_bits_andnot(v->usable, none, words);
	claims_exclude(&w->claims, number_of(w, j), may_preempt_claimer, &pair,
		       v->usable);
	world_usable(w, map);
	torus_bits_and(v->usable, v->usable, map, words);
	if (j->confined)
		torus_bits_and(v->usable, v->usable, j->allowed, words);
}

/* Find the cheapest nodes for the job. */
static bool choose(struct sim_world *w, struct sim_job *j, struct preemption *v)
{
	struct torus_ask ask = j->pending.request.alternative[0].ask;
	uint64_t allowed[WORKLOAD_WORDS];
	struct torus_placement place;

	memset(allowed, 0xff, sizeof(allowed));
	site_outages(w, j, allowed);
	list_victims(w, j, v);
	torus_bits_and(v->usable, v->usable, allowed, w->m.words);
	if (v->count == 0 ||
	    !torus_outages_clear(&j->outages.o, w->now_us,
				 w->now_us + j->pending.limit_us, v->usable,
				 w->m.words) ||
	    torus_state_set_links(w->empty, &w->links) ||
	    (w->weights && torus_state_set_weights(w->empty, w->weights)))
		return false;
	if (ask.by_count && ask.anywhere) {
		preemption_choose_nodes(v, ask.count, NULL, w->weights);
		return v->possible;
	}
	if (ask.by_count && w->m.pods > 1 &&
	    torus_state_possible(w->empty, &ask, &place, NULL) == TORUS_FITS)
		ask.granted = place.granted;
	preemption_choose_place(v, w->empty, &ask);
	return v->possible;
}

/* Slurm ends those that have one of the nodes. */
static int64_t end_victims(struct sim_world *w, const struct sim_job *j,
			   const uint64_t *nodes)
{
	int64_t last_us = w->now_us;
	struct random r = { (uint64_t)w->now_us ^ j->pending.key };

	for (uint32_t i = 0; i < w->jobs; i++) {
		struct sim_job *other = &w->job[i];

		if (!has_nodes(other) ||
		    !torus_bits_meet(other->nodes, nodes, w->m.words))
			continue;
		if (!is_victim(j, other))
			rule_broken("job %u preempts %u, which it may not",
				    j->pending.name.job,
				    other->pending.name.job);
		world_say(w, "  job %u preempts %u", j->pending.name.job,
			  other->pending.name.job);
		if (!other->told_to_end && other->grace_us > 0 &&
		    w->now_us + other->grace_us < other->end_us) {
			other->end_us = w->now_us + other->grace_us;
			other->limit_us = other->end_us - other->start_us;
		}
		other->told_to_end = true;
		if (other->grace_us > 0 && last_us < other->end_us)
			last_us = other->end_us;
		else if (other->grace_us == 0)
			beside_end(w, other, &r);
	}
	return last_us;
}

void beside_end(struct sim_world *w, struct sim_job *j, struct random *r)
{
	w->disturbed |= j->told_to_end;
	if (j->told_to_end && j->requeues)
		world_requeue(w, j);
	else
		world_end(w, j, r);
}

/* Could it preempt all that wait before it? */
static bool outranks(const struct sim_world *w, const struct sim_job *j,
		     uint32_t turn)
{
	for (uint32_t i = 0; i < turn; i++) {
		const struct sim_job *other = &w->job[w->queue[i]];

		if (other->state == SIM_PENDING &&
		    !beside_has_claim(w, other) && !may_preempt(j, other))
			return false;
	}
	return true;
}

/* No two claims have a node in common, unless one may preempt the other. */
static void rule_claim(struct sim_world *w, const struct sim_job *j,
		       const uint64_t *nodes)
{
	for (uint32_t i = 0; i < CLAIMS; i++) {
		const struct claim *other = &w->claims.claim[i];

		if (other->job && &w->job[other->job - 1] != j &&
		    torus_bits_meet(other->nodes, nodes, w->m.words) &&
		    !may_preempt(j, &w->job[other->job - 1]))
			rule_broken("jobs %u and %u claim the same nodes",
				    j->pending.name.job,
				    w->job[other->job - 1].pending.name.job);
	}
}

/* Claim what was chosen, and end claims of others on it. */
static void claim(struct sim_world *w, struct sim_job *j,
		  const struct preemption *v)
{
	struct cycle_order o = { .name = j->pending.name,
				 .key = j->pending.key,
				 .limit_us = j->pending.limit_us,
				 .place = v->place,
				 .nodes = v->chosen };
	struct claim c = { .job = number_of(w, j),
			   .key = j->pending.key,
			   .place = v->place,
			   .nodes = v->chosen };
	struct claim *kept = claims_unused(&w->claims);
	int64_t last_us;

	rule_place(w, j, &o);
	rule_claim(w, j, v->chosen);
	while (claims_end_one(&w->claims, v->chosen))
		;
	last_us = end_victims(w, j, v->chosen);
	w->disturbed = true;
	c.until_us = last_us + CLAIM_US;
	c.used_until_us = last_us + j->pending.limit_us;
	claims_store(&w->claims, kept, &c);
	if (!serve_claim(w, kept)) {
		if (j->state == SIM_PENDING)
			rule_broken("job %u preempted others in vain",
				    j->pending.name.job);
		claims_drop(kept);
	}
}

static bool note_waiting(void *arg, const struct cycle_promise *p)
{
	struct sim_world *w = arg;
	const struct sim_job *j = world_job(w, p->name.job);

	if (j && w->queued < SIM_JOBS)
		w->queue[w->queued++] = (uint32_t)(j - w->job);
	return true;
}

void beside_note_queue(struct sim_world *w)
{
	w->queued = 0;
	if (w->preempts)
		promises_list(w->cycle, UINT32_MAX, 0, note_waiting, w);
}

void beside_preempt(struct sim_world *w, bool early)
{
	uint32_t searched = 0;

	for (uint32_t i = 0; i < w->queued && searched < PREEMPTORS; i++) {
		struct sim_job *j = &w->job[w->queue[i]];
		struct preemption v;
		bool free = false;

		if (!claims_unused(&w->claims))
			return;
		if (early && j->state == SIM_PENDING && j->rank == 0)
			return;
		if (j->state != SIM_PENDING || j->rank == 0 ||
		    j->pending.eligible_us > w->now_us || j->requires ||
		    beside_has_claim(w, j))
			continue;
		searched++;
		if (preemption_open(&v, w->m.words, w->jobs) == 0 &&
		    choose(w, j, &v)) {
			free = v.least <= 0;
			if (!free || (!early && outranks(w, j, i)))
				claim(w, j, &v);
		}
		preemption_close(&v);
		if (early && free)
			return; /* the pass places it */
	}
}

/* Shared nodes */

static bool is_apart(void *arg, const struct cycle_promise *p)
{
	const struct cycle_guest *g = arg;

	if (p->nodes && p->name.job != g->name.job && p->start_us < g->end_us &&
	    torus_bits_meet(p->nodes, g->got, WORKLOAD_WORDS))
		rule_broken("job %u joins others on nodes that are promised to %u before its end",
			    g->name.job, p->name.job);
	return true;
}

/* What is offered is idle, or shared by both. */
static void rule_guest(struct sim_world *w, const struct cycle_guest *g)
{
	const struct sim_job *guest = world_job(w, g->name.job);

	for (uint32_t i = 0; i < w->jobs && !w->changed; i++) {
		const struct sim_job *j = &w->job[i];

		if (has_nodes(j) &&
		    !(j->pending.shares && guest && guest->pending.shares) &&
		    torus_bits_meet(j->nodes, g->nodes, w->m.words))
			rule_broken("job %u is offered nodes of %u: one of them shares none",
				    g->name.job, j->pending.name.job);
	}
}

/* Nodes of the offer that Slurm would give the job: those that fewer than two have. */
static uint32_t room_for(const struct sim_world *w, const struct sim_job *j,
			 const uint64_t *offered, uint64_t *nodes)
{
	uint64_t map[WORKLOAD_WORDS], once[WORKLOAD_WORDS] = { 0 };
	uint32_t words = w->m.words;

	torus_bits_and(nodes, offered, w->present, words);
	world_usable(w, map);
	torus_bits_and(nodes, nodes, map, words);
	beside_claimed(w, j, map);
	torus_bits_andnot(nodes, map, words);
	if (j->confined)
		torus_bits_and(nodes, nodes, j->allowed, words);
	for (uint32_t i = 0; i < w->jobs; i++) {
		const struct sim_job *other = &w->job[i];

		if (!has_nodes(other))
			continue;
		torus_bits_copy(map, other->nodes, words);
		if (other->pending.shares && j->pending.shares)
			torus_bits_and(map, map, once, words);
		torus_bits_andnot(nodes, map, words);
		torus_bits_or(once, other->nodes, words);
	}
	return torus_bits_count(nodes, words);
}

bool beside_join(void *arg, struct cycle_guest *g)
{
	struct sim_world *w = arg;
	struct sim_job *j = world_job(w, g->name.job);
	struct cycle_order o = { .limit_us = g->limit_us };
	uint64_t nodes[WORKLOAD_WORDS];
	uint32_t count, n = 0;

	rule_guest(w, g);
	if (!j || j->state != SIM_PENDING || j->pending.key != g->key ||
	    j->pending.eligible_us > w->now_us)
		return false;
	count = j->pending.request.alternative[0].ask.count;
	if (room_for(w, j, g->nodes, nodes) < count)
		return false;
	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		if (torus_bits_test(nodes, b) && n++ >= count)
			torus_bits_clear(nodes, b);
	}
	o.nodes = nodes;
	if (rule_is_reserved(w, j, &o))
		return false;
	world_begin_job(w, j, j->pending.limit_us, nodes, true);
	g->got = j->nodes;
	g->end_us = w->now_us + j->pending.limit_us;
	if (w->settings.discipline->foresees && !w->failing)
		promises_list(w->cycle, UINT32_MAX, 0, is_apart, g);
	return true;
}
