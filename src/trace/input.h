/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines out of a file, a gzip file or the standard input.
 */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define TORUS_TRACE_LINE_MAX (64 * 1024)

struct torus_input;

/* NULL with errno, and a line in err unless that is ENOMEM. */
struct torus_input *torus_input_open(const char *path, bool digest,
				     struct torus_error *err);
void torus_input_close(struct torus_input *in);
const char *torus_input_name(const struct torus_input *in);

/*
 * The next line, its newline (and a carriage return before it) replaced by a
 * NUL: 1; at the end 0; -1 with errno and a line in err (EINVAL: the file is
 * truncated or damaged). The line may be written to and is valid until the
 * next call. Of a line longer than TORUS_TRACE_LINE_MAX only that much is
 * given, with *whole false. A byte order mark that the text begins with is
 * passed over.
 */
int torus_input_line(struct torus_input *in, char **line, size_t *length,
		     bool *whole, struct torus_error *err);

/* The line that torus_input_line() would give next, or NULL. */
const char *torus_input_peek(struct torus_input *in, struct torus_error *err);

void torus_input_progress(const struct torus_input *in, uint64_t *read,
			  uint64_t *size);
int torus_input_digest(struct torus_input *in,
		       char hex[TORUS_TRACE_DIGEST_SIZE]);

#endif
