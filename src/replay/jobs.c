/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of a replay (jobs.h). Blocks of jobs with a free list: after the
 * peak of queue and machine nothing is allocated.
 */
#include "replay/jobs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"

#define BLOCK 256

/* Bound on a trace's times, so that the engine's sums cannot overflow. */
#define MOST_US ((double)TORUS_TRACE_MAX_SECONDS * 1e6)

/* Tolerance for a product that should be a whole number: rounding errors of
 * factors such as 0.1 must not round it up. */
#define NEARLY 1e-12

struct torus_replay_block {
	struct torus_replay_block *next;
	struct torus_replay_job job[BLOCK];
};

void torus_replay_options_init(struct torus_replay_options *options)
{
	*options = (struct torus_replay_options)TORUS_REPLAY_OPTIONS;
}

void torus_replay_options_notice(const struct torus_replay_options *options,
				 struct torus_error *notices)
{
	if (options->checkpoint_us &&
	    !options->faults[TORUS_FAULT_NODES].mtbf_us &&
	    !options->faults[TORUS_FAULT_LINKS].mtbf_us)
		torus_error_add(notices,
				"notice: --checkpoint has no effect without --faults: no job loses its run");
	if (options->deadline_share > 0 && options->laxity < 0)
		torus_error_add(notices,
				"notice: --deadline-share has no effect without --laxity, which sets deadlines");
}

/* Read "400W,120W", with W, kW or no unit. */
static bool node_power_read(const char *text, double power[2])
{
	for (int i = 0; i < 2; i++) {
		size_t n = strcspn(text, ",");
		size_t digits = strspn(text, "0123456789.");
		char word[32];
		double f = 1;

		if (digits >= sizeof(word) || (text[n] == ',') != (i == 0))
			return false;
		snprintf(word, sizeof(word), "%.*s", (int)digits, text);
		if (n == digits + 2 && !strncmp(text + digits, "kW", 2))
			f = 1000;
		else if (n != digits && (n != digits + 1 || text[digits] != 'W'))
			return false;
		if (!torus_number_decimal(word, &power[i]))
			return false;
		power[i] *= f;
		text += n + (text[n] == ',');
	}
	return power[0] > 0 && power[1] <= power[0];
}

int torus_replay_option_set(struct torus_replay_options *options,
			    const char *name, const char *text,
			    struct torus_error *err)
{
	int64_t *us = !strcmp(name, "limit_max") ? &options->limit_max_us :
		      !strcmp(name, "checkpoint") ?
						   &options->checkpoint_us :
		      !strcmp(name, "slowdown_bound") ?
						   &options->slowdown_bound_us :
						   NULL;

	if (us && torus_duration_read(text, us, NULL) == 0 && *us > 0)
		return 0;
	if (us)
		return torus_error_add(err,
				       "got \"%s\": expected a duration above 0, for example 24h",
				       text);
	if (!strcmp(name, "outage"))
		return torus_replay_outage_rule_add(options, text, err);
	if (!strcmp(name, "node_power"))
		return node_power_read(text, options->power_w) ?
			       0 :
			       torus_error_add(err,
					       "got \"%s\": expected the power of a busy node and, no higher, of an idle one, for example 400W,120W",
					       text);
	if (!strcmp(name, "deadline_share"))
		return torus_number_decimal(text, &options->deadline_share) &&
				       options->deadline_share > 0 &&
				       options->deadline_share <= 1 ?
			       0 :
			       torus_error_add(err,
					       "got \"%s\": expected a share of the jobs above 0, at most 1, for example 0.3",
					       text);
	options->pass_budget_us = 0;
	options->pass_jobs = 0;
	if (*text && strspn(text, "0123456789") == strlen(text) ?
		    torus_number_whole(text, 1, INT64_MAX, &options->pass_jobs) :
		    torus_duration_parse(text, &options->pass_budget_us,
					 NULL) == 0 &&
			    options->pass_budget_us > 0)
		return 0;
	return torus_error_add(err,
			       "got \"%s\", expected a duration above 0 with its unit, for example 0.5s, or a number of jobs",
			       text);
}

static struct torus_replay_job *spare_take(struct torus_replay_jobs *jobs)
{
	struct torus_replay_block *block;
	struct torus_replay_job *job;
	size_t i;

	if (!jobs->spare) {
		block = torus_alloc(1, sizeof(*block));
		if (!block)
			return NULL;
		block->next = jobs->blocks;
		jobs->blocks = block;
		for (i = BLOCK; i--;)
			torus_replay_job_drop(jobs, &block->job[i]);
	}
	job = jobs->spare;
	jobs->spare = job->spare;
	return job;
}

void torus_replay_job_drop(struct torus_replay_jobs *jobs,
			   struct torus_replay_job *job)
{
	if (job->only)
		torus_replay_only_free(job->only);
	job->only = NULL;
	job->spare = jobs->spare;
	jobs->spare = job;
}

void torus_replay_jobs_free(struct torus_replay_jobs *jobs)
{
	struct torus_replay_block *block, *next;

	for (block = jobs->blocks; block; block = next) {
		next = block->next;
		for (size_t i = 0; i < BLOCK; i++) {
			torus_replay_only_free(block->job[i].only);
			torus_text_free(&block->job[i].text);
			torus_free(block->job[i].change);
			torus_free(block->job[i].job.request.alternative);
		}
		torus_free(block);
	}
	*jobs = (struct torus_replay_jobs){ 0 };
}

uint32_t torus_replay_size(const struct torus_replay_options *options,
			   uint32_t n)
{
	double scaled;
	uint32_t power;

	if (options->scale != 1) {
		scaled = ceil(n * options->scale * (1 - NEARLY));
		n = scaled < 1          ? 1 :
		    scaled > UINT32_MAX ? UINT32_MAX :
					  (uint32_t)scaled;
	}
	if (!options->round_up_pow2)
		return n;
	for (power = 1; power < n && power <= UINT32_MAX / 2;)
		power *= 2;
	return power < n ? UINT32_MAX : power;
}

/* Transform the sizes of a request written in words. Return 0, or -1 with
 * EINVAL. */
static int sizes_transform(struct torus_job_request *request,
			   const struct torus_replay_options *options,
			   uint64_t line, struct torus_error *err)
{
	for (uint32_t k = 0; k < request->alternatives; k++) {
		struct torus_ask *ask = &request->alternative[k].ask;
		uint32_t nodes = (uint32_t)torus_ask_nodes(ask);
		uint32_t n = torus_replay_size(options, nodes);

		if (ask->by_count)
			ask->count = n;
		else if (n != nodes)
			return torus_error_add(err,
					       "line %llu: a shape cannot be scaled or "
					       "rounded; only node counts can",
					       (unsigned long long)line);
	}
	return 0;
}

/* Make the request with transformed size. Without a machine (NULL) a shape has
 * as many nodes as vertices. Return 0, or -1 with ENOMEM or EINVAL. */
static int request_make(const struct torus_machine *m,
			struct torus_replay_job *job,
			const struct torus_replay_options *options,
			const struct torus_trace_record *record,
			struct torus_error *err)
{
	uint32_t n = options->processors_used ? record->used : record->requested;
	struct torus_job_request *request = &job->job.request, from;
	uint64_t nodes;
	uint32_t count;

	if (!n)
		n = record->used + record->requested; /* one of them is 0 */
	job->requested = torus_replay_size(options, n);
	/* memory for the alternatives: of its own, or that a former job had */
	count = record->shaped ? record->request->alternatives : 1;
	if (count > job->room) {
		if (TORUS_RESIZE(job->job.request.alternative, count))
			return -1;
		job->room = count;
	}
	if (!record->shaped) {
		*request = torus_job_request_count(request->alternative,
						   job->requested);
		return 0;
	}
	from = torus_job_request_of(record->request);
	*request = torus_job_request_put(request->alternative, &from);
	for (uint32_t k = 0; m && k < request->alternatives; k++)
		torus_machine_settle(m, &request->alternative[k].ask);
	/* (readers know no machine, and accept multiples and fractions) */
	nodes = torus_ask_nodes(&request->alternative[0].ask);
	if (record->stated && record->stated != nodes)
		return torus_error_add(err,
				       "line %llu: nodes: got %u: this machine takes %llu nodes for the shape",
				       (unsigned long long)record->line,
				       record->stated,
				       (unsigned long long)nodes);
	job->requested = torus_replay_size(options, (uint32_t)nodes);
	return sizes_transform(request, options, record->line, err);
}

/* Round to the nearest microsecond; -1 if out of bounds. */
static int64_t jobs_rounded(double us)
{
	return us <= MOST_US ? (int64_t)llround(us) : -1;
}

static int64_t jobs_scaled(int64_t us, double factor)
{
	return factor == 1 ? us : jobs_rounded((double)us * factor);
}

static int too_far(const struct torus_trace_record *record,
		   struct torus_error *err)
{
	return torus_error_add(err, "line %llu: scaled beyond %g seconds",
			       (unsigned long long)record->line, MOST_US * 1e-6);
}

/* Draw whether the job is of the share with deadlines: by its line and the seed, so
 * that it is the same for every policy. splitmix64. */
static bool has_deadline(const struct torus_replay_options *options,
			 const struct torus_trace_record *record)
{
	uint64_t z = (options->seed << 40) + record->line +
		     UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return options->deadline_share == 0 ||
	       (double)(z >> 11) * 0x1p-53 < options->deadline_share;
}

/* Set run time, limit, submit time and deadline. Return 0, or -1 with
 * EINVAL. */
static int times_make(struct torus_replay_job *job,
		      const struct torus_replay_options *options,
		      const struct torus_trace_record *record, int64_t first_us,
		      struct torus_error *err)
{
	int64_t run = jobs_scaled(record->run_us, options->run_scale);
	int64_t limit = options->estimate_run || record->limit_us < 0 ?
				run :
				jobs_scaled(record->limit_us,
					    options->run_scale);
	int64_t since = record->submit_us - first_us;
	int64_t gap = options->load_scale == 1 ?
			      since :
			      jobs_rounded((double)since / options->load_scale);
	int64_t laxity = options->laxity < 0 ?
				 0 :
				 jobs_scaled(run, 1 + options->laxity);

	if (run < 0 || limit < 0 || gap < 0 || laxity < 0)
		return too_far(record, err);
	if (limit < run && options->overrun == TORUS_OVERRUN_RAISE)
		limit = run;
	if (limit < run && options->overrun == TORUS_OVERRUN_KILL) {
		run = limit;
		job->note = "killed at its limit";
	}
	if (options->limit_max_us && limit > options->limit_max_us)
		limit = options->limit_max_us;
	if (options->limit_max_us && run > options->limit_max_us) {
		run = options->limit_max_us;
		job->note = "killed at the longest limit";
	}
	job->run_us = run;
	job->job.limit_us = job->limit_us = limit;
	job->submitted_us = job->job.submit_us = first_us + gap;
	if (record->since_us != TORUS_NO_TIME)
		job->job.submit_us += record->since_us - record->submit_us;
	job->job.wait_limited = record->wait_limit_us >= 0;
	job->job.wait_limit_us = record->wait_limit_us;
	job->held_us = record->held_us;
	job->left_us = TORUS_NO_TIME;
	if (record->left_us != TORUS_NO_TIME)
		job->left_us = job->submitted_us + record->left_us -
			       record->submit_us;
	job->job.deadline_us = TORUS_NO_TIME;
	if (options->laxity >= 0 && has_deadline(options, record))
		job->job.deadline_us = job->submitted_us + laxity;
	else if (record->deadline_us != TORUS_NO_TIME)
		job->job.deadline_us = job->submitted_us + record->deadline_us -
				       record->submit_us;
	return 0;
}

/* Set the changes of the limit on the replay's clock. Return 0, or -1 with
 * EINVAL or ENOMEM. */
static int changes_make(struct torus_replay_job *job,
			const struct torus_replay_options *options,
			const struct torus_trace_record *record,
			struct torus_error *err)
{
	job->changes = options->estimate_run ? 0 : record->changes;
	job->changed = 0;
	if (job->changes &&
	    TORUS_GROW(job->change, job->change_room, job->changes))
		return -1;
	for (uint32_t i = 0; i < job->changes; i++) {
		const struct torus_trace_change *c = &record->change[i];
		int64_t limit = jobs_scaled(c->limit_us, options->run_scale);

		if (limit < 0)
			return too_far(record, err);
		job->change[i].limit_us = limit;
		job->change[i].at_us = job->submitted_us + c->at_us -
				       record->submit_us;
	}
	return 0;
}

/* Append the nodes of a partition in A=0-15,32-47,B=16-31, as a set of `torus`; nothing
 * if it has none. Return 0, or -1 with ENOMEM. */
static int confine_find(const char *text, const char *partition,
			const char *torus, struct torus_text *nodes)
{
	size_t name = strlen(partition);
	bool in = false;

	for (const char *p = text; p && name; p = strchr(p, ',')) {
		size_t n, at;

		p += *p == ',';
		n = strcspn(p, ",");
		at = strcspn(p, ",=");
		if (at < n)
			in = at == name && !strncmp(p, partition, name);
		else
			in &= n == strspn(p, "0123456789-");
		at = at < n ? at + 1 : 0;
		if (in && torus_text_add(nodes, "%s%s%.*s",
					 nodes->length ? "," : torus,
					 nodes->length ? "" : ":{",
					 (int)(n - at), p + at))
			return -1;
	}
	return nodes->length ? torus_text_add(nodes, "}") : 0;
}

/* Set the nodes that the job may use over time, on the replay's clock. Return
 * 0, or -1 with ENOMEM, or with EINVAL and a line in err. */
static int only_make(struct torus_replay_jobs *jobs,
		     struct torus_replay_job *job,
		     const struct torus_replay_options *options,
		     const struct torus_trace_record *record,
		     struct torus_error *err)
{
	struct torus_trace_record confined = *record;
	struct torus_error why = { 0 };
	bool by_options;
	int rc = 0;

	job->only_now = NULL;
	if (record->only.length == 0 && options->confine && !record->kind) {
		confined.only = (struct torus_text){ 0 };
		rc = confine_find(options->confine, record->partition,
				  jobs->machine->pod[0].torus.name,
				  &confined.only);
		if (!rc && confined.only.length && jobs->machine->pods > 1)
			rc = torus_error_add(err,
					     "--partition: a partition has nodes by their numbers on a machine of one torus, and this has %u",
					     jobs->machine->pods);
	}
	by_options = confined.only.data != record->only.data;
	if (!rc && confined.only.length)
		rc = torus_replay_only_make(&job->only, &jobs->sets,
					    jobs->machine, &confined,
					    job->submitted_us -
						    record->submit_us,
					    by_options ? &why : err);
	if (rc && why.count)
		torus_error_add(err,
				"--partition: got \"%.95s\": the nodes of this machine are 0 to %u",
				options->confine,
				jobs->machine->pod[0].torus.nodes - 1);
	if (by_options)
		torus_text_free(&confined.only);
	if (rc || !job->only)
		return rc;
	job->only_now = job->only;
	job->job.allowed = torus_replay_only_map(job->only);
	return 0;
}

/* Set nodes that are out or busy from then on. */
static int withheld_make(struct torus_replay_jobs *jobs,
			 struct torus_replay_job *job,
			 const struct torus_replay_options *options,
			 const struct torus_trace_record *record,
			 struct torus_error *err)
{
	int64_t gap = jobs_scaled(record->submit_us - jobs->first_submit_us,
				  1 / options->load_scale);

	if (gap < 0)
		return too_far(record, err);
	job->submitted_us = jobs->first_submit_us + gap;
	job->job.limit_us = record->limit_us;
	job->requested = record->requested;
	job->line = record->line;
	if (record->kind == TORUS_TRACE_KIND_STATE ||
	    record->kind == TORUS_TRACE_KIND_LINK ||
	    record->kind == TORUS_TRACE_KIND_WEIGHTS ||
	    record->kind == TORUS_TRACE_KIND_OUTAGES)
		return torus_text_add(&job->text, "%s", record->text.data);
	return only_make(jobs, job, options, record, err);
}

static int job_make(struct torus_replay_jobs *jobs, struct torus_replay_job *job,
		    const struct torus_replay_options *options,
		    const struct torus_trace_record *record,
		    struct torus_error *err)
{
	if (request_make(jobs->machine, job, options, record, err) ||
	    times_make(job, options, record, jobs->first_submit_us, err) ||
	    changes_make(job, options, record, err) ||
	    only_make(jobs, job, options, record, err))
		return -1;
	/* the ids of the trace need not be numeric or unique */
	job->job.id = ++jobs->made;
	job->job.priority = record->priority;
	job->job.turn = record->turn;
	job->begun = record->begun;
	if (job->begun) /* a job that has begun runs exactly as long as
			   recorded */
		job->job.start_us = job->submitted_us + record->start_us -
				    record->submit_us;
	return 0;
}

/* Set who submitted the job. A task of an array is called NUMBER_TASK. */
static void owner_make(struct torus_job_owner *owner,
		       const struct torus_replay_options *options,
		       const struct torus_trace_record *record)
{
	const char *end;

	_Static_assert(TORUS_OWNER_NAME == TORUS_TRACE_USER_SIZE, "same names");
	memcpy(owner->user, record->user, sizeof(owner->user));
	memcpy(owner->account, record->account, sizeof(owner->account));
	memcpy(owner->qos, record->qos, sizeof(owner->qos));
	memcpy(owner->partition, record->partition, sizeof(owner->partition));
	owner->nice = record->nice;
	owner->asked_us = record->limit_us < 0 ?
				  -1 :
				  jobs_scaled(record->limit_us,
					      options->run_scale);
	if (options->limit_max_us && owner->asked_us > options->limit_max_us)
		owner->asked_us = options->limit_max_us;
	owner->parts = record->parts;
	end = torus_number_scan_whole(record->id, INT64_MAX, &owner->array);
	if (!end || *end != '_')
		owner->array = 0;
}

struct torus_replay_job *
torus_replay_job_make(struct torus_replay_jobs *jobs,
		      const struct torus_replay_options *options,
		      const struct torus_trace_record *record,
		      struct torus_error *err)
{
	struct torus_replay_job *job = spare_take(jobs);
	size_t own = offsetof(struct torus_job, state);

	if (!job)
		return NULL;
	if (!jobs->begun)
		jobs->first_submit_us = record->submit_us;
	jobs->begun = true;
	job->kind = record->kind;
	job->note = NULL;
	job->granted = 0;
	job->ran_us = 0;
	job->lost = 0;
	job->stay = record->stay;
	job->begun = 0;
	job->text.length = 0;
	job->job.allowed = NULL;
	memset((char *)&job->job + own, 0, sizeof(job->job) - own);
	if (job->kind ? withheld_make(jobs, job, options, record, err) :
			job_make(jobs, job, options, record, err)) {
		int saved = errno;

		torus_replay_job_drop(jobs, job);
		errno = saved;
		return NULL;
	}
	job->job.host = job;
	memcpy(job->id, record->id, sizeof(job->id));
	owner_make(&job->owner, options, record);
	job->job.owner = &job->owner;
	return job;
}
