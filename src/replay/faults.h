/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults of nodes and links, drawn from a seed. Each component fails and is
 * repaired independently: it is up for an exponential time with mean MTBF, then
 * out for an exponential time with mean MTTR. So in the long run it is out for
 * MTTR / (MTBF + MTTR) of the time.
 *
 *	node 3  ----up-----x==out==o-------up------x=o---up---
 *	node 4  ------------------up----------------------x===
 *
 * The n-th time of a component is a function of (seed, component, n), so it
 * does not depend on the policy or on faults of the other kind.
 */
#ifndef REPLAY_FAULTS_H
#define REPLAY_FAULTS_H

#include "replay/replay.h"
#include "torus/links.h"

/* A component fails or is repaired. */
struct torus_fault {
	enum torus_fault_kind kind;
	bool failed;            /* false: it is repaired */
	uint32_t bit;           /* bit of the node in a machine bitmap */
	struct torus_link link; /* down, or up */
};

/* Read MTBF,MTTR[,nodes|,links] into one of the rates, which must be zero. 0, or -1
 * with a line in err. */
int torus_fault_rate_parse(const char *string,
			   struct torus_fault_rate faults[TORUS_FAULT_KINDS],
			   struct torus_error *err);

struct torus_faults;

/* Create the faults; all components are up at from_us. present: machine bitmap
 * of the nodes. *f is NULL if no rates are set. Return 0, or -1 with ENOMEM. */
int torus_faults_create(struct torus_faults **f, const struct torus_machine *m,
			const struct torus_replay_options *options,
			const uint64_t *present, int64_t from_us);
void torus_faults_destroy(struct torus_faults *f);

/* Return the time of the next fault or repair; TORUS_NO_TIME: none. */
int64_t torus_faults_next(const struct torus_faults *f);

/* Return the number of components that are out. */
uint32_t torus_faults_out(const struct torus_faults *f);

/* Take the next event if it is due. */
bool torus_faults_take(struct torus_faults *f, int64_t now_us,
		       struct torus_fault *fault);

/* Let no component fail until now_us: their times are drawn again from there.
 * Repairs stay. */
void torus_faults_spare(struct torus_faults *f, int64_t now_us);

#endif
