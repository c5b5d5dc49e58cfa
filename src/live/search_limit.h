/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a search may take, of the thread's processor time: while a host's locks
 * are held, SEARCH_US. (Waiting for a processor does not count: an answer
 * must not depend on who else uses it.)
 */
#ifndef LIVE_SEARCH_LIMIT_H
#define LIVE_SEARCH_LIMIT_H

#include "torus/ask.h"

#define SEARCH_US INT64_C(10000)

struct search_limit {
	struct torus_limit limit; /* for torus_ask.limit */
	int64_t until_us;         /* on the thread's clock */
};

/* The time begins: SEARCH_US under locks. */
void search_limit_begin(struct search_limit *l, int64_t us);

/* Return true if it has passed. */
bool search_limit_passed(const struct search_limit *l);

#endif
