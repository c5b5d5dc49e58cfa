/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of libtorus_slurm.so: one configuration, the machine state that
 * follows Slurm's job table, and recent places, whose jobs have not begun yet.
 */
#ifndef SLURMCTLD_INSTANCE_INSTANCE_H
#define SLURMCTLD_INSTANCE_INSTANCE_H

#include "slurmctld/torus_slurm.h"
#include "slurmctld/instance/node_map.h"
#include "torus/config.h"
#include "torus/plan.h"
#include "torus/scratch.h"

#define INSTANCE_RECENT_PLACES                                                 \
	64 /* most recent places, kept until their jobs begin */
#define INSTANCE_ANSWERS 32 /* cached answers of WILL_RUN */
#define INSTANCE_COUNTS 64  /* cached answers about counts */
#define SCHED_TORUS "sched/torus"
#define INSTANCE_ANYWHERE "flat" /* the strategy of jobs without a shape */

/* A place that job_test() chose, for job_begin(). */
struct recent_place {
	uint32_t job; /* id, 0: unused */
	struct torus_placement place;
	uint64_t *nodes; /* machine bitmap: all nodes of the place */
	struct torus_regions *regions; /* room; allocated when needed */
};

/* The contents of a torus.yaml. The scheduler may still use one that the
 * instance has replaced. */
struct configuration {
	struct torus_config *config;
	uint64_t number;      /* unique number of this reading of the file */
	time_t since;         /* when it was read */
	uint32_t *strategies; /* per pod: number of strategies in torus.yaml */
	unsigned users;
};

/*
 * The start order that is being carried out. While it is set, job_test() answers
 * its job with these nodes, and every other job with none.
 */
struct start_order {
	uint32_t job;  /* 0: none */
	bool refused;  /* the wrapped plugin refused the nodes */
	bool anywhere; /* no shape: `place` is not displayed */
	bool shared;   /* on nodes that other jobs use, too */
	struct torus_placement place;
	uint32_t count;
	bitstr_t *nodes; /* the caller's */
	bitstr_t *fit;   /* set if refused: the nodes that are fit */
};

/* An answer of WILL_RUN. */
struct cached_answer {
	bool used;
	uint64_t generation; /* the state's */
	struct torus_ask ask;
	uint64_t *allowed; /* the ask's: machine bitmap */
	int64_t when_us;   /* TORUS_NO_TIME: unknown */
	struct torus_placement place;
	uint64_t *nodes;               /* machine bitmap of the place */
	struct torus_regions *regions; /* room; allocated when needed */
};

/* The number of nodes that the empty machine grants to an ask for a count. */
struct settled_count {
	struct torus_ask ask;
	uint32_t nodes; /* 0: unused */
};

/* The machine of a configuration, with all that depends on its size. */
struct instance {
	struct configuration *configuration;
	struct torus_config *config;   /* the configuration's */
	struct torus_machine *machine; /* the config's */
	struct node_map map;
	uint64_t mapped; /* number of times that `map` was built */

	struct torus_state *state; /* follows the job table */
	struct torus_state *empty; /* the same machine without jobs */
	struct torus_plan *plan;
	uint64_t job_table_hash; /* hash of the job table that `state` follows */
	bool stale;              /* `state` must be synchronised again */
	bool may_rotate;         /* no pod forbids rotation */

	struct torus_scratch scratch; /* machine bitmaps */
	/* [machine words * 64]: end of the node's use in microseconds, as of
	 * the last job_table_sync() */
	int64_t *until_us;

	struct recent_place recent[INSTANCE_RECENT_PLACES];
	uint32_t next_recent;
	/* regions of the AdminComment read last */
	struct torus_regions commented;
	uint64_t *commented_nodes; /* machine bitmap */
	struct cached_answer answer[INSTANCE_ANSWERS];
	uint32_t next_answer;
	struct settled_count count[INSTANCE_COUNTS];
	uint32_t next_count;
	uint64_t *maps; /* memory of all bitmaps */

	/* instance_links.c */
	struct torus_link_list links; /* unhealthy links */
	uint64_t links_stamp;         /* stamp of the links files */
	time_t links_looked;

	/* instance_weights.c */
	struct torus_weights *weights; /* as last read */
};

/* What slurmctld has one of. Under instance_lock(). */
struct instance_current {
	struct instance *instance; /* NULL: not configured yet */
	bool in_charge;            /* sched/torus starts the jobs */
	bool bypass;               /* job_test() is the wrapped plugin's own */
	struct start_order *order; /* that sched/torus carries out, or NULL */
	char *errors;       /* of a torus.yaml that is not used, or NULL */
	char *links_errors; /* of a links file that is not used, or NULL */
	time_t refused_at;
};
extern struct instance_current instance_current;

/* Lock and return the instance; NULL: none yet. Lock in either case. */
struct instance *instance_lock(void);
void instance_unlock(void);

/* Set whether only sched/torus starts jobs; the order that is carried out next, or
 * NULL; whether job_test() is the wrapped plugin's own. Each takes the lock. */
void instance_in_charge(bool in_charge);
void instance_order(struct start_order *order);
void instance_bypass(bool bypass);

/* Log the first lines of err. */
void instance_log_lines(struct torus_error *err, bool is_error);

/* torus.yaml's path; the caller frees it with xfree(). */
char *instance_path(void);

/* Read the file and create the instance. NULL with lines in err. */
struct instance *instance_create(const char *path, struct torus_error *err);
void instance_destroy(struct instance *in);

/* If torus.yaml asks for it, set each node's coordinate as Slurm's comment, unless an
 * administrator wrote one. Needs Slurm's node write lock. */
void instance_comment_nodes(const struct instance *in);

/* Path of the torus.yaml in force, and the errors of a later one that is not
 * used. The strings are copies, to be freed with xfree(). Takes the lock. */
struct config_status {
	char *path; /* NULL: none is in force */
	time_t since;
	time_t refused;
	char *errors; /* one line each; NULL: the latest file is in force */
};
void instance_status(struct config_status *status);

/* With the lock: release one user's reference. NULL is fine. */
void instance_release_configuration(struct configuration *configuration);
/* Let the place refer to copies: to `nodes`, which the caller has painted, and
 * to copies of its regions in *room (without memory it has none). */
void instance_keep(const struct instance *in, struct torus_placement *place,
		   const uint64_t *nodes, struct torus_regions **room);
/* The place's nodes as a machine bitmap, cleared first. */
void instance_paint(const struct instance *in,
		    const struct torus_placement *place, uint64_t *map);

/* Return true if torus.yaml sets a dry run. */
static inline bool instance_is_dry_run(const struct instance *in)
{
	return in && in->config->live.dry_run;
}

/* Return true if select/torus wraps select/cons_tres, whose jobs may share nodes;
 * select/linear allocates whole nodes. */
static inline bool wraps_cons_tres(void)
{
	return xstrstr(slurm_conf.select_type, "cons_tres");
}

/* instance_links.c: the links files of torus.yaml, read again when one of them
 * changes. */

/* Return true if torus.yaml names links files. */
bool instance_links_any(const struct instance *in);

/* Note the state of these files when torus.yaml is read. -1 with lines in err. */
int instance_links_begin(struct instance *in, struct torus_error *err);

/* Read changed links files. Needs the instance's lock and Slurm's job write lock. */
void instance_links_reread(void);

/* instance_weights.c: Slurm's node weights, and the nodes that power saving has
 * switched off, in the instance's machine states. */

/* Return when Slurm takes the node: lower numbers first. */
uint64_t instance_weights_turn(const node_record_t *node);

/* instance_weights_read(): give both states Slurm's present node weights, which are
 * returned; needs Slurm's node lock. instance_weights_begin(): before the states are
 * created; -1 with ENOMEM. */
const struct torus_weights *instance_weights_read(struct instance *in);
int instance_weights_begin(struct instance *in);

#endif
