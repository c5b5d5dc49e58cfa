/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of slurm.conf for a site: its nodes (slurm_site_nodes.c), SchedulerParameters
 * (slurm_site_parameters.c), and what the files share. */
#ifndef REPLAY_SLURM_SITE_NODES_H
#define REPLAY_SLURM_SITE_NODES_H

#include "config/hostlist.h"
#include "replay/slurm_conf.h"
#include "replay/slurm_site.h"

/* A setting that changes the schedule and is not modelled, unless the value is one of the
 * words. */
struct site_lack {
	const char *name, *harmless; /* "|WORD|WORD|" in small letters */
};

/* A NodeName line; 0: not stated. sockets: of all boards. */
struct site_node {
	uint64_t cpus, boards, sockets, sockets_per_board, cores, threads;
	uint64_t memory_mb, kept_mb, gpus;
	uint32_t first, end; /* its nodes */
	const char *features;
};

/* A NodeSet line: names and features of its nodes, or NULL. */
struct site_set {
	const char *name, *nodes, *feature;
};

/* A partition until the nodes are known. */
struct site_partition {
	struct torus_slurm_partition is;
	bool by_default;
	bool node_memory; /* DefMemPerNode is set */
	/* OverSubscribe is set, to EXCLUSIVE; Shared is EXCLUSIVE */
	bool has_oversubscribe, alone, shared_alone;
	enum {
		EXCLUSIVE_UNSET,
		EXCLUSIVE_NO,
		EXCLUSIVE_NODE,
		EXCLUSIVE_USER,
		EXCLUSIVE_TOPO,
	} exclusive; /* since Slurm 26.05 */
	bool has_priority;
	uint32_t priority; /* Priority */
	char *nodes;       /* NULL: none */
	char *file;
	unsigned line;
};

struct site_reader {
	struct torus_slurm_site *site;
	const struct torus_config *config;
	enum {
		LINE_OTHER,
		LINE_NODE,
		LINE_NODE_SET,
		LINE_PARTITION,
	} kind;
	struct site_partition *partition; /* [0]: DEFAULT */
	uint32_t partitions, room;
	uint32_t current;
	bool builtin, parts;
	bool by_cpus; /* sizes of jobs are CPUs */
	bool by_socket, least_loaded;
	struct site_partition all; /* DefMemPer.. of all partitions */
	char gpu_type[32];         /* the first one */
	struct site_node line_default, *line;
	uint32_t lines, line_room;
	/* AccountingStorageType is set: to slurmdbd, to another one */
	bool has_database, no_database;
	bool has_space; /* bf_node_space_size is set */
	bool has_select, has_select_parameters, has_priority; /* are set */
	bool other_priority; /* PriorityType is neither basic nor multifactor */
	struct site_set *set;
	uint32_t sets, set_room;
	char **text; /* what `features` and the sets point to */
	uint32_t texts, text_room;
	char **name; /* nodes, in order */
	uint32_t names, name_room;
};

/* In slurm_site.c: an error of a setting; a key that is not modelled, noted once; the keys
 * of a list that are not. */
int slurm_site_wrong(const struct torus_slurm_pair *pair, const char *key,
		     const char *got, const char *expected,
		     struct torus_error *err);
int slurm_site_lacks(struct site_reader *r, const char *what, const char *key);
int slurm_site_check_lacks(struct site_reader *r, const struct site_lack *list,
			   const char *what, const struct torus_slurm_pair *p);

/* Read a number as slurm.conf has it: in C's notation, 16k with a `most` beyond 65535,
 * UNLIMITED (`most`). Return false if Slurm would not start with it. */
bool slurm_site_number(const char *text, uint64_t most, uint64_t *n);

/* Begin a NodeName line; take a setting of it, of DEFAULT for the lines below it. */
int slurm_site_nodes_begin(struct site_reader *r,
			   const struct torus_slurm_pair *pair,
			   struct torus_error *err);
int slurm_site_nodes_set(struct site_reader *r,
			 const struct torus_slurm_pair *pair,
			 struct torus_error *err);

/* Begin a NodeSet line; take a setting of it. */
int slurm_site_set_begin(struct site_reader *r,
			 const struct torus_slurm_pair *pair);
int slurm_site_set_set(struct site_reader *r,
		       const struct torus_slurm_pair *pair);

/* Return true if jobs may share a node: in a partition that is not exclusive, one of
 * several CPUs. */
bool slurm_site_shares(const struct site_reader *r);

/* Set what the nodes have that jobs share. */
int slurm_site_nodes_share(struct site_reader *r, const char *conf,
			   struct torus_error *err);

/* Find the nodes of a partition. order: node -> its position in slurm.conf. */
int slurm_site_nodes_of(struct site_reader *r, struct site_partition *p,
			const struct name_table *order, struct torus_error *err);

/* What a key of slurm.conf sets. */
enum site_kind {
	SITE_SECONDS,  /* int64_t */
	SITE_INTERVAL, /* the same, not 0 */
	SITE_MINUTES,  /* int64_t seconds */
	SITE_MICRO,    /* int64_t microseconds */
	SITE_COUNT,    /* uint32_t */
	SITE_FLAG,     /* bool */
	SITE_WEIGHT,   /* double */
	SITE_SPAN,     /* int64_t seconds, in Slurm's notation */
	SITE_SPAN_REAL,
	SITE_YES, /* bool: YES or NO */
};

struct site_key {
	const char *name;
	/* What a key of slurm.conf sets. */
	enum site_kind kind;
	size_t member;
	int64_t least, most;
};

#define SITE_MEMBER(m) offsetof(struct torus_slurm, m)

/* Put a number into the member of the key. */
void slurm_site_put(struct torus_slurm *to, const struct site_key *key,
		    int64_t n);
/* Return true if the word is in the list, which NULL ends, in any case. */
bool slurm_site_among(const char *const *list, const char *word);
/* Cut the next of the words between commas, bars and blanks off *rest. */
char *slurm_site_next_word(char **rest);
/* Read SchedulerParameters, in place of those of an earlier line. */
int slurm_site_parameters(struct site_reader *r,
			  const struct torus_slurm_pair *pair,
			  struct torus_error *err);

#endif
