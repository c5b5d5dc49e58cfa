/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EASY's reservations beside that of the head. A blocked job has one
 *
 *   - if it is among the first N blocked jobs (`reservations: N`); or
 *   - if it may use, for a start now, a node that no job with a reservation before
 *     it in the queue may use: those jobs do not protect it there.
 *
 *     head: -w node00, busy for an hour     may use  #...............
 *     4x4x2, blocked                        may use  ################  reserved
 *     2x2, blocked                          may use  ################  no: covered
 *
 * A job may use its allowed nodes in service, in the toruses that can hold its
 * shape, without those that are out during a run from now on. So a job that must
 * wait for the end of an outage covers no node, and neither does one that waits for
 * running jobs without a known end. (One that waits for nodes to return to service
 * covers the others.)
 *
 * Reservations are made in queue order, each in the earliest window (torus/plan.h)
 * beside running jobs and the reservations before it. While there are any, the
 * head's is in the plan too. A place that overlaps one is offered only if all
 * reservations from there on, made again beside it, begin no later.
 *
 * Cost: O(words) per blocked job until every node is covered; a window search per
 * reservation, and one per reservation for each place that overlaps one. If the
 * head may use all nodes and N is 1, nothing.
 */
#ifndef DISCIPLINE_EASY_PROMISED_H
#define DISCIPLINE_EASY_PROMISED_H

#include "discipline/disciplines.h"
#include "torus/placement.h"

struct easy_promise {
	struct torus_job *job;
	uint32_t alternative;
	int64_t start_us;
	struct torus_placement place;
	struct torus_placement_room room; /* of `place` */
};

struct easy_promised {
	struct torus_scheduler *s;
	struct easy_promise *promise; /* in queue order, the head's first */
	uint32_t count, room;
	uint32_t made;    /* promises whose memory is in use */
	uint32_t blocked; /* the head and the jobs reserved behind it */
	bool complete;    /* no further job gets a reservation */
	uint64_t stamp; /* in refusals.covered: no further job of the class does */
	struct easy_promise offer; /* a place, while reservations are tried */
	/* machine bitmaps: nodes in service; nodes that jobs with a reservation
	 * may use; scratch */
	uint64_t *service, *covered, *nodes, *other;
	/* whose nodes were found covered in this pass, if `known` */
	struct easy_nodes {
		bool known;
		const uint64_t *allowed;
		const struct torus_outages *outages;
		int64_t limit_us; /* only with outages */
		uint64_t pods;
	} asked;
};

/* -1 with ENOMEM. The caller frees it in any case. */
int easy_promised_init(struct easy_promised *p, struct torus_scheduler *s);
void easy_promised_free(struct easy_promised *p);

/* Cancel all reservations. */
void easy_promised_clear(struct easy_promised *p);
/* The job leaves the queue: cancel its reservation. */
void easy_promised_drop(struct easy_promised *p, struct torus_job *job);

/* Begin with a blocked head, whose start may be unknown. */
void easy_promised_begin(struct easy_promised *p, struct torus_job *head,
			 int64_t now_us);

/* Return true if the job, if blocked, gets a reservation. */
bool easy_promised_wants(struct easy_promised *p, const struct torus_job *job,
			 int64_t now_us);

/*
 * Reserve the earliest window for a blocked job. `head` is the queue's. Return true
 * if the window begins now: `place` of alternative *k is then free and overlaps no
 * reservation.
 */
bool easy_promised_add(struct easy_promised *p, struct torus_job *head,
		       struct torus_job *job, int64_t now_us, uint32_t *k,
		       struct torus_placement *place);

/* Return false if a start in `place` until end_us would delay a reservation. If
 * true, reservations may have moved: the caller starts the job. The nodes of
 * `place` are valid as before, or until the next call. */
bool easy_promised_allows(struct easy_promised *p, struct torus_placement *place,
			  int64_t now_us, int64_t end_us);

/* Take the reservations out of the plan and put them back, around a question of
 * the head that must not count them. */
void easy_promised_suspend(struct easy_promised *p);
void easy_promised_resume(struct easy_promised *p);

#endif
