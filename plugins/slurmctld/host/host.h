/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld as the host of a cycle (live/cycle.h, live/agent.h): it reads
 * Slurm's tables for a snapshot, carries out start orders and publishes the plan.
 *
 * Everything but changed() and ended() runs with Slurm's locks, one lock hold at
 * a time. After agent_yield_locks() records are looked up again by their number.
 */
#ifndef SLURMCTLD_HOST_HOST_H
#define SLURMCTLD_HOST_HOST_H

#include "live/promises/promises.h"
#include "live/claims.h"
#include "live/base/saturate.h"
#include "slurmctld/host/qos_rank.h"
#include "slurmctld/instance/instance.h"
#include "live/orders.h"

#define PLAN_FILE "torus_plan" /* in StateSaveLocation */
/* PrivateData that the journal and the plan file contain. */
#define HOST_PRIVATE_DATA                                                      \
	(PRIVATE_DATA_JOBS | PRIVATE_DATA_NODES | PRIVATE_DATA_USERS |         \
	 PRIVATE_DATA_RESERVATIONS)
#define HOST_COPIES 64 /* tasks of an array queued at a time */
#define HOST_LINGER 10 /* seconds until completing nodes are untracked */

/* The nodes that some of the jobs of a snapshot may use. */
struct allowed_class {
	uint64_t key;
	const uint64_t *allowed;
	const uint64_t *required; /* -w of a shape; NULL: none */
	const struct torus_outages *outages;
	uint32_t least_cpus; /* CPUs of the smallest allowed node */
	bool none;           /* no node is allowed */
	bool outside;        /* only nodes that are in no torus are allowed */
};

#define HOST_ALLOWED_CLASSES 1024 /* a power of two */

/* Jobs that cannot start beside others now (join.c). */
struct miss {
	uint64_t class;
	int64_t limit_us;
};

#define HOST_MISSES 16

/* The smallest CPU count and memory among a set of nodes. */
struct node_minimum {
	uint32_t cpus; /* 0: there is no node */
	uint64_t memory;
};

struct host {
	bool dry_run; /* a dry run: only the journal is written */
	struct agent *agent;
	struct agent *self; /* `agent`, for use by its own thread */
	struct cycle *cycle;
	struct configuration *configuration; /* the cycle's; the host is one
						of its users */
	uint64_t configuration_used; /* number of that configuration, or of a
					later equal one */
	uint64_t configuration_refused; /* number of a configuration without a cycle */
	struct torus_text promises; /* promises of an earlier cycle, for the
				       next one to restore */
	time_t await_until;         /* until then, wait for nodes before these
				       promises are restored */
	struct torus_text saved_promises; /* promises as last saved in
					     StateSaveLocation */
	struct node_map map;
	uint64_t mapped;
	uint32_t words;
	bool may_rotate; /* no pod forbids rotation */

	/* Slurm's times of change at the latest snapshot, and the snapshot's time */
	time_t job_update, node_update, part_update, resv_update, snapshot_time;
	uint32_t completing; /* completing jobs in that snapshot */

	bool no_memory; /* the latest snapshot is incomplete */

	/* node_use.c: per node the time since which Slurm has not offered it (0: it
	 * is offered); and the latest time at which a node was offered again */
	time_t *unoffered;
	uint32_t unoffered_room;
	time_t registered;

	uint32_t *ids; /* pending jobs of this snapshot */
	uint32_t id_count, id_room;
	struct qos_ranks qos_ranks; /* of their QOS */
	bool by_task; /* some arrays wait for tasks of another array */
	struct allowed_class allowed_classes[HOST_ALLOWED_CLASSES];
	struct claims claims;  /* nodes that are cleared by preemption */
	uint32_t preempt_from; /* position in the queue at which the next cycle
				  continues to look for jobs that preempt; 0:
				  the top */
	bool preempt_seen;     /* that sweep began after a place was found */
	struct miss miss[HOST_MISSES];
	uint32_t misses;
	uint64_t miss_stamp; /* stamp of the shared nodes at the time of the
				misses */
	uint64_t sharers;    /* hash of the jobs that share nodes in a
				snapshot */

	/* leaks.c. The bitmaps are Slurm's; NULL: none yet */
	bitstr_t *suspected, *leaked;
	time_t leaks_tried;
	char *leak_text; /* the sentence about leaked nodes, or NULL */

	uint64_t *unfit;              /* machine bitmap that commit_order()
					 returns */
	uint64_t *joined;             /* machine bitmap that join_beside()
					 returns */
	struct torus_scratch scratch; /* machine bitmaps */
	uint64_t *maps;
	struct plan_listing listing; /* promises and forecasts of the queued jobs */
	char *state_dir;             /* StateSaveLocation */
	bool plan_file_failed;       /* the plan file could not be written */
	bool promises_failed;        /* the promises could not be saved in
					StateSaveLocation */
	bool is_private; /* journal and plan are readable by Slurm's user
			    only */
	struct journal *journal; /* journal of the cycle, or NULL */
	bool journal_ended;      /* the journal's file ended: the next cycle
				    begins another */
	bool policy_failed;      /* the cycle has easy instead of the policy */
	char *journal_error;     /* why the latest lines could not be
				    written; or NULL */
};

/* Return true if this number of a job's record asks for something. */
static inline bool host_is_asked(uint16_t n)
{
	return n && n != NO_VAL16 && n != INFINITE16;
}

#define HOST_KEY_ALTERNATIVES                                                  \
	0xff /* low bits, outside of pending_job_key(): alternatives, node_count_idle_mark() */

/* host.c: the exports of libtorus_slurm.so, and events for the thread. A dry
 * run's thread starts once and sleeps while torus.yaml sets no dry run. */
int host_thread_start(void);
int host_dry_run_start(void);
void host_thread_stop(void);
void host_thread_reconfigure(void);
void host_thread_wake(void);

/* host_snapshot.c: a snapshot of slurmctld's tables for the cycle. */

struct cycle *host_snapshot_take(void *arg, struct agent *a);

/* publish.c: after the orders. */

/* Start times and reasons in Slurm's records, the plan file, the lines
 * of the journal that the cycle has collected. */
void publish_collect(void *arg, struct cycle *c);
void publish_plan(void *arg, struct agent *a);
void publish_ended(void *arg, struct cycle *c,
		   const struct agent_counts *counts);
void publish_dry_run_ended(void *arg, struct cycle *c,
			   const struct agent_counts *counts);

/* diag.c: sched/torus in sdiag. */

/* The counters of sdiag. */
void diag_started(const struct cycle_order *o);
void diag_cycle(const struct host *h, uint32_t queued,
		const struct agent_cycle *cycle);

/* parameters.c: the check that slurm.conf leaves all starts to sched/torus. */

/* Return SLURM_SUCCESS if slurm.conf leaves all starts to
 * sched/torus; else log the reason and return SLURM_ERROR. */
int parameters_check(void);

/* Return the settings of slurm.conf that sched/torus does not support, or NULL. */
const char *parameters_ignored(void);

/* cycle_setup.c: the change from one torus.yaml to the next. */

/* Create or renew the cycle for the instance's torus.yaml.
 * The caller has locked the instance. Return false if no configuration is in
 * force. */
bool cycle_setup_begin(struct host *h, struct instance *in);
void cycle_setup_updated(void *arg, struct cycle *c);
/* Return why a policy of one's own in torus.yaml is not asked any more, or NULL. */
const char *cycle_setup_policy_error(const struct torus_config *config);

/* Save the promises of the cycle if they have changed. */
void cycle_setup_save_promises(struct host *h, struct cycle *c);

/* Leave the host without a cycle. */
void cycle_setup_drop(struct host *h);

/* Write the lines of the journal. */
void cycle_setup_write_journal(struct host *h);

#endif
