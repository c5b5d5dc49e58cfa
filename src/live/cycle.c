/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle of cycle.h: create and destroy, and the snapshot of running jobs. A
 * snapshot, under the host's locks, only notes changes; cycle_update() reports
 * them to the scheduler, ends first.
 *
 * Cost: a snapshot O(1) per unchanged job; an update O(nodes + jobs) beside the
 * scheduler's own work.
 */
#include "torus/state_text.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "live/mirror/mirror.h"
#include "live/mirror/cycle_report.h"
#include "live/orders.h"
#include "live/sharing.h"
#include "live/mirror/waiting.h"
#include "live/mirror/outages.h"

#include <errno.h>

#include "torus/alloc.h"
#include "torus/weights.h"

#define SCRATCH 6     /* bitmaps of functions that call each other */
#define WINDOWS 20000 /* a pass with 10,000 bookings takes half a second */

static int cycle_create_maps(struct cycle *c)
{
	size_t words = c->m->words;

	c->maps = torus_alloc((3 + SCRATCH) * words, sizeof(*c->maps));
	c->until_us = torus_alloc(words * 64, sizeof(*c->until_us));
	c->untracked_until_us = torus_alloc(words * 64,
					    sizeof(*c->untracked_until_us));
	c->untracked = torus_alloc(words * 64, sizeof(*c->untracked));
	c->holder = torus_alloc(words * 64, sizeof(*c->holder));
	if (!c->maps || !c->until_us || !c->untracked_until_us ||
	    !c->untracked || !c->holder)
		return -1;
	c->out = c->maps;
	c->silent = c->out + words;
	c->present = c->silent + words;
	c->scratch = (struct torus_scratch){ .memory = c->present + words,
					     .words = (uint32_t)words,
					     .room = SCRATCH };
	torus_bits_copy(c->present, torus_state_free_map(c->empty),
			(uint32_t)words);
	for (size_t b = 0; b < words * 64; b++)
		c->untracked_until_us[b] = TORUS_NODE_IDLE;
	return 0;
}

struct cycle *cycle_create(const struct torus_machine *m,
			   const struct torus_scheduler_settings *settings,
			   uint32_t tries, struct torus_error *err)
{
	struct cycle *c = torus_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->m = m;
	c->settings = *settings;
	c->settings.no_preemption = true;
	c->settings.windows = WINDOWS;
	c->tries = tries;
	c->wake_us = c->asked_us = c->retry_us = TORUS_NO_TIME;
	c->state = torus_state_create(m);
	c->empty = torus_state_create(m);
	if (!c->state || !c->empty || cycle_create_maps(c) ||
	    sharing_create(c) || mirror_table_init(&c->waiting) ||
	    mirror_table_init(&c->running))
		goto error;
	c->submit_us = SUBMIT_US;
	c->search.budget_us = REQUIRED_BUDGET_US;
	c->search.plan = torus_plan_create(c->state);
	c->scheduler = torus_scheduler_create(c->state, &c->settings, err);
	if (!c->scheduler || !c->search.plan)
		goto error;
	return c;

error:
	cycle_destroy(c);
	return NULL;
}

void cycle_destroy(struct cycle *c)
{
	int saved = errno;

	if (!c)
		return;
	torus_scheduler_destroy(c->scheduler);
	torus_plan_destroy(c->search.plan);
	mirror_table_free(&c->waiting, mirror_entry_free);
	mirror_table_free(&c->running, mirror_entry_free);
	torus_state_destroy(c->state);
	torus_state_destroy(c->empty);
	node_sets_free(c);
	outages_free(c);
	owners_free(c);
	orders_free(c);
	sharing_free(c);
	torus_text_free(&c->begun_with);
	torus_link_list_free(&c->links);
	torus_weights_destroy(c->weights);
	running_reset(c);
	torus_free(c->running_new);
	torus_free(c->fresh);
	torus_free(c->untracked);
	torus_free(c->holder);
	torus_placement_room_free(&c->promise_room);
	torus_free(c->task);
	torus_free(c->until_us);
	torus_free(c->untracked_until_us);
	torus_free(c->maps);
	torus_free(c);
	errno = saved;
}

/* Make an entry of the running job that holds the region of a slot. */
static int cycle_revive(struct cycle *c, uint32_t slot)
{
	const struct torus_hold *h = torus_state_hold(c->state, slot);
	struct mirror_entry *e = torus_alloc(1, sizeof(*e));

	if (!e)
		return -1;
	e->name.job = (uint32_t)h->job;
	e->job = (struct torus_job){
		.id = h->job,
		.host = e,
		.state = TORUS_JOB_RUNNING,
		.start_us = h->start_us,
		.limit_us = h->end_us - h->start_us,
		.deadline_us = TORUS_NO_TIME,
		.slot = slot,
		.reservation = UINT32_MAX,
	};
	e->host_start_us = e->host_end_us = TORUS_NODE_IDLE;
	e->state = ENTRY_RUNNING;
	mirror_table_add(&c->running, e);
	return 0;
}

int cycle_restore(struct cycle *c, const char *text)
{
	uint32_t slots;

	if (torus_state_restore(c->state, text, NULL))
		return -1;
	c->changed = true;
	slots = torus_state_holds(c->state);
	for (uint32_t slot = 0; slot < slots; slot++) {
		const struct torus_hold *h = torus_state_hold(c->state, slot);

		if (h->job == 0) /* untracked: the next snapshot has them */
			torus_state_release(c->state, slot, NULL);
		else if (cycle_revive(c, slot))
			return -1;
	}
	return 0;
}

/* Snapshot */

void cycle_begin(struct cycle *c, int64_t now_us)
{
	c->tasks = 0;
	cycle_report_begin(c); /* in case there was no pass */
	c->number++;
	/* events of this snapshot come after the latest pass */
	c->now_us = now_us > c->now_us ||
				    c->now_us - now_us > CYCLE_CLOCK_ERROR_US ?
			    now_us :
			    c->now_us + 1;
	c->later_us = TORUS_NO_TIME;
	running_reset(c);
	sharing_begin(c);
	for (uint32_t b = 0; b < c->m->words * 64; b++)
		c->until_us[b] = TORUS_NODE_IDLE;
}

void cycle_set_out(struct cycle *c, const uint64_t *out)
{
	if (torus_bits_equal(c->out, out, c->m->words))
		return;
	torus_bits_copy(c->out, out, c->m->words);
	c->out_changed = true;
}

void cycle_set_silent(struct cycle *c, const uint64_t *silent)
{
	torus_bits_copy(c->silent, silent, c->m->words);
}

int cycle_set_links(struct cycle *c, const struct torus_link_list *links)
{
	if (torus_link_list_copy(&c->links, links))
		return -1;
	c->links_set = true;
	return 0;
}

int cycle_set_weights(struct cycle *c, const struct torus_weights *weights)
{
	struct torus_weights *copy;

	if (torus_weights_equal(c->m, c->weights, weights))
		return 0;
	copy = torus_weights_copy(weights);
	if (!copy)
		return -1;
	torus_weights_destroy(c->weights);
	c->weights = copy;
	c->weights_changed = true;
	return 0;
}

/* Update */

/* Apply the links of cycle_set_links(). -1 with errno; the next update tries
 * again. */
static int cycle_links_update(struct cycle *c)
{
	struct torus_link_list was = { 0 };
	int rc = 0;

	/* (a former update may have changed the one and failed for the other) */
	if (!c->links_set ||
	    (torus_link_list_equal(torus_state_links(c->state), &c->links) &&
	     torus_link_list_equal(torus_state_links(c->empty), &c->links)))
		return 0;
	if (torus_link_list_copy(&was, torus_state_links(c->state)) ||
	    torus_state_set_links(c->empty, &c->links) ||
	    torus_state_set_links(c->state, &c->links)) {
		rc = -1;
	} else {
		cycle_report_links(c, &was);
		c->changed = c->links_changed = true;
	}
	torus_link_list_free(&was);
	return rc;
}

/* Apply the weights of cycle_set_weights(). -1 with ENOMEM; the next update tries
 * again. */
static int cycle_weights_update(struct cycle *c)
{
	const struct torus_weights *was = torus_state_weights(c->state);
	uint64_t before = torus_state_generation(c->state);
	bool same_list = was && c->weights_changed &&
			 torus_weights_same_list(was, c->weights);

	if (!c->weights_changed)
		return 0;
	if (torus_state_set_weights(c->empty, c->weights) ||
	    torus_state_set_weights(c->state, c->weights))
		return -1;
	c->weights_changed = false;
	if (torus_state_generation(c->state) == before)
		return 0;
	cycle_report_weights(c, same_list);
	c->changed = true;
	return 0;
}

static void end_missing(struct cycle *c)
{
	struct mirror_entry *e, *next;

	for (e = c->running.first; e; e = next) {
		next = e->next;
		if (e->seen == c->number)
			continue;
		if (e->stay)
			cycle_report_stay(c, e, JOURNAL_COMPLETED, c->now_us);
		c->news = true;
		c->freed_us = c->now_us;
		torus_scheduler_end(c->scheduler, &e->job, c->now_us);
		mirror_table_remove(&c->running, e);
		mirror_entry_free(e);
	}
}

/* Report to the journal what plans depend on from now on. (If there are too many changes
 * or memory lacks, the last one is replaced.) */
static void note_change(const struct cycle *c, struct mirror_entry *e)
{
	int64_t limit_us = e->host_end_us - e->job.start_us;

	if (e->changes < JOURNAL_LIMITS &&
	    TORUS_GROW(e->change, e->change_room, e->changes + 1) == 0)
		e->changes++;
	if (e->changes > 0)
		e->change[e->changes - 1] = (struct journal_limit){
			c->now_us, limit_us > 0 ? limit_us : 0
		};
}

static void move_ends(struct cycle *c)
{
	for (struct mirror_entry *e = c->running.first; e; e = e->next) {
		if (!e->moved)
			continue;
		e->moved = false;
		torus_state_set_end(c->state, e->job.slot, e->host_end_us);
		note_change(c, e);
		if (e->stay)
			cycle_report_stay(c, e, JOURNAL_RUNNING, c->now_us);
		c->changed = true;
	}
}

int cycle_update(struct cycle *c)
{
	int rc;

	/* (nobody could wait for these) */
	c->news = c->another_pass || c->incomplete;
	end_missing(c);
	orders_end_undone(c);
	sharing_forget(c);
	move_ends(c);
	running_update(c);
	sharing_update(c);
	sharing_join_entries(c);
	rc = untracked_update(c);
	if (cycle_links_update(c) || cycle_weights_update(c))
		rc = -1;
	if (c->out_changed) {
		torus_state_out(c->state, c->out);
		cycle_report_nodes(c, true, 0, c->out);
		c->changed = true;
	}
	if (!c->begun)
		cycle_report_settle_state(c);
	if (c->changed) {
		c->news = true;
		c->freed_us = c->now_us;
		torus_scheduler_change(c->scheduler, c->now_us);
	}
	c->changed = false;
	if (waiting_submit(c))
		rc = -1;
	orders_set_aside(c);
	c->out_changed = c->links_changed = false;
	c->incomplete = rc != 0;
	return rc;
}

bool cycle_has_news(const struct cycle *c)
{
	return c->news;
}

bool cycle_share_news(const struct cycle *c)
{
	return c->share.news;
}

/* Looks */

int64_t cycle_wake_at(const struct cycle *c)
{
	return c->wake_us;
}

int64_t cycle_retry_at(const struct cycle *c)
{
	return c->another_pass ? c->now_us : c->retry_us;
}

uint32_t cycle_queued(const struct cycle *c)
{
	return torus_scheduler_queue(c->scheduler)->length;
}

void cycle_limit(struct cycle *c, const struct torus_pass_limit *limit)
{
	torus_scheduler_pass_limit(c->scheduler, limit);
}

int64_t cycle_budget_us(const struct cycle *c)
{
	return c->settings.pass_budget_us;
}

uint32_t cycle_left(const struct cycle *c)
{
	return torus_scheduler_cut(c->scheduler)->left;
}

struct torus_scheduler *cycle_scheduler(struct cycle *c)
{
	return c->scheduler;
}

static bool cycle_unsound(struct torus_error *err, const char *what)
{
	torus_error_add(err, "cycle: %s", what);
	return false;
}

bool cycle_check(struct cycle *c, struct torus_error *err)
{
	uint32_t queued = 0, held = c->untracked_slots;

	for (const struct mirror_entry *e = c->waiting.first; e; e = e->next) {
		if ((e->state == ENTRY_QUEUED) !=
		    (e->job.state == TORUS_JOB_QUEUED))
			return cycle_unsound(err,
					     "a waiting job differs from its entry");
		queued += e->state == ENTRY_QUEUED;
		held += e->job.state == TORUS_JOB_RUNNING; /* by an order */
	}
	for (const struct mirror_entry *e = c->running.first; e; e = e->next) {
		if (e->job.state != TORUS_JOB_RUNNING)
			return cycle_unsound(err,
					     "a running job is not running");
		held++;
	}
	if (queued != cycle_queued(c))
		return cycle_unsound(err, "the queue has other jobs");
	if (held != torus_state_holds(c->state))
		return cycle_unsound(err, "the state has other holds");
	if (!torus_scratch_check(&c->scratch))
		return cycle_unsound(err, "scratch bitmaps are misused");
	return torus_state_check(c->state, err);
}
