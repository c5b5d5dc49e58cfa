/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh-tbl` and `submesh-bl`: Turning Busy List and Busy List of
 * Bani-Mohammad, Ould-Khaoua, Ababneh and Mackenzie (sections III and IV),
 * with the corrections that complete recognition needs.
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
 * planes and regions are taken modulo the side and cut at the edge. TBL tries
 * the orientations abc acb bac bca cab cba; BL only abc.
 *
 * Unusable nodes that belong to no listed sub-mesh (down, drained, outside a
 * partition, jobs without a shape) are merged into boxes that join the list
 * during the search.
 *
 * Recognition is complete, so a box that fits nowhere is ruled out by an erosion
 * of the usable nodes (erode.h) first; most searches of planning end there.
 *
 * Cost: O(words) per orientation that fits nowhere, O(m^2) subtractions for one
 * that fits, with a list of m. Memory: 2 x nodes boxes, a stack of rectangles,
 * three bitmaps.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "placement/erode.h"
#include "placement/strategies.h"
#include "placement/turn.h"
#include "torus/alloc.h"

/* Allocated sub-mesh: first node and extent per dimension (modulo sides). */
struct busy_box {
	uint32_t base[TURN_DIMS];
	uint32_t extent[TURN_DIMS];
};

/* Inclusive bounds. */
struct interval {
	uint32_t low, high;
};

/* What a box prohibits in the current orientation. On a ring an arc that
 * crosses the edge becomes two intervals. */
struct region {
	struct interval x[2], y[2], z[2];
	uint8_t xs, ys, zs;
};

/* A piece of a plane; regions before `next` are subtracted already. */
struct piece {
	struct interval y, z;
	uint32_t next;
};

struct busylist {
	const struct torus *torus;
	bool turning;
	uint32_t size[TURN_DIMS];
	bool wrap[TURN_DIMS];
	uint32_t words;
	struct busy_box *box; /* [0, jobs): the busy list; then other unusable nodes */
	uint32_t jobs, boxes;
	uint64_t *listed; /* nodes in boxes of the busy list */
	uint64_t *others; /* scratch: other unusable nodes */
	struct region *region;
	struct piece *stack;
	struct torus_erode *erode;
	uint64_t *eroded[3]; /* scratch */
	/* of the current search: */
	const uint64_t *usable;
	struct torus_search_limit *limit;
	bool gathered; /* `others` and their boxes are of `usable` */
};

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
	torus_free(b);
}

static struct busylist *busylist_create(const struct torus *t, bool turning)
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
	for (int i = 0; i < 3; i++)
		b->eroded[i] = torus_alloc(b->words, sizeof(*b->eroded[i]));
	if (b->box && b->region && b->listed && b->others && b->stack &&
	    b->erode && b->eroded[0] && b->eroded[1] && b->eroded[2])
		return b;
	busylist_destroy(b);
	return NULL;
}

/* Boxes of unusable nodes that are not on the list */

static struct torus_region as_region(const struct busylist *b,
				     const struct busy_box *box)
{
	struct torus_region r;

	torus_region_whole(&r, b->torus);
	for (uint32_t d = 0; d < b->torus->dims; d++) {
		r.base[d] = box->base[d];
		r.extent[d] = box->extent[d];
	}
	return r;
}

/* Extend a box along d while the whole next layer is in `others`. */
static void busylist_grow(const struct busylist *b, struct busy_box *box,
			  uint32_t d)
{
	struct busy_box layer = *box;
	struct torus_region r;

	layer.extent[d] = 1;
	while (box->base[d] + box->extent[d] < b->size[d]) {
		layer.base[d] = box->base[d] + box->extent[d];
		r = as_region(b, &layer);
		if (!torus_region_inside(&r, b->torus, b->others))
			return;
		box->extent[d]++;
	}
}

static void gather_others(struct busylist *b)
{
	struct torus_region r;

	if (b->gathered)
		return;
	b->gathered = true;
	b->boxes = b->jobs;
	torus_region_whole(&r, b->torus);
	torus_bits_zero(b->others, b->words);
	torus_region_paint(&r, b->torus, b->others);
	torus_bits_andnot(b->others, b->usable, b->words);
	torus_bits_andnot(b->others, b->listed, b->words);
	for (uint32_t i = torus_bits_next(b->others, b->words, 0);
	     i != UINT32_MAX; i = torus_bits_next(b->others, b->words, i + 1)) {
		struct busy_box *box = &b->box[b->boxes++];
		uint32_t coord[TORUS_MAX_DIMS];

		torus_coord(b->torus, i, coord);
		for (uint32_t d = 0; d < TURN_DIMS; d++) {
			box->base[d] = coord[d];
			box->extent[d] = 1;
		}
		for (uint32_t d = 0; d < b->torus->dims; d++)
			busylist_grow(b, box, d);
		r = as_region(b, box);
		torus_region_erase(&r, b->torus, b->others);
	}
}

/* Detection */

/*
 * Fill the bases in dimension d at which a line of `want` nodes would meet the
 * box; on an open dimension only those that stay inside the machine. Return the
 * number of intervals.
 */
static uint8_t bases_meeting(const struct busylist *b,
			     const struct busy_box *box, uint32_t d,
			     uint32_t want, struct interval *interval)
{
	uint32_t n = b->size[d], length = box->extent[d] + want - 1, low;
	uint32_t high = box->base[d] + box->extent[d] - 1;

	if (!b->wrap[d]) {
		interval->low = high >= length ? high - length + 1 : 0;
		interval->high = high < n - want ? high : n - want;
		return interval->low <= interval->high;
	}
	if (length >= n) {
		*interval = (struct interval){ 0, n - 1 };
		return 1;
	}
	low = (box->base[d] + n - (want - 1)) % n;
	if (low + length <= n) {
		*interval = (struct interval){ low, low + length - 1 };
		return 1;
	}
	interval[0] = (struct interval){ 0, low + length - 1 - n };
	interval[1] = (struct interval){ low, n - 1 };
	return 2;
}

static void busylist_prohibit(struct busylist *b, const uint32_t *want)
{
	for (uint32_t j = 0; j < b->boxes; j++) {
		struct region *r = &b->region[j];

		r->xs = bases_meeting(b, &b->box[j], 0, want[0], r->x);
		r->ys = bases_meeting(b, &b->box[j], 1, want[1], r->y);
		r->zs = bases_meeting(b, &b->box[j], 2, want[2], r->z);
	}
}

static bool busylist_covers(const struct interval *interval, uint8_t n,
			    uint32_t x)
{
	for (uint8_t i = 0; i < n; i++) {
		if (x >= interval[i].low && x <= interval[i].high)
			return true;
	}
	return false;
}

static bool busylist_overlap(const struct interval *a, const struct interval *b)
{
	return a->low <= b->high && b->low <= a->high;
}

/* Push the parts of the piece outside y and z, which overlap it. */
static uint32_t busylist_cut(struct piece *stack, uint32_t top, struct piece p,
			     const struct interval *y, const struct interval *z)
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
static bool busylist_meets(const struct busylist *b, struct piece *p, uint32_t x,
			   const struct interval **y, const struct interval **z)
{
	for (; p->next < b->boxes; p->next++) {
		const struct region *r = &b->region[p->next];

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
static bool search_rectangle(struct busylist *b, uint32_t x,
			     const struct interval *y, const struct interval *z,
			     uint32_t *base)
{
	uint32_t top = 0;

	b->stack[top++] = (struct piece){ .y = *y, .z = *z };
	while (top > 0) {
		struct piece p = b->stack[--top];
		const struct interval *cut_y, *cut_z;
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
static bool search_border(struct busylist *b, uint32_t i, const uint32_t *want,
			  uint32_t *base)
{
	const struct region *r = &b->region[i];
	uint32_t x = b->box[i].base[0] + b->box[i].extent[0];

	if (b->wrap[0])
		x %= b->size[0];
	else if (x > b->size[0] - want[0])
		return false;
	for (uint8_t k = 0; k < r->ys; k++) {
		for (uint8_t m = 0; m < r->zs; m++) {
			if (search_rectangle(b, x, &r->y[k], &r->z[m], base))
				return true;
		}
	}
	return false;
}

/* Return true if a box of these extents fits anywhere. */
static bool busylist_fits(struct busylist *b, const uint32_t *want)
{
	const uint64_t *in = b->usable;
	uint32_t eroded = 0;

	for (uint32_t d = 0; d < b->torus->dims; d++) {
		uint64_t *out = b->eroded[eroded];

		if (want[d] < 2)
			continue;
		if (torus_search_limit_spend(b->limit, b->words))
			return false;
		if (!torus_erode_runs(b->erode, d, 1, want[d], in, out,
				      b->eroded[2]))
			return false;
		in = out;
		eroded = 1 - eroded;
	}
	return in != b->usable || torus_bits_next(in, b->words, 0) != UINT32_MAX;
}

/* Return true if there is a base for a box of these extents. */
static bool busylist_detect(void *self, const uint32_t *want,
			    const uint64_t *bases, uint32_t *base)
{
	struct busylist *b = self;
	struct interval y = { 0, b->size[1] - 1 }, z = { 0, b->size[2] - 1 };

	(void)bases;
	if (!busylist_fits(b, want))
		return false;
	gather_others(b);
	busylist_prohibit(b, want);
	if (!b->wrap[1])
		y.high -= want[1] - 1;
	if (!b->wrap[2])
		z.high -= want[2] - 1;
	if (search_rectangle(b, 0, &y, &z, base))
		return true;
	for (uint32_t i = 0; i < b->boxes && !torus_search_limit_cut(b->limit);
	     i++) {
		if (search_border(b, i, want, base))
			return true;
	}
	return false;
}

/* Finding */

static enum torus_answer busylist_find(void *self, const struct torus_ask *ask,
				       const uint64_t *usable,
				       struct torus_placement *out,
				       struct torus_error *why)
{
	struct busylist *b = self;
	const struct torus_turn how = { b->torus, b->turning, busylist_detect,
					b };

	b->limit = ask->limit;
	b->usable = usable;
	b->gathered = false;
	return torus_turn_find(&how, ask, usable, out, why);
}

/* The list */

static int busylist_commit(void *self, const struct torus_placement *place,
			   struct torus_memo *memo)
{
	struct busylist *b = self;
	struct busy_box *box = &b->box[b->jobs++];

	(void)memo;
	for (uint32_t d = 0; d < TURN_DIMS; d++) {
		box->base[d] = place->region.base[d];
		box->extent[d] = place->region.extent[d];
	}
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
		      sizeof(b->box[i].base)) != 0)
		i++;
	memo->value[0] = i;
	b->box[i] = b->box[--b->jobs];
	torus_region_erase(&place->region, b->torus, b->listed);
}

static void busylist_undo_release(void *self,
				  const struct torus_placement *place,
				  const struct torus_memo *memo)
{
	struct busylist *b = self;
	struct busy_box moved = b->box[memo->value[0]];

	busylist_commit(self, place, NULL);
	b->box[memo->value[0]] = b->box[b->jobs - 1];
	if (memo->value[0] != b->jobs - 1)
		b->box[b->jobs - 1] = moved;
}

static bool busylist_knows(const void *self, const struct torus_placement *place)
{
	const struct busylist *b = self;

	for (uint32_t i = 0; i < b->jobs; i++) {
		struct torus_region r = as_region(b, &b->box[i]);

		if (torus_region_equal(&r, &place->region, b->torus))
			return true;
	}
	return false;
}

/* Write the list in its order: NODE+AxBxC each, or -. */
static int busylist_save(const void *self, struct torus_text *text)
{
	const struct busylist *b = self;

	for (uint32_t i = 0; i < b->jobs; i++) {
		const struct busy_box *box = &b->box[i];
		struct torus_region r = as_region(b, box);

		if (torus_text_add(text, "%s%u+%ux%ux%u", i ? " " : "",
				   torus_index(b->torus, r.base), box->extent[0],
				   box->extent[1], box->extent[2]))
			return -1;
	}
	return b->jobs ? 0 : torus_text_add(text, "-");
}

/* Read one box. Return the number of characters read, 0 on error. */
static int read_box(const struct busylist *b, const char *text,
		    struct busy_box *box)
{
	uint32_t node, coord[TORUS_MAX_DIMS];
	struct torus_region r;
	int used = 0;

	if (sscanf(text, "%8" SCNu32 "+%8" SCNu32 "x%8" SCNu32 "x%8" SCNu32 "%n",
		   &node, &box->extent[0], &box->extent[1], &box->extent[2],
		   &used) != 4 ||
	    node >= b->torus->nodes)
		return 0;
	torus_coord(b->torus, node, coord);
	for (uint32_t d = 0; d < TURN_DIMS; d++) {
		box->base[d] = coord[d];
		if (d >= b->torus->dims && box->extent[d] != 1)
			return 0;
	}
	r = as_region(b, box);
	return torus_region_check(&r, b->torus, NULL) ? 0 : used;
}

static int busylist_restore(void *self, const char *text,
			    struct torus_error *err)
{
	struct busylist *b = self;

	if (strcmp(text, "-") == 0)
		return 0;
	for (;; text++) {
		struct torus_placement place = { 0 };
		struct busy_box box;
		int used = read_box(b, text, &box);

		if (used > 0)
			place.region = as_region(b, &box);
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
		struct torus_region r = as_region(b, &b->box[i]);

		nodes += torus_region_nodes(&r, b->torus);
		if (torus_region_inside(&r, b->torus, b->listed))
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

/* The two descriptors differ in name and turning only. */
#define BUSYLIST(id, NAME, SUMMARY, TURNING)                                   \
	static int id##_supports(const struct torus *t,                        \
				 const struct torus_options *options,          \
				 struct torus_error *why)                      \
	{                                                                      \
		return torus_turn_supports(NAME, t, options, why);             \
	}                                                                      \
	static void *id##_create(const struct torus *t,                        \
				 const uint64_t *present,                      \
				 const struct torus_options *options)          \
	{                                                                      \
		(void)present; /* cells without a node are never usable */     \
		(void)options;                                                 \
		return busylist_create(t, TURNING);                            \
	}                                                                      \
	const struct torus_strategy torus_strategy_submesh_##id = {            \
		.name = NAME,                                                  \
		.summary = SUMMARY,                                            \
		.source = "Bani-Mohammad, Ould-Khaoua, Ababneh, Mackenzie, "   \
			  "sections III and IV",                               \
		.by_nodes = true,                                              \
		.units = true,                                                 \
		.supports = id##_supports,                                     \
		.create = id##_create,                                         \
		.destroy = busylist_destroy,                                   \
		.find = busylist_find,                                         \
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
