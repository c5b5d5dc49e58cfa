/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells of two policies on the same jobs, seed by seed, and their measures.
 *
 * Means and percentiles are over the jobs that completed under both policies: a
 * policy that rejects the jobs that would wait must not win by that. Where some
 * did not complete, the two cells are replayed again to find those that did.
 */
#ifndef STORUS_SWEEP_PAIRS_H
#define STORUS_SWEEP_PAIRS_H

#include "campaign/results.h"
#include "storus/lab/sweep.h"

/* Values of the pairs: of the first policy, of the second, the differences. */
struct sweep_values {
	double *value[3];
	uint32_t n;
};

struct sweep_pairs {
	const struct torus_results_row **row[2]; /* the pairs' cells */
	uint32_t n;
	uint64_t count[2][TORUS_COUNTS]; /* sums over the pairs */
	uint64_t jobs;                   /* of all pairs */
	uint64_t common;                 /* completed under both; at most, where
					    refused without a replay */
	bool refused;                    /* too few: no means and percentiles */
	struct sweep_values measure[TORUS_MEASURES];
};

/* For up to so many pairs. 0, or -1 without memory. */
int sweep_pairs_init(struct sweep_pairs *pairs, uint32_t room);
void sweep_pairs_free(struct sweep_pairs *pairs);

/* Forget the pairs. */
void sweep_pairs_clear(struct sweep_pairs *pairs);
void sweep_pairs_add(struct sweep_pairs *pairs,
		     const struct torus_results_row *a,
		     const struct torus_results_row *b);

/*
 * Fill the measures in. c: the campaign, to replay cells again; NULL: it was not
 * named. least: the share of the jobs that must have completed under both. 0, or
 * -1 with lines in err.
 */
int sweep_pairs_measure(struct sweep_pairs *pairs,
			const struct torus_campaign *c, double least,
			struct torus_error *err);

#endif
