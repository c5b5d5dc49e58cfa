/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the subcommands of storus share: their table, options, messages.
 *
 * A subcommand is one file with one `static const`-like descriptor and one
 * line in commands.c. Its run() gets argv with argv[0] being its own name,
 * reads its options with storus_args_next(), prints to stdout, complains
 * through storus_say() and returns an exit status; nobody calls exit().
 *
 *	struct storus_args args;
 *
 *	storus_args_begin(&args, &storus_place, argc, argv);
 *	while ((id = storus_args_next(&args)) != STORUS_ARGS_END)
 *		switch (id) {
 *		case STORUS_ARGS_HELP: return STORUS_DONE;
 *		case STORUS_ARGS_BAD: return STORUS_USAGE;
 *		case OPT_TORUS: torus = args.value; break;
 *		case STORUS_ARGS_OPERAND: ... args.value ...
 */
#ifndef STORUS_STORUS_H
#define STORUS_STORUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torus/error.h"

/* Exit statuses. */
enum {
	STORUS_DONE = 0,
	STORUS_NO = 1,      /* a domain "no": does not fit, differs */
	STORUS_USAGE = 2,   /* wrong usage or input; the reason is on stderr */
	STORUS_TROUBLE = 3, /* memory, I/O, a self check that failed */
};

/* An option; a table of them ends with name NULL. */
struct storus_option {
	const char *name;  /* without the dashes */
	int id;            /* > 0; what storus_args_next() returns */
	const char *value; /* "FILE"; "[=FILE]": may be left out; NULL: none */
	const char *help;  /* one or more lines, parted by '\n' */
};

struct storus_command {
	const char *name;
	const char *summary; /* one line */
	const char *usage;   /* what follows the name: "TRACE [OPTION]..." */
	const char *about;   /* a paragraph, or NULL */
	const struct storus_option *options;
	const char *examples; /* lines, or NULL */
	int (*run)(int argc, char **argv);
};

/* The table of subcommands (commands.c), ended by NULL. */
extern const struct storus_command *const storus_commands[];

extern const struct storus_command storus_replay;
extern const struct storus_command storus_check_config;
extern const struct storus_command storus_list;
extern const struct storus_command storus_place;
extern const struct storus_command storus_map;
extern const struct storus_command storus_ranks;
extern const struct storus_command storus_report;
extern const struct storus_command storus_sweep;
extern const struct storus_command storus_generate;
extern const struct storus_command storus_plan;
extern const struct storus_command storus_experiment;
extern const struct storus_command storus_reservations;
extern const struct storus_command storus_parity;
extern const struct storus_command storus_update;
extern const struct storus_command storus_node;
extern const struct storus_command storus_snapshot;
extern const struct storus_command storus_slots;
extern const struct storus_command storus_defrag;
extern const struct storus_command storus_what_if;
extern const struct storus_command storus_explain;
extern const struct storus_command storus_metrics;
extern const struct storus_command storus_reserve;
extern const struct storus_command storus_weekly;
extern const struct storus_command storus_import;
extern const struct storus_command storus_link;

/* All of main() but its name, so that tests can call it. */
int storus_main(int argc, char **argv);

/* storus --words ARGUMENT...: for completion (words.c). */
int storus_words(int argc, char **argv);

/* storus NAME --help. */
void storus_command_help(const struct storus_command *command);

enum {
	STORUS_ARGS_END = 0,
	STORUS_ARGS_OPERAND = -1, /* value: not an option */
	STORUS_ARGS_BAD = -2,     /* complained already: return STORUS_USAGE */
	STORUS_ARGS_HELP = -3,    /* --help was printed: return STORUS_DONE */
};

struct storus_args {
	const struct storus_command *command;
	int argc, at;
	char **argv;
	bool only_operands; /* after -- */
	const char *option; /* the latest option's full name */
	const char *value;  /* its value, or NULL */
};

void storus_args_begin(struct storus_args *args,
		       const struct storus_command *command, int argc,
		       char **argv);
int storus_args_next(struct storus_args *args);

/*
 * Values, strictly: no junk, no sign where none belongs, no overflow. false
 * after one line on stderr that names args->option, what was read and what
 * was expected. Seconds take at most 6 decimals; minimum <= value.
 */
bool storus_args_count(const struct storus_args *args, uint64_t minimum,
		       uint64_t maximum, uint64_t *value);
bool storus_args_seconds(const struct storus_args *args, int64_t *us);
bool storus_args_factor(const struct storus_args *args, double minimum,
			bool above, double *value);
/* Index in words (ended by NULL), or -1. */
int storus_args_choice(const struct storus_args *args, const char *const *words);

/* "storus NAME: " and the line, to stderr; always returns `status`. */
int storus_say(const struct storus_command *command, int status,
	       const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Every line of err the same way. */
int storus_say_errors(const struct storus_command *command, int status,
		      const struct torus_error *err);

/* The word of the list (ended by NULL) that is nearest to what was typed, or
 * NULL if none is near. */
const char *storus_nearest(const char *typed, const char *const *words);

/* May escape sequences go to this descriptor: a terminal that is not dumb;
 * may they be colours: NO_COLOR is not set either. */
bool storus_is_terminal(int fd);
bool storus_may_colour(int fd);

/* A program and its arguments as one line that a shell would read back; the
 * same for storus and a subcommand's argv. malloc()ed, or NULL. */
char *storus_shell_line(const char *program, int argc, char **argv);
char *storus_command_line(int argc, char **argv);

#endif
