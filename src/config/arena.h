/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is freed all at once: for a file's values and for names.
 */
#ifndef TORUS_CONFIG_ARENA_H
#define TORUS_CONFIG_ARENA_H

#include <stddef.h>

struct arena_block;

/* A zeroed arena is empty. */
struct arena {
	struct arena_block *blocks; /* the newest first */
};

/* Allocate zeroed bytes, aligned for any of our structs; NULL with ENOMEM. */
void *torus_arena_alloc(struct arena *a, size_t size);

/* Copy n bytes, unaligned, and add a NUL; NULL with ENOMEM. */
char *torus_arena_text(struct arena *a, const char *text, size_t n);

/* Free all memory; the arena is empty again. Keeps errno. */
void torus_arena_free(struct arena *a);

#endif
