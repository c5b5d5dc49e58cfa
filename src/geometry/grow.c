/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing lists (torus/alloc.h). Amortised O(1) per element. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "torus/alloc.h"

#define ROOM_AT_FIRST 16

int torus_resize(void *list, size_t n, size_t size)
{
	void *old, *resized;

	memcpy(&old, list, sizeof(old)); /* a pointer of any type */
	resized = torus_realloc(old, n, size);
	if (!resized)
		return -1;
	memcpy(list, &resized, sizeof(resized));
	return 0;
}

size_t torus_grown_room(uint32_t room, size_t n)
{
	size_t more = room < ROOM_AT_FIRST ? ROOM_AT_FIRST : 2 * (size_t)room;

	if (more < n)
		more = n;
	return more > UINT32_MAX ? SIZE_MAX : more;
}

int torus_grow(void *list, uint32_t *room, size_t n, size_t size)
{
	size_t more = torus_grown_room(*room, n);

	if (n <= *room)
		return 0;
	if (torus_resize(list, more, size))
		return -1;
	*room = (uint32_t)more;
	return 0;
}

int torus_grow_pair(void *a, size_t a_size, void *b, size_t b_size,
		    uint32_t *room, size_t n)
{
	size_t more = torus_grown_room(*room, n);

	if (n <= *room)
		return 0;
	if (torus_resize(a, more, a_size) || torus_resize(b, more, b_size))
		return -1;
	*room = (uint32_t)more;
	return 0;
}

/* torus_alloc_large() of torus/alloc.h. In a file of its own, so that tests which
 * replace torus_alloc() at link time replace it here, too. */

#define LARGE_PAGE ((size_t)2 * 1024 * 1024)

void *torus_alloc_large(size_t size)
{
	size_t room = (size + 2 * LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	char *p = torus_alloc(1, room < size ? SIZE_MAX : room);
	size_t skip = p ? -(uintptr_t)p & (LARGE_PAGE - 1) : 0;
	int saved = errno;

	if (p && size >= LARGE_PAGE)
		madvise(p + skip, (room - skip) & ~(LARGE_PAGE - 1),
			MADV_HUGEPAGE);
	errno = saved;
	return p;
}
