/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A torus: 1 to 8 dimensions, a wrap flag for each, nodes numbered with the
 * first dimension fastest. A mesh is a torus with no wrap; a hypercube is
 * 2x2x...x2. `flat` is a machine without topology (any nodes will do).
 *
 * Machine string: 8x8x8 (all wrap), 8x8x8:TTM (T wraps, M does not), 2^8
 * (2x2x2x2x2x2x2x2), 16 (a ring), flat:128.
 */
#ifndef TORUS_TORUS_H
#define TORUS_TORUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torus/error.h"

#define TORUS_MAX_DIMS 8
#define TORUS_MAX_NODES (UINT32_C(1) << 24)
#define TORUS_NAME_SIZE 64    /* with the NUL */
#define TORUS_STRING_SIZE 112 /* longest machine string, with the NUL */

/* A value: copy it freely. size[d], wrap[d] and stride[d] are set for
 * d < dims; the rest is 1, false and nodes. */
struct torus {
	char name[TORUS_NAME_SIZE];
	uint32_t dims;
	uint32_t nodes;                  /* product of the sizes */
	uint32_t size[TORUS_MAX_DIMS];   /* nodes along each dimension */
	uint32_t stride[TORUS_MAX_DIMS]; /* index distance of one step */
	bool wrap[TORUS_MAX_DIMS];
	bool flat; /* dims is 1, no neighbours */
};

/* wrap NULL: all wrap. -1 with EINVAL and a line in err (may be NULL). */
int torus_init(struct torus *t, const char *name, uint32_t dims,
	       const uint32_t *size, const bool *wrap, struct torus_error *err);
int torus_init_flat(struct torus *t, const char *name, uint32_t nodes,
		    struct torus_error *err);

/* Read a machine string; the name becomes "torus". */
int torus_parse(struct torus *t, const char *string, struct torus_error *err);

/* Write the machine string; returns its length, as snprintf(). */
int torus_format(const struct torus *t, char *buffer, size_t size);

/* coord has TORUS_MAX_DIMS entries; those from dims on are 0. */
uint32_t torus_index(const struct torus *t, const uint32_t *coord);
void torus_coord(const struct torus *t, uint32_t index, uint32_t *coord);

/* Name: letters, digits, '_', '-', '.'; starts with a letter or digit. */
bool torus_name_ok(const char *name);

#endif
