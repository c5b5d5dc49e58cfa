/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload models: what they promise about themselves (same bytes, one
 * stream per purpose), and each against the formulas of its paper. Seeds are
 * fixed; bounds are five standard errors.
 */
#include "unit.h"

#include <math.h>

#include "models.h"
#include "replay/replay.h"
#include "torus/discipline.h"

/* Sums over a model's jobs. */
struct sample {
	double gap, run, run2, size, laxity, laxity2;
	uint32_t count[513];  /* by size, or the last: larger */
	uint32_t side[3][17]; /* by extent, shaped jobs */
	double quantile[3];   /* share of runs below 1/2, 1, 2 means */
};

static void sample_add(struct sample *s, const struct torus_trace_record *r,
		       double mean_run)
{
	static const double at[3] = { 0.5, 1, 2 };
	double run = (double)r->run_us * 1e-6;
	uint32_t size = r->requested;

	s->run += run;
	s->run2 += run * run;
	s->size += size;
	s->count[size < 512 ? size : 512]++;
	for (int i = 0; i < 3; i++)
		s->quantile[i] += run <= at[i] * mean_run;
	if (r->deadline_us != TORUS_NO_TIME) {
		double laxity = (double)(r->deadline_us - r->submit_us -
					 r->run_us) *
				1e-6;

		s->laxity += laxity;
		s->laxity2 += laxity * laxity;
	}
	if (r->shaped) {
		const struct torus_shape *shape =
			&r->request->alternative[0].ask.shape;

		for (uint32_t a = 0; a < 3; a++)
			s->side[a][a < shape->axes ? shape->extent[a] : 1]++;
	}
}

static void sample_take(const struct torus_model_options *o, struct sample *s,
			double mean_run)
{
	struct torus_trace *trace = opened(o);
	const struct torus_trace_record *r;
	int64_t last = 0;
	uint64_t n = 0;

	*s = (struct sample){ 0 };
	while ((r = next(trace))) {
		assert_true(r->submit_us >= last);
		assert_true(r->run_us >= 1 && r->limit_us == r->run_us);
		assert_int_equal(r->used, r->requested);
		last = r->submit_us;
		sample_add(s, r, mean_run);
		n++;
	}
	assert_int_equal(n, o->jobs);
	assert_int_equal(torus_trace_counts(trace)->jobs, n);
	torus_trace_close(trace);
	s->gap = (double)last * 1e-6 / JOBS;
	s->run /= JOBS;
	s->run2 /= JOBS;
	s->size /= JOBS;
	s->laxity /= JOBS;
	s->laxity2 /= JOBS;
	for (int i = 0; i < 3; i++)
		s->quantile[i] /= JOBS;
}

/* Exponential with that mean: mean, second moment, distribution function. */
static void exponential(const struct sample *s, double mean)
{
	near("run", s->run, mean, mean);
	near("run^2", s->run2, 2 * mean * mean, sqrt(20) * mean * mean);
	near("P(run <= m/2)", s->quantile[0], 1 - exp(-0.5), 0.5);
	near("P(run <= m)", s->quantile[1], 1 - exp(-1), 0.5);
	near("P(run <= 2m)", s->quantile[2], 1 - exp(-2), 0.5);
}

static void aida_uniform(void **state)
{
	struct torus_model_options o = options_of("aida-uniform");
	struct sample s;

	(void)state;
	set(&o, "nominal-load", 0.9);
	sample_take(&o, &s, 10);
	exponential(&s, 10);
	near("size", s.size, 128.5, sqrt((256.0 * 256 - 1) / 12));
	for (uint32_t n = 1; n <= 256; n += 15)
		share("size", s.count[n], 1 / 256.0);
	/* load = size x run / (gap x 256) */
	near("gap", s.gap, 128.5 * 10 / (0.9 * 256), 128.5 * 10 / (0.9 * 256));
	/* Section 6 */
	assert_int_equal(torus_parse(&o.torus, "flat:8", NULL), 0);
	set(&o, "mean-run", 32);
	sample_take(&o, &s, 32);
	exponential(&s, 32);
	near("gap", s.gap, 4.5 * 32 / (0.9 * 8), 20);
	share("size 8", s.count[8], 1 / 8.0);
}

/* ERRATA's fit of Table 3: 1.8 s + exp(8.2). */
static void aida_overhead(void **state)
{
	struct torus_model_options o = options_of("aida-uniform");
	struct sample s;

	(void)state;
	set(&o, "overhead", 1.8);
	sample_take(&o, &s, 1.8);
	near("run", s.run, 10, 8.2);
	near("run^2", s.run2 - 100, 8.2 * 8.2, 8.2 * 8.2 * 4.5);
	assert_true(s.quantile[1] == 0); /* none is shorter */
}

static void aida_real(void **state)
{
	static const double table[8] = { .1698, .1718, .0464, .1837,
					 .0295, .0316, .0357, .3314 };
	struct torus_model_options o = options_of("aida-real");
	double mean = 0, square = 0;
	struct sample s;

	(void)state;
	sample_take(&o, &s, 10);
	exponential(&s, 10);
	for (uint32_t n = 1; n <= 8; n++) {
		share("size", s.count[n], table[n - 1] / 0.9999);
		mean += n * table[n - 1] / 0.9999;
		square += n * n * table[n - 1] / 0.9999;
	}
	near("size", s.size, mean, sqrt(square - mean * mean));
	near("gap", s.gap, mean * 10 / (0.5 * 8), mean * 10 / (0.5 * 8));
}

static void bani_uniform(void **state)
{
	struct torus_model_options o = options_of("bani-uniform");
	struct sample s;

	(void)state;
	set(&o, "rotate", 0);
	sample_take(&o, &s, 1);
	exponential(&s, 1);
	near("gap", s.gap, 1 / 4.2, 1 / 4.2);
	for (uint32_t e = 1; e <= 8; e++)
		for (int a = 0; a < 3; a++)
			share("side", s.side[a][e], 1 / 8.0);
	near("size", s.size, 4.5 * 4.5 * 4.5, 91);
	/* Turning drops sides of 1, of 3 x 1/8 of the sides here. */
	set(&o, "rotate", 1);
	sample_take(&o, &s, 1);
	near("size", s.size, 4.5 * 4.5 * 4.5, 91);
	assert_true(s.side[0][1] < s.side[2][1]);
}

/* ceil(exp(4)), drawn again above 8. */
static void bani_exponential(void **state)
{
	struct torus_model_options o = options_of("bani-exponential");
	struct sample s;

	(void)state;
	set(&o, "rotate", 0);
	sample_take(&o, &s, 1);
	exponential(&s, 1);
	for (uint32_t e = 1; e <= 8; e++)
		for (int a = 0; a < 3; a++)
			share("side", s.side[a][e],
			      (exp((1 - (double)e) / 4) - exp(-(double)e / 4)) /
				      (1 - exp(-2)));
}

/* p(k) of section 4.1; mean sizes 9.36, 32, 66.67 within the rounding that
 * mohapatra.c tells of. */
static void mohapatra_sizes_have_the_published_means(void **state)
{
	static const struct {
		const char *name;
		double q, size; /* p(k) ~ q^k */
	} model[] = {
		{ "mohapatra-geometric", 2 / 3.0, 9.36 },
		{ "mohapatra-uniform", 1, 32 },
		{ "mohapatra-reverse", 3 / 2.0, 66.67 },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct torus_model_options o = options_of(model[i].name);
		double sum = 0, mean = 0, square = 0;
		struct sample s;

		for (int k = 0; k < 8; k++) {
			sum += pow(model[i].q, k);
			mean += pow(model[i].q, k) * (1 << k);
			square += pow(model[i].q, k) * (1 << k) * (1 << k);
		}
		mean /= sum;
		assert_true(fabs(mean - model[i].size) < 0.13);
		sample_take(&o, &s, 3);
		for (int k = 0; k < 8; k++)
			share("size", s.count[1 << k], pow(model[i].q, k) / sum);
		near("size", s.size, mean, sqrt(square / sum - mean * mean));
		/* Normal within +-1 deviation: the mean stays. */
		near("hold", s.run, 3, 3 * 0.53956);
		near("hold^2", s.run2 - 9, 9 * 0.29112509, 10);
		near("P(hold <= 3)", s.quantile[1], 0.5, 0.5);
		near("laxity", s.laxity, 4.5, 4.5 * 0.53956);
		near("laxity^2", s.laxity2 - 20.25, 20.25 * 0.29112509, 22);
		near("gap", s.gap, 3 * mean / (0.4 * 256),
		     3 * mean / (0.4 * 256));
	}
}

/* Cut off at one deviation from the mean, a normal variable keeps 0.29112509 of its
 * variance; without a deviation all jobs are alike. */
static void mohapatra_deviations_of_hold_time_and_laxity(void **state)
{
	static const struct {
		double hold, laxity; /* in means */
	} row[] = { { 0, 0 }, { 0.5, 1 }, { 1, 0.25 }, { 0.1, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_model_options o = options_of("mohapatra-uniform");
		double hold = 3 * row[i].hold, laxity = 4.5 * row[i].laxity;
		struct sample s;

		set(&o, "deviation", row[i].hold);
		set(&o, "laxity-deviation", row[i].laxity);
		sample_take(&o, &s, 3);
		near("hold", s.run, 3, 0.54 * hold + 1e-6);
		near("laxity", s.laxity, 4.5, 0.54 * laxity + 1e-6);
		/* s.run2 - 9 has the deviation of s.run in it, six times */
		near("hold^2", s.run2 - 9, 0.29112509 * hold * hold,
		     3.3 * hold + 0.3 * hold * hold + 1e-6);
		near("laxity^2", s.laxity2 - 20.25, 0.29112509 * laxity * laxity,
		     4.9 * laxity + 0.3 * laxity * laxity + 1e-6);
	}
}

/* NAN: the model has no such parameter. */
static double value_of(const struct torus_model_options *o, const char *key)
{
	for (int i = 0;
	     i < TORUS_MODEL_PARAMETERS && o->model->parameters[i].key; i++)
		if (!strcmp(o->model->parameters[i].key, key))
			return o->value[i];
	return NAN;
}

/* Another load moves the submits and nothing else. */
static void own_streams(void **state)
{
	const struct torus_model *const *model = torus_models();

	(void)state;
	for (; *model; model++) {
		struct torus_model_options o = options_of((*model)->name);
		const char *key = isnan(value_of(&o, "nominal-load")) ?
					  "rate" :
					  "nominal-load";
		double before = value_of(&o, key);
		struct torus_trace *a, *b;
		const struct torus_trace_record *r;

		o.jobs = 300;
		if (before == 0) /* as published */
			set(&o, key, before = 0.6);
		a = opened(&o);
		set(&o, key, before * 1.5);
		b = opened(&o);
		while ((r = next(a))) {
			const struct torus_trace_record *q = next(b);

			assert_true(fabs((double)r->submit_us -
					 1.5 * (double)q->submit_us) <= 3);
			assert_true(r->run_us == q->run_us);
			assert_int_equal(r->requested, q->requested);
			if (r->deadline_us != TORUS_NO_TIME)
				assert_true(r->deadline_us - r->submit_us ==
					    q->deadline_us - q->submit_us);
		}
		torus_trace_close(a);
		torus_trace_close(b);
	}
}

/* The same options, the same jobs; another seed or replication, others. */
static void the_same_options_give_the_same_jobs(void **state)
{
	const struct torus_model *const *model = torus_models();

	(void)state;
	for (; *model; model++) {
		struct torus_model_options o = options_of((*model)->name);
		int64_t submit[4];

		for (int i = 0; i < 4; i++) {
			struct torus_trace *trace;

			o.seed = i == 2 ? 2 : 1;
			o.replication = i == 3;
			trace = opened(&o);
			submit[i] = next(trace)->submit_us;
			torus_trace_close(trace);
		}
		assert_true(submit[0] == submit[1]);
		assert_true(submit[0] != submit[2]);
		assert_true(submit[0] != submit[3]);
		assert_true(submit[2] != submit[3]);
	}
}

/* Expected failures: each names what was read and what was expected. */
static void wrong_parameters_are_refused_with_what_was_expected(void **state)
{
	struct torus_model_options o = options_of("aida-uniform");
	struct torus_error err = { 0 };
	struct torus_trace *trace;
	const struct torus_trace_record *record;

	(void)state;
	assert_null(torus_model_find("aida"));
	assert_int_equal(torus_model_set(&o, "rate", 1, &err), -1);
	assert_non_null(strstr(err.text,
			       "it has load, nominal-load, mean-run, overhead"));
	assert_int_equal(torus_model_set(&o, "nominal-load", 0, &err), -1);
	assert_int_equal(torus_model_set(&o, "nominal-load", NAN, &err), -1);
	set(&o, "overhead", 11);
	assert_null(torus_trace_open_model(&o, &err));
	assert_int_equal(errno, EINVAL);
	o = options_of("aida-real");
	assert_int_equal(torus_parse(&o.torus, "flat:7", NULL), 0);
	assert_null(torus_trace_open_model(&o, &err));
	o = options_of("bani-uniform");
	assert_int_equal(torus_parse(&o.torus, "flat:512", NULL), 0);
	assert_null(torus_trace_open_model(&o, &err));
	o = options_of("mohapatra-reverse");
	assert_int_equal(torus_parse(&o.torus, "2x3", NULL), 0);
	torus_error_clear(&err);
	assert_null(torus_trace_open_model(&o, &err));
	assert_non_null(strstr(err.text, "power of two"));
	assert_int_equal(err.count, 1);
	/* Beyond what a trace may hold. */
	o = options_of("aida-uniform");
	set(&o, "mean-run", 1e9);
	set(&o, "nominal-load", 1e-6);
	trace = opened(&o);
	torus_error_clear(&err);
	while (torus_trace_next(trace, &record, &err) == TORUS_TRACE_JOB)
		;
	assert_int_equal(err.count, 1);
	torus_trace_close(trace);
}

/* A drawn shape is the request that its text is read as. */
static void as_typed(void **state)
{
	(void)state;
	for (int rotate = 0; rotate < 2; rotate++) {
		struct torus_model_options o = options_of("bani-uniform");
		const struct torus_trace_record *r;
		struct torus_trace *trace;

		set(&o, "rotate", rotate);
		o.jobs = 500;
		trace = opened(&o);
		while ((r = next(trace))) {
			char text[TORUS_GEOMETRY_SIZE];
			struct torus_request_words words = {
				.geometry = text, .no_rotate = !rotate
			};
			struct torus_request parsed;
			struct torus_ask *ask = &parsed.alternative[0].ask;

			torus_request_format(r->request, text, sizeof(text));
			assert_int_equal(torus_request_parse(&parsed, &words,
							     NULL),
					 0);
			if (ask->by_count) /* one node */
				continue;
			/* Behind the last axis anything may stand. */
			ask->shape = r->request->alternative[0].ask.shape;
			unit_same_request(&parsed, r->request);
		}
		torus_trace_close(trace);
	}
}

/* Straight into the engine, no file. */
static void a_model_is_replayed_without_a_file(void **state)
{
	struct torus_model_options o = options_of("aida-uniform");
	struct torus_machine m = unit_machine("flat:256", "flat");
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_scheduler_settings settings;
	struct torus_replay_options options;
	struct torus_replay_hooks hooks = { 0 };
	struct torus_error err = { 0 };
	struct torus_trace *trace;

	(void)state;
	o.jobs = 5000;
	trace = opened(&o);
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("fcfs");
	torus_replay_options_init(&options);
	assert_int_equal(torus_replay_run(trace, &m, &settings, &options,
					  &hooks, metrics, &err),
			 TORUS_REPLAY_DONE);
	assert_int_equal(metrics->outcome[TORUS_OUTCOME_COMPLETED], 5000);
	/* The offered load, but for the last jobs' time. */
	assert_true(fabs(torus_metrics_utilization(metrics, 256, false) - 0.5) <
		    0.03);
	torus_trace_close(trace);
	torus_metrics_destroy(metrics);
	torus_machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aida_uniform),
		cmocka_unit_test(aida_overhead),
		cmocka_unit_test(aida_real),
		cmocka_unit_test(bani_uniform),
		cmocka_unit_test(bani_exponential),
		cmocka_unit_test(mohapatra_sizes_have_the_published_means),
		cmocka_unit_test(mohapatra_deviations_of_hold_time_and_laxity),
		cmocka_unit_test(own_streams),
		cmocka_unit_test(the_same_options_give_the_same_jobs),
		cmocka_unit_test(
			wrong_parameters_are_refused_with_what_was_expected),
		cmocka_unit_test(as_typed),
		cmocka_unit_test(a_model_is_replayed_without_a_file),
	};

	return UNIT_RUN(tests);
}
