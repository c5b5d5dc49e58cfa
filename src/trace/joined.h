/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal as a trace in which each job occurs once, even if another scheduler
 * began while it waited or ran, in the same file or in another of the joined
 * files.
 */
#ifndef TRACE_JOINED_H
#define TRACE_JOINED_H

#include "trace/trace.h"
#include "trace/log.h"

struct torus_joined;

/* Return NULL with ENOMEM. */
struct torus_joined *torus_joined_create(void);
void torus_joined_destroy(struct torus_joined *j);

/* Add a copy of the next record; open jobs and marks included. Return -1 with
 * ENOMEM. */
int torus_joined_add(struct torus_joined *j, const struct torus_trace_record *r);

/* Join all records that were added. Return -1 with ENOMEM. */
int torus_joined_finish(struct torus_joined *j);

/*
 * Then return the next record in order of submission, NULL at the end: jobs
 * that are over or had their nodes when a scheduler began, and the other kinds,
 * without marks.
 */
const struct torus_trace_record *torus_joined_next(struct torus_joined *j);

/* Return the number of jobs whose end follows only from joined lines. */
uint64_t torus_joined_crossed(const struct torus_joined *j);

/* parts.c: a trace of job outcomes, cut into parts that can be replayed. */

/*
 * A part of a journal: from the begin of a scheduler to the last point up to
 * which the journal is complete. Any other trace is one part without such an
 * end.
 */
struct torus_trace_part {
	size_t from, to;  /* index range of its records */
	int64_t until_us; /* TORUS_NO_TIME: to its end */
};

struct torus_trace_parts {
	struct torus_trace_part *part; /* free with torus_free() */
	uint32_t count;
	uint64_t headless; /* lines of jobs whose scheduler began in an earlier
			      file: in no part */
};

/*
 * Cut records read with the options `unsorted` and `open`, each with its own
 * memory. In a part they are in order of submission, one per job. Records in no
 * part are freed or remain at the end. Return 0, or -1 with ENOMEM.
 */
int torus_trace_cut(struct torus_trace_record *record, size_t records,
		    struct torus_trace_parts *all);

/* Compare two records as qsort() does: the order in which they are submitted. */
int torus_trace_by_submission(const struct torus_trace_record *x,
			      const struct torus_trace_record *y);

#endif
