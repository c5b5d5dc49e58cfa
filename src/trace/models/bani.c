/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workloads of Bani-Mohammad et al., section VI: Poisson arrivals,
 * exponential run times with mean one time unit (a second here), sides drawn
 * independently for each dimension of the mesh:
 *
 *	uniform		1 .. side of the mesh
 *	exponential	mean half the side; rounded up, drawn again above it
 * (The paper does not say how exponential sides become whole numbers.)
 *
 * The arrival rate is jobs per time unit. A shape is the sides in the order of
 * the dimensions. With rotate=0 side i is pinned to dimension i, as the paper
 * assumes for strategies without rotation.
 */
#include "trace/models/model.h"

enum {
	RATE,
	MEAN_RUN,
	ROTATE,
	MEAN_SIDE
};

#define COMMON_PARAMETERS                                                           \
	{ "rate", 4.2, 1e-9, 1e9,                                                   \
	  "jobs per time unit (the figures span 1 to 5)" },                         \
		{ "mean-run", 1, 1e-6, 1e9,                                         \
		  "mean run time, s (the time unit)" },                             \
	{                                                                           \
		"rotate", 1, 0, 1,                                                  \
			"1: shapes may be turned; 0: side i lies along dimension i" \
	}

static const struct torus_model_parameter uniform_parameters[] = {
	COMMON_PARAMETERS,
	{ NULL, 0, 0, 0, NULL },
};

static const struct torus_model_parameter exponential_parameters[] = {
	COMMON_PARAMETERS,
	{ "mean-side", 0.5, 1e-3, 1e3,
	  "mean of the sides before rounding, in sides of the mesh" },
	{ NULL, 0, 0, 0, NULL },
};

static int bani_begin(struct torus_model_run *run, struct torus_error *err)
{
	const double *value = run->options.value;

	if (run->options.torus.flat)
		return torus_error_add(err,
				       "%s: got a flat machine; the jobs "
				       "have shapes: give for example "
				       "8x8x8:MMM",
				       run->options.model->name);
	if (value[ROTATE] != 0 && value[ROTATE] != 1)
		return torus_error_add(err, "rotate: got %g, expected 0 or 1",
				       value[ROTATE]);
	run->gap_us = 1e6 * value[MEAN_RUN] / value[RATE];
	return 0;
}

static void common_draw(struct torus_model_run *run,
			struct torus_trace_record *record)
{
	record->submit_us = torus_model_arrival(run);
	record->run_us = torus_model_us(
		run->options.value[MEAN_RUN] *
		torus_random_exponential(&run->random[TORUS_PURPOSE_TIMES]));
	record->limit_us = record->run_us;
}

static void shape_give(const struct torus_model_run *run,
		       const struct torus_shape *shape,
		       struct torus_trace_record *record)
{
	bool rotate = run->options.value[ROTATE] != 0;
	struct torus_request *request = record->request;
	struct torus_ask *ask = &request->alternative[0].ask;

	torus_request_count(request, (uint32_t)torus_shape_volume(shape));
	request->rotate = rotate;
	ask->rotate = rotate;
	ask->by_count = false;
	ask->count = 0;
	ask->shape = *shape;
	if (rotate)
		torus_ask_drop_ones(ask);
	record->shaped = true;
	record->requested = (uint32_t)torus_shape_volume(shape);
}

static void bani_uniform_job(struct torus_model_run *run,
			     struct torus_trace_record *record)
{
	struct torus_random *random = &run->random[TORUS_PURPOSE_SIZES];
	const struct torus *t = &run->options.torus;
	struct torus_shape shape = { .axes = t->dims };
	uint32_t d;

	common_draw(run, record);
	for (d = 0; d < t->dims; d++)
		shape.extent[d] = 1 + torus_random_below(random, t->size[d]);
	shape_give(run, &shape, record);
}

static void exponential_job(struct torus_model_run *run,
			    struct torus_trace_record *record)
{
	struct torus_random *random = &run->random[TORUS_PURPOSE_SIZES];
	const struct torus *t = &run->options.torus;
	struct torus_shape shape = { .axes = t->dims };
	uint32_t d;

	common_draw(run, record);
	for (d = 0; d < t->dims; d++) {
		double side;

		do
			side = (run->options.value[MEAN_SIDE] * t->size[d]) *
			       torus_random_exponential(random);
		while (side > t->size[d]);
		shape.extent[d] = side <= 1 ? 1 :
					      (uint32_t)side +
						      (side > (uint32_t)side);
	}
	shape_give(run, &shape, record);
}

const struct torus_model torus_model_bani_uniform = {
	.name = "bani-uniform",
	.summary = "shapes with uniform sides, exponential run times",
	.source = "Bani-Mohammad et al., section VI",
	.torus = "8x8x8:MMM",
	.jobs = 1000,
	.shapes = true,
	.parameters = uniform_parameters,
	.begin = bani_begin,
	.job = bani_uniform_job,
};

const struct torus_model torus_model_bani_exponential = {
	.name = "bani-exponential",
	.summary = "shapes with exponential sides, exponential run times",
	.source = "Bani-Mohammad et al., section VI",
	.torus = "8x8x8:MMM",
	.jobs = 1000,
	.shapes = true,
	.parameters = exponential_parameters,
	.begin = bani_begin,
	.job = exponential_job,
};
