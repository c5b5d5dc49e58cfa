/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting jobs whose place must contain certain nodes (-w) (required.c). */
#ifndef LIVE_MIRROR_REQUIRED_H
#define LIVE_MIRROR_REQUIRED_H

#include "live/mirror/mirror.h"

/* Allocate memory, or -1; take the job from a snapshot; search for its
 * place and return true if it has changed; use the place. A search must be between
 * begin and end. */
int required_prepare(struct mirror_entry *e, const uint64_t *nodes);
void required_take(struct mirror_entry *e, const struct cycle_pending_job *w);
bool required_renew_place(struct cycle *c, struct mirror_entry *e);
void required_settle(struct mirror_entry *e);
void required_begin(struct cycle *c);
void required_end(struct cycle *c);

#endif
