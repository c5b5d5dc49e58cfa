/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the event engine (replay.h): engine.c advances from instant to
 * instant, engine_journal.c handles lines that only a journal has. */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include "replay/ends.h"
#include "replay/faults.h"
#include "replay/idle.h"
#include "replay/jobs.h"
#include "replay/pipe.h"
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
	bool usage_begun; /* the journal's usage of this begin */
	struct torus_replay_jobs jobs;
	struct torus_replay_job *next; /* next job to submit; NULL: none */
	struct torus_ends ends;
	struct torus_ends leaves; /* withdrawals of queued jobs */
	struct torus_ends moves; /* changes of the nodes that queued jobs may use */
	struct torus_ends changes; /* changes of running jobs' limits */
	int64_t now_us, wake_us;
	uint64_t starts, order, passes, instants;
	uint64_t granted; /* nodes granted now */
	size_t queued;
	uint32_t *untracked_slots; /* slots of untracked nodes */
	uint32_t untracked, untracked_room;
	int64_t untracked_us; /* time of the line about untracked nodes */
	uint64_t untracked_count;
	struct torus_pass_limit limit; /* limit of this instant's pass */
	struct torus_pipe *pipe;       /* of the discipline `pipe` */
	uint32_t idle_passes;  /* by a policy that starts nothing, in turn */
	int64_t pass_began_ns; /* begin of the pass */
	struct torus_text begun_with;  /* state lines of this instant */
	struct torus_text promised;    /* promise lines of this instant */
	bool no_promises;              /* the promises in the journal are of
					  another discipline or machine */
	struct torus_text *begin_more; /* the next line continues this text */
	struct torus_replay_outages *outages;
	struct torus_replay_outages *outage_rules; /* by the options; NULL: none */
	struct torus_text outage_text; /* outages text, continued on the next line */
	struct torus_link_list links; /* unhealthy links according to the trace */
	bool links_changed;
	struct torus_faults *faults;   /* NULL: none */
	struct torus_weights *weights; /* according to the trace */
	bool weights_changed;
	struct torus_text weights_text; /* of a line in pieces */
	bool weights_kept; /* the journal is of another machine: torus.yaml's */
	struct torus_link_list links_failed; /* unhealthy links due to faults */
	struct torus_link_list links_all;    /* scratch: both */
	uint64_t *out,
		*out_failed; /* nodes out of service: by the trace, by faults */
	bool changed;        /* limits, nodes or links changed */
	bool dilated;        /* expected ends moved in this instant */
	struct torus_idle_answers idle_answers;
	uint64_t *memory; /* memory of the machine bitmaps */
	struct torus_scratch scratch;
	uint64_t *present;      /* nodes of the machine */
	struct torus_error why; /* why the latest job was rejected */
};

/* Add a line to err. Return FAILED, with errno (ENOMEM if it is 0). */
__attribute__((cold)) enum torus_replay_answer
torus_engine_failed(struct engine *e, const char *what);
__attribute__((cold)) enum torus_replay_answer
torus_engine_no_memory(struct engine *e, const char *what);

/*
 * engine_faults.c: begin, once the first instant is known; return the time of
 * the next fault, if one can matter; apply the faults due now; withhold failed
 * nodes.
 */
enum torus_replay_answer torus_engine_faults_begin(struct engine *e);
int64_t torus_engine_faults_next(struct engine *e);
enum torus_replay_answer torus_engine_faults(struct engine *e);
void torus_engine_set_out(struct engine *e);

/* engine.c: finish a job: write the schedule, add to the sums. */
enum torus_replay_answer torus_engine_finish(struct engine *e,
					     struct torus_replay_job *job,
					     enum torus_outcome outcome,
					     const char *reason);

/* engine_decide.c: run passes until none preempts a job, and carry out their
 * decisions; finish a job as rejected, also one that was in the queue. */
enum torus_replay_answer torus_engine_decide(struct engine *e);
/* Report that the policy leaves an idle machine idle; `and` ends the line. */
enum torus_replay_answer torus_engine_policy_idles(struct engine *e,
						   const char *and);
enum torus_replay_answer torus_engine_reject(struct engine *e,
					     struct torus_replay_job *job,
					     const char *reason);
enum torus_replay_answer torus_engine_reject_queued(struct engine *e,
						    struct torus_replay_job *job,
						    const char *reason);

/*
 * engine_begin.c: read a line of what a scheduler begins with; apply the state
 * in the lines so far, if any (jobs: also lines about jobs whose nodes came
 * later); take over a job that has nodes; and, after all pending jobs have been
 * submitted, resume the promises.
 */
enum torus_replay_answer torus_engine_begin_line(struct engine *e,
						 const struct torus_text *text);
enum torus_replay_answer torus_engine_begin_state(struct engine *e, bool jobs);
enum torus_replay_answer torus_engine_adopt(struct engine *e,
					    struct torus_replay_job *job);
enum torus_replay_answer torus_engine_resume(struct engine *e);

/* dilate.c: --contention: jobs that share links take longer (torus/contention.h). */

/* Check that the model covers the machine's places, regions of a torus. Return
 * 0, or -1 with EINVAL and a line in err for each torus that it does not
 * cover. */
int torus_dilate_supports(const struct torus_machine *m,
			  struct torus_error *err);

/* Return true if places of this machine can share links (boxes cannot). */
bool torus_dilate_matters(const struct torus_machine *m);

/*
 * Start a job at `now`: move the future ends of the jobs that it slows, and all
 * expected ends in the state, including its own. *end_us: when the job will
 * end; *latest_us: the last end that moved, or the same. Return whether
 * anything moved. No time exceeds TORUS_NO_TIME. O(running x dimensions x
 * extent).
 */
bool torus_dilate_start(struct torus_ends *ends, struct torus_state *state,
			const struct torus_replay_job *job, int64_t now_us,
			int64_t *end_us, int64_t *latest_us);

/* check.c: --check: invariants of every schedule, verified independently of the
 * scheduler. */

/* Check a job started at `now`: not before its submission, only once, on a
 * place of its own that is large enough. */
bool torus_check_start(struct torus_scheduler *s,
		       const struct torus_replay_job *job, int64_t now_us,
		       struct torus_error *err);

/* Check an instant after all its events: the state is sound, `running` jobs
 * hold `granted` nodes, `queued` jobs wait in order. */
bool torus_check_instant(struct torus_scheduler *s, int64_t now_us,
			 size_t running, size_t queued, uint64_t granted,
			 struct torus_error *err);

#endif
