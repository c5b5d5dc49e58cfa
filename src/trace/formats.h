/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers' descriptors, and number formats that they share. */
#ifndef TRACE_FORMATS_H
#define TRACE_FORMATS_H

#include "trace/trace.h"

/* The formats, in the order in which they are asked whether a file's first line is
 * theirs. A new one is its file, with torus_trace_NAME, and a line here. */
#define TORUS_TRACE_FORMATS(X)                                                 \
	X(swf)                                                                 \
	X(sacct)                                                               \
	X(csv)

#define TORUS_TRACE_FORMAT_DECLARE(name)                                       \
	extern const struct torus_trace_format torus_trace_##name;
TORUS_TRACE_FORMATS(TORUS_TRACE_FORMAT_DECLARE)

/* [-]whole[.fraction], as micro-units: -1.5 is whole -1, micro -500000. */
struct torus_number {
	int64_t whole; /* at most 18 digits */
	int32_t micro;
	uint8_t decimals; /* decimals as written; micro is rounded after the
			     sixth */
};

/*
 * Read a number at p. Return the text after it, or NULL if there is no digit,
 * or more than 18 before the point. Stop at the first character that does not
 * belong to it; the text must end with one (a NUL suffices).
 */
const char *torus_number_scan(const char *p, struct torus_number *n);

/* Convert to microseconds; false beyond TORUS_TRACE_MAX_SECONDS. */
static inline bool torus_number_us(const struct torus_number *n, int64_t *us)
{
	if (n->whole > TORUS_TRACE_MAX_SECONDS ||
	    n->whole < -TORUS_TRACE_MAX_SECONDS)
		return false;
	*us = n->whole * 1000000 + n->micro;
	return true;
}

/*
 * Read Slurm's times: a date, 2024-05-31T23:59:59, or seconds since the epoch;
 * and a span, [days-[hours:]]minutes:seconds[.fraction]. In microseconds.
 * Return false for other texts.
 */
bool torus_clock_date(const char *text, int64_t *us);
bool torus_clock_span(const char *text, int64_t *us);

/*
 * Cut the next field off a CSV line in place. *field gets it; return the
 * beginning of the next one, NULL after the last. A field may be in double
 * quotes, "" being one quote inside. *sound is false if quotes do not match.
 */
char *torus_field_take(char *p, char **field, bool *sound);

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
