/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cached facts about the windows of one ask (torus/plan.h): at a stamp of the
 * profile, no window of a length or longer began before a time.
 *
 *     length ^                  A fact holds for longer jobs and for earlier
 *            |   . a . . .      times too. While the profile gains no nodes,
 *            |   . . . b .      facts of greater length have later times.
 *            | c . . . . .
 *            +-------------> until
 *
 * A fact covered by another (no longer, no earlier, no older) is dropped. If there
 * are too many, the oldest is dropped, since most nodes were gained since.
 *
 * Cost: O(facts), of which there are at most TORUS_WINDOW_FACTS.
 */
#include <string.h>

#include "planning/planning.h"

/* Return true if a covers b. */
static bool window_cache_covers(const struct torus_window_fact *a,
				const struct torus_window_fact *b)
{
	return a->length_us <= b->length_us && a->until_us >= b->until_us &&
	       a->stamp >= b->stamp;
}

void plan_learn(struct torus_window_cache *cache,
		const struct torus_window_fact *fact)
{
	uint32_t n = 0, at = 0;

	for (uint32_t i = 0; i < cache->facts; i++) {
		if (window_cache_covers(&cache->fact[i], fact))
			return;
	}
	for (uint32_t i = 0; i < cache->facts; i++) {
		if (!window_cache_covers(fact, &cache->fact[i]))
			cache->fact[n++] = cache->fact[i];
	}
	cache->facts = n;
	if (n == TORUS_WINDOW_FACTS) {
		uint32_t oldest = 0;

		for (uint32_t i = 1; i < cache->facts; i++) {
			if (cache->fact[i].stamp < cache->fact[oldest].stamp)
				oldest = i;
		}
		cache->facts--;
		memmove(cache->fact + oldest, cache->fact + oldest + 1,
			(cache->facts - oldest) * sizeof(*cache->fact));
	}
	while (at < cache->facts && cache->fact[at].length_us <= fact->length_us)
		at++;
	memmove(cache->fact + at + 1, cache->fact + at,
		(cache->facts - at) * sizeof(*cache->fact));
	cache->fact[at] = *fact;
	cache->facts++;
}

struct torus_window_fact plan_recall(const struct torus_window_cache *cache,
				     int64_t length_us, int64_t start_us,
				     uint64_t since)
{
	struct torus_window_fact best = { .length_us = length_us,
					  .stamp = since,
					  .until_us = TORUS_NO_TIME };

	for (uint32_t k = 0; cache && k < cache->facts; k++) {
		const struct torus_window_fact *f = &cache->fact[k];

		if (f->length_us > length_us)
			break;
		if (f->until_us > start_us &&
		    (f->stamp > best.stamp ||
		     (f->stamp == best.stamp && f->until_us > best.until_us)))
			best = *f;
	}
	return best;
}
