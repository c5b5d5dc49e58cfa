/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An arena of blocks of 64 KiB (or one block per larger piece). Texts grow
 * down from the end of a block and structs up from its start, so that texts
 * need no padding.
 */
#include "config/tree.h"

#include <stdalign.h>
#include <string.h>

#include "torus/alloc.h"

#define BLOCK 65536

struct arena_block {
	struct arena_block *next;
	size_t low, high; /* bytes used from the start; first used at the end */
	alignas(max_align_t) char data[];
};

static struct arena_block *with_room(struct arena *a, size_t size)
{
	size_t room = size > BLOCK ? size : BLOCK;
	struct arena_block *b = a->blocks;

	if (b && b->high - b->low >= size)
		return b;
	b = torus_alloc(1, sizeof(*b) + room);
	if (!b)
		return NULL;
	b->high = room;
	b->next = a->blocks;
	a->blocks = b;
	return b;
}

void *torus_arena_alloc(struct arena *a, size_t size)
{
	size_t align = alignof(max_align_t);
	size_t padded = (size + align - 1) / align * align;
	struct arena_block *b = with_room(a, padded);
	void *p;

	if (!b)
		return NULL;
	p = b->data + b->low;
	b->low += padded;
	return p;
}

char *torus_arena_text(struct arena *a, const char *text, size_t n)
{
	struct arena_block *b = with_room(a, n + 1);
	char *p;

	if (!b)
		return NULL;
	b->high -= n + 1;
	p = b->data + b->high;
	memcpy(p, text, n);
	p[n] = '\0';
	return p;
}

void torus_arena_free(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		torus_free(b);
	}
}
