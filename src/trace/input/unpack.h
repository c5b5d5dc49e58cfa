/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a file, a gzip file or the standard input, without a gzip file's
 * compression.
 */
#ifndef TRACE_UNPACK_H
#define TRACE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/trace.h"

struct torus_unpack;

/* Open a file; path "-": standard input. NULL with errno, and a line in err
 * unless errno is ENOMEM. */
struct torus_unpack *torus_unpack_open(const char *path, bool digest,
				       struct torus_error *err);
void torus_unpack_close(struct torus_unpack *u);

/* The file's name, for messages. */
const char *torus_unpack_name(const struct torus_unpack *u);

/* Return true for a gzip file of more than 64 KiB that can be read without waiting. */
bool torus_unpack_worth_ahead(const struct torus_unpack *u);

/* Write at most `room` bytes of text. Return their number; 0: the end; -1 with
 * errno and a line in err (EINVAL: the file is truncated or damaged). */
ssize_t torus_unpack_read(struct torus_unpack *u, char *to, size_t room,
			  struct torus_error *err);

/* Get the bytes read so far, and the size of the file (0: unknown). */
void torus_unpack_progress(const struct torus_unpack *u, uint64_t *read,
			   uint64_t *size);

/* Read the file to its end and get the SHA-256 of its bytes, as they are
 * stored. Return 0, or -1 with errno. */
int torus_unpack_digest(struct torus_unpack *u,
			char hex[TORUS_TRACE_DIGEST_SIZE]);

/*
 * Unpacking of gzip members (RFC 1952) by a library. ISA-L also takes some members
 * that zlib refuses, such as one with reserved flags; the text's length and checksum
 * are right with both.
 */

enum torus_inflate_answer {
	TORUS_INFLATE_MORE,
	TORUS_INFLATE_END, /* of the member; its checksum is right */
	TORUS_INFLATE_DAMAGED,
	TORUS_INFLATE_FAILED /* with ENOMEM */
};

/* What is left to read and to write, each less than 2^32 bytes; both are moved on.
 * Without room or input left nothing moves. After DAMAGED or FAILED it is
 * undefined. */
struct torus_inflate_part {
	const unsigned char *in;
	size_t in_left;
	char *out;
	size_t out_left;
};

struct torus_inflate {
	void *(*create)(void); /* NULL with ENOMEM */
	void (*destroy)(void *self);
	void (*begin)(void *self); /* the next byte is a member's first */
	enum torus_inflate_answer (*unpack)(void *self,
					    struct torus_inflate_part *part);
};

extern const struct torus_inflate torus_inflate_zlib;

/* ISA-L takes a third of zlib's time. */
#ifdef HAVE_ISAL
extern const struct torus_inflate torus_inflate_isal;
#define TORUS_INFLATE torus_inflate_isal
#else
#define TORUS_INFLATE torus_inflate_zlib
#endif

#endif
