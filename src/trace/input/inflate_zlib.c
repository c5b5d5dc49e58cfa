/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip members unpacked by zlib (unpack.h). */
#include <errno.h>
#include <stdint.h>
#include <zlib.h>

#include "torus/alloc.h"
#include "trace/input/unpack.h"

#define GZIP_ONLY 31 /* the largest window, no other format */

static void *zlib_create(void)
{
	z_stream *z = torus_alloc(1, sizeof(*z));

	if (z && inflateInit2(z, GZIP_ONLY) != Z_OK) {
		torus_free(z);
		errno = ENOMEM;
		return NULL;
	}
	return z;
}

static void zlib_destroy(void *self)
{
	if (self)
		inflateEnd(self);
	torus_free(self);
}

static void zlib_begin(void *self)
{
	inflateReset(self);
}

static enum torus_inflate_answer zlib_unpack(void *self,
					     struct torus_inflate_part *part)
{
	z_stream *z = self;
	int status;

	z->next_in = (unsigned char *)(uintptr_t)part->in; /* it only reads */
	z->avail_in = (uInt)part->in_left;
	z->next_out = (unsigned char *)part->out;
	z->avail_out = (uInt)part->out_left;
	status = inflate(z, Z_NO_FLUSH);
	if (status == Z_MEM_ERROR) {
		errno = ENOMEM;
		return TORUS_INFLATE_FAILED;
	}
	if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
		return TORUS_INFLATE_DAMAGED;
	part->in += part->in_left - z->avail_in;
	part->in_left = z->avail_in;
	part->out += part->out_left - z->avail_out;
	part->out_left = z->avail_out;
	return status == Z_STREAM_END ? TORUS_INFLATE_END : TORUS_INFLATE_MORE;
}

const struct torus_inflate torus_inflate_zlib = {
	.create = zlib_create,
	.destroy = zlib_destroy,
	.begin = zlib_begin,
	.unpack = zlib_unpack,
};
