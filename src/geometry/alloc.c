/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap behind torus/alloc.h: libc's, with overflow checks. */
#include "torus/alloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 * 1024 * 1024)

void *torus_alloc(size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	return calloc(n, size);
}

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

void *torus_realloc(void *p, size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	if (size > SIZE_MAX / n) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, n * size);
}

void torus_free(void *p)
{
	int saved = errno;

	free(p);
	errno = saved;
}
