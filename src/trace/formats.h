/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers' descriptors, and what they share. */
#ifndef TRACE_FORMATS_H
#define TRACE_FORMATS_H

#include "torus/number.h"
#include "trace/trace.h"

/* The formats, in the order in which they are asked whether a file's first line is
 * theirs. A new one is its file, with torus_trace_NAME, and a line here. */
#define TORUS_TRACE_FORMATS(X)                                                 \
	X(swf)                                                                 \
	X(sacct)                                                               \
	X(sacct_json)                                                          \
	X(csv)

#define TORUS_TRACE_FORMAT_DECLARE(name)                                       \
	extern const struct torus_trace_format torus_trace_##name;
TORUS_TRACE_FORMATS(TORUS_TRACE_FORMAT_DECLARE)

/*
 * Cut the next field off a CSV line in place, with this character between two. *field gets
 * it; return the beginning of the next one, NULL after the last. A field may be in double
 * quotes, "" being one quote inside. *sound is false if quotes do not match.
 */
char *torus_field_take(char *p, char between, char **field, bool *sound);

/* Return true if a field of the line is that name, in any case, with or without blanks
 * and quotes around it. */
bool torus_field_among(const char *line, char between, const char *name);

/* Parse the words into the record's request. Return JOB; BAD with `why`, which begins
 * with `before`; or FAILED without memory. `scratch` gets the errors. */
enum torus_trace_line torus_words_read(struct torus_trace_record *record,
				       const struct torus_request_words *words,
				       struct torus_error *scratch,
				       const char *before, char *why);

/*
 * Read our entries in an AdminComment, if any, into the record's shape, nodes
 * and place; `scratch` gets the errors. Return JOB, BAD with `why`, or FAILED
 * without memory.
 */
enum torus_trace_line torus_comment_read(const char *comment,
					 struct torus_trace_record *record,
					 struct torus_error *scratch, char *why);

#endif
