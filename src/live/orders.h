/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes of a cycle (cycle.h), the orders that they make, and the host's result of each
 * order (orders.c).
 */
#ifndef LIVE_ORDERS_H
#define LIVE_ORDERS_H

#include "live/cycle.h"

/* Let jobs whose start was not carried out wait again. Return true if
 * there was one. */
bool orders_end_undone(struct cycle *c);
void orders_free(struct cycle *c);

/*
 * After an update, before its jobs are in the journal: set aside the jobs at the head
 * of the queue that no nodes in service can hold. In a pass with such a head others
 * would overtake the first job that can start.
 */
void orders_set_aside(struct cycle *c);

/* Run a pass at now_us (at least a microsecond after a pass whose order failed),
 * and another one each time that the queue's head is set aside. Return the number
 * of orders. */
uint32_t orders_plan(struct cycle *c, int64_t now_us);
const struct cycle_order *orders_get(const struct cycle *c, uint32_t i);

/*
 * Report the result of order i. STARTED: the job's number is now `job` (a task of
 * an array gets its own). UNFIT: the next pass offers a place without the nodes in
 * `unfit` (NULL: without all of the order's).
 */
void orders_done(struct cycle *c, uint32_t i, enum cycle_result result,
		 uint32_t job, const uint64_t *unfit);

/* Return true if another pass is needed. */
bool orders_need_pass(const struct cycle *c);

/* shorten.c: jobs that may run shorter than their limit (`least_us`, Slurm's --time-
 * min). */

/* After the orders: choose shorter limits for jobs that accept them, for another
 * pass. */
void shorten_orders(struct cycle *c);

/* running.c: running jobs that the cycle (cycle.h) has not started, or that have other
 * nodes now. */

/* Make entries for new running jobs of this snapshot; or drop the notes
 * of it. */
void running_update(struct cycle *c);
void running_reset(struct cycle *c);
int running_add(struct cycle *c, const struct cycle_running_job *use);

/* Report a running job without changes, on `nodes` nodes (0: on all its first
 * ones). False: the mirror differs, or has it from a saved state; call
 * running_add(). */
bool running_unchanged(struct cycle *c, uint32_t job, uint32_t nodes,
		       int64_t start_us, int64_t end_us);
/* Report a job that ends but still has its nodes: it counts as running. False: the
 * mirror does not have it, and its nodes are untracked. */
bool running_completing(struct cycle *c, uint32_t job, int64_t start_us);

#endif
