/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protocol buffers in text form, as far as descriptions of machines need it:
 * messages, lists, strings, words and numbers. No extensions, no Any.
 */
#ifndef STORUS_TEXTPROTO_H
#define STORUS_TEXTPROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/tree.h"
#include "torus/text.h"

#define TEXTPROTO_DEPTH 32

/* A field: a scalar with its text, or a message with its fields. A list is one
 * field per item, in order. */
struct textproto {
	const char *name;
	const char *text; /* NULL: a message */
	uint32_t line;
	bool read; /* for the caller */
	struct textproto *first, *last, *next;
};

/*
 * Read a text; `file` is for messages. NULL with lines in err, or with ENOMEM.
 * The result is a message without a name, and lives as long as the arena.
 * O(length).
 */
struct textproto *textproto_read(struct arena *arena, const char *file,
				 const char *text, size_t length,
				 struct torus_error *err);

/* The next field of that name after `after` (NULL: the first), or NULL. */
struct textproto *textproto_next(const struct textproto *message,
				 const char *name,
				 const struct textproto *after);

/* The text of a scalar field, or NULL. */
const char *textproto_text(const struct textproto *message, const char *name);

#endif
