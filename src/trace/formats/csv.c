/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of jobs as CSV. The first line names the columns, in any order; see
 * columns[] below; ; or tabs part them if no comma is in the line. Each job has submit and run, and nodes or a geometry. A
 * field may be in double quotes, "" being one quote inside; there are no
 * line breaks in fields. Seconds have at most 6 decimals. Lines that begin with #, or
 * "# " below the first, are comments (storus generate writes some). Where files were joined
 * (cat), each part has its own columns.
 *
 * partition, nice, account and qos matter only to slurm-backfill; cpus, memory, gpus,
 * cpus_per_task and exclusive only with --size cpus, where cpus is the size. The journal of
 * sched/torus has more columns (csv_journal.c); its start, region and state contain the
 * outcome of the job; end is accepted beside them.
 */
#include "trace/formats/csv.h"
#include "config/file.h"
#include "request/quote.h"
#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"
#include "trace/formats.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const columns[COLUMNS + 1] = {
#define COLUMN(ENUMERATOR, NAME, KIND, WRITER, READER, MEMBER) #NAME,
	JOURNAL_COLUMNS(COLUMN)
#undef COLUMN
};

/* Which files have a column (journal.h). */
static const enum column_kind {
	ANY,
	JOURNAL,
	OUTCOME
} kinds[COLUMNS] = {
#define COLUMN(ENUMERATOR, NAME, KIND, WRITER, READER, MEMBER) KIND,
	JOURNAL_COLUMNS(COLUMN)
#undef COLUMN
};

#define CSV_FIELDS 512
_Static_assert(COLUMNS <= 64, "sets of columns are bits of a uint64_t");

struct csv {
	struct torus_trace_header *about;
	const char *map; /* NAME=COLUMN,..: columns of another site; or NULL */
	bool by_cpus;    /* the column cpus has the sizes, if the file has it */
	bool cpus;       /* it has */
	bool header;     /* header was read */
	bool journal;    /* has columns of one */
	char between; /* the columns: a comma, or of a line of names without one ; or a tab */
	enum {
		CLOCK_UNKNOWN,
		CLOCK_DATES,
		CLOCK_SECONDS, /* from the begin of the trace */
	} clock;
	uint32_t used;              /* columns in this file */
	uint64_t wanted;            /* columns to read */
	uint16_t order[CSV_FIELDS]; /* enum column; COLUMNS: not used */
	uint64_t row;               /* rows so far, valid or not */
	struct torus_error words;   /* scratch: errors of a shape */
};

static void *csv_create(struct torus_trace_header *header,
			const struct torus_trace_choice *choice)
{
	struct csv *csv = torus_alloc(1, sizeof(*csv));

	if (csv) {
		csv->about = header;
		csv->map = choice->columns;
		csv->by_cpus = choice->size == TORUS_TRACE_SIZE_CPUS;
		header->states = false;
	}
	return csv;
}

enum torus_trace_line torus_csv_bad(char *why, enum column column,
				    const char *got, const char *expected)
{
	snprintf(why, TORUS_TRACE_WHY_SIZE, "%s: got \"%.*s\", expected %s",
		 columns[column], 60, got, expected);
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

/* Return the next NAME=COLUMN of the map in its parts, or NULL. */
static const char *map_next(const char *p, char name[64], char column[256])
{
	size_t n, m;

	if (!*p)
		return NULL;
	n = strcspn(p, "=,");
	m = p[n] == '=' ? strcspn(p + n + 1, ",") : 0;
	snprintf(name, 64, "%.*s", (int)n, p);
	snprintf(column, 256, "%.*s", (int)m, p[n] == '=' ? p + n + 1 : "");
	p += n + (p[n] == '=') + m;
	return p + (*p == ',');
}

/* Return our column for another site's: COLUMNS if it is not used. */
static int column_mapped(const char *map, const char *theirs)
{
	char name[64], column[256];
	int ours = column_find(theirs), mapped = -1;

	for (const char *p = map; (p = map_next(p, name, column));) {
		if (!strcmp(column, theirs))
			mapped = column_find(name);
		if (ours >= 0 && !strcmp(name, theirs))
			ours = -1; /* another column has this name */
	}
	return mapped >= 0 ? mapped : ours >= 0 ? ours : COLUMNS;
}

static enum torus_trace_line csv_header_error(char *why, const char *what,
					      const char *name)
{
	const char *near = name && column_find(name) < 0 ?
				   torus_nearest(name, columns, COLUMNS) :
				   NULL;
	char quoted[64] = "";
	int length;

	if (name)
		snprintf(quoted, sizeof(quoted), " \"%.40s\"", name);
	length = snprintf(why, TORUS_TRACE_WHY_SIZE,
			  "%s%s%s%s%s;%s the columns are", what, quoted,
			  near ? " (did you mean " : "", near ? near : "",
			  near ? "?)" : "",
			  strcmp(what, "no such column") ?
				  "" :
				  " --columns NAME=COLUMN,... maps others;");
	for (int i = 0; i < COLUMNS && length < TORUS_TRACE_WHY_SIZE; i++) {
		if (kinds[i] == ANY)
			length += snprintf(why + length,
					   TORUS_TRACE_WHY_SIZE - (size_t)length,
					   "%s %s", i ? "," : "", columns[i]);
	}
	return TORUS_TRACE_LINE_REFUSED;
}

/* Report a name of the map that is no column, or a column that the file lacks. */
static bool map_missing(const char *map, uint64_t seen, char *why)
{
	char name[64], column[256];

	for (const char *p = map; (p = map_next(p, name, column));) {
		int c = column_find(name);

		if (c < 0 || !*column)
			csv_header_error(why, "--columns: no such column", name);
		else if (!(seen >> c & 1))
			snprintf(why, TORUS_TRACE_WHY_SIZE,
				 "--columns: the file has no column \"%.100s\"",
				 column);
		if (c < 0 || !*column || !(seen >> c & 1))
			return true;
	}
	return false;
}

static enum torus_trace_line csv_header(struct csv *csv, char *line, char *why)
{
	uint64_t seen = 0, own = 0;
	char *next = line, *name;
	bool sound, again = csv->header, journal = csv->journal;
	int column;

	csv->used = 0;
	csv->journal = false;
	/* as spreadsheets write it where a comma parts decimals */
	csv->between = strchr(line, ',')  ? ',' :
		       strchr(line, ';')  ? ';' :
		       strchr(line, '\t') ? '\t' :
					    ',';
	while (next) {
		next = torus_field_take(next, csv->between, &name, &sound);
		if (!sound)
			return csv_header_error(why, "quotes that do not match",
						NULL);
		column = csv->map ? column_mapped(csv->map, name) :
				    column_find(name);
		if (column < 0)
			return csv_header_error(why, "no such column", name);
		if (csv->used == CSV_FIELDS)
			return csv_header_error(why, "too many columns", NULL);
		if (column == COLUMNS) {
			csv->order[csv->used++] = COLUMNS;
			continue;
		}
		if (seen >> column & 1)
			return csv_header_error(why, "this column comes twice:",
						name);
		seen |= COLUMN_BIT(column);
		csv->order[csv->used++] = (uint16_t)column;
	}
	if (csv->map && map_missing(csv->map, seen, why))
		return TORUS_TRACE_LINE_REFUSED;
	if (!(seen >> COLUMN_SUBMIT & 1) || !(seen >> COLUMN_RUN & 1))
		return csv_header_error(why,
					"a column is missing: submit and run "
					"are required",
					NULL);
	csv->cpus = csv->by_cpus && (seen >> COLUMN_CPUS & 1);
	if (!(seen >> COLUMN_NODES & 1) && !(seen >> COLUMN_GEOMETRY & 1) &&
	    !csv->cpus)
		return csv_header_error(why,
					"a column is missing: nodes or "
					"geometry is required",
					NULL);
	for (column = 0; column < COLUMNS; column++) {
		if (kinds[column] == JOURNAL)
			own |= COLUMN_BIT(column);
	}
	csv->journal = seen & own;
	csv->wanted = csv->journal ? UINT64_MAX : ~own;
	if (!csv->cpus)
		csv->wanted &= ~(COLUMN_BIT(COLUMN_CPUS) |
				 COLUMN_BIT(COLUMN_MEMORY) |
				 COLUMN_BIT(COLUMN_GPUS) |
				 COLUMN_BIT(COLUMN_CPUS_PER_TASK) |
				 COLUMN_BIT(COLUMN_EXCLUSIVE));
	if (again && csv->journal != journal)
		return csv_header_error(why, "a journal joined with other jobs",
					NULL);
	csv->about->states |= seen >> COLUMN_STATE & 1;
	if (csv->journal)
		csv->about->unix_start = 0;
	csv->header = true;
	csv->clock = CLOCK_UNKNOWN;
	return TORUS_TRACE_LINE_NOTHING;
}

/* The readers of columns (journal.h). */

static enum torus_trace_line read_name(const struct row *row, enum column column,
				       struct torus_trace_record *record,
				       void *to, char *why)
{
	const char *text = row->field[column], *p = text;

	_Static_assert(TORUS_TRACE_ID_SIZE == 32 && TORUS_TRACE_USER_SIZE == 32,
		       "the message says how long a name may be");
	(void)record;
	while (*p && !iscntrl((unsigned char)*p))
		p++;
	if (*p || p - text >= TORUS_TRACE_ID_SIZE)
		return torus_csv_bad(why, column, text,
				     "at most 31 printable characters");
	memcpy(to, text, (size_t)(p - text) + 1);
	torus_error_plain(to);
	return TORUS_TRACE_LINE_JOB;
}

static enum torus_trace_line read_seconds(const struct row *row,
					  enum column column,
					  struct torus_trace_record *record,
					  void *to, char *why)
{
	const char *text = row->field[column];

	(void)record;
	if (torus_number_seconds(text, to) ||
	    (strchr(text, '-') && torus_slurm_day(text, to)))
		return TORUS_TRACE_LINE_JOB;
	return torus_csv_bad(why, column, text,
			     "seconds from 0 to 1000000000000 with "
			     "at most 6 decimals, or a date");
}

/* Read seconds; an empty field is TORUS_NO_TIME. */
static enum torus_trace_line read_time(const struct row *row, enum column column,
				       struct torus_trace_record *record,
				       void *to, char *why)
{
	if (*row->field[column])
		return read_seconds(row, column, record, to, why);
	*(int64_t *)to = TORUS_NO_TIME;
	return TORUS_TRACE_LINE_JOB;
}

static enum torus_trace_line read_duration(const struct row *row,
					   enum column column,
					   struct torus_trace_record *record,
					   void *to, char *why)
{
	(void)record;
	if (!torus_duration_read(row->field[column], to, NULL))
		return TORUS_TRACE_LINE_JOB;
	return torus_csv_bad(
		why, column, row->field[column],
		"seconds with at most 6 decimals, or a duration such as 90s, 2h or 01:30:00");
}

/* Read a limit; -1 if there is none. */
static enum torus_trace_line read_limit(const struct row *row,
					enum column column,
					struct torus_trace_record *record,
					void *to, char *why)
{
	const char *text = row->field[column];

	*(int64_t *)to = -1;
	if (!*text || !strcmp(text, "-1") || !strcasecmp(text, "UNLIMITED") ||
	    !strcasecmp(text, "Partition_Limit"))
		return TORUS_TRACE_LINE_JOB;
	return read_duration(row, column, record, to, why);
}

static enum torus_trace_line read_priority(const struct row *row,
					   enum column column,
					   struct torus_trace_record *record,
					   void *to, char *why)
{
	const char *text = row->field[column], *end;
	struct torus_number n = { 0 };

	(void)record;
	end = *text ? torus_number_scan(text, &n) : text;
	if (!end || *end)
		return torus_csv_bad(why, column, text, "a number");
	*(double *)to = (double)n.whole + n.micro * 1e-6;
	return TORUS_TRACE_LINE_JOB;
}

/* Read Slurm's nice, as its range has it; 0 if it is empty. */
static enum torus_trace_line read_nice(const struct row *row, enum column column,
				       struct torus_trace_record *record,
				       void *to, char *why)
{
	const char *text = row->field[column];

	(void)record;
	*(int64_t *)to = 0;
	if (!*text || torus_number_signed(text, -2147483645, 2147483645, to))
		return TORUS_TRACE_LINE_JOB;
	return torus_csv_bad(why, column, text,
			     "a whole number from -2147483645 to 2147483645");
}

/* Read a number of nodes; 0 if it is empty. */
static enum torus_trace_line read_nodes(const struct row *row,
					enum column column,
					struct torus_trace_record *record,
					void *to, char *why)
{
	const char *text = row->field[column];
	char expected[64];
	uint64_t n = 0;
	size_t whole = strcspn(text, ".");
	char copy[16];

	(void)record;
	/* 4.0 is 4 (pandas) */
	if (whole < sizeof(copy) && text[whole] && text[whole + 1] &&
	    !text[whole + 1 + strspn(text + whole + 1, "0")]) {
		snprintf(copy, sizeof(copy), "%.*s", (int)whole, text);
		text = copy;
	}
	if (*text &&
	    !torus_number_whole(text, 1, TORUS_TRACE_MAX_PROCESSORS, &n)) {
		snprintf(expected, sizeof(expected),
			 "a whole number from 1 to %u",
			 TORUS_TRACE_MAX_PROCESSORS);
		return torus_csv_bad(why, column, text, expected);
	}
	*(uint32_t *)to = (uint32_t)n;
	return TORUS_TRACE_LINE_JOB;
}

/* Read a whole number; 0 if it is empty. */
static enum torus_trace_line read_whole(const struct row *row,
					enum column column,
					struct torus_trace_record *record,
					void *to, char *why)
{
	const char *text = row->field[column];

	(void)record;
	*(uint64_t *)to = 0;
	if (!*text || torus_number_whole(text, 0, INT64_MAX, to))
		return TORUS_TRACE_LINE_JOB;
	return torus_csv_bad(why, column, text, "a whole number");
}

/* Read memory of each node or, with a c behind it, for each CPU. */
static enum torus_trace_line read_memory(const struct row *row,
					 enum column column,
					 struct torus_trace_record *record,
					 void *to, char *why)
{
	struct torus_job_parts *parts = to;
	const char *text = row->field[column];
	char each = 0;

	(void)record;
	parts->memory_mb = 0;
	if (*text && !torus_slurm_memory(text, &parts->memory_mb, &each))
		return torus_csv_bad(why, column, text, TORUS_SLURM_MEMORY);
	parts->per_cpu = each == 'c';
	return TORUS_TRACE_LINE_JOB;
}

/* Read GPUs of each node, CPUs of each task. */
static enum torus_trace_line read_small(const struct row *row,
					enum column column,
					struct torus_trace_record *record,
					void *to, char *why)
{
	uint64_t n = 0;

	(void)record;
	if (*row->field[column] &&
	    !torus_number_whole(row->field[column], 0, UINT16_MAX, &n))
		return torus_csv_bad(why, column, row->field[column],
				     "a whole number from 0 to 65535");
	*(uint32_t *)to = (uint32_t)n;
	return TORUS_TRACE_LINE_JOB;
}

/* Return 1 for yes, 0 for no, -1 for any other word, `empty` for none. */
static int csv_flag(const char *text, int empty)
{
	static const char *const word[] = { "no",  "false", "0",
					    "yes", "true",  "1" };

	for (int i = 0; *text && i < 6; i++) {
		if (strcmp(text, word[i]) == 0)
			return i > 2;
	}
	return *text ? -1 : empty;
}

static enum torus_trace_line read_exclusive(const struct row *row,
					    enum column column,
					    struct torus_trace_record *record,
					    void *to, char *why)
{
	int flag = csv_flag(row->field[column], 0);

	(void)record;
	if (flag < 0)
		return torus_csv_bad(why, column, row->field[column],
				     "yes or no");
	*(bool *)to = flag;
	return TORUS_TRACE_LINE_JOB;
}

/* Check a flag of the request; csv_words() takes the words. */
static enum torus_trace_line read_word(const struct row *row, enum column column,
				       struct torus_trace_record *record,
				       void *to, char *why)
{
	const char *text = row->field[column];

	(void)record;
	(void)to;
	return !torus_word_is_flag(column - COLUMN_OF_WORD(0)) ||
			       csv_flag(text, 0) >= 0 ?
		       TORUS_TRACE_LINE_JOB :
		       torus_csv_bad(why, column, text, "yes or no");
}

/* Read a place, which is omitted if it is too long. */
static enum torus_trace_line read_place(const struct row *row,
					enum column column,
					struct torus_trace_record *record,
					void *to, char *why)
{
	(void)why;
	(void)to;
	if (strlen(row->field[column]) < sizeof(record->place))
		strcpy(record->place, row->field[column]);
	return TORUS_TRACE_LINE_JOB;
}

enum torus_trace_line torus_csv_read(const struct row *row, uint64_t wanted,
				     struct torus_trace_record *record,
				     char *why)
{
	static const struct {
		torus_csv_reader *read;
		size_t member;
	} readers[COLUMNS] = {
#define COLUMN(ENUMERATOR, NAME, KIND, WRITER, READER, MEMBER)                 \
	{ READER, offsetof(struct torus_trace_record, MEMBER) },
		JOURNAL_COLUMNS(COLUMN)
#undef COLUMN
	};

	for (int i = 0; i < COLUMNS; i++) {
		enum torus_trace_line what = TORUS_TRACE_LINE_JOB;

		if (wanted & COLUMN_BIT(i) && readers[i].read)
			what = readers[i].read(row, (enum column)i, record,
					       (char *)record +
						       readers[i].member,
					       why);
		if (what != TORUS_TRACE_LINE_JOB)
			return what;
	}
	if (!*record->id)
		snprintf(record->id, sizeof(record->id), "%llu",
			 (unsigned long long)row->number);
	return TORUS_TRACE_LINE_JOB;
}

/* Take the words of the request. Return false if none is given. */
static bool csv_words(const struct row *row, struct torus_request_words *words)
{
	bool given = false;

	*words = (struct torus_request_words){ 0 };
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		const char *text = row->field[COLUMN_OF_WORD(w)];
		int set = torus_request_word[w].kind != TORUS_KIND_NOT;

		if (torus_word_is_flag(w) && csv_flag(text, !set) != set)
			text = NULL;
		torus_request_words_set(words, w, text);
		given |= torus_request_words_get(words, w) != NULL;
	}
	return given;
}

/* Read the words of a shape, or of a count with a connection, into the record.
 * For a ladder, the nodes of the first alternative represent the job. */
static enum torus_trace_line csv_words_read(struct csv *csv,
					    const struct row *row,
					    struct torus_request_words words,
					    struct torus_trace_record *record,
					    char *why)
{
	const char *geometry = row->field[COLUMN_GEOMETRY];
	bool anywhere = torus_csv_anywhere(row->field[COLUMN_PLACEMENT],
					   &record->outside);
	enum torus_trace_line what;
	uint64_t volume = 0;

	if (!*geometry)
		words.geometry = row->field[COLUMN_NODES];
	if (anywhere)
		words.placement = "flat";
	what = torus_words_read(record, &words, &csv->words, "", why);
	if (what != TORUS_TRACE_LINE_JOB)
		return what;
	for (uint32_t k = record->request->alternatives; k-- > 0;) {
		struct torus_ask *ask = &record->request->alternative[k].ask;

		ask->anywhere = anywhere && ask->by_count;
		volume = torus_ask_nodes(ask);
		if (volume > TORUS_TRACE_MAX_PROCESSORS)
			return torus_csv_bad(why, COLUMN_GEOMETRY, geometry,
					     "fewer nodes");
	}
	record->stated = record->requested;
	if (record->stated && record->stated % volume && volume % record->stated)
		return torus_csv_bad(why, COLUMN_GEOMETRY, geometry,
				     "as many nodes as the column nodes says");
	record->shaped = true;
	record->requested = record->used = (uint32_t)volume;
	return TORUS_TRACE_LINE_JOB;
}

static enum torus_trace_line job_read(struct csv *csv, const struct row *row,
				      struct torus_trace_record *record,
				      char *why)
{
	struct torus_request_words words;
	enum torus_trace_line what;
	uint32_t cpus;

	record->component = record->shaped = false;
	record->requested = record->changes = 0;
	if (csv->journal) {
		char *geometry = row->field[COLUMN_GEOMETRY];
		size_t length = strlen(geometry);
		const char *place = row->field[COLUMN_REGION];

		/* A journal may have jobs of no node (-N0-2), which slurmctld refuses now. */
		if (strcmp(row->field[COLUMN_NODES], "0") == 0)
			return TORUS_TRACE_LINE_NO_PROCESSORS;
		if (length >= 2 && strcmp(geometry + length - 2, ",0") == 0) {
			if (*row->field[COLUMN_START] &&
			    (!*place || strstr(place, "{}")))
				return TORUS_TRACE_LINE_NO_PROCESSORS;
			geometry[length - 2] = '\0';
		}
	}
	what = torus_csv_read(row, csv->wanted, record, why);
	cpus = record->used;
	record->used = record->requested;
	if (what == TORUS_TRACE_LINE_JOB && csv->journal)
		what = torus_csv_journal(row, record, why);
	if (what != TORUS_TRACE_LINE_JOB ||
	    (csv->journal && torus_csv_adopted(row, record, &what, why)))
		return what;
	if (csv_words(row, &words))
		return csv_words_read(csv, row, words, record, why);
	if (csv->cpus) {
		record->parts.nodes = record->requested;
		record->parts.most_nodes = record->requested;
		record->requested = record->used =
			torus_job_parts_tasks(&record->parts, cpus);
	}
	if (!record->requested) {
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 csv->cpus ? "cpus is empty" :
				     "neither nodes nor geometry is given");
		return TORUS_TRACE_LINE_BAD;
	}
	return TORUS_TRACE_LINE_JOB;
}

/* Refuse dates among seconds that do not count from 1970: those below 10^8 (1973). */
static enum torus_trace_line clock_check(struct csv *csv, const struct row *row,
					 const struct torus_trace_record *r,
					 char *why)
{
	const struct {
		enum column column;
		int64_t us;
	} times[] = {
		{ COLUMN_SUBMIT, r->submit_us },
		{ COLUMN_DEADLINE, r->deadline_us },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		const char *text = row->field[times[i].column];
		bool date = strchr(text, '-');

		if (!*text || (!date && times[i].us >= 100000000000000))
			continue;
		if (csv->clock == CLOCK_UNKNOWN)
			csv->clock = date ? CLOCK_DATES : CLOCK_SECONDS;
		if (date != (csv->clock == CLOCK_DATES))
			return torus_csv_bad(why, times[i].column, text,
					     date ? "seconds, as in the lines before" :
						    "a date, as in the lines before");
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
	if (what == TORUS_TRACE_LINE_JOB && !csv->journal)
		what = clock_check(csv, row, record, why);
	record->open = csv->journal && (strcmp(state, "waiting") == 0 ||
					strcmp(state, "running") == 0);
	return what == TORUS_TRACE_LINE_JOB && record->open ?
		       TORUS_TRACE_LINE_OPEN :
		       what;
}

/* Return true for a header, of the file or of the next of several (cat): each names the
 * columns of the rows below it. */
static bool csv_is_header(const struct csv *csv, const char *line)
{
	char submit[256] = "submit", run[256] = "run", name[64], column[256];

	if (strchr(",0123456789", *line)) /* the rows of most files */
		return false;
	for (const char *p = csv->map; p && (p = map_next(p, name, column));) {
		if (!strcmp(name, columns[COLUMN_SUBMIT]))
			strcpy(submit, column);
		if (!strcmp(name, columns[COLUMN_RUN]))
			strcpy(run, column);
	}

	return torus_field_among(line, csv->between, submit) &&
	       torus_field_among(line, csv->between, run);
}

static enum torus_trace_line csv_line(void *self, char *line, size_t length,
				      struct torus_trace_record *record,
				      char *why)
{
	struct csv *csv = self;
	enum torus_trace_line what;
	struct row row;
	static char nothing[] = "";
	uint32_t fields = 0;
	char *next, *field;
	bool sound;
	int i;

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
	if (!csv->header || csv_is_header(csv, line))
		return csv_header(csv, line, why);
	row.number = ++csv->row;
	next = line;
	for (i = 0; i < COLUMNS; i++)
		row.field[i] = nothing;
	for (; next; fields++) {
		next = torus_field_take(next, csv->between, &field, &sound);
		if (!sound) {
			snprintf(why, TORUS_TRACE_WHY_SIZE,
				 "field %u: quotes that do not match",
				 fields + 1);
			return TORUS_TRACE_LINE_BAD;
		}
		if (fields < csv->used && csv->order[fields] < COLUMNS)
			row.field[csv->order[fields]] = field;
	}
	if (fields != csv->used) {
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "got %u field%s, expected %u", fields,
			 fields == 1 ? "" : "s", csv->used);
		return TORUS_TRACE_LINE_BAD;
	}
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
	return submit && submit < end && line + strcspn(line, ",;\t") < end;
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

/* Split the fields of a CSV line in place, and find one (formats.h). O(length). */

/* Remove the quotes of "..." in place. Return the text after it, or NULL. */
static char *quoted_take(char *p, const char *blanks)
{
	char *to = p++;

	for (; *p; p++) {
		if (*p == '"' && *++p != '"') {
			*to = '\0';
			return p + strspn(p, blanks);
		}
		*to++ = *p;
	}
	return NULL;
}

char *torus_field_take(char *p, char between, char **field, bool *sound)
{
	const char *blanks = between == '\t' ? " " : " \t";
	char *end;

	p += strspn(p, blanks);
	*field = p;
	*sound = true;
	if (*p == '"') {
		end = quoted_take(p, blanks);
		*sound = end && (*end == between || !*end);
		return *sound && *end ? end + 1 : NULL;
	}
	end = strchrnul(p, between);
	p = *end ? end + 1 : NULL;
	while (end > *field && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	return p;
}

bool torus_field_among(const char *line, char between, const char *name)
{
	size_t length = strlen(name);
	const char *next = strcasestr(line, name);

	for (; next; next = strcasestr(next + length, name)) {
		const char *from = next, *to = next + length;

		while (from > line && strchr(" \t\"", from[-1]))
			from--;
		to += strspn(to, " \t\"\r");
		if ((from == line || from[-1] == between) &&
		    (!*to || *to == between))
			return true;
	}
	return false;
}
