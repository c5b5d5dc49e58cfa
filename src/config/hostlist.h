/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's short form of node names: n[00-62,70], r[0-1]c[0-7], a,b,c.
 *
 * Expressions are separated by commas or white space; each may have up to 8
 * brackets with numbers and ranges, and text after them. A range's numbers
 * are padded with zeros to the width of its first. Names come in the order in
 * which Slurm lists them: the last bracket runs fastest, then the first, the
 * second and so on.
 */
#ifndef TORUS_CONFIG_HOSTLIST_H
#define TORUS_CONFIG_HOSTLIST_H

#include <stdint.h>

#include "torus/text.h"

#define HOSTLIST_NAME_SIZE 65 /* longest node name, with the NUL */

/* Check the whole text and count its names. 0, or -1 with EINVAL and a line in why:
 * wrong syntax, a name that is too long or has characters that no node name has,
 * more than TORUS_MAX_NODES names. */
int torus_hostlist_count(const char *text, uint32_t *count,
			 struct torus_error *why);

/*
 * Call each() for every name of a text that torus_hostlist_count() has accepted,
 * until it returns nonzero. Return the last value.
 */
int torus_hostlist_each(const char *text,
			int (*each)(void *arg, const char *name), void *arg);

/* names.c: a hash table from node names to nodes. The caller owns the names, which
 * must outlive the table. */

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
