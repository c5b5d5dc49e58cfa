/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of the journal (format/journal.h): a header once, a line for each
 * job that is over and each change of the nodes that are kept from jobs; and
 * what becomes of a file that begins with other columns. (That a replay
 * understands it is prop_journal's.)
 */
#include "unit.h"

#include "files.h"

#include "format/journal.h"

#define SECOND INT64_C(1000000)
#define HEADER                                                                 \
	"id,submit,run,nodes,geometry,connection,rotate,placement,limit,"      \
	"deadline,priority,eligible,turn,left,limits,only,start,end,region,"   \
	"state\n"
#define LINE                                                                   \
	"7,2.000000,5.000000,,\"2x2\",,,,60.000000,90.000000,3,1.500000,9,,"   \
	"4.000000=120.000000 5.000000=30.000000,"                              \
	"\"torus:{0-2} 2.500000=all\",3.000000,8.000000,"                      \
	"\"torus:{0-2,5}\",completed\n"
#define KEPT ",10.000000,,,,,,,20.000000,,,,,,,,,,\"torus:{0,2}\",busy\n"

static void add_job(const struct torus_machine *m, const char *path)
{
	static const struct cycle_change changes[] = {
		{ 4 * SECOND, 120 * SECOND }, { 5 * SECOND, 30 * SECOND }
	};
	static const uint64_t nodes = 0x27, seven = 7;
	const struct cycle_only were = { 2500000, &seven };
	const struct torus_placement place = { .scattered = true,
					       .granted = 4,
					       .nodes = &nodes };
	struct torus_job job = {
		.id = 7,
		.submit_us = 1500000,
		.limit_us = 60 * SECOND,
		.deadline_us = 90 * SECOND,
		.priority = 3,
		.turn = 9,
		.start_us = 3 * SECOND,
		.request = { .alternatives = 1, .rotate = true },
	};
	const struct cycle_over over = {
		.job = &job,
		.fate = CYCLE_RAN,
		.told_us = 2 * SECOND,
		.over_us = 8 * SECOND,
		.place = &place,
		.change = changes,
		.changes = 2,
		.were = &were,
		.weres = 1,
	};

	job.request.alternative[0].ask = unit_shape("2x2", NULL, true);
	assert_int_equal(journal_add(path, m, &over), 0);
}

static void add_kept(const struct torus_machine *m, const char *path)
{
	static const uint64_t nodes = 5;
	const struct cycle_kept kept = { .at_us = 10 * SECOND,
					 .end_us = 30 * SECOND,
					 .nodes = &nodes };

	assert_int_equal(journal_add_kept(path, m, &kept), 0);
}

static void expect(const char *name, const char *expected)
{
	char *text = files_read(files_path(name), NULL);

	assert_string_equal(text, expected);
	free(text);
}

static void lines(void **state)
{
	struct torus_machine m = unit_machine("4x2", "submesh");
	const char *path = files_path("lines");

	(void)state;
	add_job(&m, path);
	add_kept(&m, path);
	add_job(&m, path);
	expect("lines", HEADER LINE KEPT LINE);
	torus_machine_free(&m);
}

/* Of an older version, also one that had only begun; it is kept. */
static void other_columns(void **state)
{
	static const char *const older[] = { "id,submit,run\n7,1,1\n", "id",
					     HEADER };
	struct torus_machine m = unit_machine("4x2", "submesh");
	const char *path;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		path = files_text("older", older[i]);
		add_job(&m, path);
		expect("older", HEADER LINE);
		expect("older.old", older[i]);
	}
	path = files_text("older", older[2]);
	add_job(&m, path);
	expect("older", HEADER LINE);
	expect("older.old", older[1]);
	torus_machine_free(&m);
}

static void nowhere(void **state)
{
	struct torus_machine m = unit_machine("4x2", "submesh");
	const struct cycle_kept kept = { .at_us = SECOND };

	(void)state;
	assert_int_equal(journal_add_kept(files_path("no/such/directory"), &m,
					  &kept),
			 -1);
	assert_int_equal(errno, ENOENT);
	torus_machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(other_columns),
		cmocka_unit_test(nowhere),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
