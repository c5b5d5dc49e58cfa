/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Long passes of `conservative` under a pass budget of 0.5 s of processor time:
 * 65,536 nodes in use by 128 jobs of 512 nodes or 1,024 of 64, and a queue of jobs with
 * many different shapes, or with eight alternatives each. How many passes until every job
 * is decided, and the longest of them: all jobs are new; one running job has ended. Exit
 * status 1 if a pass takes longer than the search for its first job may take (two
 * budgets), or if a job is left without a promise.
 *
 * usage: bench_passes [JOBS]	0: as many as usual
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/discipline.h"
#include "bench.h"

#define SECOND INT64_C(1000000)
#define BUDGET_US INT64_C(500000)
#define SLACK_US INT64_C(100000) /* the step that ends a pass */
#define MOST_PASSES 1000

struct scene {
	const char *machine;
	uint32_t filled; /* running jobs, of this shape */
	struct torus_shape running;
	uint32_t axes, most_axes; /* of a shape */
	uint32_t most;            /* of an extent */
	uint32_t alternatives;
	uint32_t jobs;
};

static const struct scene scenes[] = {
	{ "4x4x4x4x4x4x4x4", 128, { 5, { 4, 4, 4, 4, 2 } }, 3, 7, 4, 1, 100 },
	{ "32x32x64", 128, { 3, { 8, 8, 8 } }, 3, 3, 32, 8, 80 },
	{ "32x32x64", 1024, { 3, { 4, 4, 4 } }, 3, 3, 32, 8, 20 },
};

struct world {
	const struct scene *scene;
	struct torus_machine m;
	struct torus_state *state;
	struct torus_scheduler *scheduler;
	struct torus_job *job; /* those that run, then those that wait */
	struct torus_alternative *alternative; /* TORUS_MAX_ALTERNATIVES per job */
	uint32_t waiting;
	int64_t now, began;
	int64_t longest;
	bool wrong;
};

static bool is_over(void *arg, uint32_t budgets)
{
	const struct world *w = arg;

	return ((int64_t)bench_cpu_us() - w->began) / budgets >= BUDGET_US;
}

static void submit(struct world *w, struct torus_job *j, int64_t limit_us)
{
	j->id = (uint64_t)(j - w->job) + 1;
	j->submit_us = w->now;
	j->limit_us = limit_us;
	j->deadline_us = TORUS_NO_TIME;
	if (torus_scheduler_submit(w->scheduler, j, w->now, NULL) != 0)
		abort();
}

static struct torus_job *make_job(struct world *w, uint32_t i,
				  uint32_t alternatives)
{
	struct torus_job *j = &w->job[i];

	j->request.alternative = &w->alternative[i * TORUS_MAX_ALTERNATIVES];
	j->request.alternatives = alternatives;
	return j;
}

/* Jobs everywhere, each with an end of its own. */
static void fill(struct world *w)
{
	int64_t wake;

	for (uint32_t i = 0; i < w->scene->filled; i++) {
		struct torus_job *j = make_job(w, i, 1);

		j->request.alternative[0].ask.shape = w->scene->running;
		submit(w, j, (3600 + rand() % 86400) * SECOND);
	}
	torus_scheduler_pass(w->scheduler, w->now, &wake);
	if (torus_state_free_nodes(w->state) > 0)
		abort();
}

static void some_shape(const struct world *w, struct torus_ask *ask)
{
	const struct scene *s = w->scene;

	ask->rotate = true;
	ask->shape.axes = s->axes +
			  (uint32_t)rand() % (s->most_axes + 1 - s->axes);
	for (uint32_t a = 0; a < ask->shape.axes; a++)
		ask->shape.extent[a] = 2 + (uint32_t)rand() % (s->most - 1);
}

static void queue(struct world *w)
{
	for (uint32_t i = 0; i < w->waiting; i++) {
		struct torus_job *j = make_job(w, w->scene->filled + i,
					       w->scene->alternatives);

		j->request.rotate = true;
		for (uint32_t k = 0; k < j->request.alternatives; k++)
			some_shape(w, &j->request.alternative[k].ask);
		submit(w, j, (60 + rand() % 86400) * SECOND);
	}
}

/* Passes, a second after each other, until one comes to the end of the queue. */
static void passes(struct world *w, const char *what)
{
	const struct torus_pass_cut *cut = torus_scheduler_cut(w->scheduler);
	int64_t all = 0, longest = 0, wake, us;
	uint32_t n = 0, promised = 0;

	do {
		w->now += SECOND;
		w->began = (int64_t)bench_cpu_us();
		torus_scheduler_pass(w->scheduler, w->now, &wake);
		us = (int64_t)bench_cpu_us() - w->began;
		all += us;
		longest = us > longest ? us : longest;
	} while (cut->cut && ++n < MOST_PASSES);
	for (uint32_t i = 0; i < w->waiting; i++)
		promised += w->job[w->scene->filled + i].start_us !=
			    TORUS_NO_TIME;
	printf("%-16s %4u running, %4u jobs of %u: %-9s %4u passes, the longest %5.0f ms, all %6.1f s, %u decided\n",
	       w->scene->machine, w->scene->filled, w->waiting,
	       w->scene->alternatives, what, n + 1, (double)longest * 1e-3,
	       (double)all * 1e-6, promised);
	fflush(stdout);
	w->wrong |= longest > 2 * BUDGET_US + SLACK_US || cut->cut ||
		    promised < w->waiting;
}

static bool play(const struct scene *scene, uint32_t jobs)
{
	const struct torus_pass_limit none = { 0 };
	struct world w = { .scene = scene, .now = SECOND };
	const struct torus_pass_limit limit = { .over = is_over, .arg = &w };
	struct torus_scheduler_settings settings;
	struct torus t;

	srand(1);
	w.waiting = jobs ? jobs : scene->jobs;
	w.job = calloc(scene->filled + w.waiting, sizeof(*w.job));
	w.alternative = calloc(scene->filled + w.waiting,
			       TORUS_MAX_ALTERNATIVES * sizeof(*w.alternative));
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("conservative");
	if (!w.job || !w.alternative || torus_parse(&t, scene->machine, NULL) ||
	    torus_machine_init(&w.m, &t, torus_strategy_find("submesh"), NULL,
			       NULL))
		abort();
	w.state = torus_state_create(&w.m);
	w.scheduler = w.state ?
			      torus_scheduler_create(w.state, &settings, NULL) :
			      NULL;
	if (!w.scheduler)
		abort();
	torus_scheduler_pass_limit(w.scheduler, &none);
	fill(&w);
	torus_scheduler_pass_limit(w.scheduler, &limit);
	queue(&w);
	passes(&w, "all new");
	torus_scheduler_end(w.scheduler, &w.job[0], w.now);
	passes(&w, "1 ended");
	torus_scheduler_destroy(w.scheduler);
	torus_state_destroy(w.state);
	torus_machine_free(&w.m);
	free(w.job);
	free(w.alternative);
	return !w.wrong;
}

int main(int argc, char **argv)
{
	uint32_t jobs = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
	bool good = true;

	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		good = play(&scenes[i], jobs) && good;
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
