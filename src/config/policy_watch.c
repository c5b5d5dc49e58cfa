/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The watch over policies (policy_watch.h): the parent's loop, and what both share. */
#include "config/policy_watch.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WATCH_STATUS 3 /* of a policy that is wrong */

enum watch_state {
	WATCH_LOADS,
	WATCH_REPLAYS,
	WATCH_ENDS, /* with watch_shared.status */
};

struct watch_shared {
	atomic_uint beats;
	atomic_int inside; /* calls of torus_watch_enter() that have not been left */
	atomic_int state;
	atomic_bool forked;
	int status;
	char name[PATH_MAX];                          /* of the latest policy */
	char unfinished[TORUS_WATCH_FILES][PATH_MAX]; /* "": none */
};

static struct {
	bool enabled;
	pid_t pid; /* the watched process */
	struct watch_shared *shared;
} watch;

void torus_watch_enable(void)
{
	watch.enabled = true;
}

/* Parent */

static const int watch_forwarded[] = { SIGINT,  SIGQUIT, SIGTERM,  SIGHUP,
				       SIGUSR1, SIGUSR2, SIGALRM,  SIGPIPE,
				       SIGXCPU, SIGPROF, SIGVTALRM };

static const int watch_crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static void watch_remove_files(const struct watch_shared *s)
{
	for (int i = 0; i < TORUS_WATCH_FILES; i++)
		if (*s->unfinished[i])
			unlink(s->unfinished[i]);
}

static _Noreturn void watch_report(const struct watch_shared *s,
				   const char *what)
{
	char line[PATH_MAX + 256]; /* in one call: workers share the stream */
	int n = snprintf(line, sizeof(line), "storus: policy %s: %s\n", s->name,
			 what);

	watch_remove_files(s);
	(void)!write(STDERR_FILENO, line, (size_t)n);
	_exit(WATCH_STATUS);
}

/* Return true if a signal or a debugger has stopped the process. */
static bool watch_stopped(pid_t pid)
{
	char path[40], text[256] = "", *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	state = strrchr(text, ')'); /* behind the name */
	return state && (state[1] == ' ') &&
	       (state[2] == 'T' || state[2] == 't');
}

/* End a process that hangs: by a signal that removes its unfinished files, if it takes it. */
static _Noreturn void watch_hangs(pid_t pid, const struct watch_shared *s)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	pid_t ended = 0;

	kill(pid, SIGTERM);
	for (int i = 0; i < 50 && ended == 0; i++) {
		ended = waitpid(pid, NULL, WNOHANG);
		nanosleep(&pause, NULL);
	}
	if (ended == 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	watch_report(s,
		     s->state == WATCH_LOADS ?
			     "it hangs: loading it has not ended within 10 s" :
		     s->state == WATCH_ENDS ?
			     "it hangs: the process does not end" :
			     "it hangs: a pass has not ended within 10 s");
}

/* Exit as the process did, or with the report of what the policy did to it. */
static _Noreturn void watch_ended(const struct watch_shared *s, int status)
{
	const struct rlimit none = { 0 };
	sigset_t all;
	int number;

	if (s->forked)
		watch_report(s, "it forked the process, as a policy must not");
	if (WIFEXITED(status) && s->state == WATCH_ENDS)
		_exit(s->status);
	if (WIFEXITED(status))
		watch_report(s, "it ended the process, as a policy must not");
	number = WTERMSIG(status);
	for (size_t i = 0; i < sizeof(watch_crashes) / sizeof(int); i++)
		if (number == watch_crashes[i])
			watch_report(s,
				     "it crashed; build it with -g and run storus in a debugger (gdb: set follow-fork-mode child)");
	watch_remove_files(s);
	setrlimit(RLIMIT_CORE, &none); /* it has one */
	signal(number, SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	raise(number);
	_exit(128 + number);
}

static _Noreturn void watch_wait(pid_t pid, const struct watch_shared *s)
{
	const struct timespec second = { .tv_sec = 1 };
	unsigned beats = 0, seconds = 0;
	siginfo_t info;
	sigset_t awaited;
	int status, number;

	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	for (size_t i = 0; i < sizeof(watch_forwarded) / sizeof(int); i++)
		sigaddset(&awaited, watch_forwarded[i]);
	for (;;) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			watch_ended(s, status);
		number = sigtimedwait(&awaited, &info, &second);
		/* a terminal has sent it to both */
		if (number > 0 && number != SIGCHLD && info.si_code <= 0)
			kill(pid, number);
		if (number > 0)
			continue;
		seconds = s->inside > 0 && s->beats == beats &&
					  !watch_stopped(pid) ?
				  seconds + 1 :
				  0;
		beats = s->beats;
		if (seconds >= TORUS_WATCH_S)
			watch_hangs(pid, s);
	}
}

/* Child */

static bool watch_on(void)
{
	return watch.shared && watch.pid == getpid();
}

/* Of fork(), before it. (system() and popen() do not come here.) */
static void watch_forks(void)
{
	if (!watch_on() || watch.shared->inside <= 0)
		return;
	watch.shared->forked = true;
	_exit(WATCH_STATUS);
}

/* Of exit(): write nothing of what a replay has in its buffers. */
static void watch_exits(void)
{
	if (watch_on() && watch.shared->inside > 0 &&
	    watch.shared->state != WATCH_ENDS)
		_exit(WATCH_STATUS);
}

/* Go on in a child that this process watches. Without memory or processes nothing is
 * watched. */
static void watch_begin(void)
{
	static bool registered;
	struct watch_shared *shared = mmap(NULL, sizeof(*shared),
					   PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigset_t blocked, before;
	pid_t parent = getpid(), pid;

	if (shared == MAP_FAILED)
		return;
	if (watch.shared)
		strcpy(shared->name, watch.shared->name);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	for (size_t i = 0; i < sizeof(watch_forwarded) / sizeof(int); i++)
		sigaddset(&blocked, watch_forwarded[i]);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	pid = fork();
	if (pid > 0)
		watch_wait(pid, shared);
	if (pid < 0) {
		munmap(shared, sizeof(*shared));
	} else {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(WATCH_STATUS);
		/* a sanitizer would handle them and exit */
		for (size_t i = 0; i < sizeof(watch_crashes) / sizeof(int); i++)
			signal(watch_crashes[i], SIG_DFL);
		watch.shared = shared;
		watch.pid = getpid();
		if (!registered)
			registered = !pthread_atfork(watch_forks, NULL, NULL) &&
				     !atexit(watch_exits);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void torus_watch_process(void)
{
	if (watch.shared && !watch_on())
		watch_begin();
}

void torus_watch_enter(const char *name, int load)
{
	struct watch_shared *s;

	if (load && watch.enabled && !watch_on())
		watch_begin();
	if (!watch_on())
		return;
	s = watch.shared;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->state = load ? WATCH_LOADS : WATCH_REPLAYS;
	s->inside++;
}

void torus_watch_leave(void)
{
	if (watch_on())
		watch.shared->inside--;
}

void torus_watch_pause(bool paused)
{
	if (watch_on())
		watch.shared->inside += paused ? -1 : 1;
}

void torus_watch_beat(void)
{
	if (watch.shared)
		atomic_fetch_add_explicit(&watch.shared->beats, 1,
					  memory_order_relaxed);
}

void torus_watch_file(int slot, const char *path)
{
	if (watch_on())
		snprintf(watch.shared->unfinished[slot], PATH_MAX, "%s",
			 path ? path : "");
}

int torus_watch_done(int status)
{
	if (watch_on()) {
		watch.shared->status = status;
		watch.shared->state = WATCH_ENDS;
		watch.shared->inside++;
	}
	return status;
}
