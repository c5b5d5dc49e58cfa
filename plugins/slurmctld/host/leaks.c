/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaked nodes: Slurm still counts a job on them that has ended. Its tables call them
 * idle, but it does not allocate them until `scontrol reconfigure`, and the first job of
 * the queue would wait for them for ever. Two counters are known to go wrong:
 * slurmctld's of jobs that share no nodes (a --no-kill job lost the node, which came
 * back), and select/linear's of jobs (suspended over a restart of slurmctld).
 *
 * If idle nodes of an order are refused, the first counter is read, and select/linear is
 * asked about halves of the nodes down to single ones. A refused node that would be
 * accepted when free is suspected. If it is suspected again and has been idle for
 * IDLE_SECONDS (a node just released is refused for a moment), it is leaked: out of
 * service to the cycle, and named in the log and in reasons. Leaked nodes are tried again
 * every RETRY_SECONDS while jobs wait, and after a reconfigure.
 *
 * Cost: at most ASKS questions to select/linear per refused order, and SEARCH_US of
 * processor time, as for any search under Slurm's locks.
 */

#include "live/base/lock_hold.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/instance/instance.h"

#define ASKS 64
#define IDLE_SECONDS 3
#define RETRY_SECONDS 30

struct probe {
	job_record_t *job;
	uint32_t asks;
	struct lock_hold_limit limit;
	bitstr_t *refused;
	bool cut; /* some nodes were not tested */
};

/*
 * Return true if select/linear accepts these n nodes for a job of one task per node
 * that asks for no memory, GRES or disk. Only occupancy counts: a user's request
 * must not make a node look leaked. The job's record is restored.
 */
static bool leaks_takes(job_record_t *job, const bitstr_t *nodes, uint32_t n,
			bool now)
{
	bitstr_t *map = bit_copy((bitstr_t *)(uintptr_t)nodes);
	compat_details *d = job->details, details = *d;
	job_resources_t *resources = job->job_resrcs;
	bool best = job->best_switch;
	uint32_t cpus = job->total_cpus, request = job->req_switch;
	time_t start = job->start_time;
	compat_list gres = job->gres_list_req;
	int rc;

	job->gres_list_req = NULL;
	d->pn_min_memory = 1; /* (MB; 0 is all of it to select/linear) */
	d->pn_min_tmp_disk = 0;
	d->pn_min_cpus = d->cpus_per_task = 1;
	d->ntasks_per_node = 0;
	d->min_nodes = d->max_nodes = d->min_cpus = d->num_tasks = n;
	d->req_node_bitmap = NULL;
	d->contiguous = 0;
	job->req_switch = 0;
	job->best_switch = true;
	job->job_resrcs = NULL;
	rc = now ? compat_run_now(job, map, n) :
		   compat_test_only(job, map, n, n, n);
	free_job_resources(&job->job_resrcs);
	job->job_resrcs = resources;
	job->gres_list_req = gres;
	*d = details;
	job->best_switch = best;
	job->total_cpus = cpus;
	job->req_switch = request;
	job->start_time = start;
	bit_free(map);
	return rc == SLURM_SUCCESS;
}

/* Move the first n of the nodes into a map of their own. */
static bitstr_t *leaks_split(bitstr_t *nodes, uint32_t n)
{
	bitstr_t *half = bit_alloc(bit_size(nodes));

	for (bitoff_t i = bit_ffs(nodes); n > 0; i++) {
		if (!bit_test(nodes, i))
			continue;
		bit_set(half, i);
		bit_clear(nodes, i);
		n--;
	}
	return half;
}

/* Add those of the n nodes that select/linear refuses to p->refused. Recursion
 * depth: log2 n. Clears `nodes`. */
static void find_refused_among(struct probe *p, bitstr_t *nodes, uint32_t n)
{
	bitstr_t *half;

	p->cut = p->cut || p->asks++ >= ASKS ||
		 lock_hold_limit_passed(&p->limit);
	if (p->cut || leaks_takes(p->job, nodes, n, true))
		return;
	if (n == 1) {
		if (leaks_takes(p->job, nodes, n, false))
			bit_or(p->refused, nodes);
		return;
	}
	half = leaks_split(nodes, n / 2);
	find_refused_among(p, half, n / 2);
	bit_free(half);
	find_refused_among(p, nodes, n - n / 2);
}

static bitstr_t *find_refused(job_record_t *job, const bitstr_t *nodes,
			      bool *all_asked)
{
	bitstr_t *all = bit_copy((bitstr_t *)(uintptr_t)nodes);
	struct probe p = {
		.job = job,
		.refused = bit_alloc(bit_size(all)),
	};

	lock_hold_limit_begin(&p.limit, SEARCH_US);
	bit_or(p.refused, all);
	bit_and_not(p.refused, share_node_bitmap);
	bit_and_not(all, p.refused);
	if (!wraps_cons_tres() && bit_ffs(all) >= 0) {
		instance_bypass(true);
		find_refused_among(&p, all, (uint32_t)bit_set_count(all));
		instance_bypass(false);
	}
	bit_free(all);
	*all_asked = !p.cut;
	return p.refused;
}

#define LEAKS_NAMED 40 /* characters of a node list in a reason, at most */

/* Set the sentence for reasons. Users read it, so it names no nodes with
 * PrivateData=nodes. */
static void leaks_set_text(struct host *h)
{
	char *names;

	xfree(h->leak_text);
	if (!h->leaked || bit_ffs(h->leaked) < 0)
		return;
	names = bitmap2node_name(h->leaked);
	if (slurm_conf.private_data & PRIVATE_DATA_NODES ||
	    strlen(names) > LEAKS_NAMED) {
		xfree(names);
		names = xstrdup_printf("%d node%s",
				       (int)bit_set_count(h->leaked),
				       bit_set_count(h->leaked) == 1 ? "" : "s");
	}
	h->leak_text =
		xstrdup_printf("not used: %s (idle, but Slurm refuses to allocate it; run scontrol reconfigure)",
			       names);
	xfree(names);
}

void leaks_forget(struct host *h)
{
	FREE_NULL_BITMAP(h->suspected);
	FREE_NULL_BITMAP(h->leaked);
	leaks_set_text(h);
}

bool leaks_find(struct host *h, job_record_t *job, bitstr_t *nodes)
{
	bitstr_t *refused, *again;
	bool all_asked;
	time_t since;

	if (!IS_JOB_PENDING(job))
		return false;
	if (!h->leaked) {
		h->leaked = bit_alloc(node_record_count);
		h->suspected = bit_alloc(node_record_count);
	}
	refused = find_refused(job, nodes, &all_asked);
	again = bit_copy(refused);
	bit_and(again, h->suspected);
	/* keep the nodes that have been idle for at least IDLE_SECONDS */
	since = time(NULL) - IDLE_SECONDS;
	for (bitoff_t i = 0; i < bit_size(again); i++) {
		if (bit_test(again, i) &&
		    node_record_table_ptr[i]->last_busy > since)
			bit_clear(again, i);
	}
	bit_or(h->suspected, refused);
	if (bit_ffs(again) >= 0) {
		bitstr_t *map = (bitstr_t *)(uintptr_t)again;
		char *names = bitmap2node_name(map);

		error("sched/torus: does not use %s: idle, but Slurm has refused twice to allocate it, as if an ended job still held it; run scontrol reconfigure",
		      names);
		xfree(names);
		bit_or(h->leaked, map);
		bit_and_not(h->suspected, map);
		h->leaks_tried = time(NULL);
		leaks_set_text(h);
		agent_wake_at(h->self, agent_now(h->self));
	}
	bit_copybits(nodes, refused);
	bit_free(again);
	bit_free(refused);
	return bit_ffs(nodes) >= 0;
}

static job_record_t *some_pending(const struct host *h)
{
	for (uint32_t i = 0; i < h->id_count; i++) {
		job_record_t *job = find_job_record(h->ids[i]);

		if (job && IS_JOB_PENDING(job) && job->details && job->part_ptr)
			return job;
	}
	return NULL;
}

/* Test whether Slurm allocates leaked nodes again. */
static void retest_leaks(struct host *h, job_record_t *job)
{
	bool all_asked;
	bitstr_t *refused = find_refused(job, h->leaked, &all_asked), *back;
	char *names;

	back = bit_copy(h->leaked);
	bit_and_not(back, refused);
	bit_and(back, idle_node_bitmap);
	if (all_asked && bit_ffs(back) >= 0) {
		names = bitmap2node_name(back);
		info("sched/torus: uses %s again: Slurm allocates it", names);
		xfree(names);
		bit_and_not(h->leaked, back);
		leaks_set_text(h);
	}
	bit_free(back);
	bit_free(refused);
}

void leaks_add(struct host *h, bitstr_t *out)
{
	time_t now = time(NULL);
	job_record_t *job;

	if (!h->leaked)
		return;
	bit_and(h->suspected, idle_node_bitmap);
	job = bit_ffs(h->leaked) >= 0 ? some_pending(h) : NULL;
	if (job && now - h->leaks_tried >= RETRY_SECONDS) {
		h->leaks_tried = now;
		retest_leaks(h, job);
	}
	if (job)
		agent_wake_at(h->self,
			      seconds_to_us(h->leaks_tried + RETRY_SECONDS));
	bit_or(out, h->leaked);
}
