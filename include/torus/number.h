/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in text, read strictly: decimal digits unless said, no blanks, no sign unless
 * said, no "nan", no locale. What is too large is refused, never wrapped or cut.
 * A function with `scan` in its name reads the beginning of a text and returns the text
 * after it, or NULL; the others take the whole text or nothing. Each is O(length).
 */
#ifndef TORUS_NUMBER_H
#define TORUS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest number of seconds that is read (31,700 years): the sum of several such
 * times fits in int64_t microseconds. */
#define TORUS_MAX_SECONDS INT64_C(1000000000000)

/* Digits, without a sign: at most `most`. */
const char *torus_number_scan_whole(const char *p, uint64_t most,
				    uint64_t *value);
bool torus_number_whole(const char *text, uint64_t least, uint64_t most,
			uint64_t *value);

/* Return the number at the beginning of a text that others have checked; 0: none. */
uint64_t torus_number_of(const char *text);

/* 1 to 16 hexadecimal digits, in lower case. */
const char *torus_number_scan_hex(const char *p, uint64_t *value);

/* Digits, with or without a minus sign. */
bool torus_number_signed(const char *text, int64_t least, int64_t most,
			 int64_t *value);

/* Seconds from 0 to TORUS_MAX_SECONDS, with at most 6 decimals. */
const char *torus_number_scan_seconds(const char *p, int64_t *us);
bool torus_number_seconds(const char *text, int64_t *us);

/* [-][DIGITS][.DIGITS][e[+-]DIGITS], finite. */
bool torus_number_decimal(const char *text, double *value);

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

/* Convert to microseconds; false beyond TORUS_MAX_SECONDS. */
static inline bool torus_number_us(const struct torus_number *n, int64_t *us)
{
	if (n->whole > TORUS_MAX_SECONDS || n->whole < -TORUS_MAX_SECONDS)
		return false;
	*us = n->whole * 1000000 + n->micro;
	return true;
}

/* Numbers for output: no trailing zeros, no exponent. */

#define TORUS_SECONDS_SIZE 32 /* longest text of a time, with the NUL */

/* Format microseconds as seconds: 90, 0.5, -1.25. Return the length. */
int torus_seconds_format(int64_t us, char buffer[TORUS_SECONDS_SIZE]);

/* Format with at most `decimals` digits after the point; "-" for NAN. */
int torus_number_format(double value, int decimals, char *buffer, size_t size);

#endif
