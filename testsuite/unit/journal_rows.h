/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal of a cycle under test, in a file of its own, and the rows that it has
 * so far. */
#ifndef TESTSUITE_JOURNAL_ROWS_H
#define TESTSUITE_JOURNAL_ROWS_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/cycle.h"
#include "live/mirror/cycle_report.h"

/* Columns of a journal. */
enum {
	ROW_ID = 0,
	ROW_SUBMIT = 1,
	ROW_START = 20,
	ROW_END = 21,
	ROW_REGION = 22,
	ROW_STATE = 23,
	ROW_FIELDS = 25
};

struct journal_rows {
	struct journal *journal;
	char path[32];
	FILE *f;
	char line[65536];
	char *field[ROW_FIELDS];
};

/* Give the cycle a journal. */
UNIT_HELPER void journal_rows_open(struct journal_rows *r, struct cycle *c,
				   const struct torus_machine *m)
{
	int fd;

	snprintf(r->path, sizeof(r->path), "journal_rows.XXXXXX");
	fd = mkstemp(r->path);
	assert_true(fd >= 0);
	close(fd);
	r->journal = journal_create(r->path, m);
	assert_non_null(r->journal);
	cycle_report_to(c, r->journal);
}

/* After the cycle. */
UNIT_HELPER void journal_rows_close(struct journal_rows *r)
{
	journal_destroy(r->journal);
	unlink(r->path);
}

/* Cut the line into fields; the quotes of a field go. */
UNIT_HELPER void journal_rows_split(struct journal_rows *r)
{
	char *at = r->line;

	for (int i = 0; i < ROW_FIELDS; i++) {
		bool quoted = *at == '"';
		size_t n;

		at += quoted;
		r->field[i] = at;
		n = strcspn(at, quoted ? "\"" : ",\n");
		if (at[n] != '\0')
			at[n++] = '\0';
		at += n + quoted;
	}
}

/* Go to the next row of that state. Return false at the end. */
UNIT_HELPER bool journal_rows_next(struct journal_rows *r, const char *state)
{
	while (fgets(r->line, sizeof(r->line), r->f)) {
		if (*r->line == '#')
			continue;
		journal_rows_split(r);
		if (strcmp(r->field[ROW_STATE], state) == 0)
			return true;
	}
	fclose(r->f);
	return false;
}

/* Write what the cycle has reported, and go to the begin. */
UNIT_HELPER void journal_rows_begin(struct journal_rows *r)
{
	struct torus_error err = { 0 };

	if (journal_write(r->journal, &err))
		fail_msg("%s", err.text);
	r->f = fopen(r->path, "r");
	assert_non_null(r->f);
}

UNIT_HELPER uint32_t journal_rows_count(struct journal_rows *r,
					const char *state)
{
	uint32_t n = 0;

	for (journal_rows_begin(r); journal_rows_next(r, state);)
		n++;
	return n;
}

/* The time in a column of the present row. */
UNIT_HELPER int64_t journal_rows_us(const struct journal_rows *r, int column)
{
	char *end;
	int64_t seconds = strtoll(r->field[column], &end, 10);

	assert_true(*end == '.' && strlen(end) == 7);
	return seconds * 1000000 + strtoll(end + 1, NULL, 10);
}

#endif
