/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gcc -shared -fPIC -o least_limit.so least_limit.c $(pkg-config --cflags libtorus) */
#include <torus/policy.h>
static int64_t least_limit(void *self, const struct torus_job *job,
			   int64_t now_us)
{
	(void)self, (void)now_us;
	return job->limit_us;
}
static const struct torus_discipline mine = { .name = "least-limit",
					      .rank = least_limit };
TORUS_POLICY_DISCIPLINE(mine);
