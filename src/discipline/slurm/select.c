/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of nodes under stock Slurm.
 *
 * On flat machines, whole nodes as select/linear and select/cons_tres take them: of
 * the runs of consecutive nodes the smallest that is large enough; if none is, the
 * largest, and the rest from others. When a job could start is found from the ends of
 * the running jobs: select/linear tries after each end, select/cons_tres after groups
 * of ends, whose length doubles. Nodes that jobs share: parts.c. Elsewhere the strategy
 * chooses, as select/torus does under sched/backfill.
 *
 * Cost: a start O(words x runs); when it could start O(words log running); the ends
 * are listed once after each change.
 */
#include "discipline/slurm/loops.h"
#include "torus/alloc.h"
#include "torus/placement.h"

#define GROUP_S 30 /* first length of a group of ends */

void slurm_select_partition(struct slurm *m, const struct slurm_job *j)
{
	const uint64_t *nodes = m->conf->partition[j->partition].nodes;
	const struct torus_state *s = m->s->state;

	torus_bits_copy(m->avail, torus_state_present_map(s), m->words);
	torus_bits_andnot(m->avail, torus_state_out_map(s), m->words);
	if (nodes)
		torus_bits_and(m->avail, m->avail, nodes, m->words);
	if (j->job->allowed)
		torus_bits_and(m->avail, m->avail, j->job->allowed, m->words);
	if (m->conf->nodes)
		slurm_parts_narrow(m, j);
}

/* Return the first clear bit from `from` on. */
static uint32_t select_gap(const uint64_t *map, uint32_t words, uint32_t from)
{
	uint64_t word;

	for (uint32_t w = from / 64; w < words; w++, from = w * 64) {
		word = ~map[w] >> (from % 64);
		if (word)
			return from + (uint32_t)__builtin_ctzll(word);
	}
	return words * 64;
}

/* Set m->picked to n of the nodes of `from`, which has as many. */
static void select_pick(struct slurm *m, const uint64_t *from, uint32_t n)
{
	torus_bits_copy(m->work, from, m->words);
	torus_bits_zero(m->picked, m->words);
	while (n > 0) {
		uint32_t best = 0, size = 0;
		uint32_t i = torus_bits_next(m->work, m->words, 0);

		while (i != UINT32_MAX) {
			uint32_t end = select_gap(m->work, m->words, i);
			uint32_t run = end - i;

			if (size == 0 ||
			    (run >= n && (size < n || run < size)) ||
			    (run < n && run > size)) {
				best = i;
				size = run;
			}
			i = end < m->words * 64 ?
				    torus_bits_next(m->work, m->words, end) :
				    UINT32_MAX;
		}
		if (size == 0)
			return;
		size = size < n ? size : n;
		torus_bits_set_range(m->picked, best, size);
		torus_bits_clear_range(m->work, best, size);
		n -= size;
	}
}

/* List the ends of the running jobs, and the nodes free after each. -1 with ENOMEM. */
static int select_list_ends(struct slurm *m)
{
	const struct torus_state *s = m->s->state;
	uint32_t holds = torus_state_holds(s);
	bool maps = !m->conf->nodes; /* else one, in parts.c */

	if (m->end && m->generation == torus_state_generation(s))
		return 0;
	if (TORUS_GROW(m->end, m->end_room, holds + 1) ||
	    (maps &&
	     TORUS_GROW(m->free, m->free_room, (size_t)(holds + 1) * m->words)))
		return -1;
	if (maps)
		torus_bits_copy(m->free, torus_state_free_map(s), m->words);
	for (m->ends = 0; m->ends < holds; m->ends++) {
		const struct torus_hold *h = torus_state_ending(s, m->ends);
		uint64_t *map;

		if (h->end_us == INT64_MAX)
			break;
		m->end[m->ends + 1] = h->end_us / SLURM_SECOND;
		if (!maps)
			continue;
		map = m->free + (size_t)(m->ends + 1) * m->words;
		torus_bits_copy(map, map - m->words, m->words);
		torus_hold_paint(s, h, map);
		torus_bits_andnot(map, torus_state_out_map(s), m->words);
	}
	m->generation = torus_state_generation(s);
	return 0;
}

static uint32_t select_free_after(const struct slurm *m, uint32_t k)
{
	return torus_bits_count_both(m->free + (size_t)k * m->words, m->avail,
				     m->words);
}

/* Return true if the k-th end frees some of the available nodes. */
static bool select_frees(const struct slurm *m, uint32_t k)
{
	if (m->conf->nodes)
		return slurm_parts_meet(m,
					torus_state_ending(m->s->state, k - 1),
					m->avail);
	return select_free_after(m, k) > select_free_after(m, k - 1);
}

/* Return true if the job fits after k ends. */
static bool select_fits(struct slurm *m, const struct slurm_job *j, uint32_t k)
{
	return m->conf->nodes ?
		       slurm_parts_fit(m, j, j->job->nodes, m->avail, k) :
		       select_free_after(m, k) >= j->job->nodes;
}

/* select/linear: the first end after which the job fits; 0: none. */
static uint32_t select_first_end(struct slurm *m, const struct slurm_job *j)
{
	uint32_t low = 1, high = m->ends, n = j->job->nodes;

	if (m->conf->nodes) {
		for (uint32_t k = 1; k <= m->ends; k++) {
			if (select_frees(m, k) && select_fits(m, j, k))
				return k;
		}
		return 0;
	}
	if (select_free_after(m, high) < n)
		return 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (select_free_after(m, middle) < n)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* select/cons_tres: as select_first_end(), by groups. */
static uint32_t select_first_group(struct slurm *m, const struct slurm_job *j)
{
	int64_t window = GROUP_S, until = 0;
	uint32_t k = 0;

	while (k < m->ends) {
		uint32_t last = 0;

		while (k < m->ends) {
			k++;
			if (!select_frees(m, k))
				continue;
			if (!until)
				until = m->end[k] + window - m->end[k] % window;
			last = k;
			if (k < m->ends && m->end[k + 1] > until + window)
				break;
		}
		if (!last)
			return 0;
		do
			window = m->conf->bf_window_scale ?
					 window + m->conf->bf_window_scale :
					 window * 2;
		while (k < m->ends && m->end[k + 1] > until + window);
		if (select_fits(m, j, last))
			return last;
	}
	return 0;
}

static bool select_flat(struct slurm *m, const struct slurm_job *j, int64_t now,
			bool now_only, int64_t *start)
{
	uint32_t n = j->job->nodes, k = 0;

	if (select_list_ends(m)) {
		m->s->lacked_memory = true;
		return false;
	}
	if (!select_fits(m, j, 0)) {
		if (now_only || !m->ends)
			return false;
		k = m->conf->consumable ? select_first_group(m, j) :
					  select_first_end(m, j);
		if (!k)
			return false;
	}
	*start = !k ? now : m->end[k] > now ? m->end[k] : now + 1;
	if (m->conf->nodes)
		return true;
	torus_bits_and(m->usable, m->avail, m->free + (size_t)k * m->words,
		       m->words);
	select_pick(m, m->usable, n);
	return true;
}

bool slurm_select_will_run(struct slurm *m, struct slurm_job *j, int64_t now_us,
			   bool now_only, int64_t *start)
{
	const struct torus_job_request *r = &j->job->request;
	int64_t now = now_us / SLURM_SECOND, when_us;
	bool found = false;

	if (m->flat)
		return select_flat(m, j, now, now_only, start);
	for (uint32_t k = 0; k < r->alternatives; k++) {
		struct torus_placement place;
		struct torus_ask ask;
		int64_t when;

		if (!torus_job_accepts(j->job, k, now_us))
			continue;
		ask = torus_ask_among(torus_job_ask(j->job, k, now_us),
				      m->avail);
		if (torus_plan_shadow(m->s->plan, &ask, now_us, &when_us,
				      &place) != TORUS_FITS ||
		    (now_only && when_us > now_us))
			continue;
		when = when_us <= now_us            ? now :
		       when_us / SLURM_SECOND > now ? when_us / SLURM_SECOND :
						      now + 1;
		if (found && when >= *start)
			continue;
		found = true;
		*start = when;
		torus_bits_zero(m->picked, m->words);
		torus_placement_paint(m->machine, &place, m->picked);
	}
	return found;
}

/* slurm_select_start() where jobs share nodes. */
static bool select_start_part(struct slurm *m, struct slurm_job *j,
			      int64_t now_us)
{
	struct torus_job *job = j->job;
	struct torus_placement place;

	if (select_list_ends(m)) {
		m->s->lacked_memory = true;
		return false;
	}
	torus_bits_copy(m->usable, m->avail, m->words);
	if (job->outages &&
	    !torus_outages_clear(job->outages, now_us,
				 torus_time_after(now_us, job->limit_us),
				 m->usable, m->words))
		return false;
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		uint64_t cpus = torus_ask_nodes(torus_job_ask(job, k, now_us));

		if (!torus_job_accepts(job, k, now_us) ||
		    cpus > m->machine->nodes ||
		    !slurm_parts_fit(m, j, (uint32_t)cpus, m->usable, 0))
			continue;
		slurm_parts_place(m, m->usable, &place);
		return torus_scheduler_start(m->s, j->job, k, &place, now_us);
	}
	return false;
}

bool slurm_select_start(struct slurm *m, struct slurm_job *j, int64_t now_us)
{
	const struct torus_job_request *r = &j->job->request;
	struct torus_job *job = j->job;
	const uint64_t *among = m->avail;
	struct torus_placement place;

	if (m->conf->nodes)
		return select_start_part(m, j, now_us);
	if (m->flat) {
		uint32_t n = job->nodes;

		torus_bits_and(m->usable, m->avail,
			       torus_state_free_map(m->s->state), m->words);
		if (job->outages &&
		    !torus_outages_clear(job->outages, now_us,
					 torus_time_after(now_us, job->limit_us),
					 m->usable, m->words))
			return false;
		if (torus_bits_count(m->usable, m->words) < n)
			return false;
		select_pick(m, m->usable, n);
		torus_bits_copy(m->usable, m->picked, m->words);
		among = m->usable;
	}
	for (uint32_t k = 0; k < r->alternatives; k++) {
		struct torus_ask ask;

		if (!torus_job_accepts(job, k, now_us))
			continue;
		ask = torus_ask_among(torus_job_ask(job, k, now_us), among);
		if (torus_plan_find(m->s->plan, &ask, &place) != TORUS_FITS)
			continue;
		if (!m->flat) {
			torus_bits_zero(m->picked, m->words);
			torus_placement_paint(m->machine, &place, m->picked);
		}
		return torus_scheduler_start(m->s, job, k, &place, now_us);
	}
	return false;
}
