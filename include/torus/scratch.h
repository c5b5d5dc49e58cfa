/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch bitmaps of one size: a stack that its owner allocates when the
 * machine is configured. A function takes a bitmap as a local variable and
 * returns it before the function returns, in reverse order. No allocation.
 *
 * The depth depends on the code only, not on its input. If functions take more
 * bitmaps than the stack has, they get the last one again, and the owner's
 * check finds `misused` set: the daemon keeps running.
 */
#ifndef TORUS_SCRATCH_H
#define TORUS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct torus_scratch {
	uint64_t *memory; /* words * room; the owner frees it */
	uint32_t words;   /* of a bitmap */
	uint32_t room, taken;
	bool misused; /* too many were taken, or returned in another order */
};

static inline uint64_t *torus_scratch_map(const struct torus_scratch *s,
					  uint32_t i)
{
	return s->memory + (size_t)s->words * (i < s->room ? i : s->room - 1);
}

/* Return a bitmap with undefined contents. */
static inline uint64_t *torus_scratch_take(struct torus_scratch *s)
{
	s->misused |= s->taken >= s->room;
	return torus_scratch_map(s, s->taken++);
}

/* Return the bitmap that was taken last to the stack. */
static inline void torus_scratch_return(struct torus_scratch *s,
					const uint64_t *map)
{
	if (s->taken > 0)
		s->taken--;
	s->misused |= map != torus_scratch_map(s, s->taken);
}

/* Return true if all bitmaps were returned in order. For the owner's check,
 * between two calls of its functions. */
static inline bool torus_scratch_check(const struct torus_scratch *s)
{
	return !s->misused && s->taken == 0;
}

#endif
