/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for output (number_text.h). */
#include "trace/formats/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
