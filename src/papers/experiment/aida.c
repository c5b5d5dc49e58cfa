/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aida, Kasahara, Narita (1998): queue disciplines for rigid jobs on a machine
 * without topology. Section 4: 5000 jobs, 100 replications, sizes uniform on
 * 1..256 of 256 processors, or as counted on a Cenju-3. Section 6: 500 jobs on
 * 8 processors; the paper ran them on a machine, this project simulates them.
 *
 * FPLPFS equals LPFS (section 3.3) and is not run. By definition WaitLimit has no
 * effect on FCFS and backfilling, so no claim is about it. FCFS(native) of section 6 is
 * FCFS with the overhead of a machine's own scheduler. It is not a discipline and is out
 * of scope.
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/papers.h"
#include "papers/experiment/aida_claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAPER "Aida, Kasahara, Narita 1998"
#define ALL "[fcfs, mpfs, lpfs, fpfs, fpmpfs, easy]"

static const double loads[] = { 0.1,  0.2, 0.3,  0.4, 0.5,  0.6, 0.65, 0.7,
				0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 0 };
static const double loads_quick[] = { 0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 0 };

/* Write the traces of one model at every load, and the other axes of a
 * campaign. */
static void aida_campaign(FILE *out, const struct torus_lab *lab,
			  const char *model, const char *machine,
			  const char *disciplines, const char *options,
			  const char *seeds)
{
	const double *load = lab->quick ? loads_quick : loads;

	fprintf(out, "traces:\n");
	for (; *load; load++)
		fprintf(out, "- {model: %s, nominal-load: %g}\n", model, *load);
	fprintf(out, "machines: [%s]\ndisciplines: %s\nseeds: %s\n", machine,
		disciplines, seeds);
	if (*options)
		fprintf(out, "options: {%s}\n", options);
}

#define UNIFORM "aida-uniform, jobs: 5000"

static void aida_uniform_write(FILE *out, const struct torus_lab *lab,
			       uint32_t part, const char *seeds)
{
	(void)part;
	aida_campaign(out, lab, UNIFORM, "flat:256", ALL, "", seeds);
}

static void aida_limit_write(FILE *out, const struct torus_lab *lab,
			     uint32_t part, const char *seeds)
{
	(void)part;
	aida_campaign(out, lab, UNIFORM, "flat:256", ALL, "wait_limit: 600s",
		      seeds);
}

/* The paper does not state the limits of Fig. 6. The last part has no limit,
 * and FCFS. */
static void aida_limits_write(FILE *out, const struct torus_lab *lab,
			      uint32_t part, const char *seeds)
{
	static const char *const option[] = {
		"wait_limit: 0s",    "wait_limit: 300s",  "wait_limit: 600s",
		"wait_limit: 1200s", "wait_limit: 3600s", "",
	};

	aida_campaign(out, lab, UNIFORM, "flat:256",
		      part == 5 ? "[fcfs, fpfs, fpmpfs]" : "[fpfs, fpmpfs]",
		      option[part], seeds);
}

/* Table 3 as stated, and with a constant part of the run times. */
static void aida_table_write(FILE *out, const struct torus_lab *lab,
			     uint32_t part, const char *seeds)
{
	(void)lab;
	fprintf(out,
		"traces:\n- {model: aida-uniform, jobs: 5000%s, nominal-load: 0.5}\n"
		"machines: [flat:256]\ndisciplines: " ALL "\nseeds: %s\n"
		"options: {wait_limit: 600s}\n",
		part ? ", overhead: 1.8" : "", seeds);
}

static void aida_real_write(FILE *out, const struct torus_lab *lab,
			    uint32_t part, const char *seeds)
{
	(void)part;
	aida_campaign(out, lab, "aida-real, jobs: 5000", "flat:8", ALL, "",
		      seeds);
}

static void aida_cenju_write(FILE *out, const struct torus_lab *lab,
			     uint32_t part, const char *seeds)
{
	aida_campaign(out, lab,
		      "aida-uniform, machine: flat:8, jobs: 500, mean-run: 32",
		      "flat:8", part ? "[fpfs, fpmpfs]" : "[fcfs]",
		      part ? "wait_limit: 600s" : "", seeds);
}

static const struct torus_study uniform = {
	"aida-uniform", 1, aida_uniform_write, 100, 5, false, 0,
};
static const struct torus_study limit = {
	"aida-limit", 1, aida_limit_write, 100, 5, false, 0,
};
static const struct torus_study limits = {
	"aida-limits", 6, aida_limits_write, 100, 5, false, 0,
};
static const struct torus_study table = {
	"aida-table3", 2, aida_table_write, 100, 20, false, 0,
};
static const struct torus_study real = {
	"aida-real", 1, aida_real_write, 100, 5, false, 0,
};
static const struct torus_study cenju = {
	"aida-cenju", 2, aida_cenju_write, 100, 10, false, 0,
};

/* The paper's algorithms, with a suffix after their names. */
#define LINE(name, its_discipline, its_options, its_trace)                     \
	{                                                                      \
		.label = name, .discipline = its_discipline,                   \
		.options = its_options, .trace = its_trace                     \
	}
#define HIDDEN(name, its_discipline, its_options, its_trace)                   \
	{                                                                      \
		.label = name, .discipline = its_discipline,                   \
		.options = its_options, .trace = its_trace, .undrawn = true    \
	}
#define SERIES(kind, suffix, options, trace)                                   \
	kind("FCFS" suffix, "fcfs", options, trace),                           \
		kind("MPFS" suffix, "mpfs", options, trace),                   \
		kind("LPFS" suffix, "lpfs", options, trace),                   \
		kind("FPFS" suffix, "fpfs", options, trace),                   \
		kind("FPMPFS" suffix, "fpmpfs", options, trace),               \
		kind("backfilling" suffix, "easy", options, trace)
#define NO_MORE                                                                \
	{                                                                      \
		.label = NULL                                                  \
	}
#define LIMITED "wait_limit=600s"
#define WITH_UNIFORM "aida-uniform jobs=5000 nominal-load"
#define WITH_REAL "aida-real"

static const struct torus_series without[] = {
	SERIES(LINE, "", "", NULL),
	NO_MORE,
};
static const struct torus_series with[] = {
	SERIES(LINE, "", LIMITED, NULL),
	SERIES(HIDDEN, ", no limit", "", NULL),
	NO_MORE,
};
static const struct torus_series real_sizes[] = {
	SERIES(LINE, "", "", WITH_REAL),
	SERIES(HIDDEN, ", uniform", "", WITH_UNIFORM),
	NO_MORE,
};

/* gnuplot comes last: a row may append to it. */
#define UTILIZATION                                                            \
	.x_title = "load", .y_title = "processor utilization",                 \
	.y = "utilization", .key = "nominal-load", .y_top = 1,                 \
	.gnuplot = "set xrange [0:1.02]\n"
#define RESPONSE                                                               \
	.x_title = "load", .y_title = "mean response time (s)",                \
	.y = "mean_response_s", .key = "nominal-load", .y_log = true,          \
	.gnuplot = "set xrange [0:1.02]\n"

static const struct torus_series limit_series[] = {
	LINE("no limit", "fpfs", "", NULL),
	LINE("WL = 3600", "fpfs", "wait_limit=3600s", NULL),
	LINE("WL = 1200", "fpfs", "wait_limit=1200s", NULL),
	LINE("WL = 600", "fpfs", "wait_limit=600s", NULL),
	LINE("WL = 300", "fpfs", "wait_limit=300s", NULL),
	LINE("WL = 0", "fpfs", "wait_limit=0s", NULL),
	LINE("FCFS", "fcfs", "", NULL),
	HIDDEN("FPMPFS, WL = 3600", "fpmpfs", "wait_limit=3600s", NULL),
	HIDDEN("FPMPFS, WL = 1200", "fpmpfs", "wait_limit=1200s", NULL),
	HIDDEN("FPMPFS, WL = 600", "fpmpfs", "wait_limit=600s", NULL),
	HIDDEN("FPMPFS, WL = 300", "fpmpfs", "wait_limit=300s", NULL),
	NO_MORE,
};

/* Other studies replay the same jobs at other loads and with other limits. */
#define STATED "jobs=5000 nominal-load=0.5"
#define FITTED "overhead=1.8"
static const struct torus_series table_series[] = {
	SERIES(LINE, "", LIMITED, STATED),
	SERIES(LINE, ", fitted", LIMITED, FITTED),
	NO_MORE,
};

#define FITTED_NOTE                                                            \
	"With exponential run times of mean 10 s, as stated, the variances are larger than the paper's; the rows called fitted have a constant part of 1.8 s in them (section 4.1: they include the loading of programs), chosen to approximate the paper's; they are no claim."
static const struct torus_reading table3_readings[] = {
	{ "FCFS", 0.5, 639, 0.5, NULL },
	{ "MPFS", 0.5, 1765, 0.5, NULL },
	{ "LPFS", 0.5, 1058, 0.5, NULL },
	{ "FPFS", 0.5, 365, 0.5, NULL },
	{ "FPMPFS", 0.5, 498, 0.5, NULL },
	{ "backfilling", 0.5, 370, 0.5, NULL },
	{ .series = NULL },
};

static const struct torus_series cenju_series[] = {
	LINE("FCFS", "fcfs", NULL, NULL),
	LINE("FPFS", "fpfs", NULL, NULL),
	LINE("FPMPFS", "fpmpfs", NULL, NULL),
	NO_MORE,
};

static const struct torus_reading fig3_readings[] = {
	{ "FCFS", 0.75, NAN, 0.005, NULL },
	{ .series = NULL },
};
static const struct torus_reading fig8_readings[] = {
	{ "FCFS", NAN, 0.75, 0.005, NULL },
	{ .series = NULL },
};
static const struct torus_reading fig11_readings[] = {
	{ "FPFS", 0.9, 1.09, 0.005, "FCFS" },
	{ "FPMPFS", 0.9, 0.97, 0.005, "FPFS" },
	{ "FPFS", 0.95, 0.81, 0.005, NULL },
	{ "FPMPFS", 0.95, 0.81, 0.005, NULL },
	{ .series = NULL },
};
static const struct torus_reading fig12_readings[] = {
	{ "FPFS", 0.8, 116, 0.5, NULL },
	{ "FCFS", 0.8, NAN, 0.025, NULL },
	{ .series = NULL },
};

const struct torus_series torus_aida_packings[] = {
	LINE("FCFS", "fcfs", NULL, NULL),
	LINE("FPFS", "fpfs", NULL, NULL),
	LINE("FPMPFS", "fpmpfs", NULL, NULL),
	NO_MORE,
};

#define NATIVE                                                                 \
	"FCFS(native), FCFS with the overhead of the machine's own scheduler, is out of scope; FCFS here is the paper's FCFS(improved)."
#define FROM(the_study, the_trace, the_series)                                 \
	.study = &(the_study), .trace = the_trace, .series = the_series

const struct torus_experiment torus_aida_experiments[] = {
	EXPERIMENT("aida-fig2", "Fig. 2", "utilization, uniform sizes",
		   .verdicts = "rrnnrrrrrnrr",
		   FROM(uniform, WITH_UNIFORM, without), UTILIZATION,
		   .claims = torus_aida_fig2_claims),
	EXPERIMENT("aida-fig3", "Fig. 3", "mean response time, uniform sizes",
		   .verdicts = "rrnrrrnnnnnunr",
		   FROM(uniform, WITH_UNIFORM, without), RESPONSE,
		   .claims = torus_aida_fig3_claims, .readings = fig3_readings),
	EXPERIMENT("aida-fig4", "Fig. 4", "utilization, WaitLimit 600 s",
		   .verdicts = "rnnrrnrrrrrrrr",
		   FROM(limit, WITH_UNIFORM, with), .also = &uniform,
		   UTILIZATION, .claims = torus_aida_fig4_claims),
	EXPERIMENT("aida-fig5", "Fig. 5", "mean response time, WaitLimit 600 s",
		   .verdicts = "rnnrrnnn", FROM(limit, WITH_UNIFORM, with),
		   .also = &uniform, RESPONSE, .claims = torus_aida_fig5_claims),
	EXPERIMENT("aida-fig6", "Fig. 6", "utilization, FPFS with WaitLimits",
		   .verdicts = "rrrrnnnn",
		   FROM(limits, WITH_UNIFORM, limit_series), UTILIZATION,
		   .claims = torus_aida_fig6_claims),
	EXPERIMENT("aida-table3", "Table 3", "variance of the response time",
		   .verdicts = "nrrrrrnnnnnn",
		   FROM(table, "aida-uniform jobs=5000", table_series),
		   .key = "nominal-load", .y = "var_response_s2",
		   .y_title = "variance (s2)",
		   .claims = torus_aida_table3_claims,
		   .readings = table3_readings, .note = FITTED_NOTE),
	EXPERIMENT("aida-fig7", "Fig. 7", "utilization, sizes of a Cenju-3",
		   FROM(real, "aida-", real_sizes), .also = &uniform,
		   UTILIZATION, .claims = torus_aida_fig7_claims),
	EXPERIMENT("aida-fig8", "Fig. 8",
		   "utilization and average case analysis",
		   .verdicts = "rrnrrnn", FROM(uniform, WITH_UNIFORM, without),
		   UTILIZATION
		   "set arrow from 0,0 to 1,1 nohead dt (2,3) lw 1.5 back\n",
		   .claims = torus_aida_fig8_claims, .readings = fig8_readings,
		   .note = "The diagonal is the analysis for FPFS and FPMPFS, the horizontal line that for FCFS."),
	EXPERIMENT("aida-packing", "section 5.2",
		   "v of the worst and of the average case, by bin packing",
		   .verdicts = "rrrrnu", .exact = torus_aida_packing,
		   .series = torus_aida_packings, .key = "worst", .y = "v",
		   .y_title = "share of busy processors",
		   .claims = torus_aida_packing_claims,
		   .note = "Jobs of equal run time that arrive at once make FCFS Next Fit, FPFS First Fit and FPMPFS First Fit Decreasing. Worst cases: the lists known to reach the bounds; average case: 5000 sizes, uniform on 1..256 of 256."),
	EXPERIMENT("aida-fig11", "Fig. 11", "utilization, set-up of section 6",
		   .verdicts = "rrnrur",
		   FROM(cenju, "mean-run=32", cenju_series),
		   UTILIZATION
		   "set xrange [0.38:1.02]\nset yrange [0.38:0.85]\n",
		   .claims = torus_aida_fig11_claims,
		   .readings = fig11_readings, .note = NATIVE),
	EXPERIMENT("aida-fig12", "Fig. 12",
		   "mean response time, set-up of section 6",
		   .verdicts = "nnnrr", FROM(cenju, "mean-run=32", cenju_series),
		   RESPONSE, .claims = torus_aida_fig12_claims,
		   .readings = fig12_readings, .note = NATIVE),
	{ .name = NULL },
};
