/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults of nodes and links, drawn from a seed. Each component fails and is
 * repaired on its own: it is up for a time whose mean is MTBF, then out for a time
 * whose mean is MTTR, both exponential. So in the long run a component is out for
 * MTTR / (MTBF + MTTR) of the time.
 *
 *	node 3  ----up-----x==out==o-------up------x=o---up---
 *	node 4  ------------------up----------------------x===
 *
 * The n-th time of a component is a function of (seed, component, n): another
 * policy, or faults of the other kind, move none of them.
 */
#ifndef REPLAY_FAULTS_H
#define REPLAY_FAULTS_H

#include "replay/replay.h"
#include "torus/links.h"

/* A component fails, or is repaired. */
struct torus_fault {
	enum torus_fault_kind kind;
	bool failed;            /* else it is repaired */
	uint32_t bit;           /* the node, in a machine bitmap */
	struct torus_link link; /* down, or up */
};

struct torus_faults;

/* All components are up at from_us; present: the nodes, a machine bitmap. *f is NULL where no rates are given. 0, or -1
 * with ENOMEM. */
int torus_faults_create(struct torus_faults **f, const struct torus_machine *m,
			const struct torus_replay_options *options,
			const uint64_t *present, int64_t from_us);
void torus_faults_destroy(struct torus_faults *f);

/* The first fault or repair to come; TORUS_NO_TIME: none. */
int64_t torus_faults_next(const struct torus_faults *f);

/* Components that are out. */
uint32_t torus_faults_out(const struct torus_faults *f);

/* Take the next one if it is due. */
bool torus_faults_take(struct torus_faults *f, int64_t now_us,
		       struct torus_fault *fault);

/* No component fails until now_us: those that would have are drawn again from
 * there. Repairs stay. */
void torus_faults_spare(struct torus_faults *f, int64_t now_us);

#endif
