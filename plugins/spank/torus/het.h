/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heterogeneous jobs on a cluster with sched/torus: slurmctld refuses them
 * before any plugin of its own sees them, and does not say why. The command's
 * plugin does.
 */
#ifndef SPANK_TORUS_HET_H
#define SPANK_TORUS_HET_H

/* The options of another job, or of another part of it, have been read. */
void het_count_part(void);

#endif
