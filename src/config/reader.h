/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of torus.yaml's readers: the configuration under construction,
 * messages, and the reading of single values.
 *
 * A function that finds an error reports it with file, line and key, sets
 * `wrong`, and returns -1; its caller continues with other checks. A failed
 * allocation is noted as well.
 */
#ifndef TORUS_CONFIG_READER_H
#define TORUS_CONFIG_READER_H

#include "config/tree.h"
#include "config/hostlist.h"
#include "torus/config.h"

/* A configuration with its private part: the memory of its names. */
struct config_private {
	struct torus_config config; /* first: a pointer to it is one to all */
	struct arena arena;         /* path and node names */
	struct name_table table;
};

struct reader {
	const char *file;
	const char *policies; /* only_in of torus/policy.h */
	struct torus_error *err;
	struct config_private *priv;
	struct arena scratch; /* until the end of the reading */
	bool wrong;           /* an error was reported */
	bool no_memory;
	bool placements;               /* the notice was given */
	struct name_table torus_names; /* their lines as index */
	bool several; /* blocks of topology.yaml: equal names get a number */
	uint32_t toruses; /* read so far */
	uint32_t names;   /* nodes named so far */
};

/* Report FILE:LINE: KEY: text. Return -1. */
int torus_reader_wrong(struct reader *r, uint32_t line, const char *key,
		       const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same as a notice. */
void torus_reader_notice(struct reader *r, uint32_t line, const char *key,
			 const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Note a failed allocation. Return -1. */
int torus_reader_no_memory(struct reader *r);

/*
 * Sort the values of a map by their keys: value[i] belongs to keys[i], NULL if it
 * is missing or null. Report unknown and repeated keys. `where`: "a torus". -1 if
 * t is not a map.
 */
int torus_value_map(struct reader *r, const struct tree *t, const char *where,
		    const char *const *keys, size_t n,
		    const struct tree **value);

/* Return a list's items, or the single value itself. */
const struct tree *torus_value_first(const struct tree *t);
const struct tree *torus_value_next(const struct tree *t,
				    const struct tree *item);

/* Read a scalar of each kind; numbers from 1 to `most`. *out is written only on
 * success. */
int torus_value_word(struct reader *r, const struct tree *t, const char *key,
		     const char **out);
int torus_value_number(struct reader *r, const struct tree *t, const char *key,
		       uint32_t most, uint32_t *out);
int torus_value_bool(struct reader *r, const struct tree *t, const char *key,
		     bool *out);
int torus_value_duration(struct reader *r, const struct tree *t,
			 const char *key, int64_t *out);
int torus_value_strategy(struct reader *r, const struct tree *t,
			 const char *key, const struct torus_strategy **out);

/* Read [8, 8, 8] or {x: 8, y: 8, z: 8}: 1 to 8 whole numbers from 0 to
 * TORUS_MAX_NODES. */
int torus_value_vector(struct reader *r, const struct tree *t, const char *key,
		       uint32_t *out, uint32_t *n);

/* Read a map of options, checked against the help table of `owner`. */
int torus_value_options(struct reader *r, const struct tree *t,
			const struct torus_option_help *help, const char *owner,
			struct torus_options *out);

/* Node names in order. */
struct name_list {
	char **name;
	uint32_t used, room;
};

/*
 * Append the nodes of a value (node list or list of them) and enter them in the
 * table. A node that is named twice is reported, and still appended, so that the
 * counts are right.
 */
int torus_nodes_read(struct reader *r, const struct tree *t, const char *key,
		     struct name_list *out);

/* Read one entry of `toruses:` into the machine. */
void torus_block_read(struct reader *r, const struct tree *t);

/* Read `scheduler:` (NULL: none) into the settings, after the toruses. */
void torus_scheduler_read(struct reader *r, const struct tree *t);

/* Read `weights:` into the machine. !machine: the toruses have errors, so that nodes
 * cannot be found. */
void torus_config_read_weights(struct reader *r, const struct tree *t,
			       bool machine);

/* Allocate room for one more pod's names and links; -1 with ENOMEM. */
int torus_config_reserve(struct config_private *priv);

/* Return the default strategy of a torus. */
const struct torus_strategy *torus_config_initial_strategy(const struct torus *t);

#endif
