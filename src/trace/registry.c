/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of trace formats (formats.h). */
#include "trace/formats.h"

#include <string.h>

static const struct torus_trace_format *const formats[] = {
#define FORMATS_ENTRY(name) &torus_trace_##name,
	TORUS_TRACE_FORMATS(FORMATS_ENTRY) NULL,
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
