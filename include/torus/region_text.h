/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text forms of regions, node sets and orientations (region_text.c). */
#ifndef TORUS_REGION_TEXT_H
#define TORUS_REGION_TEXT_H

#include "torus/region.h"

/* Text forms, in vertices. The formatters return lengths as snprintf(). */
int torus_region_format(const struct torus_region *r, const struct torus *t,
			char *buffer, size_t size);
int torus_orientation_format(const struct torus_orientation *o,
			     const struct torus *t, char *buffer, size_t size);

/* Read the text of an orientation. -1 with a line in err. */
int torus_orientation_parse(struct torus_orientation *o, const struct torus *t,
			    const char *string, struct torus_error *err);

/* Append NAME:{0-3,7} for the nodes set in map. 0, or -1 with ENOMEM. */
int torus_nodes_format(struct torus_text *text, const struct torus *t,
		       const uint64_t *map);

/*
 * Read a region or scattered nodes; the torus name may be missing, otherwise it
 * must be the torus's. *scattered says which was read. If scattered, `nodes` (a
 * bitmap of the torus's words, zeroed by this call) gets the nodes, else *r
 * gets the region. -1 with a line in err.
 */
int torus_region_parse(struct torus_region *r, bool *scattered, uint64_t *nodes,
		       const struct torus *t, const char *string,
		       struct torus_error *err);

#endif
