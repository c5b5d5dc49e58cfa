/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh-tbl` and `submesh-bl`: Turning Busy List and Busy List of
 * Bani-Mohammad, Ould-Khaoua, Ababneh and Mackenzie (sections III and IV),
 * with the corrections that complete recognition needs: the list of allocated
 * sub-meshes in the order of their allocation, and the search of a base among the
 * other nodes.
 *
 * TBL tries the orientations abc acb bac bca cab cba; BL only abc.
 *
 * Cost of a change: O(nodes of the sub-mesh + sub-meshes). Memory: 2 x nodes boxes, a stack of
 * rectangles, three bitmaps.
 */
#include "placement/strategies.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "placement/submesh/erode.h"
#include "placement/submesh/turn.h"
#include "torus/ask.h"

#include <errno.h>
#include <stdio.h>

/* Inclusive bounds. */
struct busy_interval {
	uint32_t low, high;
};

/* What a box prohibits in the current orientation. On a ring an arc that
 * crosses the edge becomes two intervals. */
struct busy_region {
	struct busy_interval x[2], y[2], z[2];
	uint8_t xs, ys, zs;
};

/* A piece of a plane; regions before `next` are subtracted already. */
struct busy_piece {
	struct busy_interval y, z;
	uint32_t next;
};

struct busylist {
	const struct torus *torus;
	bool turning;
	uint32_t size[TURN_DIMS];
	bool wrap[TURN_DIMS];
	uint32_t words;
	struct torus_region *box; /* [0, jobs): the busy list; then other
				     unusable nodes */
	uint32_t jobs, boxes;
	uint64_t *listed; /* nodes in boxes of the busy list */
	uint64_t *others; /* scratch: other unusable nodes */
	struct busy_region *region;
	struct busy_piece *stack;
	struct torus_erode *erode;
	uint64_t *eroded[3];    /* scratch */
	struct submesh *grants; /* torus_turn_grants() */
	/* of the current search: */
	const uint64_t *usable;
	struct torus_search_limit *limit;
	bool gathered; /* `others` and their boxes are of `usable` */
};

/*
 * The detection of a base by a busy list (busylist.c).
 *
 * An allocated sub-mesh (x1..x2, y1..y2, z1..z2) prohibits the bases
 * x1-a+1..x2, y1-b+1..y2, z1-c+1..z2 for a request of a x b x c nodes. If a
 * free base exists, moving it towards lower x ends just right of an allocated
 * sub-mesh or at the left border. So only the right border planes x = x2+1 of
 * the sub-meshes (and of a border sub-mesh at x = -1) are searched: all
 * prohibited regions are subtracted from each plane.
 *
 *      y   +-------+        a prohibited region cuts at most four
 *      ^   | 1 |---+        rectangles out of a plane; what is left
 *      |   |   |XXX| 3      of the plane are bases that fit
 *      |   |   |---+
 *      +-> z   | 4 |
 *
 * Instead of the paper's 29 cases, the four rectangles are cut directly, each
 * only if it is not empty. This includes the cases that the paper misses. On an
 * open dimension planes are clipped to bases that stay inside. On a wrapped one
 * planes and regions are taken modulo the side and cut at the edge.
 *
 * Unusable nodes that belong to no listed sub-mesh (down, drained, outside a
 * partition, jobs without a shape) are merged into boxes that join the list
 * during the search.
 *
 * Recognition is complete, so a box that fits nowhere is ruled out by an erosion
 * of the usable nodes (erode.h) first; most searches of planning end there. So do
 * questions about a time when listed sub-meshes have ended.
 *
 * Cost: O(words) per orientation that fits nowhere, O(m^2) subtractions for one
 * that fits, with a list of m.
 */

/*
 * Fill the bases in dimension d at which a line of `want` nodes would meet the
 * box; on an open dimension only those that stay inside the machine. Return the
 * number of intervals.
 */
static uint8_t busylist_bases_meeting(const struct busylist *b,
				      const struct torus_region *box,
				      uint32_t d, uint32_t want,
				      struct busy_interval *interval)
{
	uint32_t n = b->size[d], length = box->extent[d] + want - 1, low;
	uint32_t high = box->base[d] + box->extent[d] - 1;

	if (!b->wrap[d]) {
		interval->low = high >= length ? high - length + 1 : 0;
		interval->high = high < n - want ? high : n - want;
		return interval->low <= interval->high;
	}
	if (length >= n) {
		*interval = (struct busy_interval){ 0, n - 1 };
		return 1;
	}
	low = (box->base[d] + n - (want - 1)) % n;
	if (low + length <= n) {
		*interval = (struct busy_interval){ low, low + length - 1 };
		return 1;
	}
	interval[0] = (struct busy_interval){ 0, low + length - 1 - n };
	interval[1] = (struct busy_interval){ low, n - 1 };
	return 2;
}

static bool busylist_covers(const struct busy_interval *interval, uint8_t n,
			    uint32_t x)
{
	for (uint8_t i = 0; i < n; i++) {
		if (x >= interval[i].low && x <= interval[i].high)
			return true;
	}
	return false;
}

static bool busylist_overlap(const struct busy_interval *a,
			     const struct busy_interval *b)
{
	return a->low <= b->high && b->low <= a->high;
}

/* Push the parts of the piece outside y and z, which overlap it. */
static uint32_t busylist_cut(struct busy_piece *stack, uint32_t top,
			     struct busy_piece p, const struct busy_interval *y,
			     const struct busy_interval *z)
{
	if (p.y.low < y->low) {
		stack[top] = p;
		stack[top++].y.high = y->low - 1;
		p.y.low = y->low;
	}
	if (p.y.high > y->high) {
		stack[top] = p;
		stack[top++].y.low = y->high + 1;
		p.y.high = y->high;
	}
	if (p.z.low < z->low) {
		stack[top] = p;
		stack[top++].z.high = z->low - 1;
	}
	if (p.z.high > z->high) {
		stack[top] = p;
		stack[top++].z.low = z->high + 1;
	}
	return top;
}

/*
 * Find the next rectangle, from region p->next on, that prohibits part of the
 * piece in plane x. Return false if there is none. On a ring a region has up to
 * four rectangles, and a piece cut by one of them meets the same region again.
 */
static bool busylist_meets(const struct busylist *b, struct busy_piece *p,
			   uint32_t x, const struct busy_interval **y,
			   const struct busy_interval **z)
{
	for (; p->next < b->boxes; p->next++) {
		const struct busy_region *r = &b->region[p->next];

		if (!busylist_covers(r->x, r->xs, x))
			continue;
		for (uint8_t i = 0; i < r->ys; i++) {
			if (!busylist_overlap(&p->y, &r->y[i]))
				continue;
			for (uint8_t k = 0; k < r->zs; k++) {
				if (!busylist_overlap(&p->z, &r->z[k]))
					continue;
				*y = &r->y[i];
				*z = &r->z[k];
				return true;
			}
		}
	}
	return false;
}

/* Subtract every region from one rectangle of plane x. Return true with a base
 * if any is left. */
static bool busylist_search_rectangle(struct busylist *b, uint32_t x,
				      const struct busy_interval *y,
				      const struct busy_interval *z,
				      uint32_t *base)
{
	uint32_t top = 0;

	b->stack[top++] = (struct busy_piece){ .y = *y, .z = *z };
	while (top > 0) {
		struct busy_piece p = b->stack[--top];
		const struct busy_interval *cut_y, *cut_z;
		uint32_t next = p.next;
		bool meets = busylist_meets(b, &p, x, &cut_y, &cut_z);

		if (torus_search_limit_spend(b->limit, p.next - next + 1))
			return false;
		if (!meets) {
			base[0] = x;
			base[1] = p.y.low;
			base[2] = p.z.low;
			return true;
		}
		top = busylist_cut(b->stack, top, p, cut_y, cut_z);
	}
	return false;
}

/* Search the right border plane of one box. */
static bool busylist_search_border(struct busylist *b, uint32_t i,
				   const uint32_t *want, uint32_t *base)
{
	const struct busy_region *r = &b->region[i];
	uint32_t x = b->box[i].base[0] + b->box[i].extent[0];

	if (b->wrap[0])
		x %= b->size[0];
	else if (x > b->size[0] - want[0])
		return false;
	for (uint8_t k = 0; k < r->ys; k++) {
		for (uint8_t m = 0; m < r->zs; m++) {
			if (busylist_search_rectangle(b, x, &r->y[k], &r->z[m],
						      base))
				return true;
		}
	}
	return false;
}

/* Return the bases at which a box of these extents fits; NULL: none, or the limit
 * ended the search. */
static const uint64_t *busylist_bases(struct busylist *b, const uint32_t *want)
{
	const uint64_t *in = b->usable;
	uint32_t eroded = 0;

	for (uint32_t d = 0; d < b->torus->dims; d++) {
		uint64_t *out = b->eroded[eroded];

		if (want[d] < 2)
			continue;
		if (torus_search_limit_spend(b->limit, b->words))
			return NULL;
		if (!torus_erode_runs(b->erode, d, 1, want[d], in, out,
				      b->eroded[2]))
			return NULL;
		in = out;
		eroded = 1 - eroded;
	}
	return torus_bits_next(in, b->words, 0) == UINT32_MAX ? NULL : in;
}

/* Find a base for a box of these extents among b->usable (torus_turn.detect). */
static bool busylist_detect(void *self, const uint32_t *want,
			    const uint64_t *bases, uint32_t *base)
{
	struct busylist *b = self;
	struct busy_interval y = { 0, b->size[1] - 1 },
			     z = { 0, b->size[2] - 1 };
	const uint64_t *fit;
	uint32_t from = 0;

	(void)bases;
	fit = busylist_bases(b, want);
	if (!fit)
		return false;
	/* a question about another time, when listed sub-meshes have ended: only
	 * whether it fits counts */
	if (torus_bits_meet(b->usable, b->listed, b->words)) {
		torus_coord(b->torus, torus_bits_next(fit, b->words, 0), base);
		return true;
	}
	if (!b->gathered) {
		b->gathered = true;
		b->boxes = b->jobs;
		torus_bits_zero(b->others, b->words);
		torus_bits_set_range(b->others, 0, b->torus->nodes);
		torus_bits_andnot(b->others, b->usable, b->words);
		torus_bits_andnot(b->others, b->listed, b->words);
		while (torus_region_carve(b->torus, b->others, &from,
					  &b->box[b->boxes]))
			b->boxes++;
	}
	for (uint32_t j = 0; j < b->boxes; j++) {
		struct busy_region *r = &b->region[j];

		r->xs = busylist_bases_meeting(b, &b->box[j], 0, want[0], r->x);
		r->ys = busylist_bases_meeting(b, &b->box[j], 1, want[1], r->y);
		r->zs = busylist_bases_meeting(b, &b->box[j], 2, want[2], r->z);
	}
	if (!b->wrap[1])
		y.high -= want[1] - 1;
	if (!b->wrap[2])
		z.high -= want[2] - 1;
	if (busylist_search_rectangle(b, 0, &y, &z, base))
		return true;
	for (uint32_t i = 0; i < b->boxes && !torus_search_limit_cut(b->limit);
	     i++) {
		if (busylist_search_border(b, i, want, base))
			return true;
	}
	return false;
}

static void busylist_destroy(void *self)
{
	struct busylist *b = self;

	if (!b)
		return;
	torus_free(b->box);
	torus_free(b->region);
	torus_free(b->listed);
	torus_free(b->others);
	torus_free(b->stack);
	for (int i = 0; i < 3; i++)
		torus_free(b->eroded[i]);
	torus_erode_destroy(b->erode);
	torus_strategy_submesh.destroy(b->grants);
	torus_free(b);
}

static struct busylist *busylist_create(const struct torus *t,
					const uint64_t *present, bool turning)
{
	struct busylist *b = torus_alloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->torus = t;
	b->turning = turning;
	b->words = torus_bits_words(t->nodes);
	for (uint32_t d = 0; d < TURN_DIMS; d++) {
		b->size[d] = d < t->dims ? t->size[d] : 1;
		b->wrap[d] = d < t->dims && t->wrap[d];
	}
	b->box = torus_alloc(t->nodes, sizeof(*b->box));
	b->region = torus_alloc(t->nodes, sizeof(*b->region));
	b->listed = torus_alloc(b->words, sizeof(*b->listed));
	b->others = torus_alloc(b->words, sizeof(*b->others));
	/* Pieces on the stack are disjoint, so there are at most as many as
	 * nodes in a plane. */
	b->stack = torus_alloc((size_t)b->size[1] * b->size[2],
			       sizeof(*b->stack));
	b->erode = torus_erode_create(t);
	b->grants = torus_turn_grants(t, present);
	for (int i = 0; i < 3; i++)
		b->eroded[i] = torus_alloc(b->words, sizeof(*b->eroded[i]));
	if (b->box && b->region && b->listed && b->others && b->stack &&
	    b->erode && (b->grants || !present) && b->eroded[0] &&
	    b->eroded[1] && b->eroded[2])
		return b;
	busylist_destroy(b);
	return NULL;
}

static enum torus_answer busylist_find(void *self, const struct torus_ask *ask,
				       const uint64_t *usable,
				       struct torus_placement *out,
				       struct torus_error *why)
{
	struct busylist *b = self;
	const struct torus_turn how = { b->torus, b->turning, busylist_detect,
					b, b->grants };

	b->limit = ask->limit;
	b->usable = usable;
	b->gathered = false;
	return torus_turn_find(&how, ask, usable, out, why);
}

static void busylist_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	struct busylist *b = self;
	const struct torus_turn how = { b->torus, b->turning, busylist_detect,
					b, b->grants };

	torus_turn_find_all(&how, ask, usable, each, arg);
}

/* The list */

static int busylist_commit(void *self, const struct torus_placement *place,
			   struct torus_memo *memo)
{
	struct busylist *b = self;

	(void)memo;
	b->box[b->jobs++] = place->region;
	torus_region_paint(&place->region, b->torus, b->listed);
	return 0;
}

static void busylist_undo_commit(void *self, const struct torus_placement *place,
				 const struct torus_memo *memo)
{
	struct busylist *b = self;

	(void)memo;
	b->jobs--;
	torus_region_erase(&place->region, b->torus, b->listed);
}

static void busylist_release(void *self, const struct torus_placement *place,
			     struct torus_memo *memo)
{
	struct busylist *b = self;
	uint32_t i = 0;

	while (memcmp(b->box[i].base, place->region.base,
		      TURN_DIMS * sizeof(*b->box[i].base)) != 0)
		i++;
	memo->value[0] = i;
	b->jobs--;
	memmove(&b->box[i], &b->box[i + 1], (b->jobs - i) * sizeof(*b->box));
	torus_region_erase(&place->region, b->torus, b->listed);
}

static void busylist_undo_release(void *self,
				  const struct torus_placement *place,
				  const struct torus_memo *memo)
{
	struct busylist *b = self;
	uint32_t i = (uint32_t)memo->value[0];

	memmove(&b->box[i + 1], &b->box[i], (b->jobs - i) * sizeof(*b->box));
	b->box[i] = place->region;
	b->jobs++;
	torus_region_paint(&place->region, b->torus, b->listed);
}

static bool busylist_knows(const void *self, const struct torus_placement *place)
{
	const struct busylist *b = self;

	for (uint32_t i = 0; i < b->jobs; i++) {
		if (torus_region_equal(&b->box[i], &place->region, b->torus))
			return true;
	}
	return false;
}

/* Write the list in its order: NODE+AxBxC each, or -. */
static int busylist_save(const void *self, struct torus_text *text)
{
	const struct busylist *b = self;

	for (uint32_t i = 0; i < b->jobs; i++) {
		const struct torus_region *box = &b->box[i];

		if (torus_text_add(text, "%s%u+%ux%ux%u", i ? " " : "",
				   torus_index(b->torus, box->base),
				   box->extent[0], box->extent[1],
				   box->extent[2]))
			return -1;
	}
	return b->jobs ? 0 : torus_text_add(text, "-");
}

/* Read one box. Return the number of characters read, 0 on error. */
static int busylist_read_box(const struct busylist *b, const char *text,
			     struct torus_region *box)
{
	static const char before[] = "+xx";
	const char *p = text;
	uint32_t node;

	torus_region_whole(box, b->torus);
	if (!torus_text_number(&p, &node) || node >= b->torus->nodes)
		return 0;
	for (uint32_t d = 0; d < TURN_DIMS; d++)
		if (*p++ != before[d] || !torus_text_number(&p, &box->extent[d]))
			return 0;
	torus_coord(b->torus, node, box->base);
	for (uint32_t d = b->torus->dims; d < TURN_DIMS; d++) {
		if (box->extent[d] != 1)
			return 0;
	}
	return torus_region_check(box, b->torus, NULL) ? 0 : (int)(p - text);
}

static int busylist_restore(void *self, const char *text,
			    struct torus_error *err)
{
	struct busylist *b = self;

	if (strcmp(text, "-") == 0)
		return 0;
	for (;; text++) {
		struct torus_placement place = { 0 };
		int used = busylist_read_box(b, text, &place.region);

		if (used == 0 || (text[used] != ' ' && text[used] != '\0') ||
		    torus_region_touches(&place.region, b->torus, b->listed))
			return torus_error_add(err,
					       "busy list: got \"%.40s\": expected NODE+AxBxC of a sub-mesh beside the others",
					       text);
		busylist_commit(b, &place, NULL);
		text += used;
		if (*text == '\0')
			return 0;
	}
}

static bool busylist_check(const void *self, const uint64_t *busy,
			   struct torus_error *err)
{
	const struct busylist *b = self;
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < b->jobs; i++) {
		nodes += torus_region_nodes(&b->box[i], b->torus);
		if (torus_region_inside(&b->box[i], b->torus, b->listed))
			continue;
		torus_error_add(err, "busy list: sub-mesh %u is not marked", i);
		return false;
	}
	if (nodes != torus_bits_count(b->listed, b->words) ||
	    !torus_bits_subset(b->listed, busy, b->words)) {
		torus_error_add(err,
				"busy list: its nodes overlap or are not busy");
		return false;
	}
	return true;
}

static bool busylist_tells_for_any(const struct torus_options *options)
{
	(void)options;
	return true;
}

/* The two descriptors differ in name and turning only. */
#define BUSYLIST(id, NAME, SUMMARY, TURNING)                                   \
	static void *id##_create(const struct torus *t,                        \
				 const uint64_t *present,                      \
				 const struct torus_options *options)          \
	{                                                                      \
		(void)options;                                                 \
		return busylist_create(t, present, TURNING);                   \
	}                                                                      \
	const struct torus_strategy torus_strategy_submesh_##id = {            \
		.name = NAME,                                                  \
		.summary = SUMMARY,                                            \
		.source = "Bani-Mohammad, Ould-Khaoua, Ababneh, Mackenzie, "   \
			  "sections III and IV",                               \
		.by_nodes = true,                                              \
		.tells_for_any = busylist_tells_for_any,                       \
		.units = true,                                                 \
		.limits = true,                                                \
		.most_dims = TURN_DIMS,                                        \
		.create = id##_create,                                         \
		.destroy = busylist_destroy,                                   \
		.find = busylist_find,                                         \
		.lists_only = true,                                            \
		.find_all = busylist_find_all,                                 \
		.commit = busylist_commit,                                     \
		.release = busylist_release,                                   \
		.undo_commit = busylist_undo_commit,                           \
		.undo_release = busylist_undo_release,                         \
		.knows = busylist_knows,                                       \
		.save = busylist_save,                                         \
		.restore = busylist_restore,                                   \
		.check = busylist_check,                                       \
	}

BUSYLIST(tbl, "submesh-tbl",
	 "Turning Busy List: complete, the first of six orientations that fits",
	 true);
BUSYLIST(bl, "submesh-bl", "Busy List: the same without turning", false);
