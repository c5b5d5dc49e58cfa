/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `brief`: a job per line, "job SUBMIT RUN NODES". The trace format of HACKING.md's
 * recipe; recipes.t adds it to a copy of the tree.
 */
#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"
#include "trace/formats.h"

static bool brief_recognizes(const char *line)
{
	return strncmp(line, "job ", 4) == 0;
}

static void *brief_create(struct torus_trace_header *header)
{
	(void)header;
	return torus_alloc(1, 1);
}

static enum torus_trace_line brief_line(void *self, char *line, size_t length,
					struct torus_trace_record *record,
					char *why)
{
	struct torus_number v[3];
	const char *p = line + 3;

	(void)self;
	if (length == 0)
		return TORUS_TRACE_LINE_NOTHING;
	for (int i = 0; p && i < 3; i++)
		p = *p == ' ' ? torus_number_scan(p + 1, &v[i]) : NULL;
	if (!brief_recognizes(line) || !p || *p ||
	    !torus_number_us(&v[0], &record->submit_us) ||
	    !torus_number_us(&v[1], &record->run_us) || v[2].whole < 1 ||
	    v[2].whole > TORUS_TRACE_MAX_PROCESSORS) {
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "expected job SUBMIT RUN NODES");
		return TORUS_TRACE_LINE_BAD;
	}
	snprintf(record->id, sizeof(record->id), "%llu",
		 (unsigned long long)record->line);
	record->requested = (uint32_t)v[2].whole;
	record->limit_us = -1;
	record->deadline_us = TORUS_NO_TIME;
	return TORUS_TRACE_LINE_JOB;
}

const struct torus_trace_format torus_trace_brief = {
	.name = "brief",
	.summary = "a job per line: job SUBMIT RUN NODES",
	.ending = ".brief",
	.recognizes = brief_recognizes,
	.create = brief_create,
	.destroy = torus_free,
	.line = brief_line,
};
