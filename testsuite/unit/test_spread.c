/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Confidence intervals, against values of a table of Student's t. */
#include "unit.h"

#include <math.h>

#include "replay/ledger.h"
#include "replay/replay.h"
#include "report/spread.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "trace/models/resample.h"

static double half_width(const double *x, int n)
{
	struct torus_moments m = { 0 };

	for (int i = 0; i < n; i++)
		torus_moments_add(&m, x[i]);
	return torus_moments_half_width(&m);
}

static void by_hand(void **state)
{
	/* deviation 1, t of 2 degrees of freedom 4.302653 */
	const double three[] = { 1, 2, 3 };
	/* deviation sqrt(2.5), t of 4 degrees of freedom 2.776445 */
	const double five[] = { 1, 2, 3, 4, 5 };

	(void)state;
	assert_true(fabs(half_width(three, 3) - 4.302653 / sqrt(3)) < 1e-5);
	assert_true(fabs(half_width(five, 5) - 2.776445 * sqrt(2.5) / sqrt(5)) <
		    1e-5);
}

static void too_few(void **state)
{
	const double one[] = { 7 };

	(void)state;
	assert_true(isnan(half_width(one, 0)));
	assert_true(isnan(half_width(one, 1)));
}

/* Depression scores of nine patients (Hollander and Wolfe 1973, table 3.1): the
 * sum of the positive ranks is 40, one-sided p 0.01953. */
static void signed_rank(void **state)
{
	static const double x[] = { 1.83, 0.50, 1.62, 2.48, 1.68,
				    1.88, 1.55, 3.06, 1.30 };
	static const double y[] = { 0.878, 0.647, 0.598, 2.05, 1.06,
				    1.29,  1.06,  3.14,  1.29 };
	static const double six[] = { 1, 2, 3, 4, 5, 6 };
	static const double ties[] = { 1, -1, 0, 0 };
	double d[300];

	(void)state;
	for (int i = 0; i < 9; i++)
		d[i] = x[i] - y[i];
	assert_true(fabs(torus_signed_rank(d, 9) - 0.0390625) < 1e-12);
	assert_true(fabs(torus_signed_rank(six, 6) - 2 / 64.) < 1e-12);
	assert_true(fabs(torus_signed_rank(ties, 4) - 1) < 1e-12);
	assert_true(fabs(torus_signed_rank(ties + 2, 2) - 1) < 1e-12);
	/* 9540 of 200 ranks: exact, by the normal distribution 0.53415; the
	 * same of 201: 0.46005 */
	for (int i = 0; i < 201; i++)
		d[i] = (i % 20 < 11 ? 1 : -1) * (i + 0.5);
	assert_true(fabs(torus_signed_rank(d, 200) - 0.53415) < 0.002);
	assert_true(fabs(torus_signed_rank(d, 201) - 0.46005) < 0.00001);
}

/* Values of no skewness have the quantiles of a table of t, of few degrees of freedom. */
static void intervals_follow_the_skewness(void **state)
{
	static const double same[] = { 3, 3, 3, 3, 3, 3 };
	/* t of 0.6 x 5 degrees of freedom 3.182446 */
	static const double even[] = { 1, 2, 3, 4, 5, 6 };
	double value[40], mean = 0;
	struct torus_interval i, other;

	(void)state;
	i = torus_mean_interval(even, 6);
	assert_true(fabs(i.high - 3.5 - 3.182446 * sqrt(3.5 / 6)) < 1e-5);
	assert_true(fabs(3.5 - i.low - 3.182446 * sqrt(3.5 / 6)) < 1e-5);
	for (int k = 0; k < 40; k++) {
		value[k] = -log((k + 0.5) / 40); /* exponential */
		mean += value[k] / 40;
	}
	i = torus_mean_interval(value, 40);
	/* the long tail is on the right, and so is the longer arm */
	assert_true(mean - i.low > 0.2 && i.high - mean > 1.2 * (mean - i.low));
	for (int k = 0; k < 40; k++)
		value[k] = -value[k];
	other = torus_mean_interval(value, 40);
	assert_true(fabs(other.low + i.high) < 1e-9 &&
		    fabs(other.high + i.low) < 1e-9);
	i = torus_mean_interval(same, 6);
	assert_true(fabs(i.low - 3) < 1e-12 && fabs(i.high - 3) < 1e-12);
	assert_true(isnan(torus_mean_interval(same, 1).low));
}

static void batches_that_are_alike_are_undecided(void **state)
{
	double value[16], independent;
	struct torus_interval i;

	(void)state;
	for (int k = 0; k < 16; k++)
		value[k] = k & 1;
	i = torus_batch_interval(value, 16, &independent);
	assert_true(fabs(independent - 16) < 1e-9 && i.low > 0 && i.high < 1);
	assert_true(isnan(torus_batch_interval(value, 7, &independent).low));
	for (int k = 0; k < 16; k++)
		value[k] = k / 8;
	i = torus_batch_interval(value, 16, &independent);
	assert_true(independent < 2 && isnan(i.low) && isnan(i.high));
	assert_true(isnan(torus_batch_interval(value, 0, &independent).low));
}

/*
 * Coverage. Logs are drawn from a known process: pieces (weeks) whose values are skewed, as
 * waits are, with mean 1. Of each interval that is printed, 90 to 98 % must hold the mean.
 */
#define LOGS 600

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Gamma of shape 3, mean 1. */
static double skewed(void)
{
	return -(log(uniform()) + log(uniform()) + log(uniform())) / 3;
}

static void covered(const char *what, int hits)
{
	double share = (double)hits / LOGS;

	if (share < 0.9 || share > 0.98)
		fail_msg("%s: %.3f of the intervals hold the mean", what, share);
}

/* Independent seeds of a model, and batch means of a log. */
static void intervals_of_runs_and_batches_cover_the_mean(void **state)
{
	int runs = 0, batches = 0;

	(void)state;
	for (int k = 0; k < LOGS; k++) {
		double value[26], independent;
		struct torus_interval i;

		for (int j = 0; j < 26; j++)
			value[j] = skewed();
		i = torus_mean_interval(value, 26);
		runs += i.low <= 1 && 1 <= i.high;
		i = torus_batch_interval(value, 26, &independent);
		batches += i.low <= 1 && 1 <= i.high;
	}
	covered("runs", runs);
	covered("batches", batches);
}

/* Resamples of one log, of few weeks and of many; more resamples do not make the interval
 * narrower. */
static void intervals_of_resamples_cover_the_mean(void **state)
{
	static const uint32_t weeks[] = { 4, 8, 26 };

	(void)state;
	for (int w = 0; w < 3; w++) {
		const uint32_t n = weeks[w];
		int hits[2] = { 0, 0 };

		for (int k = 0; k < 2 * LOGS; k++) {
			uint32_t draws = k % 2 ? 200 : 40;
			double log[26], drawn[200], own = 0;
			struct torus_interval i;

			for (uint32_t j = 0; j < n; j++)
				own += (log[j] = skewed()) / n;
			for (uint32_t d = 0; d < draws; d++) {
				drawn[d] = 0;
				for (uint32_t j = 0; j < n; j++)
					drawn[d] +=
						log[(uint32_t)(uniform() * n)] /
						n;
			}
			i = torus_resample_interval(own, drawn, draws, n, NULL,
						    0);
			hits[k % 2] += i.low <= 1 && 1 <= i.high;
		}
		covered("40 resamples", hits[0]);
		covered("200 resamples", hits[1]);
	}
	assert_true(isnan(
		torus_resample_interval(1, (double[]){ 1, 2 }, 2, 4, NULL, 0)
			.low));
}

/*
 * The same with replays: logs of a known process (weeks of different load, sizes of 1 to
 * 16 of 16 nodes, exponential run times, limits of one to five times the run), each
 * through fcfs and easy; the truth is the mean of many logs. Queues of fcfs outlast days and
 * weeks here, and the differences of waits are skewed (by 3.4 over logs of eight weeks).
 * Only with TORUS_TEST_LONG=1, or another number of logs than LOGS.
 */
#define DAY INT64_C(86400000000)
#define MOST_JOBS 4096
#define MOST_BATCHES 256

struct replayed {
	double wait[2]; /* mean of fcfs, easy */
	struct torus_ledger_batch *batch[2];
	uint32_t batches;
};

static double exponential(double mean)
{
	return -mean * log(uniform());
}

/* Draw a log; a job stands at the begin and at the end of its weeks. */
static void log_draw(struct torus_log *log, uint32_t weeks)
{
	double at = 0, end = (double)weeks * 604800, factor = 1;
	uint64_t n = 0;

	for (int64_t week = -1; n + 1 < MOST_JOBS; n++) {
		struct torus_trace_record *r = &log->job[n];

		if ((int64_t)(at / 604800) > week) {
			week = (int64_t)(at / 604800);
			factor = 0.6 + 0.8 * uniform();
		}
		if (n)
			at += exponential(604800 / (60 * factor));
		if (at >= end)
			at = end;
		*r = (struct torus_trace_record){
			.submit_us = (int64_t)(at * 1e6),
			.run_us = (int64_t)(exponential(10000) * 1e6) + 1,
			.requested = 1u << (uint32_t)(uniform() * 5),
			.deadline_us = TORUS_NO_TIME,
			.since_us = TORUS_NO_TIME,
			.left_us = TORUS_NO_TIME,
			.start_us = TORUS_NO_TIME,
			.eligible_us = TORUS_NO_TIME,
			.wait_limit_us = -1,
			.line = n + 1,
		};
		r->used = r->requested;
		r->limit_us = (int64_t)((double)r->run_us * (1 + 4 * uniform()));
		snprintf(r->id, sizeof(r->id), "%llu",
			 (unsigned long long)n + 1);
		if (at >= end)
			break;
	}
	log->jobs = n + 1;
	log->users = 1;
	log->nodes = 16;
	log->first_us = log->job[0].submit_us;
	log->last_us = log->job[n].submit_us;
}

static int row_add(void *ledger, const struct torus_machine *m,
		   const struct torus_replay_row *row)
{
	(void)m;
	return torus_ledger_add(ledger, &row->account, row->user);
}

static void both_replay(const struct torus_trace_record *job, uint64_t jobs,
			int64_t length_us, struct replayed *out)
{
	struct torus_machine m = unit_machine("flat:16", "flat");
	struct torus_error err = { 0 };

	*out = (struct replayed){ 0 };
	for (int k = 0; k < 2; k++) {
		struct torus_ledger *ledger = torus_ledger_create();
		struct torus_metrics *metrics = torus_metrics_create();
		struct torus_replay_hooks hooks = { .arg = ledger,
						    .row = length_us ? row_add :
								       NULL };
		struct torus_scheduler_settings settings;
		struct torus_replay_options options;
		struct torus_trace *trace = torus_trace_open_list(job, jobs);

		torus_scheduler_defaults(&settings);
		settings.discipline = torus_discipline_find(k ? "easy" : "fcfs");
		torus_replay_options_init(&options);
		assert_int_equal(torus_replay_run(trace, &m, &settings, &options,
						  &hooks, metrics, &err),
				 TORUS_REPLAY_DONE);
		out->wait[k] = metrics->wait.mean;
		if (length_us)
			assert_int_equal(torus_ledger_batches(ledger,
							      job[0].submit_us,
							      job[jobs - 1]
								      .submit_us,
							      length_us,
							      &out->batch[k],
							      &out->batches),
					 0);
		torus_trace_close(trace);
		torus_metrics_destroy(metrics);
		torus_ledger_destroy(ledger);
	}
	torus_machine_free(&m);
}

static void log_replay(struct torus_log *log, uint32_t weeks, int64_t length_us,
		       struct replayed *out)
{
	log_draw(log, weeks);
	both_replay(log->job, log->jobs, length_us, out);
}

/* The batches of a quantity, as shares of the mean over jobs. Frees those of r. */
static void quantity_batches(struct replayed *r, double value[2][MOST_BATCHES])
{
	double jobs = 0;

	for (uint32_t i = 0; i < r->batches; i++)
		jobs += (double)r->batch[0][i].jobs / r->batches;
	for (uint32_t i = 0; i < r->batches; i++) {
		value[0][i] = r->batch[1][i].wait_s / jobs;
		value[1][i] = r->batch[0][i].wait_s / jobs - value[0][i];
	}
	torus_free(r->batch[0]);
	torus_free(r->batch[1]);
}

/* What an interval is of: the mean wait under easy, the difference of fcfs. */
static double quantity(const struct replayed *r, int which)
{
	return which ? r->wait[0] - r->wait[1] : r->wait[1];
}

static bool holds(struct torus_interval i, double truth)
{
	return i.low <= truth && truth <= i.high;
}

static int not_covered; /* shares that are too small or too large */

static void covered_of(const char *what, uint32_t pieces, int hits, int logs)
{
	double share = (double)hits / logs;

	print_message("%s (%u): %.3f of %d\n", what, pieces, share, logs);
	not_covered += logs >= 500 && (share < 0.9 || share > 0.98);
}

/* The expectation of a log's mean. */
static void truth_find(struct torus_log *log, uint32_t weeks, int logs,
		       double truth[2])
{
	truth[0] = truth[1] = 0;
	for (int k = 0; k < logs; k++) {
		struct replayed r;

		log_replay(log, weeks, 0, &r);
		for (int q = 0; q < 2; q++)
			truth[q] += quantity(&r, q) / logs;
	}
}

/* Independent logs of two weeks, as seeds of a model. */
static void models_cover(struct torus_log *log, int logs, uint32_t seeds)
{
	int hits[2] = { 0, 0 };
	double truth[2];

	truth_find(log, 2, logs * 40, truth);
	for (int k = 0; k < logs; k++) {
		double value[2][20];

		for (uint32_t i = 0; i < seeds; i++) {
			struct replayed r;

			log_replay(log, 2, 0, &r);
			for (int q = 0; q < 2; q++)
				value[q][i] = quantity(&r, q);
		}
		for (int q = 0; q < 2; q++)
			hits[q] += holds(torus_mean_interval(value[q], seeds),
					 truth[q]);
	}
	covered_of("models, wait", seeds, hits[0], logs);
	covered_of("models, difference", seeds, hits[1], logs);
}

/* Forty resamples of each log by weeks. */
static void resamples_cover(struct torus_log *log, int logs, uint32_t weeks)
{
	struct torus_error err = { 0 };
	int hits[2] = { 0, 0 };
	double truth[2];

	truth_find(log, weeks, logs * 10, truth);
	for (int k = 0; k < logs; k++) {
		double drawn[2][40], day[2][MOST_BATCHES];
		struct replayed own, r;

		log_replay(log, weeks, DAY, &own);
		quantity_batches(&own, day);
		for (uint32_t i = 0; i < 40; i++) {
			const struct torus_resample_options options = {
				.by = TORUS_LIKE_WEEKS, .seed = 1 + i
			};
			struct torus_resample *like =
				torus_resample_draw(log, &options, &err);

			assert_non_null(like);
			both_replay(like->job, like->jobs, 0, &r);
			torus_resample_destroy(like);
			for (int q = 0; q < 2; q++)
				drawn[q][i] = quantity(&r, q);
		}
		for (int q = 0; q < 2; q++)
			hits[q] +=
				holds(torus_resample_interval(quantity(&own, q),
							      drawn[q], 40,
							      weeks, day[q],
							      own.batches),
				      truth[q]);
	}
	covered_of("resamples of weeks, wait", weeks, hits[0], logs);
	covered_of("resamples of weeks, difference", weeks, hits[1], logs);
}

/* Batch means over pieces of one log; those that are undecided do not count. */
static void batches_cover(struct torus_log *log, int logs, uint32_t weeks,
			  int64_t length_us)
{
	int hits[2] = { 0, 0 }, decided[2] = { 0, 0 };
	double truth[2];

	truth_find(log, weeks, logs * 10, truth);
	for (int k = 0; k < logs; k++) {
		double value[2][MOST_BATCHES], independent;
		struct replayed r;

		log_replay(log, weeks, length_us, &r);
		quantity_batches(&r, value);
		for (int q = 0; q < 2; q++) {
			struct torus_interval i =
				torus_batch_interval(value[q], r.batches,
						     &independent);

			decided[q] += !isnan(i.low);
			hits[q] += holds(i, truth[q]);
		}
	}
	print_message("decided: %d, %d of %d\n", decided[0], decided[1], logs);
	covered_of("batches, wait", weeks, hits[0], decided[0]);
	covered_of("batches, difference", weeks, hits[1], decided[1]);
}

static void intervals_of_replayed_logs_hold_the_truth(void **state)
{
	const char *wanted = getenv("TORUS_TEST_LONG");
	int logs = !wanted || !*wanted ? 0 :
		   atoi(wanted) == 1   ? LOGS :
					 atoi(wanted);
	struct torus_log log = {
		.job = calloc(MOST_JOBS, sizeof(*log.job)),
		.user = calloc(MOST_JOBS, sizeof(*log.user)),
	};

	(void)state;
	if (logs <= 0) {
		free(log.job);
		free(log.user);
		print_message("long: TORUS_TEST_LONG=1, or a number of logs\n");
		return;
	}
	assert_true(log.job && log.user);
	models_cover(&log, logs, 5);
	models_cover(&log, logs, 20);
	resamples_cover(&log, logs, 4);
	resamples_cover(&log, logs, 8);
	resamples_cover(&log, logs, 26);
	batches_cover(&log, logs, 8, 7 * DAY);
	batches_cover(&log, logs, 26, 7 * DAY);
	batches_cover(&log, logs, 26, DAY);
	assert_int_equal(not_covered, 0);
	free(log.job);
	free(log.user);
}

static void holm_adjusts_in_order(void **state)
{
	double p[] = { 0.01, NAN, 0.04, 0.03, 0.005 };

	(void)state;
	torus_holm(p, 5);
	assert_true(fabs(p[0] - 0.03) < 1e-12);
	assert_true(isnan(p[1]));
	assert_true(fabs(p[2] - 0.06) < 1e-12); /* as large as the one before */
	assert_true(fabs(p[3] - 0.06) < 1e-12);
	assert_true(fabs(p[4] - 0.02) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(too_few),
		cmocka_unit_test(signed_rank),
		cmocka_unit_test(intervals_follow_the_skewness),
		cmocka_unit_test(batches_that_are_alike_are_undecided),
		cmocka_unit_test(intervals_of_runs_and_batches_cover_the_mean),
		cmocka_unit_test(intervals_of_resamples_cover_the_mean),
		cmocka_unit_test(intervals_of_replayed_logs_hold_the_truth),
		cmocka_unit_test(holm_adjusts_in_order),
	};

	return UNIT_RUN(tests);
}
