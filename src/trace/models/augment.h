/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Additions to the jobs of a model or a trace: wrong estimates, and shapes for
 * jobs that have only a node count.
 *
 * Estimates (struct torus_augment.estimate):
 *
 *	exact		the run time
 *	factor:F	run x F (Zotkin, Keleher 1999: constant overestimates)
 *	uniform:F	run x (1 + F u), u uniform on [0, 1) (Mu'alem,
 *			Feitelson 2001: the f-model)
 *	round:F		uniform:F, rounded up to one of the few values that
 *			users choose: 1 5 10 15 20 30 minutes, 1 2 3 4 5 6 8
 *			10 12 15 18 24 36 48 hours, then whole days (after
 *			Tsafrir, Etsion, Feitelson 2005: twenty values make up
 *			most estimates of a site. Their model also has the
 *			popularity of each value; this one does not.)
 *
 * Shapes of a job of n nodes on a machine: the candidates are the boxes of
 * exactly n nodes that fit the empty machine in some orientation. Boxes that
 * differ only in the order of their sides are one candidate. Sides of 1 are
 * dropped.
 *
 *	compact		the candidate with the smallest surface; ties go to the
 *			first in the order of sides, largest first
 *	uniform		all candidates equally likely
 *	weighted	likely in proportion to 1 / surface
 *
 * The surface is the sum over the dimensions of volume / extent, the area of
 * one side of each pair. A count without a candidate (a prime larger than every
 * side) stays a count.
 */
#ifndef TRACE_AUGMENT_H
#define TRACE_AUGMENT_H

#include "torus/torus.h"
#include "trace/models/random.h"
#include "trace/trace.h"

enum torus_estimates {
	TORUS_ESTIMATES_KEPT, /* as they come */
	TORUS_ESTIMATES_EXACT,
	TORUS_ESTIMATES_FACTOR,
	TORUS_ESTIMATES_UNIFORM,
	TORUS_ESTIMATES_ROUND,
};

enum torus_shapes {
	TORUS_SHAPES_KEPT,
	TORUS_SHAPES_COMPACT,
	TORUS_SHAPES_UNIFORM,
	TORUS_SHAPES_WEIGHTED,
};

/* Zeroed: jobs stay unchanged. */
struct torus_augment {
	enum torus_estimates estimates;
	double factor;
	enum torus_shapes shapes;
	struct torus torus; /* torus in which shapes must fit; not flat */
	uint64_t counts;    /* number of jobs without a possible shape */
	struct torus_random estimate_random, shape_random;
	struct torus_request request; /* request of the latest job */
};

/* Read "exact", "factor:2", "uniform:3", "round:3"; "compact", "uniform", "weighted".
 * 0, or -1 with EINVAL and a line in err. */
int torus_augment_estimates(struct torus_augment *vary, const char *text,
			    struct torus_error *err);
int torus_augment_shapes(struct torus_augment *vary, const char *text,
			 struct torus_error *err);

/* Begin the streams of a seed. */
void torus_augment_seed(struct torus_augment *vary, uint64_t seed,
			uint32_t replication);

/* Change a job. If it gets a shape, record->request points into vary. */
void torus_augment_apply(struct torus_augment *vary,
			 struct torus_trace_record *record);

/* Draw a shape of n nodes. Return false if there is none. */
bool torus_augment_shape(struct torus_augment *vary, uint32_t n,
			 struct torus_shape *shape);

#endif
