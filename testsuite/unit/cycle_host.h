/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host of the cycle (live/cycle.h) with few jobs on at most 64 nodes, whose
 * tests say what happens when. */
#ifndef TESTSUITE_CYCLE_HOST_H
#define TESTSUITE_CYCLE_HOST_H

#include "failing.h"
#include "unit.h"

#include "live/mirror/mirror.h"
#include "live/cycle.h"
#include "live/orders.h"
#include "live/mirror/waiting.h"
#include "live/mirror/outages.h"
#include "torus/discipline.h"
#include "torus/placement.h"

#define SECOND INT64_C(1000000)
#define FIRST (1000 * SECOND)
#define JOBS 40
#define FOREIGN 100 /* numbers from which on jobs are others' */

enum state {
	UNBORN,
	PENDING,
	RUNNING
};

struct job {
	enum state state;
	int64_t start_us, end_us;
	uint64_t nodes;
	const struct torus_placement *place; /* told of a foreign one */
	struct cycle_pending_job pending;
	struct torus_alternative alternative[3]; /* of `pending` */
};

/* A machine of at most 64 nodes. */
struct host {
	struct torus_machine m;
	struct torus_scheduler_settings settings;
	struct cycle *cycle;
	struct job job[JOBS];
	struct torus_outages outages;
	struct torus_outage outage;
	int64_t now;
	uint32_t passes;
	/* fail_at before the latest step and the one before: did it fail? */
	long before[2];
};

UNIT_HELPER struct host *create(const char *machine, const char *strategy,
				const char *discipline)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	h->m = unit_machine(machine, strategy);
	h->now = FIRST;
	torus_scheduler_defaults(&h->settings);
	h->settings.discipline = torus_discipline_find(discipline);
	h->cycle = cycle_create(&h->m, &h->settings, 4, NULL);
	assert_non_null(h->cycle);
	return h;
}

UNIT_HELPER void destroy(struct host *h)
{
	cycle_destroy(h->cycle);
	torus_machine_free(&h->m);
	free(h);
}

UNIT_HELPER void check(struct host *h)
{
	struct torus_error err = { 0 };

	if (!cycle_check(h->cycle, &err))
		fail_msg("%s", err.text);
}

UNIT_HELPER struct job *come(struct host *h, uint32_t i, struct torus_ask ask,
			     int64_t limit_us)
{
	struct job *j = &h->job[i];

	j->state = PENDING;
	j->pending = (struct cycle_pending_job){
		.name = { .job = i + 1 },
		.key = i + 1,
		.eligible_us = h->now,
		.limit_us = limit_us,
		.deadline_us = TORUS_NO_TIME,
		.request = { .alternative = j->alternative,
			     .alternatives = 1,
			     .rotate = true },
	};
	j->pending.request.alternative[0].ask = ask;
	return j;
}

/* The host changes the job: it has n alternatives, `ask` from the second on. */
UNIT_HELPER void change(struct job *j, uint32_t n, struct torus_ask ask)
{
	j->pending.key += FOREIGN;
	j->pending.request.alternatives = n;
	for (uint32_t k = 1; k < n; k++)
		j->alternative[k] = (struct torus_alternative){ .ask = ask };
}

/* Somebody else's, there from now on. */
UNIT_HELPER struct job *intrude(struct host *h, uint32_t i, uint64_t nodes,
				int64_t length_us)
{
	struct job *j = &h->job[i];

	*j = (struct job){ .state = RUNNING,
			   .start_us = h->now,
			   .end_us = h->now + length_us,
			   .nodes = nodes,
			   .pending.name.job = FOREIGN + i };
	return j;
}

UNIT_HELPER void note_running(struct host *h, const struct job *j)
{
	const struct cycle_running_job use = {
		.job = j->pending.name.job,
		.start_us = j->start_us,
		.end_us = j->end_us,
		.place = j->place,
		.nodes = &j->nodes,
	};

	if (!running_unchanged(h->cycle, use.job, torus_bits_count(&j->nodes, 1),
			       use.start_us, use.end_us) &&
	    running_add(h->cycle, &use))
		untracked_add(h->cycle, &j->nodes, j->end_us);
}

/* -1: no memory. */
UNIT_HELPER int tell_pending(struct host *h, struct job *j)
{
	struct cycle_pending_job *w = &j->pending;

	w->outages = NULL;
	if (h->outages.count > 0 &&
	    outages_add(h->cycle, &h->outages, &w->outages))
		return -1;
	if (waiting_unchanged(h->cycle, &w->name, w->key, w->allowed,
			      w->outages, w->priority))
		return 0;
	return waiting_add(h->cycle, w);
}

UNIT_HELPER int snapshot(struct host *h)
{
	cycle_begin(h->cycle, h->now);
	for (uint32_t i = 0; i < JOBS; i++) {
		if (h->job[i].state == RUNNING)
			note_running(h, &h->job[i]);
		if (h->job[i].state == PENDING)
			tell_pending(h, &h->job[i]);
	}
	return cycle_update(h->cycle);
}

UNIT_HELPER bool are_free(const struct host *h, uint64_t nodes)
{
	for (uint32_t k = 0; k < JOBS; k++) {
		if (h->job[k].state == RUNNING && h->job[k].nodes & nodes)
			return false;
	}
	return true;
}

/* One pass, all of whose orders are carried out, on the nodes that they name.
 * (That others are on them the cycle may not know if it had no memory.) */
UNIT_HELPER void obey(struct host *h)
{
	uint32_t orders = orders_plan(h->cycle, h->now);

	h->passes++;
	for (uint32_t i = 0; i < orders; i++) {
		const struct cycle_order *o = orders_get(h->cycle, i);
		struct job *j = &h->job[o->name.job - 1];
		uint64_t nodes = 0;

		torus_placement_paint(&h->m, &o->place, &nodes);
		assert_true(nodes && nodes == *o->nodes);
		if (!are_free(h, nodes)) {
			assert_true(h->before[1] >= 0 && fail_at < 0);
			orders_done(h->cycle, i, CYCLE_LATER, 0, NULL);
			continue;
		}
		j->state = RUNNING;
		j->nodes = nodes;
		j->start_us = h->now;
		j->end_us = h->now + j->pending.limit_us;
		orders_done(h->cycle, i, CYCLE_STARTED, o->name.job, NULL);
	}
}

UNIT_HELPER void go_round(struct host *h)
{
	assert_int_equal(snapshot(h), 0);
	check(h);
	if (cycle_has_news(h->cycle))
		obey(h);
	check(h);
}

UNIT_HELPER bool note_nodes(void *arg, const struct cycle_promise *p)
{
	struct host *h = arg;

	assert_non_null(p->place);
	h->job[p->name.job - 1].nodes = *p->nodes;
	return true;
}

UNIT_HELPER void confine(struct host *h, uint32_t i, uint64_t nodes)
{
	assert_int_equal(node_sets_add(h->cycle, &nodes,
				       &h->job[i].pending.allowed),
			 0);
}

#endif
