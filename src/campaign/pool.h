/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells on all cores: worker processes that compute one cell after another.
 *
 * Processes instead of threads: a cell that crashes or is killed ends only its
 * own worker, and its memory is measured separately.
 */
#ifndef CAMPAIGN_POOL_H
#define CAMPAIGN_POOL_H

#include "campaign/campaign.h"

struct torus_pool_hooks {
	void *arg;
	/* Called when a cell is finished, with its summary as JSON, or failed,
	 * with summary NULL and the reason. Returns 0 to continue. */
	int (*done)(void *arg, uint32_t cell, const char *summary,
		    const char *why);
	/* Called about ten times per second, and after every event. Returns
	 * false to stop. */
	bool (*tick)(void *arg);
};

/*
 * Load the traces that several of the cells replay (torus_campaign_load()), and
 * compute cells[0..n) with `workers` workers. Return 0 if all were passed to
 * done(), 1 if done() or tick() stopped it, -1 with a line in err. No worker
 * outlives the call.
 */
int torus_pool_run(struct torus_campaign *c, const uint32_t *cells, uint32_t n,
		   unsigned workers, const struct torus_pool_hooks *hooks,
		   struct torus_error *err);

#endif
