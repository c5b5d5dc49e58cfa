/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Node lists, which mean what `scontrol show hostnames` lists, and the table of
 * node names. */
#include "config/hostlist.h"
#include "unit.h"

static int collect(void *arg, const char *name)
{
	char *text = arg;

	strcat(text, *text ? " " : "");
	strcat(text, name);
	return 0;
}

static void lists_expand_as_scontrol_shows_them(void **state)
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
		{ "a[1,3-4]b[7,9],x", 7, "a1b7 a1b9 a3b7 a3b9 a4b7 a4b9 x" },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
		struct torus_error why = { 0 };
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
	for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
		struct torus_error why = { 0 };
		uint32_t count;

		errno = 0;
		assert_int_equal(torus_hostlist_count(rows[i].text, &count,
						      &why),
				 -1);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(why.text, rows[i].why);
	}
}

static void names_are_found_after_they_are_added(void **state)
{
	enum {
		N = 20000
	};
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_expand_as_scontrol_shows_them),
		cmocka_unit_test(test_bad_hostlist),
		cmocka_unit_test(names_are_found_after_they_are_added),
	};

	return UNIT_RUN(tests);
}
