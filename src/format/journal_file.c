/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's file (journal.h): opening it, and appending so that a line is
 * complete or absent. Log rotation needs no signal: open lines still go to the
 * renamed file.
 *
 * Nothing is written to anything but a regular file that begins as a journal,
 * or through a symbolic link: a wrong path in torus.yaml must not damage a
 * device or another file.
 */
#include "format/journal.h"
#include "format/journal_file.h"
#include "format/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_VERSION "id,submit,run,nodes,geometry," /* had no version line */
#define TORN_MOST 65536                               /* longest torn line */

static int file_refused(struct torus_error *err, const char *path,
			const char *what)
{
	torus_error_add(err,
			"journal: %s: %s; it is not changed, and nothing is recorded",
			path, what);
	errno = EINVAL;
	return -1;
}

static int file_failed(struct torus_error *err, const char *path)
{
	int saved = errno;

	torus_error_add(err, "journal: %s: %s", path, strerror(saved));
	errno = saved;
	return -1;
}

/* Read the file's first bytes, and add a NUL. */
static int file_first(int fd, char *first, size_t size)
{
	ssize_t n = pread(fd, first, size - 1, 0);

	if (n < 0)
		return -1;
	first[n] = '\0';
	return 0;
}

/* Set the permissions of the journal file: `mode` without write permission for
 * others, or 0600 if it is private. */
static int journal_file_protect(int fd, mode_t mode, bool is_private)
{
	mode_t may = is_private ? 0600 : mode & 0755;

	return (mode & 0777) == may ? 0 : fchmod(fd, may);
}

/* Open a regular file of root's or ours; return its descriptor, or -1 with errno
 * and a line in err. */
static int journal_file_open(const char *path, bool is_private,
			     struct torus_error *err)
{
	struct stat st;
	int fd;

	/* checked first: opening a device may have side effects */
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return file_refused(err, path,
				    S_ISLNK(st.st_mode) ?
					    "it is a symbolic link" :
					    "it is no regular file");
	fd = open(path,
		  O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			  O_NONBLOCK | O_NOCTTY,
		  is_private ? 0600 : 0644);
	if (fd < 0)
		return file_failed(err, path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		file_failed(err, path);
	else if (st.st_uid != 0 && st.st_uid != geteuid())
		file_refused(err, path, "it belongs to another user");
	else if (journal_file_protect(fd, st.st_mode, is_private))
		file_failed(err, path);
	else
		return fd;
	close(fd);
	return -1;
}

/* Open the journal of whatever version; -1 with a line in err. */
static int file_open_journal(const char *path, const char *header,
			     bool is_private, struct torus_error *err)
{
	char first[512] = "";
	int fd = journal_file_open(path, is_private, err);

	if (fd < 0)
		return -1;
	if (file_first(fd, first, sizeof(first))) {
		file_failed(err, path);
		close(fd);
		return -1;
	}
	if (strncmp(first, header, strlen(header)) == 0 ||
	    strncmp(first, header, strlen(first)) == 0)
		return fd;
	if (strncmp(first, JOURNAL_MARK, strlen(JOURNAL_MARK)) == 0 ||
	    strncmp(first, FIRST_VERSION, strlen(FIRST_VERSION)) == 0) {
		/* Rename the file to PATH.old: lines of two versions cannot be read from one
		 * file. */
		char old[PATH_MAX];

		close(fd);
		if ((size_t)snprintf(old, sizeof(old), "%s.old", path) >=
		    sizeof(old)) {
			errno = ENAMETOOLONG;
			return file_failed(err, path);
		}
		return rename(path, old) ?
			       file_failed(err, path) :
			       journal_file_open(path, is_private, err);
	}
	close(fd);
	return file_refused(err, path, "it does not begin as a journal");
}

/* Find the end of the last complete line: a power failure may have cut the next
 * one. */
static int file_end(int fd, off_t *end)
{
	char tail[4096];
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	for (*end = st.st_size; *end > 0 && st.st_size - *end < TORN_MOST;) {
		size_t n = *end < (off_t)sizeof(tail) ? (size_t)*end :
							sizeof(tail);
		char *newline;

		if (pread(fd, tail, n, *end - (off_t)n) != (ssize_t)n)
			return -1;
		newline = memrchr(tail, '\n', n);
		if (newline) {
			*end += newline + 1 - (tail + n);
			break;
		}
		*end -= (off_t)n;
	}
	return *end < st.st_size ? ftruncate(fd, *end) : 0;
}

int journal_append(struct journal_file *file, const char *path, bool is_private,
		   const char *const text[3], struct torus_error *err)
{
	off_t end = -1;
	int saved;

	if (file->fd < 0)
		file->fd = file_open_journal(path, text[0], is_private, err);
	else {
		/* Update the permissions of a file that is open already. */
		struct stat st;

		if (fstat(file->fd, &st) ||
		    journal_file_protect(file->fd, st.st_mode, is_private))
			return file_failed(err, path);
	}
	if (file->fd < 0)
		return -1;
	if (file_end(file->fd, &end) == 0 &&
	    (end > 0 || stream_write(file->fd, text[0]) == 0) &&
	    stream_write(file->fd, text[1]) == 0 &&
	    stream_write(file->fd, text[2]) == 0) {
		file->end = lseek(file->fd, 0, SEEK_END);
		return 0;
	}
	saved = errno;
	if (end >= 0 && ftruncate(file->fd, end))
		saved = errno;
	errno = saved;
	return file_failed(err, path);
}

bool journal_file_ended(const struct journal_file *file, const char *path)
{
	struct stat mine, there;

	if (file->fd < 0 || fstat(file->fd, &mine))
		return false;
	return mine.st_size < file->end || lstat(path, &there) ||
	       there.st_dev != mine.st_dev || there.st_ino != mine.st_ino;
}
