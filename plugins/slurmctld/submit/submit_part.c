/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A shape within one node, whose vertices are GRES: --geometry=1x1x1 --gres=chip:1
 * on hosts of 2x2x1. Regions begin and end on nodes, so no region is that small. The
 * job becomes a job of one node without a shape, which Slurm places by its GRES.
 * Without --gres, or if jobs get whole nodes (SelectType=select/torus), it is refused
 * like every shape that is no multiple of nodes.
 */
#include "slurmctld/instance/job_request.h"
#include "slurmctld/names.h"
#include "slurmctld/submit/submit_check.h"

/* Return true if axis a and those after it lie along unused sides of the unit. */
static bool part_lies(const struct torus *t, const struct torus_shape *shape,
		      uint32_t a, uint32_t used)
{
	if (a == shape->axes)
		return true;
	for (uint32_t d = 0; d < t->dims; d++) {
		if (!(used >> d & 1) && shape->extent[a] <= t->unit[d] &&
		    part_lies(t, shape, a + 1, used | 1u << d))
			return true;
	}
	return false;
}

/* Return true if it is less than a node of every torus. */
static bool part_within(const struct torus_machine *m,
			const struct torus_ask *ask)
{
	uint64_t volume = torus_shape_volume(&ask->shape);
	struct torus_shape shape = ask->shape;
	uint32_t toruses = 0;

	torus_shape_squeeze(&shape);
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus *t = &m->pod[p].torus;

		if (m->pod[p].outside)
			continue;
		toruses++;
		if (volume >= torus_node_vertices(t) ||
		    (volume > 1 && !part_lies(t, &shape, 0, 0)))
			return false;
	}
	return toruses > 0;
}

/* Return true if --gres asks for more than none: "gres:chip:0" does not. */
static bool part_asks_for_gres(const char *gres)
{
	while (gres && *gres) {
		size_t length = strcspn(gres, ",");

		if (length < 2 || strncmp(gres + length - 2, ":0", 2) != 0)
			return true;
		gres += length + (gres[length] == ',');
	}
	return false;
}

/* The batch script must not miss a place (spank_plugin.c): remove the words that
 * sbatch has put into its environment as well. */
static void part_forget_words(job_desc_msg_t *desc)
{
	static const char parent[] = REQ_PARENT REQ_PREFIX;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < desc->env_size; i++) {
		if (strncmp(desc->environment[i], parent, sizeof(parent) - 1) ==
		    0)
			xfree(desc->environment[i]);
		else
			desc->environment[kept++] = desc->environment[i];
	}
	if (kept < desc->env_size)
		desc->environment[kept] = NULL;
	desc->env_size = kept;
}

bool submit_places_part_of_node(const struct instance *in, job_desc_msg_t *desc,
				const struct torus_request *request,
				char **err_msg)
{
	const struct torus_ask *ask = &request->alternative[0].ask;

	if (!part_asks_for_gres(desc->tres_per_node) || !wraps_cons_tres() ||
	    request->alternatives > 1 || ask->by_count ||
	    torus_ask_several(ask) || !part_within(in->machine, ask) ||
	    (submit_has_option(desc->min_nodes) && desc->min_nodes > 1))
		return false;
	submit_message(err_msg,
		       "notice: the shape is smaller than a node: the job gets its GRES on one node, and no coordinates");
	job_request_remove(desc->spank_job_env, &desc->spank_job_env_size);
	part_forget_words(desc);
	desc->min_nodes = desc->max_nodes = 1;
	return true;
}
