/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A question about a place on a given occupancy, as `storus place` and
 * `storus ranks` take it from the command line: the machine, what is busy,
 * what is asked for.
 */
#ifndef STORUS_QUESTION_H
#define STORUS_QUESTION_H

#include "storus/source.h"

/* Its options; a command's own ones are numbered from STORUS_QUESTION_END. */
enum {
	STORUS_QUESTION_GEOMETRY = STORUS_SOURCE_END,
	STORUS_QUESTION_CONN_TYPE,
	STORUS_QUESTION_NO_ROTATE,
	STORUS_QUESTION_STRATEGY,
	STORUS_QUESTION_LINKS,
	STORUS_QUESTION_END,
};

/* Their lines of a command's table, but those of the source. */
#define STORUS_QUESTION_OPTIONS                                                \
	{ "geometry", STORUS_QUESTION_GEOMETRY, "SPEC",                        \
	  "what is asked for: 4x4x2, 2^3, 64" },                               \
		{ "conn-type", STORUS_QUESTION_CONN_TYPE, "TYPE",              \
		  "torus, mesh, nav, or one letter per axis (TTM)" },          \
		{ "links", STORUS_QUESTION_LINKS, "weak",                      \
		  "links that are weak will do" },                             \
		{ "no-rotate", STORUS_QUESTION_NO_ROTATE, NULL,                \
		  "axis i as typed lies along dimension i" },                  \
	{                                                                      \
		"strategy", STORUS_QUESTION_STRATEGY, "NAME",                  \
			"a strategy of `storus list strategies`"               \
	}

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

/* argc: of the command line, which bounds the number of --busy. -1 with
 * ENOMEM. */
int storus_question_init(struct storus_question *q,
			 const struct storus_command *command, int argc);
void storus_question_free(struct storus_question *q);

/* Take an option of the question or its source; 0: it is none of these; 1: taken;
 * STORUS_ARGS_BAD after a line on stderr. */
int storus_question_take(struct storus_question *q,
			 const struct storus_args *args, int id);

/* Read the machine and who is on it. An exit status, lines in err. */
int storus_question_machine(struct storus_question *q, struct torus_error *err);

/* The same of a snapshot that is there already; the question owns it from then
 * on. */
int storus_question_snapshot(struct storus_question *q,
			     struct snapshot *snapshot, struct torus_error *err);

/* Read what is asked for, also where the machine could not be read. 0, or -1 with lines in err. */
int storus_question_request(struct storus_question *q, struct torus_error *err);

/* Ask: the answer, and the place, or the reason why there is none. Of several
 * alternatives the first that fits, however long it asks to wait; which one is
 * in *alternative (may be NULL). */
enum torus_answer storus_question_ask(struct storus_question *q,
				      uint32_t *alternative,
				      struct torus_placement *place,
				      struct torus_error *why);

#endif
