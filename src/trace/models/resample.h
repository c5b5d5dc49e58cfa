/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs like those of a log: drawn from it with replacement, in pieces that keep
 * correlated jobs together, without assumptions about distributions.
 *
 *	weeks, days	the log is cut into whole weeks (days) from its first
 *			job on; drawn ones follow each other. Who submits at
 *			what hour, in which bursts, and what day follows which
 *			within a week, stays.
 *	users		as many users as the log has are drawn; all jobs of a
 *			user stay together, moved around the log's span by a
 *			whole number of weeks, days or hours, the largest unit
 *			of which it has four (Zakay, Feitelson 2013: workload
 *			resampling). Sessions and daily cycles stay; who works
 *			at the same time does not.
 *
 * The same options give the same jobs on every machine.
 */
#ifndef TRACE_RESAMPLE_H
#define TRACE_RESAMPLE_H

#include "trace/log.h"

enum torus_resample_by {
	TORUS_LIKE_FITTING, /* weeks where there are four, or else days, or
			       else users */
	TORUS_LIKE_WEEKS,
	TORUS_LIKE_DAYS,
	TORUS_LIKE_USERS,
};
/* "weeks" ...; ends with NULL. [0] is for TORUS_LIKE_WEEKS. */
extern const char *const torus_resample_words[];

#define TORUS_LIKE_LEAST 4 /* minimum number of units for automatic choice */

struct torus_resample_options {
	enum torus_resample_by by;
	uint64_t seed;
	bool itself; /* nothing is drawn: the log's first jobs, with
			  their load changed */
	uint32_t replication;
	uint64_t jobs;  /* exactly; 0: as long as the log */
	double load;    /* offered load of the jobs on `nodes`; 0: unchanged */
	uint32_t nodes; /* size of the machine; 0: the log's */
};

struct torus_resample {
	struct torus_trace_record *job; /* in order; requests belong to the log */
	uint64_t jobs;
	enum torus_resample_by by;
	uint32_t drawn, from; /* pieces drawn, and number to draw from */
	uint32_t nodes;       /* for the load */
	double load;
};

/*
 * Draw jobs. The log must outlive them. O(n log n). Return NULL with errno;
 * EINVAL: a line in err (the log is too short to be cut, or has one user).
 */
struct torus_resample *
torus_resample_draw(const struct torus_log *log,
		    const struct torus_resample_options *options,
		    struct torus_error *err);
void torus_resample_destroy(struct torus_resample *like);

/*
 * Quality of fit: mean of a quantity in the log and in the drawn jobs, and the
 * Kolmogorov-Smirnov distance between the distributions, that is the largest
 * difference between their distribution functions (0: equal; 1: disjoint).
 */
enum torus_resample_quantity {
	TORUS_LIKE_GAP,  /* s between submissions */
	TORUS_LIKE_SIZE, /* nodes */
	TORUS_LIKE_RUN,  /* s */
	TORUS_LIKE_WORK, /* offered load, day by day; hour by hour of a log that
			    is shorter than four days */
	TORUS_LIKE_QUANTITIES
};
extern const char *const torus_resample_quantities[TORUS_LIKE_QUANTITIES];

struct torus_resample_fit {
	double log, drawn, distance;
};

/* Return 0, or -1 without memory. O(n log n). */
int torus_resample_fit(const struct torus_log *log,
		       const struct torus_resample *like,
		       struct torus_resample_fit fit[TORUS_LIKE_QUANTITIES]);

/* Return the distance between two samples, which are sorted in place. */
double torus_resample_distance(double *a, uint64_t n, double *b, uint64_t m);

#endif
