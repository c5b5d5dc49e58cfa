/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outages: nodes that some jobs must not hold from a time to a time, such as a
 * window for maintenance, or a Slurm reservation of other jobs. Jobs that may
 * use the nodes then have other outages, or none.
 *
 *     node 3  |        |#outage#|
 *     node 2  |        |#outage#|
 *     node 1  |  job that must not run into it may be here
 *             now    from      to                      -> time
 */
#ifndef TORUS_OUTAGE_H
#define TORUS_OUTAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Nodes that are out in [from_us, to_us). INT64_MIN and INT64_MAX: no bound. */
struct torus_outage {
	int64_t from_us, to_us; /* from < to */
	const uint64_t *nodes;  /* machine bitmap */
	const char *name;       /* name for messages, such as a
				   reservation's; or NULL */
	int64_t longest_us;     /* for messages, of an outage that always
				   begins so long after now (from_us is
				   INT64_MIN): longer jobs are never allowed */
};

/* A list of outages. The host owns it and does not change it while a queued job
 * refers to it. */
struct torus_outages {
	uint64_t number;       /* unique number of these outages, > 0 */
	int64_t last_start_us; /* latest possible start, or INT64_MAX */
	uint32_t count;
	const struct torus_outage *outage;
};

/* Clear in a machine bitmap the nodes that are out at some time in [from, to).
 * Return false if `from` is later than last_start_us. */
bool torus_outages_clear(const struct torus_outages *o, int64_t from_us,
			 int64_t to_us, uint64_t *map, uint32_t words);

/* Return true if these nodes may be held from from_us to to_us. */
bool torus_outages_allow(const struct torus_outages *o, int64_t from_us,
			 int64_t to_us, const uint64_t *map, uint32_t words);

/* Return the first time after at_us at which an outage ends; INT64_MAX:
 * none. */
int64_t torus_outages_next(const struct torus_outages *o, int64_t at_us);

/* Return the first start after at_us at which a run of this length meets other
 * outages than at at_us; INT64_MAX: none. */
int64_t torus_outages_step(const struct torus_outages *o, int64_t at_us,
			   int64_t length_us);

#endif
