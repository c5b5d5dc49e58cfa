/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torus.yaml: the machine's toruses, their nodes and strategies, and the
 * scheduler's settings. See torus.yaml(5).
 */
#ifndef TORUS_CONFIG_H
#define TORUS_CONFIG_H

#include "torus/scheduler.h"

#define TORUS_PATH_SIZE 256

/* What the live host alone reads. */
struct torus_live_settings {
	uint32_t tries; /* places offered to a job whose nodes are found unfit,
			   >= 1 */
	char plan_file[TORUS_PATH_SIZE]; /* of the plan; "": a place of the
					    host's own */
	char journal[TORUS_PATH_SIZE];   /* of jobs that are over; "": none */
	bool dry_run;      /* only the journal is told of starts */
	bool node_comment; /* nodes have their coordinate as Slurm's comment */
};

struct torus_config {
	char *path; /* as given, for messages */
	struct torus_machine machine;
	/* per pod: names[i] is the name of node i, NULL where the cell has no
	 * node; names is NULL if the pod lists none (offline use) */
	char ***names;
	bool *rotate; /* per pod: may jobs be rotated */
	char **links; /* per pod: the file with links that are not healthy, or
			 NULL; machine.links has what was read from them */
	struct torus_scheduler_settings scheduler;
	struct torus_live_settings live;
	struct torus_error notices; /* e.g. "placements is accepted and ignored" */
};

/*
 * Read a file, or text of it (name is for messages only; the links files are
 * not read then). All errors are in
 * err, a line each: torus.yaml:7: nodes: "n[00-62]" names 63 nodes, expected 64 (4x4x4).
 * NULL then, with EINVAL (or the errno of the failed open or read).
 */
struct torus_config *torus_config_read(const char *path,
				       struct torus_error *err);
struct torus_config *torus_config_parse(const char *name, const char *text,
					size_t length, struct torus_error *err);

/*
 * Read the links files of the toruses, now, into a list. -1 with errno and
 * lines in err; the list is as it was.
 */
int torus_config_read_links(const struct torus_config *config,
			    struct torus_link_list *list,
			    struct torus_error *err);

/* Take the links from this file instead (storus --link-file); before a state is
 * made. */
int torus_config_link_file(struct torus_config *config, const char *path,
			   struct torus_error *err);

/* Links may fail in every torus whose strategies go around dead ones; before a
 * state is made. */
void torus_config_allow_links(struct torus_config *config);

/* The same, and at least one torus has such links. -1 with the reason in err. */
int torus_config_fail_links(struct torus_config *config,
			    struct torus_error *err);

/* A configuration of one torus from a machine string, strategy default. */
struct torus_config *torus_config_string(const char *machine,
					 struct torus_error *err);

/* FILE or machine string, as --torus takes it: a readable file wins. */
struct torus_config *torus_config_load(const char *what,
				       struct torus_error *err);
void torus_config_destroy(struct torus_config *config);

/*
 * Override every pod's default strategy (storus --strategy). -1 with lines in
 * err where it cannot serve a pod.
 */
int torus_config_strategy(struct torus_config *config, const char *name,
			  struct torus_error *err);

/*
 * A last pod for nodes of the cluster that no torus lists (none: no pod). Only
 * asks that say anywhere get its nodes. `names` are copied; NULL: unknown. The
 * machine must not be in use yet. -1 with a line in err, or ENOMEM.
 */
int torus_config_outside(struct torus_config *config, uint32_t nodes,
			 const char *const *names, struct torus_error *err);

/* Machine-wide bit of a node name, or UINT32_MAX. O(1). */
uint32_t torus_config_node(const struct torus_config *config, const char *name);

#endif
