/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs beside others on the simulated site (beside.c): preemption, and shared nodes. */
#ifndef SIM_BESIDE_H
#define SIM_BESIDE_H

#include "world.h"

/* Nodes that are claimed for jobs other than j (NULL: for any). */
void beside_claimed(const struct sim_world *w, const struct sim_job *j,
		    uint64_t *map);
bool beside_has_claim(const struct sim_world *w, const struct sim_job *j);
/* Before a snapshot: start jobs on nodes that were cleared for them. */
void beside_serve_claims(struct sim_world *w);
/* Without the locks: note the queue. With them: clear nodes for those that may preempt. */
void beside_note_queue(struct sim_world *w);
void beside_preempt(struct sim_world *w, bool early);
/* A running job's time is over. */
void beside_end(struct sim_world *w, struct sim_job *j, struct random *r);
/* Of the host table. */
bool beside_join(void *arg, struct cycle_guest *g);

#endif
