/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other options of a job with a shape (submit_options.c). Each check returns one of
 * Slurm's error codes and adds lines to *err_msg (may be NULL); with SLURM_SUCCESS a line
 * is a notice.
 */
#ifndef SLURMCTLD_SUBMIT_SUBMIT_OPTIONS_H
#define SLURMCTLD_SUBMIT_SUBMIT_OPTIONS_H

#include "slurmctld/slurm_compat.h"
#include "torus/text.h"

#include <stdarg.h>
#include <stdio.h>

static inline bool submit_has_option(uint32_t n)
{
	return n != NO_VAL && n != 0;
}

/* Check options that contradict any shape; -N and the number of nodes of -w; tasks. */
int submit_options_check(const job_desc_msg_t *desc, char **err_msg);
int submit_options_check_nodes(const job_desc_msg_t *desc, const char *shape,
			       uint32_t nodes, char **err_msg);
int submit_options_check_tasks(const job_desc_msg_t *desc, const char *shape,
			       uint32_t nodes, char **err_msg);

/* Check NumCPUs of an update against the job's nodes. */
int submit_options_check_cpus(const job_desc_msg_t *desc,
			      const job_record_t *job, const char *shape,
			      char **err_msg);

/* Set the node count to the shape's. */
void submit_options_set_nodes(job_desc_msg_t *desc, uint32_t nodes);

/* Remove partitions that force jobs to share nodes from desc->partition, which desc
 * owns. fallback: the partition if none is named; or NULL. */
int submit_options_check_partitions(job_desc_msg_t *desc,
				    const part_record_t *fallback,
				    char **err_msg);
bool submit_options_force_sharing(const part_record_t *part);
#define SUBMIT_FORCED                                                          \
	"makes jobs share nodes (OverSubscribe=FORCE), which shapes never do"

/* What the user of a submission sees: refusals and notices. */

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
