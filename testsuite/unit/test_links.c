/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links that are not healthy: their files, and what a state makes of them. */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "unit.h"

#include <unistd.h>

#include "config/link_file.h"
#include "torus/config.h"

static struct torus_config *machine(const char *yaml)
{
	struct torus_error err = { 0 };
	struct torus_config *c = torus_config_parse("torus.yaml", yaml,
						    strlen(yaml), &err);

	if (!c)
		print_error("%s\n", err.text);
	assert_non_null(c);
	return c;
}

static const char two[] = "toruses:\n"
			  "- {name: pod0, dims: [4, 2, 1], wrap: TTT, links: l}\n"
			  "- {name: pod1, dims: [6, 4], wrap: TM, links: l}\n"
			  "- {name: any, flat: 8}\n"
			  "- {name: old, dims: [4], strategy: submesh-tbl}\n";

static void each_wrong_line_has_its_message(void **state)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "pod9:0,0,0 0 down",
		  "\"pod9\" is no torus of this machine (pod0, pod1, any, old)" },
		{ "0,0,0 0 down",
		  "expected NAME:COORD DIM, for example pod0:0,0,0 1" },
		{ "pod0:4,0,0 0 down", "pod0 (4x2x1) has no vertex 4,0,0" },
		{ "pod0:0,0 0 down", "pod0 (4x2x1) has no vertex 0,0" },
		{ "pod0:0,0,0,0 0 down", "pod0 (4x2x1) has no vertex 0,0,0,0" },
		{ "pod0:-1,0,0 0 down", "pod0 (4x2x1) has no vertex -1,0,0" },
		{ "pod0:00,0,0 0 down", "pod0 (4x2x1) has no vertex 00,0,0" },
		{ "pod0:0,0,0 3 down",
		  "got \"3\": pod0 (4x2x1) has the dimensions 0 to 2" },
		{ "pod0:0,0,0 x down",
		  "got \"x\": pod0 (4x2x1) has the dimensions 0 to 2" },
		{ "pod0:0,0,0 2 down",
		  "the vertex has no + neighbour along dimension 2 of pod0 (4x2x1), which has one vertex" },
		{ "pod1:0,3 1 weak",
		  "the vertex has no + neighbour along dimension 1 of pod1 (6x4:TM), which does not wrap" },
		{ "any:0 0 down", "any is flat: it has no links" },
		{ "old:0 0 down",
		  "submesh-tbl does not go around links that are down; these do: submesh, submesh-tff, submesh-ff, submesh-bf, submesh-wf" },
		{ "pod0:0,0,0 0 up", "got \"up\": expected down or weak" },
		{ "pod0:0,0,0 0",
		  "expected NAME:COORD DIM down|weak, for example pod0:0,0,0 1 down" },
		{ "pod0:0,0,0 0 down now",
		  "expected NAME:COORD DIM down|weak, for example pod0:0,0,0 1 down" },
	};
	struct torus_config *c = machine(two);

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(bad); i++) {
		struct torus_link_list list = { 0 };
		struct torus_error err = { 0 };
		char text[160], expected[512];

		snprintf(text, sizeof(text), "# x\n%s # y\n", bad[i].line);
		snprintf(expected, sizeof(expected), "l:2: got \"%s # y\": %s",
			 bad[i].line, bad[i].why);
		assert_int_equal(torus_link_file_parse(&c->machine, "l", text,
						       strlen(text), &list,
						       &err),
				 -1);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(err.text, expected);
		assert_int_equal(list.count, 0);
	}
	torus_config_destroy(c);
}

static void a_link_listed_twice_is_refused(void **state)
{
	static const char text[] = "pod1:5,3 0 down\npod1:0,0 0 weak\n\n"
				   "pod1:5,3 0 weak\n";
	struct torus_config *c = machine(two);
	struct torus_link_list list = { 0 };
	struct torus_error err = { 0 };

	(void)state;
	assert_int_equal(torus_link_file_parse(&c->machine, "l", text,
					       strlen(text), &list, &err),
			 -1);
	assert_string_equal(err.text,
			    "l:4: got \"pod1:5,3 0\": line 1 already has this link");
	torus_config_destroy(c);
}

static void check_edit(const struct torus_machine *m, const char *text,
		       const char *link, enum torus_link_health health,
		       const char *expected)
{
	struct torus_text out = { 0 };
	struct torus_link l;

	assert_int_equal(torus_link_parse(m, link, &l, NULL), 0);
	l.health = (uint8_t)health;
	assert_int_equal(torus_link_file_edit(m, text, strlen(text), &l, &out),
			 0);
	assert_string_equal(out.data, expected);
	torus_text_free(&out);
}

static void edits_change_only_their_lines(void **state)
{
	struct torus_config *c = machine(two);
	const struct torus_machine *m = &c->machine;

	(void)state;
	check_edit(m, "", "pod0:1,0,0 1", TORUS_LINK_DOWN,
		   "pod0:1,0,0 1 down\n");
	check_edit(m, "# a\npod0:1,0,0 1 weak\t# b\n\n# c", "pod0:1,0,0 1",
		   TORUS_LINK_DOWN, "# a\npod0:1,0,0 1 down\t# b\n\n# c\n");
	check_edit(m, "# a\n pod0:1,0,0  1 weak # b\n# c\n", "pod0:1,0,0 1",
		   TORUS_LINK_UP, "# a\n# c\n");
	check_edit(m, "pod0:1,0,0 1 weak\n", "pod1:1,0 1", TORUS_LINK_UP,
		   "pod0:1,0,0 1 weak\n");
	torus_config_destroy(c);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* The file is found beside torus.yaml, and read again on request. */
static void test_config_file(void **state)
{
	struct torus_link_list list = { 0 };
	struct torus_error err = { 0 };
	struct torus_config *c;

	(void)state;
	write_file("test_links.yaml",
		   "toruses:\n"
		   "- {name: pod0, dims: [4, 4], links: test_links.txt}\n"
		   "- {name: pod1, dims: [4, 4], links: ./test_links.txt}\n");
	unlink("test_links.txt");
	assert_null(torus_config_read("test_links.yaml", &err));
	assert_string_equal(
		err.text,
		"test_links.txt: cannot be read: No such file or directory\n"
		"./test_links.txt: cannot be read: No such file or directory");
	write_file("test_links.txt", "pod1:0,0 1 down\npod0:3,3 0 weak\n");
	c = torus_config_read("./test_links.yaml", &err);
	assert_non_null(c);
	assert_string_equal(c->links[0], "./test_links.txt");
	assert_int_equal(c->machine.links.count, 2);
	assert_int_equal(c->machine.links.link[0].health, TORUS_LINK_WEAK);
	write_file("test_links.txt", "pod0:1,1 1 down\npod2:3,3 0 weak\n");
	assert_int_equal(torus_config_read_links(c, &list, NULL), -1);
	assert_int_equal(list.count, 0);
	write_file("test_links.txt", "pod0:1,1 1 down\n");
	assert_int_equal(torus_config_read_links(c, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	torus_link_list_free(&list);
	torus_config_destroy(c);
	unlink("test_links.txt");
	unlink("test_links.yaml");
}

static void test_config_errors(void **state)
{
	static const struct {
		const char *text, *line;
	} bad[] = {
		{ "toruses: [{name: a, flat: 8, links: x}]",
		  "torus.yaml:1: links: a flat machine has no links" },
		{ "toruses: [{name: a, dims: [8], links: [x]}]",
		  "torus.yaml:1: links: got \"[x]\": expected a word" },
		{ "toruses: [{name: a, dims: [8], links: x, allow: subtorus}]",
		  "torus.yaml:1: allow: subtorus does not go around links that are down; these do: submesh, submesh-tff, submesh-ff, submesh-bf, submesh-wf, and links is set" },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(bad); i++) {
		struct torus_error err = { 0 };

		assert_null(torus_config_parse("torus.yaml", bad[i].text,
					       strlen(bad[i].text), &err));
		assert_string_equal(err.text, bad[i].line);
	}
}

/* Place 4x4 on a ring of 4 by a ring of 4 with the links of `text`. */
static enum torus_answer place(const char *yaml, const char *text,
			       const struct torus_ask *ask, char *region)
{
	struct torus_config *c = machine(yaml);
	struct torus_placement place;
	struct torus_state *s;
	enum torus_answer answer;

	assert_int_equal(torus_link_file_parse(&c->machine, "l", text,
					       strlen(text), &c->machine.links,
					       NULL),
			 0);
	s = torus_state_create(&c->machine);
	assert_non_null(s);
	answer = torus_state_find(s, ask, &place, NULL);
	if (answer == TORUS_FITS) {
		int n = torus_region_format(&place.region,
					    &c->machine.pod[0].torus, region,
					    TORUS_REGION_SIZE);

		snprintf(region + n, TORUS_REGION_SIZE - (size_t)n, " %u",
			 place.ring);
	}
	torus_state_destroy(s);
	torus_config_destroy(c);
	return answer;
}

#define RINGS "toruses: [{name: p, dims: [4, 4], links: l}]"
#define PAIRS "toruses: [{name: p, dims: [2, 4], wrap: TM, links: l}]"

static void dead_links_open_rings(void **state)
{
	enum {
		N = TORUS_CONN_NAV,
		T = TORUS_CONN_TORUS
	};
	static const struct {
		const char *yaml, *links;
		uint32_t extent[2];
		uint8_t connection;
		bool weak;
		const char *region; /* NULL: not now */
	} rows[] = {
		{ RINGS, "", { 4, 4 }, T, false, "p:0,0+4x4 3" },
		{ RINGS, "p:1,2 0 down", { 4, 4 }, N, false, "p:2,0+4x4 2" },
		{ RINGS, "p:1,2 0 down", { 4, 4 }, T, false, NULL },
		{ RINGS, "p:1,2 0 weak", { 4, 4 }, T, true, "p:0,0+4x4 3" },
		{ RINGS, "p:1,2 0 weak", { 4, 4 }, N, false, "p:2,0+4x4 2" },
		{ RINGS,
		  "p:1,2 0 down\np:1,0 0 weak",
		  { 4, 4 },
		  N,
		  false,
		  "p:2,0+4x4 2" },
		{ RINGS, "p:1,2 0 down\np:0,0 0 weak", { 4, 4 }, N, false, NULL },
		{ RINGS,
		  "p:1,2 0 down\np:0,0 0 weak",
		  { 4, 4 },
		  N,
		  true,
		  "p:2,0+4x4 2" },
		{ PAIRS, "p:0,0 0 down", { 2, 1 }, T, false, "p:0,3+2x1 3" },
		{ PAIRS, "p:0,0 0 down", { 2, 4 }, N, false, "p:1,0+2x4 0" },
		{ PAIRS, "p:1,3 0 down", { 2, 4 }, N, false, "p:0,0+2x4 0" },
		{ PAIRS, "p:1,3 0 down\np:0,1 0 down", { 2, 4 }, N, false, NULL },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
		struct torus_ask ask = {
			.shape = { 2, { rows[i].extent[0], rows[i].extent[1] } },
			.connection = { rows[i].connection, N },
			.weak = rows[i].weak,
			.end_us = INT64_MAX
		};
		char region[TORUS_REGION_SIZE];
		enum torus_answer answer = place(rows[i].yaml, rows[i].links,
						 &ask, region);

		assert_int_equal(answer,
				 rows[i].region ? TORUS_FITS : TORUS_NOT_NOW);
		if (rows[i].region)
			assert_string_equal(region, rows[i].region);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wrong_line_has_its_message),
		cmocka_unit_test(a_link_listed_twice_is_refused),
		cmocka_unit_test(edits_change_only_their_lines),
		cmocka_unit_test(test_config_file),
		cmocka_unit_test(test_config_errors),
		cmocka_unit_test(dead_links_open_rings),
	};

	return UNIT_RUN(tests);
}
