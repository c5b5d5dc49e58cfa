/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The promises of a cycle (cycle.h) as text and back, so that they outlive the cycle, and slurmctld (saved_promises.c). */
#ifndef LIVE_PROMISES_SAVED_PROMISES_H
#define LIVE_PROMISES_SAVED_PROMISES_H

#include "live/cycle.h"

/*
 * Append the promises to queued jobs as text, for the cycle of a later
 * configuration or of a restarted host. -1 with ENOMEM.
 */
int saved_promises_save(struct cycle *c, struct torus_text *text);

/*
 * Restore such promises, of the same discipline, after the first cycle_update().
 * The jobs of the text that this update had no time for are submitted. A reservation is restored only if the job's request is the same and no running
 * job, reservation or outage overlaps it. -1 with ENOMEM, or EINVAL and a line in
 * err; earlier promises of the text are restored.
 */
int saved_promises_restore(struct cycle *c, const char *text,
			   struct torus_error *err);

#endif
