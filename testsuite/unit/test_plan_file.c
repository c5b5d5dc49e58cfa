/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that tells `storus reservations` of promises (format/plan_file.h). */
#include "files.h"

#include "format/plan_file.h"

#define SECOND INT64_C(1000000)
#define DAY (1700000000 * SECOND)

/* Microseconds become seconds, none of them before its time. */
static void test_seconds(void **state)
{
	static const struct {
		int64_t start_us, end_us;
		const char *line;
	} table[] = {
		{ DAY, DAY + 60 * SECOND, "1700000000 1700000060" },
		{ DAY + 1, DAY + 60 * SECOND + 1, "1700000001 1700000061" },
		{ DAY - 1, DAY + 60 * SECOND - 1, "1700000000 1700000060" },
	};
	const struct agent_counts counts = { 0 };
	const char *path = files_path("plan");

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		char region[] = "torus:0,0+2x1", expected[128], *text;
		struct told told = {
			.promise = { .name.job = 7,
				     .start_us = table[i].start_us,
				     .end_us = table[i].end_us },
			.region.data = region,
			.placed = true,
		};
		const struct told_list list = { .told = &told, .count = 1 };
		const struct told_about about = {
			.discipline = "easy",
			.queued = 1,
			.at_us = table[i].start_us,
			.counts = &counts,
		};

		assert_int_equal(told_write(&list, &about, path), 0);
		text = files_read(path, NULL);
		snprintf(expected, sizeof(expected), "\njob 7 %s %s 0 \n",
			 table[i].line, region);
		assert_non_null(strstr(text, expected));
		snprintf(expected, sizeof(expected),
			 "torus-plan 1\ntime %.10s\n", table[i].line);
		assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
		free(text);
	}
	assert_int_equal(files_count(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seconds),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
