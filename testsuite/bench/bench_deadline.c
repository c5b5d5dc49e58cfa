/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Miss ratios of the real-time disciplines in the set-up of Mohapatra,
 * section 4: an 8-cube, mean laxity 150 %, paired jobs. Prints per
 * discipline the miss ratio, the mean number of jobs answered at a time, and
 * the difference to Stacking in points with its 95 % interval (Student's t),
 * and whether dedf-replan is where it claims to be.
 *
 *	bench_deadline [RUNS [JOBS]]	15 runs of 4000 jobs
 */
#include <stdio.h>

#include "mohapatra.h"
#include "paired.h"
#include "torus/discipline.h"

#define MOST_RUNS PAIRED_MOST

struct policy {
	const char *discipline, *key, *value;
	double mean_hold;
};

static const struct policy policies[] = {
	{ "stacking", NULL, NULL, 0 },
	{ "buddy-rt", NULL, NULL, 0 },
	{ "dedf", "windows", "eat", MOHAPATRA_HOLD },
	{ "dedf", "windows", "atw", MOHAPATRA_HOLD },
	{ "dedf", "choice", "first-fit", MOHAPATRA_HOLD },
	{ "dedf", "choice", "earliest", MOHAPATRA_HOLD },
	{ "dedf-replan", "lead", "1000.0", MOHAPATRA_HOLD }, /* at once */
	{ "dedf-replan", "lead", "1.0", MOHAPATRA_HOLD },
	{ "dedf-replan", "lead", "1.5", MOHAPATRA_HOLD },
};

#define POLICIES (sizeof(policies) / sizeof(policies[0]))

struct sample {
	double miss[MOST_RUNS], work[MOST_RUNS], batch[MOST_RUNS];
};

static void play(const struct torus_machine *m, const struct policy *p,
		 struct mohapatra w, struct torus_job *job, uint32_t jobs,
		 struct sample *s, uint32_t run)
{
	struct torus_scheduler_settings how;
	struct mohapatra_result result;

	torus_scheduler_defaults(&how);
	how.discipline = torus_discipline_find(p->discipline);
	how.mean_hold_us = (int64_t)(p->mean_hold * MOHAPATRA_UNIT);
	if (p->key) {
		how.options.used = 1;
		strcpy(how.options.item[0].key, p->key);
		strcpy(how.options.item[0].value, p->value);
	}
	w.seed = run * UINT64_C(1000003) + 17;
	mohapatra_draw(&w, job, jobs);
	if (!how.discipline || !mohapatra_play(m, &how, job, jobs, &result))
		exit(1);
	s->miss[run] = result.miss;
	s->work[run] = result.work_miss;
	s->batch[run] = result.batch;
}

/* All policies on one kind of workload; is the claim kept? */
static bool compare(const struct torus_machine *m, enum mohapatra_sizes sizes,
		    double load, uint32_t runs, struct torus_job *job,
		    uint32_t jobs)
{
	struct mohapatra w = { .sizes = sizes,
			       .load = load,
			       .laxity = 1.5,
			       .alternative = calloc(jobs,
						     sizeof(*w.alternative)) };
	static struct sample stacking, s;
	double half = 0, d = 0, batch = 0, most = load < 0.6 ? 0.2 : 0;
	bool good;

	if (!w.alternative)
		exit(1);
	printf("%s sizes, load %.1f\n", mohapatra_names[sizes], load);
	for (uint32_t i = 0; i < POLICIES; i++) {
		const struct policy *p = &policies[i];

		for (uint32_t run = 0; run < runs; run++)
			play(m, p, w, job, jobs, i ? &s : &stacking, run);
		if (i == 0)
			s = stacking;
		d = paired_difference(s.miss, stacking.miss, runs, &half);
		batch = paired_mean(s.batch, runs);
		printf("  %-11s %-8s %-9s miss %6.3f %%  work %6.3f %%  batch %.2f  to stacking %+.3f +- %.3f\n",
		       p->discipline, p->key ? p->key : "",
		       p->value ? p->value : "", paired_mean(s.miss, runs),
		       paired_mean(s.work, runs), batch, d, half);
	}
	free(w.alternative);
	good = d + half <= most && batch > 1.2;
	printf("  dedf-replan: upper bound %+.3f (at most %+.1f), batch %.2f (above 1.2): %s\n",
	       d + half, most, batch, good ? "kept" : "NOT KEPT");
	return good;
}

int main(int argc, char **argv)
{
	uint32_t runs = argc > 1 ? (uint32_t)atoi(argv[1]) : 15;
	uint32_t jobs = argc > 2 ? (uint32_t)atoi(argv[2]) : 4000;
	struct torus_job *job = calloc(jobs, sizeof(*job));
	struct torus_machine m = { 0 };
	struct torus t;
	bool good = true;

	if (!job || runs < 2 || runs > MOST_RUNS ||
	    torus_parse(&t, "2^8", NULL) ||
	    torus_machine_init(&m, &t, torus_strategy_find("subcube-buddy"),
			       NULL, NULL))
		return 1;
	for (int sizes = 0; sizes < 3; sizes++) {
		for (double load = 0.4; load < 1; load += 0.4)
			good &= compare(&m, (enum mohapatra_sizes)sizes, load,
					runs, job, jobs);
	}
	torus_machine_free(&m);
	free(job);
	return good ? 0 : 1;
}
