/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files as text (file.h). */
#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "torus/alloc.h"

#define MOST_BYTES (UINT32_C(64) << 20)

/* Read a file, at most MOST_BYTES + 1. */
static char *file_slurp(int fd, size_t *length)
{
	size_t room = 65536;
	char *text = torus_alloc(room, 1);

	for (*length = 0; text && *length <= MOST_BYTES;) {
		ssize_t n;

		if (*length == room) {
			char *more = torus_realloc(text, room * 2, 1);

			if (!more)
				break;
			text = more;
			room *= 2;
		}
		n = read(fd, text + *length, room - *length);
		if (n == 0)
			return text;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		*length += (size_t)n;
	}
	if (text && *length > MOST_BYTES)
		errno = EFBIG;
	torus_free(text);
	return NULL;
}

char *torus_file_text(const char *path, size_t *length, struct torus_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), saved;
	char *text = NULL;

	if (fd >= 0)
		text = file_slurp(fd, length);
	saved = errno;
	if (fd >= 0)
		close(fd);
	if (text)
		return text;
	torus_error_add(err, "%s: cannot be read: %s", path, strerror(saved));
	errno = saved;
	return NULL;
}
