/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus: main(). What was printed must have arrived: a full disk behind
 * stdout is trouble even if all else went well.
 */
#include "storus/storus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int status = storus_main(argc, argv);

	errno = 0;
	if ((ferror(stdout) | fflush(stdout)) && errno != EPIPE)
		return storus_say(NULL, STORUS_TROUBLE,
				  "cannot write to the standard output: %s",
				  errno ? strerror(errno) : "write error");
	return status;
}
