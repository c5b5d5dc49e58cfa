/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines out of a file, a gzip file or the standard input.
 *
 *	unpack.c --(ahead.c, in a thread)--> text --memchr()--> lines
 *
 * No allocation per line, and lines returned without copying.
 */
#include "trace/input/input.h"

#include <errno.h>
#include <string.h>

#include "config/file.h"
#include "torus/alloc.h"
#include "trace/input/ahead.h"

#define TEXT_CHUNK (128 * 1024) /* read at a time */
#define TEXT_SIZE (TORUS_TRACE_LINE_MAX + TEXT_CHUNK + 1)

struct torus_input {
	struct torus_unpack *source;
	struct torus_ahead *ahead; /* NULL: none, or ended */
	bool text_end;             /* text is complete */
	bool discard;              /* drop text up to the next newline */
	bool begun;                /* the first line was checked */
	size_t at, used;           /* in text: the next line; its end */
	char text[TEXT_SIZE];
};

/* As torus_unpack_read(). */
static ssize_t input_read(struct torus_input *in, char *to, size_t room,
			  struct torus_error *err)
{
	return in->ahead ? torus_ahead_read(in->ahead, to, room, err) :
			   torus_unpack_read(in->source, to, room, err);
}

/* Append more text after the unread part. Return 0, or -1 with errno. */
static int text_fill(struct torus_input *in, struct torus_error *err)
{
	ssize_t made;

	memmove(in->text, in->text + in->at, in->used - in->at);
	in->used -= in->at;
	in->at = 0;
	made = input_read(in, in->text + in->used, TEXT_SIZE - 1 - in->used,
			  err);
	if (made < 0)
		return -1;
	in->text_end = made == 0;
	in->used += (size_t)made;
	in->text[in->used] = '\0';
	return 0;
}

/* Skip the rest of a line that was too long. Return 0, or -1 with errno. */
__attribute__((cold)) static int discard_line(struct torus_input *in,
					      struct torus_error *err)
{
	char *newline;

	for (;;) {
		newline = memchr(in->text + in->at, '\n', in->used - in->at);
		in->at = newline ? (size_t)(newline + 1 - in->text) : in->used;
		if (newline || in->text_end)
			break;
		if (text_fill(in, err))
			return -1;
	}
	in->discard = false;
	return 0;
}

const char *torus_input_peek(struct torus_input *in, struct torus_error *err)
{
	const char *first;

	in->begun = true;
	do {
		if (!in->text_end && text_fill(in, err))
			return NULL;
		if (!in->at)
			in->at = torus_file_mark(in->text, in->used);
		if (in->at == SIZE_MAX) {
			in->at = 0;
			torus_error_add(err, "%s: %s", torus_input_name(in),
					TORUS_FILE_FOREIGN);
			return NULL;
		}
		first = in->text + in->at;
		first += strspn(first, " \t\r\n");
	} while (!in->text_end && !strchr(first, '\n') &&
		 in->used - in->at < TORUS_TRACE_LINE_MAX);
	return first;
}

int torus_input_line(struct torus_input *in, char **line, size_t *length,
		     bool *whole, struct torus_error *err)
{
	char *newline;
	size_t n;

	if (!in->begun && !torus_input_peek(in, err))
		return -1;
	if (in->discard && discard_line(in, err))
		return -1;
	for (;;) {
		n = in->used - in->at;
		newline = memchr(in->text + in->at, '\n', n);
		if (newline || in->text_end || n >= TORUS_TRACE_LINE_MAX)
			break;
		if (text_fill(in, err))
			return -1;
	}
	if (!n)
		return 0;
	if (newline)
		n = (size_t)(newline - (in->text + in->at));
	/* the mark of the next of several files (cat) */
	if (n >= 3 && in->text[in->at] == '\xef' &&
	    torus_file_mark(in->text + in->at, n) == 3) {
		in->at += 3;
		n -= 3;
	}
	*whole = n < TORUS_TRACE_LINE_MAX;
	if (!*whole)
		n = TORUS_TRACE_LINE_MAX - 1;
	in->discard = !*whole;
	*line = in->text + in->at;
	in->at += n + (*whole && newline);
	if (*whole && n && (*line)[n - 1] == '\r')
		n--;
	(*line)[n] = '\0';
	*length = n;
	return 1;
}

void torus_input_progress(const struct torus_input *in, uint64_t *read,
			  uint64_t *size)
{
	if (in->ahead)
		torus_ahead_progress(in->ahead, read, size);
	else
		torus_unpack_progress(in->source, read, size);
}

const char *torus_input_name(const struct torus_input *in)
{
	return torus_unpack_name(in->source);
}

int torus_input_digest(struct torus_input *in, char hex[TORUS_TRACE_DIGEST_SIZE])
{
	if (in->ahead)
		torus_ahead_end(in->ahead);
	in->ahead = NULL;
	return torus_unpack_digest(in->source, hex);
}

struct torus_input *torus_input_open(const char *path, bool digest,
				     struct torus_error *err)
{
	struct torus_input *in = torus_alloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->source = torus_unpack_open(path, digest, err);
	if (!in->source) {
		torus_input_close(in);
		return NULL;
	}
	if (torus_unpack_worth_ahead(in->source))
		in->ahead = torus_ahead_begin(in->source);
	return in;
}

void torus_input_close(struct torus_input *in)
{
	int saved = errno;

	if (!in)
		return;
	if (in->ahead)
		torus_ahead_end(in->ahead);
	torus_unpack_close(in->source);
	torus_free(in);
	errno = saved;
}
