/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of jobs as CSV, in the order of the journal: one row each. The writer
 * (journal.c), the reader (trace/formats/csv.c) and both headers walk this table. A row:
 *
 *	enumerator    COLUMN_ID of the reader
 *	name          in the first line of a file
 *	kind          ANY: of any trace; JOURNAL: a file with such a column is a
 *	              journal; OUTCOME: what became of the job
 *	writer        in journal.c; NULL: the journal does not have the column
 *	reader        in csv.c or csv_journal.c; NULL: read together with others
 *	member        of struct torus_trace_record, which the reader fills in
 *
 * A further column is one row, and the two functions that it names. The words of a request
 * have their own table, whose rows become rows of this one.
 */
#ifndef FORMAT_JOURNAL_COLUMNS_H
#define FORMAT_JOURNAL_COLUMNS_H

#include "torus/request_words.h"

/* clang-format off */
#define JOURNAL_WORD(member, kind, name, variable, column, ...) \
	COLUMN(variable, column, ANY, put_##member, read_word, request)
#define JOURNAL_COLUMNS(COLUMN) \
	COLUMN(ID,         id,         ANY,     put_id,         read_name,         id) \
	COLUMN(SUBMIT,     submit,     ANY,     put_submit,     read_seconds,      submit_us) \
	COLUMN(RUN,        run,        ANY,     put_run,        read_seconds,      run_us) \
	COLUMN(NODES,      nodes,      ANY,     put_nodes,      read_nodes,        requested) \
	TORUS_REQUEST_WORDS(JOURNAL_WORD) \
	COLUMN(LIMIT,      limit,      ANY,     put_limit,      read_limit,        limit_us) \
	COLUMN(DEADLINE,   deadline,   ANY,     put_deadline,   read_time,         deadline_us) \
	COLUMN(USER,       user,       ANY,     NULL,           read_name,         user) \
	COLUMN(PARTITION,  partition,  ANY,     NULL,           read_name,         partition) \
	COLUMN(PRIORITY,   priority,   ANY,     put_priority,   read_priority,     priority) \
	COLUMN(ELIGIBLE,   eligible,   JOURNAL, put_eligible,   read_time,         since_us) \
	COLUMN(TURN,       turn,       JOURNAL, put_turn,       read_whole,        turn) \
	COLUMN(LEFT,       left,       JOURNAL, put_left,       read_time,         left_us) \
	COLUMN(LIMITS,     limits,     JOURNAL, put_limits,     torus_csv_limits,  change) \
	COLUMN(ONLY,       only,       JOURNAL, put_only,       torus_csv_only,    only) \
	COLUMN(START,      start,      OUTCOME, put_start,      read_time,         start_us) \
	COLUMN(END,        end,        OUTCOME, put_end,        NULL,              start_us) \
	COLUMN(REGION,     region,     OUTCOME, put_region,     read_place,        place) \
	COLUMN(STATE,      state,      OUTCOME, put_state,      NULL,              kind) \
	COLUMN(STAY,       stay,       JOURNAL, put_stay,       read_whole,        stay)
/* clang-format on */

#endif
