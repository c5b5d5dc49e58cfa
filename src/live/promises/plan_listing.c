/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Promises, copied and listed in a plan file (promises.h). */
#include "torus/placement.h"
#include "live/mirror/cycle_report.h"
#include "live/promises/promises.h"

#include <string.h>

#include "format/plan_file.h"
#include "torus/alloc.h"
#include "torus/text.h"

static void listing_drop(struct plan_listing_job *t)
{
	torus_text_free(&t->region);
	torus_text_free(&t->reason);
	torus_free(t->ask);
	torus_free(t->out);
}

static void listing_empty(struct plan_listing *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		listing_drop(&list->job[i]);
	list->count = list->written = 0;
	for (uint32_t i = 0; i < list->usages; i++)
		torus_free((char *)(uintptr_t)list->usage[i].user);
	list->usages = 0;
}

/* Copy what users have used. */
static void listing_copy_usage(struct plan_listing *list,
			       const struct torus_scheduler *s)
{
	struct torus_usage usage;

	while (torus_scheduler_usage(s, list->usages, &usage)) {
		if (TORUS_GROW(list->usage, list->usage_room, list->usages + 1))
			return;
		usage.user = torus_text_copy(usage.user);
		if (!usage.user)
			return;
		list->usage[list->usages++] = usage;
	}
}

void plan_listing_free(struct plan_listing *list)
{
	listing_empty(list);
	torus_free(list->job);
	torus_free(list->nodes);
	torus_free(list->usage);
	*list = (struct plan_listing){ 0 };
}

static int listing_make_room(struct plan_listing *list)
{
	size_t room = torus_grown_room(list->room, list->count + 1);

	if (list->count < list->room)
		return 0;
	if (TORUS_RESIZE(list->job, room) ||
	    TORUS_RESIZE(list->nodes, room * list->words))
		return -1;
	list->room = (uint32_t)room;
	return 0;
}

struct listing_source {
	struct plan_listing *list;
	const struct torus_config *config;
	int64_t now_us;
	unsigned hides;
};

static int listing_fill(const struct listing_source *g,
			const struct cycle_promise *p,
			struct plan_listing_job *t)
{
	const struct torus_machine *m = &g->config->machine;
	char ask[TORUS_GEOMETRY_SIZE];
	const struct cycle_blockers *b;
	struct torus_text text = { 0 };
	int rc = 0;

	if (p->blockers)
		t->blockers = *p->blockers;
	torus_job_request_format(p->request, ask, sizeof(ask));
	t->ask = torus_text_copy(ask);
	if (!t->ask ||
	    (p->place && torus_placement_format(m, p->place, &t->region)) ||
	    (p->reason &&
	     reason_format(g->config, p, g->now_us, g->hides, &t->reason)))
		return -1;
	/* the names of the nodes out of service, separated by blanks */
	b = &t->blockers;
	for (uint32_t i = 0; i < b->outs && i < CYCLE_BLOCKERS; i++)
		rc |= torus_text_add(&text, "%s%s", i ? " " : "",
				     reason_node_name(g->config, b->out[i]));
	t->out = text.data;
	return rc;
}

static bool listing_add(void *arg, const struct cycle_promise *p)
{
	struct listing_source *g = arg;
	struct plan_listing *list = g->list;
	struct plan_listing_job *t;
	const uint64_t *nodes;

	if (listing_make_room(list))
		return false;
	t = &list->job[list->count];
	*t = (struct plan_listing_job){ .promise = *p,
					.placed = p->place != NULL };
	if (listing_fill(g, p, t)) {
		listing_drop(t);
		return false;
	}
	nodes = p->place ? p->nodes : p->forecast_nodes;
	if (nodes)
		torus_bits_copy(list->nodes + (size_t)list->count * list->words,
				nodes, list->words);
	t->expected = nodes != NULL;
	t->promise.forecast_nodes = NULL; /* the cycle's */
	t->promise.place = NULL;          /* the cycle's: t has texts of them */
	t->promise.reason = NULL;
	t->promise.blockers = NULL;
	t->promise.request = NULL;
	list->count++;
	return true;
}

static bool listing_has_start(const struct plan_listing_job *t)
{
	return t->placed || t->promise.forecast_us != TORUS_NO_TIME;
}

/* Return true if the job of an entry without a start has one in another partition. */
static bool listing_starts_elsewhere(const struct plan_listing *list,
				     const struct plan_listing_job *t)
{
	if (listing_has_start(t))
		return false;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct plan_listing_job *other = &list->job[i];

		if (other->promise.name.job == t->promise.name.job &&
		    other->promise.name.copy == t->promise.name.copy &&
		    listing_has_start(other))
			return true;
	}
	return false;
}

/* Number the entries of the file, without those that start elsewhere: the forecast has a job
 * in one partition only. The list keeps them: there the job may preempt others. */
static void listing_settle(struct plan_listing *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!listing_starts_elsewhere(list, &list->job[i]))
			list->job[list->written++].in_file = i;
}

void plan_listing_collect(struct plan_listing *list,
			  const struct torus_config *config, unsigned hides,
			  struct cycle *c)
{
	struct listing_source g = { .list = list,
				    .config = config,
				    .now_us = cycle_report_now(c),
				    .hides = hides };
	uint32_t words = config->machine.words;

	if (list->words != words)
		plan_listing_free(list);
	list->words = words;
	listing_empty(list);
	listing_copy_usage(list, cycle_scheduler(c));
	promises_list(c, PLAN_LISTING_MOST, PLAN_LISTING_EXPLAINED, listing_add,
		      &g);
	listing_settle(list);
	for (uint32_t i = 0; i < list->count; i++)
		list->job[i].promise.nodes = list->nodes +
					     (size_t)i * list->words;
}

/* The file */

#define COUNTS 32

static struct plan_file_count listing_count(const char *name, int64_t value)
{
	return (struct plan_file_count){ .name = name, .value = value };
}

/* The times and counts of cycles, under the names of the plan file. */
static uint32_t listing_counts(const struct agent_counts *n,
			       struct plan_file_count *count)
{
	const struct agent_cycle *l = &n->latest, *max = &n->longest;
	const struct lock_hold *held = &n->lock_hold_max;
	const struct lock_hold *work = &n->lock_hold_work;
	const struct plan_file_count all[] = {
		listing_count("cycles", (int64_t)n->cycles),
		listing_count("orders", (int64_t)n->orders),
		listing_count("started", (int64_t)n->started),
		listing_count("unfit", (int64_t)n->unfit),
		listing_count("joined", (int64_t)n->joined),
		listing_count("later", (int64_t)n->later),
		listing_count("cycle_us", l->us),
		listing_count("cycle_max_us", max->us),
		listing_count("plan_us", l->plan_us),
		listing_count("plan_max_us", n->plan_max_us),
		listing_count("commit_us", l->commit_us),
		listing_count("commit_max_us", n->commit_max_us),
		listing_count("longest_cpu_us", max->cpu_us),
		listing_count("longest_plan_us", max->plan_us),
		listing_count("longest_snapshot_us", max->snapshot_us),
		listing_count("longest_commit_us", max->commit_us),
		listing_count("longest_publish_us", max->publish_us),
		listing_count("longest_wait_us", max->wait_us),
		listing_count("longest_orders", (int64_t)max->orders),
		listing_count("lock_holds", (int64_t)n->lock_holds),
		listing_count("long_lock_holds", (int64_t)n->long_lock_holds),
		listing_count("lock_hold_max_us", held->us),
		listing_count("lock_hold_max_cpu_us", held->cpu_us),
		listing_count("lock_hold_max_core_us", held->core_us),
		listing_count("lock_hold_max_step_us", held->step_us),
		listing_count("wait_max_us", n->wait_max_us),
		listing_count("locked_us", n->locked_us),
		listing_count("cut_passes", (int64_t)n->cut),
		listing_count("left_jobs", n->left),
		{ .name = "lock_hold_max_step",
		  .text = held->step ? held->step : "-" },
		listing_count("lock_hold_work_max_us", work->cpu_us),
		{ .name = "lock_hold_work_max_step",
		  .text = work->step ? work->step : "-" },
	};

	_Static_assert(sizeof(all) / sizeof(*all) == COUNTS, "all have room");
	memcpy(count, all, sizeof(all));
	return COUNTS;
}

static int64_t listing_seconds(int64_t us)
{
	return us == TORUS_NO_TIME || us == INT64_MAX ? PLAN_FILE_NO_TIME :
							plan_file_seconds(us);
}

_Static_assert(CYCLE_BLOCKERS <= PLAN_FILE_HOLDERS, "all have room");

static void listing_job(void *arg, uint32_t i, struct plan_file_job *job)
{
	const struct plan_listing *list = arg;
	const struct plan_listing_job *entry = &list->job[list->job[i].in_file];
	const struct cycle_promise *p = &entry->promise;

	*job = (struct plan_file_job){
		.id = p->id,
		.start_s = listing_seconds(entry->placed ? p->start_us :
							   p->forecast_us),
		.end_s = entry->placed ? listing_seconds(p->end_us) :
					 PLAN_FILE_NO_TIME,
		.region = entry->placed ? entry->region.data : NULL,
		.alternative = p->alternative,
		.reason = entry->reason.data,
		.ask = entry->ask,
		.out = entry->out,
	};
	job->holders = entry->blockers.holders;
	job->outs = entry->blockers.outs;
	for (uint32_t k = 0; k < entry->blockers.holders && k < CYCLE_BLOCKERS;
	     k++)
		job->holder[job->named++] = (struct plan_file_holder){
			entry->blockers.holder[k].id,
			listing_seconds(entry->blockers.holder[k].end_us)
		};
}

int plan_listing_write(const struct plan_listing *list,
		       const struct plan_file *about,
		       const struct agent_counts *counts, const char *path,
		       bool is_private)
{
	struct plan_file_count count[COUNTS];
	const struct plan_file_source jobs = { listing_job,
					       (void *)(uintptr_t)list };
	struct plan_file plan = *about;

	plan.time_s = plan_file_seconds(counts->at_us);
	plan.counts = listing_counts(counts, count);
	plan.count = count;
	plan.usage = list->usage;
	plan.usages = list->usages;
	plan.jobs = list->written;
	return plan_file_write(&plan, &jobs, path, is_private);
}
