/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress bar (progress.h). No colours, one line, wiped off at the end. */
#include "storus/base/progress.h"
#include "replay/replay.h"
#include "storus/storus.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR 26
#define INTERVAL_NS 100000000 /* ten times a second */
#define WIPE "\r\033[K"

bool storus_progress_begin(struct storus_progress *p)
{
	*p = (struct storus_progress){
		.shown = storus_is_terminal(STDERR_FILENO),
		.unit = "jobs",
		.begin_ns = torus_clock_ns(),
	};
	/* A short run shows no bar. */
	p->next_ns = p->begin_ns + 2 * INTERVAL_NS;
	return p->shown;
}

static void progress_draw(const struct storus_progress *p, int64_t now,
			  double share, uint64_t jobs)
{
	double elapsed = (double)(now - p->begin_ns) * 1e-9;
	int filled = (int)(share * BAR);
	char left[32], bar[BAR + 1];
	long whole;

	memset(bar, ' ', BAR);
	memset(bar, '=', (size_t)filled);
	if (filled < BAR)
		bar[filled] = '>';
	bar[BAR] = '\0';
	/* h:mm:ss or m:ss */
	whole = (long)((elapsed * (1 - share) / share) + 0.5);
	if (whole >= 3600)
		snprintf(left, sizeof(left), "%ld:%02ld:%02ld", whole / 3600,
			 whole / 60 % 60, whole % 60);
	else
		snprintf(left, sizeof(left), "%ld:%02ld", whole / 60,
			 whole % 60);
	fprintf(stderr, WIPE "[%s] %3d %%  %" PRIu64 " %s  %s left", bar,
		(int)(share * 100), jobs, p->unit, left);
}

void storus_progress_update(struct storus_progress *p, uint64_t done,
			    uint64_t size, uint64_t jobs)
{
	int64_t now;
	double share;

	if (!p->shown)
		return;
	now = torus_clock_ns();
	if (now < p->next_ns)
		return;
	p->next_ns = now + INTERVAL_NS;
	p->drawn = true;
	share = size ? (double)done / (double)size : 0;
	if (share > 0)
		progress_draw(p, now, share < 1 ? share : 1, jobs);
	else
		fprintf(stderr, WIPE "%" PRIu64 " %s", jobs, p->unit);
	fflush(stderr);
}

void storus_progress_end(struct storus_progress *p)
{
	if (!p->drawn)
		return;
	fputs(WIPE, stderr);
	fflush(stderr);
	p->drawn = false;
}

/* Ctrl-C and SIGTERM during a long computation whose results are kept. */

volatile sig_atomic_t storus_interrupted;

static void interrupt_note(int number)
{
	(void)number;
	storus_interrupted = 1;
}

void storus_catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = interrupt_note,
				    .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}
