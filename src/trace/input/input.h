/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a file, a gzip file or the standard input. */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define TORUS_TRACE_LINE_MAX (64 * 1024)

struct torus_input;

/* Return NULL with errno, and a line in err unless errno is ENOMEM. */
struct torus_input *torus_input_open(const char *path, bool digest,
				     struct torus_error *err);
void torus_input_close(struct torus_input *in);
const char *torus_input_name(const struct torus_input *in);

/*
 * Read the next line, with its newline (and a carriage return before it)
 * replaced by a NUL. Return 1; 0 at the end; -1 with errno and a line in err
 * (EINVAL: the file is truncated or damaged). The line may be modified and is
 * valid until the next call. A line longer than TORUS_TRACE_LINE_MAX is cut
 * there, with *whole false. A byte order mark at the beginning is skipped.
 */
int torus_input_line(struct torus_input *in, char **line, size_t *length,
		     bool *whole, struct torus_error *err);

/* Return the line that torus_input_line() would return next, or NULL. */
const char *torus_input_peek(struct torus_input *in, struct torus_error *err);

/* Return true if what was peeked at begins as a tar archive. */
bool torus_input_is_tar(const struct torus_input *in);

void torus_input_progress(const struct torus_input *in, uint64_t *read,
			  uint64_t *size);
int torus_input_digest(struct torus_input *in,
		       char hex[TORUS_TRACE_DIGEST_SIZE]);

/* window.c: the reorder window: the next jobs of a trace, in order of submission. */

struct torus_window;

struct torus_window *torus_window_create(void); /* NULL with ENOMEM */
void torus_window_destroy(struct torus_window *w);

/* Return false while records are to be added. Ask once for each of them. */
bool torus_window_full(struct torus_window *w);

/* Return a record to fill: the same one until it is added. */
struct torus_trace_record *torus_window_blank(struct torus_window *w);

/*
 * Insert the record behind all records with an earlier submit time, or with the
 * same submit time and no later turn. Return false, with nothing added, if more
 * than TORUS_TRACE_WINDOW records before it have a later submit time.
 */
bool torus_window_add(struct torus_window *w);

/* Take the first record, or NULL. It is valid until the next call. */
const struct torus_trace_record *torus_window_take(struct torus_window *w);

#endif
