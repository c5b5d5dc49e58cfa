/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How close to the best possible are the places that `submesh` chooses? On
 * machines so small that every place can be tried out: each one that the next
 * job could take is played through, with the known ends of the jobs that run
 * and random jobs to come, placed by `submesh`, until AHEAD more have
 * started. All places meet the same random jobs, and are compared with the
 * place that submesh itself would take; the worse ones are given up in steps.
 * The one after which the jobs start earliest is taken instead, if that is
 * beyond chance (two standard errors) over some hundred plays.
 *
 * The set-up is that of Bani-Mohammad et al. (section VI), saturated, as in
 * bench_bani; all ways see the same jobs.
 *
 * `bench_ahead N` makes N replications (default 1) of 500 completed jobs:
 * about twenty seconds each.
 */
#include <stdio.h>

#include "torus/state_find.h"
#include "bani.h"

#define COMPLETIONS 500
#define AHEAD 5
#define PLACES 4096
#define MOST 100

struct option_off {
	const char *name;
	const char *off[3];
};

static const struct option_off variants[] = {
	{ "no score", { "contact", "ends", "look" } },
	{ "contact", { "ends", "look" } },
	{ "contact, ends", { "look" } },
	{ "contact, ends, look", { 0 } },
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))
#define OURS (VARIANTS - 1)
#define TRIED VARIANTS /* the row of what is tried out */

/* A place, and how much later than after submesh's own the jobs ahead have
 * started: sums over the plays. */
struct tried {
	struct torus_placement place;
	double sum, squares;
};

struct ahead {
	struct torus_state *state; /* to play in */
	uint64_t seed;
	uint32_t n;
	struct tried tried[PLACES];
};

static struct torus_state *create(struct torus_machine *m, const char *machine,
				  const struct option_off *v)
{
	struct torus_options options = { 0 };
	struct torus t;

	for (int i = 0; i < 3 && v->off[i]; i++) {
		snprintf(options.item[i].key, TORUS_OPTION_KEY, "%s", v->off[i]);
		snprintf(options.item[i].value, TORUS_OPTION_VALUE, "off");
		options.used++;
	}
	if (torus_parse(&t, machine, NULL) ||
	    torus_machine_init(m, &t, torus_strategy_find("submesh"), &options,
			       NULL))
		abort();
	return torus_state_create(m);
}

static bool list_place(void *arg, const struct torus_placement *place)
{
	struct ahead *a = arg;

	a->tried[a->n].place = *place;
	a->tried[a->n].sum = 0;
	a->tried[a->n++].squares = 0;
	return a->n < PLACES;
}

static void take(struct torus_state *s, const struct torus_placement *place,
		 int64_t now, int64_t end)
{
	if (torus_state_commit(s, place, 0, NULL, now, end, NULL) ==
	    TORUS_NO_SLOT)
		abort();
}

/* From b's state, with its next job at `place`: when have AHEAD more jobs
 * started? */
static double play(struct ahead *a, const struct bani *b, int64_t now,
		   const struct torus_placement *place, uint64_t seed)
{
	struct bani c = { .seed = seed, .state = a->state };
	struct bani_result unused = { 0 };
	int64_t time = now;
	uint32_t started = 0;

	while (torus_state_holds(a->state) > 0)
		torus_state_release(a->state, torus_state_by_end(a->state, 0),
				    NULL);
	for (uint32_t i = 0; i < torus_state_holds(b->state); i++) {
		const struct torus_hold *h =
			torus_state_hold(b->state,
					 torus_state_by_end(b->state, i));

		take(a->state, &h->place, h->start_us, h->end_us);
	}
	take(a->state, place, now, b->next.ask.end_us);
	bani_draw(&c);
	while (started < AHEAD) {
		uint32_t slot;

		if (bani_start(&c, time, &unused)) {
			started++;
			continue;
		}
		slot = torus_state_by_end(a->state, 0);
		time = torus_state_hold(a->state, slot)->end_us;
		torus_state_release(a->state, slot, NULL);
	}
	return (double)(time - now);
}

static int by_sum(const void *va, const void *vb)
{
	const struct tried *a = va, *b = vb;

	return (a->sum > b->sum) - (a->sum < b->sum);
}

/* One play of every place that is left. */
static void play_all(struct ahead *a, const struct bani *b, int64_t now,
		     const struct torus_placement *own)
{
	uint64_t seed = ++a->seed * 7919;
	double least = play(a, b, now, own, seed);

	for (uint32_t i = 0; i < a->n; i++) {
		double more = play(a, b, now, &a->tried[i].place, seed) - least;

		a->tried[i].sum += more;
		a->tried[i].squares += more * more;
	}
}

static bool choose(struct bani *b, int64_t now, struct torus_placement *place)
{
	static const uint32_t plays[] = { 16, 48, 192, 512 };
	struct ahead *a = b->arg;
	uint32_t n = 0;

	if (torus_state_find(b->state, &b->next.ask, place, NULL) != TORUS_FITS)
		return false;
	a->n = 0;
	torus_state_find_all(b->state, &b->next.ask, list_place, a);
	if (torus_state_holds(b->state) == 0 || a->n == 1)
		return true;
	for (int round = 0; round < 4; round++) {
		for (uint32_t k = 0; k < plays[round]; k++, n++)
			play_all(a, b, now, place);
		qsort(a->tried, a->n, sizeof(*a->tried), by_sum);
		a->n = (a->n + 3) / 4;
	}
	if (a->tried[0].sum < -2 * sqrt(a->tried[0].squares))
		*place = a->tried[0].place;
	return true;
}

static double result[VARIANTS + 1][MOST];

static void run(const char *machine, int n)
{
	static struct ahead a;
	struct torus_machine m, scratch;
	struct torus_state *state;

	for (size_t v = 0; v < VARIANTS; v++) {
		state = create(&m, machine, &variants[v]);
		for (int i = 0; i < n; i++)
			result[v][i] = bani_run(state, (uint64_t)i + 1, 0,
						COMPLETIONS)
					       .utilization;
		torus_state_destroy(state);
		torus_machine_free(&m);
	}
	state = create(&m, machine, &variants[OURS]);
	a.state = create(&scratch, machine, &variants[2]);
	for (int i = 0; i < n; i++) {
		struct bani b = { .seed = ((uint64_t)i + 1) * 1000003,
				  .state = state,
				  .choose = choose,
				  .arg = &a };

		result[TRIED][i] = bani_run_as(&b, COMPLETIONS).utilization;
	}
	torus_state_destroy(a.state);
	torus_machine_free(&scratch);
	torus_state_destroy(state);
	torus_machine_free(&m);
}

static void print(size_t v, int n)
{
	double mean = 0, less = 0, squares = 0;

	for (int i = 0; i < n; i++) {
		mean += result[v][i] / n;
		less += (result[OURS][i] - result[v][i]) / n;
	}
	for (int i = 0; i < n; i++) {
		double d = result[OURS][i] - result[v][i] - less;

		squares += d * d;
	}
	printf("  %-22s %.4f   ours %+.4f +- %.4f\n",
	       v == TRIED ? "every place played out" : variants[v].name, mean,
	       less, n > 1 ? 1.96 * sqrt(squares / (n - 1) / n) : 0);
}

int main(int argc, char **argv)
{
	static const char *const machines[] = { "3x3x3", "3x3x3:MMM", "4x4x4",
						"4x4x4:MMM" };
	int n = argc > 1 ? atoi(argv[1]) : 1;

	if (n < 1 || n > MOST)
		return 2;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		run(machines[i], n);
		printf("%s saturated, %d replications: utilization, paired difference of all terms\n",
		       machines[i], n);
		for (size_t v = 0; v <= TRIED; v++)
			print(v, n);
		fflush(stdout);
	}
	return 0;
}
