/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heterogeneous jobs on a cluster with sched/torus: slurmctld refuses them before its
 * plugins see them, without a reason. The command's plugin gives the reason.
 */
#ifndef SPANK_TORUS_HET_H
#define SPANK_TORUS_HET_H

/* Count a job of the command, or a part of a heterogeneous job: its options
 * have been read. */
void het_count_part(void);

#endif
