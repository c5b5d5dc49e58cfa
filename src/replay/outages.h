/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outages (torus/ask.h) of a journal's jobs, by their number there. */
#ifndef REPLAY_OUTAGES_H
#define REPLAY_OUTAGES_H

#include "torus/text.h"
#include "torus/machine.h"
#include "torus/ask.h"

/* Conversion of journal times to the replay's clock: gaps since the first
 * submission are divided by load_scale. */
struct torus_replay_clock {
	int64_t first_us;
	double load_scale;
};

/* All outages read, the latest first; NULL = empty. */
struct torus_replay_outages;

/*
 * Add the outages of a journal line (format/journal.h); the text is modified.
 * Earlier outages with the same number stay valid for their jobs. Return 0, or
 * -1 with ENOMEM, or with EINVAL and a line in err.
 */
int torus_replay_outages_add(struct torus_replay_outages **list,
			     const struct torus_machine *m, char *text,
			     const struct torus_replay_clock *clock,
			     struct torus_error *err);
/* Return the latest outages with that number; NULL if there are none, and for
 * 0. */
const struct torus_outages *
torus_replay_outages_find(const struct torus_replay_outages *list,
			  uint64_t number);
void torus_replay_outages_free(struct torus_replay_outages *list);

#endif
