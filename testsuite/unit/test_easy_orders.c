/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EASY's options queue_order, backfill_order, bound and overtake on a flat machine,
 * against the definition written down once more: each pass sorts all waiting jobs,
 * starts the first ones that fit, and offers the others places in the second order.
 */
#include "scheduling.h"

#define JOBS 70
#define NODES 16
#define LAST 1500

#define USERS 4
#define ORDERS 6

static const char *const orders[ORDERS] = { "fcfs", "sjf",  "saf",
					    "lqf",  "wfp3", "fairshare" };
static const struct torus_job_owner owners[USERS] = {
	{ .user = "ada" },
	{ .user = "bob", .account = "x" },
	{ .account = "x" },
	{ .user = "" },
};

struct naive_job {
	int64_t submit, limit, run, nodes, user;
	int64_t start; /* -1: not yet */
};

struct naive {
	struct naive_job job[JOBS];
	int order[2];      /* of the queue, of backfilling */
	int64_t bound;     /* -1: none */
	int64_t half_life; /* 0: none */
	bool before_start;
	bool by_count; /* the same on a machine without topology */
};

static uint32_t draw(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((*seed >> 33) % n);
}

static void naive_draw(struct naive *n, uint64_t *seed)
{
	int64_t at = 0;

	for (int i = 0; i < JOBS; i++) {
		at += draw(seed, 3) ? 0 : draw(seed, 30);
		n->job[i] = (struct naive_job){
			.submit = at,
			.limit = 1 + draw(seed, draw(seed, 3) ? 20 : 200),
			.nodes = 1 + draw(seed, draw(seed, 3) ? 4 : NODES),
			.user = draw(seed, USERS),
			.start = -1,
		};
		n->job[i].run = 1 + draw(seed, (uint32_t)n->job[i].limit);
	}
}

/* 2^-x: a series for a 64th, squared. */
static double naive_halved(double x)
{
	double part = -x * 0.69314718055994530942 / 64, term = 1, sum = 1;

	for (int i = 1; i < 20; i++) {
		term *= part / i;
		sum += term;
	}
	for (int i = 0; i < 6; i++)
		sum *= sum;
	return sum;
}

/* The node seconds of a user, each halved once in a half-life since. */
static double naive_used(const struct naive *n, int64_t user, int64_t now)
{
	double half = (double)n->half_life, sum = 0;

	for (int i = 0; i < JOBS; i++) {
		const struct naive_job *j = &n->job[i];
		int64_t end = j->start + j->run < now ? j->start + j->run : now;

		if (j->start < 0 || j->user != user)
			continue;
		sum += (double)j->nodes *
		       (n->half_life ?
				half / 0.69314718055994530942 *
					(naive_halved((double)(now - end) /
						      half) -
					 naive_halved((double)(now - j->start) /
						      half)) :
				(double)(end - j->start));
	}
	return (double)(int64_t)(sum * 1e6 + 0.5);
}

static double naive_key(const struct naive *n, const struct naive_job *j,
			int order, int64_t now)
{
	double ratio = (double)(now - j->submit) / (double)j->limit;

	switch (order) {
	case 1:
		return (double)j->limit;
	case 2:
		return (double)(j->limit * j->nodes);
	case 3:
		return (double)-j->nodes;
	case 4:
		return -(ratio * ratio * ratio * (double)j->nodes);
	case 5:
		return naive_used(n, j->user, now);
	}
	return 0;
}

/* The next waiting job after those in `done`, or -1. */
static int naive_next(const struct naive *n, int order, const bool *done,
		      int64_t now)
{
	int best = -1;
	bool best_over = false;

	for (int i = 0; i < JOBS; i++) {
		const struct naive_job *j = &n->job[i];
		bool over = n->bound >= 0 && now - j->submit > n->bound;

		if (j->submit > now || j->start >= 0 || done[i])
			continue;
		if (best < 0 || (over && !best_over) ||
		    (!over && !best_over &&
		     naive_key(n, j, order, now) <
			     naive_key(n, &n->job[best], order, now))) {
			best = i;
			best_over = over;
		}
	}
	return best;
}

static int64_t naive_free(const struct naive *n, int64_t now, int64_t at)
{
	int64_t nodes = NODES;

	for (int i = 0; i < JOBS; i++) {
		const struct naive_job *j = &n->job[i];

		if (j->start >= 0 && j->start + j->run > now &&
		    (at == now || j->start + j->limit > at))
			nodes -= j->nodes;
	}
	return nodes;
}

static void naive_pass(struct naive *n, int64_t now)
{
	bool done[JOBS] = { false };
	int64_t shadow = now, spare;
	int head, i;

	while ((head = naive_next(n, n->order[0], done, now)) >= 0 &&
	       n->job[head].nodes <= naive_free(n, now, now))
		n->job[head].start = now;
	if (head < 0)
		return;
	while (naive_free(n, now, shadow) < n->job[head].nodes)
		shadow++;
	spare = naive_free(n, now, shadow) - n->job[head].nodes;
	done[head] = true;
	while ((i = naive_next(n, n->order[1], done, now)) >= 0) {
		struct naive_job *j = &n->job[i];
		bool late = now + j->limit > shadow;

		done[i] = true;
		if (j->nodes > naive_free(n, now, now) ||
		    (late && (n->before_start || j->nodes > spare)))
			continue;
		j->start = now;
		spare -= late ? j->nodes : 0;
	}
}

static void set(struct world *w, const char *key, const char *value)
{
	assert_int_equal(torus_options_set(&w->settings.options, key, value), 0);
}

static struct world *world_for(const struct naive *n, uint32_t index_at)
{
	struct world *w = create("flat:16", "flat", "easy");
	char bound[32], half_life[32];

	set(w, "queue_order", orders[n->order[0]]);
	set(w, "backfill_order", orders[n->order[1]]);
	snprintf(bound, sizeof(bound), "%llds", (long long)n->bound);
	set(w, "bound", n->bound < 0 ? "none" : bound);
	snprintf(half_life, sizeof(half_life), "%llds", (long long)n->half_life);
	set(w, "half_life", n->half_life ? half_life : "none");
	set(w, "overtake",
	    n->by_count     ? "before-count" :
	    n->before_start ? "before-start" :
			      "shadow");
	w->settings.index_at = index_at;
	configure(w);
	return w;
}

/* Both schedule the same jobs; times in seconds, the scheduler's in microseconds. */
static void compare(struct naive *n, uint32_t index_at)
{
	struct world *w = world_for(n, index_at);
	char nodes[16];
	int next = 0;

	for (int64_t now = 0; now < LAST; now++) {
		bool event = false;

		for (int i = 0; i < next; i++) {
			if (w->job[i].state == TORUS_JOB_RUNNING &&
			    n->job[i].start + n->job[i].run == now) {
				torus_scheduler_end(w->scheduler, &w->job[i],
						    now * 1000000);
				event = true;
			}
		}
		for (; next < JOBS && n->job[next].submit == now; next++) {
			snprintf(nodes, sizeof(nodes), "%d",
				 (int)n->job[next].nodes);
			w->job[next].owner = &owners[n->job[next].user];
			submit(w, nodes, n->job[next].limit * 1000000,
			       now * 1000000);
			event = true;
		}
		if (!event)
			continue;
		pass(w, now * 1000000);
		naive_pass(n, now);
		for (int i = 0; i < next; i++) {
			int64_t start = w->job[i].state == TORUS_JOB_QUEUED ?
						-1 :
						w->job[i].start_us / 1000000;

			if (start != n->job[i].start)
				fail_msg("%s/%s bound %lld%s, index at %u: job %d at %lld starts at %lld, expected %lld",
					 orders[n->order[0]],
					 orders[n->order[1]],
					 (long long)n->bound,
					 n->before_start ? " before-start" : "",
					 index_at, i, (long long)now,
					 (long long)start,
					 (long long)n->job[i].start);
		}
	}
	destroy(w);
}

static void each_pair_of_orders_decides_as_its_definition(void **state)
{
	static const uint32_t index_at[] = { 0, 2, 16 };
	uint64_t seed = 1;

	(void)state;
	for (int k = 0; k < ORDERS * ORDERS * 2 * 2 * 3; k++) {
		struct naive n = {
			.order = { k % ORDERS, k / ORDERS % ORDERS },
			.before_start = k / 36 % 2,
			.by_count = k / 36 % 2 && k % 2,
			.bound = k / 72 % 2 ? 40 : -1,
			.half_life = k / 144 % 3 * 50,
		}, again;

		naive_draw(&n, &seed);
		for (uint32_t i = 0; i < 3; i++) {
			again = n;
			compare(&again, index_at[i]);
		}
	}
}

/* A job that would end after the head's start, in nodes that the head does not need:
 * with a reservation of its own, too, it may only overtake by the shadow time. */
static void before_start_holds_for_jobs_with_reservations(void **state)
{
	static const char *const overtake[] = { "shadow", "before-start" };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct world *w = create("flat:16", "flat", "easy");
		struct torus_job *late;

		set(w, "overtake", overtake[i % 2]);
		w->settings.reservations = 1 + i / 2;
		configure(w);
		submit(w, "10", 10, 0);
		submit(w, "12", 10, 0);
		late = submit(w, "2", 100, 0);
		pass(w, 0);
		assert_int_equal(late->state,
				 i % 2 ? TORUS_JOB_QUEUED : TORUS_JOB_RUNNING);
		destroy(w);
	}
}

/* A row of 8, jobs on [0..1] to 10 and [4..5] to 30: six nodes are free at 10, but
 * five in a row only at 30. */
static void before_count_does_not_ask_for_places(void **state)
{
	static const char *const overtake[] = { "before-start", "before-count" };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct world *w = create("8:M", "submesh", "easy");
		struct torus_job *head, *later[2];

		set(w, "overtake", overtake[i]);
		configure(w);
		hold(w, "0+2", 10);
		hold(w, "4+2", 30);
		head = submit(w, "5", 10, 0);
		later[0] = submit(w, "1", 20, 0);
		later[1] = submit(w, "1", 10, 0);
		pass(w, 0);
		assert_int_equal(head->state, TORUS_JOB_QUEUED);
		assert_int_equal(head->start_us, 30);
		assert_int_equal(later[0]->state,
				 i ? TORUS_JOB_QUEUED : TORUS_JOB_RUNNING);
		assert_int_equal(later[1]->state, TORUS_JOB_RUNNING);
		destroy(w);
	}
}

/* Rows 2 and 3 of a 4x4 are free, and of 2x2 each late one delays the head. The short ones
 * of that class pass all the same, in the pass that refuses it and in the next. */
static void short_jobs_of_a_refused_class_start(void **state)
{
	static const char *const orders_of_age[] = { "wfp3", "fairshare" };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct world *w = create("4x4", "submesh", "easy");
		struct torus_job *job[8];

		set(w, "backfill_order", orders_of_age[i]);
		w->settings.index_at = 1;
		configure(w);
		hold(w, "0,0+4x2", 10);
		submit(w, "4x3", 10, 0);
		for (uint32_t k = 0; k < 7; k++)
			job[k] = submit(w, "2x2", k == 5 ? 10 : 20, 0);
		pass(w, 0);
		job[7] = submit(w, "2x2", 9, 1);
		pass(w, 1);
		for (uint32_t k = 0; k < 8; k++)
			assert_int_equal(job[k]->state,
					 k == 5 || k == 7 ? TORUS_JOB_RUNNING :
							    TORUS_JOB_QUEUED);
		destroy(w);
	}
}

/* A row of 10, [1..2] held to 10: a late job on [3..4] delays the head. Behind one that starts
 * on [3..7], the next of its class gets [8..9] in the same pass. */
static void a_refusal_ends_with_the_next_start(void **state)
{
	(void)state;
	for (uint32_t other = 1; other < 15; other++) {
		struct world *w = create("10:M", "submesh", "easy");
		struct torus_job *job[16];

		set(w, "backfill_order", "wfp3");
		w->settings.index_at = 1;
		configure(w);
		hold(w, "1+2", 10);
		submit(w, "8", 10, 0);
		for (uint32_t k = 0; k < 16; k++)
			job[k] = submit(w, k == other ? "5" : "2",
					k == other ? 10 : 20, 0);
		pass(w, 0);
		for (uint32_t k = 0; k < 16; k++)
			assert_int_equal(job[k]->state,
					 k == other || k == other + 1 ?
						 TORUS_JOB_RUNNING :
						 TORUS_JOB_QUEUED);
		destroy(w);
	}
}

/* A policy whose rank() takes a unit of time per job. */
static int64_t rank_clock;

static int64_t slow_rank(void *self, const struct torus_job *job, int64_t now_us)
{
	(void)self;
	(void)now_us;
	rank_clock++;
	return -(int64_t)job->id;
}

static bool slow_over(void *arg, uint32_t budgets)
{
	return (rank_clock - *(const int64_t *)arg) / budgets >= 10;
}

static const struct torus_discipline slow = { .name = "slow",
					      .rank = slow_rank };

static void a_slow_policy_ends_by_the_budget_and_decides_later(void **state)
{
	struct world *w = create("flat:16", "flat", "easy");
	struct torus_discipline own;
	int64_t began = 0;
	const struct torus_pass_limit limit = { .over = slow_over,
						.arg = &began };
	int passes = 0;

	(void)state;
	w->settings.discipline = torus_policy_easy(&slow, &own);
	configure(w);
	torus_scheduler_pass_limit(w->scheduler, &limit);
	for (int i = 0; i < 64; i++)
		submit(w, "16", 10, 0);
	for (const char *started = ""; !*started; passes++) {
		assert_true(passes < 8);
		began = rank_clock;
		started = pass(w, passes);
		assert_true(rank_clock - began <= 20 << passes);
		if (!*started) { /* it was cut before the first job */
			assert_int_equal(torus_scheduler_cut(w->scheduler)->steps,
					 0);
			assert_int_equal(torus_scheduler_cut(w->scheduler)->left,
					 64);
			assert_true(w->wake <= passes + TORUS_GO_ON_US);
		} else {
			assert_string_equal(started, "63");
		}
	}
	assert_true(passes > 1);
	destroy(w);
}

/* A rank of one's own that ages, with and without a bound for searches. */
static int64_t ageing_rank(void *self, const struct torus_job *job,
			   int64_t now_us)
{
	(void)self;
	return -((now_us - job->submit_us) * 100 / job->limit_us);
}

static int64_t ageing_least(void *self, const struct torus_rank_range *range,
			    int64_t now_us)
{
	(void)self;
	return -((now_us - range->submit_us) * 100 / range->limit_us);
}

/* Run the jobs; started[] gets when each starts, -1 if it does not. */
static void drive(const struct naive *n, const struct torus_discipline *own,
		  int64_t *started)
{
	struct world *w = create("flat:16", "flat", "easy");
	char nodes[16];
	int next = 0;

	w->settings.discipline = own;
	w->settings.index_at = 2;
	configure(w);
	for (int64_t now = 0; now < LAST; now++) {
		for (int i = 0; i < next; i++)
			if (w->job[i].state == TORUS_JOB_RUNNING &&
			    w->job[i].start_us / 1000000 + n->job[i].run == now)
				torus_scheduler_end(w->scheduler, &w->job[i],
						    now * 1000000);
		for (; next < JOBS && n->job[next].submit == now; next++) {
			snprintf(nodes, sizeof(nodes), "%d",
				 (int)n->job[next].nodes);
			submit(w, nodes, n->job[next].limit * 1000000,
			       now * 1000000);
		}
		pass(w, now * 1000000);
	}
	for (int i = 0; i < JOBS; i++)
		started[i] = w->job[i].state == TORUS_JOB_QUEUED ?
				     -1 :
				     w->job[i].start_us;
	destroy(w);
}

static void a_bound_on_ranks_of_ones_own_changes_no_schedule(void **state)
{
	struct torus_discipline aged = { .name = "aged", .rank = ageing_rank },
				sorted, searched;
	int64_t started[2][JOBS];
	uint64_t seed = 5;

	(void)state;
	torus_policy_easy(&aged, &sorted);
	aged.rank_least = ageing_least;
	torus_policy_easy(&aged, &searched);
	for (int k = 0; k < 20; k++) {
		struct naive n = { 0 };

		naive_draw(&n, &seed);
		drive(&n, &sorted, started[0]);
		drive(&n, &searched, started[1]);
		assert_memory_equal(started[0], started[1], sizeof(started[0]));
	}
}

static void wrong_options_are_refused_with_what_was_expected(void **state)
{
	static const char *const wrong[][3] = {
		{ "queue_order", "shortest", "fcfs|sjf|saf|lqf|wfp3|fairshare" },
		{ "half_life", "-1s", "none|DURATION" },
		{ "bound", "20x", "none|DURATION" },
		{ "overtake", "never", "shadow|before-start|before-count" },
		{ "order", "sjf", "queue_order, backfill_order, bound" },
	};
	struct world *w = create("flat:16", "flat", "easy");

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct torus_error err = { 0 };

		w->settings.options.used = 0;
		set(w, wrong[i][0], wrong[i][1]);
		assert_null(torus_scheduler_create(w->s, &w->settings, &err));
		assert_non_null(strstr(err.text, wrong[i][2]));
	}
	destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pair_of_orders_decides_as_its_definition),
		cmocka_unit_test(before_start_holds_for_jobs_with_reservations),
		cmocka_unit_test(before_count_does_not_ask_for_places),
		cmocka_unit_test(short_jobs_of_a_refused_class_start),
		cmocka_unit_test(a_refusal_ends_with_the_next_start),
		cmocka_unit_test(
			a_slow_policy_ends_by_the_budget_and_decides_later),
		cmocka_unit_test(
			a_bound_on_ranks_of_ones_own_changes_no_schedule),
		cmocka_unit_test(
			wrong_options_are_refused_with_what_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
