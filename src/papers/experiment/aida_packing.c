/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aida, Kasahara, Narita (1998), section 5.2: the ratio v of busy processors, from
 * one-dimensional bin packing. Jobs of equal run time that all arrive at once make
 * each discipline a packing algorithm, an instant per bin: FCFS is Next Fit, FPFS
 * First Fit (what fits the first bin is put there, in order, before the second one
 * is begun), FPMPFS First Fit Decreasing. O(jobs x bins) per replay.
 *
 * The worst cases are the known lists that reach the bounds: 2 with pairs of a half
 * and a little; 17/10 with sizes 6, 10, 16, 34, 51 of 101; 11/9 with 51, 27, 26, 23
 * of 100 (Coffman, Garey, Johnson 1984).
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/aida_claims.h"
#include "papers/experiment/claim.h"

#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "trace/models/random.h"

#define PACKING_SEEDS 20
#define AVERAGE_JOBS 5000
#define AVERAGE_NODES 256

/* A run of equal jobs of a list. */
struct packing_run {
	uint32_t times, nodes;
};

static const struct packing {
	const char *label, *discipline;
	uint32_t nodes;
	uint32_t repeat; /* the list, this often */
	struct packing_run run[6];
} worst[] = {
	{ "FCFS", "fcfs", 10000, 500, { { 1, 5000 }, { 1, 1 } } },
	{ "FPFS",
	  "fpfs",
	  101,
	  1,
	  { { 7, 6 }, { 7, 10 }, { 3, 16 }, { 10, 34 }, { 10, 51 } } },
	{ "FPMPFS",
	  "fpmpfs",
	  100,
	  1,
	  { { 6, 51 }, { 6, 27 }, { 6, 26 }, { 12, 23 } } },
};

struct packing_sum {
	double work;
	int64_t end_us;
};

static int packing_row(void *arg, const struct torus_machine *m,
		       const struct torus_replay_row *row)
{
	struct packing_sum *sum = arg;

	(void)m;
	sum->work += row->account.requested;
	if (row->account.end_us > sum->end_us)
		sum->end_us = row->account.end_us;
	return 0;
}

/* Replay NAME.jobs.csv, whose jobs run for a second. v: how much of the machine they
 * use until the last end. 0, or -1 with errno. */
static int packing_replay(const struct torus_lab *lab, const char *discipline,
			  uint32_t nodes, double *v)
{
	const struct torus_trace_options options = { .format = "csv" };
	struct packing_sum sum = { 0 };
	const struct torus_replay_hooks hooks = { .arg = &sum,
						  .row = packing_row };
	char *jobs = torus_lab_path(lab, "jobs.csv");
	char *machine = torus_lab_path(lab, "yaml");
	FILE *out = machine ? fopen(machine, "we") : NULL;
	int rc = -1;

	if (out) {
		fprintf(out,
			"toruses:\n- {name: bins, flat: %u}\nscheduler: {discipline: %s}\n",
			nodes, discipline);
		rc = torus_lab_close(out);
	}
	if (!rc)
		rc = torus_lab_replay(machine,
				      jobs ? torus_trace_open(jobs, &options,
							      NULL) :
					     NULL,
				      &hooks);
	free(machine);
	free(jobs);
	*v = sum.work / ((double)nodes * (double)sum.end_us / 1e6);
	return rc;
}

static FILE *packing_jobs_open(const struct torus_lab *lab)
{
	FILE *out = torus_lab_open(lab, "jobs.csv");

	if (out)
		fprintf(out, "id,submit,run,nodes\n");
	return out;
}

static int worst_jobs_write(const struct torus_lab *lab, const struct packing *p)
{
	FILE *out = packing_jobs_open(lab);
	uint32_t id = 0;

	if (!out)
		return -1;
	for (uint32_t i = 0; i < p->repeat; i++)
		for (const struct packing_run *run = p->run; run->times; run++)
			for (uint32_t k = 0; k < run->times; k++)
				fprintf(out, "%u,0,1,%u\n", ++id, run->nodes);
	return torus_lab_close(out);
}

/* x: 0 in the average case, 1 in the worst. */
int torus_aida_packing(struct torus_lab *lab)
{
	uint32_t first = torus_lab_first(lab);
	uint32_t seeds = torus_lab_seeds(lab, PACKING_SEEDS, 5);
	double v;

	for (int i = 0; i < 3; i++) {
		if (worst_jobs_write(lab, &worst[i]) ||
		    packing_replay(lab, worst[i].discipline, worst[i].nodes,
				   &v) ||
		    torus_lab_add(lab, &torus_aida_packings[i], 1, first, 1, v))
			return -1;
	}
	for (uint32_t seed = first; seed < first + seeds; seed++) {
		FILE *out = packing_jobs_open(lab);
		struct torus_random random;

		if (!out)
			return -1;
		torus_random_init(&random, seed, 0, TORUS_PURPOSE_SIZES);
		for (uint32_t i = 0; i < AVERAGE_JOBS; i++)
			fprintf(out, "%u,0,1,%u\n", i + 1,
				1 + torus_random_below(&random, AVERAGE_NODES));
		if (torus_lab_close(out))
			return -1;
		for (int i = 0; i < 3; i++) {
			if (packing_replay(lab, worst[i].discipline,
					   AVERAGE_NODES, &v) ||
			    torus_lab_add(lab, &torus_aida_packings[i], 0, seed,
					  0, v))
				return -1;
		}
	}
	torus_lab_sort(lab);
	return 0;
}

#define LIMIT "v = 1 is a limit; with 5000 jobs the last bins are not full"

void torus_aida_packing_claims(struct torus_lab *lab)
{
	torus_lab_near(lab, "FCFS", 1, 1 / 2., 0.0005, NULL,
		       "worst case: v of FCFS is 1/2");
	torus_lab_near(lab, "FPFS", 1, 10 / 17., 0.0005, NULL,
		       "worst case: v of FPFS is 10/17");
	torus_lab_near(lab, "FPMPFS", 1, 9 / 11., 0.0005, NULL,
		       "worst case: v of FPMPFS is 9/11");
	torus_lab_near(lab, "FCFS", 0, 3 / 4., 0.01, NULL,
		       "average case: v of FCFS is 3/4");
	torus_lab_near(lab, "FPFS", 0, 1, 0.01, LIMIT,
		       "average case: v of FPFS is 1");
	torus_lab_near(lab, "FPMPFS", 0, 1, 0.01, LIMIT,
		       "average case: v of FPMPFS is 1");
}
