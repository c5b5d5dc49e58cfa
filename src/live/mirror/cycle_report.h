/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a cycle (cycle.h) reports to its journal: its whole state at the begin, then the
 * stays of jobs in the queue and on nodes, and the nodes that no job may get
 * (cycle_report.c).
 */
#ifndef LIVE_MIRROR_CYCLE_REPORT_H
#define LIVE_MIRROR_CYCLE_REPORT_H

#include "live/cycle.h"

#include "live/mirror/mirror.h"

/* In the first update, make the state anew from its text; after it and
 * before the first pass, report the begin to the journal. */
void cycle_report_settle_state(struct cycle *c);
void cycle_report_begin(struct cycle *c);

/* Reports to the journal, once the cycle has begun: a job that has nodes
 * and was not started by a pass (is_new: it is not in the first state); a stay;
 * nodes; the jobs submitted now. */
void cycle_report_host_start(struct cycle *c, struct mirror_entry *e,
			     bool is_new);
void cycle_report_stay(struct cycle *c, const struct mirror_entry *e,
		       enum journal_state state, int64_t now_us);
void cycle_report_nodes(struct cycle *c, bool out, int64_t end_us,
			const uint64_t *nodes);
void cycle_report_waiting(struct cycle *c);

/* The state's node weights; asleep_only: only which nodes are asleep. */
void cycle_report_weights(struct cycle *c, bool asleep_only);

/* The changes of the state's links since `was`. */
void cycle_report_links(struct cycle *c, const struct torus_link_list *was);

/* A pass that follows, unless a replay has one there too; the latest pass, if it
 * was cut. */
void cycle_report_pass(struct cycle *c);
void cycle_report_cut(struct cycle *c);

/* Write the cycle's begin, stays, nodes, links and passes to a journal, from the
 * first snapshot on, within cycle_update(), orders_plan() and orders_done(). The
 * journal must outlive the cycle or cycle_report_to(c, NULL). */
void cycle_report_to(struct cycle *c, struct journal *journal);

/* Return the time up to which the journal has every event, after the orders of a
 * pass. */
int64_t cycle_report_now(const struct cycle *c);

#endif
