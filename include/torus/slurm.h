/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stock Slurm schedules by: slurm.conf's scheduler, priorities and partitions,
 * and the associations of its accounting. The discipline slurm-backfill reads it; a
 * host fills it in. Times are in seconds, as Slurm's own; limits in minutes.
 */
#ifndef TORUS_SLURM_H
#define TORUS_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#define TORUS_SLURM_NAME 64 /* with the NUL */
#define TORUS_SLURM_NO_LIMIT INT64_MAX

struct torus_slurm_partition {
	char name[TORUS_SLURM_NAME];
	uint64_t *nodes; /* machine bitmap; NULL: all */
	uint32_t tier;   /* PriorityTier */
	uint32_t factor; /* PriorityJobFactor */
	uint32_t min_nodes, max_nodes;
	int64_t max_minutes;     /* TORUS_SLURM_NO_LIMIT: none */
	int64_t default_minutes; /* TORUS_SLURM_NO_LIMIT: max_minutes */
	bool up;
	/* where jobs share nodes: */
	bool exclusive;      /* OverSubscribe=EXCLUSIVE */
	bool exclusive_user; /* ExclusiveUser */
	bool least_loaded;   /* LLN */
	uint64_t memory_mb; /* DefMemPerNode or, per_cpu, DefMemPerCPU; 0: none */
	bool per_cpu;
};

/* A node that jobs share: its CPUs are nodes of the machine. */
struct torus_slurm_node {
	uint32_t first, cpus;
	uint32_t together; /* CPUs of a core or socket, which no jobs share */
	uint32_t gpus;
	uint64_t memory_mb;
};

/* An account (user "") or a user in one; [0] is the root. Parents come first. */
struct torus_slurm_association {
	char account[TORUS_SLURM_NAME], user[TORUS_SLURM_NAME];
	uint32_t parent;
	uint32_t shares;
	bool use_parent; /* Share "parent" */
};

struct torus_slurm_qos {
	char name[TORUS_SLURM_NAME];
	uint32_t priority;
	double usage_factor;
};

struct torus_slurm {
	/* the main loop */
	int64_t sched_interval; /* -1: it never runs */
	int64_t sched_min_interval_us;
	int64_t batch_sched_delay;
	uint32_t default_queue_depth, partition_job_depth, sched_max_job_start;
	bool defer;
	uint32_t max_jobs; /* MaxJobCount */
	bool epilog; /* Epilog is set: slurmd reports the end of each job */

	/* sched/backfill */
	int64_t bf_interval; /* -1: it never runs */
	int64_t bf_window, bf_resolution, bf_min_age_reserve;
	uint32_t bf_max_job_test, bf_node_space_size;
	/* 0: none */
	uint32_t bf_max_job_part, bf_max_job_user, bf_max_job_user_part,
		bf_max_job_assoc, bf_max_job_start, bf_job_part_count_reserve,
		bf_min_prio_reserve;
	uint32_t bf_max_job_array_resv;
	bool bf_running_job_reserve;
	bool consumable; /* select/cons_tres: ends close to each other are tried
			    together */
	int64_t bf_window_scale;

	/* priorities */
	bool multifactor, fair_tree, favor_small, incr_only, no_normal_part,
		no_normal_qos;
	int64_t calc_period, max_age;
	double half_life; /* 0: no decay */
	double damping;
	double weight_age, weight_fairshare, weight_size, weight_partition,
		weight_qos;

	struct torus_slurm_partition *partition;
	uint32_t partitions;
	uint32_t default_partition;
	struct torus_slurm_association *association;
	uint32_t associations; /* 0: each user of the trace has one share */
	struct torus_slurm_qos *qos;
	uint32_t qoses;

	/* select/cons_tres by CPUs, memory and GPUs; 0: jobs have whole nodes */
	uint32_t nodes;
	struct torus_slurm_node *node;
	bool memory; /* SelectTypeParameters has memory */
};

/* Set what Slurm does by default; there is no partition yet. */
void torus_slurm_defaults(struct torus_slurm *slurm);

#endif
