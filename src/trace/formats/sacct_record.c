/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job from the columns of a record of sacct (sacct.h).
 *
 * A resized job is one job, from its first submit and start, with its last size. It has a
 * record for each size (RESIZING but for the last), all but the first submitted at the
 * end of the one before; other jobs may stand between them. Slurm 22.05 writes the whole
 * run in the last record. In 24.11 each record begins at the resize, so they are added.
 * That needs Start and End.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "torus/alloc.h"
#include "trace/formats/sacct.h"
#include "trace/formats/slurm_words.h"

#define HOUR_US INT64_C(3600000000)
#define PARTS 256 /* resized jobs at a time; if more, the oldest is dropped */

/* Earlier parts of a resized job, up to a resize. */
struct part {
	char id[TORUS_TRACE_ID_SIZE];
	int64_t submit_us, start_us, run_us, end_us;
};

struct torus_sacct_record {
	const struct torus_trace_choice *choice;
	uint32_t parts;
	struct part part[PARTS];  /* whose next record is still missing */
	struct torus_error words; /* scratch: errors of a shape */
};

struct torus_sacct_record *
torus_sacct_record_create(const struct torus_trace_choice *choice)
{
	struct torus_sacct_record *s = torus_alloc(1, sizeof(*s));

	if (s)
		s->choice = choice;
	return s;
}

void torus_sacct_record_destroy(struct torus_sacct_record *s)
{
	torus_free(s);
}

static bool sacct_is_unknown(const char *text)
{
	return !*text || !strcasecmp(text, "Unknown") ||
	       !strcasecmp(text, "None");
}

/* TimelimitRaw counts minutes. */
static bool sacct_limit_read(const struct torus_sacct_row *row, int64_t *us,
			     char *why)
{
	const char *raw = row->field[SACCT_TIMELIMITRAW];
	const char *text = row->field[SACCT_TIMELIMIT];
	struct torus_number n;
	const char *end;

	*us = -1;
	if (*raw && !isalpha((unsigned char)*raw)) {
		end = torus_number_scan(raw, &n);
		if (end && !*end && *raw != '-' &&
		    n.whole <= TORUS_TRACE_MAX_SECONDS / 60) {
			*us = (n.whole * 1000000 + n.micro) * 60;
			return true;
		}
		torus_sacct_error(why, SACCT_TIMELIMITRAW, raw, "minutes");
		return false;
	}
	/* UNLIMITED, Partition_Limit or empty: unknown */
	if (!*text || isalpha((unsigned char)*text) ||
	    torus_slurm_span(text, us))
		return true;
	torus_sacct_error(why, SACCT_TIMELIMIT, text,
			  "days-hours:minutes:seconds");
	return false;
}

static bool sacct_unfinished(uint32_t seen, const struct torus_sacct_row *row)
{
	static const char *const states[] = { "PENDING", "RUNNING",
					      "SUSPENDED" };
	const char *state = row->field[SACCT_STATE];
	size_t i;

	for (i = 0; i < 3; i++)
		if (!strncasecmp(state, states[i], strlen(states[i])))
			return true;
	return seen >> SACCT_END & 1 && sacct_is_unknown(row->field[SACCT_END]);
}

/* Read the run time, without suspended time if that is known. Return JOB,
 * NO_RUN or BAD. */
static enum torus_trace_line run_read(uint32_t seen,
				      const struct torus_sacct_row *row,
				      int64_t *us, char *why)
{
	const char *raw = row->field[SACCT_ELAPSEDRAW];
	const char *text = row->field[SACCT_ELAPSED];
	int64_t start_us, end_us;

	*us = 0;
	if (seen >> SACCT_START & 1 && sacct_is_unknown(row->field[SACCT_START]))
		return TORUS_TRACE_LINE_NO_RUN;
	if (*raw) {
		if (!isdigit((unsigned char)*raw) || !torus_slurm_date(raw, us))
			return torus_sacct_error(why, SACCT_ELAPSEDRAW, raw,
						 "seconds");
	} else if (*text) {
		if (!torus_slurm_span(text, us))
			return torus_sacct_error(why, SACCT_ELAPSED, text,
						 "days-hours:minutes:seconds");
	} else if (!torus_slurm_date(row->field[SACCT_START], &start_us)) {
		return torus_sacct_error(why, SACCT_START,
					 row->field[SACCT_START],
					 "a time like 2024-05-31T23:59:59");
	} else if (!torus_slurm_date(row->field[SACCT_END], &end_us)) {
		return torus_sacct_error(why, SACCT_END, row->field[SACCT_END],
					 "a time like 2024-05-31T23:59:59");
	} else {
		*us = end_us - start_us;
	}
	return *us > 0 ? TORUS_TRACE_LINE_JOB : TORUS_TRACE_LINE_NO_RUN;
}

/* Copy; cut names that are too long, and replace control characters by '?'. */
static void name_copy(const char *text, char *to, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && text[i]; i++)
		to[i] = text[i];
	to[i] = '\0';
	torus_error_plain(to);
}

static void part_drop(struct torus_sacct_record *s, uint32_t i)
{
	s->parts--;
	memmove(s->part + i, s->part + i + 1, (s->parts - i) * sizeof(*s->part));
}

/* Return the index of the part that ended when this record was submitted, or
 * s->parts. */
static uint32_t part_find(const struct torus_sacct_record *s,
			  const struct torus_trace_record *record)
{
	uint32_t i;

	for (i = 0; i < s->parts; i++)
		if (s->part[i].end_us == record->submit_us &&
		    !strcmp(s->part[i].id, record->id))
			break;
	return i;
}

static void part_join(struct torus_sacct_record *s,
		      struct torus_trace_record *record)
{
	const int64_t most = TORUS_TRACE_MAX_SECONDS * 1000000;
	uint32_t i = part_find(s, record);
	const struct part *part = &s->part[i];

	if (i < s->parts) {
		if (record->start_us > part->start_us)
			record->run_us += part->run_us;
		if (record->run_us > most)
			record->run_us = most;
		record->start_us = part->start_us;
		record->submit_us = part->submit_us;
		part_drop(s, i);
	}
	/* If the first part is missing, submit is the time of the resize; else a clock is wrong. */
	record->early = record->start_us < record->submit_us;
	if (record->early)
		record->submit_us = record->start_us;
}

static void part_keep(struct torus_sacct_record *s,
		      const struct torus_sacct_row *row,
		      const struct torus_trace_record *record)
{
	struct part *part;
	int64_t end_us;

	if (!torus_slurm_date(row->field[SACCT_END], &end_us))
		return;
	if (s->parts == PARTS)
		part_drop(s, 0);
	part = &s->part[s->parts++];
	memcpy(part->id, record->id, sizeof(part->id));
	part->submit_us = record->submit_us;
	part->start_us = record->start_us;
	part->run_us = record->run_us > 0 ? record->run_us : 0;
	part->end_us = end_us;
}

/* Set the names, and what the row may lack. */
static void record_begin(const struct torus_sacct_row *row, const char *id,
			 struct torus_trace_record *record)
{
	name_copy(id, record->id, sizeof(record->id));
	name_copy(row->field[SACCT_USER], record->user, sizeof(record->user));
	name_copy(row->field[SACCT_PARTITION], record->partition,
		  sizeof(record->partition));
	name_copy(row->field[SACCT_ACCOUNT], record->account,
		  sizeof(record->account));
	name_copy(row->field[SACCT_QOS], record->qos, sizeof(record->qos));
	name_copy(row->field[SACCT_CLUSTER], record->cluster,
		  sizeof(record->cluster));
	record->accounting =
		(struct torus_trace_account){ .end_us = TORUS_NO_TIME };
	record->component = strchr(id, '+') != NULL;
	record->deadline_us = TORUS_NO_TIME;
	record->open = record->early = record->shifted = false;
	record->shaped = false;
	record->start_us = TORUS_NO_TIME;
	record->eligible_us = TORUS_NO_TIME;
	record->priority = 0;
}

enum torus_trace_line torus_sacct_record_read(struct torus_sacct_record *s,
					      uint32_t seen,
					      const struct torus_sacct_row *row,
					      struct torus_trace_record *record,
					      char *why)
{
	const char *id = torus_sacct_first_of(row, SACCT_JOBID, SACCT_JOBIDRAW);
	const char *priority = row->field[SACCT_PRIORITY];
	const char *eligible = row->field[SACCT_ELIGIBLE];
	const char *state = row->field[SACCT_STATE];
	int64_t end_us;
	bool resizing;

	if (!*id)
		return torus_sacct_error(why, SACCT_JOBID, id, "a job's number");
	if (strchr(id, '.'))
		return TORUS_TRACE_LINE_STEP;
	if (!torus_slurm_date(row->field[SACCT_SUBMIT], &record->submit_us))
		return torus_sacct_error(why, SACCT_SUBMIT,
					 row->field[SACCT_SUBMIT],
					 "a time like 2024-05-31T23:59:59, or seconds");
	record_begin(row, id, record);
	if (!sacct_is_unknown(eligible) &&
	    !torus_slurm_date(eligible, &record->eligible_us))
		return torus_sacct_error(why, SACCT_ELIGIBLE, eligible,
					 "a time like 2024-05-31T23:59:59, or seconds");
	if (*priority && !torus_number_decimal(priority, &record->priority))
		return torus_sacct_error(why, SACCT_PRIORITY, priority,
					 "a number");
	/* a line that is cut or has separators elsewhere looks like this */
	if (*state && !isupper((unsigned char)*state))
		return torus_sacct_error(why, SACCT_STATE, state,
					 "a state such as COMPLETED");
	if (!torus_sacct_size_read(s->choice->size, row, record, why) ||
	    (s->choice->size == TORUS_TRACE_SIZE_CPUS &&
	     !torus_sacct_parts_read(row, record, why)) ||
	    !sacct_limit_read(row, &record->limit_us, why))
		return TORUS_TRACE_LINE_BAD;
	if (!torus_slurm_date(row->field[SACCT_START], &record->start_us))
		record->start_us = TORUS_NO_TIME;
	if (sacct_unfinished(seen, row)) {
		/* of sacct -T: it has an end, that of the window */
		record->open = torus_slurm_date(row->field[SACCT_END],
						&end_us) &&
			       run_read(seen, row, &record->run_us, why) ==
				       TORUS_TRACE_LINE_JOB;
		return TORUS_TRACE_LINE_UNFINISHED;
	}
	resizing = !strncasecmp(state, "RESIZING", 8);
	if (run_read(seen, row, &record->run_us, why) == TORUS_TRACE_LINE_BAD)
		return TORUS_TRACE_LINE_BAD;
	/* Without Start it is unknown whether this run includes the others. */
	if (record->start_us != TORUS_NO_TIME) {
		part_join(s, record);
		if (resizing)
			part_keep(s, row, record);
	}
	if (resizing)
		return TORUS_TRACE_LINE_PARTIAL;
	if (record->run_us <= 0)
		return TORUS_TRACE_LINE_NO_RUN;
	if (!record->requested)
		return TORUS_TRACE_LINE_NO_PROCESSORS;
	if (!torus_slurm_date(row->field[SACCT_END], &record->accounting.end_us))
		record->accounting.end_us = TORUS_NO_TIME;
	/* (seconds since 1970 know no summer time: then it was suspended) */
	if (record->start_us != TORUS_NO_TIME &&
	    record->accounting.end_us != TORUS_NO_TIME &&
	    strchr(row->field[SACCT_START], ':'))
		record->shifted = llabs(record->accounting.end_us -
					record->start_us - record->run_us) ==
				  HOUR_US;
	record->accounting.nodes = record->requested;
	record->featured = *row->field[SACCT_CONSTRAINTS];
	record->reserved = *row->field[SACCT_RESERVATION];
	record->licensed = *row->field[SACCT_LICENSES];
	return torus_comment_read(row->field[SACCT_ADMINCOMMENT], record,
				  &s->words, why);
}
