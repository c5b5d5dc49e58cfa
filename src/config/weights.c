/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `weights:` of torus.yaml, after the toruses: nodes by their names or, also where
 * the toruses name none, as regions or lists of indices.
 *
 *	weights:
 *	- nodes: node[00-59]
 *	  weight: 100
 *	- {nodes: ["pod1:0,0,0+4x4x2", "pod0:{5}"], weight: 10}
 *
 * O(nodes of the machine + nodes named).
 */
#include <string.h>

#include "torus/state_text.h"
#include "config/hostlist.h"
#include "config/reader.h"
#include "torus/alloc.h"
#include "torus/weights.h"

#define MOST_WEIGHT 4294967294U /* Slurm's */

struct weights_reading {
	struct reader *r;
	struct torus_weights *weights;
	uint64_t *seen, *nodes; /* machine bitmaps */
	const char *unknown;    /* the first such name */
};

static int weights_add_name(void *arg, const char *name)
{
	struct weights_reading *x = arg;
	const struct torus_config *c = &x->r->priv->config;
	uint32_t bit = torus_config_node(c, name);

	if (bit == UINT32_MAX) {
		x->unknown = torus_arena_text(&x->r->scratch, name,
					      strlen(name));
		return 1;
	}
	torus_bits_set(x->nodes, bit);
	return 0;
}

/* Read names such as n[00-63] into x->nodes. */
static int weights_read_names(struct weights_reading *x, const char *text,
			      struct torus_error *why)
{
	uint32_t count;

	if (torus_hostlist_count(text, &count, why))
		return -1;
	if (count == 0)
		return torus_error_add(why, "it names no node");
	x->unknown = NULL;
	if (torus_hostlist_each(text, weights_add_name, x) == 0)
		return 0;
	if (!x->unknown)
		return torus_reader_no_memory(x->r);
	return torus_error_add(why, "no torus has a node \"%s\"", x->unknown);
}

/* Read a region or indices with the name of the torus into x->nodes. */
static int weights_read_region(struct weights_reading *x, const char *text,
			       struct torus_error *why)
{
	const struct torus_machine *m = &x->r->priv->config.machine;
	uint32_t p = torus_machine_prefix(m, text);
	struct torus_region region;
	bool scattered;
	uint64_t *map;

	if (p == UINT32_MAX)
		return torus_error_add(why, "no torus has this name");
	map = x->nodes + m->pod[p].first_word;
	if (torus_region_parse(&region, &scattered, map, &m->pod[p].torus, text,
			       why))
		return -1;
	if (!scattered)
		torus_region_paint(&region, &m->pod[p].torus, map);
	return 0;
}

static int weights_read_nodes(struct weights_reading *x, const struct tree *t)
{
	uint32_t words = x->r->priv->config.machine.words;
	struct torus_error why = { 0 };
	char shown[TREE_SHOWN];
	int rc = -1;

	torus_bits_zero(x->nodes, words);
	torus_tree_excerpt(t, shown);
	if (t->kind != TREE_SCALAR || torus_tree_null(t))
		return torus_reader_wrong(
			x->r, t->line, "nodes",
			"got \"%s\": expected names such as n[00-63], or a region such as pod0:0,0+2x2",
			shown);
	rc = strchr(t->text, ':') ? weights_read_region(x, t->text, &why) :
				    weights_read_names(x, t->text, &why);
	if (rc && x->r->no_memory)
		return rc;
	if (rc)
		return torus_reader_wrong(x->r, t->line, "nodes",
					  "got \"%s\": %s", shown, why.text);
	if (torus_bits_meet(x->nodes, x->seen, words))
		return torus_reader_wrong(x->r, t->line, "nodes",
					  "got \"%s\": some of these nodes have a weight already",
					  shown);
	torus_bits_or(x->seen, x->nodes, words);
	return 0;
}

/* Read a number without a sign or leading zero. */
static bool weights_number(const char *text, uint32_t *weight)
{
	size_t n = strspn(text, "0123456789");
	uint64_t value = 0;

	if (n == 0 || text[n] || n > 10 || (n > 1 && *text == '0'))
		return false;
	for (; *text; text++)
		value = value * 10 + (uint64_t)(*text - '0');
	*weight = (uint32_t)value;
	return value <= MOST_WEIGHT;
}

static void weights_read_item(struct weights_reading *x, const struct tree *t,
			      bool machine)
{
	static const char *const keys[] = { "nodes", "weight" };
	const struct tree *value[2];
	uint32_t weight = 0;
	char shown[TREE_SHOWN];

	if (torus_value_map(x->r, t, "weights", keys, 2, value))
		return;
	for (int k = 0; k < 2; k++) {
		if (!value[k])
			torus_reader_wrong(x->r, t->line, keys[k],
					   "missing in weights");
	}
	if (!value[0] || !value[1])
		return;
	if (value[1]->kind != TREE_SCALAR ||
	    !weights_number(value[1]->text, &weight)) {
		torus_reader_wrong(x->r, value[1]->line, "weight",
				   "got \"%s\": expected a whole number from 0 to %u",
				   torus_tree_excerpt(value[1], shown),
				   MOST_WEIGHT);
		return;
	}
	for (const struct tree *c = torus_value_first(value[0]); machine && c;
	     c = torus_value_next(value[0], c)) {
		if (weights_read_nodes(x, c) == 0)
			torus_weights_set(x->weights, x->nodes, weight);
	}
}

void torus_config_read_weights(struct reader *r, const struct tree *t,
			       bool machine)
{
	struct torus_machine *m = &r->priv->config.machine;
	struct weights_reading x = { .r = r };

	x.weights = torus_weights_create(m);
	x.seen = torus_alloc(2 * (size_t)m->words + 2, sizeof(*x.seen));
	if (!x.weights || !x.seen) {
		torus_reader_no_memory(r);
	} else {
		x.nodes = x.seen + m->words + 1;
		for (const struct tree *c = torus_value_first(t);
		     c && !r->no_memory; c = torus_value_next(t, c))
			weights_read_item(&x, c, machine);
		if (!torus_value_first(t))
			torus_reader_wrong(r, t->line, "weights",
					   "the list is empty");
		torus_reader_notice(
			r, t->key_line, "weights",
			"for replays and questions offline; in a cluster Slurm's own node weights count");
	}
	torus_free(x.seen);
	if (r->wrong || r->no_memory)
		torus_weights_destroy(x.weights);
	else
		m->weights = x.weights;
}
