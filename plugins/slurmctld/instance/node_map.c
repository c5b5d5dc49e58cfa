/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bridge between Slurm's node numbers and the machine's bits. O(nodes) to make,
 * O(nodes set) to translate a bitmap.
 */
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/node_map.h"

#include "torus/alloc.h"

static int node_map_pod(struct instance *in, uint32_t p, bool strict,
			struct torus_error *err)
{
	const struct torus_pod *pod = &in->machine->pod[p];
	int rc = 0;

	for (uint32_t i = 0; i < pod->torus.nodes; i++) {
		uint32_t bit = torus_machine_bit(in->machine, p, i);
		char *name = in->config->names[p][i];
		node_record_t *node = name ? find_node_record(name) : NULL;

		if (node) {
			in->map.index_of[bit] = (uint32_t)node->index;
			in->map.bit_of[node->index] = bit;
		} else if (name && strict) {
			rc = torus_error_add(err,
					     "%s: %s: node %s is not in slurm.conf",
					     in->config->path, pod->torus.name,
					     name);
		}
	}
	return rc;
}

int node_map_make(struct instance *in, bool strict, struct torus_error *err)
{
	uint32_t bits = in->machine->words * 64, *bit_of, *index_of;
	int rc = 0;

	bit_of = torus_alloc((size_t)node_record_count + 1, sizeof(*bit_of));
	index_of = torus_alloc(bits, sizeof(*index_of));
	if (!bit_of || !index_of) {
		torus_free(bit_of);
		torus_free(index_of);
		return torus_error_add(err, "%s: out of memory",
				       in->config->path);
	}
	node_map_free(&in->map);
	in->map.nodes = (uint32_t)node_record_count;
	in->map.words = in->machine->words;
	in->mapped++;
	in->map.bit_of = bit_of;
	in->map.index_of = index_of;
	memset(bit_of, 0xff, in->map.nodes * sizeof(*bit_of));
	memset(index_of, 0xff, bits * sizeof(*index_of));
	for (uint32_t p = 0; p < in->machine->pods; p++) {
		if (node_map_pod(in, p, strict, err))
			rc = -1;
	}
	in->stale = true;
	return rc;
}

void node_map_from_slurm(const struct node_map *map, const bitstr_t *nodes,
			 uint64_t *to)
{
	bitstr_t *from = (bitstr_t *)(uintptr_t)nodes; /* older Slurm */
	bitoff_t last;

	torus_bits_zero(to, map->words);
	last = bit_fls(from);
	for (bitoff_t i = bit_ffs(from); i >= 0 && i <= last; i++) {
		uint32_t bit;

		if (!bit_test(from, i) || (uint64_t)i >= map->nodes)
			continue;
		bit = map->bit_of[i];
		if (bit != UINT32_MAX)
			torus_bits_set(to, bit);
	}
}

uint32_t node_map_to_slurm(const struct node_map *map, const uint64_t *nodes,
			   bitstr_t *to)
{
	uint32_t count = 0, bit = torus_bits_next(nodes, map->words, 0);

	bit_clear_all(to);
	while (bit != UINT32_MAX) {
		uint32_t index = map->index_of[bit];

		if (index < (uint64_t)bit_size(to)) {
			bit_set(to, index);
			count++;
		}
		bit = torus_bits_next(nodes, map->words, bit + 1);
	}
	return count;
}

int node_map_copy(struct node_map *to, const struct node_map *from)
{
	size_t bits = (size_t)from->words * 64;
	uint32_t *bit_of, *index_of;

	bit_of = torus_alloc((size_t)from->nodes + 1, sizeof(*bit_of));
	index_of = torus_alloc(bits, sizeof(*index_of));
	if (!bit_of || !index_of) {
		torus_free(bit_of);
		torus_free(index_of);
		return -1;
	}
	memcpy(bit_of, from->bit_of, from->nodes * sizeof(*bit_of));
	memcpy(index_of, from->index_of, bits * sizeof(*index_of));
	node_map_free(to);
	*to = (struct node_map){ .nodes = from->nodes,
				 .words = from->words,
				 .bit_of = bit_of,
				 .index_of = index_of };
	return 0;
}

void node_map_free(struct node_map *map)
{
	torus_free(map->bit_of);
	torus_free(map->index_of);
	*map = (struct node_map){ 0 };
}
