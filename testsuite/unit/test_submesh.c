/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `submesh` on cases worked out by hand. Random ones against brute force are
 * in testsuite/property/prop_submesh.c. */
#include "unit.h"

#define WORDS 64

/* One question: a machine, regions that are busy (blank-separated), an ask
 * (shape or count), letters, and the answer as "region orientation rings". */
struct row {
	const char *machine, *busy, *ask, *letters;
	bool pinned;
	const char *want;
};

static void fill(const struct torus *t, const char *busy, uint64_t *usable)
{
	char text[256], *save = NULL;

	memset(usable, 0, WORDS * sizeof(*usable));
	torus_bits_set_range(usable, 0, t->nodes);
	snprintf(text, sizeof(text), "%s", busy);
	for (char *p = strtok_r(text, " ", &save); p;
	     p = strtok_r(NULL, " ", &save))
		unit_paint(t, p, false, usable);
}

static struct torus_ask ask_of(const struct row *r)
{
	if (strchr(r->ask, 'x') || r->ask[0] == '#')
		return unit_shape(r->ask + (r->ask[0] == '#'), r->letters,
				  !r->pinned);
	return unit_count((uint32_t)atoi(r->ask),
			  r->letters ? r->letters[0] : 'N');
}

/* "base+extent orientation RR-" (without the torus's name), or the answer. */
static void answer_text(const struct torus *t, enum torus_answer answer,
			const struct torus_placement *out, char *text,
			size_t size)
{
	char rings[TORUS_MAX_DIMS + 1] = "";

	if (answer != TORUS_FITS) {
		snprintf(text, size, "%s",
			 answer == TORUS_NEVER ? "never" : "not now");
		return;
	}
	assert_int_equal(out->granted, torus_region_nodes(&out->region, t));
	for (uint32_t a = 0; a < out->axes; a++)
		rings[a] = out->ring >> a & 1 ? 'R' : '-';
	snprintf(text, size, "%s ", strchr(unit_region(t, out), ':') + 1);
	snprintf(text + strlen(text), size - strlen(text), "%s %s",
		 unit_orientation(t, &out->orientation), rings);
}

static void check_row(const struct row *r)
{
	const struct torus_strategy *s = unit_strategy("submesh");
	struct torus t = unit_torus(r->machine);
	struct torus_ask ask = ask_of(r);
	struct torus_placement out = { 0 };
	struct torus_error why = { 0 };
	uint64_t usable[WORDS], before[WORDS];
	enum torus_answer answer;
	char text[512];
	void *self = s->create(&t, NULL, &(struct torus_options){ 0 });

	assert_non_null(self);
	fill(&t, r->busy, usable);
	memcpy(before, usable, sizeof(usable));
	answer = s->find(self, &ask, usable, &out, &why);
	assert_memory_equal(before, usable, sizeof(usable));
	assert_int_equal(why.count, answer == TORUS_NEVER);
	answer_text(&t, answer, &out, text, sizeof(text));
	if (strcmp(text, r->want) != 0)
		fail_msg("%s%s on %s busy %s: got \"%s\", expected \"%s\"",
			 r->ask, r->letters ? r->letters : "", r->machine,
			 r->busy, text, r->want);
	s->destroy(self);
}

static void check_rows(const struct row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_row(&row[i]);
}

#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof(*rows))

/* Only one place is left in each. */
static void rotation_and_wrap(void **state)
{
	static const struct row row[] = {
		/* 3x3x2 after 2x3x2: 3x2x1 fits as 1x3x2 */
		{ "3x3x2:MMM", "0,0,0+2x3x2", "3x2", NULL, false,
		  "2,0,0+1x3x2 -,0,1 -R" },
		{ "3x3x2:MMM", "0,0,0+2x3x2", "3x2x1", NULL, true, "not now" },
		{ "3x3x2:MMM", "0,0,0+2x3x2", "1x3x2", NULL, true,
		  "2,0,0+1x3x2 0,1,2 R-R" },
		/* J(2,2,2) against (1,1,0)-(2,2,1) and the rest of a mesh */
		{ "8x8:MM", "0,0+8x7 3,7+3x1", "#3", "M", false,
		  "0,7+3x1 0,- -" },
		/* a ring with 2..5 busy: 6, 7, 0, 1 are adjacent */
		{ "8", "2+4", "#4", NULL, false, "6+4 0 -" },
		{ "8:M", "2+4", "#4", NULL, false, "not now" },
		{ "8", "2+4", "#5", NULL, false, "not now" },
		/* across two edges at once */
		{ "4x4", "1,0+2x4 0,1+4x2", "2x2", NULL, false,
		  "3,3+2x2 0,1 RR" },
		{ "4x4:TM", "1,0+2x4 0,1+4x2", "2x2", NULL, false, "not now" },
		{ "4x4:MT", "1,0+2x4 0,1+4x2", "#2", NULL, false,
		  "0,3+1x2 -,0 R" },
		/* pinned axes */
		{ "2x4", "", "4x2", NULL, false, "0,0+2x4 1,0 RR" },
		{ "2x4", "", "4x2", NULL, true, "never" },
		{ "2x4", "", "2x4", NULL, true, "0,0+2x4 0,1 RR" },
		{ "4x4x4:MMM", "", "#3", NULL, true, "0,0,0+3x1x1 0,-,- -" },
		{ "4x4x4", "", "1x1x4", NULL, true, "0,0,0+1x1x4 0,1,2 RRR" },
		/* one node */
		{ "4x4", "0,0+4x3 0,3+2x1 3,3+1x1", "#1", NULL, false,
		  "2,3+1x1 -,- R" },
		{ "4x4", "0,0+4x4", "#1", NULL, false, "not now" },
		{ "1", "", "#1", NULL, false, "0+1 - R" },
		/* everything */
		{ "2^5", "", "2x2x2x2x2", NULL, false,
		  "0,0,0,0,0+2x2x2x2x2 0,1,2,3,4 RRRRR" },
		{ "2^5", "{31}", "2x2x2x2x2", NULL, false, "not now" },
		{ "64x3", "{5}", "#64", NULL, false, "0,1+64x1 0,- R" },
		{ "5x13x3:MMM", "0,0,0+5x13x2", "13x5", NULL, false,
		  "0,0,2+5x13x1 1,0,- --" },
	};

	(void)state;
	CHECK(row);
}

static void connections_decide_which_axes_are_rings(void **state)
{
	static const struct row row[] = {
		/* T wants a dimension covered whole */
		{ "8x4", "", "#4", "T", false, "0,0+1x4 -,0 R" },
		{ "8x8", "", "#4", "T", false, "never" },
		{ "8x4:TM", "", "#4", "T", false, "never" },
		{ "8x4", "0,2+8x1", "#4", "T", false, "not now" },
		{ "8x4", "0,0+7x4", "#4", "T", false, "7,0+1x4 -,0 R" },
		{ "8x8:MM", "", "2x2", "TT", false, "0,0+2x2 0,1 RR" },
		{ "8x4", "", "4x4", "TN", false, "0,0+4x4 1,0 R-" },
		{ "8x4", "", "4x4", "NT", false, "0,0+4x4 0,1 -R" },
		{ "8x4", "", "4x4", "TT", false, "never" },
		{ "8x4", "", "4x4", "TN", true, "never" },
		{ "8x4", "", "4x4", "NT", true, "0,0+4x4 0,1 -R" },
		/* N takes a ring where one is to be had, else a line */
		{ "8x4", "", "#4", "N", false, "0,0+1x4 -,0 R" },
		{ "8x4", "0,0+8x1", "#4", "N", false, "0,1+4x1 0,- -" },
		{ "4x8", "", "#4", "N", false, "0,0+4x1 0,- R" },
		{ "4x8:MM", "", "#8", "N", false, "0,0+1x8 -,0 -" },
		/* M makes no difference to what fits */
		{ "8x4", "0,0+8x1", "#4", "M", false, "0,1+4x1 0,- -" },
		{ "8x4:MM", "0,1+8x3", "#4", "M", false, "0,0+4x1 0,- -" },
	};

	(void)state;
	CHECK(row);
}

static void counts_get_the_most_compact_box(void **state)
{
	static const struct row row[] = {
		{ "4x4x4:MMM", "", "8", NULL, false, "0,0,0+2x2x2 0,1,2 RRR" },
		{ "4x4x4", "", "64", NULL, false, "0,0,0+4x4x4 0,1,2 RRR" },
		{ "4x4x4", "", "65", NULL, false, "never" },
		{ "4x4x4:MMM", "", "27", NULL, false, "0,0,0+3x3x3 0,1,2 ---" },
		{ "4x4x4", "", "1", NULL, false, "0,0,0+1x1x1 -,-,- R" },
		/* no box of 7 in sides up to 4: the next is 8 */
		{ "4x4x4:MMM", "", "7", NULL, false, "0,0,0+2x2x2 0,1,2 RRR" },
		{ "4x4:MM", "", "13", NULL, false, "0,0+4x4 0,1 --" },
		/* 11 nodes as a line of 11, where that fits; else 12 */
		{ "11x2:MM", "", "11", NULL, false, "0,0+11x1 0,- -" },
		{ "11x2:MM", "{5}", "11", NULL, false, "0,1+11x1 0,- -" },
		{ "11x2:MM", "{5,16}", "11", NULL, false, "not now" },
		/* most compact first: a square before a line */
		{ "4x4:MM", "", "4", NULL, false, "0,0+2x2 0,1 RR" },
		{ "4x4:MM", "0,0+4x3", "4", NULL, false, "0,3+4x1 0,- -" },
		{ "4x4:MM", "0,0+3x4", "4", NULL, false, "3,0+1x4 -,0 -" },
		{ "4x4:MM", "{5,10}", "4", NULL, false, "2,0+2x2 0,1 RR" },
		{ "6x6:MM", "", "12", NULL, false, "0,0+3x4 0,1 --" },
		{ "6x6:MM", "0,0+6x3", "12", NULL, false, "0,3+4x3 0,1 --" },
		{ "6x6:MM", "0,0+6x4", "12", NULL, false, "0,4+6x2 0,1 -R" },
		/* a ring of 4 is as compact as a line of 3 is not */
		{ "12x4", "", "12", NULL, false, "0,0+3x4 0,1 -R" },
		/* T with a count: every axis of the box is a ring */
		{ "8x8x4:MMT", "0,0,0+8x8x3", "3", "T", false,
		  "0,0,3+2x2x1 0,1,- RR" },
		{ "8x8:MM", "", "4", "T", false, "0,0+2x2 0,1 RR" },
		{ "8x8:MM", "", "5", "T", false, "never" },
		{ "8x8", "", "5", "T", false, "0,0+1x8 -,0 R" },
	};

	(void)state;
	CHECK(row);
}

/* NEVER says why: what was asked, of what machine. */
static void never_says_why(void **state)
{
	static const struct {
		struct row row;
		const char *has;
	} never[] = {
		{ { "4x4x4", "", "5x2", NULL, false, "" }, "5x2" },
		{ { "4x4x4", "", "5x2", NULL, false, "" }, "4x4x4" },
		{ { "4x4x4", "", "2x2x2x2x2", NULL, false, "" }, "32" },
		{ { "4x4x4x4x1", "", "2x2x2x2x2", NULL, false, "" }, "32" },
		{ { "4x4x4", "", "5x5x5", NULL, false, "" }, "125" },
		{ { "8x8", "", "#4", "T", false, "" }, "ring" },
		{ { "2x4", "", "4x2", NULL, true, "" }, "no-rotate" },
		{ { "4x4x4", "", "65", NULL, false, "" }, "65" },
		{ { "8x8:MM", "", "5", "T", false, "" }, "ring" },
	};
	const struct torus_strategy *s = unit_strategy("submesh");

	(void)state;
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		struct torus t = unit_torus(never[i].row.machine);
		struct torus_ask ask = ask_of(&never[i].row);
		struct torus_error why = { 0 };
		struct torus_placement out, before;
		uint64_t usable[WORDS];
		void *self = s->create(&t, NULL, &(struct torus_options){ 0 });

		memset(&out, 0x5a, sizeof(out));
		before = out;
		fill(&t, "", usable);
		assert_int_equal(s->find(self, &ask, usable, &out, &why),
				 TORUS_NEVER);
		assert_int_equal(why.count, 1);
		if (!strstr(why.text, never[i].has))
			fail_msg("\"%s\" lacks \"%s\"", why.text, never[i].has);
		assert_memory_equal(&out, &before, sizeof(out));
		assert_int_equal(s->find(self, &ask, usable, &out, NULL),
				 TORUS_NEVER);
		s->destroy(self);
	}
}

/* Cells without a node: what the empty machine can hold, and what not. */
static void absent_cells(void **state)
{
	const struct torus_strategy *s = unit_strategy("submesh");
	struct torus t = unit_torus("4x4:MM");
	uint64_t present = 0xffff & ~UINT64_C(0x0421); /* a diagonal */
	uint64_t row = present & 0xf;
	void *self = s->create(&t, &present, &(struct torus_options){ 0 });
	struct torus_ask ask = unit_count(7, 'N');
	struct torus_placement out;
	struct torus_error why = { 0 };
	char text[512];

	(void)state;
	assert_non_null(self);
	/* .XXX X.XX XX.X XXXX: no box of 7; 8 does not fit, nothing more does */
	assert_int_equal(s->find(self, &ask, &present, &out, &why), TORUS_NEVER);
	assert_int_equal(why.count, 1);
	/* 16 cells, but not all of them have a node */
	assert_null(strstr(why.text, "has 16"));
	ask = unit_count(5, 'N'); /* the next box is 2x3 */
	assert_int_equal(s->find(self, &ask, &present, &out, NULL), TORUS_NEVER);
	ask = unit_count(3, 'N');
	assert_int_equal(s->find(self, &ask, &row, &out, NULL), TORUS_FITS);
	answer_text(&t, TORUS_FITS, &out, text, sizeof(text));
	assert_string_equal(text, "1,0+3x1 0,- -");
	ask = unit_shape("4", NULL, true);
	assert_int_equal(s->find(self, &ask, &row, &out, NULL), TORUS_NOT_NOW);
	ask = unit_shape("4x2", NULL, true);
	why.count = 0;
	assert_int_equal(s->find(self, &ask, &row, &out, &why), TORUS_NEVER);
	assert_int_equal(why.count, 1);
	s->destroy(self);
}

struct places {
	const struct torus *t;
	char text[1024];
	int n, most;
};

static bool add_place(void *arg, const struct torus_placement *place)
{
	struct places *p = arg;

	answer_text(p->t, TORUS_FITS, place, p->text + strlen(p->text),
		    sizeof(p->text) - strlen(p->text));
	strcat(p->text, "; ");
	return ++p->n < p->most;
}

static void all_places(void **state)
{
	static const struct row row[] = {
		{ "4x3:MM", "0,1+4x1", "2x1", NULL, true,
		  "0,0+2x1 0,1 RR; 0,2+2x1 0,1 RR; 1,0+2x1 0,1 RR; 1,2+2x1 0,1 RR; 2,0+2x1 0,1 RR; 2,2+2x1 0,1 RR; " },
		/* a dimension that is covered whole has one base */
		{ "2x3", "", "3x2", NULL, false, "0,0+2x3 1,0 RR; " },
		{ "2x3", "0,0+1x3", "#3", NULL, false, "1,0+1x3 -,0 R; " },
		{ "3x2", "0,0+1x1", "#2", "T", false,
		  "1,0+1x2 -,0 R; 2,0+1x2 -,0 R; 0,1+2x1 0,- R; 1,0+2x1 0,- R; 1,1+2x1 0,- R; 2,1+2x1 0,- R; " },
		{ "4:M", "", "#3", "M", false, "0+3 0 -; 1+3 0 -; " },
		/* counts: in the order of the orientation's text, then base */
		{ "4x4:MM", "{5,6,9,10}", "4", NULL, false,
		  "0,0+1x4 -,0 -; 3,0+1x4 -,0 -; 0,0+4x1 0,- -; 0,3+4x1 0,- -; " },
		{ "4x2:MM", "", "4", NULL, false,
		  "0,0+4x1 0,- -; 0,1+4x1 0,- -; 0,0+2x2 0,1 RR; 1,0+2x2 0,1 RR; 2,0+2x2 0,1 RR; " },
		{ "2x2:MM", "{0}", "2", NULL, false,
		  "1,0+1x2 -,0 R; 0,1+2x1 0,- R; " },
		{ "3x2:MM", "", "4", NULL, false,
		  "0,0+2x2 0,1 RR; 1,0+2x2 0,1 RR; " },
		{ "2x2", "", "5", NULL, false, "" },
		{ "2x2", "", "3x1", NULL, false, "" },
	};
	const struct torus_strategy *s = unit_strategy("submesh");

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus t = unit_torus(row[i].machine);
		struct torus_ask ask = ask_of(&row[i]);
		struct places p = { .t = &t, .most = 1000 };
		uint64_t usable[WORDS];
		void *self = s->create(&t, NULL, &(struct torus_options){ 0 });

		fill(&t, row[i].busy, usable);
		s->find_all(self, &ask, usable, add_place, &p);
		assert_string_equal(p.text, row[i].want);
		if (p.n > 1) { /* stops when told */
			p = (struct places){ .t = &t, .most = 1 };
			s->find_all(self, &ask, usable, add_place, &p);
			assert_int_equal(p.n, 1);
		}
		s->destroy(self);
	}
}

static void machines_of_one_to_eight_dimensions_are_supported(void **state)
{
	const struct torus_strategy *s = unit_strategy("submesh");
	struct torus_options options = { 0 };
	struct torus_error err = { 0 };
	struct torus t = unit_torus("flat:8");

	(void)state;
	assert_int_equal(torus_strategy_supports(s, &t, &options, &err), -1);
	assert_int_equal(err.count, 1);
	t = unit_torus("3x5x7:MTM");
	assert_int_equal(torus_strategy_supports(s, &t, &options, &err), 0);
	options.used = 1;
	strcpy(options.item[0].key, "speed");
	strcpy(options.item[0].value, "high");
	assert_int_equal(torus_strategy_supports(s, &t, &options, &err), -1);
	assert_int_equal(err.count, 2);
	assert_true(s->occupancy_only);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rotation_and_wrap),
		cmocka_unit_test(connections_decide_which_axes_are_rings),
		cmocka_unit_test(counts_get_the_most_compact_box),
		cmocka_unit_test(never_says_why),
		cmocka_unit_test(absent_cells),
		cmocka_unit_test(all_places),
		cmocka_unit_test(
			machines_of_one_to_eight_dimensions_are_supported),
	};

	return UNIT_RUN(tests);
}
