/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has used how much: node time by user, halved every half-life, for `fairshare` of easy.
 *
 *	used
 *	 |      __
 *	 |     /  \__          a user's job ends at the top
 *	 |   _/      \____
 *	 |  /             \_________
 *	 +--------------------------- time
 *
 * A share changes when a job of its user starts or ends; between two changes its value is
 * one expression, so that additional passes change no value. A job without a user counts
 * for its account; those without either share one.
 *
 * Cost: O(1) per event and rank. Memory: a share per user, allocated at submission.
 */
#ifndef DISCIPLINE_SHARES_H
#define DISCIPLINE_SHARES_H

#include "config/hostlist.h"
#include "torus/scheduler.h"

struct torus_share {
	char name[TORUS_OWNER_NAME];
	double used; /* node time in us, at at_us */
	int64_t at_us;
	uint64_t nodes; /* in use since */
	int64_t rank, ranked_us;
};

struct torus_shares {
	bool on;
	int64_t half_life_us; /* TORUS_NO_TIME: nothing is forgotten */
	struct torus_share **share;
	uint32_t count, room;
	struct name_table names; /* of share: name -> number */
};

void torus_shares_free(struct torus_shares *s);

/* Set job->share, 0 if there are no shares. -1 with ENOMEM, and then it is 0. */
int torus_shares_enter(struct torus_shares *s, struct torus_job *job);

/* From now_us on the job, which has a share, holds that many nodes; 0 at its end. */
void torus_shares_charge(struct torus_shares *s, struct torus_job *job,
			 uint32_t nodes, int64_t now_us);

/* Return the rank of the share's jobs, least used first, 0 or more; share 0: 0. */
int64_t torus_shares_rank(const struct torus_shares *s, uint32_t share,
			  int64_t now_us);

/* Return base^n, n >= 0; 2^-x, x >= 0. (The library does without libm.) */
double torus_shares_power(double base, int64_t n);
double torus_shares_halved(double x);

#endif
