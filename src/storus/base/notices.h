/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notices about a trace that was read. */
#ifndef STORUS_NOTICES_H
#define STORUS_NOTICES_H

#include "storus/storus.h"
#include "trace/trace.h"

void storus_trace_notices(const struct storus_command *command, const char *name,
			  const struct torus_trace *trace, bool strict);

/* STORUS_USAGE after a line on stderr if the trace, read to its end, has no job
 * that can be used; else STORUS_DONE. */
int storus_trace_usable(const struct storus_command *command, const char *name,
			const struct torus_trace *trace);

/* --format NAME into a const char *: a name of the registry. */
int storus_trace_take_format(const struct storus_args *args, void *format);

#endif
