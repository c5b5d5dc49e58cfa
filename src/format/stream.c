/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing files, and the reason of a failure (stream.h). */
#include "format/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool stream_failed(FILE *out)
{
	if (!ferror(out))
		return false;
	errno = 0;
	if (putc('\n', out) != EOF)
		fflush(out);
	if (errno == 0)
		errno = EIO; /* the second write succeeded: the cause has
				passed */
	return true;
}

void stream_put_field(FILE *out, const char *text, bool quoted)
{
	quoted = quoted || text[strcspn(text, ",\"\r\n")];
	if (quoted)
		putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	if (quoted)
		putc('"', out);
}

int stream_close(FILE *out)
{
	bool failed = stream_failed(out);
	int saved = errno;

	if (fclose(out) && !failed)
		return -1;
	if (failed)
		errno = saved;
	return failed ? -1 : 0;
}

int stream_write(int fd, const char *text)
{
	size_t length = strlen(text);

	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

/* Create the file; never write through an existing link or file. */
static int stream_create(const char *path, const char *const *text, mode_t mode,
			 bool durable)
{
	int fd, rc;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return -1;
	rc = fchmod(fd, mode);
	for (; *text && rc == 0; text++)
		rc = stream_write(fd, *text);
	if (rc == 0 && durable)
		rc = fsync(fd);
	return close(fd) || rc ? -1 : 0;
}

int stream_replace(const char *path, const char *const *text, mode_t mode,
		   bool durable)
{
	char fresh[PATH_MAX];
	int saved;
	const char *slash;
	char directory[PATH_MAX];
	int fd, rc;

	if ((size_t)snprintf(fresh, sizeof(fresh), "%s.new", path) >=
	    sizeof(fresh)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (stream_create(fresh, text, mode, durable) || rename(fresh, path)) {
		saved = errno;
		unlink(fresh);
		errno = saved;
		return -1;
	}
	if (!durable)
		return 0;
	/* Sync the directory: only then the rename is durable. */
	slash = strrchr(path, '/');
	snprintf(directory, sizeof(directory), "%.*s",
		 slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -1 : fsync(fd);
	if (fd >= 0)
		close(fd);
	return rc;
}
