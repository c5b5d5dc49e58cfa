/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of an ordinary SWF line, split sixteen bytes at a time. */
#ifndef TRACE_SWF_FIELDS_H
#define TRACE_SWF_FIELDS_H

#include "trace/formats.h"

#define TORUS_SWF_FIELDS 18

/*
 * Read the 18 numbers of a line. v[i] is set if bit i of `used` is set; the
 * other fields are checked only. After false v is undefined. Return false for a line that has to be read
 * number by number: too long, invalid, with decimals in a used field or in
 * several fields, or on a processor without SSE2.
 */
bool torus_swf_fields(const char *line, size_t length, uint32_t used,
		      struct torus_number v[TORUS_SWF_FIELDS]);

#endif
