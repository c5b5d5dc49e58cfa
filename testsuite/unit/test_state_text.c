/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine state as text: what it looks like, and what is refused with which
 * words. That any state comes back is prop_state's. */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "unit.h"

/* Restore a text into a fresh state: NULL if it was taken, else the error. */
static const char *restore(const char *machine, const char *strategy,
			   const char *text)
{
	static struct torus_error err;
	struct torus_machine m = unit_machine(machine, strategy);
	struct torus_state *s = torus_state_create(&m);
	int rc;

	err = (struct torus_error){ 0 };
	errno = 0;
	rc = torus_state_restore(s, text, &err);
	if (rc) {
		assert_int_equal(errno, EINVAL);
		assert_int_not_equal(err.count, 0);
		assert_int_equal(torus_state_holds(s), 0);
	}
	assert_true(torus_state_check(s, NULL));
	torus_state_destroy(s);
	torus_machine_free(&m);
	return rc ? err.text : NULL;
}

/* Text of a state with one running job and nodes out of service. */
static void a_state_is_saved_as_text(void **state)
{
	static const struct {
		const char *machine, *strategy;
		uint32_t count;
		const char *text;
	} row[] = {
		{ "4x4", "semitorus-nep", 3,
		  "pod torus 4x4 semitorus-nep (2@0:#..)\n"
		  "hold 7 1 9 torus semitorus-nep 4 1 1 0,- torus:0,0+4x1\n"
		  "out torus:{14-15}\n" },
		{ "4x4", "semitorus-buddy", 3,
		  "pod torus 4x4 semitorus-buddy ((#.).)\n"
		  "hold 7 1 9 torus semitorus-buddy 4 1 1 0,- torus:0,0+4x1\n"
		  "out torus:{14-15}\n" },
		{ "4x4:TM", "submesh-tbl", 4,
		  "pod torus 4x4:TM submesh-tbl 0+2x2x1\n"
		  "hold 7 1 9 torus submesh-tbl 4 2 3 0,1 torus:0,0+2x2\n"
		  "out torus:{14-15}\n" },
		{ "4x4", "subtorus", 4,
		  "pod torus 4x4 subtorus 0+2x2@9\n"
		  "hold 7 1 9 torus subtorus 4 2 3 0,1 torus:0,0+2x2/2x2\n"
		  "out torus:{14-15}\n" },
		{ "flat:16", "flat", 3,
		  "pod torus flat:16 flat -\n"
		  "hold 7 1 9 torus flat 3 1 0 - torus:{0-2}\n"
		  "out torus:{14-15}\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_machine m = unit_machine(row[i].machine,
						      row[i].strategy);
		struct torus_state *s = torus_state_create(&m);
		struct torus_ask ask = unit_count(row[i].count, 'N');
		struct torus_placement out;
		struct torus_text text = { 0 };
		uint64_t down = 0xc000;

		assert_int_equal(torus_state_find(s, &ask, &out, NULL),
				 TORUS_FITS);
		torus_state_commit(s, &out, 7, NULL, 1, 9, NULL);
		torus_state_out(s, &down);
		assert_int_equal(torus_state_save(s, &text), 0);
		assert_string_equal(text.data, row[i].text);
		assert_null(restore(row[i].machine, row[i].strategy, text.data));
		/* not into a state with jobs */
		assert_int_equal(torus_state_restore(s, text.data, NULL), -1);
		torus_text_free(&text);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

#define NEP "pod torus 4x4 semitorus-nep "
#define HOLD "\nhold 7 1 9 torus semitorus-nep 4 1 1 0,- torus:0,0+4x1\n"

/* Expected failures, and a word of what is said. */
static void wrong_lines_are_refused(void **state)
{
	static const struct {
		const char *text, *word;
	} row[] = {
		{ "", "got 0 lines" },
		{ "nonsense\n", "pod, hold or out" },
		{ NEP "." HOLD, "does not know" },
		{ NEP "(2@0:#..)\n", "taken but its nodes are not busy" },
		{ NEP "(2@0:##.)" HOLD, "taken but its nodes are not busy" },
		{ NEP "(2@0:...)\n", "in use" },
		{ NEP "(2@0:#.)\n", "expected" },
		{ NEP "(2@0:#...)\n", "expected" },
		{ NEP "(2@1:#..)\n", "place of its size" },
		{ NEP "(4@0:#..)\n", "LOG@NODE" },
		{ NEP "(2@99:#..)\n", "LOG@NODE" },
		{ NEP "(2@0:#..\n", "expected" },
		{ NEP "..\n", "no more pieces" },
		{ NEP "x\n", "got \"x\"" },
		{ NEP "\n", "expected" },
		{ "pod torus 4x5 semitorus-nep .\n", "4x4" },
		{ "pod torus 4x4:TM semitorus-nep .\n", "4x4" },
		{ "pod tours 4x4 semitorus-nep .\n", "tours" },
		{ "pod torus 4x4 submesh -\n", "semitorus-nep" },
		{ NEP ".\n" NEP ".\n", "no more strategies" },
		{ NEP "(2@0:#..)" HOLD
		      "hold 8 1 9 torus semitorus-nep 4 1 1 0,- torus:0,0+4x1\n",
		  "taken by a job above" },
		{ NEP
		  "(2@0:#..)\nhold 7 1 9 torus semitorus-nep 5 1 1 0,- torus:0,0+4x1\n",
		  "as many nodes" },
		{ NEP
		  "(2@0:#..)\nhold 7 1 9 torus semitorus-nep 4 9 1 0,- torus:0,0+4x1\n",
		  "whole number" },
		{ NEP
		  "(2@0:#..)\nhold 7 1 9 torus semitorus-nep 4 1 1 1,- torus:0,0+4x1\n",
		  "axes" },
		{ NEP
		  "(2@0:#..)\nhold 7 1 9 torus semitorus-nep 4 1 1 0 torus:0,0+4x1\n",
		  "orientation" },
		{ NEP
		  "(2@0:#..)\nhold 7 1 9 torus submesh 4 1 1 0,- torus:0,0+4x1\n",
		  "submesh" },
		{ NEP
		  "(2@0:#..)\nhold -7 1 9 torus semitorus-nep 4 1 1 0,- torus:0,0+4x1\n",
		  "job number" },
		{ NEP
		  "(2@0:#..)\nhold 7 1 x torus semitorus-nep 4 1 1 0,- torus:0,0+4x1\n",
		  "whole number" },
		{ NEP
		  "(2@0:#..)\nhold 7 1 9 torus semitorus-nep 4 1 1 0,- torus:0,0+9x1\n",
		  "region" },
		{ NEP
		  "(2@0:#..)\nhold 7 1 9 torus semitorus-nep 4 1 1 0,- torus:0,0+4x1 more\n",
		  "end of the line" },
		{ NEP "(2@0:#..)\nhold 7\n", "" },
		{ NEP ".\nout torus:0,0+1x1\n", "nodes of a torus" },
		{ NEP ".\nout other:{1}\n", "other" },
	};

	(void)state;
	assert_null(restore("4x4", "semitorus-nep", NEP "(2@0:#..)" HOLD));
	assert_null(restore("4x4", "semitorus-nep", NEP "."));
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		const char *err = restore("4x4", "semitorus-nep", row[i].text);

		if (!err)
			fail_msg("taken: %s", row[i].text);
		if (!strstr(err, row[i].word))
			fail_msg("%s: no \"%s\" in: %s", row[i].text,
				 row[i].word, err);
	}
}

/* The lists of the other strategies. */
static void lists_of_strategies_are_restored(void **state)
{
	static const struct {
		const char *strategy, *memory;
	} row[] = {
		{ "submesh-tbl", "" },
		{ "submesh-tbl", "0+2x2" },
		{ "submesh-tbl", "0+2x2x2" },
		{ "submesh-tbl", "99+1x1x1" },
		{ "submesh-tbl", "0+2x2x1 " },
		{ "submesh-tbl", "0+0x2x1" },
		{ "submesh-tbl", "0+2x2x1 0+1x1x1" },
		{ "submesh-tbl", "0+5x2x1" },
		{ "submesh-tbl", "- " },
		{ "subtorus", "" },
		{ "subtorus", "0+2x2" },
		{ "subtorus", "0+3x2@1" },
		{ "subtorus", "0+0x2@1" },
		{ "subtorus", "15+2x2@1" },
		{ "subtorus", "0+2x2@1 x" },
		{ "subtorus", "0+2x2@" },
		{ "subtorus", "0+1x1@1 0+1x1@1" },
		{ "submesh", "" },
		{ "submesh", "0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char text[128];

		snprintf(text, sizeof(text), "pod torus 4x4 %s %s\n",
			 row[i].strategy, row[i].memory);
		if (!restore("4x4", row[i].strategy, text))
			fail_msg("taken: %s", text);
	}
}

static uint32_t commit_one(struct torus_state *s, uint64_t job)
{
	struct torus_ask ask = unit_count(4, 'N');
	struct torus_placement out;

	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_FITS);
	return torus_state_commit(s, &out, job, NULL, 1, 9, NULL);
}

/* Holds that end together have the order of their commits, in a state and in
 * its twin, those of later ones included. */
static void a_restored_state_keeps_the_order_of_holds(void **state)
{
	static const uint64_t order[] = { 1, 2, 3, 4 };
	struct torus_machine m = unit_machine("4x4", "submesh-tbl");
	struct torus_state *both[] = { torus_state_create(&m), NULL };

	(void)state;
	for (uint64_t job = 0; job < 3; job++)
		assert_int_equal(commit_one(both[0], job), job);
	torus_state_release(both[0], 0, NULL); /* leaves a free slot */
	both[1] = torus_state_twin(both[0]);
	assert_non_null(both[1]);
	for (int i = 0; i < 2; i++) {
		commit_one(both[i], 3);
		commit_one(both[i], 4);
		assert_true(torus_state_check(both[i], NULL));
		assert_int_equal(torus_state_holds(both[i]), 4);
		for (uint32_t k = 0; k < 4; k++) {
			uint32_t slot = torus_state_by_end(both[i], k);

			assert_int_equal(torus_state_hold(both[i], slot)->job,
					 order[k]);
		}
	}
	torus_state_destroy(both[1]);
	torus_state_destroy(both[0]);
	torus_machine_free(&m);
}

static void orientations_are_read(void **state)
{
	static const char *const good[] = { "0,1,2", "2,-,0", "-,-,-", "0+1,2",
					    "0+2,1", "0+1+2", "1+2" };
	static const char *const bad[] = { "",      "0,1",   "0,1,2,3", "0,0,1",
					   "8,1,2", "0+1,1", "0+3",     "0+",
					   "0+1,",  "a,b,c", "0,1,2 ",  "+" };
	struct torus t = unit_torus("4x4x4");
	struct torus_orientation o;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(torus_orientation_parse(&o, &t, good[i], NULL),
				 0);
		assert_string_equal(unit_orientation(&t, &o), good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct torus_error err = { 0 };

		assert_int_equal(torus_orientation_parse(&o, &t, bad[i], &err),
				 -1);
		assert_int_equal(err.count, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_state_is_saved_as_text),
		cmocka_unit_test(wrong_lines_are_refused),
		cmocka_unit_test(lists_of_strategies_are_restored),
		cmocka_unit_test(a_restored_state_keeps_the_order_of_holds),
		cmocka_unit_test(orientations_are_read),
	};

	return UNIT_RUN(tests);
}
