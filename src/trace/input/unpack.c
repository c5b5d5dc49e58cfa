/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text out of a file, a gzip file (RFC 1952, any number of members) or the
 * standard input.
 *
 *	file --read()--> raw --unpack.h--> the caller's buffer
 *	          |
 *	       SHA-256
 *
 * The first two bytes decide the file type, not the name.
 */
#include "trace/input/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/sha2.h>

#include "torus/alloc.h"

#define RAW_SIZE (64 * 1024)

struct torus_unpack {
	char *name; /* for messages */
	int fd;
	bool digest;
	bool member;         /* inside a gzip member */
	bool raw_end;        /* read() has reached the end */
	uint64_t read, size; /* bytes of the file */
	size_t raw_at, raw_used;
	void *inflate; /* NULL: no gzip file */
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
	TORUS_INFLATE.begin(u->inflate);
	return 0;
}

/* Inflate the contents of raw into `to`. Return the number of bytes, or -1. */
static ssize_t member_inflate(struct torus_unpack *u, char *to, size_t room,
			      struct torus_error *err)
{
	struct torus_inflate_part part = { .in = u->raw + u->raw_at,
					   .in_left = u->raw_used - u->raw_at,
					   .out = to,
					   .out_left = room };
	enum torus_inflate_answer answer = TORUS_INFLATE.unpack(u->inflate,
								&part);

	if (answer == TORUS_INFLATE_DAMAGED)
		return torus_error_add(err, "%s: the gzip data is damaged",
				       u->name);
	if (answer == TORUS_INFLATE_FAILED)
		return unpack_failed(u, err);
	u->raw_at = u->raw_used - part.in_left;
	u->member = answer == TORUS_INFLATE_MORE;
	return (ssize_t)(room - part.out_left);
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
		if (!u->inflate) {
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

bool torus_unpack_worth_ahead(const struct torus_unpack *u)
{
	return u->inflate && u->size > RAW_SIZE;
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
	if (u->raw_used < 2 || u->raw[0] != 0x1f || u->raw[1] != 0x8b)
		return 0;
	u->inflate = TORUS_INFLATE.create();
	return u->inflate ? 0 : -1;
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
	TORUS_INFLATE.destroy(u->inflate);
	if (u->fd >= 0)
		close(u->fd);
	free(u->name);
	torus_free(u);
	errno = saved;
}
