/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into slurmctld (t23-crash-points.t): kill it, as a power cut would, after the
 * N-th write or rename of a file whose path has a word. The file `crash` beside slurm.conf
 * has N and the word; it is read when slurmctld starts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char word[64];
static int left;

__attribute__((constructor)) static void crash_read(void)
{
	const char *conf = getenv("SLURM_CONF");
	char path[4096];
	FILE *f;

	if (!conf || strcmp(program_invocation_short_name, "slurmctld") != 0)
		return;
	snprintf(path, sizeof(path), "%.*s/crash",
		 (int)(strrchr(conf, '/') - conf), conf);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d %63s", &left, word) != 2)
		left = 0;
	if (f)
		fclose(f);
}

static void crash_count(const char *path)
{
	if (left > 0 && strstr(path, word) &&
	    __atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST) == 0)
		kill(getpid(), SIGKILL);
}

ssize_t write(int fd, const void *data, size_t length)
{
	static ssize_t (*real)(int, const void *, size_t);
	char link[64], path[4096];
	ssize_t written, n;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	written = real(fd, data, length);
	if (left > 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		crash_count(path);
	}
	return written;
}

int rename(const char *from, const char *to)
{
	static int (*real)(const char *, const char *);
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rename");
	rc = real(from, to);
	crash_count(to);
	return rc;
}
