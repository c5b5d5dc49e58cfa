/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip members unpacked by ISA-L (unpack.h), if configure has found it. */
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#include <stdint.h>

#include "torus/alloc.h"
#include "trace/input/unpack.h"

struct isal {
	struct inflate_state z;
	/* isal_inflate() has its own, and forgets it between two calls: a header that
	 * ends in the second would be judged by chance */
	struct isal_gzip_header header;
};

static void *isal_create(void)
{
	struct isal *isal = torus_alloc(1, sizeof(*isal));

	if (isal)
		isal_inflate_init(&isal->z);
	return isal;
}

static void isal_begin(void *self)
{
	struct isal *isal = self;

	isal_inflate_reset(&isal->z);
	isal->z.crc_flag = ISAL_GZIP;
	isal_gzip_header_init(&isal->header);
	isal->header.flags = 0;
}

static enum torus_inflate_answer isal_unpack(void *self,
					     struct torus_inflate_part *part)
{
	struct isal *isal = self;
	struct inflate_state *z = &isal->z;
	int status = ISAL_DECOMP_OK;

	z->next_in = (unsigned char *)(uintptr_t)part->in; /* it only reads */
	z->avail_in = (uint32_t)part->in_left;
	z->next_out = (unsigned char *)part->out;
	z->avail_out = (uint32_t)part->out_left;
	if (!z->wrapper_flag)
		status = isal_read_gzip_header(z, &isal->header);
	if (status == ISAL_DECOMP_OK)
		status = isal_inflate(z);
	if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT)
		return TORUS_INFLATE_DAMAGED; /* avail_in may be wrong */
	part->in += part->in_left - z->avail_in;
	part->in_left = z->avail_in;
	part->out += part->out_left - z->avail_out;
	part->out_left = z->avail_out;
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
