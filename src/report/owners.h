/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owners of a trace's jobs: user and partition by job id. The trace has them,
 * the schedule does not.
 *
 * Cost: O(trace log jobs) time, 100 bytes per job.
 */
#ifndef REPORT_OWNERS_H
#define REPORT_OWNERS_H

#include "trace/trace.h"

struct torus_owner {
	char id[TORUS_TRACE_ID_SIZE];
	uint32_t user, partition; /* numbers of names */
};

/* Names by number, in order of first appearance. */
struct torus_owner_names {
	char (*name)[TORUS_TRACE_USER_SIZE];
	uint32_t count, room;
};

/* Zeroed = none. */
struct torus_owners {
	struct torus_owner *owner; /* by id */
	size_t count;
	uint32_t room;
	struct torus_owner_names users, partitions;
	int64_t unix_start;                   /* of the trace, or -1 */
	char digest[TORUS_TRACE_DIGEST_SIZE]; /* of the trace */
};

/* Add all jobs of a trace. Return 0, or -1 with errno and lines in err. */
int torus_owners_read(struct torus_owners *o, const char *path,
		      const struct torus_trace_choice *choice,
		      struct torus_error *err);
void torus_owners_free(struct torus_owners *o);

/* Return the owner, or NULL if there is no such job. For a repeated id, one of
 * them. */
const struct torus_owner *torus_owners_find(const struct torus_owners *o,
					    const char *id);

#endif
