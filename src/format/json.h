/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON (RFC 8259) for the files of this folder: a writer that appends to a text, and a
 * strict reader that lists all values of a text.
 */
#ifndef FORMAT_JSON_H
#define FORMAT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/text.h"

/* The writer. Members and elements of the outer two levels begin on a line of their
 * own. The first failure (ENOMEM) is kept, and the text is then incomplete. */
struct json_writer {
	struct torus_text *text;
	unsigned depth;
	bool comma, failed;
};

/* Begin an object '{' or an array '[', as a member (key) or an element (NULL); end it. */
void json_begin(struct json_writer *w, const char *key, char bracket);
void json_end(struct json_writer *w, char bracket);
/* Write a string; what is not UTF-8 becomes '?'. */
void json_put_string(struct json_writer *w, const char *key, const char *value);
/* Write a number, true, false or null as formatted. */
void json_put(struct json_writer *w, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* End the text's last line. Return 0, or -1 with ENOMEM. */
int json_finish(struct json_writer *w);

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_value {
	const char *key; /* of a member; NULL: an element, or the whole text */
	char *text;      /* of a string, decoded; else as it stands */
	uint32_t line;   /* from 1 */
	uint32_t end;    /* index behind its last element or member */
	enum json_type type;
};

/* A text that was read. Its values stand in the order of the text: those of an object
 * or array follow it. */
struct json {
	const char *name; /* in messages */
	struct torus_error *err;
	struct json_value *value;
	uint32_t count, room;
	bool wrong, no_memory; /* what failed, if anything */
};

/*
 * Read `length` bytes and a NUL, one object; strings stay in `text`, which is overwritten.
 * Return 0, or -1 with ENOMEM, or with EINVAL and a line in json->err, as for all that
 * reads: NAME:LINE: KEY: got "..", expected ... Other members of *json than name and err
 * are zero before. O(length).
 */
int json_read(struct json *json, char *text, size_t length);
void json_free(struct json *json);

/* Return true if the text is meant as JSON: it begins with '{'. */
bool json_is(const char *text, size_t length);

/* Return the first element or member, and the next one; NULL: none. `of`: NULL is empty. */
const struct json_value *json_first(const struct json *json,
				    const struct json_value *of);
const struct json_value *json_next(const struct json *json,
				   const struct json_value *of,
				   const struct json_value *value);

/* Report a value that is not as expected. Return -1 with EINVAL. */
int json_refuse(struct json *json, const struct json_value *value,
		const char *expected);

/*
 * Find the members of an object by `keys` (ended by NULL); member[i] is NULL if keys[i] is
 * not there or null. One that comes twice, or (strict) that has another key, is refused.
 */
int json_members(struct json *json, const struct json_value *object,
		 const char *const *keys, bool strict,
		 const struct json_value **member);

/* Check that a value is of a type; NULL passes. */
int json_check(struct json *json, const struct json_value *value,
	       enum json_type type);

/* Check the members "format" and "schema", with which a file begins. */
int json_check_format(struct json *json, const struct json_value *object,
		      const char *format, unsigned schema);

#endif
