/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the thread of sched/torus (live/agent.h) gets up though nothing
 * happens, and as of what time it plans then; that it plans nothing while
 * nothing is new, and not for ever while orders fail; and for how long it leaves
 * the host alone. The host never says that anything has changed.
 */
#include "live/mirror/mirror.h"
#include "live/orders.h"
#include "live/mirror/waiting.h"
#include "agent_host.h"
#include "journal_rows.h"
#include "unit.h"

#include <stdatomic.h>

#include "live/agent.h"
#include "torus/discipline.h"

#define MS INT64_C(1000)
#define TRIES 8

struct host {
	pthread_mutex_t lock;
	struct torus_machine m;
	struct torus_scheduler_settings settings;
	struct cycle *cycle;
	struct cycle_pending_job pending;
	struct torus_alternative alternative[2];
	uint64_t busy;     /* by somebody for an hour */
	uint32_t refusals; /* orders that will not be carried out */
	bool unfit;        /* because of their nodes */
	int64_t tells_us;  /* how long it tells, then there is another cause */
	int64_t had_us, ended_us, left_us; /* locks; a cycle; it was alone */
	uint64_t most_orders;              /* of a cycle; the thread's own */
	atomic_uint orders, rounds;
	atomic_bool runs, over;
	int64_t begin_us;
	struct journal_rows rows;
};

static bool never(void *arg, bool *soon)
{
	(void)arg;
	*soon = false;
	return false;
}

static struct cycle *snapshot(void *arg, struct agent *a)
{
	struct host *h = arg;

	if (h->ended_us && !h->left_us)
		h->left_us = now_us(NULL) - h->ended_us;
	cycle_begin(h->cycle, agent_now(a));
	untracked_add(h->cycle, &h->busy, h->begin_us + INT64_C(3600000000));
	if (!h->runs &&
	    !waiting_unchanged(h->cycle, &h->pending.name, 1, NULL, NULL, 0))
		assert_int_equal(waiting_add(h->cycle, &h->pending), 0);
	if (h->runs && !h->over)
		running_completing(h->cycle, 1, h->begin_us);
	return h->cycle;
}

static void nothing(void *arg, struct cycle *c)
{
	(void)arg;
	(void)c;
}

static enum cycle_result commit(void *arg, const struct cycle_order *o,
				uint32_t *job, const uint64_t **unfit)
{
	struct host *h = arg;

	(void)o;
	(void)unfit;
	*job = 1;
	if (++h->orders <= h->refusals)
		return h->unfit ? CYCLE_UNFIT : CYCLE_LATER;
	h->runs = true;
	return CYCLE_STARTED;
}

static void tell(void *arg, struct agent *a)
{
	const struct host *h = arg;

	if (h->tells_us == 0)
		return;
	nap(h->tells_us);
	agent_wake(a);
}

static void ended(void *arg, struct cycle *c, const struct agent_counts *n)
{
	struct host *h = arg;

	(void)c;
	if (n->latest.orders > h->most_orders)
		h->most_orders = n->latest.orders;
	if (h->rounds == 0) {
		h->had_us = n->latest.snapshot_us + n->latest.publish_us;
		h->ended_us = now_us(NULL);
	}
	h->rounds++;
}

static const struct agent_host functions = {
	.now = now_us,
	.lock = take,
	.unlock = give,
	.changed = never,
	.snapshot = snapshot,
	.updated = nothing,
	.commit = commit,
	.forecast = nothing,
	.publish = tell,
	.ended = ended,
};

static void create(struct host *h, const struct torus_discipline *discipline)
{
	struct cycle_pending_job *w = &h->pending;

	pthread_mutex_init(&h->lock, NULL);
	h->m = unit_machine("8x1:MM", "submesh");
	torus_scheduler_defaults(&h->settings);
	h->settings.discipline = discipline;
	h->cycle = cycle_create(&h->m, &h->settings, TRIES, NULL);
	assert_non_null(h->cycle);
	journal_rows_open(&h->rows, h->cycle, &h->m);
	h->begin_us = w->eligible_us = now_us(NULL);
	w->name.job = w->key = 1;
	w->limit_us = 60000 * MS;
	w->deadline_us = TORUS_NO_TIME;
	w->request.alternative = h->alternative;
	w->request.rotate = true;
	w->request.alternatives = 1;
	w->request.alternative[0].ask = unit_shape("8", NULL, true);
}

static void destroy(struct host *h)
{
	cycle_destroy(h->cycle);
	journal_rows_close(&h->rows);
	torus_machine_free(&h->m);
	pthread_mutex_destroy(&h->lock);
}

static void wait_for(const atomic_bool *what)
{
	for (int i = 0; i < 1000 && !*what; i++)
		nap(10 * MS);
	assert_true(*what);
}

/* Woken once; from then on by its own timer, and as of that time. */
static void by_its_timer(void **state)
{
	struct host h = { .busy = 0x0f };
	struct agent *a;

	(void)state;
	create(&h, torus_discipline_find("fcfs"));
	h.pending.request.alternatives = 2;
	h.pending.request.alternative[1].ask = unit_shape("2", NULL, true);
	h.pending.request.alternative[1].after_us = 300 * MS;
	a = agent_create(&functions, &h);
	assert_non_null(a);
	agent_wake(a);
	wait_for(&h.runs);
	h.over = true;
	for (uint32_t before = h.rounds; h.rounds < before + 2; nap(10 * MS))
		agent_wake(a);
	agent_destroy(a);
	journal_rows_begin(&h.rows);
	assert_true(journal_rows_next(&h.rows, "completed"));
	assert_true(journal_rows_us(&h.rows, ROW_START) ==
		    journal_rows_us(&h.rows, ROW_SUBMIT) + 300 * MS);
	fclose(h.rows.f);
	destroy(&h);
}

/* What the host did not start is ordered again, in its own time. */
static void by_what_comes_back(void **state)
{
	struct host h = { .refusals = 4 };
	struct agent *a;

	(void)state;
	create(&h, torus_discipline_find("fcfs"));
	a = agent_create(&functions, &h);
	assert_non_null(a);
	agent_wake(a);
	wait_for(&h.runs);
	assert_true(now_us(NULL) - h.begin_us >= 1000 * MS);
	assert_int_equal(h.orders, 5);
	agent_destroy(a);
	destroy(&h);
}

/* Places turn out to be unfit, one after another: a cycle tries a few of them,
 * the next one goes on. */
static void by_what_fails(void **state)
{
	struct host h = { .refusals = TRIES - 1, .unfit = true };
	struct agent *a;

	(void)state;
	create(&h, torus_discipline_find("fcfs"));
	h.pending.request.alternative[0].ask = unit_shape("1", NULL, true);
	a = agent_create(&functions, &h);
	assert_non_null(a);
	agent_wake(a);
	wait_for(&h.runs);
	agent_destroy(a);
	assert_int_equal(h.orders, TRIES);
	assert_int_equal(h.most_orders, AGENT_ROUNDS);
	destroy(&h);
}

/* A discipline that starts nobody, and counts its passes. */

static atomic_uint passes;

static void *count_from_none(struct torus_scheduler *s)
{
	passes = 0;
	return s;
}

static void count_no_more(void *self)
{
	(void)self;
}

static int64_t count_pass(void *self, int64_t now)
{
	(void)self;
	(void)now;
	passes++;
	return TORUS_NO_TIME;
}

static const struct torus_discipline counts_passes = {
	.name = "counts-passes",
	.create = count_from_none,
	.destroy = count_no_more,
	.pass = count_pass,
};

/* However often it is woken, it plans only when there is something new. */
static void no_news(void **state)
{
	struct host h = { .busy = 0x01 };
	struct agent *a;

	(void)state;
	create(&h, &counts_passes);
	a = agent_create(&functions, &h);
	assert_non_null(a);
	while (h.rounds < 5) {
		agent_wake(a);
		nap(10 * MS);
	}
	agent_destroy(a);
	assert_int_equal(passes, 1);
	destroy(&h);
}

/* However much there is to do, it lets go of the locks for five times as long as
 * it had them, or half a second. */
static void leaves_alone(void **state)
{
	static const struct {
		int64_t tells_us, least_us;
		bool less; /* than five times as long */
	} table[] = {
		{ 62 * MS, 300 * MS, false },
		{ 400 * MS, 500 * MS, true },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		struct host h = { .busy = 0x01, .tells_us = table[i].tells_us };
		struct agent *a;

		create(&h, torus_discipline_find("fcfs"));
		a = agent_create(&functions, &h);
		assert_non_null(a);
		agent_wake(a);
		while (h.rounds < 2)
			nap(10 * MS);
		agent_destroy(a);
		assert_true(h.left_us >= table[i].least_us);
		assert_true(!table[i].less || h.left_us < 5 * h.had_us);
		destroy(&h);
	}
}

/* Over the edge of a second. */
static void wall_clock_waits_for_time(void **state)
{
	time_t end = time(NULL) + 2;

	(void)state;
	while (time(NULL) < end) {
		time_t before = time(NULL);
		int64_t at_us = agent_wall_us();

		assert_true(at_us / 1000000 >= before);
		assert_true(at_us / 1000000 <= time(NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_its_timer),
		cmocka_unit_test(by_what_comes_back),
		cmocka_unit_test(by_what_fails),
		cmocka_unit_test(no_news),
		cmocka_unit_test(leaves_alone),
		cmocka_unit_test(wall_clock_waits_for_time),
	};

	return UNIT_RUN(tests);
}
