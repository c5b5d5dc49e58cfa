/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single values of torus.yaml and their messages (config/reader.h). */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/reader.h"
#include "request/quote.h"
#include "torus/number.h"
#include "torus/policy.h"

#define LINE_SIZE 1024
#define COORDINATES 3

__attribute__((format(printf, 5, 0))) static void
values_add_line(struct torus_error *err, const char *file, uint32_t line,
		const char *key, const char *format, va_list args)
{
	char text[LINE_SIZE];

	vsnprintf(text, sizeof(text), format, args);
	torus_error_add(err, "%s:%u: %s: %s", file, line, key, text);
}

int torus_reader_wrong(struct reader *r, uint32_t line, const char *key,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	values_add_line(r->err, r->file, line, key, format, args);
	va_end(args);
	r->wrong = true;
	return -1;
}

void torus_reader_notice(struct reader *r, uint32_t line, const char *key,
			 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	values_add_line(&r->priv->config.notices, r->file, line, key, format,
			args);
	va_end(args);
}

int torus_reader_no_memory(struct reader *r)
{
	r->no_memory = true;
	errno = ENOMEM;
	return -1;
}

static void unknown_key(struct reader *r, const struct tree *t,
			const char *where, const char *const *keys, size_t n)
{
	const char *close = torus_nearest(t->key, keys, n);
	struct torus_quote q;
	char list[256] = "";
	size_t used = 0;

	torus_quote(&q, t->key, strlen(t->key));
	if (close) {
		torus_reader_wrong(r, t->key_line, q.text,
				   "unknown key in %s; did you mean \"%s\"?",
				   where, close);
		return;
	}
	for (size_t i = 0; i < n && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%s%s", i ? ", " : "", keys[i]);
	torus_reader_wrong(r, t->key_line, q.text,
			   "unknown key in %s; expected one of %s", where, list);
}

int torus_value_map(struct reader *r, const struct tree *t, const char *where,
		    const char *const *keys, size_t n, const struct tree **value)
{
	const struct tree *seen[32] = { NULL };
	char shown[TREE_SHOWN];
	size_t k;

	memset(value, 0, n * sizeof(*value));
	if (t->kind != TREE_MAP)
		return torus_reader_wrong(
			r, t->line, t->key ? t->key : where,
			"got \"%s\": expected keys and values such as \"%s: ...\"",
			torus_tree_excerpt(t, shown), keys[0]);
	for (const struct tree *c = t->first; c; c = c->next) {
		for (k = 0; k < n && strcmp(keys[k], c->key) != 0; k++)
			;
		if (k == n) {
			unknown_key(r, c, where, keys, n);
		} else if (seen[k]) {
			torus_reader_wrong(r, c->key_line, c->key,
					   "written twice in %s, first on line %u",
					   where, seen[k]->key_line);
		} else {
			seen[k] = c;
			value[k] = torus_tree_null(c) ? NULL : c;
		}
	}
	return 0;
}

const struct tree *torus_value_first(const struct tree *t)
{
	return t->kind == TREE_LIST ? t->first : t;
}

const struct tree *torus_value_next(const struct tree *t,
				    const struct tree *item)
{
	return t->kind == TREE_LIST ? item->next : NULL;
}

static int values_expected(struct reader *r, const struct tree *t,
			   const char *key, const char *what)
{
	char shown[TREE_SHOWN];

	return torus_reader_wrong(r, t->line, key, "got \"%s\": expected %s",
				  torus_tree_excerpt(t, shown), what);
}

int torus_value_word(struct reader *r, const struct tree *t, const char *key,
		     const char **out)
{
	if (t->kind != TREE_SCALAR || torus_tree_null(t) || !*t->text)
		return values_expected(r, t, key, "a word");
	*out = t->text;
	return 0;
}

/* Read at most 15 digits without a sign or leading zero. */
static bool values_scan_number(const struct tree *t, uint64_t *out)
{
	const char *p = t->kind == TREE_SCALAR ? t->text : "";

	return !(p[0] == '0' && p[1]) &&
	       torus_number_whole(p, 0, UINT64_C(999999999999999), out);
}

int torus_value_number(struct reader *r, const struct tree *t, const char *key,
		       uint32_t most, uint32_t *out)
{
	char what[64];
	uint64_t n;

	if (values_scan_number(t, &n) && n >= 1 && n <= most) {
		*out = (uint32_t)n;
		return 0;
	}
	snprintf(what, sizeof(what), "a whole number from 1 to %u", most);
	return values_expected(r, t, key, what);
}

int torus_value_bool(struct reader *r, const struct tree *t, const char *key,
		     bool *out)
{
	static const char *const yes[] = { "true", "yes", "on", "True", "TRUE" };
	static const char *const no[] = { "false", "no", "off", "False",
					  "FALSE" };

	for (size_t i = 0; t->kind == TREE_SCALAR && i < 5; i++) {
		if (strcmp(t->text, yes[i]) == 0 ||
		    strcmp(t->text, no[i]) == 0) {
			*out = strcmp(t->text, yes[i]) == 0;
			return 0;
		}
	}
	return values_expected(r, t, key, "true or false");
}

int torus_value_duration(struct reader *r, const struct tree *t,
			 const char *key, int64_t *out)
{
	struct torus_error why = { 0 };

	if (t->kind != TREE_SCALAR)
		return values_expected(r, t, key,
				       "a duration such as 90s, 30m or 2h");
	if (torus_duration_read(t->text, out, &why))
		return torus_reader_wrong(r, t->line, key, "%s", why.text);
	return 0;
}

int torus_value_strategy(struct reader *r, const struct tree *t,
			 const char *key, const struct torus_strategy **out)
{
	char where[LINE_SIZE];
	const char *word = "";

	if (torus_value_word(r, t, key, &word))
		return -1;
	if (torus_policy_is_path(word)) {
		struct torus_error why = { 0 };

		*out = torus_policy_load_strategy(word, r->policies, &why);
		return *out ? 0 :
			      torus_reader_wrong(r, t->line, key, "%s",
						 why.text);
	}
	*out = torus_strategy_find(word);
	if (*out)
		return 0;
	r->wrong = true;
	snprintf(where, sizeof(where), "%s:%u: %s", r->file, t->line, key);
	return torus_unknown_strategy(r->err, where, word);
}

static int vector_item(struct reader *r, const struct tree *whole,
		       const struct tree *item, const char *key, uint32_t *out)
{
	char shown[TREE_SHOWN], part[TREE_SHOWN];
	uint64_t n;

	if (!values_scan_number(item, &n))
		return torus_reader_wrong(r, item->line, key,
					  "got \"%s\": \"%s\" is not a whole number",
					  torus_tree_excerpt(whole, shown),
					  torus_tree_excerpt(item, part));
	if (n > TORUS_MAX_NODES)
		return torus_reader_wrong(r, item->line, key,
					  "got \"%s\": %s is above %u",
					  torus_tree_excerpt(whole, shown),
					  torus_tree_excerpt(item, part),
					  TORUS_MAX_NODES);
	*out = (uint32_t)n;
	return 0;
}

int torus_value_vector(struct reader *r, const struct tree *t, const char *key,
		       uint32_t *out, uint32_t *n)
{
	uint32_t i = 0;

	if (t->kind == TREE_MAP) {
		static const char *const names[COORDINATES] = { "x", "y", "z" };
		const struct tree *value[COORDINATES];
		char shown[TREE_SHOWN];

		*n = COORDINATES;
		/* Read {x: 8, y: 8, z: 8}, as in Slurm's topology.yaml. */
		if (torus_value_map(r, t, key, names, COORDINATES, value))
			return -1;
		for (int j = 0; j < COORDINATES; j++) {
			if (!value[j])
				return torus_reader_wrong(r, t->line, key,
							  "got \"%s\": %s is missing",
							  torus_tree_excerpt(t,
									     shown),
							  names[j]);
			if (vector_item(r, t, value[j], key, &out[j]))
				return -1;
		}
		return 0;
	}
	if (t->kind != TREE_LIST || t->children < 1 ||
	    t->children > TORUS_MAX_DIMS)
		return values_expected(
			r, t, key,
			"1 to 8 numbers such as [8, 8, 8], or {x: 8, y: 8, z: 8}");
	for (const struct tree *c = t->first; c; c = c->next) {
		if (vector_item(r, t, c, key, &out[i++]))
			return -1;
	}
	*n = i;
	return 0;
}

static int add_option(struct reader *r, const struct tree *t,
		      const struct torus_option_help *help, const char *owner,
		      struct torus_options *out)
{
	struct torus_options one = { 0 };
	char where[LINE_SIZE];
	const char *value = "", *now = torus_option_renamed(t->key);

	if (torus_value_word(r, t, "options", &value))
		return -1;
	if (now)
		torus_reader_notice(r, t->key_line, "options",
				    "\"%s\" is called %s now", t->key, now);
	if (torus_options_get(out, now ? now : t->key))
		return torus_reader_wrong(r, t->key_line, "options",
					  "\"%s\" is written twice", t->key);
	if (strlen(t->key) >= TORUS_OPTION_KEY ||
	    strlen(value) >= TORUS_OPTION_VALUE)
		return torus_reader_wrong(r, t->key_line, "options",
					  "\"%.40s: %.40s\" is too long for an option",
					  t->key, value);
	torus_options_set(&one, t->key, value);
	snprintf(where, sizeof(where), "%s:%u: options of %s", r->file,
		 t->key_line, owner);
	if (torus_options_check(&one, help, where, r->err)) {
		r->wrong = true;
		return -1;
	}
	if (out->used == TORUS_OPTIONS_MAX)
		return torus_reader_wrong(r, t->key_line, "options",
					  "more than %d options",
					  TORUS_OPTIONS_MAX);
	out->item[out->used++] = one.item[0];
	return 0;
}

int torus_value_options(struct reader *r, const struct tree *t,
			const struct torus_option_help *help, const char *owner,
			struct torus_options *out)
{
	int rc = 0;

	if (t->kind != TREE_MAP)
		return values_expected(r, t, "options",
				       "a map such as {name: value}");
	for (const struct tree *c = t->first; c; c = c->next) {
		if (add_option(r, c, help, owner, out))
			rc = -1;
	}
	return rc;
}
