/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Durations: a number with at most 6 decimals and a unit, 90s, 1.5h, 2d; or seconds; or
 * as Slurm prints them, 1-12:30:00. The conversion to microseconds is exact, since each
 * unit is a whole number of seconds.
 */
#include "torus/request.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "request/quote.h"
#include "torus/number.h"

/* The maximum. A time plus a few durations cannot overflow. */
#define MOST_DAYS 10000000
#define SECOND INT64_C(1000000)

static const struct {
	char letter;
	int64_t us;
	const char *word;
} units[] = {
	/* longest first, for torus_duration_format() */
	{ 'd', 86400 * SECOND, "day" },
	{ 'h', 3600 * SECOND, "hour" },
	{ 'm', 60 * SECOND, "minute" },
	{ 's', SECOND, "second" },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

/* Read digits into *value; false above 10^15. */
static bool duration_scan_digits(const char **p, uint64_t *value, int *digits)
{
	for (*digits = 0; isdigit((unsigned char)**p); (*p)++, (*digits)++) {
		*value = *value * 10 + (uint64_t)(**p - '0');
		if (*value > UINT64_C(1000000000000000))
			return false;
	}
	return true;
}

static const char *duration_scan(const char *p, int64_t *us)
{
	uint64_t whole = 0, millionths = 0, limit;
	const char *start = p;
	int digits;

	if (!duration_scan_digits(&p, &whole, &digits))
		return "it is too long";
	if (digits == 0)
		return "it does not start with a digit";
	if (digits > 1 && *start == '0')
		return "it has a leading zero";
	if (*p == '.') {
		p++;
		if (!duration_scan_digits(&p, &millionths, &digits) ||
		    digits > 6)
			return "it has more than 6 decimals";
		if (digits == 0)
			return "a digit must follow the point";
		for (; digits < 6; digits++)
			millionths *= 10;
	}
	if (*p == '\0')
		return "the unit is missing";
	for (size_t i = 0; i < UNITS; i++) {
		if (*p != units[i].letter)
			continue;
		if (p[1] != '\0')
			return "unexpected text after the unit";
		limit = MOST_DAYS * UINT64_C(86400000000) /
			(uint64_t)units[i].us;
		if (whole >= limit)
			return "it is too long";
		*us = (int64_t)whole * units[i].us +
		      (int64_t)millionths * (units[i].us / SECOND);
		return NULL;
	}
	return "the unit is not one of s, m, h and d";
}

/* Return the seconds of what other programs take as a duration, or 0: 1h30m, 2hours,
 * 30min, 1w, 2H, 01:30:00, 1-12:00:00. */
static uint64_t duration_meant(const char *p)
{
	static const char *const words[] = { "weeks", "days", "hours",
					     "minutes", "seconds" };
	static const uint64_t seconds[] = { 604800, 86400, 3600, 60, 1 };
	uint32_t days = 0, hours, minutes, last = 0;
	uint64_t sum = 0;
	int end = 0;

	if (!isdigit((unsigned char)*p) || strpbrk(p, "+ \t\n\v\f\r") ||
	    strstr(p, "--") || strstr(p, ":-")) /* (sscanf() reads signs) */
		return 0;
	if (sscanf(p, "%6u-%4u:%2u:%2u%n", &days, &hours, &minutes, &last,
		   &end) == 4 &&
	    !p[end])
		return days * UINT64_C(86400) + hours * UINT64_C(3600) +
		       minutes * UINT64_C(60) + last;
	if (sscanf(p, "%6u:%2u:%2u%n", &hours, &minutes, &last, &end) == 3 &&
	    !p[end])
		return hours * UINT64_C(3600) + minutes * UINT64_C(60) + last;
	while (*p) {
		uint64_t n = 0;
		size_t unit = 0, length;

		if (!isdigit((unsigned char)*p))
			return 0;
		for (; isdigit((unsigned char)*p); p++) {
			n = n * 10 + (uint64_t)(*p - '0');
			if (n > 1000000)
				return 0;
		}
		length =
			strspn(p,
			       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		while (length && unit < 5 &&
		       strncasecmp(p, words[unit], length) != 0)
			unit++;
		if (!length || unit == 5)
			return 0;
		sum += n * seconds[unit];
		if (sum > MOST_DAYS * UINT64_C(86400))
			return 0;
		p += length;
	}
	return sum;
}

int torus_duration_parse(const char *string, int64_t *us,
			 struct torus_error *err)
{
	const char *wrong = duration_scan(string, us);
	uint64_t meant;
	char text[32];
	struct torus_quote q;

	if (!wrong)
		return 0;
	meant = duration_meant(string);
	torus_quote(&q, string, strlen(string));
	if (meant == 0)
		return torus_error_add(err,
				       "got \"%s\": %s; write a number and a unit, for example 90s, 30m, 1.5h or 2d",
				       q.text, wrong);
	torus_duration_format((int64_t)meant * SECOND, text, sizeof(text));
	return torus_error_add(err, "got \"%s\": %s; write %s", q.text, wrong,
			       text);
}

int torus_duration_read(const char *string, int64_t *us, struct torus_error *err)
{
	int64_t read_us;

	if (!torus_number_seconds(string, &read_us)) {
		const char *p = string;
		static const uint64_t unit[] = { 3600, 60, 1 };
		uint64_t part[3], days = 0, seconds = 0;
		bool dash = p[strspn(p, "0123456789")] == '-';
		uint32_t parts = 0, first;

		/* Read DAYS-HOURS[:MINUTES[:SECONDS]] or [HOURS:]MINUTES:SECONDS. */
		if (dash) {
			p = torus_number_scan_whole(p, MOST_DAYS - 1, &days);
			p = p ? p + 1 : NULL;
		}
		while (p && parts < 3) {
			p = torus_number_scan_whole(p, 1000000000,
						    &part[parts++]);
			if (!p || *p != ':')
				break;
			p++;
		}
		if (!p || *p || parts + dash < 2)
			return torus_duration_parse(string, us, err);
		first = dash ? 0 : 3 - parts;
		for (uint32_t i = 0; i < parts; i++)
			seconds += part[i] * unit[first + i];
		read_us = (int64_t)(days * 86400 + seconds) * SECOND;
	}
	*us = read_us;
	return 0;
}

/* Write a duration with the letter of its unit, or with the word. */
static int duration_write(int64_t us, bool words, char *buffer, size_t size)
{
	char decimals[8] = "", letter[2] = "";
	size_t i = 0;

	while (i + 1 < UNITS && us % units[i].us != 0)
		i++;
	if (us == 0)
		i = UNITS - 1;
	if (us % units[i].us != 0) {
		snprintf(decimals, sizeof(decimals), ".%06u",
			 (unsigned)(us % SECOND));
		for (size_t n = 6; n > 0 && decimals[n] == '0'; n--)
			decimals[n] = '\0';
	}
	*letter = units[i].letter;
	return snprintf(buffer, size, "%" PRId64 "%s%s%s%s", us / units[i].us,
			decimals, words ? " " : "",
			words ? units[i].word : letter,
			words && us != units[i].us ? "s" : "");
}

int torus_duration_format(int64_t us, char *buffer, size_t size)
{
	return duration_write(us, false, buffer, size);
}

int torus_duration_words(int64_t us, char *buffer, size_t size)
{
	return duration_write(us, true, buffer, size);
}
