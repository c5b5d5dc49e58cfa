/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of subcommands, and the command line without one: storus --help,
 * --version, an unknown word.
 */
#include "storus/storus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "storus/base/args.h"
#include "storus/base/manual.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus_build.h"

const struct storus_command *const storus_commands[] = {
#define COMMANDS_ENTRY(name) &storus_##name,
	STORUS_COMMANDS(COMMANDS_ENTRY) NULL,
};

static int commands_help(void)
{
	const struct storus_command *const *command;

	printf("usage: storus COMMAND [ARGUMENT]...\n"
	       "\n"
	       "Shapes on a torus: find out where a job fits, and replay a trace of jobs under\n"
	       "another policy, with the code that runs in the cluster.\n"
	       "\n"
	       "Commands:\n");
	for (command = storus_commands; *command; command++) {
		printf("  %-14s ", (*command)->name);
		storus_table_fold((*command)->summary, 17);
	}
	printf("\n"
	       "Options:\n"
	       "  --help         print this text; storus help COMMAND: help on a command\n"
	       "  --version      print the version and a hash of the code that decides\n"
	       "\n"
	       "storus(1) and storus-COMMAND(1) are the manual pages.\n"
	       "\n"
	       "Exit status:\n");
	for (int i = 0; i < STORUS_STATUSES; i++) {
		printf("  %d  ", i);
		storus_table_fold(storus_statuses[i], 5);
	}
	printf("\n"
	       "Examples:\n"
	       "  storus replay --torus flat:128 --discipline easy trace.swf.gz\n"
	       "  storus replay --help\n");
	return STORUS_DONE;
}

static int commands_unknown(const char *typed)
{
	const struct storus_command *const *command = storus_commands;
	const char *words[64], *near;
	size_t n = 0;

	for (; n < 63 && *command; command++)
		words[n++] = (*command)->name;
	words[n] = NULL;
	near = typed[0] == '-' ? NULL : storus_nearest(typed, words);
	if (near)
		return storus_say(NULL, STORUS_USAGE,
				  "%s: no such command; did you mean %s? "
				  "storus --help lists them",
				  typed, near);
	return storus_say(NULL, STORUS_USAGE,
			  "%s: no such %s; storus --help "
			  "lists them",
			  typed, typed[0] == '-' ? "option" : "command");
}

static int commands_read(const struct storus_command *command, int argc,
			 char **argv, void *words)
{
	int status = storus_args_read(command, argc, argv, words);

	if (status != STORUS_GO || !command->first)
		return status;
	status = command->first(words);
	return status == STORUS_GO ?
		       storus_args_read(command, argc, argv, words) :
		       status;
}

/* A directory of temporary files that lines do not show. */
static const char *omitted = "";

void storus_main_omit(const char *directory)
{
	omitted = directory;
}

/* The command as one line that a shell would read back. malloc()ed, or NULL. */
static char *commands_line(int argc, char **argv)
{
	char *line = storus_shell_line("storus", argc, argv), *at = line;
	size_t length = strlen(omitted);

	while (at && length && (at = strstr(at, omitted)) && at[length] == '/')
		memmove(at, at + length + 1, strlen(at + length));
	return line;
}

static int commands_run(const struct storus_command *command, int argc,
			char **argv)
{
	char *words = torus_alloc(1, command->size);
	char *line = commands_line(argc, argv);
	int status = STORUS_TROUBLE;

	if (words && line) {
		memcpy(words, command->initial, command->size);
		if (command->line.kind == STORUS_TEXT)
			memcpy(words + command->line.at, &line, sizeof(line));
		status = commands_read(command, argc, argv, words);
		if (status == STORUS_GO)
			status = command->run(words);
		storus_args_free(command, words);
	} else {
		storus_no_memory(command);
	}
	torus_free(words);
	free(line);
	return status;
}

int storus_main(int argc, char **argv)
{
	const struct storus_command *const *command;
	const char *word = argc > 1 ? argv[1] : NULL;
	char help[] = "--help"; /* storus help COMMAND is storus COMMAND --help */

	if (!word)
		return storus_say(NULL, STORUS_USAGE,
				  "a command is missing; "
				  "storus --help lists them");
	if (!strcmp(word, "help") && argc == 3) {
		argv[1] = argv[2];
		argv[2] = help;
		word = argv[1];
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
	    !strcmp(word, "help"))
		return commands_help();
	if (!strcmp(word, "--version")) {
		printf("storus %s (build %s)\n", PACKAGE_VERSION, torus_build);
		return STORUS_DONE;
	}
	if (!strcmp(word, "--words"))
		return storus_complete(argc - 2, argv + 2);
	if (!strcmp(word, "--manual"))
		return storus_manual(argc - 2, argv + 2);
	for (command = storus_commands; *command; command++)
		if (!strcmp(word, (*command)->name))
			return commands_run(*command, argc - 1, argv + 1);
	return commands_unknown(word);
}
