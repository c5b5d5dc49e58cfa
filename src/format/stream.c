/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reason of a failed write (stream.h). */
#include "format/stream.h"

#include <errno.h>

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
