/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between plan.c and plan_print.c. */
#ifndef STORUS_PLAN_H
#define STORUS_PLAN_H

#include "papers/offline/cnp.h"
#include "papers/offline/preemptive.h"

/* The plan of one of the two schedulers, the other is NULL. */
struct storus_plan_result {
	const struct torus_offline_jobs *jobs;
	const struct torus_cnp *cnp;
	const struct torus_preemptive *preemptive;
	const char *deadline; /* as typed, or NULL */
	const char *command;  /* the command line */
};

/* The table to stdout. 0, or -1: no memory or a write error. */
int storus_plan_table(const struct storus_plan_result *r);

/* JSON to path, or to stdout (NULL, "-"). An exit status. */
int storus_plan_json(const struct storus_plan_result *r, const char *path);

#endif
