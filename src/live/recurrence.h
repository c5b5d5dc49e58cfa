/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows that come again, as reservations of Slurm do. */
#ifndef LIVE_RECURRENCE_H
#define LIVE_RECURRENCE_H

#include <time.h>

enum recur {
	RECUR_NOT,
	RECUR_HOURLY,
	RECUR_DAILY,
	RECUR_WEEKDAY, /* Monday to Friday */
	RECUR_WEEKEND,
	RECUR_WEEKLY,
};

/* Move a window to where it comes next; by local time, so that it stays at its
 * hour when clocks are changed. */
void recur_next(enum recur how, time_t *from, time_t *to);

#endif
