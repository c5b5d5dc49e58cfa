/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle node time by cause (replay/idle.h) in replays that are small enough to
 * be worked out by hand, and slices of time that are widened.
 */
#include "files.h"

#include "replay/replay.h"
#include "torus/discipline.h"

/* Node seconds: fragmentation, shape, reservation, out of service, no demand. */
struct idle_case {
	const char *what, *machine, *strategy, *discipline, *csv;
	uint64_t node_s[TORUS_IDLE_CAUSES];
};

static const struct idle_case cases[] = {
	{ "nothing waits",
	  "flat:4",
	  "flat",
	  "fcfs",
	  "submit,run,nodes\n5,10,3\n",
	  { 0, 0, 0, 0, 10 } },
	{ "two nodes that are not neighbours (A, C stay; B, D end)",
	  "4:M",
	  "submesh",
	  "fcfs",
	  "submit,run,nodes\n0,10,1\n0,5,1\n0,10,1\n0,5,1\n0,5,2\n",
	  { 10, 0, 0, 0, 2 * 5 } },
	{ "the same two nodes without topology",
	  "flat:4",
	  "flat",
	  "fcfs",
	  "submit,run,nodes\n0,10,1\n0,5,1\n0,10,1\n0,5,1\n0,5,2\n",
	  { 0, 0, 0, 0, 0 } },
	{ "a free 2x2 for a line of 4",
	  "4x2:MM",
	  "submesh",
	  "fcfs",
	  "submit,run,geometry\n0,10,2x2\n0,5,4x1\n",
	  { 0, 40, 0, 0, 20 } },
	{ "7 nodes are a box of 8",
	  "2x2x2",
	  "submesh",
	  "fcfs",
	  "submit,run,nodes\n0,10,1\n0,5,7\n",
	  { 0, 70, 0, 0, 0 } },
	{ "too few for all that wait",
	  "flat:4",
	  "flat",
	  "fcfs",
	  "submit,run,nodes\n0,10,3\n0,5,4\n",
	  { 0, 0, 10, 0, 0 } },
	{ "the order of the queue",
	  "flat:4",
	  "flat",
	  "fcfs",
	  "submit,run,nodes\n0,10,2\n0,5,4\n0,5,1\n",
	  { 0, 0, 20, 0, 15 } },
	{ "one node that nobody waits for beside one kept back",
	  "flat:4",
	  "flat",
	  "fcfs",
	  "submit,run,nodes\n0,10,2\n0,5,1\n2,5,1\n",
	  { 0, 0, 0, 0, 5 * 1 + 3 * 1 + 2 * 1 } },
};

static void run_case(const struct idle_case *c, struct torus_metrics *metrics)
{
	struct torus_machine m = unit_machine(c->machine, c->strategy);
	struct torus_scheduler_settings settings;
	struct torus_trace_options input = { 0 };
	struct torus_replay_hooks hooks = { 0 };
	struct torus_replay_options options;
	struct torus_error err = { 0 };
	struct torus_trace *trace =
		torus_trace_open(files_text("t.csv", c->csv), &input, &err);

	assert_non_null(trace);
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find(c->discipline);
	torus_replay_options_init(&options);
	options.check = options.idle = true;
	assert_int_equal(torus_replay_run(trace, &m, &settings, &options,
					  &hooks, metrics, &err),
			 TORUS_REPLAY_DONE);
	torus_trace_close(trace);
	torus_machine_free(&m);
}

static void each_idle_node_has_its_cause(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct torus_metrics *metrics = torus_metrics_create();
		uint64_t node_s[TORUS_IDLE_CAUSES];

		run_case(&cases[i], metrics);
		torus_idle_seconds(metrics->idle.node_us, node_s);
		for (int k = 0; k < TORUS_IDLE_CAUSES; k++)
			if (node_s[k] != cases[i].node_s[k])
				fail_msg("%s: %s: %llu node seconds, expected %llu",
					 cases[i].what, torus_idle_names[k],
					 (unsigned long long)node_s[k],
					 (unsigned long long)cases[i].node_s[k]);
		torus_metrics_destroy(metrics);
	}
}

/* A year of one second and a long spell: widened slices keep the sums. */
static void widened_slices_keep_the_sums(void **state)
{
	const int64_t day = INT64_C(86400000000);
	struct torus_idle idle = { 0 };
	torus_node_us sum = 0;

	(void)state;
	for (int i = 0; i < 366; i++) {
		const struct torus_idle_spell spell = {
			.from_us = i * day,
			.until_us = (i + 1) * day,
			.nodes = { [TORUS_IDLE_SHAPE] = 100000 + (i == 7) },
		};

		assert_int_equal(torus_idle_add(&idle, &spell), 0);
		if (i % 9 == 0)
			torus_idle_commit(&idle);
	}
	assert_int_equal(idle.until_us, 361 * day);
	assert_true(TORUS_IDLE_SLICES * idle.slice_us >= 361 * day);
	assert_true(TORUS_IDLE_SLICES * idle.slice_us < 2 * 361 * day);
	for (int i = 0; i < TORUS_IDLE_SLICES; i++)
		sum += idle.slice[i][TORUS_IDLE_SHAPE];
	assert_true(sum == idle.node_us[TORUS_IDLE_SHAPE]);
	assert_true(sum == (torus_node_us)day * (361 * 100000 + 1));
	torus_idle_free(&idle);
}

/* Parts of seconds go to the sum's second: 3 x 0.4 s is 1 s in all. */
static void parts_of_seconds_add_up(void **state)
{
	const torus_node_us node_us[TORUS_IDLE_CAUSES] = { 400000, 400000, 0, 0,
							   400000 };
	uint64_t node_s[TORUS_IDLE_CAUSES];

	(void)state;
	assert_int_equal(torus_idle_seconds(node_us, node_s), 1);
	assert_int_equal(node_s[0] + node_s[1] + node_s[4], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_idle_node_has_its_cause),
		cmocka_unit_test(widened_slices_keep_the_sums),
		cmocka_unit_test(parts_of_seconds_add_up),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
