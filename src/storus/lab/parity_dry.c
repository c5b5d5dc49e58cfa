/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus parity --dry-run: compare the decisions of a dry run of sched/torus with those
 * of the cluster's own scheduler. Each start is compared on the machine of that moment;
 * the journal does not have the consequences of another start.
 *
 * Cost: O(jobs) beside reading.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storus/base/table.h"
#include "storus/base/json.h"
#include "storus/lab/parity_dry.h"
#include "storus/storus.h"

#define NAME &storus_parity
#define SHOWN 20 /* jobs that differ */

static enum dry_job_verdict verdict_of(const struct dry_job *job,
				       int64_t within_us)
{
	if (job->live_us == TORUS_NO_TIME)
		return job->left                      ? DRY_JOB_OPEN :
		       job->rejected                  ? DRY_JOB_REJECTED :
		       job->would_us != TORUS_NO_TIME ? DRY_JOB_WAITS :
							DRY_JOB_OPEN;
	if (!job->seen)
		return job->left ? DRY_JOB_OPEN : DRY_JOB_UNSEEN;
	if (job->rejected)
		return DRY_JOB_REJECTED;
	if (job->would_us == TORUS_NO_TIME)
		return DRY_JOB_LATER;
	if (llabs(job->live_us - job->would_us) > within_us)
		return job->would_us < job->live_us ? DRY_JOB_EARLIER :
						      DRY_JOB_LATER;
	return strcmp(job->live, job->would) == 0 ? DRY_JOB_SAME :
						    DRY_JOB_ELSEWHERE;
}

static uint64_t dry_run_judged(const struct dry_run *d)
{
	return d->count[DRY_JOB_SAME] + d->count[DRY_JOB_ELSEWHERE] +
	       d->count[DRY_JOB_EARLIER] + d->count[DRY_JOB_LATER] +
	       d->count[DRY_JOB_REJECTED] + d->count[DRY_JOB_WAITS];
}

static bool dry_run_differs(const struct dry_run *d)
{
	return dry_run_judged(d) > d->count[DRY_JOB_SAME];
}

static double mean_earlier(const struct dry_run *d)
{
	uint64_t n = d->count[DRY_JOB_EARLIER];

	return n ? d->earlier_s / (double)n : 0;
}

/* Telling */

static const char *const verdicts[DRY_JOB_VERDICTS] = {
	"same",     "elsewhere", "earlier", "later",
	"rejected", "would run", "",        "",
};

/* Write the jobs that differ; in a report the first ones. */
static int dry_run_write_jobs(const struct dry_run *d, struct storus_table *t)
{
	bool all = storus_table_asked(t);
	uint32_t shown = 0;

	for (size_t i = 0; i < d->jobs && (all || shown < SHOWN); i++) {
		const struct dry_job *job = &d->job[i];
		json_t *o;

		if (job->verdict == DRY_JOB_SAME || !*verdicts[job->verdict])
			continue;
		if (shown++ == 0 && !all)
			storus_print("\n");
		o = parity_row(job->id, job->live_us, job->would_us, job->live,
			       job->would);
		json_object_set_new(o, "verdict",
				    json_string(verdicts[job->verdict]));
		storus_table_row(t, o);
	}
	return shown || all ? storus_table_end(NAME, t) : STORUS_DONE;
}

static void dry_run_print_count(uint64_t n, const char *what)
{
	if (n)
		storus_print("%8llu  %s\n", (unsigned long long)n, what);
}

static int dry_run_print_report(const struct dry_run *d, struct storus_table *t)
{
	const uint64_t *n = d->count;

	storus_print("%llu jobs judged: %s\n",
		     (unsigned long long)dry_run_judged(d),
		     dry_run_differs(d) ?
			     "sched/torus would have acted differently" :
			     "sched/torus would have done the same");
	dry_run_print_count(n[DRY_JOB_SAME], "same time, same nodes");
	dry_run_print_count(n[DRY_JOB_ELSEWHERE], "same time, other nodes");
	if (n[DRY_JOB_EARLIER])
		storus_print("%8llu  earlier: by %.0f s in the mean, by %.0f s at most\n",
			     (unsigned long long)n[DRY_JOB_EARLIER],
			     mean_earlier(d), d->most_earlier_s);
	dry_run_print_count(n[DRY_JOB_LATER],
			    "later: not yet started when the cluster started them");
	dry_run_print_count(n[DRY_JOB_REJECTED], "turned down");
	dry_run_print_count(n[DRY_JOB_WAITS], "waiting, and would run");
	dry_run_print_count(
		n[DRY_JOB_UNSEEN],
		"not judged: never seen waiting (srun and salloc that start at once, later tasks of an array)");
	if (d->lost)
		storus_print("lost: %llu lines of the journal\n",
			     (unsigned long long)d->lost);
	return dry_run_write_jobs(d, t);
}

static int dry_run_write_json(const struct dry_run *d, const char *path,
			      const char *command)
{
	const uint64_t *n = d->count;
	json_t *o =
		json_pack("{s:i, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I}",
			  "schema", 1, "same", !dry_run_differs(d), "judged",
			  (json_int_t)dry_run_judged(d), "as_live",
			  (json_int_t)n[DRY_JOB_SAME], "elsewhere",
			  (json_int_t)n[DRY_JOB_ELSEWHERE], "earlier",
			  (json_int_t)n[DRY_JOB_EARLIER], "later",
			  (json_int_t)n[DRY_JOB_LATER], "rejected",
			  (json_int_t)n[DRY_JOB_REJECTED], "would_run",
			  (json_int_t)n[DRY_JOB_WAITS], "not_seen_waiting",
			  (json_int_t)n[DRY_JOB_UNSEEN], "mean_earlier_s",
			  mean_earlier(d), "max_earlier_s", d->most_earlier_s,
			  "lost", (json_int_t)d->lost);

	return storus_json_write(NAME, storus_json_origin(o, command), path);
}

int storus_parity_dry(const char *path, int64_t within_us,
		      struct storus_table *t, const char *command)
{
	struct dry_run d = { 0 };
	int status = dry_run_read(&d, path);

	if (status == STORUS_DONE) {
		for (size_t i = 0; i < d.jobs; i++) {
			struct dry_job *job = &d.job[i];
			double s;

			job->verdict = verdict_of(job, within_us);
			d.count[job->verdict]++;
			if (job->verdict != DRY_JOB_EARLIER)
				continue;
			s = (double)(job->live_us - job->would_us) * 1e-6;
			d.earlier_s += s;
			if (s > d.most_earlier_s)
				d.most_earlier_s = s;
		}
		t->gap = 2;
		if (t->json)
			status = dry_run_write_json(&d, t->json, command);
		else if (storus_table_asked(t))
			status = dry_run_write_jobs(&d, t);
		else
			status = dry_run_print_report(&d, t);
	}
	if (status == STORUS_DONE && dry_run_differs(&d))
		status = STORUS_NO;
	dry_run_free(&d);
	return status;
}
