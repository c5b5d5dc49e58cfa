/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A YAML document as a tree of scalars, lists and maps with line numbers.
 *
 * Only what a configuration needs: one document, no anchors, aliases, tags or
 * keys that are not scalars, at most TREE_DEPTH levels and TREE_VALUES values,
 * so that the size of the tree is bounded by the size of the text.
 */
#ifndef TORUS_CONFIG_TREE_H
#define TORUS_CONFIG_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torus/text.h"

/* arena.c: memory that is freed all at once: for a file's values and for names. */

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

#define TREE_DEPTH 16
#define TREE_VALUES (1u << 21)

enum tree_kind {
	TREE_SCALAR,
	TREE_LIST,
	TREE_MAP
};

struct tree {
	enum tree_kind kind;
	uint32_t line;    /* where it begins, from 1 */
	bool plain;       /* a scalar without quotes */
	const char *text; /* of a scalar */
	const char *key;  /* of a value in a map */
	uint32_t key_line;
	uint32_t children; /* of a list or map */
	struct tree *first, *last, *next;
};

/*
 * Read a text; `file` is for messages. NULL with lines in err and EINVAL, or
 * with ENOMEM. The tree lives as long as the arena.
 */
struct tree *torus_tree_read(struct arena *arena, const char *file,
			     const char *text, size_t length,
			     struct torus_error *err);

/* Return true if the value is missing: an empty plain scalar, ~ or null. */
bool torus_tree_null(const struct tree *t);

#define TREE_SHOWN 64

/* Write the value as one line, shortened with "..." to less than TREE_SHOWN bytes:
 * 63, [8, 0, 8], {x: 4, y: 4}. Return buffer. */
const char *torus_tree_excerpt(const struct tree *t, char buffer[TREE_SHOWN]);

#endif
