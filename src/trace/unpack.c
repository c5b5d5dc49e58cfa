/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text out of a file, a gzip file (RFC 1952, any number of members) or the
 * standard input.
 *
 *	file --read()--> raw --zlib's inflate()--> the caller's buffer
 *	          |
 *	       SHA-256
 *
 * A gzip file of at most WHOLE_FILE_MAX bytes that is one member of at most
 * WHOLE_TEXT_MAX bytes of text can be unpacked in one call, by libdeflate in a
 * third of the time. What libdeflate refuses is read in parts, which finds the error.
 *
 * The first two bytes decide the file type, not the name.
 */
#include "trace/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libdeflate.h>
#include <nettle/sha2.h>
#include <zlib.h>

#include "torus/alloc.h"

#define RAW_SIZE (64 * 1024)
#define WHOLE_FILE_MAX (4 * 1024 * 1024)
#define WHOLE_TEXT_MAX (32 * 1024 * 1024)

struct torus_unpack {
	char *name; /* for messages */
	int fd;
	bool digest;
	bool gzip;
	bool member;         /* inside a gzip member */
	bool raw_end;        /* read() has reached the end */
	uint64_t read, size; /* bytes of the file */
	size_t raw_at, raw_used;
	unsigned char *whole; /* the text and the file, or NULL */
	z_stream z;
	struct sha256_ctx sha;
	unsigned char raw[RAW_SIZE];
};

/* Add a line to err, keeping errno. Return -1. */
static int unpack_failed(const struct torus_unpack *u, struct torus_error *err)
{
	int saved = errno;

	torus_error_add(err, "%s: %s", u->name, strerror(saved));
	errno = saved;
	return -1;
}

/* Refill raw if it is empty. Return 0, or -1 with errno. */
static int raw_fill(struct torus_unpack *u, struct torus_error *err)
{
	ssize_t n;

	if (u->raw_at == u->raw_used)
		u->raw_at = u->raw_used = 0;
	do
		n = read(u->fd, u->raw + u->raw_used, RAW_SIZE - u->raw_used);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return unpack_failed(u, err);
	if (u->digest)
		sha256_update(&u->sha, (size_t)n, u->raw + u->raw_used);
	u->raw_end = n == 0;
	u->raw_used += (size_t)n;
	u->read += (uint64_t)n;
	return 0;
}

/* Find the begin of the next gzip member, or the end. Zeros may pad the file
 * (as tapes do). */
static int member_begin(struct torus_unpack *u, struct torus_error *err)
{
	while (u->raw_at < u->raw_used && !u->raw[u->raw_at])
		u->raw_at++;
	if (u->raw_at == u->raw_used)
		return 0;
	if (u->raw[u->raw_at] != 0x1f)
		return torus_error_add(err,
				       "%s: unexpected bytes after "
				       "the gzip data",
				       u->name);
	u->member = true;
	if (inflateReset(&u->z) != Z_OK)
		return torus_error_add(err, "%s: zlib failed", u->name);
	return 0;
}

/* Inflate the contents of raw into `to`. Return the number of bytes, or -1. */
static ssize_t member_inflate(struct torus_unpack *u, char *to, size_t room,
			      struct torus_error *err)
{
	int status;

	u->z.next_in = u->raw + u->raw_at;
	u->z.avail_in = (uInt)(u->raw_used - u->raw_at);
	u->z.next_out = (unsigned char *)to;
	u->z.avail_out = (uInt)room;
	status = inflate(&u->z, Z_NO_FLUSH);
	u->raw_at = u->raw_used - u->z.avail_in;
	if (status == Z_STREAM_END) {
		u->member = false;
	} else if (status == Z_MEM_ERROR) {
		errno = ENOMEM;
		return unpack_failed(u, err);
	} else if (status != Z_OK && status != Z_BUF_ERROR) {
		return torus_error_add(err,
				       "%s: the gzip data is damaged "
				       "(%s)",
				       u->name,
				       u->z.msg ? u->z.msg :
						  "zlib gives no reason");
	}
	return (ssize_t)(room - u->z.avail_out);
}

ssize_t torus_unpack_read(struct torus_unpack *u, char *to, size_t room,
			  struct torus_error *err)
{
	ssize_t made = 0;

	while (made == 0) {
		size_t have = u->raw_used - u->raw_at;

		if (!have && !u->raw_end && raw_fill(u, err))
			return -1;
		have = u->raw_used - u->raw_at;
		if (!have && !u->raw_end)
			continue;
		if (!have && u->member)
			return torus_error_add(err,
					       "%s: the gzip data is "
					       "truncated",
					       u->name);
		if (!have)
			return 0;
		if (!u->gzip) {
			made = (ssize_t)(have < room ? have : room);
			memcpy(to, u->raw + u->raw_at, (size_t)made);
			u->raw_at += (size_t)made;
		} else if (!u->member) {
			if (member_begin(u, err))
				return -1;
		} else {
			made = member_inflate(u, to, room, err);
		}
	}
	return made;
}

const char *torus_unpack_name(const struct torus_unpack *u)
{
	return u->name;
}

/* Read `size` bytes of the file from `from` on. Return false if there are
 * fewer. */
static bool file_part(const struct torus_unpack *u, unsigned char *to,
		      size_t size, uint64_t from)
{
	while (size) {
		ssize_t n = pread(u->fd, to, size, (off_t)from);

		if (n <= 0)
			return false;
		to += n;
		size -= (size_t)n;
		from += (uint64_t)n;
	}
	return true;
}

/* Return the length of the text that the last bytes of the file state; 0: it
 * cannot be unpacked in one call. */
static size_t whole_length(const struct torus_unpack *u)
{
	unsigned char end[4];
	size_t length;

	if (!u->gzip || u->size <= RAW_SIZE || u->size > WHOLE_FILE_MAX ||
	    !file_part(u, end, sizeof(end), u->size - sizeof(end)))
		return 0;
	length = (size_t)end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16 |
		 (size_t)end[3] << 24;
	return length > WHOLE_TEXT_MAX ? 0 : length;
}

/* Unpack all of the file into u->whole. Return false if it is not one sound
 * member. */
static bool whole_unpack(const struct torus_unpack *u, size_t length)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	const unsigned char *file = u->whole + length + 1;
	size_t read, made;
	bool sound = d &&
		     libdeflate_gzip_decompress_ex(d, file, u->size, u->whole,
						   length, &read, &made) ==
			     LIBDEFLATE_SUCCESS &&
		     read == u->size && made == length;

	if (d)
		libdeflate_free_decompressor(d);
	return sound;
}

char *torus_unpack_whole(struct torus_unpack *u, size_t *length)
{
	size_t made = whole_length(u);
	int saved = errno;
	unsigned char *file;

	*length = 0;
	u->whole = made ? torus_alloc_large(made + 1 + u->size) : NULL;
	errno = saved;
	if (!u->whole)
		return NULL;
	file = u->whole + made + 1;
	if (!file_part(u, file, u->size, 0) || !whole_unpack(u, made)) {
		torus_free(u->whole);
		u->whole = NULL;
		return NULL;
	}
	u->whole[made] = '\0';
	if (u->digest)
		sha256_update(&u->sha, u->size - u->read, file + u->read);
	u->read = u->size;
	u->raw_end = true;
	*length = made;
	return (char *)u->whole;
}

bool torus_unpack_worth_ahead(const struct torus_unpack *u)
{
	return u->gzip && u->size > RAW_SIZE;
}

void torus_unpack_progress(const struct torus_unpack *u, uint64_t *read,
			   uint64_t *size)
{
	*read = u->read;
	*size = u->size;
}

int torus_unpack_digest(struct torus_unpack *u,
			char hex[TORUS_TRACE_DIGEST_SIZE])
{
	uint8_t sum[SHA256_DIGEST_SIZE];
	size_t i;

	while (!u->raw_end) {
		u->raw_at = u->raw_used;
		if (raw_fill(u, NULL))
			return -1;
	}
	sha256_digest(&u->sha, sizeof(sum), sum);
	for (i = 0; i < sizeof(sum); i++) {
		hex[2 * i] = "0123456789abcdef"[sum[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[sum[i] & 15];
	}
	hex[2 * i] = '\0';
	return 0;
}

/* Open the file and check its first two bytes. Return 0, or -1 with errno. */
static int unpack_begin(struct torus_unpack *u, const char *path,
			struct torus_error *err)
{
	struct stat st;

	u->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				    fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (u->fd < 0)
		return unpack_failed(u, err);
	if (!fstat(u->fd, &st) && S_ISREG(st.st_mode))
		u->size = (uint64_t)st.st_size;
	while (u->raw_used < 2 && !u->raw_end)
		if (raw_fill(u, err))
			return -1;
	u->gzip = u->raw_used >= 2 && u->raw[0] == 0x1f && u->raw[1] == 0x8b;
	/* 31: the largest window, gzip headers only */
	if (u->gzip && inflateInit2(&u->z, 31) != Z_OK) {
		u->gzip = false;
		errno = ENOMEM;
		return -1;
	}
	return 0;
}

struct torus_unpack *torus_unpack_open(const char *path, bool digest,
				       struct torus_error *err)
{
	struct torus_unpack *u = torus_alloc(1, sizeof(*u));

	if (!u)
		goto error;
	u->fd = -1;
	u->digest = digest;
	u->name = strdup(strcmp(path, "-") ? path : "standard input");
	if (!u->name)
		goto error;
	sha256_init(&u->sha);
	if (!unpack_begin(u, path, err))
		return u;
	torus_unpack_close(u);
	return NULL;
error:
	torus_unpack_close(u);
	errno = ENOMEM;
	return NULL;
}

void torus_unpack_close(struct torus_unpack *u)
{
	int saved = errno;

	if (!u)
		return;
	if (u->gzip)
		inflateEnd(&u->z);
	if (u->fd >= 0)
		close(u->fd);
	free(u->name);
	torus_free(u->whole);
	torus_free(u);
	errno = saved;
}
