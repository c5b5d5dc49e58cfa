/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dry run of the cycle: what it would start is told once, and the mirror stays
 * the host's machine, whatever another scheduler does with it, under each
 * discipline.
 */
#include "torus/state_text.h"
#include "live/agent.h"
#include "live/orders.h"
#include "cycle_host.h"
#include "journal_rows.h"

#include "torus/strategy.h"

#include <stdlib.h>

#define MOST 64 /* starts of a step */

/* The starts that the journal has, as nodes; 0: it would be turned down. */
static uint32_t would(struct journal_rows *r, const struct torus_machine *m,
		      uint32_t *job, uint64_t *nodes)
{
	const struct torus *t = &m->pod[0].torus;
	struct torus_region region;
	bool scattered;
	uint32_t n = 0;

	for (journal_rows_begin(r); journal_rows_next(r, "would"); n++) {
		assert_true(n < MOST);
		job[n] = (uint32_t)strtoul(r->field[ROW_ID], NULL, 10);
		nodes[n] = 0;
		if (!*r->field[ROW_REGION])
			continue;
		assert_int_equal(torus_region_parse(&region, &scattered,
						    &nodes[n], t,
						    r->field[ROW_REGION], NULL),
				 0);
		if (!scattered)
			torus_region_paint(&region, t, &nodes[n]);
	}
	return n;
}

static struct host *watched(const char *machine, const char *strategy,
			    const char *discipline, struct journal_rows *r)
{
	struct host *h = create(machine, strategy, discipline);

	journal_rows_open(r, h->cycle, &h->m);
	return h;
}

/* A round in which nobody carries out anything. */
static uint32_t dry_round(struct host *h)
{
	uint32_t orders;

	h->now += SECOND;
	assert_int_equal(snapshot(h), 0);
	orders = orders_plan(h->cycle, h->now);
	dry_run_take_back(h->cycle);
	check(h);
	return orders;
}

static void told_once(void **state)
{
	struct journal_rows r;
	struct host *h = watched("4x4", "submesh", "easy", &r);
	uint32_t job[MOST];
	uint64_t nodes[MOST];

	(void)state;
	come(h, 0, unit_shape("2x2", NULL, true), 60 * SECOND);
	assert_int_equal(dry_round(h), 1);
	assert_int_equal(would(&r, &h->m, job, nodes), 1);
	assert_int_equal(job[0], 1);
	assert_int_equal(cycle_queued(h->cycle), 1);
	dry_round(h);
	intrude(h, 5, UINT64_C(0x8000), 60 * SECOND); /* elsewhere */
	assert_int_equal(dry_round(h), 1);
	assert_int_equal(would(&r, &h->m, job, nodes), 1);
	intrude(h, 6, nodes[0], 60 * SECOND); /* on its nodes */
	assert_int_equal(dry_round(h), 1);
	assert_int_equal(would(&r, &h->m, job, nodes), 2);
	assert_false(nodes[0] & nodes[1]);
	assert_int_equal(journal_rows_count(&r, "waiting"), 1);
	destroy(h);
	journal_rows_close(&r);
}

/* In one pass the second job is planned around the first. */
static void around_each_other(void **state)
{
	struct journal_rows r;
	struct host *h = watched("4x4", "submesh", "easy", &r);
	uint32_t job[MOST];
	uint64_t nodes[MOST];

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		come(h, i, unit_shape("2x2", NULL, true), 60 * SECOND);
	assert_int_equal(dry_round(h), 4); /* no room for the fifth */
	assert_int_equal(would(&r, &h->m, job, nodes), 4);
	assert_int_equal(nodes[0] | nodes[1] | nodes[2] | nodes[3],
			 UINT64_C(0xffff));
	destroy(h);
	journal_rows_close(&r);
}

static void turned_down(void **state)
{
	struct journal_rows r;
	struct host *h = watched("2^4", "subcube-buddy", "buddy-rt", &r);
	uint32_t job[MOST];
	uint64_t nodes[MOST];
	struct job *j;

	(void)state;
	intrude(h, 5, UINT64_C(0xffff), 100 * SECOND);
	j = come(h, 0, unit_count(16, 'N'), 60 * SECOND);
	j->pending.deadline_us = h->now + 70 * SECOND;
	dry_round(h);
	dry_round(h);
	assert_int_equal(would(&r, &h->m, job, nodes), 1);
	assert_int_equal(nodes[0], 0);
	destroy(h);
	journal_rows_close(&r);
}

/* Somebody else starts jobs, ends them, cancels them. */
static void happen_at_random(struct host *h)
{
	uint32_t i = (uint32_t)rand() % JOBS;
	struct job *j = &h->job[i];
	uint64_t nodes = UINT64_C(0x33) << (rand() % 3 + rand() % 3 * 4);
	bool idle = are_free(h, nodes);

	if (j->state == UNBORN && rand() % 2)
		come(h, i, unit_shape("2x2", NULL, true),
		     (1 + rand() % 30) * SECOND);
	else if (j->state == PENDING && idle) {
		j->state = RUNNING;
		j->nodes = nodes;
		j->start_us = h->now;
		j->end_us = h->now + j->pending.limit_us;
	} else if (j->state == RUNNING || rand() % 4 == 0)
		j->state = UNBORN;
}

static void every_discipline(void **state)
{
	const struct torus_discipline *const *all = torus_disciplines();

	(void)state;
	srand(1);
	for (; *all; all++) {
		struct torus_scheduler_settings settings;
		struct torus_machine m = unit_machine("4x4", "submesh");
		struct torus_error err = { 0 };
		struct cycle *probe;
		struct journal_rows r;
		struct host *h;

		torus_scheduler_defaults(&settings);
		settings.discipline = *all;
		probe = cycle_create(&m, &settings, 4, &err);
		cycle_destroy(probe);
		torus_machine_free(&m);
		if (!probe)
			continue; /* it wants another machine */
		h = watched("4x4", "submesh", (*all)->name, &r);
		for (uint32_t step = 0; step < 400; step++) {
			happen_at_random(h);
			dry_round(h);
		}
		destroy(h);
		journal_rows_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_once),
		cmocka_unit_test(around_each_other),
		cmocka_unit_test(turned_down),
		cmocka_unit_test(every_discipline),
	};

	return UNIT_RUN(tests);
}
