/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch bitmaps of one size: a stack that its owner sizes when the machine is
 * configured. A function takes one as a local variable and returns it before it
 * returns itself, the last one first. No allocation.
 *
 * How deep functions call each other is settled by the code, not by its input.
 * Should they take more than there is room for all the same, the last bitmap is
 * handed out once more, and the owner's check finds `misused` set: nothing ends
 * a daemon that has jobs to run.
 */
#ifndef TORUS_SCRATCH_H
#define TORUS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct torus_scratch {
	uint64_t *memory; /* of the owner: words * room */
	uint32_t words;   /* of a bitmap */
	uint32_t room, taken;
	bool misused; /* too many were taken, or returned in another order */
};

static inline uint64_t *torus_scratch_map(const struct torus_scratch *s,
					  uint32_t i)
{
	return s->memory + (size_t)s->words * (i < s->room ? i : s->room - 1);
}

/* A bitmap with any content. */
static inline uint64_t *torus_scratch_take(struct torus_scratch *s)
{
	s->misused |= s->taken >= s->room;
	return torus_scratch_map(s, s->taken++);
}

/* Return the one that was taken last. */
static inline void torus_scratch_return(struct torus_scratch *s,
					const uint64_t *map)
{
	if (s->taken > 0)
		s->taken--;
	s->misused |= map != torus_scratch_map(s, s->taken);
}

/* Return true if all were returned, and as they should be: between two calls of
 * its owner. */
static inline bool torus_scratch_check(const struct torus_scratch *s)
{
	return !s->misused && s->taken == 0;
}

#endif
