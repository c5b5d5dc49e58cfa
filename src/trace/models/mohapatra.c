/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workloads of Mohapatra, section 4.1: jobs with deadlines on an n-cube.
 * Poisson arrivals; sub-cubes of dimension k = 0 .. n-1 with
 *
 *	geometric	p(k) ~ (1-p)^k, p = 1 / (mean + 1)
 *	uniform		p(k) = 1/n
 *	reverse		p(k) ~ (1-p)^(n-1-k)
 *
 * Hold times are normal with deviation = mean (or a share of it), truncated (drawn
 * again) to one deviation around the mean, 0 .. 2 mean, so that the mean stays. Laxities
 * likewise, independent of the hold time; their mean is a share of the mean hold time
 * (section 4.2). The deadline is submit + hold time + laxity.
 *
 *	load = arrival rate x mean hold time x mean sub-cube size / 2^n
 *
 * The paper does not print the mean dimension, of which 2 gives its mean sizes in
 * an 8-cube (9.36 and 66.67 with the denominator rounded to 2.88; 9.35 and 66.58
 * without), nor the number of jobs per run. Its time unit is a second here.
 */
#include "trace/models/model.h"

enum {
	LOAD,
	MEAN_HOLD,
	LAXITY,
	HOLD_DEVIATION,
	LAXITY_DEVIATION,
	MEAN_DIMENSION
};

#define COMMON_PARAMETERS                                                      \
	{ TORUS_NOMINAL_LOAD, 0.4, 1e-6, 1e6,                                  \
	  "offered load in the mean, of all processors" },                     \
		{ "mean-run", 3, 1e-6, 1e9,                                    \
		  "mean hold time, s (the time unit)" },                       \
		{ "laxity", 1.5, 0, 1e6, "mean laxity, in mean hold times" },  \
		{ "deviation", 1, 0, 1,                                        \
		  "standard deviation of the hold time, in mean hold times" }, \
	{                                                                      \
		"laxity-deviation", 1, 0, 1,                                   \
			"standard deviation of the laxity, in mean laxities"   \
	}

static const struct torus_model_parameter uniform_parameters[] = {
	COMMON_PARAMETERS,
	{ NULL, 0, 0, 0, NULL },
};

static const struct torus_model_parameter geometric_parameters[] = {
	COMMON_PARAMETERS,
	{ "mean-dimension", 2, 1e-3, 1e3,
	  "mean in p = 1 / (mean + 1), before truncation" },
	{ NULL, 0, 0, 0, NULL },
};

struct cube {
	uint32_t dimensions; /* n */
	double weight[32];   /* of k = 0 .. n-1 */
};

/* Get n of a machine of 2^n nodes. Return 0, or -1 with a line in err. */
static int dimensions_read(const struct torus_model_run *run, uint32_t *n,
			   struct torus_error *err)
{
	uint32_t nodes = run->options.torus.nodes;

	for (*n = 0; *n < 31 && UINT32_C(1) << *n < nodes; (*n)++)
		;
	if (*n > 0 && UINT32_C(1) << *n == nodes)
		return 0;
	return torus_error_add(err,
			       "%s: got a machine of %u nodes, expected "
			       "a power of two from 2, for example 2^8",
			       run->options.model->name, nodes);
}

static int cube_begin(struct torus_model_run *run, struct torus_error *err)
{
	const double *value = run->options.value;
	struct cube *cube = run->own;
	double sum = 0, mean = 0;
	uint32_t k;

	if (dimensions_read(run, &cube->dimensions, err))
		return -1;
	for (k = 0; k < cube->dimensions; k++) {
		sum += cube->weight[k];
		mean += cube->weight[k] * (double)(UINT32_C(1) << k);
	}
	torus_model_load(run, value[LOAD], mean / sum, value[MEAN_HOLD]);
	return 0;
}

static int mohapatra_uniform_begin(struct torus_model_run *run,
				   struct torus_error *err)
{
	struct cube *cube = run->own;
	uint32_t k;

	for (k = 0; k < 32; k++)
		cube->weight[k] = 1;
	return cube_begin(run, err);
}

/* Fill q^k, q = 1 - p = mean / (mean + 1). */
static void mohapatra_powers(const struct torus_model_run *run,
			     double weight[32])
{
	double mean = run->options.value[MEAN_DIMENSION];
	uint32_t k;

	weight[0] = 1;
	for (k = 1; k < 32; k++)
		weight[k] = weight[k - 1] * (mean / (mean + 1));
}

static int geometric_begin(struct torus_model_run *run, struct torus_error *err)
{
	struct cube *cube = run->own;

	mohapatra_powers(run, cube->weight);
	return cube_begin(run, err);
}

static int reverse_begin(struct torus_model_run *run, struct torus_error *err)
{
	struct cube *cube = run->own;
	double weight[32];
	uint32_t k, n;

	if (dimensions_read(run, &n, err))
		return -1;
	mohapatra_powers(run, weight);
	for (k = 0; k < n; k++)
		cube->weight[k] = weight[n - 1 - k];
	return cube_begin(run, err);
}

/* Normal, within one deviation (in means) of the mean. */
static double mohapatra_truncated(struct torus_random *random, double mean,
				  double deviation)
{
	return mean * torus_random_normal_within(random, 1, deviation,
						 1 - deviation, 1 + deviation);
}

static void cube_job(struct torus_model_run *run,
		     struct torus_trace_record *record)
{
	const double *value = run->options.value;
	const struct cube *cube = run->own;
	double hold = mohapatra_truncated(&run->random[TORUS_PURPOSE_TIMES],
					  value[MEAN_HOLD],
					  value[HOLD_DEVIATION]);
	double laxity = mohapatra_truncated(&run->random[TORUS_PURPOSE_LAXITIES],
					    value[LAXITY] * value[MEAN_HOLD],
					    value[LAXITY_DEVIATION]);

	record->submit_us = torus_model_arrival(run);
	record->run_us = torus_model_us(hold);
	record->limit_us = record->run_us;
	/* in whole microseconds, so that it is never before the end */
	record->deadline_us = record->submit_us + record->run_us +
			      (laxity > 0 ? torus_model_us(laxity) : 0);
	record->requested =
		UINT32_C(1)
		<< torus_random_weighted(&run->random[TORUS_PURPOSE_SIZES],
					 cube->weight, cube->dimensions);
}

#define CUBE_MODEL                                                             \
	.source = "Mohapatra, section 4.1", .torus = "2^8", .jobs = 10000,     \
	.deadlines = true, .own = sizeof(struct cube), .job = cube_job

const struct torus_model torus_model_mohapatra_geometric = {
	.name = "mohapatra-geometric",
	.summary = "sub-cubes, mostly small, with deadlines",
	.parameters = geometric_parameters,
	.begin = geometric_begin,
	CUBE_MODEL,
};

const struct torus_model torus_model_mohapatra_uniform = {
	.name = "mohapatra-uniform",
	.summary = "sub-cubes of every dimension alike, with deadlines",
	.parameters = uniform_parameters,
	.begin = mohapatra_uniform_begin,
	CUBE_MODEL,
};

const struct torus_model torus_model_mohapatra_reverse = {
	.name = "mohapatra-reverse",
	.summary = "sub-cubes, mostly large, with deadlines",
	.parameters = geometric_parameters,
	.begin = reverse_begin,
	CUBE_MODEL,
};
