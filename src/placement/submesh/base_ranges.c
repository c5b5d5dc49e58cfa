/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges of bases per dimension (submesh.h). */
#include "placement/submesh/submesh.h"

#include "torus/alloc.h"

int torus_base_ranges_init(struct torus_base_ranges *a, const struct torus *t)
{
	size_t words = torus_bits_words(t->nodes), used = words;

	*a = (struct torus_base_ranges){ .torus = t };
	for (uint32_t d = 0; d < t->dims; d++)
		words += 2 * (size_t)torus_bits_words(t->size[d]);
	a->memory = torus_alloc(words, sizeof(*a->memory));
	if (!a->memory)
		return -1;
	a->narrowed = a->memory;
	for (uint32_t d = 0; d < t->dims; d++) {
		a->seen[d] = a->memory + used;
		used += torus_bits_words(t->size[d]);
		a->base[d] = a->memory + used;
		used += torus_bits_words(t->size[d]);
	}
	return 0;
}

void torus_base_ranges_free(struct torus_base_ranges *a)
{
	torus_free(a->memory);
	a->memory = NULL;
}

/* Return the next required coordinate after c, wrapping around to the first. */
static uint32_t next_seen(const struct torus_base_ranges *a, uint32_t d,
			  uint32_t c)
{
	uint32_t words = torus_bits_words(a->torus->size[d]);
	uint32_t next = torus_bits_next(a->seen[d], words, c + 1);

	return next < a->torus->size[d] ? next :
					  torus_bits_next(a->seen[d], words, 0);
}

/* Return the length of the shortest interval that starts at coordinate `from`
 * and ends at `to`, across the wrap if necessary. */
static uint32_t around_span(const struct torus *t, uint32_t d, uint32_t from,
			    uint32_t to)
{
	return (to >= from ? to - from : t->size[d] - from + to) + 1;
}

/* Called for each gap between the required coordinates `first` and `last`. */
typedef void gap_visitor(struct torus_base_ranges *a, uint32_t d,
			 uint32_t extent, uint32_t first, uint32_t last);

/*
 * An interval that holds all required coordinates leaves out one gap: the one
 * between some required coordinate `last` and the next one, `first`. Call
 * each() for every gap that may be left out. On an open line this is only the
 * gap around the ends.
 */
static void each_gap(struct torus_base_ranges *a, uint32_t d, uint32_t extent,
		     gap_visitor *each)
{
	const struct torus *t = a->torus;
	uint32_t words = torus_bits_words(t->size[d]);
	uint32_t last = torus_bits_next(a->seen[d], words, 0);

	while (last < t->size[d]) {
		uint32_t first = next_seen(a, d, last);

		if (t->wrap[d] || first <= last)
			each(a, d, extent, first, last);
		if (first <= last)
			break;
		last = first;
	}
}

static void note_least(struct torus_base_ranges *a, uint32_t d, uint32_t extent,
		       uint32_t first, uint32_t last)
{
	uint32_t n = around_span(a->torus, d, first, last);

	(void)extent;
	if (n < a->least[d])
		a->least[d] = n;
}

void torus_base_ranges_set(struct torus_base_ranges *a, const uint64_t *nodes)
{
	const struct torus *t = a->torus;
	uint32_t words = torus_bits_words(t->nodes), bit;
	uint32_t at[TORUS_MAX_DIMS];

	a->any = nodes != NULL;
	if (!nodes)
		return;
	for (uint32_t d = 0; d < t->dims; d++)
		torus_bits_zero(a->seen[d], torus_bits_words(t->size[d]));
	for (bit = torus_bits_next(nodes, words, 0); bit != UINT32_MAX;
	     bit = torus_bits_next(nodes, words, bit + 1)) {
		torus_coord(t, bit, at);
		for (uint32_t d = 0; d < t->dims; d++)
			torus_bits_set(a->seen[d], at[d]);
	}
	for (uint32_t d = 0; d < t->dims; d++) {
		a->least[d] = t->size[d];
		each_gap(a, d, 0, note_least);
	}
}

/* Add the bases at or before `first` from which the interval reaches `last`. */
static void note_bases(struct torus_base_ranges *a, uint32_t d, uint32_t extent,
		       uint32_t first, uint32_t last)
{
	const struct torus *t = a->torus;
	uint32_t size = t->size[d], n = around_span(t, d, first, last);

	for (uint32_t j = 0; n + j <= extent && n + j <= size; j++) {
		uint32_t base = first >= j ? first - j : first + size - j;

		if (!t->wrap[d] && (j > first || base + extent > size))
			continue;
		torus_bits_set(a->base[d], base);
	}
}

/* A dimension that is covered completely has one distinct base, 0. With dead
 * links it is the base behind them, which is not known here. */
static bool set_windows(struct torus_base_ranges *a, const uint32_t *extent)
{
	const struct torus *t = a->torus;

	for (uint32_t d = 0; d < t->dims; d++) {
		if (!torus_base_ranges_allows(a, d, extent[d]))
			return false;
		torus_bits_zero(a->base[d], torus_bits_words(t->size[d]));
		if (extent[d] == t->size[d])
			torus_bits_set_range(a->base[d], 0,
					     a->open && t->wrap[d] ? t->size[d] :
								     1);
		else
			each_gap(a, d, extent[d], note_bases);
	}
	return true;
}

/* Copy the bases that lie in the windows of dimensions d and below. */
static bool copy_bases(struct torus_base_ranges *a, uint32_t d, uint32_t index,
		       const uint64_t *bases)
{
	const struct torus *t = a->torus;
	uint32_t words = torus_bits_words(t->size[d]);
	uint32_t c = torus_bits_next(a->base[d], words, 0);
	bool any = false;

	for (; c != UINT32_MAX; c = torus_bits_next(a->base[d], words, c + 1)) {
		uint32_t at = index + c * t->stride[d];

		if (d > 0) {
			any |= copy_bases(a, d - 1, at, bases);
		} else if (torus_bits_test(bases, at)) {
			torus_bits_set(a->narrowed, at);
			any = true;
		}
	}
	return any;
}

const uint64_t *torus_base_ranges_narrow(struct torus_base_ranges *a,
					 const uint32_t *extent,
					 const uint64_t *bases)
{
	const struct torus *t = a->torus;

	if (!a->any)
		return bases;
	if (!set_windows(a, extent))
		return NULL;
	torus_bits_zero(a->narrowed, torus_bits_words(t->nodes));
	return copy_bases(a, t->dims - 1, 0, bases) ? a->narrowed : NULL;
}
