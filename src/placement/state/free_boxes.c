/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maximal free boxes of a torus (free_boxes.h): their upkeep. */
#include "placement/state/box_list.h"

#include "torus/alloc.h"

static void boxes_whole(struct torus_free_boxes *f)
{
	static const struct box_list none;
	struct free_box all = { 0 };

	for (uint32_t d = 0; d < f->t->dims; d++)
		all.extent[d] = (int32_t)f->t->size[d];
	box_list_copy(&f->list, &none, f->t->dims);
	box_put(&f->list, f->t->dims, 0, &all);
	f->list.used = 1;
}

struct torus_free_boxes *torus_free_boxes_create(const struct torus *t,
						 uint32_t least, uint32_t parts)
{
	struct torus_free_boxes *f = torus_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->t = t;
	f->least = least;
	f->most_parts = parts;
	boxes_whole(f);
	return f;
}

void torus_free_boxes_copy(struct torus_free_boxes *to,
			   const struct torus_free_boxes *from)
{
	box_list_copy(&to->list, &from->list, from->t->dims);
	to->loose = from->loose;
}

void torus_free_boxes_destroy(struct torus_free_boxes *f)
{
	torus_free(f);
}

/* The parts of one box that remain after a cut. */
struct box_parts {
	uint32_t used;
	struct free_box part[2 * TORUS_MAX_DIMS];
};

static uint64_t box_nodes(const struct torus *t, const struct free_box *b)
{
	uint64_t n = 1;

	for (uint32_t d = 0; d < t->dims; d++)
		n *= (uint32_t)b->extent[d];
	return n;
}

/* Add the part of b that begins `ahead` nodes after its base along d. */
static void parts_add(struct torus_free_boxes *f, struct box_parts *p,
		      const struct free_box *b, uint32_t d, int32_t ahead,
		      int32_t extent)
{
	struct free_box *part = &p->part[p->used];

	*part = *b;
	part->base[d] = (b->base[d] + ahead) % (int32_t)f->t->size[d];
	part->extent[d] = extent;
	if (f->least > 1 && box_nodes(f->t, part) < f->least)
		return;
	if (f->only && !box_meets(f->t, part, &f->released))
		return;
	f->parts++;
	p->used += !box_list_covers(f->t, &f->list, part);
}

/* Add the parts of b to the list. If there is no room, keep b itself.
 * `waiting`: boxes that still need an entry after this one. */
static void parts_keep(struct torus_free_boxes *f, const struct box_parts *p,
		       const struct free_box *b, uint32_t waiting,
		       uint32_t fresh)
{
	uint32_t dims = f->t->dims;
	struct free_box other;

	if (f->list.used + p->used + waiting > TORUS_FREE_BOXES) {
		box_put(&f->list, dims, f->list.used++, b);
		f->loose = true;
		return;
	}
	for (uint32_t i = 0; i < p->used; i++) {
		for (uint32_t j = f->list.used; j-- > fresh;) {
			box_get(&f->list, dims, j, &other);
			if (box_within(f->t, &p->part[i], &other))
				box_drop(&f->list, dims, j);
		}
		box_put(&f->list, dims, f->list.used++, &p->part[i]);
	}
}

void torus_free_boxes_cut(struct torus_free_boxes *f,
			  const struct torus_region *busy)
{
	struct free_box taken[TORUS_FREE_BOXES], r = box_of(f->t, busy);
	bool ignored = f->rebuilt && f->parts > f->most_parts;
	uint32_t n, fresh;
	uint32_t dims, count;

	for (uint32_t d = 0; d < f->t->dims; d++)
		ignored |= busy->stride[d] > 1;
	if (ignored) {
		f->loose = true;
		return;
	}
	/* Remove the boxes that meet r from the list. */
	dims = f->t->dims;
	count = 0;
	for (uint32_t k = (f->list.used + LANES - 1) / LANES; k-- > 0;) {
		lanes met = box_list_meet(f->t, &f->list, k, &r);

		/* removing may move the last box into this block, above i */
		for (uint32_t i = LANES; i-- > 0;) {
			if (!met[i])
				continue;
			box_get(&f->list, dims, k * LANES + i, &taken[count++]);
			box_drop(&f->list, dims, k * LANES + i);
		}
	}
	n = count;
	fresh = f->list.used;
	for (uint32_t i = 0; i < n; i++) {
		struct box_parts p; /* too large to be cleared each time */

		p.used = 0;
		for (uint32_t d = 0; d < f->t->dims; d++) {
			struct box_gaps g = box_beside(f->t, &taken[i], d, &r);

			for (uint32_t j = 0; j < g.used; j++)
				parts_add(f, &p, &taken[i], d, g.ahead[j],
					  g.extent[j]);
		}
		parts_keep(f, &p, &taken[i], n - i - 1, fresh);
	}
}

void torus_free_boxes_begin(struct torus_free_boxes *f,
			    const struct torus_region *released)
{
	f->only = released && !f->loose;
	if (f->only) {
		box_list_copy(&f->before, &f->list, f->t->dims);
		f->released = box_of(f->t, released);
	}
	f->loose = false;
	f->rebuilt = true;
	f->parts = 0;
	boxes_whole(f);
}

void torus_free_boxes_finish(struct torus_free_boxes *f)
{
	struct free_box b = { 0 };

	for (uint32_t i = 0; f->only && i < f->before.used; i++) {
		box_get(&f->before, f->t->dims, i, &b);
		if (box_list_covers(f->t, &f->list, &b))
			continue;
		if (f->list.used == TORUS_FREE_BOXES) {
			boxes_whole(f);
			f->loose = true;
			break;
		}
		box_put(&f->list, f->t->dims, f->list.used++, &b);
	}
	f->only = f->rebuilt = false;
}
