/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table from node names to where the nodes are. The names stay the
 * caller's and must outlive the table.
 */
#ifndef TORUS_CONFIG_NAMES_H
#define TORUS_CONFIG_NAMES_H

#include <stdint.h>

struct name_entry {
	const char *name; /* NULL: the place is empty */
	uint32_t pod;
	uint32_t index; /* while a file is read: the line that names it */
};

/* Zeroed = empty. */
struct name_table {
	struct name_entry *entry;
	uint32_t size; /* 0 or a power of two */
	uint32_t used;
};

/* The entry of a name, or NULL. O(1). */
struct name_entry *torus_names_find(const struct name_table *t,
				    const char *name);

/* Add a name that is not there yet; the entry (pod and index 0), or NULL with
 * ENOMEM. O(1) on average. */
struct name_entry *torus_names_add(struct name_table *t, const char *name);

void torus_names_free(struct name_table *t);

#endif
