/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a trace in memory, in its order. */
#ifndef TRACE_RECORDS_H
#define TRACE_RECORDS_H

#include "trace/trace.h"

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

#endif
