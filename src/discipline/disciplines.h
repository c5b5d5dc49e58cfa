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

/* The class of alternative k; another one may lose its place for it. */
struct torus_class *torus_class_of(struct torus_scheduler *s,
				   const struct torus_ask *ask,
				   const char *strategy);

void torus_queue_insert(struct torus_queue *q, struct torus_job *job,
			struct torus_job *before);
void torus_queue_remove(struct torus_queue *q, struct torus_job *job);
/* Before whom a job goes that is ordered by priority, stably. */
struct torus_job *torus_queue_by_priority(const struct torus_queue *q,
					  const struct torus_job *job);

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

extern const struct torus_discipline torus_discipline_conservative;
extern const struct torus_discipline torus_discipline_easy;
extern const struct torus_discipline torus_discipline_fcfs;

#endif
