/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of the journal (format/journal.h): a header once, lines for stays,
 * nodes and marks; which files it is not written to; that lines are whole or
 * absent where a file cannot grow. (That a replay understands it is
 * prop_journal's.)
 */
#include "unit.h"

#include "files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "format/journal.h"
#include "format/journal_file.h"

#define SECOND INT64_C(1000000)
#define HEADER                                                                                             \
	"# torus journal 4\n"                                                                              \
	"id,submit,run,nodes,geometry,connection,rotate,placement,links,"                                  \
	"rank_order,limit,deadline,user,priority,account,eligible,turn,left,limits,only,start,end,region," \
	"state,stay\n"
#define LINE                                                                               \
	"7,2.000000,5.000000,,\"2x2\",,,,weak,,60.000000,90.000000,ada,3,lab,1.500000,9,," \
	"4.000000=120.000000 5.000000=30.000000,"                                          \
	"\"torus:{0-2}!2 2.500000=all!5\",3.000000,8.000000,"                              \
	"\"torus:{0-2,5}\",completed,3\n"
#define OPEN                                                                                \
	"7,2.000000,60.000000,,\"2x2\",,,,weak,,60.000000,90.000000,ada,3,lab,1.500000,9,," \
	"4.000000=120.000000 5.000000=30.000000,"                                           \
	"\"torus:{0-2}!2 2.500000=all!5\",3.000000,,"                                       \
	"\"torus:{0-2,5}\",running,3\n"
#define BEGIN                                                                     \
	",1.000000,,,,,,,,,,,,,,,,,,,,,,begin,\n"                                 \
	",1.000000,,,,,,,,,,,,,,,,,,,,,\"scheduler easy order=arrival "           \
	"wait_limit=none backfill_places=1 mean_hold=0 reservations=1\",state,\n" \
	",1.000000,,,,,,,,,,,,,,,,,,,,,\"pod torus 4x2 submesh -\",state,\n"
#define UNTIL ",9.000000,,,,,,,,,,,,,,,,,,,,,,until,\n"
#define LOST(n) ",,," #n ",,,,,,,,,,,,,,,,,,,,lost,\n"
#define OUTAGES                                                                       \
	",2.000000,,,,,,,,,,,,,,,,,,,,,\"5 -90.000000 torus:{0-2}=3.000000-4.000000," \
	"13.000000- torus:{5}=-6.500000\",outages,\n"
#define NO_OUTAGE ",2.000000,,,,,,,,,,,,,,,,,,,,,\"6 -\",outages,\n"
#define LINKS                                                                  \
	",10.000000,,,,,,,,,,,,,,,,,,,,,\"none\",link,\n"                      \
	",10.000000,,,,,,,,,,,,,,,,,,,,,\"torus:3,1 0 weak\",link,\n"
#define USAGE                                                                  \
	",10.000000,,,,,,,,,,,,,,,,,,,,,\"usage 3ff8000000000000 ada\",state,\n"
#define KEPT ",10.000000,,,,,,,,,20.000000,,,,,,,,,,,,\"torus:{0,2}\",busy,\n"

static void add_job(struct journal *j, enum journal_state state)
{
	static const struct journal_limit changes[] = {
		{ 4 * SECOND, 120 * SECOND }, { 5 * SECOND, 30 * SECOND }
	};
	static const uint64_t nodes = 0x27, seven = 7;
	const struct journal_allowed before = { 2500000, &seven, 2 };
	const struct torus_placement place = { .scattered = true,
					       .granted = 4,
					       .nodes = &nodes };
	const struct torus_hold hold = { .place = place };
	struct torus_alternative alternative = { .ask = unit_shape("2x2", NULL,
								   true) };
	static const struct torus_job_owner owner = { .user = "ada",
						      .account = "lab" };
	const struct torus_job job = {
		.id = 7,
		.submit_us = 1500000,
		.limit_us = 60 * SECOND,
		.deadline_us = 90 * SECOND,
		.priority = 3,
		.turn = 9,
		.start_us = 3 * SECOND,
		.request = { .alternative = &alternative,
			     .alternatives = 1,
			     .rotate = true },
		.owner = &owner,
	};
	const struct journal_stay stay = {
		.number = 3,
		.job = &job,
		.state = state,
		.submitted_us = 2 * SECOND,
		.ended_us = 8 * SECOND,
		.hold = &hold,
		.limit = changes,
		.limits = 2,
		.outages = 5,
		.allowed_before = &before,
		.allowed_changes = 1,
	};

	alternative.ask.weak = true;
	journal_stay(j, &stay);
}

static void add_nodes(struct journal *j)
{
	static const uint64_t nodes = 5;

	journal_nodes(j, false, 10 * SECOND, 30 * SECOND, &nodes);
}

/* None is down or weak; one is. */
static void add_links(struct journal *j)
{
	const struct torus_link link = { .vertex = 7,
					 .health = TORUS_LINK_WEAK };

	journal_link(j, 10 * SECOND, NULL);
	journal_link(j, 10 * SECOND, &link);
}

/* The same nodes stand together; what is as good as for ever is left out. */
static void add_outages(struct journal *j)
{
	static const uint64_t seven = 7, other = 0x20;
	const struct torus_outage outage[] = {
		{ 3 * SECOND, 4 * SECOND, &seven, "maintenance", 0 },
		{ 13 * SECOND, INT64_MAX, &seven, "maintenance", 0 },
		{ INT64_MIN, 6500000, &other, NULL, 5 },
	};

	journal_outages(j, 2 * SECOND,
			&(struct torus_outages){ 5, 90 * SECOND, false, 3,
						 outage });
	journal_outages(j, 2 * SECOND,
			&(struct torus_outages){ 6, INT64_MAX, false, 0, NULL });
}

static void written(struct journal *j)
{
	struct torus_error err = { 0 };

	if (journal_write(j, &err))
		fail_msg("%s", err.text);
	assert_true(journal_idle(j));
}

/* Not, and why. */
static void refused(struct journal *j, int error, const char *why)
{
	struct torus_error err = { 0 };

	assert_int_equal(journal_write(j, &err), -1);
	assert_int_equal(errno, error);
	if (!strstr(err.text, why))
		fail_msg("got \"%s\", expected \"%s\" in it", err.text, why);
}

static void expect(const char *name, const char *expected)
{
	char *text = files_read(files_path(name), NULL);

	assert_string_equal(text, expected);
	free(text);
}

static void each_record_is_one_line(void **state)
{
	struct torus_scheduler_settings settings;
	struct torus_machine m = unit_machine("4x2", "submesh");
	struct journal *j = journal_create(files_path("lines"), &m);

	(void)state;
	torus_scheduler_defaults(&settings);
	journal_begin(j, SECOND, &settings, "pod torus 4x2 submesh -\n");
	add_outages(j);
	add_job(j, JOURNAL_RUNNING);
	add_nodes(j);
	add_links(j);
	journal_usage(j, 10 * SECOND,
		      &(struct torus_usage){ .user = "ada", .used = 1.5 });
	written(j);
	add_job(j, JOURNAL_COMPLETED);
	journal_until(j, 9 * SECOND);
	written(j);
	written(j);
	expect("lines",
	       HEADER BEGIN OUTAGES NO_OUTAGE OPEN KEPT LINKS USAGE LINE UNTIL);
	journal_destroy(j);
	torus_machine_free(&m);
}

/* Of an older version; it is kept. A torn last line goes. */
static void other_columns(void **state)
{
	static const char older[] = "id,submit,run,nodes,geometry,state\n7,1\n";
	static const char *const torn[] = { "# to", HEADER, HEADER "7,2.0",
					    HEADER BEGIN "7,2.0000" };
	static const char *const whole[] = { HEADER, HEADER, HEADER,
					     HEADER BEGIN };
	struct torus_machine m = unit_machine("4x2", "submesh");
	struct journal *j = journal_create(files_path("older"), &m);
	char text[4096];

	(void)state;
	files_text("older", older);
	add_nodes(j);
	written(j);
	expect("older", HEADER KEPT);
	expect("older.old", older);
	for (size_t i = 0; i < UNIT_ROWS(torn); i++) {
		files_text("older", torn[i]);
		add_nodes(j);
		written(j);
		snprintf(text, sizeof(text), "%s" KEPT, whole[i]);
		expect("older", text);
	}
	expect("older.old", older);
	journal_destroy(j);
	torus_machine_free(&m);
}

/* What is no journal is left alone. */
static void a_file_that_is_no_journal_is_not_changed(void **state)
{
	struct torus_machine m = unit_machine("4x2", "submesh");
	struct journal *j = journal_create(files_path("other"), &m);
	bool is_device;
	char path[256];
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s", files_path("other"));
	files_text("other", "id of my bank account: 7\n");
	add_nodes(j);
	refused(j, EINVAL, "it does not begin as a journal");
	expect("other", "id of my bank account: 7\n");

	unlink(path);
	files_text("target", HEADER);
	assert_int_equal(symlink(files_path("target"), path), 0);
	add_nodes(j);
	refused(j, EINVAL, "it is a symbolic link");
	expect("target", HEADER);

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	add_nodes(j);
	refused(j, EINVAL, "it is no regular file");
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));

	unlink(path);
	is_device = mknod(path, S_IFCHR | 0600, makedev(1, 7)) == 0; /* full */
	if (is_device) {
		add_nodes(j);
		refused(j, EINVAL, "it is no regular file");
		assert_int_equal(stat(path, &st), 0);
		assert_true(S_ISCHR(st.st_mode));
		unlink(path);
	}
	assert_int_equal(access(files_path("other.old"), F_OK), -1);

	add_nodes(j);
	written(j); /* and counts what was lost */
	expect("other", is_device ? HEADER LOST(4) KEPT : HEADER LOST(3) KEPT);
	assert_true(journal_ends(j)); /* what was lost is known from then on */
	journal_destroy(j);
	torus_machine_free(&m);
}

/* The file has another name, or is empty again: what belongs into it goes there,
 * and its end is known. */
static void set_aside(void **state)
{
	struct torus_machine m = unit_machine("4x2", "submesh");
	struct journal *j = journal_create(files_path("aside"), &m);
	char path[256], older[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", files_path("aside"));
	snprintf(older, sizeof(older), "%s", files_path("aside.1"));
	assert_false(journal_ends(j));
	add_nodes(j);
	written(j);
	assert_false(journal_ends(j));
	assert_int_equal(rename(path, older), 0);
	assert_true(journal_ends(j));
	add_nodes(j);
	written(j);
	expect("aside.1", HEADER KEPT KEPT);
	assert_int_equal(access(path, F_OK), -1);
	journal_destroy(j);

	j = journal_create(path, &m);
	add_nodes(j);
	written(j);
	expect("aside", HEADER KEPT);
	assert_false(journal_ends(j));
	assert_int_equal(truncate(path, 0), 0);
	assert_true(journal_ends(j));
	journal_destroy(j);
	torus_machine_free(&m);
}

static void a_journal_that_cannot_be_opened_is_refused(void **state)
{
	struct torus_machine m = unit_machine("4x2", "submesh");
	struct journal *j = journal_create(files_path("no/such/directory"), &m);

	(void)state;
	add_nodes(j);
	refused(j, ENOENT, "No such file");
	journal_destroy(j);
	torus_machine_free(&m);
}

/* Who may read it. */
static void private_file(void **state)
{
	struct torus_machine m = unit_machine("4x2", "submesh");
	struct journal *j = journal_create(files_path("mode"), &m);
	mode_t mask = umask(022);
	struct stat st;

	(void)state;
	for (int i = 0; i < 3; i++) {
		journal_private(j, i == 1);
		add_nodes(j);
		written(j);
		assert_int_equal(stat(files_path("mode"), &st), 0);
		assert_int_equal(st.st_mode & 0777, i == 0 ? 0644 : 0600);
	}
	umask(mask);
	journal_destroy(j);
	torus_machine_free(&m);
}

/* A file that another user can change is no record. */
static void foreign_file(void **state)
{
	struct torus_machine m = unit_machine("4x2", "submesh");
	struct journal *j = journal_create(files_path("foreign"), &m);
	struct stat st;

	(void)state;
	add_nodes(j);
	written(j);
	journal_destroy(j);
	j = journal_create(files_path("foreign"), &m);
	assert_int_equal(chmod(files_path("foreign"), 0666), 0);
	add_nodes(j);
	written(j);
	assert_int_equal(stat(files_path("foreign"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	journal_destroy(j);
	j = journal_create(files_path("foreign"), &m);
	if (geteuid() == 0) {
		assert_int_equal(chown(files_path("foreign"), 65534, 0), 0);
		add_nodes(j);
		refused(j, EINVAL, "it belongs to another user");
	}
	journal_destroy(j);
	torus_machine_free(&m);
}

/* In a process of its own: files may have so many bytes. */
static void write_limited(struct journal *j, rlim_t bytes, bool fits)
{
	const struct rlimit limit = { bytes, RLIM_INFINITY };

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	add_job(j, JOURNAL_COMPLETED);
	add_nodes(j);
	if (fits)
		written(j);
	else
		refused(j, EFBIG, "File too large");
}

/* Lines are whole or absent, wherever the file is full. */
static void lines_on_a_full_disk_are_whole_or_absent(void **state)
{
	const size_t room = strlen(HEADER LINE KEPT LINE KEPT);
	struct torus_machine m = unit_machine("4x2", "submesh");
	int status;

	(void)state;
	for (size_t bytes = 0; bytes <= room; bytes++) {
		bool first = bytes >= strlen(HEADER LINE KEPT);
		bool second = bytes >= room;
		struct journal *j = journal_create(files_path("full"), &m);
		pid_t pid = fork();

		if (pid == 0) {
			signal(SIGXFSZ, SIG_IGN);
			write_limited(j, bytes, first);
			write_limited(j, bytes, second);
			write_limited(j, RLIM_INFINITY, true);
			_exit(0);
		}
		assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
		assert_int_equal(status, 0);
		expect("full", second ? HEADER LINE KEPT LINE KEPT LINE KEPT :
			       first  ? HEADER LINE KEPT LOST(2) LINE KEPT :
					HEADER LOST(4) LINE KEPT);
		unlink(files_path("full"));
		journal_destroy(j);
	}
	torus_machine_free(&m);
}

static void
the_settings_of_a_scheduler_are_read_as_they_were_written(void **state)
{
	static const char *const right[] = {
		"scheduler easy order=arrival wait_limit=none backfill_places=1 mean_hold=0",
		"scheduler fcfs order=priority wait_limit=0 backfill_places=64 mean_hold=-1",
		"scheduler conservative order=arrival wait_limit=9223372036854775806 backfill_places=4294967295 mean_hold=10000000",
	};
	static const char *const wrong[] = {
		"",
		"scheduler",
		"scheduler soon order=arrival",
		"plan easy",
		"scheduler easy order=size",
		"scheduler easy wait_limit=1s",
		"scheduler easy wait_limit=99999999999999999999",
		"scheduler easy backfill_places=0",
		"scheduler easy backfill_places=4294967296",
		"scheduler easy mean_hold=1x",
		"scheduler easy order",
		"scheduler easy cheese=1",
		"scheduler easy  order=arrival",
	};
	struct torus_scheduler_settings settings;
	struct torus_error err = { 0 };

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(right); i++) {
		struct torus_text text = { 0 };

		torus_scheduler_defaults(&settings);
		assert_int_equal(journal_settings_read(right[i], "here",
						       &settings, &err),
				 0);
		assert_int_equal(journal_settings(&settings, &text), 0);
		assert_string_equal(text.data, right[i]);
		torus_text_free(&text);
	}
	for (size_t i = 0; i < UNIT_ROWS(wrong); i++) {
		torus_error_clear(&err);
		if (journal_settings_read(wrong[i], "here", &settings, &err) ==
		    0)
			fail_msg("\"%s\" was taken", wrong[i]);
		assert_non_null(strstr(err.text, "here"));
	}
}

/* A journal's order and reservations are for what torus.yaml leaves open. */
static void test_settings_of_a_journal_fill_what_is_open(void **state)
{
	static const struct {
		const char *line;
		bool reads, priority;
		uint32_t reservations;
	} rows[] = {
		{ "scheduler easy order=priority wait_limit=none backfill_places=1 mean_hold=0 reservations=3",
		  true, true, 3 },
		/* of an older version: the head alone */
		{ "scheduler easy order=arrival wait_limit=none backfill_places=1 mean_hold=0",
		  true, false, 0 },
		{ "scheduler conservative order=priority wait_limit=none", true,
		  true, 1 },
		{ "pod torus 4x2 submesh -", false, false, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct torus_scheduler_settings open, given;

		torus_scheduler_defaults(&open);
		given = open;
		open.order_open = open.reservations_open = true;
		assert_int_equal(journal_settings_complete(rows[i].line, &open),
				 rows[i].reads);
		assert_int_equal(open.order_by_priority, rows[i].priority);
		assert_int_equal(open.reservations, rows[i].reservations);
		journal_settings_complete(rows[i].line, &given);
		assert_false(given.order_by_priority);
		assert_int_equal(given.reservations, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings_of_a_journal_fill_what_is_open),
		cmocka_unit_test(each_record_is_one_line),
		cmocka_unit_test(other_columns),
		cmocka_unit_test(a_file_that_is_no_journal_is_not_changed),
		cmocka_unit_test(a_journal_that_cannot_be_opened_is_refused),
		cmocka_unit_test(set_aside),
		cmocka_unit_test(private_file),
		cmocka_unit_test(foreign_file),
		cmocka_unit_test(lines_on_a_full_disk_are_whole_or_absent),
		cmocka_unit_test(
			the_settings_of_a_scheduler_are_read_as_they_were_written),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
