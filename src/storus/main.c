/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus: main(). It checks that the output was written: a full disk behind stdout is
 * STORUS_TROUBLE, and so is a file beyond the limit of its size.
 */
#include "config/policy_watch.h"
#include "storus/base/output.h"

static void main_note_size(int number)
{
	(void)number; /* the write fails with EFBIG */
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = main_note_size };

	sigemptyset(&action.sa_mask);
	sigaction(SIGXFSZ, &action, NULL);
	/* a caller that ignores it takes the status of our children */
	signal(SIGCHLD, SIG_DFL);
	torus_watch_enable();
	return torus_watch_done(storus_output_end(storus_main(argc, argv)));
}
