/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON (json.h). The reader descends by recursion, to JSON_DEEPEST levels, and decodes
 * strings in place: a decoded string is never longer than its text. libyaml would accept
 * what is no JSON, and refuses the escapes \ud83d\ude00 that other programs write.
 */
#include "format/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/number.h"

#define JSON_DEEPEST 16
#define JSON_LINES 2 /* levels whose items have lines of their own */

/* The writer */

static void json_add(struct json_writer *w, const char *text, size_t length)
{
	w->failed = w->failed || torus_text_append(w->text, text, length);
}

/* Write a string with quotes, as UTF-8. Runs of plain characters are copied. */
static void json_add_string(struct json_writer *w, const char *value)
{
	const char *run = value;
	char escape[8];

	json_add(w, "\"", 1);
	while (*value) {
		unsigned char c = (unsigned char)*value;
		size_t n = torus_error_character(value);

		if (n && c >= ' ' && c != '"' && c != '\\' && c != 127) {
			value += n;
			continue;
		}
		if (value > run)
			json_add(w, run, (size_t)(value - run));
		if (n == 0)
			strcpy(escape, "?");
		else if (c == '"' || c == '\\')
			snprintf(escape, sizeof(escape), "\\%c", c);
		else
			snprintf(escape, sizeof(escape), "\\u%04x", c);
		json_add(w, escape, strlen(escape));
		run = ++value;
	}
	if (value > run)
		json_add(w, run, (size_t)(value - run));
	json_add(w, "\"", 1);
}

/* Write what stands before a value: a comma, a new line, the key. */
static void json_lead(struct json_writer *w, const char *key)
{
	bool line = w->depth > 0 && w->depth <= JSON_LINES;

	if (w->comma)
		json_add(w, ",", 1);
	if (line)
		json_add(w, "\n  ", w->depth + 1);
	else if (w->comma)
		json_add(w, " ", 1);
	if (key) {
		json_add_string(w, key);
		json_add(w, ": ", 2);
	}
	w->comma = true;
}

void json_begin(struct json_writer *w, const char *key, char bracket)
{
	json_lead(w, key);
	json_add(w, &bracket, 1);
	w->depth++;
	w->comma = false;
}

void json_end(struct json_writer *w, char bracket)
{
	w->depth--;
	if (w->comma && w->depth < JSON_LINES)
		json_add(w, "\n  ", w->depth + 1);
	json_add(w, &bracket, 1);
	w->comma = true;
}

void json_put_string(struct json_writer *w, const char *key, const char *value)
{
	json_lead(w, key);
	json_add_string(w, value);
}

void json_put(struct json_writer *w, const char *key, const char *format, ...)
{
	char number[64];
	va_list args;

	va_start(args, format);
	vsnprintf(number, sizeof(number), format, args);
	va_end(args);
	json_lead(w, key);
	json_add(w, number, strlen(number));
}

int json_finish(struct json_writer *w)
{
	json_add(w, "\n", 1);
	if (w->failed)
		errno = ENOMEM;
	return w->failed ? -1 : 0;
}

/* The reader */

struct json_reader {
	struct json *json;
	char *at; /* the next character; text[length] is NUL */
	const char *end;
	char *word; /* where a number or word ends that has no NUL yet; NULL: none */
	uint32_t line;
	unsigned depth;
};

static int json_wrong(struct json *json, uint32_t line, const char *key,
		      const char *got, const char *expected)
{
	json->wrong = true;
	return torus_error_add(json->err,
			       "%s:%u: %s%sgot \"%.60s\", expected %s",
			       json->name, line, key ? key : "",
			       key ? ": " : "", got, expected);
}

/* Refuse the next character. */
static int json_stop(struct json_reader *r, const char *key,
		     const char *expected)
{
	char got[64];
	size_t n = 0;

	if (r->at == r->end)
		return json_wrong(r->json, r->line, key, "the end of the text",
				  expected);
	if (!*r->at)
		return json_wrong(r->json, r->line, key, "a NUL byte", expected);
	while (n < 20 && r->at[n] && r->at[n] != '\n')
		n++;
	snprintf(got, sizeof(got), "%.*s", (int)(n ? n : 1), r->at);
	return json_wrong(r->json, r->line, key, got, expected);
}

/* Return the next character behind blanks. */
static char json_peek(struct json_reader *r)
{
	for (;; r->at++) {
		if (*r->at == '\n')
			r->line++;
		else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r')
			return *r->at;
	}
}

/* Read 4 hexadecimal digits; -1: there are none. */
static int32_t json_hex(const char *p)
{
	int32_t n = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int digit = c >= '0' && c <= '9' ? c - '0' :
			    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			    c >= 'A' && c <= 'F' ? c - 'A' + 10 :
						   -1;

		if (digit < 0)
			return -1;
		n = n * 16 + digit;
	}
	return n;
}

/* Decode \uXXXX, or a pair of surrogates, to UTF-8. r->at is at the first digit. */
static int json_read_unicode(struct json_reader *r, char **to)
{
	int32_t c = json_hex(r->at), low;

	if (c <= 0 || (c >= 0xdc00 && c < 0xe000))
		return -1;
	r->at += 4;
	if (c >= 0xd800 && c < 0xdc00) {
		low = r->at[0] == '\\' && r->at[1] == 'u' ?
			      json_hex(r->at + 2) :
			      -1;
		if (low < 0xdc00 || low >= 0xe000)
			return -1;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		r->at += 6;
	}
	if (c < 0x80) {
		*(*to)++ = (char)c;
		return 0;
	}
	if (c < 0x800) {
		*(*to)++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*(*to)++ = (char)(0xe0 | c >> 12);
		} else {
			*(*to)++ = (char)(0xf0 | c >> 18);
			*(*to)++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*(*to)++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*(*to)++ = (char)(0x80 | (c & 0x3f));
	return 0;
}

/* Read a string, whose quote is next, and end it by a NUL. Return NULL: refused. */
static char *json_read_string(struct json_reader *r, const char *key)
{
	static const char from[] = "\"\\/bfnrt", to_char[] = "\"\\/\b\f\n\r\t";
	char *text = ++r->at, *to = text;

	while (*r->at != '"') {
		unsigned char c = (unsigned char)*r->at;
		size_t n = torus_error_character(r->at);
		const char *escape;

		if (c < ' ' || n == 0) {
			json_stop(r, key,
				  "a string of UTF-8 without control characters, and its end");
			return NULL;
		}
		if (c != '\\') {
			memmove(to, r->at, n);
			to += n;
			r->at += n;
			continue;
		}
		r->at++;
		escape = *r->at ? strchr(from, *r->at) : NULL;
		if (escape) {
			*to++ = to_char[escape - from];
			r->at++;
		} else if (*r->at++ != 'u' || json_read_unicode(r, &to)) {
			r->at--;
			json_stop(r, key, "an escape of JSON");
			return NULL;
		}
	}
	r->at++;
	*to = '\0';
	return text;
}

/* Read [-]0 or digits, with a fraction and an exponent. Return false: it is none. */
static bool json_read_number(struct json_reader *r)
{
	static const char digits[] = "0123456789";
	size_t n;

	r->at += *r->at == '-';
	n = strspn(r->at, digits);
	if (n == 0 || (*r->at == '0' && n > 1))
		return false;
	r->at += n;
	if (*r->at == '.') {
		n = strspn(++r->at, digits);
		r->at += n;
	}
	if (n && (*r->at == 'e' || *r->at == 'E')) {
		r->at++;
		r->at += *r->at == '-' || *r->at == '+';
		n = strspn(r->at, digits);
		r->at += n;
	}
	r->word = r->at;
	return n > 0;
}

static int json_read_value(struct json_reader *r, const char *key);

/* Read the members or elements up to the closing bracket. */
static int json_read_list(struct json_reader *r, char close)
{
	const char *key = NULL;
	char next;

	r->at++;
	if (++r->depth > JSON_DEEPEST)
		return json_stop(r, NULL, "fewer levels");
	if (json_peek(r) == close) {
		r->at++;
		r->depth--;
		return 0;
	}
	do {
		if (close == '}') {
			if (json_peek(r) != '"')
				return json_stop(r, NULL, "a key in quotes");
			key = json_read_string(r, NULL);
			if (!key)
				return -1;
			if (json_peek(r) != ':')
				return json_stop(r, key, "a colon");
			r->at++;
		}
		if (json_read_value(r, key))
			return -1;
		next = json_peek(r);
		if (next != ',' && next != close)
			return json_stop(r, key,
					 close == '}' ? "a comma or }" :
							"a comma or ]");
		if (r->word)
			*r->word = '\0';
		r->word = NULL;
		r->at++;
	} while (next == ',');
	r->depth--;
	return 0;
}

static int json_read_value(struct json_reader *r, const char *key)
{
	struct json *json = r->json;
	char next = json_peek(r);
	uint32_t index = json->count;
	struct json_value v = { .key = key, .line = r->line, .text = r->at };

	if (TORUS_GROW(json->value, json->room, (size_t)index + 1)) {
		json->no_memory = true;
		return -1;
	}
	json->count++;
	if (next == '{' || next == '[') {
		v.type = next == '{' ? JSON_OBJECT : JSON_ARRAY;
		json->value[index] = v;
		if (json_read_list(r, next == '{' ? '}' : ']'))
			return -1;
		json->value[index].end = json->count;
		return 0;
	}
	v.end = json->count;
	if (next == '"') {
		v.type = JSON_STRING;
		v.text = json_read_string(r, key);
		if (!v.text)
			return -1;
	} else if (next == '-' || (next >= '0' && next <= '9')) {
		v.type = JSON_NUMBER;
		if (!json_read_number(r))
			return json_stop(r, key, "a number of JSON");
	} else if (strncmp(r->at, "null", 4) == 0) {
		v.type = JSON_NULL;
		r->word = r->at += 4;
	} else if (strncmp(r->at, "true", 4) == 0) {
		v.type = JSON_TRUE;
		r->word = r->at += 4;
	} else if (strncmp(r->at, "false", 5) == 0) {
		v.type = JSON_FALSE;
		r->word = r->at += 5;
	} else {
		return json_stop(r, key, "a value of JSON");
	}
	json->value[index] = v;
	return 0;
}

int json_read(struct json *json, char *text, size_t length)
{
	struct json_reader r = {
		.json = json, .at = text, .end = text + length, .line = 1
	};
	int rc = 0;

	if (json_peek(&r) != '{')
		rc = json_stop(&r, NULL, "{");
	if (rc == 0)
		rc = json_read_value(&r, NULL);
	if (rc == 0) {
		json_peek(&r);
		if (r.at != r.end)
			rc = json_stop(&r, NULL, "the end of the text");
	}
	errno = json->no_memory ? ENOMEM : EINVAL;
	return rc;
}

void json_free(struct json *json)
{
	torus_free(json->value);
	json->value = NULL;
	json->count = json->room = 0;
}

bool json_is(const char *text, size_t length)
{
	size_t blank = strspn(text, " \t\r\n");

	return blank < length && text[blank] == '{';
}

const struct json_value *json_first(const struct json *json,
				    const struct json_value *of)
{
	return of && json->value + of->end > of + 1 ? of + 1 : NULL;
}

const struct json_value *json_next(const struct json *json,
				   const struct json_value *of,
				   const struct json_value *value)
{
	return value->end < of->end ? json->value + value->end : NULL;
}

int json_refuse(struct json *json, const struct json_value *value,
		const char *expected)
{
	return json_wrong(json, value->line, value->key, value->text, expected);
}

int json_members(struct json *json, const struct json_value *object,
		 const char *const *keys, bool strict,
		 const struct json_value **member)
{
	uint32_t n = 0;
	int rc = json_check(json, object, JSON_OBJECT);

	while (keys[n])
		member[n++] = NULL;
	for (const struct json_value *v = rc ? NULL : json_first(json, object);
	     v; v = json_next(json, object, v)) {
		uint32_t i = 0;

		while (keys[i] && strcmp(keys[i], v->key) != 0)
			i++;
		if (keys[i] ? member[i] != NULL : strict)
			rc = json_wrong(json, v->line, v->key, v->text,
					keys[i] ? "this key once" :
						  "a known key");
		else if (keys[i])
			member[i] = v;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (member[i] && member[i]->type == JSON_NULL)
			member[i] = NULL;
	}
	return rc;
}

int json_check(struct json *json, const struct json_value *value,
	       enum json_type type)
{
	static const char *const name[] = { "null",          "false",
					    "true",          "a number",
					    "a string",      "a list [..]",
					    "an object {..}" };

	return !value || value->type == type ?
		       0 :
		       json_refuse(json, value, name[type]);
}

int json_check_format(struct json *json, const struct json_value *object,
		      const char *format, unsigned schema)
{
	static const char *const keys[] = { "format", "schema", NULL };
	const struct json_value *member[2];
	char expected[64];

	if (json_members(json, object, keys, false, member))
		return -1;
	snprintf(expected, sizeof(expected), "\"%s\"", format);
	if (!member[0] || member[0]->type != JSON_STRING ||
	    strcmp(member[0]->text, format) != 0)
		return json_wrong(json, (member[0] ? member[0] : object)->line,
				  "format", member[0] ? member[0]->text : "",
				  expected);
	snprintf(expected, sizeof(expected), "%u, of this version", schema);
	if (!member[1] || member[1]->type != JSON_NUMBER ||
	    torus_number_of(member[1]->text) != schema ||
	    strlen(member[1]->text) > 2)
		return json_wrong(json, (member[1] ? member[1] : object)->line,
				  "schema", member[1] ? member[1]->text : "",
				  expected);
	return 0;
}
