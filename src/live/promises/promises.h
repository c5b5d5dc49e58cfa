/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The promises to the queued jobs of a cycle (cycle.h): their reservations if the discipline makes any, else the shadow time of the queue's head (promises.c). */
#ifndef LIVE_PROMISES_PROMISES_H
#define LIVE_PROMISES_PROMISES_H

#include "live/cycle.h"

/* Name a job that is a task of an array, in a snapshot or when it has started, for
 * reasons. Without memory it is called by its number. */
void promises_name_task(struct cycle *c, const struct plan_file_id *task);

/*
 * Call each() for the first `most` queued jobs in queue order, the first
 * `explained` of them with a reason, then for those set aside, until it returns
 * false.
 */
void promises_list(struct cycle *c, uint32_t most, uint32_t explained,
		   bool (*each)(void *arg, const struct cycle_promise *p),
		   void *arg);

#endif
