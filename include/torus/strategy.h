/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A placement strategy: which region of one torus a job gets.
 *
 * Each strategy is one file in src/placement/ with one `static const` descriptor,
 * listed in src/placement/registry.c. A strategy serves one torus ("pod") of the
 * machine; torus_state (torus/state.h) drives it and keeps the occupancy, so
 * that a strategy without memory of its own needs only supports, create,
 * destroy and find.
 *
 * Nothing here allocates after create(), except save() and restore().
 */
#ifndef TORUS_STRATEGY_H
#define TORUS_STRATEGY_H

#include "torus/ask.h"

struct torus_state;

/* Options of a strategy or discipline, as written in torus.yaml. */
#define TORUS_OPTIONS_MAX 16
#define TORUS_OPTION_KEY 32
#define TORUS_OPTION_VALUE 64

struct torus_options {
	uint32_t used;
	struct {
		char key[TORUS_OPTION_KEY];
		char value[TORUS_OPTION_VALUE];
	} item[TORUS_OPTIONS_MAX];
};

/* Value of a key, or NULL. */
const char *torus_options_get(const struct torus_options *options,
			      const char *key);

/* How an option documents itself; a table of them ends with key NULL. */
struct torus_option_help {
	const char *key;
	const char *values;  /* "smallest|largest", "true|false", "1..64" */
	const char *initial; /* what holds when it is absent */
	const char *summary;
};

/* A decimal value that torus_options_check() has passed, in millionths;
 * `initial` where the key is absent. */
int64_t torus_options_millionths(const struct torus_options *options,
				 const char *key, int64_t initial);

/*
 * Check keys against a help table (NULL: no options known) and values against
 * its `values`: a|b|c, or LOW..HIGH whole numbers, or LOW.x..HIGH.y decimals
 * (both bounds with a point; at most 6 digits after it). Adds a line per error
 * (prefixed by what), returns 0 or -1.
 */
int torus_options_check(const struct torus_options *options,
			const struct torus_option_help *help, const char *what,
			struct torus_error *err);

/* What undo() needs to take a commit or release back. The strategy's own. */
struct torus_memo {
	uint64_t value[2];
};

struct torus_strategy {
	const char *name;
	const char *alias;   /* another name it answers to, or NULL */
	const char *summary; /* one line */
	const char *source;  /* paper and section, or "own" */
	const struct torus_option_help *options; /* NULL: none */

	/* True: it remembers nothing but the occupancy, so that any set of
	 * usable nodes may be asked about, past or future. */
	bool occupancy_only;

	/* True: it remembers more, but that only chooses among places. Whether
	 * it finds one depends on the usable nodes alone, and with more of
	 * them it still does. (So it is where occupancy_only, too.) */
	bool by_nodes;

	/* True: for a shape it finds a place whenever usable nodes have one in
	 * any orientation that the ask permits, as a plain box; so where it
	 * finds none, there is none for any shape that contains it. */
	bool complete;

	/* True: it serves a torus whose units or grain are boxes of vertices
	 * (torus/torus.h): its bases and extents are cells, a shape is in
	 * vertices. */
	bool units;

	/* True: its regions hold no link that is dead for the ask (ask->links),
	 * or it gives no regions. */
	bool links;

	bool scatters;    /* gives single nodes, no regions */
	bool interleaves; /* gives regions with strides, which may share links;
			     boxes do not */

	/* Can it serve this torus? 0, or -1 with the reason in why. */
	int (*supports)(const struct torus *t,
			const struct torus_options *options,
			struct torus_error *why);

	/* The torus of all functions is what the strategy searches
	 * (src/placement/grid.h), as are placements, nodes and node counts.
	 *
	 * All scratch is allocated here. NULL with errno. `present`: the nodes
	 * that exist (NULL: all). t outlives the instance. */
	void *(*create)(const struct torus *t, const uint64_t *present,
			const struct torus_options *options);
	void (*destroy)(void *self); /* NULL is fine; keeps errno */

	/* May be NULL. The state that the next find() is about, and which of
	 * its pods: a strategy may look at the holds to choose among places,
	 * never for the answer; at times only for a shape. */
	void (*see)(void *self, const struct torus_state *state, uint32_t pod);

	/*
	 * A place inside `usable` (free and allowed nodes, torus-local words)
	 * that holds all of ask->required, or why not. Pure but for scratch: the same questions get the same
	 * answers. Fills *out only with TORUS_FITS. `why` (may be NULL) gets
	 * one line with TORUS_NEVER.
	 */
	enum torus_answer (*find)(void *self, const struct torus_ask *ask,
				  const uint64_t *usable,
				  struct torus_placement *out,
				  struct torus_error *why);

	/*
	 * Every place, whatever is required, in lexicographic order of (orientation text, base), for
	 * `storus place --all`. each() returns false to stop. May be NULL.
	 */
	void (*find_all)(void *self, const struct torus_ask *ask,
			 const uint64_t *usable,
			 bool (*each)(void *arg,
				      const struct torus_placement *place),
			 void *arg);

	/* The next four may be NULL where occupancy_only. commit() of a placement that
	 * find() gave on the present state cannot fail; of an older one it
	 * returns -1 with EBUSY if the strategy can no longer grant it (state
	 * unchanged). undo() takes back the latest operation not yet undone. */
	int (*commit)(void *self, const struct torus_placement *place,
		      struct torus_memo *memo);
	void (*release)(void *self, const struct torus_placement *place,
			struct torus_memo *memo);
	void (*undo_commit)(void *self, const struct torus_placement *place,
			    const struct torus_memo *memo);
	void (*undo_release)(void *self, const struct torus_placement *place,
			     const struct torus_memo *memo);

	/* May be NULL. The expected end of a placement in its memory moved to
	 * place->end_us. Cannot be undone; what comes before it is final. */
	void (*set_end)(void *self, const struct torus_placement *place);

	/* Memory as one line of text and back, into a fresh instance. -1 with
	 * ENOMEM, or EINVAL and a line in err. NULL where occupancy_only. */
	int (*save)(const void *self, struct torus_text *text);
	int (*restore)(void *self, const char *text, struct torus_error *err);

	/* Is exactly this placement in its memory? NULL where occupancy_only. */
	bool (*knows)(const void *self, const struct torus_placement *place);

	/* Invariants against the busy nodes. NULL where occupancy_only. */
	bool (*check)(const void *self, const uint64_t *busy,
		      struct torus_error *err);
};

/* The registry: all strategies, ended by NULL; by name or alias, or NULL. */
const struct torus_strategy *const *torus_strategies(void);
const struct torus_strategy *torus_strategy_find(const char *name);

#endif
