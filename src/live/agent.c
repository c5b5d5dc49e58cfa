/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread of agent.h. The pause between two cycles is at least GAP_US, at least the
 * length of the latest cycle, and at least LOCK_PAUSE_FACTOR times (up to PAUSE_MAX_US)
 * the time that it held the host's locks. So under any load the host has half of the time,
 * and most of the time its locks, to itself. Within a cycle each lock hold is
 * followed by a pause of the same length. A host that dates a change only to the
 * second reports "changed" for that second; such cycles come at POLL_US.
 */
#include "live/base/lock_hold.h"
#include "live/cycle.h"
#include "live/orders.h"
#include "live/agent.h"
#include "live/sharing.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "torus/alloc.h"

#define GAP_US INT64_C(20000)
#define SOON_US INT64_C(100000)
#define POLL_US INT64_C(250000)
#define TICK_US INT64_C(1000)
#define LOCK_PAUSE_FACTOR                                                      \
	5 /* pause between cycles, in multiples of the time with locks */
#define PAUSE_MAX_US INT64_C(500000)
#define NO_MEMORY_US INT64_C(1000000) /* until the next try */

struct agent {
	const struct agent_host *host;
	void *arg;
	pthread_t thread;
	bool threaded; /* false: the caller runs the cycles */
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	atomic_bool stop; /* set under mutex */
	bool woken;       /* under mutex */

	int64_t pass_began_us, pass_budget_us; /* its own clock; 0: no limit */

	/* the thread's own */
	struct agent_counts mine;
	struct lock_hold_clock clock;
	int64_t wake_at_us;  /* the host's clock */
	struct cycle *cycle; /* of the latest snapshot */
};

static void pause_us(int64_t us)
{
	struct timespec t = { .tv_sec = us / 1000000,
			      .tv_nsec = us % 1000000 * 1000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Locks */

static void agent_lock(struct agent *a)
{
	lock_hold_ask(&a->clock);
	a->host->lock(a->arg);
	lock_hold_begin(&a->clock);
}

static void agent_note_cycle(int64_t us, int64_t *max)
{
	if (us > *max)
		*max = us;
}

static void agent_unlock(struct agent *a)
{
	const struct lock_hold *s = &a->clock.now;
	struct agent_counts *n = &a->mine;

	lock_hold_end(&a->clock);
	a->host->unlock(a->arg);
	n->lock_holds++;
	n->long_lock_holds += s->us > AGENT_LOCK_HOLD_MAX_US;
	n->locked_us += s->us;
	n->latest.locked_us += s->us;
	n->latest.wait_us += s->waited_us;
	agent_note_cycle(s->waited_us, &n->wait_max_us);
	if (s->us > n->lock_hold_max.us)
		n->lock_hold_max = *s;
	if (s->cpu_us > n->lock_hold_work.cpu_us)
		n->lock_hold_work = *s;
}

bool agent_yield_locks(struct agent *a)
{
	int64_t us = lock_hold_clock_us() - a->clock.began_us;

	if (us < AGENT_LOCK_HOLD_US)
		return false;
	agent_unlock(a);
	pause_us(AGENT_LOCK_HOLD_US);
	a->mine.latest.wait_us += AGENT_LOCK_HOLD_US;
	agent_lock(a);
	return true;
}

void agent_step(struct agent *a, const char *step)
{
	lock_hold_step(&a->clock, step);
}

bool agent_stopping(struct agent *a)
{
	return atomic_load(&a->stop);
}

int64_t agent_now(const struct agent *a)
{
	return a->mine.at_us;
}

int64_t agent_wakes_at(const struct agent *a)
{
	return a->wake_at_us;
}

void agent_wake_at(struct agent *a, int64_t at_us)
{
	if (at_us < a->wake_at_us)
		a->wake_at_us = at_us;
}

/* A cycle */

/* Start an order's job beside others if possible, instead of on idle nodes. */
static bool join_first(struct agent *a, struct cycle *c, uint32_t i)
{
	struct cycle_guest g;
	bool joined;

	if (!a->host->join || !sharing_order(c, i, a->host->now(a->arg), &g))
		return false;
	joined = a->host->join(a->arg, &g);
	sharing_done(c, &g, joined);
	return joined;
}

/* Carry out the orders of the latest pass. */
static void agent_commit(struct agent *a, struct cycle *c, uint32_t orders)
{
	for (uint32_t i = 0; i < orders; i++) {
		const struct cycle_order *o = orders_get(c, i);
		enum cycle_result result = CYCLE_LATER;
		const uint64_t *unfit = NULL;
		int64_t began_us = lock_hold_clock_us();
		uint32_t job = o->name.job;

		agent_step(a, "an order");
		if (!agent_stopping(a))
			result = join_first(a, c, i) ?
					 CYCLE_JOINED :
					 a->host->commit(a->arg, o, &job,
							 &unfit);
		a->mine.latest.commit_us += lock_hold_clock_us() - began_us;
		a->mine.latest.orders++;
		a->mine.orders++;
		a->mine.started += result == CYCLE_STARTED;
		a->mine.unfit += result == CYCLE_UNFIT;
		a->mine.later += result == CYCLE_LATER || result == CYCLE_NEVER;
		a->mine.joined += result == CYCLE_JOINED;
		orders_done(c, i, result, job, unfit);
		agent_yield_locks(a);
	}
}

/* Return true if the pass must end: it has taken so many times its budget. */
static bool agent_pass_over(void *arg, uint32_t budgets)
{
	struct agent *a = arg;

	return agent_stopping(a) ||
	       (a->pass_budget_us &&
		(lock_hold_clock_us() - a->pass_began_us) / budgets >=
			a->pass_budget_us);
}

static uint32_t agent_plan(struct agent *a, struct cycle *c, int64_t now_us)
{
	const struct torus_pass_limit limit = { .over = agent_pass_over,
						.arg = a };
	int64_t began_us = lock_hold_clock_us();
	uint32_t orders;

	a->pass_began_us = began_us;
	a->pass_budget_us = cycle_budget_us(c);
	cycle_limit(c, &limit);
	orders = orders_plan(c, now_us);
	a->mine.latest.plan_us += lock_hold_clock_us() - began_us;
	a->mine.left = cycle_left(c);
	a->mine.cut += a->mine.left > 0;
	return orders;
}

/* Start waiting jobs beside others. */
static void agent_join_all(struct agent *a, struct cycle *c)
{
	int64_t began_us = lock_hold_clock_us();
	struct cycle_guest g;
	uint32_t asked = 0;
	bool more;

	sharing_start(c, a->host->now(a->arg));
	if (!a->host->join)
		return;
	do
		more = sharing_next(c, &g);
	while (more && !g.entry && !agent_stopping(a));
	if (!more)
		return;
	agent_lock(a);
	while (more && !agent_stopping(a)) {
		if (g.entry) {
			bool joined;

			agent_step(a, "starting a job beside others");
			joined = sharing_renew(c, a->host->now(a->arg), &g) &&
				 a->host->join(a->arg, &g);
			a->mine.joined += joined;
			sharing_done(c, &g, joined);
			asked++;
		}
		agent_yield_locks(a);
		more = asked < AGENT_GUESTS && sharing_next(c, &g);
	}
	agent_unlock(a);
	a->mine.latest.commit_us += lock_hold_clock_us() - began_us;
}

static void agent_plan_and_commit(struct agent *a, struct cycle *c,
				  int64_t now_us)
{
	if (!a->host->commit) {
		a->mine.latest.orders += agent_plan(a, c, now_us);
		dry_run_take_back(c);
		return;
	}
	for (int round = 0; round < AGENT_ROUNDS; round++) {
		/* a microsecond later, after an order that failed */
		uint32_t orders = agent_plan(a, c, now_us + round);

		if (orders > 0) {
			agent_lock(a);
			agent_commit(a, c, orders);
			agent_unlock(a);
		}
		agent_join_all(a, c);
		shorten_orders(c);
		if (!orders_need_pass(c) || agent_stopping(a))
			break;
	}
}

/*
 * The thread woke later than the discipline asked for. Run the pass as of that
 * time, before later events are reported, since a replay wakes the discipline in
 * time and so has this order of events.
 */
static void catch_up(struct agent *a, struct cycle *c)
{
	int64_t last = INT64_MIN, wake_us = cycle_wake_at(c);

	for (; wake_us <= a->mine.at_us && wake_us > last && !agent_stopping(a);
	     last = wake_us, wake_us = cycle_wake_at(c))
		agent_plan_and_commit(a, c, wake_us);
}

/* -1 without memory: what the cycle believes is incomplete, and nothing may be decided
 * by it until the next snapshot. */
static int agent_update(struct agent *a, struct cycle *c)
{
	int64_t began_us = lock_hold_clock_us();
	int rc = cycle_update(c);

	a->host->updated(a->arg, c);
	a->mine.latest.plan_us += lock_hold_clock_us() - began_us;
	return rc;
}

static void agent_publish(struct agent *a, struct cycle *c)
{
	int64_t began_us = lock_hold_clock_us(),
		locked = a->mine.latest.locked_us;

	a->host->forecast(a->arg, c);
	a->mine.latest.plan_us += lock_hold_clock_us() - began_us;
	agent_lock(a);
	a->host->publish(a->arg, a);
	agent_unlock(a);
	a->mine.latest.publish_us = a->mine.latest.locked_us - locked;
}

void agent_run_cycle(struct agent *a)
{
	int64_t began_us = lock_hold_clock_us(), cpu_us = lock_hold_cpu_us();
	int64_t locked;
	struct agent_counts *n;

	a->wake_at_us = INT64_MAX;
	a->mine.at_us = a->host->now(a->arg);
	a->mine.latest = (struct agent_cycle){ 0 };
	if (a->cycle)
		catch_up(a, a->cycle);
	locked = a->mine.latest.locked_us;
	agent_lock(a);
	a->cycle = a->host->snapshot(a->arg, a);
	agent_unlock(a);
	a->mine.latest.snapshot_us = a->mine.latest.locked_us - locked;
	if (!a->cycle)
		return;
	if (agent_update(a, a->cycle)) {
		a->cycle = NULL;
		agent_wake_at(a, a->mine.at_us + NO_MEMORY_US);
		return;
	}
	if (!cycle_has_news(a->cycle) && cycle_share_news(a->cycle))
		agent_join_all(a, a->cycle);
	if (cycle_has_news(a->cycle) || orders_need_pass(a->cycle))
		agent_plan_and_commit(a, a->cycle, a->mine.at_us);
	agent_wake_at(a, cycle_wake_at(a->cycle));
	agent_wake_at(a, cycle_retry_at(a->cycle));
	if (a->host->publish)
		agent_publish(a, a->cycle);
	n = &a->mine;
	n->cycles++;
	n->latest.cpu_us = lock_hold_cpu_us() - cpu_us;
	n->latest.us = lock_hold_clock_us() - began_us;
	if (n->latest.us > n->longest.us)
		n->longest = n->latest;
	agent_note_cycle(n->latest.plan_us, &n->plan_max_us);
	agent_note_cycle(n->latest.commit_us, &n->commit_max_us);
	a->host->ended(a->arg, a->cycle, &a->mine);
}

/* The thread */

struct timespec agent_time_in(int64_t us)
{
	int64_t at_us = lock_hold_clock_us() + us;

	return (struct timespec){ .tv_sec = at_us / 1000000,
				  .tv_nsec = at_us % 1000000 * 1000 };
}

int64_t agent_wall_us(void)
{
	struct timespec t;
	time_t second;

	clock_gettime(CLOCK_REALTIME, &t);
	second = time(NULL);
	return second < t.tv_sec ?
		       (second + 1) * INT64_C(1000000) - 1 :
		       t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

/* Sleep; an event ends the sleep unless `deaf`. Return true if there was one. */
static bool agent_sleep(struct agent *a, int64_t us, bool deaf)
{
	struct timespec t = agent_time_in(us);
	bool woken;
	int rc = 0;

	pthread_mutex_lock(&a->mutex);
	while (!a->stop && rc == 0 && (deaf || !a->woken))
		rc = pthread_cond_timedwait(&a->cond, &a->mutex, &t);
	woken = a->woken && !deaf;
	if (woken)
		a->woken = false;
	pthread_mutex_unlock(&a->mutex);
	return woken;
}

static void wait_for_cause(struct agent *a)
{
	bool soon = false;

	while (!agent_stopping(a)) {
		int64_t left = a->wake_at_us - a->host->now(a->arg);
		int64_t us = soon ? SOON_US : POLL_US;

		if (left <= 0)
			return;
		if (left < us) /* agent_wall_us() may stand still for a tick */
			us = left > TICK_US ? left : TICK_US;
		if (agent_sleep(a, us, false))
			return;
		if (a->host->changed(a->arg, &soon))
			return;
	}
}

/* Return the pause before the next cycle. */
static int64_t gap_us(const struct agent *a)
{
	const struct agent_cycle *l = &a->mine.latest;
	int64_t pause_us = LOCK_PAUSE_FACTOR * (l->snapshot_us + l->publish_us),
		us = GAP_US;

	agent_note_cycle(pause_us < PAUSE_MAX_US ? pause_us : PAUSE_MAX_US, &us);
	agent_note_cycle(l->us, &us);
	return us;
}

static void *agent_run(void *arg)
{
	struct agent *a = arg;

	lock_hold_open(&a->clock);
	while (!agent_stopping(a)) {
		wait_for_cause(a);
		/* let related changes arrive together; leave time to the host */
		agent_sleep(a, gap_us(a), true);
		if (!agent_stopping(a))
			agent_run_cycle(a);
	}
	lock_hold_close(&a->clock);
	return NULL;
}

int agent_thread_start(pthread_t *thread, pthread_cond_t *cond,
		       void *(*run)(void *), void *arg)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc)
		return rc;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	rc = pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
	if (rc)
		return rc;
	rc = pthread_create(thread, NULL, run, arg);
	if (rc)
		pthread_cond_destroy(cond);
	return rc;
}

struct agent *agent_open(const struct agent_host *host, void *arg)
{
	struct agent *a = torus_alloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->host = host;
	a->arg = arg;
	a->wake_at_us = INT64_MAX;
	a->clock.accounts = -1;
	pthread_mutex_init(&a->mutex, NULL);
	return a;
}

struct agent *agent_create(const struct agent_host *host, void *arg)
{
	struct agent *a = agent_open(host, arg);

	if (!a)
		return NULL;
	errno = agent_thread_start(&a->thread, &a->cond, agent_run, a);
	a->threaded = errno == 0;
	if (!a->threaded) {
		agent_destroy(a);
		return NULL;
	}
	return a;
}

void agent_destroy(struct agent *a)
{
	if (!a)
		return;
	if (a->threaded) {
		pthread_mutex_lock(&a->mutex);
		a->stop = true;
		pthread_cond_signal(&a->cond);
		pthread_mutex_unlock(&a->mutex);
		pthread_join(a->thread, NULL);
		pthread_cond_destroy(&a->cond);
	}
	pthread_mutex_destroy(&a->mutex);
	torus_free(a);
}

void agent_wake(struct agent *a)
{
	pthread_mutex_lock(&a->mutex);
	a->woken = true;
	pthread_cond_signal(&a->cond);
	pthread_mutex_unlock(&a->mutex);
}
