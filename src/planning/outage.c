/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outages (torus/ask.h). A job that starts at s overlaps an outage exactly if
 * from - length < s < to. So the set of nodes that are out for the job changes
 * only where s passes one of these two times.
 *
 * Cost: O(outages), of sorted ones O(those that begin before the time in question), and
 * O(words) for each that overlaps.
 */
#include "torus/ask.h"

#include "torus/bits.h"

static bool outage_meets(const struct torus_outage *o, int64_t from_us,
			 int64_t to_us)
{
	return o->from_us < to_us && o->to_us > from_us;
}

/* Return true if there is an i-th outage, and it or a later one may begin before
 * to_us. */
static bool outage_before(const struct torus_outages *o, uint32_t i,
			  int64_t to_us)
{
	return i < o->count && !(o->sorted && o->outage[i].from_us >= to_us);
}

bool torus_outages_clear(const struct torus_outages *o, int64_t from_us,
			 int64_t to_us, uint64_t *map, uint32_t words)
{
	for (uint32_t i = 0; outage_before(o, i, to_us); i++) {
		if (outage_meets(&o->outage[i], from_us, to_us))
			torus_bits_andnot(map, o->outage[i].nodes, words);
	}
	return from_us <= o->last_start_us;
}

bool torus_outages_allow(const struct torus_outages *o, int64_t from_us,
			 int64_t to_us, const uint64_t *map, uint32_t words)
{
	for (uint32_t i = 0; outage_before(o, i, to_us); i++) {
		if (outage_meets(&o->outage[i], from_us, to_us) &&
		    torus_bits_meet(o->outage[i].nodes, map, words))
			return false;
	}
	return from_us <= o->last_start_us;
}

int64_t torus_outages_next(const struct torus_outages *o, int64_t at_us)
{
	int64_t next = INT64_MAX;

	for (uint32_t i = 0; outage_before(o, i, next); i++) {
		if (o->outage[i].to_us > at_us && o->outage[i].to_us < next)
			next = o->outage[i].to_us;
	}
	return next;
}

int64_t torus_outages_step(const struct torus_outages *o, int64_t at_us,
			   int64_t length_us)
{
	int64_t next = torus_outages_next(o, at_us);

	for (uint32_t i = 0;
	     outage_before(o, i, torus_time_after(next, length_us)); i++) {
		int64_t from_us = o->outage[i].from_us, met;

		if (from_us < INT64_MIN + length_us)
			continue; /* it overlaps every earlier start */
		met = from_us - length_us + 1;
		if (met > at_us && met < next)
			next = met;
	}
	return next;
}
