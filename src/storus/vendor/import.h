/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the importers share: each reads the description of a machine that
 * another system uses, and writes a torus.yaml.
 */
#ifndef STORUS_IMPORT_H
#define STORUS_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "storus/base/table.h"
#include "storus/storus.h"
#include "torus/torus.h"

struct import_words {
	struct storus_list operands;
	const char *operand; /* a file or a type, as the importer says */
	const char *nodes;   /* --nodes, or NULL */
	const char *dims;    /* --dims, or NULL */
	bool cubes;          /* --cubes */
	bool whole_pod; /* --dims may describe a part of it, and does not */
	struct storus_table table;
};

/*
 * `run` appends to `out` and returns an exit status; err gets its errors and what it
 * could not translate.
 */
struct importer {
	const char *name;
	const char *operand;
	const char *summary;
	bool takes_nodes, takes_dims; /* --nodes; --dims and --cubes */
	int (*run)(const struct import_words *words, FILE *out,
		   struct torus_error *err);
};

extern const struct importer import_torus3d; /* import_torus3d.c */
extern const struct importer import_mgd;     /* import_mgd.c */
extern const struct importer import_tpu;     /* import_tpu.c */

/* A torus whose nodes are boxes of vertices, first dimension first. */
struct import_torus {
	const char *name;
	uint32_t dims;
	uint32_t size[TORUS_MAX_DIMS];
	bool wrap[TORUS_MAX_DIMS];
	uint32_t unit[TORUS_MAX_DIMS];  /* all 1: not written */
	uint32_t grain[TORUS_MAX_DIMS]; /* all 0: not written */
};

/* Return its number of nodes; 0 with a line in err: the unit does not divide it,
 * or there are too many. */
uint32_t import_torus_nodes(const struct import_torus *t,
			    struct torus_error *err);

/* Names for its nodes, NAME-[0-N], where the caller gives none. */
void import_default_nodes(const struct import_torus *t, char *text, size_t size);

/* Write its entry of `toruses:`, with these nodes (a list of names, in Slurm's
 * short form). */
void import_torus_write(FILE *out, const struct import_torus *t,
			const char *nodes);

#endif
