/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a trace is used (struct torus_trace_choice): clusters, partitions, a
 * window of time; when jobs arrive; limits of jobs that have none; runs that are
 * in the file twice. And files that are no trace, by name.
 */
#ifndef TRACE_SELECT_H
#define TRACE_SELECT_H

#include "trace/trace.h"

struct torus_select;

/* The arguments outlive it. history: a record equal to an earlier one in id,
 * submission and start is the same run. NULL with ENOMEM. */
struct torus_select *
torus_select_create(const struct torus_trace_choice *choice,
		    const struct torus_trace_header *header, bool history);
void torus_select_destroy(struct torus_select *s);

/*
 * Decide on the reader's result for a job: return `what`, REPEATED or OTHER, or
 * FAILED without memory. Sets arrival, limit and window in a job that is used, and in an
 * open one, which is not open any more if it is outside the window. A run that was counted
 * as unfinished before and ends here moves in `counts`.
 */
enum torus_trace_line torus_select_take(struct torus_select *s,
					enum torus_trace_line what,
					struct torus_trace_record *record,
					struct torus_trace_counts *counts);

/* Return how often a job that is used is taken, by its user. */
uint32_t torus_select_copies(struct torus_select *s,
			     const struct torus_trace_record *record);
/* Give a copy of the job `id` a name of its own: id~number. */
void torus_select_name_copy(struct torus_trace_record *copy, const char *id,
			    uint32_t number);

/* Add a line for each cluster, partition and user of the choice that no job has: after
 * the last one. */
void torus_select_missing(const struct torus_select *s, struct torus_error *err);
/* The same for the choice of a trace, if it has one. */
void torus_trace_missing(const struct torus_trace *trace,
			 struct torus_error *err);

/* Count a job that is used: its limit, cluster, partition and arrival. */
void torus_select_count(struct torus_select *s,
			const struct torus_trace_record *record,
			struct torus_trace_counts *counts);
/* Take a piece of a job that is counted from the jobs. */
void torus_select_uncount(const struct torus_trace_record *piece,
			  struct torus_trace_counts *counts);

/* Return what a file is whose text begins so, and the command that helps; NULL:
 * unknown. *binary: it is no text. */
const char *torus_foreign_what(const char *first, bool *binary);

/* The jobs of a history in memory, sorted by arrival, or in the order of the lines and
 * with their accounting: about 500 bytes per job, O(n log n) time. */
struct torus_sorted;

struct torus_sorted *torus_sorted_create(bool by_line); /* NULL with ENOMEM */
void torus_sorted_destroy(struct torus_sorted *s);
/* Add a copy. Return 0, or -1 with ENOMEM. */
int torus_sorted_add(struct torus_sorted *s, const struct torus_trace_record *r);
/* Sort, once, and join the pieces of a job, of which each begins when another ends, which
 * are counted as joined and no more as jobs. Jobs that stay open are dropped; the others are
 * taken as often as their users' factors say. in_use gets the nodes that the jobs had at once by
 * their own starts and ends. Return 0, or -1 with ENOMEM. */
int torus_sorted_finish(struct torus_sorted *s, struct torus_select *select,
			struct torus_trace_counts *counts);
/* Return the next job, valid until the next call; NULL at the end. */
const struct torus_trace_record *torus_sorted_next(struct torus_sorted *s);

#endif
