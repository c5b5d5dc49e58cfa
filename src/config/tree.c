/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the tree of config/tree.h from libyaml's events, with a stack of
 * open lists and maps instead of recursion. O(length) time and memory.
 */
#include "config/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "request/quote.h"

struct tree_builder {
	struct arena *arena;
	struct torus_error *err;
	const char *file;
	struct tree *root;
	struct tree *open[TREE_DEPTH];
	uint32_t depth;
	uint32_t values;
	uint32_t documents;
	const char *key; /* read, waiting for its value */
	uint32_t key_line;
};

static int tree_refuse(struct tree_builder *b, size_t line, const char *what)
{
	return torus_error_add(b->err, "%s:%zu: YAML: %s", b->file, line + 1,
			       what);
}

/* Add a new value to the open list or map; NULL with an error. */
static struct tree *tree_add_value(struct tree_builder *b, enum tree_kind kind,
				   size_t line)
{
	struct tree *t;

	if (++b->values > TREE_VALUES) {
		tree_refuse(b, line, "too many values");
		return NULL;
	}
	t = torus_arena_alloc(b->arena, sizeof(*t));
	if (!t)
		return NULL;
	t->kind = kind;
	t->line = (uint32_t)line + 1;
	t->key = b->key;
	t->key_line = b->key_line;
	b->key = NULL;
	if (b->depth > 0) {
		struct tree *parent = b->open[b->depth - 1];

		if (parent->last)
			parent->last->next = t;
		else
			parent->first = t;
		parent->last = t;
		parent->children++;
	} else
		b->root = t;
	return t;
}

static bool tree_wants_key(const struct tree_builder *b)
{
	return b->depth > 0 && b->open[b->depth - 1]->kind == TREE_MAP &&
	       !b->key;
}

/* Report features of YAML that a configuration does not need. */
static int tree_check_plainness(struct tree_builder *b, size_t line,
				const yaml_char_t *anchor,
				const yaml_char_t *tag)
{
	if (anchor)
		return tree_refuse(b, line,
				   "anchors (&) are not supported; write the value out");
	if (tag)
		return tree_refuse(b, line,
				   "tags (!) are not supported; omit it");
	return 0;
}

static int tree_add_scalar(struct tree_builder *b, const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;
	size_t line = event->start_mark.line;
	struct tree *t;
	char *text;

	if (tree_check_plainness(b, line, event->data.scalar.anchor,
				 event->data.scalar.tag))
		return -1;
	if (memchr(value, '\0', length))
		return tree_refuse(b, line, "a value with a NUL character");
	text = torus_arena_text(b->arena, value, length);
	if (!text)
		return -1;
	if (tree_wants_key(b)) {
		b->key = text;
		b->key_line = (uint32_t)line + 1;
		return 0;
	}
	t = tree_add_value(b, TREE_SCALAR, line);
	if (!t)
		return -1;
	t->text = text;
	t->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return 0;
}

static int tree_open_value(struct tree_builder *b, enum tree_kind kind,
			   size_t line, const yaml_char_t *anchor,
			   const yaml_char_t *tag)
{
	struct tree *t;

	if (tree_check_plainness(b, line, anchor, tag))
		return -1;
	if (tree_wants_key(b))
		return tree_refuse(b, line, "a key must be a single word");
	if (b->depth == TREE_DEPTH)
		return tree_refuse(b, line, "nested too deeply");
	t = tree_add_value(b, kind, line);
	if (!t)
		return -1;
	b->open[b->depth++] = t;
	return 0;
}

static int tree_add_event(struct tree_builder *b, const yaml_event_t *event)
{
	size_t line = event->start_mark.line;

	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (b->documents++)
			return tree_refuse(b, line,
					   "a second document; one per file");
		return 0;
	case YAML_ALIAS_EVENT:
		return tree_refuse(b, line,
				   "aliases (*) are not supported; write the value out");
	case YAML_SCALAR_EVENT:
		return tree_add_scalar(b, event);
	case YAML_SEQUENCE_START_EVENT:
		return tree_open_value(b, TREE_LIST, line,
				       event->data.sequence_start.anchor,
				       event->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return tree_open_value(b, TREE_MAP, line,
				       event->data.mapping_start.anchor,
				       event->data.mapping_start.tag);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		return 0;
	default:
		return 0;
	}
}

/* Return the line of a byte of the text, from 0. */
static size_t tree_line_of(const char *text, size_t length, size_t offset)
{
	size_t line = 0;

	for (size_t i = 0; i < length && i < offset; i++)
		line += text[i] == '\n';
	return line;
}

static int tree_build(struct tree_builder *b, yaml_parser_t *parser,
		      const char *text, size_t length)
{
	yaml_event_t event;
	bool end;

	do {
		int rc;

		if (!yaml_parser_parse(parser, &event)) {
			/* Report an error of libyaml with file and line. */
			const char *problem = parser->problem ?
						      parser->problem :
						      "cannot be read";
			char what[256];

			if (parser->error == YAML_MEMORY_ERROR) {
				errno = ENOMEM;
				return -1;
			}
			if (parser->error == YAML_READER_ERROR)
				return tree_refuse(b,
						   tree_line_of(text, length,
								parser->problem_offset),
						   problem);
			if (!parser->context)
				return tree_refuse(b, parser->problem_mark.line,
						   problem);
			snprintf(what, sizeof(what),
				 "%s, %s that began on line %zu", problem,
				 parser->context, parser->context_mark.line + 1);
			return tree_refuse(b, parser->problem_mark.line, what);
		}
		end = event.type == YAML_STREAM_END_EVENT;
		rc = tree_add_event(b, &event);
		yaml_event_delete(&event);
		if (rc)
			return rc;
	} while (!end);
	if (!b->root)
		return tree_refuse(b, 0, "the file is empty");
	return 0;
}

struct tree *torus_tree_read(struct arena *arena, const char *file,
			     const char *text, size_t length,
			     struct torus_error *err)
{
	struct tree_builder b = { .arena = arena, .err = err, .file = file };
	yaml_parser_t parser;
	int rc, saved;

	if (!yaml_parser_initialize(&parser)) {
		errno = ENOMEM;
		return NULL;
	}
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text,
				     length);
	rc = tree_build(&b, &parser, text, length);
	saved = errno;
	yaml_parser_delete(&parser);
	errno = saved;
	return rc ? NULL : b.root;
}

bool torus_tree_null(const struct tree *t)
{
	if (t->kind != TREE_SCALAR || !t->plain)
		return false;
	return t->text[0] == '\0' || strcmp(t->text, "~") == 0 ||
	       strcmp(t->text, "null") == 0;
}

/* Room for the longest part that may follow: "...". */
#define SHOWN_PARTS (TREE_SHOWN - 4)

struct tree_shown {
	char *text;
	size_t used;
	bool cut;
};

static void tree_put(struct tree_shown *s, const char *part)
{
	size_t n = strlen(part);

	if (s->cut)
		return;
	if (s->used + n > SHOWN_PARTS) {
		s->cut = true;
		n = SHOWN_PARTS - s->used;
		while (n > 0 && ((unsigned char)part[n] & 0xc0) == 0x80)
			n--;
	}
	memcpy(s->text + s->used, part, n);
	s->used += n;
	if (s->cut) {
		memcpy(s->text + s->used, "...", 3);
		s->used += 3;
	}
}

/* Recursion is bounded by TREE_DEPTH, the loop by the room in the text. */
static void tree_print(struct tree_shown *s, const struct tree *t)
{
	if (t->kind == TREE_SCALAR) {
		tree_put(s, t->text);
		return;
	}
	tree_put(s, t->kind == TREE_LIST ? "[" : "{");
	for (const struct tree *c = t->first; c && !s->cut; c = c->next) {
		if (c != t->first)
			tree_put(s, ", ");
		if (c->key) {
			tree_put(s, c->key);
			tree_put(s, ": ");
		}
		tree_print(s, c);
	}
	tree_put(s, t->kind == TREE_LIST ? "]" : "}");
}

const char *torus_tree_excerpt(const struct tree *t, char buffer[TREE_SHOWN])
{
	struct tree_shown s = { .text = buffer };

	tree_print(&s, t);
	buffer[s.used] = '\0';
	return buffer;
}
