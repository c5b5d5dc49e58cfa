/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node of each cell of a torus (config/block.h), in one of two forms:
 *
 *   nodes, absent	names for the cells in the order of their indices (first
 *			dimension fastest), without the absent ones
 *   regions		boxes of cells, each with its names in the same order;
 *			cells in no region have no node
 *
 * Names are counted before they are assigned, and each cell is assigned once, so
 * the work is O(names + cells) for every file.
 */
#include <stdio.h>
#include <string.h>

#include "torus/state_text.h"
#include "config/block.h"
#include "torus/alloc.h"

/* Errors in one list after which its other entries are skipped: to find the
 * overlap of a box costs O(cells). */
#define MOST_WRONG 64

static const char zeros[] = "0,0,0,0,0,0,0,0"; /* the first cell */

/* Write sizes as 4x4x4, for messages. */
static const char *cells_size_text(const struct torus *t,
				   char text[TORUS_STRING_SIZE])
{
	torus_format(t, text, TORUS_STRING_SIZE);
	if (!t->flat)
		text[strcspn(text, ":")] = '\0';
	return text;
}

/* Read the region of a cell "0,0,1" or a box "0,0,0+2x2x1". */
static int cells_parse_box(const struct tree *t, const struct torus *torus,
			   struct torus_region *region, struct torus_error *why)
{
	char text[TORUS_REGION_SIZE];
	bool scattered;
	size_t used;

	if (t->kind != TREE_SCALAR || strpbrk(t->text, "{:") ||
	    strlen(t->text) + 11 * TORUS_MAX_DIMS >= sizeof(text))
		return -1;
	used = (size_t)sprintf(text, "%s", t->text);
	for (uint32_t i = 0; !strchr(t->text, '+') && i < torus->dims; i++)
		used += (size_t)sprintf(text + used, "%s%u", i ? "x" : "+",
					torus->unit[i]);
	return torus_region_parse(region, &scattered, NULL, torus, text, why);
}

static int cells_read_absent_item(struct reader *r, struct draft *d,
				  const struct tree *t, uint64_t *absent)
{
	char size[TORUS_STRING_SIZE], shown[TREE_SHOWN];
	struct torus_error why = { 0 };
	struct torus_region region;

	torus_tree_excerpt(t, shown);
	if (cells_parse_box(t, &d->torus, &region, &why)) {
		/* the message's "region: got ..." is for another syntax */
		if (why.count && strncmp(why.text, "region: got", 11) != 0)
			return torus_reader_wrong(r, t->line, "absent",
						  "got \"%s\": %s", shown,
						  why.text);
		return torus_reader_wrong(
			r, t->line, "absent",
			"got \"%s\": expected a cell of %s such as \"%.*s\" (in quotes), or a box base+extent",
			shown, cells_size_text(&d->torus, size),
			2 * (int)d->torus.dims - 1, zeros);
	}
	if (torus_region_touches(&region, &d->torus, absent))
		return torus_reader_wrong(r, t->line, "absent",
					  "\"%s\" was listed before", shown);
	torus_region_paint(&region, &d->torus, absent);
	return 0;
}

static int cells_read_absent(struct reader *r, struct draft *d)
{
	const struct tree *t = d->value[ABSENT];
	char shown[TREE_SHOWN];
	uint32_t wrong = 0;
	const struct tree *first;
	uint32_t words;

	if (!t || !d->sized)
		return 0;
	first = torus_value_first(t);
	if (d->torus.dims > 1 && first && first->kind == TREE_SCALAR &&
	    *first->text &&
	    strspn(first->text, "0123456789") == strlen(first->text))
		return torus_reader_wrong(
			r, t->line, "absent",
			"got \"%s\": numbers, expected cells in quotes, such as [\"%.*s\"]",
			torus_tree_excerpt(t, shown),
			2 * (int)d->torus.dims - 1, zeros);
	d->present = torus_alloc(torus_bits_words(d->torus.nodes),
				 sizeof(*d->present));
	if (!d->present)
		return torus_reader_no_memory(r);
	for (const struct tree *c = torus_value_first(t);
	     c && wrong < MOST_WRONG; c = torus_value_next(t, c))
		wrong += cells_read_absent_item(r, d, c, d->present) != 0;
	if (wrong)
		return -1;
	/* all cells but those */
	words = torus_bits_words(d->torus.nodes);
	for (uint32_t k = 0; k < words; k++)
		d->present[k] = ~d->present[k];
	if (d->torus.nodes % 64)
		d->present[words - 1] &= torus_bits_low(d->torus.nodes % 64);
	if (torus_bits_next(d->present, torus_bits_words(d->torus.nodes), 0) ==
	    UINT32_MAX)
		return torus_reader_wrong(r, t->line, "absent",
					  "no cell with a node is left");
	return 0;
}

static int cells_place_nodes(struct reader *r, struct draft *d,
			     const struct name_list *list)
{
	char machine[TORUS_STRING_SIZE], shown[TREE_SHOWN], less[32] = "";
	const struct tree *t = d->value[NODES];
	uint32_t cells = d->torus.nodes;

	if (d->present)
		cells = torus_bits_count(d->present, torus_bits_words(cells));
	if (list->used == cells) {
		uint32_t k = 0;

		/* Assign names to the cells that have a node, in the order of the
		 * indices. */
		d->names = torus_alloc(d->torus.nodes, sizeof(*d->names));
		if (!d->names)
			return torus_reader_no_memory(r);
		for (uint32_t i = 0; i < d->torus.nodes; i++) {
			if (!d->present || torus_bits_test(d->present, i))
				d->names[i] = list->name[k++];
		}
		return 0;
	}
	if (cells < d->torus.nodes)
		snprintf(less, sizeof(less), " less %u absent",
			 d->torus.nodes - cells);
	return torus_reader_wrong(r, t->line, "nodes",
				  "\"%s\" names %u node%s, expected %u (%s%s)",
				  torus_tree_excerpt(t, shown), list->used,
				  list->used == 1 ? "" : "s", cells,
				  cells_size_text(&d->torus, machine), less);
}

/* Read one entry of regions: */
struct cells_part {
	uint32_t line;
	struct torus_region cells;
};

static int cells_read_corner(struct reader *r, const struct draft *d,
			     const struct tree *t, const char *key,
			     uint32_t line, uint32_t *out)
{
	char machine[TORUS_STRING_SIZE], shown[TREE_SHOWN];
	uint32_t n;

	if (!t)
		return torus_reader_wrong(r, line, key, "missing in a region");
	if (torus_value_vector(r, t, key, out, &n))
		return -1;
	if (d->sized && n != d->torus.dims)
		return torus_reader_wrong(r, t->line, key,
					  "got \"%s\": %u number%s for the %u dimensions of %s",
					  torus_tree_excerpt(t, shown), n,
					  n == 1 ? "" : "s", d->torus.dims,
					  cells_size_text(&d->torus, machine));
	return 0;
}

/* Check that a region lies inside the torus and crosses no edge. */
static int cells_check_inside(struct reader *r, const struct draft *d,
			      const struct cells_part *p)
{
	char machine[TORUS_STRING_SIZE];

	for (uint32_t i = 0; i < d->torus.dims; i++) {
		uint64_t end = (uint64_t)p->cells.base[i] + p->cells.extent[i];
		uint32_t size = d->torus.size[i] * d->torus.unit[i];

		if (p->cells.extent[i] == 0)
			return torus_reader_wrong(
				r, p->line, "regions",
				"every extent in dims must be at least 1");
		if (end > size)
			return torus_reader_wrong(
				r, p->line, "regions",
				"anchor + dims is %llu in dimension %u, expected at most %u (%s)",
				(unsigned long long)end, i, size,
				cells_size_text(&d->torus, machine));
	}
	return 0;
}

/* Convert from vertices, as written, to cells. */
static int cells_part_convert(struct reader *r, const struct draft *d,
			      struct cells_part *p)
{
	for (uint32_t i = 0; i < d->torus.dims; i++) {
		uint32_t u = d->torus.unit[i];

		if (p->cells.base[i] % u || p->cells.extent[i] % u)
			return torus_reader_wrong(
				r, p->line, "regions",
				"anchor and dims must be multiples of %u in dimension %u, the size of a node there",
				u, i);
		p->cells.base[i] /= u;
		p->cells.extent[i] /= u;
	}
	return 0;
}

static int cells_place_part(struct reader *r, struct draft *d,
			    const struct cells_part *p,
			    const struct name_list *list,
			    const struct tree *nodes)
{
	uint32_t cells = torus_region_nodes(&p->cells, &d->torus);
	uint32_t at[TORUS_MAX_DIMS], index, k = d->torus.per_vertex;
	struct torus box = d->torus;
	char shown[TREE_SHOWN];

	if (list->used != cells)
		return torus_reader_wrong(r, nodes->line, "nodes",
					  "\"%s\" names %u node%s, expected %u for this region",
					  torus_tree_excerpt(nodes, shown),
					  list->used,
					  list->used == 1 ? "" : "s", cells);
	for (uint32_t i = 0; i < box.dims; i++)
		box.size[i] = p->cells.extent[i];
	for (uint32_t n = 0; n < cells; n++) {
		torus_coord(&box, n, at);
		for (uint32_t i = 0; i < box.dims; i++)
			at[i] += p->cells.base[i];
		index = torus_index(&d->torus, at) + n % k;
		if (torus_bits_test(d->present, index)) {
			char cell[TORUS_REGION_SIZE];
			size_t used = 0;

			/* an earlier region has the cell */
			for (uint32_t i = 0; i < d->torus.dims; i++)
				used += (size_t)snprintf(cell + used,
							 sizeof(cell) - used,
							 "%s%u", i ? "," : "",
							 at[i]);
			return torus_reader_wrong(r, p->line, "regions",
						  "cell %s is in an earlier region",
						  cell);
		}
		torus_bits_set(d->present, index);
		d->names[index] = list->name[n];
	}
	return 0;
}

static int cells_read_part(struct reader *r, struct draft *d,
			   const struct tree *t)
{
	static const char *const names[] = { "anchor", "dims", "nodes" };
	const struct tree *value[3];
	struct name_list list = { 0 };
	struct cells_part p = { .line = t->line };
	int rc;

	if (torus_value_map(r, t, "a region", names, 3, value))
		return -1;
	if (d->sized)
		torus_region_whole(&p.cells, &d->torus);
	rc = cells_read_corner(r, d, value[0], "anchor", t->line, p.cells.base);
	rc |= cells_read_corner(r, d, value[1], "dims", t->line, p.cells.extent);
	if (d->sized && rc == 0)
		rc = cells_check_inside(r, d, &p) ||
				     cells_part_convert(r, d, &p) ?
			     -1 :
			     0;
	if (!value[2])
		rc = torus_reader_wrong(r, t->line, "nodes",
					"missing in a region");
	else if (torus_nodes_read(r, value[2], "nodes", &list))
		rc = -1;
	if (rc == 0 && d->sized)
		rc = cells_place_part(r, d, &p, &list, value[2]);
	torus_free(list.name);
	return rc;
}

static int cells_read_regions(struct reader *r, struct draft *d)
{
	const struct tree *t = d->value[REGIONS];
	int rc = 0;

	if (d->sized) {
		d->present = torus_alloc(torus_bits_words(d->torus.nodes),
					 sizeof(*d->present));
		d->names = torus_alloc(d->torus.nodes, sizeof(*d->names));
		if (!d->present || !d->names)
			return torus_reader_no_memory(r);
	}
	for (const struct tree *c = torus_value_first(t); c && !r->no_memory;
	     c = torus_value_next(t, c)) {
		if (cells_read_part(r, d, c))
			rc = -1;
	}
	if (!torus_value_first(t))
		return torus_reader_wrong(r, t->line, "regions",
					  "the list is empty");
	return rc;
}

int torus_cells_read(struct reader *r, struct draft *d)
{
	const struct tree *regions = d->value[REGIONS];

	if (!regions) {
		struct name_list list = { 0 };
		int rc, wrong;

		if (!d->value[NODES])
			torus_reader_notice(
				r, d->line, "nodes",
				"missing: storus works without them, Slurm does not");
		rc = cells_read_absent(r, d);
		if (d->value[NODES]) {
			wrong = torus_nodes_read(r, d->value[NODES], "nodes",
						 &list);
			if (wrong == 0 && rc == 0 && d->sized)
				wrong = cells_place_nodes(r, d, &list);
			rc = wrong ? wrong : rc;
		}
		torus_free(list.name);
		return rc;
	}
	if (d->value[NODES])
		return torus_reader_wrong(r, regions->key_line, "regions",
					  "cannot be combined with nodes (line %u)",
					  d->value[NODES]->key_line);
	if (d->value[ABSENT])
		return torus_reader_wrong(
			r, d->value[ABSENT]->key_line, "absent",
			"cannot be combined with regions: cells outside of them have no node");
	if (d->value[FLAT])
		return torus_reader_wrong(
			r, regions->key_line, "regions",
			"cannot be combined with flat, which has no coordinates; write nodes");
	return cells_read_regions(r, d);
}
