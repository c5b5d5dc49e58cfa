/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workloads of Aida, Kasahara and Narita, section 4.1: Poisson arrivals,
 * exponential run times with mean 10 s, sizes uniform on 1..256 of 256
 * processors, or as Table 2 counts them on a Cenju-3 of 8 processors.
 *
 *	load = arrival rate x mean size x mean run time / processors   (1)
 *
 * `overhead` is our addition: a constant part of every run time (the paper's
 * times include loading the program); the rest of the mean is exponential.
 * Nothing is truncated, but a run time that rounds to 0 us counts as 1 us.
 * Section 6's workload is aida-uniform on flat:8 with mean-run 32. Expected run
 * times are the run times, as the paper assumes.
 */
#include "trace/models/model.h"

enum {
	LOAD,
	MEAN_RUN,
	OVERHEAD
};

static const struct torus_model_parameter parameters[] = {
	{ TORUS_NOMINAL_LOAD, 0.5, 1e-6, 1e6,
	  "offered load in the mean, of all processors (Table 3 has 0.5)" },
	{ "mean-run", 10, 1e-6, 1e9, "mean run time, s" },
	{ "overhead", 0, 0, 1e9,
	  "constant part of every run time, s (1.8 fits Table 3)" },
	{ NULL, 0, 0, 0, NULL },
};

/* Table 2. The ratios add up to 0.9999: they are weights here. */
#define CENJU_PROCESSORS 8
static const double cenju[CENJU_PROCESSORS] = {
	0.1698, 0.1718, 0.0464, 0.1837, 0.0295, 0.0316, 0.0357, 0.3314,
};

static int times_check(const struct torus_model_run *run,
		       struct torus_error *err)
{
	const double *value = run->options.value;

	if (value[OVERHEAD] <= value[MEAN_RUN])
		return 0;
	return torus_error_add(err,
			       "overhead: got %g, expected at most "
			       "mean-run, which is %g",
			       value[OVERHEAD], value[MEAN_RUN]);
}

static int aida_uniform_begin(struct torus_model_run *run,
			      struct torus_error *err)
{
	const double *value = run->options.value;

	torus_model_load(run, value[LOAD], (run->options.torus.nodes + 1) / 2.0,
			 value[MEAN_RUN]);
	return times_check(run, err);
}

static int real_begin(struct torus_model_run *run, struct torus_error *err)
{
	const double *value = run->options.value;
	double sum = 0, mean = 0;
	uint32_t i;

	if (run->options.torus.nodes < CENJU_PROCESSORS)
		return torus_error_add(err,
				       "aida-real: got a machine of %u "
				       "nodes; the jobs need up to %d",
				       run->options.torus.nodes,
				       CENJU_PROCESSORS);
	for (i = 0; i < CENJU_PROCESSORS; i++) {
		sum += cenju[i];
		mean += cenju[i] * (i + 1);
	}
	torus_model_load(run, value[LOAD], mean / sum, value[MEAN_RUN]);
	return times_check(run, err);
}

static void times_draw(struct torus_model_run *run,
		       struct torus_trace_record *record)
{
	const double *value = run->options.value;

	record->submit_us = torus_model_arrival(run);
	record->run_us = torus_model_us(
		value[OVERHEAD] +
		(value[MEAN_RUN] - value[OVERHEAD]) *
			torus_random_exponential(
				&run->random[TORUS_PURPOSE_TIMES]));
	record->limit_us = record->run_us;
}

static void aida_uniform_job(struct torus_model_run *run,
			     struct torus_trace_record *record)
{
	times_draw(run, record);
	record->requested = 1 +
			    torus_random_below(&run->random[TORUS_PURPOSE_SIZES],
					       run->options.torus.nodes);
}

static void real_job(struct torus_model_run *run,
		     struct torus_trace_record *record)
{
	times_draw(run, record);
	record->requested =
		1 + torus_random_weighted(&run->random[TORUS_PURPOSE_SIZES],
					  cenju, CENJU_PROCESSORS);
}

const struct torus_model torus_model_aida_uniform = {
	.name = "aida-uniform",
	.summary = "sizes uniform on 1 to the machine's, exponential run times",
	.source = "Aida, Kasahara, Narita, section 4.1",
	.torus = "flat:256",
	.jobs = 5000,
	.parameters = parameters,
	.begin = aida_uniform_begin,
	.job = aida_uniform_job,
};

const struct torus_model torus_model_aida_real = {
	.name = "aida-real",
	.summary = "sizes 1 to 8 as counted on a Cenju-3, exponential run times",
	.source = "Aida, Kasahara, Narita, section 4.1, Table 2",
	.torus = "flat:8",
	.jobs = 5000,
	.parameters = parameters,
	.begin = real_begin,
	.job = real_job,
};
