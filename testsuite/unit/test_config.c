/* SPDX-License-Identifier: GPL-2.0-or-later */
/* torus.yaml: what it means, as a text, as a file and as a machine string, and
 * what may be added to it. Its messages are in test_config_messages.c. */
#include "torus_yaml.h"

#include <unistd.h>

#include "torus/discipline.h"

/* The names of a pod in index order, "-" for cells without a node. */
static const char *names_of(const struct torus_config *c, uint32_t p)
{
	static char text[4096];
	size_t used = 0;

	for (uint32_t i = 0; i < c->machine.pod[p].torus.nodes; i++) {
		const char *name = c->names[p][i];

		used += (size_t)sprintf(text + used, "%s%s", i ? " " : "",
					name ? name : "-");
		if (!name)
			continue;
		assert_int_equal(torus_config_node(c, name),
				 torus_machine_bit(&c->machine, p, i));
	}
	return text;
}

static void check_machine(const struct torus_config *c, uint32_t p,
			  const char *name, const char *machine)
{
	const struct torus *t = &c->machine.pod[p].torus;
	char text[TORUS_STRING_SIZE];

	torus_format(t, text, sizeof(text));
	assert_string_equal(t->name, name);
	assert_string_equal(text, machine);
}

static void a_full_file_sets_every_member(void **state)
{
	struct torus_config *c = parse_good(
		"# a comment\n"
		"toruses:\n"
		"  - name: pod0\n"
		"    dims: [2, 2, 2, 3]\n"
		"    wrap: [true, no, true, false]\n"
		"    strategy: submesh\n"
		"    allow: [flat, submesh]\n"
		"    rotate: false\n"
		"    nodes: n[00-23]\n"
		"  - {name: pod-1, flat: 70, nodes: 'm[1-70]'}\n"
		"  - name: ring\n"
		"    dims: [5]\n"
		"    wrap: M\n"
		"    allow: flat\n"
		"scheduler:\n"
		"  discipline: dedf\n"
		"  mean_hold: 90s\n"
		"  order: priority\n"
		"  backfill_places: 3\n");
	const struct torus_machine *m = &c->machine;

	(void)state;
	assert_string_equal(c->path, "torus.yaml");
	assert_int_equal(m->pods, 3);
	assert_int_equal(m->nodes, 24 + 70 + 5);
	check_machine(c, 0, "pod0", "2x2x2x3:TMTM");
	check_machine(c, 1, "pod-1", "flat:70");
	check_machine(c, 2, "ring", "5:M");
	assert_string_equal(m->pod[0].strategy[0]->name, "submesh");
	assert_int_equal(m->pod[0].strategies, 2);
	assert_string_equal(m->pod[0].strategy[1]->name, "flat");
	assert_string_equal(m->pod[1].strategy[0]->name, "flat");
	assert_int_equal(m->pod[1].strategies, 1);
	assert_true(c->machine.pod[0].no_rotate);
	assert_false(c->machine.pod[1].no_rotate);
	assert_int_equal(torus_config_node(c, "n00"), 0);
	assert_int_equal(torus_config_node(c, "n23"), 23);
	assert_int_equal(torus_config_node(c, "m1"), 64);
	assert_int_equal(torus_config_node(c, "m70"), 64 + 69);
	assert_true(torus_config_node(c, "m71") == UINT32_MAX);
	assert_null(c->names[2]);
	assert_string_equal(c->scheduler.discipline->name, "dedf");
	assert_true(c->scheduler.mean_hold_us == 90000000);
	assert_true(c->scheduler.order_by_priority);
	assert_int_equal(c->scheduler.backfill_places, 3);
	assert_string_equal(
		c->notices.text,
		"torus.yaml:11: nodes: missing: storus works without them, Slurm does not");
	torus_config_destroy(c);
}

static void a_short_file_gives_the_initial_values(void **state)
{
	struct torus_config *c = parse_good("toruses: {name: a, dims: [4, 4]}\n"
					    "scheduler:\n");

	(void)state;
	check_machine(c, 0, "a", "4x4");
	assert_string_equal(c->machine.pod[0].strategy[0]->name, "submesh");
	assert_int_equal(c->machine.pod[0].strategies, 1);
	assert_false(c->machine.pod[0].no_rotate);
	assert_null(c->names[0]);
	assert_null(c->machine.pod[0].present);
	assert_string_equal(c->scheduler.discipline->name, "easy");
	assert_true(c->scheduler.wait_limit_us == TORUS_NO_TIME);
	assert_true(c->scheduler.mean_hold_us <= 0);
	assert_false(c->scheduler.order_by_priority);
	assert_int_equal(c->scheduler.backfill_places, 1);
	assert_true(torus_config_node(c, "a") == UINT32_MAX);
	torus_config_destroy(c);
	torus_config_destroy(NULL);

	c = parse_good("toruses: {name: a, dims: [4, 4]}\n"
		       "scheduler: {wait_limit: none, order: arrival}\n");
	assert_true(c->scheduler.wait_limit_us == TORUS_NO_TIME);
	assert_false(c->scheduler.order_by_priority);
	assert_non_null(strstr(c->notices.text, "scontrol top"));
	torus_scheduler_live(&c->scheduler);
	assert_false(c->scheduler.order_by_priority);
	torus_config_destroy(c);

	c = parse_good("toruses: {name: a, dims: [4, 4]}\n"
		       "scheduler: {discipline: fpfs, wait_limit: 2h}\n");
	assert_true(c->scheduler.wait_limit_us == INT64_C(7200000000));
	torus_scheduler_live(&c->scheduler);
	assert_true(c->scheduler.order_by_priority);
	torus_config_destroy(c);
}

/* As a key, or as an option of easy. */
static void reservations_are_a_key_or_an_option_of_easy(void **state)
{
	static const char *const words[] = { "reservations: 3",
					     "options: {reservations: 3}" };
	char text[128];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct torus_config *c;

		snprintf(text, sizeof(text),
			 "toruses: {name: a, dims: [4, 4]}\nscheduler: {%s}\n",
			 words[i]);
		c = parse_good(text);
		assert_int_equal(c->scheduler.reservations, 3);
		assert_int_equal(c->scheduler.options.used, 0);
		torus_scheduler_live(&c->scheduler);
		assert_int_equal(c->scheduler.reservations, 3);
		torus_config_destroy(c);
	}
}

/* The form of topology.yaml: x fastest; other topologies and placements are ignored,
 * with a notice each. */
static const char topology[] = "---\n"
			       "- topology: tree\n"
			       "  cluster_default: true\n"
			       "  tree:\n"
			       "    switches:\n"
			       "      - switch: s1\n"
			       "        nodes: q[1-2]\n"
			       "- topology: torus\n"
			       "  cluster_default: false\n"
			       "  torus3d:\n"
			       "    toruses:\n"
			       "      - name: pod1\n"
			       "        dims: {x: 3, y: 2, z: 2}\n"
			       "        nodes: node[01-12]\n"
			       "        placements:\n"
			       "          - dims: {x: 1, y: 1, z: 2}\n"
			       "      - name: pod2\n"
			       "        dims:\n"
			       "          x: 2\n"
			       "          y: 2\n"
			       "          z: 2\n"
			       "        regions:\n"
			       "          - anchor: {x: 0, y: 0, z: 0}\n"
			       "            dims: {x: 2, y: 1, z: 2}\n"
			       "            nodes: m[1-4]\n"
			       "          - anchor: {x: 1, y: 1, z: 0}\n"
			       "            dims: {x: 1, y: 1, z: 1}\n"
			       "            nodes: extra\n"
			       "        placements:\n"
			       "          - dims: {x: 2, y: 1, z: 1}\n";

static void topology_yaml_is_read_as_a_torus(void **state)
{
	struct torus_config *c = parse_good(topology);

	(void)state;
	check_machine(c, 0, "pod1", "3x2x2");
	assert_string_equal(
		names_of(c, 0),
		"node01 node02 node03 node04 node05 node06 node07 node08 node09 node10 node11 node12");
	check_machine(c, 1, "pod2", "2x2x2");
	assert_string_equal(names_of(c, 1), "m1 m2 - extra m3 m4 - -");
	assert_int_equal(c->machine.pod[1].present_nodes, 5);
	assert_int_equal(c->machine.nodes, 17);
	assert_string_equal(
		c->notices.text,
		"torus.yaml:2: topology: \"tree\" is not read: it has no torus3d block\n"
		"torus.yaml:15: placements: accepted and ignored: jobs may ask for any shape");
	torus_config_destroy(c);
}

static void absent_cells_have_no_node(void **state)
{
	struct torus_config *c = parse_good("toruses:\n"
					    "- name: p\n"
					    "  dims: [3, 3]\n"
					    "  absent: ['1,1', '2,1+2x2']\n"
					    "  nodes: n[0-3]\n"
					    "- name: f\n"
					    "  flat: 4\n"
					    "  absent: 2\n"
					    "  nodes: [f, g h]\n"
					    "- name: o\n"
					    "  dims: [70]\n"
					    "  absent:\n"
					    "  - 5+60\n");

	(void)state;
	/* The box crosses the edge of both dimensions. */
	assert_string_equal(names_of(c, 0), "n0 n1 n2 - - - - n3 -");
	assert_string_equal(names_of(c, 1), "f g - h");
	assert_int_equal(c->machine.pod[2].present_nodes, 10);
	assert_true(c->machine.pod[2].present[1] == 0x3e);
	torus_config_destroy(c);
}

static void a_machine_string_is_a_configuration(void **state)
{
	struct torus_error err = { 0 };
	struct torus_config *c = torus_config_string("8x8x8:TTM", &err);

	(void)state;
	assert_non_null(c);
	check_machine(c, 0, "torus", "8x8x8:TTM");
	assert_string_equal(c->path, "8x8x8:TTM");
	assert_null(c->names[0]);
	assert_false(c->machine.pod[0].no_rotate);
	assert_non_null(c->scheduler.discipline);
	assert_true(torus_config_node(c, "n1") == UINT32_MAX);
	torus_config_destroy(c);

	assert_null(torus_config_string("8y8", &err));
	assert_int_equal(err.count, 1);
}

static void load_takes_a_file_or_a_machine_string(void **state)
{
	static const struct {
		const char *what, *line;
	} rows[] = {
		{ "no/such/file",
		  "no/such/file: no such file, nor a machine such as 8x8x8, 8x8x8:TTM, 2^8 or flat:128" },
		{ "torus.yml",
		  "torus.yml: no such file, nor a machine such as 8x8x8, 8x8x8:TTM, 2^8 or flat:128" },
		{ "toruses",
		  "toruses: no such file, nor a machine such as 8x8x8, 8x8x8:TTM, 2^8 or flat:128" },
		{ "/", "/: cannot be read: Is a directory" },
	};
	struct torus_config *c = torus_config_load("2^8", NULL);
	struct torus_error err = { 0 };

	(void)state;
	assert_non_null(c);
	check_machine(c, 0, "torus", "2x2x2x2x2x2x2x2");
	torus_config_destroy(c);
	for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
		torus_error_clear(&err);
		assert_null(torus_config_load(rows[i].what, &err));
		assert_string_equal(err.text, rows[i].line);
	}
	torus_error_clear(&err);
	assert_null(torus_config_load("8x", &err));
	assert_true(strncmp(err.text, "machine: got \"8x\": ", 19) == 0);
}

static void a_configuration_is_read_from_a_regular_file(void **state)
{
	char path[] = "/tmp/torus-test-XXXXXX", line[128];
	struct torus_error err = { 0 };
	struct torus_config *c;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, WHOLE, sizeof(WHOLE) - 1), sizeof(WHOLE) - 1);
	c = torus_config_load(path, &err);
	assert_non_null(c);
	assert_string_equal(c->path, path);
	assert_int_equal(torus_config_node(c, "n15"), 15);
	torus_config_destroy(c);

	assert_int_equal(write(fd, "x: y\n", 5), 5);
	assert_null(torus_config_read(path, &err));
	snprintf(line, sizeof(line),
		 "%s:3: x: unknown key in torus.yaml; expected one of toruses, scheduler, node_comment, weights, rank_order",
		 path);
	assert_string_equal(err.text, line);

	torus_error_clear(&err);
	assert_int_equal(ftruncate(fd, (64 << 20) + 1), 0);
	assert_null(torus_config_read(path, &err));
	assert_int_equal(errno, EINVAL);
	snprintf(line, sizeof(line), "%s:4: there is a NUL byte in it", path);
	assert_string_equal(err.text, line);
	close(fd);
	unlink(path);

	torus_error_clear(&err);
	assert_null(torus_config_read(path, &err));
	assert_int_equal(errno, ENOENT);
}

static void a_strategy_is_set_where_it_can_serve(void **state)
{
	struct torus_error err = { 0 };
	struct torus_config *c = parse_good(
		"toruses:\n"
		"- {name: a, dims: [4, 4], allow: [flat]}\n"
		"- {name: b, dims: [4, 4]}\n");
	const struct torus_pod *pod = c->machine.pod;

	(void)state;
	assert_int_equal(torus_config_strategy(c, "flat", &err), 0);
	assert_string_equal(pod[0].strategy[0]->name, "flat");
	assert_int_equal(pod[0].strategies, 2);
	assert_string_equal(pod[0].strategy[1]->name, "submesh");
	assert_string_equal(pod[1].strategy[0]->name, "flat");
	assert_int_equal(pod[1].strategies, 1);
	assert_int_equal(torus_config_strategy(c, "fat", &err), -1);
	assert_true(
		strncmp(err.text,
			"strategy: got \"fat\": no such strategy (did you mean \"flat\"?)",
			59) == 0);
	torus_config_destroy(c);

	torus_error_clear(&err);
	c = torus_config_string("flat:16", &err);
	assert_int_equal(torus_config_strategy(c, "submesh", &err), -1);
	assert_true(
		strncmp(err.text,
			"strategy: \"submesh\" cannot serve torus (flat:16): ",
			50) == 0);
	assert_string_equal(c->machine.pod[0].strategy[0]->name, "flat");
	torus_config_destroy(c);
}

/* A pod for nodes that no torus lists, under a name that no torus has. */
static void nodes_of_no_torus_have_a_pod_of_their_own(void **state)
{
	static const char *const names[] = { "login", "fat0" };
	struct torus_config *c = parse_good(
		"toruses:\n"
		"  - {name: outside, dims: [2], nodes: \"n[0-1]\"}\n");

	(void)state;
	assert_int_equal(torus_config_outside(c, 0, NULL, NULL), 0);
	assert_int_equal(c->machine.pods, 1);
	assert_int_equal(torus_config_outside(c, 2, names, NULL), 0);
	assert_int_equal(c->machine.pods, 2);
	assert_true(c->machine.pod[1].outside);
	assert_string_equal(c->machine.pod[1].torus.name, "outside2");
	assert_string_equal(names_of(c, 0), "n0 n1");
	assert_string_equal(names_of(c, 1), "login fat0");
	torus_config_destroy(c);
	c = parse_good("toruses:\n  - {name: a, dims: [2]}\n");
	assert_int_equal(torus_config_outside(c, 3, NULL, NULL), 0);
	assert_string_equal(c->machine.pod[1].torus.name, "outside");
	assert_int_equal(c->machine.nodes, 5);
	torus_config_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_file_sets_every_member),
		cmocka_unit_test(a_short_file_gives_the_initial_values),
		cmocka_unit_test(reservations_are_a_key_or_an_option_of_easy),
		cmocka_unit_test(topology_yaml_is_read_as_a_torus),
		cmocka_unit_test(absent_cells_have_no_node),
		cmocka_unit_test(a_machine_string_is_a_configuration),
		cmocka_unit_test(load_takes_a_file_or_a_machine_string),
		cmocka_unit_test(a_configuration_is_read_from_a_regular_file),
		cmocka_unit_test(a_strategy_is_set_where_it_can_serve),
		cmocka_unit_test(nodes_of_no_torus_have_a_pod_of_their_own),
	};

	return UNIT_RUN(tests);
}
