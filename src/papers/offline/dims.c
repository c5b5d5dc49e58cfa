/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For which dimensions the preemptive scheduler is exact, and how to round the
 * dimensions of a set of jobs to such values (preemptive.h).
 */
#include "papers/offline/preemptive.h"

#include <stdio.h>

#include "torus/alloc.h"

/* Return the least divisor of n that is at least d, d <= n. O(sqrt(n)). */
static uint32_t divisor_above(uint32_t n, uint32_t d)
{
	uint32_t least = n;

	for (uint32_t f = 1; f <= n / f; f++) {
		if (n % f)
			continue;
		if (f >= d && f < least)
			least = f;
		if (n / f >= d && n / f < least)
			least = n / f;
	}
	return least;
}

/* Return "line 3", or "job 3" if the jobs do not come from a file. */
static const char *dims_where(const struct torus_offline_jobs *jobs, uint32_t i,
			      char buffer[32])
{
	const struct torus_offline_job *job = &jobs->job[i];

	snprintf(buffer, 32, "%s %u", job->line ? "line" : "job",
		 job->line ? job->line : i + 1);
	return buffer;
}

int torus_preemptive_check(const struct torus_offline_jobs *jobs, uint32_t m,
			   const char *name, struct torus_error *err)
{
	uint32_t *order = torus_offline_order(jobs), above = m;
	const char *of = NULL;
	char there[32];
	int rc = order ? 0 : -1;

	for (uint32_t i = 0; order && i < jobs->n; i++) {
		const struct torus_offline_job *job = &jobs->job[order[i]];

		if (job->d == above)
			continue;
		if (above % job->d)
			rc = torus_error_add(err,
					     "%s:%u: d: got \"%u\", which does not divide %u (%s); each dimension must divide the next larger one; --round-up would take %u",
					     name,
					     job->line ? job->line :
							 order[i] + 1,
					     job->d, above,
					     of ? of : "the torus",
					     divisor_above(above, job->d));
		/* Compare the following jobs with the last valid dimension. */
		if (!(above % job->d)) {
			above = job->d;
			of = dims_where(jobs, order[i], there);
		}
	}
	torus_free(order);
	return rc;
}

int torus_preemptive_round(struct torus_offline_jobs *jobs, uint32_t m)
{
	uint32_t *order = torus_offline_order(jobs), above = m;

	if (!order)
		return -1;
	for (uint32_t i = 0; i < jobs->n; i++) {
		struct torus_offline_job *job = &jobs->job[order[i]];

		if (job->d < above)
			above = divisor_above(above, job->d);
		job->d = above;
	}
	torus_free(order);
	return 0;
}
