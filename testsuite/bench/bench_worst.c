/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worst that one user can ask of slurmctld: thousands of requests, no two
 * alike, of eight alternatives with as many axes as the machine has, on large
 * machines of which a third is in use. Per request, in processor time:
 *
 *	read		the words become a request
 *	submission	can the machine do each of them, ever?
 *	test		is there a place for one of them, now?
 *	snapshot	sched/torus takes the job over
 *	hold		test and snapshot of one job after another, until the
 *			agent (live/agent.h) yields its locks: the longest
 *
 * All of that is under slurmctld's locks. Goals: no call takes more than SEARCH_US
 * (10 ms), and what it takes to see that; no hold more than
 * AGENT_LOCK_HOLD_MAX_US (50 ms). Exit status 1 if one does, or if an answer is
 * neither FITS nor followed by the limit.
 *
 * usage: bench_worst [REQUESTS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/placement.h"
#include "torus/state_find.h"
#include "live/agent.h"
#include "live/cycle.h"
#include "live/mirror/waiting.h"
#include "live/base/lock_hold.h"
#include "torus/discipline.h"
#include "torus/request.h"
#include "bench.h"

#define REQUESTS 3000
#define ALTERNATIVES 8
#define SLACK_US 2000 /* a limit is polled between steps */
#define SECOND INT64_C(1000000)

static const struct scene {
	const char *machine;
	uint32_t axes, most; /* of a shape: how many, how long */
} scenes[] = {
	{ "4x4x4x4x4x4x4x4", 8, 4 },
	{ "64x32x32", 3, 32 },
};

struct world {
	const struct scene *scene;
	struct torus_machine m;
	struct torus_state *empty, *busy;
	struct cycle *cycle;
	uint32_t refused, cut;
	double hold_us, longest_hold_us; /* the present one; of all */
};

/* The times of one step. */
struct times {
	const char *name;
	double sum_us, longest_us;
};

static double times_add(struct times *t, double began_us)
{
	double us = bench_thread_us() - began_us;

	t->sum_us += us;
	if (us > t->longest_us)
		t->longest_us = us;
	return us;
}

/* The locks are yielded between jobs, as agent_yield_locks() does. */
static void hold_add(struct world *w, double us)
{
	w->hold_us += us;
	if (w->hold_us > w->longest_hold_us)
		w->longest_hold_us = w->hold_us;
	if (w->hold_us >= AGENT_LOCK_HOLD_US)
		w->hold_us = 0;
}

/* Eight shapes, the later ones acceptable at once, too. */
static void write_words(const struct scene *s, char *text, size_t size)
{
	size_t n = 0;

	for (uint32_t k = 0; k < ALTERNATIVES; k++) {
		for (uint32_t a = 0; a < s->axes; a++)
			n += (size_t)snprintf(text + n, size - n, "%s%u",
					      a ? "x" : "",
					      1 + bench_below(s->most));
		if (k)
			n += (size_t)snprintf(text + n, size - n, "@%us", k);
		n += (size_t)snprintf(text + n, size - n, "%s",
				      k + 1 < ALTERNATIVES ? "," : "");
	}
}

static void read_words(const char *text, struct torus_request *r,
		       struct times *t)
{
	const struct torus_request_words words = { .geometry = text };
	struct torus_error err = { 0 };
	double began_us = bench_thread_us();

	if (torus_request_parse(r, &words, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(EXIT_FAILURE);
	}
	times_add(t, began_us);
}

static void submit(struct world *w, const struct torus_request *r,
		   struct times *t)
{
	double began_us = bench_thread_us();
	struct lock_hold_limit limit;

	lock_hold_limit_begin(&limit, SEARCH_US);
	for (uint32_t k = 0; k < r->alternatives; k++) {
		struct torus_ask ask = r->alternative[k].ask;
		struct torus_placement place;

		ask.limit = &limit.limit;
		if (torus_state_possible(w->empty, &ask, &place, NULL) !=
		    TORUS_FITS)
			w->refused += !limit.limit.cut;
	}
	times_add(t, began_us);
	w->cut += limit.limit.cut;
}

static void test_now(struct world *w, const struct torus_request *r,
		     struct times *t)
{
	enum torus_answer answer = TORUS_NOT_NOW;
	double began_us = bench_thread_us();
	struct lock_hold_limit limit;

	lock_hold_limit_begin(&limit, SEARCH_US);
	for (uint32_t k = 0; k < r->alternatives && answer != TORUS_FITS; k++) {
		struct torus_ask ask = r->alternative[k].ask;
		struct torus_placement place;

		ask.limit = &limit.limit;
		answer = torus_state_find(w->busy, &ask, &place, NULL);
	}
	hold_add(w, times_add(t, began_us));
	w->cut += limit.limit.cut;
}

static void take_over(struct world *w, struct torus_request *r, uint32_t i,
		      struct times *t)
{
	const struct cycle_pending_job job = {
		.name = { .job = i + 1 },
		.key = i + 1,
		.eligible_us = SECOND,
		.limit_us = 60 * SECOND,
		.deadline_us = TORUS_NO_TIME,
		.request = torus_job_request_of(r),
	};
	double began_us = bench_thread_us();

	if (waiting_add(w->cycle, &job))
		exit(EXIT_FAILURE);
	hold_add(w, times_add(t, began_us));
}

/* Every third run of nodes is in use. */
static void occupy(struct torus_state *s)
{
	uint32_t nodes = torus_state_machine(s)->pod[0].torus.nodes;
	uint32_t words = torus_bits_words(nodes);
	uint64_t *map = calloc(words, sizeof(*map));

	for (uint32_t i = 0, n; map && i < nodes; i += n) {
		n = 1 + bench_below(nodes / 300);
		if (bench_below(3) || i + n > nodes)
			continue;
		torus_bits_zero(map, words);
		torus_bits_set_range(map, i, n);
		torus_bits_and(map, map, torus_state_free_map(s), words);
		torus_state_hold_nodes(s, map, 1 + bench_below(1000), NULL,
				       NULL);
	}
	free(map);
}

static void world_create(struct world *w, const struct scene *scene)
{
	struct torus_scheduler_settings settings;
	struct torus t;

	*w = (struct world){ .scene = scene };
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("easy");
	if (torus_parse(&t, scene->machine, NULL) ||
	    torus_machine_init(&w->m, &t, torus_strategy_find("submesh"), NULL,
			       NULL))
		exit(EXIT_FAILURE);
	w->empty = torus_state_create(&w->m);
	w->busy = torus_state_create(&w->m);
	w->cycle = cycle_create(&w->m, &settings, 4, NULL);
	if (!w->empty || !w->busy || !w->cycle)
		exit(EXIT_FAILURE);
	occupy(w->busy);
}

static void world_destroy(struct world *w)
{
	cycle_destroy(w->cycle);
	torus_state_destroy(w->busy);
	torus_state_destroy(w->empty);
	torus_machine_free(&w->m);
}

static bool play(const struct scene *scene, uint32_t requests)
{
	struct times t[] = { { .name = "read" },
			     { .name = "submission" },
			     { .name = "test" },
			     { .name = "snapshot" } };
	struct world w;
	bool good;

	world_create(&w, scene);
	cycle_begin(w.cycle, SECOND);
	for (uint32_t i = 0; i < requests; i++) {
		struct torus_request r;
		char text[512];

		write_words(scene, text, sizeof(text));
		read_words(text, &r, &t[0]);
		submit(&w, &r, &t[1]);
		test_now(&w, &r, &t[2]);
		take_over(&w, &r, i, &t[3]);
	}
	good = w.refused == 0;
	printf("%s, %u requests of %d shapes of %u axes:", scene->machine,
	       requests, ALTERNATIVES, scene->axes);
	for (size_t k = 0; k < sizeof(t) / sizeof(*t); k++) {
		printf(" %s %.3f (%.3f),", t[k].name, t[k].longest_us / 1e3,
		       t[k].sum_us / 1e3 / requests);
		good = good && t[k].longest_us <= SEARCH_US + SLACK_US;
	}
	good = good && w.longest_hold_us <= AGENT_LOCK_HOLD_MAX_US;
	printf(" longest (mean) ms; hold %.3f ms; %u searches ended by the limit%s\n",
	       w.longest_hold_us / 1e3, w.cut, good ? "" : "  MISSED");
	world_destroy(&w);
	return good;
}

int main(int argc, char **argv)
{
	uint32_t requests = argc > 1 ? (uint32_t)atoi(argv[1]) : REQUESTS;
	bool good = true;

	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		good = play(&scenes[i], requests) && good;
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
