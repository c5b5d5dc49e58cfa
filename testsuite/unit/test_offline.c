/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offline schedulers' numbers, their rounding of dimensions, numbers that
 * grow too long, and shortage of memory at every allocation (linked with
 * --wrap).
 */
#include "failing.h"
#include "unit.h"

#include <unistd.h>

#include "papers/offline/cnp.h"
#include "papers/offline/preemptive.h"

static void ratios_read(void **state)
{
	static const struct {
		const char *text;
		int64_t num, den;
	} good[] = {
		{ "1", 1, 1 },
		{ "12", 12, 1 },
		{ "0.5", 1, 2 },
		{ "2.50", 5, 2 },
		{ "47/8", 47, 8 },
		{ "6/4", 3, 2 },
		{ "007", 7, 1 },
		{ "0.000000001", 1, 1000000000 },
		{ "1/1000000000", 1, 1000000000 },
		{ "1000000000000", INT64_C(1000000000000), 1 },
		{ "999999999.999999999", INT64_C(999999999999999999),
		  1000000000 },
	};
	static const char *const bad[] = {
		"",
		"0",
		"0.0",
		"-1",
		"+1",
		" 1",
		"1 ",
		"1.",
		".5",
		"1e3",
		"0x1",
		"1/0",
		"0/1",
		"1/",
		"/2",
		"1.5/2",
		"1/2/3",
		"1,5",
		"nan",
		"inf",
		"0.0000000001",
		"1000000000001",
		"1/1000000001",
		"99999999999999999999999",
		"1000000000000.123456789",
	};
	struct torus_ratio r;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (!torus_ratio_parse(good[i].text, &r))
			fail_msg("%s: refused", good[i].text);
		assert_int_equal(r.num, good[i].num);
		assert_int_equal(r.den, good[i].den);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (torus_ratio_parse(bad[i], &r))
			fail_msg("%s: accepted", bad[i]);
	}
}

static void ratios_written(void **state)
{
	static const struct {
		const char *num, *den, *text;
	} row[] = {
		{ "0", "7", "0" },
		{ "6", "3", "2" },
		{ "43", "4", "10.75" },
		{ "1", "16", "0.0625" },
		{ "1", "3", "1/3" },
		{ "10", "4", "2.5" },
		{ "1", "512", "0.001953125" },
		{ "1", "1024", "1/1024" },
		{ "3", "1000000000", "0.000000003" },
		{ "1", "10000000000", "1/10000000000" },
		{ "123456789012345678901234567890", "20",
		  "6172839450617283945061728394.5" },
		{ "123456789012345678901234567891", "7",
		  "123456789012345678901234567891/7" },
	};
	mpz_t num, den;

	(void)state;
	mpz_inits(num, den, NULL);
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char *text;

		mpz_set_str(num, row[i].num, 10);
		mpz_set_str(den, row[i].den, 10);
		text = torus_ratio_text(num, den);
		assert_non_null(text);
		assert_string_equal(text, row[i].text);
		free(text);
	}
	torus_mpz_set_i128(num, ((torus_i128)1 << 100) + 12345);
	mpz_ui_pow_ui(den, 2, 100);
	mpz_add_ui(den, den, 12345);
	assert_int_equal(mpz_cmp(num, den), 0);
	mpz_clears(num, den, NULL);
}

/* Each becomes the least that divides the one before; a sound set stays. */
static void dimensions_round_up_to_divisors(void **state)
{
	static const struct {
		uint32_t m, n, d[5], rounded[5];
	} row[] = {
		{ 16, 5, { 8, 4, 4, 2, 2 }, { 8, 4, 4, 2, 2 } },
		{ 16, 3, { 1, 9, 3 }, { 1, 16, 4 } },
		{ 12, 4, { 5, 6, 4, 1 }, { 6, 6, 6, 1 } },
		{ 12, 3, { 3, 2, 5 }, { 3, 3, 6 } },
		{ 7, 3, { 2, 7, 1 }, { 7, 7, 1 } },
		{ 1, 2, { 1, 1 }, { 1, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_offline_job job[5] = { 0 };
		struct torus_offline_jobs jobs = { .job = job, .unit = 1 };
		struct torus_error err = { 0 };
		bool sound;

		jobs.n = row[i].n;
		for (uint32_t k = 0; k < jobs.n; k++)
			job[k].d = row[i].d[k];
		sound = !memcmp(row[i].d, row[i].rounded, jobs.n * 4);
		assert_int_equal(torus_preemptive_check(&jobs, row[i].m, "x",
							&err),
				 sound ? 0 : -1);
		assert_int_equal(err.count > 0, !sound);
		assert_int_equal(torus_preemptive_round(&jobs, row[i].m), 0);
		for (uint32_t k = 0; k < jobs.n; k++)
			assert_int_equal(job[k].d, row[i].rounded[k]);
		assert_int_equal(torus_preemptive_check(&jobs, row[i].m, "x",
							NULL),
				 0);
	}
}

/* Expected failures: fractions that never end, sums of 127 bits. */
static void too_long(void **state)
{
	static struct torus_offline_job job[40000];
	struct torus_offline_jobs jobs = { .job = job, .unit = 1 };
	struct torus_error err = { 0 };
	struct torus_preemptive *p;
	struct torus_cnp *plan;

	(void)state;
	/* on four subtori, each job shares the odd rest of the one before */
	jobs.n = sizeof(job) / sizeof(*job);
	for (uint32_t i = 0; i < jobs.n; i++)
		job[i] = (struct torus_offline_job){ 1, 0, 1 + i * 5 % 7 };
	plan = torus_cnp_plan(&jobs, 2, -1, NULL, NULL, &err);
	assert_null(plan);
	assert_int_equal(errno, EOVERFLOW);
	assert_non_null(strstr(err.text, "--decimals"));
	plan = torus_cnp_plan(&jobs, 2, 6, NULL, NULL, NULL);
	assert_non_null(plan);
	torus_cnp_destroy(plan);
	torus_error_clear(&err);
	for (uint32_t i = 0; i < jobs.n; i++)
		job[i].t = TORUS_OFFLINE_TIME_MAX;
	p = torus_preemptive_plan(&jobs, 1u << 24, NULL, NULL, NULL, &err);
	assert_null(p);
	assert_int_equal(errno, EOVERFLOW);
	assert_int_equal(err.count, 1);
}

/* A file through everything; false with errno where memory ran out. */
static bool all_of_it(const char *path)
{
	struct torus_offline_jobs *jobs;
	struct torus_preemptive *p = NULL;
	struct torus_cnp *plan = NULL;

	jobs = torus_offline_jobs_read(path, 8, NULL);
	if (jobs && !torus_preemptive_round(jobs, 8) &&
	    !torus_preemptive_check(jobs, 8, path, NULL))
		p = torus_preemptive_plan(jobs, 8, NULL, NULL, NULL, NULL);
	if (p)
		plan = torus_cnp_plan(jobs, 8, -1, NULL, NULL, NULL);
	torus_cnp_destroy(plan);
	torus_preemptive_destroy(p);
	torus_offline_jobs_destroy(jobs);
	return plan;
}

static void offline_schedulers_survive_each_failed_allocation(void **state)
{
	static const char text[] = "d,t\n8,2\n4,2\n4,4.5\n1,1/3\n";
	char path[] = "/tmp/torus-offline-XXXXXX";
	int fd = mkstemp(path);
	bool done = false;
	long n = 0;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	for (; !done; n++) {
		assert_true(n < 1000);
		fail_at = n;
		errno = 0;
		done = all_of_it(path);
		if (!done)
			assert_int_equal(errno, ENOMEM);
		assert_int_equal(done, fail_at >= 0);
		fail_at = -1;
		assert_int_equal(blocks, 0);
	}
	assert_true(n > 10);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios_read),
		cmocka_unit_test(ratios_written),
		cmocka_unit_test(dimensions_round_up_to_divisors),
		cmocka_unit_test(too_long),
		cmocka_unit_test(
			offline_schedulers_survive_each_failed_allocation),
	};

	return UNIT_RUN(tests);
}
