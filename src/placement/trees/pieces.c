/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Partition trees (pieces.h).
 *
 * Preprocessing (section 2.3): the one dimension whose size is no power of two
 * is cut into powers of two, the largest first. Each part is a root.
 *
 *  A split records what it was made for (size and position of the job's piece),
 * so that a merge can be undone: the same split produces the same pieces again.
 *
 * If some nodes are unusable, halving goes towards the half that still holds a
 * usable place (the lower one if both do). EP takes the first usable one of its
 * equal pieces.
 *
 * Cost: commit and release O(depth x pieces per split). EP's splits make
 * piece / job pieces, the others' at most log2 of that.
 */
#include "placement/trees/pieces.h"

#include <errno.h>

#include "torus/alloc.h"

#define NONE TORUS_NO_PIECE

static uint8_t pieces_log2(uint32_t n)
{
	return (uint8_t)(31 - __builtin_clz(n));
}

static uint32_t pieces_new(struct torus_pieces *s, const struct torus_region *r,
			   uint32_t parent, uint32_t offset, uint8_t log)
{
	uint32_t id = s->idle[--s->idles];
	struct torus_piece *p = &s->piece[id];

	p->region = *r;
	p->parent = parent;
	p->child = p->sibling = NONE;
	p->offset = offset;
	p->use = TORUS_PIECE_FREE;
	p->log = log;
	return id;
}

static void pieces_cut_machine(struct torus_pieces *s)
{
	const struct torus *t = s->torus;
	struct torus_region r;
	uint32_t odd = 0, left, at = 0, offset = 0;

	torus_region_whole(&r, t);
	for (uint32_t d = 0; d < t->dims; d++) {
		if (t->size[d] & (t->size[d] - 1)) /* no power of 2 */
			odd = d;
	}
	for (left = t->size[odd]; left; left -= r.extent[odd]) {
		uint32_t nodes;

		r.base[odd] = at;
		r.extent[odd] = UINT32_C(1) << pieces_log2(left);
		nodes = torus_region_nodes(&r, t);
		pieces_new(s, &r, NONE, offset, pieces_log2(nodes));
		if (s->piece[s->roots].log > s->largest)
			s->largest = s->piece[s->roots].log;
		s->roots++;
		at += r.extent[odd];
		offset += nodes;
	}
}

void torus_pieces_free(struct torus_pieces *s)
{
	torus_free(s->piece);
	torus_free(s->idle);
}

int torus_pieces_init(struct torus_pieces *s, const struct torus *t,
		      enum torus_partition how)
{
	uint32_t pieces = 2 * t->nodes;

	*s = (struct torus_pieces){ .torus = t, .how = how };
	s->piece = torus_alloc(pieces, sizeof(*s->piece));
	s->idle = torus_alloc(pieces, sizeof(*s->idle));
	if (!s->piece || !s->idle)
		return -1;
	while (pieces > 0)
		s->idle[s->idles++] = --pieces;
	pieces_cut_machine(s);
	return 0;
}

/* Halving: NEP and buddies */

/* Return the dimension to halve next: the last in ascending order of the sizes
 * of `whole` that is not exhausted. */
static uint32_t pieces_halve_next(const struct torus_pieces *s,
				  const struct torus_region *whole,
				  const struct torus_region *r)
{
	uint32_t best = NONE;

	for (uint32_t d = 0; d < s->torus->dims; d++) {
		if (r->extent[d] > 1 &&
		    (best == NONE || whole->extent[d] >= whole->extent[best]))
			best = d;
	}
	return best;
}

/* Return the region that determines the order of halving: the piece for NEP, as
 * in the paper; the root for buddies, so that halves of halves merge again. */
static const struct torus_region *pieces_whole(const struct torus_pieces *s,
					       uint32_t id)
{
	while (s->how == TORUS_PARTITION_BUDDY && s->piece[id].parent != NONE)
		id = s->piece[id].parent;
	return &s->piece[id].region;
}

/* Halve *r towards the place at `base`; the other half goes to *other. */
static void pieces_halve_towards(const struct torus_pieces *s,
				 const struct torus_region *whole,
				 struct torus_region *r,
				 struct torus_region *other,
				 const uint32_t *base)
{
	uint32_t d = pieces_halve_next(s, whole, r);

	r->extent[d] /= 2;
	*other = *r;
	if (base[d] >= r->base[d] + r->extent[d])
		r->base[d] += r->extent[d];
	else
		other->base[d] += r->extent[d];
}

/* Return false if required nodes lie outside the region. */
static bool pieces_may_hold(const struct torus_pieces *s,
			    const struct torus_region *r,
			    const struct torus_ask *ask)
{
	return !ask->required || torus_region_holds(r, s->torus, ask->required);
}

static bool pieces_narrow_halves(const struct torus_pieces *s,
				 const struct torus_region *whole,
				 struct torus_region *r, uint8_t have,
				 uint8_t log, const uint64_t *usable,
				 const struct torus_ask *ask)
{
	uint32_t d;

	if (torus_search_limit_spend(ask->limit, 16) ||
	    !pieces_may_hold(s, r, ask))
		return false;
	if (have == log)
		return torus_region_inside(r, s->torus, usable);
	d = pieces_halve_next(s, whole, r);
	for (uint32_t half = 0; half < 2; half++) {
		struct torus_region part = *r;

		part.extent[d] /= 2;
		part.base[d] += half * part.extent[d];
		if (pieces_narrow_halves(s, whole, &part, have - 1, log, usable,
					 ask)) {
			*r = part;
			return true;
		}
	}
	return false;
}

/* Equal pieces: EP */

/*
 * Set the extents of EP's pieces: as close to each other as the sizes allow, so
 * 2 in every dimension before 4 in one. If dimensions tie, the shorter one
 * grows, because it becomes a ring sooner; then the lowest.
 */
static void pieces_equal_extents(const struct torus_pieces *s,
				 const struct torus_region *whole, uint8_t log,
				 struct torus_region *r)
{
	*r = *whole;
	for (uint32_t d = 0; d < s->torus->dims; d++)
		r->extent[d] = 1;
	for (; log > 0; log--) {
		uint32_t best = NONE;

		for (uint32_t d = 0; d < s->torus->dims; d++) {
			if (r->extent[d] == whole->extent[d])
				continue;
			if (best == NONE || r->extent[d] < r->extent[best] ||
			    (r->extent[d] == r->extent[best] &&
			     whole->extent[d] < whole->extent[best]))
				best = d;
		}
		if (best == NONE)
			return; /* log exceeds the piece's own: does not happen */
		r->extent[best] *= 2;
	}
}

/* Set the base of the i-th equal piece, row-major: last dimension fastest. r
 * has the extents. */
static void pieces_equal_base(const struct torus_pieces *s,
			      const struct torus_region *whole, uint32_t i,
			      struct torus_region *r)
{
	for (uint32_t d = s->torus->dims; d-- > 0;) {
		uint32_t n = whole->extent[d] / r->extent[d];

		r->base[d] = whole->base[d] + i % n * r->extent[d];
		i /= n;
	}
}

/* Places in a piece */

struct torus_region torus_pieces_at(const struct torus_pieces *s, uint32_t id,
				    uint8_t log, const uint32_t *base)
{
	const struct torus_piece *p = &s->piece[id];
	struct torus_region r = p->region, other;

	if (s->how != TORUS_PARTITION_EP) {
		for (uint8_t have = p->log; have > log; have--)
			pieces_halve_towards(s, pieces_whole(s, id), &r, &other,
					     base);
		return r;
	}
	pieces_equal_extents(s, &p->region, log, &r);
	for (uint32_t d = 0; d < s->torus->dims; d++)
		r.base[d] += (base[d] - r.base[d]) / r.extent[d] * r.extent[d];
	return r;
}

struct torus_region torus_pieces_first(const struct torus_pieces *s,
				       uint32_t id, uint8_t log)
{
	return torus_pieces_at(s, id, log, s->piece[id].region.base);
}

bool torus_pieces_narrow(const struct torus_pieces *s, uint32_t id, uint8_t log,
			 const uint64_t *usable, const struct torus_ask *ask,
			 struct torus_region *place)
{
	const struct torus_piece *p = &s->piece[id];

	*place = p->region;
	if (s->how != TORUS_PARTITION_EP)
		return pieces_narrow_halves(s, pieces_whole(s, id), place,
					    p->log, log, usable, ask);
	pieces_equal_extents(s, &p->region, log, place);
	for (uint32_t i = 0; i < UINT32_C(1) << (p->log - log); i++) {
		pieces_equal_base(s, &p->region, i, place);
		if (torus_search_limit_spend(ask->limit, 16))
			return false;
		if (pieces_may_hold(s, place, ask) &&
		    torus_region_inside(place, s->torus, usable))
			return true;
	}
	return false;
}

bool torus_pieces_gives(const struct torus_pieces *s, uint32_t id, uint8_t log,
			const struct torus_region *place)
{
	struct torus_region r;

	if (log > s->piece[id].log)
		return false;
	r = torus_pieces_at(s, id, log, place->base);
	return torus_region_equal(&r, place, s->torus);
}

static bool pieces_hold_base(const struct torus_region *r, const uint32_t *base,
			     uint32_t dims)
{
	for (uint32_t d = 0; d < dims; d++) {
		if (base[d] < r->base[d] || base[d] >= r->base[d] + r->extent[d])
			return false;
	}
	return true;
}

uint32_t torus_pieces_leaf(const struct torus_pieces *s, const uint32_t *base)
{
	uint32_t id = 0;

	while (!pieces_hold_base(&s->piece[id].region, base, s->torus->dims))
		id++;
	while (s->piece[id].use == TORUS_PIECE_SPLIT) {
		id = s->piece[id].child;
		while (!pieces_hold_base(&s->piece[id].region, base,
					 s->torus->dims))
			id = s->piece[id].sibling;
	}
	return id;
}

/* Splitting */

/* Create the job's piece first, then the halves of m, 2m, 4m ... nodes. */
static void pieces_split_nep(struct torus_pieces *s, uint32_t id,
			     const uint32_t *base)
{
	struct torus_piece *p = &s->piece[id];
	struct torus_region r = p->region, other[32];
	uint32_t *link = &p->child;
	uint8_t log = p->split_log;

	for (uint8_t have = p->log; have > log; have--)
		pieces_halve_towards(s, &p->region, &r, &other[have - 1], base);
	*link = pieces_new(s, &r, id, p->offset, log);
	for (uint8_t k = log; k < p->log; k++) {
		link = &s->piece[*link].sibling;
		*link = pieces_new(s, &other[k], id,
				   p->offset + (UINT32_C(1) << k), k);
	}
}

static void pieces_split_buddy(struct torus_pieces *s, uint32_t id)
{
	struct torus_piece *p = &s->piece[id];
	struct torus_region r = p->region;
	uint32_t d = pieces_halve_next(s, pieces_whole(s, id), &r), high;
	uint8_t log = p->log - 1;

	r.extent[d] /= 2;
	p->child = pieces_new(s, &r, id, p->offset, log);
	r.base[d] += r.extent[d];
	high = pieces_new(s, &r, id, p->offset + (UINT32_C(1) << log), log);
	s->piece[p->child].sibling = high;
}

/* Split the piece as it was split last. */
static void pieces_split_again(struct torus_pieces *s, uint32_t id)
{
	uint32_t base[TORUS_MAX_DIMS];

	torus_coord(s->torus, s->piece[id].split_base, base);
	s->piece[id].use = TORUS_PIECE_SPLIT;
	if (s->how == TORUS_PARTITION_EP) {
		struct torus_piece *p = &s->piece[id];
		struct torus_region r;
		uint32_t *link = &p->child;
		uint8_t log = p->split_log;

		pieces_equal_extents(s, &p->region, log, &r);
		for (uint32_t i = 0; i < UINT32_C(1) << (p->log - log); i++) {
			pieces_equal_base(s, &p->region, i, &r);
			*link = pieces_new(s, &r, id, p->offset + (i << log),
					   log);
			link = &s->piece[*link].sibling;
		}
	} else if (s->how == TORUS_PARTITION_NEP)
		pieces_split_nep(s, id, base);
	else
		pieces_split_buddy(s, id);
}

void torus_pieces_split(struct torus_pieces *s, uint32_t id, uint8_t log,
			const uint32_t *base)
{
	s->piece[id].split_log = log;
	s->piece[id].split_base = torus_index(s->torus, base);
	pieces_split_again(s, id);
}

/* Make the piece free. Its children return to the stack in an order that a
 * split takes the same ones again. */
static void pieces_unsplit(struct torus_pieces *s, uint32_t id)
{
	struct torus_piece *p = &s->piece[id];
	uint32_t n = 0, at;

	for (uint32_t c = p->child; c != NONE; c = s->piece[c].sibling)
		n++;
	at = s->idles += n;
	for (uint32_t c = p->child; c != NONE; c = s->piece[c].sibling)
		s->idle[--at] = c;
	p->child = NONE;
	p->use = TORUS_PIECE_FREE;
}

/* Committing */

int torus_pieces_commit(void *self, const struct torus_placement *place,
			struct torus_memo *memo)
{
	struct torus_pieces *s = self;
	const struct torus_region *want = &place->region;
	uint32_t id = torus_pieces_leaf(s, want->base);
	const struct torus_piece *p = &s->piece[id];
	uint8_t log = pieces_log2(place->granted);

	if (p->use != TORUS_PIECE_FREE ||
	    !torus_pieces_gives(s, id, log, want)) {
		errno = EBUSY;
		return -1;
	}
	memo->value[0] = 0;
	memo->value[1] = (uint64_t)p->split_base << 8 | p->split_log;
	for (; s->piece[id].log > log; memo->value[0]++) {
		torus_pieces_split(s, id, log, want->base);
		id = torus_pieces_leaf(s, want->base);
	}
	s->piece[id].use = TORUS_PIECE_TAKEN;
	return 0;
}

bool torus_pieces_merges(const struct torus_pieces *s, uint32_t id)
{
	for (uint32_t c = s->piece[id].child; c != NONE;
	     c = s->piece[c].sibling) {
		if (s->piece[c].use != TORUS_PIECE_FREE)
			return false;
	}
	return true;
}

void torus_pieces_release(void *self, const struct torus_placement *place,
			  struct torus_memo *memo)
{
	struct torus_pieces *s = self;
	uint32_t id = torus_pieces_leaf(s, place->region.base);
	uint64_t merges = 0;

	s->piece[id].use = TORUS_PIECE_FREE;
	for (id = s->piece[id].parent; id != NONE && torus_pieces_merges(s, id);
	     id = s->piece[id].parent) {
		pieces_unsplit(s, id);
		merges++;
	}
	memo->value[0] = merges;
}

void torus_pieces_undo_commit(void *self, const struct torus_placement *place,
			      const struct torus_memo *memo)
{
	struct torus_pieces *s = self;
	uint32_t id = torus_pieces_leaf(s, place->region.base);

	s->piece[id].use = TORUS_PIECE_FREE;
	for (uint64_t splits = memo->value[0]; splits > 0; splits--) {
		id = s->piece[id].parent;
		pieces_unsplit(s, id);
	}
	/* An earlier release that may still be undone needs these. */
	s->piece[id].split_log = (uint8_t)memo->value[1];
	s->piece[id].split_base = (uint32_t)(memo->value[1] >> 8);
}

/* Split again what the release merged, from the top: jobs started and undone
 * since then may have used the pieces below differently. */
void torus_pieces_undo_release(void *self, const struct torus_placement *place,
			       const struct torus_memo *memo)
{
	struct torus_pieces *s = self;
	uint32_t id = torus_pieces_leaf(s, place->region.base);

	for (uint64_t merges = memo->value[0]; merges > 0; merges--) {
		pieces_split_again(s, id);
		id = torus_pieces_leaf(s, place->region.base);
	}
	s->piece[id].use = TORUS_PIECE_TAKEN;
}

bool torus_pieces_knows(const void *self, const struct torus_placement *place)
{
	const struct torus_pieces *s = self;
	uint32_t id = torus_pieces_leaf(s, place->region.base);

	return s->piece[id].use == TORUS_PIECE_TAKEN &&
	       torus_region_equal(&s->piece[id].region, &place->region,
				  s->torus);
}
