/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bani-Mohammad, Ould-Khaoua, Ababneh, Mackenzie: sub-meshes in 3D meshes.
 * Section VI: 8x8x8 (Figs. 13, 14 also 16x16x16), first come first served, runs
 * of 1000 jobs, sides uniform or exponential. Strategies without turning get
 * requests whose sides are pinned to the mesh's dimensions.
 *
 * "Average allocation time" (Figs. 7, 8) is here the mean time of one search of the
 * paper's programs (bani_times.c).
 *
 * One threshold per word: the paper's means have relative errors below 5 % (section
 * VI), so that a ratio of two of them is reproduced within 10 %, and a mean within
 * 5 %, as drawn; very close and as good are within 3 %, the same within 2 %; better
 * utilizations differ by 0.05; substantially better is by a fifth. "Can not exceed" is
 * a bound and has no tolerance.
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"
#include "papers/experiment/papers.h"

#include <math.h>
#include <string.h>

#define PAPER "Bani-Mohammad et al."

/* Uniform sides saturate the mesh at 4.6 jobs per time unit. Exponential sides
 * are smaller and saturate it at a far higher rate. */
static const double uniform_rates[] = { 1,   1.8, 2.6, 3.0, 3.4,
					3.8, 4.2, 4.6, 5,   0 };
static const double uniform_quick[] = { 1, 2.6, 3.8, 4.2, 4.6, 0 };
static const double exponential_rates[] = { 1, 1.8, 2.6, 3.4, 4.2, 4.6, 5, 5.5,
					    6, 7,   8,   10,  12,  14,  0 };
static const double exponential_quick[] = { 1, 2.6, 4.6, 14, 0 };

#define UNIFORM_MOST 4.6
#define EXPONENTIAL_MOST 14

static void bani_campaign(FILE *out, const struct torus_lab *lab,
			  bool exponential, const char *machine, bool turn,
			  const char *seeds, const char *strategies)
{
	const double *rate = exponential ? exponential_rates : uniform_rates;

	if (lab->quick)
		rate = exponential ? exponential_quick : uniform_quick;
	fprintf(out, "traces:\n");
	for (; *rate; rate++)
		fprintf(out,
			"- {model: bani-%s, machine: \"%s\", jobs: 1000, rotate: %d, rate: %g}\n",
			exponential ? "exponential" : "uniform", machine, turn,
			*rate);
	fprintf(out,
		"machines: [\"%s\"]\nstrategies: %s\ndisciplines: [fcfs]\nseeds: %s\n",
		machine, strategies, seeds);
}

/* With turning, and without. */
static void bani_both(FILE *out, const struct torus_lab *lab, bool exponential,
		      uint32_t part, const char *seeds)
{
	bani_campaign(out, lab, exponential, "8x8x8:MMM", part == 0, seeds,
		      part ? "[submesh-bl, submesh-ff]" :
			     "[submesh-tbl, submesh-tff, submesh]");
}

static void bani_uniform_write(FILE *out, const struct torus_lab *lab,
			       uint32_t part, const char *seeds)
{
	bani_both(out, lab, false, part, seeds);
}

static void bani_exponential_write(FILE *out, const struct torus_lab *lab,
				   uint32_t part, const char *seeds)
{
	bani_both(out, lab, true, part, seeds);
}

static void bani_meshes_write(FILE *out, const struct torus_lab *lab,
			      uint32_t part, const char *seeds)
{
	bani_campaign(out, lab, part >= 2,
		      part % 2 ? "16x16x16:MMM" : "8x8x8:MMM", true, seeds,
		      "[submesh-tbl]");
}

static const struct torus_study uniform = {
	"bani-uniform", 2, bani_uniform_write, 100, 8, false, 0,
};
static const struct torus_study exponential = {
	"bani-exponential", 2, bani_exponential_write, 100, 8, false, 0,
};
static const struct torus_study meshes = {
	"bani-meshes", 4, bani_meshes_write, 30, 5, false, 0,
};

#define MESH "8x8x8:MMM"
#define LINE(name, the_strategy, turn)                                         \
	{                                                                      \
		.label = name, .machine = MESH, .strategy = the_strategy,      \
		.trace = "rotate=" turn                                        \
	}
#define SIZE(name, the_machine, sides, hidden)                                 \
	{                                                                      \
		.label = name, .machine = the_machine,                         \
		.strategy = "submesh-tbl", .trace = "bani-" sides,             \
		.undrawn = hidden                                              \
	}
static const struct torus_series four[] = {
	LINE("BL", "submesh-bl", "0"),          LINE("FF", "submesh-ff", "0"),
	LINE("TBL", "submesh-tbl", "1"),        LINE("TFF", "submesh-tff", "1"),
	LINE("submesh (ours)", "submesh", "1"), { .label = NULL },
};
static const struct torus_series turning[] = {
	LINE("TBL", "submesh-tbl", "1"),
	LINE("TFF", "submesh-tff", "1"),
	{ .label = NULL },
};
static const struct torus_series uniform_sizes[] = {
	SIZE("8x8x8", MESH, "uniform", false),
	SIZE("16x16x16", "16x16x16:MMM", "uniform", false),
	{ .label = NULL },
};
static const struct torus_series exponential_sizes[] = {
	SIZE("8x8x8", MESH, "exponential", false),
	SIZE("16x16x16", "16x16x16:MMM", "exponential", false),
	SIZE("8x8x8, uniform", MESH, "uniform", true),
	{ .label = NULL },
};

#define OURS                                                                   \
	"the factor is that of two programs on one machine; the order is the paper's"
#define SATURATED                                                              \
	"with turning the mesh is nearly saturated from 2.6 on (Fig. 11): from there on the searches are alike; the difference grows up to 2.6"

#define UNIFORM_FF                                                             \
	"half a point above it, as in independent implementations of the model (.368); the precision of the paper's bound is not stated"

static void growth_claim(struct torus_lab *lab, double most, const char *why)
{
	const struct torus_point *ours[] = { torus_lab_at(lab, "TBL", 2.6),
					     torus_lab_at(lab, "TBL", most) };
	const struct torus_point *theirs[] = { torus_lab_at(lab, "TFF", 2.6),
					       torus_lab_at(lab, "TFF", most) };
	struct torus_moments growth;
	char spread[48];

	if (!ours[0] || !ours[1] || !theirs[0] || !theirs[1]) {
		torus_lab_missing(lab, "TBL", most,
				  "the difference grows with the load");
		return;
	}
	growth = torus_lab_sum(TORUS_TERMS({ theirs[1], 1 }, { ours[1], -1 },
					   { theirs[0], -1 }, { ours[0], 1 }));
	torus_lab_claim(lab, torus_lab_within(&growth, 0, INFINITY), why,
			"the difference grows with the load",
			"the 95 % interval of its growth is above 0",
			"%.3g us at 2.6; at %g %.3g%s us more",
			theirs[0]->y.mean - ours[0]->y.mean, most, growth.mean,
			torus_lab_spread(&growth, spread));
}

static void time_claims(struct torus_lab *lab)
{
	torus_lab_every_less(lab, "TBL", "TFF", TORUS_LAB_ALL, OURS,
			     "TBL allocates faster than TFF whatever the load");
	torus_lab_ratio(lab, "TBL", "TFF", UNIFORM_MOST,
			TORUS_BAND(0.33, 0.033), OURS,
			"its time is 0.33 of TFF's at 4.6 jobs per time unit");
	growth_claim(lab, UNIFORM_MOST, SATURATED);
}

static void time_claims_exponential(struct torus_lab *lab)
{
	torus_lab_every_less(lab, "TBL", "TFF", TORUS_LAB_ALL, OURS,
			     "TBL allocates faster than TFF whatever the load");
	growth_claim(lab, EXPONENTIAL_MOST, OURS);
}

#define AT_LEAST_AS_GOOD TORUS_BAND(0.515, 0.515) /* up to 1.03 */

static void turnaround_claims(struct torus_lab *lab)
{
	torus_lab_ratio(lab, "TBL", "FF", 3.8, TORUS_BAND(0.47, 0.047), NULL,
			"TBL's turnaround is 0.47 of FF's at 3.8 jobs per time unit");
	torus_lab_ratio(lab, "TBL", "FF", 4.2, TORUS_BAND(0.53, 0.053), NULL,
			"0.53 at 4.2");
	torus_lab_ratio(lab, "TBL", "FF", 4.6, TORUS_BAND(0.56, 0.056), NULL,
			"0.56 at 4.6");
	torus_lab_ratio(lab, "BL", "FF", 4.6, TORUS_BAND(1, 0.03), NULL,
			"BL is as good as FF");
	torus_lab_ratio(lab, "TBL", "TFF", 4.6, TORUS_BAND(1, 0.03), NULL,
			"TBL is very close to TFF");
	torus_lab_ratio(lab, "TBL", "TFF", 4.6, AT_LEAST_AS_GOOD, NULL,
			"conclusion: TBL is at least as good as TFF");
}

/* "Substantially": by at least a fifth. */
static void turnaround_claims_exponential(struct torus_lab *lab)
{
	torus_lab_ratio(lab, "TBL", "FF", EXPONENTIAL_MOST,
			TORUS_BAND(0.4, 0.4), NULL,
			"with turning TBL is substantially better than FF (14 jobs per time unit)");
	torus_lab_ratio(lab, "TBL", "BL", EXPONENTIAL_MOST,
			TORUS_BAND(0.4, 0.4), NULL, "and than BL");
	torus_lab_ratio(lab, "TBL", "TFF", EXPONENTIAL_MOST,
			TORUS_BAND(1, 0.03), NULL, "TBL is very close to TFF");
	torus_lab_ratio(lab, "TBL", "TFF", EXPONENTIAL_MOST, AT_LEAST_AS_GOOD,
			NULL, "conclusion: TBL is at least as good as TFF");
}

/* Figs. 11 and 12 have the same claims. most: the highest rate; low: a rate at
 * which no job waits for long. */
static void utilization_claims_at(struct torus_lab *lab, double most,
				  double low, const char *why)
{
	static const char *const others[] = { "BL", "TFF", "TBL" };
	char says[120];

	for (int i = 0; i < 3; i++) {
		snprintf(says, sizeof(says),
			 "at low loads all have the same utilization (%s, FF; up to %g)",
			 others[i], low);
		torus_lab_every_ratio(lab, others[i], "FF", TORUS_RANGE(0, low),
				      TORUS_RANGE(0.98, 1.02), NULL, says);
	}
	torus_lab_less(lab, "FF", "TFF", most, 0.05, NULL,
		       "at high loads it is better with turning (TFF, FF)");
	torus_lab_less(lab, "BL", "TBL", most, 0.05, NULL,
		       "at high loads it is better with turning (TBL, BL)");
	torus_lab_near(lab, "TBL", most, 0.48, 0.034, NULL,
		       "with turning 47 % to 49 % (TBL)");
	torus_lab_near(lab, "TFF", most, 0.48, 0.034, NULL,
		       "with turning 47 % to 49 % (TFF)");
	torus_lab_below(lab, "FF", most, 0.36, why,
			"without it at most 36 % (FF)");
	torus_lab_below(lab, "BL", most, 0.36, why,
			"without it at most 36 % (BL)");
}

static void utilization_claims(struct torus_lab *lab)
{
	utilization_claims_at(lab, UNIFORM_MOST, 1, UNIFORM_FF);
}

static void utilization_claims_exponential(struct torus_lab *lab)
{
	utilization_claims_at(lab, EXPONENTIAL_MOST, 2.6, NULL);
}

#define GROWS                                                                  \
	"the sides grow with the mesh, but the largest of 16 x 16 x 16 is as likely as that of 8 x 8 x 8, and small ones are more finely divided: m grows by more than a tenth"

/* Only a full mesh allows a claim: below saturation the number of running jobs
 * is the rate times the mean run time, whatever the mesh (Little's law). That m is
 * much lower than n is no claim: m is at most n over the mean size of a job. */
static void count_claims(struct torus_lab *lab)
{
	torus_lab_ratio(lab, "16x16x16", "8x8x8", UNIFORM_MOST,
			TORUS_BAND(1, 0.1), GROWS,
			"m does not grow with the mesh (saturated)");
}

/* "Largest with exponential sides": both meshes full. */
static void count_claims_exponential(struct torus_lab *lab)
{
	const char *says =
		"m is largest with exponential sides (saturated, 8x8x8)";
	const struct torus_point *u = torus_lab_at(lab, "8x8x8, uniform",
						   UNIFORM_MOST);
	const struct torus_point *e = torus_lab_at(lab, "8x8x8",
						   EXPONENTIAL_MOST);
	struct torus_moments more;
	char spread[48];

	torus_lab_ratio(lab, "16x16x16", "8x8x8", EXPONENTIAL_MOST,
			TORUS_BAND(1, 0.1), GROWS,
			"m does not grow with the mesh (saturated)");
	if (!u || !e) {
		torus_lab_missing(lab, "8x8x8", EXPONENTIAL_MOST, says);
		return;
	}
	more = torus_lab_sum(TORUS_TERMS({ e, 1 }, { u, -1 }));
	torus_lab_claim(lab, torus_lab_within(&more, 0, INFINITY), NULL, says,
			"the 95 % interval of the difference is above 0",
			"uniform %.4g at %g, exponential %.4g at %g; difference %.3g%s",
			u->y.mean, UNIFORM_MOST, e->y.mean,
			(double)EXPONENTIAL_MOST, more.mean,
			torus_lab_spread(&more, spread));
}

#define AS_WELL "the lists of a larger mesh are a little longer (Fig. 13)"

static void complexity_claims(struct torus_lab *lab)
{
	const char *label[] = { "TBL", "TFF" };
	struct torus_moments growth[2];
	char spread[48];

	for (int i = 0; i < 2; i++) {
		const struct torus_point *a = torus_lab_at(lab, label[i], 8);
		const struct torus_point *b = torus_lab_at(lab, label[i], 16);

		if (!a || !b) {
			torus_lab_missing(lab, label[i], 16, "the times grow");
			return;
		}
		growth[i] = torus_lab_ratio_of(b, a);
	}
	torus_lab_claim(lab, torus_lab_within(&growth[0], 0, 1.1), AS_WELL,
			"TBL's time does not grow with the mesh (8x8x8 to 16x16x16)",
			"the 95 % interval of the factor is below 1.1",
			"by a factor of %.3g%s", growth[0].mean,
			torus_lab_spread(&growth[0], spread));
	torus_lab_claim(lab, torus_lab_within(&growth[1], 1.1, INFINITY), NULL,
			"TFF's does",
			"the 95 % interval of the factor is above 1.1",
			"by a factor of %.3g%s", growth[1].mean,
			torus_lab_spread(&growth[1], spread));
}

static const struct torus_reading time_readings[] = {
	{ "TBL", UNIFORM_MOST, 0.33, 0.033, "TFF" },
	{ .series = NULL },
};
static const struct torus_reading turnaround_readings[] = {
	{ "TBL", 3.8, 0.47, 0.047, "FF" },
	{ "TBL", 4.2, 0.53, 0.053, "FF" },
	{ "TBL", 4.6, 0.56, 0.056, "FF" },
	{ .series = NULL },
};
static const struct torus_reading utilization_readings[] = {
	{ "TBL", NAN, 0.48, 0.034, NULL },
	{ "FF", NAN, 0.36, 0, NULL },
	{ .series = NULL },
};

#define X .key = "rate", .x_title = "jobs per time unit"
#define FROM(the_study, sides, the_series)                                     \
	.study = &(the_study), .trace = "bani-" sides " ", .series = the_series
#define TIME                                                                   \
	.y = "search_us", .y_title = "mean time of a search (us)",             \
	.y_log = true, .series = turning,                                      \
	.note = "Processor times of this machine. Both searches are the paper's, as one program each: First Fit tests the nodes of a box at each base, TBL subtracts regions from planes; what the product adds to them, a list of free boxes and an erosion that rules out orientations first, is left out."
#define TURNAROUND .y = "mean_response_s", .y_title = "turnaround (time units)"
#define UTILIZATION                                                            \
	.y = "utilization", .y_title = "mean system utilization", .y_top = 0.6
#define COUNT .y = "mean_running_jobs", .y_title = "allocated sub-meshes"

const struct torus_experiment torus_bani_experiments[] = {
	EXPERIMENT("bani-fig7", "Fig. 7", "allocation time, uniform sides",
		   .verdicts = "rnu", .exact = torus_bani_times,
		   .trace = "bani-uniform", X, TIME, .claims = time_claims,
		   .readings = time_readings),
	EXPERIMENT("bani-fig8", "Fig. 8", "allocation time, exponential sides",
		   .exact = torus_bani_times, .trace = "bani-exponential", X,
		   TIME, .claims = time_claims_exponential),
	EXPERIMENT("bani-complexity", "section V",
		   "time of a search by the side of the mesh, uniform sides",
		   .verdicts = "ur", .exact = torus_bani_growth,
		   .trace = "bani-uniform", .key = "side",
		   .x_title = "side of the mesh", TIME,
		   .gnuplot = "set xtics 4\n", .claims = complexity_claims),
	EXPERIMENT("bani-fig9", "Fig. 9", "turnaround, uniform sides",
		   FROM(uniform, "uniform", four), X, TURNAROUND,
		   .claims = turnaround_claims, .readings = turnaround_readings),
	EXPERIMENT("bani-fig10", "Fig. 10", "turnaround, exponential sides",
		   FROM(exponential, "exponential", four), X, TURNAROUND,
		   .claims = turnaround_claims_exponential),
	EXPERIMENT("bani-fig11", "Fig. 11", "utilization, uniform sides",
		   .verdicts = "rrrrrrrnn", FROM(uniform, "uniform", four), X,
		   UTILIZATION, .claims = utilization_claims,
		   .readings = utilization_readings),
	EXPERIMENT("bani-fig12", "Fig. 12", "utilization, exponential sides",
		   FROM(exponential, "exponential", four), X, UTILIZATION,
		   .claims = utilization_claims_exponential,
		   .readings = utilization_readings),
	EXPERIMENT("bani-fig13", "Fig. 13",
		   "allocated sub-meshes, uniform sides",
		   FROM(meshes, "uniform", uniform_sizes), X, COUNT,
		   .claims = count_claims),
	EXPERIMENT("bani-fig14", "Fig. 14",
		   "allocated sub-meshes, exponential sides", .verdicts = "nr",
		   .study = &meshes, .trace = "bani-",
		   .series = exponential_sizes, X, COUNT,
		   .claims = count_claims_exponential),
	{ .name = NULL },
};
