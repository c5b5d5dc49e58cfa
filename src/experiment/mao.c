/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mao, Chen, Watson (2005): semitori on two machines, replaying two logs of
 * the Parallel Workloads Archive (by --traces), sizes scaled by 8 or 2 and
 * rounded up to a power of two, run times multiplied by c = 0.2 ... 2.0 in
 * steps of 0.05. U counts the rounded sizes; estimates are the run times.
 *
 * Only backfilling on QCDOC ends earlier with the SDSC log, at c = 1.2: it
 * offers more work than the machine can do then (1.1 times as much), so that
 * the queue only grows, and a strategy with memory is asked about each of
 * tens of thousands of jobs in every pass.
 */
#include "experiment/lab.h"
#include "experiment/papers.h"

#include <math.h>
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
};

/* Two parts for each c: the torus, and the machine without topology. */
static void mao_campaign(FILE *out, const struct torus_lab *lab,
			 const struct setting *s, uint32_t part)
{
	uint32_t c = 20 + part / 2 * (lab->quick ? 40 : 5); /* x 100 */

	fprintf(out, "traces: [\"%s/%s\"]\n", lab->traces, s->log);
	fprintf(out, "machines: [\"%s\"]\n", part % 2 ? s->flat : s->torus);
	if (part % 2 == 0)
		fprintf(out, "strategies: [semitorus-ep, semitorus-nep]\n");
	fprintf(out,
		"disciplines: [fcfs%s]\n"
		"options: {scale: %d, round_up_pow2: true, estimate: run, run_scale: %u.%02u}\n",
		part % 2 == 0 && c > s->easy ? "" : ", easy", s->scale, c / 100,
		c % 100);
}

#define QCDOC "2x2x2x4x4x8"
#define JLAB "2x2x2x6x8"

#define STUDY(id, name, ...)                                                    \
	static void id##_write(FILE *out, const struct torus_lab *lab,          \
			       uint32_t part)                                   \
	{                                                                       \
		mao_campaign(out, lab, &(struct setting){ __VA_ARGS__ }, part); \
	}                                                                       \
	static const struct torus_study id = {                                  \
		name, 2 * VALUES, id##_write, 1, 1, true, 2 * VALUES_QUICK      \
	}

STUDY(nasa_qcdoc, "mao-nasa-qcdoc", NASA, QCDOC, "flat:1024", 8, 200);
STUDY(nasa_jlab, "mao-nasa-jlab", NASA, JLAB, "flat:384", 2, 200);
STUDY(sdsc_qcdoc, "mao-sdsc-qcdoc", SDSC, QCDOC, "flat:1024", 8, 120);
STUDY(sdsc_jlab, "mao-sdsc-jlab", SDSC, JLAB, "flat:384", 2, 200);

#define SERIES(torus, flat)                                                         \
	{                                                                           \
		{ "FCFS/EP", torus, "semitorus-ep", "fcfs", NULL, NULL },           \
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
static double mao_saturation(const struct torus_lab *lab, const char *label)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) && p->x.mean > most)
			most = p->x.mean;
	}
	return most;
}

static void mao_above(struct torus_lab *lab, const char *less, const char *more,
		      const char *why, const char *says)
{
	double a = mao_saturation(lab, less), b = mao_saturation(lab, more);

	torus_lab_claim(lab,
			b - a >= 0.02 ? TORUS_CLAIM_REPRODUCED :
			lab->quick    ? TORUS_CLAIM_UNDECIDED :
					TORUS_CLAIM_NOT,
			why, says,
			"highest utilization: %s %.3f, %s %.3f (0.02 more will do)",
			less, a, more, b);
}

#define STEEP 1000 /* slowdown at which a curve is taken to rise steeply */

/* The utilization at which the slowdown of a series passes STEEP, between
 * points along the logarithm of the slowdown; the highest if it never does. */
static double mao_knee(const struct torus_lab *lab, const char *label)
{
	const struct torus_point *last = NULL;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];
		double part;

		if (strcmp(p->series->label, label))
			continue;
		if (p->y.mean > STEEP) {
			if (!last)
				return p->x.mean;
			part = log(STEEP / last->y.mean) /
			       log(p->y.mean / last->y.mean);
			return last->x.mean + part * (p->x.mean - last->x.mean);
		}
		last = p;
	}
	return mao_saturation(lab, label);
}

/*
 * The paper names the utilization at which a curve turns upwards. There is no
 * sharp end: it lies somewhere between where the slowdown passes STEEP and
 * the highest utilization. Reproduced: that range meets low .. high.
 */
static void mao_saturates(struct torus_lab *lab, const char *label, double low,
			  double high, const char *why, const char *says)
{
	double from = mao_knee(lab, label), to = mao_saturation(lab, label);

	torus_lab_claim(lab,
			from <= high && to >= low ? TORUS_CLAIM_REPRODUCED :
			lab->quick                ? TORUS_CLAIM_UNDECIDED :
						    TORUS_CLAIM_NOT,
			why, says,
			"%s: slowdowns pass %d at %.3f, the highest utilization is %.3f",
			label, STEEP, from, to);
}

/* What holds in all four figures. */
static void mao_common(struct torus_lab *lab)
{
	uint32_t worse = 0, all = 0, both = 0;
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
			both += q != NULL;
			if (q && q->x.mean - p->x.mean > far)
				far = q->x.mean - p->x.mean;
		}
	}
	torus_lab_claim(lab,
			!all  ? TORUS_CLAIM_UNDECIDED :
			worse ? TORUS_CLAIM_NOT :
				TORUS_CLAIM_REPRODUCED,
			NULL, "FCFS: slowdowns with NEP are not above EP's",
			"at %u of %u values of c", all - worse, all);
	torus_lab_claim(lab,
			!both        ? TORUS_CLAIM_UNDECIDED :
			far <= 0.015 ? TORUS_CLAIM_REPRODUCED :
				       TORUS_CLAIM_NOT,
			NULL,
			"backfilling with NEP performs like a machine without topology",
			"utilization at most %.3f below, at %u values of c (0.015 will do)",
			far, both);
}

/* The highest slowdown of a series up to a utilization. */
static double highest_until(const struct torus_lab *lab, const char *label,
			    double utilization)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) &&
		    p->x.mean <= utilization && p->y.mean > most)
			most = p->y.mean;
	}
	return most;
}

static void mao_similar(struct torus_lab *lab)
{
	double ep = highest_until(lab, "FCFS/EP", 0.5);
	double nep = highest_until(lab, "EASY/NEP", 0.5);

	torus_lab_claim(lab,
			ep == 0 || nep == 0 ? TORUS_CLAIM_UNDECIDED :
			ep <= 2 * nep       ? TORUS_CLAIM_REPRODUCED :
					      TORUS_CLAIM_NOT,
			"both are at the foot of curves that go beyond 1000; as numbers they differ, since with equal pieces a job waits for a whole one",
			"up to a utilization of 50 % the four combinations have similar slowdowns",
			"up to %.1f with FCFS/EP, %.1f with EASY/NEP", ep, nep);
}

static void mao_fig3_claims(struct torus_lab *lab)
{
	mao_common(lab);
	mao_similar(lab);
	mao_above(lab, "FCFS/EP", "FCFS/NEP", NULL,
		  "FCFS saturates later with NEP than with EP");
	mao_above(lab, "FCFS/NEP", "FCFS/flat", NULL,
		  "and later still on the machine without topology");
	mao_saturates(lab, "FCFS/EP", 0.63, 0.67, NULL,
		      "FCFS/EP saturates at 65 %");
	mao_saturates(lab, "FCFS/NEP", 0.68, 0.72, NULL,
		      "FCFS/NEP saturates at 70 %");
	mao_saturates(lab, "FCFS/flat", 0.75, 0.79, NULL,
		      "FCFS without topology saturates at 77 %");
	mao_saturates(lab, "EASY/NEP", 0.90, 1, NULL,
		      "EASY/NEP saturates above 90 %");
}

static void mao_fig4_claims(struct torus_lab *lab)
{
	const struct torus_point *p;

	mao_common(lab);
	p = torus_lab_at(lab, "EASY/NEP", lab->quick ? 1.8 : 2);
	if (p)
		torus_lab_claim(lab,
				p->x.mean >= 0.78 ? TORUS_CLAIM_REPRODUCED :
						    TORUS_CLAIM_NOT,
				"sizes times 2 and run times times 2 make a load of 0.62 on 384 nodes, so that no policy can get to 80 % within the paper's own range of c",
				"EASY/NEP has very low slowdowns until 80 %",
				"slowdown %.1f at the highest utilization, %.3f (c = %g)",
				p->y.mean, p->x.mean, p->key);
}

static void sdsc_claims(struct torus_lab *lab)
{
	mao_common(lab);
	mao_above(lab, "FCFS/EP", "FCFS/NEP", NULL,
		  "FCFS saturates later with NEP than with EP");
	mao_above(lab, "FCFS/NEP", "FCFS/flat", NULL,
		  "and later still on the machine without topology");
	mao_saturates(lab, "FCFS/EP", 0.43, 0.47,
		      "the paper gives the same 45 % for both machines, and 55 % for the same runs on QCDOC with its Fig. 7; on JLAB, whose pieces are of 128 and 256 nodes, ours turns upwards later",
		      "FCFS/EP saturates at 45 %");
	mao_saturates(lab, "FCFS/NEP", 0.53, 0.57, NULL,
		      "FCFS/NEP saturates at 55 %");
}

static void mao_fig6_claims(struct torus_lab *lab)
{
	sdsc_claims(lab);
	mao_saturates(lab, "EASY/NEP", 0.93, 0.97, NULL,
		      "EASY/NEP saturates near 95 %");
}

/* Fig. 7: y is the utilization; the system load is proportional to c. */
static double mao_load(const struct torus_lab *lab, double c)
{
	const struct torus_point *p = torus_lab_at(lab, "EASY/flat", 0.2);

	return p ? p->y.mean / 0.2 * c : NAN;
}

/* The highest load that a series still follows, to 0.01. */
static double mao_increases(const struct torus_lab *lab, const char *label)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (strcmp(p->series->label, label))
			continue;
		if (p->y.mean < mao_load(lab, p->key) - 0.01)
			break;
		most = mao_load(lab, p->key);
	}
	return most;
}

static double mao_highest(const struct torus_lab *lab, const char *label)
{
	double most = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!strcmp(p->series->label, label) && p->y.mean > most)
			most = p->y.mean;
	}
	return most;
}

/* The paper's conclusion in per cent of the machine, as in Fig. 7: the mean of
 * two gains. */
static void mao_gain(struct torus_lab *lab, const char *const from[2],
		     const char *const to[2], double says, double within,
		     const char *why, const char *what)
{
	double a = mao_highest(lab, to[0]) - mao_highest(lab, from[0]);
	double b = mao_highest(lab, to[1]) - mao_highest(lab, from[1]);
	double off = fabs((a + b) / 2 - says);

	torus_lab_claim(lab,
			off <= within ? TORUS_CLAIM_REPRODUCED :
			lab->quick    ? TORUS_CLAIM_UNDECIDED :
					TORUS_CLAIM_NOT,
			why, what,
			"of the highest utilizations %.3f (%s, %s) and %.3f (%s, %s)",
			a, from[0], to[0], b, from[1], to[1]);
}

static void mao_conclusion(struct torus_lab *lab)
{
	static const char *const fcfs[] = { "FCFS/EP", "FCFS/NEP" };
	static const char *const easy[] = { "EASY/EP", "EASY/NEP" };
	static const char *const ep[] = { "FCFS/EP", "EASY/EP" };
	static const char *const nep[] = { "FCFS/NEP", "EASY/NEP" };

	mao_gain(lab, fcfs, easy, 0.30, 0.05,
		 "our backfilling gains more, for the reason given at EASY/EP",
		 "conclusion: backfilling alone improves the utilization by 30 %");
	mao_gain(lab, ep, nep, 0.05, 0.03, NULL,
		 "conclusion: NEP improves it by another 5 %, compared with EP");
}

static void mao_fig7_claims(struct torus_lab *lab)
{
	static const struct {
		const char *label, *says, *why;
		double load, low, high;
	} row[] = {
		{ "FCFS/EP", "FCFS/EP saturates at 55 %, from a load of 0.56 on",
		  NULL, 0.56, 0.50, 0.60 },
		{ "FCFS/NEP", "FCFS/NEP flattens around 60 %, at a load of 0.62",
		  NULL, 0.62, 0.55, 0.65 },
		{ "EASY/EP",
		  "EASY/EP starts to saturate near 85 %, at a load of 0.8",
		  "how the paper's backfilling looks for places is not said; ours keeps only the time at which the head finds a place, not the place, and loses less",
		  0.80, 0.80, 0.90 },
		{ "EASY/NEP", "EASY/NEP saturates a little beyond a load of 0.9",
		  NULL, 0.90, 0.85, 1 },
	};

	for (int i = 0; i < 4; i++) {
		double u = mao_highest(lab, row[i].label);
		double last = mao_increases(lab, row[i].label);
		bool good = u >= row[i].low && u <= row[i].high &&
			    row[i].load >= last - 0.05 &&
			    row[i].load <= last + 0.10; /* the next point */

		torus_lab_claim(lab,
				good       ? TORUS_CLAIM_REPRODUCED :
				lab->quick ? TORUS_CLAIM_UNDECIDED :
					     TORUS_CLAIM_NOT,
				row[i].why, row[i].says,
				"follows the load up to %.3f; the highest utilization is %.3f",
				last, u);
	}
	torus_lab_less(lab, "FCFS/NEP", "EASY/EP", 1, 0.05, NULL,
		       "backfilling, even with EP, is above FCFS with NEP");
	torus_lab_less(lab, "EASY/EP", "EASY/NEP", 1, -0.005, NULL,
		       "with backfilling NEP is not below EP");
	mao_conclusion(lab);
}

/* Where a curve of Figs. 3 to 6 turns upwards. */
#define TURN                                                                   \
	" The paper reads off where a curve turns upwards; here that is between the utilization at which slowdowns pass 1000 and the highest one, and reproduced is what lies there, give or take 0.02."
#define NOTE(factor)                                                           \
	"Sizes times " factor                                                  \
	", rounded up to powers of two, which the utilization counts; run times, which are the estimates as well, times c = 0.2 ... 2.0 in steps of 0.05."
#define SHORT                                                                  \
	" Backfilling on the torus ends at c = 1.2: from 1.1 on more work comes than the machine can do, and the queue only grows."

#define SLOWDOWN                                                               \
	.key = "run_scale", .x = "utilization_granted",                        \
	.y = "mean_bounded_slowdown", .x_title = "system utilization",         \
	.y_title = "mean bounded slowdown",                                    \
	.gnuplot = "set logscale y\nset xrange [0:1]\n"

const struct torus_experiment torus_mao_fig3 = {
	"mao-fig3",
	PAPER,
	"Fig. 3",
	"NASA iPSC/860 on QCDOC " QCDOC,
	&nasa_qcdoc,
	NASA,
	qcdoc,
	SLOWDOWN,
	.claims = mao_fig3_claims,
	.note = NOTE("8") TURN,
};
const struct torus_experiment torus_mao_fig4 = {
	"mao-fig4",
	PAPER,
	"Fig. 4",
	"NASA iPSC/860 on JLAB " JLAB,
	&nasa_jlab,
	NASA,
	jlab,
	SLOWDOWN,
	.claims = mao_fig4_claims,
	.note = NOTE("2"),
};
const struct torus_experiment torus_mao_fig5 = {
	"mao-fig5",
	PAPER,
	"Fig. 5",
	"SDSC RS/6000 SP on QCDOC " QCDOC,
	&sdsc_qcdoc,
	SDSC,
	qcdoc,
	SLOWDOWN,
	.claims = sdsc_claims,
	.note = NOTE("8") SHORT TURN,
};
const struct torus_experiment torus_mao_fig6 = {
	"mao-fig6",
	PAPER,
	"Fig. 6",
	"SDSC RS/6000 SP on JLAB " JLAB,
	&sdsc_jlab,
	SDSC,
	jlab,
	SLOWDOWN,
	.claims = mao_fig6_claims,
	.note = NOTE("2") TURN,
};
const struct torus_experiment torus_mao_fig7 = {
	"mao-fig7",
	PAPER,
	"Fig. 7",
	"utilization by load, SDSC on QCDOC",
	&sdsc_qcdoc,
	SDSC,
	qcdoc,
	.key = "run_scale",
	.y = "utilization_granted",
	.place = mao_load,
	.x_title = "system load",
	.y_title = "system utilization",
	.gnuplot = "set yrange [0:1]\n",
	.claims = mao_fig7_claims,
	.note = NOTE("8") SHORT
	" The system load is proportional to c: the utilization of EASY/flat at c = 0.2, where nothing waits for long, over 0.2, times c.",
};
