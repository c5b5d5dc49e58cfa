/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus --words: what may come next on the command line, for completion
 * (contribs/completion). It answers from the tables that --help prints and from
 * the registries, so that it knows whatever this storus knows.
 *
 *	storus --words				the commands
 *	storus --words COMMAND			its options
 *	storus --words COMMAND --OPTION[=]	the option's values
 *	storus --words COMMAND -		its operands; of help: the commands
 *	storus --words sbatch [--OPTION]	what slurm-torus adds to it; salloc, srun, too
 *
 * A word per line; FILE or DIRECTORY if one is expected; nothing if the words are
 * unknown. Exit status 1: no value follows this option (it takes none, or only
 * after '='); 2: there is no such command or option.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "papers/experiment/experiment.h"
#include "storus/base/table.h"
#include "storus/base/manual.h"
#include "storus/storus.h"
#include "torus/request_words.h"

static void put_experiments(void)
{
	puts("all\ngupta\nmao\naida\nbani\nmohapatra");
	for (size_t i = 0; torus_experiment_at(i); i++)
		puts(torus_experiment_at(i)->name);
}

static void put_commands(void)
{
	for (size_t i = 0; storus_commands[i]; i++)
		puts(storus_commands[i]->name);
	puts("sbatch");
}

/* The words behind a placeholder of usage lines and tables, by an option's name
 * if the placeholder alone ("NAME") does not tell. */
static const struct {
	const char *option;   /* NULL: any option */
	const char *value;    /* the placeholder begins with this */
	const char *registry; /* of storus list */
	void (*put)(void);
	const char *words; /* a line each */
} kinds[] = {
	{ "strategy", "NAME", "strategies", NULL, NULL },
	{ "discipline", "NAME", "disciplines", NULL, NULL },
	{ "format", "NAME", "formats", NULL, NULL },
	{ "input-format", "NAME", "formats", NULL, NULL },
	{ NULL, "MODEL", "models", NULL, NULL },
	{ "", "NAME...", NULL, put_experiments, NULL },
	{ "", "COMMAND", NULL, put_commands, NULL },
	{ NULL, "FILE", NULL, NULL, "FILE" },
	{ NULL, "TRACE", NULL, NULL, "FILE" },
	{ NULL, "SCHEDULE", NULL, NULL, "FILE" },
	{ NULL, "CAMPAIGN", NULL, NULL, "FILE" },
	{ NULL, "DIR", NULL, NULL, "DIRECTORY" },
};

/* Print the words of "requested|used" or "0|1". */
static bool put_choices(const char *value, size_t length)
{
	if (!memchr(value, '|', length))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (isupper((unsigned char)value[i]) ||
		    (value[i] == '-' && (i == 0 || value[i - 1] == '|')))
			return false;
	}
	for (size_t i = 0; i < length; i++)
		putchar(value[i] == '|' ? '\n' : value[i]);
	putchar('\n');
	return true;
}

/* Print the values of a word of a request; false: it is none, or has no choices. */
static bool put_word(const char *option)
{
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		const struct torus_request_word *word = &torus_request_word[w];
		bool strategy = word->kind == TORUS_KIND_STRATEGY;

		if (strcmp(word->name, option) || (!strategy && !word->choices))
			continue;
		if (strategy)
			storus_list_names("strategies");
		else
			puts(word->choices);
		return true;
	}
	return false;
}

/* Print the values of an option, or of operands (option ""); false: unknown. */
static bool put_values(const char *option, const char *value, size_t length)
{
	while (length && (*value == '[' || *value == '=')) {
		value++;
		length--;
	}
	if (length && value[length - 1] == ']')
		length--;
	if (put_choices(value, length) || put_word(option))
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t n = strlen(kinds[i].value);

		if ((kinds[i].option && strcmp(kinds[i].option, option)) ||
		    length < n || memcmp(value, kinds[i].value, n))
			continue;
		if (kinds[i].registry)
			storus_list_names(kinds[i].registry);
		else if (kinds[i].put)
			kinds[i].put();
		else
			puts(kinds[i].words);
		return true;
	}
	return false;
}

/* The first word of a usage line that is neither an option nor its value. */
static void put_operands(const char *usage)
{
	bool skip = false;

	while (*usage) {
		size_t length = strcspn(usage, " ");
		bool option = strstr(usage, "--") == usage ||
			      strstr(usage, "[--") == usage;

		if (!option && !skip && put_values("", usage, length))
			return;
		skip = option;
		usage += length;
		usage += strspn(usage, " ");
	}
}

/* typed: what follows the first dash, "-format" or "o". */
static int option_values(const struct storus_command *command, const char *typed)
{
	const struct storus_option *o = command->options;
	size_t length = strcspn(typed, "=");
	bool letter = typed[0] != '-';

	typed += letter ? 0 : 1;
	length -= letter ? 0 : 1;
	for (; o && o->name; o++) {
		if (letter ? length != 1 || typed[0] != o->letter :
			     strlen(o->name) != length ||
				     memcmp(o->name, typed, length))
			continue;
		if (!o->value || (o->value[0] == '[' && !typed[length]))
			return STORUS_NO;
		if (o->take == storus_table_take_format) {
			for (const struct storus_column *column =
				     storus_table_of(command)->column;
			     column->key; column++)
				puts(column->key);
		} else
			put_values(o->name, o->value, strlen(o->value));
		return STORUS_DONE;
	}
	return STORUS_USAGE;
}

static const struct storus_command *command_named(const char *name)
{
	for (size_t i = 0; storus_commands[i]; i++) {
		if (!strcmp(storus_commands[i]->name, name))
			return storus_commands[i];
	}
	return NULL;
}

int storus_complete(int argc, char **argv)
{
	static const char *const slurm[] = { "sbatch", "salloc", "srun" };
	const struct storus_command *command;

	if (argc < 1 || (argc > 1 && !strcmp(argv[0], "help"))) {
		for (size_t i = 0; storus_commands[i]; i++)
			puts(storus_commands[i]->name);
		return STORUS_DONE;
	}
	for (size_t i = 0; i < sizeof(slurm) / sizeof(*slurm); i++) {
		if (strcmp(argv[0], slurm[i]) == 0) {
			const char *option =
				argc > 1 ? argv[1] + strspn(argv[1], "-") : NULL;

			/* the options that sbatch, salloc and srun have from us,
			 * or the values of one */
			if (!option && i == 2)
				puts("--base");
			for (enum torus_word k = 0; k < TORUS_WORDS; k++) {
				const struct torus_request_word *word =
					&torus_request_word[k];

				if (!option)
					printf("--%s\n", word->name);
				else if (strcmp(option, word->name) == 0 &&
					 word->value) {
					put_word(option);
					return STORUS_DONE;
				}
			}
			return option ? STORUS_USAGE : STORUS_DONE;
		}
	}
	command = command_named(argv[0]);
	if (!command)
		return strcmp(argv[0], "help") ? STORUS_USAGE : STORUS_DONE;
	if (argc == 1) {
		const struct storus_option *o = command->options;

		for (; o && o->name; o++)
			printf("--%s\n", o->name);
		puts("--help");
		return STORUS_DONE;
	}
	if (argv[1][0] == '-' && argv[1][1])
		return option_values(command, argv[1] + 1);
	put_operands(command->usage);
	return STORUS_DONE;
}
