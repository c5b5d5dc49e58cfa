/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus list: the registries as they are compiled in: placement strategies,
 * queue disciplines, formats of traces, workload models, each with its
 * options and source.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storus/base/json.h"
#include "storus/base/manual.h"
#include "storus/base/table.h"
#include "torus_build.h"
#include "torus/discipline.h"
#include "torus/strategy.h"
#include "trace/models/model.h"

struct list_words {
	const char *only;
	struct storus_table table;
	bool manual;
};

static const struct storus_option options[] = {
	{ "manual", NULL, "the lists as a manual page, slurm-torus-lists(7)",
	  STORUS_TO(struct list_words, manual) },
	STORUS_TABLE_OPTIONS(struct list_words, table),
	{ 0 },
};

static const struct storus_column columns[] = {
	{ "list", 'l', "LIST", .width = -11 },
	{ "name", 'n', "NAME", .width = -19 },
	{ "summary", 's', "SUMMARY", .width = -40 },
	{ "source", 'S', "SOURCE", .width = -20, .more = true },
	{ "alias", 'a', "ALIAS", .width = -12, .more = true },
	{ "ending", 'e', "ENDING", .width = -6, .more = true },
	{ 0 },
};

/* What the registries have in common. */
struct list_entry {
	const char *name;
	const char *alias; /* or NULL */
	const char *summary;
	const char *source; /* or NULL */
	const char *ending; /* of file names, or NULL */
	const struct torus_option_help *options;
	const struct torus_model_parameter *parameters; /* or NULL */
};

/* Entry i of a registry; false after its end. */
static bool strategy_at(size_t i, struct list_entry *e)
{
	const struct torus_strategy *s = torus_strategies()[i];

	if (!s)
		return false;
	*e = (struct list_entry){ .name = s->name,
				  .alias = s->alias,
				  .summary = s->summary,
				  .source = s->source,
				  .options = s->options };
	return true;
}

static bool discipline_at(size_t i, struct list_entry *e)
{
	const struct torus_discipline *d = torus_disciplines()[i];

	if (!d)
		return false;
	*e = (struct list_entry){ .name = d->name,
				  .summary = d->summary,
				  .source = d->source,
				  .options = d->options };
	return true;
}

static bool format_at(size_t i, struct list_entry *e)
{
	const struct torus_trace_format *f = torus_trace_formats()[i];

	if (!f)
		return false;
	*e = (struct list_entry){ .name = f->name,
				  .summary = f->summary,
				  .ending = f->ending };
	return true;
}

static bool model_at(size_t i, struct list_entry *e)
{
	const struct torus_model *m = torus_models()[i];

	if (!m)
		return false;
	*e = (struct list_entry){ .name = m->name,
				  .summary = m->summary,
				  .source = m->source,
				  .parameters = m->parameters };
	return true;
}

static const struct registry {
	const char *name;
	const char *title; /* of the manual page's section */
	bool (*at)(size_t i, struct list_entry *e);
} registries[] = {
	{ "strategies", "PLACEMENT STRATEGIES", strategy_at },
	{ "disciplines", "QUEUE DISCIPLINES", discipline_at },
	{ "formats", "TRACE FORMATS", format_at },
	{ "models", "WORKLOAD MODELS", model_at },
};

#define REGISTRIES (sizeof(registries) / sizeof(registries[0]))

/* Print a line of an entry below its name, folded. */
__attribute__((format(printf, 1, 2))) static void print_below(const char *format,
							      ...)
{
	char *line;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&line, format, ap) < 0)
		line = NULL;
	va_end(ap);
	printf("%*s", 22, "");
	storus_table_fold(line ? line : "out of memory", 22);
	free(line);
}

static json_t *entry_json(const struct list_entry *e)
{
	json_t *o = json_pack("{s:s, s:s, s:s*, s:s*, s:s*}", "name", e->name,
			      "summary", e->summary, "source", e->source,
			      "alias", e->alias, "ending", e->ending);
	const struct torus_option_help *h = e->options;
	const struct torus_model_parameter *p = e->parameters;
	json_t *list;

	if (e->ending)
		return o;
	list = json_array();
	for (; h && h->key; h++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s?, s:s}", "key",
						h->key, "values", h->values,
						"initial", h->initial,
						"summary", h->summary));
	for (; p && p->key; p++)
		json_array_append_new(list,
				      json_pack("{s:s, s:f, s:f, s:f, s:s}",
						"key", p->key, "minimum",
						p->minimum, "maximum",
						p->maximum, "initial",
						p->initial, "summary",
						p->summary));
	json_object_set_new(o, "options", list);
	return o;
}

void storus_list_names(const char *registry)
{
	struct list_entry e;

	for (size_t k = 0; k < REGISTRIES; k++) {
		if (strcmp(registries[k].name, registry))
			continue;
		for (size_t i = 0; registries[k].at(i, &e); i++)
			printf("%s%s%s\n", e.name, e.alias ? "\n" : "",
			       e.alias ? e.alias : "");
	}
}

static bool list_chosen(const struct registry *r, const char *only)
{
	return !only || strcmp(only, r->name) == 0;
}

/* Write the entries as rows, or as JSON with a list for each registry. */
static int list_rows(struct list_words *w)
{
	json_t *o = json_pack("{s:i}", "schema", 1);
	struct list_entry e;

	for (size_t k = 0; k < REGISTRIES; k++) {
		const char *name = registries[k].name;

		if (!list_chosen(&registries[k], w->only))
			continue;
		for (size_t i = 0; registries[k].at(i, &e); i++) {
			json_t *row = entry_json(&e);

			if (!w->table.json)
				json_object_set_new(row, "list",
						    json_string(name));
			storus_table_row(&w->table, row);
		}
		if (w->table.json)
			json_object_set_new(o, name,
					    storus_table_rows(&w->table));
	}
	if (w->table.json)
		return storus_json_write(&storus_list, o, w->table.json);
	json_decref(o);
	return storus_table_end(&storus_list, &w->table);
}

/* `text`, with `before` and `after` around it as they are; nothing for NULL. */
static void roff_part(const char *before, const char *text, const char *after)
{
	if (!text)
		return;
	fputs(before, stdout);
	storus_manual_text(text);
	fputs(after, stdout);
}

static int list_manual(void)
{
	struct list_entry e;

	printf(".\\\" written by `storus list --manual`\n"
	       ".TH slurm\\-torus\\-lists 7 " STORUS_MANUAL_DATE
	       " \"slurm\\-torus %s\" \"slurm\\-torus\"\n",
	       PACKAGE_VERSION);
	puts(".SH NAME\n"
	     "slurm\\-torus\\-lists \\- strategies, disciplines, trace formats and "
	     "workload models\n"
	     ".SH DESCRIPTION\n"
	     "Options of a strategy or a discipline belong to the \\fBoptions\\fR "
	     "of torus.yaml(5).\n"
	     "Options of a workload model belong to \\fBstorus generate\\fR.");
	for (size_t k = 0; k < REGISTRIES; k++) {
		printf(".SH %s\n", registries[k].title);
		for (size_t i = 0; registries[k].at(i, &e); i++) {
			const struct torus_option_help *o = e.options;
			const struct torus_model_parameter *p = e.parameters;

			roff_part(".TP\n\\fB", e.name, "\\fR\n");
			roff_part("", e.summary, ".\n");
			roff_part(".br\nAlias: \\fB", e.alias, "\\fR.\n");
			roff_part(".br\nSource: ", e.source, ".\n");
			roff_part(".br\nFile names end in ", e.ending, ".\n");
			for (; o && o->key; o++) {
				roff_part(".br\nOption \\fB", o->key, "\\fR: ");
				storus_manual_text(o->summary);
				roff_part(" (", o->values, "; default: ");
				roff_part("", o->initial, ").\n");
			}
			for (; p && p->key; p++) {
				roff_part(".br\nOption \\fB\\-\\-", p->key,
					  "\\fR: ");
				storus_manual_text(p->summary);
				printf(" (%g).\n", p->initial);
			}
		}
	}
	puts(".SH SEE ALSO\n.BR storus (1),\n.BR torus.yaml (5),\n.BR slurm\\-torus (7)");
	return STORUS_DONE;
}

static bool is_list(const char *word)
{
	for (size_t k = 0; k < REGISTRIES; k++) {
		if (strcmp(word, registries[k].name) == 0)
			return true;
	}
	return false;
}

static int list_run(void *words)
{
	struct list_words *w = words;
	struct list_entry e;

	if (w->only && !is_list(w->only)) {
		static const char *const lists[] = { "strategies",
						     "disciplines", "formats",
						     "models", NULL };
		const char *near = storus_nearest(w->only, lists);

		return storus_say(&storus_list, STORUS_USAGE,
				  "%s: no such list%s%s%s; expected strategies, disciplines, formats or models",
				  w->only, near ? " (did you mean " : "",
				  near ? near : "", near ? "?)" : "");
	}
	if (w->manual)
		return list_manual();
	if (w->table.json || storus_table_asked(&w->table))
		return list_rows(w);
	for (size_t k = 0; k < REGISTRIES; k++) {
		if (!list_chosen(&registries[k], w->only))
			continue;
		printf("%s%s:\n", k && !w->only ? "\n" : "", registries[k].name);
		for (size_t i = 0; registries[k].at(i, &e); i++) {
			const struct torus_option_help *o = e.options;
			const struct torus_model_parameter *p = e.parameters;

			printf("  %-19s ", e.name);
			storus_table_fold(e.summary, 22);
			if (e.source)
				print_below("source: %s", e.source);
			if (e.alias)
				print_below("also called %s", e.alias);
			if (e.ending)
				print_below("files: *%s, *%s.gz", e.ending,
					    e.ending);
			for (; o && o->key; o++)
				print_below("option %s: %s (%s; default: %s)",
					    o->key, o->summary, o->values,
					    o->initial);
			for (; p && p->key; p++)
				print_below("--%s: %s (%g)", p->key, p->summary,
					    p->initial);
		}
	}
	return STORUS_DONE;
}

const struct storus_command storus_list = {
	.name = "list",
	.summary =
		"list strategies, disciplines, trace formats and workload models",
	.usage = "[strategies|disciplines|formats|models] [OPTION]...",
	.about = "Without an operand, all lists. Options of a strategy or discipline go into options:\n"
		 "of torus.yaml; those of a model are options of storus generate.",
	.options = options,
	STORUS_WORDS(struct list_words, .table.column = columns),
	.operand = { .value = "list", STORUS_TO(struct list_words, only) },
	.examples = "  storus list\n"
		    "  storus list strategies\n"
		    "  storus list disciplines --json\n"
		    "  storus list formats -o name,ending\n",
	.run = list_run,
};
