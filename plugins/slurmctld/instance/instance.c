/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instance's memory, and the bridge between Slurm's node numbers and the
 * machine's bits. O(nodes) to make, O(nodes set) to translate a bitmap.
 */
#include "slurmctld/instance/instance.h"
#include "slurmctld/host/dry_run.h"
#include "slurmctld/instance/instance_weights.h"
#include "slurmctld/instance/instance_links.h"

#include <errno.h>

#include "config/file.h"
#include "torus/alloc.h"
#include "torus/weights.h"

#define FILE_NAME "torus.yaml"
#define SCRATCH 8 /* bitmaps of functions that call each other */
/* one more: the AdminComment read last */
#define MAPS (SCRATCH + INSTANCE_RECENT_PLACES + 2 * INSTANCE_ANSWERS + 1)

char *instance_path(void)
{
	char name[] = FILE_NAME;

	return get_extra_conf_path(name);
}

static int instance_create_maps(struct instance *in)
{
	size_t words = in->machine->words;
	uint64_t *map;

	in->maps = torus_alloc(words * MAPS, sizeof(uint64_t));
	in->until_us = torus_alloc(words * 64, sizeof(*in->until_us));
	if (!in->maps || !in->until_us)
		return -1;
	in->scratch = (struct torus_scratch){ .memory = in->maps,
					      .words = in->machine->words,
					      .room = SCRATCH };
	map = in->maps + (SCRATCH - 1) * words;
	for (uint32_t i = 0; i < INSTANCE_RECENT_PLACES; i++)
		in->recent[i].nodes = map += words;
	for (uint32_t i = 0; i < INSTANCE_ANSWERS; i++) {
		in->answer[i].allowed = map += words;
		in->answer[i].nodes = map += words;
	}
	in->commented_nodes = map += words;
	return 0;
}

static int need_names(const struct instance *in, struct torus_error *err)
{
	int rc = 0;

	for (uint32_t p = 0; p < in->machine->pods; p++) {
		if (!in->config->names[p])
			rc = torus_error_add(err,
					     "%s: %s has no nodes: slurmctld needs their names",
					     in->config->path,
					     in->machine->pod[p].torus.name);
	}
	return rc;
}

/*
 * Allow the strategy of jobs without a shape, which may use any nodes. Users
 * may request this strategy only if torus.yaml allows it.
 */
static int add_anywhere(struct configuration *configuration,
			struct torus_error *err)
{
	struct torus_machine *m = &configuration->config->machine;
	const struct torus_strategy *any = torus_strategy_find(
		INSTANCE_ANYWHERE);

	configuration->strategies =
		torus_alloc(m->pods, sizeof(*configuration->strategies));
	if (!configuration->strategies)
		return torus_error_add(err, "out of memory");
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		uint32_t i = 0;

		configuration->strategies[p] = pod->strategies;
		while (i < pod->strategies && pod->strategy[i] != any)
			i++;
		if (i == pod->strategies && torus_machine_allow(m, p, any, err))
			return -1;
	}
	return 0;
}

/*
 * Add the nodes of Slurm's table that torus.yaml does not list as a last pod.
 * With sched/torus, and in its dry run, jobs without a shape also get these
 * nodes, since no other scheduler starts jobs there.
 */
static int add_outside(struct configuration *configuration,
		       struct torus_error *err)
{
	const char **names;
	uint32_t n = 0;
	int rc;

	if (xstrcmp(slurm_conf.schedtype, SCHED_TORUS) != 0 &&
	    !configuration->config->live.dry_run)
		return 0;
	names = torus_alloc((size_t)node_record_count + 1, sizeof(*names));
	if (!names)
		return torus_error_add(err, "out of memory");
	for (int i = 0; i < node_record_count; i++) {
		const node_record_t *node = node_record_table_ptr[i];

		if (node && node->name &&
		    torus_config_node(configuration->config, node->name) ==
			    UINT32_MAX)
			names[n++] = node->name;
	}
	rc = torus_config_outside(configuration->config, n, names, err);
	torus_free(names);
	return rc;
}

static struct configuration *configuration_read(const char *path,
						struct torus_error *err)
{
	static uint64_t number;
	struct configuration *configuration =
		torus_alloc(1, sizeof(*configuration));

	if (!configuration) {
		torus_error_add(err, "%s: out of memory", path);
		return NULL;
	}
	configuration->users = 1;
	configuration->number = ++number;
	configuration->since = time(NULL);
	if (torus_file_check_owner(path, slurm_conf.slurm_user_id, err) == 0)
		configuration->config = torus_config_read(path, err);
	if (configuration->config)
		torus_scheduler_live(&configuration->config->scheduler);
	if (configuration->config &&
	    dry_run_check(configuration->config, err) == 0 &&
	    add_outside(configuration, err) == 0 &&
	    add_anywhere(configuration, err) == 0)
		return configuration;
	if (err->count == 0)
		torus_error_add(err, "%s: %s", path, strerror(errno));
	configuration_release(configuration);
	return NULL;
}

void configuration_release(struct configuration *configuration)
{
	if (!configuration || --configuration->users > 0)
		return;
	torus_config_destroy(configuration->config);
	torus_free(configuration->strategies);
	torus_free(configuration);
}

struct instance *instance_create(const char *path, struct torus_error *err)
{
	struct instance *in = torus_alloc(1, sizeof(*in));

	if (!in)
		goto nomem;
	in->configuration = configuration_read(path, err);
	if (!in->configuration)
		goto error;
	in->config = in->configuration->config;
	in->machine = &in->config->machine;
	in->stale = true;
	in->may_rotate = true;
	for (uint32_t p = 0; p < in->machine->pods; p++)
		in->may_rotate &= !in->machine->pod[p].no_rotate;
	if (need_names(in, err))
		goto error;
	if (instance_weights_begin(in))
		goto nomem;
	in->state = torus_state_create(in->machine);
	in->empty = torus_state_create(in->machine);
	if (!in->state || !in->empty || instance_create_maps(in))
		goto nomem;
	in->plan = torus_plan_create(in->state);
	if (!in->plan)
		goto nomem;
	if (instance_links_begin(in, err))
		goto error;
	return in;

nomem:
	torus_error_add(err, "%s: out of memory", path);
error:
	instance_destroy(in);
	return NULL;
}

void instance_destroy(struct instance *in)
{
	if (!in)
		return;
	for (uint32_t i = 0; i < INSTANCE_RECENT_PLACES; i++)
		torus_free(in->recent[i].regions);
	for (uint32_t i = 0; i < INSTANCE_ANSWERS; i++)
		torus_free(in->answer[i].regions);
	torus_plan_destroy(in->plan);
	torus_state_destroy(in->state);
	torus_state_destroy(in->empty);
	torus_link_list_free(&in->links);
	torus_weights_destroy(in->weights);
	configuration_release(in->configuration);
	node_map_free(&in->map);
	torus_free(in->until_us);
	torus_free(in->maps);
	torus_free(in);
}

void instance_keep(const struct instance *in, struct torus_placement *place,
		   const uint64_t *nodes, struct torus_regions **room)
{
	if (place->scattered)
		place->nodes = nodes + in->machine->pod[place->pod].first_word;
	if (!place->regions)
		return;
	if (!*room)
		*room = torus_alloc(1, sizeof(**room));
	if (*room)
		torus_regions_copy(*room, place->regions);
	place->regions = *room;
}

/* Node numbers */

static int map_pod(struct instance *in, uint32_t p, bool strict,
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

int instance_map(struct instance *in, bool strict, struct torus_error *err)
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
		if (map_pod(in, p, strict, err))
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

void instance_paint(const struct instance *in,
		    const struct torus_placement *place, uint64_t *map)
{
	torus_bits_zero(map, in->machine->words);
	torus_placement_paint(in->machine, place, map);
}
