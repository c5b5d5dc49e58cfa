/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workload of Lublin and Feitelson (2003, "The workload on parallel
 * supercomputers: modeling the characteristics of rigid jobs"), with the
 * parameters that its authors published for 128 nodes.
 *
 * Two kinds of jobs, batch and interactive, each with its own parameters and
 * arrivals (kinds=2), or one kind for all jobs (kinds=1).
 *
 *	size	1 with probability `serial`; else 2^u, u uniform in two
 *		stages: on low..medium with probability `first`, else on
 *		medium..high; rounded to a power of two with probability
 *		`power`, else to a whole number
 *	run	e^g seconds, g gamma(a1, b1) with probability
 *		pa x size + pb (clipped to 0..1), else gamma(a2, b2);
 *		drawn again above e^12 s, which is about 45 hours
 *	gap	e^h seconds at the day's mean rate, h gamma(a, b), drawn
 *		again above 13. Each half hour of the day has a share of
 *		the arrivals: the increment of the distribution function
 *		of gamma(an, bn), beginning at half hour 11 of the day
 *
 * Sizes follow the machine: high and medium move with log2 of its nodes, as the
 * authors advise. A size that would round above the machine is the machine's.
 *
 * nominal-load=0 keeps the published arrivals. Another value divides all submit
 * times by one factor, and the day's length with them, so that
 *
 *	load = mean(run x size) x jobs per second / nodes
 *
 * with both means integrated numerically. Estimates are the run times. The user
 * is the kind: 1 interactive, 2 batch; always 1 with kinds=1.
 */
#include "trace/models/model.h"

#include <math.h>
#include <string.h>

enum {
	LOAD,
	KINDS
};

#define MOST_LOG_RUN 12
#define MOST_LOG_GAP 13
#define SLOTS 48 /* half hours of the day */
#define SLOT_S 1800
#define FIRST_SLOT 11
#define LN2 0x1.62e42fefa39efp-1
#define STEPS 4000 /* steps of the numerical integrals */

static const struct torus_model_parameter parameters[] = {
	{ TORUS_NOMINAL_LOAD, 0, 0, 1e6,
	  "offered load in the mean; 0: the published arrivals" },
	{ "kinds", 2, 1, 2,
	  "2: batch and interactive jobs; 1: the parameters for all jobs" },
	{ NULL, 0, 0, 0, NULL },
};

/* Published parameters; `high` and `medium` relative to log2(nodes). */
struct kind {
	double serial, power, low, medium, high, first; /* sizes */
	double a1, b1, a2, b2, pa, pb;                  /* run times */
	double a, b, an, bn, all;                       /* arrivals; a of
							   the rush hour x all */
};

static const struct kind interactive = {
	0.1541, 0.625,   1,      -4,     -1.5,   0.705,  3.8351, 0.6605, 7.073,
	0.6856, -0.0118, 0.9156, 6.5510, 0.6621, 8.9186, 3.6680, 0.9797,
};

static const struct kind batch = {
	0.2927, 0.6686, 1.2,    -2,     0,      0.875,  6.57,   0.823,  639.1,
	0.0156, -0.003, 0.6986, 6.0415, 0.8531, 6.1271, 5.2740, 1.0519,
};

static const struct kind every = {
	0.244, 0.576,   0.8,  -2.5,    0,      0.86,   4.2,    0.94,   312,
	0.03,  -0.0054, 0.78, 10.2303, 0.4871, 8.1737, 3.9631, 1.0225,
};

/* Arrivals of one kind of jobs. */
struct arrivals {
	struct torus_random random;
	double weight[SLOTS]; /* weights of the half hours; their mean is 1 */
	double us;            /* the next job's time */
	double points;        /* used part of the slot's weight */
	uint32_t slot;
};

struct lublin {
	uint32_t kinds;
	double submit_scale; /* factor of submit times */
	double stage[2][3];  /* low, medium, high of a kind */
	const struct kind *kind[2];
	struct arrivals arrivals[2];
};

/*
 * Return the lower incomplete gamma function of (a, x) up to a constant factor,
 * which the mean of the weights divides out: x^a e^-x sum x^n / (a (a+1) ..
 * (a+n)).
 */
static double gamma_below(double a, double x)
{
	double term = 1 / a, sum = term;
	int n;

	if (x <= 0)
		return 0;
	for (n = 1; n < 1000 && term > sum * 1e-17; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return torus_exact_exp(a * torus_exact_log(x) - x) * sum;
}

static void weights_make(const struct kind *k, double *weight)
{
	double sum = 0;
	uint32_t i;

	for (i = FIRST_SLOT; i < SLOTS + FIRST_SLOT; i++) {
		double w = gamma_below(k->an, (i + 0.5) / k->bn) -
			   gamma_below(k->an, (i - 0.5) / k->bn);

		/* the model counts half hours from 1 */
		weight[(i - 1) % SLOTS] = w;
		sum += w;
	}
	for (i = 0; i < SLOTS; i++)
		weight[i] *= SLOTS / sum;
}

/* Return the gap to the next job, in slots of the mean rate. */
static double gap_draw(const struct kind *k, struct torus_random *random)
{
	double h;

	do
		h = k->b * torus_random_gamma(random, k->a * k->all);
	while (h > MOST_LOG_GAP);
	return torus_exact_exp(h) / SLOT_S;
}

static void lublin_advance(const struct kind *k, struct arrivals *a)
{
	a->points += gap_draw(k, &a->random);
	while (a->points > a->weight[a->slot]) {
		a->points -= a->weight[a->slot];
		a->slot = (a->slot + 1) % SLOTS;
		a->us += SLOT_S * 1e6;
	}
}

/* Return when the next job arrives, with the fraction of the slot. */
static double arrival_us(const struct arrivals *a)
{
	return a->us + SLOT_S * 1e6 * (a->points / a->weight[a->slot]);
}

static double lublin_between(struct torus_random *random, double low,
			     double high)
{
	return low + (high - low) * torus_random_unit(random);
}

/* Return 2^u as a number of nodes. */
static uint32_t lublin_size_of(double u, bool power, uint32_t nodes)
{
	double n;

	if (power)
		u = floor(u + 0.5);
	n = floor(torus_exact_exp(u * LN2) + 0.5);
	return n < 1 ? 1 : n > nodes ? nodes : (uint32_t)n;
}

static uint32_t size_draw(const struct lublin *l, uint32_t kind,
			  struct torus_random *random, uint32_t nodes)
{
	const struct kind *k = l->kind[kind];
	const double *stage = l->stage[kind];
	double u = torus_random_unit(random);
	bool low;

	if (u <= k->serial)
		return 1;
	low = torus_random_unit(random) <= k->first;
	return lublin_size_of(low ? lublin_between(random, stage[0], stage[1]) :
				    lublin_between(random, stage[1], stage[2]),
			      u <= k->serial + k->power, nodes);
}

static double run_draw(const struct kind *k, struct torus_random *random,
		       uint32_t size)
{
	double p = k->pa * size + k->pb, g;

	do
		g = torus_random_unit(random) <= p ?
			    k->b1 * torus_random_gamma(random, k->a1) :
			    k->b2 * torus_random_gamma(random, k->a2);
	while (g > MOST_LOG_RUN);
	return torus_exact_exp(g);
}

/*
 * For g, gamma(a, b): compute P(g <= most), and the mean of e^g with 0 for g >
 * most. Sums over midpoints of the density, which is negligible beyond 2 most.
 */
static void gamma_integrate(double a, double b, double most, double *share,
			    double *mean)
{
	double mode = (a - 1) * b, all = 0;
	double peak = (a - 1) * torus_exact_log(mode) - mode / b;
	int i;

	*share = *mean = 0;
	for (i = 0; i < STEPS; i++) {
		double x = (i + 0.5) * (2 * most / STEPS);
		double f = torus_exact_exp((a - 1) * torus_exact_log(x) -
					   x / b - peak);

		all += f;
		if (i >= STEPS / 2)
			continue;
		*share += f;
		*mean += f * torus_exact_exp(x);
	}
	*share /= all;
	*mean /= all;
}

/* Return the mean of run x size for a given size. If a run is too long, the
 * choice of the gamma distribution is drawn again too. */
static double work_of(const struct kind *k, const double *run, uint32_t size)
{
	double p = fmin(fmax(k->pa * size + k->pb, 0), 1);

	return size * (p * run[1] + (1 - p) * run[3]) /
	       (p * run[0] + (1 - p) * run[2]);
}

/* Return the mean of run x size over all jobs of a kind. */
static double work_mean(const struct lublin *l, uint32_t kind, uint32_t nodes)
{
	const struct kind *k = l->kind[kind];
	const double *stage = l->stage[kind];
	double run[4], sum = 0, power = k->power / (1 - k->serial);
	int s, i;

	gamma_integrate(k->a1, k->b1, MOST_LOG_RUN, &run[0], &run[1]);
	gamma_integrate(k->a2, k->b2, MOST_LOG_RUN, &run[2], &run[3]);
	for (s = 0; s < 2; s++)
		for (i = 0; i < STEPS; i++) {
			double u = stage[s] + (stage[s + 1] - stage[s]) *
						      (i + 0.5) / STEPS;

			sum += (s ? 1 - k->first : k->first) *
			       (power * work_of(k, run,
						lublin_size_of(u, true, nodes)) +
				(1 - power) * work_of(k, run,
						      lublin_size_of(u, false,
								     nodes)));
		}
	return k->serial * work_of(k, run, 1) + (1 - k->serial) * sum / STEPS;
}

/* Return the node seconds that arrive per second with the published
 * arrivals. */
static double natural_work(const struct lublin *l, uint32_t nodes)
{
	double share, gap, sum = 0;
	uint32_t i;

	for (i = 0; i < l->kinds; i++) {
		const struct kind *k = l->kind[i];

		gamma_integrate(k->a * k->all, k->b, MOST_LOG_GAP, &share, &gap);
		sum += work_mean(l, i, nodes) / (gap / share);
	}
	return sum;
}

static int lublin_begin(struct torus_model_run *run, struct torus_error *err)
{
	const double *value = run->options.value;
	uint32_t nodes = run->options.torus.nodes, k;
	struct lublin *l = run->own;
	double log_nodes;
	uint32_t i;

	if (value[KINDS] != 1 && value[KINDS] != 2)
		return torus_error_add(err, "kinds: got %g, expected 1 or 2",
				       value[KINDS]);
	if (nodes < 2)
		return torus_error_add(err,
				       "lublin: got a machine of %u "
				       "node, expected at least 2",
				       nodes);
	l->kinds = (uint32_t)value[KINDS];
	l->kind[0] = l->kinds == 1 ? &every : &interactive;
	l->kind[1] = &batch;
	/* log2 of the sizes at which the stages begin and end */
	log_nodes = torus_exact_log(nodes) / LN2;
	for (i = 0; i < l->kinds; i++) {
		const struct kind *of = l->kind[i];

		l->stage[i][0] = of->low;
		l->stage[i][1] = fmax(log_nodes + of->medium, of->low);
		l->stage[i][2] = fmax(log_nodes + of->high, of->low);
	}
	l->submit_scale = value[LOAD] > 0 ? natural_work(l, nodes) /
						    (value[LOAD] * nodes) :
					    1;
	run->nominal = natural_work(l, nodes) / (l->submit_scale * nodes);
	for (k = 0; k < l->kinds; k++) {
		struct arrivals *a = &l->arrivals[k];

		/* Two kinds share one stream: their counters start half a
		 * stream apart. */
		a->random = run->random[TORUS_PURPOSE_ARRIVALS];
		a->random.counter[1] = k << 31;
		weights_make(l->kind[k], a->weight);
		lublin_advance(l->kind[k], a);
	}
	return 0;
}

static void lublin_job(struct torus_model_run *run,
		       struct torus_trace_record *record)
{
	struct lublin *l = run->own;
	uint32_t k = l->kinds == 2 &&
		     arrival_us(&l->arrivals[1]) < arrival_us(&l->arrivals[0]);

	record->submit_us = (int64_t)fmin(arrival_us(&l->arrivals[k]) *
						  l->submit_scale,
					  1e18);
	lublin_advance(l->kind[k], &l->arrivals[k]);
	record->requested = size_draw(l, k, &run->random[TORUS_PURPOSE_SIZES],
				      run->options.torus.nodes);
	record->run_us = torus_model_us(
		run_draw(l->kind[k], &run->random[TORUS_PURPOSE_TIMES],
			 record->requested));
	record->limit_us = record->run_us;
	strcpy(record->user, k ? "2" : "1");
}

const struct torus_model torus_model_lublin = {
	.name = "lublin",
	.summary = "batch and interactive jobs of supercomputers, by the day",
	.source = "Lublin, Feitelson 2003",
	.torus = "flat:128",
	.jobs = 10000,
	.parameters = parameters,
	.own = sizeof(struct lublin),
	.begin = lublin_begin,
	.job = lublin_job,
};
