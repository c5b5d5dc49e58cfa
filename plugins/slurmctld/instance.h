/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of libtorus_slurm.so: one configuration, the machine state that
 * is synchronised with Slurm's job table, and recent places, which jobs have not
 * begun on yet.
 */
#ifndef SLURMCTLD_INSTANCE_H
#define SLURMCTLD_INSTANCE_H

#include "slurmctld/torus_slurm.h"

#include "torus/config.h"
#include "torus/plan.h"
#include "torus/scratch.h"

#define INSTANCE_RECENT_PLACES                                                 \
	64                  /* latest places remembered until they are taken */
#define INSTANCE_ANSWERS 32 /* latest answers of WILL_RUN */
#define INSTANCE_COUNTS 64 /* latest node counts that the machine has settled */
#define SCHED_TORUS "sched/torus"
#define INSTANCE_ANYWHERE "flat" /* the strategy of jobs without a shape */

/* Slurm's node numbers and the machine's bits. */
struct node_map {
	uint32_t nodes;     /* of Slurm's table */
	uint32_t words;     /* of a machine bitmap */
	uint32_t *bit_of;   /* [nodes]: machine bit, or UINT32_MAX */
	uint32_t *index_of; /* [machine words * 64]: Slurm's, or UINT32_MAX */
};

/* A place that job_test() handed down; job_begin() looks for it. */
struct recent_place {
	uint32_t job; /* id, 0: unused */
	struct torus_placement place;
	uint64_t *nodes; /* machine bitmap: all nodes of the place */
	struct torus_regions *regions; /* room; allocated when needed */
};

/* torus.yaml as it was read. The scheduler may still use one that the instance
 * has replaced. */
struct configuration {
	struct torus_config *config;
	uint64_t number;      /* of the reading */
	time_t since;         /* when it was read */
	uint32_t *strategies; /* per pod: those that torus.yaml names */
	unsigned users;
};

/*
 * What sched/torus is about to start. While it is set, job_test() answers the
 * job with these nodes, and every other job with none.
 */
struct start_order {
	uint32_t job;  /* 0: none */
	bool refused;  /* the wrapped plugin refused the nodes */
	bool anywhere; /* no shape: `place` is not displayed */
	bool shared;   /* on some of the nodes, beside other jobs */
	struct torus_placement place;
	uint32_t count;
	bitstr_t *nodes; /* the caller's */
	bitstr_t *fit;   /* set by whoever refuses: nodes that are fit */
};

/* An answer of WILL_RUN. */
struct cached_answer {
	bool used;
	uint64_t generation; /* the state's */
	struct torus_ask ask;
	uint64_t *allowed; /* the ask's: machine bitmap */
	int64_t when_us;   /* TORUS_NO_TIME: no time is known */
	struct torus_placement place;
	uint64_t *nodes;               /* machine bitmap of the place */
	struct torus_regions *regions; /* room; allocated when needed */
};

/* How many nodes the empty machine gives to an ask for a count. */
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
	uint64_t mapped; /* how often the map was made */

	struct torus_state *state; /* as the job table has it */
	struct torus_state *empty; /* the same machine with nobody on it */
	struct torus_plan *plan;
	uint64_t job_table_hash; /* hash of the job table that `state` follows */
	bool stale;              /* it has to be synchronised again */
	bool may_rotate;         /* no pod rules it out */

	struct torus_scratch scratch; /* machine bitmaps */
	/* [machine words * 64]: until when (us) the node is in use, as of the
	 * last job_table_sync() */
	int64_t *until_us;

	struct recent_place recent[INSTANCE_RECENT_PLACES];
	uint32_t next_recent;
	/* several regions of the AdminComment that was read last */
	struct torus_regions commented;
	uint64_t *commented_nodes; /* machine bitmap */
	struct cached_answer answer[INSTANCE_ANSWERS];
	uint32_t next_answer;
	struct settled_count count[INSTANCE_COUNTS];
	uint32_t next_count;
	uint64_t *maps; /* memory of all bitmaps */

	/* links.c */
	struct torus_link_list links; /* that are not healthy */
	uint64_t links_stamp;         /* of the files that say so */
	time_t links_looked;
};

/* torus.yaml's path; the caller frees it with xfree(). */
char *instance_path(void);

/* links.c: does torus.yaml name links files? Take what they said at its reading;
 * look whether they have changed. The look returns 1 if they have and are used
 * now, -1 with lines in err if they are wrong: then nothing has changed. It needs
 * Slurm's job write lock. */
bool instance_has_links(const struct instance *in);
int instance_links_begin(struct instance *in, struct torus_error *err);
int instance_links_look(struct instance *in, struct torus_error *err);

/* Who may write the file? -1 with a line in err. */
int configuration_check_owner(const char *path, struct torus_error *err);

/* Read the file and create everything. NULL with lines in err. */
struct instance *instance_create(const char *path, struct torus_error *err);
void instance_destroy(struct instance *in);

/* Where torus.yaml says so, give each node its coordinate as Slurm's comment,
 * unless an administrator wrote one. Needs Slurm's node write lock. */
void instance_comment_nodes(const struct instance *in);

/* Map Slurm's node numbers. `strict`: every node that torus.yaml names must be
 * in slurm.conf, else -1 with lines in err. -1 with ENOMEM. */
int instance_map(struct instance *in, bool strict, struct torus_error *err);

/* Slurm's bitmap as a machine bitmap (nodes without a place drop out). */
void node_map_from_slurm(const struct node_map *map, const bitstr_t *nodes,
			 uint64_t *to);
void instance_from_slurm(const struct instance *in, const bitstr_t *nodes,
			 uint64_t *to);
/* A machine bitmap as Slurm's; returns the number of nodes set. */
uint32_t node_map_to_slurm(const struct node_map *map, const uint64_t *nodes,
			   bitstr_t *to);
uint32_t instance_to_slurm(const struct instance *in, const uint64_t *map,
			   bitstr_t *to);
/* A copy; -1 with ENOMEM. */
int node_map_copy(struct node_map *to, const struct node_map *from);
void node_map_free(struct node_map *map);

/* The instance (NULL: none yet), locked against everybody else. */
struct instance *instance_lock(void);
void instance_unlock(void);
/* With the lock: sched/torus alone starts jobs. */
void instance_in_charge(bool in_charge);

/* Which torus.yaml is in force, and what is wrong with a later one that is not
 * used. The strings are copies, for xfree(). Takes the lock. */
struct config_status {
	char *path; /* NULL: none is in force yet */
	time_t since;
	time_t refused;
	char *errors; /* a line each; NULL: the latest file is in force */
};
void instance_status(struct config_status *status);

/* Read links files that have changed. The instance is locked, and Slurm's jobs
 * are for writing. */
void instance_look_at_links(void);

/* With the lock: set the order that is about to be started, or NULL. */
void instance_order(struct start_order *order);
/* With the lock: job_test() is the wrapped plugin's own. */
void instance_bypass(bool bypass);

/* Drop a user; NULL is fine. With the lock. */
void configuration_release(struct configuration *configuration);
/* Have the place point at its own copies: of its nodes, painted before, and of
 * its regions, in *room (without memory it has none). */
void instance_keep(const struct instance *in, struct torus_placement *place,
		   const uint64_t *nodes, struct torus_regions **room);
/* The place's nodes as a machine bitmap, cleared first. */
void instance_paint(const struct instance *in,
		    const struct torus_placement *place, uint64_t *map);

/* job_request.c: what the job asks for, from its spank_job_env. */
bool job_request_is_shaped(char **env, uint32_t count);
/* Return true if there is more than one alternative. */
bool job_request_is_ladder(char **env, uint32_t count);
/* 0, or -1 with EINVAL and lines in err. A text is parsed once: the latest
 * requests are cached by their text. */
int job_request_read(char **env, uint32_t count, bool may_rotate,
		     struct torus_request *request, struct torus_error *err);
/* The same of a job in Slurm's table, which has been submitted with it. */
int job_request_of(const job_record_t *job, bool may_rotate,
		   struct torus_request *request);
/* Add the words, found good before, to an AdminComment for people to read:
 * torus:ask=4x4x2;conn-type=TTM;no-rotate;placement=submesh */
void job_request_show(char **env, uint32_t count, char **comment);
/* Remove that from a comment (which may be NULL). */
void job_request_hide(char *comment);

/* sizes.c: what a job's record says depends on the alternative that it gets. */
struct sizes {
	uint32_t min_nodes, max_nodes, min_cpus, num_tasks;
	uint32_t saved_cpus; /* min_cpus after a restart of slurmctld */
};

struct sizes sizes_of(const job_record_t *job);
/* The same as an alternative of `nodes` nodes. */
struct sizes sizes_for(const job_record_t *job, uint32_t nodes);
void sizes_set(job_record_t *job, const struct sizes *s);
/* Return true if the job has more than one alternative. */
bool sizes_vary(const job_record_t *job);
/* The job waits again: make the record that of the first alternative. Takes
 * the instance's lock. */
void sizes_reset(job_record_t *job);
/* torus_state_possible() of a new ask on the empty machine; what it grants to a
 * count is remembered. */
enum torus_answer sizes_possible(struct instance *in,
				 const struct torus_ask *ask,
				 struct torus_placement *place,
				 struct torus_error *err);
/* Nodes of the k-th alternative; of a count where the limit has ended the search
 * no more than the count. */
uint32_t sizes_of_alternative(struct instance *in,
			      const struct torus_request *request, uint32_t k,
			      struct torus_search_limit *limit);

/* job_table.c: synchronise the state with Slurm's job table. Needs the job
 * lock. */
int job_table_sync(struct instance *in);

/* The nodes of a job, until when. Of a completing job those that still run an
 * epilog, until any moment. */
struct job_nodes {
	const bitstr_t *nodes; /* NULL: none */
	time_t end;            /* 0: any moment */
	bool completing;
};
/* Return false if the job has no nodes. */
bool job_table_nodes_of(const job_record_t *job, struct job_nodes *out);

/* dry_run.c: does torus.yaml ask for one? -1 and a line in err where the
 * scheduler is sched/torus itself. Does the job wait for nodes alone, as far as
 * Slurm's scheduler knows? */
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

/* recent_places.c: remember the place that was handed down, and take it out again for
 * the nodes that a job really got (false: no such one). */
void recent_place_add(struct instance *in, uint32_t job,
		      const struct torus_placement *place);
bool recent_place_take(struct instance *in, const job_record_t *job,
		       struct torus_placement *place);
/* The place of a running job: from its AdminComment, else recognized in its
 * nodes by the strategies of state s (in->state or in->empty). false: they are
 * no place there. */
bool recent_place_recognize(struct instance *in, struct torus_state *s,
			    const job_record_t *job,
			    struct torus_placement *place);

/* records.c: SLURM_ERROR, and the reason logged, if Slurm's records are not laid
 * out as in the headers. */
int records_check(void);

/* state_file.c: the state as text in a file of that directory. state_file_write(): 0, or
 * -1 and the reason logged. state_file_restore(): into a state without jobs; what
 * is wrong with the file is logged, and it is as if there were none. */
int state_file_write(const char *directory, const char *text);
void state_file_restore(struct instance *in, const char *directory);
/* The same of sched/torus's promises; those read are appended. */
int state_file_write_promises(const char *directory, const char *text);
void state_file_read_promises(const char *directory,
			      struct torus_text *promises);

/* job_display.c: AdminComment and environment of a job; job_display_place() of one that
 * shows nothing. */
void job_display_place(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place);
void job_display_clear(job_record_t *job);

/* submit.c; in NULL: no configuration; in_charge: sched/torus starts the jobs. */
int submit_check(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		 char **err_msg);
int submit_modify(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		  job_record_t *job, char **err_msg);
/* update.c: the job as it would be submitted now. The strings are the job's:
 * nothing of the description is to be freed. */
void update_describe_job(const job_record_t *job, job_desc_msg_t *desc);
/* update.c: desc->comment is job_update.h's; it is taken out of desc. */
int update_submit(struct instance *in, bool ladder, job_desc_msg_t *desc,
		  job_record_t *job, uid_t uid, char **err_msg);

#endif
