/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of several regions of one shape (torus_placement's `regions`): the texts of
 * the regions, each with the name of its torus, and commas between them,
 *
 *     pod0:0,0,0+4x4x4,pod0:4,0,0+4x4x4
 *
 * Their orientations and the letters of their rings stand once where all are
 * the same, else one per region with '/' between them: 0,1,2/1,0,2.
 */
#ifndef TORUS_REGIONS_H
#define TORUS_REGIONS_H

#include "torus/machine.h"

/* Return true if it is the text of more than one region; of how many. */
bool torus_regions_several(const char *text);
uint32_t torus_regions_count(const char *text);

/*
 * Read such a text; orientations NULL or "": axis i of each region is the i-th of
 * its dimensions that are longer than 1. Rings are those of its extents (bits of
 * axes that there are not are 1: torus_regions_axes() clears them). 0, or
 * -1 with EINVAL and a line in err: a region that is not one of the machine, two
 * that share nodes, or of different shapes, too many.
 */
int torus_regions_parse(const struct torus_machine *m, const char *text,
			const char *orientations, struct torus_regions *regions,
			struct torus_error *err);

/*
 * Read letters of rings as torus_placement_rings() writes them, "TM" or "TM/TT", into
 * ring[0..regions); *axes gets the letters of each. 0, or -1: other letters or
 * numbers of them.
 */
int torus_rings_parse(const char *letters, uint32_t regions, uint8_t *ring,
		      uint32_t *axes);
/* The same into the regions: an axis is a ring only as the letters say. */
int torus_regions_rings(struct torus_regions *regions, const char *letters,
			uint32_t *axes);

/* So many axes does the shape have. */
void torus_regions_axes(struct torus_regions *regions, uint32_t axes);

/* Set their nodes in a machine bitmap; how many they are. */
void torus_regions_paint(const struct torus_machine *m,
			 const struct torus_regions *regions, uint64_t *map);
uint32_t torus_regions_nodes(const struct torus_machine *m,
			     const struct torus_regions *regions);

/* A placement of them. `nodes` is a bitmap of the machine, which gets their
 * nodes. */
struct torus_placement torus_regions_place(const struct torus_machine *m,
					   const struct torus_regions *regions,
					   uint64_t *nodes);

/* The extents of a region's shape in vertices: an entry per axis. */
void torus_region_item_extents(const struct torus_machine *m,
			       const struct torus_region_item *item,
			       uint32_t axes, uint32_t *extent);

/* One region of a placement as a placement of its own. */
struct torus_placement torus_regions_item(const struct torus_machine *m,
					  const struct torus_placement *place,
					  uint32_t i);

/* Append the regions; for any placement, its orientation or orientations
 * ("" for scattered nodes) and the letters of its rings. 0, or -1 with
 * ENOMEM. */
int torus_regions_format(const struct torus_machine *m,
			 const struct torus_regions *regions,
			 struct torus_text *text);
int torus_placement_orientation(const struct torus_machine *m,
				const struct torus_placement *place,
				struct torus_text *text);
int torus_placement_rings(const struct torus_placement *place,
			  struct torus_text *text);

#endif
