/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a long queue costs: 1,000, 10,000 and 100,000 jobs waiting, by kind of
 * event: a submission, a pass with nothing new, a pass after one end (and the
 * starts in it). On flat:4096 with uniform node counts, and on 8x8x16 with 200
 * shapes; limits from a minute to a day, run times below them.
 *
 * The queue is kept at its length: for each start a new job comes. Before it
 * is timed the machine has run for a while. Microseconds of processor time,
 * and the ratio of the longest queue to the shortest beside the most that the
 * project allows itself (passes; 5 and 10).
 *
 * Answers: with 1,000 waiting, the schedule is the same when every queue is
 * gone through job by job. Exit status 1 where it is not.
 *
 * `bench_queue N` times N events of each kind (default 300).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "torus/discipline.h"
#include "bench.h"

#define LENGTHS 3
#define WARM_UP 300
#define SHAPES 200
#define LEAST_US 0.1 /* less cannot be told from the clock's own cost */

static const uint32_t lengths[LENGTHS] = { 1000, 10000, 100000 };

static const struct setup {
	const char *machine, *strategy;
	bool shapes;
	double most; /* ratio of passes */
} setups[] = {
	{ "flat:4096", "flat", false, 5 },
	{ "8x8x16", "submesh", true, 10 },
};

static const char *const disciplines[] = { "fpfs", "fpmpfs", "easy", "mpfs" };

enum {
	SUBMIT,
	IDLE,
	AFTER_END,
	KINDS
};

static const char *const kinds[KINDS] = {
	"submission",
	"pass, nothing new",
	"pass after an end",
};

struct world {
	uint64_t seed;
	const struct setup *setup;
	struct torus_machine m;
	struct torus_state *state;
	struct torus_scheduler *scheduler;
	struct torus_ask shape[SHAPES];
	struct torus_job *job, *spare;         /* linked by `decided` */
	struct torus_alternative *alternative; /* one per job */
	uint32_t jobs;
	int64_t now;
	uint64_t hash, starts;
	double clock_cost, us[KINDS];
	uint32_t events[KINDS], started[KINDS];
};

static void draw_shapes(struct world *w)
{
	const struct torus *t = &w->m.pod[0].torus;

	for (int i = 0; i < SHAPES;) {
		struct torus_ask *ask = &w->shape[i];
		int k = 0;

		*ask = (struct torus_ask){ .rotate = true };
		ask->shape.axes = t->dims;
		for (uint32_t d = 0; d < t->dims; d++)
			ask->shape.extent[d] = 1 +
					       (uint32_t)(bench_unit(&w->seed) *
							  t->size[d]);
		torus_shape_squeeze(&ask->shape);
		while (k < i && !torus_ask_same(&w->shape[k], ask))
			k++;
		i += k == i;
	}
}

/* What it costs to look at the clock. */
static double clock_cost(void)
{
	double begin = bench_cpu_us();

	for (int i = 0; i < 9999; i++)
		bench_cpu_us();
	return (bench_cpu_us() - begin) / 10000;
}

static void note(struct world *w, int kind, double begin)
{
	w->us[kind] += bench_cpu_us() - begin - w->clock_cost;
	w->events[kind]++;
}

static void submit(struct world *w)
{
	struct torus_job *j = w->spare;
	struct torus_ask *ask;
	double begin;

	w->spare = j->decided;
	*j = (struct torus_job){ .id = (uint64_t)(j - w->job),
				 .submit_us = w->now,
				 .deadline_us = TORUS_NO_TIME };
	j->request.alternative = &w->alternative[j->id];
	j->request.alternatives = 1;
	ask = &j->request.alternative[0].ask;
	if (w->setup->shapes)
		*ask = w->shape[(int)(bench_unit(&w->seed) * SHAPES)];
	else
		*ask = (struct torus_ask){
			.by_count = true,
			.rotate = true,
			.count = 1 +
				 (uint32_t)(bench_unit(&w->seed) * w->m.nodes),
		};
	j->limit_us = (int64_t)(60e6 * pow(1440, bench_unit(&w->seed)));
	begin = bench_cpu_us();
	if (torus_scheduler_submit(w->scheduler, j, w->now, NULL))
		abort();
	note(w, SUBMIT, begin);
}

static uint32_t pass(struct world *w, int kind)
{
	double begin = bench_cpu_us();
	int64_t wake;
	struct torus_job *j = torus_scheduler_pass(w->scheduler, w->now, &wake);
	uint32_t n = 0;

	note(w, kind, begin);
	for (; j; j = j->decided, n++) {
		w->hash = (w->hash ^ j->sequence) * UINT64_C(0x100000001b3);
		/* it runs for some of its limit */
		torus_state_set_end(w->state, j->slot,
				    w->now + 1 +
					    (int64_t)(bench_unit(&w->seed) *
						      (double)j->limit_us));
	}
	w->starts += n;
	w->started[kind] += n;
	return n;
}

/* The next end, a pass, new jobs for those that started, an idle pass. */
static void step(struct world *w)
{
	uint32_t slot = torus_state_by_end(w->state, 0), n;
	const struct torus_hold *h = torus_state_hold(w->state, slot);
	struct torus_job *j = h->owner;

	w->now = h->end_us > w->now ? h->end_us : w->now + 1;
	torus_scheduler_end(w->scheduler, j, w->now);
	j->decided = w->spare;
	w->spare = j;
	n = pass(w, AFTER_END);
	while (n-- > 0)
		submit(w);
	while (pass(w, AFTER_END) > 0) /* who came may start as well */
		;
	w->now++;
	pass(w, IDLE);
}

static void run(struct world *w, const struct setup *setup,
		const char *discipline, uint32_t length, uint32_t index_at,
		int events)
{
	struct torus_scheduler_settings settings;
	struct torus t;

	*w = (struct world){ .seed = 1,
			     .setup = setup,
			     .clock_cost = clock_cost() };
	if (torus_parse(&t, setup->machine, NULL) ||
	    torus_machine_init(&w->m, &t, torus_strategy_find(setup->strategy),
			       NULL, NULL))
		abort();
	draw_shapes(w);
	w->state = torus_state_create(&w->m);
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find(discipline);
	settings.index_at = index_at;
	w->scheduler = torus_scheduler_create(w->state, &settings, NULL);
	w->jobs = length + 2 * w->m.nodes;
	w->job = calloc(w->jobs, sizeof(*w->job));
	w->alternative = calloc(w->jobs, sizeof(*w->alternative));
	for (uint32_t i = w->jobs; i--; w->spare = &w->job[i])
		w->job[i].decided = w->spare;
	for (uint32_t i = 0; i < length; i++)
		submit(w);
	for (uint32_t n = pass(w, AFTER_END); n-- > 0;)
		submit(w);
	for (int i = -WARM_UP; i < events; i++) {
		if (i == 0) {
			for (int k = 0; k < KINDS; k++)
				w->us[k] = w->events[k] = w->started[k] = 0;
		}
		step(w);
	}
	torus_scheduler_destroy(w->scheduler);
	torus_state_destroy(w->state);
	torus_machine_free(&w->m);
	free(w->job);
	free(w->alternative);
}

static bool bench(const struct setup *setup, const char *discipline, int events)
{
	static struct world w[LENGTHS], scan;
	bool same;

	for (int i = 0; i < LENGTHS; i++)
		run(&w[i], setup, discipline, lengths[i], 0, events);
	run(&scan, setup, discipline, lengths[0], UINT32_MAX, events);
	same = scan.hash == w[0].hash && scan.starts == w[0].starts;
	printf("%s %s%s\n", setup->machine, discipline,
	       same ? "" : "  WRONG: the schedule depends on the index");
	for (int k = 0; k < KINDS; k++) {
		double us[LENGTHS], by_scan;

		for (int i = 0; i < LENGTHS; i++)
			us[i] = w[i].us[k] / w[i].events[k];
		by_scan = scan.us[k] / scan.events[k];
		printf("  %-18s %9.2f %9.2f %9.2f us, ratio %5.1f", kinds[k],
		       us[0], us[1], us[2],
		       fmax(us[2], LEAST_US) / fmax(us[0], LEAST_US));
		if (k == SUBMIT)
			printf("%24s", "");
		else
			printf(" (at most %2.0f)%s", setup->most,
			       us[LENGTHS - 1] > setup->most *
							 fmax(us[0], LEAST_US) ?
				       " MISSED" :
				       "       ");
		printf(" 1,000 job by job %9.2f us", by_scan);
		if (k == AFTER_END)
			printf(", starts %.2f %.2f %.2f",
			       (double)w[0].started[k] / w[0].events[k],
			       (double)w[1].started[k] / w[1].events[k],
			       (double)w[2].started[k] / w[2].events[k]);
		printf("\n");
	}
	return same;
}

int main(int argc, char **argv)
{
	int events = argc > 1 ? atoi(argv[1]) : 300;
	bool right = true;

	if (events < 1)
		return 2;
	printf("%-20s %9u %9u %9u jobs waiting\n", "", lengths[0], lengths[1],
	       lengths[2]);
	for (size_t s = 0; s < sizeof(setups) / sizeof(setups[0]); s++) {
		for (size_t d = 0;
		     d < sizeof(disciplines) / sizeof(disciplines[0]); d++)
			right &= bench(&setups[s], disciplines[d], events);
	}
	return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
