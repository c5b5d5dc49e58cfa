/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle of a live host, without Slurm: a mirror of the host's job table that
 * reports events to the scheduler (torus/scheduler.h), and the orders that a pass
 * makes. The agent (agent.h) calls it like this:
 *
 *	cycle_begin()                                 with the host's locks:
 *	cycle_pending_unchanged(), cycle_add_pending()  each job that may start
 *	cycle_running_unchanged(), cycle_add_running()  each job that has nodes
 *	cycle_add_untracked(), cycle_set_out()          other busy nodes; outages
 *	cycle_update()                                without them:
 *	cycle_plan()                                    a pass
 *	cycle_order(), cycle_order_done()             with them: each order
 *
 * A job that a snapshot does not name has ended or was withdrawn. The mirror
 * lives from cycle to cycle. So disciplines get the events that a replay gives
 * them, in the same order (ends, then submits, then a pass), and keep their
 * promises.
 *
 * One thread at a time. No function waits, logs or reads a clock.
 */
#ifndef LIVE_CYCLE_H
#define LIVE_CYCLE_H

#include "format/journal.h"
#include "format/plan_file.h"

struct cycle;

/* The name of a pending job: one per partition of the job and per task of an array
 * that may start. */
struct cycle_name {
	uint32_t job;
	uint32_t part;
	uint32_t copy;
};

/* A pending job in the host's records. */
struct cycle_pending_job {
	struct cycle_name name;
	uint64_t key;        /* hash of the fields below, without priority,
				allowed and outages */
	int64_t eligible_us; /* waits count from here; in whole seconds */
	int64_t limit_us;
	int64_t least_us;    /* least acceptable limit if it starts now (Slurm's
				--time-min); 0: limit_us only */
	int64_t step_us;     /* such a limit is a multiple of this */
	int64_t deadline_us; /* or TORUS_NO_TIME */
	double priority;
	const uint64_t *allowed;  /* of cycle_node_set() */
	const uint64_t *required; /* of cycle_node_set(): nodes among these that
				     its place must hold (required.c) */
	const struct torus_outages *outages; /* of cycle_outages() */
	struct torus_job_request request; /* the host's memory: it is copied */
	bool shares;                      /* it may share nodes (sharing.c) */
	bool spreads;                     /* but it prefers idle ones */
	bool unchanged; /* set by the cycle: only allowed and outages changed */
};

/* A running job in the host's records. */
struct cycle_running_job {
	uint32_t job;
	int64_t start_us, end_us; /* expected end */
	/* NULL or scattered: only `nodes` counts */
	const struct torus_placement *place;
	const uint64_t *nodes; /* machine bitmap */
	bool shares;           /* it may share nodes */
};

/* An offer to the host: start this job beside the jobs that share nodes. */
struct cycle_guest {
	struct cycle_name name;
	uint64_t key;
	int64_t limit_us;
	const uint64_t *nodes; /* shared or idle nodes that it may use */
	uint32_t count;        /* of these nodes */
	uint64_t stamp;        /* equal stamps: no further node is shared */
	struct mirror_entry *entry; /* for the cycle */
	/* the host's answer, if the job has started */
	const uint64_t *got; /* its nodes: machine bitmap */
	int64_t end_us;      /* expected */
};

enum cycle_result {
	CYCLE_STARTED, /* the job runs (or is rejected, as ordered) */
	CYCLE_UNFIT,   /* the nodes are unfit for the job: try others */
	CYCLE_LATER,   /* the job cannot start now, for other reasons */
	CYCLE_NEVER,   /* no nodes of the host suit the job, as long as neither
			  changes: ask again rarely */
	CYCLE_JOINED,  /* the job runs beside others (cycle_share_order()) */
};

/* A decision of a pass. */
struct cycle_order {
	struct cycle_name name;
	uint64_t key;
	const char *reject_reason; /* NULL: start the job */
	uint32_t alternative;      /* of its request */
	bool backfilled;           /* a job before it still waits */
	int64_t limit_us;          /* may be shortened: cycle_shorten() */
	struct torus_placement place;
	const uint64_t *nodes; /* machine bitmap */
};

#define CYCLE_BLOCKERS 16 /* most jobs, and nodes, named per job */

struct cycle_holder {
	struct plan_file_id id;
	int64_t end_us; /* expected; INT64_MAX: unknown */
};

/* The jobs and nodes that block a queued job: within its place, or within its
 * allowed nodes if it has no place. */
struct cycle_blockers {
	uint32_t holders; /* number of jobs that hold such nodes */
	uint32_t outs;    /* number of such nodes out of service */
	uint32_t silents; /* number of those that do not respond */
	struct cycle_holder holder[CYCLE_BLOCKERS]; /* the first to end */
	uint32_t out[CYCLE_BLOCKERS]; /* the first, those that do not respond
					 before all others; machine bits */
};

/* A queued job's promise or forecast, and its reason. */
struct cycle_promise {
	struct cycle_name name;
	struct plan_file_id id; /* of name.job */
	bool head;              /* first in the queue */
	int64_t start_us;       /* or TORUS_NO_TIME */
	int64_t end_us;
	int64_t forecast_us; /* of cycle_forecast(), or TORUS_NO_TIME */
	uint32_t alternative;
	const struct torus_placement *place;   /* NULL: none yet */
	const uint64_t *nodes;                 /* of the place */
	const char *reason;                    /* NULL: the jobs before it */
	const struct cycle_blockers *blockers; /* NULL: not computed */
	const struct torus_job_request *request;
};

/* Create a cycle. `tries`: how many places a job is offered while the host finds
 * them unfit. The machine and the settings' discipline must outlive it. NULL with
 * errno and lines in err. */
struct cycle *cycle_create(const struct torus_machine *m,
			   const struct torus_scheduler_settings *settings,
			   uint32_t tries, struct torus_error *err);
void cycle_destroy(struct cycle *c);

/*
 * Begin with a machine state that torus_state_save() wrote, for strategies that
 * remember. Call it before the first snapshot, which says which of its jobs still
 * run. -1 with errno; the cycle is then invalid.
 */
int cycle_restore(struct cycle *c, const char *text);

/* A snapshot. -1 with ENOMEM. cycle_node_set() returns the cycle's one copy of a
 * bitmap; *out is NULL if it has every node. cycle_outages() does the same for
 * outages (their number is ignored); *out is NULL if there are none. Both are
 * valid until the next snapshot is complete, and bitmaps as long as a waiting job
 * has them. */
void cycle_begin(struct cycle *c, int64_t now_us);
int cycle_node_set(struct cycle *c, const uint64_t *map, const uint64_t **out);
int cycle_outages(struct cycle *c, const struct torus_outages *outages,
		  const struct torus_outages **out);
bool cycle_pending_unchanged(struct cycle *c, const struct cycle_name *name,
			     uint64_t key, const uint64_t *allowed,
			     const struct torus_outages *outages,
			     double priority);
int cycle_add_pending(struct cycle *c, const struct cycle_pending_job *job);
/* Report a running job without changes, on `nodes` nodes (0: on all its first
 * ones). False: the mirror differs; call cycle_add_running(). */
bool cycle_running_unchanged(struct cycle *c, uint32_t job, uint32_t nodes,
			     int64_t start_us, int64_t end_us);
/* Report a job that ends but still has its nodes: it counts as running. */
bool cycle_completing(struct cycle *c, uint32_t job);
int cycle_add_running(struct cycle *c, const struct cycle_running_job *use);
void cycle_add_untracked(struct cycle *c, const uint64_t *nodes, int64_t end_us);
void cycle_add_untracked_node(struct cycle *c, uint32_t bit, int64_t end_us);
void cycle_set_out(struct cycle *c, const uint64_t *out);
/* Set the nodes that reasons call not responding if they are out of service. */
void cycle_set_silent(struct cycle *c, const uint64_t *silent);
/* Set the links that are down or weak, from the next update on. Call it before or
 * within a snapshot. -1 with errno, and the links unchanged. */
int cycle_set_links(struct cycle *c, const struct torus_link_list *links);

/* Set the node weights in the same way; they are copied. */
int cycle_set_weights(struct cycle *c, const struct torus_weights *weights);

/* Name a job that is a task of an array, in a snapshot or when it has started, for
 * reasons. Without memory it is called by its number. */
void cycle_name_task(struct cycle *c, const struct plan_file_id *task);

/* Report a hash of the jobs that share nodes. After a change of it waiting jobs
 * may join, though nothing else has changed. */
void cycle_sharers(struct cycle *c, uint64_t hash);

/* Update the mirror from the snapshot and report events to the scheduler. -1 with
 * ENOMEM; the next update reports the events that are left. */
int cycle_update(struct cycle *c);

/* Return true if the last update reported an event. Without an event there is no
 * pass: a decision may depend on the time of the pass, and a replay has passes
 * only after events and at the times that the discipline asks for. */
bool cycle_has_news(const struct cycle *c);

/* Run a pass at now_us (at least a microsecond after a pass whose order failed),
 * and another one each time that the queue's head is set aside. Return the number
 * of orders. */
uint32_t cycle_plan(struct cycle *c, int64_t now_us);
const struct cycle_order *cycle_order(const struct cycle *c, uint32_t i);

/*
 * Report the result of order i. STARTED: the job's number is now `job` (a task of
 * an array gets its own). UNFIT: the next pass offers a place without the nodes in
 * `unfit` (NULL: without all of the order's).
 */
void cycle_order_done(struct cycle *c, uint32_t i, enum cycle_result result,
		      uint32_t job, const uint64_t *unfit);
/*
 * Jobs that share nodes. cycle_share_order(), before the host carries out order i,
 * returns true if the job may start beside others (*g) instead; if the host does
 * so, the order is CYCLE_JOINED. For the waiting jobs, after the orders, call
 * cycle_share_start() (without the host's locks), then cycle_share_next() until it
 * returns false. cycle_share_done() follows each offer. With g->entry NULL there is no
 * offer yet: the host may yield its locks before it asks again. A job that joins must
 * begin at most two seconds after now_us.
 */
bool cycle_share_order(struct cycle *c, uint32_t i, int64_t now_us,
		       struct cycle_guest *g);
void cycle_share_start(struct cycle *c, int64_t now_us);
bool cycle_share_next(struct cycle *c, struct cycle_guest *g);
void cycle_share_done(struct cycle *c, const struct cycle_guest *g, bool joined);
/* Return true if waiting jobs may join though there was no event. */
bool cycle_share_news(const struct cycle *c);

/*
 * A dry run: call this instead of cycle_order_done(). The journal gets the orders
 * of the latest pass, which are then taken back. The next snapshot shows what the
 * host itself has started.
 */
void cycle_take_back(struct cycle *c);

/* After the orders: choose shorter limits for jobs that accept them, for another
 * pass. */
void cycle_shorten(struct cycle *c);

/* Return true if another pass is needed. */
bool cycle_needs_pass(const struct cycle *c);

/* Return when a pass is needed without an event, or TORUS_NO_TIME. */
int64_t cycle_wake_at(const struct cycle *c);
/* Return when a snapshot is needed without an event, or TORUS_NO_TIME: a job that
 * was set aside may then have a place, or is offered unfit places again. */
int64_t cycle_retry_at(const struct cycle *c);
uint32_t cycle_queued(const struct cycle *c);

/*
 * Call each() for the first `most` queued jobs in queue order, the first
 * `explained` of them with a reason, then for those set aside, until it returns
 * false.
 */
void cycle_promises(struct cycle *c, uint32_t most, uint32_t explained,
		    bool (*each)(void *arg, const struct cycle_promise *p),
		    void *arg);

/*
 * Forecast the starts of the first `most` queued jobs, if each job runs to its
 * limit and no job is submitted; cycle_promises() has the result. Decisions do not
 * depend on it. It takes at most budget_us and the search for one job; the other
 * jobs have no forecast.
 */
void cycle_forecast(struct cycle *c, uint32_t most, int64_t budget_us);

/*
 * Append the promises to queued jobs as text, for the cycle of a later
 * configuration or of a restarted host. -1 with ENOMEM.
 */
int cycle_save_promises(struct cycle *c, struct torus_text *text);
/*
 * Restore such promises, of the same discipline, after the first cycle_update().
 * A reservation is restored only if the job's request is the same and no running
 * job, reservation or outage overlaps it. -1 with ENOMEM, or EINVAL and a line in
 * err; earlier promises of the text are restored.
 */
int cycle_restore_promises(struct cycle *c, const char *text,
			   struct torus_error *err);

/* Write the cycle's begin, stays, nodes, links and passes to a journal, from the
 * first snapshot on, within cycle_update(), cycle_plan() and cycle_order_done(). The
 * journal must outlive the cycle or cycle_journal(c, NULL). */
void cycle_journal(struct cycle *c, struct journal *journal);
/* Return the time up to which the journal has every event, after the orders of a
 * pass. */
int64_t cycle_now(const struct cycle *c);

/* Set the limit of passes (torus_scheduler_pass_limit()); return the settings' longest
 * pass (0: no limit); return the jobs that the latest pass left to the next. */
void cycle_limit(struct cycle *c, const struct torus_pass_limit *limit);
int64_t cycle_budget_us(const struct cycle *c);
uint32_t cycle_left(const struct cycle *c);

/* Scheduler and state, for tests. */
struct torus_scheduler *cycle_scheduler(struct cycle *c);
bool cycle_check(struct cycle *c, struct torus_error *err);

#endif
