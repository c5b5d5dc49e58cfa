/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answers of storus reservations: a plan file as tables and as JSON. */
#ifndef STORUS_RESERVATIONS_H
#define STORUS_RESERVATIONS_H

#include <jansson.h>

#include "format/plan_file.h"
#include "storus/base/table.h"
#include "torus/error.h"

extern const struct storus_column reservations_columns[];

/* Find the plan file of the live cluster: plan_file of torus.yaml, else in
 * StateSaveLocation; "" where Slurm does not say. STORUS_DONE, or another status with
 * lines in err. */
#define RESERVATIONS_PATH_SIZE 4096
int reservations_find_file(char *path, struct torus_error *err);

/* Print a row of the table; everything about one job; the times of the cycles. */
void reservations_print_row(const struct storus_table *t,
			    const struct plan_file_job *job);
void reservations_print_job(const struct plan_file_job *job);
void reservations_print_counts(const struct plan_file *plan);

/* When the plan was made; SNAPSHOT_NO_TIME: unknown. */
int64_t reservations_time_us(const struct plan_file *plan);

/* The plan with all its jobs, or with that job alone; NULL: out of memory. The caller
 * drops the reference. */
json_t *reservations_json(const struct plan_file_read *read, const char *id);
/* Return true if it is that job, by its number or as 5_0 (NULL: any). */
bool reservations_is(const struct plan_file_job *job, const char *id);

/* Return the largest free boxes of the live cluster: an array with a row per partition
 * and torus; NULL after lines in err. The caller drops the reference. */
json_t *reservations_free(struct torus_error *err);
void reservations_print_free(const json_t *rows);

#endif
