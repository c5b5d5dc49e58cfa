/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Claims of a paper against our results (lab.h). Two policies are compared on
 * the same jobs, seed by seed: the confidence interval of the differences is
 * far narrower than those of the two means.
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

static const char *claim_store_text(struct torus_lab *lab, const char *text)
{
	const char *copy = torus_arena_text(&lab->arena, text, strlen(text));

	lab->no_memory |= !copy;
	return copy ? copy : "";
}

/* Return the recorded verdict of the next claim. */
static enum torus_verdict claim_recorded(const struct torus_lab *lab)
{
	const char *recorded = lab->experiment->verdicts;

	if (!recorded || lab->claims >= strlen(recorded))
		return TORUS_CLAIM_REPRODUCED;
	return recorded[lab->claims] == 'n' ? TORUS_CLAIM_NOT :
	       recorded[lab->claims] == 'u' ? TORUS_CLAIM_UNDECIDED :
					      TORUS_CLAIM_REPRODUCED;
}

/*
 * A reason explains a verdict and never changes what the run says: a claim is a
 * surprise if its verdict is worse than the recorded one. A quick run has fewer
 * points and wider intervals, one with --seeds other jobs: they cannot say that more
 * is reproduced than the recorded run does, and only "not" against "reproduced" is a
 * surprise.
 */
void torus_lab_claim(struct torus_lab *lab, enum torus_verdict verdict,
		     const char *why, const char *says, const char *test,
		     const char *got, ...)
{
	enum torus_verdict recorded = claim_recorded(lab);
	bool weak = lab->quick || lab->first_seed;
	struct torus_claim *c;
	char text[1024];
	va_list ap;

	if (TORUS_GROW(lab->claim, lab->claims_room, lab->claims + 1)) {
		lab->no_memory = true;
		return;
	}
	va_start(ap, got);
	vsnprintf(text, sizeof(text), got, ap);
	va_end(ap);
	lab->surprises += weak ? verdict == TORUS_CLAIM_NOT &&
					  recorded == TORUS_CLAIM_REPRODUCED :
				 verdict > recorded;
	if (weak && verdict < recorded)
		verdict = TORUS_CLAIM_UNDECIDED;
	c = &lab->claim[lab->claims++];
	*c = (struct torus_claim){ .verdict = verdict,
				   .says = claim_store_text(lab, says),
				   .test = claim_store_text(lab, test),
				   .got = claim_store_text(lab, text),
				   .why = why };
}

enum torus_verdict torus_lab_exactly(bool holds)
{
	return holds ? TORUS_CLAIM_REPRODUCED : TORUS_CLAIM_NOT;
}

const struct torus_point *torus_lab_at(const struct torus_lab *lab,
				       const char *label, double key)
{
	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) &&
		    fabs(p->key - key) < 1e-9)
			return p->y.n ? p : NULL;
	}
	return NULL;
}

void torus_lab_missing(struct torus_lab *lab, const char *label, double key,
		       const char *says)
{
	torus_lab_claim(lab, TORUS_CLAIM_UNDECIDED, NULL, says,
			"the points are there", "%s at %g was not computed",
			label, key);
}

const char *torus_lab_number(double value, int digits, char buffer[32])
{
	bool whole = fabs(value) >= pow(10, digits);

	if (whole)
		snprintf(buffer, 32, "%.0f", value);
	else
		snprintf(buffer, 32, "%.*g", digits, value);
	return buffer;
}

const char *torus_lab_spread(const struct torus_moments *m, char buffer[48])
{
	char half[32];

	*buffer = '\0';
	if (m->n > 1)
		snprintf(buffer, 48, " +- %s",
			 torus_lab_number(torus_lab_half(m), 2, half));
	return buffer;
}

enum torus_verdict torus_lab_within(const struct torus_moments *m, double low,
				    double high)
{
	double half = torus_lab_half(m);

	if (m->mean - half > low && m->mean + half < high)
		return TORUS_CLAIM_REPRODUCED;
	if (m->mean + half > low && m->mean - half < high)
		return TORUS_CLAIM_UNDECIDED;
	return TORUS_CLAIM_NOT;
}

struct torus_moments torus_lab_sum(const struct torus_term *term, int terms)
{
	struct torus_moments m = { 0 };
	double most = 0;

	for (uint32_t i = 0; i < TORUS_LAB_SEEDS; i++) {
		double sum = 0;

		for (int k = 0; k < terms; k++)
			sum += term[k].factor * term[k].point->value[i];
		if (isnan(sum))
			continue;
		torus_moments_add(&m, sum);
		most = fmax(most, fabs(sum));
	}
	if (fabs(m.mean) < 1e-12 * most) /* values that cancel leave a residue */
		m.mean = 0;
	return m;
}

/* The interval of the linearised ratio, from values per seed. */
struct torus_moments torus_lab_ratio_of(const struct torus_point *a,
					const struct torus_point *b)
{
	double ratio = a->y.mean / b->y.mean;
	const struct torus_term term[] = { { a, 1 / b->y.mean },
					   { b, -ratio / b->y.mean } };
	struct torus_moments m = torus_lab_sum(term, 2);

	m.mean = ratio;
	return m;
}

/* Return "the 95 % interval" if there is one. */
static const char *claim_interval(const struct torus_moments *m, const char *of,
				  char buffer[64])
{
	snprintf(buffer, 64, "%s%s", m->n > 1 ? "the 95 % interval of " : "",
		 of);
	return buffer;
}

/* A point and its name in a claim. */
struct claim_point {
	const struct torus_point *point;
	const char *name;
};

/* Claim that x lies below y by more than margin. */
static void claim_below(struct torus_lab *lab, struct claim_point x,
			struct claim_point y, double margin, const char *why,
			const char *says)
{
	const struct torus_term term[] = { { y.point, 1 }, { x.point, -1 } };
	struct torus_moments d = torus_lab_sum(term, 2);
	char number[32], spread[48], test[160], of[64];

	snprintf(test, sizeof(test), "%s is above %g",
		 claim_interval(&d, "the difference", of), margin);
	torus_lab_claim(lab, torus_lab_within(&d, margin, INFINITY), why, says,
			test, "%s %.4g, %s %.4g; difference %s%s", x.name,
			x.point->y.mean, y.name, y.point->y.mean,
			torus_lab_number(d.mean, 3, number),
			torus_lab_spread(&d, spread));
}

void torus_lab_less(struct torus_lab *lab, const char *a, const char *b,
		    double key, double margin, const char *why, const char *says)
{
	const struct torus_point *x = torus_lab_at(lab, a, key);
	const struct torus_point *y = torus_lab_at(lab, b, key);

	if (x && y)
		claim_below(lab, (struct claim_point){ x, a },
			    (struct claim_point){ y, b }, margin, why, says);
	else
		torus_lab_missing(lab, x ? b : a, key, says);
}

void torus_lab_less_at(struct torus_lab *lab, const char *label, double less,
		       double more, const char *why, const char *says)
{
	const struct torus_point *x = torus_lab_at(lab, label, less);
	const struct torus_point *y = torus_lab_at(lab, label, more);
	char a[64], b[64];

	snprintf(a, sizeof(a), "%s at %g", label, less);
	snprintf(b, sizeof(b), "at %g", more);
	if (x && y)
		claim_below(lab, (struct claim_point){ x, a },
			    (struct claim_point){ y, b }, 0, why, says);
	else
		torus_lab_missing(lab, label, x ? more : less, says);
}

/* Claim that the mean of a point lies within low .. high. */
static void claim_value(struct torus_lab *lab, const struct torus_point *p,
			double low, double high, const char *why,
			const char *says)
{
	char test[160], of[64], half[48];

	claim_interval(&p->y, "the mean", of);
	if (low > 0)
		snprintf(test, sizeof(test), "%s is within %.4g to %.4g", of,
			 low, high);
	else
		snprintf(test, sizeof(test), "%s is below %.4g", of, high);
	torus_lab_claim(lab, torus_lab_within(&p->y, low, high), why, says,
			test, "%s %.4g%s", p->series->label, p->y.mean,
			torus_lab_spread(&p->y, half));
}

void torus_lab_near(struct torus_lab *lab, const char *label, double key,
		    double value, double tolerance, const char *why,
		    const char *says)
{
	const struct torus_point *p = torus_lab_at(lab, label, key);

	if (p)
		claim_value(lab, p, value - tolerance, value + tolerance, why,
			    says);
	else
		torus_lab_missing(lab, label, key, says);
}

void torus_lab_below(struct torus_lab *lab, const char *label, double key,
		     double limit, const char *why, const char *says)
{
	const struct torus_point *p = torus_lab_at(lab, label, key);

	if (p)
		claim_value(lab, p, -INFINITY, limit, why, says);
	else
		torus_lab_missing(lab, label, key, says);
}

void torus_lab_ratio(struct torus_lab *lab, const char *a, const char *b,
		     double key, struct torus_lab_band band, const char *why,
		     const char *says)
{
	const struct torus_point *x = torus_lab_at(lab, a, key);
	const struct torus_point *y = torus_lab_at(lab, b, key);
	double low = band.value - band.tolerance;
	double high = band.value + band.tolerance;
	char half[48], test[160], of[64];
	struct torus_moments ratio;

	if (!x || !y) {
		torus_lab_missing(lab, x ? b : a, key, says);
		return;
	}
	ratio = torus_lab_ratio_of(x, y);
	snprintf(test, sizeof(test), "%s is within %.3g to %.3g",
		 claim_interval(&ratio, "the ratio", of), low, high);
	torus_lab_claim(lab, torus_lab_within(&ratio, low, high), why, says,
			test, "%s / %s = %.3f%s", a, b, ratio.mean,
			torus_lab_spread(&ratio, half));
}
