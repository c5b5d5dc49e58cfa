/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A placement strategy: which region of one torus a job gets.
 *
 * Each strategy is one file in src/placement/ with one `static const` descriptor,
 * listed in src/placement/strategies.h. A strategy serves one torus ("pod") of
 * the machine. torus_state (torus/state.h) calls it and keeps the occupancy, so a
 * strategy without memory needs only supports, create, destroy and find.
 *
 * Only create(), save() and restore() allocate.
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

/* Return the value of a key, or NULL; return true if the key has this value. */
const char *torus_options_get(const struct torus_options *options,
			      const char *key);
bool torus_options_is(const struct torus_options *options, const char *key,
		      const char *value);

/* Help text of an option; a table ends with key NULL. */
struct torus_option_help {
	const char *key;
	const char *values;  /* "smallest|largest", "none|DURATION", "1..64" */
	const char *initial; /* the default */
	const char *summary;
};

/* Set a key, which need not be absent; an old name sets today's. -1: too long, or too
 * many. */
int torus_options_set(struct torus_options *options, const char *key,
		      const char *value);
/* Return today's name of an option that had another one ("windows": "eat"), or NULL. */
const char *torus_option_renamed(const char *key);

/* Return the line of a help table, which may be NULL; NULL: there is none. */
const struct torus_option_help *
torus_option_find(const struct torus_option_help *help, const char *key);

/* List the keys of a help table, separated by ", ", as many as fit. */
void torus_options_list(const struct torus_option_help *help, char *text,
			size_t size);

/* Return a value that torus_options_check() has accepted, a decimal in millionths,
 * a whole number or a duration; `initial` if the key is absent or no duration. */
int64_t torus_options_millionths(const struct torus_options *options,
				 const char *key, int64_t initial);
int64_t torus_options_whole(const struct torus_options *options,
			    const char *key, int64_t initial);

int64_t torus_options_duration(const struct torus_options *options,
			       const char *key, int64_t initial);

/*
 * Check keys against a help table (NULL: no options allowed) and values against
 * its `values`: a|b|c (DURATION: any duration), or whole numbers LOW..HIGH, or decimals
 * LOW.x..HIGH.y (both bounds with a point; at most 6 digits after it). Add a line per
 * error, with the prefix `what`. Return 0 or -1.
 */
int torus_options_check(const struct torus_options *options,
			const struct torus_option_help *help, const char *what,
			struct torus_error *err);

/* The strategy's record of a commit or release, for its undo. */
struct torus_memo {
	uint64_t value[2];
};

struct torus_strategy {
	const char *name;
	const char *alias;   /* second name, or NULL */
	const char *summary; /* one line */
	const char *source;  /* paper and section, or "own" */
	const struct torus_option_help *options; /* NULL: none */

	/* True: the strategy has no memory but the occupancy, so that find() is
	 * valid for every set of usable nodes, past or future. */
	bool occupancy_only;

	/* True: its memory only chooses among places. Whether a request fits
	 * depends on the usable nodes alone, and more usable nodes never make
	 * it fail. True for every occupancy_only strategy. */
	bool by_nodes;

	/* May be NULL. Return true if, with these options, find() tells for every
	 * set of usable nodes, past or future, whether a request fits. It
	 * does for every occupancy_only strategy. */
	bool (*tells_for_any)(const struct torus_options *options);

	/* True: it finds a place for a shape whenever the usable nodes contain
	 * a box in an orientation that the ask permits. So after a failed
	 * search no shape that contains this one fits. */
	bool complete;

	/* True: it serves a torus with units or a grain (torus/torus.h). Bases
	 * and extents are then in cells, shapes in vertices. */
	bool units;

	/* True: its regions contain no link that is dead for the ask
	 * (ask->links), or it gives no regions. */
	bool links;

	/* True: a count gets a box within the limits of the ask; else an ask with
	 * limits is refused. */
	bool limits;

	bool checked; /* of a file (torus/policy.h): the state checks its places */
	bool scatters; /* gives single nodes, no regions: serves flat toruses */
	bool lists_only; /* find_all() is for people; what decides does not ask it */
	bool interleaves; /* gives regions with strides, which may share links */
	uint32_t most_dims; /* dimensions of a torus that it serves; 0: any */

	/* Return 0 if it serves this torus, or -1 with the reason in why. NULL:
	 * what the fields above allow. */
	int (*supports)(const struct torus_strategy *strategy,
			const struct torus *t, struct torus_error *why);

	/* Toruses, placements, nodes and node counts of these functions are in
	 * the cells of src/placement/state/grid.h.
	 *
	 * Create an instance with all its scratch memory. NULL with errno.
	 * `present`: the nodes that exist (NULL: all). t outlives it. */
	void *(*create)(const struct torus *t, const uint64_t *present,
			const struct torus_options *options);
	void (*destroy)(void *self); /* NULL is fine; keeps errno */

	/* May be NULL. Set the state and pod of the next find(). A strategy may
	 * choose among places by the holds; the answer must not depend on
	 * them. It may be called for shapes only. */
	void (*see)(void *self, const struct torus_state *state, uint32_t pod);

	/*
	 * Find a place inside `usable` (free and allowed nodes, torus-local
	 * words) that contains all of ask->required. Pure but for scratch:
	 * equal arguments give equal answers. Fills *out only with TORUS_FITS.
	 * `why` (may be NULL) gets one line with TORUS_NEVER.
	 */
	enum torus_answer (*find)(void *self, const struct torus_ask *ask,
				  const uint64_t *usable,
				  struct torus_placement *out,
				  struct torus_error *why);

	/*
	 * Call each() for every place, whatever ask->required says, in
	 * lexicographic order of (orientation text, base), until it returns
	 * false. For `storus place --all`. May be NULL.
	 */
	void (*find_all)(void *self, const struct torus_ask *ask,
			 const uint64_t *usable,
			 bool (*each)(void *arg,
				      const struct torus_placement *place),
			 void *arg);

	/* The next four may be NULL if occupancy_only. commit() cannot fail for
	 * a placement that find() gave on the present state. For an older one
	 * it returns -1 with EBUSY, and changes nothing, if the strategy can no
	 * longer grant it. undo_..() reverts the latest operation that is not
	 * undone yet. */
	int (*commit)(void *self, const struct torus_placement *place,
		      struct torus_memo *memo);
	void (*release)(void *self, const struct torus_placement *place,
			struct torus_memo *memo);
	void (*undo_commit)(void *self, const struct torus_placement *place,
			    const struct torus_memo *memo);
	void (*undo_release)(void *self, const struct torus_placement *place,
			     const struct torus_memo *memo);

	/* May be NULL. The expected end of a placement in memory is now
	 * place->end_us. Neither this nor an earlier operation can be undone. */
	void (*set_end)(void *self, const struct torus_placement *place);

	/* Write the memory as one line of text; read it into a new instance.
	 * -1 with ENOMEM, or EINVAL and a line in err. NULL if occupancy_only. */
	int (*save)(const void *self, struct torus_text *text);
	int (*restore)(void *self, const char *text, struct torus_error *err);

	/* Return true if exactly this placement is in memory. NULL if
	 * occupancy_only. */
	bool (*knows)(const void *self, const struct torus_placement *place);

	/* Check the memory against the busy nodes. NULL if occupancy_only. */
	bool (*check)(const void *self, const uint64_t *busy,
		      struct torus_error *err);
};

/* Return the registry: all strategies, ended by NULL; return a strategy by name
 * or alias, or NULL. */
const struct torus_strategy *const *torus_strategies(void);
const struct torus_strategy *torus_strategy_find(const char *name);

/* Return 0 if the strategy serves this torus with these options, or -1 with a
 * line in why for each reason. (torus_machine_able() also considers units.) */
int torus_strategy_supports(const struct torus_strategy *strategy,
			    const struct torus *t,
			    const struct torus_options *options,
			    struct torus_error *why);

#endif
