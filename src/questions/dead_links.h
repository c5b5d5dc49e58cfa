/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running jobs over links that are down or weak. Such a link joins two
 * neighbours of one of the job's regions, or closes a ring that was granted to
 * the job. If a snapshot does not record which rings were granted, links that
 * would close a ring do not count.
 *
 * Cost: O(nodes of all jobs + jobs at a dead link x links).
 */
#ifndef QUESTIONS_DEAD_LINKS_H
#define QUESTIONS_DEAD_LINKS_H

#include "questions/occupancy.h"

/* Return true if the link lies within a region of the running job. */
bool dead_links_under(const struct snapshot *s, const struct snapshot_job *job,
		      const struct torus_link *link);

/* Count running jobs by the worst link in their regions: [enum
 * torus_link_health]. Return -1 with ENOMEM. */
int dead_links_jobs(const struct snapshot *s, uint32_t *jobs);

/* Return the number of links of a torus, healthy or not. */
uint64_t dead_links_all(const struct torus *t);

#endif
