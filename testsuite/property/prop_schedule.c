/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The disciplines on random workloads and small machines, with every strategy.
 *
 * A little host replays each workload: at every instant all ends, then the
 * submits, then one pass. It keeps its own map of who holds which node. After
 * each pass:
 *
 * - no job has started before its submit, or on a node that another holds or
 *   that is out of service;
 * - the queue is in the order that inserting from its tail, job by job, gives;
 * - fcfs, fpfs, their sorted variants and easy decide exactly as a naive
 *   version of them does, job by job and node by node, that copies states, asks
 *   about every queued job, and tries all expected ends in turn for a shadow
 *   time;
 * - the head of easy starts no later than any shadow time told to it, and
 *   conservative starts no job later than promised, while estimates hold;
 * - conservative's reservations and the running jobs share no node and time;
 * - where nothing can stop it, the head has no place, or it would have
 *   started.
 *
 * At the end every job that was neither rejected nor withdrawn has run once,
 * the machine is as empty as it was, and the same workload gives the same
 * schedule again.
 */
#include "discipline/disciplines.h"
#include "workload.h"

#define JOBS 40

struct world {
	struct random r;
	struct torus_machine m;
	struct torus_state *s;
	struct torus_scheduler *scheduler;
	struct torus_scheduler_settings settings;
	bool estimates_hold; /* no job runs longer than it said */
	bool exact;          /* nor shorter */
	bool outages; /* nodes fail, limits change; until all are submitted */
	bool promises; /* a start that was told must be kept */
	bool ladders;
	bool withdrawals;
	bool confined; /* some jobs may use some nodes only */
	uint64_t allowed[2][WORKLOAD_WORDS];
	struct torus_job job[JOBS];
	int64_t run[JOBS];
	int64_t end[JOBS];      /* of running jobs, else TORUS_NO_TIME */
	int64_t promised[JOBS]; /* latest start told so far */
	uint64_t nodes[JOBS][WORKLOAD_WORDS];
	uint64_t busy[WORKLOAD_WORDS];
	uint64_t out[WORKLOAD_WORDS];
	uint32_t submitted, ended, rejected, withdrawn;
	struct torus_job *order[JOBS]; /* the queue as it should be */
	uint32_t waiting;
	uint64_t version; /* of the machine's state */
	struct refusals {
		uint64_t version;
		int64_t shadow;
		const struct torus_job *head;
		struct torus_ask ask[JOBS];
		const uint64_t *allowed[JOBS];
		uint32_t length;
	} refusals; /* what the naive easy refused, in that situation */
	uint64_t hash; /* of the schedule */
};

static char context[160]; /* the case under way, shown if it fails */

/* How the disciplines without reservations work. */
static const struct plain {
	const char *name;
	int most, longest; /* sorted by nodes, by limit: 1 or -1 */
	bool searches;
} plain[] = {
	{ .name = "fcfs" },
	{ .name = "mpfs", .most = 1 },
	{ .name = "lpfs", .most = -1 },
	{ .name = "sjf", .longest = -1 },
	{ .name = "lpt", .longest = 1 },
	{ .name = "fpfs", .searches = true },
	{ .name = "fpmpfs", .most = 1, .searches = true },
	{ .name = "fplpfs", .most = -1, .searches = true },
};

/* A decision of the naive disciplines. */
struct decision {
	struct torus_job *job;
	uint64_t nodes[WORKLOAD_WORDS];
};

struct naive {
	struct world *w;
	struct torus_state *s;
	int64_t now;
	struct torus_job *queue[JOBS];
	uint32_t length;
	struct decision decision[JOBS];
	uint32_t decisions;
	uint64_t version;
	bool again;
};

/* The naive disciplines */

static bool accepts(const struct torus_job *job, uint32_t k, int64_t now)
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
	return torus_state_find(n->s, &ask, NULL, job->allowed, place, NULL) ==
	       TORUS_FITS;
}

/* Shadow time of alternative k in a state: every distinct end in turn. */
static int64_t naive_shadow(const struct torus_state *of, int64_t now,
			    const struct torus_job *job, uint32_t k)
{
	struct torus_state *s = torus_state_copy(of);
	struct torus_placement place;
	int64_t when = now;

	assert_non_null(s);
	while (torus_state_find(s, &job->request.alternative[k].ask, NULL,
				job->allowed, &place, NULL) != TORUS_FITS) {
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
			if (accepts(job, k, n->now) &&
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
			 uint32_t k, int64_t shadow,
			 const struct torus_job *job,
			 const struct torus_placement *place)
{
	struct torus_state *s = torus_state_copy(n->s);
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
			   const struct torus_job *job,
			   const struct torus_ask *ask)
{
	const struct refusals *r = refusals(n, shadow);

	for (uint32_t i = 0; i < r->length; i++) {
		if (torus_ask_same(&r->ask[i], ask) &&
		    r->allowed[i] == job->allowed)
			return torus_state_timeless(n->s) &&
			       !n->w->settings.offer_again;
	}
	return false;
}

static void note_refusal(struct naive *n, int64_t shadow,
			 const struct torus_job *job,
			 const struct torus_ask *ask)
{
	struct refusals *r = refusals(n, shadow);

	if (r->length == JOBS)
		return;
	r->allowed[r->length] = job->allowed;
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

		if (!accepts(job, k, n->now) ||
		    (late && refused_before(n, shadow, job, ask)) ||
		    !naive_place(n, job, k, &found))
			continue;
		workload_keep(&n->w->m, &place, &found, nodes);
		if (naive_delays(n, n->queue[0], of_head, shadow, job,
				 &place)) {
			if (late)
				note_refusal(n, shadow, job, ask);
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

		if (!accepts(head, k, n->now))
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

static const struct plain *plain_of(const struct world *w)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (strcmp(w->settings.discipline->name, plain[i].name) == 0)
			return &plain[i];
	}
	return NULL;
}

/* Waited as long as WaitLimit, where the discipline minds. */
static bool overdue(const struct world *w, const struct torus_job *job,
		    int64_t now)
{
	return plain_of(w) && w->settings.wait_limit_us != TORUS_NO_TIME &&
	       now - job->submit_us >= w->settings.wait_limit_us;
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
			if (accepts(job, k, n->now) &&
			    naive_place(n, job, k, &place))
				break;
		}
		if (k < job->request.alternatives) {
			naive_start(n, i, &place);
			n->again = true;
		} else if (overdue(n->w, job, n->now)) {
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

static bool has_naive(const struct world *w)
{
	return plain_of(w) ||
	       (strcmp(w->settings.discipline->name, "easy") == 0 &&
		w->settings.backfill_places == 1);
}

/* What a naive version of the discipline would decide now. */
static void foresee(struct world *w, int64_t now, struct naive *n)
{
	const struct plain *p = plain_of(w);

	memset(n, 0, sizeof(*n));
	n->w = w;
	n->now = now;
	n->version = w->version;
	n->s = torus_state_copy(w->s);
	assert_non_null(n->s);
	for (struct torus_job *job = torus_scheduler_queue(w->scheduler)->head;
	     job; job = job->next)
		n->queue[n->length++] = job;
	if (p && p->searches)
		naive_fpfs(n);
	else if (p)
		naive_front(n);
	else if (has_naive(w))
		naive_easy(n);
	torus_state_destroy(n->s);
}

/* The host */

static void note_start(struct world *w, struct torus_job *job, int64_t now)
{
	const struct torus_hold *h = torus_state_hold(w->s, job->slot);
	uint64_t *nodes = w->nodes[job->id];

	assert_int_equal(job->state, TORUS_JOB_RUNNING);
	assert_int_equal(job->start_us, now);
	assert_true(now >= job->submit_us);
	assert_true(accepts(job, job->alternative, now));
	assert_ptr_equal(h->owner, job);
	assert_int_equal(h->end_us, now + job->limit_us);
	workload_paint(&w->m, &h->place, nodes);
	assert_false(torus_bits_meet(nodes, w->busy, w->m.words));
	assert_false(torus_bits_meet(nodes, w->out, w->m.words));
	assert_true(torus_bits_count(nodes, w->m.words) >=
		    torus_ask_nodes(&job->request.alternative[job->alternative]
					     .ask));
	torus_bits_or(w->busy, nodes, w->m.words);
	w->version++;
	if (w->promises)
		assert_true(now <= w->promised[job->id]);
	w->end[job->id] = now + w->run[job->id];
	w->hash = (w->hash ^ job->id) * UINT64_C(0x100000001b3);
	w->hash = (w->hash ^ (uint64_t)now) * UINT64_C(0x100000001b3);
	for (uint32_t i = 0; i < w->m.words; i++)
		w->hash = (w->hash ^ nodes[i]) * UINT64_C(0x100000001b3);
}

static void end_jobs(struct world *w, int64_t now)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		if (w->end[i] != now)
			continue;
		w->end[i] = TORUS_NO_TIME;
		w->version++;
		torus_scheduler_end(w->scheduler, &w->job[i], now);
		assert_int_equal(w->job[i].state, TORUS_JOB_DONE);
		torus_bits_andnot(w->busy, w->nodes[i], w->m.words);
		w->ended++;
	}
}

/* Does a new job pass one in the queue? */
static bool passes(const struct world *w, const struct torus_job *new,
		   const struct torus_job *queued)
{
	const struct plain *p = plain_of(w);
	int64_t more;

	if (w->settings.order_by_priority && new->priority != queued->priority)
		return new->priority > queued->priority;
	if (!p)
		return false;
	more = p->longest * (new->limit_us - queued->limit_us);
	if (p->most)
		more = p->most *
		       ((int64_t)torus_ask_nodes(
				&new->request.alternative[0].ask) -
			(int64_t)torus_ask_nodes(
				&queued->request.alternative[0].ask));
	return more > 0;
}

static void mirror_insert(struct world *w, struct torus_job *job, int64_t now)
{
	uint32_t i = w->waiting++;

	for (; i > 0 && passes(w, job, w->order[i - 1]) &&
	       !overdue(w, w->order[i - 1], now); i--)
		w->order[i] = w->order[i - 1];
	w->order[i] = job;
}

/* Whoever is not queued any more. */
static void mirror_drop(struct world *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->waiting; i++) {
		if (w->order[i]->state == TORUS_JOB_QUEUED)
			w->order[n++] = w->order[i];
	}
	w->waiting = n;
}

static void submit_jobs(struct world *w, int64_t now)
{
	for (; w->submitted < JOBS && w->job[w->submitted].submit_us == now;
	     w->submitted++) {
		struct torus_job *job = &w->job[w->submitted];

		if (torus_scheduler_submit(w->scheduler, job, now, NULL) == 0) {
			mirror_insert(w, job, now);
			continue;
		}
		assert_int_equal(job->state, TORUS_JOB_REJECTED);
		assert_non_null(job->reason);
		w->rejected++;
	}
}

/* Somebody gives up waiting: often the head, or one behind. */
static void withdraw(struct world *w, int64_t now)
{
	struct torus_queue *q = torus_scheduler_queue(w->scheduler);
	struct torus_job *job = q->head;

	if (!w->withdrawals || !random_percent(&w->r, 15))
		return;
	for (uint32_t n = random_below(&w->r, 3); job && n > 0; n--)
		job = job->next;
	if (!job)
		return;
	torus_scheduler_remove(w->scheduler, job, now);
	assert_int_equal(job->state, TORUS_JOB_NEW);
	w->withdrawn++;
}

/* Nodes without a job fail or come back; limits of running jobs change. */
static void disturb(struct world *w, int64_t now)
{
	uint32_t i = random_below(&w->r, JOBS);

	if (!w->outages || !random_percent(&w->r, 20))
		return;
	w->version++;
	if (random_percent(&w->r, 30) && w->job[i].state == TORUS_JOB_RUNNING) {
		torus_state_set_end(w->s, w->job[i].slot,
				    now + random_below(&w->r, 20));
	} else {
		workload_nodes(&w->r, &w->m,
			       w->submitted < JOBS ? random_below(&w->r, 30) :
						     0,
			       w->out);
		torus_bits_andnot(w->out, w->busy, w->m.words);
		torus_state_out(w->s, w->out);
	}
	if (random_percent(&w->r, 50))
		torus_scheduler_change(w->scheduler, now);
}

/* In the end all nodes work. */
static void repair(struct world *w, int64_t now)
{
	if (w->submitted < JOBS)
		return;
	w->outages = false;
	w->version++;
	torus_bits_zero(w->out, w->m.words);
	torus_state_out(w->s, w->out);
	torus_scheduler_change(w->scheduler, now);
}

static int64_t next_event(const struct world *w, int64_t wake)
{
	int64_t next = wake;

	if (w->submitted < JOBS && w->job[w->submitted].submit_us < next)
		next = w->job[w->submitted].submit_us;
	for (uint32_t i = 0; i < JOBS; i++) {
		if (w->end[i] < next)
			next = w->end[i];
	}
	return next;
}

/* Checks after a pass */

/* Nobody shares a node and a time with a reservation. */
static void check_reservation(const struct world *w, int64_t now,
			      const struct torus_job *job)
{
	const struct torus_plan *p = torus_scheduler_plan(w->scheduler);
	const struct torus_reservation *r =
		torus_plan_reservation(p, job->reservation), *q;
	uint64_t mine[WORKLOAD_WORDS], other[WORKLOAD_WORDS];

	assert_ptr_equal(r->owner, job);
	assert_true(r->start_us > now);
	workload_paint(&w->m, &r->place, mine);
	for (const struct torus_job *j = job->next; j; j = j->next) {
		if (j->reservation == UINT32_MAX)
			continue;
		q = torus_plan_reservation(p, j->reservation);
		workload_paint(&w->m, &q->place, other);
		assert_false(torus_bits_meet(mine, other, w->m.words) &&
			     r->start_us < q->start_us + j->limit_us &&
			     q->start_us < r->start_us + job->limit_us);
	}
	for (uint32_t k = 0; k < torus_state_holds(w->s); k++) {
		const struct torus_hold *h = torus_state_hold(
			w->s, torus_state_by_end(w->s, k));

		workload_paint(&w->m, &h->place, other);
		assert_false(torus_bits_meet(mine, other, w->m.words) &&
			     h->end_us > now && r->start_us < h->end_us);
	}
}

/* May the head not have come to fit during the pass? Without a reservation;
 * conservative's others may cut a partition tree so that it does. */
static bool nothing_helps(const struct world *w, const struct torus_job *head)
{
	return head->reservation == UINT32_MAX &&
	       (torus_state_timeless(w->s) ||
		strcmp(w->settings.discipline->name, "conservative") != 0);
}

static void check_queue(struct world *w, int64_t now)
{
	struct torus_queue *q = torus_scheduler_queue(w->scheduler);
	struct torus_placement place;
	uint32_t length = 0;

	mirror_drop(w);
	for (struct torus_job *job = q->head; job; job = job->next) {
		assert_int_equal(job->state, TORUS_JOB_QUEUED);
		assert_ptr_equal(job->next ? job->next->prev : q->tail, job);
		assert_ptr_equal(job, w->order[length]);
		if (job->reservation != UINT32_MAX)
			check_reservation(w, now, job);
		if (w->promises)
			assert_true(job->start_us <= w->promised[job->id]);
		w->promised[job->id] = job->start_us;
		length++;
	}
	assert_int_equal(length, w->waiting);
	assert_true(torus_queue_check(w->scheduler));
	assert_int_equal(length, q->length);
	if (q->head && !w->ladders && nothing_helps(w, q->head))
		assert_int_not_equal(
			torus_state_find(w->s,
					 &q->head->request.alternative[0].ask,
					 NULL, q->head->allowed, &place, NULL),
			TORUS_FITS);
}

static void compare(struct world *w, const struct naive *n,
		    struct torus_job *decided)
{
	uint32_t i = 0;

	for (; decided; decided = decided->decided, i++) {
		assert_true(i < n->decisions);
		assert_ptr_equal(decided, n->decision[i].job);
		assert_memory_equal(w->nodes[decided->id],
				    n->decision[i].nodes,
				    sizeof(n->decision[i].nodes));
	}
	assert_int_equal(i, n->decisions);
}

static int64_t pass(struct world *w, int64_t now)
{
	static struct naive n;
	struct torus_error err = { 0 };
	struct torus_job *decided;
	int64_t wake;

	foresee(w, now, &n);
	decided = torus_scheduler_pass(w->scheduler, now, &wake);
	assert_true(wake > now);
	for (struct torus_job *job = decided; job; job = job->decided)
		note_start(w, job, now);
	if (has_naive(w))
		compare(w, &n, decided);
	check_queue(w, now);
	assert_true(torus_queue_check(w->scheduler));
	if (!torus_state_check(w->s, &err))
		fail_msg("%s", err.text);
	return wake;
}

/* Workloads */

static void make_request(struct world *w, struct torus_request *request)
{
	request->alternatives = 1;
	if (w->ladders)
		request->alternatives += random_below(&w->r, 3);
	for (uint32_t k = 0; k < request->alternatives; k++) {
		request->alternative[k].ask = workload_ask(&w->r, &w->m);
		request->alternative[k].after_us =
			k == 0 ? 0 :
				 request->alternative[k - 1].after_us +
					 random_below(&w->r, 15);
	}
}

/* Some nodes, if its first alternative has a place there. (With several pods
 * a count is settled for the whole machine.) */
static void confine(struct world *w, struct torus_job *job)
{
	const uint64_t *allowed = w->allowed[random_below(&w->r, 2)];
	struct torus_placement place;

	if (w->confined && random_percent(&w->r, 40) &&
	    torus_state_find(w->s, &job->request.alternative[0].ask, NULL,
			     allowed, &place, NULL) == TORUS_FITS)
		job->allowed = allowed;
}

static void make_jobs(struct world *w)
{
	uint32_t gap = 1 + random_below(&w->r, 8);
	uint32_t longest = 5 + random_below(&w->r, 25);
	int64_t t = random_below(&w->r, 5);

	for (uint32_t i = 0; i < JOBS; i++) {
		struct torus_job *job = &w->job[i];

		memset(job, 0, sizeof(*job));
		t += random_percent(&w->r, 40) ? 0 : random_below(&w->r, gap);
		job->id = i;
		job->submit_us = t;
		job->deadline_us = TORUS_NO_TIME;
		job->priority = random_below(&w->r, 4);
		job->limit_us = random_below(&w->r, longest);
		w->run[i] = w->exact ? job->limit_us :
			    w->estimates_hold ?
				    random_below(&w->r,
						 (uint32_t)job->limit_us + 1) :
				    random_below(&w->r, longest);
		w->end[i] = TORUS_NO_TIME;
		w->promised[i] = TORUS_NO_TIME;
		make_request(w, &job->request);
		confine(w, job);
	}
}

static void run(struct world *w)
{
	int64_t wake = TORUS_NO_TIME, now = 0;
	uint32_t passes = 0;

	make_jobs(w);
	while (w->ended + w->rejected + w->withdrawn < JOBS) {
		now = next_event(w, wake);
		if (now == TORUS_NO_TIME && w->outages) {
			now = 1000000; /* stuck until the nodes come back */
			repair(w, now);
		}
		assert_true(now != TORUS_NO_TIME);
		assert_true(passes++ < 100 * JOBS);
		end_jobs(w, now);
		submit_jobs(w, now);
		withdraw(w, now);
		disturb(w, now);
		wake = pass(w, now);
	}
	assert_int_equal(torus_scheduler_queue(w->scheduler)->length, 0);
	torus_bits_zero(w->out, w->m.words);
	torus_state_out(w->s, w->out);
	assert_int_equal(torus_state_free_nodes(w->s), w->m.nodes);
	assert_int_equal(torus_state_holds(w->s), 0);
}

/*
 * Must starts that were told be kept? Not when the future is not as told; not
 * by easy once somebody else may become the head, or a further alternative
 * acceptable. With partition trees, conservative only guesses the future, and
 * a job that ends early can merge the very pieces that suited the head.
 */
static bool promises(const struct world *w)
{
	bool easy = strcmp(w->settings.discipline->name, "easy") == 0;

	if (!w->estimates_hold || w->outages || w->ladders || plain_of(w))
		return false;
	if (easy && w->settings.order_by_priority)
		return false;
	return torus_state_timeless(w->s) || (easy && w->exact);
}

/* One workload; its schedule's hash, or 0 if the strategy does not suit. */
static uint64_t run_case(const char *machine,
			 const struct torus_strategy *strategy,
			 const struct torus_discipline *discipline,
			 uint64_t seed)
{
	static struct world w;
	struct torus_error err = { 0 };

	memset(&w, 0, sizeof(w));
	w.r.state = seed;
	if (!workload_machine(&w.m, machine, strategy))
		return 0;
	snprintf(context, sizeof(context), "%s %s %s seed %llu", machine,
		 strategy->name, discipline->name, (unsigned long long)seed);
	torus_scheduler_defaults(&w.settings);
	w.settings.discipline = discipline;
	w.settings.order_by_priority = random_percent(&w.r, 25);
	w.settings.offer_again = random_percent(&w.r, 20);
	w.settings.index_at = random_below(&w.r, 5); /* 0: never, so short */
	if (random_percent(&w.r, 20))
		w.settings.backfill_places = 1 + random_below(&w.r, 4);
	w.exact = random_percent(&w.r, 40);
	w.estimates_hold = w.exact || random_percent(&w.r, 65);
	w.outages = random_percent(&w.r, 20);
	w.ladders = random_percent(&w.r, 20);
	w.withdrawals = random_percent(&w.r, 25);
	w.confined = w.m.pods == 1 && random_percent(&w.r, 20);
	for (int i = 0; i < 2; i++)
		workload_nodes(&w.r, &w.m, 70, w.allowed[i]);
	if (random_percent(&w.r, 40))
		w.settings.wait_limit_us = random_below(&w.r, 30);
	w.hash = UINT64_C(0xcbf29ce484222325);
	w.s = torus_state_create(&w.m);
	assert_non_null(w.s);
	w.promises = promises(&w);
	w.scheduler = torus_scheduler_create(w.s, &w.settings, &err);
	if (!w.scheduler && discipline->supports &&
	    discipline->supports(&w.m, &w.settings, NULL)) {
		torus_state_destroy(w.s);
		torus_machine_free(&w.m);
		return 0;
	}
	if (!w.scheduler)
		fail_msg("%s", err.text);
	run(&w);
	torus_scheduler_destroy(w.scheduler);
	torus_state_destroy(w.s);
	torus_machine_free(&w.m);
	return w.hash;
}

static void run_machine(const char *machine, uint64_t seed)
{
	const struct torus_strategy *const *s;
	const struct torus_discipline *const *d;

	for (s = torus_strategies(); *s; s++) {
		for (d = torus_disciplines(); *d; d++) {
			uint64_t hash = run_case(machine, *s, *d, seed);

			if (seed % 7 == 0)
				assert_int_equal(run_case(machine, *s, *d,
							  seed),
						 hash);
		}
	}
}

static void test_schedule(void **state)
{
	uint64_t seed = random_seed("prop_schedule");
	uint32_t cases = random_effort(40, 50);

	(void)state;
	for (uint32_t i = 0; i < cases; i++) {
		for (size_t k = 0; k < WORKLOAD_MACHINES; k++)
			run_machine(workload_machines[k], seed + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedule),
	};

	if (cmocka_run_group_tests(tests, NULL, NULL) == 0)
		return EXIT_SUCCESS;
	printf("# failed in: %s\n", context);
	return EXIT_FAILURE;
}
