/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the real-time disciplines: the stacking rule, windows against
 * earliest available times, bookings when estimates were wrong, preemption.
 */
#include "discipline/timetable.h"
#include "unit.h"

/* Sub-cubes */

struct cube {
	struct torus_machine m;
	struct torus_state *s;
	struct torus_plan *p;
	struct torus_timetable t;
	struct torus_job job;
	struct torus_alternative alternative;
};

static void setup(struct cube *c)
{
	memset(c, 0, sizeof(*c));
	c->m = unit_machine("2^3", "subcube-buddy");
	c->s = torus_state_create(&c->m);
	c->p = torus_plan_create(c->s);
	assert_int_equal(torus_timetable_init(&c->t, c->s, c->p, TORUS_PLANS),
			 0);
	assert_true(c->t.cubic);
}

static void teardown(struct cube *c)
{
	torus_timetable_free(&c->t);
	torus_plan_destroy(c->p);
	torus_state_destroy(c->s);
	torus_machine_free(&c->m);
}

/* "base at start" of a job of n nodes for 10; "none". */
static const char *ask(struct cube *c, uint32_t n, enum torus_choice choice,
		       bool eat, int64_t latest, bool keep)
{
	static char text[32];
	struct torus_query q = { .job = &c->job,
				 .latest_us = latest,
				 .length_us = 10,
				 .choice = choice,
				 .eat = eat };
	uint8_t level[8];
	uint32_t booking;

	c->job.request = torus_job_request_count(&c->alternative, n);
	memcpy(level, c->t.cubes.level, sizeof(level));
	if (torus_timetable_place(&c->t, &q, &booking) != TORUS_FITS)
		return "none";
	snprintf(text, sizeof(text), "%u at %d",
		 torus_index(&c->m.pod[0].torus,
			     torus_timetable_where(&c->t, booking)->region.base),
		 (int)c->t.booking[booking].start_us);
	if (keep)
		return text;
	torus_timetable_cancel(&c->t, booking);
	memcpy(c->t.cubes.level, level, sizeof(level));
	return text;
}

static void each_choice_takes_its_place(void **state)
{
	const enum torus_choice E = TORUS_CHOICE_EARLIEST,
				F = TORUS_CHOICE_FIRST_FIT,
				S = TORUS_CHOICE_STACKING;
	struct cube c;

	(void)state;
	setup(&c);
	/* All cost two levels: the lowest. Then there are pieces 0-1, 2-3 and
	 * 4-7, and 2-3 costs nothing. */
	assert_string_equal(ask(&c, 2, S, false, 50, true), "0 at 0");
	assert_string_equal(ask(&c, 2, S, false, 50, true), "2 at 0");
	/* Stacked upon the first rather than cut from 4-7, if there is time. */
	assert_string_equal(ask(&c, 2, S, false, 50, false), "0 at 10");
	assert_string_equal(ask(&c, 2, S, false, 9, false), "4 at 0");
	assert_string_equal(ask(&c, 2, F, false, 50, false), "0 at 10");
	assert_string_equal(ask(&c, 2, F, false, 9, false), "4 at 0");
	assert_string_equal(ask(&c, 2, E, false, 50, false), "4 at 0");
	/* One level of splitting costs as much as one of coalescing. */
	assert_string_equal(ask(&c, 4, S, false, 50, false), "4 at 0");
	assert_string_equal(ask(&c, 1, S, false, 50, false), "0 at 10");
	assert_string_equal(ask(&c, 8, S, false, 9, false), "none");
	assert_string_equal(ask(&c, 8, S, false, 10, true), "0 at 10");
	/* Now that all is one piece again, windows and open ends differ. */
	assert_string_equal(ask(&c, 4, S, false, 50, false), "4 at 0");
	assert_string_equal(ask(&c, 4, S, true, 50, false), "0 at 20");
	assert_string_equal(ask(&c, 4, S, true, 19, false), "none");
	teardown(&c);
}

static void nodes_out_of_service_are_not_booked(void **state)
{
	uint64_t out = 1u << 1 | 1u << 4;
	struct cube c;

	(void)state;
	setup(&c);
	torus_state_out(c.s, &out);
	assert_string_equal(ask(&c, 2, TORUS_CHOICE_FIRST_FIT, false, 9, false),
			    "2 at 0");
	assert_string_equal(ask(&c, 4, TORUS_CHOICE_FIRST_FIT, false, 9, false),
			    "none");
	teardown(&c);
}

/* A host */

struct world {
	struct torus_machine m;
	struct torus_state *s;
	struct torus_scheduler *scheduler;
	struct torus_scheduler_settings settings;
	struct torus_job job[8];
	struct torus_alternative alternative[8];
	uint32_t jobs;
	int64_t wake;
};

static void begin(struct world *w, const char *machine, const char *strategy,
		  const char *discipline)
{
	memset(w, 0, sizeof(*w));
	w->m = unit_machine(machine, strategy);
	w->s = torus_state_create(&w->m);
	torus_scheduler_defaults(&w->settings);
	w->settings.discipline = torus_discipline_find(discipline);
	assert_non_null(w->settings.discipline);
}

static void option(struct world *w, const char *key, const char *value)
{
	struct torus_options *o = &w->settings.options;

	snprintf(o->item[o->used].key, TORUS_OPTION_KEY, "%s", key);
	snprintf(o->item[o->used++].value, TORUS_OPTION_VALUE, "%s", value);
}

static void create(struct world *w)
{
	struct torus_error err = { 0 };

	w->scheduler = torus_scheduler_create(w->s, &w->settings, &err);
	if (!w->scheduler)
		fail_msg("%s", err.text);
}

static void finish(struct world *w)
{
	torus_scheduler_destroy(w->scheduler);
	torus_state_destroy(w->s);
	torus_machine_free(&w->m);
}

/* deadline < 0: none */
static struct torus_job *submit(struct world *w, int64_t now, uint32_t nodes,
				int64_t limit, int64_t deadline)
{
	struct torus_job *job = &w->job[w->jobs];

	job->request = torus_job_request_count(&w->alternative[w->jobs], nodes);
	job->id = w->jobs++;
	job->submit_us = now;
	job->limit_us = limit;
	job->deadline_us = deadline < 0 ? TORUS_NO_TIME : deadline;
	assert_int_equal(torus_scheduler_submit(w->scheduler, job, now, NULL),
			 0);
	return job;
}

static struct torus_job *pass(struct world *w, int64_t now)
{
	struct torus_job *first = torus_scheduler_pass(w->scheduler, now,
						       &w->wake);

	assert_true(w->wake > now);
	return first;
}

/* The answer waits for the trigger, wakes for it, and comes in a batch. */
static void answers_wait_for_the_trigger_and_come_together(void **state)
{
	struct world w;
	struct torus_job *a, *b;

	(void)state;
	begin(&w, "flat:4", "flat", "dedf");
	w.settings.mean_hold_us = 10;
	create(&w);
	a = submit(&w, 0, 4, 5, 45); /* latest start 40 */
	assert_null(pass(&w, 0));
	assert_int_equal(w.wake, 30);
	assert_false(a->admitted);
	b = submit(&w, 7, 4, 5, 25); /* latest start 20: trigger at 10 */
	assert_null(pass(&w, 7));
	assert_int_equal(w.wake, 10);
	assert_ptr_equal(pass(&w, 10), b);
	assert_int_equal(b->state, TORUS_JOB_RUNNING);
	assert_true(a->admitted);
	assert_int_equal(a->start_us, 15);
	assert_int_equal(w.wake, 15);
	assert_int_equal(torus_scheduler_stats(w.scheduler)->batches, 1);
	assert_int_equal(torus_scheduler_stats(w.scheduler)->answered, 2);
	finish(&w);
}

/* A batch that takes more windows than a pass may look for: those with the
 * earliest deadlines first, the others in the next pass. */
static void a_cut_batch_continues_in_the_next_pass(void **state)
{
	struct world w;
	struct torus_job *a, *b, *c;

	(void)state;
	begin(&w, "flat:4", "flat", "dedf");
	option(&w, "arrival_queue", "3");
	option(&w, "windows_per_pass", "2");
	create(&w);
	c = submit(&w, 0, 4, 5, 4000000);
	b = submit(&w, 0, 4, 5, 3000000);
	a = submit(&w, 0, 4, 5, 10);
	pass(&w, 0);
	assert_int_equal(a->state, TORUS_JOB_RUNNING);
	assert_int_equal(b->start_us, 5);
	assert_false(c->admitted);
	assert_int_equal(w.wake, 5);
	torus_scheduler_end(w.scheduler, a, 5);
	pass(&w, 5);
	assert_int_equal(b->state, TORUS_JOB_RUNNING);
	assert_true(c->admitted);
	assert_int_equal(c->start_us, 10);
	assert_int_equal(torus_scheduler_stats(w.scheduler)->batches, 1);
	assert_int_equal(torus_scheduler_stats(w.scheduler)->answered, 3);
	finish(&w);

	/* one is answered in any case; the next a second later */
	begin(&w, "flat:4", "flat", "dedf");
	option(&w, "arrival_queue", "2");
	w.settings.windows = 1;
	create(&w);
	a = submit(&w, 0, 4, 9000000, 9000000);
	b = submit(&w, 0, 4, 5, 20000000);
	pass(&w, 0);
	assert_int_equal(a->state, TORUS_JOB_RUNNING);
	assert_false(b->admitted);
	assert_int_equal(w.wake, 1000000);
	pass(&w, w.wake);
	assert_int_equal(b->start_us, 9000000);
	finish(&w);
}

/* Bookings begin earlier when jobs do not last as long as they said. */
static void bookings_move_up_when_jobs_end_early(void **state)
{
	struct world w;
	struct torus_job *a, *b;

	(void)state;
	begin(&w, "flat:4", "flat", "dedf");
	create(&w);
	a = submit(&w, 0, 4, 20, 20);
	assert_ptr_equal(pass(&w, 0), a);
	b = submit(&w, 0, 4, 5, 5);
	assert_ptr_equal(pass(&w, 0), b);
	assert_int_equal(b->state, TORUS_JOB_REJECTED);
	option(&w, "arrival_queue", "1");
	finish(&w);

	begin(&w, "flat:4", "flat", "dedf");
	option(&w, "arrival_queue", "1");
	create(&w);
	a = submit(&w, 0, 4, 20, 20);
	pass(&w, 0);
	b = submit(&w, 1, 4, 5, 50);
	assert_null(pass(&w, 1));
	assert_int_equal(b->start_us, 20);
	torus_scheduler_end(w.scheduler, a, 8);
	assert_ptr_equal(pass(&w, 8), b);
	assert_int_equal(b->state, TORUS_JOB_RUNNING);
	finish(&w);
}

/* They move when jobs last longer; none is rejected for that. */
static void bookings_move_back_when_jobs_run_long(void **state)
{
	struct world w;
	struct torus_job *a, *b, *c;

	(void)state;
	begin(&w, "flat:4", "flat", "dedf");
	option(&w, "arrival_queue", "1");
	create(&w);
	a = submit(&w, 0, 2, 10, 10);
	pass(&w, 0);
	b = submit(&w, 1, 4, 5, 16);
	pass(&w, 1);
	assert_int_equal(b->start_us, 10);
	assert_null(pass(&w, 10)); /* a should have ended */
	assert_int_equal(b->state, TORUS_JOB_QUEUED);
	assert_true(w.wake == TORUS_NO_TIME);
	c = submit(&w, 11, 2, 3, -1);
	assert_null(pass(&w, 11)); /* b has all nodes, any moment now */
	torus_scheduler_end(w.scheduler, a, 30);
	assert_ptr_equal(pass(&w, 30), b);
	assert_int_equal(b->state, TORUS_JOB_RUNNING);
	assert_int_equal(c->state, TORUS_JOB_QUEUED);
	finish(&w);
}

/* Without sub-cubes: between a's end and b's begin there is a window of two
 * nodes, but nothing is free for good. */
static void windows_between_bookings_are_used(void **state)
{
	struct world w;
	struct torus_job *b, *c;

	(void)state;
	for (int eat = 0; eat < 2; eat++) {
		begin(&w, "flat:4", "flat", "dedf");
		option(&w, "arrival_queue", "1");
		option(&w, "eat", eat ? "true" : "false");
		create(&w);
		submit(&w, 0, 2, 4, 4);
		pass(&w, 0);
		b = submit(&w, 1, 4, 2, 8);
		pass(&w, 1);
		assert_int_equal(b->start_us, 4);
		c = submit(&w, 2, 2, 2, 4);
		assert_ptr_equal(pass(&w, 2), c);
		assert_int_equal(c->state,
				 eat ? TORUS_JOB_REJECTED : TORUS_JOB_RUNNING);
		finish(&w);
	}
}

/* A replanned booking still keeps its promise. */
static void a_replanned_booking_keeps_its_promise(void **state)
{
	static const char *const discipline[] = { "dedf", "dedf-replan" };
	struct world w;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct torus_job *a, *b, *c;

		begin(&w, "flat:4", "flat", discipline[i]);
		option(&w, "arrival_queue", "1");
		create(&w);
		a = submit(&w, 0, 4, 10, 10);
		pass(&w, 0);
		b = submit(&w, 1, 4, 5, 30); /* 10 to 15 */
		pass(&w, 1);
		assert_int_equal(b->start_us, 10);
		c = submit(&w, 2, 4, 5, 16); /* only 10 or 11 would do */
		pass(&w, 2);
		assert_int_equal(c->state,
				 i ? TORUS_JOB_QUEUED : TORUS_JOB_REJECTED);
		assert_int_equal(b->start_us, i ? 15 : 10);
		assert_true(b->admitted);
		assert_int_equal(a->state, TORUS_JOB_RUNNING);
		finish(&w);
	}
}

/* Preempted jobs keep their alternative and what they have done; nothing
 * starts until the overhead is over, not even beside them. */
static void preempted_jobs_keep_alternative_and_progress(void **state)
{
	struct world w;
	struct torus_job *a, *b, *c, *d;

	(void)state;
	begin(&w, "2^2", "subcube-buddy", "dedf");
	option(&w, "arrival_queue", "1");
	option(&w, "phase2", "true");
	option(&w, "preempt_overhead", "0.000002");
	create(&w);
	a = submit(&w, 0, 2, 20, -1); /* best effort, preempted all the same */
	assert_ptr_equal(pass(&w, 0), a);
	b = submit(&w, 5, 4, 4, 12);
	assert_ptr_equal(pass(&w, 5), a);
	assert_null(a->decided);
	assert_int_equal(a->state, TORUS_JOB_QUEUED);
	assert_true(a->preempted && a->admitted && b->admitted);
	assert_int_equal(a->limit_us, 15);
	assert_int_equal(b->start_us, 7);
	assert_int_equal(a->start_us, 11);
	assert_int_equal(torus_state_holds(w.s), 0);
	c = submit(&w, 5, 1, 1, -1);
	assert_null(pass(&w, 5));
	assert_int_equal(w.wake, 7);
	d = submit(&w, 6, 1, 1, 7);
	assert_ptr_equal(pass(&w, 6), d);
	assert_int_equal(d->state, TORUS_JOB_REJECTED);
	assert_ptr_equal(pass(&w, 7), b);
	torus_scheduler_end(w.scheduler, b, 11);
	assert_ptr_equal(pass(&w, 11), a);
	assert_ptr_equal(a->decided, c);
	finish(&w);
}

static void impossible_options_are_refused(void **state)
{
	static const struct {
		const char *machine, *strategy, *discipline, *key, *value;
		bool no_preemption;
		const char *why;
	} row[] = {
		{ "4x4", "submesh", "buddy-rt", NULL, NULL, false,
		  "subcube-buddy" },
		{ "2^4", "submesh", "stacking", NULL, NULL, false,
		  "subcube-buddy" },
		{ "2^4", "submesh", "dedf", "choice", "first-fit", false,
		  "subcube-buddy" },
		{ "4x4", "submesh", "dedf", "phase2", "true", true,
		  "preempted" },
		{ "4x4", "submesh", "dedf", "preempt_overhead", "2", false,
		  "phase2" },
		{ "4x4", "submesh", "dedf", "lead", "2", false, "lead" },
		{ "2^4", "subcube-buddy", "stacking", "eat", "true", false,
		  "eat" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_error err = { 0 };
		struct world w;

		begin(&w, row[i].machine, row[i].strategy, row[i].discipline);
		if (row[i].key)
			option(&w, row[i].key, row[i].value);
		w.settings.no_preemption = row[i].no_preemption;
		assert_null(torus_scheduler_create(w.s, &w.settings, &err));
		assert_non_null(strstr(err.text, row[i].why));
		finish(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_choice_takes_its_place),
		cmocka_unit_test(nodes_out_of_service_are_not_booked),
		cmocka_unit_test(answers_wait_for_the_trigger_and_come_together),
		cmocka_unit_test(a_cut_batch_continues_in_the_next_pass),
		cmocka_unit_test(bookings_move_up_when_jobs_end_early),
		cmocka_unit_test(bookings_move_back_when_jobs_run_long),
		cmocka_unit_test(windows_between_bookings_are_used),
		cmocka_unit_test(a_replanned_booking_keeps_its_promise),
		cmocka_unit_test(preempted_jobs_keep_alternative_and_progress),
		cmocka_unit_test(impossible_options_are_refused),
	};

	return UNIT_RUN(tests);
}
