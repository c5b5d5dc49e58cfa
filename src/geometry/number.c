/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in text (torus/number.h). torus_number_scan() serves traces: strtod() is
 * about twenty times slower, and times must not pass through binary fractions.
 */
#include "torus/number.h"
#include "torus/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 18 /* always fits int64_t */

/* Return the digit's value; above 9: it is none. */
static inline uint32_t digit_of(char c)
{
	return (unsigned char)c - (uint32_t)'0';
}

const char *torus_number_scan_whole(const char *p, uint64_t most,
				    uint64_t *value)
{
	const char *start = p;
	uint64_t n = 0;
	uint32_t digit;

	for (; (digit = digit_of(*p)) < 10; p++) {
		if (__builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n))
			return NULL;
	}
	*value = n;
	return p == start || n > most ? NULL : p;
}

uint64_t torus_number_of(const char *text)
{
	uint64_t value;

	return torus_number_scan_whole(text, UINT64_MAX, &value) ? value : 0;
}

const char *torus_number_scan_hex(const char *p, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	const char *end = p + strspn(p, digits);

	if (end == p || end - p > 16)
		return NULL;
	for (*value = 0; p < end; p++)
		*value = *value << 4 | (uint64_t)(strchr(digits, *p) - digits);
	return end;
}

bool torus_number_whole(const char *text, uint64_t least, uint64_t most,
			uint64_t *value)
{
	const char *end = torus_number_scan_whole(text, most, value);

	return end && !*end && *value >= least;
}

bool torus_number_signed(const char *text, int64_t least, int64_t most,
			 int64_t *value)
{
	bool minus = *text == '-';
	uint64_t n;

	if (!torus_number_whole(text + minus, 0, (uint64_t)INT64_MAX + minus,
				&n))
		return false;
	*value = minus ? (int64_t)-n : (int64_t)n;
	return *value >= least && *value <= most;
}

bool torus_text_number(const char **p, uint32_t *value)
{
	const char *start = *p;
	uint64_t n;

	/* read what there is of it also where it is refused: messages say where */
	*p = torus_number_scan_whole(start, 999999999, &n);
	if (!*p || *p - start > 9 || (*start == '0' && *p - start > 1)) {
		*p = start + strspn(start, "0123456789");
		return false;
	}
	*value = (uint32_t)n;
	return true;
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

const char *torus_number_scan_seconds(const char *p, int64_t *us)
{
	struct torus_number n;
	const char *end = *p == '-' ? NULL : torus_number_scan(p, &n);

	return end && n.decimals <= 6 && torus_number_us(&n, us) ? end : NULL;
}

bool torus_number_seconds(const char *text, int64_t *us)
{
	const char *end = torus_number_scan_seconds(text, us);

	return end && !*end;
}

bool torus_number_decimal(const char *text, double *value)
{
	static const char digit[] = "0123456789";
	const char *p = text + (*text == '-');
	size_t whole = strspn(p, digit), fraction = 0;

	p += whole;
	if (*p == '.') {
		fraction = strspn(p + 1, digit);
		if (!fraction)
			return false;
		p += 1 + fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (*p == 'e' || *p == 'E') {
		p += p[1] == '-' || p[1] == '+' ? 2 : 1;
		if (digit_of(*p) > 9)
			return false;
		p += strspn(p, digit);
	}
	*value = *p ? 0 : strtod(text, NULL);
	return !*p && isfinite(*value);
}

/* Numbers for output (number.h). */

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
