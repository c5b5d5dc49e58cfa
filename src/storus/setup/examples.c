/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus examples: how to ask: sbatch for a shape, sacct for a history, then the examples of every
 * subcommand, from the table that --help prints. testsuite runs all of them.
 */
#include <stdio.h>
#include <string.h>

#include "storus/base/table.h"
#include "storus/storus.h"

#define NAME &storus_examples

struct examples_words {
	const char *command;
};

static const struct storus_option options[] = { { 0 } };

static const char examples_sbatch[] =
	"  sbatch --geometry=4x4x2 -t 30 job.sh\n"
	"  sbatch --geometry=4x2 --no-rotate -t 30 job.sh\n"
	"  sbatch --geometry=4x4 --conn-type=torus -t 30 job.sh\n"
	"  sbatch --geometry=2x2x2 --conn-type=TMM -t 30 job.sh\n"
	"  sbatch --geometry=2^3 -t 30 job.sh\n"
	"  sbatch --geometry=16 -t 30 job.sh\n"
	"  sbatch --geometry=4x4x2,4x2x2@1h,8@2h -t 30 job.sh\n"
	"  sbatch --geometry=4x2*2 -t 30 job.sh\n"
	"  SBATCH_GEOMETRY=4x2 sbatch -t 30 job.sh\n";

/* The command that writes a site's history with all columns that are read. */
static const char examples_sacct[] =
	STORUS_SACCT_LINES("2024-01-01",
			   "site.sacct") "\n"
					 "  storus replay --torus 8x8x8 site.sacct\n";

static void examples_put(const char *name, const char *summary,
			 const char *lines)
{
	printf("%s: ", name);
	storus_table_fold(summary, strlen(name) + 2);
	fputs(lines, stdout);
}

static int examples_run(void *words)
{
	const char *only = ((struct examples_words *)words)->command;
	const char *names[67] = { "sbatch", "sacct" };
	const char *lead = "", *near;
	size_t n = 2;

	if (!only || !strcmp(only, "sbatch")) {
		examples_put("sbatch", "a job on nodes that form a shape",
			     examples_sbatch);
		lead = "\n";
	}
	if (!only || !strcmp(only, "sacct")) {
		fputs(lead, stdout);
		examples_put("sacct", "the history of a site, for replays",
			     examples_sacct);
		lead = "\n";
	}
	for (size_t i = 0; storus_commands[i]; i++) {
		const struct storus_command *c = storus_commands[i];

		names[n++] = c->name;
		if (only && strcmp(only, c->name))
			continue;
		fputs(lead, stdout);
		lead = "\n";
		examples_put(c->name, c->summary, c->examples);
	}
	if (*lead)
		return STORUS_DONE;
	near = storus_nearest(only, names);
	return storus_say(NAME, STORUS_USAGE,
			  "%s: no such command%s%s%s; storus --help lists them",
			  only, near ? "; did you mean " : "", near ? near : "",
			  near ? "?" : "");
}

const struct storus_command storus_examples = {
	.name = "examples",
	.summary =
		"print example commands: sbatch with shapes, and each subcommand",
	.usage = "[COMMAND|sbatch|sacct]",
	.options = options,
	STORUS_WORDS(struct examples_words, 0),
	.operand = { .value = "command",
		     STORUS_TO(struct examples_words, command) },
	.examples = "  storus examples\n"
		    "  storus examples sbatch\n"
		    "  storus examples sacct\n"
		    "  storus examples slots\n",
	.run = examples_run,
};
