/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine state in Slurm's StateSaveLocation: what torus_state_save()
 * writes, between a first line that names the format and a last one that shows
 * that nothing is missing. The file is replaced as a whole: written beside,
 * synced, renamed.
 *
 * What it says may be minutes old, and is only taken where the job table
 * agrees (job_table.c). It is read for what nothing else knows: how the free nodes
 * of a partition tree were cut.
 */
#include "slurmctld/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torus/alloc.h"

#define FILE_NAME "torus_state"
#define FIRST_LINE "torus_state 1\n"
#define LAST_LINE "end\n"
#define MOST_BYTES (256 << 20)

static int state_file_write_all(int fd, const char *text, size_t length)
{
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

/* The new name lasts only once the directory is synced, too. */
static int sync_directory(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? -1 : fsync(fd);

	if (fd >= 0)
		close(fd);
	return rc;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0)
		return -1;
	rc = state_file_write_all(fd, FIRST_LINE, strlen(FIRST_LINE)) ||
	     state_file_write_all(fd, text, strlen(text)) ||
	     state_file_write_all(fd, LAST_LINE, strlen(LAST_LINE)) ||
	     fsync(fd);
	return close(fd) || rc ? -1 : 0;
}

int state_file_write(const char *directory, const char *text)
{
	char *path = xstrdup_printf("%s/" FILE_NAME, directory);
	char *fresh = xstrdup_printf("%s.new", path);
	int rc = 0;

	if (write_file(fresh, text) || rename(fresh, path) ||
	    sync_directory(directory)) {
		error("torus: %s cannot be written: %m", path);
		unlink(fresh);
		rc = -1;
	}
	xfree(path);
	xfree(fresh);
	return rc;
}

/* All of a file, with a NUL. NULL with errno. */
static char *state_file_read_file(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	*length = 0;
	errno = EFBIG;
	if (fstat(fd, &st) == 0 && st.st_size <= MOST_BYTES)
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

/* The text between the first and the last line, or NULL: not all is there. */
static char *inner_text(char *text, size_t length)
{
	size_t first = strlen(FIRST_LINE), last = strlen(LAST_LINE);

	if (length < first + last || strlen(text) != length ||
	    strncmp(text, FIRST_LINE, first) != 0 ||
	    strcmp(text + length - last, LAST_LINE) != 0 ||
	    (length > first + last && text[length - last - 1] != '\n'))
		return NULL;
	text[length - last] = '\0';
	return text + first;
}

void state_file_restore(struct instance *in, const char *directory)
{
	char *path = xstrdup_printf("%s/" FILE_NAME, directory);
	struct torus_error err;
	size_t length;
	char *text = state_file_read_file(path, &length), *inner;

	torus_error_clear(&err);
	if (!text && errno != ENOENT)
		torus_error_add(&err, "%s", strerror(errno));
	if (text) {
		inner = inner_text(text, length);
		if (!inner)
			torus_error_add(&err,
					"it is not whole: expected the first line \"torus_state 1\" and the last line \"end\"");
		else if (torus_state_restore(in->state, inner, &err) &&
			 err.count == 0)
			torus_error_add(&err, "%s", strerror(errno));
	}
	if (err.count > 0)
		error("torus: %s is ignored: %s; running jobs keep their nodes, and their places are recognized in these",
		      path, err.text);
	else if (text)
		info("torus: %s: %u places known", path,
		     torus_state_holds(in->state));
	torus_free(text);
	xfree(path);
}
