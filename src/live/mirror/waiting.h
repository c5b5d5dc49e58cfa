/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The waiting jobs of a cycle: those that came, changed or left (waiting.c). */
#ifndef LIVE_MIRROR_WAITING_H
#define LIVE_MIRROR_WAITING_H

#include "live/cycle.h"
#include "live/mirror/mirror.h"

/* Submit the snapshot's new and changed jobs to the scheduler, or the jobs that wait
 * for another submission: true if there are any. The caller reports them. */
int waiting_submit(struct cycle *c);
bool waiting_resubmit(struct cycle *c);

/* Submit a job that the update had no time for, after it: also one whose place around
 * required nodes was not searched for. Other jobs stay as they are. */
void waiting_submit_missed(struct cycle *c, struct mirror_entry *e);

/* Submit the job to the scheduler without a new stay. */
void waiting_enter(struct cycle *c, struct mirror_entry *e);
void waiting_withdraw(struct cycle *c, struct mirror_entry *e,
		      enum mirror_state state);

/* Note when a job that was set aside or refused is submitted again, if it is the
 * first. */
void waiting_note_retry(struct cycle *c, const struct mirror_entry *e);
bool waiting_unchanged(struct cycle *c, const struct cycle_name *name,
		       uint64_t key, const uint64_t *allowed,
		       const struct torus_outages *outages, double priority);
int waiting_add(struct cycle *c, const struct cycle_pending_job *job);

/* required.c: waiting jobs whose place must contain certain nodes (-w). */

/* Allocate memory, or -1; take the job from a snapshot; search for its
 * place and return true if it has changed; use the place. A search must be between
 * begin and end. */
int required_prepare(struct mirror_entry *e, const uint64_t *nodes);
void required_take(struct mirror_entry *e, const struct cycle_pending_job *w);
bool required_renew_place(struct cycle *c, struct mirror_entry *e);
void required_settle(struct mirror_entry *e);
/* Return which alternative of the host's request the k-th of the submitted one is. */
uint32_t required_alternative(const struct mirror_entry *e, uint32_t k);
void required_begin(struct cycle *c);
void required_end(struct cycle *c);

#endif
