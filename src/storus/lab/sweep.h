/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of storus sweep share. */
#ifndef STORUS_SWEEP_H
#define STORUS_SWEEP_H

#include <jansson.h>

#include "campaign/results.h"
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
	bool *lacks; /* per cell: it has no result */
	uint32_t n, done, failed;
	uint32_t wanted;  /* cells in all; */
	uint32_t missing; /* without a result; */
	uint32_t twins;   /* that get the result of another */
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

/*
 * The cells of two policies on the same jobs, seed by seed, and their measures.
 *
 * Means and percentiles are over the jobs that completed under both policies: a
 * policy that rejects the jobs that would wait must not win by that. Where some
 * did not complete, the two cells are replayed again to find those that did.
 */

/* Values of the pairs: of the first policy, of the second, the differences. */
struct sweep_values {
	double *value[3];
	uint32_t n;
};

/* What the values of a measure are. */
enum sweep_kind {
	SWEEP_SEEDS,     /* of independent runs */
	SWEEP_RESAMPLES, /* of resamples of one log */
	SWEEP_BATCHES,   /* of pieces of time of one log */
};

struct sweep_pairs {
	const struct torus_results_row **row[2]; /* the pairs' cells */
	uint32_t n;
	enum sweep_kind kind;
	const struct torus_results_row *log[2]; /* the log's own cells, or NULL */
	double own[TORUS_MEASURES][3]; /* its values, as sweep_values; NAN: none */
	uint32_t growing; /* pairs in which a queue grows to the end */
	uint64_t count[2][TORUS_COUNTS]; /* sums over the pairs */
	uint64_t jobs;                   /* of all pairs */
	uint64_t common;                 /* completed under both; at most, where
					    refused without a replay */
	bool refused;                    /* too few: no means and percentiles */
	struct sweep_values measure[TORUS_MEASURES];
};

/* For up to so many pairs. 0, or -1 without memory. */
int sweep_pairs_init(struct sweep_pairs *pairs, uint32_t room);
void sweep_pairs_free(struct sweep_pairs *pairs);

/* Forget the pairs. */
void sweep_pairs_clear(struct sweep_pairs *pairs);
void sweep_pairs_add(struct sweep_pairs *pairs,
		     const struct torus_results_row *a,
		     const struct torus_results_row *b);

/*
 * Fill the measures in. c: the campaign, to replay cells again; NULL: it was not
 * named. least: the share of the jobs that must have completed under both. 0, or
 * -1 with lines in err.
 */
int sweep_pairs_measure(struct sweep_pairs *pairs,
			const struct torus_campaign *c, double least,
			struct torus_error *err);

/* Return true if two cells have batches of the same jobs. */
bool sweep_pairs_batched(const struct torus_results_row *a,
			 const struct torus_results_row *b);

#endif
