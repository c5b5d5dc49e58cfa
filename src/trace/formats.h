/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The readers' descriptors, and the numbers that all of them read.
 */
#ifndef TRACE_FORMATS_H
#define TRACE_FORMATS_H

#include "trace/trace.h"

extern const struct torus_trace_format torus_trace_swf;
extern const struct torus_trace_format torus_trace_csv;
extern const struct torus_trace_format torus_trace_sacct;

/* [-]whole[.fraction], as micro-units: -1.5 is whole -1, micro -500000. */
struct torus_number {
	int64_t whole; /* at most 18 digits */
	int32_t micro;
	uint8_t decimals; /* as written; those beyond the sixth round */
};

/*
 * Read a number at p. Returns what follows it, or NULL: no digit, or more
 * than 18 before the point. Stops at the first character that does not belong
 * to it; the text must end with one (a NUL will do).
 */
const char *torus_number_scan(const char *p, struct torus_number *n);

/* In microseconds; false beyond TORUS_TRACE_MAX_SECONDS. */
static inline bool torus_number_us(const struct torus_number *n, int64_t *us)
{
	if (n->whole > TORUS_TRACE_MAX_SECONDS ||
	    n->whole < -TORUS_TRACE_MAX_SECONDS)
		return false;
	*us = n->whole * 1000000 + n->micro;
	return true;
}

/*
 * Slurm's times: a date, 2024-05-31T23:59:59, or seconds since the epoch; and
 * a span, [days-[hours:]]minutes:seconds[.fraction]. In microseconds; false:
 * the text is nothing of that kind.
 */
bool torus_clock_date(const char *text, int64_t *us);
bool torus_clock_span(const char *text, int64_t *us);

/*
 * Cut the next field off a CSV line, in place: it is at *field, the return
 * value is the beginning of the one after it, NULL after the last. A field may
 * be in double quotes, "" being one quote inside. *sound is false where
 * quotes do not match.
 */
char *torus_field_take(char *p, char **field, bool *sound);

/*
 * Read our part of an AdminComment, if there is one, into record's shape,
 * nodes and place; `scratch` is for what is wrong with it. JOB, BAD with `why`,
 * or FAILED: no memory.
 */
enum torus_trace_line torus_comment_read(const char *comment,
					 struct torus_trace_record *record,
					 struct torus_error *scratch, char *why);

#endif
