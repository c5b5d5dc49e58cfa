/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job ids that occur more than once in a trace, reported because results are
 * compared by id.
 *
 * Numbers in order take a few bytes in all. Of other ids a hash is stored: 16 to
 * 32 bytes per job. At most 56 MiB: beyond 1,048,576 such ids, and as many gaps
 * between the others, new ids are not checked. Without memory nothing is
 * reported.
 */
#ifndef TRACE_IDS_H
#define TRACE_IDS_H

#include "trace/trace.h"

struct torus_ids;

struct torus_ids *torus_ids_create(void);      /* NULL with ENOMEM */
void torus_ids_destroy(struct torus_ids *ids); /* NULL: nothing */

/* Note the id of the job at a line. */
void torus_ids_add(struct torus_ids *ids, const char *id, uint64_t line,
		   struct torus_trace_repeats *repeats);

#endif
