/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guard (guard.h): signals of a crash, and a timer. */
#include "replay/guard.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "torus/discipline.h"

#define GUARD_STACK 65536

static struct {
	const char *name; /* of the policy; NULL: no guard */
	volatile sig_atomic_t beats, seen, seconds; /* since the last beat */
} guard;

static const int guard_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static void guard_exit(const char *what)
{
	const char *part[] = { "storus: policy ", guard.name, what };
	char line[256]; /* in one call: workers of a campaign share the stream */
	size_t length = 0;

	for (int i = 0; i < 3; i++) {
		size_t n = strlen(part[i]);

		if (n > sizeof(line) - length)
			n = sizeof(line) - length;
		memcpy(line + length, part[i], n);
		length += n;
	}
	(void)!write(STDERR_FILENO, line, length);
	_exit(3);
}

static void guard_crashed(int number)
{
	(void)number;
	guard_exit(
		": it crashed; build it with -g and run storus in a debugger\n");
}

/* Of exit() and quick_exit() during a replay: the host calls neither before its end. */
static void guard_ended(void)
{
	if (guard.name)
		guard_exit(": it ended the process, as a policy must not\n");
}

static void guard_tick(int number)
{
	(void)number;
	guard.seconds = guard.seen == guard.beats ? guard.seconds + 1 : 0;
	if (guard.seconds >= TORUS_GUARD_S)
		guard_exit(": it hangs: a pass has not ended within 10 s\n");
	guard.seen = guard.beats;
}

static const char *guard_name(const struct torus_machine *m,
			      const struct torus_scheduler_settings *settings)
{
	const struct torus_discipline *d = settings->discipline;

	if (d->own)
		return d->name;
	for (uint32_t p = 0; p < m->pods; p++) {
		if (m->pod[p].strategy[0]->checked)
			return m->pod[p].strategy[0]->name;
	}
	return NULL;
}

static void guard_timer(int seconds)
{
	const struct itimerval every = {
		.it_interval = { .tv_sec = seconds },
		.it_value = { .tv_sec = seconds },
	};

	setitimer(ITIMER_REAL, &every, NULL);
}

void torus_guard_begin(const struct torus_machine *m,
		       const struct torus_scheduler_settings *settings)
{
	static char stack[GUARD_STACK]; /* a recursion may have used the other */
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = guard_crashed,
				    .sa_flags = SA_ONSTACK };
	static bool registered;

	guard.name = guard_name(m, settings);
	if (!guard.name)
		return;
	if (!registered)
		registered = !atexit(guard_ended) && !at_quick_exit(guard_ended);
	sigaltstack(&other, NULL);
	for (size_t i = 0; i < sizeof(guard_signals) / sizeof(int); i++)
		sigaction(guard_signals[i], &action, NULL);
	action.sa_handler = guard_tick;
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	guard.seen = -1;
	guard_timer(1);
}

void torus_guard_end(void)
{
	if (!guard.name)
		return;
	guard_timer(0);
	for (size_t i = 0; i < sizeof(guard_signals) / sizeof(int); i++)
		signal(guard_signals[i], SIG_DFL);
	guard.name = NULL;
}

void torus_guard_beat(void)
{
	guard.beats = (guard.beats + 1) & 0xffffff;
}
