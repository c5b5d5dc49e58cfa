/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows that come again, as reservations of Slurm do. */
#ifndef LIVE_BASE_RECURRENCE_H
#define LIVE_BASE_RECURRENCE_H

#include <time.h>

enum recurrence {
	RECURRENCE_NONE,
	RECURRENCE_HOURLY,
	RECURRENCE_DAILY,
	RECURRENCE_WEEKDAY, /* Monday to Friday */
	RECURRENCE_WEEKEND,
	RECURRENCE_WEEKLY,
};

/* Move a window to where it comes next; by local time, so that it stays at its
 * hour when clocks are changed. */
void recurrence_next(enum recurrence how, time_t *from, time_t *to);

#endif
