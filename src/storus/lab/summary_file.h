/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary of a schedule, in the files beside it: easy.json, or what storus
 * replay writes (easy.csv.json), beside easy.csv or easy.csv.gz.
 *
 * The summary names its schedule by schedule_sha256. A file that is of another
 * schedule is not used.
 */
#ifndef STORUS_SUMMARY_FILE_H
#define STORUS_SUMMARY_FILE_H

#include <jansson.h>

#include "storus/storus.h"
#include "torus/machine.h"

/*
 * Find the summary of that schedule; *summary is NULL if there is none. STORUS_DONE, or
 * STORUS_USAGE after a line on stderr: the files there belong to other schedules.
 */
int storus_summary_file_read(const struct storus_command *command,
			     const char *schedule, json_t **summary);

/* Return -1 with a line in err if the summary says that the schedule was computed
 * on another machine. */
int storus_summary_file_machine(const char *schedule, const json_t *summary,
				const struct torus_machine *machine,
				struct torus_error *err);

#endif
