/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reorder window: the next jobs of a trace, in order of submission. */
#ifndef TRACE_WINDOW_H
#define TRACE_WINDOW_H

#include "trace/trace.h"

struct torus_window;

struct torus_window *torus_window_create(void); /* NULL with ENOMEM */
void torus_window_destroy(struct torus_window *w);

/* Return false while records are to be added. Ask once for each of them. */
bool torus_window_full(struct torus_window *w);

/* Return a record to fill: the same one until it is added. */
struct torus_trace_record *torus_window_blank(struct torus_window *w);

/*
 * Insert the record behind all records with an earlier submit time, or with the
 * same submit time and no later turn. Return false, with nothing added, if more
 * than TORUS_TRACE_WINDOW records before it have a later submit time.
 */
bool torus_window_add(struct torus_window *w);

/* Take the first record, or NULL. It is valid until the next call. */
const struct torus_trace_record *torus_window_take(struct torus_window *w);

#endif
