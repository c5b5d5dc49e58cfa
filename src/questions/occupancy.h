/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as the core sees it: its running jobs as holds of a machine state,
 * its pending ones as requests.
 *
 * Cost: O(jobs x log jobs + nodes).
 */
#ifndef QUESTIONS_OCCUPANCY_H
#define QUESTIONS_OCCUPANCY_H

#include "format/snapshot.h"

/*
 * A state in which each running job is a hold: job = its index in s->job + 1. A
 * region that the torus's strategy could have given is held as a region, else the
 * nodes are; nodes that an earlier job holds already stay with that one. Hidden
 * nodes, and those of jobs without an expected end that no strategy remembers, are
 * held by job 0 for ever. Nodes out of service are out. Call
 * occupancy_prepare() on the configuration first. NULL with ENOMEM.
 */
struct torus_state *occupancy_state(const struct snapshot *s);

/* Allow the strategies that holds and jobs without a shape need. 0, or -1 with
 * ENOMEM. */
int occupancy_prepare(struct snapshot *s);

/* The place of a running job. false: its nodes are no region of one torus. */
bool occupancy_place(const struct snapshot *s, const struct snapshot_job *job,
		     struct torus_placement *place);

/* What a job asks for. -1 with lines in err. */
int occupancy_request(const struct snapshot *s, const struct snapshot_job *job,
		      struct torus_request *request, struct torus_error *err);

/* The nodes that a job may use at some time: its partitions', of these its
 * reservation's. Machine bitmap. */
void occupancy_allowed(const struct snapshot *s, const struct snapshot_job *job,
		       uint64_t *map);

/* Clear the nodes of reservations that are on at time_us, but one's own (NULL or
 * "": none). */
void occupancy_clear_reserved(const struct snapshot *s, const char *own,
			      uint64_t *map);

#endif
