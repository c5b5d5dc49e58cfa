/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job-table sync: the machine state follows Slurm's job table (job_table.c). */
#ifndef SLURMCTLD_INSTANCE_JOB_TABLE_H
#define SLURMCTLD_INSTANCE_JOB_TABLE_H

#include "slurmctld/instance/instance.h"

/* The nodes of a job, and when it ends. A completing job has the nodes that
 * still run an epilog; these may become free at any moment. */
struct job_nodes {
	const bitstr_t *nodes; /* NULL: none */
	time_t end;            /* 0: any moment */
	bool completing;
};

/* Synchronise the state with Slurm's job table. Needs the job
 * lock. */
int job_table_sync(struct instance *in);

/* Return false if the job has no nodes. */
bool job_table_nodes_of(const job_record_t *job, struct job_nodes *out);

/* recent_places.c: the place of a job by its nodes. */

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
