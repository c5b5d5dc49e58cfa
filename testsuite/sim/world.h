/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated site: Slurm's job table, nodes, reservations and clock, and sched/torus's
 * agent (live/agent.h) on it in one thread. Everything that happens is an event of a
 * list, and what an event does is drawn from its own seed: the same list is the same
 * history, and a list without some of its events is a history as well (sim.c shrinks
 * lists so).
 *
 * `truth` in names: what Slurm knows, kept apart from what the agent believes.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "../property/workload.h"

#include "../property/journal_windows.h"

#include <setjmp.h>

#include "format/journal.h"
#include "live/agent.h"
#include "live/claims.h"
#include "live/base/recurrence.h"
#include "live/promises/promises.h"
#include "torus/config.h"
#include "torus/links.h"
#include "torus/weights.h"

#define SIM_JOBS 400
#define SIM_EVENTS 4000
#define SIM_SECOND INT64_C(1000000)
#define SIM_ADVANCE_MOST 30 /* seconds */
#define SIM_TRIES 4

/* Numbers that the rules take from Slurm: no job may start on such a node. */
#define SIM_UNUSABLE                                                           \
	(NODE_FLAG_DOWN | NODE_FLAG_ERROR | NODE_FLAG_FUTURE |                 \
	 NODE_FLAG_UNKNOWN | NODE_FLAG_NOT_RESPONDING | NODE_FLAG_DRAIN |      \
	 NODE_FLAG_FAIL | NODE_FLAG_INVALID_REG | NODE_FLAG_POWER_DOWN |       \
	 NODE_FLAG_POWERING_DOWN | NODE_FLAG_REBOOT_REQUESTED |                \
	 NODE_FLAG_REBOOT_ISSUED | NODE_FLAG_BLOCKED)

enum sim_kind {
	SIM_CYCLE,   /* the agent wakes */
	SIM_ADVANCE, /* time passes; jobs end */
	SIM_SUBMIT,
	SIM_CANCEL,
	SIM_HOLD,
	SIM_RELEASE,
	SIM_REQUEUE,
	SIM_SUSPEND,   /* it keeps its nodes and ends later */
	SIM_LIMIT,     /* of a waiting or running job */
	SIM_PRIORITY,  /* of a waiting job */
	SIM_ALLOWED,   /* the nodes that a waiting job may use */
	SIM_ELSEWHERE, /* Slurm starts a job by itself */
	SIM_NODE,      /* nodes change their state */
	SIM_LINK,
	SIM_WEIGHT,
	SIM_RESERVE, /* a reservation comes or goes */
	SIM_REFUSE,  /* Slurm refuses the next starts */
	SIM_DURING, /* the event after next happens between snapshot and orders */
	SIM_MEMORY,   /* an allocation fails */
	SIM_SAVE,     /* the state is saved */
	SIM_CRASH,    /* after some calls of the host table */
	SIM_RESTART,  /* in order */
	SIM_SETTINGS, /* another discipline: a restart with a new journal */
	SIM_CLOCK,    /* it jumps */
	/* on sites from SIM_LATER on only */
	SIM_FIRST_KINDS,
	SIM_PAUSE = SIM_FIRST_KINDS, /* a job is suspended, and resumes later */
	SIM_RANK,                    /* of a waiting job: whom it may preempt */
	SIM_DISK,  /* it is full after some bytes, or has room */
	SIM_AGAIN, /* a job is requeued, and Slurm starts it before a snapshot */
	SIM_TORN,  /* slurmctld crashes within the next write of a file */
	/* on sites from SIM_WIDER on only */
	SIM_LATER_KINDS,
	SIM_SLOW = SIM_LATER_KINDS, /* clocks run fast, locks are given late */
	SIM_BURST,                  /* many jobs are submitted at once */
	SIM_OLDER,   /* a restart with promises that an older version saved */
	SIM_DAMAGED, /* a restart with damaged or older saved promises */
	/* on sites from SIM_WIDEST on only */
	SIM_WIDER_KINDS,
	SIM_MACHINE = SIM_WIDER_KINDS, /* another torus.yaml for the same nodes */
	SIM_KINDS
};

struct sim_event {
	enum sim_kind kind;
	uint64_t seed;
};

enum sim_state {
	SIM_NONE,
	SIM_PENDING,
	SIM_HELD,
	SIM_RUNNING,
	SIM_COMPLETING,
	SIM_OVER
};

struct sim_job {
	enum sim_state state;
	struct cycle_pending_job pending;
	struct torus_alternative alternative[2];
	int64_t run_us;
	/* with nodes */
	int64_t start_us, limit_us, end_us, completed_us;
	bool ours; /* started by an order */
	uint64_t nodes[WORKLOAD_WORDS];
	bool confined;
	uint64_t allowed[WORKLOAD_WORDS];
	uint32_t inside; /* of that reservation, from 1; 0: none */
	struct window_list outages;
	uint64_t recurs_on[WORKLOAD_WORDS]; /* of those it may use */
	bool requires; /* these nodes, where it may use them */
	uint64_t required[WORKLOAD_WORDS];
	bool task; /* of an array: it gets a number of its own when it starts */
	uint64_t refused_cycle; /* the latest in which Slurm refused to start it */
	uint64_t refused_look;
	uint64_t unfit[WORKLOAD_WORDS]; /* nodes that Slurm refused since it was looked at */
	uint32_t weighed;               /* changes of weights before it came */
	/* preemption and suspension (beside.c) */
	uint32_t rank;    /* it may preempt jobs of a lower one */
	bool requeues;    /* if it is preempted; else it is cancelled */
	int64_t grace_us; /* until then, once told */
	bool told_to_end;
	int64_t paused_us, resumes_us, left_us; /* paused_us 0: it runs */
	bool has_place; /* Slurm has started it in this region */
	struct torus_placement place;
	bool late; /* started long after its time: the plan has its end too early */
	/* rules.c: its latest promise */
	int64_t promised_us;
	uint64_t promised_cycle;
	bool admitted;
	uint64_t safe_cycle; /* the latest in which its deadline was safe */
	struct {             /* on disk, and as carried over to a new journal */
		uint64_t key; /* of the job in these promises; 0: it has none there */
		int64_t start_us;
	} saved[2];
};

#define SIM_HALF_LIFE "00:00:20"
#define SIM_HALF_LIFE_S 20

#define SIM_USERS 4 /* "", and one without a name, among them */

struct sim_usage {
	char user[TORUS_OWNER_NAME];
	double used;
	int64_t at_us;
	uint64_t nodes;
};

struct sim_counts {
	uint64_t events, cycles, starts, ends, refusals, crashes, failures;
};

/* Sites from these seeds on also draw what the seeds before do not know (site.c). */
#define SIM_LATER 1000000
#define SIM_WIDER 2000000
#define SIM_WIDEST 3000000

struct sim_world {
	uint64_t seed;
	struct random later;
	struct torus_machine m;
	struct torus_scheduler_settings settings;
	const char *machine;
	const struct torus_strategy *strategy;
	struct sim_job job[SIM_JOBS];
	uint32_t jobs;
	int64_t now_us;
	int64_t back_us;     /* by so much the clock was set back last */
	int64_t poll_us;     /* when the agent looks at Slurm's tables next */
	uint32_t *node;      /* per bit: NODE_FLAG_... of format/node_state.h */
	int64_t *silent_us;  /* per bit: since when it does not answer */
	int64_t *returns_us; /* per bit: when it has booted or is down */
	uint64_t present[WORKLOAD_WORDS];
	struct torus_link_list links;
	struct torus_weights *weights; /* NULL: all nodes are always alike */
	uint32_t weighed;              /* changes of them */
	struct window window[WINDOWS];
	/* a reservation that comes again (site.c) */
	enum recurrence recurs;
	time_t recurs_from, recurs_to; /* the first time */
	uint64_t recurs_on[WORKLOAD_WORDS];
	bool dry;                      /* another scheduler starts the jobs */
	uint32_t requiring, confining; /* per cent of the jobs */
	bool preempts;    /* jobs of a higher rank preempt others */
	uint32_t sharing; /* per cent of the jobs for any nodes share them */
	struct claims claims;      /* of jobs by index + 1 */
	struct torus_state *empty; /* for preemption: the machine without jobs */
	uint32_t queue[SIM_JOBS], queued; /* indices, in the agent's order */

	/* the agent */
	struct agent *agent;
	const struct agent_host *threaded; /* its table if it has a thread (twin.c) */
	struct cycle *cycle;
	struct journal *journal;
	struct torus_text saved_state, saved_promises, promises_left, saving;
	bool locked;
	char path[64];
	bool in_files;               /* what is saved goes through files */
	struct torus_config config;  /* the machine, without names */
	char **no_names[8];          /* per pod */
	struct plan_listing listing; /* of the plan file */

	/* faults */
	int64_t tick_us,
		lock_us;   /* per look at a clock; most until a lock is given */
	int64_t waited_us; /* the longest wait for the locks */
	struct random slow;
	bool promises_damaged;
	uint32_t refuse; /* starts still refused */
	enum cycle_result refusal;
	struct random refuse_how;
	const struct sim_event *during; /* to happen before the next orders */
	int64_t crash_in;               /* calls of the host table; 0: none */
	bool disturbed; /* since the last cycle, by more than a submission */
	bool changed;   /* since the snapshot: an order may be stale */
	bool saved_now; /* the agent begins with what it had planned */
	struct sim_usage usage[2][SIM_USERS]; /* as sim_job.saved */
	uint32_t usages[2];
	bool carried;                 /* promises_left are not those on disk */
	bool told;                    /* a snapshot was taken in this cycle */
	uint64_t cycle_number, looks; /* snapshots */
	bool failing;                 /* in this cycle an allocation fails */
	uint32_t refused;             /* starts in this cycle */
	uint64_t offered; /* jobs that a start was tried for in this cycle */
	jmp_buf crash;
	struct sim_counts counts;
};

/* With sim_trace: what happens, a line each, on stdout. */
extern bool sim_trace;
void world_say(const struct sim_world *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* False: this machine does not suit the strategy. */
bool world_open(struct sim_world *w, uint64_t seed);
void world_close(struct sim_world *w);
void world_event(struct sim_world *w, const struct sim_event *e);
/* Draw the next event of a list for that site. */
struct sim_event world_draw(uint64_t seed, struct random *r);
const char *world_kind(enum sim_kind kind);
/* One site in five has no faults, and backfilling with reservations: what is promised
 * there can be judged most of the time. Of a seed, and of a kind of event. */
bool world_is_calm(uint64_t seed);
bool world_calm(enum sim_kind kind);
/* All is well again, no job comes: every job that the machine can hold must start. */
void world_drain(struct sim_world *w);
/* The job with that number, or NULL; a task that has started has SIM_TASKS more. */
#define SIM_TASKS 1000
struct sim_job *world_job(struct sim_world *w, uint32_t number);
/* For host.c: Slurm starts a job; something happens between snapshot and orders. */
void world_begin_job(struct sim_world *w, struct sim_job *j, int64_t limit_us,
		     const uint64_t *nodes, bool ours);
void world_change_during(struct sim_world *w);
/* For twin.c: what an event does to Slurm's tables, and time passes, at least so long. */
void world_meanwhile(struct sim_world *w, const struct sim_event *e, int64_t us);
/* A running job is requeued, or ends. */
void world_requeue(struct sim_world *w, struct sim_job *j);
void world_end(struct sim_world *w, struct sim_job *j, struct random *r);
extern const struct agent_host sim_host, sim_dry_host;
/* Time passes; jobs end, and nodes return. */
void world_pass(struct sim_world *w, int64_t us, struct random *r);
/* For rules.c: nodes in use, and nodes that Slurm lets jobs start on. */
void world_busy(const struct sim_world *w, uint64_t *map);
void world_usable(const struct sim_world *w, uint64_t *map);
bool world_is_idle(const struct sim_world *w);

#endif
