/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Naive versions of the disciplines, job by job and node by node: they copy
 * states, ask about every queued job, and try all expected ends in turn for a
 * shadow time.
 */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "schedule_run.h"

/* How the disciplines without reservations work. */
static const struct plain plain[] = {
	{ .name = "fcfs" },
	{ .name = "mpfs", .most = 1 },
	{ .name = "lpfs", .most = -1 },
	{ .name = "sjf", .longest = -1 },
	{ .name = "lpt", .longest = 1 },
	{ .name = "mlf", .urgent = true },
	{ .name = "fpfs", .searches = true },
	{ .name = "fpmpfs", .most = 1, .searches = true },
	{ .name = "fplpfs", .most = -1, .searches = true },
};

bool job_accepts(const struct torus_job *job, uint32_t k, int64_t now)
{
	return now - job->submit_us >= job->request.alternative[k].after_us;
}

/* Start the i-th of the queue. */
static void naive_start(struct naive *n, uint32_t i,
			const struct torus_placement *place)
{
	struct decision *d = &n->decision[n->decisions++];
	struct torus_job *job = n->queue[i];

	n->version++;
	n->length--;
	memmove(n->queue + i, n->queue + i + 1,
		(n->length - i) * sizeof(*n->queue));
	d->job = job;
	workload_paint(&n->w->m, place, d->nodes);
	assert_true(torus_state_commit(n->s, place, job->id, NULL, n->now,
				       torus_time_after(n->now, job->limit_us),
				       NULL) != TORUS_NO_SLOT);
}

/* A strategy may choose among places by when the job would start and end. */
static bool naive_place(struct naive *n, const struct torus_job *job,
			uint32_t k, struct torus_placement *place)
{
	struct torus_ask ask = job->request.alternative[k].ask;

	ask.now_us = n->now;
	ask.end_us = torus_time_after(n->now, job->limit_us);
	return torus_state_find(n->s, &ask, place, NULL) == TORUS_FITS;
}

/* Shadow time of alternative k in a state: every distinct end in turn. */
static int64_t naive_shadow(const struct torus_state *of, int64_t now,
			    const struct torus_job *job, uint32_t k)
{
	struct torus_state *s = torus_state_twin(of);
	struct torus_placement place;
	int64_t when = now;

	assert_non_null(s);
	while (torus_state_find(s, &job->request.alternative[k].ask, &place,
				NULL) != TORUS_FITS) {
		uint32_t slot;
		int64_t end;

		if (torus_state_holds(s) == 0) {
			when = TORUS_NO_TIME;
			break;
		}
		slot = torus_state_by_end(s, 0);
		end = torus_state_hold(s, slot)->end_us;
		when = end > now ? end : now + 1;
		while (torus_state_holds(s) > 0) {
			slot = torus_state_by_end(s, 0);
			if (torus_state_hold(s, slot)->end_us > when)
				break;
			torus_state_release(s, slot, NULL);
		}
	}
	torus_state_destroy(s);
	return when;
}

/* Start jobs from the front until one has no place. */
static void naive_front(struct naive *n)
{
	struct torus_placement place;
	uint32_t k;

	while (n->length > 0) {
		struct torus_job *job = n->queue[0];

		for (k = 0; k < job->request.alternatives; k++) {
			if (job_accepts(job, k, n->now) &&
			    naive_place(n, job, k, &place))
				break;
		}
		if (k == job->request.alternatives)
			return;
		naive_start(n, 0, &place);
	}
}

/* Would the head's shadow time be later with the job there? */
static bool naive_delays(struct naive *n, const struct torus_job *head,
			 uint32_t k, int64_t shadow, const struct torus_job *job,
			 const struct torus_placement *place)
{
	struct torus_state *s = torus_state_twin(n->s);
	int64_t later;

	assert_non_null(s);
	assert_true(torus_state_commit(s, place, job->id, NULL, n->now,
				       torus_time_after(n->now, job->limit_us),
				       NULL) != TORUS_NO_SLOT);
	later = naive_shadow(s, n->now, head, k);
	torus_state_destroy(s);
	return later > shadow;
}

/* The refusals, none if the situation is another one by now. */
static struct refusals *refusals(struct naive *n, int64_t shadow)
{
	struct refusals *r = &n->w->refusals;

	if (r->version != n->version || r->shadow != shadow ||
	    r->head != n->queue[0]) {
		r->version = n->version;
		r->shadow = shadow;
		r->head = n->queue[0];
		r->length = 0;
	}
	return r;
}

/* Was the same refused before, to a job that would end too late as well?
 * (Strategies with a memory are always asked.) */
static bool refused_before(struct naive *n, int64_t shadow,
			   const struct torus_ask *ask)
{
	const struct refusals *r = refusals(n, shadow);

	for (uint32_t i = 0; i < r->length; i++) {
		if (torus_ask_same(&r->ask[i], ask))
			return torus_state_timeless(n->s) &&
			       !n->w->settings.offer_again;
	}
	return false;
}

static void note_refusal(struct naive *n, int64_t shadow,
			 const struct torus_ask *ask)
{
	struct refusals *r = refusals(n, shadow);

	if (r->length == JOBS)
		return;
	r->ask[r->length++] = *ask;
}

/* Offer the i-th its place beside the head, which is the 0th. */
static bool naive_backfill(struct naive *n, uint32_t of_head, int64_t shadow,
			   uint32_t i)
{
	struct torus_job *job = n->queue[i];
	struct torus_placement place, found;
	uint64_t nodes[WORKLOAD_WORDS];

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		const struct torus_ask *ask = &job->request.alternative[k].ask;
		bool late = n->now + job->limit_us > shadow;

		if (!job_accepts(job, k, n->now) ||
		    (late && refused_before(n, shadow, ask)) ||
		    !naive_place(n, job, k, &found))
			continue;
		workload_keep(&n->w->m, &place, &found, nodes);
		if (naive_delays(n, n->queue[0], of_head, shadow, job, &place)) {
			if (late)
				note_refusal(n, shadow, ask);
			continue;
		}
		naive_start(n, i, &place);
		return true;
	}
	return false;
}

/* The shadow time of the head and the alternative that it is for. */
static int64_t naive_head(struct naive *n, uint32_t *best)
{
	struct torus_job *head = n->queue[0];
	int64_t shadow = TORUS_NO_TIME;

	*best = 0;
	for (uint32_t k = 0; k < head->request.alternatives; k++) {
		int64_t when;

		if (!job_accepts(head, k, n->now))
			continue;
		when = naive_shadow(n->s, n->now, head, k);
		if (when < shadow) {
			shadow = when;
			*best = k;
		}
	}
	if (n->w->promises)
		assert_true(shadow <= n->w->promised[head->id]);
	n->w->promised[head->id] = shadow;
	return shadow;
}

static void naive_easy(struct naive *n)
{
	int64_t shadow;
	uint32_t best;

again:
	naive_front(n);
	if (n->length == 0)
		return;
	shadow = naive_head(n, &best);
	for (uint32_t i = 1; i < n->length;) {
		if (!naive_backfill(n, best, shadow, i)) {
			i++;
			continue;
		}
		shadow = naive_shadow(n->s, n->now, n->queue[0], best);
		if (shadow == n->now)
			goto again;
	}
}

const struct plain *world_plain(const struct world *w)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (strcmp(w->settings.discipline->name, plain[i].name) == 0)
			return &plain[i];
	}
	return NULL;
}

bool world_overdue(const struct world *w, const struct torus_job *job,
		   int64_t now)
{
	int64_t limit = job->wait_limited ? job->wait_limit_us :
					    w->settings.wait_limit_us;

	return world_plain(w) && limit != TORUS_NO_TIME &&
	       now - job->submit_us >= limit;
}

/* Start whoever fits, in order, again and again, up to the first that does
 * not and has waited long enough. */
static void naive_fpfs(struct naive *n)
{
	struct torus_placement place;
	uint32_t k;

again:
	for (uint32_t i = 0; i < n->length;) {
		struct torus_job *job = n->queue[i];

		for (k = 0; k < job->request.alternatives; k++) {
			if (job_accepts(job, k, n->now) &&
			    naive_place(n, job, k, &place))
				break;
		}
		if (k < job->request.alternatives) {
			naive_start(n, i, &place);
			n->again = true;
		} else if (world_overdue(n->w, job, n->now)) {
			break;
		} else {
			i++;
		}
	}
	if (!n->again)
		return;
	n->again = false;
	goto again;
}

/* Is the head the only job with a reservation? Not if its start is unknown: a ladder
 * may have no alternative yet. */
static bool naive_has_one_set(const struct world *w)
{
	return w->settings.reservations == 0 ||
	       (w->settings.reservations == 1 && w->m.pods == 1 &&
		!w->outages && !w->confined && !w->ladders);
}

bool naive_exists(const struct world *w)
{
	return world_plain(w) ||
	       (strcmp(w->settings.discipline->name, "easy") == 0 &&
		w->settings.backfill_places == 1 && naive_has_one_set(w));
}

void naive_foresee(struct world *w, int64_t now, struct naive *n)
{
	const struct plain *p = world_plain(w);

	memset(n, 0, sizeof(*n));
	n->w = w;
	n->now = now;
	n->version = w->version;
	n->s = torus_state_twin(w->s);
	assert_non_null(n->s);
	for (struct torus_job *job = torus_scheduler_queue(w->scheduler)->head;
	     job; job = job->next)
		n->queue[n->length++] = job;
	if (p && p->searches)
		naive_fpfs(n);
	else if (p)
		naive_front(n);
	else if (naive_exists(w))
		naive_easy(n);
	torus_state_destroy(n->s);
}
