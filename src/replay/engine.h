/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the event engine (replay.h): engine.c goes from instant to
 * instant, engine_journal.c has what only a journal tells. */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include "replay/ends.h"
#include "replay/faults.h"
#include "replay/idle_cause.h"
#include "replay/jobs.h"
#include "replay/outages.h"
#include "torus/scratch.h"

struct engine {
	struct torus_trace *trace;
	const struct torus_machine *machine;
	const struct torus_replay_options *options;
	const struct torus_scheduler_settings *settings;
	const struct torus_replay_hooks *hooks;
	struct torus_metrics *metrics;
	struct torus_error *err;
	struct torus_state *state;
	struct torus_scheduler *scheduler;
	struct torus_replay_jobs jobs;
	struct torus_replay_job *next; /* to be submitted; NULL: no more */
	struct torus_ends ends;
	struct torus_ends leaves;  /* of queued jobs */
	struct torus_ends moves;   /* of the nodes that they may use */
	struct torus_ends changes; /* of running jobs' limits */
	int64_t now_us, wake_us;
	uint64_t starts, told, passes, instants;
	uint64_t granted; /* nodes, at the moment */
	size_t queued;
	uint32_t *untracked_slots; /* slots of nodes that others use */
	uint32_t untracked, untracked_room;
	int64_t untracked_us; /* when they were told */
	uint64_t untracked_count;
	struct torus_pass_limit limit; /* of this instant's pass */
	int64_t pass_until_ns;         /* of its budget */
	struct torus_text begun_with;  /* told in this instant */
	struct torus_text promised;    /* lines, the same */
	bool no_promises;              /* they are another discipline's, or
					  machine's */
	struct torus_text *begin_more; /* the next line goes on there */
	struct torus_replay_outages *outages;
	struct torus_text outage_text; /* of outages; more follows */
	struct torus_link_list links;  /* not healthy, as the trace has it */
	bool links_changed;
	struct torus_faults *faults;         /* NULL: none */
	struct torus_link_list links_failed; /* by faults */
	struct torus_link_list links_all;    /* scratch: both */
	uint64_t *out, *out_failed; /* nodes: by the trace, by faults */
	bool changed;               /* limits, nodes, links: to be told */
	bool dilated;               /* expected ends moved in this instant */
	struct torus_idle_answers idle_answers;
	uint64_t *memory; /* of the machine bitmaps */
	struct torus_scratch scratch;
	uint64_t *present;      /* the machine's nodes */
	struct torus_error why; /* why the latest job was rejected */
};

/* A line in err; FAILED, with errno (ENOMEM if it is 0). */
enum torus_replay_answer torus_engine_failed(struct engine *e, const char *what);
enum torus_replay_answer torus_engine_no_memory(struct engine *e,
						const char *what);

/* Nodes that are out or busy from now on; torus_scheduler_change() is to
 * follow. */
enum torus_replay_answer torus_engine_keep(struct engine *e,
					   const struct torus_replay_job *kept);

/*
 * engine_faults.c: begin, when the first instant is known; the time of the next
 * fault, if one can matter; what happens now; and nodes that are out from now on.
 */
enum torus_replay_answer torus_engine_faults_begin(struct engine *e);
int64_t torus_engine_faults_next(struct engine *e);
enum torus_replay_answer torus_engine_faults(struct engine *e);
void torus_engine_set_out(struct engine *e);

/* engine.c: it is over: the schedule, the sums. */
enum torus_replay_answer torus_engine_finish(struct engine *e,
					     struct torus_replay_job *job,
					     enum torus_outcome outcome,
					     const char *reason);

/* A line about a link, and the links that the lines of this instant make. */
enum torus_replay_answer torus_engine_link(struct engine *e,
					   const struct torus_replay_job *line);
enum torus_replay_answer torus_engine_set_links(struct engine *e);

/* A line about outages; a job that is to be submitted has those that it names. */
enum torus_replay_answer torus_engine_outages(struct engine *e,
					      const struct torus_text *text);
void torus_engine_restrict(const struct engine *e, struct torus_replay_job *job);

/*
 * engine_begin.c: what a scheduler begins with, and finds. A line of it; the state
 * as the lines so far say, if there are any (jobs: also if they are about jobs
 * that came to their nodes later); a job that has nodes; and, when all
 * that wait have been submitted, what they were promised.
 */
enum torus_replay_answer torus_engine_begin_line(struct engine *e,
						 const struct torus_text *text);
enum torus_replay_answer torus_engine_begin_state(struct engine *e, bool jobs);
enum torus_replay_answer torus_engine_adopt(struct engine *e,
					    struct torus_replay_job *job);
enum torus_replay_answer torus_engine_resume(struct engine *e);

/* Wait for what comes next of a job that has changes or only_now, 0 or -1 with
 * ENOMEM, or for nothing any more; what is due now. */
int torus_engine_await_change(struct engine *e, struct torus_replay_job *job);
void torus_engine_forget_changes(struct engine *e, struct torus_replay_job *job);
enum torus_replay_answer torus_engine_change_all(struct engine *e);
int torus_engine_await_move(struct engine *e, struct torus_replay_job *job);
void torus_engine_forget_moves(struct engine *e, struct torus_replay_job *job);
enum torus_replay_answer torus_engine_move_all(struct engine *e);

#endif
