/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of storus: errors on stderr, one line each, the help of a subcommand from
 * its table, and the test for a terminal.
 */
#include "storus/storus.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "request/quote.h"
#include "storus/base/table.h"
#include "torus/text.h"

#define WORD_MOST 8192 /* bytes of a word in a message: no path has more */
#define WORD_CUT 400   /* its first and its last bytes, if it has more */

/* Cut words that are longer than WORD_MOST: an operand may have 128 KiB. */
static void line_shorten(char *line)
{
	char *to = line;

	for (const char *from = line; *from;) {
		size_t length = strcspn(from, " "), end = length;

		if (length > WORD_MOST) {
			size_t first = WORD_CUT, last = length - WORD_CUT;

			while ((from[first] & 0xc0) == 0x80) /* inside UTF-8 */
				first--;
			while ((from[last] & 0xc0) == 0x80)
				last++;
			memmove(to, from, first);
			to = stpcpy(to + first, "...");
			from += last;
			end = length - last;
		}
		end += from[end] == ' ';
		memmove(to, from, end);
		to += end;
		from += end;
	}
	*to = '\0';
}

int storus_say(const struct storus_command *command, int status,
	       const char *format, ...)
{
	char *line;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&line, format, ap) < 0)
		line = NULL;
	va_end(ap);
	if (line) {
		torus_error_plain(line);
		line_shorten(line);
	}
	fprintf(stderr, "storus%s%s: %s\n", command ? " " : "",
		command ? command->name : "", line ? line : "out of memory");
	free(line);
	return status;
}

int storus_no_memory(const struct storus_command *command)
{
	return storus_say(command, STORUS_TROUBLE, "out of memory");
}

int storus_say_errors(const struct storus_command *command, int status,
		      const struct torus_error *err)
{
	const char *line = err->text;

	if (!err->count)
		return status;
	while (*line) {
		size_t length = strcspn(line, "\n");

		storus_say(command, status, "%.*s", (int)length, line);
		line += length + (line[length] == '\n');
	}
	return status;
}

int storus_say_input(const struct storus_command *command,
		     const struct torus_error *err)
{
	return storus_say_errors(command,
				 errno == ENOMEM ? STORUS_TROUBLE : STORUS_USAGE,
				 err);
}

const char *storus_input_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

const char *storus_nearest(const char *typed, const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return torus_nearest(typed, words, n);
}

/* Print an option and its help beside or below it. */
static void help_option(const struct storus_option *o)
{
	const char *value = o->value;
	char left[64], letter[] = { '-', o->letter, ',', ' ', '\0' };
	int column = 25;

	snprintf(left, sizeof(left), "%s--%s%s%s", o->letter ? letter : "",
		 o->name, value && value[0] != '[' ? " " : "",
		 value ? value : "");
	if ((int)strlen(left) > column - 1)
		printf("  %s\n  %*s", left, column, "");
	else
		printf("  %-*s", column, left);
	storus_table_fold(o->help, (size_t)column + 2);
}

void storus_command_help(const struct storus_command *command)
{
	const struct storus_option *option = command->options;
	const struct storus_table *table = storus_table_of(command);
	struct torus_text columns = { 0 };

	printf("usage: storus %s ", command->name);
	storus_table_fold(command->usage,
			  strlen("usage: storus  ") + strlen(command->name));
	printf("\n%s.\n", command->summary);
	if (command->about) {
		const char *text;
		struct torus_text paragraph = { 0 };

		putchar('\n');
		/* Print paragraphs, folded; lines that begin with a blank as they are. */
		text = command->about;
		while (*text) {
			size_t length = strcspn(text, "\n");
			bool shown = length == 0 || *text == ' ';
			const char *next = text + length +
					   (text[length] == '\n');

			if (!shown)
				torus_text_add(&paragraph, "%.*s ", (int)length,
					       text);
			if (paragraph.length &&
			    (shown || !*next || *next == '\n' || *next == ' ')) {
				storus_table_fold(paragraph.data, 0);
				paragraph.length = 0;
			}
			if (shown)
				printf("%.*s\n", (int)length, text);
			text = next;
		}
		torus_text_free(&paragraph);
	}
	printf("\nOptions:\n");
	for (; option && option->name; option++)
		help_option(option);
	help_option(&(const struct storus_option){ .name = "help",
						   .help = "this text" });
	if (table && storus_table_columns(table, &columns) == 0) {
		printf("\nColumns:\n  ");
		storus_table_fold(columns.data, 2);
	}
	torus_text_free(&columns);
	if (command->examples)
		printf("\nExamples:\n%s", command->examples);
	printf("\nThe manual page storus-%s(1) has the details.\n",
	       command->name);
}

bool storus_is_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb");
}

bool storus_may_colour(int fd)
{
	const char *no = getenv("NO_COLOR");

	return storus_is_terminal(fd) && !(no && *no);
}

/* One word, in single quotes where the shell would otherwise split or expand
 * it; a quote inside becomes '\''. Returns the end. */
static char *word_quote(char *to, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_-+=./:,@%^";

	if (*word && strspn(word, plain) == strlen(word))
		return stpcpy(to, word);
	*to++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *word;
	}
	*to++ = '\'';
	*to = '\0';
	return to;
}

char *storus_shell_line(const char *program, int argc, char **argv)
{
	size_t room = 4 * strlen(program) + 3;
	char *line, *to;
	int i;

	for (i = 0; i < argc; i++)
		room += 4 * strlen(argv[i]) + 3;
	line = malloc(room);
	if (!line)
		return NULL;
	to = word_quote(line, program);
	for (i = 0; i < argc; i++) {
		*to++ = ' ';
		to = word_quote(to, argv[i]);
	}
	return line;
}
