/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job ids that a trace has more than once. Results are compared by id, so that
 * a reader should know.
 *
 * A hash of each id is kept: 16 to 32 bytes per job, at most 32 MiB; of longer
 * traces only the first 1,048,576 jobs are looked at. Without memory nothing is
 * noticed.
 */
#ifndef TRACE_IDS_H
#define TRACE_IDS_H

#include "trace/trace.h"

struct torus_ids;

struct torus_ids *torus_ids_create(void);      /* NULL with ENOMEM */
void torus_ids_destroy(struct torus_ids *ids); /* NULL: nothing */

/* A job of that line. */
void torus_ids_add(struct torus_ids *ids, const char *id, uint64_t line,
		   struct torus_trace_repeats *repeats);

#endif
