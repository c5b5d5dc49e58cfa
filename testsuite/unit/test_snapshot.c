/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots: JSON and the lines of an earlier version are read, JSON is written, and
 * every wrong line is named. What a node's state means. */
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

/* A snapshot of JSON with this machine and these further members. */
#define JSON(members)                                                          \
	"{\n \"format\": \"torus-snapshot\",\n \"schema\": 2,\n"               \
	" \"time\": 100.5,\n \"clock\": \"date\",\n \"source\": \"test\",\n"   \
	" \"machine\": \"4x4\"" members "\n}\n"
#define JOB(members) JSON(",\n \"jobs\": [\n  {" members "}\n ]")
#define PENDING(members) JOB("\"state\": \"pending\", \"id\": \"1\"" members)

static void the_lines_of_an_earlier_version_are_written_as_json(void **state)
{
	static const char json[] = JSON(
		",\n \"partitions\": [\n  {\"id\": \"a b\", \"place\": \"torus:{0-7}\"},"
		"\n  {\"id\": \"empty\"}\n ],"
		"\n \"out\": [\n  {\"place\": \"torus:{3}\", \"reason\": \"power supply\"}\n ],"
		"\n \"hidden\": \"torus:{12-13}\","
		"\n \"reservations\": [\n  {\"id\": \"r\", \"start\": 1, "
		"\"end\": -2.000001, \"place\": \"torus:{0}\"}\n ],"
		"\n \"jobs\": ["
		"\n  {\"state\": \"running\", \"id\": \"7_2\", \"user\": \"u\", "
		"\"partition\": \"a b\", \"submit\": 1, \"start\": 2, \"end\": 3.25, "
		"\"limit\": 9, \"priority\": 0.5, \"place\": \"torus:3,1+2x2\", "
		"\"orientation\": \"1,0\", \"geometry\": \"2x2\"},"
		"\n  {\"state\": \"pending\", \"id\": \"8\", \"priority\": -1, "
		"\"geometry\": \"4x2,2x1@1h\", \"conn-type\": \"TM\", "
		"\"no-rotate\": true, \"placement\": \"submesh\", \"links\": \"weak\", "
		"\"nodes\": 8, \"reservation\": \"r\", \"reason\": \"a% b\"}"
		"\n ]");
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
	assert_string_equal(again.data, json);
	snapshot_remove_job(s, &s->job[0]);
	assert_int_equal(s->running, 0);
	assert_string_equal(s->job[0].id, "8");
	torus_text_free(&again);
	snapshot_destroy(s);
	s = read_text(json, &err);
	if (!s)
		fail_msg("%s", err.text);
	assert_int_equal(snapshot_write(s, &again), 0);
	assert_string_equal(again.data, json);
	torus_text_free(&again);
	snapshot_destroy(s);
}

/* As other programs write JSON: members in another order, all escapes, no blanks. */
static void any_json_of_the_same_values_is_read(void **state)
{
	static const char text[] =
		"\r\n{\"jobs\":[{\"id\":\"\\u0041\\\"\\\\\\/\\t\\u00e9\\ud83d\\ude00\","
		"\"limit\":9,\"nodes-min\":4,\"nodes\":8,\"reason\":null,"
		"\"no-rotate\":false,\"priority\":1e2,\"state\":\"pending\"}],"
		"\"machine\":\"t.yaml\",\"config\":[\"toruses:\",\"  - name: p\",\"    dims: [4, 4]\"],"
		"\"schema\":2,\"format\":\"torus-snapshot\"}\n";
	struct torus_error err = { 0 };
	struct snapshot *s = read_text(text, &err);

	(void)state;
	if (!s)
		fail_msg("%s", err.text);
	assert_string_equal(s->job[0].id, "A\"\\/?\u00e9\U0001f600");
	assert_int_equal(s->job[0].least, 4);
	assert_int_equal(s->job[0].count, 8);
	assert_true(s->job[0].priority == 100);
	assert_false(s->job[0].words.no_rotate);
	assert_int_equal(s->config->machine.pod[0].torus.nodes, 16);
	snapshot_destroy(s);
}

/* A pending job's -w and -x. */
static void lists_of_nodes_are_read_and_written(void **state)
{
	static const char json[] = JSON(
		",\n \"jobs\": [\n  {\"state\": \"pending\", \"id\": \"1\", \"priority\": 0, "
		"\"nodes\": 2, \"required\": \"torus:{5}\", \"excluded\": \"torus:{0,7}\"},"
		"\n  {\"state\": \"pending\", \"id\": \"2\", \"priority\": 0, \"nodes\": 1}\n ]");
	struct torus_error err = { 0 };
	struct torus_text again = { 0 };
	struct snapshot *s = read_text(json, &err);

	(void)state;
	if (!s)
		fail_msg("%s", err.text);
	assert_int_equal(*s->job[0].required, 1 << 5);
	assert_int_equal(*s->job[0].excluded, 1 | 1 << 7);
	assert_null(s->job[1].required);
	assert_int_equal(snapshot_write(s, &again), 0);
	assert_string_equal(again.data, json);
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
		{ "{", "s:1: got \"the end of the text\", expected a key" },
		{ "{}", "s:1: format: got \"\", expected \"torus-snapshot\"" },
		{ "{\"format\": \"torus-plan\"}", "format: got \"torus-plan\"" },
		{ "{\"format\": \"torus-snapshot\",\n\"schema\": 3}",
		  "s:2: schema: got \"3\", expected 2" },
		{ "{\"format\": \"torus-snapshot\", \"schema\": 2}",
		  "machine: got \"\"" },
		{ JSON(",\n \"colour\": 1"), "s:8: colour: got \"1\"" },
		{ JSON(",\n \"time\": 1"),
		  "s:8: time: got \"1\", expected this key once" },
		{ JSON(",\n \"hidden\": 5"),
		  "s:8: hidden: got \"5\", expected a string" },
		{ JSON(",\n \"jobs\": {}"), "s:8: jobs: got \"{}" },
		{ JSON(",\n \"jobs\": [1]"),
		  "s:8: got \"1\", expected an object" },
		{ JSON("} {"), "expected the end of the text" },
		{ JSON(",\n \"jobs\": [\n"),
		  "s:10: got \"}\", expected a value" },
		{ JSON(", \"hidden\": \"a\nb\""), "expected a string of UTF-8" },
		{ JSON(", \"hidden\": \"\xff\""), "expected a string of UTF-8" },
		{ JSON(", \"hidden\": \"\\u0000\""), "expected an escape" },
		{ JSON(", \"hidden\": \"\\ud800x\""), "expected an escape" },
		{ JSON(", \"hidden\": \"\\x\""), "expected an escape" },
		{ JSON(", \"hidden\": 'a'"),
		  "hidden: got \"'a'\", expected a value" },
		{ JSON(", \"hidden\": 01"), "expected a number of JSON" },
		{ JSON(", \"hidden\": 1."), "expected a number of JSON" },
		{ JSON(", \"hidden\": nulls"), "expected a comma or }" },
		{ JSON(", # comment"), "expected a key in quotes" },
		{ JSON(", \"jobs\": [[[[[[[[[[[[[[[[[[[["),
		  "expected fewer levels" },
		{ JOB("\"state\": \"running\", \"id\": \"1\""),
		  "s:9: record: got \"1\"" },
		{ JOB("\"id\": \"1\""), "s:9: state: got \"\"" },
		{ JOB("\"state\": \"idle\", \"id\": \"1\""),
		  "s:9: state: got \"idle\"" },
		{ JOB("\"state\": \"pending\""), "expected id=..." },
		{ PENDING(", \"geometry\": \"4xx\""), "s:9: --geometry: " },
		{ PENDING(", \"nodes\": 0"), "s:9: nodes: got \"0\"" },
		{ PENDING(", \"nodes\": \"8\""),
		  "s:9: nodes: got \"8\", expected a number" },
		{ PENDING(", \"nodes\": 2, \"nodes-min\": 3"),
		  "s:9: nodes-min: " },
		{ PENDING(", \"limit\": 1.0000001"), "s:9: limit: " },
		{ PENDING(", \"colour\": 1"),
		  "s:9: colour: got \"1\", expected a known key" },
		{ JOB("\"state\": \"running\", \"id\": \"1\", \"place\": \"torus:4,0+1x1\""),
		  "s:9: place: " },
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
		cmocka_unit_test(
			the_lines_of_an_earlier_version_are_written_as_json),
		cmocka_unit_test(any_json_of_the_same_values_is_read),
		cmocka_unit_test(lists_of_nodes_are_read_and_written),
		cmocka_unit_test(each_wrong_line_has_its_message),
		cmocka_unit_test(the_strongest_flag_of_a_node_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
