/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal of sched/torus as a trace of storus. */
#ifndef STORUS_JOURNAL_H
#define STORUS_JOURNAL_H

#include "storus/storus.h"
#include "torus/config.h"
#include "trace/trace.h"

/* Let jobs without a shape use any nodes, as in a live cluster. 0, or -1 with errno and
 * a line in err. */
int storus_allow_anywhere(struct torus_machine *m, struct torus_error *err);

/* If the trace is a journal, add the nodes of its cluster that are in no torus. Call it
 * before the replay. 0, or -1 with errno and lines in err. */
int storus_journal_machine(struct torus_trace *trace,
			   struct torus_config *config, struct torus_error *err);

#endif
