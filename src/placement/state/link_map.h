/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live links of one grid (grid.h), and the bases at which a box holds no dead
 * link.
 *
 * Per dimension there is a bitmap: bit v is set if the link from cell v to its
 * + neighbour is up. A box of extent e along d has e - 1 links in each of its lines
 * along d, so the bases that d allows are that bitmap eroded (erode.h) by the box
 * one cell shorter along d:
 *
 *     o - o - o x o - o     a box of 3 may begin at 0 (two links, both up),
 *     0   1   2   3   4     but neither at 1 nor at 2
 *
 * The same if the box covers a wrapped dimension: all links but the one before the
 * base must be up, and the box begins behind the dead link. For a closed ring that
 * link must be up too: the bitmap is eroded by the whole box.
 *
 * Several vertices in a cell: a link between two cells is up if all the links
 * between their vertices are; a cell with a dead link inside is in no box.
 *
 * A box of two cells in each dimension holds one link of every line. The bases of a
 * longer box are those of its corner of at most 2 cells, eroded by one cell less
 * than the box has: the links of neighbouring corners are adjacent, their cells
 * overlap. So a search (submesh_lengthen()) removes dead links once, when a box
 * first has 2 cells, and its longer boxes cost nothing more.
 *
 * Bases are cached until the links change.
 *
 * Cost: uncached bases O(dims) erosions; of a box of at most 2 cells, or of some
 * dimensions only, O(dims with dead links x dims). Memory: twice dims bitmaps and
 * the cache: 1 MiB, or at least 8 bitmaps. No allocation after create.
 */
#ifndef PLACEMENT_LINK_MAP_H
#define PLACEMENT_LINK_MAP_H

#include "torus/links.h"
#include "torus/region.h"

struct torus_link_map;

/* Return NULL with ENOMEM. grid must outlive it. All links start up. */
struct torus_link_map *torus_link_map_create(const struct torus *grid);
void torus_link_map_destroy(struct torus_link_map *m);

/* Take the links of this pod from the list; links of other pods are ignored. */
void torus_link_map_set(struct torus_link_map *m,
			const struct torus_link_list *list, uint32_t pod);

/* Return true if any link is dead. weak: weak links are accepted. */
bool torus_link_map_any(const struct torus_link_map *m, bool weak);

/* A box by its extents in cells. */
struct torus_link_box {
	const uint32_t *extent;
	bool weak;       /* weak links are accepted */
	uint32_t along;  /* only links along these dimensions count, a bit each
			   (bit dims: those within a cell); 0: all links */
	uint32_t must;   /* dimensions covered that must be rings, a bit each */
	uint32_t prefer; /* dimensions that should be rings if possible */
};

/* Return true if the box covers all of dimension d, which wraps. */
static inline bool torus_link_covers(const struct torus *grid,
				     const uint32_t *extent, uint32_t d)
{
	return grid->wrap[d] && extent[d] == grid->size[d];
}

/* Return the dimensions, a bit each, that a box of these extents in cells
 * covers and that a dead link may open. */
uint32_t torus_link_map_opens(const struct torus_link_map *m, bool weak,
			      const uint32_t *extent);

/* Return the bases at which the box holds no dead link, a bitmap that stays
 * valid until the next call; NULL: every base. `prefer` is ignored. */
const uint64_t *torus_link_map_bases(struct torus_link_map *m,
				     const struct torus_link_box *box);

/*
 * From `bases`, at which the box holds no dead link, keep those with as many of
 * the preferred rings as possible. The bitmap stays valid until the next call
 * and may be `bases` itself; NULL: none. *open gets the number of preferred
 * rings that are impossible. `along` is ignored.
 */
const uint64_t *torus_link_map_rings(struct torus_link_map *m,
				     const struct torus_link_box *box,
				     const uint64_t *bases, uint32_t *open);

/* Return true if dimension d of a region that covers it is a closed ring. The
 * region must hold no other dead link. */
bool torus_link_map_closed(const struct torus_link_map *m, bool weak,
			   const struct torus_region *r, uint32_t d);

#endif
