/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gupta, Srimani (1997): Remark 1 and the decomposition of section 3, by the links
 * themselves; the complexities of sections 2.4.5 and 3 (Theorem 3), by the processor
 * time of two sizes.
 *
 * A subtorus of every K-th row and column, beginning at (a,b), uses all links of its
 * rows and columns, wrap-around links included: the edges of a ring of nodes K apart
 * span the whole ring.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "papers/experiment/claim.h"
#include "papers/experiment/lab.h"
#include "papers/experiment/papers.h"
#include "papers/offline/cnp.h"
#include "papers/offline/preemptive.h"
#include "torus/alloc.h"
#include "trace/models/random.h"

#define PAPER "Gupta, Srimani 1997"
#define SIDE 8

/* Links from (i, j) to its next node: [0] along the row, [1] along the column. */
struct links {
	bool used[2][SIDE][SIDE];
};

/* Mark the links of a subtorus: rows a + x K, columns b + y K. */
static void links_mark(struct links *l, uint32_t a, uint32_t b, uint32_t k1,
		       uint32_t k2)
{
	for (uint32_t i = a; i < SIDE; i += k1)
		for (uint32_t j = b; j < SIDE; j += k2)
			for (uint32_t step = 0; step < SIDE; step++) {
				if (step < k2)
					l->used[0][i][(j + step) % SIDE] = true;
				if (step < k1)
					l->used[1][(i + step) % SIDE][j] = true;
			}
}

/* Mark the links of section 3's T(a, b): the rows and columns a .. b, whose rings
 * close through the nodes outside. */
static void diagonal_mark(struct links *l, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i <= b; i++)
		for (uint32_t j = 0; j < SIDE; j++)
			l->used[0][i][j] = l->used[1][j][i] = true;
}

static bool links_disjoint(const struct links *x, const struct links *y)
{
	for (uint32_t i = 0; i < 2 * SIDE * SIDE; i++)
		if ((&x->used[0][0][0])[i] && (&y->used[0][0][0])[i])
			return false;
	return true;
}

/* Compare Remark 1 with the links of every pair of subtori. */
static void remark_1(struct torus_lab *lab, FILE *out)
{
	uint32_t pairs = 0, wrong = 0;

	for (uint32_t k1 = 1; k1 <= SIDE / 2; k1 *= 2)
		for (uint32_t k2 = 1; k2 <= SIDE / 2; k2 *= 2)
			for (uint32_t i = 0; i < k1 * k2; i++)
				for (uint32_t j = 0; j < k1 * k2; j++) {
					struct links x = { 0 }, y = { 0 };
					bool disjoint = i / k2 != j / k2 &&
							i % k2 != j % k2;

					links_mark(&x, i / k2, i % k2, k1, k2);
					links_mark(&y, j / k2, j % k2, k1, k2);
					pairs++;
					wrong += links_disjoint(&x, &y) !=
						 disjoint;
				}
	fprintf(out, "Remark 1,pairs,%u\nRemark 1,exceptions,%u\n", pairs,
		wrong);
	torus_lab_claim(lab, torus_lab_exactly(!wrong), NULL,
			"Remark 1: two subtori are link-disjoint iff a1 != a2 and b1 != b2",
			"the links of every pair on 8x8 say the same, for sides of 2 and more",
			"%u of %u pairs", pairs - wrong, pairs);
}

/* Return the processor time of a plan in seconds, the least of five; NAN: it
 * failed. */
static double plan_seconds(struct torus_offline_jobs *jobs, bool preemptive,
			   uint32_t n)
{
	double least = INFINITY;
	struct torus_random random;

	/* Random jobs whose dimensions divide each other. */
	torus_random_init(&random, 1, 0, TORUS_PURPOSE_TIMES);
	jobs->n = n;
	for (uint32_t i = 0; i < n; i++)
		jobs->job[i] = (struct torus_offline_job){
			1u << torus_random_below(&random, preemptive ? 8 : 4),
			0, 1 + torus_random_below(&random, 1000)
		};
	for (int i = 0; i < 5; i++) {
		static const struct torus_ratio deadline = { 1000000000, 1 };
		clock_t before = clock();
		bool done;

		if (preemptive) {
			struct torus_preemptive *p =
				torus_preemptive_plan(jobs, 256, &deadline,
						      NULL, NULL, NULL);

			done = p != NULL;
			torus_preemptive_destroy(p);
		} else {
			struct torus_cnp *p = torus_cnp_plan(jobs, 16, 3, NULL,
							     NULL, NULL);

			done = p != NULL;
			torus_cnp_destroy(p);
		}
		if (!done)
			return NAN;
		least = fmin(least, (double)(clock() - before) / CLOCKS_PER_SEC);
	}
	return least;
}

static int complexity_claim(struct torus_lab *lab, FILE *out, bool preemptive,
			    uint32_t few, const char *says)
{
	struct torus_offline_jobs jobs = { .unit = 1 };
	double less, more, exponent;

	jobs.job = torus_alloc(4 * (size_t)few, sizeof(*jobs.job));
	if (!jobs.job)
		return -1;
	less = plan_seconds(&jobs, preemptive, few);
	more = plan_seconds(&jobs, preemptive, 4 * few);
	exponent = log(more / less) / log(4);
	fprintf(out, "%s,s for %u jobs,%.4g\n%s,s for %u jobs,%.4g\n",
		preemptive ? "Theorem 3" : "section 2.4.5", few, less,
		preemptive ? "Theorem 3" : "section 2.4.5", 4 * few, more);
	torus_lab_claim(lab, torus_lab_exactly(exponent < 1.5), NULL, says,
			"from n to 4 n jobs the time grows with an exponent below 1.5",
			"%.3g s for %u, %.3g s for %u jobs: exponent %.2f",
			less, few, more, 4 * few, exponent);
	torus_free(jobs.job);
	return 0;
}

static int theorems_exact(struct torus_lab *lab)
{
	FILE *out = torus_lab_open(lab, "csv");
	struct links x = { 0 }, y = { 0 };
	uint32_t unused = SIDE * SIDE - 2 * (SIDE / 2) * (SIDE / 2);
	bool disjoint;

	if (!out)
		return -1;
	fprintf(out, "claim,what,value\n");
	remark_1(lab, out);
	diagonal_mark(&x, 0, SIDE / 2 - 1);
	diagonal_mark(&y, SIDE / 2, SIDE - 1);
	disjoint = links_disjoint(&x, &y);
	fprintf(out, "section 3,unused nodes,%u\n", unused);
	torus_lab_claim(lab,
			torus_lab_exactly(disjoint && 2 * unused == SIDE * SIDE),
			NULL,
			"section 3: T(0, m/2-1) and T(m/2, m-1) are link-disjoint and leave half of the processors unused",
			"they share no link of 8x8, and 32 of 64 nodes are in neither",
			"%s, %u of %u nodes unused",
			disjoint ? "no link" : "some links", unused,
			SIDE * SIDE);
	return torus_lab_close(out);
}

static int complexity_exact(struct torus_lab *lab)
{
	FILE *out = torus_lab_open(lab, "csv");
	int rc;

	if (!out)
		return -1;
	fprintf(out, "claim,what,value\n");
	rc = complexity_claim(lab, out, false, 2000,
			      "section 2.4.5: CNP_Alloc takes O(n log n + n m^2) (n alone; loads rounded to 3 decimals)") ||
	     complexity_claim(lab, out, true, 50000,
			      "Theorem 3: the feasibility algorithm takes O(n log n)");
	return torus_lab_close(out) || rc ? -1 : 0;
}

const struct torus_experiment torus_gupta_theorems[] = {
	EXPERIMENT("gupta-disjoint", "sections 2.1, 3", "link-disjoint subtori",
		   .exact = theorems_exact),
	EXPERIMENT("gupta-complexity", "sections 2.4.5, 3",
		   "processor times of two sizes", .exact = complexity_exact),
	{ .name = NULL },
};
