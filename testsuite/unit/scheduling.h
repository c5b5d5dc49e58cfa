/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine with a scheduler, and short ways to submit, to pass and to end, for
 * tests on workloads small enough to work out by hand. */
#ifndef TESTSUITE_SCHEDULING_H
#define TESTSUITE_SCHEDULING_H

#include "torus/discipline.h"
#include "unit.h"

#define SCHEDULING_JOBS 80

struct world {
	struct torus_machine m;
	struct torus_state *s;
	struct torus_scheduler_settings settings;
	struct torus_scheduler *scheduler;
	struct torus_job job[SCHEDULING_JOBS];
	struct torus_alternative alternative[SCHEDULING_JOBS][3];
	uint32_t jobs;
	int64_t wake;
};

UNIT_HELPER struct world *create(const char *machine, const char *strategy,
				 const char *discipline)
{
	struct world *w = calloc(1, sizeof(*w));
	struct torus_error err = { 0 };

	assert_non_null(w);
	w->m = unit_machine(machine, strategy);
	w->s = torus_state_create(&w->m);
	assert_non_null(w->s);
	torus_scheduler_defaults(&w->settings);
	w->settings.discipline = torus_discipline_find(discipline);
	assert_non_null(w->settings.discipline);
	w->scheduler = torus_scheduler_create(w->s, &w->settings, &err);
	if (!w->scheduler)
		fail_msg("%s", err.text);
	return w;
}

/* Another scheduler with the settings as they are now. */
UNIT_HELPER void configure(struct world *w)
{
	torus_scheduler_destroy(w->scheduler);
	w->scheduler = torus_scheduler_create(w->s, &w->settings, NULL);
	assert_non_null(w->scheduler);
}

UNIT_HELPER void destroy(struct world *w)
{
	struct torus_error err = { 0 };

	if (!torus_state_check(w->s, &err))
		fail_msg("%s", err.text);
	torus_scheduler_destroy(w->scheduler);
	torus_state_destroy(w->s);
	torus_machine_free(&w->m);
	free(w);
}

/* A job that waits to be submitted: a shape or a node count, and a limit. */
UNIT_HELPER struct torus_job *job(struct world *w, const char *what,
				  int64_t limit)
{
	struct torus_job *j = &w->job[w->jobs];

	j->request.alternative = w->alternative[w->jobs];
	j->id = w->jobs++;
	j->request.alternatives = 1;
	j->request.alternative[0].ask = strchr(what, 'x') ?
						unit_shape(what, NULL, true) :
						unit_count((uint32_t)atoi(what),
							   'N');
	j->limit_us = limit;
	j->deadline_us = TORUS_NO_TIME;
	return j;
}

UNIT_HELPER struct torus_job *submit(struct world *w, const char *what,
				     int64_t limit, int64_t now)
{
	struct torus_job *j = job(w, what, limit);

	j->submit_us = now;
	assert_int_equal(torus_scheduler_submit(w->scheduler, j, now, NULL), 0);
	return j;
}

/* Somebody else's hold on a region of the first torus. */
UNIT_HELPER void hold(struct world *w, const char *region, int64_t end_us)
{
	const struct torus *t = &w->m.pod[0].torus;
	struct torus_placement place = { .axes = 1 };
	uint64_t nodes[64];

	assert_int_equal(torus_region_parse(&place.region, &place.scattered,
					    nodes, t, region, NULL),
			 0);
	place.granted = torus_region_nodes(&place.region, t);
	assert_true(torus_state_commit(w->s, &place, 99, NULL, 0, end_us,
				       NULL) != TORUS_NO_SLOT);
}

/* One pass: the numbers of the jobs that it started ("0 2"), in order. */
UNIT_HELPER const char *pass(struct world *w, int64_t now)
{
	static char text[1024];
	size_t used = 0;
	struct torus_job *j = torus_scheduler_pass(w->scheduler, now, &w->wake);

	text[0] = '\0';
	for (; j; j = j->decided) {
		assert_int_equal(j->state, TORUS_JOB_RUNNING);
		assert_int_equal(j->start_us, now);
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%llu", used ? " " : "",
					 (unsigned long long)j->id);
		assert_true(used < sizeof(text));
	}
	return text;
}

UNIT_HELPER const char *end(struct world *w, uint32_t i, int64_t now)
{
	torus_scheduler_end(w->scheduler, &w->job[i], now);
	assert_int_equal(w->job[i].state, TORUS_JOB_DONE);
	return pass(w, now);
}

#endif
