/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of a replay: from a trace's record, through the transforms, to the
 * scheduler's job, in reused memory.
 */
#ifndef REPLAY_JOBS_H
#define REPLAY_JOBS_H

#include "replay/replay.h"
#include "torus/state.h"
#include "trace/trace.h"
#include "torus/text.h"
#include "torus/machine.h"
#include "torus/ask.h"

/* nodes.c: sets of nodes named in a journal, as machine bitmaps. */

/* Read NODES, all or none, as a bitmap (zero for all); the text is modified.
 * Return 0, or -1 with EINVAL and a line in err. */
int torus_replay_nodes_read(const struct torus_machine *m, char *text,
			    uint64_t *map, bool *all, struct torus_error *err);

/* Equal sets are stored once, because the scheduler compares them by pointer.
 * Zeroed = empty. */
#define TORUS_REPLAY_SETS 256

struct torus_replay_set {
	struct torus_replay_set *next;
	struct torus_replay_sets *home;
	uint64_t hash, users;
	uint64_t map[];
};

struct torus_replay_sets {
	struct torus_replay_set *bucket[TORUS_REPLAY_SETS];
};

/* The nodes that a job may use from a time on, until the next entry. */
struct torus_replay_only {
	struct torus_replay_only *next;
	int64_t at_us;
	uint64_t outages; /* outages number in the journal; 0: none */
	bool all;
	struct torus_replay_set *set;
};

/* Read record->only, with an offset added to its times. Return 0, or -1 with
 * ENOMEM, or with EINVAL and a line in err. */
int torus_replay_only_make(struct torus_replay_only **list,
			   struct torus_replay_sets *sets,
			   const struct torus_machine *m,
			   const struct torus_trace_record *record,
			   int64_t shift_us, struct torus_error *err);
void torus_replay_only_free(struct torus_replay_only *list);

/* Return the nodes as in struct torus_job: NULL for all. */
static inline const uint64_t *
torus_replay_only_map(const struct torus_replay_only *only)
{
	return only->all ? NULL : only->set->map;
}

/* outages.c: outages (torus/ask.h) of a journal's jobs, by their number there. */

/* Conversion of journal times to the replay's clock: gaps since the first
 * submission are divided by load_scale. */
struct torus_replay_clock {
	int64_t first_us;
	double load_scale;
};

/* All outages read, the latest first; NULL = empty. */
struct torus_replay_outages;

/*
 * Add the outages of a journal line (format/journal.h); the text is modified.
 * Earlier outages with the same number stay valid for their jobs. Return 0, or
 * -1 with ENOMEM, or with EINVAL and a line in err.
 */
int torus_replay_outages_add(struct torus_replay_outages **list,
			     const struct torus_machine *m, char *text,
			     const struct torus_replay_clock *clock,
			     struct torus_error *err);
/* Return the latest outages with that number; NULL if there are none, and for
 * 0. */
const struct torus_outages *
torus_replay_outages_find(const struct torus_replay_outages *list,
			  uint64_t number);
void torus_replay_outages_free(struct torus_replay_outages *list);

/* Outages by rules (outages.c). Add a rule to the options. Return 0, or -1 with EINVAL
 * and a line in err. */
int torus_replay_outage_rule_add(struct torus_replay_options *options,
				 const char *text, struct torus_error *err);
/*
 * Make the outages of options->outage from first_us, the first submission, on; 0 on the
 * trace's clock is unix_start seconds since 1970. The caller frees them. Return 0, or -1
 * with ENOMEM, or with EINVAL and a line in err.
 */
int torus_replay_outages_create(struct torus_replay_outages **to,
				const struct torus_machine *m,
				const struct torus_replay_options *options,
				int64_t first_us, int64_t unix_start,
				struct torus_error *err);
/* Drop the outages that have ended. */
void torus_replay_outages_pass(struct torus_replay_outages *to, int64_t now_us);
const struct torus_outages *
torus_replay_outages_all(const struct torus_replay_outages *to);
/* Return the longest time without an outage of all nodes; a longer job never starts. */
int64_t torus_replay_outages_longest(const struct torus_replay_outages *to);
/* Return the bits of the first `rules` of options->outage that have no outage before
 * last_us. */
uint32_t torus_replay_outages_unmet(const struct torus_replay_outages *to,
				    uint32_t rules, int64_t last_us);

struct torus_replay_job {
	struct torus_job job;           /* first: the scheduler returns it */
	struct torus_replay_job *spare; /* next unused job */
	enum torus_trace_kind kind;     /* other kinds are not jobs and use only
					   submitted_us, limit_us (below 0:
					   none), only and requested */
	uint32_t room;                  /* alternatives that fit into the memory
					   of its request; the next job in its
					   place takes it over */
	int64_t submitted_us;           /* time of submission */
	int64_t held_us; /* between its submission and submitted_us */
	int64_t left_us; /* time of withdrawal, or TORUS_NO_TIME */
	int64_t run_us;
	struct torus_replay_only *only;     /* the nodes that it may use, in
					       the order of time, or NULL */
	struct torus_replay_only *only_now; /* the latest one in effect */
	uint32_t changes,
		changed; /* changes of its limit: number, and how many took effect */
	uint32_t change_room; /* kept for the next job in its place */
	struct torus_trace_change *change;
	int64_t started_us; /* if running */
	int64_t ran_us;     /* run time before preemptions */
	int64_t limit_us;   /* limit of a whole run */
	uint32_t lost;      /* runs lost to faults */
	uint32_t requested, granted;
	uint64_t stay;  /* stay number in the journal, or 0 */
	uint64_t begun; /* stay number of a job that ran before the journal
			   began, or 0 */
	struct torus_text text; /* for kinds STATE, LINK, OUTAGES */
	uint64_t line;          /* line in the trace, for other kinds */
	const char *note;       /* remark in the schedule, or NULL */
	char id[TORUS_TRACE_ID_SIZE];
	struct torus_job_owner owner;
};

/* Zeroed = empty; without a machine no job may have restricted nodes. */
struct torus_replay_jobs {
	const struct torus_machine *machine;
	struct torus_replay_job *spare;
	struct torus_replay_block *blocks;
	struct torus_replay_sets sets; /* sets of nodes that jobs may use */
	int64_t first_submit_us;       /* origin of load_scale */
	bool begun;
	uint64_t made;
};

void torus_replay_jobs_free(struct torus_replay_jobs *jobs);

/*
 * Apply the transforms in DESIGN.md's order: sizes, run times, submit times,
 * rounding to the microsecond, the deadline. Return NULL with ENOMEM, or with
 * EINVAL and a line in err (a shape cannot be scaled; a time is out of bounds).
 */
struct torus_replay_job *
torus_replay_job_make(struct torus_replay_jobs *jobs,
		      const struct torus_replay_options *options,
		      const struct torus_trace_record *record,
		      struct torus_error *err);
void torus_replay_job_drop(struct torus_replay_jobs *jobs,
			   struct torus_replay_job *job);

/* Return n scaled and rounded according to the options: at least 1, at most
 * UINT32_MAX. */
uint32_t torus_replay_size(const struct torus_replay_options *options,
			   uint32_t n);

#endif
