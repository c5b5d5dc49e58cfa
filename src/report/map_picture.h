/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map as a picture, for any pen: the toruses, totals, note, and a legend of
 * as many jobs as fit.
 */
#ifndef REPORT_MAP_PICTURE_H
#define REPORT_MAP_PICTURE_H

#include "report/map_cells.h"
#include "report/pen.h"

struct report_picture {
	const struct report_map *map;
	struct report_cells *cells; /* per torus */
	uint32_t *top;              /* per torus */
	bool words; /* including everything beside the machine */
	uint32_t words_top;
	uint32_t columns, rows; /* of the legend */
	uint32_t width, height; /* pixels */
};

/* words false: only the toruses, for a page with its own text. Return 0, or -1
 * with ENOMEM. */
int report_picture_init(struct report_picture *picture,
			const struct report_map *map,
			const struct report_map_style *style, bool words);
void report_picture_free(struct report_picture *picture);

void report_picture_draw(const struct report_picture *picture,
			 struct report_pen *pen);

#endif
