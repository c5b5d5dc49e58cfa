/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap behind torus/alloc.h: libc's, with overflow checks. */
#include "torus/alloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void *torus_alloc(size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	return calloc(n, size);
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
