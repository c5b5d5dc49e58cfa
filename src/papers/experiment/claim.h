/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Claims of a paper against our results (claim.c). */
#ifndef PAPERS_EXPERIMENT_CLAIM_H
#define PAPERS_EXPERIMENT_CLAIM_H

#include "papers/experiment/lab.h"

/* Write a number with this many digits, 1420 rather than 1.42e+03; write " +-
 * 0.3", or "" for a single run. Both return buffer. */
const char *torus_lab_number(double value, int digits, char buffer[32]);
const char *torus_lab_spread(const struct torus_moments *m, char buffer[48]);

/* Return a point of a series, or NULL. */
const struct torus_point *torus_lab_at(const struct torus_lab *lab,
				       const char *label, double key);

/*
 * Add a claim. says: the paper's statement in our words. test: the condition
 * under which it counts as reproduced; a claim needs a test that can fail. why:
 * NULL, or the reason if it is not reproduced, for the reader alone. The verdict is
 * compared with the experiment's recorded one.
 */
void torus_lab_claim(struct torus_lab *lab, enum torus_verdict verdict,
		     const char *why, const char *says, const char *test,
		     const char *got, ...) __attribute__((format(printf, 6, 7)));

/* Add a claim that is undecided because a point was not computed. */
void torus_lab_missing(struct torus_lab *lab, const char *label, double key,
		       const char *says);

/* Return the verdict of an exact claim: reproduced or not. */
enum torus_verdict torus_lab_exactly(bool holds);

/* Claim that series a lies below series b at the key, by more than margin: the
 * 95 % interval of the paired differences b - a lies above margin. */
void torus_lab_less(struct torus_lab *lab, const char *a, const char *b,
		    double key, double margin, const char *why,
		    const char *says);

/* The same for one series at two keys. */
void torus_lab_less_at(struct torus_lab *lab, const char *label, double less,
		       double more, const char *why, const char *says);

/* Claim that the mean's interval lies within tolerance of the value (undecided:
 * it lies there in part). */
void torus_lab_near(struct torus_lab *lab, const char *label, double key,
		    double value, double tolerance, const char *why,
		    const char *says);

/* Claim that the mean's interval lies below the limit. */
void torus_lab_below(struct torus_lab *lab, const char *label, double key,
		     double limit, const char *why, const char *says);

/* Claim that y of a over y of b, seed by seed on the means, lies within the
 * band. */
void torus_lab_ratio(struct torus_lab *lab, const char *a, const char *b,
		     double key, struct torus_lab_band band, const char *why,
		     const char *says);
struct torus_moments torus_lab_sum(const struct torus_term *term, int terms);
struct torus_moments torus_lab_ratio_of(const struct torus_point *a,
					const struct torus_point *b);
enum torus_verdict torus_lab_within(const struct torus_moments *m, double low,
				    double high);

#endif
