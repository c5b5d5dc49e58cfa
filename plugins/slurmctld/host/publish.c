/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * After the orders: write start time, nodes and reason of the queued jobs into
 * Slurm's records, which squeue shows. The reason names what blocks the job. A
 * record is written only if something changes.
 *
 * The reason is computed for the first jobs of the queue; the jobs behind them wait
 * for their turn ("Priority").
 */
#include "live/mirror/cycle_report.h"
#include "live/promises/promises.h"

#include "config/policy_guard.h"
#include "format/plan_file.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/preempt.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/select/choose.h"
#include "slurmctld/select/test_only.h"
#include "torus/discipline.h"

#include <errno.h>

#define FORECAST_US INT64_C(50000) /* per cycle, without locks */
#define OVERDUE_S 60
#define EXPECTED_NODES 1000000 /* of all places; five milliseconds or so */
#define LOGGED_MOST 100        /* jobs per cycle, with DebugFlags=Backfill */
#define FILES_RETRY_US (5 * SECOND_US)

struct publishing {
	struct host *h;
	bitstr_t *nodes; /* scratch of the size of Slurm's table */
	bool changed;
};

static bool is_hidden(const job_record_t *job)
{
	return !job || !IS_JOB_PENDING(job) || !job->details ||
	       job->priority == 0;
}

static void publish_set_text(char **text, const char *to, bool *changed)
{
	if (xstrcmp(*text, to) == 0)
		return;
	xfree(*text);
	*text = xstrdup(to);
	*changed = true;
}

/* Return the promised start, else the forecast. */
static int64_t publish_start_of(const struct plan_listing_job *entry)
{
	return entry->placed ? entry->promise.start_us :
			       entry->promise.forecast_us;
}

/* Return the start to publish for one that is overdue, if that was published last. A
 * new one is published once a minute at most: each is a change that wakes the next
 * cycle. */
static time_t publish_overdue(time_t published)
{
	time_t now = time(NULL);

	return published > now - OVERDUE_S && published <= now + 1 ? published :
								     now + 1;
}

/* Return the start by which the entries of a job are compared: an estimate, which is in
 * whole seconds, comes behind a promise of the same second. */
static int64_t publish_turn_of(const struct plan_listing_job *entry)
{
	int64_t start_us = publish_start_of(entry);

	return entry->placed || start_us == TORUS_NO_TIME ?
		       start_us :
		       torus_time_after(start_us, CYCLE_CLOCK_ERROR_US);
}

/* Return true if the job starts earlier in another of its partitions. */
static bool is_outdone(const struct plan_listing *list, uint32_t i,
		       const job_record_t *job)
{
	const struct plan_listing_job *own = &list->job[i];

	for (uint32_t k = 0; job->part_ptr_list && k < list->count; k++) {
		const struct plan_listing_job *other = &list->job[k];

		if (k != i && other->promise.name.job == job->job_id &&
		    other->promise.name.copy == 0 &&
		    (publish_turn_of(other) < publish_turn_of(own) ||
		     (publish_turn_of(other) == publish_turn_of(own) && k < i)))
			return true;
	}
	return false;
}

/* Set t->nodes to those that the entry is expected to get. Return their number. */
static uint32_t publish_nodes(struct publishing *t,
			      const struct plan_listing_job *entry)
{
	if (!t->nodes || bit_size(t->nodes) != node_record_count) {
		FREE_NULL_BITMAP(t->nodes);
		t->nodes = bit_alloc(node_record_count);
	}
	return node_map_to_slurm(&t->h->map, entry->promise.nodes, t->nodes);
}

/* Leave the places of all jobs to the answers of `sbatch --test-only`, in one hold of the
 * locks: an answer sees all of them. */
static void publish_expected(struct publishing *t)
{
	const struct torus_scheduler_settings *settings =
		&t->h->configuration->config->scheduler;
	int64_t now_us = seconds_to_us(time(NULL)), start_us;
	uint32_t nodes = 0;

	test_only_forget(strcmp(settings->discipline->name, "easy") != 0 ?
				 UINT32_MAX :
			 settings->reservations ? settings->reservations :
						  1);
	for (uint32_t i = 0; i < t->h->listing.count && nodes < EXPECTED_NODES;
	     i++) {
		const struct plan_listing_job *entry = &t->h->listing.job[i];
		const job_record_t *job;

		job = find_job_record(entry->promise.name.job);
		if (!job || !entry->expected ||
		    publish_start_of(entry) == TORUS_NO_TIME ||
		    (entry->promise.name.copy == 0 &&
		     is_outdone(&t->h->listing, i, job)))
			continue;
		nodes += publish_nodes(t, entry);
		start_us = publish_start_of(entry);
		if (start_us < now_us) /* overdue: any moment now */
			start_us = now_us;
		test_only_expect(entry->promise.name.job, start_us, t->nodes);
	}
}

static void publish_start(struct publishing *t, job_record_t *job,
			  const struct plan_listing_job *entry)
{
	char *nodes = NULL;
	time_t at = 0;

	if (publish_start_of(entry) != TORUS_NO_TIME) {
		at = (time_t)seconds_from_us(publish_start_of(entry));
		if (at <= time(NULL)) /* overdue: any moment now */
			at = publish_overdue(job->start_time);
	}
	if (entry->placed) {
		publish_nodes(t, entry);
		nodes = bitmap2node_name(t->nodes);
	}
	if (job->start_time != at) {
		job->start_time = at;
		t->changed = true;
	}
	publish_set_text(&job->sched_nodes, nodes, &t->changed);
	xfree(nodes);
}

/* Return true if another entry of the job is published: of several partitions
 * the one with the earliest start, of an array's tasks the first. */
static bool is_silent(const struct plan_listing *list, uint32_t i,
		      const job_record_t *job)
{
	return is_outdone(list, i, job) || list->job[i].promise.name.copy > 0;
}

void publish_collect(void *arg, struct cycle *c)
{
	struct host *h = arg;
	unsigned hidden = 0;

	if (cycle_has_news(c))
		forecast_run(c, PLAN_LISTING_MOST, FORECAST_US);
	/* what PrivateData hides from users, reasons must not name */
	if (slurm_conf.private_data & PRIVATE_DATA_JOBS)
		hidden |= REASON_HIDES_JOBS;
	if (slurm_conf.private_data & PRIVATE_DATA_NODES)
		hidden |= REASON_HIDES_NODES;
	plan_listing_collect(&h->listing, h->configuration->config, hidden, c);
	if (h->leak_text) {
		/* added to the reason of jobs without a settled place */
		for (uint32_t i = 0; i < h->listing.count; i++) {
			struct plan_listing_job *entry = &h->listing.job[i];

			if (!entry->placed &&
			    (entry->promise.head || entry->reason.data) &&
			    entry->reason.length + strlen(h->leak_text) + 2 <=
				    REASON_MOST)
				torus_text_add(&entry->reason, "%s%s",
					       entry->reason.data ? "; " : "",
					       h->leak_text);
		}
	}
}

void publish_plan(void *arg, struct agent *a)
{
	struct host *h = arg;
	struct publishing t = { .h = h };

	agent_step(a, "publishing");
	publish_expected(&t);
	for (uint32_t i = 0; i < h->listing.count && !agent_stopping(a); i++) {
		const struct plan_listing_job *entry = &h->listing.job[i];
		job_record_t *job;
		uint32_t reason;

		if (i % 16 == 15)
			agent_yield_locks(a);
		job = find_job_record(entry->promise.name.job);
		if (is_hidden(job) || is_silent(&h->listing, i, job))
			continue;
		publish_start(&t, job, entry);
		reason = entry->promise.head || entry->reason.data ?
				 WAIT_RESOURCES :
				 WAIT_PRIORITY;
		if ((uint32_t)job->state_reason != reason) {
			job->state_reason = reason;
			t.changed = true;
		}
		publish_set_text(&job->state_desc, entry->reason.data,
				 &t.changed);
		shape_wait_note(job->job_id, entry->promise.for_shape);
	}
	FREE_NULL_BITMAP(t.nodes);
	agent_step(a, "preemption");
	preempt_run(h, a);
	if (t.changed)
		last_job_update = time(NULL);
	if (xstrcmp(h->state_dir, slurm_conf.state_save_location)) {
		xfree(h->state_dir);
		h->state_dir = xstrdup(slurm_conf.state_save_location);
	}
}

/* Note that the lines are complete, and write them. */
static void host_end_journal(struct host *h, const struct cycle *c)
{
	if (!h->journal || journal_idle(h->journal))
		return;
	journal_until(h->journal, cycle_report_now(c));
	cycle_setup_write_journal(h);
}

void publish_dry_run_ended(void *arg, struct cycle *c,
			   const struct agent_counts *counts)
{
	(void)counts;
	host_end_journal(arg, c);
}

/* With DebugFlags=Backfill log why the first jobs of the queue wait. (No locks: the
 * listing is the thread's.) */
static void publish_log(const struct host *h, uint32_t queued)
{
	uint32_t logged = 0, i = 0;

	if (!(slurm_conf.debug_flags & DEBUG_FLAG_BACKFILL))
		return;
	for (; i < h->listing.count && logged < LOGGED_MOST; i++) {
		const struct plan_listing_job *entry = &h->listing.job[i];
		char name[PLAN_FILE_ID_SIZE];

		if (entry->promise.name.copy > 0) /* a task of the same record */
			continue;
		plan_file_id_format(&entry->promise.id, name);
		info("BACKFILL: sched/torus: JobId=%s (%s) is passed over: %s",
		     name, entry->ask ? entry->ask : "?",
		     entry->reason.data ? entry->reason.data :
					  "jobs before it in the queue");
		logged++;
	}
	if (queued > i)
		info("BACKFILL: sched/torus: and %u more waiting jobs",
		     queued - i);
}

void publish_ended(void *arg, struct cycle *c, const struct agent_counts *counts)
{
	struct host *h = arg;
	const struct torus_config *config = h->configuration->config;
	struct plan_file plan = {
		.discipline = config->scheduler.discipline->name,
		.queued = cycle_queued(c),
	};
	char *path = xstrdup(config->live.plan_file);
	struct config_status status;
	bool failed;

	diag_cycle(h, plan.queued, &counts->latest);
	publish_log(h, plan.queued);
	host_end_journal(h, c);
	cycle_setup_save_promises(h, c);
	plan.journal_error = h->journal_error;
	plan.policy_error = cycle_setup_policy_error(config);
	if (h->policy_failed)
		plan.discipline = "easy";
	else if (torus_guard_failure(config->scheduler.discipline))
		agent_wake_at(h->self, agent_now(h->self)); /* a new cycle */
	instance_status(&status);
	plan.config = status.path;
	plan.config_s = status.since;
	plan.refused_s = status.refused;
	plan.config_errors = status.errors;
	plan.ignored = parameters_ignored();

	if (!path || !*path)
		xstrfmtcat(path, "%s/" PLAN_FILE, h->state_dir);
	failed = plan_listing_write(&h->listing, &plan, counts, path,
				    h->is_private) != 0;
	if (failed && !h->plan_file_failed)
		error("sched/torus: cannot write %s: %s; storus reservations cannot show the plan",
		      path, strerror(errno));
	h->plan_file_failed =
		failed; /* logged once, even if there is an old one */
	/* The next cycle writes a file that could not be written. The journal then says
	 * how many lines it lost. */
	if (h->plan_file_failed || h->journal_error || h->promises_failed)
		agent_wake_at(h->self, agent_now(h->self) + FILES_RETRY_US);
	xfree(path);
	xfree(status.path);
	xfree(status.errors);
}
