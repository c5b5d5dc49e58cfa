/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot in terms of the core: its running jobs as holds of a machine
 * state, its pending ones as requests.
 *
 * Cost: O(jobs x log jobs + nodes).
 */
#ifndef QUESTIONS_OCCUPANCY_H
#define QUESTIONS_OCCUPANCY_H

#include "format/snapshot.h"

/*
 * Create a state in which each running job is a hold: job = its index in s->job
 * + 1. A region that the torus's strategy could have given is held as a region,
 * otherwise the nodes are. Nodes already held by an earlier job stay with that
 * job. Job 0 holds forever the hidden nodes, and those of jobs without an
 * expected end that no strategy tracks. Nodes out of service are out. Call
 * occupancy_prepare() on the configuration first. Return NULL with ENOMEM.
 */
struct torus_state *occupancy_state(const struct snapshot *s);

/* Allow the strategies needed by holds and by jobs without a shape. Return 0,
 * or -1 with ENOMEM. */
int occupancy_prepare(struct snapshot *s);

/* Get the region of a running job, or its regions, which go to *several (they
 * have no place->nodes). If the snapshot does not record the rings, place->axes
 * is 0 and no axis is a ring. Return false for scattered nodes. */
bool occupancy_place(const struct snapshot *s, const struct snapshot_job *job,
		     struct torus_regions *several,
		     struct torus_placement *place);

/* Get the request of a job. Return -1 with lines in err. */
int occupancy_request(const struct snapshot *s, const struct snapshot_job *job,
		      struct torus_request *request, struct torus_error *err);

/* Set the nodes that a job may use at some time: its partitions' nodes within
 * its reservation that it does not exclude. Machine bitmap. */
void occupancy_allowed(const struct snapshot *s, const struct snapshot_job *job,
		       uint64_t *map);

/* Clear the nodes of reservations active at time_us, except the job's own (NULL
 * or "": none). */
void occupancy_clear_reserved(const struct snapshot *s, const char *own,
			      uint64_t *map);

/* Return true if the reservation floats and the job is too long for its nodes. */
bool occupancy_floats(const struct snapshot_nodes *reservation,
		      const struct snapshot_job *job);

/*
 * Running jobs over links that are down or weak. Such a link joins two
 * neighbours of one of the job's regions, or closes a ring that was granted to
 * the job. If a snapshot does not record which rings were granted, links that
 * would close a ring do not count.
 *
 * Cost: O(nodes of all jobs + jobs at a dead link x links).
 */

/* Return true if the link lies within a region of the running job. */
bool dead_links_under(const struct snapshot *s, const struct snapshot_job *job,
		      const struct torus_link *link);

/* Count running jobs by the worst link in their regions: [enum
 * torus_link_health]. Return -1 with ENOMEM. */
int dead_links_jobs(const struct snapshot *s, uint32_t *jobs);

/* Return the number of links of a torus, healthy or not. */
uint64_t dead_links_all(const struct torus *t);

#endif
