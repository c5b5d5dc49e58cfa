/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answers of storus reservations: a plan file as tables and as JSON. */
#ifndef STORUS_RESERVATIONS_H
#define STORUS_RESERVATIONS_H

#include <jansson.h>

#include "format/plan_file.h"

/* To stdout: a line per job, all about one job, what the cycles took. */
void reservations_print_plan(const struct plan_file_read *read);
void reservations_print_job(const struct plan_file_job *job);
void reservations_print_counts(const struct plan_file *plan);

/* All of the plan; NULL: out of memory. The caller drops the reference. */
json_t *reservations_json(const struct plan_file_read *read);

#endif
