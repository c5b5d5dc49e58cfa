/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manual pages from the tables that --help prints.
 *
 * storus --manual COMMAND SOURCE prints storus-COMMAND(1): name, synopsis, the
 * paragraph of --help, options, exit status and examples come from the command's
 * table, the rest from SOURCE, which is roff with these lines of its own:
 *
 *	.@ option NAME...	these options; further text about them may follow
 *	.@ options		all options that no such line names
 *	.@ commands		all subcommands with their summaries
 *	.@ status		the exit statuses
 *
 * An option that SOURCE does not name is printed in any case; a name that the
 * table does not have is an error. COMMAND "storus" is the overview, which takes
 * from the tables only what SOURCE asks for.
 */
#ifndef STORUS_BASE_MANUAL_H
#define STORUS_BASE_MANUAL_H

/* The day on which the prose of the pages was last read as a whole. */
#define STORUS_MANUAL_DATE "2026-11-26"

/* What the exit statuses 0 to 3 mean. */
#define STORUS_STATUSES 4
extern const char *const storus_statuses[STORUS_STATUSES];

/* Print the page: argv holds COMMAND and SOURCE. Return an exit status. */
int storus_manual(int argc, char **argv);

/* Print the text with the characters that roff would interpret escaped. */
void storus_manual_text(const char *text);

/* Print the names in "strategies", "disciplines", "formats" or "models", a line each,
 * with their aliases (list.c). */
void storus_list_names(const char *registry);

#endif
