/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TORUS_COORD of a task, in slurmstepd: the entry of TORUS_COORDS at its
 * node's position in the job's node list. No configuration is needed.
 */
#ifndef SPANK_TORUS_COORD_H
#define SPANK_TORUS_COORD_H

#include <slurm/spank.h>

/* Set TORUS_COORD and TORUS_RANK in the task's environment; remove it if the job has no shape. */
void coord_of_task(spank_t sp);

/* In a batch script with TORUS_RANK_ORDER: write a rank file for Open MPI's mpirun
 * beside Slurm's copy of the script, and name it in the script's environment. Needs root.
 * _remove() deletes it before Slurm deletes that directory. */
void coord_rank_file(spank_t sp);
void coord_rank_file_remove(spank_t sp);

#endif
