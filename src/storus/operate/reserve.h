/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of `storus reserve`, and its output. */
#ifndef STORUS_RESERVE_H
#define STORUS_RESERVE_H

#include "questions/forward.h"
#include "questions/freeing.h"
#include "storus/machine/question.h"
#include "storus/base/table.h"

/* A snapshot in which waiting jobs have the nodes and times of the forecast: what a
 * reservation would get in the way of. Zeroed = none. */
struct reserve_plan {
	struct snapshot with; /* all but its jobs is the snapshot's */
	struct forward forward;
};

/* The snapshot must outlive it. -1 with ENOMEM. */
int reserve_plan_make(struct reserve_plan *plan, const struct snapshot *s);
void reserve_plan_free(struct reserve_plan *plan);

struct reserve {
	struct storus_question q;
	const char *shape, *start, *duration, *name, *users, *accounts, *flags;
	const char *release;
	struct storus_table table;
	bool dry_run;
	int64_t start_us, end_us;
	uint64_t *allowed, *cost;
	struct reserve_plan plan;
	struct freeing f;
	char answer[256]; /* of scontrol */
};

extern const struct storus_column reserve_columns[];

/* Print sentences; write it as JSON or as a row, `nodes` with commas. An exit status. */
void reserve_print(const struct reserve *r, const char *region);
int reserve_put_row(struct reserve *r, const char *region, const char *nodes);

#endif
