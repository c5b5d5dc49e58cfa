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
#include "trace/formats.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "config/file.h"
#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"

#define FIELDS 512 /* sacct -o ALL has some 120 */
#define PARTS 256  /* resized jobs at a time; if more, the oldest is dropped */

enum column {
	COLUMN_JOBID,
	COLUMN_JOBIDRAW,
	COLUMN_USER,
	COLUMN_SUBMIT,
	COLUMN_START,
	COLUMN_END,
	COLUMN_ELAPSEDRAW,
	COLUMN_ELAPSED,
	COLUMN_NNODES,
	COLUMN_ALLOCNODES,
	COLUMN_REQNODES,
	COLUMN_TIMELIMITRAW,
	COLUMN_TIMELIMIT,
	COLUMN_STATE,
	COLUMN_PRIORITY,
	COLUMN_ADMINCOMMENT,
	COLUMN_ELIGIBLE,
	COLUMN_PARTITION,
	COLUMNS, /* any other */
};

static const char *const columns[COLUMNS] = {
	"JobID",        "JobIDRaw",     "User",      "Submit", "Start",
	"End",          "ElapsedRaw",   "Elapsed",   "NNodes", "AllocNodes",
	"ReqNodes",     "TimelimitRaw", "Timelimit", "State",  "Priority",
	"AdminComment", "Eligible",     "Partition",
};

/* Earlier parts of a resized job, up to a resize. */
struct part {
	char id[TORUS_TRACE_ID_SIZE];
	int64_t submit_us, start_us, run_us, end_us;
};

struct sacct {
	bool header; /* header was read */
	char delimiter;
	uint32_t used; /* columns in this file */
	uint32_t seen; /* columns found, bits of enum column */
	uint8_t order[FIELDS];
	uint32_t parts;
	struct part part[PARTS];  /* whose next record is still missing */
	struct torus_error words; /* scratch: errors of a shape */
};

/* The fields of a line by column; "" if empty or missing in the file. */
struct row {
	const char *field[COLUMNS + 1];
};

static void *sacct_create(struct torus_trace_header *header)
{
	header->unix_start = 0;
	return torus_alloc(1, sizeof(struct sacct));
}

static bool sacct_has_column(const struct sacct *sacct, enum column column)
{
	return sacct->seen >> column & 1;
}

static enum torus_trace_line sacct_error(char *why, enum column column,
					 const char *got, const char *expected)
{
	snprintf(why, TORUS_TRACE_WHY_SIZE, "%s: got \"%.*s\", expected %s",
		 columns[column], 60, got, expected);
	return TORUS_TRACE_LINE_BAD;
}

static enum torus_trace_line sacct_header_bad(char *why, const char *what)
{
	snprintf(why, TORUS_TRACE_WHY_SIZE,
		 "%s; write it with sacct -a -X -P "
		 "-o JobID,User,Submit,Start,End,NNodes,Timelimit,State,"
		 "AdminComment",
		 what);
	return TORUS_TRACE_LINE_REFUSED;
}

static enum torus_trace_line header_check(const struct sacct *s, char *why)
{
	if (!sacct_has_column(s, COLUMN_JOBID) &&
	    !sacct_has_column(s, COLUMN_JOBIDRAW))
		return sacct_header_bad(why, "the column JobID is missing");
	if (!sacct_has_column(s, COLUMN_SUBMIT))
		return sacct_header_bad(why, "the column Submit is missing");
	if (!sacct_has_column(s, COLUMN_ELAPSED) &&
	    !sacct_has_column(s, COLUMN_ELAPSEDRAW) &&
	    !(sacct_has_column(s, COLUMN_START) &&
	      sacct_has_column(s, COLUMN_END)))
		return sacct_header_bad(why,
					"the columns Start and End are missing");
	if (!sacct_has_column(s, COLUMN_NNODES) &&
	    !sacct_has_column(s, COLUMN_ALLOCNODES) &&
	    !sacct_has_column(s, COLUMN_REQNODES))
		return sacct_header_bad(why, "the column NNodes is missing");
	return TORUS_TRACE_LINE_NOTHING;
}

/* Cut a field off; return the next one, or NULL. */
static char *field_cut(const struct sacct *s, char *p)
{
	p = strchr(p, s->delimiter);
	if (!p)
		return NULL;
	*p = '\0';
	return p + 1;
}

static enum torus_trace_line header_read(struct sacct *s, char *line, char *why)
{
	size_t name = 0;
	char *next;
	int c;

	while (isalnum((unsigned char)line[name]))
		name++;
	s->delimiter = line[name];
	s->used = s->seen = 0;
	/* --parsable has a delimiter after the last field too: an empty field,
	 * in the header and in the rows */
	for (; line; line = next) {
		next = s->delimiter ? field_cut(s, line) : NULL;
		for (c = 0; c < COLUMNS && strcasecmp(columns[c], line); c++)
			;
		if (s->used == FIELDS || (c < COLUMNS && s->seen >> c & 1))
			return sacct_header_bad(why,
						"a column comes twice, or there "
						"are too many");
		s->seen |= c < COLUMNS ? 1u << c : 0;
		s->order[s->used++] = (uint8_t)c;
	}
	s->header = true;
	return header_check(s, why);
}

static bool sacct_row_split(const struct sacct *s, char *line, struct row *row,
			    char *why)
{
	uint32_t fields = 0;
	char *next = line;
	int i;

	for (i = 0; i <= COLUMNS; i++)
		row->field[i] = "";
	for (; line; line = next, fields++) {
		next = field_cut(s, line);
		if (fields < s->used)
			row->field[s->order[fields]] = line;
	}
	if (fields != s->used)
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "got %u fields, expected "
			 "%u%s%c%s",
			 fields, s->used,
			 fields > s->used ? "; if a name or comment holds a " :
					    " parted by ",
			 s->delimiter,
			 fields > s->used ? ", use sacct --delimiter" : "");
	return fields == s->used;
}

/* Return the first nonempty of the columns. */
static const char *sacct_first_of(const struct row *row, enum column a,
				  enum column b)
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

static bool size_read(const struct row *row, struct torus_trace_record *record,
		      char *why)
{
	static const enum column from[] = { COLUMN_NNODES, COLUMN_ALLOCNODES,
					    COLUMN_REQNODES };
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < 3 && !n; i++)
		if (!sacct_nodes_read(row->field[from[i]], &n)) {
			sacct_error(why, from[i], row->field[from[i]],
				    "a number of nodes");
			return false;
		}
	record->requested = record->used = n;
	return true;
}

/* TimelimitRaw counts minutes. */
static bool sacct_limit_read(const struct row *row, int64_t *us, char *why)
{
	const char *raw = row->field[COLUMN_TIMELIMITRAW];
	const char *text = row->field[COLUMN_TIMELIMIT];
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
		sacct_error(why, COLUMN_TIMELIMITRAW, raw, "minutes");
		return false;
	}
	/* UNLIMITED, Partition_Limit or empty: unknown */
	if (!*text || isalpha((unsigned char)*text) ||
	    torus_slurm_span(text, us))
		return true;
	sacct_error(why, COLUMN_TIMELIMIT, text, "days-hours:minutes:seconds");
	return false;
}

static bool sacct_unfinished(const struct sacct *s, const struct row *row)
{
	static const char *const states[] = { "PENDING", "RUNNING",
					      "SUSPENDED" };
	const char *state = row->field[COLUMN_STATE];
	size_t i;

	for (i = 0; i < 3; i++)
		if (!strncasecmp(state, states[i], strlen(states[i])))
			return true;
	return sacct_has_column(s, COLUMN_END) &&
	       sacct_is_unknown(row->field[COLUMN_END]);
}

/* Read the run time, without suspended time if that is known. Return JOB,
 * NO_RUN or BAD. */
static enum torus_trace_line
run_read(const struct sacct *s, const struct row *row, int64_t *us, char *why)
{
	const char *raw = row->field[COLUMN_ELAPSEDRAW];
	const char *text = row->field[COLUMN_ELAPSED];
	int64_t start_us, end_us;

	*us = 0;
	if (sacct_has_column(s, COLUMN_START) &&
	    sacct_is_unknown(row->field[COLUMN_START]))
		return TORUS_TRACE_LINE_NO_RUN;
	if (*raw) {
		if (!isdigit((unsigned char)*raw) || !torus_slurm_date(raw, us))
			return sacct_error(why, COLUMN_ELAPSEDRAW, raw,
					   "seconds");
	} else if (*text) {
		if (!torus_slurm_span(text, us))
			return sacct_error(why, COLUMN_ELAPSED, text,
					   "days-hours:minutes:seconds");
	} else if (!torus_slurm_date(row->field[COLUMN_START], &start_us)) {
		return sacct_error(why, COLUMN_START, row->field[COLUMN_START],
				   "a time like 2024-05-31T23:59:59");
	} else if (!torus_slurm_date(row->field[COLUMN_END], &end_us)) {
		return sacct_error(why, COLUMN_END, row->field[COLUMN_END],
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

static void part_drop(struct sacct *s, uint32_t i)
{
	s->parts--;
	memmove(s->part + i, s->part + i + 1, (s->parts - i) * sizeof(*s->part));
}

/* Return the index of the part that ended when this record was submitted, or
 * s->parts. */
static uint32_t part_find(const struct sacct *s,
			  const struct torus_trace_record *record)
{
	uint32_t i;

	for (i = 0; i < s->parts; i++)
		if (s->part[i].end_us == record->submit_us &&
		    !strcmp(s->part[i].id, record->id))
			break;
	return i;
}

static void part_join(struct sacct *s, struct torus_trace_record *record)
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

static void part_keep(struct sacct *s, const struct row *row,
		      const struct torus_trace_record *record)
{
	struct part *part;
	int64_t end_us;

	if (!torus_slurm_date(row->field[COLUMN_END], &end_us))
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

static enum torus_trace_line sacct_row_read(struct sacct *s,
					    const struct row *row,
					    struct torus_trace_record *record,
					    char *why)
{
	const char *id = sacct_first_of(row, COLUMN_JOBID, COLUMN_JOBIDRAW);
	const char *priority = row->field[COLUMN_PRIORITY];
	const char *eligible = row->field[COLUMN_ELIGIBLE];
	int64_t start_us;
	bool resizing;

	if (!*id)
		return sacct_error(why, COLUMN_JOBID, id, "a job's number");
	if (strchr(id, '.'))
		return TORUS_TRACE_LINE_STEP;
	if (!torus_slurm_date(row->field[COLUMN_SUBMIT], &record->submit_us))
		return sacct_error(why, COLUMN_SUBMIT, row->field[COLUMN_SUBMIT],
				   "a time like 2024-05-31T23:59:59, or seconds");
	name_copy(id, record->id, sizeof(record->id));
	name_copy(row->field[COLUMN_USER], record->user, sizeof(record->user));
	name_copy(row->field[COLUMN_PARTITION], record->partition,
		  sizeof(record->partition));
	record->component = strchr(id, '+') != NULL;
	record->deadline_us = TORUS_NO_TIME;
	record->shaped = false;
	record->start_us = TORUS_NO_TIME;
	record->eligible_us = TORUS_NO_TIME;
	if (!sacct_is_unknown(eligible) &&
	    !torus_slurm_date(eligible, &record->eligible_us))
		return sacct_error(why, COLUMN_ELIGIBLE, eligible,
				   "a time like 2024-05-31T23:59:59, or seconds");
	record->priority = 0;
	if (*priority && !torus_number_decimal(priority, &record->priority))
		return sacct_error(why, COLUMN_PRIORITY, priority, "a number");
	if (!size_read(row, record, why) ||
	    !sacct_limit_read(row, &record->limit_us, why))
		return TORUS_TRACE_LINE_BAD;
	if (sacct_unfinished(s, row))
		return TORUS_TRACE_LINE_UNFINISHED;
	resizing = !strncasecmp(row->field[COLUMN_STATE], "RESIZING", 8);
	if (run_read(s, row, &record->run_us, why) == TORUS_TRACE_LINE_BAD)
		return TORUS_TRACE_LINE_BAD;
	/* Without Start it is unknown whether this run includes the others. */
	if (torus_slurm_date(row->field[COLUMN_START], &start_us)) {
		record->start_us = start_us;
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
	return torus_comment_read(row->field[COLUMN_ADMINCOMMENT], record,
				  &s->words, why);
}

/* Another header: concatenated outputs. */
static bool sacct_is_header(const char *line)
{
	return (!strncasecmp(line, "JobID", 5) && strcasestr(line, "Submit")) ||
	       (isalpha((unsigned char)*line) &&
		torus_field_among(line, '|', "JobID") &&
		torus_field_among(line, '|', "Submit"));
}

static enum torus_trace_line sacct_line(void *self, char *line, size_t length,
					struct torus_trace_record *record,
					char *why)
{
	struct sacct *s = self;
	struct row row;

	if (!*line && !length)
		return TORUS_TRACE_LINE_NOTHING;
	if (strlen(line) != length) {
		snprintf(why, TORUS_TRACE_WHY_SIZE, TORUS_FILE_NUL);
		return s->header ? TORUS_TRACE_LINE_BAD :
				   TORUS_TRACE_LINE_REFUSED;
	}
	if (!s->header || sacct_is_header(line))
		return header_read(s, line, why);
	if (!sacct_row_split(s, line, &row, why))
		return TORUS_TRACE_LINE_BAD;
	return sacct_row_read(s, &row, record, why);
}

static enum torus_trace_line sacct_end(void *self, char *why)
{
	const struct sacct *s = self;

	return s->header ?
		       TORUS_TRACE_LINE_NOTHING :
		       sacct_header_bad(why, "the line with the columns' names "
					     "is missing");
}

/* Return true for a line of names with JobID and Submit, separated by |. */
static bool sacct_recognizes(const char *line)
{
	const char *end = line + strcspn(line, "\r\n");
	const char *id = strstr(line, "JobID"), *submit = strstr(line, "Submit");

	return id && id < end && submit && submit < end &&
	       memchr(line, '|', (size_t)(end - line));
}

const struct torus_trace_format torus_trace_sacct = {
	.name = "sacct",
	.summary = "output of sacct -P, the first line names the fields",
	.ending = ".sacct",
	.recognizes = sacct_recognizes,
	.create = sacct_create,
	.destroy = torus_free,
	.line = sacct_line,
	.end = sacct_end,
};
