/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The request grammar: what --geometry, --conn-type, --no-rotate and
 * --placement mean, what they are refused with (to the letter), durations,
 * and that the canonical text of a request reads back as the same request.
 */
#include "unit.h"

#include "request/quote.h"
#include "torus/request.h"
#include "torus/state_find.h"
#include "torus/strategy.h"

static int parse(struct torus_request *r, const char *geometry,
		 const char *conn_type, bool no_rotate, struct torus_error *err)
{
	const struct torus_request_words words = {
		.geometry = geometry,
		.conn_type = conn_type,
		.no_rotate = no_rotate,
	};

	return torus_request_parse(r, &words, err);
}

/* Extents and letters as text: "4,2 TN"; "count 64 N". */
static const char *describe(const struct torus_ask *ask, char *text)
{
	static const char letters[] = { 'N', 'T', 'M' };
	int n = 0;

	if (ask->by_count) {
		sprintf(text, "count %u %c", ask->count,
			letters[ask->connection[0]]);
		return text;
	}
	for (uint32_t i = 0; i < ask->shape.axes; i++)
		n += sprintf(text + n, "%s%u", i ? "," : "",
			     ask->shape.extent[i]);
	text[n++] = ' ';
	for (uint32_t i = 0; i < ask->shape.axes; i++)
		text[n++] = letters[ask->connection[i]];
	text[n] = '\0';
	if (torus_ask_several(ask))
		sprintf(text + n, " *%u", ask->regions);
	return text;
}

static const struct {
	const char *geometry, *conn_type;
	bool no_rotate;
	const char *means, *canonical;
} good[] = {
	{ "4x4x2", NULL, false, "4,4,2 NNN", "4x4x2" },
	{ "4x4x2", "", false, "4,4,2 NNN", "4x4x2" },
	{ "64", NULL, false, "count 64 N", "64" },
	{ "4x1x2*3", NULL, false, "4,2 NN *3", "4x1x2*3" },
	{ "4x4*1", NULL, false, "4,4 NN", "4x4" },
	{ "2^3*2", "TMN", false, "2,2,2 TMN *2", "2x2x2*2" },
	{ "8^1*64", NULL, false, "8 N *64", "8^1*64" },
	{ "1x1*3", NULL, false, "1 N *3", "1x1*3" },
	{ "1", NULL, false, "count 1 N", "1" },
	{ "16777216", NULL, false, "count 16777216 N", "16777216" },
	{ "2^5", NULL, false, "2,2,2,2,2 NNNNN", "2x2x2x2x2" },
	{ "3^1", NULL, false, "3 N", "3^1" },
	{ "8^8", NULL, false, "8,8,8,8,8,8,8,8 NNNNNNNN", "8x8x8x8x8x8x8x8" },
	{ "8x8x1", NULL, false, "8,8 NN", "8x8x1" },
	{ "1x8x1x8", NULL, false, "8,8 NN", "1x8x1x8" },
	{ "8x1", NULL, false, "8 N", "8x1" },
	{ "1x1", NULL, false, "1 N", "1x1" },
	{ "1^8", NULL, false, "1 N", "1x1x1x1x1x1x1x1" },
	{ "4x1x2", NULL, true, "4,1,2 NNN", "4x1x2" },
	{ "1x1", NULL, true, "1,1 NN", "1x1" },
	{ "4x4x2", "torus", false, "4,4,2 TTT", "4x4x2" },
	{ "4x4x2", "MESH", false, "4,4,2 MMM", "4x4x2" },
	{ "4x4x2", "Nav", false, "4,4,2 NNN", "4x4x2" },
	{ "64", "torus", false, "count 64 T", "64" },
	{ "4x4x2", "TMN", false, "4,4,2 TMN", "4x4x2" },
	{ "4x4x2", "tmn", false, "4,4,2 TMN", "4x4x2" },
	{ "4x1x2", "TMN", false, "4,2 TN", "4x1x2" },
	{ "1x1", "TM", false, "1 T", "1x1" },
	{ "4x1x2", "TMN", true, "4,1,2 TMN", "4x1x2" },
	{ "2^3", "TTM", false, "2,2,2 TTM", "2x2x2" },
	{ "8^1", "T", false, "8 T", "8^1" },
};

static void good_requests_are_read_and_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(good); i++) {
		struct torus_error err = { 0 };
		struct torus_request r;
		char text[TORUS_GEOMETRY_SIZE];

		assert_int_equal(parse(&r, good[i].geometry, good[i].conn_type,
				       good[i].no_rotate, &err),
				 0);
		assert_int_equal(err.count, 0);
		assert_int_equal(r.alternatives, 1);
		assert_int_equal(r.rotate, !good[i].no_rotate);
		assert_null(r.alternative[0].ask.strategy);
		assert_true(r.alternative[0].ask.end_us == INT64_MAX);
		assert_int_equal(r.alternative[0].after_us, 0);
		assert_string_equal(describe(&r.alternative[0].ask, text),
				    good[i].means);
		torus_request_format(&r, text, sizeof(text));
		assert_string_equal(text, good[i].canonical);
	}
}

#define COMMAS                                                                 \
	"\",\" separates alternatives, of which a job gets one, and alternatives "
#define EXAMPLE "; write for example 4x4x2, 2^3 or 64"

/* Expected failures. */
static const struct {
	const char *geometry, *conn_type, *line;
} bad[] = {
	{ "4xx2", NULL,
	  "--geometry: got \"4xx2\": an extent is missing after \"4x\"" EXAMPLE },
	{ "4x", NULL,
	  "--geometry: got \"4x\": an extent is missing after \"4x\"" EXAMPLE },
	{ "x4", NULL,
	  "--geometry: got \"x4\": an extent is missing at its start" EXAMPLE },
	{ "^3", NULL,
	  "--geometry: got \"^3\": an extent is missing at its start" EXAMPLE },
	{ "2^", NULL,
	  "--geometry: got \"2^\": the number of axes is missing after \"2^\"" EXAMPLE },
	{ "2^9", NULL,
	  "--geometry: got \"2^9\": 9 axes, but 8 dimensions are the most (4x4x4x4x4 is a 10-cube); write 4x4x4x4x2" },
	{ "2^0", NULL,
	  "--geometry: got \"2^0\": the number of axes of 0 after \"2^\", expected at least 1" EXAMPLE },
	{ "1x1x1x1x1x1x1x1x1", NULL,
	  "--geometry: got \"1x1x1x1x1x1x1x1x1\": more than 8 axes" EXAMPLE },
	{ "0", NULL,
	  "--geometry: got \"0\": an extent of 0 at its start, expected at least 1" EXAMPLE },
	{ "4x0x2", NULL,
	  "--geometry: got \"4x0x2\": an extent of 0 after \"4x\", expected at least 1" EXAMPLE },
	{ "4x04", NULL,
	  "--geometry: got \"4x04\": a number with a leading zero after \"4x\"; write 4x4" },
	{ "00", NULL,
	  "--geometry: got \"00\": a number with a leading zero at its start" EXAMPLE },
	{ "-4", NULL,
	  "--geometry: got \"-4\": a number with a sign (\"-\") at its start; write 4" },
	{ "4x+2", NULL,
	  "--geometry: got \"4x+2\": a number with a sign (\"+\") after \"4x\"; write 4x2" },
	{ "4 x4", NULL,
	  "--geometry: got \"4 x4\": a space after \"4\"; write 4x4" },
	{ " 4", NULL, "--geometry: got \" 4\": a space at its start; write 4" },
	{ "4\n", NULL, "--geometry: got \"4?\": a space after \"4\"; write 4" },
	{ "4X4", NULL,
	  "--geometry: got \"4X4\": \"X\" after \"4\" must be a lowercase x; write 4x4" },
	{ "12k", NULL,
	  "--geometry: got \"12k\": unexpected \"k\" after \"12\"" EXAMPLE },
	{ "4x4\xc3\xa9", NULL,
	  "--geometry: got \"4x4\xc3\xa9\": unexpected \"\xc3\xa9\" after \"4x4\"" EXAMPLE },
	{ "0x10", NULL,
	  "--geometry: got \"0x10\": an extent of 0 at its start, expected at least 1" EXAMPLE },
	{ "4.5", NULL,
	  "--geometry: got \"4.5\": unexpected \".\" after \"4\"" EXAMPLE },
	{ "2^3x4", NULL,
	  "--geometry: got \"2^3x4\": \"^\" cannot be combined with \"x\"" EXAMPLE },
	{ "4x2^3", NULL,
	  "--geometry: got \"4x2^3\": \"^\" cannot be combined with \"x\"" EXAMPLE },
	{ "2^3^2", NULL,
	  "--geometry: got \"2^3^2\": \"^\" cannot be combined with \"^\"" EXAMPLE },
	{ "16777217", NULL,
	  "--geometry: got \"16777217\": an extent above 16777216 at its start: no torus has more nodes" EXAMPLE },
	{ "99999999999999999999999999", NULL,
	  "--geometry: got \"99999999999999999999999999\": an extent above 16777216 at its start: no torus has more nodes" EXAMPLE },
	{ "4096x4096x4096", NULL,
	  "--geometry: got \"4096x4096x4096\": the product of the extents is above 16777216: no torus has more nodes" EXAMPLE },
	{ "65536x65536x65536x65536", NULL,
	  "--geometry: got \"65536x65536x65536x65536\": the product of the extents is above 16777216: no torus has more nodes" EXAMPLE },
	{ "9^8", NULL,
	  "--geometry: got \"9^8\": the product of the extents is above 16777216: no torus has more nodes" EXAMPLE },
	{ "64*3", NULL,
	  "--geometry: got \"64*3\": \"*\" repeats a shape, and \"64\" is a count; for lines write 64^1*N; write 64x3" },
	{ "2x2*", NULL,
	  "--geometry: got \"2x2*\": the number of regions is missing after \"2x2*\"" EXAMPLE },
	{ "2x2*0", NULL,
	  "--geometry: got \"2x2*0\": the number of regions of 0 after \"2x2*\", expected at least 1" EXAMPLE },
	{ "2x2*65", NULL,
	  "--geometry: got \"2x2*65\": 65 regions, expected at most 64" EXAMPLE },
	{ "2x2*3*4", NULL,
	  "--geometry: got \"2x2*3*4\": unexpected \"*\" after \"2x2*3\"" EXAMPLE },
	{ "*3", NULL,
	  "--geometry: got \"*3\": an extent is missing at its start" EXAMPLE },
	{ "2x2*3x4", NULL,
	  "--geometry: got \"2x2*3x4\": unexpected \"x\" after \"2x2*3\"" EXAMPLE },
	{ "4096x4096*2", NULL,
	  "--geometry: got \"4096x4096*2\": all regions together have more than 16777216 nodes: no torus has more" EXAMPLE },
	{ "4x4", "T",
	  "--conn-type: got \"T\": 1 letter for a geometry of 2 axes; write torus for all axes, or one letter for each, for example TN" },
	{ "8x8x1", "TM",
	  "--conn-type: got \"TM\": 2 letters for a geometry of 3 axes; write one for each axis as typed, for example TMN" },
	{ "8^1", "TMT",
	  "--conn-type: got \"TMT\": 3 letters for a geometry of 1 axis; write one for each axis as typed, for example T" },
	{ "64", "T",
	  "--conn-type: got \"T\": letters belong to the axes of a shape, but the geometry is the count 64; write torus" },
	{ "4x4", "tours",
	  "--conn-type: got \"tours\": expected torus, mesh, nav or one letter (T, M or N) per axis; write for example torus, or TTM for 4x4x2" },
	{ "4x4", "TX",
	  "--conn-type: got \"TX\": expected torus, mesh, nav or one letter (T, M or N) per axis; write for example torus, or TTM for 4x4x2" },
	{ "4x4", " mesh",
	  "--conn-type: got \" mesh\": expected torus, mesh, nav or one letter (T, M or N) per axis; write for example mesh, or TTM for 4x4x2" },
	{ NULL, NULL,
	  "--geometry: nothing given; write for example --geometry=4x4x2, --geometry=2^3 or --geometry=64" },
	{ "", "torus",
	  "--conn-type: needs a --geometry; write for example --geometry=4x4x2, --geometry=2^3 or --geometry=64" },
	{ "4x", "foo",
	  "--geometry: got \"4x\": an extent is missing after \"4x\"" EXAMPLE "\n"
	  "--conn-type: got \"foo\": expected torus, mesh, nav or one letter (T, M or N) per axis; write for example torus, or TTM for 4x4x2" },
};

static void each_bad_request_has_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(bad); i++) {
		struct torus_error err = { 0 };
		struct torus_request r, before;

		memset(&r, 0x55, sizeof(r));
		before = r;
		errno = 0;
		assert_int_equal(parse(&r, bad[i].geometry, bad[i].conn_type,
				       false, &err),
				 -1);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(err.text, bad[i].line);
		assert_memory_equal(&r, &before, sizeof(r));
		assert_int_equal(parse(&r, bad[i].geometry, bad[i].conn_type,
				       false, NULL),
				 -1);
	}
}

static void test_too_long(void **state)
{
	struct torus_error err = { 0 };
	char text[TORUS_GEOMETRY_SIZE + 1];
	struct torus_request r;

	(void)state;
	memset(text, '4', sizeof(text));
	text[TORUS_GEOMETRY_SIZE] = '\0';
	assert_int_equal(parse(&r, text, NULL, false, &err), -1);
	assert_string_equal(
		err.text,
		"--geometry: got \"444444444444444444444444444444444444444444444444444444444...\": longer than 1023 characters" EXAMPLE);
}

/* Else a journal's copy of the one would be another request. */
static void a_line_of_one_node_is_read_as_it_is_written(void **state)
{
	struct torus_error err = { 0 };
	struct torus_request line, box;

	(void)state;
	assert_int_equal(parse(&line, "1^1", NULL, false, &err), 0);
	assert_int_equal(parse(&box, "1x1", NULL, false, &err), 0);
	assert_true(torus_ask_same(&line.alternative[0].ask,
				   &box.alternative[0].ask));
}

static void a_placement_word_names_a_strategy(void **state)
{
	struct torus_request_words words = { .geometry = "64" };
	struct torus_error err = { 0 };
	struct torus_request r;

	(void)state;
	words.placement = "submesh";
	assert_int_equal(torus_request_parse(&r, &words, &err), 0);
	assert_string_equal(r.alternative[0].ask.strategy, "submesh");
	assert_ptr_equal(r.alternative[0].ask.strategy,
			 torus_strategy_find("submesh")->name);

	words.placement = "";
	assert_int_equal(torus_request_parse(&r, &words, &err), 0);
	assert_null(r.alternative[0].ask.strategy);

	words.placement = "submehs";
	assert_int_equal(torus_request_parse(&r, &words, &err), -1);
	assert_true(
		strncmp(err.text,
			"--placement: got \"submehs\": no such strategy (did you mean \"submesh\"?); expected one of flat, submesh",
			98) == 0);

	torus_error_clear(&err);
	words.geometry = NULL;
	words.placement = "flat";
	assert_int_equal(torus_request_parse(&r, &words, &err), -1);
	assert_string_equal(
		err.text,
		"--placement: needs a --geometry; write for example --geometry=4x4x2, --geometry=2^3 or --geometry=64");
}

static const struct {
	const char *geometry, *canonical;
} ladders[] = {
	{ "8x8,4x16", "8x8,4x16" },
	{ "8x8@2h,64@4h", "8x8@2h,64@4h" },
	{ "8x8*2,4x4*8@2h", "8x8*2,4x4*8@2h" },
	{ "8x8,4x16@90m,64@5400s", "8x8,4x16@90m,64@90m" },
	{ "8x8,64@0.5s", "8x8,64@0.5s" },
	{ "1,2,3,4,5,6,7,8", "1,2,3,4,5,6,7,8" },
	{ "8x8@0s", "8x8" },
	{ "4,2,4:aspect=2", "4,2,4:aspect=2" },
	{ "64:aspect=2", "64:aspect=2" },
	{ "64:aspect=1.50", "64:aspect=1.5" },
	{ "64:bisection=16:aspect=2.125", "64:aspect=2.125:bisection=16" },
	{ "64:bisection=16@2h", "64:bisection=16@2h" },
};

static const struct {
	const char *geometry, *line;
} bad_ladders[] = {
	{ "8x8,",
	  "--geometry: got \"8x8,\": an extent is missing after \"8x8,\"" EXAMPLE },
	{ ",8x8",
	  "--geometry: got \",8x8\": an extent is missing at its start" EXAMPLE },
	{ "8x8,,4",
	  "--geometry: got \"8x8,,4\": an extent is missing after \"8x8,\"" EXAMPLE },
	{ "1,2,3,4,5,6,7,8,9",
	  "--geometry: got \"1,2,3,4,5,6,7,8,9\": more than 8 alternatives" EXAMPLE },
	{ "8x8@2h,64@1h",
	  "--geometry: got \"8x8@2h,64@1h\": alternative 2 has a shorter wait than the one before it; waits must not decrease; write @2h or longer behind it" },
	{ "8x8@2h,64",
	  "--geometry: got \"8x8@2h,64\": alternative 2 has a shorter wait than the one before it; waits must not decrease; write @2h or longer behind it" },
	{ "8x8@2,64",
	  "--geometry: wait: got \"2\": the unit is missing; write a number and a unit, for example 90s, 30m, 1.5h or 2d" },
	{ "8x8@,64",
	  "--geometry: got \"8x8@,64\": a wait such as 2h is missing after \"8x8@\"" EXAMPLE },
	{ "8x8@1h30m,64",
	  "--geometry: wait: got \"1h30m\": unexpected text after the unit; write 90m" },
	{ "8x8@1234567890123456789012345678901234567890s",
	  "--geometry: got \"8x8@1234567890123456789012345678901234567890s\": the wait \"1234567890123456789012345678901...\" is too long" EXAMPLE },
	{ "4,4,4", "--geometry: got \"4,4,4\": " COMMAS
		   "1 and 2 are equal; write 4x4x4" },
	{ "8,4,4", "--geometry: got \"8,4,4\": " COMMAS
		   "2 and 3 are equal; write 8x4x4" },
	{ "64,64@2h",
	  "--geometry: got \"64,64@2h\": " COMMAS "1 and 2 are equal" EXAMPLE },
	{ "2,2,2,2,2,2,2,2", "--geometry: got \"2,2,2,2,2,2,2,2\": " COMMAS
			     "1 and 2 are equal; write 2x2x2x2x2x2x2x2" },
	{ "4x4,4x4",
	  "--geometry: got \"4x4,4x4\": " COMMAS
	  "1 and 2 are equal; write one of them, or 4x4*2 for two regions" },
	{ "4x4,2x2,4x4x1@2h",
	  "--geometry: got \"4x4,2x2,4x4x1@2h\": " COMMAS
	  "1 and 3 are equal; write one of them, or 4x4x1*2 for two regions" },
	{ "2^3,2x2x2",
	  "--geometry: got \"2^3,2x2x2\": " COMMAS
	  "1 and 2 are equal; write one of them, or 2x2x2*2 for two regions" },
	{ "4x4*2,4x4*2", "--geometry: got \"4x4*2,4x4*2\": " COMMAS
			 "1 and 2 are equal; write one of them" },
	{ "64:aspect=0",
	  "--geometry: got \"64:aspect=0\": a ratio of 0 after \"64:aspect=\", expected at least 1" EXAMPLE },
	{ "64:aspect=0.5",
	  "--geometry: got \"64:aspect=0.5\": a ratio below 1, expected at least 1" EXAMPLE },
	{ "64:aspect",
	  "--geometry: got \"64:aspect\": \":\" after a count must begin :aspect=2 or :bisection=16, each at most once" EXAMPLE },
	{ "4x4:aspect=2",
	  "--geometry: got \"4x4:aspect=2\": \":\" limits a count, and this is a shape" EXAMPLE },
	{ "64:aspect=2:aspect=2",
	  "--geometry: got \"64:aspect=2:aspect=2\": \":\" after a count must begin :aspect=2 or :bisection=16, each at most once" EXAMPLE },
	{ "64:aspect=2.5555",
	  "--geometry: got \"64:aspect=2.5555\": unexpected \"5\" after \"64:aspect=2.555\"" EXAMPLE },
	{ "8x8,64*2",
	  "--geometry: got \"8x8,64*2\": \"*\" repeats a shape, and \"64\" is a count; for lines write 64^1*N; write 8x8,64x2" },
};

static void alternatives_keep_their_waits(void **state)
{
	struct torus_error err = { 0 };
	struct torus_request r;
	char text[TORUS_GEOMETRY_SIZE];

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(ladders); i++) {
		assert_int_equal(parse(&r, ladders[i].geometry, NULL, false,
				       &err),
				 0);
		torus_request_format(&r, text, sizeof(text));
		assert_string_equal(text, ladders[i].canonical);
	}
	assert_int_equal(parse(&r, "8x8@2h,64@4h", "mesh", false, &err), 0);
	assert_int_equal(r.alternatives, 2);
	assert_true(r.alternative[0].after_us == INT64_C(7200000000));
	assert_true(r.alternative[1].after_us == INT64_C(14400000000));
	assert_int_equal(r.alternative[1].ask.connection[0], TORUS_CONN_MESH);
	/* Letters must fit every alternative. */
	assert_int_equal(parse(&r, "8x8,4x4x4", "TM", false, &err), -1);
	for (size_t i = 0; i < UNIT_ROWS(bad_ladders); i++) {
		torus_error_clear(&err);
		assert_int_equal(parse(&r, bad_ladders[i].geometry, NULL, false,
				       &err),
				 -1);
		assert_string_equal(err.text, bad_ladders[i].line);
	}
}

/* What users of other systems type, and what the message tells them to write. */
static void a_refusal_says_what_was_meant(void **state)
{
	static const struct {
		const char *typed, *meant;
	} rows[] = {
		{ "4*4*4", "4x4x4" },
		{ "4X4X4", "4x4x4" },
		{ "4:4:4", "4x4x4" },
		{ "4 x 4 x 4", "4x4x4" },
		{ "4 4 4", "4x4x4" },
		{ "4.4.4", "4x4x4" },
		{ "4-4-4", "4x4x4" },
		{ "4\xc3\x97"
		  "4",
		  "4x4" },
		{ "node=4x4x4", "4x4x4" },
		{ "geometry=4X4", "4x4" },
		{ "[4,4,2]", "4x4x2" },
		{ "(4, 4, 2)", "4x4x2" },
		{ "4x4x3/4x3x4", "4x4x3" },
		{ "4x4x3/4x4x2", "4x4x3,4x4x2" },
		{ "4x6x16:torus", "4x6x16 --conn-type=torus" },
		{ "node=4x6x16:mesh", "4x6x16 --conn-type=mesh" },
		{ "2**3", "2^3" },
		{ "2^10", "4x4x4x4x4" },
		{ "2^9", "4x4x4x4x2" },
		{ "64nodes", "64" },
		{ "v4:2x2x1", "2x2x1" },
		{ "tpu:v5p:4x4x8", "4x4x8" },
		{ "v5p-4x4x8", "4x4x8" },
		{ "ct5p-hightpu-4t:4X4X8", "4x4x8" },
		{ "topology=2x2x4", "2x2x4" },
		{ "4by4by2", "4x4x2" },
		{ "4 by 4", "4x4" },
		{ "4x-2", "4x2" },
		{ "+4x4", "4x4" },
		{ "2*4x4", "4x4*2" },
		{ "3*2^3", "2^3*3" },
		{ "4x4:ring", "4x4 --conn-type=torus" },
		{ "4x4:open", "4x4 --conn-type=mesh" },
		{ "4x4:tm", "4x4 --conn-type=TM" },
		{ "64:bisection=-16", "64:bisection=16" },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
		struct torus_error err = { 0 };
		struct torus_request r;
		char end[64];
		size_t length;

		assert_int_equal(parse(&r, rows[i].typed, NULL, false, &err),
				 -1);
		assert_int_equal(err.count, 1);
		snprintf(end, sizeof(end), "; write %s", rows[i].meant);
		length = strlen(err.text);
		assert_true(length > strlen(end));
		assert_string_equal(err.text + length - strlen(end), end);
	}
}

static void a_count_is_a_request(void **state)
{
	struct torus_request r, parsed;

	(void)state;
	torus_request_count(&r, 64);
	assert_int_equal(parse(&parsed, "64", NULL, false, NULL), 0);
	unit_same_request(&r, &parsed);
}

/* Any request reads back from its canonical text as it was. */
static void test_round_trip(void **state)
{
	unsigned seed = 20260501;

	(void)state;
	print_message("# seed %u\n", seed);
	for (int i = 0; i < 20000; i++) {
		char text[TORUS_GEOMETRY_SIZE], again[TORUS_GEOMETRY_SIZE];
		struct torus_request a, b;
		int axes = 1 + rand_r(&seed) % 8, n = 0;
		bool no_rotate = axes > 1 && rand_r(&seed) % 2;

		for (int k = 0; k < axes; k++)
			n += sprintf(text + n, "%s%d", k ? "x" : "",
				     1 + rand_r(&seed) % 6);
		assert_int_equal(parse(&a, text, NULL, no_rotate, NULL), 0);
		torus_request_format(&a, text, sizeof(text));
		assert_int_equal(parse(&b, text, NULL, no_rotate, NULL), 0);
		torus_request_format(&b, again, sizeof(again));
		assert_string_equal(text, again);
		if (torus_ask_nodes(&a.alternative[0].ask) > 1)
			unit_same_request(&a, &b);
	}
}

static const struct {
	const char *text;
	int64_t us;
	const char *canonical;
} durations[] = {
	{ "90s", INT64_C(90000000), "90s" },
	{ "0s", 0, "0s" },
	{ "0d", 0, "0s" },
	{ "30m", INT64_C(1800000000), "30m" },
	{ "2h", INT64_C(7200000000), "2h" },
	{ "1.5h", INT64_C(5400000000), "90m" },
	{ "2d", INT64_C(172800000000), "2d" },
	{ "0.000001s", 1, "0.000001s" },
	{ "0.000001d", 86400, "0.0864s" },
	{ "1.25s", 1250000, "1.25s" },
	{ "9999999.999999d", INT64_C(863999999999913600), NULL },
};

#define UNIT "; write a number and a unit, for example 90s, 30m, 1.5h or 2d"

static const struct {
	const char *text, *line;
} bad_durations[] = {
	{ "", "got \"\": it does not start with a digit" UNIT },
	{ "s", "got \"s\": it does not start with a digit" UNIT },
	{ "-1s", "got \"-1s\": it does not start with a digit" UNIT },
	{ ".5s", "got \".5s\": it does not start with a digit" UNIT },
	{ "90", "got \"90\": the unit is missing" UNIT },
	{ "90 s", "got \"90 s\": the unit is not one of s, m, h and d" UNIT },
	{ "90w",
	  "got \"90w\": the unit is not one of s, m, h and d; write 630d" },
	{ "90S",
	  "got \"90S\": the unit is not one of s, m, h and d; write 90s" },
	{ "90sec", "got \"90sec\": unexpected text after the unit; write 90s" },
	{ "1h30m", "got \"1h30m\": unexpected text after the unit; write 90m" },
	{ "01s", "got \"01s\": it has a leading zero; write 1s" },
	{ "01:30:00", "got \"01:30:00\": it has a leading zero; write 90m" },
	{ "1-12:00:00",
	  "got \"1-12:00:00\": the unit is not one of s, m, h and d; write 36h" },
	{ "1.s", "got \"1.s\": a digit must follow the point" UNIT },
	{ "1.1234567s", "got \"1.1234567s\": it has more than 6 decimals" UNIT },
	{ "10000000d", "got \"10000000d\": it is too long" UNIT },
	{ "-99:90:90",
	  "got \"-99:90:90\": it does not start with a digit" UNIT },
	{ "1--2:00:00",
	  "got \"1--2:00:00\": the unit is not one of s, m, h and d" UNIT },
	{ "1:-2:00",
	  "got \"1:-2:00\": the unit is not one of s, m, h and d" UNIT },
	{ "999999w999999w999999w",
	  "got \"999999w999999w999999w\": the unit is not one of s, m, h and d" UNIT },
	{ "99999999999999999999s",
	  "got \"99999999999999999999s\": it is too long" UNIT },
};

static void durations_are_read_and_written(void **state)
{
	struct torus_error err = { 0 };
	char text[32];
	int64_t us;

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(durations); i++) {
		assert_int_equal(torus_duration_parse(durations[i].text, &us,
						      &err),
				 0);
		assert_true(us == durations[i].us);
		torus_duration_format(us, text, sizeof(text));
		if (durations[i].canonical)
			assert_string_equal(text, durations[i].canonical);
		assert_int_equal(torus_duration_parse(text, &us, &err), 0);
		assert_true(us == durations[i].us);
	}
	for (size_t i = 0; i < UNIT_ROWS(bad_durations); i++) {
		torus_error_clear(&err);
		us = 42;
		assert_int_equal(torus_duration_parse(bad_durations[i].text,
						      &us, &err),
				 -1);
		assert_string_equal(err.text, bad_durations[i].line);
		assert_true(us == 42);
	}
}

/* Options, torus.yaml and campaigns have seconds and Slurm's form, too. */
static void durations_are_seconds_or_as_slurm_prints_them(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} rows[] = {
		{ "7200", 7200 },
		{ "2h", 7200 },
		{ "02:00:00", 7200 },
		{ "120:00", 7200 },
		{ "0-02:00:00", 7200 },
		{ "0-2", 7200 },
		{ "1-12:30:05", 131405 },
		{ "1-12:30", 131400 },
		{ "1-00:00:00", 86400 },
		{ "00:00:00", 0 },
		{ "9999999-0", 863999913600 },
	};
	static const char *const wrong[] = {
		"",           "-",          "1-",       "-1:00",
		"1:00:00:00", "1-1-1",      "1:00:00s", "1:00:",
		":30",        "10000000-0", "1.5:00",   "1-00:00:00:00",
		"1h30m",      "1 h",
	};
	int64_t us;

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(rows); i++)
		if (torus_duration_read(rows[i].text, &us, NULL) ||
		    us != rows[i].seconds * 1000000)
			fail_msg("%s", rows[i].text);
	for (size_t i = 0; i < UNIT_ROWS(wrong); i++)
		if (!torus_duration_read(wrong[i], &us, NULL))
			fail_msg("taken: %s", wrong[i]);
}

static void the_nearest_word_is_found(void **state)
{
	static const char *const known[] = { "submesh", "flat", "nodes",
					     "dims" };
	static const struct {
		const char *word, *nearest;
	} rows[] = {
		{ "submesh", "submesh" },
		{ "subbmesh", "submesh" },
		{ "sumbesh", "submesh" },
		{ "flta", "flat" },
		{ "node", "nodes" },
		{ "dim", "dims" },
		{ "dimension", NULL },
		{ "x", NULL },
		{ "", NULL },
		{ "fl", NULL },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
		const char *got = torus_nearest(rows[i].word, known,
						UNIT_ROWS(known));

		if (rows[i].nearest)
			assert_string_equal(got, rows[i].nearest);
		else
			assert_null(got);
	}
}

static void quotes_are_cut_between_characters(void **state)
{
	char word[101] = "";
	struct torus_quote q;

	(void)state;
	memset(word, 'a', 100);
	assert_int_equal(strlen(torus_quote(&q, word, 60)), 60);
	assert_int_equal(strlen(torus_quote(&q, word, 61)), 60);
	assert_string_equal(torus_quote(&q, word, 61) + 55, "aa...");
	assert_int_equal(strlen(torus_quote_end(&q, word, 100)), 60);
	assert_true(strncmp(q.text, "...aa", 5) == 0);
	/* A character of two bytes across the cut goes as a whole. */
	word[56] = '\xc3';
	word[57] = '\xa9';
	assert_string_equal(torus_quote(&q, word, 100) + 54, "aa...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_requests_are_read_and_written),
		cmocka_unit_test(each_bad_request_has_its_message),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(a_placement_word_names_a_strategy),
		cmocka_unit_test(alternatives_keep_their_waits),
		cmocka_unit_test(a_refusal_says_what_was_meant),
		cmocka_unit_test(a_count_is_a_request),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(a_line_of_one_node_is_read_as_it_is_written),
		cmocka_unit_test(durations_are_read_and_written),
		cmocka_unit_test(durations_are_seconds_or_as_slurm_prints_them),
		cmocka_unit_test(the_nearest_word_is_found),
		cmocka_unit_test(quotes_are_cut_between_characters),
	};

	return UNIT_RUN(tests);
}
