/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other options of a job with a shape: those that contradict the shape are
 * refused, and the node count becomes the shape's. Partitions that force jobs to share
 * nodes (OverSubscribe=FORCE) take no shapes, whose nodes are never shared: they are
 * removed from a list of several. A partition may become one while a job waits for it
 * (pending_job.c).
 */
#include "slurmctld/instance/instance.h"
#include "slurmctld/submit/sizes.h"
#include "slurmctld/submit/submit_options.h"

#include "live/base/saturate.h"

/* Options that choose nodes themselves. */
int submit_options_check(const job_desc_msg_t *desc, char **err_msg)
{
	const struct {
		bool present;
		const char *why;
	} options[] = {
		{ desc->contiguous && desc->contiguous != NO_VAL16,
		  "--contiguous cannot be combined with --geometry, which already says how the nodes lie" },
		{ desc->req_switch && desc->req_switch != NO_VAL,
		  "--switches cannot be combined with --geometry, which already says how the nodes lie" },
		{ desc->shared == JOB_SHARED_OK,
		  "--oversubscribe cannot be combined with --geometry: the nodes of a shape are never shared" },
		{ desc->features && strchr(desc->features, '*'),
		  "--constraint with node counts cannot be combined with --geometry: one shape has to hold all nodes" },
	};
	int rc = SLURM_SUCCESS;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (!options[i].present)
			continue;
		submit_message(err_msg, "%s", options[i].why);
		rc = ESLURM_NOT_SUPPORTED;
	}
	return rc;
}

static const char *submit_plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

/* -N, whose range must hold the shape's number, or the number of nodes that -w names. */
int submit_options_check_nodes(const job_desc_msg_t *desc, const char *shape,
			       uint32_t nodes, char **err_msg)
{
	if (submit_has_option(desc->max_nodes) &&
	    (desc->max_nodes < nodes || desc->min_nodes > nodes)) {
		submit_message(err_msg,
			       "-N (--nodes) contradicts --geometry=%s, which is %u node%s; omit -N",
			       shape, nodes, submit_plural(nodes));
		return ESLURM_INVALID_NODE_COUNT;
	}
	if (submit_has_option(desc->min_nodes) && desc->min_nodes > nodes) {
		submit_message(err_msg,
			       "%u nodes are asked for (-N or -w), but --geometry=%s is %u node%s",
			       desc->min_nodes, shape, nodes,
			       submit_plural(nodes));
		return ESLURM_INVALID_NODE_COUNT;
	}
	return SLURM_SUCCESS;
}

/*
 * --ntasks-per-node without -n or -N: the command computed the number of tasks for
 * one node.
 */
static bool per_node_only(const job_desc_msg_t *desc)
{
	return desc->ntasks_per_node && desc->ntasks_per_node != NO_VAL16 &&
	       desc->num_tasks == desc->ntasks_per_node &&
	       !submit_has_option(desc->max_nodes);
}

/* The same with --ntasks-per-gpu and the GPUs of a node. */
static bool per_gpu_only(const job_desc_msg_t *desc)
{
	return desc->ntasks_per_tres && desc->ntasks_per_tres != NO_VAL16 &&
	       (desc->tres_per_node || desc->tres_per_socket) &&
	       !desc->tres_per_job && submit_has_option(desc->num_tasks) &&
	       !submit_has_option(desc->max_nodes);
}

/*
 * The CPUs that the tasks need: no node has as many as those of one node need, or the
 * nodes of the shape have too few, whichever they are. (Slurm would accept the former,
 * and the job would wait for ever; of the latter it would say "more processors requested
 * than permitted".)
 */
static int check_cpus_of_tasks(const job_desc_msg_t *desc, const char *shape,
			       uint32_t nodes, char **err_msg)
{
	uint32_t each = desc->cpus_per_task != NO_VAL16 && desc->cpus_per_task ?
				desc->cpus_per_task :
				1;
	uint32_t of_node = desc->ntasks_per_node != NO_VAL16 &&
					   desc->ntasks_per_node ?
				   desc->ntasks_per_node :
				   1;
	bool exactly = per_node_only(desc) ||
		       desc->num_tasks == (uint64_t)nodes * of_node;
	uint32_t cpus = 0;
	char per_task[32] = "";
	uint64_t need, tasks;

	if (desc->overcommit != NO_VAL8 && desc->overcommit)
		return SLURM_SUCCESS;
	for (int i = 0; i < node_record_count; i++) {
		if (node_record_table_ptr[i] &&
		    node_record_table_ptr[i]->cpus > cpus)
			cpus = node_record_table_ptr[i]->cpus;
	}
	/* (beside -n, --ntasks-per-node is the most that a node has) */
	need = exactly        ? (uint64_t)of_node * each :
	       of_node > each ? of_node :
				each;
	if (need > cpus) {
		submit_message(
			err_msg,
			of_node == 1 ?
				"-c (--cpus-per-task) asks for %llu CPUs of a node, but no node has more than %u; ask for fewer" :
			need == of_node ?
				"--ntasks-per-node asks for %llu CPUs of a node, but no node has more than %u; ask for fewer tasks" :
				"--ntasks-per-node and -c ask for %llu CPUs of a node, but no node has more than %u; ask for fewer tasks or CPUs",
			(unsigned long long)need, cpus);
		return ESLURM_INVALID_CPU_COUNT;
	}
	tasks = (uint64_t)nodes * (cpus / each);
	if (!submit_has_option(desc->num_tasks) || desc->num_tasks <= tasks)
		return SLURM_SUCCESS;
	if (each > 1)
		snprintf(per_task, sizeof(per_task), " / %u per task", each);
	submit_message(err_msg,
		       "-n (--ntasks) asks for %u tasks, but --geometry=%s is %u node%s x %u CPU%s%s = %llu tasks; ask for fewer tasks or a larger shape",
		       desc->num_tasks, shape, nodes, submit_plural(nodes),
		       cpus, submit_plural(cpus), per_task,
		       (unsigned long long)tasks);
	return ESLURM_INVALID_CPU_COUNT;
}

/*
 * For a batch job the number is corrected here. srun and salloc would continue with
 * their own (and srun's request for a step of fewer tasks than nodes makes slurmctld
 * 22.05 divide by zero).
 */
int submit_options_check_tasks(const job_desc_msg_t *desc, const char *shape,
			       uint32_t nodes, char **err_msg)
{
	if (!submit_has_option(desc->num_tasks) || desc->num_tasks >= nodes)
		return check_cpus_of_tasks(desc, shape, nodes, err_msg);
	if (!per_node_only(desc) && !per_gpu_only(desc)) {
		submit_message(err_msg,
			       "-n (--ntasks) asks for %u task%s, but --geometry=%s is %u nodes, which need at least one task each; omit -n",
			       desc->num_tasks, submit_plural(desc->num_tasks),
			       shape, nodes);
		return ESLURM_INVALID_NODE_COUNT;
	}
	if (desc->script)
		return check_cpus_of_tasks(desc, shape, nodes, err_msg);
	submit_message(err_msg,
		       "srun and salloc count the tasks before they know the nodes: to --ntasks-per-%s=%u --geometry=%s add -N %u",
		       per_node_only(desc) ? "node" : "gpu",
		       per_node_only(desc) ? desc->ntasks_per_node :
					     desc->ntasks_per_tres,
		       shape, nodes);
	return ESLURM_INVALID_NODE_COUNT;
}

/* The CPUs of a job with alternatives are computed for each (sizes.c). */
int submit_options_check_cpus(const job_desc_msg_t *desc,
			      const job_record_t *job, const char *shape,
			      char **err_msg)
{
	const compat_details *d = job->details;
	bool least = submit_has_option(desc->min_cpus);
	bool most = submit_has_option(desc->max_cpus);

	if ((least && desc->min_cpus < d->min_nodes) ||
	    (most && desc->max_cpus < d->min_nodes)) {
		submit_message(err_msg,
			       "NumCPUs=%u: the %u nodes of --geometry=%s need at least one CPU each; for another shape: storus update %u --geometry=SHAPE",
			       least ? desc->min_cpus : desc->max_cpus,
			       d->min_nodes, shape, job->job_id);
		return ESLURM_INVALID_CPU_COUNT;
	}
	if (least && desc->min_cpus != d->min_cpus && sizes_vary(job)) {
		submit_message(err_msg,
			       "NumCPUs=%u: the CPUs of a job with alternatives (--geometry=%s) follow from its tasks; change NumTasks, or the shape: storus update %u --geometry=SHAPE",
			       desc->min_cpus, shape, job->job_id);
		return ESLURM_INVALID_CPU_COUNT;
	}
	return SLURM_SUCCESS;
}

/*
 * The node count is the shape's, and the job shares no node. select/linear gets that
 * as an option. select/torus_cons_tres ensures it itself (narrow.c), so that the job
 * is allocated what it asks for, and whole nodes only with --exclusive.
 */
void submit_options_set_nodes(job_desc_msg_t *desc, uint32_t nodes)
{
	uint32_t cpus = desc->cpus_per_task == NO_VAL16 || !desc->cpus_per_task ?
				1 :
				desc->cpus_per_task;

	if (per_node_only(desc))
		desc->num_tasks = saturated_product(nodes,
						    desc->ntasks_per_node);
	else if (per_gpu_only(desc))
		/* the command's number of tasks is for its least number of nodes */
		desc->num_tasks =
			saturated_product(nodes,
					  desc->num_tasks /
						  (submit_has_option(
							   desc->min_nodes) &&
								   desc->min_nodes ?
							   desc->min_nodes :
							   1));
	desc->min_nodes = desc->max_nodes = nodes;
	if (!wraps_cons_tres())
		desc->shared = JOB_SHARED_NONE;
	cpus = saturated_product(cpus, submit_has_option(desc->num_tasks) ?
					       desc->num_tasks :
					       nodes);
	if (desc->overcommit != NO_VAL8 && desc->overcommit)
		cpus = nodes;
	if (desc->min_cpus == NO_VAL || desc->min_cpus < cpus)
		desc->min_cpus = cpus;
}

bool submit_options_force_sharing(const part_record_t *part)
{
	return part && (part->max_share & SHARED_FORCE) &&
	       (part->max_share & ~SHARED_FORCE) > 1;
}

int submit_options_check_partitions(job_desc_msg_t *desc,
				    const part_record_t *fallback,
				    char **err_msg)
{
	const part_record_t *part = fallback;
	char *left = NULL;

	if (desc->partition && strchr(desc->partition, ',')) {
		char *names = xstrdup(desc->partition), *rest = names, *name;

		/* the other partitions of the list */
		while ((name = strsep(&rest, ","))) {
			if (submit_options_force_sharing(find_part_record(name)))
				submit_message(err_msg,
					       "partition %s is left out: it " SUBMIT_FORCED,
					       name);
			else
				xstrfmtcat(left, "%s%s", left ? "," : "", name);
		}
		xfree(names);
		if (!left)
			return ESLURM_NOT_SUPPORTED;
		xfree(desc->partition);
		desc->partition = left;
		return SLURM_SUCCESS;
	}
	if (desc->partition)
		part = find_part_record(desc->partition);
	if (!submit_options_force_sharing(part))
		return SLURM_SUCCESS;
	submit_message(err_msg, "partition %s " SUBMIT_FORCED, part->name);
	return ESLURM_NOT_SUPPORTED;
}
