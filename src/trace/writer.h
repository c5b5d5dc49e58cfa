/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write jobs as a trace. The readers read times back to the microsecond. */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include <stdio.h>

#include "trace/trace.h"

/* Provenance of the jobs; NULL: omitted. */
struct torus_origin {
	const char *version; /* version of storus */
	const char *command;
	const char *seed;
	const char *what;       /* model and parameters, or the trace */
	const char *load;       /* load of the jobs, and the mean load of the
				   model */
	const char *const *fit; /* lines, ended by NULL; or NULL */
	const char *digest;     /* digest of the source trace */
	int64_t jobs;           /* -1: unknown */
	int64_t nodes;          /* size of the machine; -1: unknown */
	int64_t unix_start;     /* -1: not known */
};

/* Optional columns of a CSV file, beside id, submit, run, nodes and limit. */
struct torus_writer_columns {
	bool shapes; /* geometry, connection, rotate */
	bool deadlines;
	bool users; /* user, partition, priority, nice, account, qos, wait_limit */
};

/* A format, with the readers' name for it. */
struct torus_writer {
	const char *name;
	/* Return 0, or -1 with errno. origin NULL: no provenance. */
	int (*begin)(FILE *out, const struct torus_origin *origin,
		     const struct torus_writer_columns *columns);
	int (*job)(FILE *out, const struct torus_trace_record *record,
		   const struct torus_writer_columns *columns);
};

/* Return true if the format has no place for something of the job. */
bool torus_writer_loses(const struct torus_writer *writer,
			const struct torus_trace_record *record);

extern const struct torus_writer torus_writer_swf;
extern const struct torus_writer torus_writer_csv;

#endif
