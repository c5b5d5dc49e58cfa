/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the jobs of each user have used, where the discipline orders by it (`fairshare` of
 * easy): a host keeps it over restarts, a journal begins with it.
 */
#ifndef TORUS_USAGE_H
#define TORUS_USAGE_H

#include "torus/scheduler.h"

/* Node time in us until at_us, and the nodes in use since. */
struct torus_usage {
	const char *user; /* of usage(): valid until the next event */
	double used;
	int64_t at_us;
	uint64_t nodes;
};

/* A job counts from its start. A running job that the host started counts from this call
 * on; it has a hold. */
void torus_scheduler_adopt(struct torus_scheduler *s, struct torus_job *job,
			   int64_t now_us);
/* Write the usage of user n, from 0, to *usage. Return false if there are only n users. */
bool torus_scheduler_usage(const struct torus_scheduler *s, uint32_t n,
			   struct torus_usage *usage);
/* Set what a user (NULL: each) has used until now_us, from an earlier scheduler's usage;
 * the nodes in use stay. -1 with ENOMEM. */
int torus_scheduler_take_usage(struct torus_scheduler *s,
			       const struct torus_usage *usage, int64_t now_us);

#endif
