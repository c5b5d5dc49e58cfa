/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pass of conservative costs as the queue grows: 100, 1,000 and 10,000
 * jobs waiting on flat:1024, on an 8x8x16 torus, and with a strategy that
 * remembers. Timed are
 *
 *   plan    the first pass, which reserves for everybody (and any pass after
 *           a change of the machine); per job beside it
 *   submit  a pass after a new job came; it goes through the queue if the one
 *           before it moved reservations, as most do here
 *   end     a pass after a job ended early (median, maximum)
 *
 * The jobs want 1 to 256 nodes, powers of two mostly, for 15 minutes to 18
 * hours. After each pass the reservations are compared with those before it:
 * none may have become later.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/discipline.h"
#include "bench.h"

#define MOST 10000
#define PASSES 40
#define MINUTE (INT64_C(60) * 1000000)

static struct torus_job job[MOST + PASSES];
static struct torus_alternative alternative[MOST + PASSES];
static int64_t promised[MOST + PASSES];
static uint64_t later; /* reservations, than promised */

static void submit(struct torus_scheduler *s, uint32_t i, int64_t now)
{
	uint32_t n = 1u << bench_below(9);

	memset(&job[i], 0, sizeof(job[i]));
	job[i].id = i;
	job[i].submit_us = now;
	job[i].limit_us = (int64_t)(1 + bench_below(72)) * 15 * MINUTE;
	job[i].deadline_us = TORUS_NO_TIME;
	job[i].request = torus_job_request_count(&alternative[i],
						 bench_below(100) < 80 ?
							 n :
							 1 + bench_below(n));
	promised[i] = TORUS_NO_TIME;
	torus_scheduler_submit(s, &job[i], now, NULL);
}

/* A pass; how long it took. */
static double pass(struct torus_scheduler *s, int64_t now)
{
	double begin = bench_cpu_ms(), took;
	int64_t wake;

	torus_scheduler_pass(s, now, &wake);
	took = bench_cpu_ms() - begin;
	for (struct torus_job *j = torus_scheduler_queue(s)->head; j;
	     j = j->next) {
		later += j->start_us > promised[j->id];
		promised[j->id] = j->start_us;
	}
	return took;
}

/* Some running job. */
static struct torus_job *running(const struct torus_scheduler *s)
{
	const struct torus_state *state = torus_scheduler_state(
		(struct torus_scheduler *)s);
	uint32_t n = torus_state_holds(state);
	uint32_t slot = torus_state_by_end(state, bench_below(n));

	return torus_state_hold(state, slot)->owner;
}

static void run(const struct torus_machine *m, const char *name,
		uint32_t waiting)
{
	struct torus_scheduler_settings settings;
	double plan, new[PASSES], end[PASSES];
	struct torus_state *state = torus_state_create(m);
	struct torus_scheduler *s;

	bench_seed = 88172645463325252u;
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("conservative");
	s = state ? torus_scheduler_create(state, &settings, NULL) : NULL;
	if (!s)
		exit(EXIT_FAILURE);
	for (uint32_t i = 0; i < waiting; i++)
		submit(s, i, 0);
	plan = pass(s, 0);
	for (uint32_t k = 0; k < PASSES; k++) {
		int64_t now = (k + 1) * INT64_C(1000000);

		submit(s, waiting + k, now);
		new[k] = pass(s, now);
		now += 500000;
		torus_scheduler_end(s, running(s), now);
		end[k] = pass(s, now);
	}
	qsort(new, PASSES, sizeof(*new), bench_ascending);
	qsort(end, PASSES, sizeof(*end), bench_ascending);
	printf("%-11s %6u waiting: plan %8.1f ms (%.0f us a job), submit %.3f ms, end %.2f ms, max %.2f ms\n",
	       name, waiting, plan, plan * 1000 / waiting, new[PASSES / 2],
	       end[PASSES / 2], end[PASSES - 1]);
	torus_scheduler_destroy(s);
	torus_state_destroy(state);
}

int main(void)
{
	static const char *const machines[][2] = {
		{ "flat:1024", "flat" },
		{ "8x8x16", "submesh" },
		{ "2x2x2x4x4x8", "semitorus-nep" },
	};

	for (size_t k = 0; k < 3; k++) {
		struct torus_machine m;
		struct torus t;

		if (torus_parse(&t, machines[k][0], NULL) ||
		    torus_machine_init(&m, &t,
				       torus_strategy_find(machines[k][1]),
				       NULL, NULL))
			return EXIT_FAILURE;
		for (uint32_t n = 100; n <= MOST; n *= 10)
			run(&m, machines[k][0], n);
		torus_machine_free(&m);
	}
	if (later)
		printf("WRONG: %llu reservations became later\n",
		       (unsigned long long)later);
	return later ? EXIT_FAILURE : EXIT_SUCCESS;
}
