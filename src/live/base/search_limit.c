/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock of search_limit.h. */
#include "live/base/search_limit.h"

#include "live/base/lock_hold.h"

/* The processor time that is left; 0 when the limit has passed. */
static int64_t limit_left_us(const struct search_limit *l)
{
	int64_t now_us = lock_hold_cpu_us();

	return now_us < l->until_us ? l->until_us - now_us : 0;
}

bool search_limit_passed(const struct search_limit *l)
{
	return limit_left_us(l) == 0;
}

static bool limit_is_over(void *arg)
{
	return search_limit_passed(arg);
}

void search_limit_begin(struct search_limit *l, int64_t us)
{
	*l = (struct search_limit){ .limit = { .over = limit_is_over, .arg = l },
				    .until_us = lock_hold_cpu_us() + us };
}

void search_limit_begin_of(struct search_limit *l, const int64_t *spent_us)
{
	search_limit_begin(l, SEARCH_US - *spent_us);
	l->limit.cut = *spent_us >= SEARCH_US;
}

void search_limit_end_of(const struct search_limit *l, int64_t *spent_us)
{
	*spent_us = SEARCH_US - limit_left_us(l);
}
