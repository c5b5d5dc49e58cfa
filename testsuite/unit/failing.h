/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The n-th allocation fails: torus_alloc() and its kin, wrapped by the linker
 * (--wrap=torus_alloc and so on), with a count of blocks not given back.
 * Include it in one file of a test program.
 */
#ifndef UNIT_FAILING_H
#define UNIT_FAILING_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "torus/alloc.h"

void *__real_torus_alloc(size_t n, size_t size);
void *__real_torus_realloc(void *p, size_t n, size_t size);
void __real_torus_free(void *p);
void *__wrap_torus_alloc(size_t n, size_t size);
void *__wrap_torus_realloc(void *p, size_t n, size_t size);
void __wrap_torus_free(void *p);

/* Allocations until one fails, once: what follows must cope. -1: none does. */
static _Atomic long fail_at = -1;
static _Atomic long blocks; /* given and not yet freed */
static _Atomic unsigned long calls;
static size_t failed_size; /* of the element of the latest that failed */

static bool fails(size_t size)
{
	calls++;
	if (fail_at < 0 || fail_at-- > 0)
		return false;
	failed_size = size;
	errno = ENOMEM;
	return true;
}

void *__wrap_torus_alloc(size_t n, size_t size)
{
	void *p = fails(size) ? NULL : __real_torus_alloc(n, size);

	blocks += p != NULL;
	return p;
}

void *__wrap_torus_realloc(void *p, size_t n, size_t size)
{
	void *q = fails(size) ? NULL : __real_torus_realloc(p, n, size);

	blocks += q && !p;
	return q;
}

void __wrap_torus_free(void *p)
{
	blocks -= p != NULL;
	__real_torus_free(p);
}

#endif
