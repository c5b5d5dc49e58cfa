/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus link: the links files of a machine, shown and edited. An edit replaces
 * the file as a whole (link_edit.c); all other lines and comments stay.
 */
#include <stdio.h>
#include <string.h>

#include "config/link_file.h"
#include "storus/json.h"
#include "storus/link_edit.h"
#include "storus/regions.h"
#include "storus/table.h"
#include "torus/alloc.h"
#include "torus/config.h"

#define NAME &storus_link

enum {
	OPT_TORUS = 1,
	OPT_LINK_FILE,
};

static const struct storus_option options[] = {
	{ "torus", OPT_TORUS, "FILE|STRING",
	  "the machine (default: torus.yaml beside slurm.conf)" },
	{ "link-file", OPT_LINK_FILE, "FILE",
	  "this links file, instead of torus.yaml's" },
	STORUS_TABLE_OPTIONS,
	{ NULL, 0, NULL, NULL },
};

static int link_run(int argc, char **argv);

const struct storus_command storus_link = {
	.name = "link",
	.summary = "links that are down or weak: list them, change them",
	.usage = "list|down|weak|up [TORUS:COORD DIM]... [OPTION]...",
	.about =
		"A link joins the vertex TORUS:COORD to its + neighbour along dimension DIM. down,\n"
		"weak and up change its line in the links file that torus.yaml names; slurmctld\n"
		"reads the file when it changes. Comments and all other lines stay. No place holds a\n"
		"link that is down, nor one that is weak, unless the job says --links=weak.",
	.options = options,
	.examples =
		"  storus link list\n"
		"  storus link down pod0:2,0,4 1\n"
		"  storus link up pod0:2,0,4 1 pod0:3,0,4 0\n"
		"  storus link weak torus:0,0 1 --torus 4x4 --link-file links.txt\n",
	.run = link_run,
};

static const struct storus_column columns[] = {
	{ 'L', "LINK", -24 }, { 'd', "DIM", 3 },    { 't', "STATE", -5 },
	{ 'T', "TO", -24 },   { 'N', "NODES", -1 }, { '\0', NULL, 0 }
};

struct link_words {
	const char *torus, *link_file, *verb;
	const char **operand;
	uint32_t operands;
	struct storus_table table;
};

static void link_vertex_text(const struct torus *t, const uint32_t *at,
			     char *text, size_t size)
{
	int used = snprintf(text, size, "%s", t->name);

	for (uint32_t d = 0; d < t->dims && used >= 0 && (size_t)used < size;
	     d++)
		used += snprintf(text + used, size - (size_t)used, "%c%u",
				 d ? ',' : ':', at[d]);
}

/* The name of the (first) node at a vertex; "": it has none. */
static const char *link_node(const struct torus_config *c, uint32_t p,
			     const uint32_t *at)
{
	const struct torus *t = &c->machine.pod[p].torus;
	uint32_t cell[TORUS_MAX_DIMS] = { 0 };
	const char *name;

	for (uint32_t d = 0; d < t->dims; d++)
		cell[d] = at[d] / t->unit[d];
	name = c->names[p] ? c->names[p][torus_index(t, cell)] : NULL;
	return name ? name : "";
}

/* One link as texts: the two vertices, and their nodes. */
struct link_texts {
	char from[TORUS_LINK_SIZE], to[TORUS_LINK_SIZE], dim[16];
	const char *state, *node[2];
};

static void link_texts_of(const struct torus_config *c,
			  const struct torus_link *link, struct link_texts *x)
{
	const struct torus *t = &c->machine.pod[link->pod].torus;
	uint32_t at[TORUS_MAX_DIMS], d = link->dim;

	torus_vertex_coord(t, link->vertex, at);
	link_vertex_text(t, at, x->from, sizeof(x->from));
	x->node[0] = link_node(c, link->pod, at);
	at[d] = (at[d] + 1) % (t->size[d] * t->unit[d]);
	link_vertex_text(t, at, x->to, sizeof(x->to));
	x->node[1] = link_node(c, link->pod, at);
	snprintf(x->dim, sizeof(x->dim), "%u", d);
	x->state = torus_link_health_name(link->health);
}

static int link_list_json(const struct torus_config *c,
			  const struct link_words *w)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->machine.links.count; i++) {
		const struct torus_link *link = &c->machine.links.link[i];
		struct link_texts x;

		link_texts_of(c, link, &x);
		json_array_append_new(list,
				      json_pack("{s:s, s:i, s:s, s:s, s:[s, s]}",
						"link", x.from, "dim",
						(int)link->dim, "state",
						x.state, "to", x.to, "nodes",
						x.node[0], x.node[1]));
	}
	return storus_json_write(NAME,
				 json_pack("{s:i, s:o}", "schema", 1, "links",
					   list),
				 w->table.json_path);
}

static int link_list(const struct torus_config *c, const struct link_words *w)
{
	if (w->operands)
		return storus_say(NAME, STORUS_USAGE,
				  "unexpected operand \"%s\"", w->operand[0]);
	if (w->table.json)
		return link_list_json(c, w);
	storus_table_begin(&w->table);
	for (uint32_t i = 0; i < c->machine.links.count; i++) {
		char nodes[2 * 256 + 2];
		struct link_texts x;

		link_texts_of(c, &c->machine.links.link[i], &x);
		snprintf(nodes, sizeof(nodes), "%.255s%s%.255s", x.node[0],
			 *x.node[0] && *x.node[1] ? "," : "", x.node[1]);
		storus_table_row(&w->table,
				 (const char *[]){ x.from, x.dim, x.state, x.to,
						   nodes });
	}
	return STORUS_DONE;
}

/* The two words from operand i on as a link. */
static int link_operand(const struct torus_config *c,
			const struct link_words *w, uint32_t i,
			enum torus_link_health health, struct torus_link *link)
{
	struct torus_error why = { 0 };
	struct torus_text text = { 0 };
	int rc = STORUS_DONE;

	if (torus_text_add(&text, "%s %s", w->operand[i], w->operand[i + 1]))
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	if (torus_link_parse(&c->machine, text.data, link, &why))
		rc = storus_say(NAME, STORUS_USAGE, "got \"%s\": %s", text.data,
				why.text);
	link->health = (uint8_t)health;
	torus_text_free(&text);
	return rc;
}

/* The file that has the link's line. */
static const char *link_path(const struct torus_config *c,
			     const struct link_words *w,
			     const struct torus_link *link)
{
	return w->link_file ? w->link_file : c->links[link->pod];
}

static int link_change(const struct torus_config *c, const struct link_words *w,
		       enum torus_link_health health)
{
	struct torus_error err = { 0 };
	struct torus_link link;
	int rc = STORUS_DONE;

	if (w->operands == 0 || w->operands % 2)
		return storus_say(NAME, STORUS_USAGE,
				  "expected TORUS:COORD DIM, for example storus link %s %s:0,0 1",
				  w->verb, c->machine.pod[0].torus.name);
	/* all of them are right, or nothing is changed */
	for (uint32_t i = 0; i < w->operands && rc == STORUS_DONE; i += 2) {
		rc = link_operand(c, w, i, health, &link);
		if (rc == STORUS_DONE && !link_path(c, w, &link))
			rc = storus_say(NAME, STORUS_USAGE,
					"%s: %s has no links file; set links: in torus.yaml",
					c->path,
					c->machine.pod[link.pod].torus.name);
	}
	for (uint32_t i = 0; i < w->operands && rc == STORUS_DONE; i += 2) {
		rc = link_operand(c, w, i, health, &link);
		if (rc == STORUS_DONE &&
		    link_edit_file(&c->machine, link_path(c, w, &link), &link,
				   &err))
			rc = storus_say_errors(NAME, STORUS_TROUBLE, &err);
	}
	return rc;
}

static int link_do(const struct torus_config *c, const struct link_words *w)
{
	static const char *const verbs[] = { "up", "weak", "down", "list",
					     NULL };
	const char *near;

	for (int i = 0; verbs[i] && w->verb; i++) {
		if (strcmp(w->verb, verbs[i]))
			continue;
		return i == 3 ? link_list(c, w) :
				link_change(c, w, (enum torus_link_health)i);
	}
	near = w->verb ? storus_nearest(w->verb, verbs) : NULL;
	return storus_say(NAME, STORUS_USAGE,
			  "%s%s%s%s%s%s, expected list, down, weak or up",
			  w->verb ? "got \"" : "nothing given",
			  w->verb ? w->verb : "", w->verb ? "\"" : "",
			  near ? " (did you mean \"" : "", near ? near : "",
			  near ? "\"?)" : "");
}

static int link_read_words(int argc, char **argv, struct link_words *w)
{
	struct storus_args args;
	int id;

	storus_table_spell_out(argc, argv);
	storus_args_begin(&args, NAME, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		if (id == STORUS_ARGS_HELP || id == STORUS_ARGS_BAD)
			return id;
		if (storus_table_take(&w->table, &args, id))
			continue;
		if (id == OPT_TORUS)
			w->torus = args.value;
		else if (id == OPT_LINK_FILE)
			w->link_file = args.value;
		else if (!w->verb)
			w->verb = args.value;
		else
			w->operand[w->operands++] = args.value;
	}
	return storus_table_check(&w->table, NAME);
}

/* The machine, and what the links file says; a file that does not exist yet has
 * no link. */
static struct torus_config *link_open(const struct link_words *w,
				      struct torus_error *err)
{
	char path[4096];
	struct torus_config *c =
		torus_config_load(w->torus ?
					  w->torus :
					  storus_config_path(path, sizeof(path)),
				  err);

	if (c && w->link_file && link_file_exists(w->link_file) &&
	    torus_config_link_file(c, w->link_file, err)) {
		torus_config_destroy(c);
		c = NULL;
	}
	return c;
}

static int link_run(int argc, char **argv)
{
	struct link_words w = { .table.column = columns };
	struct torus_error err = { 0 };
	struct torus_config *c = NULL;
	int rc;

	w.operand = torus_alloc((size_t)argc, sizeof(*w.operand));
	if (!w.operand)
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	rc = link_read_words(argc, argv, &w);
	if (rc == STORUS_ARGS_END) {
		c = link_open(&w, &err);
		rc = c ? link_do(c, &w) :
			 storus_say_errors(NAME, STORUS_USAGE, &err);
	} else {
		rc = rc == STORUS_ARGS_HELP ? STORUS_DONE : STORUS_USAGE;
	}
	torus_config_destroy(c);
	torus_free(w.operand);
	return rc;
}
