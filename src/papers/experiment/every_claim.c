/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Claims about all points of two curves (lab.h). Each key is tested by its own
 * 95 % interval, and the worst result is that of the claim: a claim "at every
 * load" is wrong if it is wrong at one load. O(points^2).
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The result of a claim about several keys. */
struct every {
	struct torus_lab *lab;
	uint32_t keys, held;
	enum torus_verdict verdict;
	double least, most, least_at, most_at; /* of the means */
	char others[600]; /* the keys at which the claim does not hold */
};

static void every_add(struct every *e, double key,
		      const struct torus_moments *m, struct torus_range within)
{
	enum torus_verdict verdict = torus_lab_within(m, within.first,
						      within.last);
	size_t used = strlen(e->others);
	char number[32], spread[48];

	if (!e->keys || m->mean < e->least) {
		e->least = m->mean;
		e->least_at = key;
	}
	if (!e->keys || m->mean > e->most) {
		e->most = m->mean;
		e->most_at = key;
	}
	e->keys++;
	e->held += verdict == TORUS_CLAIM_REPRODUCED;
	e->verdict = verdict > e->verdict ? verdict : e->verdict;
	if (verdict != TORUS_CLAIM_REPRODUCED)
		snprintf(e->others + used, sizeof(e->others) - used,
			 "%s at %g %s%s (%s)", used ? "," : ":", key,
			 torus_lab_number(m->mean, 3, number),
			 torus_lab_spread(m, spread),
			 verdict == TORUS_CLAIM_NOT ? "no" : "undecided");
}

static void every_end(struct every *e, const char *why, const char *says,
		      const char *test, const char *what)
{
	char least[32], most[32];

	if (!e->keys) {
		torus_lab_claim(e->lab, TORUS_CLAIM_UNDECIDED, NULL, says, test,
				"%s was not computed at any point", what);
		return;
	}
	torus_lab_number(e->least, 3, least);
	torus_lab_number(e->most, 3, most);
	torus_lab_claim(e->lab, e->verdict, why, says, test,
			"at %u of %u; %s from %s (at %g) to %s (at %g)%s",
			e->held, e->keys, what, least, e->least_at, most,
			e->most_at, e->others);
}

/* Return the next key after p's at which the series `label` has a point. */
static const struct torus_point *every_next(const struct torus_lab *lab,
					    const char *label,
					    struct torus_range keys, uint32_t *i)
{
	while (*i < lab->points) {
		const struct torus_point *p = &lab->point[(*i)++];

		if (!strcmp(p->series->label, label) && p->y.n &&
		    p->key >= keys.first - 1e-9 && p->key <= keys.last + 1e-9)
			return p;
	}
	return NULL;
}

void torus_lab_every_less(struct torus_lab *lab, const char *a, const char *b,
			  struct torus_range keys, const char *why,
			  const char *says)
{
	struct every e = { .lab = lab };
	const struct torus_point *x, *y;
	char what[160];

	for (uint32_t i = 0; (x = every_next(lab, a, keys, &i));) {
		y = torus_lab_at(lab, b, x->key);
		if (y) {
			const struct torus_term term[] = { { y, 1 }, { x, -1 } };
			struct torus_moments d = torus_lab_sum(term, 2);

			every_add(&e, x->key, &d, TORUS_RANGE(0, INFINITY));
		}
	}
	snprintf(what, sizeof(what), "%s - %s", b, a);
	every_end(&e, why, says, "the difference is above 0 at each of them",
		  what);
}

void torus_lab_every_ratio(struct torus_lab *lab, const char *a, const char *b,
			   struct torus_range keys, struct torus_range within,
			   const char *why, const char *says)
{
	struct every e = { .lab = lab };
	const struct torus_point *x, *y;
	char test[160], what[160];

	for (uint32_t i = 0; (x = every_next(lab, a, keys, &i));) {
		y = torus_lab_at(lab, b, x->key);
		if (y && y->y.mean > 0) {
			struct torus_moments d = torus_lab_ratio_of(x, y);

			every_add(&e, x->key, &d, within);
		}
	}
	snprintf(test, sizeof(test),
		 "the ratio is within %.3g to %.3g at each of them",
		 within.first, within.last);
	snprintf(what, sizeof(what), "%s / %s", a, b);
	every_end(&e, why, says, test, what);
}

void torus_lab_every_growth(struct torus_lab *lab, const char *label,
			    struct torus_range keys, const char *says)
{
	const struct torus_point *x, *last = NULL;
	struct every e = { .lab = lab };
	char what[160];

	for (uint32_t i = 0; (x = every_next(lab, label, keys, &i)); last = x) {
		if (last) {
			const struct torus_term term[] = { { x, 1 },
							   { last, -1 } };
			struct torus_moments d = torus_lab_sum(term, 2);

			every_add(&e, x->key, &d, TORUS_RANGE(0, INFINITY));
		}
	}
	snprintf(what, sizeof(what), "%s, growth", label);
	every_end(&e, NULL, says, "the growth is above 0 at each step", what);
}
