/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guard (policy_guard.h). A call of a policy's function sets a point of return in its
 * thread; the handler of a crash jumps there, and so does that of SIGURG, which a watchdog
 * thread sends to a thread that it has seen GUARD_TICKS times in the same call. (It counts
 * its own ticks: a process that was stopped for a while hangs nowhere.) A handler runs on a
 * stack of its own, as a recursion uses up the other one. Outside of such calls a crash has
 * its former effect.
 *
 * A descriptor's rank(), rank_least() and create() do not say whose they are, so each of the
 * TORUS_GUARD_POLICIES slots has functions of its own. Cost: some 20 ns per call.
 */
#include "config/policy_guard.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "torus/alloc.h"
#include "torus/state_find.h"

#define GUARD_TICKS 4
#define GUARD_TICK_NS (TORUS_GUARD_CALL_MS * 1000000L / GUARD_TICKS)
#define GUARD_STACK 65536
#define GUARD_HANG SIGURG
#define GUARD_WRONG 0 /* a wrong answer, instead of a signal */
#define GUARD_WHY 512

struct guard {
	const void *descriptor; /* the guarded one; NULL: unused */
	const char *path;
	struct torus_discipline discipline; /* the policy's own */
	struct torus_strategy strategy;
	atomic_bool failed; /* then `why` stays */
	char why[GUARD_WHY];
};

/* Of a thread that calls policies. */
struct guard_thread {
	struct guard_thread *next; /* under guards.mutex */
	pthread_t thread;
	sigjmp_buf back;
	volatile sig_atomic_t inside; /* a policy is being called */
	atomic_uint call;             /* its number */
	atomic_uint condemned;        /* the call that hangs */
	unsigned seen, ticks;         /* the watchdog's */
	stack_t former;
	bool borrowed; /* the handlers use the thread's former stack */
	char stack[GUARD_STACK];
};

static const int guard_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL,
				     GUARD_HANG };
#define GUARD_SIGNALS (sizeof(guard_signals) / sizeof(int))

static struct {
	pthread_mutex_t mutex;
	pthread_key_t key; /* of a thread's struct guard_thread */
	bool begun;
	struct sigaction former[GUARD_SIGNALS];
	struct guard_thread *threads;
	uint32_t used;
	struct guard slot[TORUS_GUARD_POLICIES];
	void (*_Atomic report)(const char *line);
} guards = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* Signals */

/* (SA_NODEFER: a jump out of it leaves no signal blocked.) */
static void guard_handle(int number, siginfo_t *info, void *context)
{
	struct guard_thread *t = pthread_getspecific(guards.key);

	(void)context;
	if (t && t->inside &&
	    (number != GUARD_HANG ||
	     atomic_load(&t->condemned) == atomic_load(&t->call))) {
		t->inside = false;
		siglongjmp(t->back, number);
	}
	for (size_t i = 0; number != GUARD_HANG && i < GUARD_SIGNALS; i++) {
		if (guard_signals[i] == number)
			sigaction(number, &guards.former[i], NULL);
	}
	/* a fault happens again on return; what was sent must be sent again */
	if (number != GUARD_HANG && info->si_code <= 0)
		raise(number);
}

/* Send the signal to the threads that hang, for ever. */
static void *guard_watch(void *arg)
{
	const struct timespec tick = { .tv_sec = GUARD_TICK_NS / 1000000000,
				       .tv_nsec = GUARD_TICK_NS % 1000000000 };
	sigset_t all;

	(void)arg;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (;;) {
		nanosleep(&tick, NULL);
		pthread_mutex_lock(&guards.mutex);
		for (struct guard_thread *t = guards.threads; t; t = t->next) {
			unsigned call = atomic_load(&t->call);

			t->ticks = t->inside && t->seen == call ? t->ticks + 1 :
								  0;
			t->seen = call;
			if (t->ticks < GUARD_TICKS)
				continue;
			atomic_store(&t->condemned, call);
			pthread_kill(t->thread, GUARD_HANG);
		}
		pthread_mutex_unlock(&guards.mutex);
	}
	return NULL;
}

static void guard_leave_thread(void *arg)
{
	struct guard_thread *t = arg, **at = &guards.threads;

	pthread_mutex_lock(&guards.mutex);
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	pthread_mutex_unlock(&guards.mutex);
	if (!t->borrowed)
		sigaltstack(&t->former, NULL);
	torus_free(t);
}

/* With the mutex. 0, or an errno. */
static int guard_begin(void)
{
	struct sigaction action = { .sa_sigaction = guard_handle,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK |
						SA_NODEFER | SA_RESTART };
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	if (guards.begun)
		return 0;
	rc = pthread_key_create(&guards.key, guard_leave_thread);
	if (rc)
		return rc;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, guard_watch, NULL);
	pthread_attr_destroy(&attr);
	if (rc) {
		pthread_key_delete(guards.key);
		return rc;
	}
	for (size_t i = 0; i < GUARD_SIGNALS; i++)
		sigaction(guard_signals[i], &action, &guards.former[i]);
	guards.begun = true;
	return 0;
}

/* Return the record of this thread, made at its first call; NULL without memory. */
static struct guard_thread *guard_thread(void)
{
	struct guard_thread *t = pthread_getspecific(guards.key);
	stack_t own = { .ss_size = GUARD_STACK };
	sigset_t open;

	if (t)
		return t;
	t = torus_alloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->thread = pthread_self();
	own.ss_sp = t->stack;
	sigaltstack(NULL, &t->former);
	t->borrowed = !(t->former.ss_flags & SS_DISABLE);
	if (pthread_setspecific(guards.key, t) ||
	    (!t->borrowed && sigaltstack(&own, NULL))) {
		pthread_setspecific(guards.key, NULL);
		torus_free(t);
		return NULL;
	}
	sigemptyset(&open);
	for (size_t i = 0; i < GUARD_SIGNALS; i++)
		sigaddset(&open, guard_signals[i]);
	pthread_sigmask(SIG_UNBLOCK, &open, NULL);
	pthread_mutex_lock(&guards.mutex);
	t->next = guards.threads;
	guards.threads = t;
	pthread_mutex_unlock(&guards.mutex);
	return t;
}

/* Calls */

static const char *guard_signal_name(int number)
{
	return number == SIGSEGV ? "SIGSEGV" :
	       number == SIGBUS  ? "SIGBUS" :
	       number == SIGFPE  ? "SIGFPE" :
				   "SIGILL";
}

/* Give a policy up: a signal ended its function, or its answer is wrong. */
static void guard_fail(struct guard *g, const char *function, int number,
		       const char *wrong)
{
	const char *instead = g->discipline.name ?
				      "easy decides instead" :
				      "a built-in strategy places jobs instead";
	void (*report)(const char *line) = atomic_load(&guards.report);
	bool first;

	pthread_mutex_lock(&guards.mutex);
	first = !atomic_load(&g->failed);
	if (first && wrong)
		snprintf(g->why, sizeof(g->why),
			 "policy %s: %s gave %s; %s until slurmctld loads another",
			 g->path, function, wrong, instead);
	else if (first && number == GUARD_HANG)
		snprintf(g->why, sizeof(g->why),
			 "policy %s: %s hangs: it has not ended within %d ms; %s until slurmctld loads another",
			 g->path, function, TORUS_GUARD_CALL_MS, instead);
	else if (first)
		snprintf(g->why, sizeof(g->why),
			 "policy %s: %s crashed (%s); %s until slurmctld loads another",
			 g->path, function, guard_signal_name(number), instead);
	atomic_store(&g->failed, true);
	pthread_mutex_unlock(&guards.mutex);
	if (first && report)
		report(g->why);
}

/* Call it; return the signal that ended it, or 0. */
static __attribute__((noinline)) int
guard_run(struct guard_thread *t, void (*call)(void *arg), void *arg)
{
	int number = sigsetjmp(t->back, 0);

	if (number)
		return number;
	atomic_fetch_add_explicit(&t->call, 1, memory_order_relaxed);
	t->inside = true;
	call(arg);
	t->inside = false;
	return 0;
}

/* Call a function of a policy. False: it has failed, now or before. */
static bool guard_call(struct guard *g, const char *function,
		       void (*call)(void *arg), void *arg)
{
	struct guard_thread *t;
	int number;

	if (atomic_load(&g->failed))
		return false;
	t = guard_thread();
	if (!t) {
		call(arg);
		return true;
	}
	number = guard_run(t, call, arg);
	if (number == 0)
		return true;
	guard_fail(g, function, number, NULL);
	return false;
}

/* Disciplines */

struct guard_rank {
	const struct guard *g;
	void *self;
	const struct torus_job *job;
	const struct torus_rank_range *range;
	int64_t now_us, rank;
};

static void guard_call_rank(void *arg)
{
	struct guard_rank *r = arg;

	r->rank = r->g->discipline.rank(r->self, r->job, r->now_us);
}

static void guard_call_least(void *arg)
{
	struct guard_rank *r = arg;

	r->rank = r->g->discipline.rank_least(r->self, r->range, r->now_us);
}

/* A job without a rank comes last. */
static int64_t guard_rank(struct guard *g, void *self,
			  const struct torus_job *job, int64_t now_us)
{
	struct guard_rank r = {
		.g = g, .self = self, .job = job, .now_us = now_us
	};

	return guard_call(g, "rank()", guard_call_rank, &r) ? r.rank : INT64_MAX;
}

static int64_t guard_least(struct guard *g, void *self,
			   const struct torus_rank_range *range, int64_t now_us)
{
	struct guard_rank r = {
		.g = g, .self = self, .range = range, .now_us = now_us
	};

	return guard_call(g, "rank_least()", guard_call_least, &r) ? r.rank :
								     INT64_MIN;
}

/* Strategies */

struct guard_instance {
	struct guard *g;
	const struct torus *t;
	void *own;                             /* the policy's */
	const struct torus_strategy *built_in; /* NULL: none serves the torus */
	void *other;                           /* its instance */
	uint64_t *nodes; /* a copy of the policy's answer */
};

struct guard_create {
	struct guard_instance *s;
	const uint64_t *present;
	const struct torus_options *options;
};

static void guard_call_create(void *arg)
{
	struct guard_create *c = arg;

	c->s->own = c->s->g->strategy.create(c->s->t, c->present, c->options);
}

static void guard_call_destroy(void *arg)
{
	struct guard_instance *s = arg;

	s->g->strategy.destroy(s->own);
}

static void guard_destroy(void *self)
{
	struct guard_instance *s = self;
	int saved = errno;

	if (!s)
		return;
	if (s->own)
		guard_call(s->g, "destroy()", guard_call_destroy, s);
	if (s->built_in)
		s->built_in->destroy(s->other);
	torus_free(s->nodes);
	torus_free(s);
	errno = saved;
}

static void *guard_create(struct guard *g, const struct torus *t,
			  const uint64_t *present,
			  const struct torus_options *options)
{
	static const struct torus_options none;
	struct guard_instance *s = torus_alloc(1, sizeof(*s));
	struct guard_create c = { s, present, options };
	const struct torus_strategy *b = torus_strategy_find(
		t->flat ? "flat" : "submesh");

	if (!s)
		return NULL;
	s->g = g;
	s->t = t;
	s->nodes = torus_alloc(torus_bits_words(t->nodes), sizeof(*s->nodes));
	if (b && torus_strategy_supports(b, t, &none, NULL) == 0) {
		s->other = b->create(t, present, &none);
		s->built_in = s->other ? b : NULL;
	}
	if (!s->nodes || (b && !s->built_in && errno == ENOMEM) ||
	    (guard_call(g, "create()", guard_call_create, &c) && !s->own)) {
		errno = ENOMEM;
		guard_destroy(s);
		return NULL;
	}
	return s;
}

struct guard_find {
	struct guard_instance *s;
	const struct torus_ask *ask;
	const uint64_t *usable;
	struct torus_placement *out;
	struct torus_error *why;
	enum torus_answer answer;
	const char *wrong;
};

/* The answer is looked at here, too: its pointers may lead anywhere. */
static void guard_call_find(void *arg)
{
	struct guard_find *f = arg;
	struct guard_instance *s = f->s;

	f->answer = s->g->strategy.find(s->own, f->ask, f->usable, f->out,
					f->why);
	if (f->answer != TORUS_FITS) {
		if (f->answer != TORUS_NOT_NOW && f->answer != TORUS_NEVER)
			f->wrong = "no answer of enum torus_answer";
		return;
	}
	f->wrong = torus_place_wrong(s->t, f->ask, f->usable, f->out);
	if (!f->wrong && f->out->scattered) {
		memcpy(s->nodes, f->out->nodes,
		       torus_bits_words(s->t->nodes) * sizeof(*s->nodes));
		f->out->nodes = s->nodes;
	}
}

static enum torus_answer guard_find(void *self, const struct torus_ask *ask,
				    const uint64_t *usable,
				    struct torus_placement *out,
				    struct torus_error *why)
{
	struct guard_instance *s = self;
	struct guard_find f = {
		.s = s, .ask = ask, .usable = usable, .out = out, .why = why
	};

	if (s->own && guard_call(s->g, "find()", guard_call_find, &f)) {
		if (!f.wrong)
			return f.answer;
		guard_fail(s->g, "find()", GUARD_WRONG, f.wrong);
	}
	return s->built_in ?
		       s->built_in->find(s->other, ask, usable, out, why) :
		       TORUS_NOT_NOW;
}

/* Slots */

#define GUARD_SLOT(n)                                                          \
	static int64_t guard_rank_##n(void *self, const struct torus_job *job, \
				      int64_t now_us)                          \
	{                                                                      \
		return guard_rank(&guards.slot[n], self, job, now_us);         \
	}                                                                      \
	static int64_t guard_least_##n(void *self,                             \
				       const struct torus_rank_range *range,   \
				       int64_t now_us)                         \
	{                                                                      \
		return guard_least(&guards.slot[n], self, range, now_us);      \
	}                                                                      \
	static void *guard_create_##n(const struct torus *t,                   \
				      const uint64_t *present,                 \
				      const struct torus_options *options)     \
	{                                                                      \
		return guard_create(&guards.slot[n], t, present, options);     \
	}

GUARD_SLOT(0)
GUARD_SLOT(1)
GUARD_SLOT(2)
GUARD_SLOT(3)
GUARD_SLOT(4)
GUARD_SLOT(5)
GUARD_SLOT(6)
GUARD_SLOT(7)

static const struct {
	int64_t (*rank)(void *self, const struct torus_job *job, int64_t now_us);
	int64_t (*least)(void *self, const struct torus_rank_range *range,
			 int64_t now_us);
	void *(*create)(const struct torus *t, const uint64_t *present,
			const struct torus_options *options);
} guard_slots[TORUS_GUARD_POLICIES] = {
	{ guard_rank_0, guard_least_0, guard_create_0 },
	{ guard_rank_1, guard_least_1, guard_create_1 },
	{ guard_rank_2, guard_least_2, guard_create_2 },
	{ guard_rank_3, guard_least_3, guard_create_3 },
	{ guard_rank_4, guard_least_4, guard_create_4 },
	{ guard_rank_5, guard_least_5, guard_create_5 },
	{ guard_rank_6, guard_least_6, guard_create_6 },
	{ guard_rank_7, guard_least_7, guard_create_7 },
};

/* Take a slot for a descriptor. Return its number, or -1 with a line in err. */
static int guard_take(const void *descriptor, const char *path,
		      struct torus_error *err)
{
	int rc, n = -1;

	pthread_mutex_lock(&guards.mutex);
	rc = guard_begin();
	if (!rc && guards.used < TORUS_GUARD_POLICIES) {
		n = (int)guards.used++;
		guards.slot[n].descriptor = descriptor;
		guards.slot[n].path = path;
	}
	pthread_mutex_unlock(&guards.mutex);
	if (rc)
		return torus_error_add(err, "%s: %s", path, strerror(rc));
	if (n < 0)
		return torus_error_add(err,
				       "%s: slurmctld has loaded %d policies since its start: restart it to load another",
				       path, TORUS_GUARD_POLICIES);
	return n;
}

int torus_guard_discipline(struct torus_discipline *d, const char *path,
			   struct torus_error *err)
{
	int n = guard_take(d, path, err);

	if (n < 0)
		return -1;
	guards.slot[n].discipline = *d;
	d->rank = guard_slots[n].rank;
	if (d->rank_least)
		d->rank_least = guard_slots[n].least;
	return 0;
}

int torus_guard_strategy(struct torus_strategy *s, const char *path,
			 struct torus_error *err)
{
	int n;

	if (s->supports || s->tells_for_any || s->see || s->find_all ||
	    s->commit || s->release || s->save || s->restore || s->knows ||
	    s->check || s->set_end)
		return torus_error_add(err,
				       "%s: in slurmctld a strategy of a file has create(), destroy() and find() alone",
				       path);
	n = guard_take(s, path, err);
	if (n < 0)
		return -1;
	guards.slot[n].strategy = *s;
	s->create = guard_slots[n].create;
	s->destroy = guard_destroy;
	s->find = guard_find;
	return 0;
}

const char *torus_guard_failure(const void *descriptor)
{
	for (uint32_t i = 0; i < TORUS_GUARD_POLICIES; i++) {
		const struct guard *g = &guards.slot[i];

		if (g->descriptor == descriptor && atomic_load(&g->failed))
			return g->why;
	}
	return NULL;
}

void torus_guard_report(void (*report)(const char *line))
{
	atomic_store(&guards.report, report);
}
