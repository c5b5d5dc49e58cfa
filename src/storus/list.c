/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus list: the registries as they are compiled in: placement strategies,
 * queue disciplines, formats of traces, each with its options and source.
 */
#include <stdio.h>
#include <string.h>

#include "storus/json.h"
#include "torus/scheduler.h"
#include "torus/strategy.h"
#include "trace/trace.h"

enum { OPT_JSON = 1 };

static const struct storus_option options[] = {
	{ "json", OPT_JSON, "[=FILE]", "the lists as JSON (default: stdout)" },
	{ NULL, 0, NULL, NULL },
};

static int list_run(int argc, char **argv);

const struct storus_command storus_list = {
	.name = "list",
	.summary = "the strategies, disciplines and trace formats there are",
	.usage = "[strategies|disciplines|formats] [OPTION]...",
	.about = "Without a word, everything. Options of a strategy or discipline go into the\n"
		 "options: of torus.yaml.",
	.options = options,
	.examples = "  storus list\n"
		    "  storus list strategies\n"
		    "  storus list disciplines --json\n",
	.run = list_run,
};

/* What the three registries have in common. */
struct entry {
	const char *name;
	const char *alias;   /* or NULL */
	const char *summary;
	const char *source;  /* or NULL */
	const char *ending;  /* of file names, or NULL */
	const struct torus_option_help *options;
};

/* Entry i of a registry; false after its end. */
static bool strategy_at(size_t i, struct entry *e)
{
	const struct torus_strategy *s = torus_strategies()[i];

	if (!s)
		return false;
	*e = (struct entry){ s->name, s->alias, s->summary, s->source, NULL,
			     s->options };
	return true;
}

static bool discipline_at(size_t i, struct entry *e)
{
	const struct torus_discipline *d = torus_disciplines()[i];

	if (!d)
		return false;
	*e = (struct entry){ d->name, NULL, d->summary, d->source, NULL,
			     d->options };
	return true;
}

static bool format_at(size_t i, struct entry *e)
{
	const struct torus_trace_format *f = torus_trace_formats()[i];

	if (!f)
		return false;
	*e = (struct entry){ f->name, NULL, f->summary, NULL, f->ending, NULL };
	return true;
}

static const struct registry {
	const char *name;
	bool (*at)(size_t i, struct entry *e);
} registries[] = {
	{ "strategies", strategy_at },
	{ "disciplines", discipline_at },
	{ "formats", format_at },
};

#define REGISTRIES (sizeof(registries) / sizeof(registries[0]))

static void print_entry(const struct entry *e)
{
	const struct torus_option_help *o = e->options;

	printf("  %-14s %s\n", e->name, e->summary);
	if (e->source)
		printf("  %-14s source: %s\n", "", e->source);
	if (e->alias)
		printf("  %-14s also called %s\n", "", e->alias);
	if (e->ending)
		printf("  %-14s files: *%s, *%s.gz\n", "", e->ending,
		       e->ending);
	for (; o && o->key; o++)
		printf("  %-14s option %s: %s (%s; otherwise %s)\n", "",
		       o->key, o->summary, o->values, o->initial);
}

static json_t *option_json(const struct torus_option_help *o)
{
	return json_pack("{s:s, s:s, s:s?, s:s}", "key", o->key, "values",
			 o->values, "initial", o->initial, "summary",
			 o->summary);
}

static json_t *entry_json(const struct entry *e)
{
	json_t *o = json_pack("{s:s, s:s}", "name", e->name, "summary",
			      e->summary);
	const struct torus_option_help *h = e->options;
	json_t *list;

	if (e->source)
		json_object_set_new(o, "source", json_string(e->source));
	if (e->alias)
		json_object_set_new(o, "alias", json_string(e->alias));
	if (e->ending) {
		json_object_set_new(o, "ending", json_string(e->ending));
		return o;
	}
	list = json_array();
	for (; h && h->key; h++)
		json_array_append_new(list, option_json(h));
	json_object_set_new(o, "options", list);
	return o;
}

static bool chosen(const struct registry *r, const char *only)
{
	return !only || strcmp(only, r->name) == 0;
}

static int list_text(const char *only)
{
	struct entry e;

	for (size_t k = 0; k < REGISTRIES; k++) {
		if (!chosen(&registries[k], only))
			continue;
		printf("%s%s:\n", k && !only ? "\n" : "", registries[k].name);
		for (size_t i = 0; registries[k].at(i, &e); i++)
			print_entry(&e);
	}
	return STORUS_DONE;
}

static int list_json(const char *only, const char *path)
{
	json_t *o = json_pack("{s:i}", "schema", 1);
	struct entry e;

	for (size_t k = 0; k < REGISTRIES; k++) {
		json_t *list = json_array();

		for (size_t i = 0; registries[k].at(i, &e); i++)
			json_array_append_new(list, entry_json(&e));
		if (chosen(&registries[k], only))
			json_object_set(o, registries[k].name, list);
		json_decref(list);
	}
	return storus_json_write(&storus_list, o, path);
}

static bool is_list(const char *word)
{
	for (size_t k = 0; k < REGISTRIES; k++) {
		if (strcmp(word, registries[k].name) == 0)
			return true;
	}
	return false;
}

static int unknown_word(const char *word)
{
	static const char *const words[] = { "strategies", "disciplines",
					     "formats", NULL };
	const char *near = storus_nearest(word, words);

	return storus_say(&storus_list, STORUS_USAGE,
			  "%s: no such list%s%s%s; expected strategies, disciplines or formats",
			  word, near ? " (did you mean " : "",
			  near ? near : "", near ? "?)" : "");
}

static int list_run(int argc, char **argv)
{
	const char *only = NULL, *json_path = NULL;
	struct storus_args args;
	bool json = false;
	int id;

	storus_args_begin(&args, &storus_list, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		if (id == STORUS_ARGS_HELP)
			return STORUS_DONE;
		if (id == STORUS_ARGS_BAD)
			return STORUS_USAGE;
		if (id == OPT_JSON) {
			json = true;
			json_path = args.value;
			continue;
		}
		if (only)
			return storus_say(&storus_list, STORUS_USAGE,
					  "%s: one list at a time, got %s before",
					  args.value, only);
		only = args.value;
	}
	if (only && !is_list(only))
		return unknown_word(only);
	return json ? list_json(only, json_path) : list_text(only);
}
