/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison of the two halves of storus parity, and which differences are certain.
 *
 * One difference causes others: a job that starts elsewhere or later delays those
 * behind it. So time is cut into busy periods, from idle to idle in both halves; a
 * period has no effect on the next. Of each period the first instant counts at which
 * the halves differ. Before it both are the same; after it nothing is known.
 *
 *	live    [ A ]  [ B    ][ C ]            [ D ]
 *	replay  [ A ]  [ B    ]    [ C ]        [ D ]
 *	        ------ period: differs at C     same
 *
 * A difference is unclear if the trace does not show what the cluster saw: if its clock
 * has whole seconds and several submits or ends are so near that instant that their
 * order is unknown; or if a job was running whose region the trace does not have (Slurm
 * placed it).
 *
 * Cost: O(n log n), and two numbers per job.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "storus/lab/parity.h"
#include "torus/alloc.h"

static bool parity_has_started(const struct parity_pair *pair)
{
	return pair->live_us != TORUS_NO_TIME &&
	       pair->replay_us != TORUS_NO_TIME;
}

bool parity_other_time(const struct parity *p, const struct parity_pair *pair)
{
	return parity_has_started(pair) ?
		       llabs(pair->live_us - pair->replay_us) > p->within_us :
		       pair->live_us != pair->replay_us;
}

bool parity_other_region(const struct parity_pair *pair)
{
	return *pair->live && *pair->replay && strcmp(pair->live, pair->replay);
}

static bool is_other(const struct parity *p, const struct parity_pair *pair)
{
	return pair->replayed &&
	       (parity_other_time(p, pair) || parity_other_region(pair));
}

/* The trace does not have its region. */
static bool is_foreign(const struct parity_pair *pair)
{
	return pair->live_us != TORUS_NO_TIME && !*pair->live &&
	       (*pair->replay || pair->replay_us == TORUS_NO_TIME);
}

static int64_t parity_is_later(int64_t a, int64_t b)
{
	return b != TORUS_NO_TIME && b > a ? b : a;
}

/* Return when the halves differ at this job. */
static int64_t parity_first_difference(const struct parity_pair *pair)
{
	if (pair->live_us == TORUS_NO_TIME || pair->replay_us == TORUS_NO_TIME)
		return pair->live_us == TORUS_NO_TIME ? pair->replay_us :
							pair->live_us;
	return pair->live_us < pair->replay_us ? pair->live_us : pair->replay_us;
}

/* Which differences are certain */

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Return true if at least two of them lie so near that their order is open. */
static bool parity_judge_is_open(const struct parity *p, const int64_t *event,
				 size_t n, int64_t at_us)
{
	int64_t near = p->within_us + p->grain_us;
	uint32_t near_events = 0;

	if (p->grain_us == 0)
		return false;
	for (size_t i = 0; i < n && event[i] <= at_us + near; i++)
		near_events += event[i] >= at_us - near;
	return near_events > 1;
}

/* Return true if a job ran then whose region is not known. */
static bool is_crowded(const struct parity *p, size_t from, size_t to,
		       int64_t at_us)
{
	for (size_t i = from; i < to; i++) {
		const struct parity_pair *pair = &p->pair[i];

		if (is_foreign(pair) && pair->live_us <= at_us + p->grain_us &&
		    at_us <= pair->live_end_us + p->grain_us)
			return true;
	}
	return false;
}

/* Periods */

static void judge_period(struct parity *p, size_t from, size_t to,
			 int64_t *event)
{
	const struct parity_pair *first = NULL;
	size_t n;
	int64_t at_us;
	uint64_t count = 0;

	for (size_t i = from; i < to; i++) {
		const struct parity_pair *pair = &p->pair[i];

		if (is_other(p, pair) &&
		    (!first || parity_first_difference(pair) <
				       parity_first_difference(first)))
			first = pair;
	}
	if (!first) {
		p->counts.same++;
		for (size_t i = from; i < to; i++)
			p->counts.decided += p->pair[i].replayed;
		return;
	}
	/* submits and ends of the period's jobs, in order, without the end of the job in
	 * question */
	n = 0;
	for (size_t i = from; i < to; i++) {
		event[n++] = p->pair[i].submit_us;
		if (p->pair[i].live_end_us != TORUS_NO_TIME &&
		    &p->pair[i] != first)
			event[n++] = p->pair[i].live_end_us;
	}
	qsort(event, n, sizeof(*event), by_time);
	/* Count the jobs that started in both halves before they differ. */
	at_us = parity_first_difference(first);
	for (size_t i = from; i < to; i++) {
		const struct parity_pair *pair = &p->pair[i];

		count += pair->replayed && parity_has_started(pair) &&
			 !is_other(p, pair) && pair->live_us < at_us &&
			 pair->replay_us < at_us;
	}
	p->counts.decided += count;
	if (parity_judge_is_open(p, event, n, parity_first_difference(first)) ||
	    is_crowded(p, from, to, parity_first_difference(first))) {
		p->counts.unclear++;
		return;
	}
	p->counts.different++;
	if (!p->has_first)
		p->first = *first; /* the pairs will be sorted anew */
	p->has_first = true;
}

/* Sums */

static int by_replay(const void *a, const void *b)
{
	const struct parity_pair *x = a, *y = b;

	if (x->replay_us != y->replay_us)
		return x->replay_us < y->replay_us ? -1 : 1;
	if (x->live_us != y->live_us)
		return x->live_us < y->live_us ? -1 : 1;
	return strcmp(x->id, y->id);
}

static void sum_up(struct parity *p)
{
	struct parity_counts *counts = &p->counts;
	int64_t latest_us = 0;
	uint64_t both = 0;

	for (size_t i = 0; i < p->pairs; i++) {
		const struct parity_pair *pair = &p->pair[i];
		double apart;

		if (pair->taken_over) {
			counts->taken_over++;
			continue;
		}
		if (!pair->replayed) {
			counts->missing++;
			continue;
		}
		counts->compared++;
		counts->times += parity_other_time(p, pair);
		counts->regions_known += *pair->live && *pair->replay;
		counts->regions += parity_other_region(pair);
		counts->foreign += is_foreign(pair);
		if (!parity_has_started(pair))
			continue;
		latest_us = both ? latest_us : pair->live_us;
		counts->order += pair->live_us < latest_us - p->grain_us;
		counts->ties += pair->live_us < latest_us &&
				pair->live_us >= latest_us - p->grain_us;
		latest_us = parity_is_later(latest_us, pair->live_us);
		apart = fabs((double)(pair->live_us - pair->replay_us)) * 1e-6;
		counts->mean_s += apart;
		both++;
		if (apart > counts->max_s)
			counts->max_s = apart;
	}
	if (both)
		counts->mean_s /= (double)both;
}

int parity_judge(struct parity *p)
{
	int64_t *later_us;
	size_t n = 0;
	int64_t *event = torus_alloc(2 * p->pairs + 1, sizeof(*event));
	int64_t busy_us = INT64_MIN;
	size_t from = 0;

	/* The pairs are in the order of parts and submits. */
	if (!event)
		return -1;
	for (size_t i = 0; i < p->pairs; i++) {
		const struct parity_pair *pair = &p->pair[i];

		if (i > 0 &&
		    (pair->part != p->pair[i - 1].part ||
		     pair->submit_us - p->within_us - p->grain_us > busy_us)) {
			judge_period(p, from, i, event);
			from = i;
		}
		busy_us = parity_is_later(busy_us, pair->submit_us);
		busy_us = parity_is_later(busy_us, pair->live_end_us);
		busy_us = parity_is_later(busy_us, pair->replay_end_us);
	}
	if (p->pairs)
		judge_period(p, from, p->pairs, event);
	torus_free(event);
	if (p->pairs)
		qsort(p->pair, p->pairs, sizeof(*p->pair), by_replay);
	sum_up(p);
	/* Find the median of how much later the cluster was. */
	later_us = torus_alloc(p->pairs + 1, sizeof(*later_us));
	if (!later_us)
		return -1;
	for (size_t i = 0; i < p->pairs; i++) {
		const struct parity_pair *pair = &p->pair[i];

		if (pair->replayed && !pair->taken_over &&
		    parity_has_started(pair))
			later_us[n++] = pair->live_us - pair->replay_us;
	}
	if (n) {
		qsort(later_us, n, sizeof(*later_us), by_time);
		p->counts.median_s = (double)later_us[n / 2] * 1e-6;
	}
	torus_free(later_us);
	return 0;
}
