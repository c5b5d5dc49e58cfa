/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `semitorus-nep`: the Non-Equal Partition of Mao, Chen and Watson (2005,
 * sections 2.3 and 3).
 *
 * The machine is cut once into semitori whose sizes are powers of two. A job
 * for m nodes (rounded up to a power of two) takes the smallest free piece
 * that holds it, the lowest first. A larger piece is halved along its last
 * dimension in ascending order of size until that is exhausted, then along
 * the one before, and so on, until a half has m nodes:
 *
 *   2x4x4x8, m = 16:   [2x4x2] 2x4x2 | 2x4x4 | 2x4x4x2 | 2x4x4x4
 *                         job     m      2m       4m        8m
 *
 * The halves left over are the job's siblings. When all siblings are free
 * again they become their parent (not a buddy system: a sibling merges with
 * all of them or with none).
 *
 * The job's piece is turned into a torus: every closed dimension is a ring,
 * the open ones together form one ring (two or more of them), and a single
 * open one is folded with a closed one where there is one.
 *
 * With nodes that may not be used, the half that still holds a usable place
 * of m nodes is the one that is halved further (the lower one if both do).
 *
 * Cost: find O(free pieces x region); commit and release O(depth x pieces
 * per split). Memory: at most 2 x nodes pieces.
 */
#include <errno.h>
#include <stdio.h>

#include "placement/strategies.h"
#include "torus/alloc.h"

#define NONE UINT32_MAX

enum piece_use { PIECE_FREE, PIECE_SPLIT, PIECE_TAKEN };

struct piece {
	struct torus_region region;
	uint32_t parent, child, sibling; /* tree links, NONE at the ends */
	uint32_t offset;                 /* order of pieces: nodes before it */
	uint8_t use;                     /* enum piece_use */
	uint8_t log;                     /* log2 of its nodes */
	/* The latest split: size of the job's piece and where it lay. Kept
	 * after the merge, for undo. */
	uint8_t split_log;
	uint32_t split_base; /* node index */
};

struct semitorus {
	const struct torus *torus;
	struct piece *piece;
	uint32_t pieces;
	uint32_t *idle;  /* stack of unused pieces */
	uint32_t idles;
	uint32_t roots;  /* pieces 0 .. roots-1 */
	uint8_t largest; /* log2 of the largest root */
};

static bool is_pow2(uint32_t n)
{
	return n && !(n & (n - 1));
}

static uint8_t log2_up(uint32_t n)
{
	uint8_t log = 0;

	while ((UINT32_C(1) << log) < n)
		log++;
	return log;
}

static int nep_supports(const struct torus *t,
			const struct torus_options *options,
			struct torus_error *why)
{
	uint32_t odd = 0;

	if (t->flat)
		return torus_error_add(why, "semitorus-nep: %s has no topology (flat)",
				       t->name);
	for (uint32_t d = 0; d < t->dims; d++)
		odd += !is_pow2(t->size[d]);
	if (odd > 1)
		return torus_error_add(why, "semitorus-nep: %s has %u dimensions whose size is no power of two; at most one may be",
				       t->name, odd);
	return torus_options_check(options, NULL, "semitorus-nep", why);
}

/* Pieces */

static uint32_t new_piece(struct semitorus *s, const struct torus_region *r,
			  uint32_t parent, uint32_t offset, uint8_t log)
{
	uint32_t id = s->idle[--s->idles];
	struct piece *p = &s->piece[id];

	p->region = *r;
	p->parent = parent;
	p->child = p->sibling = NONE;
	p->offset = offset;
	p->use = PIECE_FREE;
	p->log = log;
	return id;
}

/* The semitori that the machine falls into: its odd dimension is cut into
 * powers of two, the largest first. */
static void cut_machine(struct semitorus *s)
{
	const struct torus *t = s->torus;
	struct torus_region r;
	uint32_t odd = 0, left, at = 0, offset = 0;

	torus_region_whole(&r, t);
	for (uint32_t d = 0; d < t->dims; d++) {
		if (!is_pow2(t->size[d]))
			odd = d;
	}
	for (left = t->size[odd]; left; left -= r.extent[odd]) {
		uint32_t nodes;

		r.base[odd] = at;
		r.extent[odd] = UINT32_C(1) << (31 - __builtin_clz(left));
		nodes = torus_region_nodes(&r, t);
		new_piece(s, &r, NONE, offset, log2_up(nodes));
		if (s->piece[s->roots].log > s->largest)
			s->largest = s->piece[s->roots].log;
		s->roots++;
		at += r.extent[odd];
		offset += nodes;
	}
}

static void nep_destroy(void *self)
{
	struct semitorus *s = self;

	if (!s)
		return;
	torus_free(s->piece);
	torus_free(s->idle);
	torus_free(s);
}

static struct semitorus *allocate(const struct torus *t)
{
	struct semitorus *s = torus_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->torus = t;
	s->pieces = 2 * t->nodes;
	s->piece = torus_alloc(s->pieces, sizeof(*s->piece));
	s->idle = torus_alloc(s->pieces, sizeof(*s->idle));
	if (s->piece && s->idle)
		return s;
	nep_destroy(s);
	return NULL;
}

static void *nep_create(const struct torus *t, const uint64_t *present,
			const struct torus_options *options)
{
	struct semitorus *s = allocate(t);

	(void)present; /* cells without a node are never usable */
	(void)options;
	if (!s)
		return NULL;
	for (uint32_t id = s->pieces; id-- > 0;)
		s->idle[s->idles++] = id;
	cut_machine(s);
	return s;
}

static void *nep_copy(const void *self)
{
	const struct semitorus *of = self;
	struct semitorus *s = allocate(of->torus);

	if (!s)
		return NULL;
	memcpy(s->piece, of->piece, of->pieces * sizeof(*s->piece));
	memcpy(s->idle, of->idle, of->pieces * sizeof(*s->idle));
	s->idles = of->idles;
	s->roots = of->roots;
	s->largest = of->largest;
	return s;
}

/* Splitting */

/* The dimension to halve next: the last in ascending order of the sizes that
 * the piece had before its first halving (`whole`), unless exhausted. */
static uint32_t halve_next(const struct semitorus *s,
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

/*
 * Is there a usable place of 2^log nodes in r, by further halving? *r becomes
 * that place, the lower half being tried first.
 */
static bool narrow(const struct semitorus *s, const struct torus_region *whole,
		   struct torus_region *r, uint8_t have, uint8_t log,
		   const uint64_t *usable)
{
	uint32_t d;

	if (have == log)
		return torus_region_inside(r, s->torus, usable);
	d = halve_next(s, whole, r);
	for (uint32_t half = 0; half < 2; half++) {
		struct torus_region part = *r;

		part.extent[d] /= 2;
		part.base[d] += half * part.extent[d];
		if (narrow(s, whole, &part, have - 1, log, usable)) {
			*r = part;
			return true;
		}
	}
	return false;
}

static bool holds_base(const struct torus_region *r, const uint32_t *base,
		       uint32_t dims)
{
	for (uint32_t d = 0; d < dims; d++) {
		if (base[d] < r->base[d] || base[d] >= r->base[d] + r->extent[d])
			return false;
	}
	return true;
}

/* Halve *r towards the place at `base`; the other half goes to *rest. */
static void halve_towards(const struct semitorus *s,
			  const struct torus_region *whole,
			  struct torus_region *r, struct torus_region *rest,
			  const uint32_t *base)
{
	uint32_t d = halve_next(s, whole, r);

	r->extent[d] /= 2;
	*rest = *r;
	if (base[d] >= r->base[d] + r->extent[d])
		r->base[d] += r->extent[d];
	else
		rest->base[d] += r->extent[d];
}

/* The place of 2^log nodes that halving towards `base` ends at. */
static struct torus_region halved_place(const struct semitorus *s,
					const struct piece *p, uint8_t log,
					const uint32_t *base)
{
	struct torus_region r = p->region, rest;

	for (uint8_t have = p->log; have > log; have--)
		halve_towards(s, &p->region, &r, &rest, base);
	return r;
}

/* Split a free piece by its split_log and split_base: the job's piece becomes
 * the first child, then come the halves of m, 2m, 4m ... nodes. */
static void split(struct semitorus *s, uint32_t id)
{
	struct piece *p = &s->piece[id];
	struct torus_region r = p->region, rest[32];
	uint32_t base[TORUS_MAX_DIMS], *link = &p->child;
	uint8_t log = p->split_log;

	torus_coord(s->torus, p->split_base, base);
	for (uint8_t have = p->log; have > log; have--)
		halve_towards(s, &p->region, &r, &rest[have - 1], base);
	p->use = PIECE_SPLIT;
	*link = new_piece(s, &r, id, p->offset, log);
	for (uint8_t k = log; k < p->log; k++) {
		link = &s->piece[*link].sibling;
		*link = new_piece(s, &rest[k], id,
				  p->offset + (UINT32_C(1) << k), k);
	}
}

/* The piece becomes free; its children go back to the stack so that split()
 * takes the same ones again. */
static void unsplit(struct semitorus *s, uint32_t id)
{
	struct piece *p = &s->piece[id];
	uint32_t child[33], n = 0;

	for (uint32_t c = p->child; c != NONE; c = s->piece[c].sibling)
		child[n++] = c;
	while (n > 0)
		s->idle[s->idles++] = child[--n];
	p->child = NONE;
	p->use = PIECE_FREE;
}

/* The leaf (free or taken) that holds a node. */
static uint32_t leaf_at(const struct semitorus *s, const uint32_t *base)
{
	uint32_t id = 0;

	while (!holds_base(&s->piece[id].region, base, s->torus->dims))
		id++;
	while (s->piece[id].use == PIECE_SPLIT) {
		id = s->piece[id].child;
		while (!holds_base(&s->piece[id].region, base, s->torus->dims))
			id = s->piece[id].sibling;
	}
	return id;
}

/* Finding */

/* The best free piece so far. */
struct choice {
	uint32_t id;
	bool rings; /* every axis must be a ring */
	struct torus_region place;
};

/* Turn a semitorus into a torus: which dimensions form which ring. */
static void convert(const struct torus *t, struct torus_placement *place)
{
	uint32_t open[TORUS_MAX_DIMS], opens = 0, partner = NONE, rings = 0;
	struct torus_orientation *o = &place->orientation;
	int8_t open_ring = -1;

	memset(o->axis, -1, sizeof(o->axis));
	for (uint32_t d = 0; d < t->dims; d++) {
		if (!torus_region_closed(&place->region, t, d))
			open[opens++] = d;
		else if (place->region.extent[d] > 1)
			partner = d;
	}
	o->folded = opens > 1 || (opens == 1 && partner != NONE);
	for (uint32_t d = 0; d < t->dims; d++) {
		bool joins = !torus_region_closed(&place->region, t, d) ||
			     (opens == 1 && d == partner);

		if (place->region.extent[d] == 1)
			continue;
		if (joins && open_ring >= 0) {
			o->axis[d] = open_ring;
			continue;
		}
		if (joins)
			open_ring = (int8_t)rings;
		o->axis[d] = (int8_t)rings++;
	}
	place->axes = rings ? rings : 1;
	place->ring = (uint8_t)((1u << place->axes) - 1);
	if (opens == 1 && !o->folded)
		place->ring &= (uint8_t)~(1u << o->axis[open[0]]);
}

/* Does the place become a torus of rings only? */
static bool all_rings(const struct torus *t, const struct torus_region *r)
{
	struct torus_placement place = { .region = *r };

	convert(t, &place);
	return place.ring == (1u << place.axes) - 1;
}

/* Look through the subtree for a smaller, then lower, piece. */
static void choose(const struct semitorus *s, uint32_t id, uint8_t log,
		   const uint64_t *usable, struct choice *best)
{
	const struct piece *p = &s->piece[id];
	struct torus_region r = p->region;

	if (p->use == PIECE_SPLIT) {
		for (uint32_t c = p->child; c != NONE; c = s->piece[c].sibling)
			choose(s, c, log, usable, best);
		return;
	}
	if (p->use == PIECE_TAKEN || p->log < log)
		return;
	if (best->id != NONE) {
		const struct piece *b = &s->piece[best->id];

		if (b->log < p->log ||
		    (b->log == p->log && b->offset < p->offset))
			return;
	}
	if (!narrow(s, &p->region, &r, p->log, log, usable) ||
	    (best->rings && !all_rings(s->torus, &r)))
		return;
	best->id = id;
	best->place = r;
}

/* Does the empty machine hold a torus of 2^log nodes? */
static bool ever_rings(const struct semitorus *s, uint8_t log)
{
	for (uint32_t id = 0; id < s->roots; id++) {
		const struct piece *p = &s->piece[id];
		struct torus_region r;

		if (p->log < log)
			continue;
		r = halved_place(s, p, log, p->region.base);
		if (all_rings(s->torus, &r))
			return true;
	}
	return false;
}

static enum torus_answer refuse(const struct semitorus *s,
				const struct torus_ask *ask,
				struct torus_error *why)
{
	if (!ask->by_count)
		torus_error_add(why, "semitorus-nep gives node counts, not shapes; ask for %llu",
				(unsigned long long)torus_ask_nodes(ask));
	else if (ask->count <= UINT32_C(1) << s->largest)
		torus_error_add(why, "%u nodes: no such semitorus of %s closes in every dimension",
				ask->count, s->torus->name);
	else
		torus_error_add(why, "%u nodes: the largest semitorus of %s has %u",
				ask->count, s->torus->name,
				UINT32_C(1) << s->largest);
	return TORUS_NEVER;
}

static enum torus_answer nep_find(void *self, const struct torus_ask *ask,
				  const uint64_t *usable,
				  struct torus_placement *out,
				  struct torus_error *why)
{
	struct semitorus *s = self;
	struct choice best = { .id = NONE,
			       .rings = ask->connection[0] ==
					TORUS_CONN_TORUS };
	struct torus_placement place = { 0 };
	uint8_t log;

	if (!ask->by_count || ask->count > UINT32_C(1) << s->largest)
		return refuse(s, ask, why);
	log = log2_up(ask->count);
	for (uint32_t id = 0; id < s->roots; id++)
		choose(s, id, log, usable, &best);
	if (best.id == NONE)
		return best.rings && !ever_rings(s, log) ?
			       refuse(s, ask, why) :
			       TORUS_NOT_NOW;
	place.region = best.place;
	place.granted = UINT32_C(1) << log;
	convert(s->torus, &place);
	*out = place;
	return TORUS_FITS;
}

/* Committing */

static int nep_commit(void *self, const struct torus_placement *place,
		      struct torus_memo *memo)
{
	struct semitorus *s = self;
	const struct torus_region *want = &place->region;
	uint32_t id = leaf_at(s, want->base);
	struct piece *p = &s->piece[id];
	uint8_t log = log2_up(place->granted);
	struct torus_region r;

	if (p->use == PIECE_FREE && p->log >= log) {
		r = halved_place(s, p, log, want->base);
		if (torus_region_equal(&r, want, s->torus)) {
			memo->value[0] = p->log > log;
			memo->value[1] = (uint64_t)p->split_base << 8 |
					 p->split_log;
			if (p->log > log) {
				p->split_log = log;
				p->split_base = torus_index(s->torus,
							    want->base);
				split(s, id);
				id = p->child;
			}
			s->piece[id].use = PIECE_TAKEN;
			return 0;
		}
	}
	errno = EBUSY;
	return -1;
}

static bool all_free(const struct semitorus *s, uint32_t parent)
{
	for (uint32_t c = s->piece[parent].child; c != NONE;
	     c = s->piece[c].sibling) {
		if (s->piece[c].use != PIECE_FREE)
			return false;
	}
	return true;
}

static void nep_release(void *self, const struct torus_placement *place,
			struct torus_memo *memo)
{
	struct semitorus *s = self;
	uint32_t id = leaf_at(s, place->region.base);
	uint64_t merges = 0;

	s->piece[id].use = PIECE_FREE;
	for (id = s->piece[id].parent; id != NONE && all_free(s, id);
	     id = s->piece[id].parent) {
		unsplit(s, id);
		merges++;
	}
	memo->value[0] = merges;
}

static void nep_undo_commit(void *self, const struct torus_placement *place,
			    const struct torus_memo *memo)
{
	struct semitorus *s = self;
	uint32_t id = leaf_at(s, place->region.base);

	s->piece[id].use = PIECE_FREE;
	if (memo->value[0]) {
		id = s->piece[id].parent;
		unsplit(s, id);
		/* An earlier release that can still be undone needs these. */
		s->piece[id].split_log = (uint8_t)memo->value[1];
		s->piece[id].split_base = (uint32_t)(memo->value[1] >> 8);
	}
}

/* Split again what the release merged, from the top: what was started and
 * undone since may have used the pieces below for others in between. */
static void nep_undo_release(void *self, const struct torus_placement *place,
			     const struct torus_memo *memo)
{
	struct semitorus *s = self;
	uint32_t id = leaf_at(s, place->region.base);

	for (uint64_t merges = memo->value[0]; merges > 0; merges--) {
		split(s, id);
		id = leaf_at(s, place->region.base);
	}
	s->piece[id].use = PIECE_TAKEN;
}

/* Self check: the leaves partition the machine, and those taken are busy. */

struct audit {
	const struct semitorus *s;
	const uint64_t *busy;
	uint64_t nodes;
	const char *fault;
};

static void audit(struct audit *a, uint32_t id)
{
	const struct piece *p = &a->s->piece[id];
	uint64_t before = a->nodes;

	if (torus_region_nodes(&p->region, a->s->torus) !=
	    UINT32_C(1) << p->log)
		a->fault = "a piece is not of its size";
	if (p->use == PIECE_TAKEN &&
	    !torus_region_inside(&p->region, a->s->torus, a->busy))
		a->fault = "a piece is taken but its nodes are not busy";
	if (p->use != PIECE_SPLIT) {
		a->nodes += UINT32_C(1) << p->log;
		return;
	}
	if (all_free(a->s, id))
		a->fault = "siblings that are all free were not merged";
	for (uint32_t c = p->child; c != NONE; c = a->s->piece[c].sibling) {
		if (a->s->piece[c].parent != id)
			a->fault = "a child does not know its parent";
		audit(a, c);
	}
	if (a->nodes - before != UINT32_C(1) << p->log)
		a->fault = "children do not add up to their parent";
}

static bool nep_check(const void *self, const uint64_t *busy,
		      struct torus_error *err)
{
	struct audit a = { .s = self, .busy = busy };

	for (uint32_t id = 0; id < a.s->roots; id++)
		audit(&a, id);
	if (a.nodes != a.s->torus->nodes)
		a.fault = "the pieces do not add up to the machine";
	if (a.fault)
		torus_error_add(err, "semitorus-nep: %s", a.fault);
	return !a.fault;
}

const struct torus_strategy torus_strategy_semitorus_nep = {
	.name = "semitorus-nep",
	.summary = "powers of two by Non-Equal Partition, folded into toruses",
	.source = "Mao, Chen, Watson 2005, sections 2.3 and 3",
	.counts_are_rounded = true,
	.supports = nep_supports,
	.create = nep_create,
	.destroy = nep_destroy,
	.copy = nep_copy,
	.find = nep_find,
	.commit = nep_commit,
	.release = nep_release,
	.undo_commit = nep_undo_commit,
	.undo_release = nep_undo_release,
	.check = nep_check,
};
