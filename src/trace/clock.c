/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's time formats (formats.h). A date is read without daylight saving
 * time: the file does not contain the site's time zone. SLURM_TIME_FORMAT=%s
 * gives exact times.
 */
#include "trace/formats.h"

#include <string.h>

static bool clock_digits(const char **p, uint32_t count, int64_t *value)
{
	uint32_t i;

	*value = 0;
	for (i = 0; i < count; i++) {
		uint32_t digit = (uint32_t)((*p)[i] - '0');

		if (digit > 9)
			return false;
		*value = *value * 10 + digit;
	}
	*p += count;
	return true;
}

/* Return days since 1970-01-01 in the Gregorian calendar, which repeats after
 * 400 years. Years begin in March, so that the leap day comes last. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month > 2 ? year : year - 1;
	int64_t m = month > 2 ? month - 3 : month + 9;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day -
	       1 - 719468;
}

bool torus_clock_date(const char *text, int64_t *us)
{
	int64_t part[6];
	static const uint32_t count[6] = { 4, 2, 2, 2, 2, 2 };
	static const char behind[] = "--T::";
	static const int8_t days[] = { 31, 29, 31, 30, 31, 30,
				       31, 31, 30, 31, 30, 31 };
	const char *p = text;
	struct torus_number n;
	int i;

	if (strspn(text, "0123456789") == strlen(text)) {
		p = torus_number_scan(text, &n);
		return p && torus_number_us(&n, us);
	}
	for (i = 0; i < 6; i++) {
		if (!clock_digits(&p, count[i], &part[i]))
			return false;
		if (i < 5 && *p++ != behind[i])
			return false;
	}
	if (part[1] == 2 && part[2] == 29 &&
	    (part[0] % 4 || (part[0] % 100 == 0 && part[0] % 400)))
		return false;
	if (*p || part[0] < 1970 || part[1] < 1 || part[1] > 12 ||
	    part[2] < 1 || part[2] > days[part[1] - 1] || part[3] > 23 ||
	    part[4] > 59 || part[5] > 60)
		return false;
	*us = (((days_of(part[0], part[1], part[2]) * 24 + part[3]) * 60 +
		part[4]) *
		       60 +
	       part[5]) *
	      1000000;
	return true;
}

bool torus_clock_span(const char *text, int64_t *us)
{
	const char *p = torus_number_scan(text, &(struct torus_number){ 0 });
	struct torus_number n = { 0 }, days = { 0 };
	int64_t seconds = 0;
	int parts = 0;

	if (p && *p == '-' && *text != '-') {
		torus_number_scan(text, &days);
		text = p + 1;
	}
	for (;; text = p + 1) {
		p = torus_number_scan(text, &n);
		if (!p || *text == '-' || ++parts > 3 || n.whole > 1000000000 ||
		    (*p == ':' && n.decimals) || days.decimals ||
		    days.whole > 10000000)
			return false;
		seconds = seconds * 60 + n.whole;
		if (*p != ':')
			break;
	}
	n.whole = days.whole * 86400 + seconds;
	return !*p && parts > 1 && (!days.whole || parts == 3) &&
	       torus_number_us(&n, us);
}
