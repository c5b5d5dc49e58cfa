/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into slurmctld (t19-takeover.t): the host's name is CTLD_NAME, so that two
 * controllers run on one machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int gethostname(char *name, size_t room)
{
	struct utsname host;

	if (strcmp(program_invocation_short_name, "slurmctld") == 0)
		snprintf(name, room, "%s", CTLD_NAME);
	else if (uname(&host) == 0)
		snprintf(name, room, "%s", host.nodename);
	return 0;
}
