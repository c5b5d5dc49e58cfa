/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of trace lines that are no jobs, as a count and in words
 * (trace.h). */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t torus_trace_skipped(const struct torus_trace_counts *counts)
{
	return counts->no_run + counts->no_processors + counts->partial +
	       counts->unfinished + counts->bad;
}

void torus_trace_skipped_words(const struct torus_trace_counts *counts,
			       char *text, size_t size)
{
	const struct {
		uint64_t n;
		const char *why;
	} part[] = {
		{ counts->no_run, "without run time" },
		{ counts->no_processors, "without processors" },
		{ counts->partial, "parts of another" },
		{ counts->unfinished, "still waiting or running" },
		{ counts->bad, "lines that cannot be read" },
		{ counts->lost, "lines that the journal lost" },
	};
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < sizeof(part) / sizeof(*part) && used < size; i++)
		if (part[i].n)
			used += (size_t)snprintf(text + used, size - used,
						 "%s%" PRIu64 " %s",
						 used ? ", " : "", part[i].n,
						 part[i].why);
}
