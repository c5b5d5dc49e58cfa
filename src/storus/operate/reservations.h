/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answers of storus reservations: a plan file as tables and as JSON. */
#ifndef STORUS_RESERVATIONS_H
#define STORUS_RESERVATIONS_H

#include <jansson.h>

#include "format/plan_file.h"
#include "storus/base/table.h"
#include "torus/text.h"

extern const struct storus_column reservations_columns[];

/* Find the plan file of the live cluster: plan_file of torus.yaml, else in
 * StateSaveLocation; "" where Slurm does not say. STORUS_DONE, or another status with
 * lines in err. */
#define RESERVATIONS_PATH_SIZE 4096
int reservations_find_file(char *path, struct torus_error *err);

/* Print everything about one job; the times of the cycles. */
void reservations_print_job(const struct plan_file_job *job);
void reservations_print_counts(const struct plan_file *plan);

/* When the plan was made; SNAPSHOT_NO_TIME: unknown. */
int64_t reservations_time_us(const struct plan_file *plan);

/* A job as a row, and the plan with its rows, whose reference it takes; NULL: out of
 * memory. The caller drops the reference. */
json_t *reservations_row(const struct plan_file_job *job);
json_t *reservations_json(const struct plan_file *plan, json_t *rows);

/* Return the largest free boxes of the live cluster: an array with a row per partition
 * and torus; NULL after lines in err. The caller drops the reference. */
json_t *reservations_free(struct torus_error *err);
int reservations_print_free(const json_t *rows);

#endif
