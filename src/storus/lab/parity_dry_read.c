/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of a dry run as waits of jobs (parity_dry.h). In its lines a job
 * that the cluster starts leaves the queue and comes with nodes that were given
 * to it:
 *
 *	17 waiting          seen
 *	17 would REGION     the dry run would start it; perhaps never said
 *	17 running, given   the cluster has started it
 *	17 withdrawn        from the dry run's queue: that follows from it
 *
 * A job that is requeued waits once more, under the same number.
 *
 * Cost: O(lines x log jobs) time.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "storus/base/notices.h"
#include "storus/lab/parity.h"
#include "storus/lab/parity_dry.h"
#include "storus/storus.h"
#include "torus/alloc.h"

#define NAME &storus_parity

struct dry_run_reading {
	struct dry_run *d;
	void *latest;     /* tree of struct latest_wait, by id */
	int64_t begun_us; /* the scheduler, last */
};

/* The latest wait of a job. */
struct latest_wait {
	char id[TORUS_TRACE_ID_SIZE];
	size_t job;
};

static int by_id(const void *a, const void *b)
{
	const struct latest_wait *x = a, *y = b;

	return strcmp(x->id, y->id);
}

/* The job's latest wait; another one if that is over and `anew`. NULL with
 * ENOMEM. */
static struct dry_job *dry_job_of(struct dry_run_reading *r, const char *id,
				  bool anew)
{
	struct latest_wait *e = torus_alloc(1, sizeof(*e)), **node;
	struct dry_job *job;

	if (!e)
		return NULL;
	memcpy(e->id, id, sizeof(e->id));
	node = tsearch(e, &r->latest, by_id);
	if (!node || *node != e)
		torus_free(e);
	if (!node)
		return NULL;
	if (*node != e) {
		job = &r->d->job[(*node)->job];
		if (!anew || job->live_us == TORUS_NO_TIME)
			return job;
	}
	(*node)->job = r->d->jobs;
	if (TORUS_GROW(r->d->job, r->d->room, r->d->jobs + 1))
		return NULL;
	job = &r->d->job[r->d->jobs++];
	*job = (struct dry_job){ .live_us = TORUS_NO_TIME,
				 .would_us = TORUS_NO_TIME };
	memcpy(job->id, id, sizeof(job->id));
	return job;
}

static int note_would(struct dry_run_reading *r,
		      const struct torus_trace_record *line)
{
	struct dry_job *job = dry_job_of(r, line->id, true);

	if (!job)
		return -1;
	r->d->any = true;
	job->seen = true;
	job->rejected = !*line->place;
	if (job->rejected)
		return 0;
	if (job->would_us == TORUS_NO_TIME)
		job->would_us = line->submit_us;
	memcpy(job->would, line->place, sizeof(job->would));
	return 0;
}

/* The cluster has started it; not if it ran when the scheduler began. */
static int note_adopted(struct dry_run_reading *r,
			const struct torus_trace_record *line)
{
	struct dry_job *job = dry_job_of(r, line->id, false);

	if (!job)
		return -1;
	if (job->live_us != TORUS_NO_TIME)
		return 0; /* a later line of it */
	if (!job->seen && line->submit_us <= r->begun_us)
		job->left = true;
	job->live_us = line->start_us;
	memcpy(job->live, line->place, sizeof(job->live));
	return 0;
}

static int note_wait(struct dry_run_reading *r,
		     const struct torus_trace_record *line)
{
	struct dry_job *job = dry_job_of(r, line->id, line->open);

	if (!job)
		return -1;
	job->seen = true;
	job->left = !line->open && job->live_us == TORUS_NO_TIME;
	return 0;
}

static int note_line(void *arg, const struct torus_trace_record *line)
{
	struct dry_run_reading *r = arg;

	switch (line->kind) {
	case TORUS_TRACE_KIND_JOB:
		return line->begun ? note_adopted(r, line) : note_wait(r, line);
	case TORUS_TRACE_KIND_WOULD:
		return note_would(r, line);
	case TORUS_TRACE_KIND_BEGIN:
		r->begun_us = line->submit_us;
		return 0;
	case TORUS_TRACE_KIND_STATE:
		r->d->any |= parity_is_dry_run(&line->text);
		return 0;
	default:
		return 0;
	}
}

int dry_run_read(struct dry_run *d, const char *path)
{
	const struct torus_trace_options options = {
		.expected = "the journal of sched/torus",
		.strict = true,
		.unsorted = true,
		.open = true
	};
	struct dry_run_reading r = { .d = d, .begun_us = INT64_MIN };
	struct torus_error err = { 0 };
	struct torus_trace *trace;
	int status = storus_trace_read(path, &options, note_line, &r, &trace,
				       &err);

	if (trace)
		d->lost = torus_trace_counts(trace)->lost;
	if (!trace && errno != EINVAL) /* it cannot be opened */
		status = STORUS_TROUBLE;
	if (status && trace && err.count == 0)
		err = *torus_trace_bad(trace);
	torus_trace_close(trace);
	while (r.latest) {
		struct latest_wait *e = *(struct latest_wait **)r.latest;

		tdelete(e, &r.latest, by_id);
		torus_free(e);
	}
	if (status)
		return storus_say_errors(NAME, status, &err);
	if (!d->any)
		return storus_say(NAME, STORUS_USAGE,
				  "%s: got no line of a dry run: expected the journal of a cluster with dry_run: true in torus.yaml",
				  path);
	return STORUS_DONE;
}

void dry_run_free(struct dry_run *d)
{
	torus_free(d->job);
	*d = (struct dry_run){ 0 };
}
