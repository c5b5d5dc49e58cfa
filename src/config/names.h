/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table from node names to nodes. The caller owns the names, which must
 * outlive the table.
 */
#ifndef TORUS_CONFIG_NAMES_H
#define TORUS_CONFIG_NAMES_H

#include <stdint.h>

struct name_entry {
	const char *name; /* NULL: the entry is empty */
	uint32_t pod;
	uint32_t index; /* while a file is read: the line that names it */
};

/* A zeroed table is empty. */
struct name_table {
	struct name_entry *entry;
	uint32_t size; /* 0 or a power of two */
	uint32_t used;
};

/* Return the entry of a name, or NULL. O(1). */
struct name_entry *torus_names_find(const struct name_table *t,
				    const char *name);

/* Add a new name. Return its entry (pod and index 0), or NULL with ENOMEM. O(1)
 * on average. */
struct name_entry *torus_names_add(struct name_table *t, const char *name);

void torus_names_free(struct name_table *t);

#endif
