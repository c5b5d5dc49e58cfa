/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The claims of Mao, Chen and Watson about their figures (mao.c).
 *
 * "Saturates" means the same in all figures, without parameters: the highest
 * utilization of a combination over all c, which is the asymptote of Figs. 3 to
 * 6 and the plateau of Fig. 7. One threshold per word: the paper reads its numbers
 * off its figures, mostly in steps of 5 %, and a number is reproduced within half
 * such a step, READ_OFF, as it is drawn; similar slowdowns are at most SIMILAR times
 * as high; a curve is above another one if the difference is above 0.
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"
#include "papers/experiment/papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Return the next point of a series; NULL after the last. */
static const struct torus_point *mao_next(const struct torus_lab *lab,
					  const char *label,
					  const struct torus_point *p)
{
	for (p = p ? p + 1 : lab->point; p < lab->point + lab->points; p++)
		if (!strcmp(p->series->label, label))
			return p;
	return NULL;
}

/* Return the highest utilization of a series, the x of Figs. 3 to 6. */
static double mao_saturation(const struct torus_lab *lab, const char *label)
{
	const struct torus_point *p = NULL;
	double most = 0;

	while ((p = mao_next(lab, label, p)))
		most = fmax(most, p->x.mean);
	return most;
}

/* Return the highest y of a series up to a utilization. */
static double mao_highest(const struct torus_lab *lab, const char *label,
			  double utilization)
{
	const struct torus_point *p = NULL;
	double most = 0;

	while ((p = mao_next(lab, label, p)))
		if (!(p->x.mean > utilization))
			most = fmax(most, p->y.mean);
	return most;
}

/* Incomplete points cannot refute a claim. */
static enum torus_verdict mao_verdict(const struct torus_lab *lab, bool holds)
{
	return holds      ? TORUS_CLAIM_REPRODUCED :
	       lab->quick ? TORUS_CLAIM_UNDECIDED :
			    TORUS_CLAIM_NOT;
}

static void mao_above(struct torus_lab *lab, const char *less, const char *more,
		      const char *says)
{
	double a = mao_saturation(lab, less), b = mao_saturation(lab, more);

	torus_lab_claim(lab, mao_verdict(lab, b > a), NULL, says,
			"its highest utilization is higher", "%s %.3f, %s %.3f",
			less, a, more, b);
}

#define STEEP 1000 /* slowdown at which a curve is certainly steep */

/* Return the utilization at which the slowdown of a series exceeds STEEP,
 * interpolated along the logarithm of the slowdown; the highest utilization if
 * it never does. */
static double mao_knee(const struct torus_lab *lab, const char *label)
{
	const struct torus_point *last = NULL, *p = mao_next(lab, label, NULL);
	double part;

	for (; p && !(p->y.mean > STEEP); p = mao_next(lab, label, p))
		last = p;
	if (!p)
		return mao_saturation(lab, label);
	if (!last)
		return p->x.mean;
	part = log(STEEP / last->y.mean) / log(p->y.mean / last->y.mean);
	return last->x.mean + part * (p->x.mean - last->x.mean);
}

#define READ_OFF 0.025 /* tolerance of numbers read off figures */
#define SIMILAR 1.25

/* Write "its WHAT is within ..." with READ_OFF and the value. */
static const char *mao_within(char test[96], const char *what, double value)
{
	snprintf(test, 96, "%s is within %.3f to %.3f", what, value - READ_OFF,
		 value + READ_OFF);
	return test;
}

#define FOOT                                                                   \
	"the utilization at which our slowdowns pass 1000 is below the paper's number or within 0.025 of it: the paper may mean the bend of the curve, for which it gives no rule"
#define ABOVE                                                                  \
	"the utilization at which our slowdowns pass 1000 is above the paper's number, too: no rule for the bend of the curve gives it; not explained"

/* Claim that a curve of Figs. 3 to 6 saturates within READ_OFF of the value. */
static void mao_saturates(struct torus_lab *lab, const char *label,
			  double value, const char *says)
{
	double most = mao_saturation(lab, label);
	char test[96];

	torus_lab_claim(lab, mao_verdict(lab, fabs(most - value) <= READ_OFF),
			mao_knee(lab, label) > value + READ_OFF ? ABOVE : FOOT,
			says, mao_within(test, "its highest utilization", value),
			"%s %.3f (slowdowns pass %d at %.3f)", label, most,
			STEEP, mao_knee(lab, label));
}

/* Compare EASY/NEP with EASY/flat at every c, by utilization and by
 * slowdown. */
static void mao_like_flat(struct torus_lab *lab, const char *why)
{
	double far = 0, factor = 0, at = 0, a = 0, b = 0;
	const struct torus_point *p = NULL, *q;
	uint32_t both = 0;

	while ((p = mao_next(lab, "EASY/NEP", p))) {
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
			both ? torus_lab_exactly(factor <= SIMILAR) :
			       TORUS_CLAIM_UNDECIDED,
			why, "and slowdowns like it",
			"they are at most 1.25 times as high at every c",
			"up to %.2f times: %.4g against %.4g at c = %g", factor,
			a, b, at);
}

#define LIKE_FLAT                                                              \
	"the utilizations are the same, but not the start times: pieces are powers of two, and a job waits for a whole piece while a flat machine starts it; where the curves are steep the effect is large"

/* "Backfilling/NEP consistently produces schedules with the best quality compared
 * with the other three combinations": the lowest slowdown at every c. */
static void mao_best(struct torus_lab *lab, const char *best,
		     const char *backfilling, const char *says)
{
	const char *others[] = { "FCFS/EP", "FCFS/NEP", backfilling };
	const struct torus_point *p = NULL;
	uint32_t all = 0, worse = 0;
	char where[400] = "";

	while ((p = mao_next(lab, best, p))) {
		bool lowest = true;

		all++;
		for (int i = 0; i < 3; i++) {
			const struct torus_point *q =
				torus_lab_at(lab, others[i], p->key);
			size_t used = strlen(where);

			if (!q || !(q->y.mean < p->y.mean))
				continue;
			lowest = false;
			snprintf(where + used, sizeof(where) - used,
				 "; %s is lower at c = %g: %.4g against %.4g",
				 others[i], p->key, q->y.mean, p->y.mean);
		}
		worse += !lowest;
	}
	torus_lab_claim(lab,
			all ? torus_lab_exactly(!worse) : TORUS_CLAIM_UNDECIDED,
			"in overload the mean slowdown depends on the few jobs that wait longest, and an order of starts that is better for most can be worse for them",
			says, "it has the lowest slowdown at every c",
			"at %u of %u values of c%s", all - worse, all, where);
}

/* Claims of all four figures. */
static void mao_common(struct torus_lab *lab)
{
	const struct torus_point *p = NULL, *q;
	uint32_t worse = 0, all = 0;

	while ((p = mao_next(lab, "FCFS/EP", p))) {
		q = torus_lab_at(lab, "FCFS/NEP", p->key);
		all += q != NULL;
		worse += q && q->y.mean > p->y.mean;
	}
	torus_lab_claim(lab,
			all ? torus_lab_exactly(!worse) : TORUS_CLAIM_UNDECIDED,
			NULL, "FCFS: slowdowns with NEP are not above EP's",
			"it holds at every c", "at %u of %u values of c",
			all - worse, all);
	mao_best(lab, "EASY/NEP", "EASY/EP",
		 "backfilling/NEP is the best of the four combinations");
	mao_best(lab, "EASY/NEP, before start", "EASY/EP, before start",
		 "the same (before start)");
	mao_like_flat(lab, LIKE_FLAT);
}

static void mao_over(struct torus_lab *lab, const char *label, const char *says)
{
	double most = mao_saturation(lab, label);

	torus_lab_claim(lab, mao_verdict(lab, most > 0.9), NULL, says,
			"its highest utilization is above 0.9",
			"%s %.3f (slowdowns pass %d at %.3f)", label, most,
			STEEP, mao_knee(lab, label));
}

void torus_mao_fig3_claims(struct torus_lab *lab)
{
	double ep, nep;

	mao_common(lab);
	ep = mao_highest(lab, "FCFS/EP", 0.5);
	nep = mao_highest(lab, "EASY/NEP", 0.5);
	torus_lab_claim(
		lab,
		ep == 0 || nep == 0 ? TORUS_CLAIM_UNDECIDED :
				      torus_lab_exactly(ep <= SIMILAR * nep),
		"both are low on curves that exceed 1000; the numbers differ, since with equal pieces a job waits for a whole piece",
		"up to a utilization of 50 % the four combinations have similar slowdowns",
		"the highest with FCFS/EP is at most 1.25 times EASY/NEP's",
		"up to %.1f with FCFS/EP, %.1f with EASY/NEP", ep, nep);
	mao_above(lab, "FCFS/EP", "FCFS/NEP",
		  "FCFS saturates later with NEP than with EP");
	mao_above(lab, "FCFS/NEP", "FCFS/flat",
		  "and later still on the machine without topology");
	mao_saturates(lab, "FCFS/EP", 0.65, "FCFS/EP saturates at 65 %");
	mao_saturates(lab, "FCFS/NEP", 0.70, "FCFS/NEP saturates at 70 %");
	mao_saturates(lab, "FCFS/flat", 0.77,
		      "FCFS without topology saturates at 77 %");
	mao_over(lab, "EASY/NEP", "EASY/NEP saturates above 90 %");
	mao_over(lab, "EASY/NEP, before start", "the same (before start)");
	mao_above(lab, "FCFS/EP", "EASY/EP",
		  "backfilling saturates later than FCFS with EP");
	mao_above(lab, "FCFS/NEP", "EASY/NEP", "and with NEP");
}

void torus_mao_fig4_claims(struct torus_lab *lab)
{
	const struct torus_point *p;

	mao_common(lab);
	p = torus_lab_at(lab, "EASY/NEP", lab->quick ? 1.8 : 2);
	if (p)
		torus_lab_claim(
			lab, torus_lab_exactly(p->x.mean >= 0.8 - READ_OFF),
			"sizes times 2 and run times times 2 make a load of 0.62 on 384 nodes, so that no policy can get to 80 % within the paper's own range of c",
			"EASY/NEP has very low slowdowns until 80 %",
			"it gets to a utilization of 0.775 at least, where slowdowns can be judged",
			"slowdown %.1f at the highest utilization, %.3f (c = %g)",
			p->y.mean, p->x.mean, p->key);
	else
		torus_lab_missing(lab, "EASY/NEP", 2,
				  "EASY/NEP has very low slowdowns until 80 %");
}

void torus_mao_sdsc_claims(struct torus_lab *lab)
{
	mao_common(lab);
	mao_above(lab, "FCFS/EP", "FCFS/NEP",
		  "FCFS saturates later with NEP than with EP");
	mao_above(lab, "FCFS/NEP", "FCFS/flat",
		  "and later still on the machine without topology");
	mao_saturates(lab, "FCFS/EP", 0.45, "FCFS/EP saturates at 45 %");
	mao_saturates(lab, "FCFS/NEP", 0.55, "FCFS/NEP saturates at 55 %");
}

void torus_mao_fig6_claims(struct torus_lab *lab)
{
	torus_mao_sdsc_claims(lab);
	mao_saturates(lab, "EASY/NEP", 0.95, "EASY/NEP saturates near 95 %");
	mao_saturates(lab, "EASY/NEP, before start", 0.95,
		      "the same (before start)");
}

/* Fig. 7: y is the utilization; the system load is proportional to c. */
double torus_mao_load(const struct torus_lab *lab, double c)
{
	const struct torus_point *p = torus_lab_at(lab, "EASY/flat", 0.2);

	return p ? p->y.mean / 0.2 * c : NAN;
}

/* Return the highest load up to which the utilization of a series follows the
 * load, to 0.01. */
static double mao_increases(const struct torus_lab *lab, const char *label)
{
	const struct torus_point *p = NULL;
	double most = 0;

	while ((p = mao_next(lab, label, p)) &&
	       !(p->y.mean < torus_mao_load(lab, p->key) - 0.01))
		most = torus_mao_load(lab, p->key);
	return most;
}

/* The paper's conclusion, in percentage points of utilization as in Fig. 7. */
static void mao_gain(struct torus_lab *lab, const char *from, const char *to,
		     double says, const char *why, const char *what)
{
	double gain = mao_highest(lab, to, INFINITY) -
		      mao_highest(lab, from, INFINITY);
	char test[96];

	snprintf(test, sizeof(test),
		 "the highest utilization gains %.3f to %.3f", says - READ_OFF,
		 says + READ_OFF);
	torus_lab_claim(lab, mao_verdict(lab, fabs(gain - says) <= READ_OFF),
			why, what, test, "%.3f (%s %.3f, %s %.3f)", gain, from,
			mao_highest(lab, from, INFINITY), to,
			mao_highest(lab, to, INFINITY));
}

#define OVERTAKING                                                             \
	"the paper does not describe which jobs overtake; here a job overtakes if the head still finds its place in time, which loses less; the rows before start and before count have other rules"
#define BEFORE                                                                 \
	"the head's start is the time at which the strategy has a place for it; the rows before count take it from numbers of nodes, which is earlier, so that fewer jobs overtake"
#define COUNTED                                                                \
	"by the rule of before count jobs overtake least; the paper's text does not say how its program computes the head's start"
#define ROUND                                                                  \
	"the paper's number is in steps of 5 %; the pieces and the order of their use are not described"

/* Claims about a curve of Fig. 7: its plateau, and the load up to which it
 * follows the load. */
static void mao_plateau(struct torus_lab *lab, const char *label, double value,
			double load, const char *why)
{
	double most = mao_highest(lab, label, INFINITY);
	double last = mao_increases(lab, label);
	char says[96], test[96];

	if (value < 1) {
		snprintf(says, sizeof(says), "%s saturates at %.0f %%", label,
			 100 * value);
		torus_lab_claim(lab,
				mao_verdict(lab, fabs(most - value) <= READ_OFF),
				why, says,
				mao_within(test, "its highest utilization",
					   value),
				"%.3f", most);
	}
	snprintf(says, sizeof(says), "%s follows the load up to %.2f", label,
		 load);
	torus_lab_claim(lab, mao_verdict(lab, fabs(last - load) <= READ_OFF),
			why, says,
			mao_within(test, "the last load that it follows to 0.01",
				   load),
			"%.3f", last);
}

void torus_mao_fig7_claims(struct torus_lab *lab)
{
	mao_plateau(lab, "FCFS/EP", 0.55, 0.56, ROUND);
	mao_plateau(lab, "FCFS/NEP", 0.60, 0.62, ROUND);
	mao_plateau(lab, "FCFS/EP, largest", 0.55, 0.56, ROUND);
	mao_plateau(lab, "FCFS/NEP, largest", 0.60, 0.62, ROUND);
	mao_plateau(lab, "EASY/EP", 0.85, 0.80, OVERTAKING);
	mao_plateau(lab, "EASY/EP, before start", 0.85, 0.80, BEFORE);
	mao_plateau(lab, "EASY/EP, before count", 0.85, 0.80, COUNTED);
	mao_plateau(lab, "EASY/EP, largest", 0.85, 0.80, OVERTAKING);
	mao_plateau(lab, "EASY/NEP", 1, 0.90, OVERTAKING);
	mao_plateau(lab, "EASY/NEP, before start", 1, 0.90, BEFORE);
	mao_plateau(lab, "EASY/NEP, before count", 1, 0.90, COUNTED);
	torus_lab_less(lab, "FCFS/NEP", "EASY/EP", 1, 0, NULL,
		       "backfilling, even with EP, is above FCFS with NEP");
	torus_lab_less(lab, "EASY/EP", "EASY/NEP", 1, 0, OVERTAKING,
		       "with backfilling NEP is above EP");
	torus_lab_less(lab, "EASY/EP, before start", "EASY/NEP, before start",
		       1, 0, NULL, "the same (before start)");
	torus_lab_less(lab, "EASY/EP, before count", "EASY/NEP, before count",
		       1, 0, NULL, "the same (before count)");
	mao_gain(lab, "FCFS/EP", "EASY/EP", 0.30, OVERTAKING,
		 "conclusion: backfilling alone improves the utilization by 30 % (EP)");
	mao_gain(lab, "FCFS/NEP", "EASY/NEP", 0.30, OVERTAKING,
		 "the same (NEP)");
	mao_gain(lab, "FCFS/EP", "EASY/EP, before start", 0.30, BEFORE,
		 "the same (EP, before start)");
	mao_gain(lab, "FCFS/NEP", "EASY/NEP, before start", 0.30, BEFORE,
		 "the same (NEP, before start)");
	mao_gain(lab, "FCFS/EP", "EASY/EP, before count", 0.30, COUNTED,
		 "the same (EP, before count)");
	mao_gain(lab, "FCFS/NEP", "EASY/NEP, before count", 0.30, COUNTED,
		 "the same (NEP, before count)");
	mao_gain(lab, "FCFS/EP, largest", "EASY/EP, largest", 0.30, OVERTAKING,
		 "the same (EP, largest piece first)");
	mao_gain(lab, "FCFS/EP", "FCFS/NEP", 0.05, ROUND,
		 "conclusion: NEP improves it by another 5 %, compared with EP (FCFS)");
	mao_gain(lab, "EASY/EP", "EASY/NEP", 0.05, OVERTAKING,
		 "the same (EASY)");
	mao_gain(lab, "EASY/EP, before start", "EASY/NEP, before start", 0.05,
		 BEFORE, "the same (EASY, before start)");
	mao_gain(lab, "EASY/EP, before count", "EASY/NEP, before count", 0.05,
		 COUNTED, "the same (EASY, before count)");
	mao_gain(lab, "EASY/EP, largest", "EASY/NEP, largest", 0.05, OVERTAKING,
		 "the same (EASY, largest piece first)");
}
