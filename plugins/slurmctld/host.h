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
	bool none;           /* not one node */
	bool outside;        /* no node of a torus, but nodes in no torus */
};

#define HOST_ALLOWED_CLASSES 1024 /* a power of two */

/* Nodes that are being cleared for a job (preempt.c). */
struct claim {
	uint32_t job;          /* 0: none */
	uint32_t part;         /* the job's n-th partition */
	uint64_t key;          /* hash of the job's request at the claim */
	time_t until;          /* the end of the claim */
	int64_t used_until_us; /* expected end of the job there */
	bool anywhere;
	struct torus_placement place;  /* its `nodes` are NULL */
	struct torus_regions *regions; /* the claim's copy, or NULL */
	bitstr_t *nodes;
};

#define HOST_CLAIMS 32

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

	/* Slurm's times of change at the latest snapshot, and its time */
	time_t job_update, node_update, part_update, resv_update, snapshot_time;
	uint32_t completing; /* jobs then */

	bool no_memory; /* the latest snapshot is incomplete */

	/* node_use.c: since when Slurm has not offered a node (0: it does), by its
	 * number, and when one was last offered again */
	time_t *unoffered;
	uint32_t unoffered_room;
	time_t registered;

	uint32_t *ids; /* pending jobs of this snapshot */
	uint32_t id_count, id_room;
	bool by_task; /* some arrays wait for tasks of another array */
	struct allowed_class allowed_classes[HOST_ALLOWED_CLASSES];
	struct claim claims[HOST_CLAIMS];
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

	uint64_t *unfit;              /* machine bitmap that host_commit()
					 returns */
	uint64_t *joined;             /* machine bitmap that host_join()
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
	char *journal_error;     /* why the latest lines could not be
				    written; or NULL */
};

/* Return true if this number of a job's record asks for something. */
static inline bool host_is_asked(uint16_t n)
{
	return n && n != NO_VAL16 && n != INFINITE16;
}

/* parameters.c. Return SLURM_SUCCESS if slurm.conf leaves all starts to
 * sched/torus; else log the reason and return SLURM_ERROR. */
int host_check_parameters(void);
/* Return the settings of slurm.conf that sched/torus does not support, or NULL. */
const char *host_ignored(void);

/* cycle_setup.c: create or renew the cycle for the instance's torus.yaml.
 * The caller has locked the instance. Return false if no configuration is in
 * force. */
bool host_set_up_cycle(struct host *h, struct instance *in);
void host_updated(void *arg, struct cycle *c);
/* Save the promises of the cycle if they have changed. */
void host_save_promises(struct host *h, struct cycle *c);
/* Leave the host without a cycle. */
void host_drop_cycle(struct host *h);

/* snapshot.c */
struct cycle *host_snapshot(void *arg, struct agent *a);
/* Tell the cycle how squeue names the job, if it is a task of an array. */
void host_name_task(struct host *h, const job_record_t *job);
/* Return true if slurmctld lets schedulers start jobs; it does not while it
 * shuts down. */
bool host_may_schedule(void);

/* node_use.c: report the nodes that are busy without a job of the cycle, or out of
 * service; -1 with ENOMEM. Return true if the node does not answer. */
int host_note_nodes(struct host *h);
bool host_node_is_silent(const node_record_t *node);

/* pending.c: report a pending job to the cycle. 0, or -1 with ENOMEM. */
int host_pending(struct host *h, job_record_t *job);
/* host_pending() of a dry run, which leaves the job's record unchanged. */
int host_dry_run_pending(struct host *h, job_record_t *job);
/* Return true if Slurm lets the job start in that partition now. */
bool host_runnable(job_record_t *job, part_record_t *part);
uint64_t host_key(const job_record_t *job, const part_record_t *part);
#define HOST_KEY_ALTERNATIVES                                                  \
	0xff /* low bits, outside of host_key(): alternatives, host_idle_mark() */
/* Return the longest run time of the job in that partition. */
int64_t host_limit_us(const job_record_t *job, const part_record_t *part);
/* Return its n-th partition, or NULL. */
part_record_t *host_partition(const job_record_t *job, uint32_t n);

/* sizes.c: set the record of a job with alternatives to the first one that the
 * limits of job->part_ptr allow. Return a bit for each that they do not allow. */
uint32_t sizes_settle(job_record_t *job);

/* limits.c: return the alternatives, a bit each, that limits of associations and
 * QOS do not allow now. If these are all, the record gets the reason. */
#define HOST_BEYOND_ALL UINT32_MAX
uint32_t host_beyond_limits(struct host *h, job_record_t *job,
			    const struct allowed_class *class);
void host_leave_out(struct torus_request *request, uint32_t beyond);
struct node_minimum host_node_minimum(const bitstr_t *nodes);
/* Wake the thread again soon if the job waits for such a limit. */
void host_recheck_limits(struct host *h, const job_record_t *job);

/* allowed_nodes.c: the class of the job in that partition; NULL with ENOMEM. */
const struct allowed_class *host_allowed_class(struct host *h, job_record_t *job,
					       part_record_t *part);

/* Those of the partition that its constraints leave, idle or not, for
 * bit_free(); NULL: none. */
bitstr_t *host_filtered_nodes(job_record_t *job, const part_record_t *part);
/* The hash of these constraints; add what decides how many nodes it needs. */
uint64_t host_class_key(const job_record_t *job, const part_record_t *part);
void host_hash_request(uint64_t *hash, const job_record_t *job);

/* node_count.c: how many nodes Slurm would give a job without a shape there. The
 * second finds it out; until then it is Slurm's number for one of its partitions.
 * The third: does the discipline promise starts? */
uint32_t host_nodes_of(const job_record_t *job, const part_record_t *part);
/* Return true if the job takes what it gets of a range of nodes (-N2-4). */
bool host_takes_range(const job_record_t *job, const part_record_t *part);
void host_settle_nodes(job_record_t *job, part_record_t *part);
/* Write its request, with the numbers of a range as alternatives. */
void host_request_nodes(const job_record_t *job, const part_record_t *part,
			struct torus_request *request);
/* Hash what the request depends on besides the idle nodes. */
void host_hash_nodes(uint64_t *hash, const job_record_t *job,
		     const part_record_t *part);
/* Return 0 if the request is independent of the idle nodes; otherwise a number
 * within HOST_KEY_ALTERNATIVES that changes with them. */
uint32_t host_idle_mark(const job_record_t *job, const part_record_t *part);
void host_note_promises(bool promises);
/* Return true if it was found out that the job does not fit there. */
bool host_never_there(const job_record_t *job, const part_record_t *part);
/* The wrapped plugin's TEST_ONLY. */
int host_test_only(job_record_t *job, bitstr_t *nodes, uint32_t min,
		   uint32_t target, uint32_t max);

/* one_feature.c: choose one of [fast|slow] in --constraint, one with enough nodes
 * (`want`); keep only its nodes. */
void host_keep_one_feature(const job_record_t *job, uint32_t want,
			   bitstr_t *nodes);

/*
 * reservations.c: the times at which the job may not use nodes (a machine bitmap),
 * -1 with ENOMEM; the nodes of its own reservation, if any; and a hash of what
 * these depend on.
 */
int host_outages(struct host *h, job_record_t *job, const part_record_t *part,
		 const uint64_t *nodes, const struct torus_outages **out);
void host_keep_own(const job_record_t *job, bitstr_t *nodes);
/* Choose one of several reservations that the job names for this partition and
 * set it in the record: the first that is active and has enough idle nodes
 * there, else the first active one with enough nodes, else the first with
 * enough nodes. */
void host_settle_reservation(job_record_t *job, const part_record_t *part);
void host_hash_reserved(uint64_t *hash, const job_record_t *job,
			const part_record_t *part);

/* commit.c */
enum cycle_result host_commit(void *arg, const struct cycle_order *o,
			      uint32_t *job, const uint64_t **unfit);

/* Let Slurm start the job on the order's nodes. */
enum cycle_result host_start(struct host *h, job_record_t *job,
			     struct start_order *order, const uint64_t **unfit);
bool host_are_free(const bitstr_t *nodes);
/* Return true if the machine is still the one of the pass. */
bool host_still_there(const struct host *h);
/* The same, with the instance's lock (in: NULL if there is none). */
bool host_has_machine_of(const struct host *h, const struct instance *in);

/* leaks.c. host_find_leaks(): after Slurm refused to start the job on these
 * idle nodes, keep the nodes that it refuses to any job; false: there are none.
 * host_add_leaks(): add the leaked nodes to those out of service. */
bool host_find_leaks(struct host *h, job_record_t *job, bitstr_t *nodes);
void host_add_leaks(struct host *h, bitstr_t *out);
void host_forget_leaks(struct host *h);

/* join.c: return true if the job shares nodes; if it shares CPUs, and so prefers
 * idle ones; start one beside others. */
bool host_shares(const job_record_t *job, const part_record_t *part);
bool host_shares_cpus(const job_record_t *job, const part_record_t *part);
bool host_join(void *arg, struct cycle_guest *g);

/* preempt.c: clear places for waiting jobs that may preempt others. A place that is
 * being cleared is reserved for its job, which starts when the place is free. */
void host_preempt(struct host *h, struct agent *a);
bool host_claims(const struct host *h, uint32_t job);
bool host_claimed(const struct host *h, const bitstr_t *nodes);
/* (Return true if the locks were yielded.) */
bool host_serve_claims(struct host *h, struct agent *a);
void host_withhold_claims(struct host *h);
/* Return when a job that has these nodes until end_us leaves them to other jobs: after
 * the one that they are cleared for. */
int64_t host_claimed_until(const struct host *h, const bitstr_t *nodes,
			   int64_t end_us);
void host_drop_claims(struct host *h);

/* publish.c: start times and reasons in Slurm's records, the plan file, the lines
 * of the journal that the cycle has collected. */
void host_write_journal(struct host *h);
void host_collect_forecast(void *arg, struct cycle *c);
void host_publish(void *arg, struct agent *a);
void host_ended(void *arg, struct cycle *c, const struct agent_counts *counts);
void host_dry_run_ended(void *arg, struct cycle *c,
			const struct agent_counts *counts);

/* diag.c: the counters of sdiag. */
void host_diag_started(const struct cycle_order *o);
void host_diag_cycle(const struct host *h, uint32_t queued,
		     const struct agent_cycle *cycle);

/* host.c: the exports of libtorus_slurm.so, and events for the thread. A dry
 * run's thread starts once and sleeps while torus.yaml sets no dry run. */
int host_thread_start(void);
int host_dry_run_start(void);
void host_thread_stop(void);
void host_thread_reconfigure(void);
void host_thread_wake(void);

#endif
