/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values in Slurm's notation, as its commands take and print them. Each function takes
 * the whole text or returns false; blanks and other text before or after a value are
 * refused, also where Slurm overlooks them, and so is what Slurm reads as another value:
 * 2027-02-31 (3 March), 9999999999 minutes (a negative time). Times are in microseconds.
 */
#ifndef TRACE_SLURM_WORDS_H
#define TRACE_SLURM_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* What Slurm prints: a date, 2024-05-31T23:59:59, in a file without a time zone, or with
 * an offset (Z, +0200), a blank for the T or decimals, or seconds since 1970; the same
 * plain date in local time; and a span, [DAYS-[HOURS:]]MINUTES:SECONDS[.FRACTION]. */
bool torus_slurm_date(const char *text, int64_t *us);
/* A date, or one without seconds or without a time, which is midnight: as options and
 * tables of other programs have it. */
bool torus_slurm_day(const char *text, int64_t *us);
bool torus_slurm_local_date(const char *text, int64_t *us);
/* Write a time of a trace as it is printed in tables and read by torus_slurm_day(); of a
 * clock that does not begin in 1970: seconds. */
#define TORUS_SLURM_DAY_SIZE 32
const char *torus_slurm_day_text(int64_t us, char text[TORUS_SLURM_DAY_SIZE]);
bool torus_slurm_span(const char *text, int64_t *us);

/* What users write, and the same as words for messages. */

/*
 * A time limit or a duration: MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS,
 * DAYS-HOURS, DAYS-HOURS:MINUTES, DAYS-HOURS:MINUTES:SECONDS. Rounded up to minutes, as
 * Slurm does; at most 2^31 - 1 seconds, Slurm's largest. UNLIMITED or INFINITE is
 * TORUS_NO_TIME.
 */
#define TORUS_SLURM_DURATION                                                   \
	"minutes, or for example 30:00, 2:00:00, 1-12 or 1-12:30:00"
bool torus_slurm_duration(const char *text, int64_t *us);

/* Return "; write 2:00:00" for a duration with a unit, such as 2h or 90m, else "". */
#define TORUS_SLURM_HINT_SIZE 40
const char *torus_slurm_duration_hint(const char *text,
				      char hint[TORUS_SLURM_HINT_SIZE]);

/*
 * A time from now on: now[{+|-}COUNT[seconds|minutes|hours|days|weeks]]; a date, a time
 * of day or both: today, tomorrow, YYYY-MM-DD, MMDD[YY], MM/DD[/YY], MM.DD[.YY];
 * midnight, noon, fika, teatime, HH:MM[:SS] [AM|PM]; between them a T, a - or blanks;
 * uts and seconds since 1970. A time of day alone is the next such time, a date without
 * a year the next such date, a date alone its midnight. In local time.
 */
#define TORUS_SLURM_TIME                                                       \
	"for example now+1hour, tomorrow, 16:00, 01/31-12:00 or 2027-01-31T12:00:00"
bool torus_slurm_time(const char *text, int64_t now_us, int64_t *us);

/* The same as sacct -S reads it: a time of day alone is today's, a date without a year
 * is of the last year if its month is later than this one, else of this year. */
bool torus_slurm_past_time(const char *text, int64_t now_us, int64_t *us);

/* A number of nodes, or a range of them: 4, 1-4; 2k is 2048, 1m is 1048576. At least 1,
 * at most TORUS_MAX_NODES. */
#define TORUS_SLURM_NODES "a number of nodes from 1, or a range such as 2-4"
bool torus_slurm_nodes(const char *text, uint32_t *least, uint32_t *most);

/* Memory in MB, or with K, M, G or T: 4000, 1.5G. *each: 'n' or 'c' behind it, as in
 * ReqMem before Slurm 21.08 (4Gn: on each node, 2Gc: for each CPU); 0: none. */
#define TORUS_SLURM_MEMORY "memory such as 4000 (MB), 16G, 4Gn or 2Gc"
bool torus_slurm_memory(const char *text, uint64_t *mb, char *each);

/* A priority as sbatch takes it, 0 to 4294967293. */
#define TORUS_SLURM_PRIORITY "a number from 0 to 4294967293"
bool torus_slurm_priority(const char *text, double *priority);

#endif
