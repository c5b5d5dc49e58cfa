/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of the command line, from the table that also prints --help.
 *
 * Long options are not abbreviated: a script that writes --sched must not change its
 * meaning when another option with that beginning is added. A value is the rest after
 * '=' or the next argument; an optional value ("[=FILE]") needs '='. Options and
 * operands may be mixed; after -- all words are operands. Values are read strictly.
 */
#include "storus/storus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "storus/base/args.h"
#include "storus/base/output.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/request.h"
#include "torus/scheduler.h"
#include "trace/formats/slurm_words.h"

static const struct storus_option *
option_find(const struct storus_option *options, const char *name, size_t length)
{
	for (; options && options->name; options++)
		if (strlen(options->name) == length &&
		    !memcmp(options->name, name, length))
			return options;
	return NULL;
}

static const struct storus_option *
letter_find(const struct storus_option *options, char letter)
{
	for (; options && options->name; options++)
		if (options->letter && options->letter == letter)
			return options;
	return NULL;
}

/* Return true if other questions to a machine have the option. */
static bool is_of_tables(const char *typed)
{
	static const char *const names[] = { "--json", "--csv", "--noheader",
					     "--format" };
	size_t length = strcspn(typed, "=");

	if (strncmp(typed, "-o", 2) == 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length &&
		    !memcmp(names[i], typed, length))
			return true;
	return false;
}

/* Return the option that stands for one of sbatch, or of another command, which this
 * command does not have; or NULL. */
static const char *option_alias(const struct storus_option *options,
				const char *typed)
{
	static const struct {
		const char *typed, *name;
	} alias[] = {
		{ "--placement", "strategy" }, { "--nodes", "geometry" },
		{ "-N", "geometry" },          { "--shape", "geometry" },
		{ "--fit", "geometry" },       { "--limit", "time" },
		{ "--time-limit", "time" },
	};

	for (size_t i = 0; i < sizeof(alias) / sizeof(*alias); i++) {
		size_t length = strlen(alias[i].typed);
		const char *rest = typed + length;

		if (strncmp(typed, alias[i].typed, length) == 0 &&
		    (!*rest || *rest == '=' || typed[1] != '-') &&
		    option_find(options, alias[i].name, strlen(alias[i].name)))
			return alias[i].name;
	}
	return NULL;
}

/* Report an unknown option, with the nearest known one. */
static int option_unknown(const struct storus_args *args, const char *typed)
{
	const struct storus_option *option = args->command->options;
	const char *words[128], *near = option_alias(option, typed);
	char name[64];
	size_t n = 0, length = strcspn(typed, "=");

	if (args->command->no_table && is_of_tables(typed))
		return storus_say(args->command, STORUS_USAGE, "%.*s: %s",
				  (int)length, typed, args->command->no_table);
	words[n++] = "help";
	for (; option && option->name && n < 127; option++)
		words[n++] = option->name;
	words[n] = NULL;
	if (!near && typed[1] == '-') {
		snprintf(name, sizeof(name), "%.*s", (int)(length - 2),
			 typed + 2);
		near = storus_nearest(name, words);
	}
	return storus_say(args->command, STORUS_USAGE,
			  "%.*s: no such option; %s%s%sstorus %s --help lists "
			  "them",
			  (int)length, typed, near ? "did you mean --" : "",
			  near ? near : "", near ? "? " : "",
			  args->command->name);
}

/* "a|b|c" as words. */
static int choice_take(const struct storus_args *args, const char *value,
		       int *index)
{
	const char *words[16];
	char copy[128], *cursor = copy;
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", value);
	while (n < 15 && (words[n] = strsep(&cursor, "|")))
		n++;
	words[n] = NULL;
	*index = storus_args_choice(args, words);
	return *index < 0 ? STORUS_USAGE : STORUS_DONE;
}

static int list_take(const struct storus_args *args, struct storus_list *list,
		     bool pairs)
{
	if (!list->word)
		list->word = torus_alloc(2 * (size_t)args->argc,
					 sizeof(*list->word));
	if (!list->word)
		return storus_no_memory(args->command);
	if (pairs)
		list->word[list->count++] = args->option;
	list->word[list->count++] = args->value;
	return STORUS_DONE;
}

static int count_take(const struct storus_args *args,
		      const struct storus_option *option, void *member)
{
	bool narrow = option->kind == STORUS_COUNT32;
	uint64_t n, high = option->high ? option->high :
			   narrow       ? UINT32_MAX :
					  INT64_MAX;

	if (!storus_args_count(args, option->low, high, &n))
		return STORUS_USAGE;
	if (narrow)
		*(uint32_t *)member = (uint32_t)n;
	else
		*(uint64_t *)member = n;
	return STORUS_DONE;
}

/* Store a value in its member. */
static int args_store(const struct storus_args *args,
		      const struct storus_option *option, void *words)
{
	void *member = (char *)words + option->at;
	bool good = true;

	switch (option->kind) {
	case STORUS_NONE:
		break;
	case STORUS_TEXT:
		*(const char **)member = args->value ? args->value : "-";
		break;
	case STORUS_FLAG:
		*(bool *)member = true;
		break;
	case STORUS_COUNT:
	case STORUS_COUNT32:
		return count_take(args, option, member);
	case STORUS_SECONDS:
		good = storus_args_seconds(args, member);
		break;
	case STORUS_FACTOR:
		good = storus_args_factor(args, (double)option->low,
					  option->above, member);
		break;
	case STORUS_CHOICE:
		return choice_take(args, option->value, member);
	case STORUS_LIST:
	case STORUS_PAIRS:
		return list_take(args, member, option->kind == STORUS_PAIRS);
	case STORUS_TAKE:
		return option->take(args, member);
	}
	return good ? STORUS_DONE : STORUS_USAGE;
}

/* Find the value of an option, if any: behind '=', or the next word. */
static int args_value(struct storus_args *args,
		      const struct storus_option *option, const char *attached)
{
	args->option = option->name;
	args->value = attached;
	if (!option->value && attached)
		return storus_say(args->command, STORUS_USAGE,
				  "--%s takes no value, got \"%s\"",
				  option->name, attached);
	if (option->value && option->value[0] != '[' && !attached) {
		if (args->at >= args->argc)
			return storus_say(args->command, STORUS_USAGE,
					  "--%s needs a value: --%s %s",
					  option->name, option->name,
					  option->value);
		args->value = args->argv[args->at++];
	}
	if (option->value && option->value[0] == '[' && !attached) {
		/* "--json out.json", "--csv out.csv": report that the file must follow '='. */
		const char *next = args->at < args->argc ?
					   args->argv[args->at] :
					   "";
		const char *ending = strrchr(next, '.');

		if ((strcmp(option->name, "json") &&
		     strcmp(option->name, "csv")) ||
		    next[0] == '-' || access(next, F_OK) == 0 || !ending ||
		    strcmp(ending + 1, option->name))
			return STORUS_DONE;
		return storus_say(args->command, STORUS_USAGE,
				  "--%s %s: the file follows an equals sign: --%s=%s; without it the output goes to the standard output",
				  option->name, next, option->name, next);
	}
	return STORUS_DONE;
}

/* Return true for a word of a request that has a text: sbatch refuses an empty one. */
static bool option_is_word(const struct storus_option *option)
{
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		if (option->kind == STORUS_TEXT &&
		    strcmp(option->name, torus_request_word[w].name) == 0)
			return true;
	}
	return false;
}

static bool option_writes(const struct storus_option *option)
{
	return option->writes ||
	       (option->value && !strcmp(option->value, "[=FILE]"));
}

static int args_option(struct storus_args *args, const char *typed, void *words)
{
	const struct storus_option *option = NULL;
	const char *attached = NULL;
	int status;

	if (typed[1] == '-') {
		size_t length = strcspn(typed + 2, "=");

		option = option_find(args->command->options, typed + 2, length);
		attached = typed[2 + length] ? typed + 3 + length : NULL;
	} else {
		option = letter_find(args->command->options, typed[1]);
		attached = typed[2] ? typed + 2 : NULL;
	}
	if (!option)
		return option_unknown(args, typed);
	status = args_value(args, option, attached);
	if (status != STORUS_DONE)
		return status;
	if (option_is_word(option) && args->value && !*args->value)
		return storus_say(args->command, STORUS_USAGE,
				  "--%s needs a value, got \"\": --%s %s",
				  option->name, option->name, option->value);
	if (args->operand && option->kind == STORUS_TEXT &&
	    args->command->operand.kind == STORUS_TEXT &&
	    option->at == args->command->operand.at)
		return storus_say(args->command, STORUS_USAGE,
				  "%s and --%s=%s: one %s is asked for; omit one of them",
				  args->operand, option->name, args->value,
				  args->command->operand.value);
	if (option_writes(option) && args->value &&
	    args->outputs < STORUS_ARGS_OUTPUTS) {
		args->output[args->outputs].option = option->name;
		args->output[args->outputs++].file = args->value;
	}
	return args_store(args, option, words);
}

/* One word, with its value. */
static int args_take(struct storus_args *args, void *words)
{
	const char *typed = args->argv[args->at++];

	args->option = NULL;
	args->value = typed;
	if (args->only_operands || typed[0] != '-' || !typed[1]) {
		const struct storus_option *o = &args->command->operand;
		const char **member = (const char **)(void *)((char *)words +
							      o->at);

		if (o->kind == STORUS_NONE)
			return storus_say(args->command, STORUS_USAGE,
					  "\"%s\": unexpected; %s", args->value,
					  o->help ?
						  o->help :
						  "this command takes options only");
		if (o->kind == STORUS_TEXT && *member)
			return storus_say(args->command, STORUS_USAGE,
					  "unexpected operand \"%s\" after \"%s\": expected one %s",
					  args->value, *member, o->value);
		args->operand = args->value;
		return args_store(args, o, words);
	}
	if (!strcmp(typed, "--")) {
		args->only_operands = true;
		return STORUS_DONE;
	}
	if (strcmp(typed, "--help") && strcmp(typed, "-h"))
		return args_option(args, typed, words);
	storus_command_help(args->command);
	return STORUS_GO; /* nothing but help */
}

static bool option_reads(const struct storus_option *option)
{
	return option->value && !option_writes(option) &&
	       (strstr(option->value, "FILE") || strstr(option->value, "TRACE"));
}

/* Return true if the option's value, or an operand, is this file. */
static bool option_is_file(const struct storus_option *option,
			   const void *words, const char *file)
{
	const void *member = (const char *)words + option->at;
	const struct storus_list *list = member;
	const char *text;

	if (option->kind == STORUS_TEXT) {
		text = *(const char *const *)member;
		return text && storus_output_replaces(file, text);
	}
	for (uint32_t i = 0; option->kind == STORUS_LIST && i < list->count; i++)
		if (storus_output_replaces(file, list->word[i]))
			return true;
	return false;
}

/* No output may replace a file that the command reads, nor another output. STORUS_DONE, or
 * STORUS_USAGE after a line on stderr. */
static int args_outputs_check(const struct storus_args *args, const void *words)
{
	const struct storus_command *command = args->command;

	for (uint32_t i = 0; i < args->outputs; i++) {
		const char *name = args->output[i].option;
		const char *file = args->output[i].file;
		const struct storus_option *in = command->options;

		if (option_is_file(&command->operand, words, file))
			return storus_say(command, STORUS_USAGE,
					  "--%s: got \"%s\", which is the %s; it would be overwritten",
					  name, file, command->operand.value);
		while (in->name &&
		       !(option_reads(in) && option_is_file(in, words, file)))
			in++;
		if (in->name)
			return storus_say(command, STORUS_USAGE,
					  "--%s: got \"%s\", which is the file of --%s; it would be overwritten",
					  name, file, in->name);
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(args->output[k].option, name) &&
			    storus_output_same(args->output[k].file, file))
				return storus_say(command, STORUS_USAGE,
						  "--%s and --%s cannot both go to \"%s\"",
						  args->output[k].option, name,
						  file);
	}
	return STORUS_DONE;
}

int storus_args_read(const struct storus_command *command, int argc,
		     char **argv, void *words)
{
	struct storus_args args = {
		.command = command, .argc = argc, .argv = argv, .at = 1
	};
	int status = STORUS_DONE;

	while (status == STORUS_DONE && args.at < argc)
		status = args_take(&args, words);
	if (status == STORUS_DONE)
		status = args_outputs_check(&args, words);
	return status == STORUS_DONE ? STORUS_GO :
	       status == STORUS_GO   ? STORUS_DONE :
				       status;
}

static void list_free(const struct storus_option *option, void *words)
{
	struct storus_list *list = (void *)((char *)words + option->at);

	if (option->kind != STORUS_LIST && option->kind != STORUS_PAIRS)
		return;
	torus_free(list->word);
	*list = (struct storus_list){ 0 };
}

void storus_args_free(const struct storus_command *command, void *words)
{
	const struct storus_option *option = command->options;

	for (; option && option->name; option++) {
		list_free(option, words);
		if (option->take == storus_table_take_format)
			storus_table_free((void *)((char *)words + option->at));
	}
	list_free(&command->operand, words);
}

bool storus_args_count(const struct storus_args *args, uint64_t minimum,
		       uint64_t maximum, uint64_t *value)
{
	if (torus_number_whole(args->value, minimum, maximum, value))
		return true;
	storus_say(args->command, STORUS_USAGE,
		   "--%s: got \"%s\", expected a whole number from %llu to %llu",
		   args->option, args->value, (unsigned long long)minimum,
		   (unsigned long long)maximum);
	return false;
}

bool storus_args_seconds(const struct storus_args *args, int64_t *us)
{
	if (torus_duration_read(args->value, us, NULL) == 0)
		return true;
	storus_say(args->command, STORUS_USAGE,
		   "--%s: got \"%s\", expected seconds or a duration, for example 3600, 0.5 or 2h",
		   args->option, args->value);
	return false;
}

int storus_args_take_time(const struct storus_args *args, void *us)
{
	if (torus_duration_read(args->value, us, NULL) == 0 ||
	    (strchr(args->value, '-') && torus_slurm_day(args->value, us)))
		return STORUS_DONE;
	return storus_say(args->command, STORUS_USAGE,
			  "--%s: got \"%s\", expected seconds or a time, for example 2024-01-02T07:30:00",
			  args->option, args->value);
}

bool storus_args_factor(const struct storus_args *args, double minimum,
			bool above, double *value)
{
	const char *s = args->value;
	double f;

	if (torus_number_decimal(s, &f) && f >= minimum &&
	    !(above && f <= minimum)) {
		*value = f;
		return true;
	}
	storus_say(args->command, STORUS_USAGE,
		   "--%s: got \"%s\", expected a number %s %g, for example 1.5",
		   args->option, s, above ? "above" : "from", minimum);
	return false;
}

bool storus_args_is_job(const char *word)
{
	size_t n = strspn(word, "0123456789");

	if (n > 0 && word[n] == '_')
		n += 1 + strspn(word + n + 1, "0123456789");
	return n > 0 && !word[n] && n < 24 && word[n - 1] != '_';
}

int storus_args_choice(const struct storus_args *args, const char *const *words)
{
	const char *near;
	char list[512] = "";
	int i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], args->value))
			return i;
		snprintf(list + strlen(list), sizeof(list) - strlen(list),
			 "%s%s", i ? ", " : "", words[i]);
	}
	near = storus_nearest(args->value, words);
	storus_say(args->command, STORUS_USAGE,
		   "--%s: got \"%s\", expected one of %s%s%s%s", args->option,
		   args->value, list, near ? "; did you mean " : "",
		   near ? near : "", near ? "?" : "");
	return -1;
}
