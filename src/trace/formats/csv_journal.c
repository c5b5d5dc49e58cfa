/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns and lines of sched/torus's journal (format/journal.h) beyond other CSV:
 * turn (order among otherwise equal jobs), eligible (when its waits begin, if not at
 * submission), left (when it was withdrawn before it began), limits and only (changes of
 * its limit while it ran, of its nodes while it waited), placement `anywhere` or `given`.
 * Lines with the same number in `stay` are about the same job; the column state selects
 * lines that are not about jobs. Those of pending or running jobs, begin, until and lost
 * are for callers that ask for open jobs.
 */
#include "trace/formats/csv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/journal.h"

_Static_assert(TORUS_TRACE_CHANGES == JOURNAL_LIMITS, "what is written is read");

#define VERSION 4           /* the latest */
#define ANYWHERE "anywhere" /* placements */
#define GIVEN "given"
#define NAMES                                                                  \
	(COLUMN_BIT(COLUMN_ID) | COLUMN_BIT(COLUMN_USER) |                     \
	 COLUMN_BIT(COLUMN_PARTITION))

/* Read a time followed by that mark; return the text after it, or NULL. */
static const char *csv_journal_read_place(const char *text, char mark,
					  int64_t *us)
{
	const char *end = torus_number_scan_seconds(text, us);

	return end && *end == mark ? end : NULL;
}

/* Read limits: WHEN=LIMIT in seconds, separated by blanks, in order. */
enum torus_trace_line torus_csv_limits(const struct row *row, enum column column,
				       struct torus_trace_record *record,
				       void *to, char *why)
{
	const char *text = row->field[column];
	int64_t last_us = record->submit_us;

	(void)to;
	while (text && *text && record->changes < TORUS_TRACE_CHANGES) {
		struct torus_trace_change *c = &record->change[record->changes];
		const char *next = csv_journal_read_place(text, '=', &c->at_us);

		text = NULL;
		if (!next || c->at_us < last_us)
			break;
		last_us = c->at_us;
		text = csv_journal_read_place(next + 1, ' ', &c->limit_us);
		if (text)
			text++;
		else
			text = csv_journal_read_place(next + 1, '\0',
						      &c->limit_us);
		record->changes++;
	}
	if (text && !*text)
		return TORUS_TRACE_LINE_JOB;
	return torus_csv_bad(why, column, row->field[column],
			     "at most 32 of WHEN=LIMIT, in seconds, in order");
}

/* Read only: NODES, then any number of WHEN=NODES, in order. The machine checks
 * the nodes later. */
enum torus_trace_line torus_csv_only(const struct row *row, enum column column,
				     struct torus_trace_record *record,
				     void *to, char *why)
{
	const char *text = row->field[column];
	const char *next = text + strcspn(text, " ");
	int64_t last_us = record->submit_us, us;

	(void)to;
	record->only.length = 0;
	if (!*text)
		return TORUS_TRACE_LINE_JOB;
	while (*next) {
		next = csv_journal_read_place(next + 1, '=', &us);
		if (!next || us < last_us || !next[1])
			return torus_csv_bad(why, column, text,
					     "NODES WHEN=NODES.., in order");
		last_us = us;
		next += strcspn(next, " ");
	}
	return torus_text_add(&record->only, "%s", text) ?
		       TORUS_TRACE_LINE_FAILED :
		       TORUS_TRACE_LINE_JOB;
}

bool torus_csv_anywhere(const char *text, uint32_t *outside)
{
	size_t length = strlen(ANYWHERE);
	uint64_t n;

	*outside = 0;
	if (strncmp(text, ANYWHERE, length) != 0)
		return false;
	text += length;
	if (*text == '\0')
		return true;
	if (*text != '+' ||
	    !torus_number_whole(text + 1, 1, TORUS_TRACE_MAX_PROCESSORS, &n))
		return false;
	*outside = (uint32_t)n;
	return true;
}

bool torus_csv_version(const char *line, enum torus_trace_line *what, char *why)
{
	const char *version = line + strlen(JOURNAL_MARK), *end;
	uint64_t n;

	if (strncmp(line, JOURNAL_MARK, strlen(JOURNAL_MARK)) != 0)
		return false;
	*what = TORUS_TRACE_LINE_NOTHING;
	end = torus_number_scan_whole(version, VERSION, &n);
	if (end && !end[strspn(end, "\r \t")])
		return true;
	snprintf(why, TORUS_TRACE_WHY_SIZE,
		 "journal: got version \"%.20s\", expected at most %d; a later storus reads it",
		 version, VERSION);
	*what = TORUS_TRACE_LINE_REFUSED;
	return true;
}

bool torus_csv_kind(const char *state, enum torus_trace_kind *kind)
{
	static const struct {
		const char *state;
		enum torus_trace_kind kind;
	} kinds[] = {
		{ "out", TORUS_TRACE_KIND_OUT },
		{ "busy", TORUS_TRACE_KIND_BUSY },
		{ "cut", TORUS_TRACE_KIND_CUT },
		{ "pass", TORUS_TRACE_KIND_PASS },
		{ "link", TORUS_TRACE_KIND_LINK },
		{ "weights", TORUS_TRACE_KIND_WEIGHTS },
		{ "outages", TORUS_TRACE_KIND_OUTAGES },
		{ "state", TORUS_TRACE_KIND_STATE },
		{ "begin", TORUS_TRACE_KIND_BEGIN },
		{ "until", TORUS_TRACE_KIND_UNTIL },
		{ "lost", TORUS_TRACE_KIND_LOST },
		{ "would", TORUS_TRACE_KIND_WOULD },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		*kind = kinds[i].kind;
		if (strcmp(state, kinds[i].state) == 0)
			return true;
	}
	*kind = TORUS_TRACE_KIND_JOB;
	return false;
}

static enum torus_trace_line csv_journal_cut(const struct row *row,
					     struct torus_trace_record *record,
					     char *why)
{
	const char *text = row->field[COLUMN_NODES];
	uint64_t n;

	if (!torus_number_whole(text, 0, UINT32_MAX, &n))
		return torus_csv_bad(why, COLUMN_NODES, text,
				     "the number of jobs that a pass looked at");
	record->requested = (uint32_t)n;
	return TORUS_TRACE_LINE_NODES;
}

static enum torus_trace_line csv_journal_link(const struct row *row,
					      struct torus_trace_record *record,
					      char *why)
{
	const char *text = row->field[COLUMN_REGION];
	const char *health = strrchr(text, ' ');

	if (strcmp(text, "none") != 0 &&
	    (!health || strchr(text, ' ') == health ||
	     (strcmp(health, " down") != 0 && strcmp(health, " weak") != 0 &&
	      strcmp(health, " up") != 0)))
		return torus_csv_bad(why, COLUMN_REGION, text,
				     "NAME:COORD DIM down|weak|up, or none");
	return torus_text_add(&record->text, "%s", text) ?
		       TORUS_TRACE_LINE_FAILED :
		       TORUS_TRACE_LINE_NODES;
}

/* Read a line about nodes or the scheduler's state. */
static enum torus_trace_line
csv_journal_withheld(const struct row *row, struct torus_trace_record *record,
		     char *why)
{
	const char *region = row->field[COLUMN_REGION];
	enum torus_trace_line what = TORUS_TRACE_LINE_NODES;

	record->component = record->shaped = false;
	record->turn = INT64_MIN; /* sorts before the jobs */
	record->run_us = 0;
	if (torus_csv_read(row,
			   NAMES | COLUMN_BIT(COLUMN_SUBMIT) |
				   COLUMN_BIT(COLUMN_LIMIT),
			   record, why) != TORUS_TRACE_LINE_JOB)
		return TORUS_TRACE_LINE_BAD;
	switch (record->kind) {
	case TORUS_TRACE_KIND_PASS:
		return what;
	case TORUS_TRACE_KIND_CUT:
		return csv_journal_cut(row, record, why);
	case TORUS_TRACE_KIND_LINK:
		return csv_journal_link(row, record, why);
	case TORUS_TRACE_KIND_STATE:
		what = TORUS_TRACE_LINE_OPEN;
		/* fall through */
	case TORUS_TRACE_KIND_OUTAGES:
	case TORUS_TRACE_KIND_WEIGHTS:
		return torus_text_add(&record->text, "%s", region) ?
			       TORUS_TRACE_LINE_FAILED :
			       what;
	default:
		break;
	}
	if (!*region || strchr(region, ' ') || !strcmp(region, "all"))
		return torus_csv_bad(why, COLUMN_REGION, region,
				     "nodes, or none");
	return torus_text_add(&record->only, "%s", region) ?
		       TORUS_TRACE_LINE_FAILED :
		       what;
}

enum torus_trace_line torus_csv_other(const struct row *row,
				      struct torus_trace_record *record,
				      char *why)
{
	enum torus_trace_line what;
	const char *text;

	record->requested = record->used = record->changes = 0;
	record->only.length = 0;
	if (record->kind < TORUS_TRACE_KIND_BEGIN)
		return csv_journal_withheld(row, record, why);
	record->submit_us = 0;
	what = torus_csv_read(row,
			      record->kind == TORUS_TRACE_KIND_LOST ?
				      COLUMN_BIT(COLUMN_NODES) :
			      record->kind == TORUS_TRACE_KIND_WOULD ?
				      NAMES | COLUMN_BIT(COLUMN_SUBMIT) |
					      COLUMN_BIT(COLUMN_REGION) :
				      COLUMN_BIT(COLUMN_SUBMIT),
			      record, why);
	if (what != TORUS_TRACE_LINE_JOB)
		return what;
	if (record->kind == TORUS_TRACE_KIND_LOST)
		return record->requested ?
			       TORUS_TRACE_LINE_LOST :
			       torus_csv_bad(why, COLUMN_NODES, "",
					     "the number of lost lines");
	if (record->kind != TORUS_TRACE_KIND_BEGIN)
		return TORUS_TRACE_LINE_OPEN;
	text = row->field[COLUMN_PLACEMENT];
	if (*text && !torus_csv_anywhere(text, &record->outside))
		return torus_csv_bad(why, COLUMN_PLACEMENT, text,
				     "anywhere+N with N nodes of no torus");
	return TORUS_TRACE_LINE_OPEN;
}

bool torus_csv_adopted(const struct row *row, struct torus_trace_record *record,
		       enum torus_trace_line *what, char *why)
{
	const char *id = row->field[COLUMN_ID];

	if (strcmp(row->field[COLUMN_PLACEMENT], GIVEN) != 0)
		return false;
	*what = TORUS_TRACE_LINE_JOB;
	if (!torus_number_whole(id, 1, UINT64_MAX, &record->begun))
		*what = torus_csv_bad(why, COLUMN_ID, id,
				      "the number of a job that has nodes");
	else if (record->start_us > record->submit_us)
		*what = torus_csv_bad(why, COLUMN_START,
				      row->field[COLUMN_START],
				      "at most the submit time");
	else if (!record->requested)
		*what = torus_csv_bad(why, COLUMN_NODES, "",
				      "the number of nodes that it has");
	record->turn = INT64_MIN; /* sorts before the others */
	return true;
}

enum torus_trace_line torus_csv_journal(const struct row *row,
					const struct torus_trace_record *record,
					char *why)
{
	if (record->since_us != TORUS_NO_TIME &&
	    record->since_us > record->submit_us)
		return torus_csv_bad(why, COLUMN_ELIGIBLE,
				     row->field[COLUMN_ELIGIBLE],
				     "at most the submit time");
	if (record->left_us < record->submit_us)
		return torus_csv_bad(why, COLUMN_LEFT, row->field[COLUMN_LEFT],
				     "at least the submit time");
	return TORUS_TRACE_LINE_JOB;
}
