/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files as text (file.h). */
#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "torus/alloc.h"

#define MOST_BYTES (UINT32_C(64) << 20)

char *torus_file_slurp(int fd, size_t most, size_t *length)
{
	uint32_t room = 0;
	char *text = NULL;

	for (*length = 0; *length <= most;) {
		ssize_t n;

		if (TORUS_GROW(text, room, *length + 4096))
			break;
		n = read(fd, text + *length, room - *length - 1);
		if (n == 0) {
			text[*length] = '\0';
			return text;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		*length += (size_t)n;
	}
	if (*length > most)
		errno = EFBIG;
	torus_free(text);
	return NULL;
}

char *torus_file_read(const char *path, size_t most, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), saved;
	char *text;

	if (fd < 0)
		return NULL;
	text = torus_file_slurp(fd, most, length);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

char *torus_file_text(const char *path, size_t *length, struct torus_error *err)
{
	char *text = torus_file_read(path, MOST_BYTES, length);
	int saved = errno;

	if (!text)
		torus_error_add(err, "%s: cannot be read: %s", path,
				strerror(saved));
	errno = saved;
	return text;
}
