/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index over a long queue, so that a pass need not walk it job by job. Each
 * job is in one lane; a lane is a tree in queue order (class.h):
 *
 *   - one lane per class. A pass skips the whole lane once the class has no
 *     place. On one `flat` pod only node counts matter, so there is one lane per
 *     range of node counts, or a single one if the discipline ignores time
 *     limits (both only for jobs that may use all nodes);
 *   - one lane for ladders and for jobs without a class.
 *
 * A search begins with a heap of the lanes that may have a candidate, by the position
 * of their first job. A lane is searched when it is at the top, and again when its
 * candidate no longer passes the filter: most classes have no place by then, because a shape
 * within theirs has none.
 *
 * Cost: the begin takes O(lanes), and O(log jobs) for each lane that is searched. One
 * lane may take O(jobs of the lane): the one whose range of node counts contains the
 * limit, if time limits count too. A further candidate takes O(log lanes). Adding or
 * removing a job takes O(log jobs). Memory: 3 words per class.
 */
#ifndef DISCIPLINE_LANES_H
#define DISCIPLINE_LANES_H

#include "discipline/class.h"

/* A pass considers all jobs that are due by due_us, and other jobs that meet the
 * following conditions: its candidates. */
struct torus_candidate_filter {
	int64_t due_us;  /* consider all jobs that are due by then */
	uint64_t failed; /* omit jobs without a place at this stamp */
	uint32_t nodes;  /* omit jobs that need more nodes */
	/* of jobs with a limit above limit_us, consider only those with at most
	 * `spare` nodes that were not refused at the stamp `refused` (0: ignore
	 * refusals) */
	int64_t limit_us;
	uint32_t spare;
	uint64_t refused;
	uint64_t refused_long; /* omit jobs that a class refuses at this stamp; 0: none */
	/* in picks.h: pass all jobs of classes without this stamp, too; 0: none */
	uint64_t covered;
};

/* Return true if these refusals hold for a job with this limit. */
static inline bool torus_refuses_long(const struct torus_candidate_filter *s,
				      const struct torus_refusals *r,
				      int64_t limit_us)
{
	return s->refused_long && r->refused_long == s->refused_long &&
	       limit_us >= r->refused_us;
}

/* Ranges of node counts: 4 to each doubling, single counts below 4. */
#define TORUS_LANE_SIZES 128

static inline uint32_t torus_lane_size(uint32_t nodes)
{
	uint32_t doublings = nodes < 4 ? 0 : 29 - (uint32_t)__builtin_clz(nodes);

	return doublings * 4 + (nodes >> doublings);
}

enum torus_lanes_by {
	TORUS_LANES_CLASS,
	TORUS_LANES_SIZE,
	TORUS_LANES_ONE,
};

/* A lane and the position of its first candidate, or one before it. */
struct torus_lane_first {
	uint64_t position;
	uint64_t extents; /* of its class; 0: several classes */
	struct torus_lane *lane;
};

/* The lanes of a share with jobs, for picks.h; share 0: those without a class. */
struct torus_lane_share {
	struct torus_lane *first;
	struct torus_branch least; /* no job of the lanes is below */
};

struct torus_lanes {
	enum torus_lanes_by by;
	bool fresh;               /* the next search begins a round */
	struct torus_lane **lane; /* lanes with jobs */
	uint32_t count, room;
	struct torus_lane_first *heap; /* lanes of the round, the first on top */
	uint32_t heaped;
	struct torus_lane one;       /* by == TORUS_LANES_ONE */
	struct torus_lane classless; /* jobs with several alternatives, or no class */
	struct torus_lane *size; /* by size: TORUS_LANE_SIZES */
	/* if shares count: the lanes of each; asks with jobs */
	struct torus_lane_share *share;
	struct torus_ask_facts **ask;
	uint32_t shares, share_room, asks;
};

/* -1 with ENOMEM. */
int torus_lanes_init(struct torus_lanes *l, enum torus_lanes_by by);
void torus_lanes_free(struct torus_lanes *l);
/* Make room for the lanes of `classes` classes and for `shares` shares, share 0 among them
 * (0: shares do not count). -1 with ENOMEM. */
int torus_lanes_reserve(struct torus_lanes *l, uint32_t classes,
			uint32_t shares);

void torus_lanes_add(struct torus_lanes *l, struct torus_job *job);
void torus_lanes_remove(struct torus_lanes *l, struct torus_job *job);
/* Exchange the positions of two jobs that have no other between them. */
void torus_lanes_swap(struct torus_lanes *l, struct torus_job *job,
		      struct torus_job *other);
/* Remove all jobs. */
void torus_lanes_clear(struct torus_lanes *l);

/* Return true if a branch may hold a job that passes the filter. All jobs of the branch
 * are of class c; NULL: of several. */
bool torus_branch_promises(const struct torus_candidate_filter *s,
			   const struct torus_class *c,
			   const struct torus_branch *b);

/* Return true if the job passes the filter. */
bool torus_job_is_candidate(const struct torus_candidate_filter *s,
			    const struct torus_job *job);

/*
 * Return the first candidate at or after a position; NULL: none. Call
 * torus_lanes_again() before a search from an earlier position, and before one
 * whose filter passes jobs which the last one did not.
 */
struct torus_job *torus_lanes_next(struct torus_lanes *l,
				   const struct torus_candidate_filter *s,
				   uint64_t position);
static inline void torus_lanes_again(struct torus_lanes *l)
{
	l->fresh = true;
	l->heaped = 0;
}

bool torus_lanes_check(const struct torus_lanes *l);

#endif
