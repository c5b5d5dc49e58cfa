/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notices about a trace that was read: its bad lines, and values that were interpreted
 * in an unexpected way. */
#include "storus/base/notices.h"

#include <inttypes.h>
#include <stdio.h>

static void bad_say(const struct storus_command *command, const char *name,
		    const struct torus_trace *trace, bool strict)
{
	uint64_t bad = torus_trace_counts(trace)->bad;

	if (!bad)
		return;
	storus_say_errors(command, 0, torus_trace_bad(trace));
	storus_say(command, 0, "%s: %" PRIu64 " line%s cannot be read%s%s",
		   name, bad, bad == 1 ? "" : "s",
		   bad > TORUS_TRACE_BAD_SHOWN ? " (the first ten are above)" :
						 "",
		   strict ? "; --strict refuses the trace" : "; skipped");
}

static void repeats_say(const struct storus_command *command, const char *name,
			const struct torus_trace_repeats *r)
{
	char lines[64] = "";

	if (!r->count)
		return;
	if (r->count > 1)
		snprintf(lines, sizeof(lines),
			 " (lines %" PRIu64 " to %" PRIu64 ")", r->line[1],
			 r->last);
	storus_say(command, 0,
		   "notice: %s: %" PRIu64
		   " job%s%s the id of an earlier job, first \"%s\" of lines %" PRIu64
		   " and %" PRIu64
		   "; they are separate jobs, but results distinguish jobs by id",
		   name, r->count, r->count == 1 ? " has" : "s have", lines,
		   r->id, r->line[0], r->line[1]);
}

void storus_trace_notices(const struct storus_command *command, const char *name,
			  const struct torus_trace *trace, bool strict)
{
	const struct torus_trace_counts *counts = torus_trace_counts(trace);

	bad_say(command, name, trace, strict);
	if (counts->steps)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64 " step%s ignored; "
			   "sacct -X omits them",
			   name, counts->steps, counts->steps == 1 ? "" : "s");
	if (counts->components)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " part%s of het jobs counted as separate jobs",
			   name, counts->components,
			   counts->components == 1 ? "" : "s");
	if (counts->unfinished)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64 " job%s omitted "
			   "that still wait%s or run%s: the run time is not known",
			   name, counts->unfinished,
			   counts->unfinished == 1 ? "" : "s",
			   counts->unfinished == 1 ? "s" : "",
			   counts->unfinished == 1 ? "s" : "");
	repeats_say(command, name, torus_trace_repeats(trace));
}

int storus_trace_usable(const struct storus_command *command, const char *name,
			const struct torus_trace *trace)
{
	const struct torus_trace_counts *counts = torus_trace_counts(trace);
	char words[256];

	if (counts->jobs)
		return STORUS_DONE;
	torus_trace_skipped_words(counts, words, sizeof(words));
	return storus_say(command, STORUS_USAGE,
			  "%s: no job can be used%s%s; expected a trace with at least one job that ran",
			  name, *words ? ": " : ": there is none", words);
}

int storus_trace_take_format(const struct storus_args *args, void *format)
{
	const struct torus_trace_format *const *all = torus_trace_formats();
	const char *words[16];
	int n = 0, i;

	for (; n < 15 && all[n]; n++)
		words[n] = all[n]->name;
	words[n] = NULL;
	i = storus_args_choice(args, words);
	if (i < 0)
		return STORUS_USAGE;
	*(const char **)format = words[i];
	return STORUS_DONE;
}
