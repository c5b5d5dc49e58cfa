/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exported face of libtorus_slurm.so: every call of torus_slurm.h under the one mutex (api.c). */
#ifndef SLURMCTLD_API_H
#define SLURMCTLD_API_H

#include "slurmctld/instance/instance.h"

/* Lock and return the instance; NULL: none yet. Lock in either case. */
struct instance *instance_lock(void);
void instance_unlock(void);

/* Set whether only sched/torus starts jobs. Takes the lock. */
void instance_in_charge(bool in_charge);
void instance_status(struct config_status *status);

/* Read changed links files. Needs the instance's lock and Slurm's job write
 * lock. */
void instance_reread_links(void);

/* Set the order that is carried out next, or NULL. Takes the lock. */
void instance_order(struct start_order *order);

/* Let job_test() be the wrapped plugin's own. Takes the lock. */
void instance_bypass(bool bypass);

#endif
