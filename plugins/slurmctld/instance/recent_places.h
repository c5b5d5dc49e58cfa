/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place of a job by its nodes: from the recent answers of job_test(), a ring of INSTANCE_RECENT_PLACES entries (recent_places.c). */
#ifndef SLURMCTLD_INSTANCE_RECENT_PLACES_H
#define SLURMCTLD_INSTANCE_RECENT_PLACES_H

#include "slurmctld/instance/instance.h"

/* Store the place that job_test() chose; find it by the nodes
 * of the job and remove it (false: there is none). */
void recent_places_add(struct instance *in, uint32_t job,
		       const struct torus_placement *place);
bool recent_places_take(struct instance *in, const job_record_t *job,
			struct torus_placement *place);

/* Find the place of a running job from its AdminComment; else let the
 * strategies of state s (in->state or in->empty) recognize it from its nodes.
 * False: the nodes are not a place there. */
bool recent_places_recognize(struct instance *in, struct torus_state *s,
			     const job_record_t *job,
			     struct torus_placement *place);

#endif
