/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CNP_Alloc: list scheduling of square subtori with contention for links (Gupta
 * and Srimani, section 2.4). Each job starts at the earliest time at which a
 * subtorus of its size is free, on the subtorus with the shortest sharing of
 * links. The sharing makes the job and the jobs that it disturbs run longer.
 */
#ifndef OFFLINE_CNP_H
#define OFFLINE_CNP_H

#include <stdbool.h>

#include "papers/offline/jobs.h"
#include "papers/offline/number.h"

/* Maximum number of binary digits after the point of an exact time. */
#define TORUS_CNP_BITS 16384u

/* value / (plan's unit * 2^shift) */
struct torus_cnp_time {
	mpz_t value;
	uint32_t shift;
};

struct torus_cnp_job {
	uint32_t row, col; /* of the subtorus's first node */
	struct torus_cnp_time start;
	struct torus_cnp_time finish; /* includes all dilations */
};

struct torus_cnp {
	const struct torus_offline_jobs *jobs;
	struct torus_cnp_job *job; /* in the order of the file */
	int64_t unit;
	struct torus_cnp_time makespan;
	bool exact;
};

enum torus_cnp_step {
	TORUS_CNP_EXPANDED, /* entries were divided for this job */
	TORUS_CNP_READY,    /* at the start time of the job */
	TORUS_CNP_PLACED,
};

/* The availability matrix at the level of the latest job (Definition 4). */
struct torus_cnp_matrix {
	const struct torus_cnp *plan;
	enum torus_cnp_step step;
	uint32_t side;          /* sigma: side x side entries */
	const uint32_t *holder; /* row-major: index of a job */
	const struct torus_cnp_time *now;
	/* READY: how long the job would share links with the jobs of each row
	 * and column. The load on entry (i, j) is (row[i] + col[j]) / side, in
	 * units of now. */
	const mpz_t *row, *col;
};
#define TORUS_CNP_FREE UINT32_MAX

/* Called at each step of each job. The remaining time of a job is finish -
 * now. */
typedef void torus_cnp_each(void *arg, const struct torus_cnp_matrix *a,
			    uint32_t job);

/* Check that all dimensions are powers of two. err gets a line for each that is
 * not. */
int torus_cnp_check(const struct torus_offline_jobs *jobs, const char *name,
		    struct torus_error *err);

/*
 * Schedule on an m x m torus, m and all dimensions powers of two.
 *
 * decimals -1: exact. An exact schedule can need ever longer fractions, because
 * each share of a share halves the unit. If a fraction exceeds TORUS_CNP_BITS,
 * return NULL with EOVERFLOW. decimals 0..9: round each load up to that many
 * decimals; the fractions are then bounded.
 *
 * O(n log n + n side^2) operations on numbers of that length. NULL with errno
 * and, except for ENOMEM, a line in err. each may be NULL.
 */
struct torus_cnp *torus_cnp_plan(const struct torus_offline_jobs *jobs,
				 uint32_t m, int decimals, torus_cnp_each *each,
				 void *arg, struct torus_error *err);
void torus_cnp_destroy(struct torus_cnp *plan);

#endif
