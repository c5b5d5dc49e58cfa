/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the writers write, the readers read back: random jobs, to the
 * microsecond, with ids, users and shapes that are hard to write. */
#include "files.h"

#include "../property/random.h"
#include "trace/writer.h"

#define JOBS 2000

static struct torus_trace_record job[JOBS];
static struct torus_request request[JOBS];

static int64_t random_us(struct random *r)
{
	static const int64_t unit[] = { 1, 1000, 1000000, 60000000 };
	int64_t n = random_below(r, 1000000000);

	return n * unit[random_below(r, 4)];
}

static void name_make(struct random *r, char *name)
{
	static const char *const names[] = {
		"ann",
		"Who, me",
		"a \"b\"",
		"\"",
		"x#y",
		"#1",
		"a b",
		",",
		"12345678901234567890123456789ab",
		"m\xc3\xbcller",
		"0",
	};

	strcpy(name, names[random_below(r, 11)]);
}

/* Several alternatives, letters, pinned axes, counts with a connection. */
static void shape_make(struct random *r, struct torus_trace_record *j,
		       struct torus_request *to)
{
	static const struct torus_request_words words[] = {
		{ .geometry = "4x4x2" },
		{ .geometry = "4x4x2", .conn_type = "TMN" },
		{ .geometry = "1x8x1", .conn_type = "torus", .no_rotate = true },
		{ .geometry = "2^5", .conn_type = "mesh" },
		{ .geometry = "64", .conn_type = "torus" },
		{ .geometry = "8^1" },
		{ .geometry = "1", .no_rotate = true },
		{ .geometry = "8x8@2h,64@4h" },
		{ .geometry = "3x1", .conn_type = "TN", .no_rotate = true },
		{ .geometry = "4x2*3,2x2*6@1h" },
	};
	struct torus_error err = { 0 };

	if (torus_request_parse(to, &words[random_below(r, 10)], &err))
		fail_msg("%s", err.text);
	j->shaped = true;
	j->request = to;
	j->requested = (uint32_t)torus_ask_nodes(&to->alternative[0].ask);
}

static void jobs_make(struct random *r, bool swf)
{
	int64_t submit = 0;

	for (int i = 0; i < JOBS; i++) {
		struct torus_trace_record *j = &job[i];

		*j = (struct torus_trace_record){ .deadline_us = TORUS_NO_TIME,
						  .limit_us = -1,
						  .wait_limit_us = -1 };
		submit += random_below(r, 3) ? random_below(r, 2000000) : 0;
		j->submit_us = submit;
		j->run_us = random_us(r) + swf;
		j->requested = 1 + random_below(r, TORUS_MAX_NODES);
		if (random_percent(r, 60))
			j->limit_us = random_us(r) + swf;
		sprintf(j->id, "%d", i * 7);
		sprintf(j->user, "%d", 1 + i % 5);
		if (!swf) {
			name_make(r, j->id);
			name_make(r, j->user);
			name_make(r, j->account);
			name_make(r, j->qos);
			j->nice = (int64_t)random_below(r, 200) - 100;
			if (random_percent(r, 20))
				j->wait_limit_us = random_us(r);
			j->priority = random_below(r, 4000) * 0.5 - 1000;
			if (random_percent(r, 30))
				j->deadline_us = random_us(r);
			if (random_percent(r, 50))
				shape_make(r, j, &request[i]);
		}
		j->used = j->requested;
		if (swf && random_percent(r, 20))
			j->used = 0;
	}
}

static void same(const struct torus_trace_record *a,
		 const struct torus_trace_record *b, bool swf)
{
	assert_string_equal(a->id, b->id);
	assert_string_equal(a->user, b->user);
	assert_true(a->submit_us == b->submit_us && a->run_us == b->run_us);
	assert_true(a->limit_us == b->limit_us);
	assert_true(a->deadline_us == b->deadline_us);
	assert_true(a->priority == b->priority && a->nice == b->nice);
	assert_true(a->wait_limit_us == b->wait_limit_us);
	assert_string_equal(a->account, b->account);
	assert_string_equal(a->qos, b->qos);
	assert_int_equal(a->requested, b->requested);
	if (swf)
		assert_int_equal(a->used, b->used);
	assert_int_equal(a->shaped, b->shaped);
	if (a->shaped)
		unit_same_request(a->request, b->request);
}

static void round_trip(bool swf)
{
	const struct torus_writer_columns columns = { true, true, true };
	const struct torus_writer *writer = swf ? &torus_writer_swf :
						  &torus_writer_csv;
	const struct torus_origin origin = { .version = "1",
					     .command = "a\nb\tc",
					     .jobs = JOBS,
					     .nodes = 77,
					     .unix_start = 5 };
	const char *path = files_path("jobs");
	FILE *out = fopen(path, "w");
	struct torus_trace_options options = { .strict = true };
	const struct torus_trace_record *record;
	struct torus_error err = { 0 };
	struct torus_trace *trace;

	assert_non_null(out);
	assert_int_equal(writer->begin(out, &origin, &columns), 0);
	for (int i = 0; i < JOBS; i++)
		assert_int_equal(writer->job(out, &job[i], &columns), 0);
	assert_int_equal(fclose(out), 0);
	trace = torus_trace_open(path, &options, &err);
	assert_non_null(trace);
	for (int i = 0; i < JOBS; i++) {
		if (torus_trace_next(trace, &record, &err) != TORUS_TRACE_JOB)
			fail_msg("job %d: %s %s", i, err.text,
				 torus_trace_bad(trace)->text);
		same(record, &job[i], swf);
	}
	assert_int_equal(torus_trace_next(trace, &record, &err),
			 TORUS_TRACE_END);
	if (swf) {
		assert_int_equal(torus_trace_header(trace)->max_nodes, 77);
		assert_int_equal(torus_trace_header(trace)->max_processors, 77);
		assert_int_equal(torus_trace_header(trace)->unix_start, 5);
	}
	torus_trace_close(trace);
}

static void csv_reads_back_as_written(void **state)
{
	struct random r = { random_seed("csv") };

	(void)state;
	jobs_make(&r, false);
	round_trip(false);
}

static void swf_reads_back_as_written(void **state)
{
	struct random r = { random_seed("swf") };

	(void)state;
	jobs_make(&r, true);
	round_trip(true);
}

/* A full disk is noticed. */
static void a_full_disk_is_noticed(void **state)
{
	const struct torus_writer_columns columns = { 0 };
	FILE *out = fopen("/dev/full", "w");
	int bad = 0;

	(void)state;
	if (!out)
		skip();
	setvbuf(out, NULL, _IONBF, 0);
	bad |= torus_writer_csv.begin(out, NULL, &columns);
	assert_int_equal(bad, -1);
	assert_int_equal(errno, ENOSPC);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_reads_back_as_written),
		cmocka_unit_test(swf_reads_back_as_written),
		cmocka_unit_test(a_full_disk_is_noticed),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
