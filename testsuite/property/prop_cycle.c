/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle of sched/torus against a host of a hundred lines.
 *
 * Parity: what comes out of the cycle is what the scheduler decides when it is
 * told the same events directly, as the replayer does: same jobs, same order,
 * same places, for every discipline and strategy, also when the host goes
 * round more often than anything happens, and when a new cycle goes on with the
 * machine state of the old one (where disciplines promise nothing).
 *
 * Chaos: orders fail, nodes are unfit, jobs are cancelled and changed, nodes go
 * out of service, foreign jobs run, reservations come and go; nothing starts or
 * is promised on nodes that are not allowed then, nor starts on any that are
 * not free, nor without the nodes that its place must hold, nobody is lost, and the self
 * check holds all the time.
 */
#include "torus/state_text.h"
#include "workload.h"

#include "live/mirror/mirror.h"
#include "live/cycle.h"
#include "live/promises/promises.h"
#include "live/orders.h"
#include "live/mirror/waiting.h"
#include "live/mirror/outages.h"
#include "torus/scheduler.h"

#define JOBS 160
#define SECOND INT64_C(1000000)
#define INSTANTS 60
#define RESERVED 2

enum {
	PENDING,
	RUNNING,
	ENDED
};

struct host_job {
	int state;
	bool foreign;  /* nobody decided on it */
	bool kept_out; /* of what is reserved */
	struct cycle_pending_job pending;
	struct torus_alternative alternative[2], reference[2];
	int64_t start_us, end_us; /* expected, and true */
	uint64_t nodes[WORKLOAD_WORDS];
	struct torus_job job; /* of the reference */
};

struct host {
	struct random r;
	struct torus_machine m;
	struct torus_scheduler_settings settings;
	struct cycle *cycle;
	struct torus_state *state; /* the reference */
	struct torus_scheduler *scheduler;
	struct host_job job[JOBS];
	uint32_t jobs;
	uint32_t started[JOBS], starts; /* running ones, in their order */
	int64_t now;
	uint64_t busy[WORKLOAD_WORDS], out[WORKLOAD_WORDS];
	uint64_t all[WORKLOAD_WORDS];
	bool anew; /* the cycle has to be told of scattered jobs */
	struct torus_outages outages;
	struct torus_outage outage[RESERVED];
	uint64_t reserved[RESERVED][WORKLOAD_WORDS];
};

/* False: the discipline does not suit the machine. */
static bool create(struct host *h, const struct workload_pairs *p)
{
	memset(h, 0, sizeof(*h));
	h->r.state = p->seed;
	if (!workload_machine(&h->m, p->machine, *p->strategy))
		return false;
	torus_scheduler_defaults(&h->settings);
	h->settings.discipline = *p->discipline;
	h->settings.mean_hold_us = 20 * SECOND;
	h->settings.no_preemption = true;
	h->settings.order_by_priority = random_percent(&h->r, 30);
	h->settings.backfill_places = 1 + random_below(&h->r, 3);
	h->settings.reservations = random_below(&h->r, 4);
	if (random_percent(&h->r, 30))
		h->settings.wait_limit_us = random_below(&h->r, 30) * SECOND;
	workload_orders(&h->r, &h->settings);
	h->state = torus_state_create(&h->m);
	assert_non_null(h->state);
	h->scheduler = torus_scheduler_create(h->state, &h->settings, NULL);
	h->cycle = cycle_create(&h->m, &h->settings, 4, NULL);
	assert_int_equal(h->cycle != NULL, h->scheduler != NULL);
	torus_bits_copy(h->all, torus_state_free_map(h->state), h->m.words);
	return h->cycle != NULL;
}

static void destroy(struct host *h)
{
	cycle_destroy(h->cycle);
	torus_scheduler_destroy(h->scheduler);
	torus_state_destroy(h->state);
	torus_machine_free(&h->m);
}

static void check(struct host *h)
{
	struct torus_error err = { 0 };

	if (!cycle_check(h->cycle, &err))
		fail_msg("%s", err.text);
}

/* A new job, in both worlds. */
static struct host_job *come(struct host *h)
{
	struct host_job *j = &h->job[h->jobs];
	struct cycle_pending_job *w = &j->pending;
	struct torus_job_request *r = &w->request;

	w->name.job = ++h->jobs;
	w->key = h->jobs;
	w->eligible_us = h->now;
	w->limit_us = (1 + random_below(&h->r, 20)) * SECOND;
	w->deadline_us = random_percent(&h->r, 40) ?
				 h->now + w->limit_us *
						  (1 + random_below(&h->r, 5)) :
				 TORUS_NO_TIME;
	w->priority = random_below(&h->r, 4);
	r->alternative = j->alternative;
	r->alternatives = random_percent(&h->r, 20) ? 2 : 1;
	for (uint32_t k = 0; k < r->alternatives; k++) {
		r->alternative[k].ask = workload_ask(&h->r, &h->m);
		r->alternative[k].after_us = k * 5 * SECOND;
	}
	return j;
}

static void snapshot(struct host *h)
{
	cycle_begin(h->cycle, h->now);
	for (uint32_t i = 0; i < h->jobs; i++) {
		struct host_job *j = &h->job[i];
		struct cycle_running_job use = { j->pending.name.job,
						 j->start_us,
						 j->start_us +
							 j->pending.limit_us,
						 NULL,
						 j->nodes,
						 NULL,
						 false };

		if (j->state == RUNNING &&
		    !running_unchanged(h->cycle, use.job,
				       torus_bits_count(j->nodes, h->m.words),
				       use.start_us, use.end_us)) {
			assert_true(j->foreign || h->anew);
			assert_int_equal(running_add(h->cycle, &use), 0);
		}
		if (j->state != PENDING)
			continue;
		j->pending.outages = NULL;
		if (j->kept_out)
			assert_int_equal(outages_add(h->cycle, &h->outages,
						     &j->pending.outages),
					 0);
		if (!waiting_unchanged(h->cycle, &j->pending.name,
				       j->pending.key, j->pending.allowed,
				       j->pending.outages, j->pending.priority))
			assert_int_equal(waiting_add(h->cycle, &j->pending), 0);
	}
	untracked_add(h->cycle, h->busy, h->now + SECOND);
	cycle_set_out(h->cycle, h->out);
	assert_int_equal(cycle_update(h->cycle), 0);
	h->anew = false;
	check(h);
}

/* It runs from now on. */
static void run(struct host *h, struct host_job *j, const uint64_t *nodes)
{
	j->state = RUNNING;
	j->start_us = h->now;
	j->end_us = h->now + (1 + random_below(&h->r, 25)) * SECOND;
	torus_bits_copy(j->nodes, nodes, h->m.words);
	h->started[h->starts++] = (uint32_t)(j - h->job);
}

static void end_due(struct host *h, bool reference)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->starts; i++) {
		struct host_job *j = &h->job[h->started[i]];

		if (j->end_us > h->now) {
			h->started[kept++] = h->started[i];
			continue;
		}
		j->state = ENDED;
		if (reference)
			torus_scheduler_end(h->scheduler, &j->job, h->now);
	}
	h->starts = kept;
}

/* Parity */

static void come_to_both(struct host *h)
{
	struct host_job *j = come(h);

	j->job = (struct torus_job){
		.id = j->pending.name.job,
		.request = torus_job_request_put(j->reference,
						 &j->pending.request),
		.submit_us = j->pending.eligible_us,
		.limit_us = j->pending.limit_us,
		.deadline_us = j->pending.deadline_us,
		.priority = j->pending.priority,
		.host = j,
	};
	if (torus_scheduler_submit(h->scheduler, &j->job, h->now, NULL))
		j->job.state = TORUS_JOB_REJECTED; /* aside in the cycle */
}

static void same_decisions(struct host *h)
{
	uint32_t orders = orders_plan(h->cycle, h->now), i = 0;
	int64_t wake;
	struct torus_job *d = torus_scheduler_pass(h->scheduler, h->now, &wake);

	for (; d; d = d->decided, i++) {
		const struct cycle_order *o;
		uint64_t nodes[WORKLOAD_WORDS];
		struct host_job *j = d->host;

		assert_true(i < orders);
		o = orders_get(h->cycle, i);
		assert_int_equal(o->name.job, d->id);
		assert_int_equal(o->reject_reason != NULL,
				 d->state == TORUS_JOB_REJECTED);
		orders_done(h->cycle, i, CYCLE_STARTED, o->name.job, NULL);
		j->state = ENDED;
		if (o->reject_reason)
			continue;
		workload_paint(&h->m,
			       &torus_state_hold(h->state, d->slot)->place,
			       nodes);
		assert_true(torus_bits_equal(nodes, o->nodes, h->m.words));
		assert_int_equal(o->alternative, d->alternative);
		run(h, j, o->nodes);
	}
	assert_int_equal(i, orders);
	assert_true(wake == cycle_wake_at(h->cycle));
	forecast_run(h->cycle, JOBS, SECOND); /* decides nothing */
	check(h);
}

/* No reservations that a new cycle would not know of, nor an order of the queue
 * that depends on who had waited for how long when others came? */
static bool promises_little(const struct host *h)
{
	const struct torus_discipline *d = h->settings.discipline;

	return (!d->foresees || strcmp(d->name, "easy") == 0) &&
	       h->settings.wait_limit_us == TORUS_NO_TIME;
}

/* A restart: no cycle, but the state, and jobs whose age is known. */
static void begin_anew(struct host *h)
{
	const struct torus_state *s = torus_scheduler_state(
		cycle_scheduler(h->cycle));
	struct torus_text text = { 0 };
	struct cycle *c;

	for (uint32_t i = 0; i < h->jobs; i++) {
		if (h->job[i].state == PENDING &&
		    h->now - h->job[i].pending.eligible_us < 3 * SECOND)
			return;
	}
	c = cycle_create(&h->m, &h->settings, 4, NULL);
	assert_non_null(c);
	assert_int_equal(torus_state_save(s, &text), 0);
	assert_int_equal(cycle_restore(c, text.data ? text.data : ""), 0);
	torus_text_free(&text);
	cycle_destroy(h->cycle);
	h->cycle = c;
	h->anew = true;
}

static void parity(struct host *h)
{
	for (int i = 0; i < INSTANTS; i++) {
		h->now += (1 + random_below(&h->r, 3)) * SECOND;
		end_due(h, true);
		for (uint32_t n = random_below(&h->r, 3);
		     n > 0 && h->jobs < JOBS; n--)
			come_to_both(h);
		if (promises_little(h) && random_percent(&h->r, 20))
			begin_anew(h);
		do {
			snapshot(h);
			same_decisions(h);
			h->now++; /* time goes on between two rounds */
		} while (random_percent(&h->r, 30));
	}
}

/* Chaos */

/* Is nothing reserved there then? */
static void check_time(const struct host *h, const struct host_job *j,
		       const uint64_t *nodes, int64_t from, int64_t to)
{
	for (uint32_t i = 0; j->kept_out && i < h->outages.count; i++) {
		if (h->outage[i].from_us < to && h->outage[i].to_us > from)
			assert_false(torus_bits_meet(nodes, h->reserved[i],
						     h->m.words));
	}
}

static bool check_promise(void *arg, const struct cycle_promise *p)
{
	const struct host *h = arg;
	const struct host_job *j = &h->job[p->name.job - 1];

	if (p->place)
		check_time(h, j, p->nodes, p->start_us,
			   p->start_us + j->pending.limit_us);
	return true;
}

static void reserve(struct host *h)
{
	h->outages.count = random_below(&h->r, RESERVED + 1);
	h->outages.last_start_us = TORUS_NO_TIME;
	h->outages.outage = h->outage;
	for (uint32_t i = 0; i < h->outages.count; i++) {
		struct torus_outage *o = &h->outage[i];

		o->from_us = h->now + random_below(&h->r, 20) * SECOND;
		o->to_us = o->from_us + (1 + random_below(&h->r, 20)) * SECOND;
		o->name = random_percent(&h->r, 50) ? "maintenance" : NULL;
		o->nodes = h->reserved[i];
		workload_nodes(&h->r, &h->m,
			       random_percent(&h->r, 50) ? 100 : 50,
			       h->reserved[i]);
	}
}

/* Busy are nodes of jobs that run, or that nobody knows of. */
static void check_order(struct host *h, const struct cycle_order *o)
{
	const struct host_job *j = &h->job[o->name.job - 1];
	const struct torus_pod *last = &h->m.pod[h->m.pods - 1];

	assert_int_equal(j->state, PENDING);
	assert_false(torus_bits_meet(o->nodes, h->busy, h->m.words));
	assert_false(torus_bits_meet(o->nodes, h->out, h->m.words));
	check_time(h, j, o->nodes, h->now, h->now + j->pending.limit_us);
	if (last->outside &&
	    !j->pending.request.alternative[o->alternative].ask.anywhere)
		assert_int_equal(torus_bits_count(o->nodes + last->first_word,
						  last->words),
				 0);
	assert_true(torus_bits_subset(o->nodes, h->all, h->m.words));
	if (j->pending.allowed)
		assert_true(torus_bits_subset(o->nodes, j->pending.allowed,
					      h->m.words));
	if (j->pending.required)
		assert_true(torus_bits_subset(j->pending.required, o->nodes,
					      h->m.words));
	for (uint32_t i = 0; i < h->starts; i++)
		assert_false(torus_bits_meet(o->nodes,
					     h->job[h->started[i]].nodes,
					     h->m.words));
}

static void obey(struct host *h)
{
	uint32_t orders;

	do {
		orders = orders_plan(h->cycle, h->now);
		check(h);
		for (uint32_t i = 0; i < orders; i++) {
			const struct cycle_order *o = orders_get(h->cycle, i);
			struct host_job *j = &h->job[o->name.job - 1];
			uint64_t unfit[WORKLOAD_WORDS];

			if (!o->reject_reason)
				check_order(h, o);
			if (random_percent(&h->r, 20)) {
				workload_nodes(&h->r, &h->m, 20, unfit);
				orders_done(h->cycle, i,
					    random_percent(&h->r, 50) ?
						    CYCLE_UNFIT :
						    CYCLE_LATER,
					    0,
					    random_percent(&h->r, 50) ? unfit :
									NULL);
				check(h);
				continue;
			}
			if (o->reject_reason)
				j->state = ENDED;
			else
				run(h, j, o->nodes);
			orders_done(h->cycle, i, CYCLE_STARTED, o->name.job,
				    NULL);
		}
		check(h);
	} while (orders_need_pass(h->cycle));
}

/* Somebody else's job takes idle nodes. */
static void intrude(struct host *h)
{
	struct host_job *j = come(h);
	uint64_t nodes[WORKLOAD_WORDS];

	workload_nodes(&h->r, &h->m, 30, nodes);
	torus_bits_andnot(nodes, h->busy, h->m.words);
	for (uint32_t i = 0; i < h->starts; i++)
		torus_bits_andnot(nodes, h->job[h->started[i]].nodes,
				  h->m.words);
	j->state = ENDED;
	if (torus_bits_count(nodes, h->m.words) == 0)
		return;
	j->foreign = true;
	run(h, j, nodes);
}

/* Some places must hold certain nodes. */
static void require(struct host *h, struct host_job *j)
{
	uint64_t nodes[WORKLOAD_WORDS];
	bool anywhere = false;

	for (uint32_t k = 0; k < j->pending.request.alternatives; k++)
		anywhere |= j->pending.request.alternative[k].ask.anywhere;
	if (anywhere || random_percent(&h->r, 70))
		return;
	torus_bits_zero(nodes, h->m.words);
	for (uint32_t n = 1 + random_below(&h->r, 2); n > 0; n--)
		torus_bits_set(nodes,
			       random_below(&h->r, h->m.pod[0].torus.nodes));
	assert_int_equal(node_sets_add(h->cycle, nodes, &j->pending.required),
			 0);
}

static void confine(struct host *h, struct host_job *j)
{
	uint64_t nodes[WORKLOAD_WORDS];

	workload_nodes(&h->r, &h->m, 70, nodes);
	assert_int_equal(node_sets_add(h->cycle, nodes, &j->pending.allowed), 0);
	j->pending.key += 1000;
}

static void meddle(struct host *h)
{
	struct host_job *j = h->jobs ? &h->job[random_below(&h->r, h->jobs)] :
				       NULL;

	switch (random_below(&h->r, 10)) {
	case 0:
		workload_nodes(&h->r, &h->m, 20, h->out);
		break;
	case 1: /* epilogs: nodes of nobody */
		workload_nodes(&h->r, &h->m, 10, h->busy);
		for (uint32_t i = 0; i < h->starts; i++)
			torus_bits_andnot(h->busy, h->job[h->started[i]].nodes,
					  h->m.words);
		break;
	case 2:
		if (h->jobs < JOBS)
			intrude(h);
		break;
	case 3:
		if (j && j->state == PENDING)
			j->state = ENDED; /* cancelled */
		break;
	case 4:
		if (j && j->state == PENDING)
			confine(h, j);
		break;
	case 5:
	case 6:
		reserve(h);
		break;
	case 7:
		if (j)
			j->pending.priority = random_below(&h->r, 9);
		break;
	default:
		torus_bits_zero(h->out, h->m.words);
		torus_bits_zero(h->busy, h->m.words);
	}
}

static void chaos(struct host *h)
{
	for (int i = 0; i < INSTANTS; i++) {
		h->now += (1 + random_below(&h->r, 3)) * SECOND;
		end_due(h, false);
		for (uint32_t n = random_below(&h->r, 3);
		     n > 0 && h->jobs < JOBS; n--) {
			struct host_job *j = come(h);

			j->kept_out = random_percent(&h->r, 60);
			require(h, j);
		}
		meddle(h);
		snapshot(h);
		obey(h);
		forecast_run(h->cycle, JOBS, SECOND);
		promises_list(h->cycle, UINT32_MAX, 10, check_promise, h);
		check(h);
	}
}

static void each_world(const char *name, void (*play)(struct host *h))
{
	struct workload_pairs p = { .r = { random_seed(name) },
				    .rounds = random_effort(1, 20) };
	struct host *h = malloc(sizeof(*h));

	assert_non_null(h);
	while (workload_next(&p)) {
		if (create(h, &p))
			play(h);
		destroy(h);
	}
	free(h);
}

static void a_live_cycle_decides_as_the_replay(void **state)
{
	(void)state;
	each_world("parity", parity);
}

static void a_cycle_survives_a_faulty_host(void **state)
{
	(void)state;
	each_world("chaos", chaos);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_live_cycle_decides_as_the_replay),
		cmocka_unit_test(a_cycle_survives_a_faulty_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
