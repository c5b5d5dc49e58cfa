/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of an offline schedule: each needs a d x d subtorus for a time t.
 * All times are integers in units of 1/unit, the least common denominator of
 * the input, so that scheduling without division stays in integers.
 */
#ifndef OFFLINE_JOBS_H
#define OFFLINE_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/text.h"
#include "trace/trace.h"

/* Bound on times in units. */
#define TORUS_OFFLINE_TIME_MAX INT64_C(4000000000000000000)

struct torus_offline_job {
	uint32_t d;
	uint32_t line; /* line of the file, for messages; 0: none */
	int64_t t;     /* > 0, in 1/unit */
};

struct torus_offline_jobs {
	struct torus_offline_job *job; /* in the order of the file */
	uint32_t n;
	int64_t unit;
	bool alone;                           /* no job disturbs another */
	char digest[TORUS_TRACE_DIGEST_SIZE]; /* SHA-256 of the file */
};

/*
 * Read CSV with the columns d and t, in any order, plain or gzipped; "-" is the
 * standard input. NULL with errno and lines in err (EINVAL: all errors of the
 * text). dimension_max: the machine's; a larger d is refused.
 */
struct torus_offline_jobs *torus_offline_jobs_read(const char *path,
						   uint32_t dimension_max,
						   struct torus_error *err);
void torus_offline_jobs_destroy(struct torus_offline_jobs *jobs);

/*
 * Return the order in which both algorithms take jobs: non-increasing
 * dimension, ties in the order of the file. Indices; free with torus_free().
 * NULL with errno. O(n log n).
 */
uint32_t *torus_offline_order(const struct torus_offline_jobs *jobs);

#endif
