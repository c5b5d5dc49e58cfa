/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live links of one grid (grid.h), and the bases at which a box holds no
 * dead one.
 *
 * Per dimension there is a bitmap: bit v is set if the link from cell v to its
 * + neighbour is up. A box of extent e along dimension d has e - 1 links in
 * each of its lines along d, so the bases that dimension d allows are that
 * bitmap eroded (erode.h) by the box one cell shorter along d:
 *
 *     o - o - o x o - o     a box of 3 may begin at 0 (two links, both up),
 *     0   1   2   3   4     but neither at 1 nor at 2
 *
 * That also holds where the box covers the whole of a wrapped dimension: all
 * links but the one before the base must be up, so the box begins behind the
 * dead link. It is a closed ring along d if that link is up as well: where a
 * ring is wanted the bitmap is eroded by the whole box.
 *
 * Several vertices in a cell: a link between two cells is up if all the links
 * between their vertices are; a cell with a dead link inside is in no box.
 *
 * Two cells in each dimension hold one link of every line. So the bases of a
 * longer box are those of its corner of at most 2 cells, eroded by one cell less
 * than the box has: the links of neighbouring corners lie side by side, their
 * cells overlap. A search does the same with the bases of free cells
 * (submesh_lengthen()): it takes off the dead links once, where a box first
 * has 2 cells, and pays nothing for its longer boxes.
 *
 * Bases are kept until the links change.
 *
 * Cost: bases that are not kept O(dims) erosions; of a box of at most 2 cells,
 * or of some dimensions only, O(dims with dead links x dims). Memory: twice dims
 * bitmaps and the kept ones: 1 MiB, or at least 8 bitmaps. No allocation after
 * create.
 */
#ifndef PLACEMENT_LINK_MAP_H
#define PLACEMENT_LINK_MAP_H

#include "torus/links.h"
#include "torus/region.h"

struct torus_link_map;

/* NULL with ENOMEM. grid must outlive it. All links are up. */
struct torus_link_map *torus_link_map_create(const struct torus *grid);
void torus_link_map_destroy(struct torus_link_map *m);

/* Take over the links of this pod from the list; the others in it are
 * ignored. */
void torus_link_map_set(struct torus_link_map *m,
			const struct torus_link_list *list, uint32_t pod);

/* Is any link dead? weak: weak links are accepted. */
bool torus_link_map_any(const struct torus_link_map *m, bool weak);

/* A box by its extents in cells. */
struct torus_link_box {
	const uint32_t *extent;
	bool weak;      /* weak links are accepted */
	uint32_t along; /* only links along these dimensions count, a bit each
			   (bit dims: those within a cell); 0: all links */
	uint32_t must;  /* dimensions that it covers and that must be rings: a
			  bit each */
	uint32_t wish;  /* those that had better be */
};

/* Does the box cover all of dimension d, which wraps? */
static inline bool torus_link_covers(const struct torus *grid,
				     const uint32_t *extent, uint32_t d)
{
	return grid->wrap[d] && extent[d] == grid->size[d];
}

/* The bases at which the box holds no dead link, a bitmap that stays until the
 * next call; NULL: every one. `wish` is ignored. */
const uint64_t *torus_link_map_bases(struct torus_link_map *m,
				     const struct torus_link_box *box);

/*
 * Of `bases`, at which the box holds no dead link, those with as many of the
 * wished rings as can be had: a bitmap that stays until the next call, or
 * `bases` itself; NULL: none. *open gets the number of wished rings that
 * cannot be had. `along` is ignored.
 */
const uint64_t *torus_link_map_rings(struct torus_link_map *m,
				     const struct torus_link_box *box,
				     const uint64_t *bases, uint32_t *open);

/* Is dimension d of a region, which covers it, a closed ring? The region holds
 * no dead link otherwise. */
bool torus_link_map_closed(const struct torus_link_map *m, bool weak,
			   const struct torus_region *r, uint32_t d);

#endif
