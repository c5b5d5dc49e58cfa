/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The check of a job that is submitted or changed: the machine can hold its shape, and
 * no other option contradicts the shape. Then the node count becomes the shape's, and
 * the job shares no node.
 *
 * Needs the lock of partitions (read); the machine's occupancy does not matter.
 */
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/submit/sizes.h"
#include "slurmctld/submit/submit_check.h"
#include "slurmctld/submit/submit_options.h"
#include "torus/number.h"

/*
 * [fast*3&slow*2]: a number of nodes of each kind. A plan needs one set of nodes; of
 * these Slurm would refuse the plan's choice for ever. NAME*COUNT alone, for all nodes
 * of the job, is one set.
 */
static bool counts_kinds(const char *features, uint32_t nodes)
{
	const char *star = features ? strchr(features, '*') : NULL;

	return star && (strpbrk(features, "[]()&|") ||
			torus_number_of(star + 1) <
				(submit_has_option(nodes) ? nodes : 1));
}

static int refuse_kinds(const char *features, char **err_msg)
{
	submit_message(err_msg,
		       "--constraint=\"%s\": SchedulerType=sched/torus cannot plan a job with a number of nodes of each kind; submit a job for each kind, or write \"fast|slow\" where any of them will do",
		       features);
	return ESLURM_NOT_SUPPORTED;
}

/* -N0-2, whether it is new or an update: Slurm may start it on no node, writes its state
 * with an assertion that then fails, and ends. */
static int check_count(const job_desc_msg_t *desc, char **err_msg)
{
	if (desc->min_nodes != 0)
		return SLURM_SUCCESS;
	submit_message(err_msg,
		       "--nodes: got at least 0 nodes; a job needs 1 or more");
	return ESLURM_INVALID_NODE_COUNT;
}

static int check_charge(const job_desc_msg_t *desc, bool shaped, char **err_msg)
{
	if (desc->immediate && desc->immediate != NO_VAL16) {
		/* slurmctld with `defer` refuses it after this check, without naming an
		 * alternative */
		submit_message(err_msg,
			       "--immediate: SchedulerType=sched/torus starts no job within its submission; write --immediate=5 to wait 5 seconds at most");
		return ESLURM_CAN_NOT_START_IMMEDIATELY;
	}
	if (!shaped && counts_kinds(desc->features, desc->min_nodes))
		return refuse_kinds(desc->features, err_msg);
	return SLURM_SUCCESS;
}

static int check_request(struct instance *in, bool in_charge,
			 job_desc_msg_t *desc, char **err_msg)
{
	struct torus_request request;
	struct torus_error err;
	int rc;

	if (!in) {
		submit_message(err_msg,
			       "--geometry is not available here: SelectType is not one of select/torus");
		return ESLURM_NOT_SUPPORTED;
	}
	if (desc->het_job_offset != NO_VAL) {
		submit_message(err_msg,
			       "--geometry cannot be combined with heterogeneous jobs; submit their parts as separate jobs");
		return ESLURM_NOT_SUPPORTED;
	}
	torus_error_clear(&err);
	if (job_request_read(desc->spank_job_env, desc->spank_job_env_size,
			     in->may_rotate, &request, &err)) {
		submit_message_lines(err_msg, &err);
		return ESLURM_NOT_SUPPORTED;
	}
	if (!in_charge &&
	    (request.alternatives > 1 || request.alternative[0].after_us > 0)) {
		/* another scheduler would start the first alternative only */
		submit_message(err_msg,
			       "--geometry: alternatives (\",\") and waits (\"@\") need SchedulerType=sched/torus; here a job asks for one shape");
		return ESLURM_NOT_SUPPORTED;
	}
	if (submit_places_part_of_node(in, desc, &request, err_msg))
		return SLURM_SUCCESS;
	rc = submit_options_check(desc, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = submit_places_check(in, in_charge, desc, &request, err_msg);
	if (rc == SLURM_SUCCESS)
		job_request_add_comment(desc->spank_job_env,
					desc->spank_job_env_size,
					&desc->admin_comment);
	return rc;
}

int submit_check(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		 char **err_msg)
{
	bool shaped = job_request_is_in(desc->spank_job_env,
					desc->spank_job_env_size);
	int rc = check_count(desc, err_msg);

	if (rc == SLURM_SUCCESS && in_charge)
		rc = check_charge(desc, shaped, err_msg);
	if (rc == SLURM_SUCCESS && shaped && in)
		rc = submit_options_check_partitions(desc, default_part_loc,
						     err_msg);
	if (rc == SLURM_SUCCESS && shaped)
		rc = check_request(in, in_charge, desc, err_msg);
	return rc;
}

void submit_check_describe(const job_record_t *job, job_desc_msg_t *desc)
{
	const compat_details *d = job->details;

	slurm_init_job_desc_msg(desc);
	desc->het_job_offset = NO_VAL;
	desc->user_id = job->user_id;
	desc->partition = job->partition;
	desc->reservation = job->resv_name;
	desc->time_limit = job->time_limit;
	desc->features = d->features;
	desc->req_nodes = d->req_nodes;
	desc->exc_nodes = d->exc_nodes;
	desc->cpus_per_task = d->cpus_per_task;
	desc->ntasks_per_node = d->ntasks_per_node;
	desc->overcommit = d->overcommit;
	desc->shared = JOB_SHARED_NONE;
	if (d->num_tasks != d->min_nodes)
		desc->num_tasks = d->num_tasks;
	if (job->batch_flag)
		desc->script = job->partition; /* there is one */
}

/*
 * A waiting job with alternatives gets other nodes: its record becomes that of the
 * first alternative that these can hold, before Slurm checks it against the
 * partition.
 */
static int check_moved(struct instance *in, const job_desc_msg_t *changes,
		       job_record_t *job, const struct torus_request *request,
		       char **err_msg)
{
	job_desc_msg_t desc;
	int rc;

	submit_check_describe(job, &desc);
	if (changes->partition)
		desc.partition = changes->partition;
	if (changes->reservation)
		desc.reservation = changes->reservation;
	if (changes->exc_nodes)
		desc.exc_nodes = changes->exc_nodes;
	rc = submit_places_check(in, true, &desc, request, err_msg);
	if (rc)
		return rc;
	sizes_set_nodes(job, desc.min_nodes);
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
		submit_message(err_msg,
			       "the number of nodes of a job with --geometry=%s cannot change",
			       shape);
		return ESLURM_INVALID_NODE_COUNT;
	}
	if (desc->req_nodes && (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))) {
		submit_message(err_msg,
			       "the nodes of a running job with --geometry=%s cannot change",
			       shape);
		return ESLURM_INVALID_NODE_COUNT;
	}
	rc = submit_options_check(desc, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = submit_options_check_cpus(desc, job, shape, err_msg);
	if (rc == SLURM_SUCCESS)
		rc = submit_options_check_partitions(desc, NULL, err_msg);
	if (rc == SLURM_SUCCESS && submit_has_option(desc->num_tasks) &&
	    desc->num_tasks < details->min_nodes)
		rc = submit_options_check_tasks(desc, shape, details->min_nodes,
						err_msg);
	if (rc == SLURM_SUCCESS && in_charge && request.alternatives > 1 &&
	    IS_JOB_PENDING(job) &&
	    (desc->partition || desc->reservation || desc->exc_nodes))
		rc = check_moved(in, desc, job, &request, err_msg);
	return rc;
}

int submit_check_update(struct instance *in, bool in_charge,
			job_desc_msg_t *desc, job_record_t *job, char **err_msg)
{
	int rc = check_count(desc, err_msg);

	if (rc)
		return rc;
	if (job_request_is_shaped(job))
		return modify_shaped(in, in_charge, desc, job, err_msg);
	if (in_charge && job->details &&
	    counts_kinds(desc->features, submit_has_option(desc->min_nodes) ?
						 desc->min_nodes :
						 job->details->min_nodes))
		return refuse_kinds(desc->features, err_msg);
	return SLURM_SUCCESS;
}
