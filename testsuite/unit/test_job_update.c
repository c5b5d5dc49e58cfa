/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a job update: written, read back, refused. */
#include "unit.h"

#include <errno.h>

#include "format/admin_comment.h"

static const struct torus_request_words good[] = {
	{ .geometry = "4x4x2" },
	{ .geometry = "8x8x8,16x8x4,512@2h", .conn_type = "torus" },
	{ .geometry = "2^3", .no_rotate = true },
	{ .geometry = "4x4",
	  .conn_type = "TM",
	  .placement = "submesh",
	  .links = "weak",
	  .no_rotate = true },
};

static void same(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static void round_trip(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct torus_text text = { 0 };
		struct torus_request_words words;
		struct torus_error err = { 0 };

		assert_int_equal(job_update_write(&good[i], &text), 0);
		assert_true(job_update_is(text.data));
		assert_int_equal(job_update_read(text.data, &words, &err), 0);
		same(words.geometry, good[i].geometry);
		same(words.conn_type, good[i].conn_type);
		same(words.placement, good[i].placement);
		same(words.links, good[i].links);
		assert_int_equal(words.no_rotate, good[i].no_rotate);
		torus_text_free(&text);
	}
}

/* Expected failures: what no storus of this version writes. */
static void updates_of_other_versions_are_refused(void **state)
{
	static const char *const bad[] = {
		"torus:update=",
		"torus:update=1",
		"torus:update=1;",
		"torus:update=2;geometry=4x4",
		"torus:update=1;geometry",
		"torus:update=1;geometry=",
		"torus:update=1;geometry=4x4;",
		"torus:update=1;geometry=4x4;geometry=2x2",
		"torus:update=1;geometry=4x4;no-rotate;no-rotate",
		"torus:update=1;geometry=4x4;no-rotate=1",
		"torus:update=1;geometry=4x4;nodes=17",
		"torus:update=1;conn-type=torus",
		"torus:update=1 ;geometry=4x4",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct torus_request_words words;
		struct torus_error err = { 0 };
		char text[128];

		snprintf(text, sizeof(text), "%s", bad[i]);
		assert_true(job_update_is(text));
		assert_int_equal(job_update_read(text, &words, &err), -1);
		assert_int_equal(err.count, 1);
	}
	assert_false(job_update_is(NULL));
	assert_false(job_update_is("my job torus:update=1;geometry=4x4"));
}

static void what_cannot_be_read_back_is_not_written(void **state)
{
	struct torus_text text = { 0 };

	(void)state;
	assert_int_equal(job_update_write(
				 &(struct torus_request_words){
					 .geometry = "4x4;no-rotate" },
				 &text),
			 -1);
	assert_int_equal(errno, EINVAL);
	torus_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(updates_of_other_versions_are_refused),
		cmocka_unit_test(what_cannot_be_read_back_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
