/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of a campaign in memory: what to compare, over which seeds.
 */
#ifndef CAMPAIGN_RESULTS_H
#define CAMPAIGN_RESULTS_H

#include "campaign/book.h"

/* The measures that tables show. */
struct torus_measure {
	const char *key; /* of the summary */
	const char *title;
	int decimals;
};

#define TORUS_MEASURES 5
extern const struct torus_measure torus_measures[TORUS_MEASURES];

struct torus_results_row {
	const char *word[TORUS_AXES];
	const char *options;
	double value[TORUS_MEASURES]; /* NAN: none */
};

struct torus_results {
	struct torus_results_row *row;
	uint32_t n, room;
	struct arena arena;
};

/* All rows of the book. 0, or -1 with a line in err. */
int torus_results_load(struct torus_results *results, struct torus_book *book,
		       struct torus_error *err);
void torus_results_free(struct torus_results *results);

/* Does an axis have more than one value in these rows? */
bool torus_results_vary(const struct torus_results *results,
			enum torus_axis axis);

/* Do two rows agree on all axes but those of the mask (bit 1 << axis), and
 * have the same options? */
bool torus_results_same(const struct torus_results_row *a,
			const struct torus_results_row *b, uint32_t but);

#endif
