/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace of job outcomes, cut into parts that can be replayed. */
#ifndef TRACE_PARTS_H
#define TRACE_PARTS_H

#include "trace/records.h"

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

#endif
