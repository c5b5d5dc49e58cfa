/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running jobs that the cycle (cycle.h) has not started, or that have other nodes
 * now: jobs that the host started, and all jobs after a restart. Each becomes an
 * entry with a hold of its own, so that its end is one event. If that is impossible,
 * its nodes are untracked (untracked.c).
 *
 * Cost: O(nodes) per job.
 */
#include "live/mirror/mirror.h"
#include "live/mirror/cycle_report.h"
#include "live/sharing.h"
#include "live/orders.h"

#include "torus/alloc.h"
#include "torus/usage.h"

void running_reset(struct cycle *c)
{
	while (c->running_news > 0)
		torus_free(c->running_new[--c->running_news].nodes);
}

static bool running_times_agree(int64_t a, int64_t b)
{
	return a > b ? a - b <= CYCLE_CLOCK_ERROR_US :
		       b - a <= CYCLE_CLOCK_ERROR_US;
}

/* Note the times of the first snapshot with the job. If its start and its limit are
 * those that were planned with, then the end is, too, but for whole seconds and the
 * time that the start took. (On the nodes of a saved state another run may have begun
 * since.) */
static void running_note_times(struct cycle *c, struct mirror_entry *e,
			       int64_t start_us, int64_t end_us)
{
	int64_t end = torus_state_hold(c->state, e->job.slot)->end_us;

	e->host_start_us = start_us;
	e->host_end_us = (end_us - start_us == e->job.limit_us &&
			  running_times_agree(e->job.start_us, start_us)) ||
					 running_times_agree(end, end_us) ?
				 end_us :
				 TORUS_NODE_IDLE;
}

static void running_seen(struct cycle *c, struct mirror_entry *e, int64_t end_us)
{
	e->seen = c->number;
	if (e->host_end_us != end_us) {
		e->host_end_us = end_us;
		e->moved = true;
	}
}

/* Return true if the entry is of a saved state, and no snapshot has confirmed it: the
 * job may have been requeued since, and run on other nodes. */
static bool running_is_restored(const struct mirror_entry *e)
{
	return !e->started_by_pass && e->host_start_us == TORUS_NODE_IDLE;
}

/* Return true if the entry is of another run of the job, which ended and was started
 * again between two snapshots. */
static bool running_is_another(const struct mirror_entry *e, int64_t start_us)
{
	if (e->host_start_us != TORUS_NODE_IDLE)
		return e->host_start_us != start_us;
	return e->started_by_pass &&
	       !running_times_agree(e->job.start_us, start_us);
}

/* Keep the hold of an entry that no snapshot has confirmed if the job has these
 * nodes: a restored one, or a start that the host dates otherwise. */
static bool running_confirm(struct cycle *c, const struct cycle_running_job *use)
{
	struct cycle_name name = { .job = use->job };
	struct mirror_entry *e = mirror_table_find(&c->running, &name);
	uint64_t *held;
	bool same;

	if (!e || e->host_start_us != TORUS_NODE_IDLE || use->shares)
		return false;
	held = torus_scratch_take(&c->scratch);
	torus_bits_zero(held, c->m->words);
	torus_hold_paint(c->state, torus_state_hold(c->state, e->job.slot),
			 held);
	same = torus_bits_equal(held, use->nodes, c->m->words);
	torus_scratch_return(&c->scratch, held);
	if (!same)
		return false;
	e->host_nodes = torus_bits_count(use->nodes, c->m->words);
	e->job.owner = use->owner;
	torus_scheduler_adopt(c->scheduler, &e->job, c->now_us);
	running_note_times(c, e, use->start_us, use->end_us);
	running_seen(c, e, use->end_us);
	return true;
}

int running_add(struct cycle *c, const struct cycle_running_job *use)
{
	struct running_new *a;

	if (running_confirm(c, use))
		return 0;
	if (TORUS_GROW(c->running_new, c->running_room, c->running_news + 1))
		return -1;
	a = c->running_new + c->running_news;
	*a = (struct running_new){ .use = *use };
	a->nodes = torus_alloc(c->m->words, sizeof(*a->nodes));
	if (!a->nodes)
		return -1;
	torus_bits_copy(a->nodes, use->nodes, c->m->words);
	a->has_place = use->place && !use->place->scattered;
	if (a->has_place)
		a->place = *use->place;
	c->running_news++;
	return 0;
}

/* Make the job's nodes a scattered place. */
static void running_scatter(const struct cycle *c, struct running_new *a)
{
	uint32_t first = torus_bits_next(a->nodes, c->m->words, 0), index;
	const struct torus_pod *pod;

	a->place = (struct torus_placement){ .scattered = true };
	a->place.granted = torus_bits_count(a->nodes, c->m->words);
	a->place.pod = torus_machine_pod(c->m, first, &index);
	pod = &c->m->pod[a->place.pod];
	a->place.nodes = a->nodes + pod->first_word;
	if (torus_bits_count(a->place.nodes, pod->words) == a->place.granted)
		return;
	a->place.spread = true;
	a->place.pod = 0;
	a->place.nodes = a->nodes;
}

static uint32_t running_hold_place(struct cycle *c, const struct running_new *a,
				   struct mirror_entry *e)
{
	return torus_state_commit(c->state, &a->place, a->use.job, &e->job,
				  a->use.start_us, a->use.end_us, NULL);
}

/* Make the entry of a job that the host started. NULL: its nodes cannot be one
 * hold, or ENOMEM. */
static struct mirror_entry *running_enter(struct cycle *c, struct running_new *a)
{
	struct mirror_entry *e = torus_alloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->name.job = a->use.job;
	e->job.id = a->use.job;
	e->job.host = e;
	e->job.state = TORUS_JOB_RUNNING;
	e->job.start_us = a->use.start_us;
	e->job.limit_us = a->use.end_us - a->use.start_us;
	e->job.deadline_us = TORUS_NO_TIME;
	e->job.reservation = UINT32_MAX;
	e->job.owner = a->use.owner;
	e->host_start_us = a->use.start_us;
	e->host_end_us = a->use.end_us;
	e->state = ENTRY_RUNNING;
	e->seen = c->number;
	e->job.slot = a->has_place ? running_hold_place(c, a, e) : TORUS_NO_SLOT;
	if (e->job.slot == TORUS_NO_SLOT) {
		running_scatter(c, a);
		e->job.slot = running_hold_place(c, a, e);
	}
	if (e->job.slot == TORUS_NO_SLOT) {
		mirror_entry_free(e);
		return NULL;
	}
	return e;
}

/*
 * Return true if no other job has one of its nodes. Jobs that share nodes come
 * with each snapshot; their nodes stay untracked. So do those of jobs without a
 * node in any torus.
 */
static bool running_is_alone(const struct cycle *c, const struct running_new *a,
			     const uint64_t *held)
{
	return torus_bits_next(a->nodes, c->m->words, 0) != UINT32_MAX &&
	       !torus_bits_meet(a->nodes, held, c->m->words);
}

void running_update(struct cycle *c)
{
	uint64_t *held;
	bool dropped = false;

	if (c->running_news == 0)
		return;
	held = torus_scratch_take(&c->scratch);
	untracked_paint_held(c, held);
	for (uint32_t i = 0; i < c->running_news; i++) {
		struct running_new *a = &c->running_new[i];
		struct mirror_entry *e = NULL;

		if (a->use.shares)
			sharing_use(c, a->nodes);
		else if (running_is_alone(c, a, held)) {
			if (!dropped) /* an untracked hold may have these nodes */
				untracked_drop(c);
			dropped = true;
			e = running_enter(c, a);
		}
		if (e) {
			mirror_table_add(&c->running, e);
			torus_scheduler_adopt(c->scheduler, &e->job, c->now_us);
			cycle_report_host_start(c, e, true);
			torus_bits_or(held, a->nodes, c->m->words);
		} else {
			untracked_add(c, a->nodes, a->use.end_us);
		}
	}
	torus_scratch_return(&c->scratch, held);
}

/* Return true if the job has released nodes, or has other ones. */
static bool running_resized(const struct cycle *c, struct mirror_entry *e,
			    uint32_t nodes)
{
	if (e->host_nodes == 0)
		e->host_nodes = e->started_by_pass ?
					torus_state_hold(c->state, e->job.slot)
						->place.granted :
					nodes;
	return nodes && nodes != e->host_nodes;
}

bool running_unchanged(struct cycle *c, uint32_t job, uint32_t nodes,
		       int64_t start_us, int64_t end_us)
{
	struct cycle_name name = { .job = job };
	struct mirror_entry *e = mirror_table_find(&c->running, &name);

	if (!e || running_is_restored(e) || running_is_another(e, start_us) ||
	    running_resized(c, e, nodes))
		return false;
	if (e->host_start_us == TORUS_NODE_IDLE)
		running_note_times(c, e, start_us, end_us);
	running_seen(c, e, end_us);
	return true;
}

bool running_completing(struct cycle *c, uint32_t job, int64_t start_us)
{
	struct cycle_name name = { .job = job };
	struct mirror_entry *e = mirror_table_find(&c->running, &name);

	if (!e || running_is_restored(e) || running_is_another(e, start_us))
		return false;
	e->seen = c->number;
	return true;
}
