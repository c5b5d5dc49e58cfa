/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of a site's job history: the output of `sacct --parsable2` (or --parsable),
 * fields in any order, separated by the character after the first name:
 *
 *	SLURM_TIME_FORMAT=%s sacct -a -X -D -S 2024-01-01 -P \
 *	    -o JobID,User,Submit,Eligible,Start,End,ElapsedRaw,NNodes \
 *	    -o TimelimitRaw,State,Priority,AdminComment
 *
 * See columns[] for the fields that it uses. Eligible is for storus parity: when begin
 * time and dependencies were satisfied. ReqNodes comes last among the sizes, as it is 1
 * for jobs that asked for tasks. AdminComment has the requested shape (torus:ask=) or the
 * granted one (torus:place=); a replay may try another policy than its `placement=`.
 *
 *	a step (12.batch, 12.0)		counted, not a job
 *	tasks that wait (12_[4-9])	one record: still waiting
 *	part of a het job (12+1)	a job of its own, and counted
 *	PENDING, RUNNING, SUSPENDED,	still waiting or running: skipped and
 *	or End is Unknown		counted, as its run time is not known
 *	Start is None or Unknown	never ran: skipped and counted
 *	requeued (-D)			every run is a job
 *
 * sacct does not escape: a name or comment may hold separators and line ends. In a file
 * with such columns a record is held until the next one has been read. If it and the
 * lines behind it are also another record, it is reported and not read.
 */
#include "trace/formats/sacct.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/file.h"
#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"
#include "trace/select.h"

#define LINES 64   /* of a record with line ends in its free text */
#define FAR 100000 /* numbers of jobs that follow one another: at most */
#define EVIDENCE                                                               \
	4 /* so many recognized columns show that a line begins a
		      record; sacct_divide.c weighs them */

struct sacct {
	struct torus_trace_header *about;
	const struct torus_trace_choice *choice;
	bool header; /* header was read */
	bool row;    /* the line before belongs to a record */
	struct torus_sacct_layout layout;
	struct torus_sacct_record *records;

	/* Lines that are not returned yet, joined by line feeds: those before
	 * `at` are no record; the `held` ones behind them are one, as far as the
	 * later ones show. */
	struct torus_text open, copy;
	uint32_t lines, at, held;
	size_t from[LINES + 1]; /* offset of each */
	uint64_t number[LINES + 1];
	struct torus_trace_record record; /* the held one */
	enum torus_trace_line what;
	uint64_t hash, id;      /* of its values; its number, or the last one */
	bool mended;            /* text with separators or line ends */
	struct torus_text next; /* header behind the lines, or empty */
	bool ended;             /* the file */
};

static void sacct_destroy(void *self)
{
	struct sacct *s = self;

	torus_sacct_record_destroy(s->records);
	torus_text_free(&s->open);
	torus_text_free(&s->copy);
	torus_text_free(&s->next);
	torus_text_free(&s->record.only);
	torus_text_free(&s->record.text);
	torus_free(s->record.request);
	torus_free(s);
}

static void *sacct_create(struct torus_trace_header *header,
			  const struct torus_trace_choice *choice)
{
	struct sacct *s = torus_alloc(1, sizeof(*s));

	header->unix_start = 0;
	if (!s)
		return NULL;
	s->about = header;
	s->choice = choice;
	s->records = torus_sacct_record_create(choice);
	if (s->records)
		return s;
	sacct_destroy(s);
	return NULL;
}

static bool sacct_has_column(const struct sacct *s,
			     enum torus_sacct_column column)
{
	return s->layout.seen >> column & 1;
}

static enum torus_trace_line sacct_header_bad(char *why, const char *what)
{
	snprintf(why, TORUS_TRACE_WHY_SIZE,
		 "%s; `storus examples sacct` shows the command that writes them; of a file without names, name the columns with --columns JobID,User,...",
		 what);
	return TORUS_TRACE_LINE_REFUSED;
}

static enum torus_trace_line header_check(struct sacct *s, char *why)
{
	if (!sacct_has_column(s, SACCT_JOBID) &&
	    !sacct_has_column(s, SACCT_JOBIDRAW))
		return sacct_header_bad(why, "the column JobID is missing");
	if (!sacct_has_column(s, SACCT_SUBMIT))
		return sacct_header_bad(why, "the column Submit is missing");
	if (!sacct_has_column(s, SACCT_ELAPSED) &&
	    !sacct_has_column(s, SACCT_ELAPSEDRAW) &&
	    !(sacct_has_column(s, SACCT_START) &&
	      sacct_has_column(s, SACCT_END)))
		return sacct_header_bad(why,
					"the columns Start and End are missing");
	if (s->choice->size == TORUS_TRACE_SIZE_GPUS &&
	    !(s->layout.seen & (1u << SACCT_ALLOCTRES | 1u << SACCT_REQTRES)))
		return sacct_header_bad(
			why,
			"--size gpus: the column AllocTRES or ReqTRES is missing");
	if (s->choice->size == TORUS_TRACE_SIZE_CPUS &&
	    !(s->layout.seen & (1u << SACCT_ALLOCTRES | 1u << SACCT_REQTRES |
				1u << SACCT_ALLOCCPUS | 1u << SACCT_NCPUS |
				1u << SACCT_REQCPUS)))
		return sacct_header_bad(
			why,
			"--size cpus: the column AllocCPUS, ReqCPUS or ReqTRES is missing");
	if (s->choice->size == TORUS_TRACE_SIZE_NODES &&
	    !sacct_has_column(s, SACCT_NNODES) &&
	    !sacct_has_column(s, SACCT_ALLOCNODES) &&
	    !sacct_has_column(s, SACCT_REQNODES) &&
	    !sacct_has_column(s, SACCT_REQTRES) &&
	    !sacct_has_column(s, SACCT_ALLOCTRES))
		return sacct_header_bad(why, "the column NNodes is missing");
	if (s->choice->cluster && !sacct_has_column(s, SACCT_CLUSTER))
		return sacct_header_bad(why,
					"--cluster: the column Cluster is missing");
	if (s->choice->partition && !sacct_has_column(s, SACCT_PARTITION))
		return sacct_header_bad(why,
					"--partition: the column Partition is missing");
	if (s->choice->eligible && !sacct_has_column(s, SACCT_ELIGIBLE))
		return sacct_header_bad(
			why,
			"--arrivals eligible: the column Eligible is missing");
	s->about->eligible |= sacct_has_column(s, SACCT_ELIGIBLE);
	s->header = true;
	s->row = false;
	return TORUS_TRACE_LINE_NOTHING;
}

/* Lines that are no whole record, or may be part of a longer one */

/* Drop the first lines. */
static void open_shift(struct sacct *s, uint32_t lines)
{
	size_t gone = lines < s->lines ? s->from[lines] : s->open.length;

	s->lines -= lines;
	s->open.length -= gone;
	if (s->lines)
		memmove(s->open.data, s->open.data + gone, s->open.length + 1);
	for (uint32_t k = 0; k < s->lines; k++) {
		s->from[k] = s->from[k + lines] - gone;
		s->number[k] = s->number[k + lines];
	}
}

/* Copy the lines from k until e. Return false without memory. */
static bool open_copy(struct sacct *s, uint32_t k, uint32_t e)
{
	size_t end = e < s->lines ? s->from[e] - 1 : s->open.length;

	s->copy.length = 0;
	return torus_text_append(&s->copy, s->open.data + s->from[k],
				 end - s->from[k]) == 0;
}

/* Return true if a record may begin in line k. */
static bool open_begins(struct sacct *s, uint32_t k)
{
	return open_copy(s, k, k + 1) &&
	       torus_sacct_begins(&s->layout, s->copy.data);
}

/* Return the number of fields of line k if it has all dates of a record and half of the
 * fields, behind a number; else 0. */
static uint32_t open_full(const struct sacct *s, uint32_t k)
{
	const struct torus_sacct_layout *l = &s->layout;
	const char *p = s->open.data + s->from[k], *next;
	const char *end = s->open.data + (k + 1 < s->lines ? s->from[k + 1] - 1 :
							     s->open.length);
	uint32_t dates = 0, fields = 0;

	for (uint32_t i = 0; i < l->fields; i++)
		dates += l->kind[i] == SACCT_IS_DATE;
	if (dates < 2 ||
	    (l->kind[0] == SACCT_IS_ID && !isdigit((unsigned char)*p)))
		return 0;
	for (; p; p = next ? next + strlen(l->delimiter) : NULL, fields++) {
		char text[40] = "";
		size_t n;
		int64_t us;

		next = memmem(p, (size_t)(end - p), l->delimiter,
			      strlen(l->delimiter));
		n = (size_t)((next ? next : end) - p);
		if (n < sizeof(text))
			memcpy(text, p, n);
		if (dates && ((n > 8 && torus_slurm_date(text, &us)) ||
			      !strcmp(text, "Unknown") || !strcmp(text, "None")))
			dates--;
	}
	return !dates && 2 * fields >= l->fields ? fields : 0;
}

/* Return true if a line behind line k, which may be a record with too few fields, may be one
 * of about that time, too: then it is no text of the first. So are files whose line of names
 * has more columns than their rows. */
static bool open_is_short(const struct sacct *s, uint32_t k)
{
	uint64_t id = torus_number_of(s->open.data + s->from[k]);

	if (k + 1 == s->lines || !open_full(s, k))
		return false;
	for (uint32_t i = k + 1; i < s->lines; i++) {
		uint64_t other = torus_number_of(s->open.data + s->from[i]);

		if (other >= id / 2 && other <= 2 * id + FAR && open_full(s, i))
			return true;
	}
	return false;
}

/* Count the readings of the lines from k until e, in the copy. */
static int open_readings(struct sacct *s, uint32_t k, uint32_t e, bool agree,
			 struct torus_sacct_row *row, uint32_t *evidence)
{
	if (!open_copy(s, k, e))
		return 0;
	return torus_sacct_readings(&s->layout, s->copy.data, agree, row,
				    evidence);
}

/* Say why the first lines are no record. */
static enum torus_trace_line open_bad(struct sacct *s, uint32_t lines,
				      struct torus_trace_record *record,
				      char *why)
{
	uint32_t expected = s->layout.fields, fields = expected;
	struct torus_sacct_row row;

	record->line = s->number[0];
	if (lines == 1 && open_copy(s, 0, 1)) {
		fields = torus_sacct_split(&s->layout, s->copy.data, &row);
		if (fields == expected &&
		    torus_sacct_record_read(s->records, s->layout.seen, &row,
					    record, why) == TORUS_TRACE_LINE_BAD)
			return TORUS_TRACE_LINE_BAD;
	}
	if (open_is_short(s, 0) && open_full(s, 0) < expected)
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "got %u fields, expected %u, parted by %s; a part of a file with other columns needs its own line of names",
			 open_full(s, 0), expected, s->layout.delimiter);
	else if (fields != expected && !open_begins(s, 0))
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "got %u field%s, expected %u, parted by %s", fields,
			 fields == 1 ? "" : "s", expected, s->layout.delimiter);
	else if (lines == 1 || s->number[lines - 1] == s->number[0])
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "the fields cannot be told apart: some text holds a %s or a line end; write it with sacct --delimiter='^|^' or without the columns of free text",
			 s->layout.delimiter);
	else
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "the fields of lines %llu to %llu cannot be told apart: some text holds a %s or a line end; write it with sacct --delimiter='^|^' or without the columns of free text",
			 (unsigned long long)s->number[0],
			 (unsigned long long)s->number[lines - 1],
			 s->layout.delimiter);
	return TORUS_TRACE_LINE_BAD;
}

/* Report the next of the lines that are no record: one that cannot begin one, or
 * all from one that may. */
static enum torus_trace_line
open_report(struct sacct *s, struct torus_trace_record *record, char *why)
{
	uint32_t lines = open_begins(s, 0) ? s->at : 1;

	open_bad(s, lines, record, why);
	open_shift(s, lines);
	s->at -= lines;
	s->row = s->held > 0;
	return TORUS_TRACE_LINE_BAD;
}

/* FNV-1a over the values that are used. */
static uint64_t row_hash(const struct torus_sacct_row *row)
{
	uint64_t h = TORUS_HASH_START;

	for (int c = 0; c < SACCT_COLUMNS; c++) {
		const char *p = row->field[c];

		if (c == SACCT_ACCOUNT || c >= SACCT_CONSTRAINTS ||
		    (c == SACCT_ADMINCOMMENT && !strstr(p, "torus:")))
			continue;
		h = torus_hash_text(h, p);
	}
	return h;
}

static uint64_t row_id(const struct torus_sacct_row *row)
{
	return torus_number_of(
		torus_sacct_first_of(row, SACCT_JOBID, SACCT_JOBIDRAW));
}

/* Return true if the held lines and more, before line `next`, are another record. */
static bool held_doubtful(struct sacct *s, uint32_t next)
{
	struct torus_sacct_row row;
	uint32_t evidence;
	bool agree = next > s->held &&
		     open_readings(s, 0, s->held, true, &row, &evidence) == 1;

	/* beside one that agrees with itself, another does, too */
	for (uint32_t e = s->held + 1; e <= next; e++) {
		int n = open_readings(s, 0, e, agree, &row, &evidence);

		if (n > 1 || (n == 1 && row_hash(&row) != s->hash))
			return true;
	}
	return false;
}

/*
 * Return the held record, or that it is doubtful, as line `next` begins the next one, or
 * a later one up to `until` does: then *record is held, with this outcome and row. NULL:
 * it is none.
 */
static enum torus_trace_line
held_return(struct sacct *s, uint32_t next, uint32_t until,
	    enum torus_trace_line begun, const struct torus_sacct_row *row,
	    struct torus_trace_record *record, char *why)
{
	struct torus_trace_record blank = *record;
	enum torus_trace_line what = TORUS_TRACE_LINE_NOTHING;
	uint64_t hash = row ? row_hash(row) : 0, id = row ? row_id(row) : s->id;
	uint32_t gone = s->held;

	*record = s->record;
	s->record = blank;
	if (gone && held_doubtful(s, until)) {
		what = open_bad(s, next, record, why);
		gone = next;
	} else if (gone) {
		what = s->what;
		s->about->mended += s->mended;
	}
	open_shift(s, gone);
	/* more of the free text that ends the record */
	for (next -= gone; gone && s->layout.free_end && next > 0; next--) {
		if (open_begins(s, 0))
			break;
		open_shift(s, 1);
	}
	s->row = row || (gone && what != TORUS_TRACE_LINE_BAD);
	s->what = begun;
	s->hash = hash;
	s->id = id;
	s->at = next;
	s->held = row ? s->lines - next : 0;
	s->mended = false;
	return what == TORUS_TRACE_LINE_NOTHING && s->at ?
		       open_report(s, record, why) :
		       what;
}

/* A search for records behind the held lines. */
struct search {
	bool agree; /* only those that agree with themselves */
	uint32_t found;
	uint32_t first, last, until; /* lines; of the last one that reads so */
	uint32_t strong;             /* evidence of the first one */
};

/* Search for a record that ends with the lines, from each that may begin one. */
static void open_search_from(struct sacct *s, struct search *x)
{
	struct torus_sacct_row row;
	uint64_t hash = 0, id = s->id;
	uint32_t evidence = 0;

	x->found = x->strong = 0;
	for (uint32_t k = s->held; k < s->lines; k++) {
		int n = open_begins(s, k) ?
				open_readings(s, k, s->lines, x->agree, &row,
					      &evidence) :
				0;
		uint64_t one = n == 1 ? row_id(&row) : 0;

		if (x->found && (n > 1 || (n == 1 && row_hash(&row) == hash)))
			x->until = k;
		if (n == 0 || (x->found && n == 1 &&
			       (row_hash(&row) == hash || one < id / 2)))
			continue;
		if (!x->found && id && n == 1 && evidence < EVIDENCE &&
		    k + 1 < s->lines && (one < id / 2 || one > 2 * id + FAR))
			continue;
		if (!x->found) {
			x->first = x->until = k;
			x->strong = n == 1 ? evidence : 0;
			hash = n == 1 ? row_hash(&row) : 0;
			id = one;
		}
		/* a short one is not alone, though nothing else is found */
		x->found += (uint32_t)n + (n == 1 && open_is_short(s, k));
		x->last = x->until = k;
	}
}

/*
 * Search the lines behind the held ones for a record. *first: where it begins; *until: the
 * last line from which one reads. Return 0, 1 or 2 (more). Of several, those that agree with
 * themselves count. If both all lines and the last ones are a record, the earlier ones are
 * either cut or its text: the last ones count if much of them is recognized before the first
 * free text, and all of them if the number that the last ones begin with is no id of that
 * time: below half of the first one. So it is for lines behind a record that are one
 * together.
 */
static uint32_t open_search(struct sacct *s, uint32_t *first, uint32_t *until)
{
	struct search x = { .agree = false }, y = { .agree = true };
	struct torus_sacct_row row;
	uint32_t evidence;

	open_search_from(s, &x);
	if (x.found > 1)
		open_search_from(s, &y);
	if (y.found)
		x = y;
	*first = x.first;
	*until = x.until;
	if (x.found < 2 || x.last == x.first || x.strong < EVIDENCE)
		return x.found;
	*first = *until = x.last;
	return (uint32_t)open_readings(s, x.last, s->lines, x.agree, &row,
				       &evidence);
}

/* Handle lines of which the last one is no whole record, or those behind the held
 * ones may be the beginning of one. */
static enum torus_trace_line
open_try(struct sacct *s, struct torus_trace_record *record, char *why)
{
	struct torus_sacct_row row;
	uint32_t first = 0, until = 0, found, evidence;
	enum torus_trace_line what = TORUS_TRACE_LINE_BAD;
	uint64_t line = record->line;

	found = open_search(s, &first, &until);
	if (found == 0 && s->lines < LINES && s->open.length < 64 * 1024)
		return TORUS_TRACE_LINE_NOTHING;
	if (found == 1 &&
	    open_readings(s, first, s->lines, false, &row, &evidence) == 1) {
		record->line = s->number[first];
		what = torus_sacct_record_read(s->records, s->layout.seen, &row,
					       record, why);
	}
	if (what == TORUS_TRACE_LINE_BAD) {
		record->line = line;
		first = found ? first : s->lines;
		what = held_return(s, first, found ? until : first, what, NULL,
				   record, why);
		s->at = s->lines;
		return what == TORUS_TRACE_LINE_NOTHING && s->at ?
			       open_report(s, record, why) :
			       what;
	}
	/* the row is in s->copy, which held_return() overwrites */
	what = held_return(s, first, until, what, &row, record, why);
	s->mended = true;
	return what;
}

/* Handle a line of a file with free text. */
static enum torus_trace_line line_free(struct sacct *s, char *line,
				       size_t length,
				       struct torus_trace_record *record,
				       char *why)
{
	const struct torus_sacct_layout *l = &s->layout;
	struct torus_sacct_row row;
	enum torus_trace_line what = TORUS_TRACE_LINE_BAD;
	uint32_t before = s->lines, k = s->held;

	/* Keep a line. */
	if (s->lines && torus_text_append(&s->open, "\n", 1))
		return TORUS_TRACE_LINE_FAILED;
	s->from[s->lines] = s->open.length;
	s->number[s->lines++] = record->line;
	if (torus_text_append(&s->open, line, length) != 0)
		return TORUS_TRACE_LINE_FAILED;
	while (k < before && !open_begins(s, k))
		k++;
	if (k == before && torus_sacct_split(l, line, &row) == l->fields)
		what = torus_sacct_record_read(s->records, s->layout.seen, &row,
					       record, why);
	if (what != TORUS_TRACE_LINE_BAD && torus_sacct_is_id(&row))
		torus_sacct_note_order(&s->layout, &row);
	if (what != TORUS_TRACE_LINE_BAD && torus_sacct_is_id(&row))
		return held_return(s, before, before, what, &row, record, why);
	if (before || open_begins(s, 0))
		return open_try(s, record, why);
	if (l->free_end && s->row) { /* more of the text of the record before */
		open_shift(s, 1);
		return TORUS_TRACE_LINE_NOTHING;
	}
	s->at = 1;
	return open_report(s, record, why);
}

/* Take the columns' names from --columns or the first line. */
static enum torus_trace_line header_take(struct sacct *s, char *line, char *why)
{
	const char *columns = s->choice->columns;
	bool binary;

	s->layout.shared = s->choice->size != TORUS_TRACE_SIZE_NODES;
	if (!s->header && columns && !torus_sacct_is_header(line)) {
		if (!torus_sacct_names(&s->layout, columns, line, why))
			return TORUS_TRACE_LINE_REFUSED;
		return header_check(s, why);
	}
	if (!s->header && isdigit((unsigned char)*line))
		return sacct_header_bad(why,
					"the line with the columns' names is missing");
	if (!s->header && !strcasestr(line, "JobID") &&
	    !torus_foreign_what(line, &binary)) {
		char first[120];

		snprintf(first, sizeof(first),
			 "the first line has no column JobID, but \"%.60s\"",
			 line);
		torus_error_plain(first);
		return sacct_header_bad(why, first);
	}
	if (!s->header && torus_foreign_what(line, &binary)) {
		snprintf(why, TORUS_TRACE_WHY_SIZE, "%s",
			 torus_foreign_what(line, &binary));
		return TORUS_TRACE_LINE_REFUSED;
	}
	if (!torus_sacct_header(&s->layout, line, why))
		return sacct_header_bad(why,
					"a column comes twice, or there are too many");
	return header_check(s, why);
}

/* Return what remains before the next line: the lines kept, a header behind them. */
static enum torus_trace_line
rest_take(struct sacct *s, struct torus_trace_record *record, char *why)
{
	if (!s->at && s->held)
		return held_return(s, s->lines, s->lines,
				   TORUS_TRACE_LINE_NOTHING, NULL, record, why);
	if (!s->at)
		s->at = s->lines;
	if (s->at)
		return open_report(s, record, why);
	s->next.length = 0;
	return header_take(s, s->next.data, why);
}

static enum torus_trace_line sacct_line(void *self, char *line, size_t length,
					struct torus_trace_record *record,
					char *why)
{
	struct sacct *s = self;
	const struct torus_sacct_layout *l = &s->layout;
	struct torus_sacct_row row;
	enum torus_trace_line what;
	uint32_t fields;

	if (!line)
		return rest_take(s, record, why);
	if (!length && (!s->lines || s->held))
		return TORUS_TRACE_LINE_NOTHING;
	if (strlen(line) != length) {
		snprintf(why, TORUS_TRACE_WHY_SIZE, TORUS_FILE_NUL);
		return s->header ? TORUS_TRACE_LINE_BAD :
				   TORUS_TRACE_LINE_REFUSED;
	}
	if (s->lines && torus_sacct_is_header(line))
		return torus_text_append(&s->next, line, length) ?
			       TORUS_TRACE_LINE_FAILED :
			       rest_take(s, record, why);
	if (!s->header || torus_sacct_is_header(line)) {
		bool names = !s->header && s->choice->columns &&
			     !torus_sacct_is_header(line);

		what = header_take(s, line, why);
		if (!names || what != TORUS_TRACE_LINE_NOTHING)
			return what;
	}
	if (l->free && *l->delimiter)
		return line_free(s, line, length, record, why);
	fields = torus_sacct_split(l, line, &row);
	if (fields == l->fields)
		return torus_sacct_record_read(s->records, s->layout.seen, &row,
					       record, why);
	snprintf(why, TORUS_TRACE_WHY_SIZE,
		 "got %u field%s, expected %u, parted by %s", fields,
		 fields == 1 ? "" : "s", l->fields, l->delimiter);
	return TORUS_TRACE_LINE_BAD;
}

static bool sacct_ready(const void *self)
{
	const struct sacct *s = self;

	return s->at || s->next.length || (s->ended && s->lines);
}

static enum torus_trace_line sacct_end(void *self, char *why)
{
	struct sacct *s = self;

	s->ended = true;
	return s->header ?
		       TORUS_TRACE_LINE_NOTHING :
		       sacct_header_bad(why, "the line with the columns' names "
					     "is missing");
}

/* Return true for a line of names with JobID and Submit. */
static bool sacct_recognizes(const char *line)
{
	char first[4096];
	size_t length = strcspn(line, "\r\n");

	if (length >= sizeof(first))
		return false;
	memcpy(first, line, length);
	first[length] = '\0';
	return strstr(first, "JobID") && torus_sacct_is_header(first);
}

const struct torus_trace_format torus_trace_sacct = {
	.name = "sacct",
	.summary = "output of sacct -P, the first line names the fields",
	.ending = ".sacct",
	.history = true,
	.recognizes = sacct_recognizes,
	.create = sacct_create,
	.destroy = sacct_destroy,
	.line = sacct_line,
	.ready = sacct_ready,
	.end = sacct_end,
};
