/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of outages (torus/ask.h) of a cycle's jobs (outages.c). */
#ifndef LIVE_MIRROR_OUTAGES_H
#define LIVE_MIRROR_OUTAGES_H

#include "live/cycle.h"

#include "live/mirror/mirror.h"

/* Report outages to the journal, once, before the first job that has
 * them. */
void outages_report(struct cycle *c, const struct torus_outages *o);
void outages_sweep(struct cycle *c);
void outages_free(struct cycle *c);
char *outages_sentence(struct mirror_entry *e);

/*
 * Return "WHAT outside the nodes that are reserved: NAME, ..." for a job that overlaps these
 * reservations between now and until_us, in the entry's buffer; only WHAT without
 * memory.
 */
const char *outages_say(const struct cycle *c, struct mirror_entry *e,
			int64_t until_us, const char *what);
int outages_add(struct cycle *c, const struct torus_outages *outages,
		const struct torus_outages **out);

/* Paint the nodes in service that the job may use. */
void outages_usable(const struct cycle *c, const struct torus_job *job,
		    uint64_t *usable);

/* Return true if the empty machine has a place for the job among these nodes;
 * any_link: were all links up. */
bool outages_leave_place(struct cycle *c, const struct torus_job *job,
			 const uint64_t *usable, bool any_link);

/* Return true if outages forbid a start now, were no job running. */
bool outages_forbid(struct cycle *c, const struct torus_job *job);

#endif
