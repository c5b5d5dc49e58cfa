/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the command line. What is complained about goes to stderr; it
 * is not looked at here (the golden tests do). */
#include "unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "storus/storus.h"

static const struct storus_option options[] = {
	{ "flag", 1, NULL, "a flag" },
	{ "value", 2, "N", "needs one" },
	{ "maybe", 3, "[=FILE]", "may have one" },
	{ NULL, 0, NULL, NULL },
};

static const struct storus_command command = {
	.name = "test",
	.summary = "Test",
	.usage = "",
	.options = options,
};

/* main()'s argv is not const, words in a test are. */
static char **writable(const char *const *words)
{
	return (char **)(uintptr_t)words;
}

static struct storus_args begin(const char *const *argv)
{
	struct storus_args args;
	int argc = 0;

	while (argv[argc])
		argc++;
	storus_args_begin(&args, &command, argc, writable(argv));
	return args;
}

static void expect(struct storus_args *args, int id, const char *value)
{
	assert_int_equal(storus_args_next(args), id);
	if (value)
		assert_string_equal(args->value, value);
	else if (id > 0)
		assert_null(args->value);
}

static void takes(void **state)
{
	const char *argv[] = { "test",     "--flag",  "file", "--value",   "-1",
			       "--value=", "--maybe", "x",    "--maybe=y", "-",
			       "--",       "--flag",  NULL };
	struct storus_args args = begin(argv);

	(void)state;
	expect(&args, 1, NULL);
	expect(&args, STORUS_ARGS_OPERAND, "file");
	expect(&args, 2, "-1");
	expect(&args, 2, "");
	expect(&args, 3, NULL);
	expect(&args, STORUS_ARGS_OPERAND, "x");
	expect(&args, 3, "y");
	expect(&args, STORUS_ARGS_OPERAND, "-");
	expect(&args, STORUS_ARGS_OPERAND, "--flag");
	expect(&args, STORUS_ARGS_END, NULL);
	expect(&args, STORUS_ARGS_END, NULL);
}

static void values(void **state)
{
	struct storus_args args = { .command = &command, .option = "value" };
	const char *const words[] = { "one", "two", NULL };
	uint64_t n;
	int64_t us;
	double f;

	(void)state;
	args.value = "18446744073709551615";
	assert_true(storus_args_count(&args, 0, UINT64_MAX, &n));
	assert_true(n == UINT64_MAX);
	args.value = "0.000001";
	assert_true(storus_args_seconds(&args, &us) && us == 1);
	args.value = "3600";
	assert_true(storus_args_seconds(&args, &us) && us == 3600000000);
	args.value = "1.5e-3";
	assert_true(storus_args_factor(&args, 0, true, &f) && f == 0.0015);
	args.value = "0";
	assert_true(storus_args_factor(&args, 0, false, &f) && f == 0);
	args.value = "two";
	assert_int_equal(storus_args_choice(&args, words), 1);
}

static void nearest(void **state)
{
	const char *const words[] = { "replay", "place", "map", "list", NULL };

	(void)state;
	assert_string_equal(storus_nearest("repaly", words), "replay");
	assert_string_equal(storus_nearest("lsit", words), "list");
	assert_string_equal(storus_nearest("plac", words), "place");
	assert_null(storus_nearest("sweep", words));
}

static void command_line(void **state)
{
	const char *argv[] = { "replay", "a b", "it's", "--x=1,2", "", NULL };
	char *line = storus_command_line(5, writable(argv));

	(void)state;
	assert_string_equal(line, "storus replay 'a b' 'it'\\''s' --x=1,2 ''");
	free(line);
}

/* Expected failures. */
static void refuses(void **state)
{
	const char *lines[][3] = {
		{ "test", "--flg", NULL },   { "test", "--flag=1", NULL },
		{ "test", "--value", NULL }, { "test", "-f", NULL },
		{ "test", "--fla", NULL },   { "test", "--=x", NULL },
		{ "test", "--flagx", NULL }, { "test", "---", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct storus_args args = begin(lines[i]);

		assert_int_equal(storus_args_next(&args), STORUS_ARGS_BAD);
	}
}

static void bad_values(void **state)
{
	static const char *const counts[] = {
		"",   "-1",  "+1",  "1x",
		" 1", "1.0", "0x1", "18446744073709551616",
		"0",  "101",
	};
	static const char *const times[] = {
		"",
		"-1",
		"1.",
		".5",
		"1.0000001",
		"1s",
		"1e3",
		"nan",
		"1000000000001",
		"99999999999999999999",
	};
	static const char *const factors[] = {
		"", "0", "-1", "nan", "inf", "0x1p3", "1.5x", " 1", "1e999",
	};
	struct storus_args args = { .command = &command, .option = "value" };
	const char *const words[] = { "one", "two", NULL };
	uint64_t n;
	int64_t us;
	double f;

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		args.value = counts[i];
		assert_false(storus_args_count(&args, 1, 100, &n));
	}
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		args.value = times[i];
		assert_false(storus_args_seconds(&args, &us));
	}
	for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
		args.value = factors[i];
		assert_false(storus_args_factor(&args, 0, true, &f));
	}
	args.value = "tw";
	assert_int_equal(storus_args_choice(&args, words), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes),
		cmocka_unit_test(values),
		cmocka_unit_test(nearest),
		cmocka_unit_test(command_line),
		/* expected failures */
		cmocka_unit_test(refuses),
		cmocka_unit_test(bad_values),
	};
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	return UNIT_RUN(tests);
}
