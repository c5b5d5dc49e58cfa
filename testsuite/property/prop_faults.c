/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults of nodes and links in a replay (replay/faults.h): how often components
 * fail and for how long, against what exponential times with these means give; and
 * what becomes of jobs, against a plain simulation of a machine whose jobs all
 * need every node. So a job runs alone, a fault of any node ends its run, and the
 * queue is first come, first served.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "replay/faults.h"
#include "torus/discipline.h"

#define SECOND INT64_C(1000000)
#define JOBS 40
#define FAR (INT64_C(100000000) * SECOND) /* the last submission */

static struct torus_machine machine_of(const char *string)
{
	struct torus_machine m = { 0 };
	struct torus t;

	assert_int_equal(torus_parse(&t, string, NULL), 0);
	assert_int_equal(torus_machine_add(&m, &t, NULL,
					   torus_strategy_find(
						   t.flat ? "flat" : "submesh"),
					   NULL, NULL),
			 0);
	if (!t.flat)
		assert_int_equal(torus_machine_links(&m, 0, NULL), 0);
	return m;
}

static struct torus_faults *faults_of(const struct torus_machine *m,
				      const struct torus_replay_options *how,
				      int64_t from_us)
{
	struct torus_state *s = torus_state_create(m);
	struct torus_faults *f;

	assert_non_null(s);
	assert_int_equal(torus_faults_create(&f, m, how,
					     torus_state_free_map(s), from_us),
			 0);
	torus_state_destroy(s);
	assert_non_null(f);
	return f;
}

/* One kind alone; `components` of it. */
static void check_rate(enum torus_fault_kind kind, double components)
{
	struct torus_machine m = machine_of("8x8x8:TTM");
	const int64_t mtbf_us = 1000 * SECOND, mttr_us = 250 * SECOND;
	const int64_t until_us = 200000 * SECOND;
	struct torus_replay_options how;
	struct torus_faults *f;
	struct torus_fault fault;
	double failed = 0, out_us = 0, expected, cycles;
	int64_t now_us, last_us = 0;
	uint32_t out = 0;

	torus_replay_options_init(&how);
	how.seed = random_seed("rates");
	how.faults[kind] = (struct torus_fault_rate){ mtbf_us, mttr_us };
	f = faults_of(&m, &how, 0);
	while ((now_us = torus_faults_next(f)) < until_us) {
		assert_true(torus_faults_take(f, now_us, &fault));
		assert_int_equal(fault.kind, kind);
		out_us += (double)out * (double)(now_us - last_us);
		last_us = now_us;
		failed += fault.failed;
		out += fault.failed ? 1 : -1;
		assert_int_equal(out, torus_faults_out(f));
	}
	/* renewals: a cycle is up, then out; the variance of their number is
	 * n (s / mean)^2, and each begins up */
	cycles = components * (double)until_us / (double)(mtbf_us + mttr_us);
	expected = cycles + components * (double)(mttr_us * mttr_us) /
				    pow((double)(mtbf_us + mttr_us), 2);
	print_message("# %.0f faults, %.0f expected\n", failed, expected);
	assert_true(fabs(failed - expected) < 5 * sqrt(cycles));
	assert_true(fabs(out_us / (components * (double)until_us) - 0.2) <
		    5 / sqrt(cycles));
	torus_faults_destroy(f);
	torus_machine_free(&m);
}

static void faults_have_the_rates_asked_for(void **state)
{
	(void)state;
	check_rate(TORUS_FAULT_NODES, 512);
	check_rate(TORUS_FAULT_LINKS, 512 + 512 + 8 * 8 * 7);
}

/* Plain simulation */

struct job {
	int64_t submit_us, run_us, end_us;
	uint32_t lost;
	enum torus_outcome outcome;
};

struct plain {
	struct job job[JOBS];
	struct job *queue[JOBS * 8];
	uint32_t first, last; /* of the queue */
	struct job *runs;
	int64_t start_us;
	uint32_t nodes, out;
	struct torus_fault_sums sums;
};

static void plain_fault(struct plain *p, int64_t now_us, bool failed)
{
	struct job *job = p->runs;

	p->out += failed ? 1 : -1;
	p->sums.nodes += failed;
	if (!failed || !job)
		return;
	p->runs = NULL;
	p->sums.hits++;
	p->sums.lost_us += (double)p->nodes * (double)(now_us - p->start_us);
	if (job->lost++ == TORUS_FAULT_REQUEUES) {
		job->outcome = TORUS_OUTCOME_FAILED;
		job->end_us = now_us;
		return;
	}
	p->sums.requeued++;
	p->queue[p->last++] = job;
}

static void plain_run(struct plain *p, struct torus_faults *f)
{
	uint32_t next = 0;

	for (;;) {
		int64_t now_us = torus_faults_next(f);
		struct torus_fault fault;

		if (next < JOBS && p->job[next].submit_us < now_us)
			now_us = p->job[next].submit_us;
		if (p->runs && p->start_us + p->runs->run_us < now_us)
			now_us = p->start_us + p->runs->run_us;
		if (now_us >= FAR)
			return;
		if (p->runs && p->start_us + p->runs->run_us == now_us) {
			p->runs->end_us = now_us;
			p->runs->outcome = TORUS_OUTCOME_COMPLETED;
			p->runs = NULL;
		}
		while (torus_faults_take(f, now_us, &fault))
			plain_fault(p, now_us, fault.failed);
		while (next < JOBS && p->job[next].submit_us == now_us)
			p->queue[p->last++] = &p->job[next++];
		if (!p->runs && !p->out && p->first < p->last) {
			p->runs = p->queue[p->first++];
			p->start_us = now_us;
		}
	}
}

/* The replay */

static int check_row(void *arg, const struct torus_machine *m,
		     const struct torus_replay_row *row)
{
	const struct plain *p = arg;
	const struct job *job = &p->job[row->number - 1];

	(void)m;
	if (row->number > JOBS) /* that which keeps the trace going */
		return 0;
	assert_int_equal(row->account.outcome, job->outcome);
	assert_true(row->account.end_us == job->end_us);
	assert_true((row->reason != NULL) == (job->lost > 0));
	return 0;
}

static void replay(struct plain *p, const struct torus_machine *m,
		   const struct torus_replay_options *how)
{
	struct torus_trace_record record[JOBS + 1] = { 0 };
	const struct torus_replay_hooks hooks = { .arg = p, .row = check_row };
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_scheduler_settings settings;
	struct torus_error err = { 0 };
	struct torus_trace *trace;

	for (int i = 0; i <= JOBS; i++) {
		record[i].submit_us = i < JOBS ? p->job[i].submit_us : FAR;
		record[i].run_us = i < JOBS ? p->job[i].run_us : 0;
		record[i].limit_us = -1;
		record[i].deadline_us = TORUS_NO_TIME;
		record[i].since_us = record[i].left_us = TORUS_NO_TIME;
		record[i].requested = record[i].used = p->nodes;
	}
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("fcfs");
	trace = torus_trace_open_list(record, JOBS + 1);
	assert_true(metrics && trace);
	if (torus_replay_run(trace, m, &settings, how, &hooks, metrics, &err) !=
	    TORUS_REPLAY_DONE)
		fail_msg("%s", err.text);
	assert_true(metrics->faults.hits == p->sums.hits);
	assert_true(metrics->faults.requeued == p->sums.requeued);
	assert_true(fabs(metrics->faults.lost_us - p->sums.lost_us) < 1);
	assert_true(metrics->faults.nodes >= p->sums.nodes);
	torus_metrics_destroy(metrics);
	torus_trace_close(trace);
}

static void jobs_under_faults_end_or_fail(void **state)
{
	struct random r = { random_seed("jobs") };
	uint32_t rounds = 20 * random_effort(1, 20);
	uint64_t hits = 0, failed = 0;

	(void)state;
	while (rounds-- > 0) {
		struct plain *p = calloc(1, sizeof(*p));
		struct torus_machine m = machine_of("flat:4");
		struct torus_replay_options how;
		struct torus_faults *f;
		int64_t at_us = 0;

		assert_non_null(p);
		p->nodes = m.nodes;
		for (int i = 0; i < JOBS; i++) {
			at_us += random_below(&r, 2000000000);
			p->job[i].submit_us = at_us;
			p->job[i].run_us = random_below(&r, 2000000000);
		}
		torus_replay_options_init(&how);
		how.check = true;
		how.seed = random_bits(&r) >> 1;
		how.faults[TORUS_FAULT_NODES] = (struct torus_fault_rate){
			(1 + random_below(&r, 20)) * 500 * SECOND,
			(1 + random_below(&r, 4)) * 100 * SECOND
		};
		/* which begin with the first submission */
		f = faults_of(&m, &how, p->job[0].submit_us);
		plain_run(p, f);
		replay(p, &m, &how);
		hits += p->sums.hits;
		for (int i = 0; i < JOBS; i++)
			failed += p->job[i].outcome == TORUS_OUTCOME_FAILED;
		torus_faults_destroy(f);
		torus_machine_free(&m);
		free(p);
	}
	print_message("# %llu runs ended, %llu jobs failed\n",
		      (unsigned long long)hits, (unsigned long long)failed);
	assert_true(hits > 100 && failed > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_have_the_rates_asked_for),
		cmocka_unit_test(jobs_under_faults_end_or_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
