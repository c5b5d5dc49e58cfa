/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace's jobs in memory (log.h). Users are numbered by their names, sorted:
 * O(n log n).
 */
#include "trace/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

static int log_read_all(struct torus_log *log, struct torus_error *err)
{
	const struct torus_trace_record *record;
	enum torus_trace_answer answer;

	while ((answer = torus_trace_next(log->trace, &record, err)) ==
	       TORUS_TRACE_JOB) {
		if (!record->kind && torus_log_nodes(record)) {
			struct torus_trace_record *to =
				torus_records_add(&log->records, record);

			/* Copy the job without its outcome. */
			if (!to)
				return -1;
			to->since_us = to->left_us = TORUS_NO_TIME;
			to->eligible_us = to->start_us = TORUS_NO_TIME;
			*to->place = '\0';
			torus_text_free(&to->only);
			to->stay = 0;
			to->turn = 0;
			to->changes = 0;
		}
	}
	log->job = log->records.record;
	log->jobs = log->records.count;
	if (answer == TORUS_TRACE_REFUSED)
		errno = EINVAL;
	return answer == TORUS_TRACE_END ? 0 : -1;
}

static int log_by_name(const void *a, const void *b)
{
	const struct torus_trace_record *const *x = a, *const *y = b;

	return strcmp((*x)->user, (*y)->user);
}

/* Return the machine's size as stated in the trace, or the largest job's. */
static uint32_t log_machine(const struct torus_log *log)
{
	const struct torus_trace_header *h = torus_trace_header(log->trace);
	int64_t stated = h->max_processors > 0 ? h->max_processors :
						 h->max_nodes;
	uint32_t most = 0;

	for (uint64_t i = 0; i < log->jobs; i++) {
		if (torus_log_nodes(&log->job[i]) > most)
			most = torus_log_nodes(&log->job[i]);
	}
	return stated > most && stated <= TORUS_TRACE_MAX_PROCESSORS ?
		       (uint32_t)stated :
		       most;
}

struct torus_log *torus_log_read(const char *path,
				 const struct torus_trace_options *options,
				 struct torus_error *err)
{
	struct torus_log *log = torus_alloc(1, sizeof(*log));
	const struct torus_trace_record **by;

	if (!log)
		return NULL;
	log->trace = torus_trace_open(path, options, err);
	if (!log->trace || log_read_all(log, err))
		goto error;
	if (log->jobs < 2) {
		torus_error_add(err,
				"%s: %llu jobs; two are needed to draw from",
				path, (unsigned long long)log->jobs);
		errno = EINVAL;
		goto error;
	}
	by = torus_alloc(log->jobs, sizeof(*by));
	log->user = torus_alloc(log->jobs, sizeof(*log->user));
	if (!by || !log->user) {
		torus_free(by);
		goto error;
	}
	for (uint64_t i = 0; i < log->jobs; i++)
		by[i] = &log->job[i];
	qsort(by, log->jobs, sizeof(*by), log_by_name);
	for (uint64_t i = 0; i < log->jobs; i++) {
		if (!i || log_by_name(&by[i - 1], &by[i]))
			log->users++;
		log->user[by[i] - log->job] = log->users - 1;
	}
	torus_free(by);
	log->first_us = log->job[0].submit_us;
	log->last_us = log->job[log->jobs - 1].submit_us;
	log->nodes = log_machine(log);
	return log;
error:
	torus_log_destroy(log);
	return NULL;
}

void torus_log_destroy(struct torus_log *log)
{
	int saved = errno;

	if (!log)
		return;
	torus_trace_close(log->trace);
	torus_records_free(&log->records);
	torus_free(log->user);
	torus_free(log);
	errno = saved;
}

double torus_log_load(const struct torus_trace_record *job, uint64_t jobs,
		      uint32_t nodes)
{
	double work = 0, span;

	if (!jobs)
		return 0;
	span = (double)(job[jobs - 1].submit_us - job[0].submit_us);
	for (uint64_t i = 0; i < jobs; i++)
		work += (double)job[i].run_us * torus_log_nodes(&job[i]);
	return span > 0 ? work / (span * nodes) : 0;
}
