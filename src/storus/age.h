/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How old an answer is: when the cluster was asked, or its plan was made, and how
 * long ago that is.
 */
#ifndef STORUS_AGE_H
#define STORUS_AGE_H

#include <jansson.h>

#include "format/snapshot.h"

/* When the cluster was in this state; SNAPSHOT_NO_TIME for other sources. */
int64_t storus_age_time_us(const struct snapshot *s);

/* Print "WHAT of 2026-01-31T12:00:00, 00:00:03 old."; nothing for
 * SNAPSHOT_NO_TIME. */
void storus_age_print(const char *what, int64_t time_us);

/* Add as_of (seconds since 1970) and age_s; nothing for SNAPSHOT_NO_TIME.
 * Returns o, which may be NULL. */
json_t *storus_age_json(json_t *o, int64_t time_us);

#endif
