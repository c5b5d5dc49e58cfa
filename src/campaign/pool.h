/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells on all cores: worker processes that compute one cell after another.
 *
 * Processes, not threads: a cell that crashes or is killed takes only its
 * worker with it, and its memory is counted alone.
 */
#ifndef CAMPAIGN_POOL_H
#define CAMPAIGN_POOL_H

#include "campaign/campaign.h"

struct torus_pool_hooks {
	void *arg;
	/* A cell is finished: summary as JSON. Or it failed: summary NULL and
	 * why. 0 to go on. */
	int (*done)(void *arg, uint32_t cell, const char *summary,
		    const char *why);
	/* About ten times a second, and whenever something happened. Returns
	 * false to stop. */
	bool (*tick)(void *arg);
};

/*
 * Compute cells[0..n) on so many workers. 0: all were handed to done();
 * 1: done() or tick() stopped it; -1 with a line in err. No worker outlives
 * the call.
 */
int torus_pool_run(const struct torus_campaign *c, const uint32_t *cells,
		   uint32_t n, unsigned workers,
		   const struct torus_pool_hooks *hooks,
		   struct torus_error *err);

#endif
