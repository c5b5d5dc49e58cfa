/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First come, first served (Aida, Kasahara, Narita 1998, section 3.1): the
 * head of the queue starts when it has a place; no job overtakes it.
 *
 * Cost: a pass looks at the jobs that it starts and the one that blocks, and
 * at that one only if nodes became free (scheduler.c).
 */
#include "discipline/disciplines.h"

const struct torus_discipline torus_discipline_fcfs = {
	.name = "fcfs",
	.summary = "first come, first served: no job overtakes the head",
	.source = "Aida, Kasahara, Narita 1998, section 3.1",
	.limits_waiting = true,
};
