/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output files that appear whole or not at all (see output.h).
 *
 * The handlers of signals that end a program know the temporary files through a small
 * table of paths: a handler has no other way to reach them. Children that were forked
 * meanwhile leave them alone. SIGXFSZ is no such signal: the write fails then.
 */
#include "storus/base/output.h"
#include "config/policy_watch.h"
#include "format/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

/* Writing gzip: a stream whose bytes go to another one compressed. */

#define GZIP 16 /* added to the window bits: zlib's word for it */

struct gzip {
	FILE *to;
	z_stream z;
	Bytef block[16384];
};

/* Compress what z holds; false when `to` cannot take it. */
static int gzip_press(struct gzip *g, int flush)
{
	int answer;

	do {
		size_t n;

		g->z.next_out = g->block;
		g->z.avail_out = sizeof(g->block);
		answer = deflate(&g->z, flush);
		n = sizeof(g->block) - g->z.avail_out;
		if (fwrite(g->block, 1, n, g->to) != n)
			return -1;
	} while (g->z.avail_out == 0 && answer != Z_STREAM_END);
	return 0;
}

static ssize_t gzip_write(void *cookie, const char *text, size_t n)
{
	struct gzip *g = cookie;

	g->z.next_in = (Bytef *)(uintptr_t)text;
	g->z.avail_in = (uInt)n;
	return gzip_press(g, Z_NO_FLUSH) ? 0 : (ssize_t)n;
}

static int gzip_close(void *cookie)
{
	struct gzip *g = cookie;
	int rc;

	g->z.avail_in = 0;
	rc = gzip_press(g, Z_FINISH);
	deflateEnd(&g->z);
	free(g);
	return rc;
}

/*
 * fclose() writes the end and leaves `to` open. Equal input gives equal output: the
 * header has no name and no time. NULL with errno; errors of `to` appear in ferror()
 * and fclose().
 */
static FILE *storus_gzip(FILE *to)
{
	const cookie_io_functions_t functions = { .write = gzip_write,
						  .close = gzip_close };
	struct gzip *g = calloc(1, sizeof(*g));
	FILE *stream;

	if (!g)
		return NULL;
	g->to = to;
	if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			 MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		errno = ENOMEM;
		return NULL;
	}
	stream = fopencookie(g, "w", functions);
	if (!stream) {
		deflateEnd(&g->z);
		free(g);
	}
	return stream;
}

#define OUTPUT_SLOTS TORUS_WATCH_FILES
#define TEMPORARY_ENDING ".XXXXXX"

static const char *volatile temporaries[OUTPUT_SLOTS];
static volatile pid_t temporaries_owner;
static bool standard_output_failed; /* it was said */

static const struct {
	int number;
	const char *name;
} output_signals[] = {
	{ SIGINT, "SIGINT" },   { SIGTERM, "SIGTERM" },
	{ SIGHUP, "SIGHUP" },   { SIGPIPE, "SIGPIPE" },
	{ SIGQUIT, "SIGQUIT" }, { SIGALRM, "SIGALRM" },
	{ SIGXCPU, "SIGXCPU" }, { SIGUSR1, "SIGUSR1" },
	{ SIGUSR2, "SIGUSR2" }, { SIGVTALRM, "SIGVTALRM" },
	{ SIGPROF, "SIGPROF" },
};

#define OUTPUT_SIGNALS (sizeof(output_signals) / sizeof(*output_signals))

const char *storus_signal_name(int number)
{
	size_t i = 0;

	while (i < OUTPUT_SIGNALS && output_signals[i].number != number)
		i++;
	return i < OUTPUT_SIGNALS ? output_signals[i].name : "a signal";
}

void storus_signals_ending(sigset_t *set)
{
	struct sigaction now;

	sigemptyset(set);
	for (size_t i = 0; i < OUTPUT_SIGNALS; i++) {
		if (!sigaction(output_signals[i].number, NULL, &now) &&
		    now.sa_handler == SIG_DFL)
			sigaddset(set, output_signals[i].number);
	}
}

/* Say that the file of the temporary one is not written, with what a handler may call. */
static void output_say_ended(const char *temporary, int number)
{
	const char *part[] = { "storus: ", storus_signal_name(number), ": ",
			       temporary, " is not written\n" };
	char line[4096] = "", *to = line;

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		size_t n = strlen(part[i]);

		if (i == 3)
			n -= strlen(TEMPORARY_ENDING);
		if (n > sizeof(line) - 2 - (size_t)(to - line))
			n = sizeof(line) - 2 - (size_t)(to - line);
		memcpy(to, part[i], n);
		to += n;
		*to = '\0';
	}
	torus_error_plain(line);
	to[-1] = '\n';
	if (write(STDERR_FILENO, line, (size_t)(to - line)) < 0)
		return;
}

static void remove_and_die(int signal_number)
{
	int i;

	for (i = 0; i < OUTPUT_SLOTS; i++) {
		if (!temporaries[i] || temporaries_owner != getpid())
			continue;
		unlink(temporaries[i]);
		output_say_ended(temporaries[i], signal_number);
	}
	/* The handler was reset when it was entered: this one ends us. */
	raise(signal_number);
}

static int slot_take(const char *path)
{
	int i;

	for (i = 0; i < OUTPUT_SLOTS; i++)
		if (!temporaries[i]) {
			temporaries[i] = path;
			return i;
		}
	errno = EMFILE;
	return -1;
}

static void slot_release(struct storus_output *out)
{
	if (out->slot < 0)
		return;
	torus_watch_file(out->slot, NULL);
	temporaries[out->slot] = NULL;
	out->slot = -1;
}

/* mkstemp() makes files private; give it the mode a plain open() would. */
static int mode_set(int fd, mode_t mode)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, mode & ~mask);
}

/*
 * PATH.XXXXXX in the same directory, where a rename stays a rename. Signals
 * wait until the handlers know the file: none is left behind, and none that
 * is not ours is removed.
 */
static int temporary_create(struct storus_output *out)
{
	size_t room = strlen(out->path) + sizeof(TEMPORARY_ENDING);
	sigset_t all, before;
	int fd = -1;

	out->temporary = malloc(room);
	if (!out->temporary)
		return -1;
	snprintf(out->temporary, room, "%s" TEMPORARY_ENDING, out->path);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	temporaries_owner = getpid();
	out->slot = slot_take(out->temporary);
	if (out->slot >= 0)
		fd = mkostemp(out->temporary, O_CLOEXEC);
	if (fd >= 0)
		torus_watch_file(out->slot, out->temporary);
	else
		slot_release(out);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

static int output_file_open(struct storus_output *out)
{
	struct stat st;
	bool exists = !stat(out->path, &st);
	int fd;
	struct sigaction action;
	sigset_t ending;

	if (exists && !S_ISREG(st.st_mode))
		return open(out->path, O_WRONLY | O_CLOEXEC);
	if (exists && access(out->path, W_OK))
		return -1;
	action = (struct sigaction){ .sa_handler = remove_and_die,
				     .sa_flags = (int)SA_RESETHAND };
	storus_signals_ending(&ending);
	action.sa_mask = ending;
	for (size_t i = 0; i < OUTPUT_SIGNALS; i++) {
		if (sigismember(&ending, output_signals[i].number))
			sigaction(output_signals[i].number, &action, NULL);
	}
	fd = temporary_create(out);
	if (fd < 0 ||
	    !(exists ? fchmod(fd, st.st_mode & 07777) : mode_set(fd, 0666)))
		return fd;
	close(fd);
	return -1;
}

static bool is_gzip(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".gz");
}

/* What is written from now on goes through gzip. 0, or -1 with errno. */
static int output_press(struct storus_output *out)
{
	FILE *stream = storus_gzip(out->stream);

	if (!stream)
		return -1;
	out->pressed = out->stream;
	out->stream = stream;
	return 0;
}

/* The end of it. 0, or -1 with errno. */
static int press_end(struct storus_output *out)
{
	FILE *stream = out->stream;

	if (!out->pressed)
		return 0;
	out->stream = out->pressed;
	out->pressed = NULL;
	return stream_close(stream);
}

int storus_output_open(struct storus_output *out, const char *path)
{
	int fd;
	char *resolved;

	*out = (struct storus_output){ .slot = -1 };
	if (!strcmp(path, "-")) {
		out->stream = stdout;
		return 0;
	}
	/* The file behind a path: where symbolic links lead, if anywhere. */
	resolved = realpath(path, NULL);
	out->path = resolved ? resolved : strdup(path);
	if (!out->path)
		return -1;
	fd = output_file_open(out);
	if (fd >= 0)
		out->stream = fdopen(fd, "w");
	if (out->stream && (!is_gzip(path) || !output_press(out)))
		return 0;
	if (out->stream)
		fd = -1;
	if (fd >= 0)
		close(fd);
	storus_output_discard(out);
	return -1;
}

int storus_output_finish(struct storus_output *out)
{
	FILE *stream;
	int result = 0;

	if (!out->stream)
		return 0;
	result = press_end(out);
	stream = out->stream;
	if (result || stream_failed(stream) || fflush(stream))
		result = -1;
	/* Pipes and devices cannot be synced, and need not be. */
	else if (out->temporary && fsync(fileno(stream)))
		result = -1;
	if (stream != stdout) {
		int saved = errno;

		if (fclose(stream) && !result)
			result = -1;
		else
			errno = saved;
	}
	out->stream = NULL;
	if (result)
		storus_output_discard(out);
	return result;
}

int storus_output_commit(struct storus_output *out)
{
	if (storus_output_finish(out))
		return -1;
	if (out->temporary && rename(out->temporary, out->path)) {
		storus_output_discard(out);
		return -1;
	}
	slot_release(out);
	free(out->temporary);
	out->temporary = NULL;
	storus_output_discard(out);
	return 0;
}

void storus_output_discard(struct storus_output *out)
{
	int saved = errno;

	press_end(out);
	if (out->stream && out->stream != stdout)
		fclose(out->stream);
	if (out->temporary && out->slot >= 0) {
		unlink(out->temporary);
		slot_release(out);
	}
	free(out->temporary);
	free(out->path);
	*out = (struct storus_output){ .slot = -1 };
	errno = saved;
}

int storus_output_failed(const struct storus_command *command, const char *path)
{
	bool file = path && strcmp(path, "-") != 0;

	standard_output_failed |= !file;
	return storus_say(command, STORUS_TROUBLE, "%s: cannot be written: %s",
			  file ? path : "standard output",
			  errno ? strerror(errno) : "write error");
}

int storus_output_end(int status)
{
	if ((!stream_failed(stdout) && !fflush(stdout)) || errno == EPIPE)
		return status;
	return standard_output_failed ? STORUS_TROUBLE :
					storus_output_failed(NULL, NULL);
}

bool storus_output_replaces(const char *output, const char *input)
{
	return !access(input, F_OK) && storus_output_same(output, input);
}

/* Return true if two files that are not there yet have one directory and name. */
static bool output_same_name(const char *a, const char *b)
{
	const char *path[] = { a, b }, *name[2];
	char directory[PATH_MAX];
	struct stat is[2];

	for (int i = 0; i < 2; i++) {
		const char *slash = strrchr(path[i], '/');

		name[i] = slash ? slash + 1 : path[i];
		if ((size_t)snprintf(directory, sizeof(directory), "%.*s.",
				     (int)(name[i] - path[i]),
				     path[i]) >= sizeof(directory) ||
		    stat(directory, &is[i]))
			return false;
	}
	return !strcmp(name[0], name[1]) && is[0].st_dev == is[1].st_dev &&
	       is[0].st_ino == is[1].st_ino;
}

bool storus_output_same(const char *a, const char *b)
{
	struct stat x, y;
	bool a_is, b_is;

	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return false;
	a_is = !stat(a, &x);
	b_is = !stat(b, &y);
	if (a_is && b_is)
		return S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
		       x.st_ino == y.st_ino;
	return !a_is && !b_is && output_same_name(a, b);
}
