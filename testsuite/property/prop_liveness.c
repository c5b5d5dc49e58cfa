/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Liveness: whatever users submit, a job that the machine can hold starts within a
 * bound. L is the longest time limit; jobs end by theirs.
 *
 * - fcfs, easy, conservative: (k + 1) L after the submission, with k jobs before it
 *   in the queue then;
 * - the sorted ones and fpfs may starve a job. With a wait limit W it starts within
 *   W + (k + 1) L, with k jobs in the queue when it has waited for W;
 * - a job with a deadline has started or is rejected by then (dedf, dedf-replan,
 *   buddy-rt, stacking).
 *
 * A little host submits random jobs and then small ones for as long as a job of the
 * first ones waits. The named cases have a head that waits for long, and a large job
 * that must not wait for it.
 */
#include "torus/state_find.h"
#include "workload.h"

#define JOBS 4000
#define FIRST 30   /* random jobs, before the stream of small ones */
#define LONGEST 40 /* L */
#define LIMIT 100  /* W */
#define MOST_QUEUED 24
#define WORDS WORKLOAD_WORDS

struct host {
	struct random r;
	struct torus_machine m;
	struct torus_state *s, *empty;
	struct torus_scheduler_settings settings;
	struct torus_scheduler *scheduler;
	struct torus_job job[JOBS];
	struct torus_alternative alternative[JOBS];
	int64_t run[JOBS], end[JOBS], bound[JOBS];
	uint64_t allowed[3][WORDS];
	uint32_t jobs;
	int64_t now, wake;
	char what[128];
};

static struct host *host_create(const char *machine, const char *strategy,
				const char *discipline)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	snprintf(h->what, sizeof(h->what), "%s %s %s", machine, strategy,
		 discipline);
	assert_true(workload_machine(&h->m, machine,
				     torus_strategy_find(strategy)));
	h->s = torus_state_create(&h->m);
	h->empty = torus_state_create(&h->m);
	assert_non_null(h->s);
	assert_non_null(h->empty);
	torus_scheduler_defaults(&h->settings);
	h->settings.discipline = torus_discipline_find(discipline);
	h->settings.mean_hold_us = 10;
	return h;
}

static void host_begin(struct host *h)
{
	struct torus_error err = { 0 };

	h->scheduler = torus_scheduler_create(h->s, &h->settings, &err);
	if (!h->scheduler)
		fail_msg("%s: %s", h->what, err.text);
}

static void host_destroy(struct host *h)
{
	torus_scheduler_destroy(h->scheduler);
	torus_state_destroy(h->s);
	torus_state_destroy(h->empty);
	torus_machine_free(&h->m);
	free(h);
}

/* Submit a box of up to three sides (0: none), or with b 0 a count. Return NULL if
 * not even the empty machine holds it. */
static struct torus_job *host_submit(struct host *h, uint32_t a, uint32_t b,
				     uint32_t c, int64_t limit, int64_t run,
				     const uint64_t *allowed)
{
	uint32_t i = h->jobs++;
	struct torus_job *job = &h->job[i];
	struct torus_ask *ask = &h->alternative[i].ask;

	assert_true(i < JOBS);
	*job = (struct torus_job){ .id = i + 1,
				   .submit_us = h->now,
				   .limit_us = limit,
				   .deadline_us = TORUS_NO_TIME,
				   .allowed = allowed,
				   .host = h };
	job->request.alternative = &h->alternative[i];
	job->request.alternatives = 1;
	ask->rotate = true;
	ask->by_count = b == 0;
	ask->count = a;
	if (b) {
		const uint32_t side[] = { a, b, c };

		ask->shape.axes = c ? 3 : 2;
		memcpy(ask->shape.extent, side, ask->shape.axes * sizeof(*side));
		memset(ask->connection, TORUS_CONN_MESH,
		       sizeof(ask->connection));
	}
	h->run[i] = run;
	h->end[i] = h->bound[i] = TORUS_NO_TIME;
	return job;
}

/* Submit it; false: it is rejected. */
static bool host_queue(struct host *h, struct torus_job *job)
{
	return torus_scheduler_submit(h->scheduler, job, h->now, NULL) ==
	       TORUS_FITS;
}

static void host_ends(struct host *h)
{
	for (uint32_t i = 0; i < h->jobs; i++) {
		if (h->end[i] != h->now)
			continue;
		h->end[i] = TORUS_NO_TIME;
		torus_scheduler_end(h->scheduler, &h->job[i], h->now);
	}
}

static void host_pass(struct host *h)
{
	struct torus_job *job = torus_scheduler_pass(h->scheduler, h->now,
						     &h->wake);

	for (; job; job = job->decided) {
		if (job->state == TORUS_JOB_RUNNING)
			h->end[job->id - 1] = h->now + h->run[job->id - 1];
	}
}

/* Let time pass: keep `most` small jobs waiting, which may use `allowed`, until the
 * victim has started or it is `until`. Return when it has started. */
static int64_t host_stream(struct host *h, const struct torus_job *victim,
			   uint32_t most, const uint64_t *allowed, int64_t until)
{
	for (; h->now < until && victim->state == TORUS_JOB_QUEUED; h->now++) {
		host_ends(h);
		while (torus_scheduler_queue(h->scheduler)->length < most)
			host_queue(h, host_submit(h, 2, 2, 0, 60,
						  20 + h->jobs % 9, allowed));
		host_pass(h);
	}
	return victim->state == TORUS_JOB_QUEUED ? TORUS_NO_TIME :
						   victim->start_us;
}

static void allow(struct host *h, uint32_t set, uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		torus_bits_set(h->allowed[set], from);
}

/* A head that waits for one node, which is busy for an hour, and a 4x4x2 behind it
 * that any nodes suit. */
static int64_t confined_head(uint32_t reservations, const char *discipline)
{
	struct host *h = host_create("4x4x4", "submesh", discipline);
	struct torus_job *victim;
	int64_t start;

	h->settings.reservations = reservations;
	host_begin(h);
	allow(h, 0, 0, 1);
	for (int i = 0; i < 2; i++)
		host_queue(h,
			   host_submit(h, 1, 0, 0, 3600, 3000, h->allowed[0]));
	for (int i = 0; i < 15; i++)
		host_queue(h, host_submit(h, 2, 2, 0, 60, 10 + i, NULL));
	victim = host_submit(h, 4, 4, 2, 60, 3, NULL);
	host_queue(h, victim);
	start = host_stream(h, victim, 8, NULL, 300);
	host_destroy(h);
	return start;
}

static void test_a_head_that_waits_for_its_node_starves_no_other(void **state)
{
	(void)state;
	assert_true(confined_head(1, "easy") <= 60);
	assert_true(confined_head(3, "easy") <= 60);
	assert_true(confined_head(1, "conservative") <= 60);
	assert_int_equal(confined_head(0, "easy"), TORUS_NO_TIME);
}

/* Two toruses: in the first a job waits for an hour; a job as large as the second
 * waits for small ones. With `partitions` each is one, else only the first can hold
 * the job that waits. */
static int64_t two_toruses(uint32_t reservations, bool partitions)
{
	struct host *h = host_create("8x4+4x4", "submesh", "easy");
	const uint64_t *first = NULL, *second = NULL;
	struct torus_job *victim;
	int64_t start;

	h->settings.reservations = reservations;
	host_begin(h);
	allow(h, 0, 0, 32);
	allow(h, 1, h->m.pod[1].first_word * 64,
	      h->m.pod[1].first_word * 64 + 16);
	if (partitions) {
		first = h->allowed[0];
		second = h->allowed[1];
	}
	for (int i = 0; i < 2; i++)
		host_queue(h, host_submit(h, 8, 4, 0, 3600, 3000, first));
	for (int i = 0; i < 4; i++)
		host_queue(h, host_submit(h, 2, 2, 0, 60, 10 + 2 * i, second));
	victim = host_submit(h, 4, 4, 0, 60, 3, second);
	host_queue(h, victim);
	start = host_stream(h, victim, 8, second, 300);
	host_destroy(h);
	return start;
}

static void test_a_full_torus_starves_no_job_of_another(void **state)
{
	(void)state;
	for (int partitions = 0; partitions < 2; partitions++) {
		assert_true(two_toruses(1, partitions) <= 60);
		assert_int_equal(two_toruses(0, partitions), TORUS_NO_TIME);
	}
}

/* The head cannot end before an outage of all nodes, or of some. */
static int64_t before_outage(uint32_t reservations, uint32_t nodes)
{
	struct host *h = host_create("4x4x4", "submesh", "easy");
	struct torus_outage outage = { 1000, 2000, h->allowed[0], "maint", 0 };
	struct torus_outages outages = { 1, INT64_MAX, false, 1, &outage };
	struct torus_job *job;
	int64_t start;

	h->settings.reservations = reservations;
	host_begin(h);
	allow(h, 0, 0, nodes);
	allow(h, 1, nodes, 64);
	job = host_submit(h, 4, 4, 2, 3600, 3000, h->allowed[1]);
	if (nodes < 64)
		host_queue(h, job);
	job = host_submit(h, 4, 4, 2, 1800, 1800, NULL);
	job->outages = &outages;
	host_queue(h, job);
	for (int i = 0; i < 16; i++)
		host_queue(h, host_submit(h, 2, 2, 0, 60, 10 + i, NULL));
	job = host_submit(h, 4, 4, 2, 60, 3, NULL);
	job->outages = &outages;
	host_queue(h, job);
	start = host_stream(h, job, 8, NULL, 300);
	host_destroy(h);
	return start;
}

static void test_a_head_behind_an_outage_starves_no_shorter_job(void **state)
{
	(void)state;
	for (uint32_t nodes = 32; nodes <= 64; nodes += 32) {
		assert_true(before_outage(1, nodes) <= 60);
		assert_int_equal(before_outage(0, nodes), TORUS_NO_TIME);
	}
}

/* Return the number of jobs before this one. */
static int64_t host_before(const struct torus_job *job)
{
	int64_t k = 0;

	while ((job = job->prev))
		k++;
	return k;
}

/* Nodes that cannot hold the job do not confine it. */
static struct torus_job *random_job(struct host *h)
{
	uint32_t side[3];
	const uint64_t *allowed = NULL;
	struct torus_placement place;
	struct torus_ask among;
	struct torus_job *job;
	int64_t limit = 1 + random_below(&h->r, LONGEST);
	bool cube = h->m.pod[0].torus.dims > 3;

	for (int i = 0; i < 3; i++)
		side[i] = 1 + random_below(&h->r, cube ? 2 : 4);
	if (!cube && random_percent(&h->r, 30))
		allowed = h->allowed[random_below(&h->r, 3)];
	if (cube || random_percent(&h->r, 50))
		side[1] = 0, side[0] = 1u << random_below(&h->r, 5);
	job = host_submit(h, side[0], side[1], side[2], limit,
			  1 + random_below(&h->r, (uint32_t)limit), NULL);
	among = torus_ask_among(&job->request.alternative[0].ask, allowed);
	if (torus_state_find(h->empty, &among, &place, NULL) == TORUS_FITS)
		job->allowed = allowed;
	return job;
}

/* Check that no job waits beyond its bound. Return how many of the first ones
 * wait. */
static uint32_t host_check(struct host *h, uint64_t seed)
{
	const struct torus_job *job = torus_scheduler_queue(h->scheduler)->head;
	uint32_t waiting = 0;

	for (; job; job = job->next) {
		int64_t *bound = &h->bound[job->id - 1];

		if (*bound == TORUS_NO_TIME &&
		    h->settings.discipline->limits_waiting &&
		    h->now - job->submit_us >= LIMIT)
			*bound = h->now +
				 (torus_scheduler_queue(h->scheduler)->length +
				  1) * (int64_t)LONGEST;
		if (h->now > *bound)
			fail_msg("%s: job %llu waits since %lld, it is %lld, seed %llu",
				 h->what, (unsigned long long)job->id,
				 (long long)job->submit_us, (long long)h->now,
				 (unsigned long long)seed);
		waiting += job->id <= FIRST;
	}
	return waiting;
}

static void live_case(const char *machine, const char *strategy,
		      const char *discipline, uint64_t seed)
{
	struct host *h = host_create(machine, strategy, discipline);
	const struct torus_discipline *d = h->settings.discipline;
	bool deadlines = !d->limits_waiting &&
			 strcmp(discipline, "easy") != 0 &&
			 strcmp(discipline, "conservative") != 0;
	struct torus_job *job;

	h->r.state = seed;
	h->settings.reservations = 1 + random_below(&h->r, 4);
	if (d->limits_waiting && strcmp(discipline, "fcfs") != 0)
		h->settings.wait_limit_us = LIMIT;
	host_begin(h);
	for (int i = 0; i < 3; i++)
		workload_nodes(&h->r, &h->m, 70, h->allowed[i]);
	do {
		bool first = h->jobs < FIRST;

		host_ends(h);
		if (torus_scheduler_queue(h->scheduler)->length < MOST_QUEUED &&
		    h->jobs < JOBS) {
			job = first ? random_job(h) :
				      host_submit(h, 1 + random_below(&h->r, 2),
						  0, 0, 9, 9, NULL);
			if (deadlines)
				job->deadline_us = h->now + job->limit_us +
						   random_below(&h->r, 99);
			if (host_queue(h, job)) {
				if (job->deadline_us != TORUS_NO_TIME)
					h->bound[job->id - 1] = job->deadline_us;
				else if (h->settings.wait_limit_us ==
					 TORUS_NO_TIME)
					h->bound[job->id - 1] =
						h->now + (host_before(job) +
							  1) * LONGEST;
			}
		}
		host_pass(h);
		h->now++;
	} while (host_check(h, seed) > 0 || h->jobs < FIRST);
	host_destroy(h);
}

static void test_every_job_starts_within_its_bound(void **state)
{
	static const char *const anywhere[] = {
		"fcfs", "mpfs",         "lpfs",   "sjf",
		"lpt",  "fpfs",         "fpmpfs", "fplpfs",
		"easy", "conservative", "dedf",   "dedf-replan",
	};
	static const char *const machines[] = { "4x4x2", "4x4+4x2", "flat:20" };
	uint64_t seed = random_seed("prop_liveness");
	uint32_t cases = random_effort(100, 20);

	(void)state;
	for (uint32_t i = 0; i < cases; i++) {
		for (size_t d = 0; d < sizeof(anywhere) / sizeof(*anywhere); d++)
			live_case(machines[i % 3],
				  i % 3 == 2 ? "flat" : "submesh", anywhere[d],
				  seed++);
		live_case("2x2x2x2x2", "subcube-buddy", "buddy-rt", seed++);
		live_case("2x2x2x2x2", "subcube-buddy", "stacking", seed++);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_head_that_waits_for_its_node_starves_no_other),
		cmocka_unit_test(test_a_full_torus_starves_no_job_of_another),
		cmocka_unit_test(
			test_a_head_behind_an_outage_starves_no_shorter_job),
		cmocka_unit_test(test_every_job_starts_within_its_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
