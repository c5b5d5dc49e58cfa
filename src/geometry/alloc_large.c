/* SPDX-License-Identifier: GPL-2.0-or-later */
/* torus_alloc_large() of torus/alloc.h. In a file of its own, so that tests which
 * replace torus_alloc() at link time replace it here, too. */
#include "torus/alloc.h"

#include <errno.h>
#include <sys/mman.h>

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
