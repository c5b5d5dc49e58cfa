/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus: main(). It checks that the output was written: a full disk behind stdout is
 * STORUS_TROUBLE.
 */
#include "storus/storus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "format/stream.h"

int main(int argc, char **argv)
{
	int status = storus_main(argc, argv);

	if ((stream_failed(stdout) || fflush(stdout)) && errno != EPIPE)
		return storus_say(NULL, STORUS_TROUBLE,
				  "cannot write to the standard output: %s",
				  strerror(errno));
	return status;
}
