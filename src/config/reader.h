/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the readers of torus.yaml's parts share: the configuration that is
 * being built, where messages go, and the reading of single values.
 *
 * Every function that finds a mistake reports it with file, line and key,
 * remembers that there was one, and returns -1; its caller goes on with what
 * can still be checked. Lack of memory is remembered as well.
 */
#ifndef TORUS_CONFIG_READER_H
#define TORUS_CONFIG_READER_H

#include "config/arena.h"
#include "config/names.h"
#include "config/tree.h"
#include "torus/config.h"

/* A configuration with what its users do not see. */
struct config_box {
	struct torus_config config; /* first: &box->config is the box */
	struct arena arena;         /* path and node names */
	struct name_table table;
};

struct reader {
	const char *file;
	struct torus_error *err;
	struct config_box *box;
	struct arena scratch; /* until the end of the reading */
	bool wrong;           /* a mistake was reported */
	bool no_memory;
	bool placements;               /* seen, and the notice given */
	struct name_table torus_names; /* their lines as index */
	uint32_t toruses;              /* read so far */
	uint32_t names;                /* nodes named so far */
};

/* Report FILE:LINE: KEY: text; returns -1. */
int torus_reader_wrong(struct reader *r, uint32_t line, const char *key,
		       const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same as a notice. */
void torus_reader_notice(struct reader *r, uint32_t line, const char *key,
			 const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Remember that memory ran out; returns -1. */
int torus_reader_no_memory(struct reader *r);

/*
 * Sort the values of a map by their keys: value[i] belongs to keys[i], NULL
 * if it is not there or null. Unknown and repeated keys are reported.
 * `where`: "a torus". -1 if t is not a map at all.
 */
int torus_value_map(struct reader *r, const struct tree *t, const char *where,
		    const char *const *keys, size_t n,
		    const struct tree **value);

/* A list's items, or the single value itself. */
const struct tree *torus_value_first(const struct tree *t);
const struct tree *torus_value_next(const struct tree *t,
				    const struct tree *item);

/* One scalar of each kind. *out is only written on success. */
int torus_value_word(struct reader *r, const struct tree *t, const char *key,
		     const char **out);
int torus_value_number(struct reader *r, const struct tree *t, const char *key,
		       uint32_t low, uint32_t high, uint32_t *out);
int torus_value_bool(struct reader *r, const struct tree *t, const char *key,
		     bool *out);
int torus_value_duration(struct reader *r, const struct tree *t,
			 const char *key, int64_t *out);
int torus_value_strategy(struct reader *r, const struct tree *t,
			 const char *key, const struct torus_strategy **out);

/* [8, 8, 8] or {x: 8, y: 8, z: 8}: 1 to 8 whole numbers up to
 * TORUS_MAX_NODES, 0 among them. */
int torus_value_vector(struct reader *r, const struct tree *t, const char *key,
		       uint32_t *out, uint32_t *n);

/* A map of options, each checked against the help table of `owner`. */
int torus_value_options(struct reader *r, const struct tree *t,
			const struct torus_option_help *help, const char *owner,
			struct torus_options *out);

/* Node names in order. */
struct name_list {
	char **name;
	uint32_t used, room;
};

/*
 * Append the nodes of a value (node list or list of them), entered in the
 * table; a node that is named for the second time is reported, and appended
 * all the same, so that counts are right.
 */
int torus_nodes_read(struct reader *r, const struct tree *t, const char *key,
		     struct name_list *out);

/* One entry of `toruses:` into the machine. */
void torus_block_read(struct reader *r, const struct tree *t);

/* `scheduler:` (NULL: none) into the settings. Comes after the toruses. */
void torus_scheduler_read(struct reader *r, const struct tree *t);

/* Links may fail in every torus whose strategies go around dead ones. */
void torus_config_allow_links(struct torus_config *config);

/* Room for one more pod's names and rotation; -1 with ENOMEM. */
int torus_config_reserve(struct config_box *box);

/* What serves a torus if nothing else is written. */
const struct torus_strategy *torus_config_initial_strategy(const struct torus *t);

#endif
