/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threaded twin of a simulated site (twin.c). */
#ifndef SIM_TWIN_H
#define SIM_TWIN_H

#include "world.h"

/* Live through these events while the agent's thread runs. */
void twin_live(struct sim_world *w, const struct sim_event *event,
	       uint32_t events);

#endif
