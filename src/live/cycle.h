/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/torus's cycle without Slurm: a mirror of the host's job table that
 * feeds the scheduler (torus/scheduler.h), and the orders that come out of a
 * pass. A host (slurmctld, or a test) goes round like this:
 *
 *	cycle_begin()                          with the host's locks:
 *	cycle_pending_unchanged(), cycle_add_pending()           each job that could start
 *	cycle_running_unchanged(), cycle_add_running()            each job that has nodes
 *	cycle_add_untracked(), cycle_set_out()                other nodes in use, or out
 *	cycle_update()                         without them:
 *	cycle_plan()                             a pass
 *	cycle_order(), cycle_order_done()            with them: each order in turn
 *
 * What the host does not name any more has ended or was withdrawn. The mirror
 * stays from cycle to cycle: disciplines get the events that the replayer
 * would give them, in the same order (ends, then submits, then a pass), and
 * keep what they promised.
 *
 * One thread at a time. Nothing here waits, logs or looks at a clock.
 */
#ifndef LIVE_CYCLE_H
#define LIVE_CYCLE_H

#include "format/journal.h"

struct cycle;

/* Which of the host's pending jobs: one per partition that the job names and
 * per task of an array that may start. */
struct cycle_name {
	uint32_t job;
	uint32_t part;
	uint32_t copy;
};

/* A pending job as the host sees it. */
struct cycle_pending_job {
	struct cycle_name name;
	uint64_t key;        /* hash of what is below; without priority,
				allowed and outages */
	int64_t eligible_us; /* waits count from here; hosts know it to the
				second */
	int64_t limit_us;
	int64_t least_us;    /* a limit so short will do, if it then starts now;
			     0: limit_us alone */
	int64_t step_us;     /* of which such a limit is a multiple */
	int64_t deadline_us; /* or TORUS_NO_TIME */
	double priority;
	const uint64_t *allowed;  /* of cycle_node_set() */
	const uint64_t *required; /* of cycle_node_set(): nodes among these that
				     its place must hold (required.c) */
	const struct torus_outages *outages; /* of cycle_outages() */
	struct torus_request request;
	bool shares;  /* others that share may be on its nodes (sharing.c) */
	bool spreads; /* but idle nodes come first */
	bool unchanged; /* the cycle's own: only allowed and outages have changed */
};

/* A job that has nodes. */
struct cycle_running_job {
	uint32_t job;
	int64_t start_us, end_us; /* expected end */
	/* NULL, or scattered: the nodes alone */
	const struct torus_placement *place;
	const uint64_t *nodes; /* machine bitmap */
	bool shares;           /* others may be on its nodes */
};

/* A question to the host: may this job start beside those that share nodes? */
struct cycle_guest {
	struct cycle_name name;
	uint64_t key;
	int64_t limit_us;
	const uint64_t *nodes; /* shared or idle; some may be its */
	uint32_t count;        /* of them */
	uint64_t stamp;        /* equal: no more nodes are shared than then */
	struct mirror_entry *entry; /* the cycle's own */
	/* the answer, if it has started */
	const uint64_t *got; /* its nodes: machine bitmap */
	int64_t end_us;      /* expected */
};

enum cycle_result {
	CYCLE_STARTED, /* it runs (or, for a rejection: it is rejected) */
	CYCLE_UNFIT,   /* these nodes are not fit for it: try others */
	CYCLE_LATER,   /* it cannot start now, for other reasons */
	CYCLE_JOINED,  /* it runs, but beside others (cycle_share_order()) */
};

/* What a pass decided. */
struct cycle_order {
	struct cycle_name name;
	uint64_t key;
	const char *reject_reason; /* why it is turned down; NULL: start it */
	uint32_t alternative;      /* of its request */
	bool backfilled;           /* a job in front of it still waits */
	int64_t limit_us;          /* less than its own: cycle_shorten() */
	struct torus_placement place;
	const uint64_t *nodes; /* machine bitmap */
};

#define CYCLE_BLOCKERS 16 /* jobs, and nodes, that are named of each job */

struct cycle_holder {
	uint32_t job;
	int64_t end_us; /* expected; INT64_MAX: unknown */
};

/* Who is in the way of a job: of its place, if it has one, else of the nodes
 * that it may use. */
struct cycle_blockers {
	uint32_t holders; /* jobs that hold some of these nodes */
	uint32_t outs;    /* of the nodes, those out of service */
	struct cycle_holder holder[CYCLE_BLOCKERS]; /* the first to end */
	uint32_t out[CYCLE_BLOCKERS]; /* the first; machine bits */
};

/* What a queued job may expect. */
struct cycle_promise {
	struct cycle_name name;
	bool head;        /* nobody is before it */
	int64_t start_us; /* or TORUS_NO_TIME */
	int64_t end_us;
	int64_t forecast_us; /* of cycle_forecast(), or TORUS_NO_TIME */
	uint32_t alternative;
	const struct torus_placement *place; /* NULL: not settled */
	const uint64_t *nodes;               /* of the place */
	const char *reason; /* what blocks it, or NULL: those before it */
	const struct cycle_blockers *blockers; /* or NULL: not in question */
	const struct torus_request *request;
};

/* tries: places offered to a job whose nodes turn out unfit. Machine and
 * settings' discipline must outlive it. NULL with errno, and lines in err. */
struct cycle *cycle_create(const struct torus_machine *m,
			   const struct torus_scheduler_settings *settings,
			   uint32_t tries, struct torus_error *err);
void cycle_destroy(struct cycle *c);

/*
 * Begin with a machine state as torus_state_save() wrote it: where regions were
 * cut before matters to strategies that remember. Only before the first
 * snapshot, which says who of its jobs still runs. -1 with errno: the cycle is
 * of no more use.
 */
int cycle_restore(struct cycle *c, const char *text);

/* A snapshot. -1 with ENOMEM. cycle_node_set(): the one copy of such a bitmap,
 * *out NULL where it holds every node. cycle_outages(): the same of outages
 * (whose number is not looked at), *out NULL where there are none. Both stay
 * until the next snapshot is complete, nodes as long as a waiting job has
 * them. */
void cycle_begin(struct cycle *c, int64_t now_us);
int cycle_node_set(struct cycle *c, const uint64_t *map, const uint64_t **out);
int cycle_outages(struct cycle *c, const struct torus_outages *outages,
		  const struct torus_outages **out);
bool cycle_pending_unchanged(struct cycle *c, const struct cycle_name *name,
			     uint64_t key, const uint64_t *allowed,
			     const struct torus_outages *outages,
			     double priority);
int cycle_add_pending(struct cycle *c, const struct cycle_pending_job *job);
/* On so many nodes (0: on all that it began with). False: the cycle does not
 * know it so; call cycle_add_running(). */
bool cycle_running_unchanged(struct cycle *c, uint32_t job, uint32_t nodes,
			     int64_t start_us, int64_t end_us);
/* It ends, but its nodes are not free yet: as if it still ran. */
bool cycle_completing(struct cycle *c, uint32_t job);
int cycle_add_running(struct cycle *c, const struct cycle_running_job *use);
void cycle_add_untracked(struct cycle *c, const uint64_t *nodes, int64_t end_us);
void cycle_set_out(struct cycle *c, const uint64_t *out);
/* -1 with errno: the links stay as they were. */
int cycle_set_links(struct cycle *c, const struct torus_link_list *links);

/* A number that says which jobs share nodes: another one, and waiting jobs may
 * join where nothing else has changed. */
void cycle_sharers(struct cycle *c, uint64_t hash);

/* Bring the mirror up to date with the snapshot. -1 with ENOMEM: what could
 * not be reported is reported next time. */
int cycle_update(struct cycle *c);

/* Return true if the last update brought the scheduler any event. Without news
 * there is no pass: what a discipline decides may depend on when it is asked,
 * and a replay asks only when something happens, or when it wants to be asked.
 */
bool cycle_has_news(const struct cycle *c);

/* One pass at `now`, or, where an order of the pass before has failed, later
 * (if only by a microsecond); and one more each time that the queue's head is
 * set aside. Number of orders. */
uint32_t cycle_plan(struct cycle *c, int64_t now_us);
const struct cycle_order *cycle_order(const struct cycle *c, uint32_t i);

/*
 * What became of order i. STARTED: the job's number is `job` now (a task of
 * an array gets one of its own). UNFIT: without the nodes in `unfit` (NULL:
 * without all of the order's) there may be a place for it.
 */
void cycle_order_done(struct cycle *c, uint32_t i, enum cycle_result result,
		      uint32_t job, const uint64_t *unfit);
/*
 * Jobs that share nodes. Before the host carries out order i: true if the job
 * could start beside others (*g) instead; where the host has done that the order
 * is CYCLE_JOINED. After the orders, the waiting jobs: start() (without the
 * host's locks), then next() until it is false. done() after each question. A job
 * that joins has to begin at most two seconds after `now`.
 */
bool cycle_share_order(struct cycle *c, uint32_t i, int64_t now_us,
		       struct cycle_guest *g);
void cycle_share_start(struct cycle *c, int64_t now_us);
bool cycle_share_next(struct cycle *c, struct cycle_guest *g);
void cycle_share_done(struct cycle *c, const struct cycle_guest *g, bool joined);
/* Return true if the host is to be asked although there is no news. */
bool cycle_share_news(const struct cycle *c);

/*
 * A dry run: instead of cycle_order_done() for each order of the latest pass.
 * The watcher is told where jobs would have started, and the cycle is as if there
 * had been no orders: the next snapshot shows what the host did itself.
 */
void cycle_take_back(struct cycle *c);

/* After the orders: let jobs that may run shorter start with a shorter limit,
 * in another pass. */
void cycle_shorten(struct cycle *c);

/* Return true if that calls for another pass. */
bool cycle_needs_pass(const struct cycle *c);

/* When to plan again though nothing happens, or TORUS_NO_TIME. */
int64_t cycle_wake_at(const struct cycle *c);
/* When to take a snapshot again, or TORUS_NO_TIME: a job that was set aside may have
 * a place then, or is to be offered those once more that were unfit. */
int64_t cycle_retry_at(const struct cycle *c);
uint32_t cycle_queued(const struct cycle *c);

/*
 * The first `most` queued jobs in queue order, the first `explained` of them
 * with a reason, then those set aside, until each() returns false.
 */
void cycle_promises(struct cycle *c, uint32_t most, uint32_t explained,
		    bool (*each)(void *arg, const struct cycle_promise *p),
		    void *arg);

/*
 * Forecast when the first `most` queued jobs start, if every job runs as long
 * as it may and nobody else comes; cycle_promises() hands it on. Nothing that
 * decides is changed. Takes budget_us and the look at one job at most; jobs
 * that are not reached have no forecast.
 */
void cycle_forecast(struct cycle *c, uint32_t most, int64_t budget_us);

/*
 * What queued jobs have been promised, as text for another cycle: of a later
 * configuration, or of a host that was restarted. Append it. -1 with ENOMEM.
 */
int cycle_save_promises(struct cycle *c, struct torus_text *text);
/*
 * Keep those promises, of the same discipline, after the first cycle_update().
 * Only reservations that no running job, reservation or outage disturbs are
 * made again; the jobs must ask what they asked then. -1 with ENOMEM or EINVAL
 * and a line in err: the promises in front of it are kept.
 */
int cycle_restore_promises(struct cycle *c, const char *text,
			   struct torus_error *err);

/* A pass was cut (torus_scheduler_limit()) after that many jobs. */
struct cycle_cut {
	int64_t at_us;
	uint64_t steps;
	uint32_t left; /* jobs not looked at */
};

/* Watches the cycle, from the first snapshot; called from cycle_update(),
 * cycle_plan() and cycle_order_done(). What is pointed to is valid during the call
 * only. */
struct cycle_watch {
	/* The first snapshot has been told: the cycle begins with this machine
	 * state (torus_state_renew(); NULL: memory was short), and with the
	 * stays that are told next. May be NULL. */
	void (*begin)(void *arg, int64_t now_us, const char *state);
	/* A job's stay began, is over, or something about it has changed. */
	void (*stay)(void *arg, const struct journal_stay *s);
	/* Other nodes than before are out of service or in use. */
	void (*nodes)(void *arg, const struct journal_nodes *n);
	void *arg;
	void (*cut)(void *arg, const struct cycle_cut *cut);
	/* After the stays that the cycle begins with: what their jobs have been
	 * promised, in the order of the queue. May be NULL. */
	void (*promised)(void *arg, const struct journal_promised *p);
	/* A job has nodes that no pass gave to it; its stay is told next. May be
	 * NULL. */
	void (*came)(void *arg, int64_t now_us, const struct torus_hold *hold);
	/* Outages that the stays told next may have. May be NULL. */
	void (*outages)(void *arg, int64_t now_us,
			const struct torus_outages *o);
	/* A pass comes although nothing happened and the scheduler did not ask
	 * for it. May be NULL. */
	void (*pass)(void *arg, int64_t now_us);
	/* A dry run: the job would start there, or (NULL) be turned down; once,
	 * and when that changes. May be NULL. */
	void (*would)(void *arg, int64_t now_us, uint32_t job,
		      const struct torus_placement *place);
};
void cycle_watch(struct cycle *c, const struct cycle_watch *watch);
/* The time up to which the watcher knows everything, after the orders
 * of a pass. */
int64_t cycle_now(const struct cycle *c);

/* See torus_scheduler_limit(); and how long a pass is to take (0: as long as it
 * does), by the settings. The jobs that the latest pass left. */
void cycle_limit(struct cycle *c, const struct torus_pass_limit *limit);
int64_t cycle_budget_us(const struct cycle *c);
uint32_t cycle_left(const struct cycle *c);

/* Scheduler and state, for tests. */
struct torus_scheduler *cycle_scheduler(struct cycle *c);
bool cycle_check(struct cycle *c, struct torus_error *err);

#endif
