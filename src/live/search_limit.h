/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long one search may take while a host's locks are held: SEARCH_US of the
 * thread's processor time. (Waiting for a processor does not count: an answer
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

/* The time begins. */
void search_limit_begin(struct search_limit *l);

#endif
