/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one instance: its mutex, its memory, and who starts jobs. For node_comment: true in
 * torus.yaml it writes coordinates as comments of Slurm's nodes (`scontrol show node`):
 * Comment=torus:pod0:1,0,1. A comment without that prefix is an administrator's and stays.
 */
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/node_map.h"

#include <errno.h>
#include <pthread.h>

#include "config/file.h"
#include "torus/alloc.h"
#include "torus/placement.h"
#include "torus/weights.h"

#define FILE_NAME "torus.yaml"
#define SCRATCH 8 /* bitmaps of functions that call each other */
/* one more: the AdminComment read last */
#define MAPS (SCRATCH + INSTANCE_RECENT_PLACES + 2 * INSTANCE_ANSWERS + 1)

#define KEPT_LINES 20 /* error lines of a file that are logged */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct instance_current instance_current;

struct instance *instance_lock(void)
{
	pthread_mutex_lock(&lock);
	return instance_current.instance;
}

void instance_unlock(void)
{
	struct instance *in = instance_current.instance;

	if (in && !torus_scratch_check(&in->scratch)) {
		error("torus: scratch bitmaps are misused; please report this");
		in->scratch.misused = false;
		in->scratch.taken = 0;
	}
	pthread_mutex_unlock(&lock);
}

void instance_in_charge(bool in_charge)
{
	instance_lock();
	instance_current.in_charge = in_charge;
	instance_unlock();
}

void instance_order(struct start_order *order)
{
	instance_lock();
	instance_current.order = order;
	instance_unlock();
}

void instance_bypass(bool bypass)
{
	instance_lock();
	instance_current.bypass = bypass;
	instance_unlock();
}

void instance_status(struct config_status *status)
{
	const struct instance_current *now = &instance_current;
	const struct instance *in = instance_lock();

	*status = (struct config_status){ 0 };
	if (in) {
		status->path = xstrdup(in->config->path);
		status->since = in->configuration->since;
		status->refused = now->refused_at;
		status->errors = xstrdup(now->errors ? now->errors :
						       now->links_errors);
	}
	instance_unlock();
}

void instance_log_lines(struct torus_error *err, bool is_error)
{
	char *rest = err->text, *line;

	if (err->count == 0)
		return;
	for (int i = 0; i < KEPT_LINES && (line = strsep(&rest, "\n")); i++) {
		if (is_error)
			error("torus: %s", line);
		else
			info("torus: %s", line);
	}
}

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

/* -1 and a line in err if a dry run is set beside sched/torus itself. */
static int instance_check_dry_run(const struct torus_config *config,
				  struct torus_error *err)
{
	if (!config->live.dry_run ||
	    xstrcmp(slurm_conf.schedtype, SCHED_TORUS) != 0)
		return 0;
	return torus_error_add(
		err,
		"%s: scheduler: dry_run: got true, but SchedulerType is " SCHED_TORUS
		", which starts jobs: expected false, or SchedulerType=sched/backfill",
		config->path);
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
		configuration->config =
			torus_config_read_live(path, slurm_conf.plugindir, err);
	if (configuration->config)
		torus_scheduler_live(&configuration->config->scheduler);
	if (configuration->config &&
	    instance_check_dry_run(configuration->config, err) == 0 &&
	    add_outside(configuration, err) == 0 &&
	    add_anywhere(configuration, err) == 0)
		return configuration;
	if (err->count == 0)
		torus_error_add(err, "%s: %s", path, strerror(errno));
	instance_release_configuration(configuration);
	return NULL;
}

void instance_release_configuration(struct configuration *configuration)
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
	int rc = 0;

	if (!in)
		goto nomem;
	in->configuration = configuration_read(path, err);
	if (!in->configuration)
		goto error;
	in->config = in->configuration->config;
	in->machine = &in->config->machine;
	in->stale = true;
	in->may_rotate = true;
	for (uint32_t p = 0; p < in->machine->pods; p++) {
		in->may_rotate &= !in->machine->pod[p].no_rotate;
		if (!in->config->names[p])
			rc = torus_error_add(err,
					     "%s: %s has no nodes: slurmctld needs their names",
					     in->config->path,
					     in->machine->pod[p].torus.name);
	}
	if (rc)
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
	instance_release_configuration(in->configuration);
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

void instance_paint(const struct instance *in,
		    const struct torus_placement *place, uint64_t *map)
{
	torus_bits_zero(map, in->machine->words);
	torus_placement_paint(in->machine, place, map);
}

#define COMMENT_PREFIX "torus:"

/* Return the node's comment, torus:pod0:1,0,1; NULL if it lies in no torus. The caller frees it. */
static char *instance_comment_of(const struct instance *in, uint32_t bit)
{
	const struct torus_machine *m = in->machine;
	uint32_t coord[TORUS_MAX_DIMS], p = 0;
	const struct torus *t;
	char *text = NULL;

	if (bit == UINT32_MAX)
		return NULL;
	while (p + 1 < m->pods && bit / 64 >= m->pod[p + 1].first_word)
		p++;
	if (m->pod[p].outside)
		return NULL;
	t = &m->pod[p].torus;
	torus_coord(t, bit - m->pod[p].first_word * 64, coord);
	xstrfmtcat(text, COMMENT_PREFIX "%s:", t->name);
	for (uint32_t d = 0; d < t->dims; d++)
		xstrfmtcat(text, "%s%u", d ? "," : "", coord[d] * t->unit[d]);
	return text;
}

void instance_comment_nodes(const struct instance *in)
{
	if (!in->config->live.node_comment)
		return;
	for (uint32_t i = 0; i < in->map.nodes; i++) {
		node_record_t *node = node_record_table_ptr[i];

		if (!node || (node->comment && node->comment[0] &&
			      xstrncmp(node->comment, COMMENT_PREFIX,
				       sizeof(COMMENT_PREFIX) - 1) != 0))
			continue;
		xfree(node->comment);
		node->comment = instance_comment_of(in, in->map.bit_of[i]);
	}
}
