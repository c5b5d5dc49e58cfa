/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal as a trace of its jobs, each of them once, also where another
 * scheduler began while a job waited or ran: in another file of those that are
 * joined, or in the same one.
 */
#ifndef TRACE_JOINED_H
#define TRACE_JOINED_H

#include "trace/trace.h"

struct torus_joined;

/* NULL with ENOMEM. */
struct torus_joined *torus_joined_create(void);
void torus_joined_destroy(struct torus_joined *j);

/* Add the next record, also of a job that is not over, and marks; it is copied.
 * -1 with ENOMEM. */
int torus_joined_add(struct torus_joined *j, const struct torus_trace_record *r);

/* All records have been added. -1 with ENOMEM. */
int torus_joined_finish(struct torus_joined *j);

/*
 * The next record then, in order of submission, NULL at the end: jobs that are
 * over, or that had their nodes when a scheduler began; and the other kinds,
 * without marks.
 */
const struct torus_trace_record *torus_joined_next(struct torus_joined *j);

/* Jobs that no line alone says are over. */
uint64_t torus_joined_crossed(const struct torus_joined *j);

#endif
