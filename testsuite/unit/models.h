/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of a workload model, and means of them against a formula. */
#ifndef TESTSUITE_UNIT_MODELS_H
#define TESTSUITE_UNIT_MODELS_H

#include "unit.h"

#include <math.h>

#include "trace/models/model.h"

#define JOBS 100000

static inline struct torus_model_options options_of(const char *name)
{
	const struct torus_model *model = torus_model_find(name);
	struct torus_model_options o;

	assert_non_null(model);
	torus_model_options_init(&o, model);
	o.jobs = JOBS;
	return o;
}

static inline struct torus_trace *opened(const struct torus_model_options *o)
{
	struct torus_error err = { 0 };
	struct torus_trace *trace = torus_trace_open_model(o, &err);

	if (!trace)
		fail_msg("%s: %s", o->model->name, err.text);
	return trace;
}

static inline const struct torus_trace_record *next(struct torus_trace *trace)
{
	const struct torus_trace_record *record = NULL;
	struct torus_error err = { 0 };

	if (torus_trace_next(trace, &record, &err) == TORUS_TRACE_JOB)
		return record;
	assert_int_equal(err.count, 0);
	return NULL;
}

static inline void set(struct torus_model_options *o, const char *key,
		       double value)
{
	struct torus_error err = { 0 };

	if (torus_model_set(o, key, value, &err))
		fail_msg("%s", err.text);
}

/* Five standard errors of a mean of n values with that deviation. */
static inline void near_of(const char *what, double n, double got,
			   double expected, double deviation)
{
	if (!(fabs(got - expected) <= 5 * deviation / sqrt(n)))
		fail_msg("%s: got %g, expected %g +- %g", what, got, expected,
			 5 * deviation / sqrt(n));
}

/* Of all JOBS. */
static inline void near(const char *what, double got, double expected,
			double deviation)
{
	near_of(what, JOBS, got, expected, deviation);
}

static inline void share(const char *what, uint32_t count, double p)
{
	near(what, (double)count / JOBS, p, sqrt(p * (1 - p)));
}

#endif
