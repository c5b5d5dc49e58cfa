/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a cycle (cycle.h): its entries, and the tables in which they
 * are found. An entry is in one of two tables, waiting or running, and in the
 * list of all entries there, oldest first.
 */
#ifndef LIVE_MIRROR_H
#define LIVE_MIRROR_H

#include "live/cycle.h"
#include "live/search_limit.h"
#include "torus/scratch.h"

enum mirror_state {
	ENTRY_NEW, /* not yet submitted */
	ENTRY_QUEUED,
	ENTRY_ASIDE, /* no place for it, however empty the machine is */
	ENTRY_AGAIN, /* the host would not start it there: to be submitted again */
	ENTRY_REFUSED, /* the host would not start it; until the next change */
	ENTRY_RUNNING,
};

#define ENTRY_CHANGES                                                          \
	4 /* kept of one job; of more the first ones and the last */

#define ENTRY_ALLOWED_CHANGES                                                  \
	128 /* the same of the nodes that it may use, and when */

#define UNFIT                                                                  \
	"the places that were tried are not fit for it: Slurm refused their nodes (CPUs, memory, GRES, other use)"

/* Of a job whose place must hold certain nodes. */
struct mirror_required {
	const uint64_t *nodes;        /* these */
	const uint64_t *candidates;   /* by the host */
	struct torus_request request; /* whole; job.request is for the place */
	/* as of the latest search */
	bool found;
	const uint64_t *place; /* its nodes */
	uint32_t alternative;
	uint64_t looked;     /* number of the search; 0: none yet */
	uint64_t generation; /* of the state */
	uint32_t accepted;   /* alternatives, a bit each */
};

struct mirror_entry {
	struct torus_job job;
	struct cycle_name name;
	enum mirror_state state;
	uint64_t key;
	uint64_t seen; /* number of the latest snapshot with it */
	/* running: what the host said of it last; TORUS_NODE_IDLE: nothing yet */
	int64_t host_start_us, host_end_us;
	uint32_t host_nodes; /* 0: nothing yet */
	bool moved;          /* host_end_us is not in the state yet */
	struct journal_limit change[ENTRY_CHANGES]; /* of its limit, if ours */
	uint32_t changes;
	double priority;      /* the host's */
	bool ours;            /* running: started by a pass */
	bool given;           /* running: not by a pass, and reported so */
	bool undone;          /* not by the host: its end is to be told */
	int64_t submitted_us; /* submitted */
	int64_t forecast_us;  /* queued: cycle_forecast() */
	uint64_t stay;        /* number of the submission; 0: not reported */
	bool unreported;      /* the watcher has not heard of it */
	struct cycle_pending_job *pending; /* new or changed: to be submitted */
	const uint64_t *allowed; /* by the host (or its place around required
				    nodes); job.allowed may be less */
	struct mirror_required *required;  /* NULL: no nodes are */
	const uint64_t *submitted_allowed; /* what the scheduler has */
	struct journal_allowed
		*allowed_before; /* and before that, since it was submitted */
	uint32_t allowed_changes, allowed_room;
	const struct torus_outages *outages;
	uint64_t submitted_outages; /* their number in the scheduler, or 0 */
	int64_t retry_us;           /* set aside: look again then */
	char *outage_text;          /* a sentence made for it (outages_say()) */
	uint32_t refusals;          /* unfit places in this attempt */
	uint32_t delays;    /* times that it did not start all the same */
	int64_t refused_us; /* the latest of them */
	int64_t pause_us;   /* after this attempt, if nothing happens */
	bool narrowed;      /* job.allowed goes without their nodes */
	bool settled;       /* looked at by set_aside() since `out` changed */
	uint64_t would;     /* dry_run.c: hash of its latest order; 0: none */
	bool shares;        /* others may be on its nodes */
	bool spreads;       /* but rather not, if others are idle */
	bool joined;        /* it runs beside others: to be reported */
	/* shorten.c: its own limit; the least that will do (0: that one), in
	 * steps; when a shorter one was tried in vain */
	int64_t full_us, least_us, step_us;
	int64_t shortened_us;
	int64_t next_limit_us; /* to be submitted anew with; 0: it is not */
	const uint64_t *next_allowed;
	const char *why;  /* set aside or refused: why */
	bool lacks_nodes; /* set aside: those in service leave no place */
	struct mirror_entry *chain;
	struct mirror_entry *prev, *next;
};

struct mirror_table {
	struct mirror_entry **bucket;
	uint32_t buckets; /* a power of two */
	uint32_t entries;
	struct mirror_entry *first, *last;
};

/* A bitmap that is there once (node_sets.c). */
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
	uint32_t swept_count; /* by the latest sweep */
};

/* A job with nodes that is not in the table yet. */
struct running_new {
	struct cycle_running_job use;
	struct torus_placement place;
	bool has_place;
	uint64_t *nodes;
};

/* The jobs to which a node is promised: the first, and the first of the others. */
struct share_promise {
	int64_t first_us, second_us; /* TORUS_NO_TIME: nobody */
	uint32_t job;                /* the first */
};

/* Nodes that jobs share (sharing.c). */
struct share {
	uint64_t *shared; /* in use by jobs that share, and no others */
	uint64_t *open;   /* those of them that a job may join */
	struct share_promise *promise; /* per bit */
	bool noted;                    /* they are those of the latest pass */
	bool joined;                   /* some job, not told yet */
	bool news;                     /* other sharers than before */
	uint64_t hash;                 /* of them */
	uint64_t stamp;                /* grows when more nodes are shared */
	int64_t now_us;                /* the host's */
	struct torus_job *job;         /* next to be asked about */
	struct mirror_entry *next;     /* then */
};

/* Searches around required nodes (required.c). */
struct required_searches {
	struct torus_plan *plan;   /* of the cycle's state */
	struct search_limit limit; /* of this update */
	uint64_t looks;            /* so far; and before this update */
	uint64_t began;
	uint64_t cut; /* jobs searched for since then wait for the others; 0 */
	bool missed;  /* some job was not reached */
};

struct cycle {
	const struct torus_machine *m;
	struct torus_scheduler_settings settings;
	uint32_t tries;
	struct cycle_watch watch;     /* functions: NULL for nobody */
	bool begun;                   /* it has been told of */
	struct torus_text begun_with; /* until then: its machine state */
	uint64_t stays;               /* submissions so far */
	struct torus_state *state, *empty;
	struct torus_scheduler *scheduler;
	struct node_sets node_sets;
	struct outage_set *outages; /* those of this snapshot, and older ones */
	uint64_t outage_number;
	int64_t retry_us; /* the first of those set aside or refused */
	struct mirror_table waiting, running;
	uint32_t *holder; /* per bit, for a time (blockers.c) */
	uint64_t number;  /* of the snapshot */
	int64_t now_us;

	struct running_new *running_new;
	uint32_t running_news, running_room;
	struct mirror_entry **fresh; /* to be submitted */
	uint32_t fresh_room;

	/* nodes in use that no entry holds (untracked.c) */
	int64_t *until_us;           /* per bit; TORUS_NODE_IDLE */
	int64_t *untracked_until_us; /* what their holds say */
	uint32_t *untracked;         /* their slots */
	uint32_t untracked_slots;
	bool untracked_reported; /* the watcher knows that there are some */

	struct cycle_order *order;
	struct mirror_entry **ordered; /* the orders' entries */
	uint64_t *order_maps;
	uint32_t orders, order_room;
	bool again;
	int64_t wake_us;
	int64_t asked_us;    /* the scheduler's part of it */
	int64_t reported_us; /* the watcher heard of something then */
	int64_t freed_us;    /* something ended or changed last */

	/* machine bitmaps */
	uint64_t *out, *present;
	struct torus_scratch scratch;
	uint64_t *maps;
	bool out_changed;
	bool reranked; /* priorities differ from those the scheduler has */
	bool news;     /* of the latest update */
	bool changed;  /* ends, out: the scheduler must hear of it */
	struct share share;
	struct required_searches search;
};

#define CYCLE_CLOCK_ERROR_US                                                   \
	INT64_C(2000000) /* the host counts in whole seconds */

/* mirror.c */
int mirror_table_init(struct mirror_table *t);
void mirror_table_free(struct mirror_table *t,
		       void (*drop)(struct mirror_entry *e));
struct mirror_entry *mirror_table_find(const struct mirror_table *t,
				       const struct cycle_name *name);
void mirror_table_add(struct mirror_table *t, struct mirror_entry *e);
void mirror_table_remove(struct mirror_table *t, struct mirror_entry *e);
void mirror_entry_free(struct mirror_entry *e);

/* running.c: make entries of the jobs of this snapshot that have none; or forget
 * what it told of them. */
void cycle_running_update(struct cycle *c);
void cycle_running_reset(struct cycle *c);

/* node_sets.c; a sweep comes after all jobs of a snapshot have been submitted */
int node_sets_get(struct cycle *c, const uint64_t *map, const uint64_t **out);
void node_sets_sweep(struct cycle *c);
void node_sets_free(struct cycle *c);

/* outages.c; the watcher hears of outages once, before the first job that has
 * them. */
void outages_report(struct cycle *c, const struct torus_outages *o);
void outages_sweep(struct cycle *c);
void outages_free(struct cycle *c);
/*
 * "WHAT beside what is reserved: NAME, ..." for a job that meets that from now
 * until `until`. The entry's own, until the next one; just WHAT if there is no
 * memory.
 */
/* The entry's own text buffer of ENTRY_SENTENCE bytes, until it is used again;
 * NULL without memory. */
#define ENTRY_SENTENCE 512
char *outages_sentence(struct mirror_entry *e);
const char *outages_say(const struct cycle *c, struct mirror_entry *e,
			int64_t until_us, const char *what);

/* blockers.c: note who holds what; then who and what of a set of nodes, given
 * the words of it that count, is in the way: added to b, which is cleared first
 * by the caller. */
void blockers_begin(struct cycle *c);
void blockers_find(struct cycle *c, const uint64_t *nodes, uint32_t words,
		   struct cycle_blockers *b);
/* The nodes out of service alone. */
void blockers_out(struct cycle *c, const uint64_t *nodes, uint32_t words,
		  struct cycle_blockers *b);

/* untracked.c: paint the nodes of running entries; make the state hold what
 * until_us[] says and no entry does; or release all of that. */
void untracked_paint_held(const struct cycle *c, uint64_t *held);
int cycle_untracked_update(struct cycle *c);
void cycle_untracked_drop(struct cycle *c);

/* waiting.c: tell the scheduler what the snapshot has of waiting jobs, or those
 * that are to be submitted again. */
int waiting_submit(struct cycle *c);
void waiting_resubmit(struct cycle *c);
/* Submit it to the scheduler; its stay is the one that it has. */
void waiting_enter(struct cycle *c, struct mirror_entry *e);
void waiting_withdraw(struct cycle *c, struct mirror_entry *e,
		      enum mirror_state state);
/* Note when a job that was set aside or refused comes back, if it is the first.
 */
void waiting_note_retry(struct cycle *c, const struct mirror_entry *e);

/* required.c: room for what follows, or -1; the job is now what the host says;
 * search for its place: true if that has changed; take over the place. A search
 * belongs between begin and end. */
int required_prepare(struct mirror_entry *e, const uint64_t *nodes);
void required_take(struct mirror_entry *e, const struct cycle_pending_job *w);
bool required_look(struct cycle *c, struct mirror_entry *e);
void required_settle(struct mirror_entry *e);
void required_begin(struct cycle *c);
void required_end(struct cycle *c);

/* sharing.c: memory; a snapshot, and a use in it; entries that are joined; the
 * nodes of those that are left; jobs that joined (the snapshot shows what became
 * of them, or not); what is promised now. */
int sharing_create(struct cycle *c);
void sharing_free(struct cycle *c);
void sharing_begin(struct cycle *c);
void sharing_use(struct cycle *c, const uint64_t *nodes);
void sharing_use_entry(struct cycle *c, const struct mirror_entry *e);
void sharing_update(struct cycle *c);
void sharing_join_entries(struct cycle *c);
void sharing_forget(struct cycle *c);
bool sharing_settle(struct cycle *c);
void sharing_note(struct cycle *c);

/* Return true if no job may overtake now. */
bool cycle_is_strict(const struct cycle *c);

/* shorten.c: submit jobs with the limits that were chosen for them. True: there
 * were some. */
bool shorten_settle(struct cycle *c);

/* begin.c: in the first update, the state becomes what its text says; after it,
 * and before the first pass, the watcher is told. */
void cycle_settle_state(struct cycle *c);
void cycle_report_begin(struct cycle *c);

/* watch.c: tell the watcher, unless the cycle has not begun; of a job that has
 * nodes and was not started by a pass (came: it is not in the state that the
 * cycle began with); of the jobs that were submitted just now. */
void cycle_report_given(struct cycle *c, struct mirror_entry *e, bool came);
void cycle_report_stay(struct cycle *c, const struct mirror_entry *e,
		       enum journal_state state, int64_t now_us);
void cycle_report_nodes(struct cycle *c, bool out, int64_t end_us,
			const uint64_t *nodes);
void cycle_report_waiting(struct cycle *c);
/* A pass that comes now, unless the watcher knows that one is due. */
void cycle_report_pass(struct cycle *c);
/* cycle.c: the latest pass, if it was cut. */
void cycle_report_cut(struct cycle *c);

/* orders.c: what the host could not start after all waits again; is there any? */
bool cycle_end_undone(struct cycle *c);
void cycle_orders_free(struct cycle *c);

#endif
