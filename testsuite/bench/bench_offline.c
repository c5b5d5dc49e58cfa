/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the offline schedulers grow with the number of jobs: the paper claims
 * O(n log n) for the preemptive one (Theorem 3) and O(n log n + n m^2) for
 * CNP_Alloc (section 2.4.5). With n times ten the time should grow a little
 * more than tenfold, and the time per n log2 n should stay.
 *
 * Three kinds of sets on a torus of side 4096: random ones, some with as many
 * dimensions as there can be, which makes the profile long, and some where the
 * least deadline takes more passes. The answers are checked: a schedule ends at its deadline and no
 * earlier one, less by 1 / (scale * 1000), is feasible.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "papers/offline/cnp.h"
#include "papers/offline/preemptive.h"
#include "bench.h"

#define SIDE 4096
#define LARGEST 1000000

static void fail(const char *what)
{
	fprintf(stderr, "bench_offline: %s\n", what);
	exit(EXIT_FAILURE);
}

/* Dimensions 1 to 2^7, times up to a million. */
static void random_set(struct torus_offline_jobs *jobs)
{
	for (uint32_t i = 0; i < jobs->n; i++) {
		jobs->job[i].d = 1u << bench_below(8);
		jobs->job[i].t = 1 + bench_below(1000000);
	}
}

/* Every power of two up to half the side: each dimension can double the steps
 * of the profile. */
static void many_set(struct torus_offline_jobs *jobs)
{
	for (uint32_t i = 0; i < jobs->n; i++) {
		jobs->job[i].d = 1u << (i < jobs->n / 2 ? bench_below(12) : 0);
		jobs->job[i].t = 1 + bench_below(1u << bench_below(24));
	}
}

/* Few jobs that are large and long, many small ones nearly as long as the
 * deadline: neither the area nor the longest job says where it is. */
static void tight_set(struct torus_offline_jobs *jobs)
{
	for (uint32_t i = 0; i < jobs->n; i++) {
		bool large = i % (jobs->n / 8) == 0;

		jobs->job[i].d = large ? SIDE / 2 : 1;
		jobs->job[i].t = large        ? 700000 + bench_below(300000) :
				 i < SIDE / 2 ? 2000000 + bench_below(1000) :
						1 + bench_below(1000);
	}
}

struct result {
	double feasible_s, least_s;
};

static void preemptive(const struct torus_offline_jobs *jobs, struct result *out)
{
	struct torus_preemptive *p;
	struct torus_ratio at;
	double begin = bench_cpu_ms() / 1e3;

	p = torus_preemptive_plan(jobs, SIDE, NULL, NULL, NULL, NULL);
	out->least_s = bench_cpu_ms() / 1e3 - begin;
	if (!p || !p->feasible || p->makespan != p->deadline)
		fail("no schedule at the least deadline");
	at = (struct torus_ratio){ (int64_t)p->deadline, p->scale };
	torus_preemptive_destroy(p);
	begin = bench_cpu_ms() / 1e3;
	p = torus_preemptive_plan(jobs, SIDE, &at, NULL, NULL, NULL);
	out->feasible_s = bench_cpu_ms() / 1e3 - begin;
	if (!p || !p->feasible)
		fail("infeasible at the least deadline");
	torus_preemptive_destroy(p);
	at.num = at.num * 1000 - 1;
	at.den *= 1000;
	p = torus_preemptive_plan(jobs, SIDE, &at, NULL, NULL, NULL);
	if (!p || p->feasible)
		fail("feasible below the least deadline");
	torus_preemptive_destroy(p);
}

static void preemptive_table(const char *name,
			     void (*make)(struct torus_offline_jobs *),
			     struct torus_offline_jobs *jobs)
{
	printf("\npreemptive, %s, side %d\n%9s %14s %14s %14s\n", name, SIDE,
	       "jobs", "feasible (s)", "ns/(n log2 n)", "least (s)");
	for (jobs->n = 1000; jobs->n <= LARGEST; jobs->n *= 10) {
		struct result r;

		make(jobs);
		preemptive(jobs, &r);
		printf("%9u %14.4f %14.1f %14.4f\n", jobs->n, r.feasible_s,
		       r.feasible_s * 1e9 / jobs->n / log2(jobs->n), r.least_s);
	}
}

static void cnp_table(struct torus_offline_jobs *jobs, uint32_t m, int decimals,
		      uint32_t largest)
{
	printf("\ncnp, %s, torus %ux%u, dimensions %u and up\n%9s %14s %14s\n",
	       decimals < 0 ? "exact" : "loads rounded up to 6 decimals", m, m,
	       m / 8, "jobs", "time (s)", "ns/job");
	for (jobs->n = 1000; jobs->n <= largest; jobs->n *= 10) {
		double begin;
		struct torus_cnp *plan;

		for (uint32_t i = 0; i < jobs->n; i++) {
			jobs->job[i].d = m >> bench_below(4);
			jobs->job[i].t = 1 + bench_below(1000000);
		}
		begin = bench_cpu_ms() / 1e3;
		plan = torus_cnp_plan(jobs, m, decimals, NULL, NULL, NULL);
		begin = bench_cpu_ms() / 1e3 - begin;
		if (!plan)
			fail("no plan");
		printf("%9u %14.4f %14.0f\n", jobs->n, begin,
		       begin * 1e9 / jobs->n);
		torus_cnp_destroy(plan);
	}
}

int main(void)
{
	struct torus_offline_jobs jobs = { .unit = 1 };

	jobs.job = calloc(LARGEST, sizeof(*jobs.job));
	if (!jobs.job)
		fail("no memory");
	preemptive_table("random", random_set, &jobs);
	preemptive_table("many dimensions", many_set, &jobs);
	preemptive_table("tight", tight_set, &jobs);
	cnp_table(&jobs, 8, 6, LARGEST);
	cnp_table(&jobs, 8, -1, 10000);
	free(jobs.job);
	return EXIT_SUCCESS;
}
