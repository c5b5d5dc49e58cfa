/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maximal free boxes of a torus (free_boxes.h).
 *
 * A list is a table per dimension, so that one comparison tests four boxes at
 * once. Numbers are signed because vector units compare signed integers.
 */
#include "placement/free_boxes.h"

#include "torus/alloc.h"

#define LANES 4

typedef int32_t lanes __attribute__((vector_size(4 * LANES)));
typedef uint64_t lanes_bits __attribute__((vector_size(4 * LANES)));

#define BLOCKS (TORUS_FREE_BOXES / LANES)

/* Boxes from `used` on are empty: their extents are 0. */
struct box_list {
	uint32_t used;
	lanes base[TORUS_MAX_DIMS][BLOCKS];
	lanes extent[TORUS_MAX_DIMS][BLOCKS];
};

struct free_box {
	int32_t base[TORUS_MAX_DIMS];
	int32_t extent[TORUS_MAX_DIMS];
};

struct torus_free_boxes {
	const struct torus *t;
	struct box_list list;
	/* between begin and finish: the boxes before the release */
	struct box_list before;
	uint32_t least; /* smaller boxes are not listed */
	bool loose;     /* a box could not be cut: it may hold busy nodes */
	bool only;      /* list only boxes that meet `released` */
	struct torus_region released;
};

/* The bases along one dimension as plain integers. */
static inline int32_t *box_base(struct box_list *l, uint32_t d)
{
	return (int32_t *)l->base[d];
}

static inline int32_t *box_extent(struct box_list *l, uint32_t d)
{
	return (int32_t *)l->extent[d];
}

static void box_put(struct box_list *l, uint32_t dims, uint32_t i,
		    const struct free_box *b)
{
	for (uint32_t d = 0; d < dims; d++) {
		box_base(l, d)[i] = b->base[d];
		box_extent(l, d)[i] = b->extent[d];
	}
}

static void box_get(const struct box_list *l, uint32_t dims, uint32_t i,
		    struct free_box *b)
{
	for (uint32_t d = 0; d < dims; d++) {
		b->base[d] = ((const int32_t *)l->base[d])[i];
		b->extent[d] = ((const int32_t *)l->extent[d])[i];
	}
}

/* Remove box i: the last box takes its index. */
static void box_drop(struct box_list *l, uint32_t dims, uint32_t i)
{
	static const struct free_box none;
	struct free_box last;

	box_get(l, dims, --l->used, &last);
	box_put(l, dims, i, &last);
	box_put(l, dims, l->used, &none);
}

/* Copy only the blocks in use: most lists are short. */
static void list_copy(struct box_list *to, const struct box_list *from,
		      uint32_t dims)
{
	uint32_t most = to->used > from->used ? to->used : from->used;
	uint32_t blocks = (most + LANES - 1) / LANES;

	for (uint32_t d = 0; d < dims; d++) {
		memcpy(to->base[d], from->base[d], blocks * sizeof(lanes));
		memcpy(to->extent[d], from->extent[d], blocks * sizeof(lanes));
	}
	to->used = from->used;
}

static void boxes_whole(struct torus_free_boxes *f)
{
	static const struct box_list none;
	struct free_box all = { 0 };

	for (uint32_t d = 0; d < f->t->dims; d++)
		all.extent[d] = (int32_t)f->t->size[d];
	list_copy(&f->list, &none, f->t->dims);
	box_put(&f->list, f->t->dims, 0, &all);
	f->list.used = 1;
}

struct torus_free_boxes *torus_free_boxes_create(const struct torus *t,
						 uint32_t least)
{
	struct torus_free_boxes *f = torus_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->t = t;
	f->least = least;
	boxes_whole(f);
	return f;
}

void torus_free_boxes_copy(struct torus_free_boxes *to,
			   const struct torus_free_boxes *from)
{
	list_copy(&to->list, &from->list, from->t->dims);
	to->loose = from->loose;
}

void torus_free_boxes_destroy(struct torus_free_boxes *f)
{
	torus_free(f);
}

static inline bool lanes_any(lanes v)
{
	lanes_bits b = (lanes_bits)v;

	return (b[0] | b[1]) != 0;
}

/* Return the distance from a to b on a dimension of `size` nodes, going up and
 * around. */
static inline lanes lanes_behind(lanes a, lanes b, int32_t size)
{
	lanes n = b - a;

	return n + ((n < 0) & size);
}

/* Return which boxes of block k meet the box. */
static lanes lanes_meet(const struct torus *t, const struct box_list *l,
			uint32_t k, const struct free_box *b)
{
	lanes met = { 0 };

	met = met == 0;
	for (uint32_t d = 0; d < t->dims; d++) {
		int32_t size = (int32_t)t->size[d];
		lanes base = l->base[d][k], at = base - base + b->base[d];

		met &= (lanes_behind(base, at, size) < l->extent[d][k]) |
		       ((lanes_behind(at, base, size) < b->extent[d]) &
			(l->extent[d][k] > 0));
	}
	return met;
}

/* Return true if the box lies within a box of the list. */
static bool boxes_cover(const struct torus *t, const struct box_list *l,
			const struct free_box *b)
{
	for (uint32_t k = 0; k * LANES < l->used; k++) {
		lanes in = { 0 };

		in = in == 0;
		for (uint32_t d = 0; d < t->dims; d++) {
			int32_t size = (int32_t)t->size[d];
			lanes base = l->base[d][k], extent = l->extent[d][k];
			lanes at = base - base + b->base[d];

			in &= (lanes_behind(base, at, size) + b->extent[d] <=
			       extent) |
			      (extent == size);
		}
		if (lanes_any(in))
			return true;
	}
	return false;
}

static bool box_within(const struct torus *t, const struct free_box *in,
		       const struct free_box *b)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		int32_t size = (int32_t)t->size[d], ahead = b->base[d];

		ahead -= in->base[d];
		ahead += ahead < 0 ? size : 0;
		if (in->extent[d] < size && ahead + b->extent[d] > in->extent[d])
			return false;
	}
	return true;
}

static struct free_box box_of(const struct torus *t,
			      const struct torus_region *r)
{
	struct free_box b = { 0 };

	for (uint32_t d = 0; d < t->dims; d++) {
		b.base[d] = (int32_t)r->base[d];
		b.extent[d] = (int32_t)r->extent[d];
	}
	return b;
}

static bool box_meets(const struct torus *t, const struct free_box *a,
		      const struct free_box *b)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		int32_t size = (int32_t)t->size[d];
		int32_t ab = b->base[d] - a->base[d], ba = -ab;

		if (ab + (ab < 0 ? size : 0) >= a->extent[d] &&
		    ba + (ba < 0 ? size : 0) >= b->extent[d])
			return false;
	}
	return true;
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
	struct free_box released;

	*part = *b;
	part->base[d] = (b->base[d] + ahead) % (int32_t)f->t->size[d];
	part->extent[d] = extent;
	if (f->least > 1 && box_nodes(f->t, part) < f->least)
		return;
	if (f->only) {
		released = box_of(f->t, &f->released);
		if (!box_meets(f->t, part, &released))
			return;
	}
	p->used += !boxes_cover(f->t, &f->list, part);
}

/* The parts of a box beside a region along one dimension: offsets from the
 * box's base, and extents. */
struct box_gaps {
	uint32_t used;
	int32_t ahead[2], extent[2];
};

static void gaps_add(struct box_gaps *g, int32_t ahead, int32_t extent)
{
	g->ahead[g->used] = ahead;
	g->extent[g->used++] = extent;
}

/*
 * Return the parts of b along d that the region leaves free. Positions count
 * from b's base: the region covers [first, end), or continues across the wrap.
 */
static struct box_gaps box_beside(const struct torus *t,
				  const struct free_box *b, uint32_t d,
				  const struct free_box *r)
{
	int32_t size = (int32_t)t->size[d], have = b->extent[d];
	int32_t first = r->base[d] - b->base[d], end, from;
	struct box_gaps g = { .used = 0 };

	if (r->extent[d] == size)
		return g;
	first += first < 0 ? size : 0;
	end = first + r->extent[d];
	if (have == size && t->wrap[d]) {
		gaps_add(&g, end % size, size - r->extent[d]);
		return g;
	}
	from = end > size ? end - size : 0; /* first free position */
	if (first > have)
		first = have;
	if (from < first)
		gaps_add(&g, from, first - from);
	if (end < have)
		gaps_add(&g, end, have - end);
	return g;
}

static void parts_beside(struct torus_free_boxes *f, struct box_parts *p,
			 const struct free_box *b, uint32_t d,
			 const struct free_box *r)
{
	struct box_gaps g = box_beside(f->t, b, d, r);

	for (uint32_t i = 0; i < g.used; i++)
		parts_add(f, p, b, d, g.ahead[i], g.extent[i]);
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

/* Remove the boxes that meet r from the list. */
static uint32_t boxes_take(struct torus_free_boxes *f, const struct free_box *r,
			   struct free_box *taken)
{
	uint32_t dims = f->t->dims, n = 0;

	for (uint32_t k = (f->list.used + LANES - 1) / LANES; k-- > 0;) {
		lanes met = lanes_meet(f->t, &f->list, k, r);

		/* removing may move the last box into this block, above i */
		for (uint32_t i = LANES; i-- > 0;) {
			if (!met[i])
				continue;
			box_get(&f->list, dims, k * LANES + i, &taken[n++]);
			box_drop(&f->list, dims, k * LANES + i);
		}
	}
	return n;
}

void torus_free_boxes_cut(struct torus_free_boxes *f,
			  const struct torus_region *busy)
{
	struct free_box taken[TORUS_FREE_BOXES], r = box_of(f->t, busy);
	uint32_t n, fresh;

	for (uint32_t d = 0; d < f->t->dims; d++) {
		if (busy->stride[d] > 1) {
			f->loose = true;
			return;
		}
	}
	n = boxes_take(f, &r, taken);
	fresh = f->list.used;
	for (uint32_t i = 0; i < n; i++) {
		struct box_parts p = { .used = 0 };

		for (uint32_t d = 0; d < f->t->dims; d++)
			parts_beside(f, &p, &taken[i], d, &r);
		parts_keep(f, &p, &taken[i], n - i - 1, fresh);
	}
}

void torus_free_boxes_begin(struct torus_free_boxes *f,
			    const struct torus_region *released)
{
	f->only = released && !f->loose;
	if (f->only) {
		list_copy(&f->before, &f->list, f->t->dims);
		f->released = *released;
	}
	f->loose = false;
	boxes_whole(f);
}

void torus_free_boxes_finish(struct torus_free_boxes *f)
{
	struct free_box b = { 0 };

	for (uint32_t i = 0; f->only && i < f->before.used; i++) {
		box_get(&f->before, f->t->dims, i, &b);
		if (boxes_cover(f->t, &f->list, &b))
			continue;
		if (f->list.used == TORUS_FREE_BOXES) {
			boxes_whole(f);
			f->loose = true;
			break;
		}
		box_put(&f->list, f->t->dims, f->list.used++, &b);
	}
	f->only = false;
}

bool torus_free_boxes_exact(const struct torus_free_boxes *f)
{
	return !f->loose;
}

bool torus_free_boxes_hold(const struct torus_free_boxes *f,
			   const uint32_t *extent, uint32_t d, uint64_t nodes)
{
	for (uint32_t k = 0; f && k * LANES < f->list.used; k++) {
		lanes fits = f->list.extent[0][k] > 0;

		for (uint32_t i = 0; i < d; i++)
			fits &= f->list.extent[i][k] >= (int32_t)extent[i];
		if (!lanes_any(fits))
			continue;
		if (nodes <= 1)
			return true;
		for (uint32_t i = 0; i < LANES; i++) {
			uint64_t more = fits[i] ? 1 : 0;

			for (uint32_t j = d; j < f->t->dims; j++)
				more *= (uint32_t)f->list.extent[j][k][i];
			if (more >= nodes)
				return true;
		}
	}
	return !f;
}

/* Return the bases of a box with these extents within b, as a region; false if
 * b is too short. */
static bool box_bases(const struct torus *t, const struct free_box *b,
		      const uint32_t *extent, struct torus_region *r)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t have = (uint32_t)b->extent[d];

		if (have < extent[d])
			return false;
		r->base[d] = (uint32_t)b->base[d];
		r->extent[d] = t->wrap[d] && have == t->size[d] ?
				       have :
				       have - extent[d] + 1;
	}
	return true;
}

void torus_free_boxes_beside(const struct torus_free_boxes *f,
			     const struct torus_region *taken,
			     void (*each)(void *arg, const int32_t *extent),
			     void *arg)
{
	const struct torus *t = f->t;
	struct free_box b, r = { 0 };

	if (taken)
		r = box_of(t, taken);
	for (uint32_t i = 0; i < f->list.used; i++) {
		box_get(&f->list, t->dims, i, &b);
		if (!taken || !box_meets(t, &b, &r)) {
			each(arg, b.extent);
			continue;
		}
		for (uint32_t d = 0; d < t->dims; d++) {
			struct box_gaps gaps = box_beside(t, &b, d, &r);
			int32_t whole = b.extent[d];

			for (uint32_t k = 0; k < gaps.used; k++) {
				b.extent[d] = gaps.extent[k];
				each(arg, b.extent);
			}
			b.extent[d] = whole;
		}
	}
}

bool torus_free_boxes_bases(const struct torus_free_boxes *f,
			    const uint32_t *extent, uint64_t *map, uint32_t most)
{
	const struct torus *t = f->t;
	struct torus_region r;
	struct free_box b;

	torus_region_whole(&r, t);
	torus_bits_zero(map, torus_bits_words(t->nodes));
	for (uint32_t i = 0; i < f->list.used; i++) {
		uint64_t rows = 1;

		box_get(&f->list, t->dims, i, &b);
		if (!box_bases(t, &b, extent, &r))
			continue;
		for (uint32_t d = 1; d < t->dims; d++)
			rows *= r.extent[d];
		if (rows > most)
			return false;
		most -= (uint32_t)rows;
		torus_region_paint(&r, t, map);
	}
	return true;
}

/* Sort the n extents, largest first, and pad with 1s. */
static void sort_extents(const struct torus_shape *shape, uint32_t dims,
			 int32_t *want)
{
	for (uint32_t a = 0; a < dims; a++) {
		int32_t e = a < shape->axes ? (int32_t)shape->extent[a] : 1;
		uint32_t i = a;

		for (; i > 0 && want[i - 1] < e; i--)
			want[i] = want[i - 1];
		want[i] = e;
	}
}

bool torus_free_boxes_hold_turned(const struct torus_free_boxes *f,
				  const struct torus_shape *shape)
{
	int32_t want[TORUS_MAX_DIMS];

	if (!f || shape->axes > f->t->dims)
		return true;
	for (uint32_t d = 0; d < f->t->dims; d++) {
		if (f->t->unit[d] > 1)
			return true;
	}
	sort_extents(shape, f->t->dims, want);
	for (uint32_t k = 0; k * LANES < f->list.used; k++) {
		lanes fits = f->list.extent[0][k] > 0;
		lanes left[TORUS_MAX_DIMS];

		for (uint32_t d = 0; d < f->t->dims; d++)
			left[d] = f->list.extent[d][k];
		for (uint32_t i = 0; i < f->t->dims; i++) {
			/* the largest remaining extent goes to left[i] */
			for (uint32_t d = i + 1; d < f->t->dims; d++) {
				lanes more = left[d] > left[i];
				lanes swap = (left[i] ^ left[d]) & more;

				left[i] ^= swap;
				left[d] ^= swap;
			}
			fits &= left[i] >= want[i];
		}
		if (lanes_any(fits))
			return true;
	}
	return false;
}
