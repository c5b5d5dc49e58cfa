/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storus snapshot: a machine at an instant as a file, for all other questions. */
#include <errno.h>
#include <stdio.h>

#include "storus/base/output.h"
#include "storus/machine/source.h"

#define NAME &storus_snapshot

struct snapshot_words {
	struct storus_source source;
	const char *output;
};

static const struct storus_option options[] = {
	{ "output", "FILE", "write to this file (default: stdout)",
	  .writes = true, STORUS_TO(struct snapshot_words, output) },
	STORUS_SOURCE_OPTIONS(struct snapshot_words, source),
	{ 0 },
};

static int snapshot_run(void *words)
{
	struct snapshot_words *w = words;
	struct torus_error err = { 0 };
	struct torus_text text = { 0 };
	struct storus_output out = { 0 };
	struct snapshot *s;
	int status = storus_source_open(&w->source, &s, &err);

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	errno = ENOMEM;
	if (snapshot_write(s, &text) || storus_output_open(&out, w->output) ||
	    fwrite(text.data, 1, text.length, out.stream) != text.length ||
	    storus_output_commit(&out))
		status = storus_output_failed(NAME, w->output);
	storus_output_discard(&out);
	torus_text_free(&text);
	snapshot_destroy(s);
	return status;
}

const struct storus_command storus_snapshot = {
	.name = "snapshot",
	.summary = "save the state of the machine for other commands",
	.usage = "[OPTION]...",
	.about = "Writes the machine's torus.yaml, the nodes out of service, running and waiting\n"
		 "jobs and Slurm reservations as JSON. place, map, slots, defrag, explain, what-if,\n"
		 "metrics and ranks answer from it with --snapshot FILE. It has what Slurm shows to\n"
		 "you: nodes of hidden jobs count as in use.",
	.options = options,
	STORUS_WORDS(struct snapshot_words, .output = "-"),
	.no_table =
		"a snapshot is JSON for --snapshot, not a table; storus slots and storus explain have --json",
	.examples = "  storus snapshot --output now.snap\n"
		    "  storus slots --snapshot now.snap 4x4x4\n"
		    "  storus snapshot --torus 8x8 --busy 0,0+4x4\n",
	.run = snapshot_run,
};
