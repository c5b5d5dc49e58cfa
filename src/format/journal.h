/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: what sched/torus was told and did, a line of CSV per job that is
 * over, on the clock of its cycles, and per change of the nodes that it has not
 * to give. `storus replay` reads it as a trace, and `storus parity` compares.
 */
#ifndef FORMAT_JOURNAL_H
#define FORMAT_JOURNAL_H

#include "live/cycle.h"

/* Append a line (and the header, to a new file; one that begins with another, of
 * an older version, becomes PATH.old). 0, or -1 with errno. */
int journal_add(const char *path, const struct torus_machine *m,
		const struct cycle_over *o);
int journal_add_kept(const char *path, const struct torus_machine *m,
		     const struct cycle_kept *k);
int journal_add_cut(const char *path, const struct cycle_cut *cut);

#endif
