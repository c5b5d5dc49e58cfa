/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A limit of a search, in processor time of the thread: SEARCH_US while a host's
 * locks are held. (Waits for a processor do not count: an answer must not depend
 * on the load of the machine.)
 */
#ifndef LIVE_BASE_SEARCH_LIMIT_H
#define LIVE_BASE_SEARCH_LIMIT_H

#include "torus/ask.h"

#define SEARCH_US INT64_C(10000)

struct search_limit {
	struct torus_search_limit limit; /* for torus_ask.limit */
	int64_t until_us;                /* on the thread's clock */
};

/* Begin the limit: us microseconds from now on. */
void search_limit_begin(struct search_limit *l, int64_t us);

/* The same for one of several searches that have SEARCH_US together: what those
 * before have left, counted by search_limit_end_of() in *spent_us, which begins
 * with 0. With nothing left the search ends at its first step. */
void search_limit_begin_of(struct search_limit *l, const int64_t *spent_us);
void search_limit_end_of(const struct search_limit *l, int64_t *spent_us);

/* Return true if the limit has passed. */
bool search_limit_passed(const struct search_limit *l);

#endif
