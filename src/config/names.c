/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing with linear probing, at most half full, over the 64-bit
 * FNV-1a hash of the name with its high half folded in.
 */
#include "config/hostlist.h"

#include <stddef.h>
#include <string.h>

#include "torus/alloc.h"

#define FIRST_SIZE 256

static uint32_t names_hash(const char *name)
{
	uint64_t h = torus_hash_text(TORUS_HASH_START, name);

	return (uint32_t)(h ^ h >> 32);
}

/* Return the name's entry, or the empty one for it. */
static struct name_entry *names_place(const struct name_table *t,
				      const char *name)
{
	uint32_t i = names_hash(name) & (t->size - 1);

	while (t->entry[i].name && strcmp(t->entry[i].name, name) != 0)
		i = (i + 1) & (t->size - 1);
	return &t->entry[i];
}

struct name_entry *torus_names_find(const struct name_table *t, const char *name)
{
	struct name_entry *e;

	if (t->size == 0)
		return NULL;
	e = names_place(t, name);
	return e->name ? e : NULL;
}

struct name_entry *torus_names_add(struct name_table *t, const char *name)
{
	struct name_entry *e;

	if (t->used >= t->size / 2) {
		struct name_table bigger = { .used = t->used };

		bigger.size = t->size ? t->size * 2 : FIRST_SIZE;
		bigger.entry = torus_alloc(bigger.size, sizeof(*bigger.entry));
		if (!bigger.entry)
			return NULL;
		for (uint32_t i = 0; i < t->size; i++) {
			if (t->entry[i].name)
				*names_place(&bigger,
					     t->entry[i].name) = t->entry[i];
		}
		torus_free(t->entry);
		*t = bigger;
	}
	e = names_place(t, name);
	e->name = name;
	t->used++;
	return e;
}

void torus_names_free(struct name_table *t)
{
	torus_free(t->entry);
	*t = (struct name_table){ 0 };
}
