/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Planning and scheduling with the n-th allocation failing, for every n: a
 * creation says ENOMEM and leaves no block behind; a pass does less, but loses
 * no job, and the next one makes up for it. And: once as much ran and waited,
 * nothing is allocated any more.
 *
 * Linked with --wrap=torus_alloc, --wrap=torus_realloc, --wrap=torus_free.
 */
#include "failing.h"
#include "unit.h"

#include "torus/discipline.h"

#define JOBS 100

static const struct {
	const char *machine, *strategy;
} machines[] = {
	{ "flat:40", "flat" },
	{ "4x4x4", "submesh" },
	{ "8x4:MT", "semitorus-nep" },
	{ "2^6", "subcube-buddy" },
};

static bool suits(const struct torus_machine *m,
		  const struct torus_discipline *d)
{
	struct torus_scheduler_settings settings;

	torus_scheduler_defaults(&settings);
	return !d->supports || d->supports(m, &settings, NULL) == 0;
}

struct world {
	struct torus_machine m;
	struct torus_state *s;
	struct torus_scheduler *scheduler;
	struct torus_job job[JOBS];
	struct torus_alternative alternative[JOBS];
	bool running[JOBS];
};

static void make_jobs(struct world *w)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		struct torus_job *j = &w->job[i];

		memset(j, 0, sizeof(*j));
		w->running[i] = false;
		j->id = i;
		j->submit_us = i / 2;
		j->limit_us = 5 + i * 7 % 31;
		j->deadline_us = TORUS_NO_TIME;
		j->request = torus_job_request_count(&w->alternative[i],
						     1 + i * 11 % 13);
	}
}

/* Replay the jobs; they must all run, however often memory is short. Every
 * third ends before it said. */
static void replay(struct world *w, int64_t from)
{
	uint32_t submitted = 0, ended = 0;
	int64_t wake;

	for (int64_t now = 0; ended < JOBS; now++) {
		assert_true(now < 5000);
		for (uint32_t i = 0; i < JOBS; i++) {
			struct torus_job *j = &w->job[i];

			if (!w->running[i] ||
			    from + now < j->start_us + j->limit_us -
						 (i % 3 == 0 ? 3 : 0))
				continue;
			torus_scheduler_end(w->scheduler, j, from + now);
			w->running[i] = false;
			ended++;
		}
		for (; submitted < JOBS && w->job[submitted].submit_us == now;
		     submitted++) {
			w->job[submitted].submit_us += from;
			assert_int_equal(torus_scheduler_submit(w->scheduler,
								&w->job[submitted],
								from + now,
								NULL),
					 0);
		}
		for (struct torus_job *j =
			     torus_scheduler_pass(w->scheduler, from + now,
						  &wake);
		     j; j = j->decided)
			w->running[j->id] = true;
	}
	assert_int_equal(torus_scheduler_queue(w->scheduler)->length, 0);
}

/* Everything from the start, the n-th allocation failing. True if it was
 * reached. */
static bool run_once(struct world *w, const struct torus_discipline *d, long n)
{
	struct torus_scheduler_settings settings;
	struct torus_error err = { 0 };

	torus_scheduler_defaults(&settings);
	settings.discipline = d;
	w->s = torus_state_create(&w->m);
	assert_non_null(w->s);
	fail_at = n;
	errno = 0;
	w->scheduler = torus_scheduler_create(w->s, &settings, &err);
	if (w->scheduler) {
		make_jobs(w);
		replay(w, 0);
	} else {
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(fail_at, -1);
	}
	n = fail_at;
	fail_at = -1;
	if (!torus_state_check(w->s, &err))
		fail_msg("%s", err.text);
	torus_scheduler_destroy(w->scheduler);
	torus_state_destroy(w->s);
	return n < 0;
}

static void test_nth_fails(void **state)
{
	static struct world w;
	const struct torus_discipline *const *d;

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		for (d = torus_disciplines(); *d; d++) {
			long before = blocks, n = 0;

			w.m = unit_machine(machines[i].machine,
					   machines[i].strategy);
			while (suits(&w.m, *d) && run_once(&w, *d, n))
				n++;
			assert_true(n > 4 || !suits(&w.m, *d));
			torus_machine_free(&w.m);
			assert_int_equal(blocks, before);
		}
	}
}

/* The second time the same jobs come, all room is there. */
static void equal_work_allocates_nothing_new(void **state)
{
	static struct world w;
	struct torus_scheduler_settings settings;
	const struct torus_discipline *const *d;

	(void)state;
	torus_scheduler_defaults(&settings);
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		for (d = torus_disciplines(); *d; d++) {
			unsigned long before;

			w.m = unit_machine(machines[i].machine,
					   machines[i].strategy);
			if (!suits(&w.m, *d)) {
				torus_machine_free(&w.m);
				continue;
			}
			w.s = torus_state_create(&w.m);
			assert_non_null(w.s);
			settings.discipline = *d;
			w.scheduler = torus_scheduler_create(w.s, &settings,
							     NULL);
			assert_non_null(w.scheduler);
			make_jobs(&w);
			replay(&w, 0);
			before = calls;
			make_jobs(&w);
			replay(&w, 10000);
			assert_int_equal(calls, before);
			torus_scheduler_destroy(w.scheduler);
			torus_state_destroy(w.s);
			torus_machine_free(&w.m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nth_fails),
		cmocka_unit_test(equal_work_allocates_nothing_new),
	};

	return UNIT_RUN(tests);
}
