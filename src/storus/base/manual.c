/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus --manual: the page of a subcommand, from its table and a source with the
 * prose (manual.h). The build runs it for each file of doc/commands.
 */
#include "storus/base/manual.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storus/base/table.h"
#include "storus/storus.h"
#include "torus_build.h"

const char *const storus_statuses[STORUS_STATUSES] = {
	"done",
	"the answer is no: it does not fit, not by the deadline, it differs",
	"wrong usage or input; the reason is on the standard error, and nothing was written",
	"trouble: memory, input or output, a failed self check",
};

/* The page that is being printed. */
struct manual {
	const struct storus_command *command; /* NULL: the overview */
	const char *source;
	unsigned line;
	bool named[128]; /* options that the source names, in the table's order */
	bool all;        /* the source has a place for the others */
};

static void manual_char(char c)
{
	static const struct {
		char c;
		const char *roff;
	} special[] = {
		{ '\\', "\\e" },  { '-', "\\-" },   { '\'', "\\(aq" },
		{ '`', "\\(ga" }, { '^', "\\(ha" }, { '~', "\\(ti" },
		{ '"', "\\(dq" },
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
		if (special[i].c == c) {
			fputs(special[i].roff, stdout);
			return;
		}
	}
	putchar(c);
}

/* Print `length` characters; `start`: they begin a line of roff. */
static void manual_put(const char *text, size_t length, bool start)
{
	if (start && length && *text == '.')
		fputs("\\&", stdout);
	for (size_t i = 0; i < length; i++)
		manual_char(text[i]);
}

void storus_manual_text(const char *text)
{
	manual_put(text, strlen(text), true);
}

/* Return the length of the word at `text`, or 0 between words. */
static size_t word_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) ||
	       (text[n] && strchr("-_:*", text[n])) ||
	       (text[n] == '.' && isalnum((unsigned char)text[n + 1])))
		n++;
	return n;
}

/* Print a usage line or a value: placeholders, which have capitals, in italics,
 * literal words in bold. */
static void manual_usage(const char *text)
{
	while (*text) {
		size_t n = word_length(text);
		bool capital = false;

		for (size_t i = 0; i < n; i++)
			capital |= isupper((unsigned char)text[i]);
		if (n) {
			fputs(capital ? "\\fI" : "\\fB", stdout);
			manual_put(text, n, false);
			fputs("\\fR", stdout);
		} else {
			manual_char(text[n++]);
		}
		text += n;
	}
}

/* Print a line of prose: long options in bold. */
static void manual_prose(const char *text, size_t length)
{
	const char *end = text + length;

	if (*text == '.')
		fputs("\\&", stdout);
	while (text < end) {
		size_t n = word_length(text);
		bool option = n > 2 && !memcmp(text, "--", 2);

		if (option)
			fputs("\\fB", stdout);
		manual_put(text, n ? n : 1, false);
		if (option)
			fputs("\\fR", stdout);
		text += n ? n : 1;
	}
}

/* Print paragraphs of --help; indented lines, and what follows a backslash, are
 * shown as they are. */
static void manual_about(const char *text)
{
	const char *first = text;
	bool shown = false, gap = false, continued = false;

	while (*text) {
		size_t length = strcspn(text, "\n");
		bool indented = continued || !strncmp(text, "  ", 2);

		continued = length && text[length - 1] == '\\';
		if (!indented && shown)
			puts(".EE");
		if (length && indented != shown ? text != first : gap)
			puts(".PP");
		if (indented && !shown)
			puts(".EX");
		shown = indented;
		gap = length == 0;
		if (indented)
			manual_put(text, length, true);
		else if (length)
			manual_prose(text, length);
		if (length)
			putchar('\n');
		text += length + (text[length] == '\n');
	}
	if (shown)
		puts(".EE");
}

/* Return true if the help begins with a word of prose, not with a name. */
static bool help_begins_sentence(const char *help)
{
	size_t n = strspn(help, "abcdefghijklmnopqrstuvwxyz");

	return n && (help[n] == ' ' || help[n] == '\n' || !help[n]);
}

static void manual_option(const struct storus_option *o)
{
	const char *help = o->help;
	size_t end = strlen(help);

	puts(".TP");
	if (o->letter)
		printf("\\fB\\-%c\\fR, ", o->letter);
	fputs("\\fB\\-\\-", stdout);
	manual_put(o->name, strlen(o->name), false);
	fputs("\\fR", stdout);
	if (o->value) {
		if (o->value[0] != '[')
			putchar(' ');
		manual_usage(o->value);
	}
	putchar('\n');
	if (help_begins_sentence(help))
		putchar(toupper((unsigned char)*help++));
	manual_prose(help, strlen(help));
	puts(end && help[strlen(help) - 1] == '.' ? "" : ".");
}

static void manual_options(const struct manual *m)
{
	const struct storus_option *o = m->command ? m->command->options : NULL;

	for (size_t i = 0; o && o[i].name; i++) {
		if (!m->named[i])
			manual_option(&o[i]);
	}
}

static void manual_statuses(void)
{
	for (int i = 0; i < STORUS_STATUSES; i++)
		printf(".TP\n.B %d\n%c%s.\n", i,
		       toupper((unsigned char)*storus_statuses[i]),
		       storus_statuses[i] + 1);
}

/* Return the index of the option of this name, or -1. */
static int option_index(const struct storus_command *c, const char *name)
{
	for (int i = 0; c && c->options && c->options[i].name; i++) {
		if (!strcmp(c->options[i].name, name))
			return i;
	}
	return -1;
}

/* Follow a line ".@ ...": print what it asks for, or on a first reading only note
 * which options it names. */
static int manual_follow(struct manual *m, char *words, bool print)
{
	const char *what = strsep(&words, " "), *name;

	if (!strcmp(what, "options")) {
		m->all = true;
		if (print)
			manual_options(m);
		return STORUS_DONE;
	}
	if (!strcmp(what, "commands") || !strcmp(what, "status")) {
		if (print && *what == 'c') {
			for (size_t k = 0; storus_commands[k]; k++) {
				printf(".TP\n\\fBstorus\\-");
				storus_manual_text(storus_commands[k]->name);
				fputs("\\fR(1)\n", stdout);
				putchar(toupper((unsigned char)*storus_commands[k]
							->summary));
				storus_manual_text(storus_commands[k]->summary +
						   1);
				puts(".");
			}
		} else if (print)
			manual_statuses();
		return STORUS_DONE;
	}
	while (!strcmp(what, "option") && (name = strsep(&words, " "))) {
		int i = option_index(m->command, name);

		if (i < 0 || i >= (int)sizeof(m->named))
			return storus_say(NULL, STORUS_USAGE,
					  "%s:%u: option \"%s\" is not in the table of the command",
					  m->source, m->line, name);
		m->named[i] = true;
		if (print)
			manual_option(&m->command->options[i]);
	}
	return strcmp(what, "option") ?
		       storus_say(NULL, STORUS_USAGE,
				  "%s:%u: got \"%s\" after .@, expected option, options, commands or status",
				  m->source, m->line, what) :
		       STORUS_DONE;
}

static int manual_source(struct manual *m, FILE *file, bool print)
{
	char *line = NULL;
	size_t size = 0;
	int status = STORUS_DONE;

	rewind(file);
	for (m->line = 1;
	     status == STORUS_DONE && getline(&line, &size, file) > 0;
	     m->line++) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, ".@ ", 3))
			status = manual_follow(m, line + 3, print);
		else if (print && strncmp(line, ".\\\"", 3))
			puts(line);
	}
	free(line);
	return status;
}

static void manual_tail(const struct manual *m)
{
	const struct storus_table *table;
	struct torus_text columns = { 0 };

	if (!m->command)
		return;
	if (!m->all && m->command->options && m->command->options->name) {
		puts(".SH OPTIONS");
		manual_options(m);
	}
	table = storus_table_of(m->command);
	if (table && storus_table_columns(table, &columns) == 0) {
		puts(".SH COLUMNS");
		storus_manual_text(columns.data);
		puts(".");
	}
	torus_text_free(&columns);
	puts(".SH EXIT STATUS");
	manual_statuses();
	if (m->command->examples) {
		puts(".SH EXAMPLES");
		manual_about(m->command->examples);
	}
	puts(".SH SEE ALSO\n.BR storus (1),\n.BR torus.yaml (5),\n"
	     ".BR slurm\\-torus (7),\n.BR slurm\\-torus\\-lists (7)");
}

int storus_manual(int argc, char **argv)
{
	struct manual m = { .source = argc == 2 ? argv[1] : NULL };
	FILE *file;
	int status;

	for (size_t i = 0; m.source && storus_commands[i]; i++) {
		if (!strcmp(storus_commands[i]->name, argv[0]))
			m.command = storus_commands[i];
	}
	if (!m.source || (!m.command && strcmp(argv[0], "storus") != 0))
		return storus_say(NULL, STORUS_USAGE,
				  "--manual: expected a command, or storus, and a file");
	file = fopen(m.source, "r");
	if (!file)
		return storus_say(NULL, STORUS_USAGE, "%s: %s", m.source,
				  strerror(errno));
	status = manual_source(&m, file, false);
	if (status == STORUS_DONE) {
		printf(".\\\" written by storus --manual\n.TH storus");
		if (m.command) {
			fputs("\\-", stdout);
			storus_manual_text(m.command->name);
		}
		printf(" 1 " STORUS_MANUAL_DATE
		       " \"slurm\\-torus %s\" \"slurm\\-torus\"\n",
		       PACKAGE_VERSION);
		if (m.command) {
			fputs(".SH NAME\nstorus\\-", stdout);
			storus_manual_text(m.command->name);
			fputs(" \\- ", stdout);
			storus_manual_text(m.command->summary);
			fputs("\n.SH SYNOPSIS\n\\fBstorus ", stdout);
			storus_manual_text(m.command->name);
			fputs("\\fR ", stdout);
			manual_usage(m.command->usage);
			puts("\n.SH DESCRIPTION");
			if (m.command->about)
				manual_about(m.command->about);
		}
		status = manual_source(&m, file, true);
		manual_tail(&m);
	}
	fclose(file);
	return status;
}
