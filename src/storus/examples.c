/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus examples: how to ask: sbatch for a shape, then the examples of every
 * subcommand, from the table that --help prints. testsuite runs all of them.
 */
#include <stdio.h>
#include <string.h>

#include "storus/storus.h"

#define NAME &storus_examples

struct words {
	const char *command;
};

static const struct storus_option options[] = { { 0 } };

static int examples_run(int argc, char **argv);

const struct storus_command storus_examples = {
	.name = "examples",
	.summary =
		"print example commands: sbatch with shapes, and each subcommand",
	.usage = "[COMMAND|sbatch]",
	.options = options,
	.operand = { .value = "command", STORUS_TO(struct words, command) },
	.examples = "  storus examples\n"
		    "  storus examples sbatch\n"
		    "  storus examples slots\n",
	.run = examples_run,
};

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

static void examples_put(const char *name, const char *summary,
			 const char *lines)
{
	printf("%s: %s\n%s", name, summary, lines);
}

static int examples_run(int argc, char **argv)
{
	struct words w = { 0 };
	int status = storus_args_read(NAME, argc, argv, &w);
	const char *words[66] = { "sbatch" };
	const char *lead = "", *near;
	size_t n = 1;

	if (status != STORUS_GO)
		return status;
	if (!w.command || !strcmp(w.command, "sbatch")) {
		examples_put("sbatch", "a job on exactly a shape of nodes",
			     examples_sbatch);
		lead = "\n";
	}
	for (size_t i = 0; storus_commands[i]; i++) {
		const struct storus_command *c = storus_commands[i];

		words[n++] = c->name;
		if (w.command && strcmp(w.command, c->name))
			continue;
		fputs(lead, stdout);
		lead = "\n";
		examples_put(c->name, c->summary, c->examples);
	}
	if (*lead)
		return STORUS_DONE;
	near = storus_nearest(w.command, words);
	return storus_say(NAME, STORUS_USAGE,
			  "%s: no such command%s%s%s; storus --help lists them",
			  w.command, near ? "; did you mean " : "",
			  near ? near : "", near ? "?" : "");
}
