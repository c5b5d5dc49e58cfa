/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of several regions of one shape (torus_placement's `regions`): the
 * regions, each with the name of its torus, separated by commas,
 *
 *     pod0:0,0,0+4x4x4,pod0:4,0,0+4x4x4
 *
 * Equal orientations and equal ring letters are written once; otherwise one per
 * region, separated by '/': 0,1,2/1,0,2.
 */
#ifndef TORUS_REGIONS_H
#define TORUS_REGIONS_H

#include "torus/machine.h"

/* Return true if the text has more than one region; return their number. */
bool torus_regions_several(const char *text);
uint32_t torus_regions_count(const char *text);

/*
 * Read such a text. With orientations NULL or "", axis i of each region lies
 * along the i-th of its dimensions longer than 1. Rings follow from the
 * extents; the ring bits of axes that do not exist are 1 until
 * torus_regions_axes() clears them. 0, or -1 with EINVAL and a line in err: a
 * region outside the machine, two regions that share nodes, different shapes,
 * too many regions.
 */
int torus_regions_parse(const struct torus_machine *m, const char *text,
			const char *orientations, struct torus_regions *regions,
			struct torus_error *err);

/*
 * Read ring letters as torus_placement_rings() writes them, "TM" or "TM/TT",
 * into ring[0..regions); *axes gets the letters per region. 0, or -1 for other
 * letters or another number of them.
 */
int torus_rings_parse(const char *letters, uint32_t regions, uint8_t *ring,
		      uint32_t *axes);
/* As torus_rings_parse(), into the regions: an axis stays a ring only if its
 * letter is T. */
int torus_regions_rings(struct torus_regions *regions, const char *letters,
			uint32_t *axes);

/* Set the number of axes of the shape, and clear the ring bits of other
 * axes. */
void torus_regions_axes(struct torus_regions *regions, uint32_t axes);

/* Set the nodes of the regions in a machine bitmap. */
void torus_regions_paint(const struct torus_machine *m,
			 const struct torus_regions *regions, uint64_t *map);

/* Return a placement of these regions. `nodes` (a machine bitmap) gets their
 * nodes. */
struct torus_placement torus_regions_place(const struct torus_machine *m,
					   const struct torus_regions *regions,
					   uint64_t *nodes);

/* Return region i of a placement as a placement of its own. */
struct torus_placement torus_regions_item(const struct torus_machine *m,
					  const struct torus_placement *place,
					  uint32_t i);

/*
 * Read the text of one region, of several, or of the scattered nodes of one torus; its
 * name may be missing if there is one only. Sets granted, and the nodes (a machine bitmap)
 * of all but one region; no orientation. 0, or -1 with a line in err.
 */
int torus_regions_place_parse(const struct torus_machine *m, const char *text,
			      uint64_t *nodes, struct torus_placement *place,
			      struct torus_error *err);

/* Append the text of the regions; of the orientation or orientations of any
 * placement ("" if scattered); of the ring letters. 0, or -1 with ENOMEM. */
int torus_regions_format(const struct torus_machine *m,
			 const struct torus_regions *regions,
			 struct torus_text *text);
int torus_placement_orientation(const struct torus_machine *m,
				const struct torus_placement *place,
				struct torus_text *text);
int torus_placement_rings(const struct torus_placement *place,
			  struct torus_text *text);

#endif
