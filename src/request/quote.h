/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for messages about words that users type: quote a word of any length,
 * and find the valid word that is closest to it.
 */
#ifndef TORUS_REQUEST_QUOTE_H
#define TORUS_REQUEST_QUOTE_H

#include "torus/text.h"

#define TORUS_QUOTE_SIZE 72

/* A word of at most 60 bytes, or its first (last) 57 with "..."; a UTF-8
 * character is never cut in two. */
struct torus_quote {
	char text[TORUS_QUOTE_SIZE];
};

/* Both return q->text. */
const char *torus_quote(struct torus_quote *q, const char *word, size_t length);
const char *torus_quote_end(struct torus_quote *q, const char *word,
			    size_t length);

/* Bytes of the UTF-8 character at p (1 if it is none); p is NUL-terminated. */
size_t torus_character(const char *p);

/*
 * Return the closest of `valid` (n words), or NULL if none is close: at most two
 * letters added, omitted, changed or swapped, and fewer than the word has.
 */
const char *torus_nearest(const char *word, const char *const *valid, size_t n);

/*
 * Report a word that is not among the valid ones. Return -1 with EINVAL:
 *   WHERE: got "subme": no such WHAT (did you mean "submesh"?); expected one of flat, submesh
 */
int torus_unknown_word(struct torus_error *err, const char *where,
		       const char *what, const char *word,
		       const char *const *valid, size_t n);

/* The same for a strategy of the registry. */
int torus_unknown_strategy(struct torus_error *err, const char *where,
			   const char *word);

#endif
