/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The claims of Aida, Kasahara and Narita about their figures (aida.c). O(1)
 * per claim and point.
 *
 * One threshold per word, in all figures and for utilizations and response times: a
 * slight change is below a tenth, a considerable one above it; almost the same is
 * within 2 %, negligible within 0.1 %; a rise is sudden if a step of 0.05 doubles the
 * time. Numbers of the simulation have the paper's own 10 % (section 4.1), those of
 * section 6, in whole percent of one run, 0.03, and those of the analysis 0.01.
 */
#include "papers/experiment/papers.h"
#include "papers/experiment/aida_claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"

/* The paper's algorithms. */
#define ALGORITHMS 6
static const char *const algorithm[ALGORITHMS] = {
	"FCFS", "MPFS", "LPFS", "FPFS", "FPMPFS", "backfilling",
};

/* FCFS's response time rises suddenly at a load: the step of 0.05 to it more than
 * doubles the time. */
static void rise_claim(struct torus_lab *lab, double load, const char *why,
		       const char *says)
{
	const struct torus_point *a = torus_lab_at(lab, "FCFS", load - 0.05);
	const struct torus_point *b = torus_lab_at(lab, "FCFS", load);
	struct torus_moments ratio;
	char spread[48];

	if (lab->quick) /* has fewer loads: 0.5, 0.7, 0.8 */
		a = torus_lab_at(lab, "FCFS", load < 0.8 ? 0.5 : 0.7);
	if (!a || !b) {
		torus_lab_missing(lab, "FCFS", load, says);
		return;
	}
	ratio = torus_lab_ratio_of(b, a);
	torus_lab_claim(lab, torus_lab_within(&ratio, 2, INFINITY), why, says,
			"the 95 % interval of the growth in the step to it is above a factor of 2",
			"%.4g at %g, %.4g at %g: factor %.3g%s", a->y.mean,
			a->key, b->y.mean, b->key, ratio.mean,
			torus_lab_spread(&ratio, spread));
}

#define SLIGHTLY_MORE TORUS_BAND(1.05, 0.05)
#define SLIGHTLY_LESS TORUS_BAND(5.45, 4.55)       /* 0.9 to 10 */
#define CONSIDERABLY_MORE TORUS_BAND(50.55, 49.45) /* 1.1 to 100 */
#define ALMOST_SAME TORUS_BAND(1, 0.02)

#define SOLID (TORUS_RANGE(0.5, 1))

#define PACKS                                                                  \
	"with a queue that is always long sorting gains more than a tenth at load 1"
#define SORTED                                                                 \
	"with a queue that is always long FPMPFS's sorted queue packs better at load 1"

void torus_aida_fig2_claims(struct torus_lab *lab)
{
	torus_lab_less(lab, "FCFS", "MPFS", 1, 0, NULL,
		       "sorting the queue (MPFS) improves utilization over FCFS");
	torus_lab_less(lab, "FCFS", "LPFS", 1, 0, NULL,
		       "sorting the queue (LPFS) improves utilization over FCFS");
	torus_lab_ratio(lab, "MPFS", "FCFS", 1, SLIGHTLY_MORE, PACKS,
			"MPFS's improvement is slight");
	torus_lab_ratio(lab, "LPFS", "FCFS", 1, SLIGHTLY_MORE, PACKS,
			"so is LPFS's");
	torus_lab_ratio(lab, "FPFS", "MPFS", 1, CONSIDERABLY_MORE, NULL,
			"FPFS improves utilization considerably, compared with sorting");
	torus_lab_ratio(lab, "backfilling", "MPFS", 1, CONSIDERABLY_MORE, NULL,
			"so does backfilling");
	torus_lab_ratio(lab, "FPMPFS", "MPFS", 1, CONSIDERABLY_MORE, NULL,
			"and FPMPFS");
	torus_lab_ratio(lab, "FPMPFS", "FPFS", 1, SLIGHTLY_MORE, NULL,
			"FPMPFS is slightly better than FPFS");
	torus_lab_less(lab, "backfilling", "FPFS", 1, 0, NULL,
		       "backfilling follows FPFS");
	torus_lab_ratio(lab, "FPMPFS", "FPFS", 1, ALMOST_SAME, SORTED,
			"FPFS, FPMPFS and backfilling are almost the same (FPMPFS, FPFS)");
	torus_lab_ratio(lab, "backfilling", "FPFS", 1, ALMOST_SAME, NULL,
			"the same (backfilling, FPFS)");
	torus_lab_ratio(lab, "MPFS", "LPFS", 1, ALMOST_SAME, NULL,
			"section 4.5: MPFS and LPFS are almost the same");
}

#define MPFS_RESPONSE                                                          \
	"large jobs first make the many small ones wait, most of all in a queue that is always long"
#define FPMPFS_RESPONSE                                                        \
	"in a queue that is always long FPMPFS, too, makes the many small jobs wait"
#define SHORT_QUEUE                                                            \
	"small jobs first empties a long queue of nearly all its jobs: the mean falls by far more than a tenth"
#define SHORT_QUEUE_AT_ALL                                                     \
	"at low loads the queue is short, and there is little to gain"
#define HEAD_FIRST                                                             \
	"backfilling keeps the start of the head, which FPFS does not"
#define PACKED                                                                 \
	"if nearly all jobs exceed the limit, FPFS is FCFS, while FPMPFS's sorted queue still packs better"

void torus_aida_fig3_claims(struct torus_lab *lab)
{
	torus_lab_every_less(
		lab, "LPFS", "FCFS", SOLID, NULL,
		"LPFS keeps the mean response time lower than FCFS (loads 0.5 to 1)");
	torus_lab_every_less(lab, "LPFS", "MPFS", SOLID, NULL,
			     "and lower than MPFS");
	torus_lab_every_less(lab, "MPFS", "FCFS", SOLID, MPFS_RESPONSE,
			     "MPFS reduces the mean response time, compared with FCFS");
	torus_lab_every_less(lab, "FPFS", "LPFS", SOLID, NULL,
			     "FPFS keeps it lower than the sorted queues");
	torus_lab_every_less(lab, "FPMPFS", "LPFS", SOLID, FPMPFS_RESPONSE,
			     "so does FPMPFS");
	torus_lab_every_less(lab, "backfilling", "LPFS", SOLID, NULL,
			     "so does backfilling");
	torus_lab_ratio(lab, "LPFS", "FCFS", 1, SLIGHTLY_LESS, SHORT_QUEUE,
			"the improvement by LPFS is slight");
	torus_lab_ratio(lab, "MPFS", "LPFS", 1, ALMOST_SAME, MPFS_RESPONSE,
			"section 4.5: MPFS and LPFS are almost the same");
	torus_lab_every_ratio(lab, "LPFS", "FPFS", SOLID, TORUS_RANGE(1.1, 100),
			      SHORT_QUEUE_AT_ALL,
			      "FPFS keeps it considerably lower than LPFS");
	torus_lab_every_ratio(lab, "LPFS", "FPMPFS", SOLID,
			      TORUS_RANGE(1.1, 100), SHORT_QUEUE_AT_ALL,
			      "so does FPMPFS");
	torus_lab_every_ratio(lab, "LPFS", "backfilling", SOLID,
			      TORUS_RANGE(1.1, 100), SHORT_QUEUE_AT_ALL,
			      "so does backfilling");
	torus_lab_ratio(lab, "FPMPFS", "FPFS", 1, ALMOST_SAME, FPMPFS_RESPONSE,
			"FPFS, FPMPFS and backfilling are almost the same (FPMPFS, FPFS)");
	torus_lab_ratio(lab, "backfilling", "FPFS", 1, ALMOST_SAME, HEAD_FIRST,
			"the same (backfilling, FPFS)");
	rise_claim(lab, 0.7, NULL,
		   "FCFS's response time rises suddenly at a load below 0.75 (0.7)");
}

#define FULL                                                                   \
	"in a queue that grows during the run nearly all jobs exceed the limit: then FPFS is FCFS, while the sorted queues still pack well"

static const char *const searched[] = { "FPFS", "FPMPFS" };

/* Compare each searched queue with each sorted one; `more`: the searched queue
 * has the higher y. */
static void searched_claims(struct torus_lab *lab, const char *verb,
			    struct torus_range loads, bool more)
{
	static const char *const sorted[] = { "FCFS", "MPFS", "LPFS" };
	char says[120];

	for (int i = 0; i < 6; i++) {
		const char *a = searched[i / 3], *b = sorted[i % 3];

		snprintf(says, sizeof(says),
			 "with WaitLimit, %s %s than %s (loads %g to %g)", a,
			 verb, b, loads.first, loads.last);
		torus_lab_every_less(lab, more ? b : a, more ? a : b, loads,
				     FULL, says);
	}
}

void torus_aida_fig4_claims(struct torus_lab *lab)
{
	static const char *const slight[] = { "MPFS", "LPFS" };
	char says[120], before[40];

	searched_claims(lab, "still has a better utilization",
			TORUS_RANGE(0.7, 1), true);
	torus_lab_less(lab, "FPFS", "backfilling", 1, 0, NULL,
		       "backfilling has the best utilization in this case");
	torus_lab_less(lab, "FPMPFS", "backfilling", 1, 0, NULL,
		       "better than FPMPFS as well");
	for (int i = 0; i < 2; i++) {
		snprintf(says, sizeof(says),
			 "%s is degraded by WaitLimit in high load",
			 searched[i]);
		snprintf(before, sizeof(before), "%s, no limit", searched[i]);
		torus_lab_less(lab, searched[i], before, 1, 0, NULL, says);
		torus_lab_every_ratio(lab, searched[i], before,
				      TORUS_RANGE(0, 0.5),
				      TORUS_RANGE(0.999, 1.001), NULL,
				      "at low load (up to 0.5) that is negligible");
		snprintf(says, sizeof(says), "%s's degradation is slight",
			 slight[i]);
		snprintf(before, sizeof(before), "%s, no limit", slight[i]);
		torus_lab_ratio(lab, slight[i], before, 1, SLIGHTLY_LESS, NULL,
				says);
	}
}

void torus_aida_fig5_claims(struct torus_lab *lab)
{
	char says[120], before[40];

	searched_claims(lab, "has a lower response time", SOLID, false);
	for (int i = 0; i < 2; i++) {
		snprintf(says, sizeof(says),
			 "%s's degradation by WaitLimit is slight: below a tenth (loads 0.5 to 1)",
			 searched[i]);
		snprintf(before, sizeof(before), "%s, no limit", searched[i]);
		torus_lab_every_ratio(lab, searched[i], before, SOLID,
				      TORUS_RANGE(0, 1.1), FULL, says);
	}
}

void torus_aida_fig6_claims(struct torus_lab *lab)
{
	uint32_t same = 0, all = 0;
	static const int seconds[] = { 300, 600, 1200, 3600 };
	char a[40], b[24], says[120];

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i], *q;

		if (strcmp(p->series->label, "WL = 0"))
			continue;
		q = torus_lab_at(lab, "FCFS", p->key);
		for (uint32_t k = 0; q && k < TORUS_LAB_SEEDS; k++) {
			if (isnan(p->value[k]) || isnan(q->value[k]))
				continue;
			all++;
			same += p->value[k] == q->value[k];
		}
	}
	torus_lab_claim(lab, torus_lab_exactly(all && same == all), NULL,
			"FPFS with WaitLimit 0 is FCFS",
			"the utilization is the same in every replication",
			"%u of %u replications have the same utilization", same,
			all);
	torus_lab_less(lab, "WL = 600", "no limit", 1, 0, NULL,
		       "utilization is degraded at high load by a WaitLimit");
	torus_lab_less(lab, "WL = 300", "WL = 600", 1, 0, NULL,
		       "the shorter the WaitLimit, the closer to FCFS (300, 600)");
	torus_lab_less(lab, "WL = 0", "WL = 300", 1, 0, NULL,
		       "the same (0, 300)");
	/* "FPMPFS with WaitLimit showed almost same results." */
	for (int i = 0; i < 4; i++) {
		snprintf(a, sizeof(a), "FPMPFS, WL = %d", seconds[i]);
		snprintf(b, sizeof(b), "WL = %d", seconds[i]);
		snprintf(says, sizeof(says),
			 "FPMPFS has almost the same results (within 2 %%; %s)",
			 b);
		torus_lab_every_ratio(lab, a, b, TORUS_LAB_ALL,
				      TORUS_RANGE(0.98, 1.02), PACKED, says);
	}
}

#define AS_STATED                                                              \
	"with exponential run times of mean 10 s, as stated, the variances are larger"
#define CLOSE                                                                  \
	"with run times as stated backfilling's variance is a little below FPFS's"

void torus_aida_table3_claims(struct torus_lab *lab)
{
	static const char *const order[] = { "FPFS", "FPMPFS", "FCFS", "LPFS",
					     "MPFS" };
	static const char *const orders[] = {
		"the variance is less with FPFS than with FPMPFS",
		"less with FPMPFS than with FCFS",
		"less with FCFS than with LPFS",
		"less with LPFS than with MPFS",
	};
	static const double value[ALGORITHMS] = {
		639, 1765, 1058, 365, 498, 370
	};
	char says[40];

	torus_lab_less(lab, "FPFS", "backfilling", 0.5, 0, CLOSE,
		       "it is least with FPFS: less than with backfilling");
	for (int i = 0; i < 4; i++)
		torus_lab_less(lab, order[i], order[i + 1], 0.5, 0, NULL,
			       orders[i]);
	torus_lab_less(lab, "backfilling", "FCFS", 0.5, 0, NULL,
		       "backfilling reduces the variance, compared with FCFS");
	for (int i = 0; i < ALGORITHMS; i++) {
		snprintf(says, sizeof(says), "%s %g", algorithm[i], value[i]);
		torus_lab_near(lab, algorithm[i], 0.5, value[i], value[i] * 0.1,
			       AS_STATED, says);
	}
}

#define PACKED_ONCE                                                            \
	"the analysis packs bins once; run times of different length leave FCFS at .70"
#define LAST_JOBS                                                              \
	"the runs end after 5000 jobs: the last ones leave the machine empty, and v = 1 is a limit"

/* FCFS gains less than 0.01 above a load of 0.75. */
static void saturated_claim(struct torus_lab *lab)
{
	const struct torus_point *a = torus_lab_at(lab, "FCFS", 0.8);
	const struct torus_point *b = torus_lab_at(lab, "FCFS", 1);
	struct torus_moments gain;

	if (!a || !b) {
		torus_lab_missing(lab, "FCFS", a ? 1 : 0.8,
				  "FCFS is saturated at loads above 0.75");
		return;
	}
	gain = torus_lab_sum(TORUS_TERMS({ b, 1 }, { a, -1 }));
	torus_lab_claim(lab, torus_lab_within(&gain, -INFINITY, 0.01), NULL,
			"FCFS is saturated at loads above 0.75",
			"from 0.8 to 1 the 95 % interval of its gain is below 0.01",
			"%.4g at 0.8, %.4g at 1", a->y.mean, b->y.mean);
}

void torus_aida_fig7_claims(struct torus_lab *lab)
{
	char says[96], uniform_sizes[40];
	const struct torus_point *real_mpfs;
	const struct torus_point *mpfs;
	double gain, most = -1;
	const char *who = "";
	char before[40];

	torus_lab_ratio(lab, "FPFS", "FCFS", 1, CONSIDERABLY_MORE, NULL,
			"FPFS improves utilization considerably");
	torus_lab_ratio(lab, "FPMPFS", "FCFS", 1, CONSIDERABLY_MORE, NULL,
			"so does FPMPFS");
	torus_lab_ratio(lab, "backfilling", "FCFS", 1, CONSIDERABLY_MORE, NULL,
			"so does backfilling");
	for (int i = 0; i < ALGORITHMS; i++) {
		snprintf(says, sizeof(says),
			 "%s is better than with uniform sizes (Fig. 2)",
			 algorithm[i]);
		snprintf(uniform_sizes, sizeof(uniform_sizes), "%s, uniform",
			 algorithm[i]);
		torus_lab_less(lab, uniform_sizes, algorithm[i], 1, 0, NULL,
			       says);
	}
	torus_lab_ratio(lab, "MPFS", "MPFS, uniform", 1, CONSIDERABLY_MORE, NULL,
			"the improvement of MPFS over uniform sizes is considerable");
	/* "Especially, the improvement of MPFS is considerable": MPFS gains more than every
	 * other scheme. */
	real_mpfs = torus_lab_at(lab, "MPFS", 1);
	mpfs = torus_lab_at(lab, "MPFS, uniform", 1);
	if (!real_mpfs || !mpfs) {
		torus_lab_missing(lab, "MPFS", 1, "especially that of MPFS");
		return;
	}
	gain = real_mpfs->y.mean - mpfs->y.mean;
	for (int i = 0; i < ALGORITHMS; i++) {
		const struct torus_point *p, *q;

		snprintf(before, sizeof(before), "%s, uniform", algorithm[i]);
		p = torus_lab_at(lab, algorithm[i], 1);
		q = torus_lab_at(lab, before, 1);
		if (p == real_mpfs || !p || !q || p->y.mean - q->y.mean <= most)
			continue;
		most = p->y.mean - q->y.mean;
		who = algorithm[i];
	}
	torus_lab_claim(lab, torus_lab_exactly(gain > most), NULL,
			"especially that of MPFS",
			"between Figs. 2 and 7 the mean of MPFS gains most at load 1",
			"MPFS gains %.3f, the next, %s, %.3f", gain, who, most);
}

/* The analysis: utilization equals the load up to v, and v beyond. */
void torus_aida_fig8_claims(struct torus_lab *lab)
{
	torus_lab_less_at(lab, "FCFS", 0.7, 0.8, PACKED_ONCE,
			  "FCFS improves up to a load of 0.75");
	saturated_claim(lab);
	torus_lab_near(lab, "FCFS", 1, 0.75, 0.01, PACKED_ONCE,
		       "FCFS saturates at a utilization of 0.75 (average case analysis)");
	torus_lab_every_growth(lab, "FPFS", TORUS_RANGE(0.7, 1),
			       "FPFS goes on improving at high load (0.7 to 1)");
	torus_lab_every_growth(lab, "FPMPFS", TORUS_RANGE(0.7, 1),
			       "so does FPMPFS");
	torus_lab_near(lab, "FPFS", 1, 1, 0.01, LAST_JOBS,
		       "the average case analysis gives FPFS a limit of 1");
	torus_lab_near(lab, "FPMPFS", 1, 1, 0.01, LAST_JOBS,
		       "and FPMPFS the same");
}

#define MACHINE                                                                \
	"the paper measured 500 jobs once, on a machine with its overheads; the distribution of their run times (mean 32 s) is not stated, ours is exponential"

void torus_aida_fig11_claims(struct torus_lab *lab)
{
	torus_lab_less(lab, "FCFS", "FPFS", 0.9, 0, NULL,
		       "FPFS has a better utilization than FCFS at load 0.9");
	torus_lab_less(lab, "FCFS", "FPMPFS", 0.9, 0, NULL, "so has FPMPFS");
	torus_lab_ratio(lab, "FPMPFS", "FPFS", 0.9, TORUS_BAND(0.97, 0.03),
			MACHINE,
			"FPMPFS is 3 % below FPFS at load 0.9, as WaitLimit holds it up more");
	torus_lab_ratio(lab, "FPFS", "FCFS", 0.9, TORUS_BAND(1.09, 0.03),
			MACHINE, "FPFS improves utilization by 9 % at load 0.9");
	torus_lab_near(lab, "FPFS", 0.95, 0.81, 0.03, MACHINE,
		       "FPFS is down to 81 % at load 0.95, by WaitLimit");
	torus_lab_near(lab, "FPMPFS", 0.95, 0.81, 0.03, MACHINE, "so is FPMPFS");
}

void torus_aida_fig12_claims(struct torus_lab *lab)
{
	rise_claim(lab, 0.8, MACHINE,
		   "FCFS's response time rises suddenly at load 0.8");
	torus_lab_below(lab, "FPFS", 0.8, 116, MACHINE,
			"FPFS stays below 116 s at load 0.8");
	torus_lab_below(lab, "FPMPFS", 0.8, 116, MACHINE, "so does FPMPFS");
	torus_lab_every_less(
		lab, "FPFS", "FCFS", SOLID, NULL,
		"FPFS keeps the response time lower than FCFS (loads 0.5 to 1)");
	torus_lab_every_less(lab, "FPMPFS", "FCFS", SOLID, NULL,
			     "so does FPMPFS");
}
