/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mao, Chen, Watson (2005): semitori on two machines, with two logs of the
 * Parallel Workloads Archive (--traces), sizes scaled by 8 or 2 and rounded up
 * to a power of two, run times multiplied by c = 0.2 ... 2.0 in steps of 0.05.
 * U counts the rounded sizes; estimates are the run times.
 *
 * Only backfilling on a torus with the SDSC log ends earlier, at c = 1.2 on QCDOC and
 * at 1.85 on JLAB: its load then exceeds the machine (1.1 times as much), so that the
 * queue only grows, and a pass queries a strategy with memory about each of tens of
 * thousands of jobs. Backfilling before the head's start asks about fewer.
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
	const char *log, *torus, *sides, *flat;
	const char *before; /* the machine files of BEFORE, without their ends */
	int scale;
	uint32_t easy; /* the largest c with backfilling on the torus, x 100 */
	bool others;   /* with LARGEST and COUNT as well: Fig. 7 */
};

/* The parts of each c. */
enum {
	TORUS_ITSELF,
	FLAT, /* the machine without topology */
	BEFORE, /* EASY in which only jobs that end before the head's start overtake */
	LARGEST, /* the largest free piece first */
	COUNT /* EASY in which only jobs overtake that end before the head's nodes
		    are free by count */
};

/* Write the machine files KIND-ep.yaml and KIND-nep.yaml, and their names. */
static void machines_write(FILE *out, const struct torus_lab *lab,
			   const struct setting *s, const char *kind,
			   const char *more)
{
	for (int nep = 0; nep < 2; nep++) {
		FILE *file = NULL;
		char *path;

		fprintf(out, "%s%s-%s.yaml", nep ? ", " : "machines: [", kind,
			nep ? "nep" : "ep");
		if (asprintf(&path, "%s/%s-%s.yaml", lab->directory, kind,
			     nep ? "nep" : "ep") < 0)
			continue;
		file = fopen(path, "we");
		free(path);
		if (!file) /* reported when the campaign is read */
			continue;
		fprintf(file,
			"toruses:\n- {name: torus, dims: [%s], strategy: semitorus-%s%s\n",
			s->sides, nep ? "nep" : "ep", more);
		torus_lab_close(file);
	}
	fprintf(out, "]\n");
}

static void mao_campaign(FILE *out, const struct torus_lab *lab,
			 const struct setting *s, uint32_t part)
{
	uint32_t kinds = s->others ? 5 : 3, kind = part % kinds;
	uint32_t c = 20 + part / kinds * (lab->quick ? 40 : 5); /* x 100 */
	bool shadow = kind == FLAT || c <= s->easy;

	fprintf(out, "traces: [\"%s/%s\"]\n", lab->traces, s->log);
	switch (kind) {
	case TORUS_ITSELF:
		fprintf(out,
			"machines: [\"%s\"]\nstrategies: [semitorus-ep, semitorus-nep]\n",
			s->torus);
		break;
	case FLAT:
		fprintf(out, "machines: [\"%s\"]\n", s->flat);
		break;
	case BEFORE:
		machines_write(out, lab, s, s->before,
			       "}\nscheduler: {discipline: easy, options: {overtake: before-start}}");
		break;
	case COUNT:
		machines_write(out, lab, s, "mao-count",
			       "}\nscheduler: {discipline: easy, options: {overtake: before-count}}");
		break;
	case LARGEST:
		machines_write(out, lab, s, "mao-largest",
			       ", options: {identify: largest}}");
	}
	if (kind != BEFORE && kind != COUNT)
		fprintf(out, "disciplines: [fcfs%s]\n", shadow ? ", easy" : "");
	fprintf(out,
		"options: {scale: %d, round_up_pow2: true, estimate: run, run_scale: %u.%02u}\n",
		s->scale, c / 100, c % 100);
}

#define QCDOC "2x2x2x4x4x8"
#define JLAB "2x2x2x6x8"
#define ON_QCDOC QCDOC, "2, 2, 2, 4, 4, 8", "flat:1024", "mao-qcdoc"
#define ON_JLAB JLAB, "2, 2, 2, 6, 8", "flat:384", "mao-jlab"

#define STUDY(id, name, kinds, ...)                                             \
	static void id##_write(FILE *out, const struct torus_lab *lab,          \
			       uint32_t part, const char *seeds)                \
	{                                                                       \
		(void)seeds;                                                    \
		mao_campaign(out, lab, &(struct setting){ __VA_ARGS__ }, part); \
	}                                                                       \
	static const struct torus_study id = {                                  \
		name, (kinds)*VALUES, id##_write,          1,                   \
		1,    true,           (kinds)*VALUES_QUICK                      \
	}

STUDY(nasa_qcdoc, "mao-nasa-qcdoc", 3, NASA, ON_QCDOC, 8, 200, false);
STUDY(nasa_jlab, "mao-nasa-jlab", 3, NASA, ON_JLAB, 2, 200, false);
STUDY(sdsc_qcdoc, "mao-sdsc-qcdoc", 5, SDSC, ON_QCDOC, 8, 120, true);
STUDY(sdsc_jlab, "mao-sdsc-jlab", 3, SDSC, ON_JLAB, 2, 185, false);

#define LINE(name, its_machine, its_strategy, its_discipline)                  \
	{                                                                      \
		.label = name, .machine = its_machine,                         \
		.strategy = its_strategy, .discipline = its_discipline         \
	}
#define HIDDEN(name, its_machine, its_discipline)                              \
	{                                                                      \
		.label = name, .machine = its_machine,                         \
		.discipline = its_discipline, .undrawn = true                  \
	}
#define SERIES(torus, flat, before)                                            \
	LINE("FCFS/EP", torus, "semitorus-ep", "fcfs"),                        \
		LINE("FCFS/NEP", torus, "semitorus-nep", "fcfs"),              \
		LINE("FCFS/flat", flat, NULL, "fcfs"),                         \
		LINE("EASY/EP", torus, "semitorus-ep", "easy"),                \
		LINE("EASY/NEP", torus, "semitorus-nep", "easy"),              \
		LINE("EASY/flat", flat, NULL, "easy"),                         \
		LINE("EASY/EP, before start", before "-ep.yaml", NULL, NULL),  \
		LINE("EASY/NEP, before start", before "-nep.yaml", NULL, NULL)

static const struct torus_series qcdoc[] = {
	SERIES(QCDOC, "flat:1024", "mao-qcdoc"),
	{ .label = NULL },
};
static const struct torus_series jlab[] = {
	SERIES(JLAB, "flat:384", "mao-jlab"),
	{ .label = NULL },
};
static const struct torus_series by_load[] = {
	SERIES(QCDOC, "flat:1024", "mao-qcdoc"),
	LINE("EASY/EP, before count", "mao-count-ep.yaml", NULL, NULL),
	LINE("EASY/NEP, before count", "mao-count-nep.yaml", NULL, NULL),
	HIDDEN("FCFS/EP, largest", "mao-largest-ep.yaml", "fcfs"),
	HIDDEN("FCFS/NEP, largest", "mao-largest-nep.yaml", "fcfs"),
	HIDDEN("EASY/EP, largest", "mao-largest-ep.yaml", "easy"),
	HIDDEN("EASY/NEP, largest", "mao-largest-nep.yaml", "easy"),
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
	{ "EASY/NEP", 0.90, NAN, 0.025, NULL },
	{ .series = NULL },
};

#define TURN                                                                   \
	" Saturates means the same in all figures: the highest utilization over all c."
#define NOTE(factor)                                                                                                                                                                            \
	"Before start: only jobs that end before the head's start overtake (option overtake of easy); elsewhere a job overtakes if the head still finds its place in time. Sizes times " factor \
	", rounded up to powers of two, which the utilization counts; run times, which are the estimates as well, times c = 0.2 ... 2.0 in steps of 0.05."
#define SHORT(last, full)                                                      \
	" Backfilling on the torus (but not before start) ends at c = " last   \
	": from " full                                                         \
	" on more work arrives than the machine can do, and the queue only grows."

#define OTHERS                                                                                                     \
	" Before count: only jobs that end before as many nodes as the head asks for are free, wherever they are." \
	" Largest: a job takes the largest free piece that has room for it, not the smallest (option identify of the strategy); the paper does not say which; used by claims only."

#define SLOWDOWN                                                               \
	.key = "run_scale", .x = "utilization_granted",                        \
	.y = "mean_bounded_slowdown", .x_title = "system utilization",         \
	.y_title = "mean bounded slowdown", .y_log = true,                     \
	.gnuplot = "set xrange [0:1]\n"

#define FROM(the_study, log, the_series)                                       \
	.study = &(the_study), .trace = log, .series = the_series

const struct torus_experiment torus_mao_experiments[] = {
	EXPERIMENT("mao-fig3", "Fig. 3", "NASA iPSC/860 on QCDOC " QCDOC,
		   .verdicts = "rrrrnnrrnnnrrrr", FROM(nasa_qcdoc, NASA, qcdoc),
		   SLOWDOWN, .claims = torus_mao_fig3_claims,
		   .note = NOTE("8") TURN, .readings = fig3_readings),
	EXPERIMENT("mao-fig4", "Fig. 4", "NASA iPSC/860 on JLAB " JLAB,
		   .verdicts = "rrrrnn", FROM(nasa_jlab, NASA, jlab), SLOWDOWN,
		   .claims = torus_mao_fig4_claims, .note = NOTE("2"),
		   .readings = fig4_readings),
	EXPERIMENT("mao-fig5", "Fig. 5", "SDSC RS/6000 SP on QCDOC " QCDOC,
		   .verdicts = "rnnrnrrnn", FROM(sdsc_qcdoc, SDSC, qcdoc),
		   SLOWDOWN, .claims = torus_mao_sdsc_claims,
		   .note = NOTE("8") SHORT("1.2", "1.1") TURN,
		   .readings = sdsc_readings),
	EXPERIMENT("mao-fig6", "Fig. 6", "SDSC RS/6000 SP on JLAB " JLAB,
		   .verdicts = "rnrrnrrnnnr", FROM(sdsc_jlab, SDSC, jlab),
		   SLOWDOWN, .claims = torus_mao_fig6_claims,
		   .note = NOTE("2") SHORT("1.85", "1.65") TURN,
		   .readings = fig6_readings),
	EXPERIMENT("mao-fig7", "Fig. 7", "utilization by load, SDSC on QCDOC",
		   .verdicts = "nrnrrrrrnnnnnnnnnrnrnrrnnnnnrnrnnnn",
		   FROM(sdsc_qcdoc, SDSC, by_load), .key = "run_scale",
		   .y = "utilization_granted", .place = torus_mao_load,
		   .x_title = "system load", .y_title = "system utilization",
		   .y_top = 1, .claims = torus_mao_fig7_claims,
		   .note = NOTE("8") SHORT("1.2", "1.1") TURN OTHERS
		   " The system load is proportional to c: the utilization of EASY/flat at c = 0.2, where nothing waits for long, over 0.2, times c.",
		   .readings = fig7_readings),
	{ .name = NULL },
};
