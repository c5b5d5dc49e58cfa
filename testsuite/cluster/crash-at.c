/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into slurmctld and slurmd (t23-crash-points.t): kill the daemon, as a power cut
 * would.
 *
 * slurmctld ends after the N-th write or rename of a file whose path has a word. The file
 * `crash` beside slurm.conf has N and the word; it is read when slurmctld starts.
 *
 * The slurmd of NODE ends after its N-th connection, write, message or fork. The file
 * `crash-NODE` there has N in four bytes as the machine keeps them; it is mapped, so that N
 * can be set at any time, and read: how many are left.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static char word[64];
static int of_ctld, *left = &of_ctld;
static pid_t daemon_pid;

static void crash_read_ctld(const char *path)
{
	FILE *f = fopen(path, "r");

	if (f && fscanf(f, "%d %63s", &of_ctld, word) != 2)
		of_ctld = 0;
	if (f)
		fclose(f);
}

static void crash_map_node(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *map;

	if (fd < 0)
		return;
	map = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   0);
	close(fd);
	if (map != MAP_FAILED)
		left = map;
}

__attribute__((constructor)) static void crash_read(int argc, char **argv)
{
	const char *conf = getenv("SLURM_CONF");
	char path[4096];
	int length;

	if (!conf)
		return;
	daemon_pid = getpid();
	length = (int)(strrchr(conf, '/') - conf);
	if (strcmp(program_invocation_short_name, "slurmctld") == 0) {
		snprintf(path, sizeof(path), "%.*s/crash", length, conf);
		crash_read_ctld(path);
	} else if (strcmp(program_invocation_short_name, "slurmd") == 0) {
		for (int i = 1; i + 1 < argc; i++) {
			if (strcmp(argv[i], "-N") != 0)
				continue;
			snprintf(path, sizeof(path), "%.*s/crash-%s", length,
				 conf, argv[i + 1]);
			crash_map_node(path);
		}
	}
}

static void crash_count(const char *path)
{
	if (__atomic_load_n(left, __ATOMIC_SEQ_CST) > 0 && strstr(path, word) &&
	    __atomic_sub_fetch(left, 1, __ATOMIC_SEQ_CST) == 0)
		/* (slurmctld may have forked since to become a daemon) */
		kill(left == &of_ctld ? getpid() : daemon_pid, SIGKILL);
}

static void crash_count_node(void)
{
	int e = errno;

	if (left != &of_ctld)
		crash_count("");
	errno = e;
}

ssize_t write(int fd, const void *data, size_t length)
{
	static ssize_t (*real)(int, const void *, size_t);
	char link[64], path[4096];
	ssize_t written, n;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	written = real(fd, data, length);
	if (left != &of_ctld) {
		crash_count_node();
	} else if (of_ctld > 0) {
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

ssize_t send(int fd, const void *data, size_t length, int flags)
{
	static ssize_t (*real)(int, const void *, size_t, int);
	ssize_t sent;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "send");
	sent = real(fd, data, length, flags);
	crash_count_node();
	return sent;
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	static int (*real)(int, struct sockaddr *, socklen_t *, int);
	int accepted;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "accept4");
	accepted = real(fd, address, length, flags);
	crash_count_node();
	return accepted;
}

pid_t fork(void)
{
	static pid_t (*real)(void);
	pid_t pid;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fork");
	pid = real();
	if (pid)
		crash_count_node();
	return pid;
}
