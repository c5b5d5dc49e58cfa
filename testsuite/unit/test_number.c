/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in text, and values in Slurm's notation: the whole text counts, or nothing. What
 * Slurm reads from the same words was asked of Slurm 22.05.8 (parse_time(),
 * time_str2mins(), verify_node_count()). */
#include "unit.h"

#include <math.h>
#include <time.h>

#include "torus/number.h"
#include "torus/plan.h"
#include "trace/formats/slurm_words.h"

static void numbers_in_range_are_taken(void **state)
{
	static const struct {
		const char *text;
		int64_t whole;
		int32_t micro;
		uint8_t decimals;
		const char *rest;
	} table[] = {
		{ "0", 0, 0, 0, "" },
		{ "-1 x", -1, 0, 0, " x" },
		{ "007,", 7, 0, 0, "," },
		{ "12.5", 12, 500000, 1, "" },
		{ "-12.5", -12, -500000, 1, "" },
		{ "-0.25", 0, -250000, 2, "" },
		{ "1.000001", 1, 1, 6, "" },
		{ "1.0000004", 1, 0, 7, "" },
		{ "1.0000005", 1, 1, 7, "" },
		{ "1.00000049999", 1, 0, 11, "" },
		{ "0.9999999", 0, 1000000, 7, "" },
		{ "999999999999999999", 999999999999999999, 0, 0, "" },
		{ "-999999999999999999", -999999999999999999, 0, 0, "" },
		{ "5e3", 5, 0, 0, "e3" },
		{ "0x10", 0, 0, 0, "x10" },
		{ "1.5.5", 1, 500000, 1, ".5" },
	};
	struct torus_number n;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const char *rest = torus_number_scan(table[i].text, &n);

		assert_non_null(rest);
		assert_string_equal(rest, table[i].rest);
		assert_true(n.whole == table[i].whole);
		assert_int_equal(n.micro, table[i].micro);
		assert_int_equal(n.decimals, table[i].decimals);
	}
}

static void junk_signs_and_overflow_are_refused(void **state)
{
	static const char *const table[] = {
		"",
		"-",
		"+1",
		" 1",
		"x",
		".5",
		"1.",
		"1.x",
		"--1",
		"nan",
		"inf",
		"1000000000000000000",
		"99999999999999999999999999",
	};
	struct torus_number n;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (torus_number_scan(table[i], &n))
			fail_msg("\"%s\" was taken", table[i]);
}

static void to_microseconds(void **state)
{
	struct torus_number n;
	int64_t us;

	(void)state;
	torus_number_scan("1000000000000", &n);
	assert_true(torus_number_us(&n, &us) && us == 1000000000000000000);
	torus_number_scan("1000000000001", &n);
	assert_false(torus_number_us(&n, &us));
	torus_number_scan("-1000000000001", &n);
	assert_false(torus_number_us(&n, &us));
	torus_number_scan("-1.5", &n);
	assert_true(torus_number_us(&n, &us) && us == -1500000);
	torus_number_scan("0.9999999", &n);
	assert_true(torus_number_us(&n, &us) && us == 1000000);
}

/* What no number and no word of Slurm's ends with or is. */
static const char *const junk[] = {
	"x",  " ",    "\t",     "\n",  "\r",   ".",   ",",      "-",
	"+",  "e3",   "Z",      "_",   "%",    ";",   ":",      "/",
	"\"", "\x01", "\u0660", "k k", "0x1 ", "nan", "\u00a0",
};

static void whole_numbers_are_read_to_the_last_character(void **state)
{
	static const char *const wrong[] = { "",
					     " 1",
					     "+1",
					     "-1",
					     "1.0",
					     "1e3",
					     "0x10",
					     "1,0",
					     "nan",
					     "inf",
					     "\u0661",
					     "18446744073709551616",
					     "99999999999999999999999" };
	char text[64];
	uint64_t n;
	int64_t i;

	(void)state;
	assert_true(torus_number_whole("0", 0, 9, &n) && n == 0);
	assert_true(torus_number_whole("007", 0, 9, &n) && n == 7);
	assert_true(
		torus_number_whole("18446744073709551615", 0, UINT64_MAX, &n) &&
		n == UINT64_MAX);
	assert_false(torus_number_whole("10", 0, 9, &n));
	assert_false(torus_number_whole("1", 2, 9, &n));
	assert_true(torus_number_signed("-9223372036854775808", INT64_MIN,
					INT64_MAX, &i) &&
		    i == INT64_MIN);
	assert_true(torus_number_signed("9223372036854775807", INT64_MIN,
					INT64_MAX, &i) &&
		    i == INT64_MAX);
	assert_false(torus_number_signed("9223372036854775808", INT64_MIN,
					 INT64_MAX, &i));
	assert_false(torus_number_signed("--1", INT64_MIN, INT64_MAX, &i));
	assert_false(torus_number_signed("-", INT64_MIN, INT64_MAX, &i));
	for (size_t k = 0; k < UNIT_ROWS(wrong); k++)
		assert_false(torus_number_whole(wrong[k], 0, UINT64_MAX, &n));
	for (size_t k = 0; k < UNIT_ROWS(junk); k++) {
		snprintf(text, sizeof(text), "12%s", junk[k]);
		assert_false(torus_number_whole(text, 0, UINT64_MAX, &n));
		assert_false(torus_number_signed(text, 0, INT64_MAX, &i));
	}
}

static void seconds_and_decimals_are_read_to_the_last_character(void **state)
{
	static const char *const wrong[] = {
		"",   "-1",        "+1",  ".5",  "1.",  "1e3",
		" 1", "1.0000001", "nan", "inf", "0x1", "1000000000001"
	};
	static const char *const wrong_decimal[] = {
		"",   "-",   ".",   "-.", "+1",  "1e",    "1e+",  "e5",
		" 1", "nan", "inf", "1f", "0x1", "1e999", "1..2", "1e5.5"
	};
	char text[64];
	int64_t us;
	double f;

	(void)state;
	assert_true(torus_number_seconds("1.5", &us) && us == 1500000);
	assert_true(torus_number_seconds("0", &us) && us == 0);
	assert_true(torus_number_seconds("1000000000000", &us) &&
		    us == INT64_C(1000000000000000000));
	assert_true(torus_number_decimal("1.5", &f) && f == 1.5);
	assert_true(torus_number_decimal("-.5e-1", &f) && f == -.05);
	assert_true(torus_number_decimal("1E+3", &f) && f == 1000);
	for (size_t k = 0; k < UNIT_ROWS(wrong); k++)
		assert_false(torus_number_seconds(wrong[k], &us));
	for (size_t k = 0; k < UNIT_ROWS(wrong_decimal); k++)
		assert_false(torus_number_decimal(wrong_decimal[k], &f));
	for (size_t k = 0; k < UNIT_ROWS(junk); k++) {
		snprintf(text, sizeof(text), "1.5%s", junk[k]);
		assert_false(torus_number_seconds(text, &us));
		assert_true(!torus_number_decimal(text, &f) ||
			    strcmp(junk[k], "e3") == 0);
	}
}

static void durations_are_as_slurm_takes_them(void **state)
{
	static const struct {
		const char *text;
		int64_t minutes; /* -1: without end */
	} table[] = {
		{ "0", 0 },
		{ "30", 30 },
		{ "007", 7 },
		{ "90:00", 90 },
		{ "0:30", 1 },
		{ "1:01", 2 },
		{ "2:00:00", 120 },
		{ "25:70:30", 25 * 60 + 71 },
		{ "1-0", 1440 },
		{ "1-2", 26 * 60 },
		{ "1-12", 36 * 60 },
		{ "0-36", 36 * 60 },
		{ "1-2:30", 26 * 60 + 30 },
		{ "1-2:30:01", 26 * 60 + 31 },
		{ "24855-0", 24855 * 1440 },
		{ "35791394", 35791394 },
		{ "UNLIMITED", -1 },
		{ "infinite", -1 },
	};
	static const char *const wrong[] = {
		"",
		"-",
		"-1",
		"-5",
		"1-",
		"-1:00",
		"1:",
		":1",
		"1::2",
		"1:2:3:4",
		"1-2-3",
		"1-2:3:4:5",
		"1:2-3",
		"1.5",
		"1h",
		"30m",
		"1e3",
		"0x10",
		"nan",
		"inf",
		" 30",
		"+30",
		"35791395",
		"24855-4",
		"99999999999999999-1",
		"4294967297",
		"18446744073709551617",
		"2147483648:0:0",
		"unlimitedly",
		"un",
		"1-UNLIMITED",
		"1 - 2",
	};
	char text[64];
	int64_t us;

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		int64_t want = table[i].minutes < 0 ?
				       TORUS_NO_TIME :
				       table[i].minutes * 60000000;

		if (!torus_slurm_duration(table[i].text, &us) || us != want)
			fail_msg("\"%s\" is %lld us", table[i].text,
				 (long long)us);
		for (size_t k = 0; k < UNIT_ROWS(junk); k++) {
			snprintf(text, sizeof(text), "%s%s", table[i].text,
				 junk[k]);
			if (torus_slurm_duration(text, &us))
				fail_msg("\"%s\" was taken", text);
		}
	}
	for (size_t i = 0; i < UNIT_ROWS(wrong); i++)
		if (torus_slurm_duration(wrong[i], &us))
			fail_msg("\"%s\" was taken", wrong[i]);
}

static void node_counts_are_as_sbatch_takes_them(void **state)
{
	static const struct {
		const char *text;
		uint32_t least, most;
	} table[] = {
		{ "1", 1, 1 },
		{ "4", 4, 4 },
		{ "04", 4, 4 },
		{ "1-4", 1, 4 },
		{ "2k", 2048, 2048 },
		{ "1K-2K", 1024, 2048 },
		{ "4-4", 4, 4 },
		{ "1m", 1048576, 1048576 },
		{ "16M", 16777216, 16777216 },
	};
	static const char *const wrong[] = {
		"",      "0",          "-4",
		"0-2",   "4-",         "4-2",
		"4abc",  "2kk",        "2km",
		"1k ",   " 4",         "+4",
		"4.0",   "4e1",        "0x4",
		"nan",   "4294967297", "17m",
		"1-2-3", "16777217",   "18446744073709551617",
		"1 -4",  "1,4",
	};
	uint32_t least, most;
	double priority;

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++)
		if (!torus_slurm_nodes(table[i].text, &least, &most) ||
		    least != table[i].least || most != table[i].most)
			fail_msg("\"%s\" is %u-%u", table[i].text, least, most);
	for (size_t i = 0; i < UNIT_ROWS(wrong); i++)
		if (torus_slurm_nodes(wrong[i], &least, &most))
			fail_msg("\"%s\" was taken", wrong[i]);
	assert_true(torus_slurm_priority("4294967293", &priority));
	assert_true(torus_slurm_priority("0.5", &priority) && priority == .5);
	assert_false(torus_slurm_priority("4294967294", &priority));
	assert_false(torus_slurm_priority("nan", &priority));
	assert_false(torus_slurm_priority("-1", &priority));
	assert_false(torus_slurm_priority("1e3", &priority));
	assert_false(torus_slurm_priority("", &priority));
}

static void times_are_as_slurm_takes_them(void **state)
{
	/* now: Wednesday, 2026-11-25T14:30:15 */
	static const struct {
		const char *text, *time;
	} table[] = {
		{ "now", "2026-11-25T14:30:15" },
		{ "NOW", "2026-11-25T14:30:15" },
		{ "now+1", "2026-11-25T14:30:16" },
		{ "now+3600", "2026-11-25T15:30:15" },
		{ "now + 1 hour", "2026-11-25T15:30:15" },
		{ "now+1hour", "2026-11-25T15:30:15" },
		{ "now+2HOURS", "2026-11-25T16:30:15" },
		{ "now+90minutes", "2026-11-25T16:00:15" },
		{ "now-10minute", "2026-11-25T14:20:15" },
		{ "now+5seconds", "2026-11-25T14:30:20" },
		{ "now+1day", "2026-11-26T14:30:15" },
		{ "now+2weeks", "2026-12-09T14:30:15" },
		{ "uts1795612215", "2026-11-25T14:10:15" },
		{ "today", "2026-11-25T00:00:00" },
		{ "tomorrow", "2026-11-26T00:00:00" },
		{ "midnight", "2026-11-26T00:00:00" },
		{ "noon", "2026-11-26T12:00:00" },
		{ "fika", "2026-11-25T15:00:00" },
		{ "teatime", "2026-11-25T16:00:00" },
		{ "tomorrow-noon", "2026-11-26T12:00:00" },
		{ "noon tomorrow", "2026-11-26T12:00:00" },
		{ "teatime today", "2026-11-25T16:00:00" },
		{ "16:00", "2026-11-25T16:00:00" },
		{ "14:30", "2026-11-26T14:30:00" },
		{ "14:31:05", "2026-11-25T14:31:05" },
		{ "9:05", "2026-11-26T09:05:00" },
		{ "4:00PM", "2026-11-25T16:00:00" },
		{ "4:00 pm", "2026-11-25T16:00:00" },
		{ "12:30am", "2026-11-26T00:30:00" },
		{ "12:30 PM", "2026-11-26T12:30:00" },
		{ "1125", "2027-11-25T00:00:00" },
		{ "1126", "2026-11-26T00:00:00" },
		{ "0131", "2027-01-31T00:00:00" },
		{ "013128", "2028-01-31T00:00:00" },
		{ "1/31", "2027-01-31T00:00:00" },
		{ "01/31/28", "2028-01-31T00:00:00" },
		{ "01.31", "2027-01-31T00:00:00" },
		{ "01.31.28", "2028-01-31T00:00:00" },
		{ "01/31-12:00", "2027-01-31T12:00:00" },
		{ "01/31/28-12:00:30", "2028-01-31T12:00:30" },
		{ "12:00 01/31", "2027-01-31T12:00:00" },
		{ "11/25-15:00", "2026-11-25T15:00:00" },
		{ "11/25-14:30", "2027-11-25T14:30:00" },
		{ "2027-01-31", "2027-01-31T00:00:00" },
		{ "2027-01-3", "2027-01-03T00:00:00" },
		{ "2027-01-31T12:00", "2027-01-31T12:00:00" },
		{ "2027-01-31T12:00:30", "2027-01-31T12:00:30" },
		{ "2027-01-31 12:00", "2027-01-31T12:00:00" },
		{ "2028-02-29", "2028-02-29T00:00:00" },
		{ "02/29/28", "2028-02-29T00:00:00" },
	};
	static const char *const wrong[] = {
		"",
		" ",
		"never",
		"now+",
		"now-",
		"now1",
		"now+1h",
		"now+1min",
		"now+hour",
		"now+1hour2",
		"now+1 hour ago",
		"now+1.5hours",
		"now+-1",
		"now+99999999999999999999",
		"now+2147483648",
		"now-99999weeks",
		"now tomorrow",
		"uts",
		"uts1",
		"uts1795612215x",
		"2027-02-31",
		"2027-02-29",
		"2100-02-29",
		"02/29/27",
		"02/30",
		"2027-13-01",
		"2027-00-01",
		"2027-01-00",
		"2027-01-32",
		"2027-1-31",
		"1969-12-31",
		"2027-01-31T",
		"2027-01-31T24:00",
		"2027-01-31T12",
		"2027-01-31T12:60",
		"2027-01-31T12:00:60",
		"2027-01-31T12:00:00Z",
		"2027-01-31T12:00:00+01:00",
		"2027-01-31T12:00:00.5",
		"2027-01-31T12:00:00garbage",
		"2027-01-31TT12:00",
		"2027-01-31 - 12:00",
		"T2027-01-31",
		"12:00:00:00",
		"13:00 PM",
		"12:0",
		"1:2:3",
		"25:00",
		"131",
		"13/01",
		"00/01",
		"01/31/2027",
		"01/31/2",
		"today tomorrow",
		"noon 12:00",
		"noon noon",
		"noon tomorrow noon",
		"tea",
		"-1",
		"1e9",
		"nan",
		"99999999999999999999",
	};
	int64_t now_us, us;
	char text[64];
	struct tm tm;
	time_t t;

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	now_us = INT64_C(1795613415000000);
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		us = -1;
		if (!torus_slurm_time(table[i].text, now_us, &us))
			fail_msg("\"%s\" was refused", table[i].text);
		t = (time_t)(us / 1000000);
		localtime_r(&t, &tm);
		strftime(text, sizeof(text), "%FT%T", &tm);
		if (strcmp(text, table[i].time))
			fail_msg("\"%s\" is %s, not %s", table[i].text, text,
				 table[i].time);
		for (size_t k = 0; k < UNIT_ROWS(junk); k++) {
			snprintf(text, sizeof(text), "%s%s", table[i].text,
				 junk[k]);
			if (torus_slurm_time(text, now_us, &us))
				fail_msg("\"%s\" was taken", text);
		}
	}
	for (size_t i = 0; i < UNIT_ROWS(wrong); i++)
		if (torus_slurm_time(wrong[i], now_us, &us))
			fail_msg("\"%s\" was taken", wrong[i]);
	assert_true(torus_slurm_local_date("2027-01-31T12:00:00", &us) &&
		    us == INT64_C(1801393200000000));
	assert_true(torus_slurm_local_date("2027-07-31T12:00:00", &us) &&
		    us == INT64_C(1817028000000000));
	assert_false(torus_slurm_local_date("2027-02-31T12:00:00", &us));
	assert_false(torus_slurm_local_date("2027-01-31T12:00:00Z", &us));
	assert_false(torus_slurm_local_date("Unknown", &us));
	assert_false(torus_slurm_local_date("", &us));
}

/* sacct takes a time of day as today's, and a date without a year as this year's up to the
 * end of this month. */
static void a_past_time_is_read_as_sacct_reads_it(void **state)
{
	static const struct {
		const char *text, *time;
	} table[] = {
		{ "06:00", "2026-11-25T06:00:00" },
		{ "14:30", "2026-11-25T14:30:00" },
		{ "23:59", "2026-11-25T23:59:00" },
		{ "midnight", "2026-11-25T00:00:00" },
		{ "noon tomorrow", "2026-11-26T12:00:00" },
		{ "1101", "2026-11-01T00:00:00" },
		{ "11/25-14:30", "2026-11-25T14:30:00" },
		{ "11/30", "2026-11-30T00:00:00" },
		{ "12/01", "2025-12-01T00:00:00" },
		{ "01/31-12:00", "2026-01-31T12:00:00" },
		{ "01/31/28", "2028-01-31T00:00:00" },
		{ "2025-01-31", "2025-01-31T00:00:00" },
		{ "now-1hour", "2026-11-25T13:30:15" },
		{ "today", "2026-11-25T00:00:00" },
	};
	char text[64];
	int64_t us;
	struct tm tm;
	time_t t;

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		if (!torus_slurm_past_time(table[i].text,
					   INT64_C(1795613415000000), &us))
			fail_msg("\"%s\" was refused", table[i].text);
		t = (time_t)(us / 1000000);
		localtime_r(&t, &tm);
		strftime(text, sizeof(text), "%FT%T", &tm);
		if (strcmp(text, table[i].time))
			fail_msg("\"%s\" is %s, not %s", table[i].text, text,
				 table[i].time);
	}
	assert_false(torus_slurm_past_time("morning", INT64_C(1795613415000000),
					   &us));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_in_range_are_taken),
		cmocka_unit_test(junk_signs_and_overflow_are_refused),
		cmocka_unit_test(to_microseconds),
		cmocka_unit_test(whole_numbers_are_read_to_the_last_character),
		cmocka_unit_test(
			seconds_and_decimals_are_read_to_the_last_character),
		cmocka_unit_test(durations_are_as_slurm_takes_them),
		cmocka_unit_test(node_counts_are_as_sbatch_takes_them),
		cmocka_unit_test(times_are_as_slurm_takes_them),
		cmocka_unit_test(a_past_time_is_read_as_sacct_reads_it),
	};

	return UNIT_RUN(tests);
}
