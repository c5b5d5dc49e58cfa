/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forecast of queued jobs without a promise: a simulation of the queue (forecast.c). */
#ifndef LIVE_PROMISES_FORECAST_H
#define LIVE_PROMISES_FORECAST_H

#include "live/cycle.h"

/*
 * Forecast the starts of the first `most` queued jobs, if each job runs to its
 * limit and no job is submitted; promises_list() has the result. Decisions do not
 * depend on it. It takes at most budget_us and the search for one job; the other
 * jobs have no forecast.
 */
void forecast_run(struct cycle *c, uint32_t most, int64_t budget_us);

#endif
