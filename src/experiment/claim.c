/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a paper says against what we get (lab.h). Two policies are compared on
 * the same jobs, seed by seed: the interval of the differences is far
 * narrower than those of the two means.
 */
#include "experiment/lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

static const char *keep(struct torus_lab *lab, const char *text)
{
	const char *copy = torus_arena_text(&lab->arena, text, strlen(text));

	lab->no_memory |= !copy;
	return copy ? copy : "";
}

void torus_lab_claim(struct torus_lab *lab, enum torus_verdict verdict,
		     const char *why, const char *says, const char *got, ...)
{
	struct torus_claim *c;
	char text[512];
	va_list ap;

	if (lab->claims == lab->claims_room) {
		uint32_t room = lab->claims_room ? 2 * lab->claims_room : 16;

		c = torus_realloc(lab->claim, room, sizeof(*c));
		if (!c) {
			lab->no_memory = true;
			return;
		}
		lab->claim = c;
		lab->claims_room = room;
	}
	va_start(ap, got);
	vsnprintf(text, sizeof(text), got, ap);
	va_end(ap);
	c = &lab->claim[lab->claims++];
	*c = (struct torus_claim){ .verdict = verdict,
				   .says = keep(lab, says),
				   .got = keep(lab, text), .why = why };
	lab->surprises += verdict == TORUS_CLAIM_NOT && !why;
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

static void missing(struct torus_lab *lab, const char *label, double key,
		    const char *says)
{
	torus_lab_claim(lab, TORUS_CLAIM_UNDECIDED, NULL, says,
			"%s at %g was not computed", label, key);
}

/* Where value lies, whose interval is +- half, to the bounds. */
static enum torus_verdict within(double value, double half, double low,
				 double high)
{
	if (value >= low && value <= high)
		return TORUS_CLAIM_REPRODUCED;
	if (value + half >= low && value - half <= high)
		return TORUS_CLAIM_UNDECIDED;
	return TORUS_CLAIM_NOT;
}

void torus_lab_less(struct torus_lab *lab, const char *a, const char *b,
		    double key, double margin, const char *why,
		    const char *says)
{
	const struct torus_point *x = torus_lab_at(lab, a, key);
	const struct torus_point *y = torus_lab_at(lab, b, key);
	struct torus_moments d = { 0 };
	enum torus_verdict verdict;
	double half;

	if (!x || !y) {
		missing(lab, x ? b : a, key, says);
		return;
	}
	for (uint32_t i = 0; i < TORUS_LAB_SEEDS; i++) {
		if (!isnan(x->value[i]) && !isnan(y->value[i]))
			torus_moments_add(&d, y->value[i] - x->value[i]);
	}
	half = torus_lab_half(&d);
	verdict = d.mean - half > margin ? TORUS_CLAIM_REPRODUCED :
		  d.mean + half > margin ? TORUS_CLAIM_UNDECIDED :
					   TORUS_CLAIM_NOT;
	torus_lab_claim(lab, verdict, why, says,
			"%s %.4g, %s %.4g; difference %.3g +- %.2g", a,
			x->y.mean, b, y->y.mean, d.mean, half);
}

void torus_lab_near(struct torus_lab *lab, const char *label, double key,
		    double value, double tolerance, const char *why,
		    const char *says)
{
	const struct torus_point *p = torus_lab_at(lab, label, key);
	double half;

	if (!p) {
		missing(lab, label, key, says);
		return;
	}
	half = torus_lab_half(&p->y);
	torus_lab_claim(lab, within(p->y.mean, half, value - tolerance,
				    value + tolerance),
			why, says, "%s %.4g +- %.2g", label, p->y.mean, half);
}

void torus_lab_ratio(struct torus_lab *lab, const char *a, const char *b,
		     double key, double value, double tolerance,
		     const char *why, const char *says)
{
	const struct torus_point *x = torus_lab_at(lab, a, key);
	const struct torus_point *y = torus_lab_at(lab, b, key);
	struct torus_moments rest = { 0 };
	double ratio, half;

	if (!x || !y) {
		missing(lab, x ? b : a, key, says);
		return;
	}
	/* the interval of a ratio of means: linearised, seed by seed */
	ratio = x->y.mean / y->y.mean;
	for (uint32_t i = 0; i < TORUS_LAB_SEEDS; i++) {
		if (!isnan(x->value[i]) && !isnan(y->value[i]))
			torus_moments_add(&rest, (x->value[i] -
						  ratio * y->value[i]) /
							 y->y.mean);
	}
	half = torus_lab_half(&rest);
	torus_lab_claim(lab, within(ratio, half, value - tolerance,
				    value + tolerance),
			why, says, "%s / %s = %.3f +- %.2g", a, b, ratio, half);
}
