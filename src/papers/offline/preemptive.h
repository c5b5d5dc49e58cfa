/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preemptive scheduling without contention (Gupta and Srimani, section 3): can
 * all jobs end by a deadline, by which schedule, and what is the least such
 * deadline?
 *
 * Jobs lie on the diagonal of an m x m torus: a d x d job takes the rows and
 * columns first .. first + d - 1, so that no two jobs share a link. The
 * scheduled resource is an interval of d out of m processors.
 *
 * Exact if each dimension divides the next larger one and the largest divides
 * m; torus_preemptive_round() rounds dimensions to such values.
 */
#ifndef OFFLINE_PREEMPTIVE_H
#define OFFLINE_PREEMPTIVE_H

#include <stdbool.h>

#include "papers/offline/jobs.h"
#include "papers/offline/stairs.h"

/* A part of a job. Times in 1 / (jobs->unit * scale). */
struct torus_slice {
	torus_i128 start, end; /* start == end: there is no such part */
	uint32_t first;        /* first of the d processors */
};

struct torus_preemptive {
	const struct torus_offline_jobs *jobs;
	uint32_t *order;
	uint32_t m;
	int64_t scale;
	torus_i128 deadline;            /* in the unit of slices */
	torus_i128 makespan;            /* the last end */
	struct torus_slice (*slice)[2]; /* by job, in the order of the file;
					   then by time */
	struct torus_stairs profile;
	bool feasible;
	uint32_t failed; /* !feasible: the job that could not be placed */
};

/* A step of the algorithm: called after each job that was placed. */
typedef void torus_preemptive_each(void *arg, const struct torus_preemptive *p,
				   uint32_t job, int step);

/* Check that these jobs can be scheduled exactly on m. err gets a line per
 * violation. 0, or -1. O(n log n). */
int torus_preemptive_check(const struct torus_offline_jobs *jobs, uint32_t m,
			   const char *name, struct torus_error *err);

/*
 * Round the dimensions up so that the schedule is exact: from the largest on,
 * each becomes the least value that is not below it and divides the one before
 * (m for the first). -1 with ENOMEM. O(n (log n + sqrt(m))).
 */
int torus_preemptive_round(struct torus_offline_jobs *jobs, uint32_t m);

/*
 * Return the schedule for a deadline, or for the least deadline (deadline
 * NULL). NULL with errno; EOVERFLOW (and a line in err): numbers would exceed
 * 126 bits. each may be NULL; it is called for the final schedule only.
 */
struct torus_preemptive *
torus_preemptive_plan(const struct torus_offline_jobs *jobs, uint32_t m,
		      const struct torus_ratio *deadline,
		      torus_preemptive_each *each, void *arg,
		      struct torus_error *err);
void torus_preemptive_destroy(struct torus_preemptive *p);

/* One pass over the jobs, within torus_preemptive_plan(). */
struct torus_preemptive_pass {
	torus_i128 deadline;
	int64_t scale;
	torus_preemptive_each *each; /* or NULL */
	void *arg;
	/* Set if there is no schedule: the missing time of the job that failed,
	 * and the growth of the missing step per unit of the deadline (0:
	 * none). */
	torus_i128 lacking;
	uint32_t slope;
};

/* Return true if there is a schedule. p->slice NULL: it is not stored. O(n log
 * n). */
bool torus_preemptive_try(struct torus_preemptive *p,
			  struct torus_preemptive_pass *pass);

/* Find the least deadline; *pass gets it. 0, or -1 with EOVERFLOW and a line in
 * err. */
int torus_preemptive_least(struct torus_preemptive *p,
			   struct torus_preemptive_pass *pass,
			   struct torus_error *err);

#endif
