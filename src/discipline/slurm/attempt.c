/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An attempt of sched/backfill (loops.h): jobs in order; each starts, or gets a place
 * in the map of the future that later jobs leave to it. The map is forgotten at the
 * end. Jobs behind the last one that could start now need no place in it.
 *
 * Not modelled: the time that an attempt takes, and what changes meanwhile.
 *
 * Cost: O(jobs x slots x words) and a search for each slot that is tried.
 */
#include "discipline/slurm/loops.h"
#include "torus/placement.h"

enum attempt_answer {
	ATTEMPT_NEXT,
	ATTEMPT_STARTED,
	ATTEMPT_PLANNED,
	ATTEMPT_FULL, /* the map has no more room */
};

/* Count a job; return true if there were as many as allowed before. */
static bool attempt_count(const struct slurm *m, struct slurm_count *c,
			  uint32_t most)
{
	if (c->attempt != m->attempts)
		*c = (struct slurm_count){ .attempt = m->attempts };
	if (c->jobs >= most)
		return true;
	c->jobs++;
	return false;
}

static bool attempt_exceeds(const struct slurm *m, const struct slurm_count *c,
			    uint32_t most)
{
	return most && c->attempt == m->attempts && c->jobs >= most;
}

/* Apply bf_max_job_user and the like. Return true if the job is not tested. */
static bool attempt_skips(struct slurm *m, const struct slurm_job *j)
{
	const struct torus_slurm *conf = m->conf;
	uint32_t both = j->user * conf->partitions + j->partition;
	bool assoc = conf->bf_max_job_assoc && j->association != SLURM_NONE;
	uint32_t user = conf->bf_max_job_assoc ? 0 : conf->bf_max_job_user;

	if (attempt_exceeds(m, &m->user_part[both], conf->bf_max_job_user_part) ||
	    attempt_exceeds(m, &m->partition[j->partition],
			    conf->bf_max_job_part) ||
	    (assoc && attempt_exceeds(m, &m->association[j->association],
				      conf->bf_max_job_assoc)) ||
	    attempt_exceeds(m, &m->user[j->user], user))
		return true;
	attempt_count(m, &m->user_part[both], UINT32_MAX);
	attempt_count(m, &m->partition[j->partition], UINT32_MAX);
	if (assoc)
		attempt_count(m, &m->association[j->association], UINT32_MAX);
	attempt_count(m, &m->user[j->user], UINT32_MAX);
	return false;
}

/* Return true if the job may only start now. */
static bool attempt_now_only(const struct slurm *m, const struct slurm_job *j,
			     int64_t now)
{
	const struct torus_slurm *conf = m->conf;

	return (conf->bf_min_prio_reserve &&
		j->priority < conf->bf_min_prio_reserve) ||
	       (conf->bf_min_age_reserve &&
		now - j->submit < conf->bf_min_age_reserve) ||
	       attempt_exceeds(m, &m->planned[j->partition],
			       conf->bf_job_part_count_reserve);
}

/* Narrow m->avail to what the job may use in a run from `start` on. Return the next
 * time to try; 0: none; -1: never. */
static int64_t attempt_narrow(struct slurm *m, const struct slurm_job *j,
			      int64_t start, int64_t window_end)
{
	const struct torus_outages *o = j->job->outages;
	int64_t end = start + j->minutes * 60, later, back;

	slurm_select_partition(m, j);
	if (o && !torus_outages_clear(o, start * SLURM_SECOND,
				      end * SLURM_SECOND, m->avail, m->words))
		return -1;
	later = slurm_slots_narrow(&m->slots, start, end, m->avail, m->scratch);
	back = o ? torus_outages_next(o, start * SLURM_SECOND) : INT64_MAX;
	if (back != INT64_MAX) {
		back = back / SLURM_SECOND + 1;
		if (back < window_end && (!later || back < later))
			later = back;
	}
	return later;
}

/* Plan the job's start at `start` in m->picked. */
static enum attempt_answer attempt_plan(struct slurm *m, struct slurm_job *j,
					int64_t start, int64_t end)
{
	if (m->conf->bf_job_part_count_reserve &&
	    attempt_count(m, &m->planned[j->partition],
			  m->conf->bf_job_part_count_reserve))
		return ATTEMPT_NEXT;
	if (m->slots.used >= m->conf->bf_node_space_size)
		return ATTEMPT_FULL;
	slurm_slots_take(&m->slots, m->picked, start, end);
	return ATTEMPT_PLANNED;
}

/* Start or plan one job. *tests counts jobs whose nodes were searched. */
static enum attempt_answer attempt_job(struct slurm *m, struct slurm_job *j,
				       int64_t now_us, uint32_t *tests)
{
	const struct torus_slurm *conf = m->conf;
	int64_t now = now_us / SLURM_SECOND, later = now, start_at, start;
	int64_t window = now + conf->bf_window;
	bool now_only = attempt_now_only(m, j, now), counted = false;

	for (;;) {
		int64_t from, to;

		start_at = later > now ? later : now;
		later = attempt_narrow(m, j, start_at, window);
		if (later < 0)
			return ATTEMPT_NEXT;
		if (torus_bits_count(m->avail, m->words) < j->job->nodes) {
			if (!later || now_only)
				return ATTEMPT_NEXT;
			continue;
		}
		*tests += !counted;
		counted = true;
		if (!slurm_select_will_run(m, j, now_us, now_only, &start)) {
			if (!later || now_only)
				return ATTEMPT_NEXT;
			continue;
		}
		if (start < start_at)
			start = start_at;
		if (start <= now)
			return slurm_select_start(m, j, now_us) ?
				       ATTEMPT_STARTED :
				       ATTEMPT_NEXT;
		if (now_only)
			return ATTEMPT_NEXT;
		if (later && start > later)
			continue;
		if (start > window)
			return ATTEMPT_NEXT;
		from = start / conf->bf_resolution * conf->bf_resolution;
		to = (start + j->minutes * 60) / conf->bf_resolution *
		     conf->bf_resolution;
		if (!slurm_slots_overlap(&m->slots, m->picked, from, to))
			return attempt_plan(m, j, from, to);
		if (start <= start_at)
			return ATTEMPT_NEXT;
		later = start;
	}
}

/* Return true if a running job may be in the map: it has whole nodes. */
static bool attempt_keeps(const struct slurm *m, const struct torus_job *job)
{
	const struct slurm_job *j = job ? job->memo : NULL;

	return !m->conf->nodes || !j || j->parts.whole;
}

/* With bf_running_job_reserve the running jobs are in the map, too. */
static void attempt_put_running(struct slurm *m)
{
	const struct torus_state *s = m->s->state;

	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		const struct torus_hold *h = torus_state_ending(s, k);
		int64_t end = h->end_us / SLURM_SECOND;

		if (m->slots.used >= m->conf->bf_node_space_size)
			return;
		if (!attempt_keeps(m, h->owner))
			continue;
		torus_bits_zero(m->scratch, m->words);
		torus_hold_paint(s, h, m->scratch);
		slurm_slots_take(&m->slots, m->scratch, 0,
				 end / m->conf->bf_resolution *
					 m->conf->bf_resolution);
	}
}

static void attempt_begin(struct slurm *m, int64_t now)
{
	const struct torus_state *s = m->s->state;

	m->attempts++;
	torus_bits_copy(m->avail, torus_state_present_map(s), m->words);
	torus_bits_andnot(m->avail, torus_state_out_map(s), m->words);
	slurm_slots_begin(&m->slots, now, now + m->conf->bf_window, m->avail);
	if (m->conf->bf_running_job_reserve)
		attempt_put_running(m);
}

/* Return the number of jobs up to the last one with enough free nodes. */
static uint32_t attempt_depth(const struct slurm *m)
{
	uint32_t n = m->queued, free = torus_state_free_nodes(m->s->state);

	while (n > 0 && m->queue[n - 1]->job->nodes > free)
		n--;
	return n;
}

void slurm_attempt(struct slurm *m, int64_t now_us)
{
	const struct torus_slurm *conf = m->conf;
	uint32_t tests = 0, started = 0, planned = 0, n = attempt_depth(m);
	int64_t now = now_us / SLURM_SECOND;
	uint64_t array = 0; /* rejected, in this partition: */
	uint64_t latest = 0;
	uint32_t part = 0;

	m->attempt_more = false;
	if (n)
		attempt_begin(m, now);
	for (uint32_t i = 0; i < n && tests < conf->bf_max_job_test; i++) {
		struct slurm_job *j = m->queue[i];
		uint64_t of = j->job->owner ? j->job->owner->array : 0;
		enum attempt_answer answer;

		if (of && of == array && part == j->partition)
			continue;
		if (of != latest)
			planned = 0;
		array = latest = of;
		part = j->partition;
		if (attempt_skips(m, j))
			continue;
		answer = attempt_job(m, j, now_us, &tests);
		if (answer == ATTEMPT_FULL)
			break;
		if (answer == ATTEMPT_PLANNED &&
		    ++planned < conf->bf_max_job_array_resv)
			array = 0;
		if (answer != ATTEMPT_STARTED)
			continue;
		array = 0;
		slurm_started(m, i--, now_us);
		n--;
		if (conf->consumable && attempt_keeps(m, j->job) &&
		    m->slots.used < conf->bf_node_space_size)
			slurm_slots_take(&m->slots, m->picked, 0,
					 (now + j->minutes * 60) /
						 conf->bf_resolution *
						 conf->bf_resolution);
		if (conf->bf_max_job_start &&
		    ++started >= conf->bf_max_job_start) {
			m->attempt_more = true;
			break;
		}
	}
}
