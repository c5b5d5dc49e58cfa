/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines out of plain and gzipped files, whole ones and damaged ones. */
#include "files.h"

#include "trace/input/input.h"

/* All lines joined by '|'; err gets what went wrong. */
static char *lines_of(const char *path, struct torus_error *err)
{
	struct torus_input *in = torus_input_open(path, true, err);
	char *all = calloc(1, 1 << 20), *to = all, *line;
	size_t length;
	bool whole;
	int got;

	assert_non_null(in);
	assert_non_null(all);
	while ((got = torus_input_line(in, &line, &length, &whole, err)) > 0) {
		assert_true(whole);
		memcpy(to, line, length);
		to += length;
		*to++ = '|';
	}
	assert_int_equal(got<0, err->count> 0);
	torus_input_close(in);
	return all;
}

static void expect_lines(const char *path, const char *lines)
{
	struct torus_error err = { 0 };
	char *got = lines_of(path, &err);

	assert_string_equal(err.text, "");
	assert_string_equal(got, lines);
	free(got);
}

static void plain_text_is_read_line_by_line(void **state)
{
	(void)state;
	expect_lines(files_text("a", ""), "");
	expect_lines(files_text("a", "\n"), "|");
	expect_lines(files_text("a", "one\ntwo\n"), "one|two|");
	expect_lines(files_text("a", "one\r\n\r\nno newline"),
		     "one||no newline|");
	expect_lines(files_text("a", "x"), "x|");
	expect_lines(files_text("a", "\x1f"), "\x1f|");
	/* some editors and spreadsheets begin files with a mark; cat puts it between lines */
	expect_lines(files_text("a", "\xef\xbb\xbfone\ntwo"), "one|two|");
	expect_lines(files_text("a", "\xef\xbb\xbf"), "");
	expect_lines(files_text("a", "\xef\xbbone"), "\xef\xbbone|");
	expect_lines(files_text("a", "one\n\xef\xbb\xbftwo"), "one|two|");
}

static void gzip_members_are_joined(void **state)
{
	unsigned char data[4096];
	size_t n;

	(void)state;
	n = files_gzip("one\ntwo\nthr", data, sizeof(data));
	expect_lines(files_write("a.gz", data, n), "one|two|thr|");
	/* A second member goes on where the first ended; zeros pad. */
	n += files_gzip("ee\nfour\n", data + n, sizeof(data) - n);
	expect_lines(files_write("a.gz", data, n), "one|two|three|four|");
	memset(data + n, 0, 600);
	expect_lines(files_write("a.gz", data, n + 600), "one|two|three|four|");
	n = files_gzip("", data, sizeof(data));
	expect_lines(files_write("a.gz", data, n), "");
}

/* Many lines, so that every buffer is refilled in the middle of one. */
static void long_files(void **state)
{
	size_t count = 50000, i, length;
	char *text = malloc(count * 12 + 1), *p = text, *line;
	unsigned char *data = malloc(count * 12);
	struct torus_error err = { 0 };

	(void)state;
	assert_true(text && data);
	for (i = 0; i < count; i++)
		p += sprintf(p, "%.*zu\n", (int)(i % 11) + 1, i);
	for (int gz = 0; gz < 2; gz++) {
		struct torus_input *in;
		bool whole;
		char expected[32];
		size_t n = gz ? files_gzip(text, data, count * 12) : 0;

		in = torus_input_open(gz ? files_write("b.gz", data, n) :
					   files_text("b", text),
				      false, &err);
		assert_non_null(in);
		for (i = 0; i < count; i++) {
			snprintf(expected, sizeof(expected), "%.*zu",
				 (int)(i % 11) + 1, i);
			assert_int_equal(torus_input_line(in, &line, &length,
							  &whole, &err),
					 1);
			assert_string_equal(line, expected);
			assert_int_equal(length, strlen(expected));
		}
		assert_int_equal(torus_input_line(in, &line, &length, &whole,
						  &err),
				 0);
		torus_input_close(in);
	}
	free(text);
	free(data);
}

static void too_long_a_line(void **state)
{
	static const size_t sizes[] = { TORUS_TRACE_LINE_MAX - 2,
					TORUS_TRACE_LINE_MAX - 1,
					TORUS_TRACE_LINE_MAX,
					TORUS_TRACE_LINE_MAX + 1, 1000000 };
	char *text = malloc(1000016);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct torus_error err = { 0 };
		struct torus_input *in;
		bool whole, fits = sizes[i] < TORUS_TRACE_LINE_MAX;
		size_t length;
		char *line;

		memset(text, 'x', sizes[i]);
		strcpy(text + sizes[i], "\nnext\n");
		in = torus_input_open(files_text("c", text), false, &err);
		assert_int_equal(torus_input_line(in, &line, &length, &whole,
						  &err),
				 1);
		assert_int_equal(whole, fits);
		assert_int_equal(length,
				 fits ? sizes[i] : TORUS_TRACE_LINE_MAX - 1);
		assert_int_equal(torus_input_line(in, &line, &length, &whole,
						  &err),
				 1);
		assert_string_equal(line, "next");
		assert_int_equal(torus_input_line(in, &line, &length, &whole,
						  &err),
				 0);
		torus_input_close(in);
	}
	free(text);
}

/* Text of this length that gzip cannot make much shorter. */
static void fill_random(char *to, size_t n)
{
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		to[i] = (char)('0' + (x >> 16) % 64);
	}
}

/* The reader skips the rest of a line that is too long, in the middle and at the end
 * of a gzip file. */
static void too_long_a_line_unpacked(void **state)
{
	static const struct {
		const char *after;
		int more;
	} tests[] = {
		{ "\nnext\n", 1 }, { "\nnext", 1 }, { "\n", 0 }, { "", 0 }
	};
	const size_t size = 3 * TORUS_TRACE_LINE_MAX;
	char *text = malloc(size + 16);
	unsigned char *data = malloc(2 * size);

	(void)state;
	assert_non_null(text);
	assert_non_null(data);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		struct torus_error err = { 0 };
		struct torus_input *in;
		size_t n, length;
		bool whole;
		char *line;

		fill_random(text, size);
		memcpy(text, "first\n", 6);
		strcpy(text + size, tests[i].after);
		n = files_gzip(text, data, 2 * size);
		assert_true(n > TORUS_TRACE_LINE_MAX);
		in = torus_input_open(files_write("u.gz", data, n), false, &err);
		assert_int_equal(torus_input_line(in, &line, &length, &whole,
						  &err),
				 1);
		assert_string_equal(line, "first");
		assert_int_equal(torus_input_line(in, &line, &length, &whole,
						  &err),
				 1);
		assert_false(whole);
		assert_int_equal(torus_input_line(in, &line, &length, &whole,
						  &err),
				 tests[i].more);
		if (tests[i].more)
			assert_string_equal(line, "next");
		torus_input_close(in);
	}
	free(data);
	free(text);
}

static void expect_failure(const char *path, const char *reason)
{
	struct torus_error err = { 0 };
	char *got = lines_of(path, &err);

	assert_int_equal(err.count, 1);
	if (!strstr(err.text, reason))
		fail_msg("\"%s\" does not say \"%s\"", err.text, reason);
	free(got);
}

static void damaged_gzip_is_refused(void **state)
{
	unsigned char data[4096];
	size_t n = files_gzip("one\ntwo\nthree\n", data, sizeof(data));

	(void)state;
	/* Cut off anywhere behind the two bytes that make it gzip. */
	for (size_t cut = 2; cut < n; cut++)
		expect_failure(files_write("d.gz", data, cut), "truncated");
	data[n - 6] ^= 1; /* in the check sum */
	expect_failure(files_write("d.gz", data, n), "damaged");
	data[n - 6] ^= 1;
	data[2] = 77; /* a method that does not exist */
	expect_failure(files_write("d.gz", data, n), "damaged");
	n = files_gzip("one\n", data, sizeof(data));
	data[n] = 'x';
	expect_failure(files_write("d.gz", data, n + 1),
		       "unexpected bytes after the gzip data");
}

static void not_there(void **state)
{
	struct torus_error err = { 0 };

	(void)state;
	assert_null(torus_input_open(files_path("none"), false, &err));
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, "No such file"));
	torus_error_clear(&err);
	assert_null(torus_input_open(files_directory, false, &err));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(err.count, 1);
}

/* It is of the whole file, however little of it was read. */
static void digest_of_a_part(void)
{
	char whole_hex[TORUS_TRACE_DIGEST_SIZE], hex[TORUS_TRACE_DIGEST_SIZE];
	size_t size = 1 << 18, length, lines = 0;
	char *text = malloc(size + 1), *line;
	struct torus_error err = { 0 };
	struct torus_input *in;
	bool whole;

	assert_non_null(text);
	for (size_t i = 0; i < size; i++)
		text[i] = i % 8 == 7 ? '\n' : (char)('a' + i % 23);
	text[size] = '\0';
	in = torus_input_open(files_text("p", text), true, &err);
	while (torus_input_line(in, &line, &length, &whole, &err) > 0)
		lines++;
	assert_int_equal(lines, size / 8);
	assert_int_equal(torus_input_digest(in, whole_hex), 0);
	torus_input_close(in);
	in = torus_input_open(files_text("p", text), true, &err);
	assert_int_equal(torus_input_line(in, &line, &length, &whole, &err), 1);
	assert_int_equal(torus_input_digest(in, hex), 0);
	assert_string_equal(hex, whole_hex);
	torus_input_close(in);
	free(text);
}

/* Read at most `most` lines of a file. Return their number, and in hex the
 * file's digest; err gets what went wrong. */
static size_t read_some(const char *path, size_t most, char *hex,
			struct torus_error *err)
{
	struct torus_input *in = torus_input_open(path, true, err);
	size_t length, lines = 0;
	bool whole;
	char *line;

	assert_non_null(in);
	while (lines < most &&
	       torus_input_line(in, &line, &length, &whole, err) > 0)
		lines++;
	assert_int_equal(torus_input_digest(in, hex), 0);
	torus_input_close(in);
	return lines;
}

/* A gzip file of `size` bytes of text: all of it, a part, a file that is cut off
 * in the middle, and one that is closed at once. */
static void unpack_all(size_t size)
{
	char hex[TORUS_TRACE_DIGEST_SIZE], whole_hex[TORUS_TRACE_DIGEST_SIZE];
	size_t n;
	char *text = malloc(size + 1);
	unsigned char *data = malloc(size);
	struct torus_error err = { 0 };
	const char *path;
	uint32_t x = 1;

	assert_true(text && data);
	for (size_t i = 0; i < size; i++) {
		x = x * 1664525 + 1013904223;
		text[i] = i % 64 == 63 ? '\n' : (char)('a' + (x >> 28));
	}
	text[size] = '\0';
	n = files_gzip(text, data, size);
	assert_true(n > size / 4);
	path = files_write("ahead.gz", data, n);
	assert_int_equal(read_some(path, SIZE_MAX, whole_hex, &err), size / 64);
	for (size_t most = 0; most <= size / 64; most += size / 256) {
		assert_int_equal(read_some(path, most, hex, &err), most);
		assert_string_equal(hex, whole_hex);
	}
	torus_input_close(torus_input_open(path, false, &err));
	assert_int_equal(err.count, 0);
	path = files_write("ahead.gz", data, n / 2);
	n = read_some(path, SIZE_MAX, hex, &err);
	assert_in_range(n, size / 64 / 3, size / 64 * 2 / 3);
	assert_int_equal(err.count, 1);
	assert_non_null(strstr(err.text, "truncated"));
	free(text);
	free(data);
}

/* Of more than 64 KiB: in a thread. */
static void large_files_are_unpacked_by_a_thread(void **state)
{
	(void)state;
	unpack_all(1 << 21);
	unpack_all(1 << 24);
}

/* Return the line that is read at `at`, or what is wrong with the file. */
static const char *line_at(const char *path, size_t at)
{
	static char text[TORUS_ERROR_TEXT];
	struct torus_error err = { 0 };
	struct torus_input *in = torus_input_open(path, true, &err);
	size_t length = 0;
	char *line;
	bool whole;
	int got = 1;

	assert_non_null(in);
	for (size_t i = 0; i <= at && got > 0; i++)
		got = torus_input_line(in, &line, &length, &whole, &err);
	snprintf(text, sizeof(text), "%s", got > 0 ? line : err.text);
	torus_input_close(in);
	return text;
}

/* Long files of two members, with padding, a wrong check sum, a wrong length. */
static void unpacked_members(void **state)
{
	size_t size = 1 << 18, n;
	char *text = malloc(size + 1);
	unsigned char *data = calloc(2, size + 32);
	uint32_t x = 1;

	(void)state;
	assert_true(text && data);
	for (size_t i = 0; i < size; i++) {
		x = x * 1664525 + 1013904223;
		text[i] = i % 64 == 63 ? '\n' : (char)('!' + (x >> 26));
	}
	text[size] = '\0';
	n = files_gzip(text, data, size);
	assert_in_range(n, 128 * 1024, size);
	memcpy(data + n, data, n);
	text[63] = '\0';
	assert_string_equal(line_at(files_write("two.gz", data, 2 * n),
				    size / 64),
			    text);
	memset(data + n, 0, n);
	assert_string_equal(line_at(files_write("padded.gz", data, n + 512), 0),
			    text);
	data[n - 1] ^= 1;
	assert_non_null(strstr(line_at(files_write("length.gz", data, n), size),
			       "damaged"));
	data[n - 1] ^= 1;
	data[n - 5] ^= 1;
	assert_non_null(strstr(line_at(files_write("sum.gz", data, n), size),
			       "damaged"));
	free(text);
	free(data);
}

static void the_digest_is_that_of_the_stored_file(void **state)
{
	char hex[TORUS_TRACE_DIGEST_SIZE], *line;
	struct torus_error err = { 0 };
	struct torus_input *in;
	size_t length;
	bool whole;

	(void)state;
	in = torus_input_open(files_text("e", "abc"), true, &err);
	assert_int_equal(torus_input_digest(in, hex), 0);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223"
				 "b00361a396177a9cb410ff61f20015ad");
	torus_input_close(in);
	in = torus_input_open(files_text("e", ""), true, &err);
	assert_int_equal(torus_input_line(in, &line, &length, &whole, &err), 0);
	assert_int_equal(torus_input_digest(in, hex), 0);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb924"
				 "27ae41e4649b934ca495991b7852b855");
	torus_input_close(in);
	digest_of_a_part();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_is_read_line_by_line),
		cmocka_unit_test(gzip_members_are_joined),
		cmocka_unit_test(long_files),
		cmocka_unit_test(too_long_a_line),
		cmocka_unit_test(too_long_a_line_unpacked),
		cmocka_unit_test(the_digest_is_that_of_the_stored_file),
		cmocka_unit_test(large_files_are_unpacked_by_a_thread),
		cmocka_unit_test(unpacked_members),
		/* expected failures */
		cmocka_unit_test(damaged_gzip_is_refused),
		cmocka_unit_test(not_there),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
