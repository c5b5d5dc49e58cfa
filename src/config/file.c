/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files as text (file.h). */
#include "config/file.h"
#include "torus/alloc.h"
#include "torus/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read until the end; with `text`, also end behind the first part with a NUL, which is no
 * text whatever follows. */
static char *file_slurp(int fd, size_t most, bool text, size_t *length)
{
	uint32_t room = 0;
	char *to = NULL;

	for (*length = 0; *length <= most;) {
		ssize_t n;

		if (TORUS_GROW(to, room, *length + 4096))
			break;
		n = read(fd, to + *length, room - *length - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		*length += (size_t)n;
		if (n > 0 &&
		    (!text || !memchr(to + *length - n, '\0', (size_t)n)))
			continue;
		to[*length] = '\0';
		return to;
	}
	if (*length > most)
		errno = EFBIG;
	torus_free(to);
	return NULL;
}

static char *file_read(const char *path, size_t most, bool text, size_t *length)
{
	bool input = text && strcmp(path, "-") == 0;
	int fd = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), saved;
	char *to;

	if (fd < 0)
		return NULL;
	to = file_slurp(fd, most, text, length);
	saved = errno;
	if (!input)
		close(fd);
	errno = saved;
	return to;
}

char *torus_file_read(const char *path, size_t most, size_t *length)
{
	return file_read(path, most, false, length);
}

size_t torus_file_mark(const char *text, size_t length)
{
	if (length >= 2 &&
	    (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2) ||
	     !text[0] != !text[1]))
		return SIZE_MAX;
	return length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* Remove the mark, and refuse what is no text. 0, or -1 with EINVAL and a line in err. */
static int file_check(const char *path, char *text, size_t *length,
		      struct torus_error *err)
{
	size_t mark = torus_file_mark(text, *length);
	const char *nul = memchr(text, '\0', *length);
	unsigned line = 1;

	if (mark == SIZE_MAX)
		return torus_error_add(err, "%s: %s", path, TORUS_FILE_FOREIGN);
	for (const char *at = text; nul && at < nul; at++)
		line += *at == '\n';
	if (nul)
		return torus_error_add(err, "%s:%u: %s", path, line,
				       TORUS_FILE_NUL);
	*length -= mark;
	memmove(text, text + mark, *length + 1);
	return 0;
}

char *torus_file_text(const char *path, size_t *length, struct torus_error *err)
{
	char *text = file_read(path, TORUS_FILE_MOST, true, length);
	int saved = errno;

	if (!text)
		torus_error_add(err, "%s: cannot be read: %s", path,
				strerror(saved));
	else if (file_check(path, text, length, err)) {
		saved = EINVAL;
		torus_free(text);
		text = NULL;
	}
	errno = saved;
	return text;
}

int torus_file_check_owner(const char *path, uid_t user, struct torus_error *err)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	if (!S_ISREG(st.st_mode))
		return torus_error_add(err, "%s: expected a regular file", path);
	if (st.st_uid != 0 && st.st_uid != user)
		return torus_error_add(err,
				       "%s: it belongs to user %u: expected root or SlurmUser (%u); run chown",
				       path, (unsigned)st.st_uid,
				       (unsigned)user);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return torus_error_add(err,
				       "%s: its mode is %04o: expected a file that only its owner can write to; run chmod go-w",
				       path, (unsigned)(st.st_mode & 07777));
	return 0;
}

/*
 * Sorts messages by line (config/file.h): the blocks of a file are checked
 * key by key in a fixed order, but people read their file from top to bottom.
 * An insertion sort that moves whole lines within the text.
 */

/* Return the NUMBER of a line; larger than all numbers if it has none. */
static unsigned long number_of(const char *line, const char *file, size_t n)
{
	if (strncmp(line, file, n) != 0 || line[n] != ':')
		return ULONG_MAX;
	return (unsigned long)torus_number_of(line + n + 1);
}

/* Return the length with the '\n', which the last line has here, too. */
static size_t order_length_of(const char *line)
{
	return (size_t)(strchr(line, '\n') - line) + 1;
}

/* Return the position of a line of this number among the sorted ones. */
static char *place_for(char *first, char *line, unsigned long number,
		       const char *file, size_t n)
{
	while (first < line && number_of(first, file, n) <= number)
		first += order_length_of(first);
	return first;
}

void torus_errors_order(struct torus_error *err, size_t from, const char *file)
{
	char text[TORUS_ERROR_TEXT + 2], line[TORUS_ERROR_TEXT + 2];
	size_t n = strlen(file), used, length;

	if (!err || err->used <= from)
		return;
	from += err->text[from] == '\n'; /* the separator */
	used = err->used - from;
	memcpy(text, err->text + from, used);
	strcpy(text + used, "\n");
	for (char *p = text; *p; p += length) {
		char *to = place_for(text, p, number_of(p, file, n), file, n);

		length = order_length_of(p);
		memcpy(line, p, length);
		memmove(to + length, to, (size_t)(p - to));
		memcpy(to, line, length);
	}
	memcpy(err->text + from, text, used);
}
