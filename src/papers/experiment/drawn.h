/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of a machine by our map: NAME.svg and NAME.png (drawn.c). */
#ifndef EXPERIMENT_DRAWN_H
#define EXPERIMENT_DRAWN_H

#include "papers/experiment/lab.h"

struct torus_drawn_region {
	const char *label, *region;
};

/* Draw these regions, ended by label NULL, of the first torus of a torus.yaml. 0, or -1
 * with errno. */
int torus_drawn_regions(const struct torus_lab *lab, const char *yaml,
			const struct torus_drawn_region *region);

#endif
