/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heap functions of libtorus; no other code of the library calls malloc().
 * Tests replace torus_alloc() and torus_realloc() at link time (ld --wrap) to
 * make the n-th call fail.
 */
#ifndef TORUS_ALLOC_H
#define TORUS_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* Return n zeroed elements of size bytes. NULL with ENOMEM on overflow or
 * shortage. If n or size is 0, the result may be passed to torus_free(). */
void *torus_alloc(size_t n, size_t size);

/* As torus_alloc() for `size` bytes that are used from the first to the last:
 * on large pages where the kernel has them, since each page costs a fault. */
void *torus_alloc_large(size_t size);

/* As realloc() for n elements of size bytes; new bytes are not zeroed. On
 * failure NULL with ENOMEM, and p stays valid. */
void *torus_realloc(void *p, size_t n, size_t size);

/*
 * Resize *list, a pointer to elements of size bytes, to n elements;
 * torus_grow() to at least n. *room is the allocated number of elements, which
 * at least doubles when it grows. 0, or -1 with ENOMEM and *list and *room
 * unchanged.
 */
int torus_resize(void *list, size_t n, size_t size);
int torus_grow(void *list, uint32_t *room, size_t n, size_t size);

#define TORUS_RESIZE(list, n) torus_resize(&(list), n, sizeof(*(list)))
#define TORUS_GROW(list, room, n)                                              \
	torus_grow(&(list), &(room), n, sizeof(*(list)))

/* Return the new room of a list of `room` elements that grows to hold n, for
 * lists that grow together. SIZE_MAX: too many. */
size_t torus_grown_room(uint32_t room, size_t n);

/* torus_grow() for two lists of the same room, with elements of a_size and b_size
 * bytes. After -1 the lists may differ in size, but both hold *room elements. */
int torus_grow_pair(void *a, size_t a_size, void *b, size_t b_size,
		    uint32_t *room, size_t n);
#define TORUS_GROW_PAIR(a, b, room, n)                                         \
	torus_grow_pair(&(a), sizeof(*(a)), &(b), sizeof(*(b)), &(room), n)

/* Free p, which may be NULL. Keeps errno. */
void torus_free(void *p);

#endif
