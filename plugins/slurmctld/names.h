/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names by which the plugins pass a request from the command to slurmctld
 * and a placement from slurmctld to the job. slurm-torus(7) documents them.
 */
#ifndef SLURMCTLD_NAMES_H
#define SLURMCTLD_NAMES_H

/* Entry points; everything else stays inside its shared object. */
#define TORUS_EXPORT __attribute__((visibility("default")))

/* The request, in the job's spank_job_env, as the user typed it. Prolog and
 * Epilog see them with SPANK_ in front. */
/* Slurm puts REQ_PARENT in front of them in the environment of a job. */
#define REQ_PARENT "SLURM_SPANK_"
#define REQ_PREFIX "TORUS_REQ_"
#define REQ_GEOMETRY "TORUS_REQ_GEOMETRY"
#define REQ_CONN_TYPE "TORUS_REQ_CONN_TYPE"
#define REQ_NO_ROTATE "TORUS_REQ_NO_ROTATE"
#define REQ_PLACEMENT "TORUS_REQ_PLACEMENT"
#define REQ_LINKS "TORUS_REQ_LINKS"

/* All of them, as initializers, and their number. */
#define REQUEST_NAMES                                                          \
	REQ_GEOMETRY, REQ_CONN_TYPE, REQ_NO_ROTATE, REQ_PLACEMENT, REQ_LINKS
#define REQ_WORDS (sizeof((const char *[]){ REQUEST_NAMES }) / sizeof(char *))

/* The placement, in the job's environment. */
#define ENV_NAME "TORUS_NAME"
#define ENV_GEOMETRY "TORUS_GEOMETRY"
#define ENV_BASE "TORUS_BASE"
#define ENV_STRIDE "TORUS_STRIDE"
#define ENV_ORIENTATION "TORUS_ORIENTATION"
#define ENV_RING "TORUS_RING"
#define ENV_COORDS "TORUS_COORDS"
#define ENV_SLICES "TORUS_SLICES" /* of several regions: each node's */
#define ENV_UNIT "TORUS_UNIT"     /* only where a node is several vertices */
#define ENV_COORD "TORUS_COORD"   /* of each task; set on its node */
#define ENV_VERTICES "TORUS_VERTICES" /* the same, with TORUS_UNIT */
#define ENV_SLICE "TORUS_SLICE"       /* of each task, with TORUS_SLICES */

/* Slurm's own, put right for --ntasks-per-node. */
#define ENV_NTASKS "SLURM_NTASKS"
#define ENV_NPROCS "SLURM_NPROCS"

/* All of them, as initializers. */
#define PLACEMENT_NAMES                                                        \
	ENV_NAME, ENV_GEOMETRY, ENV_BASE, ENV_STRIDE, ENV_ORIENTATION,         \
		ENV_RING, ENV_COORDS, ENV_UNIT, ENV_COORD, ENV_VERTICES,       \
		ENV_SLICES, ENV_SLICE

#endif
