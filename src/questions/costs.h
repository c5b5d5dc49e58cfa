/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cost of ending a running job, in millionths of a node second. */
#ifndef QUESTIONS_COSTS_H
#define QUESTIONS_COSTS_H

#include "format/snapshot.h"

enum costs_kind {
	COSTS_ELAPSED,   /* nodes x time since the start */
	COSTS_REMAINING, /* nodes x time to the expected end */
	COSTS_NODES,     /* nodes x 1 s */
};

/* Return the cost; UINT64_MAX if it overflows, or without an expected end. */
uint64_t costs_of(const struct snapshot *s, const struct snapshot_job *job,
		  enum costs_kind kind);

#endif
