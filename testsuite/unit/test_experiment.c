/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The claims of experiments: when is one reproduced, undecided, not; what is a
 * surprise; that every descriptor is complete; which points of a picture have
 * marks.
 */
#include <math.h>

#include "files.h"
#include "unit.h"

#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"
#include "papers/experiment/plot.h"

static const struct torus_series two[] = {
	{ .label = "A" },
	{ .label = "B" },
	{ .label = NULL },
};
static const struct torus_experiment figure = {
	.name = "figure",
	.paper = "Nobody",
	.number = "Fig. 0",
	.title = "lines",
	.series = two,
	.key = "load",
	.y = "y",
};

/* B lies `gap` above A on each seed, +- noise, around a base that varies far
 * more from seed to seed. */
static void fill(struct torus_lab *lab, double gap, double noise)
{
	*lab = (struct torus_lab){ 0 };
	torus_lab_begin(lab, &figure);
	for (uint32_t seed = 1; seed <= 10; seed++) {
		double base = 10 + 5 * sin(seed);
		double wobble = seed % 2 ? noise : -noise;

		assert_int_equal(torus_lab_add(lab, &two[0], 0.5, seed, 0.5,
					       base),
				 0);
		assert_int_equal(torus_lab_add(lab, &two[1], 0.5, seed, 0.5,
					       base + gap + wobble),
				 0);
	}
	torus_lab_sort(lab);
	assert_int_equal(lab->points, 2);
}

static void paired_claims_need_a_clear_difference(void **state)
{
	static const struct {
		double gap, noise, margin;
		enum torus_verdict verdict;
	} row[] = {
		{ 0.5, 0.1, 0, TORUS_CLAIM_REPRODUCED },
		{ 0.5, 0.1, 0.6, TORUS_CLAIM_NOT },
		{ 0.5, 0.1, 0.45, TORUS_CLAIM_UNDECIDED },
		{ 0.5, 2, 0, TORUS_CLAIM_UNDECIDED },
		{ -0.5, 0.1, 0, TORUS_CLAIM_NOT },
		{ 0, 0, 0, TORUS_CLAIM_NOT }, /* equal is not less */
		{ 0, 0, -0.1, TORUS_CLAIM_REPRODUCED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_lab lab;

		fill(&lab, row[i].gap, row[i].noise);
		torus_lab_less(&lab, "A", "B", 0.5, row[i].margin, NULL, "s");
		torus_lab_less(&lab, "A", "B", 0.5, row[i].margin, "known", "s");
		assert_int_equal(lab.claims, 2);
		assert_int_equal(lab.claim[0].verdict, row[i].verdict);
		assert_int_equal(lab.surprises, 2 * (row[i].verdict !=
						     TORUS_CLAIM_REPRODUCED));
		torus_lab_end(&lab);
	}
}

static void values_are_judged_by_their_intervals(void **state)
{
	struct torus_lab lab;

	(void)state;
	fill(&lab, 10, 0.1); /* A is 10.7 +- 2.6 */
	torus_lab_near(&lab, "A", 0.5, 10.5, 3, NULL, "s");
	torus_lab_near(&lab, "A", 0.5, 10.5, 1, NULL, "s"); /* both bounds */
	torus_lab_near(&lab, "A", 0.5, 30, 1, NULL, "s");
	assert_int_equal(lab.claim[0].verdict, TORUS_CLAIM_REPRODUCED);
	assert_int_equal(lab.claim[1].verdict, TORUS_CLAIM_UNDECIDED);
	assert_int_equal(lab.claim[2].verdict, TORUS_CLAIM_NOT);
	torus_lab_ratio(&lab, "A", "B", 0.5,
			(struct torus_lab_band){ 0.5, 0.1 }, NULL, "s");
	torus_lab_ratio(&lab, "A", "B", 0.5,
			(struct torus_lab_band){ 0.45, 0.1 }, NULL, "s");
	torus_lab_ratio(&lab, "A", "B", 0.5,
			(struct torus_lab_band){ 0.9, 0.05 }, NULL, "s");
	assert_int_equal(lab.claim[3].verdict, TORUS_CLAIM_REPRODUCED);
	assert_int_equal(lab.claim[4].verdict, TORUS_CLAIM_UNDECIDED);
	assert_int_equal(lab.claim[5].verdict, TORUS_CLAIM_NOT);
	/* what was not computed is undecided */
	torus_lab_less(&lab, "A", "C", 0.5, 0, NULL, "s");
	torus_lab_near(&lab, "A", 0.6, 1, 1, NULL, "s");
	torus_lab_less_at(&lab, "A", 0.5, 0.6, NULL, "s");
	for (int i = 6; i < 9; i++)
		assert_int_equal(lab.claim[i].verdict, TORUS_CLAIM_UNDECIDED);
	assert_int_equal(lab.surprises, 7);
	torus_lab_end(&lab);
}

/* One series at two keys, on the same seeds; a single run has no interval,
 * and says of none. */
static void two_keys_are_paired_by_seed(void **state)
{
	struct torus_lab lab = { 0 };

	(void)state;
	torus_lab_begin(&lab, &figure);
	for (uint32_t seed = 1; seed <= 10; seed++) {
		double base = 10 + 5 * sin(seed);

		torus_lab_add(&lab, &two[0], 1, seed, 1, base);
		torus_lab_add(&lab, &two[0], 2, seed, 2,
			      base + 0.5 + (seed % 2 ? 0.1 : -0.1));
	}
	torus_lab_add(&lab, &two[1], 1, 1, 1, 3);
	torus_lab_add(&lab, &two[1], 2, 1, 2, 4);
	torus_lab_sort(&lab);
	torus_lab_less_at(&lab, "A", 1, 2, NULL, "s");
	torus_lab_less_at(&lab, "A", 2, 1, NULL, "s");
	torus_lab_less_at(&lab, "B", 1, 2, NULL, "s");
	assert_int_equal(lab.claim[0].verdict, TORUS_CLAIM_REPRODUCED);
	assert_non_null(strstr(lab.claim[0].got, "difference 0.5 +- 0.0"));
	assert_int_equal(lab.claim[1].verdict, TORUS_CLAIM_NOT);
	assert_int_equal(lab.claim[2].verdict, TORUS_CLAIM_REPRODUCED);
	assert_string_equal(lab.claim[2].got, "B at 1 3, at 2 4; difference 1");
	torus_lab_end(&lab);
}

/* Claims about every key are as good as the worst of them. */
static void every_key(void **state)
{
	static const struct torus_range half = { 1, 2 };
	struct torus_lab lab = { 0 };

	(void)state;
	torus_lab_begin(&lab, &figure);
	for (uint32_t seed = 1; seed <= 10; seed++) {
		double base = 10 + 5 * sin(seed);
		double wobble = seed % 2 ? 0.1 : -0.1;

		for (int key = 1; key <= 4; key++) {
			/* the gap at 1 .. 4: 2, 1, 0 (undecided), -1 */
			torus_lab_add(&lab, &two[0], key, seed, key,
				      base + 10 * key);
			torus_lab_add(&lab, &two[1], key, seed, key,
				      base + 10 * key + 3 - key + wobble);
		}
	}
	torus_lab_sort(&lab);
	torus_lab_every_less(&lab, "A", "B", half, NULL, "s");
	torus_lab_every_less(&lab, "A", "B", (struct torus_range){ 1, 3 }, NULL,
			     "s");
	torus_lab_every_less(&lab, "A", "B", TORUS_LAB_ALL, NULL, "s");
	assert_int_equal(lab.claim[0].verdict, TORUS_CLAIM_REPRODUCED);
	assert_int_equal(lab.claim[1].verdict, TORUS_CLAIM_UNDECIDED);
	assert_int_equal(lab.claim[2].verdict, TORUS_CLAIM_NOT);
	assert_non_null(strstr(lab.claim[2].got, "at 2 of 4; "));
	assert_non_null(strstr(lab.claim[2].got, "at 4 -1 +- 0.0"));
	torus_lab_every_ratio(&lab, "B", "A", half,
			      (struct torus_range){ 1, 1.2 }, NULL, "s");
	torus_lab_every_ratio(&lab, "B", "A", TORUS_LAB_ALL,
			      (struct torus_range){ 1, 1.2 }, NULL, "s");
	assert_int_equal(lab.claim[3].verdict, TORUS_CLAIM_REPRODUCED);
	assert_int_equal(lab.claim[4].verdict, TORUS_CLAIM_NOT);
	torus_lab_every_growth(&lab, "A", TORUS_LAB_ALL, "s");
	assert_int_equal(lab.claim[5].verdict, TORUS_CLAIM_REPRODUCED);
	torus_lab_every_less(&lab, "A", "C", TORUS_LAB_ALL, NULL, "s");
	assert_int_equal(lab.claim[6].verdict, TORUS_CLAIM_UNDECIDED);
	assert_int_equal(lab.surprises, 4);
	for (uint32_t i = 0; i < lab.claims; i++)
		assert_true(*lab.claim[i].test);
	torus_lab_end(&lab);
}

/* Verdicts are compared with the recorded ones, whatever the reason says. A quick run
 * and one of other seeds never say that more is reproduced. */
static void a_reason_excuses_nothing(void **state)
{
	static const struct {
		bool weak; /* --quick, or --seeds */
		char recorded;
		double gap;
		enum torus_verdict verdict;
		uint32_t surprises;
	} row[] = {
		{ false, 'r', 0.5, TORUS_CLAIM_REPRODUCED, 0 },
		{ false, 'r', -0.5, TORUS_CLAIM_NOT, 1 },
		{ false, 'u', -0.5, TORUS_CLAIM_NOT, 1 },
		{ false, 'n', -0.5, TORUS_CLAIM_NOT, 0 },
		{ false, 'n', 0.5, TORUS_CLAIM_REPRODUCED, 0 },
		{ true, 'r', -0.5, TORUS_CLAIM_NOT, 1 },
		{ true, 'u', -0.5, TORUS_CLAIM_NOT, 0 },
		{ true, 'n', 0.5, TORUS_CLAIM_UNDECIDED, 0 },
		{ true, 'u', 0.5, TORUS_CLAIM_UNDECIDED, 0 },
		{ true, 'r', 0.5, TORUS_CLAIM_REPRODUCED, 0 },
	};

	(void)state;
	for (size_t k = 0; k < 2 * sizeof(row) / sizeof(*row); k++) {
		size_t i = k / 2;
		const char recorded[] = { row[i].recorded, '\0' };
		struct torus_experiment e = figure;
		struct torus_lab lab;

		fill(&lab, row[i].gap, 0.1);
		e.verdicts = recorded;
		lab.experiment = &e;
		lab.quick = row[i].weak && k % 2;
		lab.first_seed = row[i].weak && !lab.quick;
		torus_lab_less(&lab, "A", "B", 0.5, 0, "a reason", "s");
		assert_int_equal(lab.claim[0].verdict, row[i].verdict);
		assert_int_equal(lab.surprises, row[i].surprises);
		torus_lab_end(&lab);
	}
}

static void limits_are_on_one_side(void **state)
{
	struct torus_lab lab;

	(void)state;
	fill(&lab, 10, 0.1); /* A is 10.7 +- 2.6 */
	torus_lab_below(&lab, "A", 0.5, 20, NULL, "s");
	torus_lab_below(&lab, "A", 0.5, 11, NULL, "s");
	torus_lab_below(&lab, "A", 0.5, 5, NULL, "s");
	for (int i = 0; i < 3; i++)
		assert_int_equal(lab.claim[i].verdict, (enum torus_verdict)i);
	torus_lab_end(&lab);
}

/* Seeds beyond the table and missing values are left out; one run has no
 * interval. */
static void missing_points_and_values_are_omitted(void **state)
{
	struct torus_lab lab = { 0 };
	const struct torus_point *p;

	(void)state;
	torus_lab_begin(&lab, &figure);
	torus_lab_add(&lab, &two[1], 2, 1, 2, 7);
	torus_lab_add(&lab, &two[0], 3, 1, 3, 7);
	torus_lab_add(&lab, &two[0], 1, 0, 1, 7);
	torus_lab_add(&lab, &two[0], 1, TORUS_LAB_SEEDS + 1, 1, 7);
	torus_lab_add(&lab, &two[0], 1, 2, 1, NAN);
	torus_lab_sort(&lab);
	assert_int_equal(lab.points, 3);
	assert_ptr_equal(lab.point[0].series, &two[0]);
	assert_true(lab.point[0].key == 1 && lab.point[1].key == 3);
	assert_null(torus_lab_at(&lab, "A", 1));
	p = torus_lab_at(&lab, "B", 2);
	assert_non_null(p);
	assert_true(torus_lab_half(&p->y) == 0);
	torus_lab_end(&lab);
}

/* --seeds 101-105: these are the first of the table; a log is one run. */
static void seeds_may_begin_later(void **state)
{
	struct torus_study study = { .seeds = 50, .seeds_quick = 5 };
	struct torus_experiment e = figure;
	char range[TORUS_LAB_RANGE];
	struct torus_lab lab = { 0 };

	(void)state;
	torus_lab_begin(&lab, &e);
	assert_string_equal(torus_lab_range(&lab, range), "");
	e.study = &study;
	assert_string_equal(torus_lab_range(&lab, range), "1-50");
	lab.quick = true;
	assert_string_equal(torus_lab_range(&lab, range), "1-5");
	lab.first_seed = 101;
	lab.last_seed = 120;
	assert_string_equal(torus_lab_range(&lab, range), "101-120");
	torus_lab_add(&lab, &two[0], 1, 100, 1, 7);
	torus_lab_add(&lab, &two[0], 1, 101, 1, 8);
	assert_true(lab.point[0].y.n == 1 && lab.point[0].value[0] == 8);
	study.traces = true;
	assert_int_equal(torus_lab_first(&lab), 1);
	assert_string_equal(torus_lab_range(&lab, range), "");
	torus_lab_end(&lab);
}

static bool has_series(const struct torus_experiment *e, const char *label)
{
	if (!strcmp(label, TORUS_ALL_SERIES))
		return true;
	for (const struct torus_series *s = e->series; s->label; s++) {
		if (!strcmp(s->label, label))
			return true;
	}
	return false;
}

static void descriptors_of_experiments_are_complete(void **state)
{
	const struct torus_experiment *e, *other;

	(void)state;
	for (size_t i = 0; (e = torus_experiment_at(i)); i++) {
		assert_non_null(e->name);
		assert_non_null(e->paper);
		assert_non_null(e->number);
		assert_non_null(e->title);
		assert_true(!e->study != !e->exact);
		if (e->study) {
			assert_non_null(e->trace);
			assert_non_null(e->claims);
			assert_true(e->study->seeds <= TORUS_LAB_SEEDS);
		}
		for (const struct torus_reading *r = e->readings;
		     r && r->series; r++)
			assert_true(has_series(e, r->series) &&
				    (!r->of || has_series(e, r->of)));
		if (e->series) {
			int drawn = 0;

			for (const struct torus_series *s = e->series; s->label;
			     s++)
				drawn += !s->undrawn;
			assert_true(drawn <= TORUS_PLOT_STYLES || !e->x_title);
			assert_non_null(e->key);
			assert_non_null(e->y);
			assert_non_null(e->y_title);
		}
		for (size_t o = i + 1; (other = torus_experiment_at(o)); o++)
			assert_string_not_equal(e->name, other->name);
	}
}

/* Curves that lie on each other have the mark in turn; others at every point. */
static void overlapping_curves_take_turns_with_their_marks(void **state)
{
	static const struct torus_series four[] = {
		{ .label = "A" },  { .label = "hidden", .undrawn = true },
		{ .label = "B" },  { .label = "C" },
		{ .label = NULL },
	};
	static const double y[][4] = { /* at the keys 1 to 4 */
				       { 10, 10, 10, 30 },
				       { 10, 10, 10, 10 },
				       { 10.3, 10.3, 10.3, 20 },
				       { 40, 10.1, 10.1, 40 }
	};
	struct torus_experiment drawn = figure;
	struct torus_lab lab = { .directory = files_directory,
				 .command = "storus" };
	char *script;

	(void)state;
	drawn.series = four;
	drawn.x_title = "load";
	drawn.y_title = "y";
	torus_lab_begin(&lab, &drawn);
	for (int s = 0; s < 4; s++)
		for (int key = 1; key < 5; key++)
			torus_lab_add(&lab, &four[s], key, 1, key,
				      y[s][key - 1]);
	torus_lab_sort(&lab);
	assert_true(torus_plot_points(&lab) >= 0); /* 1: there is no gnuplot */
	script = files_read(files_path("figure.gp"), NULL);
	assert_non_null(strstr(script, "$s1 << end\n1 10 0 1\n2 10 0 0\n"
				       "3 10 0 0\n4 30 0 1\nend\n"));
	assert_null(strstr(script, "$s2"));
	assert_non_null(strstr(script, "$s3 << end\n1 10.3 0 0\n2 10.3 0 1\n"
				       "3 10.3 0 0\n4 20 0 1\nend\n"));
	assert_non_null(strstr(script, "$s4 << end\n1 40 0 1\n2 10.1 0 0\n"
				       "3 10.1 0 1\n4 40 0 1\nend\n"));
	assert_non_null(strstr(script, "set yrange [0:*]"));
	free(script);

	drawn.y_log = true; /* 10 and 10.3 are farther apart there */
	assert_true(torus_plot_points(&lab) >= 0);
	script = files_read(files_path("figure.gp"), NULL);
	assert_non_null(strstr(script, "$s1 << end\n1 10 0 1\n"));
	assert_non_null(strstr(script, "$s3 << end\n1 10.3 0 1\n"));
	assert_non_null(strstr(script, "set logscale y"));
	assert_null(strstr(script, "set yrange"));
	free(script);
	torus_lab_end(&lab);
}

/* B has no point at A's first key: where they lie on each other, each point has one
 * mark all the same. */
static void marks_of_a_shorter_curve(void **state)
{
	struct torus_experiment drawn = figure;
	struct torus_lab lab = { .directory = files_directory,
				 .command = "storus" };
	char *script;

	(void)state;
	drawn.x_title = "load";
	drawn.y_title = "y";
	torus_lab_begin(&lab, &drawn);
	for (int key = 1; key < 5; key++) {
		torus_lab_add(&lab, &two[0], key, 1, key, 10);
		if (key > 1)
			torus_lab_add(&lab, &two[1], key, 1, key, 10);
	}
	torus_lab_sort(&lab);
	assert_true(torus_plot_points(&lab) >= 0);
	script = files_read(files_path("figure.gp"), NULL);
	assert_non_null(strstr(script, "$s1 << end\n1 10 0 1\n2 10 0 0\n"
				       "3 10 0 1\n4 10 0 0\nend\n"));
	assert_non_null(strstr(script, "$s2 << end\n2 10 0 1\n3 10 0 0\n"
				       "4 10 0 1\nend\n"));
	free(script);
	torus_lab_end(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paired_claims_need_a_clear_difference),
		cmocka_unit_test(values_are_judged_by_their_intervals),
		cmocka_unit_test(two_keys_are_paired_by_seed),
		cmocka_unit_test(missing_points_and_values_are_omitted),
		cmocka_unit_test(seeds_may_begin_later),
		cmocka_unit_test(descriptors_of_experiments_are_complete),
		cmocka_unit_test(every_key),
		cmocka_unit_test(a_reason_excuses_nothing),
		cmocka_unit_test(limits_are_on_one_side),
		cmocka_unit_test(overlapping_curves_take_turns_with_their_marks),
		cmocka_unit_test(marks_of_a_shorter_curve),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
