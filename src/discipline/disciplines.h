/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the scheduler for the disciplines, and the descriptors that
 * registry.c lists, one per discipline file.
 */
#ifndef DISCIPLINE_DISCIPLINES_H
#define DISCIPLINE_DISCIPLINES_H

#include "torus/scheduler.h"

#define TORUS_CLASSES 1024 /* a power of two */

/* Requests that ask the same, and what is known of all of them. */
struct torus_class {
	struct torus_ask ask;
	const char *strategy;
	const uint64_t *allowed;
	bool used;
	enum torus_answer possible; /* on the empty machine */
	uint64_t failed;            /* no place at this stamp */
	uint64_t refused;           /* a discipline's: refused at this stamp */
};

/*
 * Stamps: numbers that never come again. `freed` is a new one whenever a
 * request that found no place may find one: when nodes became free; with
 * strategies that remember, whenever the state changed at all. A job (or a
 * class) with that stamp need not be looked at. A discipline may take further
 * stamps for reasons of its own.
 */
struct torus_scheduler {
	struct torus_state *state;
	struct torus_plan *plan;
	struct torus_scheduler_settings settings;
	const struct torus_discipline *discipline;
	void *self;
	int64_t wait_limit_us; /* TORUS_NO_TIME also where it is ignored */
	bool timeless;       /* the strategies go by the occupancy alone */
	struct torus_queue queue;
	uint32_t ladders;    /* queued jobs with several alternatives */
	uint64_t sequence;   /* of the latest job */
	uint64_t stamp;      /* the latest one given out */
	uint64_t freed;
	uint64_t generation; /* the state's, as far as the scheduler knows */
	struct torus_job *first, *last; /* decisions of this pass */
	struct torus_scheduler_stats stats;
	struct torus_class *classes;
};

/* The class of one of the job's asks; another one may lose its place for it. */
struct torus_class *torus_class_of(struct torus_scheduler *s,
				   const struct torus_job *job,
				   const struct torus_ask *ask);

void torus_queue_insert(struct torus_queue *q, struct torus_job *job,
			struct torus_job *before);
void torus_queue_remove(struct torus_queue *q, struct torus_job *job);
/* Before whom a new job goes (NULL: at the tail). */
struct torus_job *torus_queue_place(const struct torus_scheduler *s,
				    const struct torus_job *job, int64_t now);

/* Has the job waited as long as WaitLimit? Never true where that does not
 * concern the discipline. */
static inline bool torus_job_overdue(const struct torus_scheduler *s,
				     const struct torus_job *job, int64_t now)
{
	return now - job->submit_us >= s->wait_limit_us;
}

/*
 * The place that the strategy gives alternative k now; false: none. Its nodes
 * are as of torus_plan_find().
 */
bool torus_scheduler_look(struct torus_scheduler *s, struct torus_job *job,
			  uint32_t k, int64_t now,
			  struct torus_placement *place);

/* Alternative k's ask, its expected end brought up to date. */
const struct torus_ask *torus_job_ask(struct torus_job *job, uint32_t k,
				      int64_t now);

/* The next time at which a queued job's alternative becomes acceptable. */
int64_t torus_scheduler_next_alternative(const struct torus_scheduler *s,
					 int64_t now);

/* Sorting: most or least nodes first. */
int64_t torus_rank_most_nodes(const struct torus_job *job);
int64_t torus_rank_least_nodes(const struct torus_job *job);

/* For disciplines without a memory of their own: create, destroy; and a pass
 * in which nobody overtakes the head. */
void *torus_plain_create(struct torus_scheduler *s);
void torus_plain_destroy(void *self);
int64_t torus_plain_pass(void *self, int64_t now);

extern const struct torus_discipline torus_discipline_buddy_rt;
extern const struct torus_discipline torus_discipline_conservative;
extern const struct torus_discipline torus_discipline_dedf;
extern const struct torus_discipline torus_discipline_dedf_replan;
extern const struct torus_discipline torus_discipline_easy;
extern const struct torus_discipline torus_discipline_fcfs;
extern const struct torus_discipline torus_discipline_fpfs;
extern const struct torus_discipline torus_discipline_fplpfs;
extern const struct torus_discipline torus_discipline_fpmpfs;
extern const struct torus_discipline torus_discipline_lpfs;
extern const struct torus_discipline torus_discipline_lpt;
extern const struct torus_discipline torus_discipline_mpfs;
extern const struct torus_discipline torus_discipline_sjf;
extern const struct torus_discipline torus_discipline_stacking;

#endif
