/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First come, first served (Aida, Kasahara, Narita 1998, section 3.1): the
 * head of the queue starts when it fits; no job overtakes it.
 *
 * Cost: a search for each job that a pass starts, and one for the new head if
 * nodes became free (scheduler.c).
 */
#include "discipline/disciplines.h"

const struct torus_discipline torus_discipline_fcfs = {
	.name = "fcfs",
	.summary = "first come, first served: no job overtakes the head",
	.source = "Aida, Kasahara, Narita 1998, section 3.1",
	.limits_waiting = true,
};
