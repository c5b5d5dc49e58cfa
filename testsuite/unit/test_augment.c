/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates and shapes added to jobs, against their formulas; and that every
 * parameter of a model can be given to storus generate. */
#include "unit.h"

#include <math.h>

#include "storus/lab/generate_options.h"
#include "trace/models/model.h"
#include "trace/models/augment.h"

#define DRAWS 20000

static struct torus_augment vary_of(const char *machine, const char *shapes,
				    const char *estimates)
{
	struct torus_augment v = { .torus = unit_torus(machine) };
	struct torus_error err = { 0 };

	if ((shapes && torus_augment_shapes(&v, shapes, &err)) ||
	    (estimates && torus_augment_estimates(&v, estimates, &err)))
		fail_msg("%s", err.text);
	torus_augment_seed(&v, 11, 0);
	return v;
}

/* How often each shape of n nodes comes; text of the most frequent. */
struct seen {
	char text[16][32];
	uint32_t count[16], kinds;
};

static void shapes_see(struct torus_augment *v, uint32_t n, struct seen *seen)
{
	*seen = (struct seen){ 0 };
	for (int i = 0; i < DRAWS; i++) {
		struct torus_shape shape;
		char text[32];
		uint32_t k;

		assert_true(torus_augment_shape(v, n, &shape));
		assert_true(torus_shape_volume(&shape) == n);
		torus_shape_format(&shape, text, sizeof(text));
		for (k = 0; k < seen->kinds; k++)
			if (!strcmp(seen->text[k], text))
				break;
		assert_true(k < 16);
		seen->kinds += k == seen->kinds;
		strcpy(seen->text[k], text);
		seen->count[k]++;
	}
}

static double share_of(const struct seen *seen, const char *text)
{
	for (uint32_t k = 0; k < seen->kinds; k++)
		if (!strcmp(seen->text[k], text))
			return (double)seen->count[k] / DRAWS;
	return 0;
}

static void near(double got, double expected)
{
	if (!(fabs(got - expected) < 5 * 0.5 / sqrt(DRAWS)))
		fail_msg("got %g, expected %g", got, expected);
}

/* 12 nodes on 8x4x2: 6x2, 4x3, 3x2x2 with surfaces 20, 19, 16. 8 nodes: 8,
 * 4x2, 2x2x2 with 17, 14, 12. */
static void shapes_are_chosen_by_surface(void **state)
{
	struct torus_augment v = vary_of("8x4x2", "uniform", NULL);
	struct torus_shape shape;
	struct seen seen;

	(void)state;
	shapes_see(&v, 12, &seen);
	assert_int_equal(seen.kinds, 3);
	near(share_of(&seen, "6x2"), 1 / 3.0);
	near(share_of(&seen, "4x3"), 1 / 3.0);
	near(share_of(&seen, "3x2x2"), 1 / 3.0);
	v = vary_of("2x8x4", "weighted", NULL); /* sizes in any order */
	shapes_see(&v, 8, &seen);
	assert_int_equal(seen.kinds, 3);
	near(share_of(&seen, "8"), 1 / 17.0 / (1 / 17.0 + 1 / 14.0 + 1 / 12.0));
	near(share_of(&seen, "2x2x2"),
	     1 / 12.0 / (1 / 17.0 + 1 / 14.0 + 1 / 12.0));
	v = vary_of("8x4x2", "compact", NULL);
	shapes_see(&v, 12, &seen);
	near(share_of(&seen, "3x2x2"), 1);
	shapes_see(&v, 64, &seen);
	near(share_of(&seen, "8x4x2"), 1);
	shapes_see(&v, 1, &seen);
	near(share_of(&seen, "1"), 1);
	/* No box: a prime, too many, too long. */
	assert_false(torus_augment_shape(&v, 11, &shape));
	assert_false(torus_augment_shape(&v, 65, &shape));
	assert_false(torus_augment_shape(&v, 9, &shape) && shape.extent[0] == 9);
	assert_false(torus_augment_shape(&v, 0, &shape));
	/* A hypercube has one shape per size. */
	v = vary_of("2^8", "uniform", NULL);
	shapes_see(&v, 32, &seen);
	near(share_of(&seen, "2x2x2x2x2"), 1);
}

/* One number per job: sizes without a shape move no other job's. */
static void a_job_without_a_shape_moves_no_other_job(void **state)
{
	struct torus_augment a = vary_of("8x8x8", "uniform", NULL), b = a;
	struct torus_shape x, y;

	(void)state;
	torus_augment_shape(&a, 11, &x);
	torus_augment_shape(&b, 64, &x);
	assert_true(torus_augment_shape(&a, 64, &x));
	assert_true(torus_augment_shape(&b, 64, &y));
	assert_memory_equal(&x, &y, sizeof(x));
}

static void estimates_have_the_distribution_asked_for(void **state)
{
	struct torus_augment v = vary_of("8", NULL, "uniform:3");
	struct torus_trace_record r = { .run_us = 1000000, .requested = 2 };
	double sum = 0, squares = 0;

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		double f;

		torus_augment_apply(&v, &r);
		f = (double)r.limit_us * 1e-6;
		assert_true(f >= 1 && f <= 4);
		sum += f;
		squares += f * f;
	}
	/* Uniform on 1..4: mean 2.5, variance 9/12. */
	assert_true(fabs(sum / DRAWS - 2.5) < 5 * 0.87 / sqrt(DRAWS));
	assert_true(fabs(squares / DRAWS - 7) < 5 * 4.4 / sqrt(DRAWS));
	v = vary_of("8", NULL, "factor:2.5");
	torus_augment_apply(&v, &r);
	assert_true(r.limit_us == 2500000);
	v = vary_of("8", NULL, "exact");
	torus_augment_apply(&v, &r);
	assert_true(r.limit_us == 1000000);
	assert_false(r.shaped);
	v = vary_of("8", NULL, NULL);
	r.limit_us = 77;
	torus_augment_apply(&v, &r);
	assert_true(r.limit_us == 77);
}

static int64_t rounded(struct torus_augment *v, int64_t run_us)
{
	struct torus_trace_record r = { .run_us = run_us };

	torus_augment_apply(v, &r);
	return r.limit_us;
}

/* round:F: never below the run time, nor, by more than the next round value,
 * above (1 + F) times it; few values, which are whole minutes, and days above
 * two of them. */
static void round_estimates(void **state)
{
	static const int value[] = { 1,   5,   10,   15,   20,   30,  60,
				     120, 180, 240,  300,  360,  480, 600,
				     720, 900, 1080, 1440, 2160, 2880 };
	struct torus_augment v = vary_of("8", NULL, "round:2");
	struct torus_random random;
	int64_t seen[64];
	int n = 0;

	(void)state;
	torus_random_init(&random, 1, 0, TORUS_PURPOSE_SHAPES);
	for (int i = 0; i < DRAWS; i++) {
		/* 1 s to 12 h, as likely in each power of ten */
		double run = exp(torus_random_unit(&random) * log(43200));
		struct torus_trace_record r = { .run_us = (int64_t)(run * 1e6) };
		int k = 0;

		torus_augment_apply(&v, &r);
		assert_true(r.limit_us >= r.run_us);
		assert_true(r.limit_us <= 60000000 ||
			    r.limit_us <= 5 * 3 * r.run_us);
		assert_true(r.limit_us % 60000000 == 0);
		while (k < n && seen[k] != r.limit_us)
			k++;
		assert_true(k < 20);
		if (k == n)
			seen[n++] = r.limit_us;
	}
	assert_true(n > 15);
	v = vary_of("8", NULL, "round:0");
	for (size_t i = 0; i < sizeof(value) / sizeof(*value); i++) {
		int64_t minute = 60000000, at = value[i] * minute;

		assert_true(rounded(&v, at) == at);
		assert_true(rounded(&v, at - minute / 2) == at);
		assert_true(rounded(&v, at + 1) ==
			    (i < 19 ? value[i + 1] : 3 * 1440) * minute);
	}
	for (int64_t minutes = 1; minutes < 10 * 1440; minutes += 7) {
		struct torus_trace_record r = { .run_us = minutes * 60000000 };

		torus_augment_apply(&v, &r);
		assert_true(r.limit_us >= r.run_us &&
			    r.limit_us < r.run_us + INT64_C(86400000000));
		assert_true(minutes <= 2880 ||
			    r.limit_us % INT64_C(86400000000) == 0);
	}
}

static void wrong_estimates_and_shapes_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",          "factor",     "factor:",   "factor:0",
		"factor:-1", "factor:1e9", "uniform:x", "uniform:3 ",
		"exactly",   "factor:nan",
	};
	struct torus_error err = { 0 };
	struct torus_augment v = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(torus_augment_estimates(&v, wrong[i], &err),
				 -1);
	assert_int_equal(torus_augment_shapes(&v, "", &err), -1);
	assert_int_equal(torus_augment_shapes(&v, "compct", &err), -1);
	assert_non_null(strstr(err.text, "did you mean \"compact\""));
}

/* A shaped job keeps its shape. */
static void a_shaped_job_keeps_its_shape(void **state)
{
	struct torus_augment v = vary_of("8x8", "compact", NULL);
	struct torus_request request = { .alternatives = 1 };
	struct torus_trace_record r = { .shaped = true,
					.request = &request,
					.requested = 4 };

	(void)state;
	torus_augment_apply(&v, &r);
	assert_ptr_equal(r.request, &request);
	r.shaped = false;
	torus_augment_apply(&v, &r);
	assert_true(r.shaped && r.request != &request);
	assert_int_equal(r.request->alternative[0].ask.shape.axes, 2);
}

static void each_parameter_of_a_model_is_an_option(void **state)
{
	const struct torus_model *const *model = torus_models();

	(void)state;
	for (; *model; model++) {
		const struct torus_model_parameter *p = (*model)->parameters;
		struct torus_model_options o;

		torus_model_options_init(&o, *model);
		assert_true(o.torus.nodes > 1);
		for (; p->key; p++) {
			const struct storus_option *option =
				storus_generate_options;

			while (option->name && strcmp(option->name, p->key))
				option++;
			if (!option->name)
				fail_msg("%s: --%s is no option",
					 (*model)->name, p->key);
			assert_true(p->initial >= p->minimum &&
				    p->initial <= p->maximum);
			assert_true(p - (*model)->parameters <
				    TORUS_MODEL_PARAMETERS);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_are_chosen_by_surface),
		cmocka_unit_test(a_job_without_a_shape_moves_no_other_job),
		cmocka_unit_test(estimates_have_the_distribution_asked_for),
		cmocka_unit_test(round_estimates),
		cmocka_unit_test(wrong_estimates_and_shapes_are_refused),
		cmocka_unit_test(a_shaped_job_keeps_its_shape),
		cmocka_unit_test(each_parameter_of_a_model_is_an_option),
	};

	return UNIT_RUN(tests);
}
