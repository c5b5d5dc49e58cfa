/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing gzip (gzip.h), by zlib. Memory: zlib's 256 KiB. */
#include "storus/base/gzip.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <zlib.h>

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

FILE *storus_gzip(FILE *to)
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
