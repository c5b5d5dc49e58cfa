/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conservative backfilling against a slow and plain version of it, start by
 * start and reservation by reservation, on random workloads: with jobs that
 * end early or overrun, ladders, priorities, jobs confined to some nodes or kept
 * out of some for a time, withdrawals, outages, changed limits, and every
 * strategy.
 *
 * The plain version keeps no profile, no stamps and no memory of what it has
 * looked for. In every pass, in queue order:
 *
 * - a job without a reservation gets the earliest window;
 * - one whose reservation begins now starts on its place;
 * - one whose reservation is to come looks for an earlier window, itself left
 *   out of the plan, and keeps the reservation if there is none;
 * - if a reservation cannot be kept, all are dropped and made anew. So they are when the
 *   machine was changed and a job has a reservation behind one that had no window until
 *   then, or behind 17 that had none, and with strategies that remember.
 *
 * A window is looked for at every instant at which a job or a reservation
 * ends, by painting everybody who is there at some time of it. (With ladders,
 * and with strategies that remember, whose future is a guess, it matters when
 * an earlier window is looked for: after something was freed.)
 */
#include "torus/plan.h"
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "torus/discipline.h"
#include "workload.h"

#define JOBS 60
#define KEPT_OUT 2 /* windows in time */
#define INSTANTS (2 * JOBS + 1 + KEPT_OUT)

struct promise {
	bool made;
	int64_t start;
	uint32_t alternative;
	struct torus_placement place;
	uint64_t nodes[WORKLOAD_WORDS]; /* of a scattered place */
};

struct world {
	struct random r;
	struct torus_machine m;
	struct torus_state *s;
	struct torus_scheduler *scheduler;
	bool timeless, exact, ladders, outages, withdrawals;
	uint32_t confined; /* percent of the jobs */
	struct torus_job job[JOBS];
	struct torus_alternative alternative[JOBS][3];
	uint64_t allowed[3][WORKLOAD_WORDS];
	uint32_t kept_out; /* percent of the jobs */
	struct torus_outages windows;
	struct torus_outage window[KEPT_OUT];
	uint64_t window_nodes[KEPT_OUT][WORKLOAD_WORDS];
	int64_t run[JOBS], end[JOBS];
	uint64_t busy[WORKLOAD_WORDS], out[WORKLOAD_WORDS];
	uint32_t submitted, over;

	/* the plain version's */
	struct promise promise[JOBS];
	bool looked[JOBS]; /* for a window */
	bool compress, anew, changed;
	int64_t passed;
	struct torus_state *copy; /* while it foresees a pass */
	struct torus_job *decided[JOBS];
	uint64_t decided_nodes[JOBS][WORKLOAD_WORDS];
	uint32_t decisions;
};

static char context[160]; /* the case under way, shown if it fails */

static int64_t later(int64_t end_us, int64_t now)
{
	return end_us > now ? end_us : now + 1;
}

/* The plain version */

/* Take from `usable` what others than `job` are promised at a time within
 * [t, end). */
static void erase_promised(const struct world *w, const struct torus_job *job,
			   int64_t t, int64_t end, uint64_t *usable)
{
	uint64_t nodes[WORKLOAD_WORDS];

	for (uint32_t i = 0; i < JOBS; i++) {
		const struct promise *p = &w->promise[i];

		if (!p->made || i == job->id || p->start >= end ||
		    later(p->start + w->job[i].limit_us, p->start) <= t)
			continue;
		workload_paint(&w->m, &p->place, nodes);
		torus_bits_andnot(usable, nodes, w->m.words);
	}
}

/* What is over at t is not there any more. */
static void let_pass(struct torus_state *s, int64_t now, int64_t t)
{
	while (torus_state_holds(s) > 0) {
		uint32_t slot = torus_state_by_end(s, 0);

		if (later(torus_state_hold(s, slot)->end_us, now) > t)
			return;
		torus_state_release(s, slot, NULL);
	}
}

/* Free at t, as far as running jobs are concerned. */
static void paint_free(const struct world *w, int64_t now, int64_t t,
		       uint64_t *map)
{
	torus_bits_copy(map, torus_state_free_map(w->copy), w->m.words);
	for (uint32_t k = 0; k < torus_state_holds(w->copy); k++) {
		const struct torus_hold *h =
			torus_state_hold(w->copy,
					 torus_state_by_end(w->copy, k));

		if (later(h->end_us, now) <= t)
			torus_hold_paint(w->copy, h, map);
	}
	torus_bits_andnot(map, torus_state_out_map(w->copy), w->m.words);
}

/* Take from `usable` what is not for it at a time within [t, end). */
static void erase_windows(const struct world *w, const struct torus_job *job,
			  int64_t t, int64_t end, uint64_t *usable)
{
	for (uint32_t i = 0; job->outages && i < KEPT_OUT; i++) {
		if (w->window[i].from_us < end && w->window[i].to_us > t)
			torus_bits_andnot(usable, w->window_nodes[i],
					  w->m.words);
	}
}

/* A place that stays free from t on. */
static bool place_at(struct world *w, const struct torus_job *job, uint32_t k,
		     int64_t now, int64_t t, struct promise *out)
{
	struct torus_ask ask = job->request.alternative[k].ask;
	struct torus_state *s = NULL;
	uint64_t usable[WORKLOAD_WORDS];
	struct torus_placement place;
	enum torus_answer answer;

	ask.now_us = now;
	ask.end_us = now + job->limit_us;
	paint_free(w, now, t, usable);
	if (job->allowed)
		torus_bits_and(usable, usable, job->allowed, w->m.words);
	erase_promised(w, job, t, later(t + job->limit_us, t), usable);
	erase_windows(w, job, t, later(t + job->limit_us, t), usable);
	if (w->timeless) {
		answer = torus_state_find_in(w->copy, &ask, usable, &place);
	} else {
		s = torus_state_twin(w->copy);
		assert_non_null(s);
		let_pass(s, now, t);
		ask.allowed = usable;
		answer = torus_state_find(s, &ask, &place, NULL);
	}
	if (answer == TORUS_FITS) {
		out->start = t;
		out->alternative = k;
		workload_keep(&w->m, &out->place, &place, out->nodes);
	}
	torus_state_destroy(s);
	return answer == TORUS_FITS;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Instants at which there may be more than before, in order. */
static uint32_t list_instants(const struct world *w, int64_t now, int64_t *t)
{
	uint32_t n = 0;

	t[n++] = now;
	for (uint32_t k = 0; k < torus_state_holds(w->copy); k++)
		t[n++] = later(torus_state_hold(w->copy,
						torus_state_by_end(w->copy, k))
				       ->end_us,
			       now);
	for (uint32_t i = 0; i < JOBS; i++) {
		const struct promise *p = &w->promise[i];

		if (p->made)
			t[n++] = later(p->start + w->job[i].limit_us, p->start);
	}
	for (uint32_t i = 0; i < KEPT_OUT; i++)
		t[n++] = w->window[i].to_us;
	assert_true(n <= INSTANTS);
	qsort(t, n, sizeof(*t), by_time);
	return n;
}

/* The earliest window that begins before `before`; the first alternative of
 * equals. */
static bool earliest(struct world *w, const struct torus_job *job, int64_t now,
		     int64_t before, struct promise *out)
{
	int64_t t[INSTANTS];
	uint32_t n = list_instants(w, now, t);

	for (uint32_t i = 0; i < n && t[i] < before; i++) {
		for (uint32_t k = 0; k < job->request.alternatives; k++) {
			if (t[i] >= now && torus_job_accepts(job, k, now) &&
			    place_at(w, job, k, now, t[i], out))
				return true;
		}
	}
	return false;
}

static bool start(struct world *w, struct torus_job *job, int64_t now,
		  const struct promise *p)
{
	if (torus_state_commit(w->copy, &p->place, job->id, NULL, now,
			       now + job->limit_us, NULL) == TORUS_NO_SLOT)
		return false;
	workload_paint(&w->m, &p->place, w->decided_nodes[w->decisions]);
	w->decided[w->decisions++] = job;
	return true;
}

/* False: a promise could not be kept. */
static bool serve(struct world *w, struct torus_job *job, int64_t now,
		  bool compress)
{
	struct promise *mine = &w->promise[job->id], p = { 0 };
	bool had = mine->made;

	if (had && mine->start <= now) {
		mine->made = false;
		return mine->start == now && start(w, job, now, mine);
	}
	if (had && !compress && job->request.alternatives == 1)
		return true;
	w->looked[job->id] = true;
	if (!earliest(w, job, now, had ? mine->start : TORUS_NO_TIME, &p))
		return true;
	mine->made = false;
	if (p.start > now) {
		*mine = p;
		if (p.place.scattered)
			mine->place.nodes = mine->nodes;
		mine->made = true;
		w->compress |= had;
	} else if (start(w, job, now, &p)) {
		w->compress |= had;
	} else {
		w->anew |= had;
	}
	return true;
}

static bool serve_all(struct world *w, int64_t now)
{
	/* a ladder looks in every pass, and what it leaves is for the next */
	bool compress = w->compress || (w->timeless && !w->ladders);
	struct torus_job *job = torus_scheduler_queue(w->scheduler)->head;

	w->compress = false;
	for (; job; job = job->next) {
		uint32_t i = 0;

		while (i < w->decisions && w->decided[i] != job)
			i++;
		if (i == w->decisions && !serve(w, job, now, compress))
			return false;
	}
	return true;
}

/* Has each promise its nodes for itself, in service? And does none of the jobs before it
 * without one get one now? */
static bool all_hold(struct world *w, int64_t now)
{
	uint64_t usable[WORKLOAD_WORDS], nodes[WORKLOAD_WORDS];
	const struct torus_job *job = torus_scheduler_queue(w->scheduler)->head;
	struct promise other;
	uint32_t searches = 0;
	bool lacks = false;

	for (; job; job = job->next) {
		const struct promise *p = &w->promise[job->id];

		lacks |= !p->made && w->looked[job->id] &&
			 (++searches > 16 ||
			  earliest(w, job, now, TORUS_NO_TIME, &other));
		if (!p->made)
			continue;
		if (lacks)
			return false;
		paint_free(w, now, p->start, usable);
		erase_promised(w, job, p->start,
			       later(p->start + job->limit_us, p->start),
			       usable);
		workload_paint(&w->m, &p->place, nodes);
		if (!torus_bits_subset(nodes, usable, w->m.words))
			return false;
	}
	return true;
}

static void forget_all(struct world *w)
{
	for (uint32_t i = 0; i < JOBS; i++)
		w->promise[i].made = false;
	w->anew = false;
}

/* What will happen in the pass at `now`? */
static void foresee(struct world *w, int64_t now)
{
	w->copy = torus_state_twin(w->s);
	assert_non_null(w->copy);
	w->decisions = 0;
	if (w->changed && w->timeless && all_hold(w, now))
		w->compress = true;
	else
		w->anew |= w->changed;
	w->changed = false;
	if (w->anew)
		forget_all(w);
	if (!serve_all(w, now)) {
		forget_all(w);
		serve_all(w, now);
	}
	w->passed = now;
	torus_state_destroy(w->copy);
}

/* The host */

static void note_start(struct world *w, const struct torus_job *job,
		       int64_t now, uint32_t i)
{
	const struct torus_hold *h = torus_state_hold(w->s, job->slot);
	uint64_t nodes[WORKLOAD_WORDS];

	assert_true(i < w->decisions);
	assert_ptr_equal(job, w->decided[i]);
	assert_int_equal(job->state, TORUS_JOB_RUNNING);
	workload_paint(&w->m, &h->place, nodes);
	assert_true(torus_bits_equal(nodes, w->decided_nodes[i], w->m.words));
	assert_false(torus_bits_meet(nodes, w->busy, w->m.words));
	if (job->allowed)
		assert_true(torus_bits_subset(nodes, job->allowed, w->m.words));
	torus_bits_or(w->busy, nodes, w->m.words);
	w->end[job->id] = now + w->run[job->id];
}

/* Is it promised what the plain version would promise? */
static void check_promise(const struct world *w, const struct torus_job *job)
{
	const struct promise *p = &w->promise[job->id];
	const struct torus_reservation *r;
	uint64_t mine[WORKLOAD_WORDS], other[WORKLOAD_WORDS];

	assert_int_equal(job->reservation != UINT32_MAX, p->made);
	if (!p->made)
		return;
	r = torus_plan_reservation(torus_scheduler_plan(w->scheduler),
				   job->reservation);
	assert_ptr_equal(r->owner, job);
	assert_int_equal(r->start_us, p->start);
	assert_int_equal(job->start_us, p->start);
	assert_int_equal(job->alternative, p->alternative);
	workload_paint(&w->m, &r->place, mine);
	workload_paint(&w->m, &p->place, other);
	assert_true(torus_bits_equal(mine, other, w->m.words));
}

static int64_t pass(struct world *w, int64_t now)
{
	struct torus_job *decided, *job;
	uint32_t i = 0;
	int64_t wake;

	foresee(w, now);
	decided = torus_scheduler_pass(w->scheduler, now, &wake);
	assert_true(wake > now);
	for (job = decided; job; job = job->decided)
		note_start(w, job, now, i++);
	assert_int_equal(i, w->decisions);
	for (job = torus_scheduler_queue(w->scheduler)->head; job;
	     job = job->next)
		check_promise(w, job);
	return wake;
}

static void end_jobs(struct world *w, int64_t now)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		struct torus_job *job = &w->job[i];
		const struct torus_hold *h;
		uint64_t nodes[WORKLOAD_WORDS];

		if (w->end[i] != now)
			continue;
		h = torus_state_hold(w->s, job->slot);
		workload_paint(&w->m, &h->place, nodes);
		torus_bits_andnot(w->busy, nodes, w->m.words);
		w->end[i] = TORUS_NO_TIME;
		w->compress |= w->passed == now ||
			       now != job->start_us + job->limit_us ||
			       h->end_us > now;
		torus_scheduler_end(w->scheduler, job, now);
		w->over++;
	}
}

static void submit_jobs(struct world *w, int64_t now)
{
	for (; w->submitted < JOBS && w->job[w->submitted].submit_us == now;
	     w->submitted++)
		w->over += torus_scheduler_submit(w->scheduler,
						  &w->job[w->submitted], now,
						  NULL) != 0;
}

/* Somebody gives up waiting, a node fails, a limit is changed. */
static void disturb(struct world *w, int64_t now)
{
	struct torus_job *job = torus_scheduler_queue(w->scheduler)->head;
	uint32_t i = random_below(&w->r, JOBS);

	if (w->withdrawals && job && random_percent(&w->r, 15)) {
		for (uint32_t n = random_below(&w->r, 5); job->next && n; n--)
			job = job->next;
		torus_scheduler_remove(w->scheduler, job, now);
		w->compress |= w->promise[job->id].made;
		w->promise[job->id].made = false;
		w->over++;
	}
	if (!w->outages || !random_percent(&w->r, 10))
		return;
	if (w->job[i].state == TORUS_JOB_RUNNING && random_percent(&w->r, 50)) {
		torus_state_set_end(w->s, w->job[i].slot,
				    now + random_below(&w->r, 20));
	} else {
		workload_nodes(&w->r, &w->m, random_below(&w->r, 20), w->out);
		torus_bits_andnot(w->out, w->busy, w->m.words);
		torus_state_out(w->s, w->out);
	}
	w->changed = true;
	if (random_percent(&w->r, 50))
		torus_scheduler_change(w->scheduler, now);
}

static int64_t next_event(const struct world *w, int64_t wake)
{
	int64_t next = wake;

	if (w->submitted < JOBS && w->job[w->submitted].submit_us < next)
		next = w->job[w->submitted].submit_us;
	for (uint32_t i = 0; i < JOBS; i++) {
		if (w->end[i] < next)
			next = w->end[i];
	}
	return next;
}

/* Workloads */

static void make_job(struct world *w, struct torus_job *job, int64_t longest)
{
	uint32_t n = w->ladders ? 1 + random_below(&w->r, 3) : 1;

	job->limit_us = random_below(&w->r, (uint32_t)longest);
	job->deadline_us = TORUS_NO_TIME;
	job->priority = random_below(&w->r, 4);
	if (random_percent(&w->r, w->confined))
		job->allowed = w->allowed[random_below(&w->r, 3)];
	if (random_percent(&w->r, w->kept_out))
		job->outages = &w->windows;
	job->request.alternatives = n;
	for (uint32_t k = 0; k < n; k++) {
		struct torus_alternative *a = &job->request.alternative[k];

		a->ask = workload_ask(&w->r, &w->m);
		a->after_us = k ? a[-1].after_us + random_below(&w->r, 15) : 0;
	}
}

static void make_windows(struct world *w)
{
	w->windows = (struct torus_outages){
		.number = 1,
		.last_start_us = TORUS_NO_TIME,
		.count = KEPT_OUT,
		.outage = w->window,
	};
	for (uint32_t i = 0; i < KEPT_OUT; i++) {
		w->window[i].from_us = random_below(&w->r, 60);
		w->window[i].to_us = w->window[i].from_us + 1 +
				     random_below(&w->r, 40);
		w->window[i].nodes = w->window_nodes[i];
		workload_nodes(&w->r, &w->m,
			       random_percent(&w->r, 30) ? 100 : 50,
			       w->window_nodes[i]);
	}
}

static void make_jobs(struct world *w)
{
	uint32_t gap = 1 + random_below(&w->r, 5);
	uint32_t longest = 5 + random_below(&w->r, 25);
	uint32_t overrun = random_percent(&w->r, 40) ? random_below(&w->r, 30) :
						       0;
	int64_t t = 0;

	for (uint32_t i = 0; i < 3; i++)
		workload_nodes(&w->r, &w->m, 70, w->allowed[i]);
	make_windows(w);
	for (uint32_t i = 0; i < JOBS; i++) {
		struct torus_job *job = &w->job[i];

		job->request.alternative = w->alternative[i];
		make_job(w, job, longest);
		t += random_percent(&w->r, 50) ? 0 : random_below(&w->r, gap);
		job->id = i;
		job->submit_us = t;
		w->run[i] = job->limit_us;
		if (!w->exact)
			w->run[i] = random_below(&w->r,
						 (uint32_t)job->limit_us + 1);
		if (random_percent(&w->r, overrun))
			w->run[i] += random_below(&w->r, longest);
		w->end[i] = TORUS_NO_TIME;
	}
}

/* Jobs may use all nodes from now on, those in the queue as well. */
static void allow_all(struct world *w)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		struct torus_job_request *r = &w->job[i].request;

		w->job[i].allowed = NULL;
		for (uint32_t k = 0; k < r->alternatives; k++)
			r->alternative[k].ask.allowed = NULL;
	}
}

static void run(struct world *w)
{
	int64_t wake = TORUS_NO_TIME, now;
	uint32_t passes = 0;

	make_jobs(w);
	w->passed = INT64_MIN;
	while (w->over < JOBS) {
		now = next_event(w, wake);
		if (now == TORUS_NO_TIME) { /* nodes that do not come back,
					       or that are not allowed */
			torus_bits_zero(w->out, w->m.words);
			torus_state_out(w->s, w->out);
			w->outages = false;
			allow_all(w);
			w->anew = true;
			now = 1000000;
		}
		assert_true(passes++ < 100 * JOBS);
		end_jobs(w, now);
		submit_jobs(w, now);
		disturb(w, now);
		wake = pass(w, now);
	}
	assert_int_equal(torus_state_holds(w->s), 0);
}

static void run_case(const char *machine, const struct torus_strategy *strategy,
		     uint64_t seed)
{
	static struct world w;
	struct torus_scheduler_settings settings;

	memset(&w, 0, sizeof(w));
	w.r.state = seed;
	if (!workload_machine(&w.m, machine, strategy))
		return;
	snprintf(context, sizeof(context), "%s %s seed %llu", machine,
		 strategy->name, (unsigned long long)seed);
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("conservative");
	settings.order_by_priority = random_percent(&w.r, 25);
	w.exact = random_percent(&w.r, 15);
	w.ladders = random_percent(&w.r, 20);
	w.outages = random_percent(&w.r, 20);
	w.withdrawals = random_percent(&w.r, 25);
	w.confined = random_percent(&w.r, 25) ? 50 : 0;
	w.kept_out = random_percent(&w.r, 30) ? 60 : 0;
	w.s = torus_state_create(&w.m);
	assert_non_null(w.s);
	w.timeless = torus_state_timeless(w.s);
	w.scheduler = torus_scheduler_create(w.s, &settings, NULL);
	assert_non_null(w.scheduler);
	run(&w);
	torus_scheduler_destroy(w.scheduler);
	torus_state_destroy(w.s);
	torus_machine_free(&w.m);
}

static void conservative_agrees_with_brute_force(void **state)
{
	(void)state;
	workload_each(random_seed("prop_conservative"), random_effort(4, 100),
		      run_case);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conservative_agrees_with_brute_force),
	};

	return workload_end(cmocka_run_group_tests(tests, NULL, NULL), context);
}
