/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that saves: soon, seldom, and nothing noted is left unsaved. */
#include "unit.h"

#include "slurmctld/instance/state_saver.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
	unsigned saves;
	unsigned noted; /* by the test */
	unsigned saved; /* of these, as of the latest save */
	unsigned fails; /* the first so many saves */
	useconds_t takes;
} seen;

static int save(void)
{
	bool fails;

	pthread_mutex_lock(&mutex);
	fails = seen.saves++ < seen.fails;
	if (!fails)
		seen.saved = seen.noted;
	pthread_mutex_unlock(&mutex);
	usleep(seen.takes);
	return fails ? -1 : 0;
}

static void begin(useconds_t takes)
{
	memset(&seen, 0, sizeof(seen));
	seen.takes = takes;
	assert_int_equal(state_saver_start(save), 0);
}

static void note(void)
{
	pthread_mutex_lock(&mutex);
	seen.noted++;
	pthread_mutex_unlock(&mutex);
	state_saver_note();
}

static unsigned saves(void)
{
	unsigned n;

	pthread_mutex_lock(&mutex);
	n = seen.saves;
	pthread_mutex_unlock(&mutex);
	return n;
}

/* Up to ten seconds, on a machine that is busy. */
static void await_saves(unsigned n)
{
	for (int i = 0; i < 1000 && saves() < n; i++)
		usleep(10000);
	assert_true(saves() >= n);
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static void test_without_thread(void **state)
{
	(void)state;
	state_saver_note();
	state_saver_stop();
}

static void test_nothing_noted(void **state)
{
	(void)state;
	begin(0);
	begin(0);
	state_saver_stop();
	state_saver_stop();
	assert_int_equal(seen.saves, 0);
}

/* The first change is saved at once, the others when the second is over. */
static void changes_are_saved_once_a_second(void **state)
{
	int64_t start = now_us();

	(void)state;
	begin(0);
	note();
	await_saves(1);
	for (int i = 0; i < 100; i++) {
		note();
		usleep(1000);
	}
	await_saves(2);
	assert_true(now_us() - start >= 1000000);
	state_saver_stop();
	assert_int_equal(seen.saves, 2);
	assert_int_equal(seen.saved, seen.noted);
}

/* A note in a save under way is another one's, and waits for none. */
static void test_slow_save(void **state)
{
	int64_t start;

	(void)state;
	begin(500000);
	note();
	await_saves(1);
	start = now_us();
	for (int i = 0; i < 10; i++)
		note();
	assert_true(now_us() - start < 400000);
	state_saver_stop();
	assert_int_equal(seen.saves, 2);
	assert_int_equal(seen.saved, seen.noted);
}

static void test_stop_saves(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		begin(0);
		note();
		state_saver_stop();
		assert_int_equal(seen.saves, 1);
		assert_int_equal(seen.saved, 1);
	}
}

/* Two changes within a second, then the end: by then both are saved. */
static void test_fork_saves(void **state)
{
	int status;
	pid_t child;

	(void)state;
	begin(100000);
	note();
	await_saves(1);
	note();
	child = fork();
	if (child == 0) /* another one: systemd's children are grandchildren */
		_exit(fork() < 0 || seen.saved != seen.noted);
	assert_int_equal(seen.saved, 2);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	note();
	state_saver_stop();
	assert_int_equal(seen.saved, 3);
}

/* The disk is full for a while: once a second, without another change. The stop
 * comes during the save that succeeds. */
static void test_failed_save(void **state)
{
	int64_t start = now_us();

	(void)state;
	begin(100000);
	seen.fails = 2;
	note();
	await_saves(3);
	assert_true(now_us() - start >= 2000000);
	state_saver_stop();
	assert_int_equal(seen.saves, 3);
	assert_int_equal(seen.saved, 1);
}

/* The end tries once more, and does not wait for a disk that stays full. The
 * first end comes during a save, which then fails. */
static void test_failed_to_the_end(void **state)
{
	int64_t start = now_us();
	int status;
	pid_t child;

	(void)state;
	begin(100000);
	seen.fails = UINT_MAX;
	note();
	await_saves(1);
	child = fork();
	if (child == 0)
		_exit(seen.saves < 2);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	state_saver_stop();
	assert_true(now_us() - start < 2000000);
	assert_int_equal(seen.saved, 0);
}

/* A file system that does not answer: each save lasts until `stuck` is false. */
static bool stuck;

static int save_stuck(void)
{
	bool waits = true;

	save();
	while (waits) {
		usleep(10000);
		pthread_mutex_lock(&mutex);
		waits = stuck;
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}

static void set_stuck(bool on)
{
	pthread_mutex_lock(&mutex);
	stuck = on;
	pthread_mutex_unlock(&mutex);
}

static void begin_stuck(void)
{
	begin(0);
	assert_int_equal(state_saver_stop(), 0);
	set_stuck(true);
	assert_int_equal(state_saver_start(save_stuck), 0);
	note();
	await_saves(1);
}

/* The stop leaves the thread. A start takes it over; a stop then waits for it. */
static void test_stop_ends_though_a_save_hangs(void **state)
{
	int64_t start;

	(void)state;
	for (int again = 0; again < 2; again++) {
		begin_stuck();
		note();
		start = now_us();
		errno = 0;
		assert_int_equal(state_saver_stop(), -1);
		assert_int_equal(errno, ETIMEDOUT);
		assert_true(now_us() - start < 6000000);
		assert_int_equal(state_saver_stop(), 0); /* it is stopped */
		if (again)
			assert_int_equal(state_saver_start(save_stuck), 0);
		set_stuck(false);
		await_saves(2); /* the second note */
		if (again)
			note();
		assert_int_equal(state_saver_stop(), 0);
		if (again)
			assert_int_equal(seen.saved, 3);
		usleep(200000); /* the thread that was left ends */
	}
	begin(0); /* a new thread */
	note();
	assert_int_equal(state_saver_stop(), 0);
	assert_int_equal(seen.saved, 1);
}

/* slurmctld's end: the stop, then exit(), with the thread in its save. */
static void test_exit_ends_though_a_save_hangs(void **state)
{
	int64_t start = now_us();
	int status;
	pid_t child;

	(void)state;
	child = fork();
	if (child == 0) {
		begin_stuck();
		exit(state_saver_stop() == 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(now_us() - start < 8000000);
}

static int wrote;

static int save_count(void)
{
	usleep(100000);
	return write(wrote, "x", 1) == 1 ? 0 : -1;
}

static void test_exit_saves(void **state)
{
	int ends[2];
	char text[8];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	wrote = ends[1];
	child = fork();
	if (child == 0) {
		if (state_saver_start(save_count))
			_exit(1);
		state_saver_note();
		usleep(50000);
		state_saver_note();
		exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(ends[1]);
	assert_int_equal(read(ends[0], text, sizeof(text)), 2);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_thread),
		cmocka_unit_test(test_nothing_noted),
		cmocka_unit_test(changes_are_saved_once_a_second),
		cmocka_unit_test(test_slow_save),
		cmocka_unit_test(test_stop_saves),
		cmocka_unit_test(test_fork_saves),
		cmocka_unit_test(test_failed_save),
		cmocka_unit_test(test_failed_to_the_end),
		cmocka_unit_test(test_stop_ends_though_a_save_hangs),
		cmocka_unit_test(test_exit_ends_though_a_save_hangs),
		cmocka_unit_test(test_exit_saves),
	};

	return UNIT_RUN(tests);
}
