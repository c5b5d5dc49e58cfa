/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outages (torus/outage.h) that the jobs of a journal have, as a replay knows
 * them: by the number under which the journal has them.
 */
#ifndef REPLAY_OUTAGES_H
#define REPLAY_OUTAGES_H

#include "torus/error.h"
#include "torus/machine.h"
#include "torus/outage.h"

/* Times of the journal on the replay's clock: gaps since the first submission
 * are divided by load_scale. */
struct torus_replay_clock {
	int64_t first_us;
	double load_scale;
};

/* All that were read, the latest first; NULL = empty. */
struct torus_replay_outages;

/*
 * Add what a line of the journal says (format/journal.h); the text is cut up.
 * Outages of the same number that were read before stay for the jobs that have
 * them. 0, or -1 with ENOMEM, or with EINVAL and a line in err.
 */
int torus_replay_outages_add(struct torus_replay_outages **list,
			     const struct torus_machine *m, char *text,
			     const struct torus_replay_clock *clock,
			     struct torus_error *err);
/* The latest under that number; NULL where there is none, and for 0. */
const struct torus_outages *
torus_replay_outages_find(const struct torus_replay_outages *list,
			  uint64_t number);
void torus_replay_outages_free(struct torus_replay_outages *list);

#endif
