/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Future ends (ends.h): a binary heap in an array that grows by half. */
#include "replay/ends.h"

#include <stdbool.h>

#include "torus/alloc.h"

static bool ends_do_before(const struct torus_end *a, const struct torus_end *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

int torus_ends_add(struct torus_ends *ends, struct torus_end end)
{
	size_t at = ends->count;

	if (TORUS_GROW(ends->heap, ends->room, at + 1))
		return -1;
	ends->count++;
	for (; at && ends_do_before(&end, &ends->heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		ends->heap[at] = ends->heap[(at - 1) / 2];
	ends->heap[at] = end;
	return 0;
}

/* Put `end` into the hole `at`, or below it. */
static void ends_sink(struct torus_ends *ends, size_t at, struct torus_end end)
{
	size_t child;

	while ((child = 2 * at + 1) < ends->count) {
		if (child + 1 < ends->count &&
		    ends_do_before(&ends->heap[child + 1], &ends->heap[child]))
			child++;
		if (!ends_do_before(&ends->heap[child], &end))
			break;
		ends->heap[at] = ends->heap[child];
		at = child;
	}
	ends->heap[at] = end;
}

void torus_ends_drop(struct torus_ends *ends)
{
	struct torus_end last = ends->heap[--ends->count];

	ends_sink(ends, 0, last);
}

void torus_ends_sort(struct torus_ends *ends)
{
	for (size_t at = ends->count / 2; at-- > 0;)
		ends_sink(ends, at, ends->heap[at]);
}

void torus_ends_remove(struct torus_ends *ends, const void *job)
{
	size_t at = 0;

	while (ends->heap[at].job != job)
		at++;
	ends->heap[at] = ends->heap[--ends->count];
	torus_ends_sort(ends);
}

void torus_ends_free(struct torus_ends *ends)
{
	torus_free(ends->heap);
	*ends = (struct torus_ends){ 0 };
}
