/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * After the orders: what queued jobs may expect is written into Slurm's
 * records, where squeue finds it: the start time, the nodes, and as the reason
 * what blocks the job. Records are only touched where something changes.
 *
 * Of a queue's first jobs the reason is worked out; those behind them wait for
 * their turn ("Priority").
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "sched/torus/host.h"

struct telling {
	struct host *h;
	struct agent *a;
	bool changed;
};

static bool is_hidden(const job_record_t *job)
{
	return !job || !IS_JOB_PENDING(job) || !job->details ||
	       job->priority == 0;
}

static void set_text(char **text, const char *to, bool *changed)
{
	if (xstrcmp(*text, to) == 0)
		return;
	xfree(*text);
	*text = xstrdup(to);
	*changed = true;
}

static void tell_start(struct telling *t, job_record_t *job,
		       const struct cycle_promise *p)
{
	struct host *h = t->h;
	char *nodes = NULL;
	time_t at = 0;

	if (p->place) {
		at = (time_t)((p->start_us + HOST_US - 1) / HOST_US);
		if (at <= time(NULL)) /* any moment now */
			at = time(NULL) + 1;
		node_map_to_slurm(&h->map, p->nodes, h->scratch);
		nodes = bitmap2node_name(h->scratch);
	}
	if (job->start_time != at) {
		job->start_time = at;
		t->changed = true;
	}
	set_text(&job->sched_nodes, nodes, &t->changed);
	xfree(nodes);
}

static void tell_reason(struct telling *t, job_record_t *job,
			const struct cycle_promise *p)
{
	uint32_t reason = p->head || p->reason ? WAIT_RESOURCES :
						 WAIT_PRIORITY;

	if ((uint32_t)job->state_reason != reason) {
		job->state_reason = reason;
		t->changed = true;
	}
	set_text(&job->state_desc, p->reason, &t->changed);
}

static bool tell_one(void *arg, const struct cycle_promise *p)
{
	struct telling *t = arg;
	job_record_t *job;

	if (p->name.copy > 0)
		return true; /* the array's first task speaks for it */
	agent_breathe(t->a);
	job = find_job_record(p->name.job);
	if (is_hidden(job))
		return true;
	tell_start(t, job, p);
	tell_reason(t, job, p);
	return !agent_stopping(t->a);
}

void host_tell(void *arg, struct agent *a, struct cycle *c)
{
	struct host *h = arg;
	struct telling t = { .h = h, .a = a };

	if (!h->scratch || bit_size(h->scratch) != node_record_count) {
		FREE_NULL_BITMAP(h->scratch);
		h->scratch = bit_alloc(node_record_count);
	}
	cycle_promises(c, HOST_EXPLAINED, tell_one, &t);
	if (t.changed)
		last_job_update = time(NULL);
}
