/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user of a submission sees: refusals and notices. */
#ifndef SLURMCTLD_SUBMIT_SUBMIT_MESSAGE_H
#define SLURMCTLD_SUBMIT_SUBMIT_MESSAGE_H

#include "slurmctld/slurm_compat.h"

#include <stdarg.h>
#include <stdio.h>

#include "torus/error.h"

/* Add a line to *err_msg (err_msg NULL: nobody reads it). */
__attribute__((format(printf, 2, 3))) static inline void
submit_message(char **err_msg, const char *format, ...)
{
	char line[TORUS_ERROR_TEXT];
	va_list args;

	if (!err_msg)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	torus_error_plain(line); /* the line is logged, too */
	xstrfmtcat(*err_msg, "%storus: %s", *err_msg ? "\n" : "", line);
}

/* The same with every line of err, which is overwritten. */
static inline void submit_message_lines(char **err_msg, struct torus_error *err)
{
	char *rest = err->text, *line;

	while ((line = strsep(&rest, "\n")))
		submit_message(err_msg, "%s", line);
}

#endif
