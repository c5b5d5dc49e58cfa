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
 * - reservations, of conservative and of easy's blocked jobs, and the running jobs
 *   share no node and time; with one of them on one set of nodes easy is as with
 *   none but the head's;
 * - where nothing can stop it, the head has no place, or it would have
 *   started.
 *
 * At the end every job that was neither rejected nor withdrawn has run once,
 * the machine is as empty as it was, and the same workload gives the same
 * schedule again.
 */
#include "torus/state_find.h"
#include "schedule_run.h"

static char context[160]; /* the case under way, shown if it fails */

/* The host */

static void note_start(struct world *w, struct torus_job *job, int64_t now)
{
	const struct torus_hold *h = torus_state_hold(w->s, job->slot);
	uint64_t *nodes = w->nodes[job->id];

	assert_int_equal(job->state, TORUS_JOB_RUNNING);
	assert_int_equal(job->start_us, now);
	assert_true(now >= job->submit_us);
	assert_true(job_accepts(job, job->alternative, now));
	assert_ptr_equal(h->owner, job);
	assert_int_equal(h->end_us, now + job->limit_us);
	workload_paint(&w->m, &h->place, nodes);
	assert_false(torus_bits_meet(nodes, w->busy, w->m.words));
	assert_false(torus_bits_meet(nodes, w->out, w->m.words));
	assert_true(torus_bits_count(nodes, w->m.words) >=
		    torus_ask_nodes(
			    &job->request.alternative[job->alternative].ask));
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
static void waiting_withdraw(struct world *w, int64_t now)
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
			       w->submitted < JOBS ? random_below(&w->r, 30) : 0,
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

static int64_t pass(struct world *w, int64_t now)
{
	static struct naive n;
	struct torus_error err = { 0 };
	struct torus_job *decided;
	int64_t wake;

	naive_foresee(w, now, &n);
	decided = torus_scheduler_pass(w->scheduler, now, &wake);
	assert_true(wake > now);
	for (struct torus_job *job = decided; job; job = job->decided)
		note_start(w, job, now);
	if (naive_exists(w))
		look_same(w, &n, decided);
	look_queue(w, now);
	assert_true(torus_queue_check(w->scheduler));
	if (!torus_state_check(w->s, &err))
		fail_msg("%s", err.text);
	return wake;
}

/* Workloads */

static void make_request(struct world *w, struct torus_job_request *request)
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
	struct torus_ask ask = torus_ask_among(&job->request.alternative[0].ask,
					       allowed);
	struct torus_placement place;

	if (w->confined && random_percent(&w->r, 40) &&
	    torus_state_find(w->s, &ask, &place, NULL) == TORUS_FITS)
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
		job->wait_limited = w->own_limits && random_percent(&w->r, 50);
		job->wait_limit_us = random_below(&w->r, 30);
		job->limit_us = random_below(&w->r, longest);
		if (w->deadlines && random_percent(&w->r, 70))
			job->deadline_us = t + random_below(&w->r, 3 * longest);
		w->run[i] = w->exact ?
				    job->limit_us :
			    w->estimates_hold ?
				    random_below(&w->r,
						 (uint32_t)job->limit_us + 1) :
				    random_below(&w->r, longest);
		w->end[i] = TORUS_NO_TIME;
		w->promised[i] = TORUS_NO_TIME;
		job->request.alternative = w->alternative[i];
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
		waiting_withdraw(w, now);
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

	if (!w->estimates_hold || w->outages || w->ladders || world_plain(w))
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
	w.settings.reservations = random_below(&w.r, 5);
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
	w.own_limits = random_percent(&w.r, 20);
	if (strcmp(discipline->name, "mlf") == 0)
		w.deadlines = true;
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

static void run_disciplines(const char *machine,
			    const struct torus_strategy *strategy, uint64_t seed)
{
	const struct torus_discipline *const *d;

	for (d = torus_disciplines(); *d; d++) {
		uint64_t hash = run_case(machine, strategy, *d, seed);

		if (seed % 7 == 0)
			assert_int_equal(run_case(machine, strategy, *d, seed),
					 hash);
	}
}

static void schedules_are_sound_in_every_discipline(void **state)
{
	(void)state;
	workload_each(random_seed("prop_schedule"), random_effort(12, 160),
		      run_disciplines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schedules_are_sound_in_every_discipline),
	};

	return workload_end(cmocka_run_group_tests(tests, NULL, NULL), context);
}
