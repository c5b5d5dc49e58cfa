/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Future ends of running jobs: a binary heap, the next end first; jobs that end
 * at the same time in the order of their starts.
 */
#ifndef REPLAY_ENDS_H
#define REPLAY_ENDS_H

#include <stddef.h>
#include <stdint.h>

struct torus_end {
	int64_t at_us;
	uint64_t order; /* order of the start, unique */
	void *job;
};

/* Zeroed = empty. */
struct torus_ends {
	struct torus_end *heap;
	size_t count;
	uint32_t room;
};

/* Add an end. Return 0, or -1 with ENOMEM and the heap unchanged. O(log
 * count). */
int torus_ends_add(struct torus_ends *ends, struct torus_end end);

/* Return the next end, or NULL. */
static inline const struct torus_end *
torus_ends_first(const struct torus_ends *ends)
{
	return ends->count ? ends->heap : NULL;
}

/* Restore the order after times of entries have changed. O(count). */
void torus_ends_sort(struct torus_ends *ends);

/* Remove the next end; the heap must not be empty. O(log count). */
void torus_ends_drop(struct torus_ends *ends);
/* Remove the end of this job, which must be in the heap. O(count). */
void torus_ends_remove(struct torus_ends *ends, const void *job);

void torus_ends_free(struct torus_ends *ends);

#endif
