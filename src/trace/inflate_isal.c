/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip members unpacked by ISA-L (inflate.h), if configure has found it. */
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#include <stdint.h>

#include "torus/alloc.h"
#include "trace/inflate.h"

static void *isal_create(void)
{
	struct inflate_state *z = torus_alloc(1, sizeof(*z));

	if (z)
		isal_inflate_init(z);
	return z;
}

static void isal_begin(void *self)
{
	struct inflate_state *z = self;

	isal_inflate_reset(z);
	z->crc_flag = ISAL_GZIP;
}

static enum torus_inflate_answer isal_unpack(void *self,
					     struct torus_inflate_part *part)
{
	struct inflate_state *z = self;
	int status;

	z->next_in = (unsigned char *)(uintptr_t)part->in; /* it only reads */
	z->avail_in = (uint32_t)part->in_left;
	z->next_out = (unsigned char *)part->out;
	z->avail_out = (uint32_t)part->out_left;
	status = isal_inflate(z);
	part->in += part->in_left - z->avail_in;
	part->in_left = z->avail_in;
	part->out += part->out_left - z->avail_out;
	part->out_left = z->avail_out;
	if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT)
		return TORUS_INFLATE_DAMAGED;
	return z->block_state == ISAL_BLOCK_FINISH ? TORUS_INFLATE_END :
						     TORUS_INFLATE_MORE;
}

const struct torus_inflate torus_inflate_isal = {
	.create = isal_create,
	.destroy = torus_free,
	.begin = isal_begin,
	.unpack = isal_unpack,
};

#endif
