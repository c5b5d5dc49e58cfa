/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversion of a semitorus to a torus: which dimensions form which ring. */
#ifndef PLACEMENT_FOLD_H
#define PLACEMENT_FOLD_H

#include "torus/ask.h"

enum torus_convert {
	TORUS_CONVERT_COMBINE, /* all open dimensions form one ring */
	TORUS_CONVERT_PAIR,    /* each open one joins a closed one */
};

/* Set orientation, axes and ring of a placement whose region is set; its
 * extents are powers of two. Rings are numbered by their lowest dimension. */
void torus_fold(const struct torus *t, enum torus_convert how,
		struct torus_placement *place);

/* Fill the number of nodes of each ring. */
void torus_fold_sizes(const struct torus *t,
		      const struct torus_placement *place, uint32_t *size);

#endif
