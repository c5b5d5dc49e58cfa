/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sharing links with running jobs adds to a job's time, hold by hold:
 * Gupta and Srimani (1997), section 2.2, Definition 2. The strategy subtorus
 * works out the same for all bases at once.
 */
#ifndef TESTSUITE_PREDICTED_H
#define TESTSUITE_PREDICTED_H

#include "torus/contention.h"

/* How long a hold and the new job run together. */
static inline int64_t predicted_overlap(const struct torus_hold *h,
					int64_t now_us, int64_t duration_us)
{
	int64_t left;

	if (h->end_us == INT64_MAX)
		return duration_us;
	if (h->end_us <= now_us)
		return 0;
	left = (int64_t)((uint64_t)h->end_us - (uint64_t)now_us);
	return left >= 0 && left < duration_us ? left : duration_us;
}

/*
 * For a job that starts in `place` at now_us and would take duration_us alone
 * (INT64_MAX: unknown). Each of those that it disturbs is told to each() (may
 * be NULL) with what is added to its own time. They run until their expected
 * ends; time together is counted undilated, as the paper does. INT64_MAX: no
 * end is known.
 */
static inline int64_t
predicted_load(const struct torus_state *s, const struct torus_placement *place,
	       int64_t now_us, int64_t duration_us,
	       void (*each)(void *arg, uint32_t slot, int64_t dilation_us),
	       void *arg)
{
	const struct torus *t = &torus_state_machine(s)->pod[0].torus;
	int64_t sum = 0, load;

	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		uint32_t slot = torus_state_by_end(s, k);
		const struct torus_hold *h = torus_state_hold(s, slot);
		int64_t us = predicted_overlap(h, now_us, duration_us);
		int d = torus_contention_along(t, &place->region,
					       &h->place.region);

		if (us == 0 || d < 0)
			continue;
		load = torus_contention_load(t, &h->place.region, d, us);
		sum = sum > INT64_MAX - load ? INT64_MAX : sum + load;
		if (each)
			each(arg, slot,
			     torus_contention_load(t, &place->region, d, us));
	}
	return sum;
}

#endif
