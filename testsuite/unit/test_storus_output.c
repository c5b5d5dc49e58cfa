/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output files: whole or not at all, and nothing else left behind. */
#include "files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "storus/base/output.h"

static void expect_content(const char *path, const char *text)
{
	char *got = files_read(path, NULL);

	assert_string_equal(got, text);
	free(got);
}

static void a_file_appears_only_when_complete(void **state)
{
	struct storus_output out;
	const char *path = files_path("new");
	struct stat st;
	mode_t mask = umask(022);

	(void)state;
	assert_int_equal(storus_output_open(&out, path), 0);
	fputs("hello\n", out.stream);
	assert_int_equal(stat(path, &st), -1);
	assert_int_equal(storus_output_commit(&out), 0);
	expect_content(path, "hello\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(files_count(), 1);
	storus_output_discard(&out); /* must not remove it */
	expect_content(path, "hello\n");
	unlink(path);
	umask(mask);
}

static void a_replaced_file_keeps_mode_and_link(void **state)
{
	struct storus_output out;
	const char *path = files_text("old", "old\n");
	const char *link = files_path("link");
	struct stat st;

	(void)state;
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(symlink("old", link), 0);
	assert_int_equal(storus_output_open(&out, link), 0);
	fputs("new\n", out.stream);
	assert_int_equal(storus_output_finish(&out), 0);
	expect_content(path, "old\n");
	assert_int_equal(storus_output_commit(&out), 0);
	expect_content(path, "new\n");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(files_count(), 2);
	unlink(link);
	unlink(path);
}

static void a_discarded_file_leaves_the_old_one(void **state)
{
	struct storus_output out = { 0 };
	const char *path = files_text("kept", "kept\n");

	(void)state;
	storus_output_discard(&out);
	assert_int_equal(storus_output_open(&out, path), 0);
	fputs("half", out.stream);
	errno = 77;
	storus_output_discard(&out);
	assert_int_equal(errno, 77);
	expect_content(path, "kept\n");
	assert_int_equal(files_count(), 1);
	unlink(path);
}

/* A pipe (or a device: but no test shall risk one) is not replaced. */
static void a_pipe_is_written_not_replaced(void **state)
{
	struct storus_output out;
	const char *path = files_path("pipe");
	char got[8] = "";
	struct stat st;
	int reader;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(storus_output_open(&out, path), 0);
	assert_null(out.temporary);
	fputs("gone", out.stream);
	assert_int_equal(storus_output_commit(&out), 0);
	assert_int_equal(read(reader, got, sizeof(got)), 4);
	assert_string_equal(got, "gone");
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(reader);
	unlink(path);
}

/* A signal in the middle of writing: nothing is left. */
static void a_signal_leaves_no_partial_file(void **state)
{
	static const int list[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	const char *path = files_path("never");

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		struct storus_output out, second;
		int status;
		pid_t child = fork();

		assert_true(child >= 0);
		if (!child) {
			signal(list[i], SIG_DFL);
			if (storus_output_open(&out, path) ||
			    storus_output_open(&second, files_path("2")))
				_exit(1);
			fputs("half", out.stream);
			fflush(out.stream);
			if (files_count() != 2)
				_exit(2);
			raise(list[i]);
			_exit(3);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), list[i]);
		assert_int_equal(files_count(), 0);
	}
}

/* Expected failures. */
static void places_that_cannot_be_written_are_refused(void **state)
{
	struct storus_output out;

	(void)state;
	assert_int_equal(storus_output_open(&out, files_path("no/where")), -1);
	assert_int_equal(errno, ENOENT);
	assert_null(out.stream);
	assert_int_equal(storus_output_open(&out, files_directory), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(files_count(), 0);
}

/* A file that may not grow, in a child: the limit cannot be raised again. */
static void full_disk(void **state)
{
	const char *path = files_text("kept", "kept\n");
	struct rlimit none = { 0, 0 };
	struct storus_output out;
	int status;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (!child) {
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &none) ||
		    storus_output_open(&out, path))
			_exit(1);
		fputs("too much", out.stream);
		_exit(storus_output_commit(&out) == -1 && errno == EFBIG ? 0 :
									   2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	expect_content(path, "kept\n");
	assert_int_equal(files_count(), 1);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_appears_only_when_complete),
		cmocka_unit_test(a_replaced_file_keeps_mode_and_link),
		cmocka_unit_test(a_discarded_file_leaves_the_old_one),
		cmocka_unit_test(a_pipe_is_written_not_replaced),
		cmocka_unit_test(a_signal_leaves_no_partial_file),
		/* expected failures */
		cmocka_unit_test(places_that_cannot_be_written_are_refused),
		cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
