/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `semitorus-ep`, `semitorus-nep`, `semitorus-buddy`: Equal and Non-Equal
 * Partition of Mao, Chen and Watson (2005, sections 2.3 and 3), and Non-Equal
 * Partition's halves merged as a buddy system, which is ours.
 *
 * The machine is divided once into semitori whose sizes are powers of two
 * (pieces.h). A job for m nodes, rounded up to a power of two, takes the
 * smallest free piece that holds it (or the largest: option `identify`), the
 * lowest first. A larger piece is split, and the job's part is converted to a
 * torus (pieces.h; option `convert`).
 *
 * A shape is served if converting a place of exactly its volume gives rings of
 * the requested lengths, in any order if the job may be turned. Pinned axes
 * require the extents as they are, without folding. Only places that the empty
 * machine would give are ever given. Any other request is NEVER, with the
 * possible alternatives.
 *
 * Cost: find O(free pieces x region). Memory: at most 2 x nodes pieces.
 */
#include <stdio.h>

#include "placement/trees/pieces.h"
#include "placement/orient.h"
#include "placement/strategies.h"
#include "torus/alloc.h"

struct semitorus {
	struct torus_pieces tree; /* first: pieces.h takes a pointer to it */
	const char *name;         /* for messages */
	enum torus_convert convert;
	bool largest_first;
};

static const struct torus_option_help help[] = {
	{ "identify", "smallest|largest", "smallest",
	  "which of the free pieces that are large enough a job takes" },
	{ "convert", "combine|pair", "combine",
	  "how open dimensions become rings: all in one, or each with a closed one" },
	{ 0 },
};

static int semitorus_supports(const struct torus_strategy *strategy,
			      const struct torus *t, struct torus_error *why)
{
	uint32_t odd = 0;

	for (uint32_t d = 0; d < t->dims; d++)
		odd += (t->size[d] & (t->size[d] - 1)) != 0;
	if (odd > 1)
		return torus_error_add(why,
				       "%s: %s has %u dimensions whose size is no power of two; at most one may be",
				       strategy->name, t->name, odd);
	return 0;
}

static void semitorus_destroy(void *self)
{
	if (self)
		torus_pieces_free(self);
	torus_free(self);
}

static void *semitorus_create(const char *name, const struct torus *t,
			      enum torus_partition how,
			      const struct torus_options *options)
{
	struct semitorus *s = torus_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->name = name;
	s->largest_first = torus_options_is(options, "identify", "largest");
	if (torus_options_is(options, "convert", "pair"))
		s->convert = TORUS_CONVERT_PAIR;
	if (torus_pieces_init(&s->tree, t, how) == 0)
		return s;
	semitorus_destroy(s);
	return NULL;
}

/* Whether a place serves an ask */

/* Return the lowest axis of the ask that ring a can be and that is not in
 * `used`. */
static uint32_t semitorus_match_axis(const struct torus_ask *ask, uint32_t used,
				     uint32_t size, bool closed)
{
	for (uint32_t b = 0; b < ask->shape.axes; b++) {
		if (!(used >> b & 1) && ask->shape.extent[b] == size &&
		    (closed || ask->connection[b] != TORUS_CONN_TORUS))
			return b;
	}
	return TORUS_MAX_DIMS;
}

/* Number the rings by the axes that they match. */
static bool semitorus_match_rings(const struct torus *t,
				  const struct torus_ask *ask,
				  struct torus_placement *place)
{
	uint32_t size[TORUS_MAX_DIMS], axis[TORUS_MAX_DIMS], used = 0;
	uint8_t ring = 0;

	if (place->axes != ask->shape.axes)
		return false;
	torus_fold_sizes(t, place, size);
	for (uint32_t a = 0; a < place->axes; a++) {
		bool closed = place->ring >> a & 1;
		uint32_t b = semitorus_match_axis(ask, used, size[a], closed);

		if (b == TORUS_MAX_DIMS)
			return false;
		axis[a] = b;
		used |= 1u << b;
		ring |= (uint8_t)((unsigned)closed << b);
	}
	for (uint32_t d = 0; d < t->dims; d++) {
		int8_t *a = &place->orientation.axis[d];

		if (*a >= 0)
			*a = (int8_t)axis[*a];
	}
	place->ring = ring;
	return true;
}

/* Axis i lies along dimension i, dimensions without an axis have extent 1. */
static bool semitorus_match_pinned(const struct torus *t,
				   const struct torus_ask *ask,
				   struct torus_placement *place)
{
	struct torus_orientation *o = &place->orientation;

	o->folded = false;
	for (uint32_t d = 0; d < t->dims; d++) {
		bool axis = d < ask->shape.axes;

		if (place->region.extent[d] != (axis ? ask->shape.extent[d] : 1))
			return false;
		if (axis && ask->connection[d] == TORUS_CONN_TORUS &&
		    !torus_region_closed(&place->region, t, d))
			return false;
		o->axis[d] = axis ? (int8_t)d : -1;
	}
	torus_orient_finish(t, ask, place);
	return ask->shape.axes <= t->dims;
}

/* Return true, and fill *place, if a place with this region serves. */
static bool semitorus_can_serve(const struct semitorus *s,
				const struct torus_ask *ask,
				const struct torus_region *r,
				struct torus_placement *place)
{
	const struct torus *t = s->tree.torus;
	struct torus_placement p = { .region = *r };

	p.granted = torus_region_nodes(r, t);
	torus_fold(t, s->convert, &p);
	if (ask->by_count) {
		if (ask->connection[0] == TORUS_CONN_TORUS &&
		    p.ring != (1u << p.axes) - 1)
			return false;
	} else if (ask->rotate ? !semitorus_match_rings(t, ask, &p) :
				 !semitorus_match_pinned(t, ask, &p)) {
		return false;
	}
	*place = p;
	return true;
}

/* Finding */

struct semitorus_choice {
	const struct semitorus *s;
	const struct torus_ask *ask;
	const uint64_t *usable;
	uint8_t log;
	uint32_t id; /* best piece so far, or TORUS_NO_PIECE */
	struct torus_placement place;
};

/* Return true if piece p is better than the best so far. */
static bool semitorus_is_better(const struct semitorus_choice *c,
				const struct torus_piece *p)
{
	const struct torus_piece *b;

	if (c->id == TORUS_NO_PIECE)
		return true;
	b = &c->s->tree.piece[c->id];
	if (b->log != p->log)
		return c->s->largest_first ? p->log > b->log : p->log < b->log;
	return p->offset < b->offset;
}

/* Search the subtree of a piece. */
static void semitorus_choose(struct semitorus_choice *c, uint32_t id)
{
	const struct torus_pieces *tree = &c->s->tree;
	const struct torus_piece *p = &tree->piece[id];
	struct torus_placement place;
	struct torus_region r;

	if (torus_search_limit_spend(c->ask->limit, 16))
		return;
	if (p->use == TORUS_PIECE_SPLIT) {
		for (uint32_t k = p->child; k != TORUS_NO_PIECE;
		     k = tree->piece[k].sibling)
			semitorus_choose(c, k);
		return;
	}
	if (p->use == TORUS_PIECE_TAKEN || p->log < c->log ||
	    !semitorus_is_better(c, p))
		return;
	r = torus_pieces_first(tree, id, c->log);
	if (!semitorus_can_serve(c->s, c->ask, &r, &place) ||
	    !torus_pieces_narrow(tree, id, c->log, c->usable, c->ask, &r))
		return;
	c->id = id;
	c->place = place;
	c->place.region = r; /* r has the same extents */
}

/* Return true if a semitorus of this many nodes exists. */
static bool semitorus_piece_size(const struct semitorus *s, uint64_t nodes)
{
	return nodes <= UINT64_C(1) << s->tree.largest;
}

/* Return true if the empty machine would serve the ask. */
static bool semitorus_possible(const struct semitorus *s,
			       const struct torus_ask *ask, uint8_t log)
{
	struct torus_placement place;

	for (uint32_t id = 0; id < s->tree.roots; id++) {
		struct torus_region r;

		/* a root may be split now; the resulting place is the same */
		if (s->tree.piece[id].log < log)
			continue;
		r = torus_pieces_first(&s->tree, id, log);
		if (semitorus_can_serve(s, ask, &r, &place))
			return true;
	}
	return false;
}

static uint8_t semitorus_log2_up(uint64_t n)
{
	uint8_t log = 0;

	while ((UINT64_C(1) << log) < n)
		log++;
	return log;
}

/* List the tori of 2^log nodes, as text: 8x2 or 4x4. */
static void semitorus_list_tori(const struct semitorus *s, uint8_t log,
				char *text, size_t size)
{
	char shape[96];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t id = 0; id < s->tree.roots; id++) {
		struct torus_placement place = { 0 };
		struct torus_shape torus = { 0 };

		if (s->tree.piece[id].log < log)
			continue;
		place.region = torus_pieces_first(&s->tree, id, log);
		torus_fold(s->tree.torus, s->convert, &place);
		torus.axes = place.axes;
		torus_fold_sizes(s->tree.torus, &place, torus.extent);
		torus_shape_format(&torus, shape, sizeof(shape));
		if (strstr(text, shape) || used + strlen(shape) + 8 > size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 used ? " or " : "", shape);
	}
}

static enum torus_answer semitorus_refuse(const struct semitorus *s,
					  const struct torus_ask *ask,
					  uint64_t nodes,
					  struct torus_error *why)
{
	const char *machine = s->tree.torus->name;
	char shape[96], tori[256];
	unsigned long long whole;

	if (!why)
		return TORUS_NEVER;
	if (!semitorus_piece_size(s, nodes)) {
		torus_error_add(
			why,
			"%llu nodes: the largest semitorus of %s has only %llu",
			(unsigned long long)(ask->by_count ?
						     torus_ask_count(ask) :
						     torus_ask_cell_nodes(ask,
									  nodes)),
			machine,
			(unsigned long long)
				torus_ask_cell_nodes(ask,
						     UINT64_C(1)
							     << s->tree.largest));
		return TORUS_NEVER;
	}
	semitorus_list_tori(s, semitorus_log2_up(nodes), tori, sizeof(tori));
	if (ask->by_count) {
		torus_error_add(why,
				"%s has no semitorus of %u nodes that closes in every dimension (%s)",
				machine, torus_ask_count(ask), tori);
		return TORUS_NEVER;
	}
	torus_shape_format(&ask->shape, shape, sizeof(shape));
	whole = (unsigned long long)torus_ask_cell_nodes(ask, nodes);
	if (UINT64_C(1) << semitorus_log2_up(nodes) != nodes)
		torus_error_add(why,
				"%s: %s on %s allocates powers of two, and %llu is not one; ask for %llu",
				shape, s->name, machine, whole, whole);
	else
		torus_error_add(why,
				"%s: %s on %s allocates %llu nodes as %s; ask for that%s or for %llu",
				shape, s->name, machine, whole, tori,
				ask->rotate ? "" : " without --no-rotate",
				whole);
	return TORUS_NEVER;
}

static enum torus_answer semitorus_find(void *self, const struct torus_ask *ask,
					const uint64_t *usable,
					struct torus_placement *out,
					struct torus_error *why)
{
	struct semitorus_choice c = {
		.s = self, .ask = ask, .usable = usable, .id = TORUS_NO_PIECE
	};
	/* cells of its torus: of a shape, each is a vertex */
	uint64_t nodes = ask->by_count ? ask->count :
					 torus_shape_volume(&ask->shape);

	if (!semitorus_piece_size(c.s, nodes))
		return semitorus_refuse(c.s, ask, nodes, why);
	c.log = semitorus_log2_up(nodes);
	if ((!ask->by_count && UINT64_C(1) << c.log != nodes) ||
	    !semitorus_possible(c.s, ask, c.log))
		return semitorus_refuse(c.s, ask, nodes, why);
	for (uint32_t id = 0; id < c.s->tree.roots; id++)
		semitorus_choose(&c, id);
	if (c.id == TORUS_NO_PIECE)
		return TORUS_NOT_NOW;
	*out = c.place;
	return TORUS_FITS;
}

/* The places at a base: of the piece that is free there, if splitting it gives one. */
struct semitorus_listing {
	const struct semitorus *s;
	const struct torus_ask *ask;
	const uint64_t *usable;
	uint8_t log;
};

static bool semitorus_list_at(void *self, const uint32_t *base,
			      bool (*emit)(void *arg,
					   const struct torus_placement *place),
			      void *arg)
{
	const struct semitorus_listing *l = self;
	const struct torus_pieces *tree = &l->s->tree;
	uint32_t id = torus_pieces_leaf(tree, base);
	struct torus_placement place;
	struct torus_region r;

	if (torus_search_limit_spend(l->ask->limit, 16))
		return false;
	if (tree->piece[id].use == TORUS_PIECE_TAKEN ||
	    tree->piece[id].log < l->log)
		return true;
	r = torus_pieces_at(tree, id, l->log, base);
	if (torus_index(tree->torus, r.base) != torus_index(tree->torus, base) ||
	    !torus_region_inside(&r, tree->torus, l->usable) ||
	    !semitorus_can_serve(l->s, l->ask, &r, &place))
		return true;
	return emit(arg, &place);
}

static void semitorus_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	struct semitorus_listing l = { .s = self, .ask = ask, .usable = usable };
	uint64_t nodes = ask->by_count ? ask->count :
					 torus_shape_volume(&ask->shape);
	const struct torus_places places = { .torus = l.s->tree.torus,
					     .at = semitorus_list_at,
					     .self = &l };

	l.log = semitorus_log2_up(nodes);
	if (semitorus_piece_size(l.s, nodes) &&
	    (ask->by_count || UINT64_C(1) << l.log == nodes) &&
	    semitorus_possible(l.s, ask, l.log))
		torus_orient_list(&places, each, arg);
}

/* The three descriptors differ in name and partition only. */
#define SEMITORUS(id, NAME, SUMMARY, SOURCE, HOW)                              \
	static void *id##_create(const struct torus *t,                        \
				 const uint64_t *present,                      \
				 const struct torus_options *options)          \
	{                                                                      \
		(void)present; /* cells without a node are never usable */     \
		return semitorus_create(NAME, t, HOW, options);                \
	}                                                                      \
	const struct torus_strategy torus_strategy_semitorus_##id = {          \
		.name = NAME,                                                  \
		.summary = SUMMARY,                                            \
		.source = SOURCE,                                              \
		.options = help,                                               \
		.supports = semitorus_supports,                                \
		.create = id##_create,                                         \
		.destroy = semitorus_destroy,                                  \
		.find = semitorus_find,                                        \
		.lists_only = true,                                            \
		.find_all = semitorus_find_all,                                \
		.commit = torus_pieces_commit,                                 \
		.release = torus_pieces_release,                               \
		.undo_commit = torus_pieces_undo_commit,                       \
		.undo_release = torus_pieces_undo_release,                     \
		.knows = torus_pieces_knows,                                   \
		.save = torus_pieces_save,                                     \
		.restore = torus_pieces_restore,                               \
		.check = torus_pieces_check,                                   \
	}

#define MAO "Mao, Chen, Watson 2005, sections 2.3 and 3"

SEMITORUS(ep, "semitorus-ep",
	  "powers of two by Equal Partition, folded into toruses", MAO,
	  TORUS_PARTITION_EP);
SEMITORUS(nep, "semitorus-nep",
	  "powers of two by Non-Equal Partition, folded into toruses", MAO,
	  TORUS_PARTITION_NEP);
SEMITORUS(buddy, "semitorus-buddy", "the same, halves merging as a buddy system",
	  "own, after Mao, Chen, Watson", TORUS_PARTITION_BUDDY);
