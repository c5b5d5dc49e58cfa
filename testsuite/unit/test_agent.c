/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread of sched/torus with another host than slurmctld: jobs come and go
 * from several threads while it takes snapshots, plans and starts jobs. Made
 * for ThreadSanitizer (--enable-sanitizer=thread); without it, it still sees
 * jobs start on disjoint nodes, all of them in the end, and the thread stop.
 */
#include "live/orders.h"
#include "live/mirror/waiting.h"
#include "agent_host.h"
#include "unit.h"

#include "live/agent.h"
#include "torus/discipline.h"

#define JOBS 250
#define SUBMITTERS 3
#define NODES 64

enum state {
	UNBORN,
	PENDING,
	RUNNING,
	ENDED
};

struct job {
	enum state state;
	int64_t start_us, end_us;
	uint64_t nodes;
	struct cycle_pending_job pending;
	struct torus_alternative alternative;
};

struct host {
	pthread_mutex_t lock; /* the jobs */
	struct torus_machine m;
	struct torus_scheduler_settings settings;
	struct cycle *cycle;
	struct agent *agent;
	struct job job[JOBS];
	uint32_t next; /* unborn */
	uint64_t changes;
	uint64_t seen; /* the thread's own */
	uint32_t listing, ended, failed;
	struct agent_counts counts; /* of the thread, under the lock */
};

static bool changed(void *arg, bool *soon)
{
	struct host *h = arg;
	bool yes;

	take(h);
	yes = h->changes != h->seen;
	give(h);
	*soon = true;
	return yes;
}

static struct cycle *snapshot(void *arg, struct agent *a)
{
	struct host *h = arg;

	h->seen = h->changes;
	cycle_begin(h->cycle, agent_now(a));
	for (uint32_t i = 0; i < h->next; i++) {
		struct job *j = &h->job[i];
		struct cycle_running_job use = {
			.job = i + 1,
			.start_us = j->start_us,
			.end_us = j->start_us + j->pending.limit_us,
			.nodes = &j->nodes,
		};

		if (j->state == RUNNING &&
		    !running_unchanged(h->cycle, use.job,
				       torus_bits_count(&j->nodes, 1),
				       use.start_us, use.end_us))
			assert_int_equal(running_add(h->cycle, &use), 0);
		if (j->state == PENDING &&
		    !waiting_unchanged(h->cycle, &j->pending.name,
				       j->pending.key, NULL, NULL, 0))
			assert_int_equal(waiting_add(h->cycle, &j->pending), 0);
		if (i % 32 == 31)
			agent_yield_locks(a);
	}
	return h->cycle;
}

static void updated(void *arg, struct cycle *c)
{
	struct torus_error err = { 0 };

	(void)arg;
	if (!cycle_check(c, &err))
		fail_msg("%s", err.text);
}

static enum cycle_result commit(void *arg, const struct cycle_order *o,
				uint32_t *job, const uint64_t **unfit)
{
	struct host *h = arg;
	struct job *j = &h->job[o->name.job - 1];

	*job = o->name.job;
	*unfit = NULL;
	if (j->state != PENDING)
		return CYCLE_LATER; /* cancelled since */
	for (uint32_t i = 0; i < h->next; i++) {
		if (h->job[i].state == RUNNING && h->job[i].nodes & *o->nodes)
			return CYCLE_LATER;
	}
	if (h->failed < 20 && o->name.job % 16 == 0) {
		h->failed++;
		return CYCLE_UNFIT;
	}
	j->state = RUNNING;
	j->nodes = *o->nodes;
	j->start_us = now_us(h);
	j->end_us = j->start_us + o->name.job % 7 * 1000;
	return CYCLE_STARTED;
}

static void look(void *arg, struct cycle *c)
{
	(void)arg;
	(void)c;
}

static void tell(void *arg, struct agent *a)
{
	struct host *h = arg;

	agent_yield_locks(a);
	h->listing++;
}

static void ended(void *arg, struct cycle *c, const struct agent_counts *counts)
{
	struct host *h = arg;

	(void)c;
	assert_true(counts->lock_holds > 0);
	take(h);
	h->counts = *counts;
	give(h);
}

static const struct agent_host functions = {
	.now = now_us,
	.lock = take,
	.unlock = give,
	.changed = changed,
	.snapshot = snapshot,
	.updated = updated,
	.commit = commit,
	.forecast = look,
	.publish = tell,
	.ended = ended,
};

/* The rest of the world: submits, ends, cancels. */
static void *submitter(void *arg)
{
	struct host *h = arg;
	bool more = true;

	while (more) {
		take(h);
		more = h->next < JOBS;
		if (more) {
			struct job *j = &h->job[h->next++];

			j->state = PENDING;
			h->changes++;
		}
		give(h);
		agent_wake(h->agent);
		nap(300);
	}
	return NULL;
}

static void *reaper(void *arg)
{
	struct host *h = arg;
	uint32_t over = 0;

	while (over < JOBS) {
		int64_t now = now_us(h);

		over = 0;
		take(h);
		for (uint32_t i = 0; i < h->next; i++) {
			struct job *j = &h->job[i];

			if ((j->state == RUNNING && j->end_us <= now) ||
			    (j->state == PENDING && i % 29 == 28)) {
				j->state = ENDED;
				h->changes++;
			}
			over += j->state == ENDED;
		}
		h->ended = over;
		give(h);
		agent_wake(h->agent);
		nap(500);
	}
	return NULL;
}

static void make_jobs(struct host *h)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		struct cycle_pending_job *w = &h->job[i].pending;

		w->name.job = w->key = i + 1;
		w->eligible_us = i * INT64_C(1000000);
		w->limit_us = 60 * INT64_C(1000000);
		w->deadline_us = TORUS_NO_TIME;
		w->request.alternative = &h->job[i].alternative;
		w->request.alternatives = 1;
		w->request.alternative[0].ask =
			i % 3 ? unit_shape(i % 2 ? "2x2x2" : "4x2x1", NULL,
					   true) :
				unit_count(1 + i % 17, 'N');
	}
}

static struct host *host_create(const char *discipline)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	pthread_mutex_init(&h->lock, NULL);
	h->m = unit_machine("4x4x4", "submesh");
	torus_scheduler_defaults(&h->settings);
	h->settings.discipline = torus_discipline_find(discipline);
	h->cycle = cycle_create(&h->m, &h->settings, 4, NULL);
	assert_non_null(h->cycle);
	make_jobs(h);
	return h;
}

static void host_destroy(struct host *h)
{
	cycle_destroy(h->cycle);
	torus_machine_free(&h->m);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

static void play(const char *discipline)
{
	struct host *h = host_create(discipline);
	pthread_t thread[SUBMITTERS + 1];

	h->agent = agent_create(&functions, h);
	assert_non_null(h->agent);
	for (int i = 0; i < SUBMITTERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, submitter, h),
				 0);
	assert_int_equal(pthread_create(&thread[SUBMITTERS], NULL, reaper, h),
			 0);
	for (int i = 0; i <= SUBMITTERS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(h->ended, JOBS);
	agent_destroy(h->agent);
	assert_true(h->counts.cycles > 0);
	host_destroy(h);
}

static void fcfs_cycles_start_jobs_in_order(void **state)
{
	(void)state;
	play("fcfs");
}

static void easy_cycles_backfill_beside_the_head(void **state)
{
	(void)state;
	play("easy");
}

static void conservative_cycles_keep_all_promises(void **state)
{
	(void)state;
	play("conservative");
}

/* It ends at once though nothing has happened, and in the middle of things. */
static void stopping_ends_the_thread_at_any_moment(void **state)
{
	struct host *h = host_create("easy");

	(void)state;
	for (int i = 0; i < 20; i++) {
		h->agent = agent_create(&functions, h);
		assert_non_null(h->agent);
		agent_wake(h->agent);
		nap(i * 2000);
		agent_destroy(h->agent);
		h->changes++;
	}
	host_destroy(h);
	agent_destroy(NULL);
	cycle_destroy(NULL);
}

/* A host that takes long to look at its jobs, and then longer at a stretch than
 * it may: sleeps, so that other work of the machine does not matter. */

#define LOOKS 20
#define LOOK_US 1000
#define LONG_US 150000 /* longer than a busy machine keeps a thread waiting */

static bool always(void *arg, bool *soon)
{
	(void)arg;
	*soon = true;
	return true;
}

static struct cycle *slow_snapshot(void *arg, struct agent *a)
{
	struct host *h = arg;

	cycle_begin(h->cycle, agent_now(a));
	for (int i = 0; i < LOOKS && !agent_stopping(a); i++) {
		nap(LOOK_US);
		agent_yield_locks(a);
	}
	return h->cycle;
}

static void slow_tell(void *arg, struct agent *a)
{
	struct host *h = arg;

	if (h->listing++ == 0) {
		agent_step(a, "a long step");
		nap(LONG_US);
	}
	agent_step(a, "a short one");
}

static const struct agent_host slow = {
	.now = now_us,
	.lock = take,
	.unlock = give,
	.changed = always,
	.snapshot = slow_snapshot,
	.updated = updated,
	.commit = commit,
	.forecast = look,
	.publish = slow_tell,
	.ended = ended,
};

static void check_slow(const struct agent_counts *n, int64_t us)
{
	const struct agent_cycle *l = &n->longest;

	assert_true(n->cycles > 1);
	/* the locks are lent back, and left alone */
	assert_true(n->lock_holds / n->cycles >=
		    LOOKS * LOOK_US / AGENT_LOCK_HOLD_US / 2);
	if (n->locked_us < 300000) /* else sleeps took much too long, too */
		assert_true(n->locked_us * 3 < us);
	/* one stretch was too long, and it is known why */
	assert_true(n->long_lock_holds > 0);
	assert_true(n->lock_hold_max.us >= LONG_US);
	assert_non_null(n->lock_hold_max.step);
	assert_string_equal(n->lock_hold_max.step, "a long step");
	assert_true(n->lock_hold_max.step_us >= LONG_US);
	assert_true(n->lock_hold_max.cpu_us < LONG_US);
	/* the parts of the longest cycle */
	assert_true(l->snapshot_us >= LOOKS * LOOK_US);
	assert_true(l->wait_us >= AGENT_LOCK_HOLD_US);
	assert_true(l->snapshot_us + l->publish_us == l->locked_us);
	assert_true(l->us >= l->locked_us + l->wait_us + l->plan_us);
}

static void slow_cycles_leave_the_host_its_share_of_time(void **state)
{
	struct host *h = host_create("easy");
	struct agent_counts counts = { 0 };
	int64_t began = now_us(NULL);

	(void)state;
	h->agent = agent_create(&slow, h);
	assert_non_null(h->agent);
	for (int i = 0; i < 200 && counts.cycles < 3; i++) {
		agent_wake(h->agent);
		nap(50000);
		take(h);
		counts = h->counts;
		give(h);
	}
	check_slow(&counts, now_us(NULL) - began);
	agent_destroy(h->agent);
	host_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fcfs_cycles_start_jobs_in_order),
		cmocka_unit_test(easy_cycles_backfill_beside_the_head),
		cmocka_unit_test(conservative_cycles_keep_all_promises),
		cmocka_unit_test(stopping_ends_the_thread_at_any_moment),
		cmocka_unit_test(slow_cycles_leave_the_host_its_share_of_time),
	};

	return UNIT_RUN(tests);
}
