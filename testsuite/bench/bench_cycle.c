/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle of sched/torus without Slurm: 10,000 pending shaped jobs on 512
 * nodes. Times (of the processor) of a snapshot in which nothing is new, the
 * update, the pass, the promises, and by the clock on the wall of a forecast that
 * may take 50 ms (with the number of jobs it reached); the first cycle (all jobs are new), one
 * in which nothing happened, one with 50 starts after 50 ends, one after one
 * end, and one with 100 more jobs. Self check on. A discipline with deadlines
 * answers all jobs in the first cycle; half of the deadlines are so near that
 * few can be met, or hardly any is, so that later ones come before.
 *
 * usage: bench_cycle [JOBS [DISCIPLINE [STRATEGY]]]	0 jobs: as many as usual
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/orders.h"
#include "live/cycle.h"
#include "live/promises/promises.h"
#include "live/mirror/waiting.h"
#include "torus/discipline.h"
#include "bench.h"

#define SECOND INT64_C(1000000)
#define MOST_RUNNING 4096
#define FORECAST_US INT64_C(50000)
#define NEW 100

/* What is measured. Strategies that split and merge pieces serve counts. */
struct scene {
	const char *discipline, *strategy, *machine;
	bool counts;
	uint32_t near; /* percent of the deadlines; 0: there are none */
	uint32_t jobs;
};

static const struct scene scenes[] = {
	{ "fcfs", "submesh", "8x8x8", false, 0, 10000 },
	{ "fpfs", "submesh", "8x8x8", false, 0, 10000 },
	{ "easy", "submesh", "8x8x8", false, 0, 10000 },
	{ "easy", "submesh", "16x16x16", false, 0, 1300 },
	{ "easy", "subtorus", "8x8x8", false, 0, 10000 },
	{ "easy", "semitorus-nep", "8x8x8", true, 0, 10000 },
	{ "easy", "subcube-buddy", "2^8", true, 0, 10000 },
	{ "conservative", "flat", "flat:512", true, 0, 10000 },
	{ "conservative", "submesh", "8x8x8", false, 0, 10000 },
	{ "conservative", "submesh-tbl", "8x8x8", false, 0, 1000 },
	{ "conservative", "subtorus", "8x8x8", false, 0, 10000 },
	{ "conservative", "semitorus-nep", "8x8x8", true, 0, 10000 },
	{ "conservative", "subcube-buddy", "2^8", true, 0, 10000 },
	{ "dedf", "submesh", "8x8x8", false, 50, 10000 },
	{ "dedf-replan", "submesh", "8x8x8", false, 50, 10000 },
	{ "dedf-replan", "submesh", "8x8x8", false, 1, 10000 },
};

struct world {
	const struct scene *scene;
	struct torus_machine m;
	struct cycle *cycle;
	struct cycle_pending_job *wish;
	struct torus_alternative *alternative; /* one per wish */
	bool *waits;
	uint32_t jobs;
	uint32_t running[MOST_RUNNING];
	int64_t start_us[MOST_RUNNING];
	uint32_t runs;
	int64_t now;
};

/* A few hours, or a few weeks. */
static int64_t leeway(const struct scene *scene)
{
	bool near = (uint32_t)rand() % 100 < scene->near;

	return near ? rand() % 20000 : 2000000 + rand() % 2000000;
}

static void make_jobs(struct world *w)
{
	static const uint32_t shape[][3] = { { 2, 2, 2 }, { 4, 2, 2 },
					     { 4, 4, 2 }, { 2, 2, 1 },
					     { 1, 1, 1 }, { 4, 4, 4 },
					     { 8, 2, 1 }, { 3, 3, 3 } };

	for (uint32_t i = 0; i < w->jobs; i++) {
		struct cycle_pending_job *j = &w->wish[i];
		struct torus_ask *ask = &w->alternative[i].ask;

		j->name.job = (uint32_t)(j->key = i + 1);
		j->eligible_us = i * SECOND;
		j->limit_us = (60 + (int64_t)rand() % 6000) * SECOND;
		j->deadline_us = TORUS_NO_TIME;
		if (w->scene->near > 0)
			j->deadline_us = w->now + j->limit_us +
					 leeway(w->scene) * SECOND;
		j->request.alternative = &w->alternative[i];
		j->request.alternatives = 1;
		j->request.rotate = ask->rotate = true;
		ask->shape.axes = 3;
		memcpy(ask->shape.extent, shape[rand() % 8], sizeof(*shape));
		torus_shape_squeeze(&ask->shape);
		if (w->scene->counts) {
			ask->by_count = true;
			ask->count = (uint32_t)torus_shape_volume(&ask->shape);
		}
		w->waits[i] = i < w->jobs - NEW;
	}
}

/* The rest of them, with a day for those with a deadline. */
static void submit_more(struct world *w)
{
	for (uint32_t i = w->jobs - NEW; i < w->jobs; i++) {
		w->waits[i] = true;
		if (w->scene->near > 0)
			w->wish[i].deadline_us = w->now + 86400 * SECOND;
	}
}

static bool count(void *arg, const struct cycle_promise *p)
{
	(void)p;
	++*(uint32_t *)arg;
	return true;
}

static bool count_forecasts(void *arg, const struct cycle_promise *p)
{
	*(uint32_t *)arg += p->forecast_us != TORUS_NO_TIME;
	return true;
}

/* How long a forecast takes, and how many jobs have one. */
static double forecast(struct world *w, uint32_t *reached)
{
	double began = bench_clock_ns(CLOCK_MONOTONIC) * 1e-6, ended;

	forecast_run(w->cycle, 1000, FORECAST_US);
	ended = bench_clock_ns(CLOCK_MONOTONIC) * 1e-6;
	promises_list(w->cycle, 1000, 0, count_forecasts, reached);
	return ended - began;
}

/* Carry out the orders. How many were starts. */
static uint32_t carry_out(struct world *w, uint32_t orders)
{
	uint32_t runs = w->runs;

	for (uint32_t i = 0; i < orders; i++) {
		const struct cycle_order *o = orders_get(w->cycle, i);
		uint32_t job = o->name.job;
		bool rejected = o->reject_reason;

		orders_done(w->cycle, i, CYCLE_STARTED, job, NULL);
		w->waits[job - 1] = false;
		if (rejected)
			continue;
		assert(w->runs < MOST_RUNNING);
		w->running[w->runs] = job;
		w->start_us[w->runs++] = w->now;
	}
	return w->runs - runs;
}

static void go_round(struct world *w, const char *what)
{
	double t[5], forecast_ms;
	uint32_t orders, told = 0, reached = 0;
	struct torus_error err = { 0 };

	w->now += SECOND;
	t[0] = bench_cpu_ms();
	cycle_begin(w->cycle, w->now);
	for (uint32_t i = 0; i < w->runs; i++)
		running_unchanged(w->cycle, w->running[i], 0, w->start_us[i],
				  w->start_us[i] +
					  w->wish[w->running[i] - 1].limit_us);
	for (uint32_t i = 0; i < w->jobs; i++) {
		const struct cycle_pending_job *j = &w->wish[i];

		if (w->waits[i] &&
		    !waiting_unchanged(w->cycle, &j->name, j->key, NULL, NULL,
				       0) &&
		    waiting_add(w->cycle, j))
			abort();
	}
	t[1] = bench_cpu_ms();
	if (cycle_update(w->cycle))
		abort();
	t[2] = bench_cpu_ms();
	orders = orders_plan(w->cycle, w->now);
	t[3] = bench_cpu_ms();
	orders = carry_out(w, orders);
	promises_list(w->cycle, 1000, 100, count, &told);
	t[4] = bench_cpu_ms();
	forecast_ms = forecast(w, &reached);
	if (!cycle_check(w->cycle, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	printf("  %-9s %8.2f %8.2f %8.2f %8.2f %8.2f %8u %6u\n", what,
	       t[1] - t[0], t[2] - t[1], t[3] - t[2], t[4] - t[3], forecast_ms,
	       reached, orders);
}

static void end_some(struct world *w, uint32_t n)
{
	if (n > w->runs)
		n = w->runs;
	w->runs -= n;
	memmove(w->running, w->running + n, w->runs * sizeof(*w->running));
	memmove(w->start_us, w->start_us + n, w->runs * sizeof(*w->start_us));
}

static void play(const struct scene *scene, uint32_t jobs)
{
	struct torus_scheduler_settings settings;
	struct world *w = calloc(1, sizeof(*w));
	struct torus t;

	srand(1);
	w->scene = scene;
	w->jobs = NEW + (jobs ? jobs : scene->jobs);
	w->now = (w->jobs + 10) * SECOND;
	w->wish = calloc(w->jobs, sizeof(*w->wish));
	w->alternative = calloc(w->jobs, sizeof(*w->alternative));
	w->waits = calloc(w->jobs, sizeof(*w->waits));
	if (torus_parse(&t, scene->machine, NULL) ||
	    torus_machine_init(&w->m, &t, torus_strategy_find(scene->strategy),
			       NULL, NULL))
		abort();
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find(scene->discipline);
	settings.mean_hold_us = 3000000 * SECOND;
	w->cycle = cycle_create(&w->m, &settings, 4, NULL);
	if (w->cycle) {
		make_jobs(w);
		printf("%s, %s on %s, %u jobs\n", scene->discipline,
		       scene->strategy, scene->machine, w->jobs - NEW);
		go_round(w, "all new");
		go_round(w, "nothing");
		end_some(w, 50);
		go_round(w, "50 ended");
		end_some(w, 1);
		go_round(w, "1 ended");
		submit_more(w);
		go_round(w, "100 more");
	}
	cycle_destroy(w->cycle);
	torus_machine_free(&w->m);
	free(w->wish);
	free(w->alternative);
	free(w->waits);
	free(w);
}

int main(int argc, char **argv)
{
	uint32_t jobs = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;

	printf("milliseconds\n  %-9s %8s %8s %8s %8s %8s %8s starts\n", "",
	       "snapshot", "update", "pass", "promises", "forecast", "reached");
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++) {
		if ((argc < 3 || strcmp(argv[2], scenes[i].discipline) == 0) &&
		    (argc < 4 || strcmp(argv[3], scenes[i].strategy) == 0))
			play(&scenes[i], jobs);
	}
	return 0;
}
