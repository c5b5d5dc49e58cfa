/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Slurm's state of a node means for a job: the base state and the flags that
 * `scontrol show node` joins with "+" (IDLE+CLOUD+POWERED_DOWN), and one table that
 * says which of them decides. slurmctld's records (plugins/slurmctld/host/node_use.c) and
 * what sinfo prints (src/storus/machine/cluster_nodes.c) are read by the same table, whose
 * rows doc/slurm-features.md compares with stock Slurm.
 */
#ifndef FORMAT_NODE_STATE_H
#define FORMAT_NODE_STATE_H

#include <stdint.h>

/* Base states and flags. Those that decide nothing (CLOUD, DYNAMIC_NORM, PLANNED,
 * RESERVED, MAINTENANCE: reservations decide) are not listed. */
enum node_state_flag {
	NODE_FLAG_DOWN = 1 << 0,
	NODE_FLAG_ERROR = 1 << 1,
	NODE_FLAG_FUTURE = 1 << 2,
	NODE_FLAG_UNKNOWN = 1 << 3, /* it has not registered yet */
	NODE_FLAG_NOT_RESPONDING = 1 << 4,
	NODE_FLAG_DRAIN = 1 << 5,
	NODE_FLAG_FAIL = 1 << 6,
	NODE_FLAG_INVALID_REG = 1 << 7,
	NODE_FLAG_POWER_DOWN = 1 << 8, /* requested */
	NODE_FLAG_POWERING_DOWN = 1 << 9,
	NODE_FLAG_POWERED_DOWN = 1 << 10,
	NODE_FLAG_POWERING_UP = 1 << 11,
	NODE_FLAG_REBOOT_REQUESTED = 1 << 12,
	NODE_FLAG_REBOOT_ISSUED = 1 << 13,
	NODE_FLAG_BLOCKED = 1 << 14, /* by a job with an exclusive topology */
};

enum node_use {
	NODE_USABLE,    /* a job may start if no other has the node */
	NODE_ON_DEMAND, /* the same; Slurm powers the node up for it */
	NODE_RETURNS, /* no job may start until Slurm has finished with the node */
	NODE_SILENT, /* it does not answer: no job may start until it does */
	NODE_OUT,    /* out of service until somebody mends it */
};

struct node_state_row {
	uint32_t any; /* node_state_flag; 0: every node */
	enum node_use use;
	const char *why; /* in Slurm's words; "": usable */
};

/* Return the first row that has one of the flags. */
const struct node_state_row *node_state_row(uint32_t flags);

/* Read "IDLE+DRAIN+NOT_RESPONDING" in any case. Unknown words decide nothing. */
uint32_t node_state_read(const char *text);

#endif
