/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of a snapshot, each in one of three ways for the cycle: free, busy until a
 * time, or out of service. What Slurm's state of a node means is the table of
 * format/node_state.h.
 *
 * A node that Slurm offers to jobs (avail_node_bitmap) is free when Slurm calls it
 * idle. One that Slurm does not offer is out of service, unless it comes back by
 * itself: then it is busy, but only for a limited time, since the queue's head waits
 * for busy nodes and no other job may delay it.
 *
 *   - a node that does not answer is awaited (untracked.c). After a start of
 *     slurmctld no node has registered; a real-time discipline would reject what it has
 *     admitted if they were all out of service. There the time counts from the
 *     latest registration, up to AWAIT_MOST_S;
 *   - a node that boots or is switched off, until ResumeTimeout or SuspendTimeout.
 *
 * Cost: O(words) and O(1) per node that Slurm does not offer.
 */

#include "live/mirror/mirror.h"
#include "format/node_state.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/instance/node_map.h"
#include "torus/alloc.h"

#define AWAIT_MOST_S 60
#define POWER_POLL_S 12 /* Slurm's thread that switches nodes runs that often */

static const struct {
	uint32_t slurm;
	uint32_t flag;
} flags[] = {
	{ NODE_STATE_NO_RESPOND, NODE_FLAG_NOT_RESPONDING },
	{ NODE_STATE_DRAIN, NODE_FLAG_DRAIN },
	{ NODE_STATE_FAIL, NODE_FLAG_FAIL },
	{ NODE_STATE_INVALID_REG, NODE_FLAG_INVALID_REG },
	{ NODE_STATE_POWER_DOWN, NODE_FLAG_POWER_DOWN },
	{ NODE_STATE_POWERING_DOWN, NODE_FLAG_POWERING_DOWN },
	{ NODE_STATE_POWERED_DOWN, NODE_FLAG_POWERED_DOWN },
	{ NODE_STATE_POWERING_UP, NODE_FLAG_POWERING_UP },
	{ NODE_STATE_REBOOT_REQUESTED, NODE_FLAG_REBOOT_REQUESTED },
	{ NODE_STATE_REBOOT_ISSUED, NODE_FLAG_REBOOT_ISSUED },
	{ COMPAT_NODE_STATE_BLOCKED, NODE_FLAG_BLOCKED },
};

/* Return true if a reboot brings the node back to service (see Slurm's
 * validate_node_specs()). */
static bool reboot_returns(const node_record_t *node)
{
	return node->next_state == NO_VAL ?
		       !IS_NODE_DRAIN(node) :
		       (node->next_state & NODE_STATE_BASE) != NODE_STATE_DOWN;
}

static uint32_t node_use_flags(const node_record_t *node)
{
	uint32_t state = node->node_state, found = 0;
	bool reboots = IS_NODE_REBOOT_REQUESTED(node) ||
		       IS_NODE_REBOOT_ISSUED(node);

	if (reboots && reboot_returns(node)) {
		state &= ~(uint32_t)NODE_STATE_DRAIN;
		/* (Slurm calls it down while it boots) */
		if (!IS_NODE_REBOOT_ISSUED(node) && IS_NODE_DOWN(node))
			found |= NODE_FLAG_DOWN;
	} else if (IS_NODE_DOWN(node) || reboots) {
		found |= IS_NODE_DOWN(node) ? NODE_FLAG_DOWN : 0;
		state &= ~(uint32_t)(NODE_STATE_REBOOT_REQUESTED |
				     NODE_STATE_REBOOT_ISSUED);
	}
	if ((state & NODE_STATE_BASE) == NODE_STATE_ERROR)
		found |= NODE_FLAG_ERROR;
	if (IS_NODE_FUTURE(node))
		found |= NODE_FLAG_FUTURE;
	if (IS_NODE_UNKNOWN(node))
		found |= NODE_FLAG_UNKNOWN;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		found |= state & flags[i].slurm ? flags[i].flag : 0;
	return found;
}

bool node_use_is_silent(const node_record_t *node)
{
	return node_state_row(node_use_flags(node))->use == NODE_SILENT;
}

/* Return the time until which the node, not offered since `since`, comes back by
 * itself; 0: it does not. *awaited: it may at any moment; return since when it has not
 * answered. */
static time_t node_use_until(const struct host *h, const node_record_t *node,
			     time_t since, bool *awaited)
{
	time_t from = since;

	*awaited = false;
	switch (node_state_row(node_use_flags(node))->use) {
	case NODE_OUT:
		return 0;
	case NODE_RETURNS:
		if (node->node_state & COMPAT_NODE_STATE_BLOCKED)
			return 0; /* as long as a job runs */
		if (IS_NODE_POWERING_DOWN(node) || IS_NODE_POWER_DOWN(node)) {
			if (IS_NODE_POWERING_DOWN(node) &&
			    node->power_save_req_time)
				from = node->power_save_req_time;
			return from + node->suspend_timeout + POWER_POLL_S;
		}
		if (IS_NODE_REBOOT_ISSUED(node) && node->boot_req_time)
			from = node->boot_req_time;
		return from + node->resume_timeout + POWER_POLL_S;
	case NODE_ON_DEMAND:
		if (!IS_NODE_POWERING_UP(node))
			break;
		if (node->boot_req_time)
			from = node->boot_req_time;
		return from + node->resume_timeout + POWER_POLL_S;
	case NODE_USABLE:
	case NODE_SILENT:
		break;
	}
	*awaited = true;
	if (IS_NODE_UNKNOWN(node) && h->registered > since)
		from = h->registered < since + AWAIT_MOST_S ?
			       h->registered :
			       since + AWAIT_MOST_S;
	return from;
}

/* Move a node that comes back by itself from `out` to the busy ones, and note one
 * that does not answer in `silent`. */
static void node_use_sort(struct host *h, bitoff_t i, bitstr_t *out,
			  uint64_t *silent)
{
	const node_record_t *node = node_record_table_ptr[i];
	uint32_t bit = (uint64_t)i < h->map.nodes ? h->map.bit_of[i] :
						    UINT32_MAX;
	int64_t until_us;
	bool awaited;
	time_t *since;

	if (!node || bit == UINT32_MAX)
		return;
	/* Slurm has not offered it since then. A reboot begins when the node's jobs have
	 * ended. */
	since = &h->unoffered[i];
	if (!*since ||
	    (IS_NODE_REBOOT_REQUESTED(node) && !bit_test(idle_node_bitmap, i)))
		*since = h->snapshot_time;
	until_us = seconds_to_us(node_use_until(h, node, *since, &awaited));
	if (awaited)
		until_us = untracked_await(h->cycle, bit, until_us);
	else if (until_us > seconds_to_us(h->snapshot_time))
		untracked_add_node(h->cycle, bit, until_us);
	else
		until_us = 0;
	if (!until_us) {
		if (node_use_is_silent(node))
			torus_bits_set(silent, bit);
		return;
	}
	agent_wake_at(h->self, until_us);
	bit_clear(out, i);
}

int node_use_note(struct host *h)
{
	uint32_t room = h->unoffered_room;
	bitstr_t *out, *busy;
	uint64_t *map, *silent;

	if (TORUS_GROW(h->unoffered, h->unoffered_room,
		       (size_t)node_record_count))
		return -1;
	for (; room < h->unoffered_room; room++)
		h->unoffered[room] = 0;
	out = bit_copy(avail_node_bitmap);
	bit_and_not(out, rs_node_bitmap); /* Slurm reboots these first */
	bit_not(out);
	/* an offered node has no such time */
	for (bitoff_t i = 0; i < node_record_count; i++) {
		if (!h->unoffered[i] || bit_test(out, i))
			continue;
		h->unoffered[i] = 0;
		h->registered = h->snapshot_time;
	}
	map = torus_scratch_take(&h->scratch);
	silent = torus_scratch_take(&h->scratch);
	torus_bits_zero(silent, h->words);
	busy = bit_copy(out);
	for (bitoff_t i = 0; i < node_record_count; i++) {
		if (bit_test(busy, i))
			node_use_sort(h, i, out, silent);
	}
	leaks_add(h, out);
	node_map_from_slurm(&h->map, out, map);
	cycle_set_out(h->cycle, map);
	cycle_set_silent(h->cycle, silent);
	/* busy, but no job may have them: free at any moment */
	bit_copybits(busy, idle_node_bitmap);
	bit_not(busy);
	bit_and_not(busy, out);
	node_map_from_slurm(&h->map, busy, map);
	untracked_add(h->cycle, map, 0);
	torus_scratch_return(&h->scratch, silent);
	torus_scratch_return(&h->scratch, map);
	bit_free(out);
	bit_free(busy);
	return 0;
}
