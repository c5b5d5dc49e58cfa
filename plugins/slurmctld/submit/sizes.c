/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes, CPUs and tasks in a job's record depend on the alternative that the
 * job gets. A running job has the sizes of the granted alternative. A pending job has
 * those of the first alternative that its partition's limits allow, also after it
 * ran as another. Other schedulers see only that alternative.
 *
 * Cost: O(alternatives) per call; a search on the empty machine for each alternative
 * that is a node count, once: the submission asks first, and the answers are cached
 * while the machine is the same.
 */
#include "torus/state_find.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/submit/sizes.h"

#include "live/base/saturate.h"
#include "live/base/lock_hold.h"

struct job_sizes sizes_of(const job_record_t *job)
{
	const compat_details *d = job->details;

	return (struct job_sizes){ d->min_nodes, d->max_nodes, d->min_cpus,
				   d->num_tasks, d->orig_min_cpus };
}

void sizes_set(job_record_t *job, const struct job_sizes *s)
{
	uint32_t nodes = job->node_cnt, cpus = job->total_cpus;
	compat_details *d = job->details;

	if (!d)
		return;
	d->min_nodes = s->min_nodes;
	d->max_nodes = s->max_nodes;
	d->min_cpus = s->min_cpus;
	d->num_tasks = s->num_tasks;
	d->orig_min_cpus = s->saved_cpus;
	job->node_cnt = job->total_cpus = 0; /* of an earlier run */
	job_set_req_tres(job, false);
	job->node_cnt = nodes;
	job->total_cpus = cpus;
}

/* Return true if its tasks follow from the GPUs of its nodes. */
static bool has_tasks_per_gpu(const job_record_t *job)
{
	const compat_details *d = job->details;

	return d->ntasks_per_tres && d->ntasks_per_tres != NO_VAL16 &&
	       !job->tres_per_job && d->min_nodes &&
	       d->num_tasks % d->min_nodes == 0;
}

/*
 * Compute tasks and CPUs for this number of nodes if the job has one task per node,
 * --ntasks-per-node, or --ntasks-per-gpu and the GPUs of a node. The user chose any
 * other number.
 */
struct job_sizes sizes_for(const job_record_t *job, uint32_t nodes)
{
	const compat_details *d = job->details;
	struct job_sizes s = { nodes, nodes, nodes, d->num_tasks, nodes };
	uint32_t cpus = d->cpus_per_task != NO_VAL16 && d->cpus_per_task ?
				d->cpus_per_task :
				1;

	if (d->ntasks_per_node && d->ntasks_per_node != NO_VAL16)
		s.num_tasks = saturated_product(nodes, d->ntasks_per_node);
	else if (d->num_tasks == d->min_nodes)
		s.num_tasks = nodes;
	else if (has_tasks_per_gpu(job))
		s.num_tasks = saturated_product(nodes,
						d->num_tasks / d->min_nodes);
	if (!d->overcommit)
		s.min_cpus = saturated_product(cpus, s.num_tasks ? s.num_tasks :
								   nodes);
	if (s.min_cpus < nodes)
		s.min_cpus = nodes;
	s.saved_cpus = s.min_cpus;
	return s;
}

bool sizes_vary(const job_record_t *job)
{
	return job->details && job_request_is_ladder(job);
}

static struct settled_count *settled_find(struct instance *in,
					  const struct torus_ask *ask)
{
	for (uint32_t i = 0; i < INSTANCE_COUNTS; i++) {
		struct settled_count *c = &in->count[i];

		if (c->nodes && torus_ask_same(&c->ask, ask))
			return c;
	}
	return NULL;
}

enum torus_answer sizes_possible(struct instance *in,
				 const struct torus_ask *ask,
				 struct torus_placement *place,
				 struct torus_error *err)
{
	enum torus_answer answer = torus_state_possible(in->empty, ask, place,
							err);
	struct settled_count *c;

	if (answer != TORUS_FITS || !ask->by_count ||
	    torus_search_limit_cut(ask->limit) || settled_find(in, ask))
		return answer;
	c = &in->count[in->next_count++ % INSTANCE_COUNTS];
	*c = (struct settled_count){ *ask, place->granted };
	c->ask.limit = NULL;
	return answer;
}

uint32_t sizes_of_alternative(struct instance *in,
			      const struct torus_request *request, uint32_t k,
			      struct torus_search_limit *limit)
{
	struct torus_ask ask = request->alternative[k].ask;
	const struct settled_count *settled = ask.by_count ?
						      settled_find(in, &ask) :
						      NULL;
	struct torus_placement place;

	if (settled)
		return settled->nodes;
	ask.limit = limit;
	if (ask.by_count && sizes_possible(in, &ask, &place, NULL) == TORUS_FITS)
		return place.granted;
	torus_machine_settle(in->machine, &ask);
	return (uint32_t)torus_ask_nodes(&ask);
}

/* Set the nodes of each alternative; return the number of alternatives, or 0 if there
 * is only one. */
static uint32_t sizes_list_nodes(const job_record_t *job, uint32_t *nodes)
{
	struct torus_request request = { .alternatives = 0 };
	struct lock_hold_limit limit;
	struct instance *in;

	if (!sizes_vary(job))
		return 0;
	in = instance_lock();
	if (in && job_request_of(job, in->may_rotate, &request))
		request.alternatives = 0;
	lock_hold_limit_begin(&limit, SEARCH_US);
	for (uint32_t k = 0; k < request.alternatives; k++)
		nodes[k] = sizes_of_alternative(in, &request, k, &limit.limit);
	instance_unlock();
	return request.alternatives;
}

/* Slurm shows node_cnt_wag and total_nodes of a pending job. */
void sizes_set_nodes(job_record_t *job, uint32_t nodes)
{
	struct job_sizes now = sizes_for(job, nodes), was = sizes_of(job);

	job->node_cnt_wag = nodes;
	if (!IS_JOB_COMPLETING(job))
		job->total_nodes = 0; /* of an earlier run */
	if (memcmp(&now, &was, sizeof(now)))
		sizes_set(job, &now);
}

void sizes_reset(job_record_t *job)
{
	uint32_t nodes[TORUS_MAX_ALTERNATIVES];

	if (sizes_list_nodes(job, nodes) > 0)
		sizes_set_nodes(job, nodes[0]);
}

uint32_t sizes_settle(job_record_t *job)
{
	uint32_t nodes[TORUS_MAX_ALTERNATIVES], beyond = 0;
	uint32_t n = sizes_list_nodes(job, nodes), first = 0;
	struct job_sizes was;
	int why;

	if (n == 0)
		return 0;
	was = sizes_of(job);
	for (uint32_t k = n; k-- > 0;) {
		struct job_sizes as = sizes_for(job, nodes[k]);

		sizes_set(job, &as);
		why = job_limits_check(&job, false);
		if (why == WAIT_PART_NODE_LIMIT || why == WAIT_PART_CONFIG)
			beyond |= 1u << k;
		else
			first = k;
		sizes_set(job, &was);
	}
	sizes_set_nodes(job, nodes[first]);
	return beyond;
}
