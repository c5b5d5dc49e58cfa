/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A step of srun inside a job with a shape: on a free sub-box of the job's region
 * (--geometry, --base), or over the whole job in another order (--rank-order). The
 * tasks are named to Slurm as an arbitrary distribution, through srun's own options;
 * no file is written.
 */
#ifndef SPANK_TORUS_STEP_H
#define SPANK_TORUS_STEP_H

#include <stdbool.h>

struct step_words {
	const char *geometry;   /* NULL: the whole job */
	const char *base;       /* NULL: the first free place */
	const char *rank_order; /* NULL: the job's */
	bool no_rotate;
};

/*
 * Set the step's nodes and tasks in the options of srun, and its TORUS_* in the
 * environment. Wait while other steps have the nodes. 0, or -1 with an error printed.
 */
int step_prepare(const struct step_words *words);

/* Let other commands choose: Slurm has created the step. */
void step_created(void);

#endif
