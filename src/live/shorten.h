/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that may run shorter than their limit (`least_us`, Slurm's --time-min) (shorten.c). */
#ifndef LIVE_SHORTEN_H
#define LIVE_SHORTEN_H

#include "live/cycle.h"

/* After the orders: choose shorter limits for jobs that accept them, for another
 * pass. */
void shorten_orders(struct cycle *c);

#endif
