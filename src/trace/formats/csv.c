/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of jobs as CSV. The first line names the columns, in any order; see
 * columns[] below. Each job has submit and run, and nodes or a geometry. A
 * field may be in double quotes, "" being one quote inside; there are no
 * line breaks in fields. Seconds have at most 6 decimals. Lines that begin with #, or
 * "# " below the first, are comments (storus generate writes some). Where files were joined
 * (cat), each part has its own columns.
 *
 * partition is accepted and ignored. The journal of sched/torus has more
 * columns (csv_journal.c); its start, region and state contain the outcome of
 * the job; end is accepted beside them.
 */
#include "trace/formats/csv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "config/file.h"
#include "request/words.h"
#include "torus/alloc.h"

static const char *const columns[COLUMNS + 1] = {
	"id",         "submit", "run",       "nodes",    "geometry",
	"connection", "rotate", "placement", "links",    "limit",
	"deadline",   "user",   "partition", "priority", "eligible",
	"turn",       "left",   "limits",    "only",     "start",
	"end",        "region", "state",     "stay",     NULL,
};

struct csv {
	struct torus_trace_header *about;
	bool header;   /* header was read */
	bool journal;  /* has columns of one */
	uint32_t used; /* columns in this file */
	enum column order[COLUMNS];
	uint64_t row;             /* rows so far, valid or not */
	struct torus_error words; /* scratch: errors of a shape */
};

static void *csv_create(struct torus_trace_header *header)
{
	struct csv *csv = torus_alloc(1, sizeof(*csv));

	if (csv) {
		csv->about = header;
		header->states = false;
	}
	return csv;
}

enum torus_trace_line torus_csv_bad(char *why, const char *column,
				    const char *got, const char *expected)
{
	snprintf(why, TORUS_TRACE_WHY_SIZE, "%s: got \"%.*s\", expected %s",
		 column, 60, got, expected);
	return TORUS_TRACE_LINE_BAD;
}

static int column_find(const char *name)
{
	int i;

	for (i = 0; i < COLUMNS; i++)
		if (!strcmp(columns[i], name))
			return i;
	return -1;
}

static enum torus_trace_line csv_header_error(char *why, const char *what,
					      const char *name)
{
	const char *near = name && column_find(name) < 0 ?
				   torus_nearest(name, columns, COLUMNS) :
				   NULL;
	char quoted[64] = "";

	if (name)
		snprintf(quoted, sizeof(quoted), " \"%.40s\"", name);
	snprintf(why, TORUS_TRACE_WHY_SIZE,
		 "%s%s%s%s%s; the columns are id, "
		 "submit, run, nodes, geometry, connection, rotate, links, "
		 "limit, deadline, user, partition, priority",
		 what, quoted, near ? " (did you mean " : "", near ? near : "",
		 near ? "?)" : "");
	return TORUS_TRACE_LINE_REFUSED;
}

static enum torus_trace_line csv_header(struct csv *csv, char *line, char *why)
{
	uint32_t seen = 0;
	char *next = line, *name;
	bool sound, again = csv->header, journal = csv->journal;
	int column;

	csv->used = 0;
	csv->journal = false;
	while (next) {
		next = torus_field_take(next, &name, &sound);
		if (!sound)
			return csv_header_error(why, "quotes that do not match",
						NULL);
		column = column_find(name);
		if (column < 0)
			return csv_header_error(why, "no such column", name);
		if (seen >> column & 1)
			return csv_header_error(why, "this column comes twice:",
						name);
		seen |= 1u << column;
		csv->order[csv->used++] = (enum column)column;
	}
	if (!(seen >> COLUMN_SUBMIT & 1) || !(seen >> COLUMN_RUN & 1))
		return csv_header_error(why,
					"a column is missing: submit and run "
					"are required",
					NULL);
	if (!(seen >> COLUMN_NODES & 1) && !(seen >> COLUMN_GEOMETRY & 1))
		return csv_header_error(why,
					"a column is missing: nodes or "
					"geometry is required",
					NULL);
	for (column = COLUMN_ELIGIBLE; column <= COLUMN_ONLY; column++)
		csv->journal |= seen >> column & 1;
	if (again && csv->journal != journal)
		return csv_header_error(why, "a journal joined with other jobs",
					NULL);
	csv->about->states |= seen >> COLUMN_STATE & 1;
	if (csv->journal)
		csv->about->unix_start = 0;
	csv->header = true;
	return TORUS_TRACE_LINE_NOTHING;
}

static bool csv_row_split(const struct csv *csv, char *line, struct row *row,
			  char *why)
{
	static char nothing[] = "";
	uint32_t fields = 0;
	char *next = line, *field;
	bool sound;
	int i;

	for (i = 0; i < COLUMNS; i++)
		row->field[i] = nothing;
	for (; next; fields++) {
		next = torus_field_take(next, &field, &sound);
		if (!sound) {
			snprintf(why, TORUS_TRACE_WHY_SIZE,
				 "field %u: quotes that do not match",
				 fields + 1);
			return false;
		}
		if (fields < csv->used)
			row->field[csv->order[fields]] = field;
	}
	if (fields != csv->used)
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "got %u field%s, expected %u", fields,
			 fields == 1 ? "" : "s", csv->used);
	return fields == csv->used;
}

bool torus_csv_seconds(const struct row *row, enum column column,
		       int64_t missing, int64_t *us, char *why)
{
	const char *text = row->field[column];

	if (!*text && missing) {
		*us = missing;
		return true;
	}
	if (torus_number_seconds(text, us))
		return true;
	torus_csv_bad(why, columns[column], text,
		      "seconds from 0 to 1000000000000 with "
		      "at most 6 decimals");
	return false;
}

bool torus_csv_limit(const struct row *row, int64_t *us, char *why)
{
	const char *text = row->field[COLUMN_LIMIT];
	size_t length = strlen(text);

	if (!length || !isalpha((unsigned char)text[length - 1]))
		return torus_csv_seconds(row, COLUMN_LIMIT, -1, us, why);
	if (!torus_duration_parse(text, us, NULL))
		return true;
	torus_csv_bad(why, "limit", text,
		      "seconds, or a number and a unit (90s, 2h)");
	return false;
}

static bool priority_read(const struct row *row, double *priority, char *why)
{
	const char *text = row->field[COLUMN_PRIORITY];
	struct torus_number n;
	const char *end;

	*priority = 0;
	if (!*text)
		return true;
	end = torus_number_scan(text, &n);
	if (end && !*end) {
		*priority = (double)n.whole + n.micro * 1e-6;
		return true;
	}
	torus_csv_bad(why, "priority", text, "a number");
	return false;
}

bool torus_csv_nodes(const struct row *row, uint32_t *nodes, char *why)
{
	const char *text = row->field[COLUMN_NODES];
	char expected[64];
	uint64_t n;

	if (torus_number_whole(text, 1, TORUS_TRACE_MAX_PROCESSORS, &n)) {
		*nodes = (uint32_t)n;
		return true;
	}
	snprintf(expected, sizeof(expected), "a whole number from 1 to %u",
		 TORUS_TRACE_MAX_PROCESSORS);
	torus_csv_bad(why, "nodes", text, expected);
	return false;
}

static bool rotate_read(const char *text, bool *rotate, char *why)
{
	static const char *const yes[] = { "", "yes", "true", "1" };
	static const char *const no[] = { "no", "false", "0" };
	size_t i;

	*rotate = true;
	for (i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!strcmp(text, yes[i]))
			return true;
	*rotate = false;
	for (i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (!strcmp(text, no[i]))
			return true;
	torus_csv_bad(why, "rotate", text, "yes or no");
	return false;
}

/* Read the words of a shape, or of a count with a connection, into the record.
 * For a ladder, the nodes of the first alternative represent the job. */
static enum torus_trace_line csv_words_read(struct csv *csv,
					    const struct row *row, bool rotate,
					    struct torus_trace_record *record,
					    char *why)
{
	const char *geometry = row->field[COLUMN_GEOMETRY];
	bool anywhere = torus_csv_anywhere(row->field[COLUMN_PLACEMENT],
					   &record->outside);
	struct torus_request_words words = {
		.geometry = *geometry ? geometry : row->field[COLUMN_NODES],
		.conn_type = row->field[COLUMN_CONNECTION],
		.placement = anywhere ? "flat" : row->field[COLUMN_PLACEMENT],
		.links = row->field[COLUMN_LINKS],
		.no_rotate = !rotate,
	};
	enum torus_trace_line what;
	uint64_t volume = 0;

	what = torus_words_read(record, &words, &csv->words, "", why);
	if (what != TORUS_TRACE_LINE_JOB)
		return what;
	for (uint32_t k = record->request->alternatives; k-- > 0;) {
		struct torus_ask *ask = &record->request->alternative[k].ask;

		ask->anywhere = anywhere && ask->by_count;
		volume = torus_ask_nodes(ask);
		if (volume > TORUS_TRACE_MAX_PROCESSORS)
			return torus_csv_bad(why, "geometry", geometry,
					     "fewer nodes");
	}
	record->stated = record->requested;
	if (record->stated && record->stated % volume && volume % record->stated)
		return torus_csv_bad(why, "geometry", geometry,
				     "as many nodes as the column nodes says");
	record->shaped = true;
	record->requested = record->used = (uint32_t)volume;
	return TORUS_TRACE_LINE_JOB;
}

_Static_assert(TORUS_TRACE_ID_SIZE == 32 && TORUS_TRACE_USER_SIZE == 32,
	       "the message says how long a name may be");

/* Copy id or user unchanged. */
static bool name_read(const char *text, const char *column, char *name,
		      char *why)
{
	const char *p = text;

	while (*p && !iscntrl((unsigned char)*p))
		p++;
	if (*p || p - text >= TORUS_TRACE_ID_SIZE) {
		torus_csv_bad(why, column, text,
			      "at most 31 printable characters");
		return false;
	}
	memcpy(name, text, (size_t)(p - text) + 1);
	torus_error_plain(name);
	return true;
}

void torus_csv_place(const struct row *row, struct torus_trace_record *record)
{
	if (strlen(row->field[COLUMN_REGION]) < sizeof(record->place))
		strcpy(record->place, row->field[COLUMN_REGION]);
}

bool torus_csv_names(const struct row *row, struct torus_trace_record *record,
		     char *why)
{
	if (!name_read(row->field[COLUMN_ID], "id", record->id, why) ||
	    !name_read(row->field[COLUMN_USER], "user", record->user, why) ||
	    !name_read(row->field[COLUMN_PARTITION], "partition",
		       record->partition, why))
		return false;
	if (!*record->id)
		snprintf(record->id, sizeof(record->id), "%llu",
			 (unsigned long long)row->number);
	return true;
}

/* A journal may have jobs of no node (-N0-2), which slurmctld refuses now. Return true if
 * this one had none; otherwise drop the alternative of 0 nodes from its ladder. */
static bool csv_had_no_nodes(const struct row *row)
{
	char *geometry = row->field[COLUMN_GEOMETRY];
	size_t length = strlen(geometry);
	const char *place = row->field[COLUMN_REGION];

	if (strcmp(row->field[COLUMN_NODES], "0") == 0)
		return true;
	if (length < 2 || strcmp(geometry + length - 2, ",0") != 0)
		return false;
	if (*row->field[COLUMN_START] && (!*place || strstr(place, "{}")))
		return true;
	geometry[length - 2] = '\0';
	return false;
}

static enum torus_trace_line job_read(struct csv *csv, const struct row *row,
				      struct torus_trace_record *record,
				      char *why)
{
	enum torus_trace_line journal;
	bool rotate;

	record->component = record->shaped = false;
	record->requested = record->changes = 0;
	if (csv->journal && csv_had_no_nodes(row))
		return TORUS_TRACE_LINE_NO_PROCESSORS;
	torus_csv_place(row, record);
	if (!torus_csv_names(row, record, why) ||
	    !torus_csv_seconds(row, COLUMN_START, TORUS_NO_TIME,
			       &record->start_us, why) ||
	    !torus_csv_seconds(row, COLUMN_SUBMIT, 0, &record->submit_us, why) ||
	    !torus_csv_seconds(row, COLUMN_RUN, 0, &record->run_us, why) ||
	    !torus_csv_seconds(row, COLUMN_DEADLINE, TORUS_NO_TIME,
			       &record->deadline_us, why) ||
	    !torus_csv_limit(row, &record->limit_us, why) ||
	    !priority_read(row, &record->priority, why) ||
	    !rotate_read(row->field[COLUMN_ROTATE], &rotate, why))
		return TORUS_TRACE_LINE_BAD;
	if (*row->field[COLUMN_NODES] &&
	    !torus_csv_nodes(row, &record->requested, why))
		return TORUS_TRACE_LINE_BAD;
	record->used = record->requested;
	journal = csv->journal ? torus_csv_journal(row, record, why) :
				 TORUS_TRACE_LINE_JOB;
	if (journal != TORUS_TRACE_LINE_JOB ||
	    (csv->journal && torus_csv_adopted(row, record, &journal, why)))
		return journal;
	if (*row->field[COLUMN_GEOMETRY] || *row->field[COLUMN_CONNECTION] ||
	    *row->field[COLUMN_PLACEMENT] || *row->field[COLUMN_LINKS] ||
	    !rotate)
		return csv_words_read(csv, row, rotate, record, why);
	if (!record->requested) {
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "neither nodes nor geometry is given");
		return TORUS_TRACE_LINE_BAD;
	}
	return TORUS_TRACE_LINE_JOB;
}

static enum torus_trace_line csv_row_read(struct csv *csv, const struct row *row,
					  struct torus_trace_record *record,
					  char *why)
{
	const char *state = row->field[COLUMN_STATE];
	enum torus_trace_line what;

	if (torus_csv_kind(state, &record->kind))
		return torus_csv_other(row, record, why);
	what = job_read(csv, row, record, why);
	record->open = csv->journal && (strcmp(state, "waiting") == 0 ||
					strcmp(state, "running") == 0);
	return what == TORUS_TRACE_LINE_JOB && record->open ?
		       TORUS_TRACE_LINE_OPEN :
		       what;
}

/* Return true for a header, of the file or of the next of several (cat): each names the
 * columns of the rows below it. */
static bool csv_is_header(const char *line)
{
	return !strchr(",0123456789", *line) && /* the rows of most files */
	       torus_field_among(line, ',', columns[COLUMN_SUBMIT]) &&
	       torus_field_among(line, ',', columns[COLUMN_RUN]);
}

static enum torus_trace_line csv_line(void *self, char *line, size_t length,
				      struct torus_trace_record *record,
				      char *why)
{
	struct csv *csv = self;
	enum torus_trace_line what;
	struct row row;

	if (strlen(line) != length) {
		snprintf(why, TORUS_TRACE_WHY_SIZE, TORUS_FILE_NUL);
		return csv->header ? TORUS_TRACE_LINE_BAD :
				     TORUS_TRACE_LINE_REFUSED;
	}
	if (torus_csv_version(line, &what, why))
		return what;
	if (!line[strspn(line, " \t")] ||
	    (*line == '#' && (!csv->header || line[1] == ' ')))
		return TORUS_TRACE_LINE_NOTHING;
	if (!csv->header || csv_is_header(line))
		return csv_header(csv, line, why);
	row.number = ++csv->row;
	if (!csv_row_split(csv, line, &row, why))
		return TORUS_TRACE_LINE_BAD;
	return csv_row_read(csv, &row, record, why);
}

static enum torus_trace_line csv_end(void *self, char *why)
{
	const struct csv *csv = self;

	if (csv->header)
		return TORUS_TRACE_LINE_NOTHING;
	return csv_header_error(why,
				"the line with the columns' names is missing",
				NULL);
}

/* Return true for a header: words and commas, one of them a column that every
 * file has. */
static bool csv_recognizes(const char *line)
{
	const char *end, *submit;

	while (*line == '#') {
		line += strcspn(line, "\n");
		line += strspn(line, "\r\n");
	}
	end = line + strcspn(line, "\r\n");
	submit = strstr(line, "submit");
	return submit && submit < end && memchr(line, ',', (size_t)(end - line));
}

const struct torus_trace_format torus_trace_csv = {
	.name = "csv",
	.summary = "comma-separated, the first line names the columns",
	.ending = ".csv",
	.recognizes = csv_recognizes,
	.create = csv_create,
	.destroy = torus_free,
	.line = csv_line,
	.end = csv_end,
};
