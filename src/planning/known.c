/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a question for a window (torus/plan.h): facts "nothing that
 * takes so long begins before that time, as of this stamp of the profile".
 *
 *     length ^                  A fact holds for longer jobs as well, and for
 *            |   . a . . .      earlier times. As long as the profile has
 *            |   . . . b .      gained nothing since, all facts say the same
 *            | c . . . . .      of more time, the longer they are.
 *            +-------------> until
 *
 * One that another covers (no longer, no earlier, no older) is dropped. When
 * there are too many, the oldest is: most has been given since.
 *
 * Cost: O(facts), of which there are at most TORUS_FACTS.
 */
#include <string.h>

#include "planning/planning.h"

/* Does a say all that b does? */
static bool covers(const struct torus_fact *a, const struct torus_fact *b)
{
	return a->length_us <= b->length_us && a->until_us >= b->until_us &&
	       a->given >= b->given;
}

static void drop_oldest(struct torus_known *known)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < known->facts; i++) {
		if (known->fact[i].given < known->fact[oldest].given)
			oldest = i;
	}
	known->facts--;
	memmove(known->fact + oldest, known->fact + oldest + 1,
		(known->facts - oldest) * sizeof(*known->fact));
}

void plan_learn(struct torus_known *known, const struct torus_fact *fact)
{
	uint32_t n = 0, at = 0;

	for (uint32_t i = 0; i < known->facts; i++) {
		if (covers(&known->fact[i], fact))
			return;
	}
	for (uint32_t i = 0; i < known->facts; i++) {
		if (!covers(fact, &known->fact[i]))
			known->fact[n++] = known->fact[i];
	}
	known->facts = n;
	if (n == TORUS_FACTS)
		drop_oldest(known);
	while (at < known->facts && known->fact[at].length_us <= fact->length_us)
		at++;
	memmove(known->fact + at + 1, known->fact + at,
		(known->facts - at) * sizeof(*known->fact));
	known->fact[at] = *fact;
	known->facts++;
}

struct torus_fact plan_recall(const struct torus_known *known, int64_t length,
			      int64_t start, uint64_t since)
{
	struct torus_fact best = { .length_us = length,
				   .given = since,
				   .until_us = TORUS_NO_TIME };

	for (uint32_t k = 0; known && k < known->facts; k++) {
		const struct torus_fact *f = &known->fact[k];

		if (f->length_us > length)
			break;
		if (f->until_us > start &&
		    (f->given > best.given ||
		     (f->given == best.given && f->until_us > best.until_us)))
			best = *f;
	}
	return best;
}
