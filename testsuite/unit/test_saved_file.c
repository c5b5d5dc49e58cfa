/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved text in a file (format/stream.h). */
#include "files.h"

#include "format/stream.h"
#include "torus/alloc.h"

/* What is written reads back, and no other file lies beside it then. */
static void test_round_trip(void **state)
{
	static const char *const table[] = { "", "one\n", "one\ntwo\n",
					     "end\n" };
	const char *path = files_path("state");
	struct torus_error err = { 0 };

	(void)state;
	assert_null(saved_file_read(path, SAVED_FILE_STATE, &err));
	assert_int_equal(err.count, 0);
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		char *text;

		assert_int_equal(saved_file_write(path, SAVED_FILE_STATE,
						  table[i], i % 2),
				 0);
		text = saved_file_read(path, SAVED_FILE_STATE, &err);
		assert_non_null(text);
		assert_string_equal(text, table[i]);
		torus_free(text);
	}
	assert_int_equal(files_count(), 1);
}

static void write_bytes(const char *path, const char *bytes, size_t length)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
}

/* Expected failures. */
static void damaged_files_are_refused(void **state)
{
	static const char *const table[] = {
		"",
		"torus_state 1\n",
		"torus_state 1\none\n",
		"torus_state 1\noneend\n",
		"torus_state 1\none\nend",
		"torus_state 1\none\nend\nend \n",
		"torus_state 2\none\nend\n",
		"torus_state 10\none\nend\n",
		"torus_promises 1\none\nend\n",
	};
	const char *path = files_path("damaged");

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		struct torus_error err = { 0 };

		write_bytes(path, table[i], strlen(table[i]));
		assert_null(saved_file_read(path, SAVED_FILE_STATE, &err));
		assert_int_equal(err.count, 1);
		assert_non_null(strstr(err.text, "\"torus_state 1\""));
	}
	unlink(path);
}

/* It is never written through a link, and a failure leaves the old file. */
static void links_are_not_followed_and_failures_keep_the_old_file(void **state)
{
	const char *path = files_path("state"), *fresh = files_path("state.new");
	const char *other = files_path("other");
	struct torus_error err = { 0 };
	char *text;

	(void)state;
	write_bytes(other, "other", 5);
	assert_int_equal(symlink(other, fresh), 0);
	assert_int_equal(saved_file_write(path, SAVED_FILE_STATE, "a\n", false),
			 0);
	text = files_read(other, NULL);
	assert_string_equal(text, "other");
	free(text);
	unlink(path);
	assert_int_equal(symlink(other, path), 0);
	assert_null(saved_file_read(path, SAVED_FILE_STATE, &err));
	assert_int_equal(err.count, 1);
	unlink(path);
	unlink(other);
	assert_int_equal(mkdir(fresh, 0700), 0);
	assert_int_equal(saved_file_write(path, SAVED_FILE_STATE, "a\n", false),
			 -1);
	assert_int_equal(rmdir(fresh), 0);
}

/* What lies there may be a pipe, which must not be waited for, a directory, or
 * somebody else's. */
static void planted_pipes_and_foreign_files_are_refused(void **state)
{
	const char *path = files_path("planted");
	struct torus_error err = { 0 };

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(saved_file_read(path, SAVED_FILE_STATE, &err));
	assert_int_equal(err.count, 1);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(saved_file_read(path, SAVED_FILE_STATE, &err));
	assert_int_equal(err.count, 2);
	assert_int_equal(rmdir(path), 0);
	if (geteuid() == 0) {
		write_bytes(path, "torus_state 1\nend\n", 18);
		assert_int_equal(chown(path, 65534, 65534), 0);
		assert_null(saved_file_read(path, SAVED_FILE_STATE, &err));
		assert_int_equal(err.count, 3);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(
			links_are_not_followed_and_failures_keep_the_old_file),
		cmocka_unit_test(planted_pipes_and_foreign_files_are_refused),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
