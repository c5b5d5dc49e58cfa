/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between plan.c, plan_steps.c and plan_print.c. */
#ifndef STORUS_PLAN_H
#define STORUS_PLAN_H

#include "papers/offline/cnp.h"
#include "papers/offline/preemptive.h"
#include "storus/base/table.h"

#include "torus/text.h"

/* The steps so far: lines, and the items of a JSON list. */
struct storus_plan_steps {
	struct torus_text lines, json;
};

/* torus_cnp_each and torus_preemptive_each; arg: struct storus_plan_steps. */
void storus_plan_cnp_step(void *arg, const struct torus_cnp_matrix *a,
			  uint32_t job);
void storus_plan_preemptive_step(void *arg, const struct torus_preemptive *p,
				 uint32_t job, int step);

/* Append a time of a plan, minus `from` unless that is NULL. */
void storus_plan_time(struct torus_text *to, const struct torus_cnp *plan,
		      const struct torus_cnp_time *t,
		      const struct torus_cnp_time *from);
/* Append the load on a free entry, at the step READY. */
void storus_plan_load(struct torus_text *to, const struct torus_cnp_matrix *a,
		      uint32_t entry);
/* Return the number of jobs that run in two parts. */
uint32_t storus_plan_preemptions(const struct torus_preemptive *p);

/* The plan of one of the two schedulers, the other is NULL. */
struct storus_plan_result {
	const struct torus_offline_jobs *jobs;
	const struct torus_cnp *cnp;
	const struct torus_preemptive *preemptive;
	const char *deadline;                  /* as typed, or NULL */
	const char *command;                   /* the command line */
	const struct storus_plan_steps *steps; /* or NULL */
};

extern const struct storus_column storus_plan_columns[];

/* JSON to table->json, and the rows to stdout or table->csv unless the JSON goes to
 * stdout. An exit status, after a line on stderr. */
int storus_plan_print(const struct storus_plan_result *r,
		      struct storus_table *table);

#endif
