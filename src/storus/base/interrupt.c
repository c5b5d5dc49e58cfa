/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signal handler of interrupt.h. */
#include "storus/base/interrupt.h"

#include <stddef.h>

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
