/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that share nodes (sharing.c). */
#ifndef LIVE_SHARING_H
#define LIVE_SHARING_H

#include "live/cycle.h"

#include "live/mirror/mirror.h"

/* Memory; a snapshot and its uses; entries that other jobs join; drop
 * the notes of a snapshot; jobs that joined since; note the present promises. */
int sharing_create(struct cycle *c);
void sharing_free(struct cycle *c);
void sharing_begin(struct cycle *c);
void sharing_use(struct cycle *c, const uint64_t *nodes);
void sharing_use_entry(struct cycle *c, const struct mirror_entry *e);
void sharing_update(struct cycle *c);
void sharing_join_entries(struct cycle *c);
void sharing_forget(struct cycle *c);
bool sharing_settle(struct cycle *c);
void sharing_note(struct cycle *c);

/* Return true if no job may overtake now. */
bool sharing_is_strict(const struct cycle *c);

/* Report a hash of the jobs that share nodes. After a change of it waiting jobs
 * may join, though nothing else has changed. */
void sharing_set_hash(struct cycle *c, uint64_t hash);

/*
 * Jobs that share nodes. sharing_order(), before the host carries out order i,
 * returns true if the job may start beside others (*g) instead; if the host does
 * so, the order is CYCLE_JOINED. For the waiting jobs, after the orders, call
 * sharing_start() (without the host's locks), then sharing_next() until it
 * returns false. sharing_done() follows each offer. With g->entry NULL there is no
 * offer yet: the host may yield its locks before it asks again. A job that joins must
 * begin at most two seconds after now_us: once the host has its locks, sharing_renew()
 * makes the offer for the present time, or returns false if no node is left to offer.
 */
bool sharing_order(struct cycle *c, uint32_t i, int64_t now_us,
		   struct cycle_guest *g);
void sharing_start(struct cycle *c, int64_t now_us);
bool sharing_next(struct cycle *c, struct cycle_guest *g);
bool sharing_renew(struct cycle *c, int64_t now_us, struct cycle_guest *g);
void sharing_done(struct cycle *c, const struct cycle_guest *g, bool joined);

#endif
