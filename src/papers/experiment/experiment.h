/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reproduction of published tables and figures: the data, the picture, and our
 * result for each claim of the paper.
 *
 * Most experiments are campaigns (campaign/campaign.h): the experiment writes
 * the campaign's file, its cells are computed like those of storus sweep and
 * stored in one result file, and the figure is drawn from that file. Figures
 * with the same runs share their campaigns. An interrupted experiment continues
 * where it stopped. An experiment without random numbers computes its data
 * itself (exact()).
 *
 * To add an experiment: a row in the paper's file.
 */
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include <stdio.h>

#include "campaign/result_file.h"

struct torus_lab;

/* Campaigns that figures share. Options hold for a whole campaign, so a study
 * may have several. */
struct torus_study {
	const char *name;
	uint32_t parts;
	/* Write part `part` as YAML, for these seeds: "1-50". */
	void (*write)(FILE *out, const struct torus_lab *lab, uint32_t part,
		      const char *seeds);
	uint32_t seeds, seeds_quick;
	bool traces;          /* needs the directory of logs */
	uint32_t parts_quick; /* 0: all */
};

/* A line of a figure: the cells that match all members that are not NULL. */
struct torus_series {
	const char *label;
	const char *machine; /* end of the machine's word */
	const char *strategy, *discipline;
	const char *options; /* part of the campaign's options; "": none */
	const char *trace;   /* part of the trace's words */
	bool undrawn;        /* used by claims only, not drawn */
};

/* A reading that is about every series of its figure. */
#define TORUS_ALL_SERIES "all"

/*
 * A value that the paper's text states, with its tolerance, drawn beside our
 * points. (The curves of the paper's figures are not available as numbers.)
 */
struct torus_reading {
	const char *series; /* whose colour it gets; TORUS_ALL_SERIES: black */
	double x, y;        /* NAN: a line across the whole figure */
	double error;       /* tolerance of y, or of x if y is NAN */
	const char *of;     /* NULL, or the series of which y is a factor: of
			       our point at x, or (NAN) of all points */
};

struct torus_experiment {
	const char *name;   /* aida-fig2 */
	const char *paper;  /* authors, year */
	const char *number; /* Fig. 2 */
	const char *title;
	/* NULL: no campaigns */
	const struct torus_study *study;
	const struct torus_study *also;    /* another study for comparison in
					      claims, or NULL */
	const char *trace;                 /* part of the trace's words */
	const struct torus_series *series; /* ended by label NULL */
	const char *key; /* the parameter of the trace, or the option of the
			    campaign, that varies */
	const char *x;   /* a measure of the summary; NULL: the key */
	/* computes x from the points; or NULL */
	double (*place)(const struct torus_lab *lab, double key);
	const char *y;                 /* a measure of the summary */
	const char *x_title, *y_title; /* x_title NULL: a table, no picture */
	double y_top;                  /* end of the y axis; 0: the data's */
	bool y_log;                    /* logarithmic, and by the data */
	const char *gnuplot;           /* additional settings, or NULL */
	/* computes an experiment without campaigns: files, claims or points; 0,
	 * or -1 with errno */
	int (*exact)(struct torus_lab *lab);
	/* tests the paper's claims on the points, or on exact()'s data */
	void (*claims)(struct torus_lab *lab);
	/* The least verdict of each claim that is no regression: r reproduced, u
	 * undecided, n not; as on the page, or of runs with fewer seeds where a
	 * claim or its test is newer. NULL: all are reproduced. */
	const char *verdicts;
	const char *note; /* sentences for the page, or NULL */
	const struct torus_reading *readings; /* ended by series NULL; or NULL */
};

/* Return experiment i of the registry, papers in order; NULL after the last. */
const struct torus_experiment *torus_experiment_at(size_t i);

#endif
