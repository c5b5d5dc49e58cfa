/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacking of gzip members (RFC 1952) by a library. ISA-L also takes some members
 * that zlib refuses, such as one with reserved flags; the text's length and checksum
 * are right with both.
 */
#ifndef TRACE_INFLATE_H
#define TRACE_INFLATE_H

#include <stddef.h>

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
