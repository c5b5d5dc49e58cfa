/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved text in a file (stream.h). */
#include "format/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torus/alloc.h"

#define LAST_LINE "end\n"
#define MOST_BYTES (256 << 20)

int saved_file_write(const char *path, const char *first, const char *text,
		     bool durable)
{
	const char *const all[] = { first, "\n", text, LAST_LINE, NULL };

	return stream_replace(path, all, 0600, durable);
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
