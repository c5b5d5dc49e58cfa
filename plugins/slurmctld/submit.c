/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job is submitted, or changed: is its shape possible on this machine, and
 * does anything else that it asks for contradict it? Then the node count
 * becomes the shape's, and the nodes the job's alone.
 *
 * Needs the lock of partitions (read); the machine's occupancy does not matter.
 */
#include "live/saturate.h"
#include "live/search_limit.h"
#include "slurmctld/instance.h"

#include <stdarg.h>
#include <stdio.h>

/* A line of *err_msg. */
__attribute__((format(printf, 2, 3))) static void
submit_error(char **err_msg, const char *format, ...)
{
	char line[TORUS_ERROR_TEXT];
	va_list args;

	if (!err_msg)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	xstrfmtcat(*err_msg, "%storus: %s", *err_msg ? "\n" : "", line);
}

/* Every line of err. */
static void complain_all(char **err_msg, struct torus_error *err)
{
	char *rest = err->text, *line;

	while ((line = strsep(&rest, "\n")))
		submit_error(err_msg, "%s", line);
}

/* Options that want nodes of their own choosing. */
static int check_options(const job_desc_msg_t *desc, char **err_msg)
{
	int rc = SLURM_SUCCESS;

	if (desc->contiguous && desc->contiguous != NO_VAL16) {
		submit_error(err_msg,
			     "--contiguous cannot be combined with --geometry, which already says how the nodes lie");
		rc = ESLURM_NOT_SUPPORTED;
	}
	if (desc->req_switch && desc->req_switch != NO_VAL) {
		submit_error(err_msg,
			     "--switches cannot be combined with --geometry, which already says how the nodes lie");
		rc = ESLURM_NOT_SUPPORTED;
	}
	if (desc->shared == JOB_SHARED_OK) {
		submit_error(err_msg,
			     "--oversubscribe cannot be combined with --geometry: the nodes of a shape are never shared");
		rc = ESLURM_NOT_SUPPORTED;
	}
	if (desc->features && strchr(desc->features, '*')) {
		submit_error(err_msg,
			     "--constraint with node counts cannot be combined with --geometry: one shape has to hold all nodes");
		rc = ESLURM_NOT_SUPPORTED;
	}
	return rc;
}

static bool submit_has_option(uint32_t n)
{
	return n != NO_VAL && n != 0;
}

static const char *submit_plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

/* -N, or the number of nodes that -w names. */
static int check_nodes(const job_desc_msg_t *desc, const char *shape,
		       uint32_t nodes, char **err_msg)
{
	if (submit_has_option(desc->max_nodes) &&
	    (desc->max_nodes != nodes || desc->min_nodes != nodes)) {
		submit_error(err_msg,
			     "-N (--nodes) contradicts --geometry=%s, which is %u node%s; omit it",
			     shape, nodes, submit_plural(nodes));
		return ESLURM_INVALID_NODE_COUNT;
	}
	if (submit_has_option(desc->min_nodes) && desc->min_nodes > nodes) {
		submit_error(err_msg,
			     "%u nodes are asked for (-N or -w), but --geometry=%s is %u node%s",
			     desc->min_nodes, shape, nodes,
			     submit_plural(nodes));
		return ESLURM_INVALID_NODE_COUNT;
	}
	return SLURM_SUCCESS;
}

/*
 * --ntasks-per-node without -n or -N: the command has worked out the number of
 * tasks itself, for the one node that it knew of.
 */
static bool per_node_only(const job_desc_msg_t *desc)
{
	return desc->ntasks_per_node && desc->ntasks_per_node != NO_VAL16 &&
	       desc->num_tasks == desc->ntasks_per_node &&
	       !submit_has_option(desc->max_nodes);
}

/*
 * Of a batch job we can put that number right. srun and salloc would go on
 * with theirs (and srun's request for a step of fewer tasks than nodes makes
 * slurmctld 22.05 divide by zero).
 */
static int check_tasks(const job_desc_msg_t *desc, const char *shape,
		       uint32_t nodes, char **err_msg)
{
	if (!submit_has_option(desc->num_tasks) || desc->num_tasks >= nodes)
		return SLURM_SUCCESS;
	if (!per_node_only(desc)) {
		submit_error(err_msg,
			     "-n (--ntasks) asks for %u task%s, but --geometry=%s is %u nodes, at least a task each; omit it",
			     desc->num_tasks, submit_plural(desc->num_tasks),
			     shape, nodes);
		return ESLURM_INVALID_NODE_COUNT;
	}
	if (desc->script)
		return SLURM_SUCCESS;
	submit_error(err_msg,
		     "srun and salloc count the tasks before they know the nodes: beside --ntasks-per-node=%u --geometry=%s write -N %u, too",
		     desc->ntasks_per_node, shape, nodes);
	return ESLURM_INVALID_NODE_COUNT;
}

/* Return true if the partition shares nodes whatever jobs ask for. */
static bool shares_by_force(const part_record_t *part)
{
	return (part->max_share & SHARED_FORCE) &&
	       (part->max_share & ~SHARED_FORCE) > 1;
}

/* Take the nodes of -x from `allowed`. */
static void leave_out_excluded(struct instance *in, const job_desc_msg_t *desc,
			       uint64_t *allowed)
{
	uint64_t *nodes;
	bitstr_t *excluded = NULL;

	if (!desc->exc_nodes || !desc->exc_nodes[0])
		return;
	if (compat_nodes_named(desc->exc_nodes, &excluded) == 0) {
		nodes = torus_scratch_take(&in->scratch);
		instance_from_slurm(in, excluded, nodes);
		torus_bits_andnot(allowed, nodes, in->machine->words);
		torus_scratch_return(&in->scratch, nodes);
	}
	FREE_NULL_BITMAP(excluded); /* (wrong names are Slurm's to refuse) */
}

/* Leave in `allowed` the nodes of the reservation that is named. */
static void keep_reserved(struct instance *in, const job_desc_msg_t *desc,
			  uint64_t *allowed)
{
	const slurmctld_resv_t *r = desc->reservation ?
					    find_resv_name(desc->reservation) :
					    NULL;
	uint64_t *nodes;

	if (!r || !r->node_bitmap ||
	    (r->flags & (RESERVE_FLAG_FLEX | RESERVE_FLAG_ANY_NODES)))
		return; /* (FLEX: its jobs may use other nodes as well) */
	nodes = torus_scratch_take(&in->scratch);
	instance_from_slurm(in, r->node_bitmap, nodes);
	torus_bits_and(allowed, allowed, nodes, in->machine->words);
	torus_scratch_return(&in->scratch, nodes);
}

/* Return true if the partition's nodes could hold it. */
static bool fits_partition(struct instance *in, const job_desc_msg_t *desc,
			   const part_record_t *part, struct torus_ask ask,
			   struct torus_placement *place)
{
	uint64_t *allowed = torus_scratch_take(&in->scratch);
	bool fits;

	instance_from_slurm(in, part->node_bitmap, allowed);
	leave_out_excluded(in, desc, allowed);
	keep_reserved(in, desc, allowed);
	ask.allowed = allowed;
	/* A count that the machine settles otherwise than these nodes can:
	 * what these can. */
	ask.granted = ask.by_count ? place->granted : 0;
	fits = torus_state_find(in->empty, &ask, place, NULL) == TORUS_FITS;
	ask.granted = 0;
	if (!fits)
		fits = torus_state_find(in->empty, &ask, place, NULL) ==
		       TORUS_FITS;
	torus_scratch_return(&in->scratch, allowed);
	return fits || torus_limit_cut(ask.limit);
}

/* Return true if the nodes of one of several partitions could, or if Slurm will
 * refuse one of the names. */
static bool fits_some(struct instance *in, const job_desc_msg_t *desc,
		      const struct torus_ask *ask, struct torus_placement *place)
{
	char *names = xstrdup(desc->partition), *rest = names, *name;
	const struct torus_placement possible = *place;
	bool fits = false;

	while (!fits && (name = strsep(&rest, ","))) {
		const part_record_t *part = find_part_record(name);

		*place = possible;
		fits = !part || !part->node_bitmap ||
		       fits_partition(in, desc, part, *ask, place);
	}
	if (!fits)
		*place = possible;
	xfree(names);
	return fits;
}

/* Check that the nodes of the partitions that are asked for could hold it. */
static int check_partition(struct instance *in, const job_desc_msg_t *desc,
			   const struct torus_request *request,
			   const char *shape, struct torus_placement *place,
			   char **err_msg)
{
	const struct torus_ask *ask = &request->alternative[0].ask;
	bool several = desc->partition && strchr(desc->partition, ',');
	part_record_t *part = several ? NULL :
			      desc->partition ?
					find_part_record(desc->partition) :
					default_part_loc;

	if (!several && (!part || !part->node_bitmap))
		return SLURM_SUCCESS; /* Slurm will say so */
	if (part && shares_by_force(part)) {
		submit_error(err_msg,
			     "partition %s makes jobs share nodes (OverSubscribe=FORCE), which shapes never do",
			     part->name);
		return ESLURM_NOT_SUPPORTED;
	}
	if (several ? fits_some(in, desc, ask, place) :
		      fits_partition(in, desc, part, *ask, place))
		return SLURM_SUCCESS;
	submit_error(err_msg,
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
 * -w: check that a place in the machine holds these nodes. A search that is ended
 * has found no reason to refuse.
 */
static int check_required(struct instance *in, const job_desc_msg_t *desc,
			  struct torus_ask ask, const char *shape,
			  char **err_msg)
{
	struct torus_placement place;
	bitstr_t *nodes = NULL;
	enum torus_answer answer = TORUS_FITS;

	if (!desc->req_nodes || !desc->req_nodes[0])
		return SLURM_SUCCESS;
	if (compat_nodes_named(desc->req_nodes, &nodes) == 0) {
		uint64_t *required = torus_scratch_take(&in->scratch);

		instance_from_slurm(in, nodes, required);
		ask.required = required;
		answer = torus_state_find(in->empty, &ask, &place, NULL);
		if (torus_bits_count(required, in->machine->words) <
		    (uint32_t)bit_set_count(nodes))
			answer = TORUS_NEVER; /* some are in no torus */
		else if (torus_limit_cut(ask.limit))
			answer = TORUS_FITS;
		torus_scratch_return(&in->scratch, required);
	}
	FREE_NULL_BITMAP(nodes); /* (wrong names are Slurm's to refuse) */
	if (answer == TORUS_FITS)
		return SLURM_SUCCESS;
	submit_error(err_msg,
		     "%s fits the machine, but no place for it holds %s (-w)",
		     shape, desc->req_nodes);
	return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
}

/*
 * In the time of a submission it was not found out whether the machine could
 * hold it. sched/torus finds out without locks, also how many nodes a count
 * comes to; another scheduler goes by the number in the job's record.
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
		submit_error(err_msg,
			     "--geometry=%s: it is not known yet how many nodes that takes here; submit it again",
			     shape);
		return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
	}
	rc = check_nodes(desc, shape, *nodes, err_msg);
	return rc ? rc : check_tasks(desc, shape, *nodes, err_msg);
}

/*
 * The node count is the shape's. The nodes are the job's alone: select/linear
 * gets that option; select/torus_cons_tres does it itself (narrow.c), so that the
 * job is allocated what it asks for of them, and all with --exclusive only.
 */
static void submit_set_node_count(job_desc_msg_t *desc, uint32_t nodes)
{
	uint32_t cpus = desc->cpus_per_task == NO_VAL16 || !desc->cpus_per_task ?
				1 :
				desc->cpus_per_task;

	if (per_node_only(desc))
		desc->num_tasks = saturated_product(nodes,
						    desc->ntasks_per_node);
	desc->min_nodes = desc->max_nodes = nodes;
	if (!xstrstr(slurm_conf.select_type, "cons_tres"))
		desc->shared = JOB_SHARED_NONE;
	cpus = saturated_product(cpus, submit_has_option(desc->num_tasks) ?
					       desc->num_tasks :
					       nodes);
	if (desc->overcommit != NO_VAL8 && desc->overcommit)
		cpus = nodes;
	if (desc->min_cpus == NO_VAL || desc->min_cpus < cpus)
		desc->min_cpus = cpus;
}

/* The strategies that we add ourselves are not for users to name. */
static bool strategy_is_allowed(const struct instance *in, const char *name)
{
	for (uint32_t p = 0; name && p < in->machine->pods; p++) {
		const struct torus_pod *pod = &in->machine->pod[p];

		if (pod->outside)
			continue;
		for (uint32_t i = 0; i < in->configuration->strategies[p]; i++) {
			if (pod->strategy[i] == torus_strategy_find(name))
				return true;
		}
	}
	return name == NULL;
}

/* One alternative, alone in `one`; *nodes: how many it takes. */
static int check_alternative(struct instance *in, const job_desc_msg_t *desc,
			     const struct torus_request *one, bool in_charge,
			     uint32_t *nodes, char **err_msg)
{
	enum torus_answer answer;
	char shape[TORUS_GEOMETRY_SIZE];
	struct torus_placement place;
	struct torus_error err;
	int rc;

	torus_error_clear(&err);
	answer = sizes_possible(in, &one->alternative[0].ask, &place, &err);
	if (answer == TORUS_NOT_NOW)
		return check_unknown(in, desc, one, in_charge, nodes, err_msg);
	if (answer != TORUS_FITS) {
		complain_all(err_msg, &err);
		return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
	}
	torus_request_format(one, shape, sizeof(shape));
	rc = check_partition(in, desc, one, shape, &place, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = check_nodes(desc, shape, place.granted, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = check_tasks(desc, shape, place.granted, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = check_required(in, desc, one->alternative[0].ask, shape,
				    err_msg);
	*nodes = place.granted;
	return rc;
}

/*
 * The job is submitted as its first alternative that can ever run; the others
 * that cannot are named in a notice. All searches together have the time of
 * one.
 */
static int check_shape(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		       const struct torus_request *request, char **err_msg)
{
	uint32_t nodes[TORUS_MAX_ALTERNATIVES];
	struct torus_request one = *request;
	const char *strategy = request->alternative[0].ask.strategy;
	struct search_limit limit;
	uint32_t first = UINT32_MAX;
	int rc = SLURM_SUCCESS;

	if (!strategy_is_allowed(in, strategy)) {
		submit_error(err_msg,
			     "placement \"%s\" is not allowed on this machine",
			     strategy);
		return ESLURM_NOT_SUPPORTED;
	}
	one.alternatives = 1;
	search_limit_begin(&limit, SEARCH_US);
	for (uint32_t k = 0; k < request->alternatives; k++) {
		one.alternative[0] = request->alternative[k];
		one.alternative[0].after_us = 0;
		one.alternative[0].ask.limit = &limit.limit;
		rc = check_alternative(in, desc, &one, in_charge, &nodes[k],
				       err_msg);
		if (rc == SLURM_SUCCESS && first == UINT32_MAX)
			first = k;
		if (rc && rc != ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE)
			return rc;
		if (rc && request->alternatives > 1)
			submit_error(err_msg, "alternative %u is left out",
				     k + 1);
	}
	if (first == UINT32_MAX)
		return rc;
	submit_set_node_count(desc, nodes[first]);
	return SLURM_SUCCESS;
}

/* Another scheduler than sched/torus would start the first alternative only. */
static int refuse_ladder(char **err_msg)
{
	submit_error(err_msg,
		     "--geometry: alternatives (\",\") and waits (\"@\") need SchedulerType=sched/torus; here a job asks for one shape");
	return ESLURM_NOT_SUPPORTED;
}

/* --immediate: slurmctld, told to defer, refuses it after this, without a word
 * about the other way. */
static int refuse_immediate(char **err_msg)
{
	submit_error(err_msg,
		     "--immediate: SchedulerType=sched/torus starts no job within its submission; write --immediate=5 to wait 5 seconds at most");
	return ESLURM_CAN_NOT_START_IMMEDIATELY;
}

/*
 * [fast*3&slow*2]: so many nodes of each kind. A plan needs one set of nodes; of
 * these the plan's choice would be refused for ever. NAME*COUNT alone, of all the
 * job's nodes, is such a set.
 */
static bool counts_kinds(const char *features, uint32_t nodes)
{
	const char *star = features ? strchr(features, '*') : NULL;

	return star && (strpbrk(features, "[]()&|") ||
			strtoul(star + 1, NULL, 10) <
				(submit_has_option(nodes) ? nodes : 1));
}

static int refuse_kinds(const char *features, char **err_msg)
{
	submit_error(err_msg,
		     "--constraint=\"%s\": SchedulerType=sched/torus plans no job with a number of nodes of each kind; submit a job for each kind, or write \"fast|slow\" where any of them will do",
		     features);
	return ESLURM_NOT_SUPPORTED;
}

/* What sched/torus cannot do. */
static int check_charge(const job_desc_msg_t *desc, bool shaped, char **err_msg)
{
	if (desc->immediate && desc->immediate != NO_VAL16)
		return refuse_immediate(err_msg);
	if (!shaped && counts_kinds(desc->features, desc->min_nodes))
		return refuse_kinds(desc->features, err_msg);
	return SLURM_SUCCESS;
}

/* A job with a shape. */
static int check_request(struct instance *in, bool in_charge,
			 job_desc_msg_t *desc, char **err_msg)
{
	struct torus_request request;
	struct torus_error err;
	int rc;

	if (!in) {
		submit_error(err_msg,
			     "--geometry is not available here: SelectType is not one of select/torus");
		return ESLURM_NOT_SUPPORTED;
	}
	if (desc->het_job_offset != NO_VAL) {
		submit_error(err_msg,
			     "--geometry cannot be combined with heterogeneous jobs; submit their parts as jobs of their own");
		return ESLURM_NOT_SUPPORTED;
	}
	torus_error_clear(&err);
	if (job_request_read(desc->spank_job_env, desc->spank_job_env_size,
			     in->may_rotate, &request, &err)) {
		complain_all(err_msg, &err);
		return ESLURM_NOT_SUPPORTED;
	}
	if (!in_charge &&
	    (request.alternatives > 1 || request.alternative[0].after_us > 0))
		return refuse_ladder(err_msg);
	rc = check_options(desc, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = check_shape(in, in_charge, desc, &request, err_msg);
	if (rc == SLURM_SUCCESS)
		job_request_show(desc->spank_job_env, desc->spank_job_env_size,
				 &desc->admin_comment);
	return rc;
}

int submit_check(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		 char **err_msg)
{
	bool shaped = job_request_is_shaped(desc->spank_job_env,
					    desc->spank_job_env_size);
	int rc = SLURM_SUCCESS;

	if (in_charge)
		rc = check_charge(desc, shaped, err_msg);
	if (rc == SLURM_SUCCESS && shaped)
		rc = check_request(in, in_charge, desc, err_msg);
	return rc;
}

/*
 * Other nodes for a waiting job with alternatives: its record becomes that of the
 * first one that they can hold, before Slurm checks it against the partition.
 */
static int check_moved(struct instance *in, const job_desc_msg_t *changes,
		       job_record_t *job, const struct torus_request *request,
		       char **err_msg)
{
	job_desc_msg_t desc;
	struct sizes sizes;
	int rc;

	update_describe_job(job, &desc);
	if (changes->partition)
		desc.partition = changes->partition;
	if (changes->reservation)
		desc.reservation = changes->reservation;
	if (changes->exc_nodes)
		desc.exc_nodes = changes->exc_nodes;
	rc = check_shape(in, true, &desc, request, err_msg);
	if (rc)
		return rc;
	sizes = sizes_for(job, desc.min_nodes);
	sizes_set(job, &sizes);
	return SLURM_SUCCESS;
}

static int modify_shaped(struct instance *in, bool in_charge,
			 job_desc_msg_t *desc, job_record_t *job, char **err_msg)
{
	const compat_details *details = job->details;
	char shape[TORUS_GEOMETRY_SIZE];
	struct torus_request request;
	int rc;

	if (!in || !details || job_request_of(job, in->may_rotate, &request))
		return SLURM_SUCCESS;
	torus_request_format(&request, shape, sizeof(shape));
	if ((submit_has_option(desc->min_nodes) &&
	     desc->min_nodes != details->min_nodes) ||
	    (submit_has_option(desc->max_nodes) &&
	     desc->max_nodes != details->min_nodes)) {
		submit_error(err_msg,
			     "the nodes of a job with --geometry=%s cannot be more or fewer",
			     shape);
		return ESLURM_INVALID_NODE_COUNT;
	}
	if (desc->req_nodes && (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))) {
		submit_error(err_msg,
			     "the nodes of a running job with --geometry=%s cannot change",
			     shape);
		return ESLURM_INVALID_NODE_COUNT;
	}
	rc = check_options(desc, err_msg);
	if (rc == SLURM_SUCCESS && submit_has_option(desc->num_tasks) &&
	    desc->num_tasks < details->min_nodes)
		rc = check_tasks(desc, shape, details->min_nodes, err_msg);
	if (rc == SLURM_SUCCESS && in_charge && request.alternatives > 1 &&
	    IS_JOB_PENDING(job) &&
	    (desc->partition || desc->reservation || desc->exc_nodes))
		rc = check_moved(in, desc, job, &request, err_msg);
	return rc;
}

int submit_modify(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		  job_record_t *job, char **err_msg)
{
	bool shaped = job_request_is_shaped(job->spank_job_env,
					    job->spank_job_env_size);

	if (shaped)
		return modify_shaped(in, in_charge, desc, job, err_msg);
	if (in_charge && job->details &&
	    counts_kinds(desc->features, submit_has_option(desc->min_nodes) ?
						 desc->min_nodes :
						 job->details->min_nodes))
		return refuse_kinds(desc->features, err_msg);
	return SLURM_SUCCESS;
}
