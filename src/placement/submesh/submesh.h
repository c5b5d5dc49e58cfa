/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of `submesh`, shared by the files submesh*.c. */
#ifndef PLACEMENT_SUBMESH_H
#define PLACEMENT_SUBMESH_H

#include "placement/submesh/erode.h"
#include "placement/state/free_boxes.h"
#include "placement/state/link_map.h"
#include "placement/submesh/score.h"
#include "torus/ask.h"
#include "torus/bits.h"
#include "torus/torus.h"

/*
 * Bases of boxes that must hold certain nodes (torus_ask.required).
 *
 * A box holds the nodes if in every dimension its interval holds their
 * coordinates. So the allowed bases are the product of one window per
 * dimension, which follows from the gaps between the coordinates:
 *
 *     . . x . x . . . .      extent 4: the interval begins at 1 or 2
 *       [ - - - ]            (with wrap also where it comes around)
 *         [ - - - ]
 *
 * Cost: O(nodes) to set the nodes; O(1) to test an extent; O(words + bases in
 * the windows) to narrow a bitmap of bases. Memory: one bitmap, and twice the
 * sum of the sizes in bits.
 */

struct torus_base_ranges {
	const struct torus *torus;
	bool any;  /* true if any node is required */
	bool open; /* a wrapped dimension that is covered whole may begin
		      anywhere: dead links can open it */
	uint32_t least[TORUS_MAX_DIMS]; /* smallest extent that holds the nodes */
	uint64_t *seen[TORUS_MAX_DIMS]; /* coordinates of the nodes */
	uint64_t *base[TORUS_MAX_DIMS]; /* allowed bases of the current box */
	uint64_t *narrowed; /* result of the latest torus_base_ranges_narrow() */
	uint64_t *memory;
};

/* t must outlive a. Return -1 with ENOMEM; call torus_base_ranges_free() in any
 * case. */
int torus_base_ranges_init(struct torus_base_ranges *a, const struct torus *t);
void torus_base_ranges_free(struct torus_base_ranges *a);

/* Set the required nodes; NULL: none. */
void torus_base_ranges_set(struct torus_base_ranges *a, const uint64_t *nodes);

/* Return true if a box with this extent along d can hold the required nodes. */
static inline bool torus_base_ranges_allows(const struct torus_base_ranges *a,
					    uint32_t d, uint32_t extent)
{
	return !a->any || extent >= a->least[d];
}

/* Return those of `bases` at which the box holds the required nodes. The bitmap
 * stays valid until the next call. It is `bases` itself if no node is required,
 * and NULL if no base is left. */
const uint64_t *torus_base_ranges_narrow(struct torus_base_ranges *a,
					 const uint32_t *extent,
					 const uint64_t *bases);

#define SUBMESH_GRANTS 64 /* grants cached by submesh_grant(), at least */
#define SUBMESH_MOST_GRANTS 512
#define SUBMESH_BOXES 12 /* number of most compact boxes stored per volume */
#define SUBMESH_ERODE_WORDS 16

/* What this machine grants for a count. */
struct submesh_grant {
	uint32_t count; /* 0: empty */
	bool closed;
	struct torus_box_limits limits;
	/* The smallest volume >= count that the empty machine holds as a box,
	 * or 0. With cells without a node this needs a search. */
	uint32_t granted;
	uint32_t next; /* a limit ended that search before this volume */
	/* The most compact boxes of that volume (factor.h). */
	uint32_t boxes;
	uint32_t box[SUBMESH_BOXES][TORUS_MAX_DIMS];
};

struct submesh {
	const struct torus *torus;
	const uint64_t *present; /* NULL: all */
	uint32_t words;
	struct torus_erode *erode;
	struct torus_base_ranges around; /* required nodes of the current search */
	struct torus_link_map *links;    /* links whose dead ones the box must
					 not contain; NULL: none is dead */
	bool weak;                       /* weak links are accepted */
	struct torus_score *score;
	uint64_t *level[TORUS_MAX_DIMS + 1]; /* bases after the dimensions below */
	uint64_t *spare[2];
	uint64_t *memory;
	struct submesh_grant *grant;
	uint32_t grant_bits; /* log2 of the number of grants */
	bool most_limited;   /* a limit has ended the search for `most` */
	uint32_t most; /* no box of cells with nodes has more cells; 0: unknown */
};

/* Set the links of the ask for the next search; NULL: none. */
static inline void submesh_set_links(struct submesh *s,
				     const struct torus_ask *ask)
{
	s->links = ask ? ask->links : NULL;
	s->weak = ask && ask->weak;
}

static inline bool submesh_erode(struct submesh *s, uint32_t d, uint32_t have,
				 uint32_t want, const uint64_t *in)
{
	uint64_t *result = s->spare[0];
	bool any = torus_erode_runs(s->erode, d, have, want, in, result,
				    s->spare[1]);

	s->spare[0] = s->level[d + 1];
	s->level[d + 1] = result;
	return any;
}

/* submesh_lengthen() from 1 cell where links are dead (submesh.c). */
bool submesh_lengthen_linked(struct submesh *s, uint32_t d, const uint32_t *box,
			     const uint64_t *in);

/* Keep those bases of *in at which a box has no dead link along these
 * dimensions (link_map.h), in level[0]. Return whether any is left. */
bool submesh_take_links(struct submesh *s, const uint32_t *extent,
			uint32_t along, const uint64_t **in);

/* The same for the links within a cell. */
bool submesh_take_cells(struct submesh *s, const uint64_t **in);

/*
 * Lengthen the boxes in `in` from have to box[d] cells along d. The result is
 * in level[d + 1]; in may be that same bitmap. box: the extents below d, and
 * above it the extents that `in` has already. Return whether any is left.
 */
static inline bool submesh_lengthen(struct submesh *s, uint32_t d, uint32_t have,
				    const uint32_t *box, const uint64_t *in)
{
	uint32_t shared = s->links ? 1 : 0;

	if (shared == have)
		return submesh_lengthen_linked(s, d, box, in);
	/* boxes that share a cell have the links between their cells */
	return submesh_erode(s, d, have - shared, box[d] - shared, in);
}

/*
 * Return the free boxes from which a search takes the bases without erosion;
 * NULL if there are none, if links are dead, or if the bitmap is so small that
 * erosion is faster.
 */
static inline const struct torus_free_boxes *
submesh_exact_boxes(const struct submesh *s, const struct torus_ask *ask)
{
	return ask->boxes_exact && !ask->links &&
			       s->words > SUBMESH_ERODE_WORDS ?
		       ask->boxes :
		       NULL;
}

/* Return the bases of a box in `usable`, whose nodes are exactly those of the
 * free boxes. The bitmap stays valid until the next call. */
const uint64_t *submesh_box_bases(struct submesh *s,
				  const struct torus_free_boxes *exact,
				  const uint32_t *extent,
				  const uint64_t *usable);

/* find() for a shape (submesh_shape.c) and for a count (submesh_count.c). */
enum torus_answer submesh_find_shape(struct submesh *s,
				     const struct torus_ask *ask,
				     const uint64_t *usable,
				     struct torus_placement *out,
				     struct torus_error *why);
enum torus_answer submesh_find_count(struct submesh *s,
				     const struct torus_ask *ask,
				     const uint64_t *usable,
				     struct torus_placement *out,
				     struct torus_error *why);

/* Return what a count is granted; valid until the next call. granted is 0 also
 * if ask->limit ended the search. Required nodes are ignored. */
const struct submesh_grant *submesh_grant(struct submesh *s,
					  const struct torus_ask *ask);

#endif
