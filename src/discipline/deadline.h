/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of the real-time disciplines (dedf, dedf-replan, buddy-rt,
 * stacking). A job with a deadline is either admitted, which is a promise, or
 * rejected. Other jobs are best effort. The disciplines differ in a few rules.
 *
 * The queue holds the jobs with a deadline and all admitted jobs, earliest
 * deadline first, then the best-effort jobs. (With `order: priority` they are
 * mixed.) A job with a deadline that has no answer yet is in the arrival queue
 * (Mohapatra, section 3.1).
 */
#ifndef DISCIPLINE_DEADLINE_H
#define DISCIPLINE_DEADLINE_H

#include "discipline/timetable.h"

struct torus_deadline_rules {
	bool defers;   /* answer when triggered, else on arrival */
	bool replans;  /* bookings may move for another job */
	bool preempts; /* running jobs may be preempted for another job
			  (phase 2) */
	bool eat;      /* no windows between bookings */
	bool takes;    /* best-effort jobs start without regard to the arrival
			  queue */
	enum torus_choice choice;
	uint32_t windows;    /* windows per pass that answers; the next pass
				continues; 0: no limit */
	uint32_t arrivals;   /* length of a full arrival queue; 0: none */
	int64_t lead_us;     /* from the trigger to a latest start */
	int64_t overhead_us; /* overhead of a preemption */
};

struct torus_deadline {
	struct torus_scheduler *s;
	struct torus_deadline_rules rules;
	struct torus_timetable real;
	/* for trials: with the running jobs or, for preemption, without */
	struct torus_timetable replan, phase2;
	struct torus_plan *replan_plan, *phase2_plan;
	struct torus_state *empty;
	uint64_t searched; /* windows searched in this pass */
	uint64_t spared;   /* windows searched in trials of best-effort jobs */
	bool halfway;      /* a part of the batch has no answer yet */
	bool trying; /* the trial holds bookings of an earlier job's replan */
	struct torus_job *planned; /* the last job in that trial, or NULL */

	struct torus_job *fresh; /* first best-effort job not tried yet */
	uint64_t tried;          /* stamp at which the jobs before `fresh` were
				    tried */
	int64_t not_before_us;   /* no job starts before */
	/* a best-effort job had to wait for the arrival queue at this stamp */
	const struct torus_class *waited;
	uint64_t waited_at;
	int64_t waited_us; /* length of that job */
	int64_t answer_us; /* when the arrival queue will be answered */
	uint8_t *levels;   /* saved levels of the sub-cubes, during a trial */
	bool all;          /* try all best-effort jobs */
	bool anew;         /* bookings may be broken */
	bool compress;     /* nodes are free earlier than planned */
	bool unplaced;     /* an admitted job has no booking */
};

/* `rules`: the discipline's own, which its options may change. NULL with ENOMEM. */
void *torus_deadline_create(struct torus_scheduler *s,
			    const struct torus_deadline_rules *rules);
void torus_deadline_destroy(void *self);

/* The descriptors' functions. */
int64_t torus_deadline_rank(void *self, const struct torus_job *job,
			    int64_t now_us);
void torus_deadline_submitted(void *self, struct torus_job *job, int64_t now_us);
void torus_deadline_ended(void *self, struct torus_job *job, int64_t now_us);
void torus_deadline_left(void *self, struct torus_job *job, int64_t now_us);
void torus_deadline_changed(void *self, int64_t now_us);
void torus_deadline_readmitted(void *self, struct torus_job *job,
			       int64_t now_us);
bool torus_deadline_resumed(void *self, struct torus_job *job,
			    const struct torus_promise *promise);
int64_t torus_deadline_pass(void *self, int64_t now_us);

#define TORUS_DEADLINE_FUNCTIONS                                               \
	.foresees = true, .destroy = torus_deadline_destroy,                   \
	.rank = torus_deadline_rank, .rank_stays = true,                       \
	.submitted = torus_deadline_submitted, .ended = torus_deadline_ended,  \
	.left = torus_deadline_left, .changed = torus_deadline_changed,        \
	.readmitted = torus_deadline_readmitted,                               \
	.resumed = torus_deadline_resumed, .pass = torus_deadline_pass

/* Lines of the descriptors' option tables; a whole table; and the rules that they
 * set: read() fills them from the settings, with those in *rules as defaults. */
#define TORUS_DEADLINE_PHASE2                                                      \
	{ "phase2", "true|false", "false",                                         \
	  "a deadline job that does not fit otherwise may preempt running jobs" }, \
	{                                                                          \
		"preempt_overhead", "DURATION", "0",                               \
			"from a preemption until jobs run again"                   \
	}
#define TORUS_DEADLINE_ARRIVALS                                                          \
	{ "arrival_queue", "1..1000000", "no limit",                                     \
	  "as soon as this many jobs wait for an answer, all get it" },                  \
	{                                                                                \
		"windows_per_pass", "1..1000000000",                                     \
			"no limit; 20000 in slurmctld",                                  \
			"searches in a pass; the other jobs are answered a second later" \
	}
#define TORUS_DEADLINE_BEST_EFFORT                                                                             \
	{                                                                                                      \
		"best_effort", "spares|takes", "spares",                                                       \
			"jobs without a deadline: spare or take the places of deadline jobs without an answer" \
	}
#define TORUS_DEADLINE_CHOICE                                                  \
	{                                                                      \
		"choice", "stacking|first-fit|earliest",                       \
			"stacking on sub-cubes, else earliest",                \
			"how to choose among the places that are free in time" \
	}

void torus_deadline_read(struct torus_deadline_rules *rules,
			 const struct torus_scheduler *s);
extern const struct torus_option_help torus_deadline_phase2[];

/* Check that the choice of places and phase 2 are possible and consistent. */
int torus_deadline_supports(const struct torus_machine *m,
			    const struct torus_scheduler_settings *settings,
			    struct torus_error *why);
/* As torus_deadline_supports(), and check that the machine consists of
 * sub-cubes. */
int torus_deadline_supports_cubes(const struct torus_machine *m,
				  const struct torus_scheduler_settings *settings,
				  struct torus_error *why);

/* Within the files deadline*.c: */

/* Return true if the job has a deadline or a promise. */
static inline bool torus_deadline_binds(const struct torus_job *job)
{
	return job->admitted || job->deadline_us != TORUS_NO_TIME;
}

/* Return the earliest start of a job. */
static inline int64_t torus_deadline_from(const struct torus_deadline *d,
					  int64_t now_us)
{
	return now_us > d->not_before_us ? now_us : d->not_before_us;
}

/* Return the latest start of a job that runs for `length_us`. */
static inline int64_t torus_latest_start(const struct torus_job *job,
					 int64_t length_us)
{
	return job->deadline_us == TORUS_NO_TIME ? TORUS_NO_TIME :
						   job->deadline_us - length_us;
}

/* Return the first such job at or after `job` in the queue, or NULL. */
struct torus_job *torus_deadline_binding(const struct torus_deadline *d,
					 struct torus_job *job);

/* Return true if `a` comes before `b` in the queue: by deadline. */
bool torus_deadline_before(const struct torus_job *a, const struct torus_job *b);

/* Book a place for a queued job that starts by `latest`, and store it in the
 * job. Return false if there is no window. */
bool torus_deadline_book(struct torus_deadline *d, struct torus_job *job,
			 int64_t now_us, int64_t latest_us);
/* Store a booking in its job, or that the job has none. */
void torus_deadline_note(struct torus_deadline *d, uint32_t booking);
void torus_deadline_unbook(struct torus_deadline *d, uint32_t booking);

/* Admit the job, or return false. *preempted: running jobs were preempted. */
bool torus_deadline_admit(struct torus_deadline *d, struct torus_job *job,
			  int64_t now_us, bool *preempted);

#endif
