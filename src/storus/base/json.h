/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --json[=FILE]: a JSON object to a file that appears whole, or to stdout. */
#ifndef STORUS_JSON_H
#define STORUS_JSON_H

#include <jansson.h>

#include "format/snapshot.h"
#include "storus/storus.h"

/* A number, or null where there is none (NAN, infinite). */
json_t *storus_json_real(double value);

json_t *storus_json_counts(const uint32_t *value, uint32_t n);

/* Add the version and the command (o NULL: do nothing). Return o. */
json_t *storus_json_origin(json_t *o, const char *command);

/*
 * Write o (its reference is taken; NULL: memory ran out) to path; NULL or "-"
 * is stdout. STORUS_DONE, or STORUS_TROUBLE after a line on stderr.
 */
int storus_json_write(const struct storus_command *command, json_t *o,
		      const char *path);

/* The same for an answer about a snapshot, with its age (replay.h). */
int storus_json_answer(const struct storus_command *command, json_t *o,
		       const struct snapshot *s, const char *path);

#endif
