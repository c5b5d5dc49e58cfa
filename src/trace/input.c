/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines out of a file, a gzip file (zlib's inflate, RFC 1952, any number of
 * members) or the standard input.
 *
 *	file --read()--> raw --inflate()--> text --memchr()--> lines
 *	          |
 *	       SHA-256
 *
 * Two buffers that fit in the second-level cache, no allocation per line, and
 * lines returned without copying. The first two bytes decide the file type, not
 * the name.
 */
#include "trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/sha2.h>
#include <zlib.h>

#include "torus/alloc.h"

#define RAW_SIZE (64 * 1024)
#define TEXT_CHUNK (128 * 1024) /* decoded at a time */
#define TEXT_SIZE (TORUS_TRACE_LINE_MAX + TEXT_CHUNK + 1)
#define MARK                                                                   \
	"\xef\xbb\xbf" /* byte order mark of some editors and spreadsheets */

struct torus_input {
	char *name; /* for messages */
	int fd;
	bool digest;
	bool gzip;
	bool member;         /* inside a gzip member */
	bool raw_end;        /* read() has reached the end */
	bool text_end;       /* text is complete */
	bool discard;        /* drop text up to the next newline */
	bool begun;          /* the first line was checked */
	uint64_t read, size; /* bytes of the file */
	size_t raw_at, raw_used;
	size_t at, used; /* in text: the next line; its end */
	z_stream z;
	struct sha256_ctx sha;
	unsigned char raw[RAW_SIZE];
	char text[TEXT_SIZE];
};

/* Add a line to err, keeping errno. Return -1. */
static int input_failed(const struct torus_input *in, struct torus_error *err)
{
	int saved = errno;

	torus_error_add(err, "%s: %s", in->name, strerror(saved));
	errno = saved;
	return -1;
}

/* Refill raw if it is empty. Return 0, or -1 with errno. */
static int raw_fill(struct torus_input *in, struct torus_error *err)
{
	ssize_t n;

	if (in->raw_at == in->raw_used)
		in->raw_at = in->raw_used = 0;
	do
		n = read(in->fd, in->raw + in->raw_used,
			 RAW_SIZE - in->raw_used);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return input_failed(in, err);
	if (in->digest)
		sha256_update(&in->sha, (size_t)n, in->raw + in->raw_used);
	in->raw_end = n == 0;
	in->raw_used += (size_t)n;
	in->read += (uint64_t)n;
	return 0;
}

/* Find the begin of the next gzip member, or the end. Zeros may pad the file
 * (as tapes do). */
static int member_begin(struct torus_input *in, struct torus_error *err)
{
	while (in->raw_at < in->raw_used && !in->raw[in->raw_at])
		in->raw_at++;
	if (in->raw_at == in->raw_used)
		return 0;
	if (in->raw[in->raw_at] != 0x1f)
		return torus_error_add(err,
				       "%s: unexpected bytes after "
				       "the gzip data",
				       in->name);
	in->member = true;
	if (inflateReset(&in->z) != Z_OK)
		return torus_error_add(err, "%s: zlib failed", in->name);
	return 0;
}

/* Inflate the contents of raw into `to`. Return the number of bytes, or -1. */
static ssize_t member_inflate(struct torus_input *in, char *to, size_t room,
			      struct torus_error *err)
{
	int status;

	in->z.next_in = in->raw + in->raw_at;
	in->z.avail_in = (uInt)(in->raw_used - in->raw_at);
	in->z.next_out = (unsigned char *)to;
	in->z.avail_out = (uInt)room;
	status = inflate(&in->z, Z_NO_FLUSH);
	in->raw_at = in->raw_used - in->z.avail_in;
	if (status == Z_STREAM_END) {
		in->member = false;
	} else if (status == Z_MEM_ERROR) {
		errno = ENOMEM;
		return input_failed(in, err);
	} else if (status != Z_OK && status != Z_BUF_ERROR) {
		return torus_error_add(err,
				       "%s: the gzip data is damaged "
				       "(%s)",
				       in->name,
				       in->z.msg ? in->z.msg :
						   "zlib gives no reason");
	}
	return (ssize_t)(room - in->z.avail_out);
}

/* Read some bytes of text. Return 0 at the end, -1 with errno. */
static ssize_t input_decode(struct torus_input *in, char *to, size_t room,
			    struct torus_error *err)
{
	ssize_t made = 0;

	while (made == 0) {
		size_t have = in->raw_used - in->raw_at;

		if (!have && !in->raw_end && raw_fill(in, err))
			return -1;
		have = in->raw_used - in->raw_at;
		if (!have && !in->raw_end)
			continue;
		if (!have && in->member)
			return torus_error_add(err,
					       "%s: the gzip data is "
					       "truncated",
					       in->name);
		if (!have)
			return 0;
		if (!in->gzip) {
			made = (ssize_t)(have < room ? have : room);
			memcpy(to, in->raw + in->raw_at, (size_t)made);
			in->raw_at += (size_t)made;
		} else if (!in->member) {
			if (member_begin(in, err))
				return -1;
		} else {
			made = member_inflate(in, to, room, err);
		}
	}
	return made;
}

/* Append more text after the unread part. Return 0, or -1 with errno. */
static int text_fill(struct torus_input *in, struct torus_error *err)
{
	ssize_t made;

	memmove(in->text, in->text + in->at, in->used - in->at);
	in->used -= in->at;
	in->at = 0;
	made = input_decode(in, in->text + in->used, TEXT_SIZE - 1 - in->used,
			    err);
	if (made < 0)
		return -1;
	in->text_end = made == 0;
	in->used += (size_t)made;
	in->text[in->used] = '\0';
	return 0;
}

/* Skip the rest of a line that was too long. Return 0, or -1 with errno. */
static int discard_line(struct torus_input *in, struct torus_error *err)
{
	char *newline = NULL;

	while (!newline && !in->text_end) {
		newline = memchr(in->text + in->at, '\n', in->used - in->at);
		in->at = newline ? (size_t)(newline + 1 - in->text) : in->used;
		if (!newline && text_fill(in, err))
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
		if (!in->at && !strncmp(in->text, MARK, strlen(MARK)))
			in->at = strlen(MARK);
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
	*read = in->read;
	*size = in->size;
}

const char *torus_input_name(const struct torus_input *in)
{
	return in->name;
}

int torus_input_digest(struct torus_input *in, char hex[TORUS_TRACE_DIGEST_SIZE])
{
	uint8_t sum[SHA256_DIGEST_SIZE];
	size_t i;

	while (!in->raw_end) {
		in->raw_at = in->raw_used;
		if (raw_fill(in, NULL))
			return -1;
	}
	sha256_digest(&in->sha, sizeof(sum), sum);
	for (i = 0; i < sizeof(sum); i++) {
		hex[2 * i] = "0123456789abcdef"[sum[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[sum[i] & 15];
	}
	hex[2 * i] = '\0';
	return 0;
}

/* Open the file and check its first two bytes. Return 0, or -1 with errno. */
static int input_begin(struct torus_input *in, const char *path,
		       struct torus_error *err)
{
	struct stat st;

	in->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				     fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (in->fd < 0)
		return input_failed(in, err);
	if (!fstat(in->fd, &st) && S_ISREG(st.st_mode))
		in->size = (uint64_t)st.st_size;
	while (in->raw_used < 2 && !in->raw_end)
		if (raw_fill(in, err))
			return -1;
	in->gzip = in->raw_used >= 2 && in->raw[0] == 0x1f && in->raw[1] == 0x8b;
	/* 31: the largest window, gzip headers only */
	if (in->gzip && inflateInit2(&in->z, 31) != Z_OK) {
		in->gzip = false;
		errno = ENOMEM;
		return -1;
	}
	return 0;
}

struct torus_input *torus_input_open(const char *path, bool digest,
				     struct torus_error *err)
{
	struct torus_input *in = torus_alloc(1, sizeof(*in));

	if (!in)
		goto error;
	in->fd = -1;
	in->digest = digest;
	in->name = strdup(strcmp(path, "-") ? path : "standard input");
	if (!in->name)
		goto error;
	sha256_init(&in->sha);
	if (!input_begin(in, path, err))
		return in;
	torus_input_close(in);
	return NULL;
error:
	torus_input_close(in);
	errno = ENOMEM;
	return NULL;
}

void torus_input_close(struct torus_input *in)
{
	int saved = errno;

	if (!in)
		return;
	if (in->gzip)
		inflateEnd(&in->z);
	if (in->fd >= 0)
		close(in->fd);
	free(in->name);
	torus_free(in);
	errno = saved;
}
