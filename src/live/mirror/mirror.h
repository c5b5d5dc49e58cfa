/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a cycle (cycle.h): its entries, and the tables in which they
 * are found. An entry is in one of two tables, waiting or running, and in the
 * list of all entries there, oldest first.
 */
#ifndef LIVE_MIRROR_MIRROR_H
#define LIVE_MIRROR_MIRROR_H

#include "config/hostlist.h"
#include "live/cycle.h"
#include "live/orders.h"
#include "live/base/lock_hold.h"
#include "torus/placement.h"
#include "torus/scratch.h"

enum mirror_state {
	ENTRY_NEW, /* not yet submitted */
	ENTRY_QUEUED,
	ENTRY_ASIDE,   /* set aside: nodes in service leave no place, or an
			outage delays it and it would block the queue */
	ENTRY_AGAIN,   /* the host refused its place: submit it for another */
	ENTRY_REFUSED, /* the host refused to start it: wait for a change */
	ENTRY_RUNNING,
};

#define ENTRY_ALLOWED_CHANGES 128 /* the same for allowed nodes and outages */

#define UNFIT                                                                  \
	"Slurm refused the nodes of all places that were tried (CPUs, memory, GRES, other use)"

#define HOPELESS                                                               \
	"Slurm finds no nodes that suit the job (CPUs, memory, disk, GRES, features)"

/* The part of a job whose place must hold certain nodes (required.c). */
struct mirror_required {
	const uint64_t *nodes;              /* the required nodes */
	const uint64_t *candidates;         /* the nodes that the host allows */
	struct torus_alternative submitted; /* found: the one of job.request */
	/* the latest search */
	bool found;
	const uint64_t *place; /* nodes of the place */
	uint32_t alternative;
	uint64_t search_number; /* number of that search; 0: none yet */
	uint64_t generation;    /* of the state searched */
	uint32_t accepted;      /* alternatives, a bit each */
};

struct mirror_entry {
	struct torus_job job;
	struct torus_job_request request; /* owned; job.request has its
					     alternatives, or a copy of one
					     (required.c) */
	struct cycle_name name;
	enum mirror_state state;
	uint64_t key;
	uint64_t seen; /* number of the latest snapshot with it */
	/* running: as in the latest snapshot; TORUS_NODE_IDLE: in no snapshot yet */
	int64_t host_start_us, host_end_us;
	uint32_t host_nodes;          /* 0: in no snapshot yet */
	bool moved;                   /* host_end_us is not in the state yet */
	struct journal_limit *change; /* of its limit, if `started_by_pass` */
	uint32_t changes, change_room;
	double priority;      /* as the host has it */
	bool started_by_pass; /* running: a pass started it */
	bool host_started;    /* running: the host started it; reported so */
	bool start_failed;    /* its start failed: report an end */
	int64_t submitted_us; /* time of the submission */
	int64_t forecast_us;  /* queued: start by forecast_run() */
	uint64_t *forecast_nodes; /* the nodes that it then gets; owned. NULL: unknown */
	uint64_t stay;   /* number of the submission; 0: not reported */
	bool unreported; /* the journal has no line of its stay yet */
	struct cycle_pending_job *pending; /* changed: submit it again. Owned,
					      with its alternatives */
	const uint64_t *allowed; /* by the host (or its place around required
				    nodes); job.allowed may be smaller */
	struct mirror_required *required;  /* NULL: no required nodes */
	const uint64_t *submitted_allowed; /* the scheduler's */
	struct journal_allowed *allowed_before; /* earlier ones since the submission */
	uint32_t allowed_changes, allowed_room;
	const struct torus_outages *outages;
	uint64_t submitted_outages; /* their number in the scheduler, or 0 */
	int64_t retry_us;           /* set aside: search again then */
	char *outage_text;          /* buffer of outages_say() */
	uint32_t refusals;          /* unfit places in this attempt */
	uint32_t delays;            /* starts that the host refused */
	bool hopeless;              /* the latest one: CYCLE_NEVER */
	int64_t refused_us;         /* time of the latest refusal */
	int64_t pause_us; /* until the next attempt without a change */
	bool narrowed;    /* job.allowed lacks the nodes of unfit places */
	bool settled;     /* checked by set_aside() since `out` changed */
	uint64_t dry_run_order; /* dry_run.c: hash of its latest order; 0: none */
	bool shares;            /* it may share nodes */
	bool spreads;           /* it may, but prefers idle nodes */
	bool joined;            /* it runs beside other jobs: report that */
	/* shorten.c: its own limit; the shortest acceptable limit (0: its own); the
	 * step between limits; the time at which no shorter limit helped */
	int64_t full_us, least_us, step_us;
	int64_t shortened_us;
	int64_t next_limit_us; /* for its next submission; 0: none due */
	const uint64_t *next_allowed;
	const char *why;  /* the reason, if set aside or refused */
	bool lacks_nodes; /* set aside: nodes in service leave no place */
	struct mirror_entry *chain;
	struct mirror_entry *prev, *next;
};

struct mirror_table {
	struct mirror_entry **bucket;
	uint32_t buckets; /* a power of two */
	uint32_t entries;
	struct mirror_entry *first, *last;
};

/* A shared bitmap (node_sets.c). */
struct node_set {
	uint64_t hash;
	uint64_t seen; /* number of the latest snapshot with it */
	struct node_set *chain;
	uint64_t map[];
};

#define SET_BUCKETS 256

struct node_sets {
	struct node_set *bucket[SET_BUCKETS];
	uint32_t count;
	uint32_t swept_count; /* left by the latest sweep */
};

/* A running job that is not in the table yet. */
struct running_new {
	struct cycle_running_job use;
	struct torus_placement place;
	bool has_place;
	uint64_t *nodes;
};

/* The promises of a node: the first one, and the first one to another job. */
struct share_promise {
	int64_t first_us, second_us; /* TORUS_NO_TIME: none */
	uint32_t job;                /* of the first promise */
};

/* Nodes that jobs share (sharing.c). */
struct share {
	uint64_t *shared;              /* nodes used only by jobs that share */
	uint64_t *open;                /* those of them that a job may join */
	struct share_promise *promise; /* per bit */
	bool noted;                    /* promise[] is of the latest pass */
	bool joined;                   /* a job joined, not reported yet */
	bool news;                     /* the jobs that share have changed */
	uint64_t hash;                 /* of these jobs */
	uint64_t stamp;                /* grows when more nodes are shared */
	int64_t now_us;                /* the host's */
	int64_t first_us, second_us;   /* the latest of promise[] of shared and
					  of idle nodes: no node is open for
					  longer */
	uint64_t promised[64];         /* a bit per hash of the jobs of
					  promise[] */
	struct torus_job *job;         /* the next one to offer nodes */
	struct mirror_entry *next;     /* the next one after the queue */
};

#define SUBMIT_US INT64_C(500000) /* for the submissions of one update */
#define REQUIRED_BUDGET_US INT64_C(100000)

/* Searches around required nodes (required.c). */
struct required_searches {
	struct torus_plan *plan;      /* of the cycle's state */
	int64_t budget_us;            /* processor time of one update */
	struct lock_hold_limit limit; /* of this update */
	uint64_t searches;            /* searches so far */
	uint64_t began;               /* searches before this update */
	uint64_t turn;  /* searches before this turn; each job has one search in
			   a turn */
	bool missed;    /* a job was not reached, and its turn is not over */
	bool postponed; /* a job waits for the next turn */
};

struct cycle {
	const struct torus_machine *m;
	struct torus_scheduler_settings settings;
	uint32_t tries;
	struct journal *journal;      /* NULL: none */
	bool begun;                   /* the begin was reported */
	struct torus_text begun_with; /* until then: the machine state */
	uint64_t stays;               /* submissions so far */
	struct torus_state *state, *empty;
	struct torus_scheduler *scheduler;
	struct node_sets node_sets;
	struct owner **owner; /* owners.c */
	uint32_t owners, owner_room;
	struct name_table owner_names;
	struct outage_set *outages; /* of this snapshot, and older ones */
	uint64_t outage_number;
	int64_t retry_us; /* the earliest retry of a job set aside or refused */
	struct mirror_table waiting, running;
	uint32_t *holder; /* per bit, for the reasons of promises.c */
	struct torus_placement_room promise_room; /* for the head's promise */
	struct plan_file_id *task; /* of promises_name_task(), by number of the job
				      in promises_list() */
	uint32_t tasks, task_room;
	uint64_t number; /* of the snapshot */
	int64_t now_us;
	int64_t later_us; /* the next time at which a job of the host is eligible */

	struct running_new *running_new;
	uint32_t running_news, running_room;
	struct mirror_entry **fresh; /* to be submitted */
	uint32_t fresh_room;
	int64_t submit_us; /* processor time of an update's submissions */

	/* nodes in use that no entry holds (untracked.c) */
	int64_t *until_us;           /* per bit; TORUS_NODE_IDLE */
	int64_t *untracked_until_us; /* the ends of their holds */
	uint32_t *untracked;         /* slots of their holds */
	uint32_t untracked_slots;
	bool untracked_reported; /* the journal has some of them */

	struct cycle_order *order;
	struct mirror_entry **ordered; /* the orders' entries */
	uint64_t *order_maps;
	uint32_t orders, order_room;
	bool another_pass; /* one follows: a start failed, a job joined, a limit changed */
	int64_t wake_us;
	int64_t asked_us;    /* time at which the scheduler wants a pass */
	int64_t reported_us; /* time of the latest report to the journal */
	int64_t freed_us;    /* time of the latest end or change */

	/* machine bitmaps */
	uint64_t *out, *silent, *present;
	struct torus_scratch scratch;
	uint64_t *maps;
	bool out_changed;
	struct torus_link_list links; /* of cycle_set_links() */
	bool links_set, links_changed;
	struct torus_weights *weights; /* of cycle_set_weights(); NULL: none */
	bool weights_changed;
	bool reranked;   /* priorities differ from the scheduler's */
	bool news;       /* the latest update reported an event */
	bool incomplete; /* it had no memory: no pass has seen its events */
	bool changed;    /* ends or `out` changed: report it to the scheduler */
	struct share share;
	struct required_searches search;
};

#define CYCLE_CLOCK_ERROR_US                                                   \
	INT64_C(2000000) /* the host's times are in whole seconds */

/* mirror.c */
int mirror_table_init(struct mirror_table *t);
void mirror_table_free(struct mirror_table *t,
		       void (*drop)(struct mirror_entry *e));
struct mirror_entry *mirror_table_find(const struct mirror_table *t,
				       const struct cycle_name *name);
void mirror_table_add(struct mirror_table *t, struct mirror_entry *e);
void mirror_table_remove(struct mirror_table *t, struct mirror_entry *e);
void mirror_entry_free(struct mirror_entry *e);
/* Free the host's new record of a waiting job, if there is one. */
void mirror_drop_pending(struct mirror_entry *e);

/* Return the entry's text buffer of ENTRY_SENTENCE bytes; NULL without memory. */
#define ENTRY_SENTENCE 512

/* shorten.c: submit jobs with the limits chosen for them. Return true if there was
 * one. */
bool shorten_settle(struct cycle *c);

/* node_sets.c: sets of nodes, each stored once. */

/* Sweep after all jobs of a snapshot were submitted. */
void node_sets_sweep(struct cycle *c);
void node_sets_free(struct cycle *c);
int node_sets_add(struct cycle *c, const uint64_t *map, const uint64_t **out);

/* owners.c: return the cycle's record of a user in an account (NULL: unknown), valid as
 * long as the cycle. NULL with ENOMEM. */
const struct torus_job_owner *owners_add(struct cycle *c, const char *user,
					 const char *account);
void owners_free(struct cycle *c);

/* untracked.c: untracked nodes: in use, but not held by a job of the mirror (shared
 * nodes, epilogs, boots). */

/* Paint the nodes of running entries; hold in the state the nodes of
 * until_us[] that no entry holds; or release all these holds. */
void untracked_paint_held(const struct cycle *c, uint64_t *held);
int untracked_update(struct cycle *c);
void untracked_drop(struct cycle *c);

/* Report nodes of a snapshot that are busy until then; one node. */
void untracked_add(struct cycle *c, const uint64_t *nodes, int64_t end_us);
void untracked_add_node(struct cycle *c, uint32_t bit, int64_t end_us);

/* Report a node that has not answered since then. Return the time until which it is busy,
 * free at any moment; 0: it has passed, and the node is out of service. */
int64_t untracked_await(struct cycle *c, uint32_t bit, int64_t since_us);

#endif
