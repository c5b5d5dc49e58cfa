/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of errors: kept in order, no forged lines, counted when full. */
#include "unit.h"

static void errors_are_collected_line_by_line(void **state)
{
	struct torus_error err = { 0 };

	(void)state;
	errno = 0;
	assert_int_equal(torus_error_add(&err, "a %d", 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(err.count, 1);
	assert_string_equal(err.text, "a 1");
	torus_error_add(&err, "%s", "b");
	assert_int_equal(err.count, 2);
	assert_string_equal(err.text, "a 1\nb");
	assert_int_equal(err.used, strlen(err.text));
	torus_error_clear(&err);
	assert_int_equal(err.count, 0);
	assert_string_equal(err.text, "");
	torus_error_add(&err, "c");
	assert_string_equal(err.text, "c");
	errno = 0;
	assert_int_equal(torus_error_add(NULL, "%s", "nowhere"), -1);
	assert_int_equal(errno, EINVAL);
}

static void forges_no_line(void **state)
{
	struct torus_error err = { 0 };

	(void)state;
	torus_error_add(&err, "got \"%s\"", "x\nroot: fine\r\t\x1b[2J\x7f");
	assert_string_equal(err.text, "got \"x?root: fine???[2J?\"");
}

/* The last line says how many lines are missing, wherever it got full. */
static void check_full(const struct torus_error *err, unsigned added)
{
	unsigned lines = 1, more = 0;
	const char *last = strrchr(err->text, '\n');

	assert_int_equal(err->count, added);
	assert_int_equal(err->used, strlen(err->text));
	assert_true(err->used < TORUS_ERROR_TEXT);
	assert_non_null(last);
	for (const char *p = err->text; *p; p++)
		lines += *p == '\n';
	if (sscanf(last, "\n... and %u more", &more) == 1)
		lines--;
	assert_int_equal(lines + more, added);
}

static void counts_what_is_left_out(void **state)
{
	struct torus_error err = { 0 };

	(void)state;
	for (unsigned i = 1; i <= 1000; i++) {
		torus_error_add(&err, "torus.yaml:%u: unknown key", i);
		if (i > 1)
			check_full(&err, i);
	}
	assert_non_null(strstr(err.text, "more"));
}

/* A long line that no longer fits, then short ones that would. */
static void short_after_long(void **state)
{
	struct torus_error err = { 0 };
	char line[1001];
	unsigned added = 0;

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	for (int i = 0; i < 6; i++, added++)
		torus_error_add(&err, "%s", line);
	check_full(&err, added);
	for (int i = 0; i < 200; i++) {
		torus_error_add(&err, "short %d", i);
		check_full(&err, ++added);
	}
}

static void long_line(void **state)
{
	struct torus_error err = { 0 };
	char *line = malloc(100000);

	(void)state;
	assert_non_null(line);
	memset(line, 'y', 99999);
	line[99999] = '\0';
	torus_error_add(&err, "%s", line);
	assert_int_equal(err.count, 1);
	assert_true(err.used > 100 && err.used < TORUS_ERROR_TEXT);
	for (int i = 0; i < 20; i++)
		torus_error_add(&err, "%s", line);
	check_full(&err, 21);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_collected_line_by_line),
		cmocka_unit_test(forges_no_line),
		cmocka_unit_test(counts_what_is_left_out),
		cmocka_unit_test(short_after_long),
		cmocka_unit_test(long_line),
	};

	return UNIT_RUN(tests);
}
