/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in traces: decimal digits without exponent, one pass, no locale.
 * strtod() is about twenty times slower and accepts hexadecimal, "nan" and
 * spaces; and times must not pass through binary fractions.
 */
#include "trace/formats.h"

#define DIGITS_MAX 18 /* always fits int64_t */

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Read digits after the point; the seventh decides about rounding up. */
static const char *fraction_scan(const char *p, struct torus_number *n)
{
	const char *start = p;
	int32_t unit = 100000;
	bool up = false;

	for (; is_digit(*p); p++) {
		n->micro += (*p - '0') * unit;
		if (p - start == 6)
			up = *p >= '5';
		unit /= 10;
	}
	n->decimals = p - start > 255 ? 255 : (uint8_t)(p - start);
	n->micro += up;
	return p == start ? NULL : p;
}

const char *torus_number_scan(const char *p, struct torus_number *n)
{
	bool minus = *p == '-';
	const char *start;
	int64_t whole = 0;

	p += minus;
	start = p;
	/* Twenty digits cannot overflow an unsigned accumulator: the count is
	 * checked before the value is used. */
	for (; is_digit(*p) && p - start <= DIGITS_MAX; p++)
		whole = (int64_t)((uint64_t)whole * 10 + (uint64_t)(*p - '0'));
	if (p == start || p - start > DIGITS_MAX)
		return NULL;
	n->micro = 0;
	n->decimals = 0;
	if (*p == '.') {
		p = fraction_scan(p + 1, n);
		if (!p)
			return NULL;
		if (minus)
			n->micro = -n->micro;
	}
	n->whole = minus ? -whole : whole;
	return p;
}
