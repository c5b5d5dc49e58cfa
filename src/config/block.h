/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One torus of torus.yaml while it is read, between block.c and cells.c. */
#ifndef TORUS_CONFIG_BLOCK_H
#define TORUS_CONFIG_BLOCK_H

#include "config/reader.h"

enum torus_key {
	NAME,
	DIMS,
	FLAT,
	WRAP,
	UNIT,
	PER_VERTEX,
	GRAIN,
	NODES,
	REGIONS,
	ABSENT,
	STRATEGY,
	ALLOW,
	ROTATE,
	OPTIONS,
	LINKS,
	PLACEMENTS,
	KEYS
};

/* A torus before it is added to the machine. */
struct draft {
	const struct tree *value[KEYS];
	uint32_t line;
	struct torus torus;
	bool sized;        /* `torus` is valid */
	uint64_t *present; /* NULL: every cell has a node */
	char **names;      /* per cell; NULL: none are listed */
	const struct torus_strategy *strategy;
	struct torus_options options;
	const struct torus_strategy *allow[TORUS_POD_STRATEGIES];
	uint32_t allowed;
	bool rotate;
	char *links; /* path of the links file; NULL: none */
};

/* Read absent, nodes and regions into d->present and d->names. -1 after an error.
 * O(names + cells). */
int torus_cells_read(struct reader *r, struct draft *d);

#endif
