/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the command line. What is complained about goes to stderr; it
 * is not looked at here (the golden tests do). */
#include "unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "storus/base/args.h"
#include "storus/storus.h"

struct words {
	bool flag;
	const char *value, *maybe;
	struct storus_list often, operands;
	uint64_t count;
	uint32_t small;
	int64_t time_us;
	double factor;
	int choice;
	char taken[16];
};

static int take(const struct storus_args *args, void *member)
{
	assert_string_equal(args->option, "take");
	snprintf(member, sizeof(((struct words *)NULL)->taken), "%s",
		 args->value);
	return strcmp(args->value, "bad") ? STORUS_DONE : STORUS_TROUBLE;
}

static const struct storus_option options[] = {
	{ "flag", NULL, "a flag", .letter = 'f', STORUS_TO(struct words, flag) },
	{ "value", "N", "needs one", .letter = 'o',
	  STORUS_TO(struct words, value) },
	{ "maybe", "[=FILE]", "may have one", STORUS_TO(struct words, maybe) },
	{ "often", "N", "more than once", STORUS_TO(struct words, often) },
	{ "count", "N", "from 1 to 9", .low = 1, .high = 9,
	  STORUS_TO(struct words, count) },
	{ "small", "N", "of 32 bits", STORUS_TO(struct words, small) },
	{ "time", "SEC", "seconds", STORUS_TO(struct words, time_us) },
	{ "factor", "F", "above 0", .above = true,
	  STORUS_TO(struct words, factor) },
	{ "choice", "one|two|three", "of three",
	  STORUS_CHOICE_TO(struct words, choice) },
	{ "take", "X", "by itself", STORUS_TAKE_TO(struct words, taken, take) },
	{ 0 },
};

static const struct storus_command command = {
	.name = "test",
	.summary = "Test",
	.usage = "",
	.options = options,
	.operand = { .value = "word", STORUS_TO(struct words, operands) },
};

/* main()'s argv is not const, words in a test are. */
static char **writable(const char *const *words)
{
	return (char **)(uintptr_t)words;
}

static int read_words(const struct storus_command *c, const char *const *argv,
		      struct words *w)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return storus_args_read(c, argc, writable(argv), w);
}

static void options_and_operands_are_taken(void **state)
{
	const char *argv[] = { "test",      "--flag",    "file",     "--value",
			       "-1",        "--often=a", "--maybe",  "x",
			       "--often",   "b",         "-",        "--count",
			       "9",         "--small=7", "--time",   "1.5",
			       "--factor",  "2",         "--choice", "two",
			       "--take=it", "--",        "--flag",   NULL };
	struct words w = { 0 };

	(void)state;
	assert_int_equal(read_words(&command, argv, &w), STORUS_GO);
	assert_true(w.flag);
	assert_string_equal(w.value, "-1");
	assert_string_equal(w.maybe, "-");
	assert_int_equal(w.often.count, 2);
	assert_string_equal(w.often.word[1], "b");
	assert_int_equal(w.operands.count, 4);
	assert_string_equal(w.operands.word[1], "x");
	assert_string_equal(w.operands.word[3], "--flag");
	assert_true(w.count == 9 && w.small == 7 && w.time_us == 1500000);
	assert_true(w.factor == 2 && w.choice == 1);
	assert_string_equal(w.taken, "it");
	storus_args_free(&command, &w);
	assert_null(w.often.word);
}

static void letters_stand_for_long_options(void **state)
{
	const char *argv[] = { "test", "-f", "-o", "%i", NULL };
	const char *attached[] = { "test", "-o%i", "--maybe=y",
				   "--value=", NULL };
	struct words w = { 0 };

	(void)state;
	assert_int_equal(read_words(&command, argv, &w), STORUS_GO);
	assert_true(w.flag);
	assert_string_equal(w.value, "%i");
	assert_int_equal(read_words(&command, attached, &w), STORUS_GO);
	assert_string_equal(w.value, "");
	assert_string_equal(w.maybe, "y");
}

static void values_are_read_strictly(void **state)
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

static void the_nearest_option_is_suggested(void **state)
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
	char *line = storus_shell_line("storus", 5, writable(argv));

	(void)state;
	assert_string_equal(line, "storus replay 'a b' 'it'\\''s' --x=1,2 ''");
	free(line);
}

/* Expected failures. */
static void wrong_command_lines_are_refused(void **state)
{
	const char *lines[][4] = {
		{ "test", "--flg", NULL },
		{ "test", "--flag=1", NULL },
		{ "test", "--value", NULL },
		{ "test", "-x", NULL },
		{ "test", "--fla", NULL },
		{ "test", "--=x", NULL },
		{ "test", "--flagx", NULL },
		{ "test", "---", NULL },
		{ "test", "-fo", NULL },
		{ "test", "-o", NULL },
		{ "test", "--count", "0", NULL },
		{ "test", "--count", "10", NULL },
		{ "test", "--time=1y", NULL },
		{ "test", "--factor", "0", NULL },
		{ "test", "--choice", "on", NULL },
		{ "test", "--json", "x", NULL },
		{ "test", "--small", "4294967296", NULL },
	};
	const char *own[] = { "test", "--take", "bad", NULL };
	struct words w = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_equal(read_words(&command, lines[i], &w),
				 STORUS_USAGE);
	assert_int_equal(read_words(&command, own, &w), STORUS_TROUBLE);
}

/* One operand, or none. */
static void one_operand_or_none_is_taken(void **state)
{
	const char *two[] = { "test", "a", "b", NULL };
	const char *one[] = { "test", "a", NULL };
	struct storus_command other = command;
	struct words w = { 0 };

	(void)state;
	other.operand = (struct storus_option){ .value = "word",
						STORUS_TO(struct words, value) };
	assert_int_equal(read_words(&other, one, &w), STORUS_GO);
	assert_string_equal(w.value, "a");
	w = (struct words){ 0 };
	assert_int_equal(read_words(&other, two, &w), STORUS_USAGE);
	other.operand = (struct storus_option){ 0 };
	assert_int_equal(read_words(&other, one, &w), STORUS_USAGE);
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
		"1y",
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
		cmocka_unit_test(options_and_operands_are_taken),
		cmocka_unit_test(letters_stand_for_long_options),
		cmocka_unit_test(values_are_read_strictly),
		cmocka_unit_test(the_nearest_option_is_suggested),
		cmocka_unit_test(command_line),
		/* expected failures */
		cmocka_unit_test(wrong_command_lines_are_refused),
		cmocka_unit_test(one_operand_or_none_is_taken),
		cmocka_unit_test(bad_values),
	};
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	return UNIT_RUN(tests);
}
