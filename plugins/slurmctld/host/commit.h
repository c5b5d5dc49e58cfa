/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carries out an order: starts the job by Slurm's select_nodes() on exactly the order's
 * region, or cancels a job that was not admitted (commit.c).
 */
#ifndef SLURMCTLD_HOST_COMMIT_H
#define SLURMCTLD_HOST_COMMIT_H

#include "live/orders.h"
#include "slurmctld/host/host.h"

enum cycle_result commit_order(void *arg, const struct cycle_order *o,
			       uint32_t *job, const uint64_t **unfit);

/* Let Slurm start the job on the order's nodes. */
enum cycle_result commit_start(struct host *h, job_record_t *job,
			       struct start_order *order,
			       const uint64_t **unfit);
bool commit_nodes_are_idle(const bitstr_t *nodes);

/* Return true if the machine is still the one of the pass. */
bool commit_has_machine(const struct host *h);

/* The same, with the instance's lock (in: NULL if there is none). */
bool commit_has_machine_of(const struct host *h, const struct instance *in);

/* Return true if slurmctld lets schedulers start jobs; it does not while it
 * shuts down. */
bool commit_is_possible(void);

/* join.c: jobs that share nodes, by the rules of stock Slurm. */

/* Start a job beside others (agent.h). */
bool join_beside(void *arg, struct cycle_guest *g);

#endif
