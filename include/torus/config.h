/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torus.yaml: the machine's toruses, their nodes and strategies, and the
 * scheduler's settings. See torus.yaml(5).
 */
#ifndef TORUS_CONFIG_H
#define TORUS_CONFIG_H

#include "torus/scheduler.h"

#define TORUS_PATH_SIZE 256

/* Settings that only the live host reads. */
struct torus_live_settings {
	uint32_t tries; /* places offered for a job while Slurm rejects their
			   nodes, >= 1 */
	char plan_file[TORUS_PATH_SIZE]; /* path of the plan file; "": the
					    host's default */
	char journal[TORUS_PATH_SIZE];   /* path of the journal of ended
					    jobs; "": none */
	bool dry_run; /* starts go to the journal only, not to Slurm */
	enum torus_rank_order rank_order; /* of jobs that name none */
	bool node_comment; /* publish node coordinates as Slurm's node
			      comment */
};

struct torus_config {
	char *path; /* path as the caller passed it, for messages: without control characters */
	struct torus_machine machine;
	/* per pod: names[i] is the name of node i, NULL where the cell has no
	 * node; names is NULL if the pod lists no names (offline use) */
	char ***names;
	char **links; /* per pod: path of its links file, or NULL;
			 machine.links has the contents */
	struct torus_scheduler_settings scheduler;
	struct torus_live_settings live;
	struct torus_error notices; /* e.g. "placements is accepted and ignored" */
};

/*
 * Read a file, or its text (name is for messages only; links files are not read
 * then). On error return NULL with EINVAL, or the errno of open or read. err
 * gets one line per error, for example:
 *
 *   torus.yaml:7: nodes: "n[00-62]" names 63 nodes, expected 64 (4x4x4).
 */
struct torus_config *torus_config_read(const char *path,
				       struct torus_error *err);
/* As slurmctld reads it: policies are loaded as torus/policy.h says of `only_in`. */
struct torus_config *torus_config_read_live(const char *path,
					    const char *policies,
					    struct torus_error *err);
struct torus_config *torus_config_parse(const char *name, const char *text,
					size_t length, struct torus_error *err);

/*
 * Read the links files of all toruses into a list. -1 with errno, lines in err
 * and the list unchanged.
 */
int torus_config_read_links(const struct torus_config *config,
			    struct torus_link_list *list,
			    struct torus_error *err);

/* Read the links from this file instead (storus --link-file). Call it before a
 * state is created. */
int torus_config_link_file(struct torus_config *config, const char *path,
			   struct torus_error *err);

/* Let the links fail of every torus whose strategies avoid dead links;
 * _fail_links(): -1 with the reason in err if there is no such torus. */
void torus_config_allow_links(struct torus_config *config);
int torus_config_fail_links(struct torus_config *config,
			    struct torus_error *err);

/* Return a configuration of one torus from a machine string, with the default
 * strategy. */
struct torus_config *torus_config_string(const char *machine,
					 struct torus_error *err);

/* Read an operand of --torus: a path or a machine string. A readable file takes
 * precedence. */
struct torus_config *torus_config_load(const char *what,
				       struct torus_error *err);
void torus_config_destroy(struct torus_config *config);

/*
 * Override every pod's default strategy (storus --strategy), by name or the path of a
 * policy. -1 with lines in err if the strategy does not support a pod.
 */
int torus_config_strategy(struct torus_config *config, const char *name,
			  struct torus_error *err);

/*
 * Set an option of the discipline and of each torus's default strategy, where they
 * have it (storus replay --option, `options` of campaigns). *had: one of them has it.
 * -1 with lines in err if one refuses the value. _unknown() adds the line about an
 * option that none has, with those that they have; -1.
 */
int torus_config_option(struct torus_config *config, const char *key,
			const char *value, bool *had, struct torus_error *err);
int torus_config_option_unknown(const struct torus_config *config,
				const char *key, struct torus_error *err);

/*
 * Append a last pod of `nodes` cluster nodes that no torus lists; with 0 nodes
 * append none. Only asks with `anywhere` get its nodes. `names` are copied;
 * NULL: unknown. Call it before the machine is in use. -1 with a line in err,
 * or with ENOMEM.
 */
int torus_config_outside(struct torus_config *config, uint32_t nodes,
			 const char *const *names, struct torus_error *err);

/* Return the machine-wide bit of a node name, or UINT32_MAX. O(1). */
uint32_t torus_config_node(const struct torus_config *config, const char *name);

#endif
