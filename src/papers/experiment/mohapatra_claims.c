/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The claims of Mohapatra about Figs. 6 to 13, on the data of mohapatra.c. O(1)
 * per claim.
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"
#include "papers/experiment/papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OTHERWISE                                                              \
	"independent implementations of the model find the same: with few large jobs the two are close; with many, Stacking, which books at arrival while there is room, misses fewer, but at the highest loads"

#define RANGE                                                                  \
	"the paper does not say which runs the range covers; the gain is smaller if hardly any job can wait, and larger with high laxities, where first fit leaves holes"
#define DEFERRAL                                                               \
	"as long as there is hardly a batch to choose from, a deferred job is only answered later, with less room"
#define WINDOWS                                                                \
	"the windows are too rarely what decides: the intervals contain 0"
#define BY_WORK                                                                \
	"large jobs count most by work; at low loads, and among them with geometric sizes (Fig. 11), DEDF, which answers late, finds less room for them"
#define LOW_LAXITY                                                             \
	"with little laxity DEDF chooses the sub-cube as Stacking does, and Buddy/RT's first fit, which keeps jobs at one end, misses fewer"
#define HOLD                                                                   \
	"the paper gives no number for it; a later trigger has a larger batch and less room"
#define OVERHEAD                                                               \
	"without an overhead the second phase helps all of them, and Stacking as much as DEDF; with one it hardly ever changes an answer"
#define CUBES                                                                  \
	"at the same load a larger cube runs more jobs at a time, each on about 1/n of it, so that the variation averages out: DEDF's ratio does not grow"
#define GROWING                                                                \
	"DEDF's ratio grows, and the other's not certainly more: at the same load a larger cube runs more jobs at a time, and the variation averages out"
#define SMALL "in small cubes there is little to choose from"
#define LARGEST                                                                \
	"EDF over a batch takes them in the order of deadlines, and the largest may find less room; the smallest hardly ever miss"
#define SIMILAR                                                                \
	"among many small jobs first fit, which keeps them at one end, misses fewer while hardly any can wait"
#define EFFORT                                                                 \
	"each policy asks once about each job, and again only in the second phase, which is rare"
#define PREEMPTING                                                             \
	"the second phase is adopted for a few of the 4000 jobs only, under each of the policies"
#define SAME_SEARCH                                                            \
	"here all three search the same list of sub-cubes and of their uses; Buddy/RT ends at the first that fits, and a batch has more uses to compare"
#define FIRST_FIT                                                              \
	"as written, Buddy/RT takes the lowest index that is free by the latest start, not the earliest: with more laxity more jobs wait for the first sub-cubes while others idle, and leave holes that it does not use"

/* "The performance improvement is between 25 % to 150 % compared to
 * Buddy/RT, and between 10 % to 75 % compared to Stacking for the workload
 * studied": every point of every figure. 0.5: the other policy misses 1.5
 * times as much. */
static void mohapatra_claims_improvement(struct torus_lab *lab)
{
	torus_lab_every_ratio(lab, "Buddy/RT", "DEDF", TORUS_LAB_ALL,
			      TORUS_RANGE(1.25, 2.5), RANGE,
			      "DEDF improves on Buddy/RT by 25 % to 150 %, at every point");
	torus_lab_every_ratio(lab, "Stacking", "DEDF", TORUS_LAB_ALL,
			      TORUS_RANGE(1.1, 1.75), OTHERWISE,
			      "and on Stacking by 10 % to 75 %, at every point");
}

/* Claims of all figures; of: "load". */
static void mohapatra_claims_orders(struct torus_lab *lab, const char *of,
				    const char *why_buddy)
{
	char says[96];

	snprintf(says, sizeof(says),
		 "DEDF misses fewer than Buddy/RT at every %s", of);
	torus_lab_every_less(lab, "DEDF", "Buddy/RT", TORUS_LAB_ALL, why_buddy,
			     says);
	snprintf(says, sizeof(says),
		 "DEDF misses fewer than Stacking at every %s", of);
	torus_lab_every_less(lab, "DEDF", "Stacking", TORUS_LAB_ALL, OTHERWISE,
			     says);
}

/* Separate the effect of deferral from that of the choice of the sub-cube: both
 * disciplines choose by first fit, as Buddy/RT does. */
void torus_mohapatra_work_claims(struct torus_lab *lab)
{
	bool work = !strcmp(lab->experiment->y, "work_miss_ratio");

	mohapatra_claims_orders(lab, "load", work ? BY_WORK : DEFERRAL);
	torus_lab_every_less(lab, "deferral alone, first fit", "Buddy/RT",
			     TORUS_LAB_ALL, DEFERRAL,
			     "deferring alone misses fewer than Buddy/RT at every load");
	torus_lab_every_less(
		lab, "DEDF", "DEDF, no ATW", TORUS_LAB_ALL, WINDOWS,
		"windows (ATW) miss fewer than DEDF without them at every load");
	torus_lab_every_growth(lab, "DEDF", TORUS_LAB_ALL,
			       "the miss ratio grows with the load");
}

void torus_mohapatra_load_claims(struct torus_lab *lab)
{
	torus_mohapatra_work_claims(lab);
	mohapatra_claims_improvement(lab);
}

/* Low laxities: 50 %; high laxities: the highest value. */
void torus_mohapatra_laxity_claims(struct torus_lab *lab)
{
	static const char *const label[] = { "Buddy/RT", "Stacking", "DEDF" };
	char says[96];

	mohapatra_claims_orders(lab, "laxity", LOW_LAXITY);
	mohapatra_claims_improvement(lab);
	torus_lab_ratio(lab, "Stacking", "Buddy/RT", 0.5, TORUS_BAND(1, 0.1),
			SIMILAR,
			"at low laxities there is not much between Buddy/RT and Stacking (50 %)");
	for (int i = 0; i < 3; i++) {
		snprintf(says, sizeof(says), "high laxities make %s miss less",
			 label[i]);
		torus_lab_less_at(lab, label[i], lab->quick ? 3 : 5, 0.5,
				  i ? NULL : FIRST_FIT, says);
	}
}

/* "The JMR for any given laxity is lower in case of geometric distribution as
 * compared to the other two distributions": Fig. 7 against Figs. 8 and 9. Run i
 * of one has other jobs than run i of another, so the differences vary more
 * than those of two policies. */
void torus_mohapatra_geometric_claims(struct torus_lab *lab)
{
	static const char *const label[] = { "Buddy/RT", "Stacking", "DEDF" };
	static const char *const other[] = { "uniform", "reverse" };
	char than[64], says[128];

	torus_mohapatra_laxity_claims(lab);
	for (int i = 0; i < 6; i++) {
		snprintf(than, sizeof(than), "%s, %s", label[i / 2],
			 other[i % 2]);
		snprintf(says, sizeof(says),
			 "%s misses fewer with geometric sizes than with %s ones at every laxity",
			 label[i / 2], i % 2 ? "reverse geometric" : "uniform");
		torus_lab_every_less(lab, label[i / 2], than, TORUS_LAB_ALL,
				     i == 1 ? FIRST_FIT : NULL, says);
	}
}

static void cube_growth_claim(struct torus_lab *lab, const char *other)
{
	const struct torus_point *at[] = { torus_lab_at(lab, "DEDF", 4),
					   torus_lab_at(lab, "DEDF", 8),
					   torus_lab_at(lab, other, 4),
					   torus_lab_at(lab, other, 8) };
	struct torus_moments ours, rest;
	char says[96];

	if (!at[0] || !at[1] || !at[2] || !at[3]) {
		torus_lab_missing(lab, other, 8, "miss ratios grow");
		return;
	}
	ours = torus_lab_sum(TORUS_TERMS({ at[1], 1 }, { at[0], -1 }));
	rest = torus_lab_sum(TORUS_TERMS({ at[3], 1 }, { at[2], -1 },
					 { at[1], -1 }, { at[0], 1 }));
	snprintf(says, sizeof(says),
		 "miss ratios grow with the cube, DEDF's more slowly than %s's",
		 other);
	torus_lab_claim(lab,
			torus_lab_within(&ours, 0, INFINITY) >
					torus_lab_within(&rest, 0, INFINITY) ?
				torus_lab_within(&ours, 0, INFINITY) :
				torus_lab_within(&rest, 0, INFINITY),
			ours.mean > 0 ? GROWING : CUBES, says,
			"from the 4-cube to the 8-cube DEDF's grows, and the other's grows more: both 95 % intervals are above 0",
			"DEDF %.4g to %.4g, %s %.4g to %.4g", at[0]->y.mean,
			at[1]->y.mean, other, at[2]->y.mean, at[3]->y.mean);
}

void torus_mohapatra_cube_claims(struct torus_lab *lab)
{
	bool work = !strcmp(lab->experiment->y, "work_miss_ratio");

	mohapatra_claims_orders(lab, "size of the cube", work ? BY_WORK : SMALL);
	mohapatra_claims_improvement(lab);
	cube_growth_claim(lab, "Buddy/RT");
	cube_growth_claim(lab, "Stacking");
}

/* Section 1: scheduling a set of jobs reduces the preemption of tasks; section 3: a
 * scheduler that asks at each arrival, and again in the second phase, asks more. */
void torus_mohapatra_effort_claims(struct torus_lab *lab)
{
	bool calls = !strcmp(lab->experiment->y, "placement_calls");
	const char *why = calls ? EFFORT : PREEMPTING;

	torus_lab_every_less(
		lab, "DEDF", "Buddy/RT", TORUS_LAB_ALL, why,
		calls ? "DEDF asks for fewer places than Buddy/RT at every load" :
			"DEDF preempts fewer jobs than Buddy/RT at every load");
	torus_lab_every_less(
		lab, "DEDF", "Stacking", TORUS_LAB_ALL, why,
		calls ? "DEDF asks for fewer places than Stacking at every load" :
			"DEDF preempts fewer jobs than Stacking at every load");
}

/* Sections 3.2 and 5. A job of 2^i of 2^n processors has 2^(n-i) sub-cubes: with uniform
 * i from 0 to n-1 7.5 in the mean for n = 4, 63.75 for n = 8. */
void torus_mohapatra_complexity_claims(struct torus_lab *lab)
{
	const struct torus_point *small = torus_lab_at(lab, "DEDF", 4);
	const struct torus_point *large = torus_lab_at(lab, "DEDF", 8);
	const char *says =
		"finding a sub-cube takes DEDF O(2^(n-i)): 8.5 times as many sub-cubes in the mean in the 8-cube as in the 4-cube";
	struct torus_moments ratio;
	char half[48];

	if (!small || !large) {
		torus_lab_missing(lab, "DEDF", 8, says);
		return;
	}
	ratio = torus_lab_ratio_of(large, small);
	torus_lab_claim(lab, torus_lab_within(&ratio, -INFINITY, 8.5), NULL,
			says,
			"the 95 % interval of the ratio of the times is below 8.5",
			"%.3g us in the 4-cube, %.3g us in the 8-cube: ratio %.3g%s",
			small->y.mean, large->y.mean, ratio.mean,
			torus_lab_spread(&ratio, half));
	torus_lab_every_less(
		lab, "DEDF", "Buddy/RT", TORUS_LAB_ALL, SAME_SEARCH,
		"finding a sub-cube takes DEDF less time than Buddy/RT in every cube");
	torus_lab_every_ratio(lab, "DEDF", "Stacking", TORUS_LAB_ALL,
			      TORUS_RANGE(0.9, 1.1), SAME_SEARCH,
			      "and as much as Stacking (within 10 %)");
}

/* Other overheads and mean hold times: similar trends. */
void torus_mohapatra_overhead_claims(struct torus_lab *lab)
{
	mohapatra_claims_orders(lab, "overhead", OVERHEAD);
}

/* "The heuristic has shown good results": S_t, the mean hold time, against a half of
 * it ("a subcube should be available after one-half") and twice as much. */
void torus_mohapatra_hold_claims(struct torus_lab *lab)
{
	torus_lab_every_less(
		lab, "S_t = 3", "S_t = 1.5", TORUS_LAB_ALL, HOLD,
		"S_t, the mean hold time, misses fewer than half of it at every load");
	torus_lab_every_less(lab, "S_t = 3", "S_t = 6", TORUS_LAB_ALL, HOLD,
			     "and fewer than twice as much");
}

void torus_mohapatra_sizes_claims(struct torus_lab *lab)
{
	static const char *const label[] = { "Buddy/RT", "Stacking", "DEDF" };
	char says[96];

	for (int i = 0; i < 3; i++) {
		snprintf(says, sizeof(says),
			 "%s misses large jobs more often (dimensions 4 and 7)",
			 label[i]);
		torus_lab_less_at(lab, label[i], 4, 7, NULL, says);
	}
	mohapatra_claims_orders(lab, "dimension of the job", LARGEST);
}
