/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A dry run of a cycle (cycle.h): the host has another scheduler, and the orders of a pass are not carried out (dry_run.c). */
#ifndef LIVE_DRY_RUN_H
#define LIVE_DRY_RUN_H

#include "live/cycle.h"

/*
 * A dry run: call this instead of orders_done(). The journal gets the orders
 * of the latest pass, which are then taken back. The next snapshot shows what the
 * host itself has started.
 */
void dry_run_take_back(struct cycle *c);

#endif
