/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots: the text is read back as it was, and every wrong line is named. What a
 * node's state means. */
#include <string.h>

#include "format/node_state.h"
#include "format/snapshot.h"
#include "unit.h"

#define HEAD                                                                   \
	"torus-snapshot 1\ntime 100.5\nclock date\nsource test\nmachine 4x4\n"

static struct snapshot *read_text(const char *text, struct torus_error *err)
{
	return snapshot_read("s", text, strlen(text), err);
}

static void test_round_trip(void **state)
{
	static const char text[] = HEAD
		"partition id=a%20b place=torus:{0-7}\n"
		"partition id=empty\n"
		"out torus:{3} power supply\n"
		"hidden torus:{12-13}\n"
		"reservation id=r start=1 end=-2.000001 place=torus:{0}\n"
		"running id=7_2 user=u partition=a%20b submit=1 start=2 "
		"end=3.25 limit=9 priority=0.5 place=torus:3,1+2x2 "
		"orientation=1,0 geometry=2x2\n"
		"pending id=8 priority=-1 geometry=4x2,2x1@1h conn-type=TM "
		"no-rotate=1 placement=submesh links=weak nodes=8 reservation=r "
		"reason=a%25%20b\n";
	struct torus_error err = { 0 };
	struct torus_text again = { 0 };
	struct snapshot *s = read_text(text, &err);

	(void)state;
	if (!s)
		fail_msg("%s", err.text);
	assert_int_equal(s->time_us, 100500000);
	assert_int_equal(s->jobs, 2);
	assert_int_equal(s->running, 1);
	assert_int_equal(s->job[0].nodes, 4);
	assert_int_equal(s->job[0].node[0], 4); /* 0,1 3,1 0,2 3,2 */
	assert_int_equal(s->job[0].end_us, 3250000);
	assert_string_equal(s->job[1].reason, "a% b");
	assert_int_equal(s->reservation[0].end_us, -2000001);
	assert_true(torus_bits_test(s->out, 3));
	assert_true(torus_bits_test(s->hidden, 13));
	assert_non_null(snapshot_job_find(s, "8"));
	assert_null(snapshot_job_find(s, "9"));
	assert_string_equal(snapshot_partition(s, "a b")->name, "a b");
	assert_int_equal(snapshot_write(s, &again), 0);
	assert_string_equal(again.data, text);
	snapshot_remove_job(s, &s->job[0]);
	assert_int_equal(s->running, 0);
	assert_string_equal(s->job[0].id, "8");
	torus_text_free(&again);
	snapshot_destroy(s);
}

static void each_wrong_line_has_its_message(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{ "", "s:0: snapshot: got \"\", expected torus-snapshot 1" },
		{ "torus-snapshot 2\n", "s:1: snapshot: got" },
		{ "torus-snapshot 1\n", "machine: got \"\"" },
		{ "torus-snapshot 1\nmachine 0x4\n", "s:2: machine: " },
		{ "torus-snapshot 1\nmachine t.yaml\n| toruses: 4\n",
		  "s:2: machine: t.yaml:1" },
		{ HEAD "running id=1\n", "s:6: record: got \"1\"" },
		{ HEAD "running id=1 place=torus:4,0+1x1\n", "s:6: place: " },
		{ HEAD "running id=1 place=pod:0,0+1x1\n", "s:6: place: " },
		{ HEAD "pending geometry=4\n", "expected id=..." },
		{ HEAD "pending id=1 geometry=4xx\n", "s:6: --geometry: " },
		{ HEAD "pending id=1 nodes=0\n", "s:6: nodes: got \"0\"" },
		{ HEAD "pending id=1 priority=nan\n", "s:6: priority: " },
		{ HEAD "pending id=1 limit=1.0000001\n", "s:6: limit: " },
		{ HEAD "pending id=1 colour=red\n", "got \"colour\"" },
		{ HEAD "pending id=%4\n", "s:6: id: got \"%4\"" },
		{ HEAD "pending id=%00\n", "s:6: id: got \"%00\"" },
		{ HEAD "hidden torus:{1}\nrunning id=1 place=torus:{1}\n",
		  "expected nodes that are not hidden" },
		{ HEAD "out torus:{99} x\nidle torus:{1}\n", "s:7: snapshot: " },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(row); i++) {
		struct torus_error err = { 0 };

		assert_null(read_text(row[i].text, &err));
		if (!strstr(err.text, row[i].says))
			fail_msg("\"%s\" is not in \"%s\"", row[i].says,
				 err.text);
	}
}

static void the_strongest_flag_of_a_node_decides(void **state)
{
	static const struct {
		const char *text;
		enum node_use use;
		const char *why;
	} rows[] = {
		{ "idle", NODE_USABLE, "" },
		{ "IDLE+CLOUD+PLANNED+DYNAMIC_NORM", NODE_USABLE, "" },
		{ "allocated+maintenance+reserved", NODE_USABLE, "" },
		{ "idle+cloud+powered_down", NODE_ON_DEMAND, "powered down" },
		{ "idle+not_responding+powering_up", NODE_ON_DEMAND,
		  "powering up" },
		{ "mixed+power_down", NODE_RETURNS, "power down requested" },
		{ "idle+powering_down", NODE_RETURNS, "powering down" },
		{ "down+reboot_issued+not_responding", NODE_RETURNS,
		  "rebooting" },
		{ "idle+blocked", NODE_RETURNS, "blocked" },
		{ "idle+not_responding", NODE_SILENT, "not responding" },
		{ "idle+not_responding+powered_down", NODE_SILENT,
		  "not responding" },
		{ "unknown", NODE_SILENT, "not responding" },
		{ "down+not_responding+powered_down", NODE_OUT, "down" },
		{ "allocated+drain+reboot_requested", NODE_OUT, "drained" },
		{ "idle+drain+invalid_reg", NODE_OUT, "invalid registration" },
		{ "future+dynamic_future", NODE_OUT, "future" },
		{ "allocated+fail", NODE_OUT, "failing" },
		{ "error", NODE_OUT, "down" },
		{ "", NODE_USABLE, "" },
		{ "+", NODE_USABLE, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct node_state_row *row = node_state_row(
			node_state_read(rows[i].text));

		if (row->use != rows[i].use || strcmp(row->why, rows[i].why))
			fail_msg("%s: %d, %s", rows[i].text, (int)row->use,
				 row->why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(each_wrong_line_has_its_message),
		cmocka_unit_test(the_strongest_flag_of_a_node_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
