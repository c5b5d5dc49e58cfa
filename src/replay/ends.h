/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ends to come: a binary heap of running jobs, the next end first, jobs
 * that end together in the order of their starts.
 */
#ifndef REPLAY_ENDS_H
#define REPLAY_ENDS_H

#include <stddef.h>
#include <stdint.h>

struct torus_end {
	int64_t at_us;
	uint64_t order; /* of the start; no two are equal */
	void *job;
};

/* Zeroed = empty. */
struct torus_ends {
	struct torus_end *heap;
	size_t count, room;
};

/* 0, or -1 with ENOMEM and the heap unchanged. O(log count). */
int torus_ends_add(struct torus_ends *ends, struct torus_end end);

/* The next one, or NULL. */
static inline const struct torus_end *
torus_ends_first(const struct torus_ends *ends)
{
	return ends->count ? ends->heap : NULL;
}

/* Times of entries were changed: put them in order again. O(count). */
void torus_ends_sort(struct torus_ends *ends);

/* Drop the next one; there must be one. O(log count). */
void torus_ends_drop(struct torus_ends *ends);
/* Drop this job's, which must be there. O(count). */
void torus_ends_remove(struct torus_ends *ends, const void *job);

void torus_ends_free(struct torus_ends *ends);

#endif
