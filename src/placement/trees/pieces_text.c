/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Partition trees as text and back, and their self check (pieces.h).
 *
 *   16, NEP, jobs of 2 at 0 and 4 at 4:   (1@0:#.#.)
 *
 * Reading repeats each split from its size and position, so a tree that no
 * sequence of jobs could have created is refused.
 */
#include "placement/trees/pieces.h"
#include "torus/text.h"

#define NONE TORUS_NO_PIECE

/* Save */

static int pieces_text_save(const struct torus_pieces *s, uint32_t id,
			    struct torus_text *text)
{
	const struct torus_piece *p = &s->piece[id];
	int rc;

	if (p->use != TORUS_PIECE_SPLIT)
		return torus_text_add(text,
				      p->use == TORUS_PIECE_FREE ? "." : "#");
	if (s->how == TORUS_PARTITION_BUDDY)
		rc = torus_text_add(text, "(");
	else
		rc = torus_text_add(text, "(%u@%u:", p->split_log,
				    p->split_base);
	for (uint32_t c = p->child; c != NONE && rc == 0;
	     c = s->piece[c].sibling)
		rc = pieces_text_save(s, c, text);
	return rc ? rc : torus_text_add(text, ")");
}

int torus_pieces_save(const void *self, struct torus_text *text)
{
	const struct torus_pieces *s = self;

	for (uint32_t id = 0; id < s->roots; id++) {
		if (pieces_text_save(s, id, text))
			return -1;
	}
	return 0;
}

/* Restore */

struct pieces_text {
	struct torus_pieces *s;
	const char *text, *p;
	struct torus_error *err;
};

static int pieces_text_wrong(const struct pieces_text *r, const char *expected)
{
	return torus_error_add(r->err,
			       "partition tree: got \"%.40s\" at character %zu: expected %s",
			       r->p, (size_t)(r->p - r->text) + 1, expected);
}

static bool pieces_text_number(struct pieces_text *r, char end, uint32_t most,
			       uint32_t *value)
{
	const char *p = r->p;

	if (!torus_text_number(&p, value) || *value > most || *p != end)
		return false;
	r->p = p + 1;
	return true;
}

/* Read what a split was made for, and split the piece in the same way. */
static int pieces_text_read_split(struct pieces_text *r, uint32_t id)
{
	struct torus_pieces *s = r->s;
	const struct torus_piece *p = &s->piece[id];
	uint32_t log = 0, node = 0, base[TORUS_MAX_DIMS];
	struct torus_region place;

	if (p->log == 0)
		return pieces_text_wrong(r,
					 "\".\" or \"#\" for a piece of one node");
	torus_coord(s->torus, torus_index(s->torus, p->region.base), base);
	if (s->how != TORUS_PARTITION_BUDDY) {
		if (!pieces_text_number(r, '@', p->log - 1, &log) ||
		    !pieces_text_number(r, ':', s->torus->nodes - 1, &node))
			return pieces_text_wrong(r, "LOG@NODE: of a split");
		torus_coord(s->torus, node, base);
		place = torus_pieces_first(s, id, (uint8_t)log);
		memcpy(place.base, base, sizeof(base));
		for (uint32_t d = 0; d < s->torus->dims; d++) {
			if (base[d] < p->region.base[d] ||
			    base[d] >= p->region.base[d] + p->region.extent[d])
				return pieces_text_wrong(r,
							 "a split inside its piece");
		}
		if (!torus_pieces_gives(s, id, (uint8_t)log, &place))
			return pieces_text_wrong(r,
						 "a split at a place of its size");
	}
	torus_pieces_split(s, id, (uint8_t)log, base);
	return 0;
}

static int pieces_text_read_piece(struct pieces_text *r, uint32_t id)
{
	struct torus_pieces *s = r->s;
	char c = *r->p;

	if (c != '.' && c != '#' && c != '(')
		return pieces_text_wrong(r, "\".\", \"#\" or \"(\"");
	r->p++;
	if (c == '#')
		s->piece[id].use = TORUS_PIECE_TAKEN;
	if (c != '(')
		return 0;
	if (pieces_text_read_split(r, id))
		return -1;
	for (uint32_t k = s->piece[id].child; k != NONE;
	     k = s->piece[k].sibling) {
		if (pieces_text_read_piece(r, k))
			return -1;
	}
	if (*r->p != ')')
		return pieces_text_wrong(r, "\")\"");
	if (torus_pieces_merges(s, id))
		return pieces_text_wrong(r, "a piece in use before the \")\"");
	r->p++;
	return 0;
}

int torus_pieces_restore(void *self, const char *text, struct torus_error *err)
{
	struct torus_pieces *s = self;
	struct pieces_text r = { .s = s, .text = text, .p = text, .err = err };

	for (uint32_t id = 0; id < s->roots; id++) {
		if (pieces_text_read_piece(&r, id))
			return -1;
	}
	return *r.p ? pieces_text_wrong(&r, "no more pieces") : 0;
}

/* Self check: the leaves partition the machine, and those taken are busy. */

struct pieces_text_audit {
	const struct torus_pieces *s;
	const uint64_t *busy;
	uint64_t nodes;
	const char *fault;
};

static void pieces_text_audit(struct pieces_text_audit *a, uint32_t id)
{
	const struct torus_piece *p = &a->s->piece[id];
	uint64_t before = a->nodes;

	if (torus_region_nodes(&p->region, a->s->torus) != UINT32_C(1) << p->log)
		a->fault = "a piece is not of its size";
	if (p->use == TORUS_PIECE_TAKEN &&
	    !torus_region_inside(&p->region, a->s->torus, a->busy))
		a->fault = "a piece is taken but its nodes are not busy";
	if (p->use != TORUS_PIECE_SPLIT) {
		a->nodes += UINT32_C(1) << p->log;
		return;
	}
	if (torus_pieces_merges(a->s, id))
		a->fault = "siblings that are all free were not merged";
	for (uint32_t c = p->child; c != NONE; c = a->s->piece[c].sibling) {
		if (a->s->piece[c].parent != id)
			a->fault = "a child does not know its parent";
		pieces_text_audit(a, c);
	}
	if (a->nodes - before != UINT32_C(1) << p->log)
		a->fault = "children do not add up to their parent";
}

bool torus_pieces_check(const void *self, const uint64_t *busy,
			struct torus_error *err)
{
	struct pieces_text_audit a = { .s = self, .busy = busy };

	for (uint32_t id = 0; id < a.s->roots; id++)
		pieces_text_audit(&a, id);
	if (a.nodes != a.s->torus->nodes)
		a.fault = "the pieces do not add up to the machine";
	if (a.fault)
		torus_error_add(err, "semitorus: %s", a.fault);
	return !a.fault;
}
