/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of storus sweep share. */
#ifndef STORUS_SWEEP_H
#define STORUS_SWEEP_H

#include <jansson.h>

#include "campaign/results.h"
#include "storus/base/interrupt.h"
#include "storus/base/progress.h"
#include "storus/base/table.h"
#include "storus/storus.h"

/* What was asked for. */
struct sweep_options {
	struct storus_list operand;
	const char *file;
	const char *command; /* all of it, for the JSON */
	const char *output;  /* the result file */
	struct storus_table table;
	const char *policy[2];   /* --compare */
	const char *report;      /* a page's file, or NULL */
	const char *list;        /* --task */
	const char *tasks_words; /* --sbatch */
	uint32_t workers, tasks;
	double common; /* per cent of the jobs that --compare needs */
	bool compare, show, slurm, dry_run, percentiles;
};

/* A campaign on its way. */
struct sweep {
	struct sweep_options *opts;
	struct torus_campaign *c;
	struct torus_result_file *results;
	uint32_t *todo; /* cells that have no result; their keys */
	char (*key)[TORUS_CELL_KEY_SIZE];
	uint32_t n, done, failed;
	uint32_t wanted; /* cells in all */
	struct storus_progress progress;
	struct torus_error err;
	bool broken; /* a result could not be kept: err says why */
};

/* Count and keep a result. 0 to go on, 1 to stop (s->broken). */
int sweep_keep(struct sweep *s, uint32_t cell, const char *summary,
	       const char *why);
void sweep_progress(struct sweep *s);

/* Read the traces of the cells to compute, and pass on what their readers say.
 * Exit status: one of them cannot be used. */
int sweep_traces(const struct sweep *s);

/* The remaining cells as a job array: submit, wait, collect. Exit status. */
int sweep_array(struct sweep *s);
/* One task of it. */
int sweep_task(struct torus_campaign *c, const char *list);

/* The table of means over seeds, or the paired differences of two policies;
 * as JSON where that is asked for. c: the campaign, to replay cells again, or
 * NULL. Exit status. */
extern const struct storus_column sweep_columns[];
int sweep_table(const struct torus_results *r, struct sweep_options *opts);
int sweep_compare(const struct torus_results *r, const struct torus_campaign *c,
		  struct sweep_options *opts);

/* A page of both, into opts->report. */
int sweep_report(const struct torus_results *r, const struct torus_campaign *c,
		 const struct sweep_options *opts);

/* The table's rows; NULL: no memory. */
json_t *sweep_table_rows(const struct torus_results *r);
/* The groups of opts->policy's differences. Exit status. */
int sweep_compare_rows(const struct torus_results *r,
		       const struct torus_campaign *c,
		       const struct sweep_options *opts, json_t **groups);

/* Put what is said about measure m where the summary has it. */
void sweep_measure_set(json_t *o, int m, json_t *value);

#endif
