/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of a site's job history: the output of `sacct --parsable2` (or --parsable),
 * fields in any order, separated by the character after the first name:
 *
 *	SLURM_TIME_FORMAT=%s sacct -a -X -D -S 2024-01-01 -P \
 *	    -o JobID,User,Submit,Eligible,Start,End,ElapsedRaw,NNodes,TimelimitRaw,State,Priority,AdminComment
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
 * A resized job is one job, from its first submit and start, with its last size. It has a
 * record for each size (RESIZING but for the last), all but the first submitted at the
 * end of the one before; other jobs may stand between them. Slurm 22.05 writes the whole
 * run in the last record. In 24.11 each record begins at the resize, so they are added.
 * That needs Start and End.
 *
 * A | within a name or comment cannot be distinguished from a separator: such a line has
 * too many fields and is bad. sacct --delimiter avoids this.
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

#define PARTS 256 /* resized jobs at a time; if more, the oldest is dropped */
#define LINES 64  /* of a record with line ends in its free text */
#define EVIDENCE                                                               \
	4 /* so many recognized columns show that a line begins a
		      record; sacct_rows.c weighs them */

/* Earlier parts of a resized job, up to a resize. */
struct part {
	char id[TORUS_TRACE_ID_SIZE];
	int64_t submit_us, start_us, run_us, end_us;
};

struct torus_sacct {
	struct torus_trace_header *about;
	const struct torus_trace_choice *choice;
	bool header; /* header was read */
	bool row;    /* the line before belongs to a record */
	struct torus_sacct_layout layout;
	uint32_t parts;
	struct part part[PARTS];  /* whose next record is still missing */
	struct torus_error words; /* scratch: errors of a shape */

	/* Lines that are no whole record yet, joined by line feeds. */
	struct torus_text open, copy;
	char why[TORUS_TRACE_WHY_SIZE]; /* the first is none by itself; or "" */
	uint32_t lines;
	size_t from[LINES]; /* offset of each */
	uint64_t number[LINES];
	bool whole; /* the text from `at` on is a record: return it next */
	uint32_t at;
	bool ended; /* the file */
};

struct torus_sacct *torus_sacct_create(struct torus_trace_header *header,
				       const struct torus_trace_choice *choice)
{
	struct torus_sacct *s = torus_alloc(1, sizeof(*s));

	header->unix_start = 0;
	if (!s)
		return NULL;
	s->about = header;
	s->choice = choice;
	return s;
}

static void *sacct_create(struct torus_trace_header *header,
			  const struct torus_trace_choice *choice)
{
	return torus_sacct_create(header, choice);
}

void torus_sacct_destroy(void *self)
{
	struct torus_sacct *s = self;

	torus_text_free(&s->open);
	torus_text_free(&s->copy);
	torus_free(s);
}

static bool sacct_has_column(const struct torus_sacct *s,
			     enum torus_sacct_column column)
{
	return s->layout.seen >> column & 1;
}

static enum torus_trace_line sacct_error(char *why,
					 enum torus_sacct_column column,
					 const char *got, const char *expected)
{
	snprintf(why, TORUS_TRACE_WHY_SIZE, "%s: got \"%.*s\", expected %s",
		 torus_sacct_columns[column], 60, got, expected);
	return TORUS_TRACE_LINE_BAD;
}

static enum torus_trace_line sacct_header_bad(char *why, const char *what)
{
	snprintf(why, TORUS_TRACE_WHY_SIZE,
		 "%s; `storus examples sacct` shows the command that writes them; of a file without names, name the columns with --columns JobID,User,...",
		 what);
	return TORUS_TRACE_LINE_REFUSED;
}

static enum torus_trace_line header_check(struct torus_sacct *s, char *why)
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

/* Return the first nonempty of the columns. */
static const char *sacct_first_of(const struct torus_sacct_row *row,
				  enum torus_sacct_column a,
				  enum torus_sacct_column b)
{
	return *row->field[a] ? row->field[a] : row->field[b];
}

static bool sacct_is_unknown(const char *text)
{
	return !*text || !strcasecmp(text, "Unknown") ||
	       !strcasecmp(text, "None");
}

/* Read 12, 12K (of 1024) and so on; 0 if empty. */
static bool sacct_nodes_read(const char *text, uint32_t *nodes)
{
	struct torus_number n = { 0 };
	const char *end = torus_number_scan(text, &n);
	double value = (double)n.whole + n.micro * 1e-6;

	*nodes = 0;
	if (!*text)
		return true;
	if (!end || *text == '-')
		return false;
	if (*end == 'K' || *end == 'M') {
		value *= *end == 'K' ? 1024 : 1024 * 1024;
		end++;
	}
	if (*end || value > TORUS_TRACE_MAX_PROCESSORS)
		return false;
	*nodes = (uint32_t)(value + 0.5);
	return true;
}

/* Read the count of a resource in cpu=64,gres/gpu:a100=8,node=2; *n is 0 without
 * it. Types of GPUs are counted in the sum that stands beside them, if it does. */
static bool tres_read(const char *text, const char *name, uint32_t *n)
{
	size_t length = strlen(name);
	uint32_t one, typed = 0;
	char value[32];

	*n = 0;
	for (const char *p = text; p && *p; p = strchr(p, ',')) {
		const char *equals;
		size_t size;

		p += *p == ',';
		equals = p + strcspn(p, "=,");
		if (strncmp(p, name, length) != 0 || *equals != '=' ||
		    (p[length] != '=' && p[length] != ':'))
			continue;
		size = strcspn(equals + 1, ",");
		snprintf(value, sizeof(value), "%.*s", (int)size, equals + 1);
		if (!sacct_nodes_read(value, &one))
			return false;
		if (p[length] == ':')
			typed += one;
		else
			*n = one;
	}
	if (!*n)
		*n = typed;
	return true;
}

/* Read the size: of nodes, CPUs or GPUs. ReqNodes comes last, as it is 1 for jobs
 * that asked for tasks. */
static bool size_read(const struct torus_sacct *s,
		      const struct torus_sacct_row *row,
		      struct torus_trace_record *record, char *why)
{
	static const enum torus_sacct_column from[3][3] = {
		{ SACCT_NNODES, SACCT_ALLOCNODES, SACCT_REQNODES },
		{ SACCT_ALLOCCPUS, SACCT_NCPUS, SACCT_REQCPUS },
		{ SACCT_COLUMNS, SACCT_COLUMNS, SACCT_COLUMNS },
	};
	static const char *const tres[] = { "node", "cpu", "gres/gpu" };
	static const char *const expected[] = { "a number of nodes",
						"a number of CPUs", "" };
	enum torus_trace_size size = s->choice->size;
	uint32_t n = 0;

	for (int i = 0; i < 3 && !n; i++) {
		enum torus_sacct_column c = from[size][i];

		if (c < SACCT_COLUMNS && !sacct_nodes_read(row->field[c], &n)) {
			sacct_error(why, c, row->field[c], expected[size]);
			return false;
		}
	}
	for (int i = 0; i < 2 && !n; i++) {
		enum torus_sacct_column c = i ? SACCT_REQTRES : SACCT_ALLOCTRES;

		if (!tres_read(row->field[c], tres[size], &n)) {
			sacct_error(why, c, row->field[c],
				    "counts such as cpu=64,node=2");
			return false;
		}
	}
	record->requested = record->used = n;
	return true;
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
		sacct_error(why, SACCT_TIMELIMITRAW, raw, "minutes");
		return false;
	}
	/* UNLIMITED, Partition_Limit or empty: unknown */
	if (!*text || isalpha((unsigned char)*text) ||
	    torus_slurm_span(text, us))
		return true;
	sacct_error(why, SACCT_TIMELIMIT, text, "days-hours:minutes:seconds");
	return false;
}

static bool sacct_unfinished(const struct torus_sacct *s,
			     const struct torus_sacct_row *row)
{
	static const char *const states[] = { "PENDING", "RUNNING",
					      "SUSPENDED" };
	const char *state = row->field[SACCT_STATE];
	size_t i;

	for (i = 0; i < 3; i++)
		if (!strncasecmp(state, states[i], strlen(states[i])))
			return true;
	return sacct_has_column(s, SACCT_END) &&
	       sacct_is_unknown(row->field[SACCT_END]);
}

/* Read the run time, without suspended time if that is known. Return JOB,
 * NO_RUN or BAD. */
static enum torus_trace_line run_read(const struct torus_sacct *s,
				      const struct torus_sacct_row *row,
				      int64_t *us, char *why)
{
	const char *raw = row->field[SACCT_ELAPSEDRAW];
	const char *text = row->field[SACCT_ELAPSED];
	int64_t start_us, end_us;

	*us = 0;
	if (sacct_has_column(s, SACCT_START) &&
	    sacct_is_unknown(row->field[SACCT_START]))
		return TORUS_TRACE_LINE_NO_RUN;
	if (*raw) {
		if (!isdigit((unsigned char)*raw) || !torus_slurm_date(raw, us))
			return sacct_error(why, SACCT_ELAPSEDRAW, raw,
					   "seconds");
	} else if (*text) {
		if (!torus_slurm_span(text, us))
			return sacct_error(why, SACCT_ELAPSED, text,
					   "days-hours:minutes:seconds");
	} else if (!torus_slurm_date(row->field[SACCT_START], &start_us)) {
		return sacct_error(why, SACCT_START, row->field[SACCT_START],
				   "a time like 2024-05-31T23:59:59");
	} else if (!torus_slurm_date(row->field[SACCT_END], &end_us)) {
		return sacct_error(why, SACCT_END, row->field[SACCT_END],
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

static void part_drop(struct torus_sacct *s, uint32_t i)
{
	s->parts--;
	memmove(s->part + i, s->part + i + 1, (s->parts - i) * sizeof(*s->part));
}

/* Return the index of the part that ended when this record was submitted, or
 * s->parts. */
static uint32_t part_find(const struct torus_sacct *s,
			  const struct torus_trace_record *record)
{
	uint32_t i;

	for (i = 0; i < s->parts; i++)
		if (s->part[i].end_us == record->submit_us &&
		    !strcmp(s->part[i].id, record->id))
			break;
	return i;
}

static void part_join(struct torus_sacct *s, struct torus_trace_record *record)
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
	/* If the first part is missing, submit is the time of the resize. */
	if (record->start_us < record->submit_us)
		record->submit_us = record->start_us;
}

static void part_keep(struct torus_sacct *s, const struct torus_sacct_row *row,
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

enum torus_trace_line torus_sacct_row_read(struct torus_sacct *s,
					   const struct torus_sacct_row *row,
					   struct torus_trace_record *record,
					   char *why)
{
	const char *id = sacct_first_of(row, SACCT_JOBID, SACCT_JOBIDRAW);
	const char *priority = row->field[SACCT_PRIORITY];
	const char *eligible = row->field[SACCT_ELIGIBLE];
	const char *state = row->field[SACCT_STATE];
	bool resizing;

	if (!*id)
		return sacct_error(why, SACCT_JOBID, id, "a job's number");
	if (strchr(id, '.'))
		return TORUS_TRACE_LINE_STEP;
	if (!torus_slurm_date(row->field[SACCT_SUBMIT], &record->submit_us))
		return sacct_error(why, SACCT_SUBMIT, row->field[SACCT_SUBMIT],
				   "a time like 2024-05-31T23:59:59, or seconds");
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
	record->shaped = false;
	record->start_us = TORUS_NO_TIME;
	record->eligible_us = TORUS_NO_TIME;
	if (!sacct_is_unknown(eligible) &&
	    !torus_slurm_date(eligible, &record->eligible_us))
		return sacct_error(why, SACCT_ELIGIBLE, eligible,
				   "a time like 2024-05-31T23:59:59, or seconds");
	record->priority = 0;
	if (*priority && !torus_number_decimal(priority, &record->priority))
		return sacct_error(why, SACCT_PRIORITY, priority, "a number");
	/* a line that is cut or has separators elsewhere looks like this */
	if (*state && !isupper((unsigned char)*state))
		return sacct_error(why, SACCT_STATE, state,
				   "a state such as COMPLETED");
	if (!size_read(s, row, record, why) ||
	    !sacct_limit_read(row, &record->limit_us, why))
		return TORUS_TRACE_LINE_BAD;
	if (!torus_slurm_date(row->field[SACCT_START], &record->start_us))
		record->start_us = TORUS_NO_TIME;
	if (sacct_unfinished(s, row))
		return TORUS_TRACE_LINE_UNFINISHED;
	resizing = !strncasecmp(state, "RESIZING", 8);
	if (run_read(s, row, &record->run_us, why) == TORUS_TRACE_LINE_BAD)
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
	record->accounting.nodes = record->requested;
	return torus_comment_read(row->field[SACCT_ADMINCOMMENT], record,
				  &s->words, why);
}

/* Lines that are no whole record */

static void open_drop(struct torus_sacct *s)
{
	s->lines = 0;
	s->open.length = 0;
	s->whole = false;
}

/* Keep a line. Return false without memory. */
static bool open_add(struct torus_sacct *s, const char *line, uint64_t number)
{
	s->from[s->lines] = s->open.length + (s->lines > 0);
	s->number[s->lines++] = number;
	return torus_text_add(&s->open, "%s%s", s->lines > 1 ? "\n" : "",
			      line) == 0;
}

/* Count the readings of the lines from k on, in a copy. */
static int open_readings(struct torus_sacct *s, uint32_t k,
			 struct torus_sacct_row *row, uint32_t *evidence)
{
	s->copy.length = 0;
	if (torus_text_add(&s->copy, "%s", s->open.data + s->from[k]))
		return 0;
	return torus_sacct_readings(&s->layout, s->copy.data, row, evidence);
}

static enum torus_trace_line open_bad(struct torus_sacct *s,
				      struct torus_trace_record *record,
				      uint32_t lines, char *why)
{
	record->line = s->number[0];
	if (lines == 1 && *s->why)
		memcpy(why, s->why, sizeof(s->why));
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

/* Return the record that begins with line s->at of the open ones. */
static enum torus_trace_line
open_take(struct torus_sacct *s, struct torus_trace_record *record, char *why)
{
	struct torus_sacct_row row;
	uint32_t evidence;
	enum torus_trace_line what = TORUS_TRACE_LINE_BAD;

	if (open_readings(s, s->at, &row, &evidence) == 1) {
		record->line = s->number[s->at];
		what = torus_sacct_row_read(s, &row, record, why);
		s->about->mended += what != TORUS_TRACE_LINE_BAD;
	}
	s->row = what != TORUS_TRACE_LINE_BAD;
	open_drop(s);
	return what;
}

/* FNV-1a over the values that are used. */
static uint64_t row_hash(const struct torus_sacct_row *row)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (int c = 0; c < SACCT_COLUMNS; c++)
		for (const char *p = row->field[c];; p++) {
			h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
			if (!*p)
				break;
		}
	return h;
}

/*
 * Try to read the open lines, from each that may begin a record. If both all lines
 * and the last ones are a record, the earlier ones are either cut or its text:
 * the last ones count if much of them is recognized before the first free text,
 * and all of them if the number that the last ones begin with is no id of that
 * time: below half of the first one.
 */
static enum torus_trace_line
open_try(struct torus_sacct *s, struct torus_trace_record *record, char *why)
{
	struct torus_sacct_row row;
	uint32_t found = 0, first = 0, last = 0, evidence = 0, strong = 0;
	uint64_t hash = 0, id = 0, one;
	enum torus_trace_line what;

	for (uint32_t k = 0; k < s->lines; k++) {
		int n = torus_sacct_begins(&s->layout,
					   s->open.data + s->from[k]) ?
				open_readings(s, k, &row, &evidence) :
				0;

		if (n == 0)
			continue;
		one = n == 1 ? strtoull(sacct_first_of(&row, SACCT_JOBID,
						       SACCT_JOBIDRAW),
					NULL, 10) :
			       0;
		if (found && n == 1 && (row_hash(&row) == hash || one < id / 2))
			continue;
		if (!found) {
			first = k;
			strong = n == 1 ? evidence : 0;
			hash = n == 1 ? row_hash(&row) : 0;
			id = one;
		}
		found += (uint32_t)n;
		last = k;
	}
	if (found > 1 && last > first && strong >= EVIDENCE) {
		first = last;
		found = (uint32_t)open_readings(s, last, &row, &evidence);
	}
	if (found == 1) {
		s->at = first;
		if (first == 0)
			return open_take(s, record, why);
		s->whole = true; /* after the lines before it */
		return open_bad(s, record, first, why);
	}
	if (found == 0 && s->lines < LINES && s->open.length < 64 * 1024)
		return TORUS_TRACE_LINE_NOTHING;
	what = open_bad(s, record, s->lines, why);
	open_drop(s);
	s->row = false;
	return what;
}

/* Handle a line that is not one record with one separator between two fields. */
static enum torus_trace_line line_other(struct torus_sacct *s, const char *line,
					uint32_t fields,
					struct torus_trace_record *record,
					char *why)
{
	const struct torus_sacct_layout *l = &s->layout;

	*s->why = '\0';
	if (fields == l->fields)
		memcpy(s->why, why, sizeof(s->why));
	if (l->free && *l->delimiter && torus_sacct_begins(l, line)) {
		if (!open_add(s, line, record->line))
			return TORUS_TRACE_LINE_FAILED;
		return open_try(s, record, why);
	}
	/* more of the free text that ends the record before */
	if (l->free_end && s->row)
		return TORUS_TRACE_LINE_NOTHING;
	s->row = false;
	if (fields == l->fields)
		return TORUS_TRACE_LINE_BAD;
	snprintf(why, TORUS_TRACE_WHY_SIZE,
		 "got %u field%s, expected %u, parted by %s", fields,
		 fields == 1 ? "" : "s", l->fields, l->delimiter);
	return TORUS_TRACE_LINE_BAD;
}

/* Take the columns' names from --columns or the first line. */
static enum torus_trace_line header_take(struct torus_sacct *s, char *line,
					 char *why)
{
	const char *columns = s->choice->columns;
	bool binary;

	if (!s->header && columns && !torus_sacct_is_header(line)) {
		if (!torus_sacct_names(&s->layout, columns, line, why))
			return TORUS_TRACE_LINE_REFUSED;
		return header_check(s, why);
	}
	if (!s->header && isdigit((unsigned char)*line))
		return sacct_header_bad(why,
					"the line with the columns' names is missing");
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

static enum torus_trace_line sacct_line(void *self, char *line, size_t length,
					struct torus_trace_record *record,
					char *why)
{
	struct torus_sacct *s = self;
	struct torus_sacct_row row;
	enum torus_trace_line what;
	uint32_t fields;

	if (!line && s->whole)
		return open_take(s, record, why);
	if (!line) { /* the file ends */
		what = open_bad(s, record, s->lines, why);
		open_drop(s);
		return what;
	}
	if (!*line && !length && !s->lines)
		return TORUS_TRACE_LINE_NOTHING;
	if (strlen(line) != length) {
		snprintf(why, TORUS_TRACE_WHY_SIZE, TORUS_FILE_NUL);
		return s->header ? TORUS_TRACE_LINE_BAD :
				   TORUS_TRACE_LINE_REFUSED;
	}
	if (!s->header || torus_sacct_is_header(line)) {
		bool names = !s->header && s->choice->columns &&
			     !torus_sacct_is_header(line);

		if (s->lines) {
			what = open_bad(s, record, s->lines, why);
			open_drop(s);
			if (header_take(s, line,
					(char[TORUS_TRACE_WHY_SIZE]){ "" }) ==
			    TORUS_TRACE_LINE_REFUSED)
				s->header = true;
			return what;
		}
		what = header_take(s, line, why);
		if (!names || what != TORUS_TRACE_LINE_NOTHING)
			return what;
	}
	if (s->lines) {
		if (!open_add(s, line, record->line))
			return TORUS_TRACE_LINE_FAILED;
		return open_try(s, record, why);
	}
	fields = torus_sacct_split(&s->layout, line, &row);
	if (fields != s->layout.fields)
		return line_other(s, line, fields, record, why);
	what = torus_sacct_row_read(s, &row, record, why);
	s->row = what != TORUS_TRACE_LINE_BAD;
	if (s->row || !s->layout.free)
		return what;
	/* as many separators by accident: the first line of several? */
	for (size_t i = 0; i < length; i++)
		line[i] = line[i] ? line[i] : *s->layout.delimiter;
	return line_other(s, line, fields, record, why);
}

static bool sacct_ready(const void *self)
{
	const struct torus_sacct *s = self;

	return s->whole || (s->ended && s->lines);
}

static enum torus_trace_line sacct_end(void *self, char *why)
{
	struct torus_sacct *s = self;

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
	.destroy = torus_sacct_destroy,
	.line = sacct_line,
	.ready = sacct_ready,
	.end = sacct_end,
};
