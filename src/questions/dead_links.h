/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running jobs over links that are down or weak: the link joins two neighbours of one
 * of the job's regions. A link that would only close a ring is none of them: whether
 * the job has that ring, a snapshot does not say.
 *
 * Cost: O(nodes of all jobs + jobs at a dead link x links).
 */
#ifndef QUESTIONS_DEAD_LINKS_H
#define QUESTIONS_DEAD_LINKS_H

#include "questions/occupancy.h"

/* Does the running job have the link in a region? */
bool dead_links_under(const struct snapshot *s, const struct snapshot_job *job,
		      const struct torus_link *link);

/* Running jobs by the worst link that they are over: [enum torus_link_health].
 * -1 with ENOMEM. */
int dead_links_jobs(const struct snapshot *s, uint32_t *jobs);

/* All links of a torus, healthy or not. */
uint64_t dead_links_all(const struct torus *t);

#endif
