/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal as a trace in which each job occurs once, even if another scheduler
 * began while it waited or ran, in the same file or in another of the joined
 * files.
 */
#ifndef TRACE_JOINED_H
#define TRACE_JOINED_H

#include "trace/trace.h"

struct torus_joined;

/* Return NULL with ENOMEM. */
struct torus_joined *torus_joined_create(void);
void torus_joined_destroy(struct torus_joined *j);

/* Add a copy of the next record; open jobs and marks included. Return -1 with
 * ENOMEM. */
int torus_joined_add(struct torus_joined *j, const struct torus_trace_record *r);

/* Join all records that were added. Return -1 with ENOMEM. */
int torus_joined_finish(struct torus_joined *j);

/*
 * Then return the next record in order of submission, NULL at the end: jobs
 * that are over or had their nodes when a scheduler began, and the other kinds,
 * without marks.
 */
const struct torus_trace_record *torus_joined_next(struct torus_joined *j);

/* Return the number of jobs whose end follows only from joined lines. */
uint64_t torus_joined_crossed(const struct torus_joined *j);

#endif
