/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only door to the heap for libtorus. Tests replace torus_alloc() and
 * torus_realloc() at link time (ld --wrap) to make the n-th call fail.
 */
#ifndef TORUS_ALLOC_H
#define TORUS_ALLOC_H

#include <stddef.h>

/* n zeroed elements of size bytes. NULL with ENOMEM on overflow or shortage.
 * n or size 0 gives a pointer that may be freed. */
void *torus_alloc(size_t n, size_t size);

/* As realloc() for n elements of size bytes; new bytes are not zeroed. On
 * failure NULL with ENOMEM, and p stays valid. */
void *torus_realloc(void *p, size_t n, size_t size);

/* NULL is fine. Keeps errno. */
void torus_free(void *p);

#endif
