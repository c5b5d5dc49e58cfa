/* SPDX-License-Identifier: GPL-2.0-or-later */
/* torus.yaml: the letter of every message, their order, and how many there may
 * be. */
#include "torus_yaml.h"

#define ONE "toruses:\n- name: a\n"
#define SIZED ONE "  dims: [4, 4, 4]\n"

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
	  "torus.yaml:1: YAML: tags (!) are not supported; omit it" },
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
	  "torus.yaml:4: cluster: unknown key in torus.yaml; expected one of toruses, scheduler, node_comment, weights, rank_order" },
	{ WHOLE "toruses: []\n",
	  "torus.yaml:3: toruses: written twice in torus.yaml, first on line 1" },
	{ "- topology: a\n  flat: true\n",
	  "torus.yaml:1: torus3d: missing; expected a map with toruses: or, as in topology.yaml, a list with a torus3d: block" },
	{ "- torus3d: {toruses: {name: a, dims: [2]}}\n- torus3d: {}\n",
	  "torus.yaml:2: toruses: missing in torus3d" },
	{ "- torus3d:\n    torus: 1\n",
	  "torus.yaml:2: torus: unknown key in torus3d; did you mean \"toruses\"?\n"
	  "torus.yaml:2: toruses: missing in torus3d" },

	/* weights */
	{ SIZED
	  "  nodes: n[00-63]\nweights:\n- {nodes: 'n[00-11]', weight: 100}\n"
	  "- {nodes: 'n[10-12]', weight: 5}\n- {nodes: 'n[70],x', weight: 1}\n",
	  "torus.yaml:7: nodes: got \"n[10-12]\": some of these nodes have a weight already\n"
	  "torus.yaml:8: nodes: got \"n[70],x\": no torus has a node \"n70\"" },
	{ SIZED
	  "weights:\n- {nodes: 'a:0,0,0+2x2x2', weight: -1}\n- {nodes: 'a:{0}', weight: 4294967295}\n"
	  "- {nodes: 'a:{1}', weight: 1.5}\n- {nodes: 'a:{2}', weight: 07}\n",
	  "torus.yaml:5: weight: got \"-1\": expected a whole number from 0 to 4294967294\n"
	  "torus.yaml:6: weight: got \"4294967295\": expected a whole number from 0 to 4294967294\n"
	  "torus.yaml:7: weight: got \"1.5\": expected a whole number from 0 to 4294967294\n"
	  "torus.yaml:8: weight: got \"07\": expected a whole number from 0 to 4294967294" },
	{ SIZED
	  "weights:\n- {nodes: 'b:0,0,0+2x2x2', weight: 1}\n- {nodes: 'a:0,0,4+1x1x1', weight: 1}\n",
	  "torus.yaml:5: nodes: got \"b:0,0,0+2x2x2\": no torus has this name\n"
	  "torus.yaml:6: nodes: got \"a:0,0,4+1x1x1\": region: base 4 in dimension 2: expected 0 to 3" },
	{ SIZED "weights:\n- {nodes: {}, weight: 1}\n- {node: 'a:{1}'}\n- 7\n",
	  "torus.yaml:5: nodes: got \"{}\": expected names such as n[00-63], or a region such as pod0:0,0+2x2\n"
	  "torus.yaml:6: node: unknown key in weights; did you mean \"nodes\"?\n"
	  "torus.yaml:6: nodes: missing in weights\n"
	  "torus.yaml:6: weight: missing in weights\n"
	  "torus.yaml:7: weights: got \"7\": expected keys and values such as \"nodes: ...\"" },
	{ SIZED "weights: []\n", "torus.yaml:4: weights: the list is empty" },
	{ ONE "  dims: [0]\nweights:\n- {nodes: x, weight: y}\n",
	  "torus.yaml:3: dims: got \"[0]\": every dimension must be at least 1\n"
	  "torus.yaml:5: weight: got \"y\": expected a whole number from 0 to 4294967294" },

	/* name */
	{ "toruses:\n- dims: [4]\n",
	  "torus.yaml:2: name: missing; every torus needs one, for example name: pod0" },
	{ "toruses:\n- name: a:b\n  dims: [4]\n",
	  "torus.yaml:2: name: got \"a:b\": expected at most 63 letters, digits, '_', '-' and '.', the first a letter or digit" },
	{ "toruses:\n- name: [x]\n  dims: [4]\n",
	  "torus.yaml:2: name: got \"[x]\": expected a word" },
	{ "toruses:\n- {name: a, dims: [4]}\n- {name: a, dims: [0]}\n",
	  "torus.yaml:3: name: \"a\" is already the torus of line 2\n"
	  "torus.yaml:3: dims: got \"[0]\": every dimension must be at least 1" },

	/* dims, flat, wrap */
	{ ONE,
	  "torus.yaml:2: dims: missing; write for example dims: [8, 8, 8], or flat: 128 for a machine without topology" },
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
	  "torus.yaml:2: flat: cannot be combined with dims: it is a machine without topology" },
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
	{ SIZED "  strategy: subme\n", NULL /* see test_registry_messages() */ },
	{ ONE "  flat: 4\n  strategy: submesh\n", NULL },
	{ SIZED "  options: {speed: fast}\n",
	  "torus.yaml:4: options of submesh: option speed: unknown here; known: contact, ends, look" },
	{ SIZED "  options: fast\n",
	  "torus.yaml:4: options: got \"fast\": expected a map such as {name: value}" },
	{ SIZED "  rotate: maybe\n",
	  "torus.yaml:4: rotate: got \"maybe\": expected true or false" },

	{ SIZED "  allow: [flat, submesh-ff, flat]\n",
	  "torus.yaml:4: allow: flat is listed twice" },
	{ SIZED
	  "  allow: [flat, submesh-tbl, submesh-bl, submesh-tff, submesh-ff, semitorus-nep, semitorus-ep, semitorus-buddy, subtorus]\n",
	  "torus.yaml:4: allow: more than 8 strategies for one torus" },
	{ SIZED "  strategy: [a, b]\n",
	  "torus.yaml:4: strategy: got \"[a, b]\": expected a word" },

	/* nodes */
	{ ONE
	  "  dims: [2]\n  nodes: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb]\n  absent: '0'\n",
	  "torus.yaml:4: nodes: \"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbb...\" names 2 nodes, expected 1 (2 less 1 absent)" },
	{ ONE
	  "  dims: [2]\n  nodes: '\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9x\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9'\n",
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
	  "torus.yaml:5: regions: cannot be combined with nodes (line 4)" },
	{ SIZED "  regions: []\n  absent: '0,0,0'\n",
	  "torus.yaml:5: absent: cannot be combined with regions: cells outside of them have no node" },
	{ ONE "  flat: 4\n  regions: []\n",
	  "torus.yaml:4: regions: cannot be combined with flat, which has no coordinates; write nodes" },
	{ SIZED "  regions: []\n", "torus.yaml:4: regions: the list is empty" },
	{ SIZED "  regions:\n  - anchor: [0, 0, 0]\n",
	  "torus.yaml:5: dims: missing in a region\n"
	  "torus.yaml:5: nodes: missing in a region" },
	{ SIZED
	  "  regions:\n  - {anchor: [0, 0], dims: [1, 1, 1], nodes: x, size: 3}\n",
	  "torus.yaml:5: size: unknown key in a region; expected one of anchor, dims, nodes\n"
	  "torus.yaml:5: anchor: got \"[0, 0]\": 2 numbers for the 3 dimensions of 4x4x4" },
	{ SIZED
	  "  regions:\n  - {anchor: [3, 0, 0], dims: [2, 1, 1], nodes: 'n[1-2]'}\n",
	  "torus.yaml:5: regions: anchor + dims is 5 in dimension 0, expected at most 4 (4x4x4)" },
	{ SIZED
	  "  regions:\n  - {anchor: [0, 0, 0], dims: [2, 0, 1], nodes: 'n[1-2]'}\n",
	  "torus.yaml:5: regions: every extent in dims must be at least 1" },
	{ SIZED
	  "  regions:\n  - {anchor: [0, 0, 0], dims: [2, 2, 1], nodes: 'n[1-2]'}\n",
	  "torus.yaml:5: nodes: \"n[1-2]\" names 2 nodes, expected 4 for this region" },
	{ SIZED "  regions:\n"
		"  - {anchor: [0, 0, 0], dims: [2, 2, 1], nodes: 'n[1-4]'}\n"
		"  - {anchor: [0, 1, 0], dims: [1, 2, 1], nodes: 'n[5-6]'}\n",
	  "torus.yaml:6: regions: cell 0,1,0 is in an earlier region" },

	/* scheduler */
	{ WHOLE "scheduler: easy\n",
	  "torus.yaml:3: scheduler: got \"easy\": expected keys and values such as \"discipline: ...\"" },
	{ WHOLE
	  "scheduler:\n  disciplines: easy\n  wait_limit: 2x\n  mean_hold: 0s\n  order: fifo\n  backfill_places: 0\n  options: {x: 1}\n",
	  "torus.yaml:4: disciplines: unknown key in scheduler; did you mean \"discipline\"?\n"
	  "torus.yaml:5: wait_limit: got \"2x\": the unit is not one of s, m, h and d; write a number and a unit, for example 90s, 30m, 1.5h or 2d\n"
	  "torus.yaml:6: mean_hold: got \"0s\": expected more than 0\n"
	  "torus.yaml:7: order: got \"fifo\": expected arrival or priority\n"
	  "torus.yaml:8: backfill_places: got \"0\": expected a whole number from 1 to 1000000\n"
	  "torus.yaml:9: options of easy: option x: unknown here; known: reservations, queue_order, backfill_order, bound, overtake, half_life, tries" },
	{ WHOLE
	  "scheduler: {options: {tries: 0}, plan_file: plan, journal: a/b}\n",
	  "torus.yaml:3: options of easy: option tries: got \"0\": expected 1..64\n"
	  "torus.yaml:3: plan_file: got \"plan\": expected an absolute path of at most 255 characters\n"
	  "torus.yaml:3: journal: got \"a/b\": expected an absolute path of at most 255 characters" },
	{ WHOLE "scheduler: {dry_run: true}\n",
	  "torus.yaml:3: dry_run: has no journal to write to: add journal: FILE" },
	{ WHOLE "scheduler: {journal: /a, dry_run: perhaps}\n",
	  "torus.yaml:3: dry_run: got \"perhaps\": expected true or false" },
	{ WHOLE "scheduler: {wait_limit: 1h}\n",
	  "torus.yaml:3: wait_limit: has no effect on the discipline easy: the first blocked job of each set of nodes has a reservation; omit it" },
	{ WHOLE "scheduler: {discipline: conservative, wait_limit: 1h}\n",
	  "torus.yaml:3: wait_limit: has no effect on the discipline conservative: every queued job has a reservation; omit it" },
	{ WHOLE "scheduler: {discipline: dedf, mean_hold: 1h, wait_limit: 1h}\n",
	  "torus.yaml:3: wait_limit: has no effect on the discipline dedf: a job with a deadline starts in time or is rejected; the other jobs use the remaining nodes; omit it" },
	{ WHOLE "scheduler: {discipline: fcfs, reservations: 2}\n",
	  "torus.yaml:3: reservations: has no effect on the discipline fcfs; omit it" },
	{ WHOLE "scheduler: {reservations: 0}\n",
	  "torus.yaml:3: reservations: got \"0\": expected a whole number from 1 to 1000" },
	{ WHOLE "scheduler: {wait_limit: [1h]}\n",
	  "torus.yaml:3: wait_limit: got \"[1h]\": expected a duration such as 90s, 30m or 2h" },
};

static void each_mistake_has_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(bad); i++) {
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
	for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
		struct torus_error err = { 0 };

		assert_null(parse(rows[i].text, &err));
		assert_int_equal(err.count, 1);
		err.text[strlen(rows[i].line)] = '\0';
		assert_string_equal(err.text, rows[i].line);
	}
}

/* Messages come in the order of the lines, behind what err held before. */
static void messages_follow_the_order_of_lines(void **state)
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
	assert_string_equal(
		err.text,
		"something else\n"
		"torus.yaml:2: name: missing; every torus needs one, for example name: pod0\n"
		"torus.yaml:2: rotate: got \"2\": expected true or false\n"
		"torus.yaml:3: nodes: got \"n[3-1]\": the range 3-1 runs backwards\n"
		"torus.yaml:4: dims: got \"[0]\": every dimension must be at least 1\n"
		"torus.yaml:5: size: unknown key in a torus; expected one of name, dims, flat, wrap, unit, per_vertex, grain, nodes, regions, absent, strategy, allow, rotate, options, links, placements\n"
		"torus.yaml:6: name: got \"b c\": expected at most 63 letters, digits, '_', '-' and '.', the first a letter or digit\n"
		"torus.yaml:7: wrap: got \"X\": expected one letter per dimension (1 in all), T (wraps) or M (does not), or a list of true and false\n"
		"torus.yaml:9: clock: unknown key in torus.yaml; expected one of toruses, scheduler, node_comment, weights, rank_order");
}

/* Everything is reported, and a flood is counted. */
static void a_flood_of_mistakes_is_counted(void **state)
{
	struct torus_error err = { 0 };
	static char text[200000];
	size_t used = (size_t)sprintf(text, "toruses:\n");

	(void)state;
	for (int i = 0; i < 3000; i++)
		used += (size_t)sprintf(text + used,
					"- {name: t%d, dims: [0]}\n", i);
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
		used += (size_t)
			sprintf(text + used,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mistake_has_its_message),
		cmocka_unit_test(test_registry_messages),
		cmocka_unit_test(messages_follow_the_order_of_lines),
		cmocka_unit_test(a_flood_of_mistakes_is_counted),
		cmocka_unit_test(test_many_toruses),
		cmocka_unit_test(test_too_many_values),
	};

	return UNIT_RUN(tests);
}
