/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the subcommands of storus share: their table, options, messages.
 *
 * A subcommand is one file with one descriptor and one line in the list below.
 * Its run() gets a struct with what was typed, prints to stdout, complains
 * through storus_say() and returns an exit status; nobody calls exit(). The
 * table of options says once what an option is called, what it takes, what its
 * help is and where its value goes; --help and completion read it, too.
 *
 *	static const struct storus_option options[] = {
 *		{ "torus", "FILE", "the machine", STORUS_TO(struct words, torus) },
 *		{ "per-node", "N", "ranks on each node", .low = 1, .high = 4096,
 *		  STORUS_TO(struct words, per_node) },
 *		{ 0 },
 *	};
 *
 *	.options = options,
 *	STORUS_WORDS(struct words, .per_node = 1),
 */
#ifndef STORUS_STORUS_H
#define STORUS_STORUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torus/text.h"

/* Exit statuses. */
enum {
	STORUS_DONE = 0,
	STORUS_NO = 1,      /* a domain "no": does not fit, differs */
	STORUS_USAGE = 2,   /* wrong usage or input; the reason is on stderr */
	STORUS_TROUBLE = 3, /* memory, I/O, a self check that failed */
	STORUS_GO = -1,     /* no exit status: go on */
};

/* Words in the order of the command line; storus_args_free() frees them. */
struct storus_list {
	const char **word;
	uint32_t count;
};

/* How a value is read: by the type of the member that it goes to. */
enum storus_kind {
	STORUS_NONE,
	STORUS_TEXT,    /* const char *; "-" where "[=FILE]" is left out */
	STORUS_FLAG,    /* bool */
	STORUS_COUNT,   /* uint64_t, from low to high */
	STORUS_COUNT32, /* uint32_t, the same */
	STORUS_SECONDS, /* int64_t: microseconds */
	STORUS_FACTOR,  /* double from 0, or above it */
	STORUS_CHOICE, /* int or enum: index among the words "a|b|c" of value */
	STORUS_LIST,   /* struct storus_list: may be repeated */
	STORUS_PAIRS,  /* the same, each value after its option's name */
	STORUS_TAKE,   /* by take() */
};

struct storus_args;

/* An option; a table of them ends with name NULL. */
struct storus_option {
	const char *name;  /* without the dashes */
	const char *value; /* "FILE"; "[=FILE]": may be left out; NULL: none */
	const char *help;  /* one or more lines, parted by '\n' */
	enum storus_kind kind;
	size_t at;   /* of the member in the command's struct */
	char letter; /* -o for --format; 0: none */
	bool above;  /* a factor: 0 itself is refused */
	bool writes; /* the value is a file that is written; so is any "[=FILE]" */
	uint64_t low, high; /* of a count; high 0: the type's; low of a factor */
	/* Read args->value into the member. STORUS_DONE, or an exit status after
	 * a line on stderr. */
	int (*take)(const struct storus_args *args, void *member);
};

/* Where an option's value goes. */
#define STORUS_TO(type, member)                                                \
	.at = offsetof(type, member),                                          \
	.kind = _Generic(((type *)NULL)->member, const char *: STORUS_TEXT,    \
			 bool: STORUS_FLAG, uint64_t: STORUS_COUNT,            \
			 uint32_t: STORUS_COUNT32, int64_t: STORUS_SECONDS,    \
			 double: STORUS_FACTOR,                                \
			 struct storus_list: STORUS_LIST)
#define STORUS_CHOICE_TO(type, member)                                         \
	.at = offsetof(type, member), .kind = STORUS_CHOICE
#define STORUS_PAIRS_TO(type, member)                                          \
	.at = offsetof(type, member), .kind = STORUS_PAIRS
#define STORUS_TAKE_TO(type, member, how)                                      \
	.at = offsetof(type, member), .kind = STORUS_TAKE, .take = how

/* How: of the command's struct as a whole. */
#define STORUS_TAKE_ALL(how) .kind = STORUS_TAKE, .take = how

struct storus_command {
	const char *name;
	const char *summary; /* one line */
	const char *usage;   /* what follows the name: "TRACE [OPTION]..." */
	const char *about;   /* a paragraph, or NULL */
	const struct storus_option *options;
	/* Words that are no option, by their kind: STORUS_TEXT (one), STORUS_LIST,
	 * or STORUS_NONE; `value` is what they are called: "trace". */
	struct storus_option operand;
	/* Why there is no --json, --noheader or -o, of those that the options do
	 * not have; NULL: this command is no question to a machine. */
	const char *no_table;
	const char *examples; /* lines, or NULL */
	/* The struct that options and operand fill in: its size and its values
	 * before (STORUS_WORDS). */
	size_t size;
	const void *initial;
	/* Where the whole command line goes, as a shell would read it back. */
	struct storus_option line;
	/* NULL, or called after a first reading with the struct; the options are
	 * then read again. STORUS_GO, or an exit status. */
	int (*first)(void *words);
	/* Answer, with the struct. Return an exit status. */
	int (*run)(void *words);
};

#define STORUS_WORDS(type, ...)                                                \
	.size = sizeof(type), .initial = &(const type)                         \
	{                                                                      \
		__VA_ARGS__                                                    \
	}

/* The subcommands, in the order of `storus --help`. A new one is its file, with
 * storus_NAME, and a line here. */
#define STORUS_COMMANDS(X)                                                     \
	X(replay)                                                              \
	X(tune)                                                                \
	X(sweep)                                                               \
	X(report)                                                              \
	X(weekly)                                                              \
	X(generate)                                                            \
	X(check_config)                                                        \
	X(list)                                                                \
	X(examples)                                                            \
	X(place)                                                               \
	X(ranks)                                                               \
	X(map)                                                                 \
	X(plan)                                                                \
	X(experiment)                                                          \
	X(reservations)                                                        \
	X(parity)                                                              \
	X(validate)                                                            \
	X(update)                                                              \
	X(node)                                                                \
	X(link)                                                                \
	X(snapshot)                                                            \
	X(suggest)                                                             \
	X(slots)                                                               \
	X(windows)                                                             \
	X(defrag)                                                              \
	X(what_if)                                                             \
	X(explain)                                                             \
	X(metrics)                                                             \
	X(reserve)                                                             \
	X(jobs)                                                                \
	X(import)

#define STORUS_COMMAND_DECLARE(name)                                           \
	extern const struct storus_command storus_##name;
STORUS_COMMANDS(STORUS_COMMAND_DECLARE)

/* Their table (commands.c), ended by NULL. */
extern const struct storus_command *const storus_commands[];

/* All of main() but its name, so that tests can call it. */
int storus_main(int argc, char **argv);

/* Omit this directory of temporary files, and the slash after it, from the commands that
 * answers and pages show from now on. */
void storus_main_omit(const char *directory);

/* sacct with the columns that are read, in lines of at most 80 columns, below a command's
 * examples; redirected to FILE. sacct joins the lists of several -o. */
#define STORUS_SACCT "SLURM_TIME_FORMAT=%s sacct -a -X -D -P -S "
#define STORUS_SACCT_LINES(since, file)                                                 \
	"  " STORUS_SACCT since " \\\n"                                                 \
	"    -o JobID,Cluster,Partition,User,Submit,Eligible,Start,End,ElapsedRaw \\\n" \
	"    -o NNodes,ReqNodes,AllocCPUS,ReqCPUS,AllocTRES,ReqTRES,ReqMem \\\n"        \
	"    -o TimelimitRaw,Reservation,Constraints,State,Account,Priority,QOS \\\n"   \
	"    -o AdminComment >" file

/* storus --words ARGUMENT...: for completion (complete.c). */
int storus_complete(int argc, char **argv);

/* storus NAME --help. */
void storus_command_help(const struct storus_command *command);

/* "storus NAME: " and the line, to stderr; always returns `status`. */
int storus_say(const struct storus_command *command, int status,
	       const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Say "out of memory". Returns STORUS_TROUBLE. */
int storus_no_memory(const struct storus_command *command);
/* Every line of err the same way. */
int storus_say_errors(const struct storus_command *command, int status,
		      const struct torus_error *err);

/* The same by errno: STORUS_TROUBLE without memory, else STORUS_USAGE. */
int storus_say_input(const struct storus_command *command,
		     const struct torus_error *err);

/* The file's name in messages: "-" is "standard input". */
const char *storus_input_name(const char *path);

/* The word of the list (ended by NULL) that is nearest to what was typed, or
 * NULL if none is near. */
const char *storus_nearest(const char *typed, const char *const *words);

/* May escape sequences go to this descriptor: a terminal that is not dumb;
 * may they be colours: NO_COLOR is not set either. */
bool storus_is_terminal(int fd);
bool storus_may_colour(int fd);

/* A program and its arguments as one line that a shell would read back. malloc()ed, or
 * NULL. */
char *storus_shell_line(const char *program, int argc, char **argv);

#endif
