/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock of search_limit.h. */
#include "live/search_limit.h"

#include <time.h>

#include "live/saturate.h"

static int64_t processor_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * SECOND_US + t.tv_nsec / 1000;
}

static bool is_over(void *arg)
{
	const struct search_limit *l = arg;

	return processor_us() >= l->until_us;
}

void search_limit_begin(struct search_limit *l)
{
	*l = (struct search_limit){ .limit = { .over = is_over, .arg = l },
				    .until_us = processor_us() + SEARCH_US };
}
