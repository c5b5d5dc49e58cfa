/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of trace formats: one line each, in the order in which they are
 * tried on a file's first line. */
#include "trace/formats.h"

#include <string.h>

static const struct torus_trace_format *const formats[] = {
	&torus_trace_swf,
	&torus_trace_sacct,
	&torus_trace_csv,
	NULL,
};

const struct torus_trace_format *const *torus_trace_formats(void)
{
	return formats;
}

const struct torus_trace_format *torus_trace_format_find(const char *name)
{
	size_t i;

	for (i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}
