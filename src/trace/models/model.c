/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common part of all workload models (model.h): registry, parameters, streams,
 * arrivals. */
#include "trace/models/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/request.h"

static const struct torus_model *const models[] = {
#define MODELS_ENTRY(name) &torus_model_##name,
	TORUS_MODELS(MODELS_ENTRY) NULL,
};

const struct torus_model *const *torus_models(void)
{
	return models;
}

const struct torus_model *torus_model_find(const char *name)
{
	const struct torus_model *const *model = models;

	while (*model && strcmp((*model)->name, name) != 0)
		model++;
	return *model;
}

void torus_model_options_init(struct torus_model_options *options,
			      const struct torus_model *model)
{
	const struct torus_model_parameter *p = model->parameters;
	uint32_t i;

	*options = (struct torus_model_options){ .model = model,
						 .seed = 1,
						 .jobs = model->jobs };
	torus_parse(&options->torus, model->torus, NULL);
	for (i = 0; p[i].key; i++)
		options->value[i] = p[i].initial;
}

static int parameter_find(const struct torus_model *model, const char *key)
{
	int i;

	for (i = 0; model->parameters[i].key; i++)
		if (!strcmp(model->parameters[i].key, key))
			return i;
	return -1;
}

int torus_model_set(struct torus_model_options *options, const char *key,
		    double value, struct torus_error *err)
{
	const struct torus_model *model = options->model;
	int i = parameter_find(model, key);
	const struct torus_model_parameter *p;
	char list[512];

	if (!strcmp(key, TORUS_LOAD) &&
	    parameter_find(model, TORUS_NOMINAL_LOAD) >= 0) {
		if (!(value >= 1e-6 && value <= 1e6))
			return torus_error_add(err,
					       "load: got \"%g\", expected a number from 1e-06 to 1e+06 for the model %s",
					       value, options->model->name);
		options->load = value;
		return 0;
	}
	if (i < 0) {
		const struct torus_model_parameter *at = model->parameters;
		size_t used = 0;

		/* List the parameters: "load, mean-run, overhead". */
		list[0] = '\0';
		if (parameter_find(model, TORUS_NOMINAL_LOAD) >= 0)
			used = (size_t)snprintf(list, sizeof(list), TORUS_LOAD);
		for (; at->key && used < sizeof(list); at++)
			used += (size_t)snprintf(list + used,
						 sizeof(list) - used, "%s%s",
						 used ? ", " : "", at->key);
		return torus_error_add(err,
				       "%s: the model %s has no such "
				       "parameter; it has %s",
				       key, model->name, list);
	}
	p = &model->parameters[i];
	if (!(value >= p->minimum && value <= p->maximum))
		return torus_error_add(err,
				       "%s: got \"%g\", expected a number "
				       "from %g to %g for the model %s",
				       key, value, p->minimum, p->maximum,
				       model->name);
	options->value[i] = value;
	if (!strcmp(key, TORUS_NOMINAL_LOAD))
		options->load = 0;
	return 0;
}

int torus_model_read(struct torus_model_options *options, const char *key,
		     const char *text, struct torus_error *err)
{
	char name[32];
	double value;
	int64_t us;

	snprintf(name, sizeof(name), "%s", key);
	for (char *p = name; *p; p++)
		*p = *p == '_' ? '-' : *p;
	if (torus_number_decimal(text, &value))
		return torus_model_set(options, name, value, err);
	if ((!strcmp(name, "mean-run") || !strcmp(name, "overhead")) &&
	    torus_duration_read(text, &us, NULL) == 0)
		return torus_model_set(options, name, (double)us / 1e6, err);
	return torus_error_add(err, "%s: got \"%.60s\": expected a number", key,
			       text);
}

struct torus_model_run *
torus_model_begin(const struct torus_model_options *options,
		  struct torus_error *err)
{
	struct torus_model_run *run = torus_alloc(1, sizeof(*run));
	uint32_t i;

	if (!run)
		return NULL;
	run->options = *options;
	for (i = 1; i < sizeof(run->random) / sizeof(*run->random); i++)
		torus_random_init(&run->random[i], options->seed,
				  options->replication, (enum torus_purpose)i);
	torus_augment_seed(&run->options.vary, options->seed,
			   options->replication);
	run->options.vary.torus = options->torus;
	if (options->model->own) {
		run->own = torus_alloc(1, options->model->own);
		if (!run->own)
			goto error;
	}
	if (!options->model->begin(run, err))
		return run;
error:
	torus_model_end(run);
	return NULL;
}

void torus_model_end(struct torus_model_run *run)
{
	int saved = errno;

	if (!run)
		return;
	torus_free(run->own);
	torus_free(run);
	errno = saved;
}

/* Round to the nearest microsecond, within the bounds of a trace. */
static int64_t model_rounded(double us)
{
	const double most = (double)TORUS_TRACE_MAX_SECONDS * 1e6;

	return us < most ? (int64_t)llround(us) : (int64_t)most;
}

int64_t torus_model_arrival(struct torus_model_run *run)
{
	run->arrived += torus_random_exponential(
		&run->random[TORUS_PURPOSE_ARRIVALS]);
	return model_rounded(run->arrived * run->gap_us);
}

int64_t torus_model_us(double seconds)
{
	int64_t us = model_rounded(seconds * 1e6);

	return us < 1 ? 1 : us;
}

void torus_model_load(struct torus_model_run *run, double load,
		      double mean_nodes, double mean_run)
{
	run->nominal = load;
	run->gap_us = 1e6 * mean_nodes * mean_run /
		      (load * run->options.torus.nodes);
}

int torus_model_realised(const struct torus_model_options *options,
			 double *realised, double *nominal,
			 struct torus_error *err)
{
	struct torus_model_run *run = torus_model_begin(options, err);
	int64_t first = 0, last = 0;
	double work = 0;

	if (!run)
		return -1;
	*nominal = run->nominal > 0 ? run->nominal : NAN;
	for (uint64_t i = 0; i < options->jobs; i++) {
		struct torus_request request;
		struct torus_trace_record r = { .request = &request };

		options->model->job(run, &r);
		work += (double)r.run_us * r.requested;
		first = i ? first : r.submit_us;
		last = r.submit_us;
	}
	torus_model_end(run);
	if (last <= first)
		return torus_error_add(err,
				       "load: %llu jobs submitted at one time have none; expected two or more jobs",
				       (unsigned long long)options->jobs);
	*realised = work / ((double)(last - first) * options->torus.nodes);
	return 0;
}
