/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulated site draws from its seed (site.c). */
#ifndef SIM_SITE_H
#define SIM_SITE_H

#include "world.h"

void site_strategy(struct sim_world *w, struct random *r);
/* Draw another machine of the same nodes, its string to *name; false: as it is. */
bool site_machine(struct torus_machine *m, const char **name,
		  const struct torus_strategy **strategy, struct random *r);
void site_settings(struct sim_world *w, struct random *r);
/* Of sites from SIM_LATER on, the rest. */
void site_later(struct sim_world *w);
/* The reservations of others for the job; its nodes outside of its own are taken off. */
void site_outages(struct sim_world *w, struct sim_job *j, uint64_t *allowed);
void site_submit(struct sim_world *w, struct random *r);
/* Print the strategies and disciplines that no site draws; return their number. */
uint32_t site_left_out(void);

#endif
