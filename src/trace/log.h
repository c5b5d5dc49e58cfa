/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of a trace in memory, to draw from (trace/models/resample.h). */
#ifndef TRACE_LOG_H
#define TRACE_LOG_H

#include "trace/trace.h"

/* records.c: records of a trace in memory, in its order. */

struct torus_records {
	struct torus_trace_record *record;
	uint64_t count;
	uint32_t room;
};

/* Copy a record, with memory of its own, over the old one in *to. Return 0, or
 * -1 with ENOMEM. */
int torus_trace_record_copy(struct torus_trace_record *to,
			    const struct torus_trace_record *from);
void torus_trace_record_free(struct torus_trace_record *r);

/* Append a copy. Return it, or NULL with ENOMEM; the list is then unchanged. */
struct torus_trace_record *
torus_records_add(struct torus_records *records,
		  const struct torus_trace_record *record);

/* Free the list; it is empty then. Keeps errno. */
void torus_records_free(struct torus_records *records);

struct torus_log {
	struct torus_trace *trace; /* read to the end: header, counts */
	struct torus_records records;
	struct torus_trace_record *job; /* jobs in `records` */
	uint32_t *user;                 /* of each job: 0 .. users - 1 */
	uint64_t jobs;
	uint32_t users;            /* number of different names; "" is one */
	int64_t first_us, last_us; /* submit times */
	uint32_t nodes;            /* size of the machine, or of the largest
				      job */
};

/*
 * Read all jobs, without their outcomes; other records are ignored. Memory:
 * about 600 bytes per job. Return NULL with lines in err and errno; EINVAL: the
 * trace is refused, or has fewer than two jobs.
 */
struct torus_log *torus_log_read(const char *path,
				 const struct torus_trace_options *options,
				 struct torus_error *err);
void torus_log_destroy(struct torus_log *log);

/* Return the nodes that a job requests. */
static inline uint32_t torus_log_nodes(const struct torus_trace_record *r)
{
	return r->requested ? r->requested : r->used;
}

/* Return sum(run x nodes) / (nodes x (last submit - first submit)) of jobs in
 * order of submission; 0 if the span is 0. */
double torus_log_load(const struct torus_trace_record *job, uint64_t jobs,
		      uint32_t nodes);

#endif
