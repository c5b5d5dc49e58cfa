/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bani-Mohammad et al., section VI, figure 11: utilization of a saturated
 * 8x8x8 under uniform sides and FCFS, on the mesh and with wrap; and what
 * submesh's score gains, term by term, on the same jobs. Few replications
 * here, so the tolerances are wide; the benchmark bench_bani makes 100 and
 * prints intervals.
 */
#include "../bench/bani.h"
#include "../unit/unit.h"

#define REPLICATIONS 6
#define LONG 100

static int replications(void)
{
	return getenv("TORUS_TEST_LONG") ? LONG : REPLICATIONS;
}

/* Mean utilization with these options off (NULL: none). */
static double utilization(const char *machine, const char *strategy,
			  const char *off1, const char *off2, const char *off3)
{
	const char *off[] = { off1, off2, off3 };
	struct torus_options options = { 0 };
	struct torus_state *state;
	struct torus_machine m;
	double sum = 0;
	struct torus t;

	for (int i = 0; i < 3 && off[i]; i++) {
		snprintf(options.item[i].key, sizeof(options.item[i].key), "%s",
			 off[i]);
		snprintf(options.item[i].value, sizeof(options.item[i].value),
			 "off");
		options.used++;
	}
	assert_int_equal(torus_parse(&t, machine, NULL), 0);
	assert_int_equal(torus_machine_init(&m, &t,
					    torus_strategy_find(strategy),
					    &options, NULL),
			 0);
	state = torus_state_create(&m);
	assert_non_null(state);
	for (int i = 0; i < replications(); i++)
		sum += bani_run(state, (uint64_t)i + 1, 0, 1000).utilization;
	torus_state_destroy(state);
	torus_machine_free(&m);
	return sum / replications();
}

static double turnaround(const char *strategy, double rate)
{
	struct torus_options none = { 0 };
	struct torus_state *state;
	struct torus_machine m;
	double sum = 0;
	struct torus t;

	torus_parse(&t, "8x8x8:MMM", NULL);
	assert_int_equal(torus_machine_init(&m, &t,
					    torus_strategy_find(strategy),
					    &none, NULL),
			 0);
	state = torus_state_create(&m);
	assert_non_null(state);
	for (int i = 0; i < replications(); i++)
		sum += bani_run(state, (uint64_t)i + 1, rate, 1000).turnaround;
	torus_state_destroy(state);
	torus_machine_free(&m);
	return sum / replications();
}

static void between(const char *what, double value, double low, double high)
{
	print_message("# %s: %.4f\n", what, value);
	if (value < low || value > high)
		fail_msg("%s: %.4f is not within %.4f .. %.4f", what, value,
			 low, high);
}

#define MESH "8x8x8:MMM"
#define TORUS "8x8x8"

/* ERRATA: .494 with rotation, .368 without, about .535 with wrap. */
static void utilization_matches_the_paper(void **unused)
{
	(void)unused;
	between("FF", utilization(MESH, "submesh-ff", NULL, NULL, NULL), 0.356,
		0.380);
	between("BL", utilization(MESH, "submesh-bl", NULL, NULL, NULL), 0.356,
		0.380);
	between("TFF", utilization(MESH, "submesh-tff", NULL, NULL, NULL),
		0.480, 0.506);
	between("TBL", utilization(MESH, "submesh-tbl", NULL, NULL, NULL),
		0.480, 0.506);
	between("TFF, wrap", utilization(TORUS, "submesh-tff", NULL, NULL, NULL),
		0.520, 0.548);
}

/* Each term is worth something, and all together most. */
static void test_terms(const char *machine, double least, double gain)
{
	double none = utilization(machine, "submesh", "contact", "ends", "look");
	double contact = utilization(machine, "submesh", "ends", "look", NULL);
	double ends = utilization(machine, "submesh", "look", NULL, NULL);
	double all = utilization(machine, "submesh", NULL, NULL, NULL);

	print_message("# %s: none %.4f contact %.4f +ends %.4f +look %.4f\n",
		      machine, none, contact, ends, all);
	assert_true(contact > none);
	assert_true(ends > contact);
	assert_true(all > ends);
	between("gain", all - none, gain, 1);
	between("all", all, least, 1);
}

static void mesh_utilization_is_within_its_interval(void **unused)
{
	(void)unused;
	test_terms(MESH, 0.525, 0.035);
}

static void torus_utilization_is_within_its_interval(void **unused)
{
	(void)unused;
	test_terms(TORUS, 0.540, 0.012);
}

/* ERRATA: turnaround of TBL beside FF, above saturation. */
static void test_turnaround_ratios(void **unused)
{
	static const struct {
		double rate, ratio;
	} row[] = { { 3.8, 0.44 }, { 4.2, 0.50 }, { 4.6, 0.53 } };

	(void)unused;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char what[64];

		snprintf(what, sizeof(what), "turnaround TBL/FF at %.1f",
			 row[i].rate);
		between(what,
			turnaround("submesh-tbl", row[i].rate) /
				turnaround("submesh-ff", row[i].rate),
			row[i].ratio - 0.06, row[i].ratio + 0.06);
	}
}

static void submesh_turns_jobs_around_faster_than_tbl(void **unused)
{
	(void)unused;
	between("turnaround at 2.6 beside TBL",
		turnaround("submesh", 2.6) / turnaround("submesh-tbl", 2.6), 0,
		0.9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utilization_matches_the_paper),
		cmocka_unit_test(mesh_utilization_is_within_its_interval),
		cmocka_unit_test(torus_utilization_is_within_its_interval),
		cmocka_unit_test(test_turnaround_ratios),
		cmocka_unit_test(submesh_turns_jobs_around_faster_than_tbl),
	};

	return UNIT_RUN(tests);
}
