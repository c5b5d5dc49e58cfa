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

#endif
