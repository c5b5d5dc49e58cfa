/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mao, Chen, Watson (2005): semitori on two machines, with two logs of the
 * Parallel Workloads Archive (--traces), sizes scaled by 8 or 2 and rounded up
 * to a power of two, run times multiplied by c = 0.2 ... 2.0 in steps of 0.05.
 * U counts the rounded sizes; estimates are the run times.
 *
 * Only backfilling on QCDOC with the SDSC log ends earlier, at c = 1.2: its
 * load then exceeds the machine (1.1 times as much), so that the queue only
 * grows, and a pass queries a strategy with memory about each of tens of
 * thousands of jobs.
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/papers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAPER "Mao, Chen, Watson 2005"
#define NASA "NASA-iPSC-1993-3.1-cln.swf.gz"
#define SDSC "SDSC-SP2-1998-4.2-cln.swf.gz"

#define VALUES 37 /* of c */
#define VALUES_QUICK 5

struct setting {
	const char *log, *torus, *flat;
	int scale;
	uint32_t easy; /* the largest c with backfilling on the torus, x 100 */
	bool largest;  /* with the largest free piece first as well */
};

/* Write the file of a machine whose strategy takes the largest free piece
 * first. */
static void largest_write(const struct torus_lab *lab, const char *strategy)
{
	char *path;
	FILE *out;

	if (asprintf(&path, "%s/mao-largest-%s.yaml", lab->directory,
		     strategy) < 0)
		return;
	out = fopen(path, "we");
	free(path);
	if (!out) /* the missing file is reported when the campaign is read */
		return;
	fprintf(out,
		"toruses:\n- {name: qcdoc, dims: [2, 2, 2, 4, 4, 8], strategy: semitorus-%s, options: {identify: largest}}\n",
		strategy);
	torus_lab_close(out);
}

/* Write the parts for each c: the torus, the machine without topology and, with
 * `largest`, the torus with the largest pieces first. */
static void mao_campaign(FILE *out, const struct torus_lab *lab,
			 const struct setting *s, uint32_t part)
{
	uint32_t kinds = s->largest ? 3 : 2, kind = part % kinds;
	uint32_t c = 20 + part / kinds * (lab->quick ? 40 : 5); /* x 100 */

	fprintf(out, "traces: [\"%s/%s\"]\n", lab->traces, s->log);
	if (kind == 2) {
		largest_write(lab, "ep");
		largest_write(lab, "nep");
		fprintf(out,
			"machines: [mao-largest-ep.yaml, mao-largest-nep.yaml]\n");
	} else {
		fprintf(out, "machines: [\"%s\"]\n", kind ? s->flat : s->torus);
	}
	if (kind == 0)
		fprintf(out, "strategies: [semitorus-ep, semitorus-nep]\n");
	fprintf(out,
		"disciplines: [fcfs%s]\n"
		"options: {scale: %d, round_up_pow2: true, estimate: run, run_scale: %u.%02u}\n",
		kind != 1 && c > s->easy ? "" : ", easy", s->scale, c / 100,
		c % 100);
}

#define QCDOC "2x2x2x4x4x8"
#define JLAB "2x2x2x6x8"

#define STUDY(id, name, kinds, ...)                                             \
	static void id##_write(FILE *out, const struct torus_lab *lab,          \
			       uint32_t part, uint32_t seeds)                   \
	{                                                                       \
		(void)seeds;                                                    \
		mao_campaign(out, lab, &(struct setting){ __VA_ARGS__ }, part); \
	}                                                                       \
	static const struct torus_study id = {                                  \
		name, (kinds)*VALUES, id##_write,          1,                   \
		1,    true,           (kinds)*VALUES_QUICK                      \
	}

STUDY(nasa_qcdoc, "mao-nasa-qcdoc", 2, NASA, QCDOC, "flat:1024", 8, 200, false);
STUDY(nasa_jlab, "mao-nasa-jlab", 2, NASA, JLAB, "flat:384", 2, 200, false);
STUDY(sdsc_qcdoc, "mao-sdsc-qcdoc", 3, SDSC, QCDOC, "flat:1024", 8, 120, true);
STUDY(sdsc_jlab, "mao-sdsc-jlab", 2, SDSC, JLAB, "flat:384", 2, 200, false);

#define LINE(name, its_machine, its_strategy, its_discipline)                  \
	{                                                                      \
		.label = name, .machine = its_machine,                         \
		.strategy = its_strategy, .discipline = its_discipline         \
	}
#define SERIES(torus, flat)                                                    \
	LINE("FCFS/EP", torus, "semitorus-ep", "fcfs"),                        \
		LINE("FCFS/NEP", torus, "semitorus-nep", "fcfs"),              \
		LINE("FCFS/flat", flat, NULL, "fcfs"),                         \
		LINE("EASY/EP", torus, "semitorus-ep", "easy"),                \
		LINE("EASY/NEP", torus, "semitorus-nep", "easy"),              \
		LINE("EASY/flat", flat, NULL, "easy")

static const struct torus_series qcdoc[] = {
	SERIES(QCDOC, "flat:1024"),
	{ .label = NULL },
};
static const struct torus_series jlab[] = {
	SERIES(JLAB, "flat:384"),
	{ .label = NULL },
};
static const struct torus_series by_load[] = {
	SERIES(QCDOC, "flat:1024"),
	LINE("FCFS/EP, largest", "mao-largest-ep.yaml", NULL, "fcfs"),
	LINE("EASY/EP, largest", "mao-largest-ep.yaml", NULL, "easy"),
	{ .label = "EASY/NEP, largest",
	  .machine = "mao-largest-nep.yaml",
	  .discipline = "easy",
	  .undrawn = true },
	{ .label = NULL },
};

#define SATURATES(label, value)                                                \
	{                                                                      \
		label, value, NAN, 0.025, NULL                                 \
	}
static const struct torus_reading fig3_readings[] = {
	SATURATES("FCFS/EP", 0.65),
	SATURATES("FCFS/NEP", 0.70),
	SATURATES("FCFS/flat", 0.77),
	SATURATES("EASY/NEP", 0.90),
	{ TORUS_ALL_SERIES, 0.50, NAN, 0.025, NULL },
	{ .series = NULL },
};
static const struct torus_reading fig4_readings[] = {
	{ "EASY/NEP", 0.80, NAN, 0.025, NULL },
	{ .series = NULL },
};
static const struct torus_reading sdsc_readings[] = {
	SATURATES("FCFS/EP", 0.45),
	SATURATES("FCFS/NEP", 0.55),
	{ .series = NULL },
};
static const struct torus_reading fig6_readings[] = {
	SATURATES("FCFS/EP", 0.45),
	SATURATES("FCFS/NEP", 0.55),
	SATURATES("EASY/NEP", 0.95),
	{ .series = NULL },
};
static const struct torus_reading fig7_readings[] = {
	{ "FCFS/EP", 0.56, 0.55, 0.025, NULL },
	{ "FCFS/NEP", 0.62, 0.60, 0.025, NULL },
	{ "EASY/EP", 0.80, 0.85, 0.025, NULL },
	{ "EASY/NEP", 0.90, NAN, 0.05, NULL },
	{ .series = NULL },
};

#define TURN                                                                   \
	" Saturates means the same in all figures: the highest utilization over all c."
#define NOTE(factor)                                                           \
	"Sizes times " factor                                                  \
	", rounded up to powers of two, which the utilization counts; run times, which are the estimates as well, times c = 0.2 ... 2.0 in steps of 0.05."
#define SHORT                                                                  \
	" Backfilling on the torus ends at c = 1.2: from 1.1 on more work arrives than the machine can do, and the queue only grows."

#define LARGEST                                                                \
	" Largest: a job takes the largest free piece that has room for it, not the smallest (option identify of the strategy); the paper does not say which."

#define SLOWDOWN                                                               \
	.key = "run_scale", .x = "utilization_granted",                        \
	.y = "mean_bounded_slowdown", .x_title = "system utilization",         \
	.y_title = "mean bounded slowdown", .y_log = true,                     \
	.gnuplot = "set xrange [0:1]\n"

#define FROM(the_study, log, the_series)                                       \
	.study = &(the_study), .trace = log, .series = the_series

const struct torus_experiment torus_mao_experiments[] = {
	EXPERIMENT("mao-fig3", "Fig. 3", "NASA iPSC/860 on QCDOC " QCDOC,
		   FROM(nasa_qcdoc, NASA, qcdoc), SLOWDOWN,
		   .claims = torus_mao_fig3_claims, .note = NOTE("8") TURN,
		   .readings = fig3_readings),
	EXPERIMENT("mao-fig4", "Fig. 4", "NASA iPSC/860 on JLAB " JLAB,
		   FROM(nasa_jlab, NASA, jlab), SLOWDOWN,
		   .claims = torus_mao_fig4_claims, .note = NOTE("2"),
		   .readings = fig4_readings),
	EXPERIMENT("mao-fig5", "Fig. 5", "SDSC RS/6000 SP on QCDOC " QCDOC,
		   FROM(sdsc_qcdoc, SDSC, qcdoc), SLOWDOWN,
		   .claims = torus_mao_sdsc_claims,
		   .note = NOTE("8") SHORT TURN, .readings = sdsc_readings),
	EXPERIMENT("mao-fig6", "Fig. 6", "SDSC RS/6000 SP on JLAB " JLAB,
		   FROM(sdsc_jlab, SDSC, jlab), SLOWDOWN,
		   .claims = torus_mao_fig6_claims, .note = NOTE("2") TURN,
		   .readings = fig6_readings),
	EXPERIMENT("mao-fig7", "Fig. 7", "utilization by load, SDSC on QCDOC",
		   FROM(sdsc_qcdoc, SDSC, by_load), .key = "run_scale",
		   .y = "utilization_granted", .place = torus_mao_load,
		   .x_title = "system load", .y_title = "system utilization",
		   .y_top = 1, .claims = torus_mao_fig7_claims,
		   .note = NOTE("8") SHORT TURN LARGEST
		   " The system load is proportional to c: the utilization of EASY/flat at c = 0.2, where nothing waits for long, over 0.2, times c.",
		   .readings = fig7_readings),
	{ .name = NULL },
};
