/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in traces: decimal digits without exponent, one pass, no locale.
 * strtod() is about twenty times slower and accepts hexadecimal, "nan" and
 * spaces; and times must not pass through binary fractions. They are written without
 * trailing zeros.
 */
#include "trace/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace/formats.h"

#define DIGITS_MAX 18 /* always fits int64_t */

/* Return the digit's value; above 9: it is none. */
static inline uint32_t digit_of(char c)
{
	return (unsigned char)c - (uint32_t)'0';
}

/* Read digits after the point; the seventh decides about rounding up. */
static const char *fraction_scan(const char *p, struct torus_number *n)
{
	const char *start = p;
	int32_t unit = 100000;
	uint32_t digit;
	bool up = false;

	for (; (digit = digit_of(*p)) < 10; p++) {
		n->micro += (int32_t)digit * unit;
		if (p - start == 6)
			up = digit >= 5;
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
	uint64_t sum = 0;
	uint32_t digit;
	int64_t whole;

	p += minus;
	start = p;
	/* The sum of many digits wraps around: their count is checked before it
	 * is used. */
	for (; (digit = digit_of(*p)) < 10; p++)
		sum = sum * 10 + digit;
	if (p == start || p - start > DIGITS_MAX)
		return NULL;
	whole = (int64_t)sum;
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

/* Cut trailing zeros off a fraction, and the point with them. */
static int zeros_cut(char *text, int length)
{
	if (!memchr(text, '.', (size_t)length))
		return length;
	while (text[length - 1] == '0')
		length--;
	if (text[length - 1] == '.')
		length--;
	text[length] = '\0';
	return length;
}

int torus_seconds_format(int64_t us, char buffer[TORUS_SECONDS_SIZE])
{
	uint64_t size = us < 0 ? -(uint64_t)us : (uint64_t)us;
	uint64_t seconds = size / 1000000;
	unsigned fraction = (unsigned)(size % 1000000);
	int length;

	if (!fraction)
		return snprintf(buffer, TORUS_SECONDS_SIZE, "%s%llu",
				us < 0 ? "-" : "", (unsigned long long)seconds);
	length = snprintf(buffer, TORUS_SECONDS_SIZE, "%s%llu.%06u",
			  us < 0 ? "-" : "", (unsigned long long)seconds,
			  fraction);
	return zeros_cut(buffer, length);
}

int torus_number_format(double value, int decimals, char *buffer, size_t size)
{
	int length;

	if (isnan(value))
		return snprintf(buffer, size, "-");
	length = snprintf(buffer, size, "%.*f", decimals, value);
	return (size_t)length < size ? zeros_cut(buffer, length) : length;
}
