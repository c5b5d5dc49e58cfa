/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The claims of Mao, Chen and Watson about their figures (mao.c).
 *
 * "Saturates" has one reading in all figures, without parameters: the highest
 * utilization that a combination reaches over all c, the asymptote of Figs. 3 to
 * 6 and the plateau of Fig. 7. The paper reads its numbers off by eye, in steps
 * of 5 % mostly. A value within 5 points of them counts as reproduced.
 */
#include "experiment/lab.h"
#include "experiment/mao.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The highest utilization of a series. */
static double mao_saturation(const struct torus_lab *lab, const char *label)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) && p->x.mean > most)
			most = p->x.mean;
	}
	return most;
}

static void mao_above(struct torus_lab *lab, const char *less, const char *more,
		      const char *why, const char *says)
{
	double a = mao_saturation(lab, less), b = mao_saturation(lab, more);

	torus_lab_claim(lab,
			b - a >= 0.02 ? TORUS_CLAIM_REPRODUCED :
			lab->quick    ? TORUS_CLAIM_UNDECIDED :
					TORUS_CLAIM_NOT,
			why, says,
			"its highest utilization is higher by 0.02 at least",
			"%s %.3f, %s %.3f", less, a, more, b);
}

#define STEEP 1000 /* slowdown at which a curve is certainly steep */

/* The utilization at which the slowdown of a series passes STEEP, between
 * points along the logarithm of the slowdown; the highest if it never does. */
static double mao_knee(const struct torus_lab *lab, const char *label)
{
	const struct torus_point *last = NULL;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];
		double part;

		if (strcmp(p->series->label, label))
			continue;
		if (p->y.mean > STEEP) {
			if (!last)
				return p->x.mean;
			part = log(STEEP / last->y.mean) /
			       log(p->y.mean / last->y.mean);
			return last->x.mean + part * (p->x.mean - last->x.mean);
		}
		last = p;
	}
	return mao_saturation(lab, label);
}

#define READ_OFF 0.05 /* the paper's numbers are read off by eye */

/* A curve of Figs. 3 to 6 saturates within READ_OFF of the value. */
static void mao_saturates(struct torus_lab *lab, const char *label,
			  double value, const char *why, const char *says)
{
	double most = mao_saturation(lab, label);
	char test[96];

	snprintf(test, sizeof(test),
		 "its highest utilization is within %.2f to %.2f",
		 value - READ_OFF, value + READ_OFF);
	torus_lab_claim(lab,
			fabs(most - value) <= READ_OFF ? TORUS_CLAIM_REPRODUCED :
			lab->quick                     ? TORUS_CLAIM_UNDECIDED :
							 TORUS_CLAIM_NOT,
			why, says, test, "%s %.3f (slowdowns pass %d at %.3f)",
			label, most, STEEP, mao_knee(lab, label));
}

/* EASY/NEP against EASY/flat at every c, by utilization and by slowdown. */
static void mao_like_flat(struct torus_lab *lab, const char *why)
{
	double far = 0, factor = 0, at = 0, a = 0, b = 0;
	uint32_t both = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i], *q;

		if (strcmp(p->series->label, "EASY/NEP"))
			continue;
		q = torus_lab_at(lab, "EASY/flat", p->key);
		both += q != NULL;
		if (q && q->x.mean - p->x.mean > far)
			far = q->x.mean - p->x.mean;
		if (q && p->y.mean / q->y.mean > factor) {
			a = p->y.mean;
			b = q->y.mean;
			factor = a / b;
			at = p->key;
		}
	}
	torus_lab_claim(lab,
			both ? torus_lab_exactly(far <= 0.015) :
			       TORUS_CLAIM_UNDECIDED,
			NULL,
			"backfilling with NEP has the utilization of a machine without topology",
			"it is at most 0.015 lower at every c",
			"at most %.3f lower, at %u values of c", far, both);
	torus_lab_claim(lab,
			both ? torus_lab_exactly(factor <= 1.25) :
			       TORUS_CLAIM_UNDECIDED,
			why, "and slowdowns like it",
			"they are at most 1.25 times as high at every c",
			"up to %.2f times: %.4g against %.4g at c = %g", factor,
			a, b, at);
}

#define LIKE_FLAT                                                              \
	"the utilizations are the same, but the work is not done at the same time: pieces are powers of two with buddies in use, and a job waits for its own where a flat machine starts it; where the curves are steep that multiplies"

/* What holds in all four figures. */
static void mao_common(struct torus_lab *lab)
{
	uint32_t worse = 0, all = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i], *q;

		if (strcmp(p->series->label, "FCFS/EP"))
			continue;
		q = torus_lab_at(lab, "FCFS/NEP", p->key);
		all += q != NULL;
		worse += q && q->y.mean > p->y.mean;
	}
	torus_lab_claim(lab,
			all ? torus_lab_exactly(!worse) : TORUS_CLAIM_UNDECIDED,
			NULL, "FCFS: slowdowns with NEP are not above EP's",
			"so it is at every c", "at %u of %u values of c",
			all - worse, all);
	mao_like_flat(lab, LIKE_FLAT);
}

/* The highest slowdown of a series up to a utilization. */
static double highest_until(const struct torus_lab *lab, const char *label,
			    double utilization)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) &&
		    p->x.mean <= utilization && p->y.mean > most)
			most = p->y.mean;
	}
	return most;
}

static void mao_similar(struct torus_lab *lab)
{
	double ep = highest_until(lab, "FCFS/EP", 0.5);
	double nep = highest_until(lab, "EASY/NEP", 0.5);

	torus_lab_claim(lab,
			ep == 0 || nep == 0 ? TORUS_CLAIM_UNDECIDED :
					      torus_lab_exactly(ep <= 2 * nep),
			"both are at the foot of curves that go beyond 1000; as numbers they differ, since with equal pieces a job waits for a whole one",
			"up to a utilization of 50 % the four combinations have similar slowdowns",
			"the highest with FCFS/EP is at most twice EASY/NEP's",
			"up to %.1f with FCFS/EP, %.1f with EASY/NEP", ep, nep);
}

#define FOOT                                                                   \
	"the paper's numbers for FCFS lie between where our slowdowns pass 1000 and the highest utilization: it seems to read off where a curve turns upwards, of which it gives no rule"

void torus_mao_fig3_claims(struct torus_lab *lab)
{
	mao_common(lab);
	mao_similar(lab);
	mao_above(lab, "FCFS/EP", "FCFS/NEP", NULL,
		  "FCFS saturates later with NEP than with EP");
	mao_above(lab, "FCFS/NEP", "FCFS/flat", NULL,
		  "and later still on the machine without topology");
	mao_saturates(lab, "FCFS/EP", 0.65, FOOT, "FCFS/EP saturates at 65 %");
	mao_saturates(lab, "FCFS/NEP", 0.70, NULL, "FCFS/NEP saturates at 70 %");
	mao_saturates(lab, "FCFS/flat", 0.77, NULL,
		      "FCFS without topology saturates at 77 %");
	mao_saturates(lab, "EASY/NEP", 0.95, NULL,
		      "EASY/NEP saturates above 90 %");
}

void torus_mao_fig4_claims(struct torus_lab *lab)
{
	const struct torus_point *p;

	mao_common(lab);
	p = torus_lab_at(lab, "EASY/NEP", lab->quick ? 1.8 : 2);
	if (p)
		torus_lab_claim(
			lab, torus_lab_exactly(p->x.mean >= 0.78),
			"sizes times 2 and run times times 2 make a load of 0.62 on 384 nodes, so that no policy can get to 80 % within the paper's own range of c",
			"EASY/NEP has very low slowdowns until 80 %",
			"it gets to a utilization of 0.78 at least, where slowdowns can be judged",
			"slowdown %.1f at the highest utilization, %.3f (c = %g)",
			p->y.mean, p->x.mean, p->key);
}

void torus_mao_sdsc_claims(struct torus_lab *lab)
{
	mao_common(lab);
	mao_above(lab, "FCFS/EP", "FCFS/NEP", NULL,
		  "FCFS saturates later with NEP than with EP");
	mao_above(lab, "FCFS/NEP", "FCFS/flat", NULL,
		  "and later still on the machine without topology");
	mao_saturates(lab, "FCFS/EP", 0.45, FOOT, "FCFS/EP saturates at 45 %");
	mao_saturates(lab, "FCFS/NEP", 0.55, FOOT, "FCFS/NEP saturates at 55 %");
}

void torus_mao_fig6_claims(struct torus_lab *lab)
{
	torus_mao_sdsc_claims(lab);
	mao_saturates(lab, "EASY/NEP", 0.95, NULL,
		      "EASY/NEP saturates near 95 %");
}

/* Fig. 7: y is the utilization; the system load is proportional to c. */
double torus_mao_load(const struct torus_lab *lab, double c)
{
	const struct torus_point *p = torus_lab_at(lab, "EASY/flat", 0.2);

	return p ? p->y.mean / 0.2 * c : NAN;
}

/* The highest load that a series still follows, to 0.01. */
static double mao_increases(const struct torus_lab *lab, const char *label)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (strcmp(p->series->label, label))
			continue;
		if (p->y.mean < torus_mao_load(lab, p->key) - 0.01)
			break;
		most = torus_mao_load(lab, p->key);
	}
	return most;
}

static double mao_highest(const struct torus_lab *lab, const char *label)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) && p->y.mean > most)
			most = p->y.mean;
	}
	return most;
}

/* The paper's conclusion in points of the machine, as in Fig. 7. */
static void mao_gain(struct torus_lab *lab, const char *from, const char *to,
		     double says, double within, const char *why,
		     const char *what)
{
	double gain = mao_highest(lab, to) - mao_highest(lab, from);
	char test[96];

	snprintf(test, sizeof(test),
		 "the highest utilization gains %.2f to %.2f", says - within,
		 says + within);
	torus_lab_claim(lab,
			fabs(gain - says) <= within ? TORUS_CLAIM_REPRODUCED :
			lab->quick                  ? TORUS_CLAIM_UNDECIDED :
						      TORUS_CLAIM_NOT,
			why, what, test, "%.3f (%s %.3f, %s %.3f)", gain, from,
			mao_highest(lab, from), to, mao_highest(lab, to));
}

#define PLACES                                                                 \
	"how the paper's backfilling looks for places is not said; ours keeps only the time at which the head finds a place, not the place, and loses less"

static void mao_conclusion(struct torus_lab *lab)
{
	static const char *const backfilling =
		"conclusion: backfilling alone improves the utilization by 30 % (EP)";

	mao_gain(lab, "FCFS/EP", "EASY/EP", 0.30, READ_OFF, PLACES, backfilling);
	mao_gain(lab, "FCFS/NEP", "EASY/NEP", 0.30, READ_OFF, PLACES,
		 "the same (NEP)");
	mao_gain(lab, "FCFS/EP, largest", "EASY/EP, largest", 0.30, READ_OFF,
		 PLACES, "the same (EP, largest piece first)");
	mao_gain(lab, "FCFS/EP", "FCFS/NEP", 0.05, 0.02, NULL,
		 "conclusion: NEP improves it by another 5 %, compared with EP (FCFS)");
	mao_gain(lab, "EASY/EP", "EASY/NEP", 0.05, 0.02, PLACES,
		 "the same (EASY)");
	mao_gain(lab, "EASY/EP, largest", "EASY/NEP, largest", 0.05, 0.02,
		 PLACES, "the same (EASY, largest piece first)");
}

/* A curve of Fig. 7: the plateau, and the load up to which it follows. */
static void mao_plateau(struct torus_lab *lab, const char *label, double value,
			double load, const char *why)
{
	double most = mao_highest(lab, label);
	double last = mao_increases(lab, label);
	char says[96], test[96];

	if (value < 1) {
		snprintf(says, sizeof(says), "%s saturates at %.0f %%", label,
			 100 * value);
		snprintf(test, sizeof(test),
			 "its highest utilization is within %.2f to %.2f",
			 value - READ_OFF, value + READ_OFF);
		torus_lab_claim(lab,
				fabs(most - value) <= READ_OFF ?
					TORUS_CLAIM_REPRODUCED :
				lab->quick ? TORUS_CLAIM_UNDECIDED :
					     TORUS_CLAIM_NOT,
				why, says, test, "%.3f", most);
	}
	snprintf(says, sizeof(says), "%s follows the load up to %.2f", label,
		 load);
	snprintf(test, sizeof(test),
		 "the last load that it follows to 0.01 is within %.2f to %.2f",
		 load - READ_OFF, load + READ_OFF);
	torus_lab_claim(lab,
			fabs(last - load) <= READ_OFF ? TORUS_CLAIM_REPRODUCED :
			lab->quick                    ? TORUS_CLAIM_UNDECIDED :
							TORUS_CLAIM_NOT,
			why, says, test, "%.3f", last);
}

void torus_mao_fig7_claims(struct torus_lab *lab)
{
	mao_plateau(lab, "FCFS/EP", 0.55, 0.56, NULL);
	mao_plateau(lab, "FCFS/NEP", 0.60, 0.62, NULL);
	mao_plateau(lab, "EASY/EP", 0.85, 0.80, PLACES);
	mao_plateau(lab, "EASY/EP, largest", 0.85, 0.80, PLACES);
	mao_plateau(lab, "EASY/NEP", 1, 0.90, NULL);
	torus_lab_less(lab, "FCFS/NEP", "EASY/EP", 1, 0.05, NULL,
		       "backfilling, even with EP, is above FCFS with NEP");
	torus_lab_less(lab, "EASY/EP", "EASY/NEP", 1, -0.005, NULL,
		       "with backfilling NEP is not below EP");
	mao_conclusion(lab);
}
