/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all plugins share: the names by which they pass a request from the command to
 * slurmctld and a placement from slurmctld to the job. slurm-torus(7) documents them.
 */
#ifndef SLURMCTLD_NAMES_H
#define SLURMCTLD_NAMES_H

/* Entry points; everything else stays inside its shared object. */
#define TORUS_EXPORT __attribute__((visibility("default")))

/* A version of Slurm, for printf(). */
#define TORUS_RELEASE "%u.%02u.%u"
#define TORUS_RELEASE_PARTS(number)                                            \
	(unsigned)SLURM_VERSION_MAJOR(number),                                 \
		(unsigned)SLURM_VERSION_MINOR(number),                         \
		(unsigned)SLURM_VERSION_MICRO(number)

/* The request stands in the job's spank_job_env as the user typed it, in the entries of
 * torus_request_word[]. Prolog and Epilog see them with SPANK_ in front, a job with
 * REQ_PARENT. */
#define REQ_PARENT "SLURM_SPANK_"

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
#define ENV_RANK_ORDER "TORUS_RANK_ORDER" /* of --rank-order or torus.yaml */
#define ENV_NODELIST "TORUS_NODELIST" /* of a step on a sub-box: row-major */
#define ENV_SUB                                                                \
	"TORUS_SUB" /* of such a step: its box in the job's coordinates */
#define ENV_COORD "TORUS_COORD"       /* of each task; set on its node */
#define ENV_VERTICES "TORUS_VERTICES" /* the same, with TORUS_UNIT */
#define ENV_SLICE "TORUS_SLICE"       /* of each task, with TORUS_SLICES */
#define ENV_RANK "TORUS_RANK"         /* of each task: row-major */

/* Slurm's own, put right for --ntasks-per-node. */
#define ENV_NTASKS "SLURM_NTASKS"
#define ENV_NPROCS "SLURM_NPROCS"

/* All of them, as initializers. */
#define PLACEMENT_NAMES                                                        \
	ENV_NAME, ENV_GEOMETRY, ENV_BASE, ENV_STRIDE, ENV_ORIENTATION,         \
		ENV_RING, ENV_COORDS, ENV_UNIT, ENV_COORD, ENV_VERTICES,       \
		ENV_SLICES, ENV_SLICE, ENV_RANK_ORDER, ENV_RANK, ENV_NODELIST, \
		ENV_SUB

#endif
