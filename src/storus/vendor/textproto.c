/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol buffers in text form (textproto.h). */
#include "storus/vendor/textproto.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct parser {
	struct arena *arena;
	const char *file, *at, *end;
	uint32_t line;
	struct torus_error *err;
};

static bool parser_wrong(struct parser *p, const char *expected)
{
	torus_error_add(p->err, "%s:%u: got %s%.*s%s; expected %s", p->file,
			p->line, p->at < p->end ? "\"" : "",
			p->at < p->end ? 1 : 11,
			p->at < p->end ? p->at : "end of file",
			p->at < p->end ? "\"" : "", expected);
	errno = EINVAL;
	return false;
}

/* Skip white space, comments and separators without meaning. */
static void parser_skip(struct parser *p)
{
	for (; p->at < p->end; p->at++) {
		if (*p->at == '#') {
			while (p->at + 1 < p->end && p->at[1] != '\n')
				p->at++;
		} else if (*p->at == '\n') {
			p->line++;
		} else if (!isspace((unsigned char)*p->at)) {
			return;
		}
	}
}

static bool parser_take(struct parser *p, char c)
{
	parser_skip(p);
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	parser_skip(p);
	return true;
}

static const char *parser_copy(struct parser *p, const char *text, size_t n)
{
	const char *copy = torus_arena_text(p->arena, text, n);

	if (!copy)
		errno = ENOMEM;
	return copy;
}

/* Read a word, a number, or (quoted) a string without escapes. */
static const char *parser_scalar(struct parser *p, bool name)
{
	const char *first = p->at;
	char quote = p->at < p->end ? *p->at : '\0';

	if (!name && (quote == '"' || quote == '\'')) {
		const char *text = ++first;

		while (first < p->end && *first != quote && *first &&
		       *first != '\n')
			first++;
		if (first == p->end || *first != quote) {
			parser_wrong(p, "a string that ends on its line");
			return NULL;
		}
		p->at = first + 1;
		return parser_copy(p, text, (size_t)(first - text));
	}
	while (p->at < p->end && *p->at &&
	       (isalnum((unsigned char)*p->at) ||
		strchr(name ? "_" : "_-+.", *p->at)))
		p->at++;
	if (p->at == first) {
		parser_wrong(p, name ? "the name of a field" : "a value");
		return NULL;
	}
	return parser_copy(p, first, (size_t)(p->at - first));
}

static struct textproto *
parser_field(struct parser *p, struct textproto *message, const char *name)
{
	struct textproto *f = torus_arena_alloc(p->arena, sizeof(*f));

	if (!f) {
		errno = ENOMEM;
		return NULL;
	}
	*f = (struct textproto){ .name = name, .line = p->line };
	*(message->last ? &message->last->next : &message->first) = f;
	message->last = f;
	return f;
}

static bool parser_fields(struct parser *p, struct textproto *message, char end,
			  uint32_t depth);

static bool parser_value(struct parser *p, struct textproto *message,
			 const char *name, uint32_t depth)
{
	struct textproto *f = parser_field(p, message, name);

	if (!f)
		return false;
	if (parser_take(p, '{'))
		return parser_fields(p, f, '}', depth + 1);
	if (parser_take(p, '<'))
		return parser_fields(p, f, '>', depth + 1);
	f->text = parser_scalar(p, false);
	return f->text != NULL;
}

static bool parser_list(struct parser *p, struct textproto *message,
			const char *name, uint32_t depth)
{
	while (!parser_take(p, ']')) {
		if (!parser_value(p, message, name, depth))
			return false;
		parser_take(p, ',');
	}
	return true;
}

/* Read the fields of a message up to `end` ('\0': of the file). */
static bool parser_fields(struct parser *p, struct textproto *message, char end,
			  uint32_t depth)
{
	if (depth > TEXTPROTO_DEPTH)
		return parser_wrong(p, "fewer nested messages");
	for (;;) {
		const char *name;

		parser_skip(p);
		if (end ? parser_take(p, end) : p->at == p->end)
			return true;
		name = parser_scalar(p, true);
		if (!name)
			return false;
		parser_take(p, ':');
		if (parser_take(p, '[') ?
			    !parser_list(p, message, name, depth) :
			    !parser_value(p, message, name, depth))
			return false;
		if (!parser_take(p, ','))
			parser_take(p, ';');
	}
}

struct textproto *textproto_read(struct arena *arena, const char *file,
				 const char *text, size_t length,
				 struct torus_error *err)
{
	struct parser p = { .arena = arena,
			    .file = file,
			    .at = text,
			    .end = text + length,
			    .line = 1,
			    .err = err };
	struct textproto *root = torus_arena_alloc(arena, sizeof(*root));

	if (!root) {
		errno = ENOMEM;
		return NULL;
	}
	*root = (struct textproto){ .name = "" };
	return parser_fields(&p, root, '\0', 0) ? root : NULL;
}

struct textproto *textproto_next(const struct textproto *message,
				 const char *name, const struct textproto *after)
{
	struct textproto *f = after ? after->next : message->first;

	while (f && strcmp(f->name, name) != 0)
		f = f->next;
	return f;
}

const char *textproto_text(const struct textproto *message, const char *name)
{
	const struct textproto *f = textproto_next(message, name, NULL);

	return f ? f->text : NULL;
}
