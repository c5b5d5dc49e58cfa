/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reorder window: the next jobs of a trace, in order of submission.
 */
#ifndef TRACE_WINDOW_H
#define TRACE_WINDOW_H

#include "trace/trace.h"

struct torus_window;

struct torus_window *torus_window_create(void); /* NULL with ENOMEM */
void torus_window_destroy(struct torus_window *w);

bool torus_window_full(const struct torus_window *w);

/* A record to be filled: always the same one until it is added. */
struct torus_trace_record *torus_window_blank(struct torus_window *w);

/*
 * Put the blank where it belongs: behind all that were submitted no later, and
 * of the same time have no later turn.
 * false, and nothing added, if one that was taken already was submitted
 * later.
 */
bool torus_window_add(struct torus_window *w);

/* The first one, or NULL. It is valid until the next take. */
const struct torus_trace_record *torus_window_take(struct torus_window *w);

#endif
