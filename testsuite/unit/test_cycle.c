/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle of sched/torus (cycle.h) where its host is not as tidy as that of
 * prop_cycle: jobs that share nodes, places that do not last, nothing that
 * happens while time goes on, and memory that is short.
 *
 * Linked with --wrap=torus_alloc, --wrap=torus_realloc, --wrap=torus_free.
 */
#include "torus/state_text.h"
#include "live/orders.h"
#include "live/promises/promises.h"
#include "live/mirror/mirror.h"
#include "cycle_host.h"

/* As the thread does: whenever the cycle wants to, and something ends. */
static void go_on_until(struct host *h, int64_t until)
{
	while (h->now < until) {
		int64_t next = until;

		for (uint32_t i = 0; i < JOBS; i++) {
			if (h->job[i].state == RUNNING &&
			    h->job[i].end_us < next)
				next = h->job[i].end_us;
		}
		if (cycle_wake_at(h->cycle) < next)
			next = cycle_wake_at(h->cycle);
		if (cycle_retry_at(h->cycle) < next)
			next = cycle_retry_at(h->cycle);
		h->now = next > h->now ? next : h->now + SECOND / 50;
		if (cycle_wake_at(h->cycle) <= h->now)
			obey(h);
		for (uint32_t i = 0; i < JOBS; i++) {
			if (h->job[i].state == RUNNING &&
			    h->job[i].end_us <= h->now)
				h->job[i].state = UNBORN;
		}
		go_round(h);
	}
}

/* Two jobs of others share nodes: one of them cannot be held as such. That is
 * no news in each snapshot, for which all reservations would be made anew. */
static void shared_nodes(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "conservative");
	struct job *first, *second;

	(void)state;
	first = intrude(h, 0, 0x0f, 100 * SECOND);
	second = intrude(h, 1, 0x3c, 200 * SECOND);
	come(h, 2, unit_shape("8", NULL, true), 60 * SECOND);
	go_round(h);
	for (int i = 0; i < 3; i++) {
		h->now += SECOND;
		go_round(h);
		assert_int_equal(h->passes, 1);
	}
	h->now = first->end_us;
	first->state = UNBORN;
	go_round(h);
	assert_int_equal(h->passes, 2);
	cycle_begin(h->cycle, ++h->now); /* known by itself now */
	assert_true(running_unchanged(h->cycle, FOREIGN + 1, 4,
				      second->start_us, second->end_us));
	destroy(h);
}

/* A scattered place's nodes are told, not kept: they may be gone by the time
 * that they are wanted. */
static void place_of_the_moment(void **state)
{
	struct host *h = create("flat:8", "flat", "fcfs");
	uint64_t nodes = 0x3c;
	struct torus_placement place = { .scattered = true,
					 .granted = 4,
					 .nodes = &nodes };
	struct job *j = intrude(h, 0, 0x3c, 100 * SECOND);

	(void)state;
	j->place = &place;
	cycle_begin(h->cycle, h->now);
	note_running(h, j);
	nodes = 0xc3; /* somebody else's place, found in the same memory */
	assert_int_equal(cycle_update(h->cycle), 0);
	come(h, 1, unit_count(4, 'N'), 60 * SECOND);
	go_round(h);
	assert_int_equal(h->job[1].state, RUNNING);
	assert_true(h->job[1].nodes == 0xc3);
	destroy(h);
}

/* The head of the queue could start now, would it have nodes; but later it
 * could not any more, because of what is reserved. From then on it is in
 * nobody's way, though nothing else happens. */
static void in_the_way_until(void **state)
{
	static const uint64_t all = 0xff;
	struct host *h = create("8x1:MM", "submesh", "fcfs");
	struct job *small;

	(void)state;
	h->outage = (struct torus_outage){ .from_us = FIRST + 100 * SECOND,
					   .to_us = FIRST + 200 * SECOND,
					   .nodes = &all,
					   .name = "window" };
	h->outages = (struct torus_outages){ .count = 1,
					     .outage = &h->outage,
					     .last_start_us = TORUS_NO_TIME };
	intrude(h, 0, 0x0f, 300 * SECOND);
	come(h, 1, unit_shape("8", NULL, true), 60 * SECOND);
	small = come(h, 2, unit_shape("1", NULL, true), 20 * SECOND);
	go_round(h);
	h->now += SECOND;
	go_round(h); /* with nothing new in it */
	go_on_until(h, FIRST + 39 * SECOND);
	assert_int_equal(small->state, PENDING);
	go_on_until(h, FIRST + 41 * SECOND);
	assert_int_equal(small->state, RUNNING);
	assert_in_range(h->passes, 2, 4);
	destroy(h);
}

static void restore(struct host *h, struct cycle *old)
{
	struct torus_text text = { 0 };

	assert_int_equal(torus_state_save(torus_scheduler_state(
						  cycle_scheduler(old)),
					  &text),
			 0);
	assert_int_equal(cycle_restore(h->cycle, text.data), 0);
	torus_text_free(&text);
}

/* Another cycle takes over what this one has promised, though it would choose
 * otherwise; but not where a job is not allowed any more. */
static void another_cycle(bool restored)
{
	struct host *h = create("8x1:MM", "submesh", "conservative");
	struct torus_text promises = { 0 };
	struct cycle *old = h->cycle;

	come(h, 0, unit_shape("8", NULL, true), 100 * SECOND);
	go_round(h);
	for (uint32_t i = 1; i <= 2; i++)
		come(h, i, unit_shape("2", NULL, true), 60 * SECOND);
	h->now += SECOND;
	confine(h, 1, 0x0c);
	confine(h, 2, 0x03);
	go_round(h);
	promises_list(old, 10, 0, note_nodes, h);
	assert_true(h->job[1].nodes == 0x0c && h->job[2].nodes == 0x03);
	h->cycle = cycle_create(&h->m, &h->settings, 4, NULL);
	if (restored)
		restore(h, old);
	confine(h, 1, 0xff);
	confine(h, 2, 0xc0);
	h->now += SECOND;
	assert_int_equal(snapshot(h), 0);
	assert_int_equal(saved_promises_save(old, &promises), 0);
	cycle_destroy(old);
	assert_int_equal(saved_promises_restore(h->cycle, promises.data, NULL),
			 0);
	torus_text_free(&promises);
	obey(h);
	promises_list(h->cycle, 10, 0, note_nodes, h);
	assert_true(h->job[1].nodes == 0x0c && h->job[2].nodes == 0xc0);
	destroy(h);
}

static void another_cycle_adopts(void **state)
{
	(void)state;
	another_cycle(false);
}

static void another_cycle_restored(void **state)
{
	(void)state;
	another_cycle(true);
}

/* Others' jobs, reservations, and as many of ours as there is room for; some
 * of them may use some nodes only, some change their alternatives. */
static void happen(struct host *h, uint32_t step)
{
	uint64_t some = 0xffff >> step % 9;
	uint32_t i = step % JOBS;
	struct job *earlier = &h->job[(step + JOBS - 1) % JOBS];

	h->outages.count = step / 8 % 2;
	if (step % 10 == 7)
		intrude(h, i, UINT64_C(0x3) << step % 15, 9 * SECOND);
	else if (h->job[i].state == UNBORN)
		come(h, i, unit_shape(step % 3 ? "2x2" : "4x1", NULL, true),
		     (3 + step % 5) * SECOND);
	if (h->job[i].state == PENDING && step % 4 == 0 &&
	    node_sets_add(h->cycle, &some, &h->job[i].pending.allowed))
		h->job[i].pending.allowed = NULL;
	if (earlier->state == PENDING && step % 3 == 0)
		change(earlier, 1 + step / 3 % 3, unit_shape("2", NULL, true));
}

static uint32_t pending(const struct host *h)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < JOBS; i++)
		n += h->job[i].state == PENDING;
	return n;
}

/* Memory is short once, at the n-th time: nobody is lost, nothing starts where
 * it may not, and all is well in the end. False: it was not short any more. */
static bool short_once(const char *discipline, long n)
{
	static const uint64_t nodes = 0x00f0;
	struct host *h = create("4x4", "submesh", discipline);
	uint32_t step;
	bool failed;

	h->outage = (struct torus_outage){ .from_us = FIRST + 20 * SECOND,
					   .to_us = FIRST + 30 * SECOND,
					   .nodes = &nodes,
					   .name = "window" };
	h->outages = (struct torus_outages){ .outage = &h->outage,
					     .last_start_us = TORUS_NO_TIME };
	fail_at = n;
	for (step = 0; step < 2 * JOBS || pending(h) > 0; step++) {
		assert_in_range(step, 0, 1000);
		h->now += SECOND / 2;
		for (uint32_t i = 0; i < JOBS; i++) {
			if (h->job[i].state == RUNNING &&
			    h->job[i].end_us <= h->now)
				h->job[i].state = UNBORN;
		}
		if (step < 2 * JOBS)
			happen(h, step);
		h->before[1] = h->before[0];
		h->before[0] = fail_at;
		snapshot(h);
		check(h);
		obey(h);
		check(h);
	}
	destroy(h);
	assert_int_equal(blocks, 0);
	failed = fail_at < 0;
	fail_at = -1;
	return failed;
}

static void a_cycle_survives_failed_allocations(void **state)
{
	static const char *const discipline[] = { "easy", "conservative" };

	(void)state;
	for (int d = 0; d < 2; d++) {
		for (long n = 0; short_once(discipline[d], n); n++)
			;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_nodes),
		cmocka_unit_test(place_of_the_moment),
		cmocka_unit_test(in_the_way_until),
		cmocka_unit_test(another_cycle_adopts),
		cmocka_unit_test(another_cycle_restored),
		cmocka_unit_test(a_cycle_survives_failed_allocations),
	};

	return UNIT_RUN(tests);
}
