/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Utilization and turnaround in the set-up of Bani-Mohammad et al. (section
 * VI): 8x8x8, sides uniform 1..8, FCFS, exponential run times, 1,000
 * completed jobs. All strategies see the same jobs (paired seeds); means with
 * 95 % intervals, and the paired difference from the first-fit baseline of
 * the same machine.
 *
 * `bench_bani N` makes N replications (default 100), `bench_bani N SEED` from
 * another first seed. `bench_bani N SEED MACHINE` compares submesh with and
 * without `look` on that machine.
 */
#include <stdio.h>

#include "bani.h"

#define MOST 1000

struct variant {
	const char *name, *strategy;
	const char *off[3]; /* options of submesh that are off */
};

static const struct variant variants[] = {
	{ "submesh-ff", "submesh-ff", { 0 } },
	{ "submesh-bl", "submesh-bl", { 0 } },
	{ "submesh-tff", "submesh-tff", { 0 } },
	{ "submesh-tbl", "submesh-tbl", { 0 } },
	{ "submesh, no score", "submesh", { "contact", "ends", "look" } },
	{ "contact", "submesh", { "ends", "look" } },
	{ "contact, ends", "submesh", { "look" } },
	{ "look", "submesh", { "contact", "ends" } },
	{ "contact, look", "submesh", { "ends" } },
	{ "contact, ends, look", "submesh", { 0 } },
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))
#define BASELINE 3 /* submesh-tbl */
#define CONTACT_ENDS 6
#define OURS 9

static struct bani_result result[VARIANTS][MOST];

struct mean {
	double value, half; /* of the 95 % interval */
};

static struct mean mean_of(const double *x, int n)
{
	double sum = 0, squares = 0;
	struct mean m;

	for (int i = 0; i < n; i++)
		sum += x[i];
	m.value = sum / n;
	for (int i = 0; i < n; i++)
		squares += (x[i] - m.value) * (x[i] - m.value);
	m.half = n > 1 ? 1.96 * sqrt(squares / (n - 1) / n) : 0;
	return m;
}

static void run(const char *machine, double rate, size_t v, int n, uint64_t seed)
{
	struct torus_options options = { 0 };
	struct torus_state *state;
	struct torus_machine m;
	struct torus t;

	for (int i = 0; i < 3 && variants[v].off[i]; i++) {
		snprintf(options.item[i].key, sizeof(options.item[i].key), "%s",
			 variants[v].off[i]);
		snprintf(options.item[i].value, sizeof(options.item[i].value),
			 "off");
		options.used++;
	}
	if (torus_parse(&t, machine, NULL) ||
	    torus_machine_init(&m, &t, torus_strategy_find(variants[v].strategy),
			       &options, NULL))
		abort();
	state = torus_state_create(&m);
	for (int i = 0; i < n; i++)
		result[v][i] = bani_run(state, seed + (uint64_t)i, rate, 1000);
	torus_state_destroy(state);
	torus_machine_free(&m);
}

static void print_utilization(size_t v, size_t base, int n)
{
	double u[MOST], more[MOST];
	struct mean m, d;

	for (int i = 0; i < n; i++) {
		u[i] = result[v][i].utilization;
		more[i] = u[i] - result[base][i].utilization;
	}
	m = mean_of(u, n);
	d = mean_of(more, n);
	printf("  %-20s %.4f +- %.4f   %+.4f +- %.4f\n", variants[v].name,
	       m.value, m.half, d.value, d.half);
}

static void saturated(const char *machine, double goal, int n, uint64_t seed)
{
	double ours = 0;

	printf("%s saturated, %d replications: utilization, paired difference from submesh-tbl\n",
	       machine, n);
	for (size_t v = 0; v < VARIANTS; v++)
		run(machine, 0, v, n, seed);
	for (size_t v = 0; v < VARIANTS; v++)
		print_utilization(v, BASELINE, n);
	for (int i = 0; i < n; i++)
		ours += result[OURS][i].utilization / n;
	printf("  goal %.3f: %s\n", goal, ours >= goal ? "met" : "MISSED");
}

/* What `look` is worth on another machine. */
static void looking(const char *machine, int n, uint64_t seed)
{
	printf("%s saturated, %d replications: utilization, paired difference from contact, ends\n",
	       machine, n);
	for (size_t v = CONTACT_ENDS; v <= OURS; v++) {
		if (v != CONTACT_ENDS && v != OURS)
			continue;
		run(machine, 0, v, n, seed);
		print_utilization(v, CONTACT_ENDS, n);
	}
}

static void unsaturated(double rate, int n, uint64_t seed)
{
	double base[MOST], ours[MOST], less[MOST];
	struct mean b, o, d;

	run("8x8x8:MMM", rate, BASELINE, n, seed);
	run("8x8x8:MMM", rate, OURS, n, seed);
	for (int i = 0; i < n; i++) {
		base[i] = result[BASELINE][i].turnaround;
		ours[i] = result[OURS][i].turnaround;
		less[i] = base[i] - ours[i];
	}
	b = mean_of(base, n);
	o = mean_of(ours, n);
	d = mean_of(less, n);
	printf("8x8x8:MMM rate %.1f: turnaround submesh-tbl %.3f +- %.3f, submesh %.3f +- %.3f, less %.3f +- %.3f, ratio %.3f (goal 0.9)%s\n",
	       rate, b.value, b.half, o.value, o.half, d.value, d.half,
	       o.value / b.value, o.value <= 0.9 * b.value ? "" : "  MISSED");
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	if (n < 1 || n > MOST)
		return 2;
	if (argc > 3) {
		looking(argv[3], n, seed);
		return 0;
	}
	saturated("8x8x8:MMM", 0.535, n, seed);
	saturated("8x8x8", 0.555, n, seed);
	unsaturated(2.2, n, seed);
	unsaturated(2.6, n, seed);
	return 0;
}
