/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torus.yaml: what it means, and the letter of every message; node lists,
 * the table of names, files and machine strings.
 */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/hostlist.h"
#include "config/names.h"
#include "torus/config.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

static struct torus_config *parse(const char *text, struct torus_error *err)
{
	return torus_config_parse("torus.yaml", text, strlen(text), err);
}

static struct torus_config *parse_good(const char *text)
{
	struct torus_error err = { 0 };
	struct torus_config *c = parse(text, &err);

	assert_string_equal(err.text, "");
	assert_non_null(c);
	return c;
}

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

static void test_full(void **state)
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
		"  wait_limit: 2h\n"
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
	assert_false(c->rotate[0]);
	assert_true(c->rotate[1]);
	assert_int_equal(torus_config_node(c, "n00"), 0);
	assert_int_equal(torus_config_node(c, "n23"), 23);
	assert_int_equal(torus_config_node(c, "m1"), 64);
	assert_int_equal(torus_config_node(c, "m70"), 64 + 69);
	assert_true(torus_config_node(c, "m71") == UINT32_MAX);
	assert_null(c->names[2]);
	assert_string_equal(c->scheduler.discipline->name, "dedf");
	assert_true(c->scheduler.wait_limit_us == INT64_C(7200000000));
	assert_true(c->scheduler.mean_hold_us == 90000000);
	assert_true(c->scheduler.order_by_priority);
	assert_int_equal(c->scheduler.backfill_places, 3);
	assert_string_equal(c->notices.text,
			    "torus.yaml:11: nodes: not given: enough for storus, not for Slurm\n"
			    "torus.yaml:17: wait_limit: has no effect on the discipline dedf");
	torus_config_destroy(c);
}

static void test_initial(void **state)
{
	struct torus_config *c =
		parse_good("toruses: {name: a, dims: [4, 4]}\n"
			   "scheduler:\n");

	(void)state;
	check_machine(c, 0, "a", "4x4");
	assert_string_equal(c->machine.pod[0].strategy[0]->name, "submesh");
	assert_int_equal(c->machine.pod[0].strategies, 1);
	assert_true(c->rotate[0]);
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
	torus_config_destroy(c);
}

/* The form of topology.yaml: x fastest, placements ignored with one notice. */
static const char topology[] =
	"---\n"
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

static void test_topology(void **state)
{
	struct torus_config *c = parse_good(topology);

	(void)state;
	check_machine(c, 0, "pod1", "3x2x2");
	assert_string_equal(names_of(c, 0),
			    "node01 node02 node03 node04 node05 node06 node07 node08 node09 node10 node11 node12");
	check_machine(c, 1, "pod2", "2x2x2");
	assert_string_equal(names_of(c, 1), "m1 m2 - extra m3 m4 - -");
	assert_int_equal(c->machine.pod[1].present_nodes, 5);
	assert_int_equal(c->machine.nodes, 17);
	assert_string_equal(c->notices.text,
			    "torus.yaml:15: placements: accepted and ignored: jobs may ask for any shape");
	torus_config_destroy(c);
}

static void test_absent(void **state)
{
	struct torus_config *c =
		parse_good("toruses:\n"
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

#define ONE "toruses:\n- name: a\n"
#define SIZED ONE "  dims: [4, 4, 4]\n"
#define WHOLE "toruses:\n- {name: a, dims: [4, 4], nodes: 'n[0-15]'}\n"

/* Expected failures: text, and all lines of the messages. */
static const struct {
	const char *text, *lines;
} bad[] = {
	/* the example of the manual */
	{ "# machine\n" SIZED "  rotate: yes\n\n  nodes: n[00-62]\n",
	  "torus.yaml:7: nodes: \"n[00-62]\" names 63 nodes, expected 64 (4x4x4)" },
	{ SIZED "  absent: ['0,0,0', '1,1,1+2x1x1']\n  nodes: [n0, 'n[1-8]']\n",
	  "torus.yaml:5: nodes: \"[n0, n[1-8]]\" names 9 nodes, expected 61 (4x4x4 less 3 absent)" },
	{ ONE "  flat: 2\n  nodes: x\n",
	  "torus.yaml:4: nodes: \"x\" names 1 node, expected 2 (flat:2)" },

	/* YAML itself */
	{ "", "torus.yaml:1: YAML: the file is empty" },
	{ "# nothing\n", "torus.yaml:1: YAML: the file is empty" },
	{ "a: [1, 2\nb: 3\n",
	  "torus.yaml:2: YAML: did not find expected ',' or ']', while parsing a flow sequence that began on line 1" },
	{ "toruses:\n\t- a\n",
	  "torus.yaml:2: YAML: found character that cannot start any token, while scanning for the next token that began on line 2" },
	{ "a: 1\nb: \xff\n", "torus.yaml:2: YAML: invalid leading UTF-8 octet" },
	{ "a: \"x\\0y\"\n", "torus.yaml:1: YAML: a value with a NUL character" },
	{ "a: &x 1\n",
	  "torus.yaml:1: YAML: anchors (&) are not supported; write the value out" },
	{ "a: *x\n",
	  "torus.yaml:1: YAML: aliases (*) are not supported; write the value out" },
	{ "a: !!str 1\n",
	  "torus.yaml:1: YAML: tags (!) are not supported; leave it out" },
	{ "[a]: 1\n", "torus.yaml:1: YAML: a key must be a single word" },
	{ "---\na: 1\n---\nb: 1\n",
	  "torus.yaml:3: YAML: a second document; one per file" },
	{ "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]\n",
	  "torus.yaml:1: YAML: nested too deeply" },

	/* the whole */
	{ "4x4\n",
	  "torus.yaml:1: torus.yaml: got \"4x4\": expected keys and values such as \"toruses: ...\"" },
	{ "scheduler: {}\n",
	  "torus.yaml:1: toruses: missing; it lists the machine's toruses, each with name, dims and nodes" },
	{ "toruses: []\n", "torus.yaml:1: toruses: the list is empty" },
	{ "toruses:\n- 4x4\n",
	  "torus.yaml:2: a torus: got \"4x4\": expected keys and values such as \"name: ...\"" },
	{ WHOLE "torus: 1\ncluster: x\n",
	  "torus.yaml:3: torus: unknown key in torus.yaml; did you mean \"toruses\"?\n"
	  "torus.yaml:4: cluster: unknown key in torus.yaml; expected one of toruses, scheduler" },
	{ WHOLE "toruses: []\n",
	  "torus.yaml:3: toruses: written twice in torus.yaml, first on line 1" },
	{ "- topology: a\n  flat: true\n",
	  "torus.yaml:1: torus3d: missing; expected a map with toruses: or, as in topology.yaml, a list with a torus3d: block" },
	{ "- torus3d: {toruses: {name: a, dims: [2]}}\n- torus3d: {}\n",
	  "torus.yaml:2: torus3d: a second torus3d block, first on line 1; expected one" },
	{ "- torus3d:\n    torus: 1\n",
	  "torus.yaml:2: torus: unknown key in torus3d; did you mean \"toruses\"?\n"
	  "torus.yaml:2: toruses: missing in torus3d" },

	/* name */
	{ "toruses:\n- dims: [4]\n",
	  "torus.yaml:2: name: missing; every torus needs one, for example name: pod0" },
	{ "toruses:\n- name: a:b\n  dims: [4]\n",
	  "torus.yaml:2: name: got \"a:b\": expected at most 63 letters, digits, '_', '-' and '.', the first a letter or digit" },
	{ "toruses:\n- name: [x]\n  dims: [4]\n",
	  "torus.yaml:2: name: got \"[x]\": expected a word" },
	{ "toruses:\n- {name: a, dims: [4]}\n- {name: a, dims: [0]}\n",
	  "torus.yaml:3: name: \"a\" is the torus of line 2 already\n"
	  "torus.yaml:3: dims: got \"[0]\": every dimension must be at least 1" },

	/* dims, flat, wrap */
	{ ONE, "torus.yaml:2: dims: missing; write for example dims: [8, 8, 8], or flat: 128 for a machine without topology" },
	{ ONE "  dims: [8, 0, 8]\n",
	  "torus.yaml:3: dims: got \"[8, 0, 8]\": every dimension must be at least 1" },
	{ ONE "  dims: 8x8\n",
	  "torus.yaml:3: dims: got \"8x8\": expected 1 to 8 numbers such as [8, 8, 8], or {x: 8, y: 8, z: 8}" },
	{ ONE "  dims: []\n",
	  "torus.yaml:3: dims: got \"[]\": expected 1 to 8 numbers such as [8, 8, 8], or {x: 8, y: 8, z: 8}" },
	{ ONE "  dims: [1,1,1,1,1,1,1,1,1]\n",
	  "torus.yaml:3: dims: got \"[1, 1, 1, 1, 1, 1, 1, 1, 1]\": expected 1 to 8 numbers such as [8, 8, 8], or {x: 8, y: 8, z: 8}" },
	{ ONE "  dims: [8, -8]\n",
	  "torus.yaml:3: dims: got \"[8, -8]\": \"-8\" is not a whole number" },
	{ ONE "  dims:\n  - 8\n  - 12x\n",
	  "torus.yaml:5: dims: got \"[8, 12x]\": \"12x\" is not a whole number" },
	{ ONE "  dims: [08]\n",
	  "torus.yaml:3: dims: got \"[08]\": \"08\" is not a whole number" },
	{ ONE "  dims: [[8]]\n",
	  "torus.yaml:3: dims: got \"[[8]]\": \"[8]\" is not a whole number" },
	{ ONE "  dims: [16777217]\n",
	  "torus.yaml:3: dims: got \"[16777217]\": 16777217 is above 16777216" },
	{ ONE "  dims: [4096, 4096, 2]\n",
	  "torus.yaml:3: dims: got \"[4096, 4096, 2]\": the product is above 16777216 nodes" },
	{ ONE "  dims: {x: 4, y: 4}\n",
	  "torus.yaml:3: dims: got \"{x: 4, y: 4}\": z is missing" },
	{ ONE "  dims: {x: 4, y: 4, z: 1, w: 2}\n",
	  "torus.yaml:3: w: unknown key in dims; expected one of x, y, z" },
	{ ONE "  dims: [4]\n  dims: [4]\n",
	  "torus.yaml:4: dims: written twice in a torus, first on line 3" },
	{ ONE "  dims: [4]\n  flat: 4\n",
	  "torus.yaml:2: flat: goes without dims: it is a machine without topology" },
	{ ONE "  flat: 0\n",
	  "torus.yaml:3: flat: got \"0\": expected a whole number from 1 to 16777216" },
	{ ONE "  flat: 4\n  wrap: T\n",
	  "torus.yaml:4: wrap: a flat machine has no dimensions that could wrap" },
	{ SIZED "  wrap: TM\n",
	  "torus.yaml:4: wrap: got \"TM\": expected one letter per dimension (3 in all), T (wraps) or M (does not), or a list of true and false" },
	{ SIZED "  wrap: TTX\n",
	  "torus.yaml:4: wrap: got \"TTX\": expected one letter per dimension (3 in all), T (wraps) or M (does not), or a list of true and false" },
	{ SIZED "  wrap: [true, true, 1]\n",
	  "torus.yaml:4: wrap: got \"1\": expected true or false" },

	/* strategies */
	{ SIZED "  strategy: subme\n",
	  NULL /* see test_strategy_messages() */ },
	{ ONE "  flat: 4\n  strategy: submesh\n", NULL },
	{ SIZED "  options: {speed: fast}\n",
	  "torus.yaml:4: options of submesh: option speed: unknown here; known: contact, ends, look" },
	{ SIZED "  options: fast\n",
	  "torus.yaml:4: options: got \"fast\": expected a map such as {name: value}" },
	{ SIZED "  rotate: maybe\n",
	  "torus.yaml:4: rotate: got \"maybe\": expected true or false" },

	{ SIZED "  allow: [flat, submesh-ff, flat]\n",
	  "torus.yaml:4: allow: flat is there twice" },
	{ SIZED "  allow: [flat, submesh-tbl, submesh-bl, submesh-tff, submesh-ff, semitorus-nep, semitorus-ep, semitorus-buddy, subtorus]\n",
	  "torus.yaml:4: allow: more than 8 strategies for one torus" },
	{ SIZED "  strategy: [a, b]\n",
	  "torus.yaml:4: strategy: got \"[a, b]\": expected a word" },

	/* nodes */
	{ ONE "  dims: [2]\n  nodes: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb]\n  absent: '0'\n",
	  "torus.yaml:4: nodes: \"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbb...\" names 2 nodes, expected 1 (2 less 1 absent)" },
	{ ONE "  dims: [2]\n  nodes: '\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9x\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9'\n",
	  "torus.yaml:4: nodes: got \"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9x\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9...\": \"\xc3\xa9\" cannot be in a node name" },
	{ ONE "  dims: [2]\n  nodes: [n1, n1]\n",
	  "torus.yaml:4: nodes: \"n1\" is named twice" },
	{ "toruses:\n- name: a\n  dims: [2]\n  nodes: n[1-2]\n- name: b\n  dims: [2]\n  nodes: n[1-2]\n",
	  "torus.yaml:7: nodes: \"n1\" (and 1 more) is named twice, first on line 4" },
	{ ONE "  dims: [2]\n  nodes: n[1-\n",
	  "torus.yaml:4: nodes: got \"n[1-\": \"[\" without \"]\"" },
	{ ONE "  dims: [2]\n  nodes: [a, '']\n",
	  "torus.yaml:4: nodes: got \"\": it names no node; cells without one are listed under absent" },
	{ ONE "  dims: [2]\n  nodes: [a, ~]\n",
	  "torus.yaml:4: nodes: got \"~\": it names no node; cells without one are listed under absent" },
	{ ONE "  dims: [2]\n  nodes: [a, [b]]\n",
	  "torus.yaml:4: nodes: got \"[b]\": expected names such as n[00-63]" },
	{ ONE "  dims: [2]\n  nodes: [n[1-2]]\n",
	  "torus.yaml:4: YAML: did not find expected ',' or ']', while parsing a flow sequence that began on line 4" },

	/* absent */
	{ SIZED "  absent: [0,0,1]\n",
	  "torus.yaml:4: absent: got \"[0, 0, 1]\": numbers, expected cells in quotes, such as [\"0,0,0\"]" },
	{ SIZED "  absent: ['0,0', '0,0,4']\n",
	  "torus.yaml:4: absent: got \"0,0\": expected a cell of 4x4x4 such as \"0,0,0\" (in quotes), or a box base+extent\n"
	  "torus.yaml:4: absent: got \"0,0,4\": region: base 4 in dimension 2: expected 0 to 3" },
	{ SIZED "  absent: ['{0-3}']\n",
	  "torus.yaml:4: absent: got \"{0-3}\": expected a cell of 4x4x4 such as \"0,0,0\" (in quotes), or a box base+extent" },
	{ SIZED "  absent: ['0,0,0', '0,0,0+1x1x2']\n",
	  "torus.yaml:4: absent: \"0,0,0+1x1x2\" was listed before" },
	{ SIZED "  absent: ['0,0,0+4x4x4']\n",
	  "torus.yaml:4: absent: no cell with a node is left" },

	/* regions */
	{ SIZED "  nodes: n[0-63]\n  regions: []\n",
	  "torus.yaml:5: regions: goes without nodes (line 4)" },
	{ SIZED "  regions: []\n  absent: '0,0,0'\n",
	  "torus.yaml:5: absent: goes without regions: cells outside of them have no node" },
	{ ONE "  flat: 4\n  regions: []\n",
	  "torus.yaml:4: regions: goes without flat, which has no coordinates; write nodes" },
	{ SIZED "  regions: []\n",
	  "torus.yaml:4: regions: the list is empty" },
	{ SIZED "  regions:\n  - anchor: [0, 0, 0]\n",
	  "torus.yaml:5: dims: missing in a region\n"
	  "torus.yaml:5: nodes: missing in a region" },
	{ SIZED "  regions:\n  - {anchor: [0, 0], dims: [1, 1, 1], nodes: x, size: 3}\n",
	  "torus.yaml:5: size: unknown key in a region; expected one of anchor, dims, nodes\n"
	  "torus.yaml:5: anchor: got \"[0, 0]\": 2 numbers for the 3 dimensions of 4x4x4" },
	{ SIZED "  regions:\n  - {anchor: [3, 0, 0], dims: [2, 1, 1], nodes: 'n[1-2]'}\n",
	  "torus.yaml:5: regions: anchor + dims is 5 in dimension 0, expected at most 4 (4x4x4)" },
	{ SIZED "  regions:\n  - {anchor: [0, 0, 0], dims: [2, 0, 1], nodes: 'n[1-2]'}\n",
	  "torus.yaml:5: regions: every extent in dims must be at least 1" },
	{ SIZED "  regions:\n  - {anchor: [0, 0, 0], dims: [2, 2, 1], nodes: 'n[1-2]'}\n",
	  "torus.yaml:5: nodes: \"n[1-2]\" names 2 nodes, expected 4 for this region" },
	{ SIZED "  regions:\n"
		"  - {anchor: [0, 0, 0], dims: [2, 2, 1], nodes: 'n[1-4]'}\n"
		"  - {anchor: [0, 1, 0], dims: [1, 2, 1], nodes: 'n[5-6]'}\n",
	  "torus.yaml:6: regions: cell 0,1,0 is in an earlier region" },

	/* scheduler */
	{ WHOLE "scheduler: easy\n",
	  "torus.yaml:3: scheduler: got \"easy\": expected keys and values such as \"discipline: ...\"" },
	{ WHOLE "scheduler:\n  disciplines: easy\n  wait_limit: 2\n  mean_hold: 0s\n  order: fifo\n  backfill_places: 0\n  options: {x: 1}\n",
	  "torus.yaml:4: disciplines: unknown key in scheduler; did you mean \"discipline\"?\n"
	  "torus.yaml:5: wait_limit: got \"2\": the unit is missing; write a number and a unit, for example 90s, 30m, 1.5h or 2d\n"
	  "torus.yaml:6: mean_hold: got \"0s\": expected more than 0\n"
	  "torus.yaml:7: order: got \"fifo\": expected arrival or priority\n"
	  "torus.yaml:8: backfill_places: got \"0\": expected a whole number from 1 to 1000000\n"
	  "torus.yaml:9: options of easy: option x: unknown here; known: tries" },
	{ WHOLE "scheduler: {options: {tries: 0}, plan_file: plan, journal: a/b}\n",
	  "torus.yaml:3: options of easy: option tries: got \"0\": expected 1..64\n"
	  "torus.yaml:3: plan_file: got \"plan\": expected an absolute path of at most 255 characters\n"
	  "torus.yaml:3: journal: got \"a/b\": expected an absolute path of at most 255 characters" },
	{ WHOLE "scheduler: {wait_limit: [1h]}\n",
	  "torus.yaml:3: wait_limit: got \"[1h]\": expected a duration such as 90s, 30m or 2h" },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(bad); i++) {
		struct torus_error err = { 0 };

		errno = 0;
		assert_null(parse(bad[i].text, &err));
		assert_int_equal(errno, EINVAL);
		if (bad[i].lines)
			assert_string_equal(err.text, bad[i].lines);
		assert_null(parse(bad[i].text, NULL));
	}
}

/* These name what the registries hold. */
static void test_registry_messages(void **state)
{
	static const struct {
		const char *text, *line;
	} rows[] = {
		{ SIZED "  strategy: subme\n",
		  "torus.yaml:4: strategy: got \"subme\": no such strategy (did you mean \"submesh\"?); expected one of flat, submesh" },
		{ SIZED "  allow: [flat, box]\n",
		  "torus.yaml:4: allow: got \"box\": no such strategy; expected one of flat, submesh" },
		{ ONE "  flat: 4\n  strategy: submesh\n",
		  "torus.yaml:4: strategy: \"submesh\" cannot serve flat:4: " },
		{ ONE "  flat: 4\n  allow: submesh\n",
		  "torus.yaml:4: allow: \"submesh\" cannot serve flat:4: " },
		{ WHOLE "scheduler: {discipline: esay}\n",
		  "torus.yaml:3: discipline: got \"esay\": no such discipline (did you mean \"easy\"?); expected one of " },
	};

	(void)state;
	for (size_t i = 0; i < SIZE(rows); i++) {
		struct torus_error err = { 0 };

		assert_null(parse(rows[i].text, &err));
		assert_int_equal(err.count, 1);
		err.text[strlen(rows[i].line)] = '\0';
		assert_string_equal(err.text, rows[i].line);
	}
}

/* Messages come in the order of the lines, behind what err held before. */
static void test_order(void **state)
{
	struct torus_error err = { 0 };

	(void)state;
	torus_error_add(&err, "something else");
	assert_null(parse("toruses:\n"
			  "- rotate: 2\n"
			  "  nodes: n[3-1]\n"
			  "  dims: [0]\n"
			  "  size: 3\n"
			  "- name: 'b c'\n"
			  "  wrap: X\n"
			  "  dims: [1]\n"
			  "clock: 1\n",
			  &err));
	assert_string_equal(err.text,
			    "something else\n"
			    "torus.yaml:2: name: missing; every torus needs one, for example name: pod0\n"
			    "torus.yaml:2: rotate: got \"2\": expected true or false\n"
			    "torus.yaml:3: nodes: got \"n[3-1]\": the range 3-1 runs backwards\n"
			    "torus.yaml:4: dims: got \"[0]\": every dimension must be at least 1\n"
			    "torus.yaml:5: size: unknown key in a torus; expected one of name, dims, flat, wrap, nodes, regions, absent, strategy, allow, rotate, options, placements\n"
			    "torus.yaml:6: name: got \"b c\": expected at most 63 letters, digits, '_', '-' and '.', the first a letter or digit\n"
			    "torus.yaml:7: wrap: got \"X\": expected one letter per dimension (1 in all), T (wraps) or M (does not), or a list of true and false\n"
			    "torus.yaml:9: clock: unknown key in torus.yaml; expected one of toruses, scheduler");
}

/* Everything is reported, and a flood is counted. */
static void test_flood(void **state)
{
	struct torus_error err = { 0 };
	static char text[200000];
	size_t used = (size_t)sprintf(text, "toruses:\n");

	(void)state;
	for (int i = 0; i < 3000; i++)
		used += (size_t)sprintf(text + used, "- {name: t%d, dims: [0]}\n",
					i);
	assert_null(parse(text, &err));
	assert_int_equal(err.count, 3000);
	assert_non_null(strstr(err.text, "\n... and "));
}

static void test_many_toruses(void **state)
{
	struct torus_error err = { 0 };
	static char text[300000];
	size_t used = (size_t)sprintf(text, "toruses:\n");
	struct torus_config *c;

	(void)state;
	for (int i = 0; i < 4096; i++)
		used += (size_t)sprintf(text + used,
					"- {name: t%d, flat: 3, nodes: [a%d, b%d, c%d]}\n",
					i, i, i, i);
	c = parse_good(text);
	assert_int_equal(c->machine.pods, 4096);
	assert_int_equal(torus_config_node(c, "c4095"), 4095 * 64 + 2);
	torus_config_destroy(c);
	sprintf(text + used, "- {name: more, flat: 1, nodes: x}\n");
	assert_null(parse(text, &err));
	assert_string_equal(err.text,
			    "torus.yaml:4098: toruses: more than 4096 toruses");
}

/* More values than any machine needs are refused, quickly. */
static void test_too_many_values(void **state)
{
	size_t length = 9 + 2 * ((1u << 21) + 10);
	char *text = malloc(length + 1);
	struct torus_error err = { 0 };

	(void)state;
	assert_non_null(text);
	memcpy(text, "toruses: [", 10);
	for (size_t i = 10; i < length; i += 2)
		memcpy(text + i, "a,", 2);
	text[length] = '\0';
	assert_null(parse(text, &err));
	assert_string_equal(err.text, "torus.yaml:1: YAML: too many values");
	free(text);
}

static int collect(void *arg, const char *name)
{
	char *text = arg;

	strcat(text, *text ? " " : "");
	strcat(text, name);
	return 0;
}

static void test_hostlist(void **state)
{
	static const struct {
		const char *text;
		uint32_t count;
		const char *names;
	} rows[] = {
		{ "n1", 1, "n1" },
		{ "a,b,c", 3, "a b c" },
		{ "a b\n\tc", 3, "a b c" },
		{ " a,, b ,", 2, "a b" },
		{ "", 0, "" },
		{ "n[0-3]", 4, "n0 n1 n2 n3" },
		{ "n[08-11]", 4, "n08 n09 n10 n11" },
		{ "n[8-11]", 4, "n8 n9 n10 n11" },
		{ "n[001-3]", 3, "n001 n002 n003" },
		{ "n[8-010]", 3, "n8 n9 n10" },
		{ "n[0-1,7,9-10]", 5, "n0 n1 n7 n9 n10" },
		{ "n[5]", 1, "n5" },
		{ "n[1-2]-ib", 2, "n1-ib n2-ib" },
		{ "[1-2]", 2, "1 2" },
		{ "a[0-1]b[2-3]", 4, "a0b2 a0b3 a1b2 a1b3" },
		{ "n[1-2][3-4]", 4, "n13 n14 n23 n24" },
		/* as `scontrol show hostnames` lists them */
		{ "a[0-1]b[2-3]c[0-1]", 8,
		  "a0b2c0 a0b2c1 a1b2c0 a1b2c1 a0b3c0 a0b3c1 a1b3c0 a1b3c1" },
		{ "r[0-1]c[0-2]n[0-1]", 12,
		  "r0c0n0 r0c0n1 r1c0n0 r1c0n1 r0c1n0 r0c1n1 r1c1n0 r1c1n1 r0c2n0 r0c2n1 r1c2n0 r1c2n1" },
		{ "a[1,3-4]b[7,9],x", 7,
		  "a1b7 a1b9 a3b7 a3b9 a4b7 a4b9 x" },
	};

	(void)state;
	for (size_t i = 0; i < SIZE(rows); i++) {
		struct hostlist_error why;
		char names[512] = "";
		uint32_t count;

		assert_int_equal(torus_hostlist_count(rows[i].text, &count,
						      &why),
				 0);
		assert_int_equal(count, rows[i].count);
		assert_int_equal(torus_hostlist_each(rows[i].text, collect,
						     names),
				 0);
		assert_string_equal(names, rows[i].names);
	}
}

static void test_bad_hostlist(void **state)
{
#define NOT_LIST "is not a list of numbers and ranges such as [0-7,12]"
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "n[1", "\"[\" without \"]\"" },
		{ "n1]", "\"]\" without \"[\"" },
		{ "n[]", "\"[]\" " NOT_LIST },
		{ "n[1,,2]", "\"[1,,2]\" " NOT_LIST },
		{ "n[1,]", "\"[1,]\" " NOT_LIST },
		{ "n[a]", "\"[a]\" " NOT_LIST },
		{ "n[1-]", "\"[1-]\" " NOT_LIST },
		{ "n[-1]", "\"[-1]\" " NOT_LIST },
		{ "n[1-2-3]", "\"[1-2-3]\" " NOT_LIST },
		{ "n[1-5:2]", "\"[1-5:2]\" " NOT_LIST },
		{ "n[1, 2]", "\"[1, 2]\" " NOT_LIST },
		{ "n[[1]", "\"[[1]\" " NOT_LIST },
		{ "n[[1]]", "\"]\" without \"[\"" },
		{ "n[1234567890123456]", "\"[1234567890123456]\" " NOT_LIST },
		{ "n[3-1]", "the range 3-1 runs backwards" },
		{ "n/1", "\"/\" cannot be in a node name" },
		{ "n\xc3\xa9", "\"\xc3\xa9\" cannot be in a node name" },
		{ "n[0-16777216]", "more than 16777216 names" },
		{ "n[0-4095]m[0-4096]", "more than 16777216 names" },
		{ "n[0-16777215],x", "more than 16777216 names" },
		{ "n[0-999999999999999]", "more than 16777216 names" },
		{ "a[1]b[1]c[1]d[1]e[1]f[1]g[1]h[1]i[1]",
		  "more than 8 brackets in a name" },
		{ "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn1",
		  "a name of more than 64 characters" },
		{ "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn[9-10]",
		  "a name of more than 64 characters" },
	};

	(void)state;
	for (size_t i = 0; i < SIZE(rows); i++) {
		struct hostlist_error why;
		uint32_t count;

		errno = 0;
		assert_int_equal(torus_hostlist_count(rows[i].text, &count,
						      &why),
				 -1);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(why.text, rows[i].why);
	}
}

static void test_names(void **state)
{
	enum { N = 20000 };
	static char name[N][12];
	struct name_table t = { 0 };

	(void)state;
	assert_null(torus_names_find(&t, "x"));
	for (uint32_t i = 0; i < N; i++) {
		struct name_entry *e;

		sprintf(name[i], "n%u", i);
		assert_null(torus_names_find(&t, name[i]));
		e = torus_names_add(&t, name[i]);
		assert_non_null(e);
		e->index = i;
	}
	assert_int_equal(t.used, N);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(torus_names_find(&t, name[i])->index, i);
	assert_null(torus_names_find(&t, "n20000"));
	torus_names_free(&t);
}

static void test_string(void **state)
{
	struct torus_error err = { 0 };
	struct torus_config *c = torus_config_string("8x8x8:TTM", &err);

	(void)state;
	assert_non_null(c);
	check_machine(c, 0, "torus", "8x8x8:TTM");
	assert_string_equal(c->path, "8x8x8:TTM");
	assert_null(c->names[0]);
	assert_true(c->rotate[0]);
	assert_non_null(c->scheduler.discipline);
	assert_true(torus_config_node(c, "n1") == UINT32_MAX);
	torus_config_destroy(c);

	assert_null(torus_config_string("8y8", &err));
	assert_int_equal(err.count, 1);
}

static void test_load(void **state)
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
	for (size_t i = 0; i < SIZE(rows); i++) {
		torus_error_clear(&err);
		assert_null(torus_config_load(rows[i].what, &err));
		assert_string_equal(err.text, rows[i].line);
	}
	torus_error_clear(&err);
	assert_null(torus_config_load("8x", &err));
	assert_true(strncmp(err.text, "machine: got \"8x\": ", 19) == 0);
}

static void test_file(void **state)
{
	char path[] = "/tmp/torus-test-XXXXXX", line[128];
	struct torus_error err = { 0 };
	struct torus_config *c;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, WHOLE, sizeof(WHOLE) - 1),
			 sizeof(WHOLE) - 1);
	c = torus_config_load(path, &err);
	assert_non_null(c);
	assert_string_equal(c->path, path);
	assert_int_equal(torus_config_node(c, "n15"), 15);
	torus_config_destroy(c);

	assert_int_equal(write(fd, "x: y\n", 5), 5);
	assert_null(torus_config_read(path, &err));
	snprintf(line, sizeof(line),
		 "%s:3: x: unknown key in torus.yaml; expected one of toruses, scheduler",
		 path);
	assert_string_equal(err.text, line);

	torus_error_clear(&err);
	assert_int_equal(ftruncate(fd, (64 << 20) + 1), 0);
	assert_null(torus_config_read(path, &err));
	assert_int_equal(errno, EFBIG);
	snprintf(line, sizeof(line), "%s: cannot be read: File too large",
		 path);
	assert_string_equal(err.text, line);
	close(fd);
	unlink(path);

	torus_error_clear(&err);
	assert_null(torus_config_read(path, &err));
	assert_int_equal(errno, ENOENT);
}

static void test_strategy(void **state)
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
	assert_true(strncmp(err.text, "strategy: got \"fat\": no such strategy (did you mean \"flat\"?)", 59) == 0);
	torus_config_destroy(c);

	torus_error_clear(&err);
	c = torus_config_string("flat:16", &err);
	assert_int_equal(torus_config_strategy(c, "submesh", &err), -1);
	assert_true(strncmp(err.text, "strategy: \"submesh\" cannot serve torus (flat:16): ", 50) == 0);
	assert_string_equal(c->machine.pod[0].strategy[0]->name, "flat");
	torus_config_destroy(c);
}

/* A pod for nodes that no torus lists, under a name that no torus has. */
static void test_outside(void **state)
{
	static const char *const names[] = { "login", "fat0" };
	struct torus_config *c = parse_good("toruses:\n"
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
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_initial),
		cmocka_unit_test(test_topology),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_registry_messages),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_many_toruses),
		cmocka_unit_test(test_too_many_values),
		cmocka_unit_test(test_hostlist),
		cmocka_unit_test(test_bad_hostlist),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_string),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_strategy),
	};

	return UNIT_RUN(tests);
}
