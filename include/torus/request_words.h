/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a request, a row for each. From the rows come the options of sbatch and
 * storus, the environment, the columns of traces and journals, the keys of AdminComment,
 * job updates and snapshots, and the completion. A further word is a row, and in
 * request.c what it means: torus_request_parse() and its column.
 */
#ifndef TORUS_REQUEST_WORDS_H
#define TORUS_REQUEST_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "torus/text.h"

/*
 * X(MEMBER, KIND, NAME, VARIABLE, COLUMN, VALUE, CHOICES, HELP)
 *
 * NAME is the option, and the key of AdminComment, job updates and snapshots. VARIABLE
 * follows SBATCH_, SALLOC_, SLURM_ or TORUS_REQUEST_PREFIX. VALUE stands for the value in
 * a help text. CHOICES are words that the completion offers, or NULL.
 */
#define TORUS_REQUEST_WORDS(X)                                                  \
	X(geometry, SHAPE, "geometry", GEOMETRY, geometry, "SHAPE", NULL,       \
	  "nodes in this shape: 4x4x2, 2^3; or a number of nodes: 64")          \
	X(conn_type, TEXT, "conn-type", CONN_TYPE, connection, "TYPE",          \
	  "torus\nmesh\nnav",                                                   \
	  "torus, mesh or nav, or a letter per axis: T ring, M open, N either") \
	X(no_rotate, NOT, "no-rotate", NO_ROTATE, rotate, NULL, NULL,           \
	  "axis i of the shape lies along dimension i of the machine")          \
	X(placement, STRATEGY, "placement", PLACEMENT, placement, "STRATEGY",   \
	  NULL, "the placement strategy, if the site allows it")                \
	X(links, TEXT, "links", LINKS, links, "weak", "weak",                   \
	  "weak: accept weak links")                                            \
	X(rank_order, TEXT, "rank-order", RANK_ORDER, rank_order, "ORDER",      \
	  "row-major\nsnake\nmorton\nhilbert",                                  \
	  "lay the tasks out in the shape: row-major, snake, morton, hilbert")

/* What the words are; a flag has no value. */
enum torus_word_kind {
	TORUS_KIND_SHAPE,    /* the request itself: without it there is none */
	TORUS_KIND_TEXT,     /* checked by torus_request_parse() */
	TORUS_KIND_STRATEGY, /* the name of a strategy */
	TORUS_KIND_FLAG,     /* its column: yes, no or empty */
	TORUS_KIND_NOT,      /* a flag whose column says the opposite */
};

/* The C types of the kinds. */
#define TORUS_TYPE_SHAPE const char *
#define TORUS_TYPE_TEXT const char *
#define TORUS_TYPE_STRATEGY const char *
#define TORUS_TYPE_FLAG bool
#define TORUS_TYPE_NOT bool

#define TORUS_WORD_MEMBER(member, kind, ...) TORUS_TYPE_##kind member;
#define TORUS_WORD_INDEX(member, kind, name, variable, ...)                    \
	TORUS_WORD_##variable,

/* The words as the user typed them; NULL, "" or false: not given. */
struct torus_request_words {
	TORUS_REQUEST_WORDS(TORUS_WORD_MEMBER)
};

enum torus_word {
	TORUS_REQUEST_WORDS(TORUS_WORD_INDEX) /* TORUS_WORD_GEOMETRY, ... */
	TORUS_WORDS
};

/* In front of VARIABLE in a job's spank_job_env. */
#define TORUS_REQUEST_PREFIX "TORUS_REQ_"

/* "geometry, connection, ..., links, " */
#define TORUS_WORD_COLUMN(member, kind, name, variable, column, ...)           \
#column ", "
#define TORUS_REQUEST_COLUMNS TORUS_REQUEST_WORDS(TORUS_WORD_COLUMN)

struct torus_job_request;

struct torus_request_word {
	enum torus_word_kind kind;
	const char *name;
	const char *entry;    /* of spank_job_env: TORUS_REQ_CONN_TYPE */
	const char *variable; /* the end of it: CONN_TYPE */
	const char *column;   /* of traces and journals */
	const char *value;
	const char *choices;
	const char *help;
	size_t at; /* of the member in struct torus_request_words */
	/* Write the column of a request, as snprintf() does; a buffer of
	 * TORUS_GEOMETRY_SIZE suffices. "" for what need not be stated. */
	int (*write)(const struct torus_job_request *request, char *buffer,
		     size_t size);
};

extern const struct torus_request_word torus_request_word[TORUS_WORDS];

static inline bool torus_word_is_flag(enum torus_word w)
{
	return torus_request_word[w].kind >= TORUS_KIND_FLAG;
}

/* Return where the text of a word is kept; NULL for a flag. */
const char **torus_request_words_text(struct torus_request_words *words,
				      enum torus_word w);

/* Return the text, "yes" for a flag that is set, or NULL: not given. */
const char *torus_request_words_get(const struct torus_request_words *words,
				    enum torus_word w);

/* Set a text, or a flag unless value is NULL. */
void torus_request_words_set(struct torus_request_words *words,
			     enum torus_word w, const char *value);

/* Append ";KEY=VALUE" or ";FLAG" for each given word except the geometry. 0, or -1 with
 * ENOMEM. */
int torus_request_words_write(const struct torus_request_words *words,
			      struct torus_text *text);

/* Read such a "KEY=VALUE" or "FLAG", of any word, in place. Return false if it is unknown,
 * empty or was read before. */
bool torus_request_words_read(struct torus_request_words *words, char *item);

/* Read an entry of AdminComment, "4x4;conn-type=TM;no-rotate", in place. Other keys are
 * ignored: they may be a later version's. */
void torus_request_words_read_ask(struct torus_request_words *words, char *ask);

#endif
