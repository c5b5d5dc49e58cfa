/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mao, Chen, Watson (2005): semitori on two machines, replaying two logs of
 * the Parallel Workloads Archive (by --traces), sizes scaled by 8 or 2 and
 * rounded up to a power of two, run times multiplied by c = 0.2 ... 2.0 (steps
 * of 0.1 here, 0.05 in the paper). U counts the rounded sizes; estimates are
 * the run times.
 *
 * From c = 1.1 (QCDOC) and 1.7 (JLAB) on the SDSC log is more than the machine
 * can do, whatever the policy: the queue only grows, and c ends there.
 */
#include "experiment/lab.h"
#include "experiment/papers.h"

#include <string.h>

#define PAPER "Mao, Chen, Watson 2005"
#define NASA "NASA-iPSC-1993-3.1-cln.swf.gz"
#define SDSC "SDSC-SP2-1998-4.2-cln.swf.gz"

/* Two parts for each c: the torus, and the machine without topology. */
static void campaign(FILE *out, const struct torus_lab *lab, const char *log,
		     const char *torus, const char *flat, int scale,
		     uint32_t part)
{
	/* c in tenths: 2 3 4 ...; --quick takes every fourth */
	uint32_t tenths = 2 + part / 2 * (lab->quick ? 4 : 1);

	fprintf(out, "traces: [\"%s/%s\"]\n", lab->traces, log);
	fprintf(out, "machines: [\"%s\"]\n", part % 2 ? flat : torus);
	if (part % 2 == 0)
		fprintf(out, "strategies: [semitorus-ep, semitorus-nep]\n");
	fprintf(out, "disciplines: [fcfs, easy]\n"
		"options: {scale: %d, round_up_pow2: true, estimate: run, run_scale: %u.%u}\n",
		scale, tenths / 10, tenths % 10);
}

#define QCDOC "2x2x2x4x4x8"
#define JLAB "2x2x2x6x8"

#define STUDY(id, name, log, torus, flat, scale, values)                  \
	static void id##_write(FILE *out, const struct torus_lab *lab,    \
			       uint32_t part)                             \
	{                                                                 \
		campaign(out, lab, log, torus, flat, scale, part);        \
	}                                                                 \
	static const struct torus_study id = {                            \
		name, 2 * (values), id##_write, 1, 1, true,               \
		2 * (((values) + 3) / 4)                                  \
	}

STUDY(nasa_qcdoc, "mao-nasa-qcdoc", NASA, QCDOC, "flat:1024", 8, 19);
STUDY(nasa_jlab, "mao-nasa-jlab", NASA, JLAB, "flat:384", 2, 19);
STUDY(sdsc_qcdoc, "mao-sdsc-qcdoc", SDSC, QCDOC, "flat:1024", 8, 10);
STUDY(sdsc_jlab, "mao-sdsc-jlab", SDSC, JLAB, "flat:384", 2, 16);

#define SERIES(torus, flat)                                                 \
	{                                                                   \
		{ "FCFS/EP", torus, "semitorus-ep", "fcfs", NULL, NULL },   \
		{ "FCFS/NEP", torus, "semitorus-nep", "fcfs", NULL, NULL }, \
		{ "FCFS/flat", flat, NULL, "fcfs", NULL, NULL },            \
		{ "EASY/EP", torus, "semitorus-ep", "easy", NULL, NULL },   \
		{ "EASY/NEP", torus, "semitorus-nep", "easy", NULL, NULL }, \
		{ "EASY/flat", flat, NULL, "easy", NULL, NULL },            \
		{ NULL, NULL, NULL, NULL, NULL, NULL },                     \
	}

static const struct torus_series qcdoc[] = SERIES(QCDOC, "flat:1024");
static const struct torus_series jlab[] = SERIES(JLAB, "flat:384");

/* The highest utilization of a series. */
static double saturation(const struct torus_lab *lab, const char *label)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) && p->x.mean > most)
			most = p->x.mean;
	}
	return most;
}

static void above(struct torus_lab *lab, const char *less, const char *more,
		  const char *why, const char *says)
{
	double a = saturation(lab, less), b = saturation(lab, more);

	torus_lab_claim(lab, b - a >= 0.02 ? TORUS_CLAIM_REPRODUCED :
			lab->quick ? TORUS_CLAIM_UNDECIDED : TORUS_CLAIM_NOT,
			why, says, "%s %.3f, %s %.3f", less, a, more, b);
}

static void saturates(struct torus_lab *lab, const char *label, double value,
		      double tolerance, const char *why, const char *says)
{
	double u = saturation(lab, label);

	torus_lab_claim(lab, u >= value - tolerance && u <= value + tolerance ?
				     TORUS_CLAIM_REPRODUCED :
			lab->quick ? TORUS_CLAIM_UNDECIDED : TORUS_CLAIM_NOT,
			why, says, "%s %.3f", label, u);
}

/* What holds in all four figures. */
static void common(struct torus_lab *lab)
{
	uint32_t worse = 0, all = 0;
	double far = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i], *q;

		if (!strcmp(p->series->label, "FCFS/EP")) {
			q = torus_lab_at(lab, "FCFS/NEP", p->key);
			all += q != NULL;
			worse += q && q->y.mean > p->y.mean;
		}
		if (!strcmp(p->series->label, "EASY/NEP")) {
			q = torus_lab_at(lab, "EASY/flat", p->key);
			if (q && q->x.mean - p->x.mean > far)
				far = q->x.mean - p->x.mean;
		}
	}
	torus_lab_claim(lab, worse ? TORUS_CLAIM_NOT : TORUS_CLAIM_REPRODUCED,
			NULL, "FCFS: slowdowns with NEP are not above EP's",
			"at %u of %u values of c", all - worse, all);
	torus_lab_claim(lab, far <= 0.015 ? TORUS_CLAIM_REPRODUCED :
					    TORUS_CLAIM_NOT,
			NULL, "backfilling with NEP performs like a machine without topology",
			"utilization at most %.3f below at any c", far);
}

#define READ "read off a curve that has no sharp end; ours is the highest utilization reached, with slowdowns of 1000 and more"

static void fig3_claims(struct torus_lab *lab)
{
	common(lab);
	above(lab, "FCFS/EP", "FCFS/NEP", NULL,
	      "FCFS saturates later with NEP than with EP");
	above(lab, "FCFS/NEP", "FCFS/flat", NULL,
	      "and later still on the machine without topology");
	saturates(lab, "FCFS/EP", 0.65, 0.03, READ, "FCFS/EP saturates at 65 %");
	saturates(lab, "FCFS/NEP", 0.70, 0.03, READ,
		  "FCFS/NEP saturates at 70 %");
	saturates(lab, "FCFS/flat", 0.77, 0.03, READ,
		  "FCFS without topology saturates at 77 %");
	saturates(lab, "EASY/NEP", 0.95, 0.06, READ,
		  "EASY/NEP saturates above 90 %");
}

static void fig4_claims(struct torus_lab *lab)
{
	common(lab);
}

static void sdsc_claims(struct torus_lab *lab)
{
	common(lab);
	above(lab, "FCFS/EP", "FCFS/NEP", NULL,
	      "FCFS saturates later with NEP than with EP");
	above(lab, "FCFS/NEP", "FCFS/flat", NULL,
	      "and later still on the machine without topology");
	saturates(lab, "FCFS/EP", 0.45, 0.05, READ, "FCFS/EP saturates at 45 %");
	saturates(lab, "FCFS/NEP", 0.55, 0.05, READ,
		  "FCFS/NEP saturates at 55 %");
}

static void fig6_claims(struct torus_lab *lab)
{
	sdsc_claims(lab);
	saturates(lab, "EASY/NEP", 0.95, 0.05, READ,
		  "EASY/NEP saturates near 95 %");
}

/* Here y is the utilization. */
static double highest(const struct torus_lab *lab, const char *label)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) && p->y.mean > most)
			most = p->y.mean;
	}
	return most;
}

static void fig7_claims(struct torus_lab *lab)
{
	static const struct {
		const char *label, *says;
		double value;
	} row[] = {
		{ "FCFS/EP", "FCFS/EP saturates at 55 %", 0.55 },
		{ "FCFS/NEP", "FCFS/NEP flattens around 60 %", 0.60 },
	};

	for (int i = 0; i < 2; i++) {
		double u = highest(lab, row[i].label);

		torus_lab_claim(lab, u >= row[i].value - 0.05 &&
					     u <= row[i].value + 0.05 ?
					     TORUS_CLAIM_REPRODUCED :
				lab->quick ? TORUS_CLAIM_UNDECIDED :
					     TORUS_CLAIM_NOT,
				READ, row[i].says, "%.3f", u);
	}
	torus_lab_less(lab, "FCFS/NEP", "EASY/EP", 1, 0.05, NULL,
		       "backfilling, even with EP, is above FCFS with NEP");
	torus_lab_less(lab, "EASY/EP", "EASY/NEP", 1, -0.005, NULL,
		       "with backfilling NEP is not below EP");
}

#define SLOWDOWN .key = "run_scale", .x = "utilization_granted", \
	.y = "mean_bounded_slowdown", .x_title = "system utilization", \
	.y_title = "mean bounded slowdown", \
	.gnuplot = "set logscale y\nset xrange [0:1]\n"

const struct torus_experiment torus_mao_fig3 = {
	"mao-fig3", PAPER, "Fig. 3", "NASA iPSC/860 on QCDOC " QCDOC,
	&nasa_qcdoc, NASA, qcdoc, SLOWDOWN, .claims = fig3_claims,
};
const struct torus_experiment torus_mao_fig4 = {
	"mao-fig4", PAPER, "Fig. 4", "NASA iPSC/860 on JLAB " JLAB,
	&nasa_jlab, NASA, jlab, SLOWDOWN, .claims = fig4_claims,
};
const struct torus_experiment torus_mao_fig5 = {
	"mao-fig5", PAPER, "Fig. 5", "SDSC RS/6000 SP on QCDOC " QCDOC,
	&sdsc_qcdoc, SDSC, qcdoc, SLOWDOWN, .claims = sdsc_claims,
};
const struct torus_experiment torus_mao_fig6 = {
	"mao-fig6", PAPER, "Fig. 6", "SDSC RS/6000 SP on JLAB " JLAB,
	&sdsc_jlab, SDSC, jlab, SLOWDOWN, .claims = fig6_claims,
};
const struct torus_experiment torus_mao_fig7 = {
	"mao-fig7", PAPER, "Fig. 7", "utilization by load, SDSC on QCDOC",
	&sdsc_qcdoc, SDSC, qcdoc, .key = "run_scale",
	.y = "utilization_granted",
	.x_title = "c, the factor of all run times (the load is proportional)",
	.y_title = "system utilization", .gnuplot = "set yrange [0:1]\n",
	.claims = fig7_claims,
};
