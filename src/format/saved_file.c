/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved text in a file (saved_file.h). */
#include "format/saved_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torus/alloc.h"

#define LAST_LINE "end\n"
#define MOST_BYTES (256 << 20)

static int saved_file_put(int fd, const char *text)
{
	size_t length = strlen(text);

	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

/* Sync the directory: only then the rename is durable. */
static int sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	int fd, rc;

	snprintf(directory, sizeof(directory), "%.*s",
		 slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -1 : fsync(fd);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Create the file; never write through an existing link or file. */
static int saved_file_create(const char *path, const char *first,
			     const char *text, bool durable)
{
	int fd, rc;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return -1;
	rc = saved_file_put(fd, first) || saved_file_put(fd, "\n") ||
	     saved_file_put(fd, text) || saved_file_put(fd, LAST_LINE) ||
	     (durable && fsync(fd));
	return close(fd) || rc ? -1 : 0;
}

int saved_file_write(const char *path, const char *first, const char *text,
		     bool durable)
{
	char fresh[PATH_MAX];
	int saved;

	if ((size_t)snprintf(fresh, sizeof(fresh), "%s.new", path) >=
	    sizeof(fresh)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (saved_file_create(fresh, first, text, durable) ||
	    rename(fresh, path)) {
		saved = errno;
		unlink(fresh);
		errno = saved;
		return -1;
	}
	return durable ? sync_directory(path) : 0;
}

/* Open a regular file of root's or ours; return its descriptor, or -1 with errno. */
static int saved_file_open(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) &&
	    (st->st_uid == 0 || st->st_uid == geteuid()))
		return fd;
	close(fd);
	errno = S_ISREG(st->st_mode) ? EPERM : EINVAL;
	return -1;
}

/* Read the whole file, with a NUL. Return NULL with errno. */
static char *saved_file_bytes(const char *path, size_t *length)
{
	struct stat st = { 0 };
	int fd = saved_file_open(path, &st);
	char *text = NULL;

	if (fd < 0)
		return NULL;
	*length = 0;
	errno = EFBIG;
	if (st.st_size <= MOST_BYTES)
		text = torus_alloc((size_t)st.st_size + 1, 1);
	while (text && *length < (size_t)st.st_size) {
		ssize_t n = read(fd, text + *length,
				 (size_t)st.st_size - *length);

		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		*length += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return text;
}

char *saved_file_text(char *file, size_t length, const char *first)
{
	size_t before = strlen(first) + 1, last = strlen(LAST_LINE);

	if (length < before + last || strlen(file) != length ||
	    strncmp(file, first, before - 1) != 0 || file[before - 1] != '\n' ||
	    strcmp(file + length - last, LAST_LINE) != 0 ||
	    (length > before + last && file[length - last - 1] != '\n'))
		return NULL;
	length -= before + last;
	memmove(file, file + before, length);
	file[length] = '\0';
	return file;
}

char *saved_file_read(const char *path, const char *first,
		      struct torus_error *err)
{
	size_t length;
	char *file = saved_file_bytes(path, &length);

	if (!file) {
		if (errno != ENOENT)
			torus_error_add(err, "%s", strerror(errno));
		return NULL;
	}
	if (saved_file_text(file, length, first))
		return file;
	torus_error_add(err,
			"it is incomplete: expected the first line \"%s\" and the last line \"end\"",
			first);
	torus_free(file);
	return NULL;
}
