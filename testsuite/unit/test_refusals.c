/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places that the host refuses (cycle.h): at most `tries` in a row are offered
 * to a job, then it steps aside, says why, and is offered others later; what
 * it cannot have is everybody else's meanwhile.
 */
#include "unit.h"

#include "live/mirror/mirror.h"
#include "live/cycle.h"
#include "live/orders.h"
#include "live/promises/promises.h"
#include "live/mirror/waiting.h"
#include "torus/discipline.h"

#include <time.h>

#define SECOND INT64_C(1000000)
#define FIRST (1000 * SECOND)

/* A mesh of 8x1: a job of two nodes, which the host wants in one place only. */
struct host {
	struct torus_machine m;
	struct torus_scheduler_settings settings;
	struct cycle *cycle;
	struct cycle_pending_job wish[3];
	struct torus_alternative alternative[3];
	bool running[3], listing[3];
	int64_t start_us[3];
	uint64_t want;
	char orders[256]; /* what came of the latest round */
	const char *reason;
};

static int set_up(void **state)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	h->m = unit_machine("8x1:MM", "submesh");
	torus_scheduler_defaults(&h->settings);
	h->settings.discipline = torus_discipline_find("fcfs");
	h->cycle = cycle_create(&h->m, &h->settings, 2, NULL);
	assert_non_null(h->cycle);
	*state = h;
	return 0;
}

static int tear_down(void **state)
{
	struct host *h = *state;

	cycle_destroy(h->cycle);
	torus_machine_free(&h->m);
	free(h);
	return 0;
}

static void submit(struct host *h, uint32_t job, struct torus_ask ask)
{
	struct cycle_pending_job *w = &h->wish[job];

	w->name.job = w->key = job;
	w->eligible_us = FIRST;
	w->limit_us = 60 * SECOND;
	w->deadline_us = TORUS_NO_TIME;
	w->request.alternative = &h->alternative[job];
	w->request.alternatives = 1;
	w->request.rotate = true;
	w->request.alternative[0].ask = ask;
	h->listing[job] = true;
}

/* Job 1 is wanted on those nodes only, the others anywhere. */
static void commit(struct host *h, uint32_t i, int64_t now)
{
	const struct cycle_order *o = orders_get(h->cycle, i);
	uint32_t job = o->name.job;
	bool fit = job != 1 || *o->nodes == h->want;

	sprintf(h->orders + strlen(h->orders), "%u@%llx%s ", job,
		(unsigned long long)*o->nodes, fit ? "" : "?");
	h->running[job] = fit;
	h->start_us[job] = now;
	orders_done(h->cycle, i, fit ? CYCLE_STARTED : CYCLE_UNFIT, job, NULL);
}

static const char *go_round(struct host *h, int64_t now)
{
	h->orders[0] = '\0';
	cycle_begin(h->cycle, now);
	for (uint32_t j = 1; j < 3; j++) {
		const struct cycle_pending_job *w = &h->wish[j];

		if (h->listing[j] && h->running[j])
			assert_true(
				running_unchanged(h->cycle, j, 0, h->start_us[j],
						  h->start_us[j] + w->limit_us));
		else if (h->listing[j] &&
			 !waiting_unchanged(h->cycle, &w->name, w->key, NULL,
					    NULL, 0))
			assert_int_equal(waiting_add(h->cycle, w), 0);
	}
	assert_int_equal(cycle_update(h->cycle), 0);
	if (!cycle_has_news(h->cycle))
		return "-";
	do {
		uint32_t orders = orders_plan(h->cycle, now++);

		for (uint32_t i = 0; i < orders; i++)
			commit(h, i, now);
		strcat(h->orders, "| ");
	} while (orders_need_pass(h->cycle));
	return h->orders;
}

static bool see(void *arg, const struct cycle_promise *p)
{
	struct host *h = arg;

	if (p->name.job == 1)
		h->reason = p->reason;
	return true;
}

static const char *reason(struct host *h)
{
	h->reason = NULL;
	promises_list(h->cycle, 10, 10, see, h);
	return h->reason ? h->reason : "";
}

/* Two places in a row, then the rest of the queue; a second later the places
 * that were not tried; two later all of them again, then four, eight, at most
 * ten. In between nobody works. */
static void steps_aside(void **state)
{
	static const int64_t pauses[] = { 4, 8, 10, 10 };
	struct host *h = *state;
	int64_t now = FIRST;

	submit(h, 1, unit_shape("2", NULL, true));
	submit(h, 2, unit_shape("1", NULL, true));
	assert_string_equal(go_round(h, now), "1@3? 2@4 | 1@18? | | ");
	assert_non_null(
		strstr(reason(h), "Slurm refused the nodes of all places"));
	assert_in_range(cycle_retry_at(h->cycle) - now, SECOND, SECOND + 2);
	for (int i = 0; i < 3; i++)
		assert_string_equal(go_round(h, now += SECOND / 4), "-");
	assert_string_equal(go_round(h, now += SECOND / 2), "1@c0? | | ");
	assert_string_equal(go_round(h, now += SECOND), "-");
	/* the others have been tried: from the beginning */
	now += SECOND + 2; /* each pass is a microsecond later */
	assert_string_equal(go_round(h, now), "1@3? | 1@18? | | ");
	for (int i = 0; i < 4; i++) {
		assert_in_range(cycle_retry_at(h->cycle) - now,
				pauses[i] * SECOND, pauses[i] * SECOND + 2);
		assert_string_equal(go_round(h, cycle_retry_at(h->cycle) - 1),
				    "-");
		now = cycle_retry_at(h->cycle);
		assert_int_equal(go_round(h, now)[0], '1');
	}
}

/* Nodes become free: a second later it is offered places again. */
static void others_end(void **state)
{
	struct host *h = *state;
	int64_t now = FIRST;

	h->want = 0xc;
	submit(h, 2, unit_shape("4", NULL, true));
	assert_string_equal(go_round(h, now), "2@f | ");
	submit(h, 1, unit_shape("2", NULL, true));
	assert_string_equal(go_round(h, now += SECOND), "1@30? | 1@c0? | | ");
	h->listing[2] = h->running[2] = false;
	assert_string_equal(go_round(h, now += SECOND / 2), "| ");
	assert_string_equal(go_round(h, now += SECOND), "1@3? | 1@c | ");
}

/* One snapshot: job 2 runs on those nodes; job 1 waits where it is told. */
static const char *go_round_with(struct host *h, int64_t now,
				 const uint64_t *nodes)
{
	struct cycle_running_job use = {
		.job = 2,
		.start_us = h->start_us[2],
		.end_us = h->start_us[2] + 60 * SECOND,
		.nodes = nodes,
	};
	const struct cycle_pending_job *w = &h->wish[1];

	h->orders[0] = '\0';
	cycle_begin(h->cycle, now);
	if (!running_unchanged(h->cycle, 2, torus_bits_count(nodes, 1),
			       use.start_us, use.end_us))
		assert_int_equal(running_add(h->cycle, &use), 0);
	if (h->listing[1] &&
	    !waiting_unchanged(h->cycle, &w->name, w->key, NULL, NULL, 0))
		assert_int_equal(waiting_add(h->cycle, w), 0);
	assert_int_equal(cycle_update(h->cycle), 0);
	for (uint32_t i = 0, n = orders_plan(h->cycle, now); i < n; i++)
		commit(h, i, now);
	return h->orders;
}

/* A job gives nodes back, or loses them, and goes on with the others: these are
 * the next job's at once. */
static void gives_back(void **state)
{
	struct host *h = *state;
	const uint64_t all = 0xff, left = 0x0f;

	h->want = 0xc0;
	submit(h, 2, unit_shape("8", NULL, true));
	assert_string_equal(go_round(h, FIRST), "2@ff | ");
	submit(h, 1, unit_shape("2", NULL, true));
	assert_string_equal(go_round_with(h, FIRST + SECOND, &all), "");
	assert_string_equal(go_round_with(h, FIRST + 2 * SECOND, &left),
			    "1@c0 ");
}

/* One that the host does not start, and does not say why, is not ordered in
 * each cycle for ever: a few times, then once a second. */
static void not_for_ever(void **state)
{
	struct host *h = *state;
	uint32_t orders = 0;
	int64_t now = FIRST;

	submit(h, 1, unit_shape("2", NULL, true));
	for (int i = 0; i < 150; i++, now += SECOND / 50) {
		cycle_begin(h->cycle, now);
		if (!waiting_unchanged(h->cycle, &h->wish[1].name,
				       h->wish[1].key, NULL, NULL, 0))
			waiting_add(h->cycle, &h->wish[1]);
		assert_int_equal(cycle_update(h->cycle), 0);
		for (uint32_t n = orders_plan(h->cycle, now); n > 0; n--) {
			orders_done(h->cycle, n - 1, CYCLE_LATER, 1, NULL);
			orders++;
		}
		orders_plan(h->cycle, now + 1); /* its nodes are others' */
		assert_in_range(cycle_retry_at(h->cycle), now, now + SECOND);
	}
	assert_in_range(orders, 4, 6);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define MANY 1000 /* on each half of the machine */
#define HALF 4    /* words */

/* A thousand jobs whose nodes are all out of service, a thousand that wait for
 * others to end: the former step aside together, not by a pass each, which
 * would take seconds. */
static void many_step_aside(void **state)
{
	static const uint64_t low[2 * HALF] = { ~UINT64_C(0), ~UINT64_C(0),
						~UINT64_C(0), ~UINT64_C(0) };
	static const uint64_t high[2 * HALF] = {
		0,           0, 0, 0, ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0),
		~UINT64_C(0)
	};
	struct torus_machine m = unit_machine("8x8x8", "submesh");
	struct torus_scheduler_settings settings;
	const uint64_t *here, *there;
	struct cycle *c;
	double began;

	(void)state;
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("conservative");
	c = cycle_create(&m, &settings, 2, NULL);
	assert_non_null(c);
	cycle_begin(c, FIRST);
	assert_int_equal(node_sets_add(c, low, &here), 0);
	assert_int_equal(node_sets_add(c, high, &there), 0);
	untracked_add(c, low, FIRST + 3600 * SECOND);
	cycle_set_out(c, high);
	for (uint32_t j = 1; j <= 2 * MANY; j++) {
		struct torus_alternative alternative = {
			.ask = unit_shape(j % 2 ? "2x2" : "3x2x1", NULL, true)
		};
		struct cycle_pending_job w = {
			.name = { .job = j },
			.key = j,
			.eligible_us = FIRST,
			.limit_us = (60 + j % 60) * SECOND,
			.deadline_us = TORUS_NO_TIME,
			.allowed = j <= MANY ? there : here,
			.request = { .alternative = &alternative,
				     .alternatives = 1,
				     .rotate = true },
		};

		assert_int_equal(waiting_add(c, &w), 0);
	}
	assert_int_equal(cycle_update(c), 0);
	began = cpu_seconds();
	assert_int_equal(orders_plan(c, FIRST), 0);
	assert_true(cpu_seconds() - began < 1);
	assert_int_equal(cycle_queued(c), MANY);
	cycle_destroy(c);
	torus_machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_step_aside),
		cmocka_unit_test_setup_teardown(not_for_ever, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gives_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(steps_aside, set_up, tear_down),
		cmocka_unit_test_setup_teardown(others_end, set_up, tear_down),
	};

	return UNIT_RUN(tests);
}
