/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm-backfill: what stock Slurm would do, by slurm.conf (torus/slurm.h). After
 * job_scheduler.c, backfill.c and priority_multifactor.c of Slurm 22.05.8; 24.11
 * decides the same.
 *
 *	a job comes       the main loop runs in the next round of the controller, of one
 *	                  a second, but not within batch_sched_delay of the latest one
 *	a job ends        the same; with an Epilog and without `defer` it runs at once:
 *	                  then slurmd reports the end by a message of its own
 *	sched_interval    it considers the whole queue
 *	bf_interval       after an attempt sched/backfill sleeps so long; then it looks
 *	                  each second whether anything has changed
 *
 * Rounds are half a second behind the full second, looks of sched/backfill a quarter:
 * times of traces are cut to seconds. Passes that cannot start anything are counted,
 * as they move the later ones, but not run: nothing fits, or nothing has changed since.
 *
 * Not modelled: the time that a pass takes (bf_max_time, bf_yield_interval); jobs that
 * are completing; which cores and sockets of a node a job has.
 *
 * Cost: a submission O(pending jobs) at worst; the passes as main.c and attempt.c have
 * it.
 */
#include "discipline/slurm/loops.h"

#include <string.h>

#include "torus/alloc.h"

#define ROUND_US (SLURM_SECOND / 2) /* of the controller, after the second */
#define LOOK_US (SLURM_SECOND / 4)  /* of sched/backfill */
#define MINUTE_US (60 * SLURM_SECOND)
#define BLOCK 256
#define SOON_US                                                                \
	2 /* sched_min_interval by default: the next pass may follow at once */
#define MAPS 5

struct slurm_block {
	struct slurm_block *next;
	struct slurm_job job[BLOCK];
};

static int64_t slurm_seconds(int64_t us)
{
	return us / SLURM_SECOND;
}

void torus_slurm_defaults(struct torus_slurm *slurm)
{
	*slurm = (struct torus_slurm){
		.sched_interval = 60,
		.sched_min_interval_us = SOON_US,
		.batch_sched_delay = 3,
		.default_queue_depth = 100,
		.max_jobs = 10000,
		.bf_interval = 30,
		.bf_window = 24 * 60 * 60,
		.bf_resolution = 60,
		.bf_max_job_test = 500,
		.bf_node_space_size = 500,
		.bf_max_job_array_resv = 20,
		.fair_tree = true,
		.calc_period = 300,
		.max_age = 7 * 24 * 60 * 60,
		.half_life = 7 * 24 * 60 * 60,
		.damping = 1,
	};
}

/* Memory of jobs */

static struct slurm_job *slurm_job_take(struct slurm *m)
{
	struct slurm_job *j;

	if (!m->spare) {
		struct slurm_block *b = torus_alloc(1, sizeof(*b));

		if (!b)
			return NULL;
		b->next = m->blocks;
		m->blocks = b;
		for (int i = 0; i < BLOCK; i++) {
			b->job[i].spare = m->spare;
			m->spare = &b->job[i];
		}
	}
	j = m->spare;
	m->spare = j->spare;
	return j;
}

static void slurm_job_drop(struct slurm *m, struct slurm_job *j)
{
	j->job->memo = NULL;
	j->spare = m->spare;
	m->spare = j;
}

/* The queue, in the order of Slurm's loops */

static bool slurm_stands_before(const struct slurm *m, const struct slurm_job *a,
				const struct slurm_job *b)
{
	uint32_t x = m->conf->partition[a->partition].tier;
	uint32_t y = m->conf->partition[b->partition].tier;

	if (x != y)
		return x > y;
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->submit != b->submit)
		return a->submit < b->submit;
	return a->job->sequence < b->job->sequence;
}

/* Sort again after a calculation of priorities. Return true if a job moved. */
static bool slurm_sort(struct slurm *m)
{
	bool moved = false;

	for (uint32_t i = 1; i < m->queued; i++) {
		struct slurm_job *j = m->queue[i];
		uint32_t k = i;

		for (; k > 0 && slurm_stands_before(m, j, m->queue[k - 1]); k--)
			m->queue[k] = m->queue[k - 1];
		m->queue[k] = j;
		moved |= k != i;
	}
	return moved;
}

/* -1 with ENOMEM. */
static int slurm_enqueue(struct slurm *m, struct slurm_job *j)
{
	uint32_t low = 0, high = m->queued;

	if (TORUS_GROW(m->queue, m->queue_room, m->queued + 1))
		return -1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (slurm_stands_before(m, j, m->queue[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	memmove(m->queue + low + 1, m->queue + low,
		(m->queued - low) * sizeof(*m->queue));
	m->queue[low] = j;
	m->queued++;
	return 0;
}

static void slurm_dequeue(struct slurm *m, uint32_t position)
{
	m->queued--;
	memmove(m->queue + position, m->queue + position + 1,
		(m->queued - position) * sizeof(*m->queue));
}

void slurm_started(struct slurm *m, uint32_t position, int64_t now_us)
{
	struct slurm_job *j = m->queue[position];

	slurm_dequeue(m, position);
	m->attempt_more = true;
	if (slurm_priority_start(&m->priority, j, slurm_seconds(now_us)))
		m->s->lacked_memory = true;
}

/* Return true if some pending job has enough free nodes. */
static bool slurm_may_start(const struct slurm *m)
{
	uint32_t free = torus_state_free_nodes(m->s->state);

	for (uint32_t i = 0; i < m->queued; i++) {
		if (m->queue[i]->job->nodes <= free)
			return true;
	}
	return false;
}

/* When the loops run */

/* Return the first round of the controller from now on, in a second of at least
 * `second`. */
static int64_t slurm_round(int64_t now_us, int64_t second)
{
	int64_t at_us = slurm_seconds(now_us) * SLURM_SECOND + ROUND_US;

	if (at_us < now_us)
		at_us += SLURM_SECOND;
	return slurm_seconds(at_us) < second ?
		       second * SLURM_SECOND + ROUND_US :
		       at_us;
}

/* Return the time of the attempt that follows an update at update_us. */
static int64_t slurm_look(const struct slurm *m, int64_t update_us)
{
	int64_t first_us = m->attempt_us + m->conf->bf_interval * SLURM_SECOND;
	int64_t late_us = update_us - first_us;

	if (late_us <= 0)
		return first_us;
	return first_us +
	       (late_us + SLURM_SECOND - 1) / SLURM_SECOND * SLURM_SECOND;
}

/* After an attempt: pending jobs behind others are an update in each; a single one in
 * each full pass of the main loop. */
static void slurm_attempted(struct slurm *m, int64_t at_us)
{
	m->attempt_us = at_us;
	m->update_us = m->queued > 1 ?
			       at_us :
		       m->queued ?
			       at_us + m->conf->sched_interval * SLURM_SECOND :
			       TORUS_NO_TIME;
}

/* Count the passes before `now` that were not run. */
static void slurm_catch_up(struct slurm *m, int64_t now_us)
{
	int64_t now = slurm_seconds(now_us), interval = m->conf->sched_interval;

	if (!m->begun) {
		m->begun = true;
		m->last_sched = now - 60;
		m->last_full = now;
		m->main_last_us = (now - 60) * SLURM_SECOND;
		m->attempt_us = now * SLURM_SECOND + LOOK_US -
				(m->conf->bf_interval + 60) * SLURM_SECOND;
	}
	if (interval > 0 && now - m->last_full > interval) {
		m->last_full += (now - m->last_full - 1) / interval * interval;
		if (m->last_sched < m->last_full)
			m->last_sched = m->last_full;
	}
	if (m->main_us < now_us) {
		m->last_sched = slurm_seconds(m->main_us);
		if (m->requested_us == TORUS_NO_TIME)
			m->requested_us = m->main_us;
		m->main_us = TORUS_NO_TIME;
	}
	if (m->requested_us != TORUS_NO_TIME) {
		int64_t at_us = m->main_last_us + m->conf->sched_min_interval_us;

		if (at_us < m->requested_us)
			at_us = m->requested_us;
		if (at_us < now_us) {
			m->main_last_us = at_us;
			m->requested_us = TORUS_NO_TIME;
			m->full = false;
		}
	}
	while (m->update_us != TORUS_NO_TIME && m->conf->bf_interval > 0) {
		int64_t at_us = slurm_look(m, m->update_us);

		if (at_us >= now_us)
			break;
		slurm_attempted(m, at_us);
	}
}

/* Something changed: job, node or priorities. */
static void slurm_update(struct slurm *m, int64_t now_us)
{
	if (m->update_us > now_us)
		m->update_us = now_us;
	m->attempt_more = true;
}

static void slurm_ask_main(struct slurm *m, int64_t now_us)
{
	int64_t at_us = slurm_round(now_us,
				    m->last_sched + m->conf->batch_sched_delay);

	if (at_us < m->main_us)
		m->main_us = at_us;
}

/* Bring everything up to now. */
static void slurm_now(struct slurm *m, int64_t now_us)
{
	slurm_catch_up(m, now_us);
	if (!slurm_priority_advance(&m->priority, slurm_seconds(now_us)))
		return;
	for (uint32_t i = 0; i < m->queued; i++)
		slurm_priority_set(&m->priority, m->queue[i]);
	if (!slurm_sort(m))
		return;
	m->main_more = true;
	slurm_update(m, now_us);
}

/* Events */

static uint32_t slurm_partition(struct slurm *m, const struct torus_job_owner *o)
{
	const struct torus_slurm *conf = m->conf;

	for (uint32_t p = 0; o && p < conf->partitions; p++) {
		if (!strcmp(conf->partition[p].name, o->partition))
			return p;
	}
	m->s->stats.strangers += o && *o->partition;
	return conf->default_partition;
}

static int64_t slurm_minutes(int64_t us)
{
	return us / MINUTE_US + (us % MINUTE_US != 0);
}

/* Set the limit in whole minutes, as Slurm does, also that of the plan. A limit that was
 * raised to the run time may be above MaxTime. */
static void slurm_limit(struct slurm_job *j,
			const struct torus_slurm_partition *p)
{
	struct torus_job *job = j->job;
	int64_t most = p->max_minutes == TORUS_SLURM_NO_LIMIT ? 365 * 24 * 60 :
								p->max_minutes;

	if (job->owner && job->owner->asked_us < 0)
		j->minutes = p->default_minutes == TORUS_SLURM_NO_LIMIT ?
				     most :
				     p->default_minutes;
	else
		j->minutes = slurm_minutes(job->limit_us);
	if (j->minutes < 1)
		j->minutes = 1;
	if (p->max_minutes != TORUS_SLURM_NO_LIMIT && j->minutes > most)
		j->minutes = most;
	job->limit_us = j->minutes * MINUTE_US;
}

/* Return why Slurm refuses the job or never starts it; NULL: it does. */
static const char *slurm_refuses(struct slurm *m, const struct slurm_job *j)
{
	const struct torus_slurm_partition *p =
		&m->conf->partition[j->partition];
	const struct torus_job_owner *o = j->job->owner;
	uint32_t nodes = m->conf->nodes ? j->parts.nodes : j->job->nodes;
	uint32_t all = p->nodes ? torus_bits_count(p->nodes, m->words) :
				  m->machine->nodes;

	if (!p->up)
		return "the State of the partition is not UP";
	if (o && o->asked_us > 0 && p->max_minutes != TORUS_SLURM_NO_LIMIT &&
	    slurm_minutes(o->asked_us) > p->max_minutes)
		return "a longer limit than MaxTime of the partition";
	if (j->job->nodes > all)
		return m->conf->nodes ? "the partition has fewer CPUs" :
					"the partition has fewer nodes";
	if (nodes > p->max_nodes)
		return "more nodes than MaxNodes of the partition";
	if (!m->conf->nodes && nodes < p->min_nodes)
		return "fewer nodes than MinNodes of the partition";
	if (m->conf->nodes &&
	    !slurm_parts_fit_empty(m, j,
				   p->nodes ?
					   p->nodes :
					   torus_state_present_map(m->s->state)))
		return "no nodes of the partition have its CPUs, memory and GPUs";
	return NULL;
}

/* Make room for counts by number. -1 with ENOMEM. */
static int slurm_grow_counts(struct slurm_count **c, uint32_t *room, uint32_t n)
{
	uint32_t before = *room;

	if (n <= before)
		return 0;
	if (TORUS_GROW(*c, *room, n))
		return -1;
	memset(*c + before, 0, (*room - before) * sizeof(**c));
	return 0;
}

static int slurm_job_make(struct slurm *m, struct slurm_job *j,
			  struct torus_job *job, int64_t submit_us)
{
	j->job = job;
	j->submit = slurm_seconds(submit_us);
	j->tried = false;
	j->partition = slurm_partition(m, job->owner);
	slurm_limit(j, &m->conf->partition[j->partition]);
	if (m->conf->nodes)
		slurm_parts_settle(m, j);
	if (slurm_priority_submit(&m->priority, j) ||
	    slurm_grow_counts(&m->user, &m->user_room, j->user + 1) ||
	    slurm_grow_counts(&m->user_part, &m->user_part_room,
			      (j->user + 1) * m->conf->partitions) ||
	    slurm_grow_counts(&m->association, &m->association_room,
			      m->priority.shares))
		return -1;
	if (!slurm_refuses(m, j))
		return slurm_enqueue(m, j);
	if (TORUS_GROW(m->refused, m->refused_room, m->refusals + 1))
		return -1;
	m->refused[m->refusals++] = j;
	return 0;
}

/* Take in a queued job; without memory a later pass does. */
static void slurm_admit(struct slurm *m, struct torus_job *job,
			int64_t submit_us)
{
	struct slurm_job *j = slurm_job_take(m);

	job->memo = NULL;
	if (j && !slurm_job_make(m, j, job, submit_us)) {
		job->memo = j;
		return;
	}
	m->s->lacked_memory = m->left_out = true;
	if (j)
		slurm_job_drop(m, j);
}

static void slurm_admit_left_out(struct slurm *m)
{
	struct torus_job *job = m->left_out ? m->s->queue.head : NULL;

	m->left_out = false;
	for (; job; job = job->next) {
		if (!job->memo)
			slurm_admit(m, job, job->submit_us);
	}
}

static void slurm_submitted(void *self, struct torus_job *job, int64_t now_us)
{
	struct slurm *m = self;

	slurm_now(m, now_us);
	slurm_update(m, now_us);
	slurm_ask_main(m, now_us);
	m->s->stats.crowded += (uint64_t)m->queued +
				       torus_state_holds(m->s->state) >=
			       m->conf->max_jobs;
	slurm_admit(m, job, now_us);
}

static void slurm_ended(void *self, struct torus_job *job, int64_t now_us)
{
	struct slurm *m = self;
	struct slurm_job *j = job->memo;

	slurm_now(m, now_us);
	slurm_update(m, now_us);
	if (m->conf->defer || !m->conf->epilog)
		slurm_ask_main(m, now_us);
	else if (m->requested_us == TORUS_NO_TIME)
		m->requested_us = now_us;
	if (!j)
		return;
	slurm_priority_end(&m->priority, j, slurm_seconds(now_us));
	slurm_job_drop(m, j);
}

static void slurm_left(void *self, struct torus_job *job, int64_t now_us)
{
	struct slurm *m = self;
	struct slurm_job *j = job->memo;

	slurm_now(m, now_us);
	slurm_update(m, now_us);
	for (uint32_t i = 0; i < m->queued; i++) {
		if (m->queue[i] == j) {
			slurm_dequeue(m, i);
			break;
		}
	}
	if (j)
		slurm_job_drop(m, j);
}

static void slurm_changed(void *self, int64_t now_us)
{
	struct slurm *m = self;

	slurm_now(m, now_us);
	slurm_update(m, now_us);
	slurm_ask_main(m, now_us);
}

/* The pass */

static void slurm_reject(struct slurm *m)
{
	for (uint32_t i = 0; i < m->refusals; i++) {
		struct slurm_job *j = m->refused[i];
		struct torus_job *job = j->job;

		if (job->memo == j) {
			torus_scheduler_reject(m->s, job, slurm_refuses(m, j));
			slurm_job_drop(m, j);
		}
	}
	m->refusals = 0;
}

/* Return true if no job that waits in the partition, or in nodes of it, has a higher
 * priority. */
static bool slurm_is_top(const struct slurm *m, const struct slurm_job *j)
{
	const struct torus_slurm_partition *mine =
		&m->conf->partition[j->partition];

	for (uint32_t i = 0; i < m->queued && m->queue[i] != j; i++) {
		const struct slurm_job *o = m->queue[i];
		const struct torus_slurm_partition *p =
			&m->conf->partition[o->partition];

		if (o->partition != j->partition && mine->nodes && p->nodes &&
		    !torus_bits_meet(mine->nodes, p->nodes, m->words))
			continue;
		if (o->priority > j->priority ||
		    (o->partition != j->partition && p->tier > mine->tier))
			return false;
	}
	return true;
}

/* salloc and srun: new jobs start at once if none waits before them. */
static void slurm_start_new(struct slurm *m, int64_t now_us)
{
	for (uint32_t i = 0; i < m->queued;) {
		struct slurm_job *j = m->queue[i];
		bool tried = j->tried;

		j->tried = true;
		slurm_select_partition(m, j);
		if (!tried && slurm_is_top(m, j) &&
		    slurm_select_start(m, j, now_us))
			slurm_started(m, i, now_us);
		else
			i++;
	}
}

/* Run the main loop if one of its passes is due, but not within sched_min_interval of the
 * latest one. */
static void slurm_run_main(struct slurm *m, int64_t now_us)
{
	const struct torus_slurm *conf = m->conf;
	int64_t now = slurm_seconds(now_us);
	bool round = now_us % SLURM_SECOND == ROUND_US;
	bool full = round && conf->sched_interval > 0 &&
		    now - m->last_full >= conf->sched_interval;
	bool asked = full || m->main_us <= now_us;

	if (asked) {
		m->main_us = TORUS_NO_TIME;
		m->last_sched = now;
		if (full)
			m->last_full = now;
		m->full |= full;
		if (m->requested_us == TORUS_NO_TIME)
			m->requested_us = now_us;
	}
	if (m->requested_us == TORUS_NO_TIME ||
	    (now_us < m->main_last_us + conf->sched_min_interval_us &&
	     !(asked && conf->sched_min_interval_us <= SOON_US)))
		return;
	m->requested_us = TORUS_NO_TIME;
	full = m->full;
	m->full = false;
	slurm_main_pass(m, now_us, full);
}

/* Return the next time at which a pass may start something. */
static int64_t slurm_wake(const struct slurm *m, int64_t now_us)
{
	const struct torus_slurm *conf = m->conf;
	int64_t at_us = TORUS_NO_TIME, next;

	if (!m->queued || !slurm_may_start(m))
		return at_us;
	if (conf->sched_interval >= 0) {
		if (m->requested_us != TORUS_NO_TIME)
			at_us = m->main_last_us + conf->sched_min_interval_us;
		if (m->main_us < at_us)
			at_us = m->main_us;
		next = slurm_round(now_us + 1,
				   m->last_full + conf->sched_interval);
		if (m->main_more && next < at_us)
			at_us = next;
	}
	if (conf->bf_interval > 0 && m->attempt_more &&
	    m->update_us != TORUS_NO_TIME) {
		next = slurm_look(m, m->update_us);
		if (next < at_us)
			at_us = next;
	}
	next = slurm_priority_next(&m->priority);
	if (next != INT64_MAX && m->queued > 1 && next * SLURM_SECOND < at_us)
		at_us = next * SLURM_SECOND;
	return at_us > now_us ? at_us : now_us + 1;
}

static int64_t slurm_pass(void *self, int64_t now_us)
{
	struct slurm *m = self;
	int64_t at_us, other_us;

	slurm_now(m, now_us);
	slurm_admit_left_out(m);
	slurm_reject(m);
	if (m->s->restricted || m->s->ladders) {
		slurm_update(m, now_us); /* what they may use depends on time */
		slurm_ask_main(m, now_us);
	}
	if (m->interactive && !m->conf->defer)
		slurm_start_new(m, now_us);
	if (m->conf->sched_interval >= 0)
		slurm_run_main(m, now_us);
	if (m->conf->bf_interval > 0 && m->update_us != TORUS_NO_TIME &&
	    slurm_look(m, m->update_us) <= now_us) {
		if (m->queued && m->attempt_more)
			slurm_attempt(m, now_us);
		slurm_attempted(m, now_us);
	}
	if (m->s->lacked_memory)
		m->requested_us = now_us; /* try again */
	at_us = slurm_wake(m, now_us);
	other_us = torus_scheduler_next_alternative(m->s, now_us);
	return other_us < at_us ? other_us : at_us;
}

/* The discipline */

static void slurm_destroy(void *self)
{
	struct slurm *m = self;
	struct slurm_block *b, *next;

	for (b = m->blocks; b; b = next) {
		next = b->next;
		torus_free(b);
	}
	slurm_priority_free(&m->priority);
	slurm_slots_free(&m->slots);
	slurm_parts_free(m);
	torus_free(m->queue);
	torus_free(m->refused);
	torus_free(m->free);
	torus_free(m->end);
	torus_free(m->user);
	torus_free(m->user_part);
	torus_free(m->association);
	torus_free(m->partition);
	torus_free(m->planned);
	torus_free(m->memory);
	torus_free(m->failed);
	torus_free(m->depth);
	torus_free(m);
}

static void *slurm_create(struct torus_scheduler *s)
{
	const struct torus_slurm *conf = s->settings.slurm;
	const struct torus_machine *machine = torus_state_machine(s->state);
	struct slurm *m = torus_alloc(1, sizeof(*m));
	uint64_t **map[MAPS];

	if (!m)
		return NULL;
	m->s = s;
	m->conf = conf;
	m->machine = machine;
	m->words = machine->words;
	m->interactive = torus_options_is(&s->settings.options, "submission",
					  "srun");
	m->flat = machine->pods == 1 && machine->pod[0].torus.flat;
	m->main_us = m->requested_us = m->update_us = TORUS_NO_TIME;
	m->memory = torus_alloc((size_t)MAPS * m->words, sizeof(*m->memory));
	m->failed = torus_alloc(conf->partitions, sizeof(*m->failed));
	m->depth = torus_alloc(conf->partitions, sizeof(*m->depth));
	m->partition = torus_alloc(conf->partitions, sizeof(*m->partition));
	m->planned = torus_alloc(conf->partitions, sizeof(*m->planned));
	if (!m->memory || !m->failed || !m->depth || !m->partition ||
	    !m->planned ||
	    slurm_slots_init(&m->slots, conf->bf_node_space_size, m->words,
			     conf->bf_resolution) ||
	    (conf->nodes && slurm_parts_init(m)) ||
	    slurm_priority_init(&m->priority, conf, machine->nodes)) {
		slurm_destroy(m);
		return NULL;
	}
	map[0] = &m->avail;
	map[1] = &m->usable;
	map[2] = &m->picked;
	map[3] = &m->scratch;
	map[4] = &m->work;
	for (uint32_t i = 0; i < MAPS; i++)
		*map[i] = m->memory + (size_t)i * m->words;
	return m;
}

static int slurm_supports(const struct torus_machine *m,
			  const struct torus_scheduler_settings *settings,
			  struct torus_error *why)
{
	(void)m;
	if (settings->slurm)
		return 0;
	return torus_error_add(
		why,
		"slurm-backfill: slurm.conf is missing: it is for replays, with --slurm-conf FILE, in a campaign options: {slurm_conf: FILE}");
}

const struct torus_discipline torus_discipline_slurm_backfill = {
	.name = "slurm-backfill",
	.summary =
		"stock Slurm, for replays: its main loop and sched/backfill, by slurm.conf",
	.source = "Slurm 22.05, job_scheduler.c and sched/backfill",
	.options =
		(const struct torus_option_help[]){
			{ "submission", "sbatch|srun", "sbatch",
			  "jobs of srun and salloc may start when they are submitted" },
			{ 0 },
		},
	.why_no_limit = "slurm.conf says what it does",
	.supports = slurm_supports,
	.create = slurm_create,
	.destroy = slurm_destroy,
	.submitted = slurm_submitted,
	.ended = slurm_ended,
	.left = slurm_left,
	.changed = slurm_changed,
	.pass = slurm_pass,
};
