/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_test()'s question: which region does a shaped job get? (With -w it holds certain
 * nodes.)
 *
 *   RUN_NOW    on candidates that are idle; if there is no place and Slurm
 *              may preempt, also on nodes of the jobs that it may preempt
 *   TEST_ONLY  on the candidates as if all were free
 *   WILL_RUN   the earliest expected end after which there is a place
 *              (torus_plan_shadow()); answers are kept by (request,
 *              candidates, state of the machine)
 *
 * Cost: one search; WILL_RUN O(log ends). Slurm's locks are held, so all searches of a
 * call take at most SEARCH_US together, and so do all TEST_ONLY calls of a submission
 * (submission.c). If the limit ends a search, the job waits; TEST_ONLY answers with all
 * candidates, since the search did not show that the job can never run.
 */
#include "slurmctld/select/test_only.h"
#include "torus/plan.h"
#include "torus/state_find.h"
#include "live/base/saturate.h"
#include "live/base/lock_hold.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/select/choose.h"
#include "slurmctld/submit/sizes.h"
#include "slurmctld/submit/submission.h"
#include "slurmctld/submit/submit_options.h"

#include <time.h>

/* A search and its result. */
struct place_search {
	struct instance *in;
	struct torus_choice *c;
	uint64_t *allowed;  /* Slurm's candidates */
	uint64_t *usable;   /* candidates that are usable in this mode */
	uint64_t *required; /* -w */
	struct torus_request request;
	struct torus_ask *ask;
	int64_t now_us;
	int64_t when_us;
	struct torus_placement place;
	struct lock_hold_limit limit;
	bool enough; /* idle candidates, as many as the job has nodes */
	char why[96]; /* why there is no place, for the log; set if choose_logs() */
};

static bool choose_logs(void)
{
	return slurm_conf.debug_flags & DEBUG_FLAG_SELECT_TYPE;
}

static bool choose_is_cut(const struct place_search *s)
{
	return torus_search_limit_cut(&s->limit.limit);
}

static bool wants_now(const struct place_search *s)
{
	return !SELECT_IS_TEST(s->c->mode);
}

static bool wants_ever(const struct place_search *s)
{
	return SELECT_IS_MODE_TEST_ONLY(s->c->mode);
}

/* Set s->usable to the candidates among these nodes, which are freed. */
static void choose_among(struct place_search *s, bitstr_t *nodes)
{
	node_map_from_slurm(&s->in->map, nodes, s->usable);
	torus_bits_and(s->usable, s->usable, s->allowed, s->in->machine->words);
	bit_free(nodes);
}

static void choose_count_idle(struct place_search *s)
{
	const compat_details *details = s->c->job->details;

	s->enough = details &&
		    torus_bits_count(s->usable, s->in->machine->words) >=
			    details->min_nodes;
}

/* Search a place among idle nodes. Strategies with memory know the running jobs
 * from the state. */
static enum torus_answer choose_now(struct place_search *s)
{
	struct instance *in = s->in;
	bool timeless = torus_state_timeless(in->state);
	struct torus_ask usable = torus_ask_among(s->ask, s->usable);
	bitstr_t *idle;

	if (!timeless && job_table_sync(in))
		return TORUS_FAILED;
	idle = bit_copy(idle_node_bitmap);
	victims_keep_off_suspended(idle);
	choose_among(s, idle);
	choose_count_idle(s);
	if (timeless)
		return torus_state_find_in(in->state, s->ask, s->usable,
					   &s->place);
	return torus_state_find(in->state, &usable, &s->place, NULL);
}

/* Search a place that is free once these victims have ended; or only those that
 * were told to end. */
static enum torus_answer find_preempting_among(struct place_search *s,
					       const struct victims *v,
					       bool ending_only)
{
	struct torus_ask usable = torus_ask_among(s->ask, s->usable);
	bitstr_t *nodes = bit_copy(idle_node_bitmap);
	uint32_t jobs = 0;

	for (uint32_t i = 0; i < v->count; i++) {
		const job_record_t *job = find_job_record(v->id[i]);

		if (!job || (ending_only && !job->preempt_time))
			continue;
		bit_or(nodes, job->node_bitmap);
		jobs++;
	}
	if (jobs == 0) {
		bit_free(nodes);
		return TORUS_NOT_NOW;
	}
	victims_keep_off(v, nodes);
	choose_among(s, nodes);
	return torus_state_find(s->in->empty, &usable, &s->place, NULL);
}

/* Search a place that is free without the jobs that may be preempted: first without
 * those that were told to end already, so that no others are ended. */
static enum torus_answer find_preempting(struct place_search *s)
{
	enum torus_answer answer;
	struct victims victims;

	victims_open(&victims, s->c->preemptees);
	answer = find_preempting_among(s, &victims, true);
	if (answer != TORUS_FITS)
		answer = find_preempting_among(s, &victims, false);
	victims_close(&victims);
	return answer;
}

/* WILL_RUN, with its cached answer */

static struct cached_answer *cached_answer_find(struct place_search *s)
{
	struct instance *in = s->in;
	uint64_t generation = torus_state_generation(in->state);

	for (uint32_t i = 0; i < INSTANCE_ANSWERS; i++) {
		struct cached_answer *k = &in->answer[i];

		if (k->used && k->generation == generation &&
		    k->when_us > s->now_us &&
		    torus_ask_same_nodes(&k->ask, s->ask, in->machine->words))
			return k;
	}
	return NULL;
}

static void cached_answer_store(struct place_search *s, enum torus_answer answer)
{
	struct instance *in = s->in;
	struct cached_answer *k =
		&in->answer[in->next_answer++ % INSTANCE_ANSWERS];

	k->used = true;
	k->generation = torus_state_generation(in->state);
	k->ask = torus_ask_among(s->ask, k->allowed);
	torus_bits_copy(k->allowed, s->allowed, in->machine->words);
	k->when_us = s->when_us;
	if (answer != TORUS_FITS)
		return;
	k->place = s->place;
	instance_paint(in, &s->place, k->nodes);
	instance_keep(in, &k->place, k->nodes, &k->regions);
}

static enum torus_answer find_in_time(struct place_search *s)
{
	struct instance *in = s->in;
	enum torus_answer answer;
	struct cached_answer *k;

	if (job_table_sync(in))
		return TORUS_FAILED;
	choose_among(s, bit_copy(idle_node_bitmap));
	choose_count_idle(s);
	if (test_only_is(s->c->job, s->c->mode))
		return test_only_find(in, s->c->job, s->ask, s->now_us,
				      &s->when_us, &s->place);
	k = cached_answer_find(s);
	if (k) {
		s->when_us = k->when_us;
		s->place = k->place;
		return k->when_us == TORUS_NO_TIME ? TORUS_NOT_NOW : TORUS_FITS;
	}
	answer = torus_plan_shadow(in->plan, s->ask, s->now_us, &s->when_us,
				   &s->place);
	if (answer == TORUS_NOT_NOW)
		s->when_us = TORUS_NO_TIME;
	if (answer == TORUS_FAILED)
		return answer;
	if (answer != TORUS_NEVER && s->when_us > s->now_us && !choose_is_cut(s))
		cached_answer_store(s, answer);
	return answer;
}

/* Set s->required to the nodes that the job names. Return true if it names any.
 * *possible: the machine has all of them. */
static bool has_required(struct place_search *s, bool *possible)
{
	const compat_details *details = s->c->job->details;
	struct instance *in = s->in;

	*possible = true;
	if (!details || !details->req_node_bitmap ||
	    bit_ffs(details->req_node_bitmap) < 0)
		return false;
	node_map_from_slurm(&in->map, details->req_node_bitmap, s->required);
	*possible = torus_bits_count(s->required, in->machine->words) ==
		    (uint32_t)bit_set_count(details->req_node_bitmap);
	return true;
}

static enum torus_answer find_place(struct place_search *s)
{
	enum torus_answer answer;
	bool possible;

	s->when_us = s->now_us;
	if (has_required(s, &possible)) {
		if (!possible)
			return TORUS_NEVER;
		s->ask->required = s->required;
	}
	if (wants_ever(s)) {
		struct torus_ask ask = *s->ask;

		ask.any_link = true;
		return torus_state_find(s->in->empty, &ask, &s->place, NULL);
	}
	answer = wants_now(s) ? choose_now(s) : find_in_time(s);
	if (answer == TORUS_FITS && s->when_us <= s->now_us)
		return answer;
	if (answer != TORUS_NEVER && s->c->preemptees &&
	    find_preempting(s) == TORUS_FITS) {
		s->when_us = s->now_us;
		return TORUS_FITS;
	}
	return answer;
}

/* Return true if the shape has that many nodes in the torus. */
static bool pod_has(const struct torus_pod *pod, const struct torus_ask *ask,
		    uint32_t nodes)
{
	return !pod->outside && torus_pod_shape_nodes(pod, ask) == nodes;
}

/*
 * Where nodes are boxes of different sizes, a shape has another number of nodes in
 * each torus, of which the job's record has one. Return true if some torus has that
 * one: the place is in such a torus then. (A strategy may grant more than the shape.)
 */
static bool some_pod_has(const struct place_search *s,
			 const struct torus_ask *ask, uint32_t nodes)
{
	const struct torus_machine *m = s->in->machine;

	for (uint32_t p = 0; p < m->pods; p++) {
		if (!ask->by_count && !torus_ask_several(ask) &&
		    pod_has(&m->pod[p], ask, nodes))
			return true;
	}
	return false;
}

/* Set s->allowed for the k-th alternative. Return false if it has not the node count
 * of the job's record. */
static bool allow_alternative(struct place_search *s, uint32_t k)
{
	const compat_details *details = s->c->job->details;
	const struct torus_ask *ask = &s->request.alternative[k].ask;
	const struct torus_machine *m = s->in->machine;
	bool keep = details && some_pod_has(s, ask, details->min_nodes);

	if (!keep && details && s->request.alternatives > 1 &&
	    sizes_of_alternative(s->in, &s->request, k, &s->limit.limit) !=
		    details->min_nodes)
		return false;
	node_map_from_slurm(&s->in->map, s->c->candidates, s->allowed);
	for (uint32_t p = 0; keep && p < m->pods; p++) {
		if (!pod_has(&m->pod[p], ask, details->min_nodes))
			torus_bits_zero(s->allowed + m->pod[p].first_word,
					m->pod[p].words);
	}
	return true;
}

/* Find a place for the job's alternative: the first alternative that has a
 * place among those with the node count of the job's record. */
static enum torus_answer find_alternative(struct place_search *s)
{
	const compat_details *details = s->c->job->details;
	enum torus_answer answer = TORUS_NEVER;

	for (uint32_t k = 0; k < s->request.alternatives; k++) {
		if (!allow_alternative(s, k))
			continue;
		s->ask = &s->request.alternative[k].ask;
		s->ask->now_us = s->now_us;
		s->ask->end_us =
			torus_time_after(s->now_us,
					 job_request_limit_us(s->c->job,
							      s->c->job->part_ptr));
		if (s->ask->by_count && details)
			s->ask->granted = details->min_nodes;
		s->ask->allowed = s->allowed;
		s->ask->limit = &s->limit.limit;
		answer = find_place(s);
		if (answer == TORUS_FITS)
			break;
	}
	return answer;
}

/* Write why the search found no place. */
static void choose_explain(struct place_search *s, enum torus_answer answer)
{
	uint32_t words = s->in->machine->words;

	if (choose_is_cut(s))
		snprintf(s->why, sizeof(s->why),
			 "the search for a place ended after %d ms",
			 (int)(SEARCH_US / 1000));
	else if (!s->ask)
		snprintf(s->why, sizeof(s->why),
			 "no alternative has the node count of the job record");
	else if (answer == TORUS_FAILED)
		snprintf(s->why, sizeof(s->why), "out of memory");
	else if (answer == TORUS_NOT_NOW && wants_now(s))
		snprintf(s->why, sizeof(s->why),
			 "no place among %u usable nodes of %u candidates",
			 torus_bits_count(s->usable, words),
			 torus_bits_count(s->allowed, words));
	else if (answer == TORUS_NOT_NOW && !wants_ever(s))
		snprintf(s->why, sizeof(s->why),
			 "no place among %u candidates when running jobs have ended",
			 torus_bits_count(s->allowed, words));
	else
		snprintf(s->why, sizeof(s->why),
			 "no place among %u candidates, even if all are free",
			 torus_bits_count(s->allowed, words));
}

/* Answer with the nodes of the place. */
static int answer_place(struct place_search *s)
{
	struct torus_choice *c = s->c;
	struct instance *in = s->in;
	uint64_t *nodes;

	if ((c->job->bit_flags & TEST_NOW_ONLY) && !wants_ever(s) &&
	    s->when_us > s->now_us) {
		snprintf(s->why, sizeof(s->why),
			 "its place is not free before it must start");
		return SLURM_ERROR;
	}
	nodes = torus_scratch_take(&in->scratch);
	instance_paint(in, &s->place, nodes);
	c->count = node_map_to_slurm(&in->map, nodes, c->nodes);
	torus_scratch_return(&in->scratch, nodes);
	c->when = (time_t)seconds_from_us(s->when_us);
	if (c->count != s->place.granted) {
		snprintf(s->why, sizeof(s->why),
			 "Slurm has no node for a cell of its place");
		return SLURM_ERROR;
	}
	if (wants_now(s))
		recent_places_add(in, c->job->job_id, &s->place);
	return SLURM_SUCCESS;
}

static int answer_search(struct place_search *s)
{
	enum torus_answer answer;
	const compat_details *details = s->c->job->details;
	int64_t *spent_us =
		submission_spent_us_of(s->c->job->job_id,
				       details ? details->submit_time : 0);
	bool was_cut; /* by an earlier search of this test */

	/* Slurm may refuse several places: all searches of a test share a
	 * limit */
	if (!spent_us || !wants_ever(s))
		spent_us = &s->c->spent_us;
	s->now_us = seconds_to_us(time(NULL));
	lock_hold_limit_begin_of(&s->limit, spent_us);
	was_cut = choose_is_cut(s);
	answer = find_alternative(s);
	lock_hold_limit_end_of(&s->limit, spent_us);
	if (choose_is_cut(s) && !was_cut)
		verbose("torus: %pJ: the search for a place ended after %d ms",
			s->c->job, (int)(SEARCH_US / 1000));
	if (!wants_ever(s) && !choose_is_cut(s))
		shape_wait_note(s->c->job->job_id,
				s->enough && (answer == TORUS_NOT_NOW ||
					      s->when_us > s->now_us));
	if (answer == TORUS_FITS)
		return answer_place(s);
	if (choose_is_cut(s) && wants_ever(s)) {
		/* a search that its limit ended: all candidates, as "possible" */
		bit_copybits(s->c->nodes,
			     (bitstr_t *)(uintptr_t)s->c->candidates);
		s->c->count = s->c->job->details ?
				      s->c->job->details->min_nodes :
				      0;
		s->c->when = time(NULL);
		s->c->unknown = true;
		return SLURM_SUCCESS;
	}
	if (choose_logs())
		choose_explain(s, answer);
	return SLURM_ERROR;
}

int choose_place(struct instance *in, struct torus_choice *c)
{
	struct place_search s = { .in = in, .c = c };
	bool refused = c->count > 0;
	int rc = SLURM_ERROR;

	if (job_request_of(c->job, in->may_rotate, &s.request)) {
		snprintf(s.why, sizeof(s.why), "its request is not valid");
	} else if (!wants_ever(&s) &&
		   submit_options_force_sharing(c->job->part_ptr)) {
		/* (TEST_ONLY: "possible", so that Slurm does not hold the job) */
		snprintf(s.why, sizeof(s.why),
			 "its partition has OverSubscribe=FORCE");
	} else {
		instance_weights_read(in);
		s.allowed = torus_scratch_take(&in->scratch);
		s.usable = torus_scratch_take(&in->scratch);
		s.required = torus_scratch_take(&in->scratch);
		rc = answer_search(&s);
		torus_scratch_return(&in->scratch, s.required);
		torus_scratch_return(&in->scratch, s.usable);
		torus_scratch_return(&in->scratch, s.allowed);
	}
	if (rc && choose_logs()) {
		char asked[TORUS_GEOMETRY_SIZE] = "";

		/* refused: the wrapped plugin has refused an earlier place of this test. */
		if (s.request.alternatives)
			torus_request_format(&s.request, asked, sizeof(asked));
		info("SELECT_TYPE: torus: %pJ is passed over: %s%s%s%s",
		     s.c->job, asked, *asked ? ": " : "", s.why,
		     refused ?
			     "; elsewhere it has too few CPUs, memory or GRES" :
			     "");
	}
	return rc;
}

/* Answer with the order's nodes if Slurm offers all of them. If Slurm offers
 * only some, those that it leaves out are unfit. */
int choose_ordered(struct instance *in, struct start_order *order,
		   struct torus_choice *c)
{
	bitstr_t *candidates = (bitstr_t *)(uintptr_t)c->candidates;

	c->ordered = true;
	if (!order || order->job != c->job->job_id)
		return SLURM_ERROR;
	FREE_NULL_BITMAP(order->fit);
	order->refused = !bit_super_set(order->nodes, candidates);
	if (order->refused) {
		order->fit = bit_copy(candidates);
		if (choose_logs())
			info("SELECT_TYPE: torus: %pJ is passed over: Slurm offers %d of the %u nodes that sched/torus has chosen",
			     c->job, bit_overlap(order->nodes, candidates),
			     order->count);
		return SLURM_ERROR;
	}
	bit_copybits(c->nodes, order->nodes);
	c->count = order->count;
	c->when = time(NULL);
	/* strategies with memory must release ended jobs before the start */
	if (!torus_state_timeless(in->state))
		job_table_sync(in);
	if (!order->anywhere) {
		struct torus_placement place = order->place;
		uint64_t *nodes = torus_scratch_take(&in->scratch);

		/* Scattered nodes are copied from the order, because the strategy might
		 * find others now. */
		if (place.scattered) {
			node_map_from_slurm(&in->map, order->nodes, nodes);
			place.nodes = nodes +
				      in->machine->pod[place.pod].first_word;
		}
		recent_places_add(in, order->job, &place);
		torus_scratch_return(&in->scratch, nodes);
	}
	return SLURM_SUCCESS;
}

bitstr_t *choose_larger(const bitstr_t *nodes)
{
	bitstr_t *map = bit_copy((bitstr_t *)(uintptr_t)nodes);
	uint16_t least = UINT16_MAX;

	for (bitoff_t i = 0; i < bit_size(map); i++) {
		if (bit_test(map, i) && node_record_table_ptr[i]->cpus < least)
			least = node_record_table_ptr[i]->cpus;
	}
	for (bitoff_t i = 0; i < bit_size(map); i++) {
		if (bit_test(map, i) && node_record_table_ptr[i]->cpus == least)
			bit_clear(map, i);
	}
	return map;
}
