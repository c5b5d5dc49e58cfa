/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of a torus: lists of names are expanded, copied to the configuration's
 * memory and entered in its table of names, which finds nodes that appear twice.
 * O(names).
 */
#include <stdio.h>
#include <string.h>

#include "config/hostlist.h"
#include "config/reader.h"
#include "torus/alloc.h"

/* The expansion of one text. */
struct expansion {
	struct reader *r;
	struct name_list *out;
	uint32_t line;
	uint32_t repeated; /* names that occur twice */
	const char *first; /* the first of them */
	uint32_t first_line;
};

static int nodes_add_name(void *arg, const char *name)
{
	struct expansion *x = arg;
	struct config_private *priv = x->r->priv;
	char *copy = torus_arena_text(&priv->arena, name, strlen(name));
	struct name_entry *e;

	if (!copy)
		return -1;
	x->out->name[x->out->used++] = copy;
	e = torus_names_find(&priv->table, copy);
	if (e) {
		if (x->repeated++ == 0) {
			x->first = copy;
			x->first_line = e->index;
		}
		return 0;
	}
	e = torus_names_add(&priv->table, copy);
	if (!e)
		return -1;
	e->index = x->line;
	return 0;
}

static int nodes_read_text(struct reader *r, const struct tree *t,
			   const char *key, struct name_list *out)
{
	struct expansion x = { .r = r, .out = out, .line = t->line };
	struct torus_error why = { 0 };
	char shown[TREE_SHOWN];
	uint32_t count = 0;
	char more[48] = "";

	torus_tree_excerpt(t, shown);
	if (t->kind != TREE_SCALAR)
		return torus_reader_wrong(r, t->line, key,
					  "got \"%s\": expected names such as n[00-63]",
					  shown);
	if (!torus_tree_null(t) && torus_hostlist_count(t->text, &count, &why))
		return torus_reader_wrong(r, t->line, key, "got \"%s\": %s",
					  shown, why.text);
	if (count == 0)
		return torus_reader_wrong(
			r, t->line, key,
			"got \"%s\": it names no node; cells without one are listed under absent",
			shown);
	if (count > TORUS_MAX_NODES - r->names)
		return torus_reader_wrong(r, t->line, key,
					  "got \"%s\": more than %u nodes in all",
					  shown, TORUS_MAX_NODES);
	r->names += count;
	if (TORUS_GROW(out->name, out->room, out->used + count) ||
	    torus_hostlist_each(t->text, nodes_add_name, &x))
		return torus_reader_no_memory(r);
	if (!x.repeated)
		return 0;
	if (x.repeated > 1)
		snprintf(more, sizeof(more), " (and %u more)", x.repeated - 1);
	if (x.first_line == x.line)
		return torus_reader_wrong(x.r, x.line, key,
					  "\"%s\"%s is named twice", x.first,
					  more);
	return torus_reader_wrong(x.r, x.line, key,
				  "\"%s\"%s is named twice, first on line %u",
				  x.first, more, x.first_line);
}

int torus_nodes_read(struct reader *r, const struct tree *t, const char *key,
		     struct name_list *out)
{
	int rc = 0;

	for (const struct tree *c = torus_value_first(t); c;
	     c = torus_value_next(t, c)) {
		if (nodes_read_text(r, c, key, out))
			rc = -1;
		if (r->no_memory)
			break;
	}
	return rc;
}
