/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The check at submission that the machine can hold a shape on the job's nodes:
 * those of its partitions and its reservation, with those of -w and without those
 * of -x (both lists are read once: 30,000 names take 50 ms). Alternatives that can
 * never run get a notice; the job is refused if all are.
 *
 * All searches of a submission get the time of one under Slurm's locks (submission.c).
 * An alternative without an answer by then is accepted: sched/torus searches without
 * the locks, and the job's reason tells if it can never run.
 */
#include "torus/state_find.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/names.h"
#include "slurmctld/submit/sizes.h"
#include "slurmctld/submit/submission.h"
#include "slurmctld/submit/submit_options.h"
#include "slurmctld/submit/submit_check.h"

#include "live/base/lock_hold.h"

/* What all alternatives are checked against. */
struct place_check {
	struct instance *in;
	const job_desc_msg_t *desc;
	uint64_t *excluded; /* nodes of -x; NULL: none */
	uint64_t *required; /* nodes of -w; NULL: none */
	bool strays;        /* some nodes of -w are in no torus */
	char **err_msg;
};

/* Write the named nodes to `map` and return it; NULL: there are none, or Slurm will
 * refuse the names. Set *strays if some are in no torus. */
static uint64_t *nodes_named(struct instance *in, char *names, uint64_t *map,
			     bool *strays)
{
	bitstr_t *nodes = NULL;
	bool known = names && names[0] &&
		     compat_nodes_named(names, false, &nodes) == 0;

	if (known) {
		node_map_from_slurm(&in->map, nodes, map);
		*strays = torus_bits_count(map, in->machine->words) <
			  (uint32_t)bit_set_count(nodes);
	}
	FREE_NULL_BITMAP(nodes);
	return known ? map : NULL;
}

/* Return true if the partition's nodes could hold it. */
static bool fits_partition(const struct place_check *c,
			   const part_record_t *part, struct torus_ask ask,
			   struct torus_placement *place)
{
	struct instance *in = c->in;
	uint64_t *allowed = torus_scratch_take(&in->scratch);
	bool fits;
	const slurmctld_resv_t *r;
	uint64_t *nodes;

	node_map_from_slurm(&in->map, part->node_bitmap, allowed);
	if (c->excluded)
		torus_bits_andnot(allowed, c->excluded, in->machine->words);
	/* only the nodes of its reservation */
	r = c->desc->reservation ? find_resv_name(c->desc->reservation) : NULL;
	if (r && r->node_bitmap &&
	    !(r->flags & (RESERVE_FLAG_FLEX | RESERVE_FLAG_ANY_NODES))) {
		/* (FLEX: its jobs may use other nodes as well) */
		nodes = torus_scratch_take(&in->scratch);
		node_map_from_slurm(&in->map, r->node_bitmap, nodes);
		torus_bits_and(allowed, allowed, nodes, in->machine->words);
		torus_scratch_return(&in->scratch, nodes);
	}
	ask.allowed = allowed;
	ask.any_link = true;
	/* A count for which the machine grants another number of nodes than
	 * these nodes do: use theirs. */
	ask.granted = ask.by_count ? place->granted : 0;
	fits = torus_state_find(in->empty, &ask, place, NULL) == TORUS_FITS;
	ask.granted = 0;
	if (!fits)
		fits = torus_state_find(in->empty, &ask, place, NULL) ==
		       TORUS_FITS;
	torus_scratch_return(&in->scratch, allowed);
	return fits || torus_search_limit_cut(ask.limit);
}

/* Return true if the nodes of one of several partitions could, or if Slurm will
 * refuse one of the names. */
static bool fits_some(const struct place_check *c, const struct torus_ask *ask,
		      struct torus_placement *place)
{
	char *names = xstrdup(c->desc->partition), *rest = names, *name;
	const struct torus_placement possible = *place;
	bool fits = false;

	while (!fits && (name = strsep(&rest, ","))) {
		const part_record_t *part = find_part_record(name);

		*place = possible;
		fits = !part || !part->node_bitmap ||
		       fits_partition(c, part, *ask, place);
	}
	if (!fits)
		*place = possible;
	xfree(names);
	return fits;
}

/* Check that the nodes of the job's partitions could hold it. */
static int check_partition(const struct place_check *c,
			   const struct torus_request *request,
			   const char *shape, struct torus_placement *place)
{
	const job_desc_msg_t *desc = c->desc;
	const struct torus_ask *ask = &request->alternative[0].ask;
	bool several = desc->partition && strchr(desc->partition, ',');
	part_record_t *part = several ? NULL :
			      desc->partition ?
					find_part_record(desc->partition) :
					default_part_loc;

	if (!several && (!part || !part->node_bitmap))
		return SLURM_SUCCESS; /* Slurm will report the error */
	if (several ? fits_some(c, ask, place) :
		      fits_partition(c, part, *ask, place))
		return SLURM_SUCCESS;
	submit_message(c->err_msg,
		       "%s fits the machine, but not the nodes of partition%s %s%s%s%s%s",
		       shape, several ? "s" : "",
		       several ? desc->partition : part->name,
		       desc->reservation ? " in reservation " : "",
		       desc->reservation ? desc->reservation : "",
		       desc->exc_nodes ? " without " : "",
		       desc->exc_nodes ? desc->exc_nodes : "");
	return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
}

/*
 * -w: check that a place in the machine holds these nodes. If its limit ends the
 * search, the job is not refused. *nodes: those of the shape in the torus of these
 * nodes, which may be boxes of another size than those of another torus.
 */
static int check_required(const struct place_check *c, struct torus_ask ask,
			  const char *shape, uint32_t *nodes)
{
	struct torus_placement place;
	enum torus_answer answer;

	if (!c->required)
		return SLURM_SUCCESS;
	ask.required = c->required;
	ask.any_link = true;
	answer = torus_state_find(c->in->empty, &ask, &place, NULL);
	if (answer == TORUS_FITS && !ask.by_count)
		*nodes = place.granted;
	if (!c->strays &&
	    (answer == TORUS_FITS || torus_search_limit_cut(ask.limit)))
		return SLURM_SUCCESS;
	submit_message(c->err_msg,
		       "%s fits the machine, but no place for it holds %s (-w)",
		       shape, c->desc->req_nodes);
	return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
}

/*
 * The search of the submission ended without an answer. sched/torus searches again
 * without locks, also for the node count of a count; another scheduler uses the
 * number in the job's record.
 */
static int check_unknown(const struct instance *in, const job_desc_msg_t *desc,
			 const struct torus_request *one, bool in_charge,
			 uint32_t *nodes, char **err_msg)
{
	struct torus_ask ask = one->alternative[0].ask;
	char shape[TORUS_GEOMETRY_SIZE];
	int rc;

	torus_machine_settle(in->machine, &ask);
	*nodes = (uint32_t)torus_ask_nodes(&ask);
	torus_request_format(one, shape, sizeof(shape));
	if (ask.by_count && !in_charge) {
		submit_message(err_msg,
			       "--geometry=%s: the search for its number of nodes has not ended; submit the job again",
			       shape);
		return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
	}
	rc = submit_options_check_nodes(desc, shape, *nodes, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = submit_options_check_tasks(desc, shape, *nodes, err_msg);
	if (rc == SLURM_SUCCESS)
		submit_message(err_msg,
			       "--geometry=%s: the search for a place has not ended; the job waits until one is found, or for ever if the machine has none",
			       shape);
	return rc;
}

/* Users may not name the strategies that the plugins add. */
static bool strategy_is_allowed(const struct instance *in, const char *name,
				char *allowed, size_t size)
{
	size_t used = 0;

	*allowed = '\0';
	for (uint32_t p = 0; name && p < in->machine->pods; p++) {
		const struct torus_pod *pod = &in->machine->pod[p];

		if (pod->outside)
			continue;
		for (uint32_t i = 0; i < in->configuration->strategies[p]; i++) {
			const char *one = pod->strategy[i]->name;

			if (pod->strategy[i] == torus_strategy_find(name))
				return true;
			if (used < size && !strstr(allowed, one))
				used += (size_t)snprintf(allowed + used,
							 size - used, "%s%s",
							 used ? " or " : "",
							 one);
		}
	}
	return name == NULL;
}

/* A count for which there is no box: say what the job gets, and is charged for. */
static void notice_larger_box(const struct place_check *c,
			      const struct torus_ask *ask,
			      const struct torus_placement *place)
{
	const struct torus *t = &c->in->machine->pod[place->pod].torus;
	struct torus_shape box = { .axes = t->dims };
	char shape[96];

	if (!ask->by_count || place->granted == ask->count || place->scattered)
		return;
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t side = place->region.extent[d] * t->unit[d], i = d;

		for (; i > 0 && box.extent[i - 1] < side; i--)
			box.extent[i] = box.extent[i - 1];
		box.extent[i] = side;
	}
	torus_shape_squeeze(&box);
	torus_shape_format(&box, shape, sizeof(shape));
	submit_message(c->err_msg,
		       "notice: no box of %u nodes here%s: %u (%s%s)",
		       ask->count,
		       torus_ask_limited(ask) ? " within the limits" : "",
		       place->granted, shape, box.axes == 1 ? "^1" : "");
}

/* Check one alternative, alone in `one`; *nodes: how many it takes. */
static int check_alternative(const struct place_check *c,
			     const struct torus_request *one, bool in_charge,
			     uint32_t *nodes)
{
	const job_desc_msg_t *desc = c->desc;
	char **err_msg = c->err_msg;
	enum torus_answer answer;
	char shape[TORUS_GEOMETRY_SIZE];
	struct torus_placement place;
	struct torus_error err;
	int rc;

	torus_error_clear(&err);
	answer = sizes_possible(c->in, &one->alternative[0].ask, &place, &err);
	if (answer == TORUS_NOT_NOW)
		return check_unknown(c->in, desc, one, in_charge, nodes,
				     err_msg);
	if (answer != TORUS_FITS) {
		submit_message_lines(err_msg, &err);
		return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
	}
	torus_request_format(one, shape, sizeof(shape));
	rc = check_partition(c, one, shape, &place);
	*nodes = place.granted;
	if (rc == SLURM_SUCCESS)
		rc = check_required(c, one->alternative[0].ask, shape, nodes);
	if (rc == SLURM_SUCCESS)
		rc = submit_options_check_nodes(desc, shape, *nodes, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = submit_options_check_tasks(desc, shape, *nodes, err_msg);
	if (rc == SLURM_SUCCESS)
		notice_larger_box(c, &one->alternative[0].ask, &place);
	return rc;
}

/* 8,4,2 asks for 8, else 4, else 2 nodes. Users who meant the box 8x4x2 are told. */
static void notice_counts(const struct place_check *c,
			  const struct torus_request *request)
{
	char counts[TORUS_MAX_ALTERNATIVES * 12] = "", box[sizeof(counts)];

	for (uint32_t k = 0; k < request->alternatives; k++) {
		const struct torus_alternative *a = &request->alternative[k];

		if (!a->ask.by_count || a->after_us ||
		    torus_ask_limited(&a->ask))
			return;
	}
	torus_request_format(request, counts, sizeof(counts));
	for (size_t i = 0; i < sizeof(counts); i++)
		box[i] = counts[i] == ',' ? 'x' : counts[i];
	if (request->alternatives > 1)
		submit_message(c->err_msg,
			       "notice: --geometry=%s is the first of these numbers of nodes that has a place; write %s for one box",
			       counts, box);
}

/* Set *nodes to those of the first alternative that can ever run. A notice names the
 * alternatives that cannot. */
static int check_alternatives(const struct place_check *c,
			      const struct torus_request *request,
			      bool in_charge, uint32_t *nodes)
{
	struct torus_request one = *request;
	struct lock_hold_limit limit;
	int64_t *spent_us = submission_spent_us();
	bool possible = false;
	uint32_t n;
	int rc = SLURM_SUCCESS;

	one.alternatives = 1;
	lock_hold_limit_begin_of(&limit, spent_us);
	for (uint32_t k = 0; k < request->alternatives; k++) {
		one.alternative[0] = request->alternative[k];
		one.alternative[0].after_us = 0;
		one.alternative[0].ask.limit = &limit.limit;
		rc = check_alternative(c, &one, in_charge, &n);
		if (rc == SLURM_SUCCESS && !possible)
			*nodes = n;
		possible |= rc == SLURM_SUCCESS;
		if (rc && rc != ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE)
			return rc; /* this ends the submission */
		if (rc && request->alternatives > 1)
			submit_message(c->err_msg, "alternative %u is left out",
				       k + 1);
	}
	lock_hold_limit_end_of(&limit, spent_us);
	if (possible)
		notice_counts(c, request);
	return possible ? SLURM_SUCCESS : rc;
}

int submit_places_check(struct instance *in, bool in_charge,
			job_desc_msg_t *desc,
			const struct torus_request *request, char **err_msg)
{
	struct place_check c = { .in = in, .desc = desc, .err_msg = err_msg };
	const char *strategy = request->alternative[0].ask.strategy;
	uint64_t *excluded, *required;
	char allowed[256];
	bool strays = false;
	uint32_t nodes = 0;
	int rc;

	if (!strategy_is_allowed(in, strategy, allowed, sizeof(allowed))) {
		submit_message(err_msg,
			       "placement \"%s\" is not allowed on this machine; write %s, or omit it",
			       strategy, allowed);
		return ESLURM_NOT_SUPPORTED;
	}
	excluded = torus_scratch_take(&in->scratch);
	required = torus_scratch_take(&in->scratch);
	c.excluded = nodes_named(in, desc->exc_nodes, excluded, &strays);
	c.required = nodes_named(in, desc->req_nodes, required, &c.strays);
	rc = check_alternatives(&c, request, in_charge, &nodes);
	torus_scratch_return(&in->scratch, required);
	torus_scratch_return(&in->scratch, excluded);
	if (rc == SLURM_SUCCESS)
		submit_options_set_nodes(desc, nodes);
	return rc;
}

/*
 * A shape within one node, whose vertices are GRES: --geometry=1x1x1 --gres=chip:1
 * on hosts of 2x2x1. Regions begin and end on nodes, so no region is that small. The
 * job becomes a job of one node without a shape, which Slurm places by its GRES.
 * Without --gres, or if jobs get whole nodes (SelectType=select/torus), it is refused
 * like every shape that is no multiple of nodes.
 */
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

bool submit_places_part_of_node(const struct instance *in, job_desc_msg_t *desc,
				const struct torus_request *request,
				char **err_msg)
{
	const struct torus_ask *ask = &request->alternative[0].ask;
	uint64_t volume;
	struct torus_shape shape;
	bool any_torus = false;
	static const char parent[] = REQ_PARENT TORUS_REQUEST_PREFIX;
	uint32_t kept = 0;

	if (!part_asks_for_gres(desc->tres_per_node) || !wraps_cons_tres() ||
	    request->alternatives > 1 || ask->by_count || torus_ask_several(ask))
		return false;
	/* it must be less than a node of every torus */
	volume = torus_shape_volume(&ask->shape);
	shape = ask->shape;
	torus_shape_squeeze(&shape);
	for (uint32_t p = 0; p < in->machine->pods; p++) {
		const struct torus *t = &in->machine->pod[p].torus;

		if (in->machine->pod[p].outside)
			continue;
		any_torus = true;
		if (volume >= torus_node_vertices(t) ||
		    (volume > 1 && !part_lies(t, &shape, 0, 0)))
			return false;
	}
	if (!any_torus)
		return false;
	if (submit_has_option(desc->min_nodes) && desc->min_nodes > 1)
		return false;
	submit_message(err_msg,
		       "notice: the shape is smaller than a node: the job gets its GRES on one node, and no coordinates");
	job_request_remove(desc->spank_job_env, &desc->spank_job_env_size);
	/* The batch script must not miss a place (spank_plugin.c): remove the words that
	 * sbatch has put into its environment as well. */
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
	desc->min_nodes = desc->max_nodes = 1;
	return true;
}
