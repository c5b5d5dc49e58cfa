/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two halves of storus parity: what a trace says became of its jobs, and a
 * replay of them. All jobs are kept, and sorted here: by the time at which
 * they could start, and those of one instant by their turns or numbers, as
 * slurmctld gave them; a journal is in the order of ends. Jobs are replayed under their
 * position, since a job that was requeued stands in sacct's output more
 * than once under its number.
 *
 * Cost: O(n log n) time; memory for every job's record.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storus/parity.h"
#include "storus/storus.h"
#include "torus/alloc.h"

#define NAME &storus_parity
#define SECOND_US INT64_C(1000000)

static int refused(struct torus_error *err, int saved)
{
	return storus_say_errors(NAME,
				 saved == EINVAL ? STORUS_USAGE : STORUS_TROUBLE,
				 err);
}

/* The live half */

static int add(struct parity *p, const struct torus_trace_record *r)
{
	struct torus_trace_record *to;

	if (p->records == p->room) {
		size_t room = p->room ? 2 * p->room : 256;

		to = torus_realloc(p->record, room, sizeof(*to));
		if (!to)
			return -1;
		p->record = to;
		p->room = room;
	}
	to = &p->record[p->records];
	*to = *r;
	to->request = NULL;
	to->only = (struct torus_text){ 0 };
	p->records++;
	if (r->only.length && torus_text_add(&to->only, "%s", r->only.data))
		return -1;
	if (r->shaped) {
		to->request = torus_alloc(1, sizeof(*to->request));
		if (!to->request)
			return -1;
		*to->request = *r->request;
	}
	if (r->kind)
		return 0;
	if (r->outside > p->outside)
		p->outside = r->outside;
	if (r->eligible_us != TORUS_NO_TIME && r->eligible_us > r->submit_us)
		to->submit_us = r->eligible_us;
	/* it started, so it was eligible: held jobs may say otherwise */
	if (r->start_us != TORUS_NO_TIME && to->submit_us > r->start_us)
		to->submit_us = r->start_us;
	return 0;
}

/* Digits by their value, all else by the letter: 9 < 12 < 12_3 < 12_10. */
static int compare_ids(const char *a, const char *b)
{
	while (*a && *b) {
		char *after_a, *after_b;
		unsigned long long x = strtoull(a, &after_a, 10);
		unsigned long long y = strtoull(b, &after_b, 10);

		if (after_a == a || after_b == b) {
			if (*a != *b)
				return *a < *b ? -1 : 1;
			a++;
			b++;
			continue;
		}
		if (x != y)
			return x < y ? -1 : 1;
		a = after_a;
		b = after_b;
	}
	return (*a != '\0') - (*b != '\0');
}

static int by_submit(const void *a, const void *b)
{
	const struct torus_trace_record *x = a, *y = b;
	int ids;

	if (x->submit_us != y->submit_us)
		return x->submit_us < y->submit_us ? -1 : 1;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	ids = compare_ids(x->id, y->id);
	if (ids)
		return ids;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Do its times say more than seconds? */
static void find_grain(struct parity *p)
{
	p->grain_us = SECOND_US;
	for (size_t i = 0; i < p->records; i++) {
		const struct torus_trace_record *r = &p->record[i];

		if (r->submit_us % SECOND_US ||
		    (r->start_us != TORUS_NO_TIME && r->start_us % SECOND_US))
			p->grain_us = 0;
	}
}

static int make_pairs(struct parity *p)
{
	p->pair = torus_alloc(p->records ? p->records : 1, sizeof(*p->pair));
	if (!p->pair)
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	for (size_t i = 0; i < p->records; i++) {
		struct torus_trace_record *r = &p->record[i];
		struct parity_pair *pair = &p->pair[p->pairs];

		if (r->kind)
			continue;
		pair->submit_us = r->submit_us;
		pair->live_us = r->start_us;
		pair->live_end_us = r->start_us == TORUS_NO_TIME ?
					    TORUS_NO_TIME :
					    r->start_us + r->run_us;
		pair->replay_us = pair->replay_end_us = TORUS_NO_TIME;
		memcpy(pair->id, r->id, sizeof(pair->id));
		memcpy(pair->live, r->place, sizeof(pair->live));
		snprintf(r->id, sizeof(r->id), "%zu", p->pairs++);
	}
	return STORUS_DONE;
}

int parity_read(struct parity *p, const char *path)
{
	const struct torus_trace_options options = { .strict = true,
						     .unsorted = true,
						     .digest = true };
	const struct torus_trace_record *record;
	enum torus_trace_answer answer;
	struct torus_error err;
	struct torus_trace *trace;

	torus_error_clear(&err);
	trace = torus_trace_open(path, &options, &err);
	if (!trace)
		return refused(&err, errno);
	while ((answer = torus_trace_next(trace, &record, &err)) ==
	       TORUS_TRACE_JOB) {
		if (add(p, record)) {
			answer = TORUS_TRACE_FAILED;
			torus_error_add(&err, "%s: out of memory", path);
			break;
		}
	}
	p->read = *torus_trace_counts(trace);
	if (answer == TORUS_TRACE_REFUSED && err.count == 0)
		err = *torus_trace_bad(trace);
	if (answer == TORUS_TRACE_END && torus_trace_digest(trace, p->digest))
		answer = TORUS_TRACE_FAILED;
	torus_trace_close(trace);
	if (answer != TORUS_TRACE_END)
		return refused(&err,
			       answer == TORUS_TRACE_REFUSED ? EINVAL : EIO);
	if (p->records)
		qsort(p->record, p->records, sizeof(*p->record), by_submit);
	find_grain(p);
	return make_pairs(p);
}

/* The other half */

static int row(void *arg, const struct torus_machine *m,
	       const struct torus_replay_row *r)
{
	struct parity *p = arg;
	struct torus_text text = { 0 };
	struct parity_pair *pair = &p->pair[strtoull(r->id, NULL, 10)];

	pair->replayed = true;
	if (!r->place)
		return 0;
	pair->replay_us = r->account.start_us;
	pair->replay_end_us = r->account.end_us;
	if (torus_placement_format(m, r->place, &text) == 0 &&
	    text.length < sizeof(pair->replay))
		snprintf(pair->replay, sizeof(pair->replay), "%s", text.data);
	torus_text_free(&text);
	return 0;
}

int parity_replay(struct parity *p)
{
	const struct torus_replay_hooks hooks = { .arg = p, .row = row };
	struct torus_replay_counts counts = { 0 };
	enum torus_replay_answer answer;
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_trace *trace = torus_trace_open_list(p->record, p->records);
	struct torus_error err;

	torus_error_clear(&err);
	if (!metrics || !trace) {
		torus_metrics_destroy(metrics);
		torus_trace_close(trace);
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	}
	answer = torus_replay_run(trace, &p->config->machine,
				  &p->config->scheduler, &p->how, &hooks,
				  metrics, &counts, &err);
	torus_metrics_destroy(metrics);
	torus_trace_close(trace);
	if (answer == TORUS_REPLAY_DONE)
		return STORUS_DONE;
	return refused(&err, answer == TORUS_REPLAY_REFUSED ? EINVAL : EIO);
}

void parity_free(struct parity *p)
{
	for (size_t i = 0; i < p->records; i++) {
		torus_free(p->record[i].request);
		torus_text_free(&p->record[i].only);
	}
	torus_free(p->record);
	torus_free(p->pair);
	torus_config_destroy(p->config);
}
