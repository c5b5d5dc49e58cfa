/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queued job's reason (cycle.h) with names, for squeue:
 *
 *	4x2x2 needs 16 nodes, 8 are free (8 held by jobs, 0 out of service);
 *	job 17 holds its place; expected 2024-05-01T12:00
 *
 * The first REASON_NAMES jobs and nodes are named, fewer if the text would be longer
 * than REASON_MOST; the others are counted. Jobs or nodes that the reader may not see
 * are only counted.
 */
#ifndef LIVE_PROMISES_REASON_H
#define LIVE_PROMISES_REASON_H

#include "live/cycle.h"
#include "torus/config.h"

#define REASON_NAMES 3
#define REASON_MOST 200 /* characters */

#define REASON_HIDES_JOBS 1u
#define REASON_HIDES_NODES 2u

/* Return the name of a node of the machine; "?" if torus.yaml has none. */
const char *reason_node_name(const struct torus_config *config, uint32_t bit);

/* Cut a text, after a complete word if possible, to REASON_MOST characters. */
void reason_bound(char *text);

/* Append the reason of p to the text; p->reason is not NULL. hides:
 * REASON_HIDES_... Return 0, or -1 with ENOMEM. */
int reason_format(const struct torus_config *config,
		  const struct cycle_promise *p, int64_t now_us, unsigned hides,
		  struct torus_text *text);

#endif
