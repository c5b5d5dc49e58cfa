/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dry run of the cycle: what it would start is told once, and the mirror stays
 * the host's machine, whatever another scheduler does with it, under each
 * discipline.
 */
#include "cycle_host.h"

#include "torus/strategy.h"

#include <stdlib.h>

#define LINES 64

struct lines {
	uint32_t count;
	uint32_t job[LINES];
	uint64_t nodes[LINES]; /* 0: it would be turned down */
	const struct torus_machine *m;
	uint32_t waits; /* stays that have begun */
};

static void note_stay(void *arg, const struct journal_stay *s)
{
	struct lines *l = arg;

	l->waits += s->state == JOURNAL_WAITING;
}

static void note_would(void *arg, int64_t now_us, uint32_t job,
		       const struct torus_placement *place)
{
	struct lines *l = arg;

	(void)now_us;
	assert_true(l->count < LINES);
	l->job[l->count] = job;
	l->nodes[l->count] = 0;
	if (place)
		torus_placement_paint(l->m, place, &l->nodes[l->count]);
	l->count++;
}

static struct host *watched(const char *discipline, struct lines *l)
{
	struct host *h = create("4x4", "submesh", discipline);

	*l = (struct lines){ .m = &h->m };
	cycle_watch(h->cycle, &(struct cycle_watch){ .arg = l,
						     .stay = note_stay,
						     .would = note_would });
	return h;
}

/* A round in which nobody carries out anything. */
static uint32_t dry_round(struct host *h)
{
	uint32_t orders;

	h->now += SECOND;
	assert_int_equal(snapshot(h), 0);
	orders = cycle_plan(h->cycle, h->now);
	cycle_take_back(h->cycle);
	check(h);
	return orders;
}

static void told_once(void **state)
{
	struct lines l;
	struct host *h = watched("easy", &l);

	(void)state;
	come(h, 0, unit_shape("2x2", NULL, true), 60 * SECOND);
	assert_int_equal(dry_round(h), 1);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.job[0], 1);
	assert_int_equal(cycle_queued(h->cycle), 1);
	dry_round(h);
	intrude(h, 5, UINT64_C(0x8000), 60 * SECOND); /* elsewhere */
	assert_int_equal(dry_round(h), 1);
	assert_int_equal(l.count, 1);
	intrude(h, 6, l.nodes[0], 60 * SECOND); /* on its nodes */
	assert_int_equal(dry_round(h), 1);
	assert_int_equal(l.count, 2);
	assert_false(l.nodes[0] & l.nodes[1]);
	assert_int_equal(l.waits, 1);
	destroy(h);
}

/* In one pass the second job is planned around the first. */
static void around_each_other(void **state)
{
	struct lines l;
	struct host *h = watched("easy", &l);

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		come(h, i, unit_shape("2x2", NULL, true), 60 * SECOND);
	assert_int_equal(dry_round(h), 4); /* no room for the fifth */
	assert_int_equal(l.count, 4);
	assert_int_equal(l.nodes[0] | l.nodes[1] | l.nodes[2] | l.nodes[3],
			 UINT64_C(0xffff));
	destroy(h);
}

static void turned_down(void **state)
{
	struct lines l;
	struct host *h = create("2^4", "subcube-buddy", "buddy-rt");
	struct job *j;

	(void)state;
	l = (struct lines){ .m = &h->m };
	cycle_watch(h->cycle,
		    &(struct cycle_watch){ .arg = &l, .would = note_would });
	intrude(h, 5, UINT64_C(0xffff), 100 * SECOND);
	j = come(h, 0, unit_count(16, 'N'), 60 * SECOND);
	j->pending.deadline_us = h->now + 70 * SECOND;
	dry_round(h);
	dry_round(h);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.nodes[0], 0);
	destroy(h);
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
		struct lines l;
		struct host *h;

		torus_scheduler_defaults(&settings);
		settings.discipline = *all;
		probe = cycle_create(&m, &settings, 4, &err);
		cycle_destroy(probe);
		torus_machine_free(&m);
		if (!probe)
			continue; /* it wants another machine */
		h = watched((*all)->name, &l);
		for (uint32_t step = 0; step < 400; step++) {
			happen_at_random(h);
			dry_round(h);
			l.count = 0;
		}
		destroy(h);
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
