/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Promises that outlive their cycle (live/promises/saved_promises.c). */
#include "live/promises/promises.h"
#include "live/mirror/mirror.h"
#include "cycle_host.h"
#include "format/json.h"

#define RUNS 100 /* seconds that the job in front runs */

/* A job on all eight nodes, behind it two that are reserved four each. */
static struct host *promising(void)
{
	struct host *h = create("8x1:MM", "submesh", "conservative");

	come(h, 0, unit_shape("8", NULL, true), RUNS * SECOND);
	go_round(h);
	for (uint32_t i = 1; i <= 2; i++)
		come(h, i, unit_shape("4", NULL, true), 60 * SECOND);
	h->now += SECOND;
	go_round(h);
	return h;
}

/* The next cycle, with the same jobs, knows of nothing reserved yet. */
static void begin_anew(struct host *h)
{
	cycle_destroy(h->cycle);
	h->cycle = cycle_create(&h->m, &h->settings, 4, NULL);
	assert_non_null(h->cycle);
	h->now += SECOND;
	assert_int_equal(snapshot(h), 0);
}

/* The older form of a text, a line for each job: shorter to compare. */
static void as_lines(char *saved, struct torus_text *lines)
{
	static const char *const keys[] = { "discipline", "jobs", NULL },
				 *const of_job[] = { "job",      "part",
						     "copy",     "key",
						     "admitted", "alternative",
						     "start_us", "nodes",
						     NULL };
	struct torus_error err = { 0 };
	struct json json = { .name = "promises", .err = &err };
	const struct json_value *v[2], *m[8], *job;

	assert_int_equal(json_read(&json, saved, strlen(saved)), 0);
	assert_int_equal(json_members(&json, json.value, keys, false, v), 0);
	torus_text_add(lines, "discipline %s\n", v[0]->text);
	for (job = json_first(&json, v[1]); job;
	     job = json_next(&json, v[1], job)) {
		assert_int_equal(json_members(&json, job, of_job, true, m), 0);
		torus_text_add(lines, "job %s %s %s %s %d", m[0]->text,
			       m[1]->text, m[2]->text, m[3]->text,
			       m[4]->type == JSON_TRUE);
		if (m[7])
			torus_text_add(lines, " %s %s %s\n", m[5]->text,
				       m[6]->text, m[7]->text);
		else
			torus_text_add(lines, " - - -\n");
	}
	json_free(&json);
}

static void saved_is(struct host *h, const char *expected)
{
	struct torus_text text = { 0 }, lines = { 0 };

	assert_int_equal(saved_promises_save(h->cycle, &text), 0);
	as_lines(text.data, &lines);
	assert_string_equal(lines.data, expected);
	torus_text_free(&text);
	torus_text_free(&lines);
}

#define LOW "job 2 0 0 2 0 0 1100000000 torus:{0-3}\n"
#define HIGH "job 3 0 0 3 0 0 1100000000 torus:{4-7}\n"
#define HEAD "discipline conservative\n"

static void round_trip(void **state)
{
	struct host *h = promising();

	(void)state;
	saved_is(h, HEAD LOW HIGH);
	begin_anew(h);
	saved_is(h, HEAD);
	assert_int_equal(saved_promises_restore(h->cycle, HEAD LOW HIGH, NULL),
			 0);
	check(h);
	saved_is(h, HEAD LOW HIGH);
	obey(h);
	saved_is(h, HEAD LOW HIGH);
	destroy(h);
}

#define SAVED                                                                  \
	"{\n \"format\": \"torus-promises\",\n \"schema\": 1,\n"               \
	" \"discipline\": \"conservative\",\n \"jobs\": [\n  "

/* The same as JSON, as it is written. */
static void json_round_trip(void **state)
{
	struct host *h = promising();
	struct torus_text text = { 0 };

	(void)state;
	assert_int_equal(saved_promises_save(h->cycle, &text), 0);
	assert_ptr_equal(strstr(text.data, SAVED), text.data);
	assert_true(saved_promises_any(text.data));
	assert_true(saved_promises_any(HEAD LOW));
	assert_false(saved_promises_any(HEAD));
	assert_non_null(
		strstr(text.data,
		       "{\"job\": 2, \"part\": 0, \"copy\": 0, \"key\": \"2\", \"admitted\": false, \"alternative\": 0, \"start_us\": 1100000000, \"nodes\": \"torus:{0-3}\"}"));
	begin_anew(h);
	assert_int_equal(saved_promises_restore(h->cycle, text.data, NULL), 0);
	check(h);
	saved_is(h, HEAD LOW HIGH);
	obey(h);
	saved_is(h, HEAD LOW HIGH);
	torus_text_free(&text);
	destroy(h);
}

/* One of nodes that the machine no longer has: the others stay. */
static void nodes_of_another_machine_end_one_promise(void **state)
{
	static const char text[] = SAVED
		"{\"job\": 2, \"part\": 0, \"copy\": 0, \"key\": \"2\", \"admitted\": false, \"alternative\": 0, \"start_us\": 1100000000, \"nodes\": \"torus:{0-9}\"},"
		"{\"job\": 3, \"part\": 0, \"copy\": 0, \"key\": \"3\", \"admitted\": false, \"alternative\": 0, \"start_us\": 1100000000, \"nodes\": \"torus:{4-7}\"}],"
		"\"usage\": []}";
	struct host *h = promising();
	struct torus_error err = { 0 };

	(void)state;
	begin_anew(h);
	assert_int_equal(saved_promises_restore(h->cycle, text, &err), -1);
	assert_int_equal(err.count, 1);
	check(h);
	saved_is(h, HEAD HIGH);
	destroy(h);
}

/* What is read, and what of it is still promised. */
static void some_are_kept(void **state)
{
	static const struct {
		const char *text, *kept;
	} cases[] = {
		/* where and when nobody would reserve it */
		{ HEAD "job 2 0 0 2 0 0 1200000000 torus:{2-5}\n",
		  HEAD "job 2 0 0 2 0 0 1200000000 torus:{2-5}\n" },
		/* another discipline's */
		{ "discipline dedf\n" LOW, HEAD },
		/* beside the job that runs, and in the past */
		{ HEAD "job 2 0 0 2 0 0 1050000000 torus:{0-3}\n", HEAD },
		{ HEAD "job 2 0 0 2 0 0 900000000 torus:{0-3}\n", HEAD },
		/* the same nodes twice: the first keeps them */
		{ HEAD LOW "job 3 0 0 3 0 0 1100000000 torus:{3-6}\n",
		  HEAD LOW },
		{ HEAD LOW "job 3 0 0 3 0 0 1160000000 torus:{0-3}\n",
		  HEAD LOW "job 3 0 0 3 0 0 1160000000 torus:{0-3}\n" },
		/* the job is gone, or asks for something else */
		{ HEAD "job 9 0 0 9 0 0 1100000000 torus:{0-3}\n", HEAD },
		{ HEAD "job 2 0 1 2 0 0 1100000000 torus:{0-3}\n", HEAD },
		{ HEAD "job 2 0 0 3 0 0 1100000000 torus:{0-3}\n", HEAD },
		/* no place of its shape */
		{ HEAD "job 2 0 0 2 0 0 1100000000 torus:{0-2,4}\n", HEAD },
		{ HEAD "job 2 0 0 2 0 0 1100000000 torus:{0-2}\n", HEAD },
		{ HEAD "job 2 0 0 2 0 1 1100000000 torus:{0-3}\n", HEAD },
		{ HEAD "job 2 0 0 2 0 - - -\n", HEAD },
		{ HEAD "job 2 0 0 2 1 - - -\n", HEAD "job 2 0 0 2 1 - - -\n" },
		/* as JSON: where nobody would reserve it */
		{ SAVED
		  "{\"job\": 2, \"part\": 0, \"copy\": 0, \"key\": \"2\", \"alternative\": 0, \"start_us\": 1200000000, \"nodes\": \"torus:{2-5}\"}]}",
		  HEAD "job 2 0 0 2 0 0 1200000000 torus:{2-5}\n" },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(cases); i++) {
		struct host *h = promising();
		struct torus_error err = { 0 };

		begin_anew(h);
		assert_int_equal(saved_promises_restore(h->cycle, cases[i].text,
							&err),
				 0);
		assert_int_equal(err.count, 0);
		check(h);
		saved_is(h, cases[i].kept);
		obey(h);
		check(h);
		destroy(h);
	}
}

/* The next cycle, whose first update has no time but for one submission and one search
 * around required nodes. */
static void begin_short(struct host *h)
{
	cycle_destroy(h->cycle);
	h->cycle = cycle_create(&h->m, &h->settings, 4, NULL);
	assert_non_null(h->cycle);
	h->cycle->submit_us = h->cycle->search.budget_us = 0;
	h->now += SECOND;
	assert_int_equal(snapshot(h), 0);
}

static uint32_t queued(const struct host *h)
{
	uint32_t n = 0;

	for (const struct mirror_entry *e = h->cycle->waiting.first; e;
	     e = e->next)
		n += e->state == ENTRY_QUEUED;
	return n;
}

/* Promises and admissions of jobs that the first update had no time for. A job without
 * a promise waits for the next update. */
static void a_short_update_keeps_promises(void **state)
{
	static const char *const cases[] = {
		HEAD LOW HIGH,
		HEAD "job 2 0 0 2 1 - - -\n" HIGH,
		HEAD LOW "job 3 0 0 3 1 - - -\n",
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(cases); i++) {
		struct host *h = promising();

		come(h, 3, unit_shape("2", NULL, true), 60 * SECOND);
		begin_short(h);
		assert_int_equal(queued(h), 1);
		assert_int_equal(saved_promises_restore(h->cycle, cases[i],
							NULL),
				 0);
		check(h);
		saved_is(h, cases[i]);
		assert_int_equal(queued(h), 2);
		for (uint32_t n = 0; n < 2; n++) {
			obey(h);
			check(h);
			h->now += SECOND;
			assert_int_equal(snapshot(h), 0);
		}
		assert_int_equal(queued(h), 3);
		destroy(h);
	}
}

static void a_short_update_keeps_promises_around_nodes(void **state)
{
	static const uint64_t required[2] = { 0x1, 0x10 },
			      allowed[2] = { 0xff, 0xff };
	struct host *h = promising();

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		h->job[i + 1].pending.required = &required[i];
		h->job[i + 1].pending.allowed = &allowed[i];
	}
	begin_short(h);
	assert_int_equal(queued(h), 1);
	assert_int_equal(saved_promises_restore(h->cycle, HEAD LOW HIGH, NULL),
			 0);
	check(h);
	saved_is(h, HEAD LOW HIGH);
	destroy(h);
}

static void wrong_lines(void **state)
{
	static const char *const cases[] = {
		"",
		"torus_promises 1\n",
		HEAD "jog 2 0 0 2 0 0 1100000000 torus:{0-3}\n",
		HEAD "job -2 0 0 2 0 0 1100000000 torus:{0-3}\n",
		HEAD "job 2 0 0 2 2 0 1100000000 torus:{0-3}\n",
		HEAD "job 2 0 0 2 0 8 1100000000 torus:{0-3}\n",
		HEAD "job 2 0 0 2 0 0 99999999999999999999 torus:{0-3}\n",
		HEAD "job 2 0 0 2 0 0 -5 torus:{0-3}\n",
		HEAD "job 4294967296 0 0 2 0 0 1100000000 torus:{0-3}\n",
		HEAD "job 2 0 0 2 0 0\n",
		HEAD "job 2 0 0 2 0 0 1100000000 \n",
		HEAD "job 2 0 0 2 0 0 1100000000 other:{0-3}\n",
		HEAD "job 2 0 0 2 0 0 1100000000 torus:{0-9}\n",
		HEAD "job 2 0 0 2 0 0 1100000000 torus:0,0+4x1\n",
		"{}",
		"{",
		"{\"format\": \"torus-plan\", \"schema\": 1}",
		"{\"format\": \"torus-promises\", \"schema\": 2}",
		"{\"format\": \"torus-promises\", \"schema\": 1}",
		SAVED "7]}",
		SAVED "{}]}",
		SAVED
		"{\"job\": -2, \"part\": 0, \"copy\": 0, \"key\": \"2\"}]}",
		SAVED "{\"job\": 2, \"part\": 0, \"copy\": 0, \"key\": 2}]}",
		SAVED
		"{\"job\": 2, \"part\": 0, \"copy\": 0, \"key\": \"2x\"}]}",
		SAVED
		"{\"job\": 2, \"part\": 0, \"copy\": 0, \"key\": \"2\", \"nodes\": \"torus:{0-3}\"}]}",
		SAVED
		"{\"job\": 2, \"part\": 0, \"copy\": 0, \"key\": \"2\", \"alternative\": 0, \"start_us\": 1100000000, \"nodes\": \"torus:{0-9}\"}]}",
	};
	struct host *h = promising();

	(void)state;
	begin_anew(h);
	for (size_t i = 0; i < UNIT_ROWS(cases); i++) {
		struct torus_error err = { 0 };

		assert_int_equal(saved_promises_restore(h->cycle, cases[i],
							&err),
				 -1);
		assert_int_equal(err.count, 1);
		check(h);
		saved_is(h, HEAD);
	}
	destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(json_round_trip),
		cmocka_unit_test(nodes_of_another_machine_end_one_promise),
		cmocka_unit_test(some_are_kept),
		cmocka_unit_test(a_short_update_keeps_promises),
		cmocka_unit_test(a_short_update_keeps_promises_around_nodes),
		cmocka_unit_test(wrong_lines),
	};

	return UNIT_RUN(tests);
}
