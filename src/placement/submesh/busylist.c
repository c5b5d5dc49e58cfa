/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh-tbl` and `submesh-bl`: Turning Busy List and Busy List of
 * Bani-Mohammad, Ould-Khaoua, Ababneh and Mackenzie (sections III and IV),
 * with the corrections that complete recognition needs. This file has the list
 * of allocated sub-meshes in the order of their allocation; busylist_detect.c finds a
 * base among the other nodes.
 *
 * TBL tries the orientations abc acb bac bca cab cba; BL only abc.
 *
 * Cost of a change: O(nodes of the sub-mesh + sub-meshes). Memory: 2 x nodes boxes, a stack of
 * rectangles, three bitmaps.
 */
#include "placement/submesh/busylist.h"

#include <errno.h>
#include <stdio.h>

#include "placement/strategies.h"
#include "torus/alloc.h"
#include "torus/number.h"

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
