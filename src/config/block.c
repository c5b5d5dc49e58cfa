/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One torus of torus.yaml: its size, strategies, nodes and cells without a node
 * become a pod of the machine.
 *
 *	- name: pod0
 *	  dims: [4, 4, 4]          or {x: 4, y: 4, z: 4}, or flat: 64
 *	  wrap: TTM                or [true, true, false]
 *	  unit: [2, 2, 1]          or per_vertex: 2
 *	  grain: [4, 4, 4]
 *	  nodes: n[00-62]          or regions: [{anchor:, dims:, nodes:}]
 *	  absent: ["3,3,3"]
 *	  strategy: submesh
 *	  allow: [flat]
 *	  rotate: true
 *	  options: {}
 *	  links: links.txt         links that are down or weak
 *
 * Each key is checked even if another one is wrong.
 */
#include <stdio.h>
#include <string.h>

#include "config/block.h"
#include "request/quote.h"
#include "torus/alloc.h"

static const char *const keys[KEYS] = {
	"name",   "dims",    "flat",    "wrap",       "unit",     "per_vertex",
	"grain",  "nodes",   "regions", "absent",     "strategy", "allow",
	"rotate", "options", "links",   "placements",
};

/* Return the name with the least number that makes it unlike those before, in the
 * reader's arena; or NULL without memory. */
static const char *block_number(struct reader *r, const struct tree *t,
				const char *name)
{
	char text[TORUS_NAME_SIZE];
	uint32_t n = 2;

	do
		snprintf(text, sizeof(text), "%.50s-%u", name, n++);
	while (torus_names_find(&r->torus_names, text));
	torus_reader_notice(r, t->line, "name",
			    "\"%s\" of another torus3d block; this one is called \"%s\"",
			    name, text);
	return torus_arena_text(&r->scratch, text, strlen(text));
}

static int block_read_name(struct reader *r, struct draft *d, const char **name)
{
	const struct tree *t = d->value[NAME];
	struct name_entry *e;
	struct torus_quote q;

	*name = "torus"; /* to check the other keys */
	if (!t)
		return torus_reader_wrong(
			r, d->line, "name",
			"missing; every torus needs one, for example name: pod%u",
			r->toruses - 1);
	if (torus_value_word(r, t, "name", name))
		return -1;
	if (!torus_name_ok(*name)) {
		torus_quote(&q, *name, strlen(*name));
		*name = "torus";
		return torus_reader_wrong(
			r, t->line, "name",
			"got \"%s\": expected at most %d letters, digits, '_', '-' and '.', the first a letter or digit",
			q.text, TORUS_NAME_SIZE - 1);
	}
	e = torus_names_find(&r->torus_names, *name);
	if (e && r->several) {
		*name = block_number(r, t, *name);
		e = NULL;
	}
	if (!*name) {
		r->no_memory = true;
		return -1;
	}
	if (e)
		return torus_reader_wrong(r, t->line, "name",
					  "\"%s\" is already the torus of line %u",
					  *name, e->index);
	e = torus_names_add(&r->torus_names, *name);
	if (!e)
		return torus_reader_no_memory(r);
	e->index = t->line;
	return 0;
}

static int block_read_wrap(struct reader *r, const struct tree *t,
			   uint32_t dims, bool *wrap)
{
	char shown[TREE_SHOWN];
	uint32_t n = 0;

	torus_tree_excerpt(t, shown);
	if (t->kind == TREE_LIST && t->children == dims) {
		for (const struct tree *c = t->first; c; c = c->next) {
			if (torus_value_bool(r, c, "wrap", &wrap[n++]))
				return -1;
		}
		return 0;
	}
	if (t->kind == TREE_SCALAR && strlen(t->text) == dims &&
	    strspn(t->text, "TM") == dims) {
		for (; n < dims; n++)
			wrap[n] = t->text[n] == 'T';
		return 0;
	}
	return torus_reader_wrong(
		r, t->line, "wrap",
		"got \"%s\": expected one letter per dimension (%u in all), T (wraps) or M (does not), or a list of true and false",
		shown, dims);
}

/* Read a vector of vertices, with a number for each dimension. */
static int block_read_division(struct reader *r, const struct draft *d,
			       enum torus_key key, uint32_t *out)
{
	const struct tree *t = d->value[key];
	char shown[TREE_SHOWN];
	uint32_t n;

	if (torus_value_vector(r, t, keys[key], out, &n))
		return -1;
	if (n == d->torus.dims)
		return 0;
	return torus_reader_wrong(r, t->line, keys[key],
				  "got \"%s\": expected one number for each of the %u dimensions",
				  torus_tree_excerpt(t, shown), d->torus.dims);
}

/* Report an error of torus_divide(), which begins with the key. */
static int block_division_wrong(struct reader *r, const struct draft *d,
				const struct torus_error *why)
{
	char text[TORUS_ERROR_TEXT], *line, *rest = text;

	snprintf(text, sizeof(text), "%s", why->text);
	while ((line = strsep(&rest, "\n"))) {
		size_t length = strcspn(line, ":");

		for (enum torus_key k = UNIT; k <= GRAIN; k++) {
			if (strlen(keys[k]) == length &&
			    strncmp(line, keys[k], length) == 0)
				torus_reader_wrong(r, d->value[k]->key_line,
						   keys[k], "%s",
						   line + length + 2);
		}
	}
	return -1;
}

static int block_read_dims(struct reader *r, struct draft *d, const char *name)
{
	uint32_t size[TORUS_MAX_DIMS], dims;
	const struct tree *t = d->value[DIMS];
	bool wrap[TORUS_MAX_DIMS];
	char shown[TREE_SHOWN];
	uint64_t nodes = 1;
	uint32_t unit[TORUS_MAX_DIMS], grain[TORUS_MAX_DIMS], per_vertex = 1;
	struct torus_error why = { 0 };
	int rc = 0;

	if (torus_value_vector(r, t, "dims", size, &dims))
		return -1;
	torus_tree_excerpt(t, shown);
	for (uint32_t i = 0; i < dims; i++) {
		if (size[i] == 0)
			return torus_reader_wrong(
				r, t->line, "dims",
				"got \"%s\": every dimension must be at least 1",
				shown);
		nodes *= size[i];
		if (nodes > TORUS_MAX_NODES)
			return torus_reader_wrong(r, t->line, "dims",
						  "got \"%s\": the product is above %u nodes",
						  shown, TORUS_MAX_NODES);
	}
	memset(wrap, true, sizeof(wrap));
	if (d->value[WRAP] && block_read_wrap(r, d->value[WRAP], dims, wrap))
		return -1;
	if (torus_init(&d->torus, name, dims, size, wrap, NULL))
		return -1;
	/* Read unit, grain and per_vertex. */
	if (d->value[UNIT])
		rc |= block_read_division(r, d, UNIT, unit);
	if (d->value[GRAIN])
		rc |= block_read_division(r, d, GRAIN, grain);
	if (d->value[PER_VERTEX])
		rc |= torus_value_number(r, d->value[PER_VERTEX], "per_vertex",
					 TORUS_MAX_NODES, &per_vertex);
	if (rc)
		return -1;
	if (d->value[UNIT] && d->value[PER_VERTEX])
		return torus_reader_wrong(
			r, d->value[PER_VERTEX]->key_line, "per_vertex",
			"cannot be combined with unit (line %u): a node is several vertices, or a vertex several nodes",
			d->value[UNIT]->key_line);
	if (torus_divide(&d->torus, d->value[UNIT] ? unit : NULL,
			 d->value[GRAIN] ? grain : NULL, per_vertex, &why))
		return block_division_wrong(r, d, &why);
	return 0;
}

static int block_read_flat(struct reader *r, struct draft *d, const char *name)
{
	uint32_t nodes;

	if (d->value[WRAP])
		return torus_reader_wrong(
			r, d->value[WRAP]->key_line, "wrap",
			"a flat machine has no dimensions that could wrap");
	for (enum torus_key k = UNIT; k <= GRAIN; k++) {
		if (d->value[k])
			return torus_reader_wrong(r, d->value[k]->key_line,
						  keys[k],
						  "a flat machine has no vertices");
	}
	if (d->value[LINKS])
		return torus_reader_wrong(r, d->value[LINKS]->key_line, "links",
					  "a flat machine has no links");
	if (torus_value_number(r, d->value[FLAT], "flat", TORUS_MAX_NODES,
			       &nodes))
		return -1;
	return torus_init_flat(&d->torus, name, nodes, NULL);
}

static int block_read_size(struct reader *r, struct draft *d)
{
	const char *name;
	int rc = block_read_name(r, d, &name);

	if (!d->value[DIMS] == !d->value[FLAT])
		return torus_reader_wrong(
			r, d->line, d->value[FLAT] ? "flat" : "dims",
			d->value[FLAT] ?
				"cannot be combined with dims: it is a machine without topology" :
				"missing; write for example dims: [8, 8, 8], or flat: 128 for a machine without topology");
	if (d->value[DIMS] ? block_read_dims(r, d, name) :
			     block_read_flat(r, d, name))
		return -1;
	d->sized = true;
	return rc;
}

/* Check that the strategy can serve the torus, its options aside. */
static int block_check_able(struct reader *r, const struct draft *d,
			    uint32_t line, const char *key,
			    const struct torus_strategy *s)
{
	static const struct torus_options none;
	char machine[TORUS_STRING_SIZE];
	struct torus_error why = { 0 };

	if (!d->sized)
		return 0;
	if (torus_machine_able(s, &d->torus, &none, &why) == 0) {
		if (!d->value[LINKS] || d->torus.flat ||
		    torus_machine_links_able(s, &d->torus, &why) == 0)
			return 0;
		return torus_reader_wrong(r, line, key, "%s, and links is set",
					  why.text);
	}
	torus_format(&d->torus, machine, sizeof(machine));
	return torus_reader_wrong(r, line, key, "\"%s\" cannot serve %s: %s",
				  s->name, machine, why.text);
}

static int block_read_strategy(struct reader *r, struct draft *d)
{
	const struct tree *t = d->value[STRATEGY], *o = d->value[OPTIONS];
	int rc = 0;

	if (t && torus_value_strategy(r, t, "strategy", &d->strategy))
		return -1;
	if (!t)
		d->strategy = torus_config_initial_strategy(&d->torus);
	rc = block_check_able(r, d, t ? t->line : d->line, "strategy",
			      d->strategy);
	if (o && torus_value_options(r, o, d->strategy->options,
				     d->strategy->name, &d->options))
		rc = -1;
	return rc;
}

static bool block_is_allowed(const struct draft *d,
			     const struct torus_strategy *s)
{
	for (uint32_t i = 0; i < d->allowed; i++) {
		if (d->allow[i] == s)
			return true;
	}
	return false;
}

static int block_read_allow(struct reader *r, struct draft *d)
{
	const struct tree *t = d->value[ALLOW];
	const struct torus_strategy *s;
	int rc = 0;

	if (!t)
		return 0;
	for (const struct tree *c = torus_value_first(t); c;
	     c = torus_value_next(t, c)) {
		if (torus_value_strategy(r, c, "allow", &s) ||
		    block_check_able(r, d, c->line, "allow", s))
			rc = -1;
		else if (block_is_allowed(d, s))
			rc = torus_reader_wrong(r, c->line, "allow",
						"%s is listed twice", s->name);
		else if (d->allowed + 2 == TORUS_POD_STRATEGIES)
			return torus_reader_wrong(r, c->line, "allow",
						  "more than %d strategies for one torus",
						  TORUS_POD_STRATEGIES - 1);
		else
			d->allow[d->allowed++] = s;
	}
	return rc;
}

/* Build the file's path, relative to the directory of torus.yaml. */
static int block_read_links(struct reader *r, struct draft *d)
{
	const char *word, *slash = strrchr(r->file, '/');
	struct torus_text path = { 0 };
	int directory;

	if (!d->value[LINKS])
		return 0;
	if (torus_value_word(r, d->value[LINKS], "links", &word))
		return -1;
	if (!*word)
		return torus_reader_wrong(r, d->value[LINKS]->line, "links",
					  "got \"\": expected the name of a file");
	directory = slash && *word != '/' ? (int)(slash + 1 - r->file) : 0;
	if (torus_text_add(&path, "%.*s%s", directory, r->file, word) == 0)
		d->links = torus_arena_text(&r->priv->arena, path.data,
					    path.length);
	torus_text_free(&path);
	return d->links ? 0 : torus_reader_no_memory(r);
}

static int block_add(struct reader *r, struct draft *d)
{
	struct torus_machine *m = &r->priv->config.machine;
	struct torus_error why = { 0 };

	if (torus_config_reserve(r->priv))
		return torus_reader_no_memory(r);
	if (torus_machine_add(m, &d->torus, d->present, d->strategy,
			      &d->options, &why)) {
		if (why.count == 0)
			return torus_reader_no_memory(r);
		return torus_reader_wrong(r, d->line, d->torus.name, "%s",
					  why.text);
	}
	r->priv->config.names[m->pods - 1] = d->names;
	r->priv->config.links[m->pods - 1] = d->links;
	m->pod[m->pods - 1].no_rotate = !d->rotate;
	d->names = NULL;
	for (uint32_t i = 0; i < d->allowed; i++) {
		if (torus_machine_allow(m, m->pods - 1, d->allow[i], &why))
			return torus_reader_wrong(r, d->line, "allow", "%s",
						  why.text);
	}
	return 0;
}

void torus_block_read(struct reader *r, const struct tree *t)
{
	struct draft d = { .line = t->line, .rotate = true };
	int rc;

	r->toruses++;
	if (torus_value_map(r, t, "a torus", keys, KEYS, d.value))
		return;
	rc = block_read_size(r, &d);
	rc |= block_read_strategy(r, &d);
	rc |= block_read_allow(r, &d);
	if (d.value[ROTATE])
		rc |= torus_value_bool(r, d.value[ROTATE], "rotate", &d.rotate);
	rc |= torus_cells_read(r, &d);
	rc |= block_read_links(r, &d);
	if (d.value[PLACEMENTS] && !r->placements) {
		r->placements = true;
		torus_reader_notice(r, d.value[PLACEMENTS]->key_line,
				    "placements",
				    "accepted and ignored: jobs may ask for any shape");
	}
	if (rc == 0)
		block_add(r, &d);
	torus_free(d.present);
	torus_free(d.names);
}
