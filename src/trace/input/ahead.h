/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks a file in a thread, ahead of the reader of its lines. */
#ifndef TRACE_AHEAD_H
#define TRACE_AHEAD_H

#include "trace/input/unpack.h"

struct torus_ahead;

/* Begin to unpack; u belongs to the thread until the end. NULL with errno. */
struct torus_ahead *torus_ahead_begin(struct torus_unpack *u);
/* End the thread, wherever it is. */
void torus_ahead_end(struct torus_ahead *a);

/* As torus_unpack_read(). */
ssize_t torus_ahead_read(struct torus_ahead *a, char *to, size_t room,
			 struct torus_error *err);

/* As torus_unpack_progress(). */
void torus_ahead_progress(struct torus_ahead *a, uint64_t *read, uint64_t *size);

#endif
