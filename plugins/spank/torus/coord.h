/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TORUS_COORD of a task, in slurmstepd: the entry of TORUS_COORDS at its
 * node's position in the job's node list. No configuration is needed.
 */
#ifndef SPANK_TORUS_COORD_H
#define SPANK_TORUS_COORD_H

#include <slurm/spank.h>

/* Set TORUS_COORD in the task's environment; remove it if the job has no shape. */
void coord_of_task(spank_t sp);

#endif
