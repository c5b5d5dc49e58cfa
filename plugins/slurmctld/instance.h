/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of libtorus_slurm.so: one configuration, the machine state that
 * follows Slurm's job table, and recent places, whose jobs have not begun yet.
 */
#ifndef SLURMCTLD_INSTANCE_H
#define SLURMCTLD_INSTANCE_H

#include "slurmctld/torus_slurm.h"

#include "torus/config.h"
#include "torus/plan.h"
#include "torus/scratch.h"

#define INSTANCE_RECENT_PLACES                                                 \
	64 /* most recent places, kept until their jobs begin */
#define INSTANCE_ANSWERS 32 /* cached answers of WILL_RUN */
#define INSTANCE_COUNTS 64  /* cached answers about counts */
#define SCHED_TORUS "sched/torus"
#define INSTANCE_ANYWHERE "flat" /* the strategy of jobs without a shape */

/* Slurm's node numbers and the machine's bits. */
struct node_map {
	uint32_t nodes;     /* of Slurm's table */
	uint32_t words;     /* of a machine bitmap */
	uint32_t *bit_of;   /* [nodes]: machine bit, or UINT32_MAX */
	uint32_t *index_of; /* [machine words * 64]: Slurm's node number, or
			       UINT32_MAX */
};

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

	/* links.c */
	struct torus_link_list links; /* unhealthy links */
	uint64_t links_stamp;         /* stamp of the links files */
	time_t links_looked;

	/* weights.c */
	struct torus_weights *weights; /* as last read */
};

/* torus.yaml's path; the caller frees it with xfree(). */
char *instance_path(void);

/* links.c. instance_has_links(): return true if torus.yaml names links files.
 * instance_links_begin(): note the state of these files when torus.yaml is
 * read. instance_links_reread(): read changed files; needs Slurm's job write
 * lock. Return 1 if files had changed; 0 if not; -1 with lines in err if a file
 * is invalid: then nothing changes. */
bool instance_has_links(const struct instance *in);
int instance_links_begin(struct instance *in, struct torus_error *err);
int instance_links_reread(struct instance *in, struct torus_error *err);

/* Return when Slurm takes the node: lower numbers first. */
uint64_t node_turn(const node_record_t *node);

/* weights.c. instance_weigh(): give both states Slurm's present node weights, which are
 * returned; needs Slurm's node lock. instance_weights_begin(): before the states are
 * created; -1 with ENOMEM. */
const struct torus_weights *instance_weigh(struct instance *in);
int instance_weights_begin(struct instance *in);

/* Check that only trusted users may write the file. -1 with a line in err. */
int configuration_check_owner(const char *path, struct torus_error *err);

/* Read the file and create the instance. NULL with lines in err. */
struct instance *instance_create(const char *path, struct torus_error *err);
void instance_destroy(struct instance *in);

/* If torus.yaml asks for it, set each node's coordinate as Slurm's comment, unless an
 * administrator wrote one. Needs Slurm's node write lock. */
void instance_comment_nodes(const struct instance *in);

/* Build `map`. `strict`: every node that torus.yaml names must be in
 * slurm.conf, else -1 with lines in err. -1 with ENOMEM. */
int instance_map(struct instance *in, bool strict, struct torus_error *err);

/* Convert Slurm's bitmap to a machine bitmap; nodes outside the machine are
 * dropped. */
void node_map_from_slurm(const struct node_map *map, const bitstr_t *nodes,
			 uint64_t *to);
/* Convert a machine bitmap to Slurm's. Return the number of nodes set. */
uint32_t node_map_to_slurm(const struct node_map *map, const uint64_t *nodes,
			   bitstr_t *to);
/* Copy a map. -1 with ENOMEM. */
int node_map_copy(struct node_map *to, const struct node_map *from);
void node_map_free(struct node_map *map);

/* Lock and return the instance; NULL: none yet. Lock in either case. */
struct instance *instance_lock(void);
void instance_unlock(void);
/* Set whether only sched/torus starts jobs. Takes the lock. */
void instance_in_charge(bool in_charge);

/* Path of the torus.yaml in force, and the errors of a later one that is not
 * used. The strings are copies, to be freed with xfree(). Takes the lock. */
struct config_status {
	char *path; /* NULL: none is in force */
	time_t since;
	time_t refused;
	char *errors; /* one line each; NULL: the latest file is in force */
};
void instance_status(struct config_status *status);

/* Read changed links files. Needs the instance's lock and Slurm's job write
 * lock. */
void instance_reread_links(void);

/* Set the order that is carried out next, or NULL. Takes the lock. */
void instance_order(struct start_order *order);
/* Let job_test() be the wrapped plugin's own. Takes the lock. */
void instance_bypass(bool bypass);

/* With the lock: release one user's reference. NULL is fine. */
void configuration_release(struct configuration *configuration);
/* Let the place refer to copies: to `nodes`, which the caller has painted, and
 * to copies of its regions in *room (without memory it has none). */
void instance_keep(const struct instance *in, struct torus_placement *place,
		   const uint64_t *nodes, struct torus_regions **room);
/* The place's nodes as a machine bitmap, cleared first. */
void instance_paint(const struct instance *in,
		    const struct torus_placement *place, uint64_t *map);

/* Return true if select/torus wraps select/cons_tres, whose jobs may share nodes;
 * select/linear allocates whole nodes. */
static inline bool wraps_cons_tres(void)
{
	return xstrstr(slurm_conf.select_type, "cons_tres");
}

/* job_request.c: the job's request, from its spank_job_env. */
bool job_request_is_in(char **env, uint32_t count);
bool job_request_is_shaped(const job_record_t *job);
/* Return true if there is more than one alternative. */
bool job_request_is_ladder(const job_record_t *job);
/* Remove the request from an environment. */
void job_request_remove(char **env, uint32_t *count);
/* Read the request. 0, or -1 with EINVAL and lines in err. The latest requests
 * are cached by their text, so that equal texts are parsed once. */
int job_request_read(char **env, uint32_t count, bool may_rotate,
		     struct torus_request *request, struct torus_error *err);
/* Read the request of a job in Slurm's table. */
int job_request_of(const job_record_t *job, bool may_rotate,
		   struct torus_request *request);
/* Write the words as entries of a spank_job_env, for xfree(). Return their number,
 * at most REQ_WORDS (names.h). */
uint32_t job_request_write(const struct torus_request_words *words,
			   char **entry);
/* Add the request, which was valid at submission, to an AdminComment:
 * torus:ask=4x4x2;conn-type=TTM;no-rotate;placement=submesh */
void job_request_add_comment(char **env, uint32_t count, char **comment);

/* sizes.c: node, CPU and task counts of a job's record, which depend on the
 * alternative. */
struct sizes {
	uint32_t min_nodes, max_nodes, min_cpus, num_tasks;
	uint32_t saved_cpus; /* min_cpus after a restart of slurmctld */
};

struct sizes sizes_of(const job_record_t *job);
/* Return these counts for an alternative of `nodes` nodes. */
struct sizes sizes_for(const job_record_t *job, uint32_t nodes);
void sizes_set(job_record_t *job, const struct sizes *s);
/* Set the record of a pending job for `nodes` nodes, with what squeue shows. */
void sizes_set_nodes(job_record_t *job, uint32_t nodes);
/* Return true if the job has more than one alternative. */
bool sizes_vary(const job_record_t *job);
/* Set the record of a job that waits again to the first alternative. Takes the
 * instance's lock. */
void sizes_reset(job_record_t *job);
/* As torus_state_possible() for a new ask on the empty machine. The number that
 * the machine grants to a count is cached. */
enum torus_answer sizes_possible(struct instance *in,
				 const struct torus_ask *ask,
				 struct torus_placement *place,
				 struct torus_error *err);
/* Return the nodes of the k-th alternative; the count itself if the limit ended the
 * search for a count. */
uint32_t sizes_of_alternative(struct instance *in,
			      const struct torus_request *request, uint32_t k,
			      struct torus_search_limit *limit);

/* job_table.c: synchronise the state with Slurm's job table. Needs the job
 * lock. */
int job_table_sync(struct instance *in);

/* The nodes of a job, and when it ends. A completing job has the nodes that
 * still run an epilog; these may become free at any moment. */
struct job_nodes {
	const bitstr_t *nodes; /* NULL: none */
	time_t end;            /* 0: any moment */
	bool completing;
};
/* Return false if the job has no nodes. */
bool job_table_nodes_of(const job_record_t *job, struct job_nodes *out);

/* victims.c: jobs that Slurm may end for a start, by their ids. `candidates` is Slurm's
 * list of jobs that may be preempted, or NULL. */
struct victims {
	uint32_t *id; /* sorted */
	uint32_t count, room;
};
void victims_open(struct victims *v, compat_list candidates);
void victims_close(struct victims *v);
bool victims_include(const struct victims *v, uint32_t job);
/* Clear the nodes of all jobs but the victims; of suspended jobs, whose nodes Slurm
 * calls idle. */
void victims_keep_off(const struct victims *v, bitstr_t *nodes);
void victims_keep_off_suspended(bitstr_t *nodes);
/* The exports of torus_slurm.h: keep_off_shapes, users, start. */
void victims_keep_off_shapes(const job_record_t *job, bitstr_t *nodes,
			     uint16_t mode, compat_list candidates);
enum place_users victims_of_place(const job_record_t *job, const bitstr_t *place,
				  compat_list candidates, compat_list *ended);
int exclusive_start(job_record_t *job);

/* dry_run.c. dry_run_wanted(): return true if torus.yaml sets a dry run.
 * dry_run_check(): -1 and a line in err if the scheduler is sched/torus itself.
 * The third function returns true if the job waits for nodes only, according to
 * Slurm's scheduler. */
bool dry_run_wanted(const struct instance *in);
int dry_run_check(const struct torus_config *config, struct torus_error *err);
bool dry_run_waits(const job_record_t *job);

/* choose.c */
int choose_place(struct instance *in, struct torus_choice *c);
/* order NULL: nothing may start */
int choose_ordered(struct instance *in, struct start_order *order,
		   struct torus_choice *c);
/* Return those of the nodes that have more CPUs than the smallest. */
bitstr_t *choose_larger(const bitstr_t *nodes);

/* recent_places.c: store the place that job_test() chose; find it by the nodes
 * of the job and remove it (false: there is none). */
void recent_place_add(struct instance *in, uint32_t job,
		      const struct torus_placement *place);
bool recent_place_take(struct instance *in, const job_record_t *job,
		       struct torus_placement *place);
/* Find the place of a running job from its AdminComment; else let the
 * strategies of state s (in->state or in->empty) recognize it from its nodes.
 * False: the nodes are not a place there. */
bool recent_place_recognize(struct instance *in, struct torus_state *s,
			    const job_record_t *job,
			    struct torus_placement *place);

/* records.c: return SLURM_ERROR, and log the reason, if the layout of Slurm's
 * records differs from the headers. */
int records_check(void);

/* state_file.c: the state as text in a file of that directory.
 * state_file_write(): 0, or -1 with the reason logged. state_file_restore():
 * read it into a state without jobs; an invalid file is logged and ignored. */
int state_file_write(const char *directory, const char *text);
void state_file_restore(struct instance *in, const char *directory);
/* The same for sched/torus's promises; reading appends to `text`. */
int state_file_write_promises(const char *directory, const char *text);
void state_file_read_promises(const char *directory,
			      struct torus_text *promises);

/* job_display.c: set AdminComment and environment of a job. job_display_place()
 * does so only if the job shows no place yet. */
void job_display_place(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place);
void job_display_clear(job_record_t *job);
/* Return true if an entry of an environment, NAME=VALUE, is of a placement. */
bool job_display_is_place(const char *entry);

/* submit.c; in NULL: no configuration; in_charge: sched/torus starts the jobs. */
int submit_check(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		 char **err_msg);
int submit_modify(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		  job_record_t *job, char **err_msg);
/* update.c: describe the job as it would be submitted now. The description's
 * strings belong to the job and must not be freed. */
void update_describe_job(const job_record_t *job, job_desc_msg_t *desc);
/* update.c: apply the text of job_update.h in desc->comment, and remove it from
 * desc. */
int update_submit(struct instance *in, bool ladder, job_desc_msg_t *desc,
		  job_record_t *job, uid_t uid, char **err_msg);

#endif
