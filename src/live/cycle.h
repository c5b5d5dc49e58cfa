/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle of a live host, without Slurm: a mirror of the host's job table that
 * reports events to the scheduler (torus/scheduler.h), and the orders that a pass
 * makes. The agent (agent.h) calls it like this:
 *
 *	cycle_begin()                                 with the host's locks:
 *	waiting_unchanged(), waiting_add()  each job that may start
 *	running_unchanged(), running_add()  each job that has nodes
 *	untracked_add(), cycle_set_out()          other busy nodes; outages
 *	cycle_update()                                without them:
 *	orders_plan()                                    a pass
 *	orders_get(), orders_done()             with them: each order
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
 * that may start. `part` also counts the host's QOS. */
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
	const uint64_t *allowed;  /* of node_sets_add() */
	const uint64_t *required; /* of node_sets_add(): nodes among these that
				     its place must hold (required.c) */
	const struct torus_outages *outages; /* of outages_add() */
	const struct torus_job_owner *owner; /* of owners_add() */
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
	const uint64_t *nodes;               /* machine bitmap */
	const struct torus_job_owner *owner; /* of owners_add() */
	bool shares;                         /* it may share nodes */
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
	CYCLE_JOINED,  /* the job runs beside others (sharing_order()) */
};

/* A decision of a pass. */
struct cycle_order {
	struct cycle_name name;
	uint64_t key;
	const char *reject_reason; /* NULL: start the job */
	uint32_t alternative;      /* of its request */
	bool backfilled;           /* a job before it still waits */
	int64_t limit_us;          /* may be shortened: shorten_orders() */
	struct torus_placement place;
	const uint64_t *nodes; /* machine bitmap */
};

#define CYCLE_BLOCKERS 16 /* most jobs, and nodes, named per job */

struct cycle_holder {
	struct plan_file_id id;
	int64_t end_us; /* expected; INT64_MAX: unknown */
};

/* The jobs and nodes that block a queued job: within its promised place; without one,
 * within the place whose last holder ends first; else within its allowed nodes. */
struct cycle_blockers {
	bool place;       /* within a place */
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
	bool for_shape;   /* it waits for its shape: enough nodes are free */
	int64_t start_us; /* or TORUS_NO_TIME */
	int64_t end_us;
	int64_t forecast_us; /* of forecast_run(), or TORUS_NO_TIME */
	const uint64_t *forecast_nodes; /* NULL: unknown */
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

/* A snapshot. -1 with ENOMEM. node_sets_add() returns the cycle's one copy of a
 * bitmap; *out is NULL if it has every node. outages_add() does the same for
 * outages (their number is ignored); *out is NULL if there are none. Both are
 * valid until the next snapshot is complete, and bitmaps as long as a waiting job
 * has them. */
void cycle_begin(struct cycle *c, int64_t now_us);
void cycle_set_out(struct cycle *c, const uint64_t *out);
/* Set the nodes that reasons call not responding if they are out of service. */
void cycle_set_silent(struct cycle *c, const uint64_t *silent);
/* Set the links that are down or weak, from the next update on. Call it before or
 * within a snapshot. -1 with errno, and the links unchanged. */
int cycle_set_links(struct cycle *c, const struct torus_link_list *links);

/* Set the node weights in the same way; they are copied. */
int cycle_set_weights(struct cycle *c, const struct torus_weights *weights);

/* Update the mirror from the snapshot and report events to the scheduler. -1 with
 * ENOMEM; the next update reports the events that are left. */
int cycle_update(struct cycle *c);

/* Return true if the last update reported an event. Without an event there is no
 * pass: a decision may depend on the time of the pass, and a replay has passes
 * only after events and at the times that the discipline asks for. */
bool cycle_has_news(const struct cycle *c);

/* Return true if waiting jobs may join though there was no event. */
bool cycle_share_news(const struct cycle *c);

/* Return when a pass is needed without an event, or TORUS_NO_TIME. */
int64_t cycle_wake_at(const struct cycle *c);
/* Return when a snapshot is needed without an event, or TORUS_NO_TIME: a job that
 * was set aside may then have a place, or is offered unfit places again. */
int64_t cycle_retry_at(const struct cycle *c);
uint32_t cycle_queued(const struct cycle *c);

/* Set the limit of passes (torus_scheduler_pass_limit()); return the settings' longest
 * pass (0: no limit); return the jobs that the latest pass left to the next. */
void cycle_limit(struct cycle *c, const struct torus_pass_limit *limit);
int64_t cycle_budget_us(const struct cycle *c);
uint32_t cycle_left(const struct cycle *c);

/* Scheduler and state, for tests. */
struct torus_scheduler *cycle_scheduler(struct cycle *c);
bool cycle_check(struct cycle *c, struct torus_error *err);

#endif
