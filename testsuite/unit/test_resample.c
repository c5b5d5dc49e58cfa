/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs like those of a log: every drawn job is one of the log's, pieces stay
 * together, the same seed gives the same jobs, the load is what was asked for,
 * and the marginal distributions come near the log's as more is drawn. The
 * distance of Kolmogorov and Smirnov against a plain computation.
 */
#include <math.h>
#include <unistd.h>

#include "unit.h"

#include "trace/models/resample.h"
#include "trace/models/random.h"

#define HOUR INT64_C(3600000000)
#define DAY (24 * HOUR)
#define WEEK (7 * DAY)

/* `weeks` weeks with a daily cycle, ten users of different habits. The run time
 * tells the job: 1 s + its number. */
static void log_write(const char *path, int weeks)
{
	struct torus_random r;
	FILE *out = fopen(path, "w");
	int64_t at = 0;
	int job = 0;

	assert_non_null(out);
	torus_random_init(&r, 5, 0, TORUS_PURPOSE_TIMES);
	fprintf(out, "id,submit,run,nodes,user\n");
	while (at < weeks * WEEK / 1000000) {
		uint32_t user = torus_random_below(&r, 10);

		if (at % 86400 < 43200) /* by day */
			fprintf(out, "%d,%lld,%d,%u,u%u\n", job + 1,
				(long long)at, job + 1, 1u << user % 5, user);
		job += at % 86400 < 43200;
		at += 1 + torus_random_below(&r, 3600);
	}
	fclose(out);
}

static struct torus_log *log_of(int weeks)
{
	static const struct torus_trace_options options = { 0 };
	char path[] = "/tmp/torus-like-XXXXXX.csv";
	struct torus_log *log;

	close(mkstemps(path, 4));
	log_write(path, weeks);
	log = torus_log_read(path, &options, NULL);
	unlink(path);
	assert_non_null(log);
	assert_int_equal(log->users, 10);
	return log;
}

/* The log's job that a drawn one is. */
static const struct torus_trace_record *
original(const struct torus_log *log, const struct torus_trace_record *r)
{
	uint64_t i = (uint64_t)(r->run_us / 1000000 - 1);

	assert_true(i < log->jobs);
	assert_int_equal(log->job[i].run_us, r->run_us);
	assert_int_equal(torus_log_nodes(&log->job[i]), torus_log_nodes(r));
	return &log->job[i];
}

static void in_order(const struct torus_resample *like)
{
	char id[32];

	for (uint64_t i = 0; i < like->jobs; i++) {
		snprintf(id, sizeof(id), "%llu", (unsigned long long)i + 1);
		assert_string_equal(like->job[i].id, id);
		assert_true(!i || like->job[i - 1].submit_us <=
					  like->job[i].submit_us);
	}
}

/* Hour and day of the week stay; a day's jobs are all of one day of the log. */
static void weeks_and_days(void **state)
{
	struct torus_log *log = log_of(9);

	(void)state;
	for (int by = TORUS_LIKE_FITTING; by <= TORUS_LIKE_DAYS; by++) {
		const struct torus_resample_options o = {
			.by = (enum torus_resample_by)by, .seed = 3
		};
		int64_t unit = by == TORUS_LIKE_DAYS ? DAY : WEEK;
		struct torus_resample *like = torus_resample_draw(log, &o, NULL);
		int64_t source = -1, last = -1;

		assert_non_null(like);
		assert_int_equal(like->by, by == TORUS_LIKE_DAYS ?
						   TORUS_LIKE_DAYS :
						   TORUS_LIKE_WEEKS);
		/* a gap of an hour at the end may make the last day short */
		assert_true(like->from == like->drawn &&
			    like->from >= (unit == WEEK ? 8 : 62));
		in_order(like);
		for (uint64_t i = 0; i < like->jobs; i++) {
			const struct torus_trace_record *r = &like->job[i];
			const struct torus_trace_record *from = original(log, r);
			int64_t piece = r->submit_us / unit;

			assert_int_equal(r->submit_us % unit,
					 from->submit_us % unit);
			if (piece != last)
				source = from->submit_us / unit;
			last = piece;
			assert_int_equal(from->submit_us / unit, source);
		}
		torus_resample_destroy(like);
	}
	torus_log_destroy(log);
}

/* All jobs of a drawn user, whole weeks away, as another person each time. */
static void a_drawn_user_keeps_jobs_and_week(void **state)
{
	const struct torus_resample_options o = { .by = TORUS_LIKE_USERS,
						  .seed = 8 };
	struct torus_log *log = log_of(9);
	struct torus_resample *like = torus_resample_draw(log, &o, NULL);
	uint64_t drawn[10] = { 0 }, of[10] = { 0 };

	(void)state;
	assert_non_null(like);
	assert_int_equal(like->drawn, 10);
	in_order(like);
	for (uint64_t i = 0; i < log->jobs; i++)
		of[log->job[i].user[1] - '0']++;
	for (uint64_t i = 0; i < like->jobs; i++) {
		const struct torus_trace_record *r = &like->job[i];
		const struct torus_trace_record *from = original(log, r);

		assert_int_equal((r->submit_us - from->submit_us) % WEEK, 0);
		assert_memory_equal(r->user, from->user, 2);
		drawn[r->user[1] - '0']++;
	}
	for (int u = 0; u < 10; u++)
		assert_int_equal(drawn[u] % of[u], 0);
	torus_resample_destroy(like);
	torus_log_destroy(log);
}

static void same_seed(void **state)
{
	struct torus_log *log = log_of(6);

	(void)state;
	for (int by = TORUS_LIKE_WEEKS; by <= TORUS_LIKE_USERS; by++) {
		struct torus_resample_options o = {
			.by = (enum torus_resample_by)by, .seed = 4
		};
		struct torus_resample *a = torus_resample_draw(log, &o, NULL),
				      *b, *c;
		bool same = true;

		b = torus_resample_draw(log, &o, NULL);
		o.replication = 1;
		c = torus_resample_draw(log, &o, NULL);
		assert_true(a && b && c && a->jobs == b->jobs);
		for (uint64_t i = 0; i < a->jobs; i++) {
			assert_int_equal(a->job[i].submit_us,
					 b->job[i].submit_us);
			assert_int_equal(a->job[i].run_us, b->job[i].run_us);
			assert_string_equal(a->job[i].user, b->job[i].user);
			same &= i < c->jobs &&
				a->job[i].run_us == c->job[i].run_us;
		}
		assert_false(same);
		torus_resample_destroy(a);
		torus_resample_destroy(b);
		torus_resample_destroy(c);
	}
	torus_log_destroy(log);
}

/* So many jobs, of that load, and no other jobs for it. */
static void load_and_jobs(void **state)
{
	struct torus_log *log = log_of(6);

	(void)state;
	for (int by = TORUS_LIKE_WEEKS; by <= TORUS_LIKE_USERS; by++) {
		struct torus_resample_options o = {
			.by = (enum torus_resample_by)by,
			.seed = 4,
			.jobs = 5000,
			.nodes = 64
		};
		struct torus_resample *plain = torus_resample_draw(log, &o,
								   NULL);
		struct torus_resample *like;

		o.load = 0.8;
		like = torus_resample_draw(log, &o, NULL);
		assert_true(plain && like);
		assert_int_equal(like->jobs, 5000);
		assert_true(fabs(torus_log_load(like->job, like->jobs, 64) -
				 0.8) < 1e-6);
		assert_true(fabs(like->load - 0.8) < 1e-6);
		for (uint64_t i = 0; i < like->jobs; i++)
			assert_int_equal(like->job[i].run_us,
					 plain->job[i].run_us);
		torus_resample_destroy(plain);
		torus_resample_destroy(like);
	}
	torus_log_destroy(log);
}

/* The more is drawn, the nearer the distributions. */
static void larger_draws_come_nearer_to_the_log(void **state)
{
	struct torus_log *log = log_of(9);
	struct torus_resample_fit fit[TORUS_LIKE_QUANTITIES];

	(void)state;
	for (int by = TORUS_LIKE_WEEKS; by <= TORUS_LIKE_USERS; by++) {
		const struct torus_resample_options o = {
			.by = (enum torus_resample_by)by, .seed = 2, .jobs = 400000
		};
		struct torus_resample *like = torus_resample_draw(log, &o, NULL);

		assert_non_null(like);
		assert_int_equal(torus_resample_fit(log, like, fit), 0);
		/* users who never met in the log do now: gaps and the load by
		 * day are not the log's */
		for (int q = 0; q < TORUS_LIKE_QUANTITIES; q++)
			assert_true((by == TORUS_LIKE_USERS &&
				     (q == TORUS_LIKE_WORK ||
				      q == TORUS_LIKE_GAP)) ||
				    fit[q].distance < 0.12);
		assert_true(fit[TORUS_LIKE_SIZE].distance < 0.03);
		assert_true(fabs(fit[TORUS_LIKE_RUN].drawn /
					 fit[TORUS_LIKE_RUN].log -
				 1) < 0.15);
		torus_resample_destroy(like);
	}
	torus_log_destroy(log);
}

/* The largest difference of shares, tried at every value. */
static double plain_distance(const double *a, uint64_t n, const double *b,
			     uint64_t m)
{
	double most = 0;

	for (uint64_t k = 0; k < n + m; k++) {
		double x = k < n ? a[k] : b[k - n];
		double below = 0;

		for (uint64_t i = 0; i < n; i++)
			below += a[i] <= x ? 1.0 / (double)n : 0;
		for (uint64_t i = 0; i < m; i++)
			below -= b[i] <= x ? 1.0 / (double)m : 0;
		most = fmax(most, fabs(below));
	}
	return most;
}

static void distances_agree_with_the_definition(void **state)
{
	struct torus_random r;

	(void)state;
	torus_random_init(&r, 1, 0, TORUS_PURPOSE_SIZES);
	for (int turn = 0; turn < 300; turn++) {
		uint64_t n = 1 + torus_random_below(&r, 20);
		uint64_t m = 1 + torus_random_below(&r, 20);
		double a[20], b[20], is;

		for (uint64_t i = 0; i < n; i++)
			a[i] = torus_random_below(&r, 8);
		for (uint64_t i = 0; i < m; i++)
			b[i] = torus_random_below(&r, 8) + turn % 3;
		is = plain_distance(a, n, b, m);
		assert_true(fabs(torus_resample_distance(a, n, b, m) - is) <
			    1e-9);
	}
}

static void too_short(void **state)
{
	static const enum torus_resample_by by[] = { TORUS_LIKE_WEEKS,
						     TORUS_LIKE_DAYS };
	static const struct torus_trace_options options = { 0 };
	char path[] = "/tmp/torus-like-XXXXXX.csv";
	struct torus_error err = { 0 };
	struct torus_log *log;
	FILE *out = fdopen(mkstemps(path, 4), "w");

	(void)state;
	fprintf(out, "id,submit,run,nodes\n1,0,5,1\n2,90000,5,1\n");
	fclose(out);
	log = torus_log_read(path, &options, NULL);
	assert_non_null(log);
	for (int i = 0; i < 2; i++) {
		const struct torus_resample_options o = { .by = by[i] };

		assert_null(torus_resample_draw(log, &o, &err));
	}
	assert_null(torus_resample_draw(log,
					&(struct torus_resample_options){ 0 },
					&err));
	assert_int_equal(err.count, 3);
	assert_non_null(strstr(err.text, "1 days in the log"));
	assert_non_null(strstr(err.text, "1 users in the log"));
	torus_log_destroy(log);
	out = fopen(path, "w");
	fprintf(out, "id,submit,run,nodes\n1,0,5,1\n");
	fclose(out);
	assert_null(torus_log_read(path, &options, &err));
	assert_int_equal(errno, EINVAL);
	unlink(path);
	assert_null(torus_log_read("/nonexistent.csv", &options, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weeks_and_days),
		cmocka_unit_test(a_drawn_user_keeps_jobs_and_week),
		cmocka_unit_test(same_seed),
		cmocka_unit_test(load_and_jobs),
		cmocka_unit_test(larger_draws_come_nearer_to_the_log),
		cmocka_unit_test(distances_agree_with_the_definition),
		cmocka_unit_test(too_short),
	};

	return UNIT_RUN(tests);
}
