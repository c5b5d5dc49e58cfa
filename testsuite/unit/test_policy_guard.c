/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guard of policies: what one does wrong is reported once and goes no further. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/file.h"
#include "config/policy_guard.h"
#include "torus/alloc.h"
#include "torus/state_find.h"
#include "unit.h"

static struct {
	int lines;
	char line[512];
} reported;

static void report(const char *line)
{
	reported.lines++;
	snprintf(reported.line, sizeof(reported.line), "%s", line);
}

static volatile int never;

static __attribute__((noinline)) int64_t deeper(volatile char *above)
{
	volatile char here[512];

	here[0] = *above;
	return never ? 0 : deeper(here) + here[0];
}

/* The limit says what goes wrong; a job without one gets its number. */
enum {
	RIGHT,
	CRASHES,
	TRAPS,
	RECURSES,
	LOOPS,
	SLEEPS,
	IS_SENT_URG
};

static int64_t some_rank(void *self, const struct torus_job *job, int64_t now_us)
{
	char first = 0;

	assert_ptr_equal(self, &reported);
	assert_int_equal(now_us, 5);
	switch (job->limit_us) {
	case CRASHES:
		raise(SIGSEGV);
		break;
	case TRAPS:
		raise(SIGFPE);
		break;
	case RECURSES:
		return deeper(&first);
	case IS_SENT_URG:
		raise(SIGURG);
		break;
	case LOOPS:
		while (!never)
			;
		break;
	case SLEEPS:
		while (!never)
			pause();
	}
	return (int64_t)job->id;
}

static int64_t some_least(void *self, const struct torus_rank_range *range,
			  int64_t now_us)
{
	struct torus_job job = { .id = range->nodes,
				 .limit_us = range->limit_us };

	return some_rank(self, &job, now_us);
}

static struct torus_discipline some = { .name = "some",
					.rank = some_rank,
					.rank_least = some_least };

static int64_t rank_of(int64_t what)
{
	struct torus_job job = { .id = 7, .limit_us = what };

	return some.rank(&reported, &job, 5);
}

/* Each test has a process of its own, as a policy is given up for ever. */
static void in_child(void (*test)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct torus_error err = { 0 };
		struct rlimit none = { 0 };

		setrlimit(RLIMIT_CORE, &none);
		for (int i = 1; i < 32; i++) /* cmocka's handlers */
			signal(i, SIG_DFL);
		torus_guard_report(report);
		if (torus_guard_discipline(&some, "some.so", &err))
			_exit(9);
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* In a child, where cmocka does not take part. */
#define EXPECT(what)                                                           \
	do {                                                                   \
		if (!(what)) {                                                 \
			fprintf(stderr, "line %d: not %s (%s)\n", __LINE__,    \
				#what, reported.line);                         \
			_exit(1);                                              \
		}                                                              \
	} while (0)

static void expect_given_up(int64_t what, const char *how)
{
	struct torus_rank_range range = { .nodes = 9 };

	EXPECT(rank_of(RIGHT) == 7);
	EXPECT(some.rank_least(&reported, &range, 5) == 9);
	EXPECT(!torus_guard_failure(&some));
	EXPECT(rank_of(what) == INT64_MAX);
	EXPECT(strstr(reported.line, "policy some.so: rank() "));
	EXPECT(strstr(reported.line, how));
	EXPECT(!strcmp(torus_guard_failure(&some), reported.line));
	/* it is not asked again */
	EXPECT(rank_of(RIGHT) == INT64_MAX);
	EXPECT(rank_of(what) == INT64_MAX);
	EXPECT(some.rank_least(&reported, &range, 5) == INT64_MIN);
	EXPECT(reported.lines == 1);
}

static void crashes(void)
{
	expect_given_up(CRASHES, "crashed (SIGSEGV)");
}

static void traps(void)
{
	expect_given_up(TRAPS, "crashed (SIGFPE)");
}

static void recurses(void)
{
	expect_given_up(RECURSES, "crashed (SIGSEGV)");
}

static void loops(void)
{
	expect_given_up(LOOPS, "hangs: it has not ended within 1000 ms");
}

static void sleeps(void)
{
	expect_given_up(SLEEPS, "hangs");
}

static void least_crashes(void)
{
	struct torus_rank_range range = { .limit_us = CRASHES };

	EXPECT(some.rank_least(&reported, &range, 5) == INT64_MIN);
	EXPECT(strstr(reported.line, "rank_least() crashed"));
	EXPECT(rank_of(RIGHT) == INT64_MAX);
}

static void urged(void)
{
	EXPECT(rank_of(IS_SENT_URG) == 7);
	EXPECT(rank_of(RIGHT) == 7);
	EXPECT(!torus_guard_failure(&some) && reported.lines == 0);
}

static int64_t other_rank(void *self, const struct torus_job *job,
			  int64_t now_us)
{
	(void)self, (void)now_us;
	raise(SIGSEGV);
	return (int64_t)job->id;
}

static void crashes_after_another(void)
{
	struct torus_discipline other = { .name = "other", .rank = other_rank };
	struct torus_job job = { .id = 7 };
	struct torus_error err = { 0 };

	EXPECT(!torus_guard_discipline(&other, "other.so", &err));
	expect_given_up(CRASHES, "crashed (SIGSEGV)");
	EXPECT(other.rank(NULL, &job, 5) == INT64_MAX);
	EXPECT(strstr(torus_guard_failure(&other), "other.so: rank() crashed"));
	EXPECT(reported.lines == 2);
}

static void a_failure_is_reported_once_and_contained(void **state)
{
	(void)state;
	in_child(crashes);
	in_child(traps);
	in_child(recurses);
	in_child(loops);
	in_child(sleeps);
	in_child(least_crashes);
	in_child(crashes_after_another);
}

static void a_signal_of_others_gives_up_no_policy(void **state)
{
	(void)state;
	in_child(urged);
}

static void *ask_in_thread(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000; i++)
		EXPECT(rank_of(RIGHT) == 7);
	return NULL;
}

static void *hang_in_thread(void *arg)
{
	(void)arg;
	EXPECT(rank_of(LOOPS) == INT64_MAX);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[8];

	for (int k = 0; k < 50; k++) {
		for (int i = 0; i < 8; i++)
			EXPECT(!pthread_create(&thread[i], NULL, ask_in_thread,
					       NULL));
		for (int i = 0; i < 8; i++)
			pthread_join(thread[i], NULL);
	}
	for (int i = 0; i < 8; i++)
		EXPECT(!pthread_create(&thread[i], NULL, hang_in_thread, NULL));
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	EXPECT(reported.lines == 1);
}

static void every_thread_is_guarded(void **state)
{
	(void)state;
	in_child(threads);
}

static void expect_crash(void)
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		raise(SIGSEGV);
		_exit(0);
	}
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void crash_elsewhere(void)
{
	EXPECT(rank_of(RIGHT) == 7);
	expect_crash();
	EXPECT(rank_of(CRASHES) == INT64_MAX);
	expect_crash();
}

static void a_crash_outside_a_policy_has_its_effect(void **state)
{
	(void)state;
	in_child(crash_elsewhere);
}

/* A strategy that gives the first node, or what is wrong */
static enum {
	GIVES,
	NOT_FREE,
	WILD,
	PARTS,
	NO_ANSWER,
	FAULTS,
	CREATE_FAULTS
} place;
static uint64_t given[4];

static void *first_create(const struct torus *t, const uint64_t *present,
			  const struct torus_options *options)
{
	(void)t, (void)present, (void)options;
	if (place == CREATE_FAULTS)
		raise(SIGBUS);
	return given;
}

static void first_destroy(void *self)
{
	EXPECT(self == given);
}

static enum torus_answer first_find(void *self, const struct torus_ask *ask,
				    const uint64_t *usable,
				    struct torus_placement *out,
				    struct torus_error *why)
{
	(void)self, (void)ask, (void)usable, (void)why;
	given[0] = place == NOT_FREE ? 2 : 1;
	*out = (struct torus_placement){ .scattered = true,
					 .granted = 1,
					 .nodes = given };
	if (place == WILD)
		out->nodes = (const uint64_t *)64;
	if (place == PARTS)
		out->regions = (const struct torus_regions *)64;
	if (place == FAULTS)
		raise(SIGSEGV);
	return place == NO_ANSWER ? (enum torus_answer)77 : TORUS_FITS;
}

static void expect_place(int what, const char *how)
{
	struct torus_strategy first = { .name = "first",
					.create = first_create,
					.destroy = first_destroy,
					.find = first_find };
	struct torus t = unit_torus("4x4");
	struct torus_ask ask = unit_count(1, 'N');
	struct torus_placement out = { 0 };
	struct torus_error err = { 0 };
	uint64_t usable[4] = { 0xfffd };
	void *self;

	EXPECT(!torus_guard_strategy(&first, "first.so", &err));
	place = what == CREATE_FAULTS ? what : GIVES;
	self = first.create(&t, NULL, &(struct torus_options){ 0 });
	EXPECT(self);
	EXPECT(first.find(self, &ask, usable, &out, NULL) == TORUS_FITS);
	if (what != CREATE_FAULTS) {
		EXPECT(out.scattered && out.nodes != given && out.nodes[0] == 1);
		EXPECT(reported.lines == 0);
	}
	place = (int)what;
	for (int i = 0; i < 3; i++) {
		/* the built-in one gives a free region */
		EXPECT(first.find(self, &ask, usable, &out, NULL) == TORUS_FITS);
		EXPECT(!out.scattered && out.granted == 1);
		EXPECT(!torus_place_wrong(&t, &ask, usable, &out));
	}
	EXPECT(reported.lines == 1);
	EXPECT(strstr(reported.line, how));
	EXPECT(strstr(torus_guard_failure(&first), "policy first.so: "));
	first.destroy(self);
}

static void not_free(void)
{
	expect_place(NOT_FREE,
		     "find() gave a place with a node that is not usable");
}

static void wild(void)
{
	expect_place(WILD, "find() crashed (SIGSEGV)");
}

static void parts(void)
{
	expect_place(PARTS, "find() gave a place in several parts");
}

static void no_answer(void)
{
	expect_place(NO_ANSWER, "find() gave no answer");
}

static void faults(void)
{
	expect_place(FAULTS, "find() crashed (SIGSEGV)");
}

static void create_faults(void)
{
	expect_place(CREATE_FAULTS, "create() crashed (SIGBUS)");
}

static void a_wrong_place_is_replaced_by_one_of_submesh(void **state)
{
	(void)state;
	in_child(not_free);
	in_child(wild);
	in_child(parts);
	in_child(no_answer);
	in_child(faults);
	in_child(create_faults);
}

static int first_save(const void *self, struct torus_text *text)
{
	(void)self, (void)text;
	return 0;
}

static void slots(void)
{
	static struct torus_discipline more[TORUS_GUARD_POLICIES];
	struct torus_strategy memory = { .name = "first",
					 .create = first_create,
					 .destroy = first_destroy,
					 .find = first_find,
					 .save = first_save };
	struct torus_error err = { 0 };

	for (int i = 0; i < TORUS_GUARD_POLICIES; i++) {
		more[i] = (struct torus_discipline){ .name = "more",
						     .rank = some_rank };
		EXPECT(!torus_guard_discipline(&more[i], "more.so", &err) ==
		       (i < TORUS_GUARD_POLICIES - 1));
	}
	EXPECT(strstr(err.text, "more.so: slurmctld has loaded 8 policies"));
	torus_error_clear(&err);
	EXPECT(torus_guard_strategy(&memory, "first.so", &err));
	EXPECT(strstr(err.text, "first.so: in slurmctld a strategy"));
}

static void policies_are_counted_and_have_no_memory(void **state)
{
	(void)state;
	in_child(slots);
}

/* Check the first `length` bytes of a file, the byte at `at` changed. */
static int imports_of(const char *bytes, size_t length, size_t at,
		      struct torus_error *err)
{
	char path[] = "/tmp/torus-imports-XXXXXX";
	int fd = mkstemp(path), rc;
	char changed = at < length ? (char)(bytes[at] ^ 0x55) : 0;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	if (at < length)
		assert_int_equal(pwrite(fd, &changed, 1, (off_t)at), 1);
	close(fd);
	torus_error_clear(err);
	rc = torus_policy_check_imports(path, err);
	unlink(path);
	assert_int_equal(err->count, rc ? 1 : 0);
	return rc;
}

/* The imports of this very program, which calls _exit(), and of what is no program */
static void imports_are_read_from_any_bytes(void **state)
{
	struct torus_error err = { 0 };
	size_t length;
	char *bytes = torus_file_read("/proc/self/exe", 64 << 20, &length);

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(imports_of(bytes, length, length, &err), -1);
	assert_non_null(strstr(err.text, ": it calls "));
	assert_int_equal(imports_of(bytes, 0, 0, &err), -1);
	assert_non_null(strstr(err.text, ": expected a shared object"));
	assert_int_equal(imports_of("#!/bin/sh\n", 10, 10, &err), -1);
	assert_non_null(strstr(err.text, ": expected a shared object"));
	for (size_t at = 0; at < 64; at++) /* the file's header */
		imports_of(bytes, length, at, &err);
	for (size_t part = 1; part < 64; part++)
		imports_of(bytes, length * part / 64, length, &err);
	torus_free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_is_reported_once_and_contained),
		cmocka_unit_test(a_signal_of_others_gives_up_no_policy),
		cmocka_unit_test(every_thread_is_guarded),
		cmocka_unit_test(a_crash_outside_a_policy_has_its_effect),
		cmocka_unit_test(a_wrong_place_is_replaced_by_one_of_submesh),
		cmocka_unit_test(policies_are_counted_and_have_no_memory),
		cmocka_unit_test(imports_are_read_from_any_bytes),
	};

	return UNIT_RUN(tests);
}
