/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld as the host of a cycle (live/cycle.h, live/agent.h): it reads
 * Slurm's tables for a snapshot, carries out start orders and publishes the plan.
 *
 * Everything but changed() and ended() runs with Slurm's locks, one lock hold at
 * a time. After agent_yield_locks() records are looked up again by their number.
 */
#ifndef SLURMCTLD_HOST_H
#define SLURMCTLD_HOST_H

#include "live/plan_listing.h"
#include "live/saturate.h"
#include "slurmctld/instance.h"

#define PLAN_FILE "torus_plan" /* in StateSaveLocation */
/* PrivateData that the journal and the plan file have some of. */
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
	uint32_t least_cpus; /* of one of them */
	bool none;           /* not one node */
	bool outside;        /* none that is in a torus, but others */
};

#define HOST_ALLOWED_CLASSES 1024 /* a power of two */

/* Nodes that are being cleared for a job (preempt.c). */
struct claim {
	uint32_t job; /* 0: none */
	uint64_t key; /* of what it asked for then */
	time_t until;
	bool anywhere;
	struct torus_placement place;
	bitstr_t *nodes;
};

#define HOST_CLAIMS 32

/* Jobs that cannot start beside others now (join.c). */
struct miss {
	uint64_t class;
	int64_t limit_us;
};

#define HOST_MISSES 16

struct host {
	bool dry_run; /* nothing but the journal is written */
	struct agent *agent;
	struct agent *self; /* the same, for its own thread */
	struct cycle *cycle;
	struct configuration *configuration; /* the cycle's; we are one user */
	uint64_t configuration_used; /* its number, or that of a later one like it */
	uint64_t configuration_refused; /* number of one that has no cycle */
	struct torus_text promises; /* made before, for the cycle that begins */
	time_t await_until; /* nodes, before those promises are made again */
	struct torus_text saved_promises; /* those in StateSaveLocation */
	struct node_map map;
	uint64_t mapped;
	uint32_t words;
	bool may_rotate; /* no pod rules it out */

	/* Slurm's own times of change as of the latest snapshot, and when that
	 * was */
	time_t job_update, node_update, part_update, resv_update, snapshot_time;
	uint32_t completing; /* jobs then */

	uint32_t *ids; /* pending jobs of this snapshot */
	uint32_t id_count, id_room;
	bool by_task; /* some are arrays that wait for another's tasks */
	struct allowed_class allowed_classes[HOST_ALLOWED_CLASSES];
	struct claim claims[HOST_CLAIMS];
	struct miss miss[HOST_MISSES];
	uint32_t misses;
	uint64_t miss_stamp; /* what is shared then */
	uint64_t sharers;    /* hash of the jobs that share, in a snapshot */

	/* leaks.c; the bitmaps are Slurm's, or NULL: none yet */
	bitstr_t *suspected, *leaked;
	time_t leaks_looked;
	char *leak_text; /* what to say of leaked nodes, or NULL */

	uint64_t *unfit;              /* host_commit() answers with it */
	uint64_t *joined;             /* host_join() does */
	struct torus_scratch scratch; /* machine bitmaps */
	uint64_t *maps;
	struct plan_listing listing; /* what the queued jobs may expect */
	char *state_dir;             /* StateSaveLocation */
	bool plan_file_failed;       /* that could not be written */
	bool promises_failed;        /* nor those in StateSaveLocation */
	bool is_private; /* the journal and the plan are for Slurm's user only */
	struct journal *journal; /* the cycle's, or NULL */
	bool journal_ended;      /* another cycle is to begin a file */
	char *journal_error;     /* the latest line was not written; or NULL */
};

/* Return SLURM_ERROR, and log why, unless slurm.conf leaves all starts to
 * sched/torus. (parameters.c) */
int host_check_parameters(void);
/* Return what slurm.conf sets and sched/torus does not do, or NULL. */
const char *host_ignored(void);

/* job_table.c: make the cycle one for the instance's torus.yaml, which the caller
 * has locked. False: there is nothing to plan on. */
bool host_set_up_cycle(struct host *h, struct instance *in);
void host_updated(void *arg, struct cycle *c);
/* Save what the cycle has promised, where that has changed. */
void host_save_promises(struct host *h, struct cycle *c);
/* Leave the host without a cycle. */
void host_drop_cycle(struct host *h);

/* snapshot.c */
struct cycle *host_snapshot(void *arg, struct agent *a);
/* Return true if slurmctld lets schedulers start jobs; it does not while it
 * shuts down. */
bool host_may_schedule(void);

/* pending.c: report a pending job to the cycle. 0, or -1 with ENOMEM. */
int host_pending(struct host *h, job_record_t *job);
/* The same in a dry run: the job's record stays as it is. */
int host_dry_run_pending(struct host *h, job_record_t *job);
/* Return true if Slurm lets the job start in that partition now. */
bool host_runnable(job_record_t *job, part_record_t *part);
uint64_t host_key(const job_record_t *job, const part_record_t *part);
#define HOST_KEY_ALTERNATIVES 0xff /* bits of it that are 0: for alternatives */
/* Return how many nodes Slurm would give a job without a shape. */
uint32_t host_nodes_of(const job_record_t *job);
/* Return how long the job runs at most there. */
int64_t host_limit_us(const job_record_t *job, const part_record_t *part);
/* Return its n-th partition, or NULL. */
part_record_t *host_partition(const job_record_t *job, uint32_t n);

/* Of a job with alternatives: sets the record to the first one that the limits
 * of job->part_ptr allow; a bit for each that they do not. (sizes.c) */
uint32_t sizes_settle(job_record_t *job);

/* limits.c: the alternatives, a bit each, that limits of associations and QOS
 * do not allow now; the reason is noted if that is all of them. */
#define HOST_BEYOND_ALL UINT32_MAX
uint32_t host_beyond_limits(struct host *h, job_record_t *job,
			    const struct allowed_class *class);
void host_leave_out(struct torus_request *request, uint32_t beyond);
uint32_t host_least_cpus(const bitstr_t *nodes);
/* Wake the thread again soon if the job waits for such a limit. */
void host_recheck_limits(struct host *h, const job_record_t *job);

/* allowed_nodes.c: the class of the job in that partition; NULL with ENOMEM. */
const struct allowed_class *host_allowed_class(struct host *h, job_record_t *job,
					       part_record_t *part);

/* one_feature.c: of [fast|slow] in --constraint one, and its nodes alone. */
void host_keep_one_feature(const job_record_t *job, bitstr_t *nodes);

/*
 * reservations.c: what keeps the job from nodes (a machine bitmap) at times, -1
 * with ENOMEM; the nodes of the reservation that it names, if any; and what
 * makes such jobs different.
 */
int host_outages(struct host *h, job_record_t *job, const part_record_t *part,
		 const uint64_t *nodes, const struct torus_outages **out);
void host_keep_own(const job_record_t *job, bitstr_t *nodes);
void host_hash_reserved(uint64_t *hash, const job_record_t *job,
			const part_record_t *part);

/* commit.c */
enum cycle_result host_commit(void *arg, const struct cycle_order *o,
			      uint32_t *job, const uint64_t **unfit);

/* Have Slurm start it on the order's nodes. */
enum cycle_result host_start(struct host *h, job_record_t *job,
			     struct start_order *order, const uint64_t **unfit);
bool host_are_free(const bitstr_t *nodes);
/* Return true if the machine is still the one that was planned on. */
bool host_still_there(const struct host *h);

/* leaks.c: the job's start on these idle nodes was refused: leaves those that
 * are refused whatever is asked for. False: none. Then nodes that are leaked
 * are added to those that are out of service. */
bool host_find_leaks(struct host *h, job_record_t *job, bitstr_t *nodes);
void host_leave_out_leaks(struct host *h, bitstr_t *out);
void host_forget_leaks(struct host *h);

/* join.c: return true if the job shares nodes; if it prefers idle CPUs; start
 * one beside others. */
bool host_shares(const job_record_t *job, const part_record_t *part);
bool host_spreads(const job_record_t *job, const part_record_t *part);
bool host_join(void *arg, struct cycle_guest *g);

/* preempt.c: clear places for waiting jobs that may preempt others; what is
 * being cleared is not for anybody else, and starts when it is free. */
void host_preempt(struct host *h, struct agent *a);
bool host_claims(const struct host *h, uint32_t job);
bool host_claimed(const struct host *h, const bitstr_t *nodes);
/* (True: the locks were yielded in between.) */
bool host_serve_claims(struct host *h, struct agent *a);
void host_withhold_claims(struct host *h);
void host_drop_claims(struct host *h);

/* publish.c: also lines in the journal. */
void host_watch(struct host *h, struct cycle *c);
void host_write_journal(struct host *h);
void host_collect_forecast(void *arg, struct cycle *c);
void host_publish(void *arg, struct agent *a);
void host_ended(void *arg, struct cycle *c, const struct agent_counts *counts);
void host_dry_run_ended(void *arg, struct cycle *c,
			const struct agent_counts *counts);

/* diag.c: what sdiag shows. */
void host_diag_started(const struct cycle_order *o);
void host_diag_cycle(const struct host *h, uint32_t queued,
		     const struct agent_cycle *cycle);

/* host.c: what libtorus_slurm.so exports, and news for the thread. A dry run's
 * thread is started once; it rests while torus.yaml wants no dry run. */
int host_thread_start(void);
int host_dry_run_start(void);
void host_thread_stop(void);
void host_thread_reconfigure(void);
void host_thread_wake(void);

#endif
