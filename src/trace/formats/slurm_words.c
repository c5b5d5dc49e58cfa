/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's notation of times, durations and node counts (slurm_words.h), by the grammar of
 * Slurm's parse_time.c and proc_args.c, without their gaps. A date of a file is read
 * without daylight saving time: the file does not contain the site's time zone;
 * SLURM_TIME_FORMAT=%s gives exact times.
 */
#include "trace/formats/slurm_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "torus/plan.h"
#include "torus/number.h"
#include "torus/request.h"
#include "torus/torus.h"

#define SECOND_US INT64_C(1000000)

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

/* Return the number of days of a month, or 0 if there is no such month. */
static int64_t days_in(int64_t year, int64_t month)
{
	static const int8_t days[] = { 31, 28, 31, 30, 31, 30,
				       31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 || year % 400 == 0);

	if (month < 1 || month > 12)
		return 0;
	return days[month - 1] + (month == 2 && leap);
}

/* Read YYYY-MM-DDTHH:MM:SS into its six numbers; with a blank for the T if
 * `loose`, without the seconds or the time if `brief`. Return the text after it, or
 * NULL. */
static const char *date_scan(const char *text, bool loose, bool brief,
			     int64_t part[6])
{
	static const uint32_t count[6] = { 4, 2, 2, 2, 2, 2 };
	static const char behind[] = "--T::";
	const char *p = text;

	for (int i = 0; i < 6; i++) {
		if (!clock_digits(&p, count[i], &part[i]))
			return NULL;
		if (brief && ((i == 2 && *p != 'T' && *p != ' ') ||
			      (i == 4 && *p != ':'))) {
			memset(part + i + 1, 0, (5 - (size_t)i) * sizeof(*part));
			break;
		}
		if (i < 5 && *p != behind[i] && !(loose && i == 2 && *p == ' '))
			return NULL;
		p += i < 5;
	}
	return part[0] >= 1970 && part[2] >= 1 &&
			       part[2] <= days_in(part[0], part[1]) &&
			       part[3] <= 23 && part[4] <= 59 && part[5] <= 60 ?
		       p :
		       NULL;
}

static bool date_read(const char *text, bool brief, int64_t *us)
{
	struct torus_number n = { 0 };
	int64_t part[6], offset, fraction;
	const char *p;
	int64_t hours, minutes = 0;
	bool west;

	if (strspn(text, "0123456789.") == strlen(text)) {
		p = *text == '.' ? NULL : torus_number_scan(text, &n);
		return p && !*p && torus_number_us(&n, us);
	}
	p = date_scan(text, true, brief, part);
	if (p && *p == '.') {
		char digits[24] = "0";
		size_t length = strspn(p + 1, "0123456789");

		if (!length || length > 20)
			return false;
		memcpy(digits + 1, p, length + 1);
		if (!torus_number_scan(digits, &n))
			return false;
		p += length + 1;
	}
	fraction = n.micro;
	if (!p)
		return false;
	/* Read Z, +HHMM, +HH:MM or +HH; with a blank before it or not. */
	west = *p == '-';
	offset = 0;
	if (*p && ((*p != 'Z' && *p != 'z') || p[1])) {
		p += *p == ' ';
		west = *p == '-';
		if ((*p != '+' && !west) || (p++, !clock_digits(&p, 2, &hours)))
			return false;
		p += *p == ':';
		if (*p && !clock_digits(&p, 2, &minutes))
			return false;
		offset = (hours * 60 + minutes) * (west ? -60 : 60);
		if (*p || hours > 15 || minutes > 59)
			return false;
	}
	*us = (((days_of(part[0], part[1], part[2]) * 24 + part[3]) * 60 +
		part[4]) *
		       60 +
	       part[5] - offset) *
		      SECOND_US +
	      fraction;
	return *us >= 0;
}

bool torus_slurm_date(const char *text, int64_t *us)
{
	return date_read(text, false, us);
}

bool torus_slurm_day(const char *text, int64_t *us)
{
	return date_read(text, true, us);
}

const char *torus_slurm_day_text(int64_t us, char text[TORUS_SLURM_DAY_SIZE])
{
	time_t seconds = (time_t)(us / SECOND_US);
	struct tm tm;

	/* a clock that began in 1970 tells dates */
	if (us < 365 * 86400 * SECOND_US || !gmtime_r(&seconds, &tm) ||
	    !strftime(text, TORUS_SLURM_DAY_SIZE, "%FT%T", &tm))
		snprintf(text, TORUS_SLURM_DAY_SIZE, "%lld s",
			 (long long)seconds);
	return text;
}

bool torus_slurm_local_date(const char *text, int64_t *us)
{
	int64_t part[6];
	struct tm tm = { .tm_isdst = -1 };

	const char *end = date_scan(text, false, false, part);

	if (!end || *end)
		return false;
	tm.tm_year = (int)part[0] - 1900;
	tm.tm_mon = (int)part[1] - 1;
	tm.tm_mday = (int)part[2];
	tm.tm_hour = (int)part[3];
	tm.tm_min = (int)part[4];
	tm.tm_sec = (int)part[5];
	*us = (int64_t)mktime(&tm) * SECOND_US;
	return *us >= 0;
}

bool torus_slurm_span(const char *text, int64_t *us)
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

bool torus_slurm_duration(const char *text, int64_t *us)
{
	/* of [HOURS:[MINUTES:[SECONDS]]] behind days; of MINUTES[:SECONDS]; of
	 * HOURS:MINUTES:SECONDS */
	static const int32_t behind_days[] = { 3600, 60, 1 };
	static const int32_t minutes[] = { 60, 1 };
	const int32_t *unit = minutes;
	uint64_t n, part[3], seconds = 0;
	uint32_t parts = 0;
	const char *p = text;

	*us = TORUS_NO_TIME;
	if (!strcasecmp(text, "UNLIMITED") || !strcasecmp(text, "INFINITE"))
		return true;
	p = torus_number_scan_whole(p, INT32_MAX, &n);
	if (p && *p == '-') {
		seconds = n * 86400;
		unit = behind_days;
		p = torus_number_scan_whole(p + 1, INT32_MAX, &n);
	}
	for (; p; p = torus_number_scan_whole(p + 1, INT32_MAX, &n)) {
		part[parts++] = n;
		if (*p != ':' || parts == 3)
			break;
	}
	if (!p || *p)
		return false;
	if (parts == 3)
		unit = behind_days;
	for (uint32_t i = 0; i < parts; i++)
		seconds += part[i] * (uint64_t)unit[i];
	*us = (int64_t)((seconds + 59) / 60 * 60) * SECOND_US;
	return seconds <= INT32_MAX;
}

const char *torus_slurm_duration_hint(const char *text,
				      char hint[TORUS_SLURM_HINT_SIZE])
{
	int64_t us, days, seconds;

	hint[0] = '\0';
	if (torus_duration_parse(text, &us, NULL) || us > INT32_MAX * SECOND_US)
		return hint;
	days = us / SECOND_US / 86400;
	seconds = us / SECOND_US % 86400;
	if (days)
		snprintf(hint, TORUS_SLURM_HINT_SIZE,
			 "; write %d-%02d:%02d:%02d", (int)days,
			 (int)(seconds / 3600), (int)(seconds / 60 % 60),
			 (int)(seconds % 60));
	else
		snprintf(hint, TORUS_SLURM_HINT_SIZE, "; write %d:%02d:%02d",
			 (int)(seconds / 3600), (int)(seconds / 60 % 60),
			 (int)(seconds % 60));
	return hint;
}

/* Read N, Nk or Nm. */
static const char *nodes_scan(const char *p, uint32_t *nodes)
{
	uint64_t n, unit = 1;

	p = torus_number_scan_whole(p, TORUS_MAX_NODES, &n);
	if (!p)
		return NULL;
	if (*p && strchr("kKmM", *p)) {
		unit = *p == 'k' || *p == 'K' ? 1024 : 1024 * 1024;
		p++;
	}
	*nodes = (uint32_t)(n * unit);
	return n >= 1 && n * unit <= TORUS_MAX_NODES ? p : NULL;
}

bool torus_slurm_nodes(const char *text, uint32_t *least, uint32_t *most)
{
	const char *p = nodes_scan(text, least);

	if (!p)
		return false;
	*most = *least;
	if (*p == '-')
		p = nodes_scan(p + 1, most);
	return p && !*p && *most >= *least;
}

bool torus_slurm_priority(const char *text, double *priority)
{
	struct torus_number n;
	const char *end = torus_number_scan(text, &n);

	if (!end || *end || *text == '-')
		return false;
	*priority = (double)n.whole + n.micro * 1e-6;
	return *priority <= UINT32_MAX - 2;
}

/* A point of time while it is read: -1 is a part that is missing. */
struct moment {
	struct tm now;
	int64_t now_s;
	bool past; /* torus_slurm_past_time() */
	int64_t year, month, day, hour, minute, second;
};

/* Return the text after this word, or NULL. */
static const char *word_scan(const char *p, const char *word)
{
	size_t length = strlen(word);

	return strncasecmp(p, word, length) ? NULL : p + length;
}

static const char *blanks_skip(const char *p)
{
	return p + strspn(p, " \t");
}

/* Set the date to the day of that time. */
static bool moment_set_day(struct moment *m, int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!localtime_r(&t, &tm))
		return false;
	m->year = tm.tm_year + 1900;
	m->month = tm.tm_mon + 1;
	m->day = tm.tm_mday;
	return true;
}

/* Read {+|-}COUNT[UNIT] behind now, or nothing. */
static bool now_read(const char *text, int64_t now_us, int64_t *us)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {
		{ "second", 1 },  { "minute", 60 },      { "hour", 3600 },
		{ "day", 86400 }, { "week", 7 * 86400 },
	};
	const char *p = blanks_skip(text), *after;
	bool back = *p == '-';
	int64_t unit = 1;
	uint64_t n;

	*us = now_us;
	if (!*text)
		return true;
	if (*p != '+' && *p != '-')
		return false;
	p = torus_number_scan_whole(blanks_skip(p + 1), INT32_MAX, &n);
	if (!p)
		return false;
	for (size_t i = 0; *p && i < sizeof(units) / sizeof(*units); i++) {
		after = word_scan(blanks_skip(p), units[i].name);
		if (!after)
			continue;
		unit = units[i].seconds;
		p = after + (*after == 's' || *after == 'S');
		break;
	}
	if (*p)
		return false;
	n *= (uint64_t)unit;
	*us = back ? now_us - (int64_t)n * SECOND_US :
		     now_us + (int64_t)n * SECOND_US;
	return *us >= 0 && *us / SECOND_US <= TORUS_MAX_SECONDS;
}

/* Read HH:MM[:SS] [AM|PM]. */
static const char *moment_scan_clock(struct moment *m, const char *p)
{
	const char *mark;

	m->second = 0;
	if (p[1] == ':')
		m->hour = *p++ - '0';
	else if (!clock_digits(&p, 2, &m->hour))
		return NULL;
	if (*p++ != ':' || !clock_digits(&p, 2, &m->minute))
		return NULL;
	if (*p == ':' && (p++, !clock_digits(&p, 2, &m->second)))
		return NULL;
	if (m->hour > 23 || m->minute > 59 || m->second > 59)
		return NULL;
	mark = blanks_skip(p);
	if (word_scan(mark, "am") || word_scan(mark, "pm")) {
		if (m->hour > 12)
			return NULL;
		m->hour = m->hour % 12 + (word_scan(mark, "pm") ? 12 : 0);
		return mark + 2;
	}
	return p;
}

/* Read a number of one or two digits, as Slurm does: two if there are two. */
static const char *two_digits_scan(const char *p, int64_t *value)
{
	uint32_t digits = (uint32_t)strspn(p, "0123456789");

	if (!digits || !clock_digits(&p, digits > 1 ? 2 : 1, value))
		return NULL;
	return p;
}

/* Read YYYY-MM-DD, MMDD[YY], MM/DD[/YY] or MM.DD[.YY]. */
static const char *moment_scan_date(struct moment *m, const char *p)
{
	if (strspn(p, "0123456789") == 4 && p[4] == '-' &&
	    strspn(p + 5, "0123456789") == 2 && p[7] == '-') {
		clock_digits(&p, 4, &m->year);
		p++;
		clock_digits(&p, 2, &m->month);
		p = two_digits_scan(p + 1, &m->day);
		return m->year < 1970 ? NULL : p;
	}
	p = two_digits_scan(p, &m->month);
	if (!p)
		return NULL;
	p += *p == '/' || *p == '.';
	p = two_digits_scan(p, &m->day);
	if (!p)
		return NULL;
	if (*p == '/' || *p == '.')
		p++;
	else if (*p < '0' || *p > '9')
		return p;
	if (!clock_digits(&p, 2, &m->year))
		return NULL;
	m->year = m->year ? m->year + 2000 : -1; /* 00 is no year to Slurm */
	return p;
}

/* Read a date or a time of day, which is still missing. */
static const char *moment_scan(struct moment *m, const char *p)
{
	static const struct {
		const char *name;
		int hour;
	} hours[] = { { "midnight", 0 },
		      { "noon", 12 },
		      { "fika", 15 },
		      { "teatime", 16 } };
	const char *after;

	for (size_t i = 0; i < sizeof(hours) / sizeof(*hours); i++) {
		after = word_scan(p, hours[i].name);
		if (!after)
			continue;
		if (m->hour >= 0)
			return NULL;
		m->hour = hours[i].hour;
		m->minute = m->second = 0;
		return after;
	}
	if (*p >= '0' && *p <= '9' && (p[1] == ':' || (p[1] && p[2] == ':')))
		return m->hour >= 0 ? NULL : moment_scan_clock(m, p);
	if (m->month >= 0)
		return NULL;
	after = word_scan(p, "today");
	if (after)
		return moment_set_day(m, m->now_s) ? after : NULL;
	after = word_scan(p, "tomorrow");
	if (after)
		return moment_set_day(m, m->now_s + 86400) ? after : NULL;
	return moment_scan_date(m, p);
}

/* Complete the missing parts: the next time of day, the next such date; `past`: today's,
 * and a month until this one. */
static bool moment_us(struct moment *m, int64_t *us)
{
	const struct tm *now = &m->now;
	const int64_t is[] = { now->tm_mon + 1, now->tm_mday, now->tm_hour,
			       now->tm_min };
	struct tm tm = { .tm_isdst = -1 };
	int k = 0;

	if (m->hour < 0)
		m->hour = m->minute = m->second = 0;
	if (m->month < 0) {
		bool later = m->past || m->hour > now->tm_hour ||
			     (m->hour == now->tm_hour &&
			      m->minute > now->tm_min);

		if (!moment_set_day(m, m->now_s + (later ? 0 : 86400)))
			return false;
	}
	if (m->year < 0 && m->past) {
		m->year = now->tm_year + 1900 - (m->month > is[0]);
	} else if (m->year < 0) {
		const int64_t at[] = { m->month, m->day, m->hour, m->minute };

		while (k < 3 && at[k] == is[k])
			k++;
		m->year = now->tm_year + 1900 + (at[k] <= is[k]);
	}
	if (m->day < 1 || m->day > days_in(m->year, m->month))
		return false;
	tm.tm_year = (int)m->year - 1900;
	tm.tm_mon = (int)m->month - 1;
	tm.tm_mday = (int)m->day;
	tm.tm_hour = (int)m->hour;
	tm.tm_min = (int)m->minute;
	tm.tm_sec = (int)m->second;
	*us = (int64_t)mktime(&tm) * SECOND_US;
	return *us >= 0;
}

static bool slurm_time(const char *text, int64_t now_us, bool past, int64_t *us)
{
	struct moment m = { .now_s = now_us / SECOND_US,
			    .past = past,
			    .year = -1,
			    .month = -1,
			    .hour = -1 };
	time_t now = (time_t)m.now_s;
	const char *p = word_scan(text, "uts");
	uint64_t n;

	if (p) {
		*us = torus_number_whole(p, 1000000, TORUS_MAX_SECONDS, &n) ?
			      (int64_t)n * SECOND_US :
			      -1;
		return *us >= 0;
	}
	p = word_scan(text, "now");
	if (p)
		return now_read(p, now_us, us);
	if (!localtime_r(&now, &m.now))
		return false;
	p = moment_scan(&m, text);
	if (p && *p) {
		const char *next = blanks_skip(p);

		if (next == p)
			next += *p == 'T' || *p == '-';
		p = next == p ? NULL : moment_scan(&m, next);
	}
	return p && !*p && moment_us(&m, us);
}

bool torus_slurm_time(const char *text, int64_t now_us, int64_t *us)
{
	return slurm_time(text, now_us, false, us);
}

bool torus_slurm_past_time(const char *text, int64_t now_us, int64_t *us)
{
	return slurm_time(text, now_us, true, us);
}

bool torus_slurm_memory(const char *text, uint64_t *mb, char *each)
{
	static const char units[] = "KMGT";
	struct torus_number n = { 0 };
	const char *p = torus_number_scan(text, &n), *unit;
	double value = (double)n.whole + n.micro * 1e-6;

	if (!p || *text == '-')
		return false;
	unit = *p ? strchr(units, toupper((unsigned char)*p)) : NULL;
	for (const char *u = units + 1; unit && u < unit; u++)
		value *= 1024;
	if (unit == units)
		value /= 1024;
	p += unit != NULL;
	*each = (char)tolower((unsigned char)*p);
	p += *p != '\0';
	if (*p || (*each && *each != 'n' && *each != 'c') || value > 1e12)
		return false;
	*mb = (uint64_t)value;
	*mb += (double)*mb < value;
	return true;
}
