/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A question about a place on a given occupancy, from the command line of `storus
 * place` and others: the machine, its busy nodes, and the request.
 */
#ifndef STORUS_QUESTION_H
#define STORUS_QUESTION_H

#include "storus/machine/source.h"
#include "torus/state.h"

#include <jansson.h>

/* Options of the request; `member` is the command's struct storus_question. */
#define STORUS_QUESTION_GEOMETRY(type, member)                                 \
	{                                                                      \
		"geometry", "SPEC",                                            \
			"the shape or number of nodes: 4x4x2, 2^3, 64",        \
			STORUS_TO(type, member.words.geometry)                 \
	}
#define STORUS_QUESTION_STRATEGY(type, member)                                 \
	{                                                                      \
		"strategy", "NAME", "a strategy of `storus list strategies`",  \
			STORUS_TO(type, member.strategy)                       \
	}

/*
 * The other words of the request, for TORUS_REQUEST_WORDS: `type` is the command's struct,
 * whose member `q` is the question; `lead` begins the help. A strategy is --strategy.
 */
#define STORUS_QUESTION_WORD(type, lead, member, kind, ...)                    \
	STORUS_ASK_##kind(type, lead, member, __VA_ARGS__)
#define STORUS_ASK_SHAPE(...)
#define STORUS_ASK_STRATEGY(...)
#define STORUS_ASK_FLAG STORUS_ASK_TEXT
#define STORUS_ASK_NOT STORUS_ASK_TEXT
#define STORUS_ASK_TEXT(type, lead, member, name, variable, column, value,     \
			choices, help)                                         \
	{ name, value, lead help, STORUS_TO(type, q.words.member) },

struct storus_question {
	/* as typed */
	struct storus_source source;
	const char *strategy;
	struct torus_request_words words;

	struct snapshot *snapshot;
	const struct torus_config *config; /* the snapshot's */
	struct torus_state *state;
	struct torus_request request;
	uint64_t *one; /* machine bitmap: scratch */
};

void storus_question_free(struct storus_question *q);

struct forward;
struct forward_job;

/* Return true if the play has the job start earlier than Slurm plans, and by then it
 * accepts an alternative that it does not accept yet: the plan has only those of now. */
bool storus_question_plan_lacks(const struct snapshot *s,
				const struct snapshot_job *job,
				const struct forward_job *played);

/*
 * Without a change the answer is the forecast: the start and the place that Slurm plans
 * for a waiting job replace those of a play that differs, as squeue --start has them,
 * but where the plan lacks an alternative.
 * placed: only where the place is known.
 */
void storus_question_take_plan(const struct snapshot *s, struct forward *f,
			       bool placed);

/* Read the machine and its jobs. An exit status, lines in err. */
int storus_question_machine(struct storus_question *q, struct torus_error *err);

/* Read the request, also if the machine could not be read. 0, or -1 with lines in err. */
int storus_question_request(struct storus_question *q, struct torus_error *err);

/* Return the name of the first word, or "strategy", that was given besides the geometry;
 * NULL: none. */
const char *storus_question_given(const struct storus_question *q);

/* What stands before the list of what blocks every place: links, if some of the
 * machine are not healthy. */
const char *storus_question_links(const struct storus_question *q);

/* Report, from errno, why the places of a shape could not be listed. Return
 * STORUS_TROUBLE. */
int storus_question_unlisted(const struct storus_command *command,
			     const char *shape);

/* Check that the value of --partition or --reservation is one of the list. STORUS_GO, or
 * an exit status after a line with the names that exist. */
int storus_question_named(const struct storus_command *command,
			  const char *option, const char *value,
			  const struct snapshot_nodes *list, uint32_t count);

/* Write the nodes of the partition (NULL: all) that are not reserved now to `allowed`,
 * a machine bitmap. An exit status, after a line on stderr. */
int storus_question_allow(const struct storus_command *command,
			  const struct storus_question *q,
			  const char *partition, uint64_t *allowed);

/* Ask: the answer, and the place, or the reason why there is none. No place has a node
 * that is reserved now. Overwrites `one`. Of several
 * alternatives the first that fits, however long it asks to wait; which one is
 * in *alternative (may be NULL). */
enum torus_answer storus_question_ask(struct storus_question *q,
				      uint32_t *alternative,
				      struct torus_placement *place,
				      struct torus_error *why);

/* contention.c: shared links in `storus place` (torus/contention.h). */

/* Return true if links of the place could be shared: regions of its torus are
 * interleaved. */
bool storus_contention_possible(const struct torus_machine *m,
				const struct torus_placement *place);

/* {"dilation": 1.5, "disturbed": [{"region": ..., "before": 1.0,
 * "dilation": 1.5}]}; NULL: no memory. */
json_t *storus_contention_json(const struct torus_state *s,
			       const struct torus_placement *place);

/* The same in lines for people. */
void storus_contention_print(const struct torus_state *s,
			     const struct torus_placement *place);

struct largest_free {
	uint32_t free;  /* nodes */
	uint32_t nodes; /* of the box; 0: none is free */
	char box[TORUS_REGION_SIZE];
};

/* Fill an entry per torus. 0, or -1 with ENOMEM. */
int largest_free_find(const struct storus_question *q, const uint64_t *allowed,
		      struct largest_free *list);

/* {"torus", "free", "largest": {"region", "nodes"} or null} */
json_t *largest_free_json(const struct storus_question *q, uint32_t pod,
			  const struct largest_free *f);

/* Set or clear, in a machine bitmap, the nodes of a list such as node[00-03]. Return -1 if
 * the machine does not have one of them. */
int storus_question_nodes(const struct torus_config *config, const char *list,
			  uint64_t *map, bool set);

#endif
