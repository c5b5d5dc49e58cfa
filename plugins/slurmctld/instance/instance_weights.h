/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's node weights, and the nodes that power saving has switched off, in the instance's machine states (instance_weights.c). */
#ifndef SLURMCTLD_INSTANCE_INSTANCE_WEIGHTS_H
#define SLURMCTLD_INSTANCE_INSTANCE_WEIGHTS_H

#include "slurmctld/instance/instance.h"

/* Return when Slurm takes the node: lower numbers first. */
uint64_t instance_weights_turn(const node_record_t *node);

/* instance_weights_read(): give both states Slurm's present node weights, which are
 * returned; needs Slurm's node lock. instance_weights_begin(): before the states are
 * created; -1 with ENOMEM. */
const struct torus_weights *instance_weights_read(struct instance *in);
int instance_weights_begin(struct instance *in);

#endif
