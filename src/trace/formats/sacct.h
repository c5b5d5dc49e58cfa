/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the readers of sacct's output: sacct.c reads lines, sacct_rows.c has their
 * columns, sacct_divide.c divides those with free text, sacct_record.c makes jobs of them,
 * sacct_size.c reads a job's size, sacct_json.c --json. */
#ifndef TRACE_SACCT_H
#define TRACE_SACCT_H

#include "trace/formats.h"

#define TORUS_SACCT_FIELDS 512 /* sacct -o ALL has some 120 */
#define TORUS_SACCT_DELIMITER 16
#define TORUS_SACCT_LETTERS                                                    \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* The columns that are used. */
enum torus_sacct_column {
	SACCT_JOBID,
	SACCT_JOBIDRAW,
	SACCT_CLUSTER,
	SACCT_PARTITION,
	SACCT_USER,
	SACCT_SUBMIT,
	SACCT_ELIGIBLE,
	SACCT_START,
	SACCT_END,
	SACCT_ELAPSEDRAW,
	SACCT_ELAPSED,
	SACCT_NNODES,
	SACCT_ALLOCNODES,
	SACCT_REQNODES,
	SACCT_ALLOCCPUS,
	SACCT_NCPUS,
	SACCT_REQCPUS,
	SACCT_ALLOCTRES,
	SACCT_REQTRES,
	SACCT_TIMELIMITRAW,
	SACCT_TIMELIMIT,
	SACCT_STATE,
	SACCT_PRIORITY,
	SACCT_ADMINCOMMENT,
	SACCT_ACCOUNT,
	SACCT_QOS,
	SACCT_REQMEM,
	/* from here on: read only where a line has one reading */
	SACCT_CONSTRAINTS,
	SACCT_RESERVATION,
	SACCT_LICENSES,
	SACCT_SUBMITLINE,
	SACCT_COLUMNS, /* any other */
};

/* What a column's values look like. */
enum torus_sacct_kind {
	SACCT_WORD, /* anything without a separator or a line end */
	SACCT_FREE, /* free text, which may have both */
	SACCT_IS_ID,
	SACCT_IS_DATE,
	SACCT_IS_SPAN,
	SACCT_IS_COUNT,
	SACCT_IS_STATE,
	SACCT_IS_TRES,
	SACCT_IS_EXIT,
	SACCT_IS_NAME, /* of a user, partition or cluster */
};

/* The columns of a file, from its header. */
struct torus_sacct_layout {
	char delimiter[TORUS_SACCT_DELIMITER];
	uint32_t fields;
	uint32_t seen; /* bits of enum torus_sacct_column, which are below 32 */
	bool shared;   /* sizes are CPUs or GPUs: columns beside NNodes count */
	bool free;     /* some column is free text; */
	bool free_end; /* the last one is */
	uint16_t column[TORUS_SACCT_FIELDS]; /* enum torus_sacct_column */
	uint8_t kind[TORUS_SACCT_FIELDS];
	/* whether ids are given in the order of submission, in the rows so far */
	uint32_t in_order; /* pairs of rows; the last one: */
	bool out_of_order;
	int64_t last_id, last_submit_s;
};

/* The fields of a record by column; "" if empty or missing in the file. */
struct torus_sacct_row {
	const char *field[SACCT_COLUMNS + 1];
};

extern const char *const torus_sacct_columns[SACCT_COLUMNS];

/* Return true if the n bytes at p are such a value. */
bool torus_sacct_value_fits(enum torus_sacct_kind kind, const char *p, size_t n);
/* Return true if they are a word of the list, which NULL ends, in any case. */
bool torus_sacct_is_one_of(const char *p, size_t n, const char *const *list);
/* Return the number of pieces between the delimiters. */
uint32_t torus_sacct_pieces(const char *line, const char *delimiter);
void torus_sacct_row_clear(struct torus_sacct_row *row);

/* Read a header, which is modified. Return false with `why`. */
bool torus_sacct_header(struct torus_sacct_layout *l, char *line, char *why);
/* Read the names of --columns for a file whose first line is `first`; its
 * separator is the one that gives as many fields. */
bool torus_sacct_names(struct torus_sacct_layout *l, const char *names,
		       const char *first, char *why);
/* Return true if the line is a header. */
bool torus_sacct_is_header(const char *line);

/* Divide a line with exactly one separator between two fields, which are
 * replaced by NULs. Return the number of fields found; if it is not l->fields,
 * the line is unchanged. */
uint32_t torus_sacct_split(const struct torus_sacct_layout *l, char *line,
			   struct torus_sacct_row *row);

/* Note whether ids are in the order of submission, from a row that has no other reading. If
 * they are, of several readings of later records those in this order count. */
void torus_sacct_note_order(struct torus_sacct_layout *l,
			    const struct torus_sacct_row *row);

/* Return true if the row has the number of a job. */
bool torus_sacct_is_id(const struct torus_sacct_row *row);

/* Return true if a record may begin so: the columns before the first one of
 * free text are valid, as far as the line goes. */
bool torus_sacct_begins(const struct torus_sacct_layout *l, const char *line);

/*
 * Count the readings of a record with separators or line ends in its free text:
 * divisions that make every recognizable column valid. Those that differ only in
 * columns that are not used are one; of several the only one that agrees with itself
 * counts (agree: only such ones count at all). Return 0, 1 or 2 (more); 1 fills in *row
 * and modifies the text. *evidence: how much of the record is recognized before its
 * first line ends. O(fields x surplus^2) time, and at most MOST_STEPS steps.
 */
int torus_sacct_readings(const struct torus_sacct_layout *l, char *text,
			 bool agree, struct torus_sacct_row *row,
			 uint32_t *evidence);

/* Say what a column has. Return BAD. */
enum torus_trace_line torus_sacct_error(char *why,
					enum torus_sacct_column column,
					const char *got, const char *expected);
/* Return the first nonempty of the columns. */
const char *torus_sacct_first_of(const struct torus_sacct_row *row,
				 enum torus_sacct_column a,
				 enum torus_sacct_column b);
/* Read the size: of nodes, CPUs or GPUs. ReqNodes comes last, as it is 1 for jobs
 * that asked for tasks. */
bool torus_sacct_size_read(enum torus_trace_size size,
			   const struct torus_sacct_row *row,
			   struct torus_trace_record *record, char *why);
/*
 * Read what the job needs of nodes that it shares. It may be on as many nodes as it was
 * on, at least on those that it asked for: ReqNodes is 1 for jobs that asked for tasks.
 * One that asked for GPUs of all its nodes together, and got as many, has as many nodes.
 * Memory and GPUs of all its nodes are parted equally: GPUs and the memory of one node
 * by nodes, other memory by CPUs.
 */
bool torus_sacct_parts_read(const struct torus_sacct_row *row,
			    struct torus_trace_record *record, char *why);

/* A job from the columns of a record, with the earlier parts of resized jobs. */
struct torus_sacct_record;

/* NULL with ENOMEM. The choice outlives it. */
struct torus_sacct_record *
torus_sacct_record_create(const struct torus_trace_choice *choice);
void torus_sacct_record_destroy(struct torus_sacct_record *s);
/* Read the fields of a record into *record. seen: the columns of the file, as in struct
 * torus_sacct_layout. */
enum torus_trace_line torus_sacct_record_read(struct torus_sacct_record *s,
					      uint32_t seen,
					      const struct torus_sacct_row *row,
					      struct torus_trace_record *record,
					      char *why);

#endif
