/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real-time disciplines on random workloads and small machines, with every
 * strategy that they support and random options.
 *
 * A little host plays each workload, keeps its own map of who holds which node,
 * and preempts where it is told to. After each pass:
 *
 * - no job runs on a node that another holds, that is out of service or not
 *   allowed to it, nor before its submit, nor again for longer than what was
 *   left of it;
 * - reservations and running jobs share no node at any instant, as far as is
 *   known; while estimates hold every admitted job has one, in time;
 * - whoever was admitted is never rejected; jobs without a deadline never are;
 * - no answer is late: who waits for one can still make it, would not be
 *   answered yet by the mean hold time, and is one of too few to fill the
 *   arrival queue;
 * - a random job that would be accepted by the earliest available time would
 *   be accepted by windows, and starts no later (but with strategies that
 *   remember, whose places in windows may be refused).
 *
 * At the end everybody else has run as long as it had to; while estimates
 * hold, by its deadline. The same workload gives the same schedule again.
 */
#include "torus/plan.h"
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "discipline/timetable.h"
#include "torus/discipline.h"
#include "workload.h"

#define JOBS 40

struct world {
	struct random r;
	struct torus_machine m;
	struct torus_state *s;
	struct torus_scheduler *scheduler;
	struct torus_scheduler_settings settings;
	bool estimates_hold; /* no job runs longer than it said */
	bool exact;          /* nor shorter (a job of no length is planned to
				take its instant) */
	bool outages;
	bool withdrawals;
	bool ladders;
	bool restricted;   /* to some nodes are some jobs */
	uint32_t arrivals; /* the option arrival_queue, or 0 */
	int64_t lead;      /* from the answer to the latest start */
	struct torus_job job[JOBS];
	struct torus_alternative requested[JOBS][3]; /* of the jobs */
	int64_t run[JOBS];                           /* what is left */
	int64_t began[JOBS], end[JOBS]; /* TORUS_NO_TIME: not running */
	bool admitted[JOBS];
	uint32_t alternative[JOBS]; /* of the latest start */
	uint64_t nodes[JOBS][WORKLOAD_WORDS];
	uint64_t busy[WORKLOAD_WORDS], out[WORKLOAD_WORDS];
	uint64_t allowed[WORKLOAD_WORDS]; /* of every third job */
	uint32_t submitted, over;
	uint64_t hash;
};

static char context[200];

static bool keeps_promises(const struct world *w)
{
	if (w->outages)
		return false;
	/* Trees may be cut otherwise when pieces come back early, or are not
	 * taken at all. */
	return torus_state_timeless(w->s) ? w->estimates_hold :
					    w->exact && !w->withdrawals;
}

/* Options */

static void option(struct world *w, const char *key, const char *value)
{
	struct torus_options *o = &w->settings.options;

	snprintf(o->item[o->used].key, TORUS_OPTION_KEY, "%s", key);
	snprintf(o->item[o->used].value, TORUS_OPTION_VALUE, "%s", value);
	o->used++;
}

static bool knows(const struct torus_discipline *d, const char *key)
{
	for (const struct torus_option_help *h = d->options; h->key; h++) {
		if (strcmp(h->key, key) == 0)
			return true;
	}
	return false;
}

static void choose_options(struct world *w)
{
	static const char *const choice[] = { "stacking", "first-fit",
					      "earliest" };
	const struct torus_discipline *d = w->settings.discipline;
	char text[16];

	w->lead = 0;
	if (d->defers) {
		w->settings.mean_hold_us = 2 * random_below(&w->r, 12);
		w->lead = w->settings.mean_hold_us;
	}
	if (strcmp(d->name, "dedf-replan") == 0)
		w->lead = w->lead * 3 / 2;
	if (knows(d, "arrival_queue") && random_percent(&w->r, 40)) {
		w->arrivals = 1 + random_below(&w->r, 5);
		snprintf(text, sizeof(text), "%u", w->arrivals);
		option(w, "arrival_queue", text);
	}
	if (knows(d, "windows") && random_percent(&w->r, 40))
		option(w, "windows", "eat");
	if (knows(d, "choice") && random_percent(&w->r, 50))
		option(w, "choice",
		       choice[torus_cubes_suit(&w->m) ? random_below(&w->r, 3) :
							2]);
	if (random_percent(&w->r, 40)) {
		option(w, "phase2", "true");
		snprintf(text, sizeof(text), "0.00000%u",
			 random_below(&w->r, 4));
		if (random_percent(&w->r, 70))
			option(w, "preempt_overhead", text);
	}
}

/* Checks */

static void check_reservations(struct world *w, int64_t now)
{
	struct torus_plan *p = torus_scheduler_plan(w->scheduler);
	struct torus_job *job = torus_scheduler_queue(w->scheduler)->head, *j;
	uint64_t mine[WORKLOAD_WORDS], other[WORKLOAD_WORDS];

	for (; job; job = job->next) {
		const struct torus_reservation *r, *q;

		if (job->reservation == UINT32_MAX)
			continue;
		r = torus_plan_reservation(p, job->reservation);
		assert_ptr_equal(r->owner, job);
		assert_true(r->start_us > now);
		assert_true(r->start_us == job->start_us);
		workload_paint(&w->m, &r->place, mine);
		for (j = job->next; j; j = j->next) {
			if (j->reservation == UINT32_MAX)
				continue;
			q = torus_plan_reservation(p, j->reservation);
			workload_paint(&w->m, &q->place, other);
			assert_false(torus_bits_meet(mine, other, w->m.words) &&
				     r->start_us < q->end_us &&
				     q->start_us < r->end_us);
		}
		for (uint32_t k = 0; k < torus_state_holds(w->s); k++) {
			const struct torus_hold *h =
				torus_state_hold(w->s,
						 torus_state_by_end(w->s, k));

			workload_paint(&w->m, &h->place, other);
			assert_false(torus_bits_meet(mine, other, w->m.words) &&
				     h->end_us > now && r->start_us < h->end_us);
		}
	}
}

static void check_queue(struct world *w, int64_t now)
{
	struct torus_job *job = torus_scheduler_queue(w->scheduler)->head;
	uint32_t waiting = 0;
	int64_t first = TORUS_NO_TIME;

	for (; job; job = job->next) {
		int64_t latest = job->deadline_us - job->limit_us;

		assert_int_equal(job->state, TORUS_JOB_QUEUED);
		if (job->admitted) {
			w->admitted[job->id] = true;
			if (keeps_promises(w)) {
				assert_true(job->reservation != UINT32_MAX);
				assert_true(job->start_us <= latest);
			}
			continue;
		}
		assert_false(w->admitted[job->id]);
		assert_true(job->reservation == UINT32_MAX);
		if (job->deadline_us == TORUS_NO_TIME)
			continue;
		waiting++;
		first = latest < first ? latest : first;
	}
	if (waiting == 0)
		return;
	assert_true(w->settings.discipline->defers);
	assert_true(first - w->lead > now);
	assert_true(w->arrivals == 0 || waiting < w->arrivals);
}

/* The scheduler's timetable, copied. */
static void copy_bookings(struct world *w, struct torus_timetable *t)
{
	struct torus_plan *p = torus_scheduler_plan(w->scheduler);
	struct torus_job *job = torus_scheduler_queue(w->scheduler)->head;

	for (; job; job = job->next) {
		const struct torus_reservation *r;
		struct torus_window window;

		if (job->reservation == UINT32_MAX)
			continue;
		r = torus_plan_reservation(p, job->reservation);
		window.alternative = job->alternative;
		window.when_us = r->start_us;
		window.place = r->place;
		assert_true(torus_timetable_book(t, job, &window,
						 r->end_us - r->start_us) !=
			    TORUS_NO_BOOKING);
	}
}

static void check_windows(struct world *w, int64_t now)
{
	struct torus_state *s = torus_state_twin(w->s);
	struct torus_plan *p = torus_plan_create(s);
	struct torus_timetable t = { 0 };
	struct torus_alternative alternative = { 0 };
	struct torus_job job = { .submit_us = now,
				 .request = { .alternative = &alternative,
					      .alternatives = 1 } };
	struct torus_query q = { .job = &job,
				 .now_us = now,
				 .from_us = now,
				 .latest_us = now + random_below(&w->r, 40),
				 .length_us = 1 + random_below(&w->r, 20),
				 .eat = true };
	uint32_t booking;
	int64_t when;

	assert_int_equal(torus_timetable_init(&t, s, p, TORUS_PLANS), 0);
	copy_bookings(w, &t);
	alternative.ask = workload_ask(&w->r, &w->m);
	q.choice = torus_cubes_suit(&w->m) ?
			   (enum torus_choice)random_below(&w->r, 3) :
			   TORUS_CHOICE_EARLIEST;
	if (torus_timetable_place(&t, &q, &booking) == TORUS_FITS) {
		when = t.booking[booking].start_us;
		torus_timetable_cancel(&t, booking);
		q.eat = false;
		assert_int_equal(torus_timetable_place(&t, &q, &booking),
				 TORUS_FITS);
		if (q.choice == TORUS_CHOICE_EARLIEST && torus_state_timeless(s))
			assert_true(t.booking[booking].start_us <= when);
	}
	torus_timetable_free(&t);
	torus_plan_destroy(p);
	torus_state_destroy(s);
}

/* The host */

static void hash(struct world *w, uint64_t value)
{
	w->hash = (w->hash ^ value) * UINT64_C(0x100000001b3);
}

static void note_start(struct world *w, struct torus_job *job, int64_t now)
{
	const struct torus_hold *h = torus_state_hold(w->s, job->slot);
	uint64_t *nodes = w->nodes[job->id];

	assert_true(now >= job->submit_us);
	assert_true(job->start_us == now);
	assert_true(torus_job_accepts(job, job->alternative, now));
	assert_ptr_equal(h->owner, job);
	assert_true(w->end[job->id] == TORUS_NO_TIME);
	workload_paint(&w->m, &h->place, nodes);
	assert_false(torus_bits_meet(nodes, w->busy, w->m.words));
	assert_false(torus_bits_meet(nodes, w->out, w->m.words));
	assert_true(!job->allowed ||
		    torus_bits_subset(nodes, job->allowed, w->m.words));
	torus_bits_or(w->busy, nodes, w->m.words);
	assert_true(!job->preempted ||
		    job->alternative == w->alternative[job->id]);
	w->alternative[job->id] = job->alternative;
	w->began[job->id] = now;
	w->end[job->id] = now + w->run[job->id];
	hash(w, job->id);
	hash(w, (uint64_t)now);
	hash(w, nodes[0]);
}

static void note_preempted(struct world *w, struct torus_job *job, int64_t now)
{
	int64_t done = now - w->began[job->id];

	assert_true(w->end[job->id] != TORUS_NO_TIME);
	assert_true(job->admitted && job->preempted);
	torus_bits_andnot(w->busy, w->nodes[job->id], w->m.words);
	w->run[job->id] -= done;
	assert_true(w->run[job->id] >= 0);
	w->end[job->id] = TORUS_NO_TIME;
	w->admitted[job->id] = true;
}

static void end_jobs(struct world *w, int64_t now)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		if (w->end[i] != now)
			continue;
		w->end[i] = TORUS_NO_TIME;
		torus_scheduler_end(w->scheduler, &w->job[i], now);
		torus_bits_andnot(w->busy, w->nodes[i], w->m.words);
		if (keeps_promises(w))
			assert_true(now <= w->job[i].deadline_us);
		w->over++;
	}
}

static void submit_jobs(struct world *w, int64_t now)
{
	for (; w->submitted < JOBS && w->job[w->submitted].submit_us == now;
	     w->submitted++) {
		if (torus_scheduler_submit(w->scheduler, &w->job[w->submitted],
					   now, NULL))
			w->over++;
	}
}

static void disturb(struct world *w, int64_t now)
{
	struct torus_queue *q = torus_scheduler_queue(w->scheduler);
	struct torus_job *job = q->head;

	if (w->withdrawals && job && random_percent(&w->r, 10)) {
		for (uint32_t n = random_below(&w->r, 3); job->next && n; n--)
			job = job->next;
		torus_scheduler_remove(w->scheduler, job, now);
		w->over++;
	}
	if (!w->outages || !random_percent(&w->r, 15))
		return;
	workload_nodes(&w->r, &w->m, random_below(&w->r, 30), w->out);
	if (w->submitted == JOBS)
		torus_bits_zero(w->out, w->m.words);
	torus_bits_andnot(w->out, w->busy, w->m.words);
	torus_state_out(w->s, w->out);
	torus_scheduler_change(w->scheduler, now);
}

/* True: jobs were preempted. */
static bool pass(struct world *w, int64_t now, int64_t *wake)
{
	struct torus_job *job = torus_scheduler_pass(w->scheduler, now, wake);
	bool preempted = false;

	assert_true(*wake > now);
	for (; job; job = job->decided) {
		if (job->state == TORUS_JOB_RUNNING) {
			note_start(w, job, now);
		} else if (job->state == TORUS_JOB_QUEUED) {
			note_preempted(w, job, now);
			preempted = true;
		} else {
			assert_int_equal(job->state, TORUS_JOB_REJECTED);
			assert_false(w->admitted[job->id]);
			assert_true(job->deadline_us != TORUS_NO_TIME);
			assert_non_null(job->reason);
			hash(w, job->id + 1000);
			w->over++;
		}
	}
	return preempted;
}

static int64_t instant(struct world *w, int64_t now)
{
	struct torus_error err = { 0 };
	int64_t wake;

	end_jobs(w, now);
	submit_jobs(w, now);
	disturb(w, now);
	while (pass(w, now, &wake))
		;
	check_reservations(w, now);
	check_queue(w, now);
	if (random_percent(&w->r, 30))
		check_windows(w, now);
	if (!torus_state_check(w->s, &err))
		fail_msg("%s", err.text);
	return wake;
}

static int64_t next_event(const struct world *w, int64_t wake)
{
	int64_t next = wake;

	if (w->submitted < JOBS && w->job[w->submitted].submit_us < next)
		next = w->job[w->submitted].submit_us;
	for (uint32_t i = 0; i < JOBS; i++)
		next = w->end[i] < next ? w->end[i] : next;
	return next;
}

/* Workloads */

static void make_jobs(struct world *w)
{
	uint32_t gap = 1 + random_below(&w->r, 8);
	uint32_t longest = 4 + random_below(&w->r, 20);
	uint32_t laxity = 1 + random_below(&w->r, 60);
	int64_t t = 0;

	for (uint32_t i = 0; i < JOBS; i++) {
		struct torus_job *job = &w->job[i];
		struct torus_job_request *request = &job->request;

		t += random_percent(&w->r, 40) ? 0 : random_below(&w->r, gap);
		request->alternative = w->requested[i];
		job->id = i;
		job->submit_us = t;
		job->priority = random_below(&w->r, 3);
		job->limit_us = random_below(&w->r, longest) +
				(w->exact && !torus_state_timeless(w->s));
		job->deadline_us = TORUS_NO_TIME;
		if (random_percent(&w->r, 75))
			job->deadline_us = t + job->limit_us - 2 +
					   random_below(&w->r, laxity);
		w->run[i] =
			w->estimates_hold ?
				job->limit_us -
					(!w->exact && random_percent(&w->r, 30) ?
						 random_below(&w->r,
							      (uint32_t)job->limit_us +
								      1) :
						 0) :
				random_below(&w->r, longest);
		w->end[i] = TORUS_NO_TIME;
		if (i % 3 == 0 && w->restricted)
			job->allowed = w->allowed;
		request->alternatives = w->ladders ?
						1 + random_below(&w->r, 3) :
						1;
		for (uint32_t k = 0; k < request->alternatives; k++) {
			request->alternative[k].ask = workload_ask(&w->r, &w->m);
			request->alternative[k].after_us =
				k ? request->alternative[k - 1].after_us +
						random_below(&w->r, 15) :
				    0;
		}
	}
}

/* Jobs that do not fit into the nodes allowed to them wait for ever. */
static void withdraw_restricted(struct world *w, int64_t now)
{
	struct torus_job *job = torus_scheduler_queue(w->scheduler)->head;
	struct torus_job *next;

	for (; job; job = next) {
		next = job->next;
		assert_false(job->admitted);
		assert_ptr_equal(job->allowed, w->allowed);
		torus_scheduler_remove(w->scheduler, job, now);
		w->over++;
	}
}

static void play(struct world *w)
{
	int64_t wake = TORUS_NO_TIME, now = 0;
	uint32_t instants = 0;

	make_jobs(w);
	while (w->over < JOBS) {
		now = next_event(w, wake);
		if (now == TORUS_NO_TIME && w->outages) {
			now = 1000000 + instants; /* the nodes come back */
			torus_bits_zero(w->out, w->m.words);
			torus_state_out(w->s, w->out);
			torus_scheduler_change(w->scheduler, now);
			if (w->restricted && instants > 100 * JOBS)
				withdraw_restricted(w, now);
		} else if (now == TORUS_NO_TIME && w->restricted) {
			withdraw_restricted(w, now);
			break;
		}
		assert_true(now != TORUS_NO_TIME);
		assert_true(instants++ < 200 * JOBS);
		wake = instant(w, now);
	}
	assert_int_equal(torus_scheduler_queue(w->scheduler)->length, 0);
	assert_int_equal(torus_state_holds(w->s), 0);
}

/* One workload; its schedule's hash, or 0 if strategy or discipline do not
 * suit the machine. */
static uint64_t run_case(const char *machine,
			 const struct torus_strategy *strategy,
			 const struct torus_discipline *discipline,
			 uint64_t seed)
{
	static struct world w;

	memset(&w, 0, sizeof(w));
	w.r.state = seed;
	w.hash = UINT64_C(0xcbf29ce484222325);
	if (!workload_machine(&w.m, machine, strategy))
		return 0;
	torus_scheduler_defaults(&w.settings);
	w.settings.discipline = discipline;
	w.settings.order_by_priority = random_percent(&w.r, 20);
	w.settings.index_at = random_below(&w.r, 5); /* 0: never, so short */
	choose_options(&w);
	w.exact = random_percent(&w.r, 40);
	w.estimates_hold = w.exact || random_percent(&w.r, 60);
	w.outages = random_percent(&w.r, 20);
	w.withdrawals = random_percent(&w.r, 25);
	w.ladders = random_percent(&w.r, 20);
	w.restricted = random_percent(&w.r, 25);
	workload_nodes(&w.r, &w.m, 80, w.allowed);
	snprintf(context, sizeof(context), "%s %s %s seed %llu%s%s", machine,
		 strategy->name, discipline->name, (unsigned long long)seed,
		 w.exact          ? " exact" :
		 w.estimates_hold ? "" :
				    " wrong estimates",
		 w.outages ? " outages" : "");
	w.s = torus_state_create(&w.m);
	assert_non_null(w.s);
	w.scheduler = torus_scheduler_create(w.s, &w.settings, NULL);
	if (w.scheduler)
		play(&w);
	else
		assert_int_not_equal(discipline->supports(&w.m, &w.settings,
							  NULL),
				     0);
	torus_scheduler_destroy(w.scheduler);
	torus_state_destroy(w.s);
	torus_machine_free(&w.m);
	return w.hash;
}

static void run_disciplines(const char *machine,
			    const struct torus_strategy *strategy, uint64_t seed)
{
	static const char *const disciplines[] = { "dedf", "dedf-replan",
						   "buddy-rt", "stacking" };

	for (uint32_t i = 0; i < 4; i++) {
		const struct torus_discipline *d = torus_discipline_find(
			disciplines[i]);
		uint64_t got = run_case(machine, strategy, d, seed);

		if (seed % 7 == 0)
			assert_true(run_case(machine, strategy, d, seed) == got);
	}
}

static void admitted_jobs_end_in_time(void **state)
{
	(void)state;
	workload_each(random_seed("prop_deadline"), random_effort(40, 50),
		      run_disciplines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(admitted_jobs_end_in_time),
	};

	return workload_end(cmocka_run_group_tests(tests, NULL, NULL), context);
}
