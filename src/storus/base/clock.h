/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of a snapshot for people, and how old an answer is. Those of the live
 * cluster are dates in local time, those of a schedule seconds on its clock.
 */
#ifndef STORUS_CLOCK_H
#define STORUS_CLOCK_H

#include <jansson.h>

#include "format/snapshot.h"

#define STORUS_CLOCK_SIZE 40

/* 2026-01-31T12:00:00, or 3600 s; "-" for SNAPSHOT_NO_TIME. Returns buffer. */
const char *storus_clock(const struct snapshot *s, int64_t us, char *buffer);

/* Time until then, 0 if it has passed: 1-02:03:04, 03:04, or 3600 s. */
void storus_clock_left(const struct snapshot *s, int64_t us, char *buffer,
		       size_t size);

/* A duration of any clock: 1-02:03:04, 00:03:04. */
void storus_clock_duration(int64_t us, char *buffer, size_t size);

/* Seconds, a whole number where it is one; null for SNAPSHOT_NO_TIME. */
json_t *storus_clock_json(int64_t us);

/* When the cluster was in this state; SNAPSHOT_NO_TIME for other sources. */
int64_t storus_age_time_us(const struct snapshot *s);

/* Print "WHAT of 2026-01-31T12:00:00, 00:00:03 old."; nothing for
 * SNAPSHOT_NO_TIME. */
void storus_age_print(const char *what, int64_t time_us);

/* Add as_of (seconds since 1970) and age_s; nothing for SNAPSHOT_NO_TIME.
 * Returns o, which may be NULL. */
json_t *storus_age_json(json_t *o, int64_t time_us);

#endif
