/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of the command line, from the table that also prints --help.
 *
 * Only long options, and only in full: a script that writes --sched must not
 * change its meaning when an option of that beginning is added. A value is
 * the rest after '=' or the next argument; where it may be left out ("[=FILE]")
 * only '=' gives one. Options and operands may be mixed; after -- all are
 * operands. Values are read strictly.
 */
#include "storus/storus.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/scheduler.h"

#define US_PER_SECOND 1000000
/* Longer than any schedule: 31,700 years. */
#define MAX_SECONDS INT64_C(1000000000000)

void storus_args_begin(struct storus_args *args,
		       const struct storus_command *command, int argc,
		       char **argv)
{
	*args = (struct storus_args){
		.command = command, .argc = argc, .argv = argv, .at = 1
	};
}

static const struct storus_option *
option_find(const struct storus_option *options, const char *name, size_t length)
{
	for (; options && options->name; options++)
		if (strlen(options->name) == length &&
		    !memcmp(options->name, name, length))
			return options;
	return NULL;
}

/* Complain about an option that does not exist, with the nearest one. */
static int option_unknown(const struct storus_args *args, const char *typed)
{
	const struct storus_option *option = args->command->options;
	const char *words[128], *near;
	char name[64];
	size_t n = 0, length = strcspn(typed, "=");

	words[n++] = "help";
	for (; option && option->name && n < 127; option++)
		words[n++] = option->name;
	words[n] = NULL;
	if (typed[0] == '-' && typed[1] != '-')
		return storus_say(args->command, STORUS_ARGS_BAD,
				  "%s: no such option; storus %s --help lists "
				  "them",
				  typed, args->command->name);
	snprintf(name, sizeof(name), "%.*s", (int)(length - 2), typed + 2);
	near = storus_nearest(name, words);
	return storus_say(args->command, STORUS_ARGS_BAD,
			  "%.*s: no such option; %s%s%sstorus %s --help lists "
			  "them",
			  (int)length, typed, near ? "did you mean --" : "",
			  near ? near : "", near ? "? " : "",
			  args->command->name);
}

/* "--json out.json": the file that was meant follows as a word of its own. */
static int value_apart(const struct storus_args *args,
		       const struct storus_option *option)
{
	const char *next = args->at < args->argc ? args->argv[args->at] : "";
	size_t length = strlen(next);

	if (strcmp(option->name, "json") != 0 || next[0] == '-' || length < 6 ||
	    strcmp(next + length - 5, ".json") != 0)
		return option->id;
	return storus_say(args->command, STORUS_ARGS_BAD,
			  "--json %s: the file follows an equals sign: --json=%s; without it the JSON goes to the standard output",
			  next, next);
}

static int args_option_take(struct storus_args *args, const char *typed)
{
	size_t length = strcspn(typed + 2, "=");
	const char *equals = typed[2 + length] ? typed + 3 + length : NULL;
	const struct storus_option *option = option_find(args->command->options,
							 typed + 2, length);

	if (!option)
		return option_unknown(args, typed);
	args->option = option->name;
	args->value = equals;
	if (!option->value && equals)
		return storus_say(args->command, STORUS_ARGS_BAD,
				  "--%s takes no value, got \"%s\"",
				  option->name, equals);
	if (option->value && option->value[0] != '[' && !equals) {
		if (args->at >= args->argc)
			return storus_say(args->command, STORUS_ARGS_BAD,
					  "--%s needs a value: --%s %s",
					  option->name, option->name,
					  option->value);
		args->value = args->argv[args->at++];
	}
	if (option->value && option->value[0] == '[' && !equals)
		return value_apart(args, option);
	return option->id;
}

int storus_args_next(struct storus_args *args)
{
	const char *typed;

	args->option = NULL;
	args->value = NULL;
	if (args->at >= args->argc)
		return STORUS_ARGS_END;
	typed = args->argv[args->at++];
	if (args->only_operands || typed[0] != '-' || !typed[1]) {
		args->value = typed;
		return STORUS_ARGS_OPERAND;
	}
	if (!strcmp(typed, "--")) {
		args->only_operands = true;
		return storus_args_next(args);
	}
	if (!strcmp(typed, "--help") || !strcmp(typed, "-h")) {
		storus_command_help(args->command);
		return STORUS_ARGS_HELP;
	}
	if (typed[1] != '-')
		return option_unknown(args, typed);
	return args_option_take(args, typed);
}

bool storus_args_count(const struct storus_args *args, uint64_t minimum,
		       uint64_t maximum, uint64_t *value)
{
	const char *s = args->value;
	uint64_t n = 0;
	bool fits = *s != '\0';

	for (; fits && *s >= '0' && *s <= '9'; s++)
		fits = !__builtin_mul_overflow(n, UINT64_C(10), &n) &&
		       !__builtin_add_overflow(n, (uint64_t)(*s - '0'), &n);
	if (!fits || *s || n < minimum || n > maximum) {
		storus_say(args->command, STORUS_USAGE,
			   "--%s: got \"%s\", expected a whole number from "
			   "%llu to %llu",
			   args->option, args->value,
			   (unsigned long long)minimum,
			   (unsigned long long)maximum);
		return false;
	}
	*value = n;
	return true;
}

/* DIGITS[.1 to 6 DIGITS], at most MAX_SECONDS. */
static bool seconds_read(const char *s, int64_t *us)
{
	int64_t n = 0, fraction = 0, unit = US_PER_SECOND;
	const char *digits = s;

	for (; *s >= '0' && *s <= '9' && n <= MAX_SECONDS; s++)
		n = n * 10 + (*s - '0');
	if (s == digits || n > MAX_SECONDS)
		return false;
	if (*s == '.') {
		digits = ++s;
		for (; *s >= '0' && *s <= '9' && unit > 1; s++) {
			unit /= 10;
			fraction += (*s - '0') * unit;
		}
		if (s == digits)
			return false;
	}
	*us = n * US_PER_SECOND + fraction;
	return *s == '\0';
}

bool storus_args_seconds(const struct storus_args *args, int64_t *us)
{
	if (seconds_read(args->value, us))
		return true;
	storus_say(args->command, STORUS_USAGE,
		   "--%s: got \"%s\", expected seconds (at most 6 decimals), "
		   "for example 3600 or 0.5",
		   args->option, args->value);
	return false;
}

bool storus_args_factor(const struct storus_args *args, double minimum,
			bool above, double *value)
{
	char *end;
	const char *s = args->value;
	/* strtod() also takes spaces, hexadecimal, nan and inf. */
	bool plain = *s && strspn(s, "0123456789.eE+-") == strlen(s);
	double f = plain ? strtod(s, &end) : 0;

	if (plain && end != s && !*end && isfinite(f) && f >= minimum &&
	    !(above && f <= minimum)) {
		*value = f;
		return true;
	}
	storus_say(args->command, STORUS_USAGE,
		   "--%s: got \"%s\", expected a number %s %g, for example 1.5",
		   args->option, s, above ? "above" : "from", minimum);
	return false;
}

int storus_args_choice(const struct storus_args *args, const char *const *words)
{
	const char *near;
	char list[256] = "";
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
