/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of a job in rank order (rank_list.h): from a placement, or inside
 * of a job from its environment, which tells every node's coordinate in the
 * order of the node list.
 *
 * Cost: O(nodes) for a placement; O(nodes x length of TORUS_COORDS) for a job.
 */
#include "storus/setup/rank_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request/coords.h"
#include "config/hostlist.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/regions.h"

void storus_ranks_free(struct storus_ranks *ranks)
{
	torus_free(ranks->rank);
	torus_free(ranks->names);
	*ranks = (struct storus_ranks){ 0 };
}

/* A placement */

/* Scattered nodes are a line in the order of their numbers. */
static void list_scattered(struct storus_ranks *ranks, const struct torus *t,
			   const struct torus_placement *place)
{
	uint32_t words = torus_bits_words(t->nodes);
	uint32_t index = torus_bits_next(place->nodes, words, 0);

	ranks->axes = 1;
	ranks->extent[0] = ranks->nodes;
	for (uint32_t k = 0; index != UINT32_MAX; k++) {
		ranks->rank[k].coord[0] = k;
		ranks->rank[k].index = index;
		index = torus_bits_next(place->nodes, words, index + 1);
	}
}

static void list_region(struct storus_ranks *ranks, const struct torus *t,
			const struct torus_placement *place)
{
	uint32_t k = t->per_vertex;

	ranks->axes = place->axes;
	for (uint32_t a = 0; a < place->axes; a++)
		ranks->extent[a] = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		if (place->orientation.axis[d] >= 0)
			ranks->extent[place->orientation.axis[d]] *=
				place->region.extent[d] * t->unit[d];
	}
	for (uint32_t i = 0; i < ranks->nodes; i++)
		ranks->rank[i].index =
			i % k + torus_region_rank_vertex(&place->region, t,
							 &place->orientation,
							 place->axes, i / k,
							 ranks->rank[i].coord);
}

/* One region after the other. */
static int list_regions(struct storus_ranks *ranks,
			const struct torus_config *config,
			const struct torus_placement *place)
{
	const struct torus_machine *m = &config->machine;
	uint32_t n = 0;

	*ranks = (struct storus_ranks){ .slices = true };
	for (uint32_t i = 0; i < place->regions->count; i++) {
		struct torus_placement one = torus_regions_item(m, place, i);
		struct storus_ranks part;

		if (storus_ranks_place(&part, config, &one))
			return -1;
		if (TORUS_RESIZE(ranks->rank, n + part.nodes)) {
			storus_ranks_free(&part);
			return -1;
		}
		ranks->axes = part.axes;
		memcpy(ranks->extent, part.extent, sizeof(part.extent));
		for (uint32_t k = 0; k < part.nodes; k++) {
			ranks->rank[n] = part.rank[k];
			ranks->rank[n++].slice = i;
		}
		ranks->nodes = n;
		storus_ranks_free(&part);
	}
	return 0;
}

int storus_ranks_place(struct storus_ranks *ranks,
		       const struct torus_config *config,
		       const struct torus_placement *place)
{
	const struct torus *t = &config->machine.pod[place->pod].torus;
	char **names = config->names ? config->names[place->pod] : NULL;

	if (place->regions)
		return list_regions(ranks, config, place);
	*ranks = (struct storus_ranks){ .nodes = place->granted };
	if (!place->scattered) /* a rank for each vertex of a node */
		ranks->nodes *= torus_node_vertices(t);
	ranks->rank = torus_alloc(ranks->nodes, sizeof(*ranks->rank));
	if (!ranks->rank)
		return -1;
	if (place->scattered)
		list_scattered(ranks, t, place);
	else
		list_region(ranks, t, place);
	for (uint32_t k = 0; names && k < ranks->nodes; k++)
		ranks->rank[k].name = names[ranks->rank[k].index];
	return 0;
}

/* A job's environment */

static const char *rank_list_need(const char *name, struct torus_error *err)
{
	const char *value = getenv(name);

	if (value && *value)
		return value;
	torus_error_add(err,
			"%s is not set: this is not inside a job with a shape; give --torus with --region or --geometry",
			name);
	return NULL;
}

/* "4x2" */
static int read_extents(struct storus_ranks *ranks, const char *name,
			const char *text, struct torus_error *err)
{
	const char *p = text;
	uint64_t nodes = 1;

	for (ranks->axes = 0; ranks->axes < TORUS_MAX_DIMS; p++) {
		uint64_t n;

		p = torus_number_scan_whole(p, TORUS_MAX_NODES, &n);
		if (!p || n == 0 || (nodes *= n) > TORUS_MAX_NODES) {
			p = "?";
			break;
		}
		ranks->extent[ranks->axes++] = (uint32_t)n;
		if (*p != 'x')
			break;
	}
	ranks->nodes = (uint32_t)nodes;
	if (ranks->axes > 0 && *p == '\0')
		return 0;
	return torus_error_add(err,
			       "%s: got \"%.60s\": expected extents, for example 4x4x2",
			       name, text);
}

/* The rank of the n-th node of the list. */
static int read_rank(const struct storus_ranks *ranks, const char *coords,
		     uint32_t n, uint32_t *coord, uint32_t *rank)
{
	char text[TORUS_MAX_DIMS * 11 + 1];
	char *p = text;

	if (torus_coords_nth(coords, n, text, sizeof(text)))
		return -1;
	*rank = 0;
	for (uint32_t a = 0; a < ranks->axes; a++) {
		coord[a] = (uint32_t)strtoul(p, &p, 10);
		if (coord[a] >= ranks->extent[a] ||
		    *p++ != (a + 1 < ranks->axes ? ',' : '\0'))
			return -1;
		*rank = *rank * ranks->extent[a] + coord[a];
	}
	return 0;
}

struct naming {
	struct storus_ranks *ranks;
	const char *coords;
	const char *slices; /* which of several regions; NULL: there is one */
	uint32_t region;    /* ranks of one region */
	uint32_t n;
	uint32_t unit[TORUS_MAX_DIMS], vertices; /* of a node */
	uint32_t per_vertex;                     /* nodes */
};

/* Coordinate and rank of vertex v of a node whose first is `first`; false: it
 * is not in the shape. */
static bool rank_of_vertex(const struct naming *x, const uint32_t *first,
			   uint32_t v, uint32_t *coord, uint32_t *rank)
{
	const struct storus_ranks *ranks = x->ranks;

	for (uint32_t a = ranks->axes; a-- > 0;) {
		coord[a] = first[a] + v % x->unit[a];
		v /= x->unit[a];
	}
	*rank = 0;
	for (uint32_t a = 0; a < ranks->axes; a++) {
		if (coord[a] >= ranks->extent[a])
			return false;
		*rank = *rank * ranks->extent[a] + coord[a];
	}
	return true;
}

/* Each vertex of a node has its rank; the nodes of one vertex follow each
 * other. */
static int name_node(void *arg, const char *name)
{
	struct naming *x = arg;
	uint32_t first[TORUS_MAX_DIMS] = { 0 }, rank, slice = 0;
	char *copy = x->ranks->names + (size_t)x->n * HOSTLIST_NAME_SIZE;

	if (x->slices && (torus_counts_nth(x->slices, x->n, &slice) ||
			  slice >= x->ranks->nodes / x->region))
		return -1;
	if (read_rank(x->ranks, x->coords, x->n++, first, &rank))
		return -1;
	snprintf(copy, HOSTLIST_NAME_SIZE, "%s", name);
	for (uint32_t v = 0; v < x->vertices; v++) {
		struct storus_rank made = { .index = UINT32_MAX, .name = copy };
		uint32_t i;

		if (!rank_of_vertex(x, first, v, made.coord, &rank))
			return -1;
		made.slice = slice;
		rank += slice * (x->region / x->per_vertex);
		i = rank * x->per_vertex;
		while (i < (rank + 1) * x->per_vertex && x->ranks->rank[i].name)
			i++;
		if (i == (rank + 1) * x->per_vertex)
			return -1;
		x->ranks->rank[i] = made;
	}
	return 0;
}

/* The number of regions is the highest number. */
static int read_slices(struct naming *x, uint32_t nodes, struct torus_error *err)
{
	uint32_t most = 0, slice;

	for (uint32_t i = 0; i < nodes; i++) {
		if (torus_counts_nth(x->slices, i, &slice) ||
		    slice >= TORUS_MAX_REGIONS)
			return torus_error_add(err,
					       "TORUS_SLICES: got \"%.60s\": expected the region of each of %u nodes, for example 0(x4),1(x4)",
					       x->slices, nodes);
		most = slice > most ? slice : most;
	}
	x->ranks->nodes *= most + 1;
	return 0;
}

/* How many vertices a node has (TORUS_UNIT), or nodes a vertex. */
static int read_unit(struct naming *x, uint32_t nodes, struct torus_error *err)
{
	const char *unit = getenv("TORUS_UNIT");
	struct storus_ranks box = { 0 };

	x->vertices = x->per_vertex = 1;
	for (uint32_t a = 0; a < TORUS_MAX_DIMS; a++)
		x->unit[a] = 1;
	if (unit && read_extents(&box, "TORUS_UNIT", unit, err))
		return -1;
	if (unit && box.axes == x->ranks->axes) {
		memcpy(x->unit, box.extent, sizeof(x->unit));
		x->vertices = box.nodes;
	}
	if (x->slices && read_slices(x, nodes, err))
		return -1;
	if (!unit && nodes > x->ranks->nodes && nodes % x->ranks->nodes == 0)
		x->per_vertex = nodes / x->ranks->nodes;
	x->region *= x->per_vertex;
	x->ranks->nodes *= x->per_vertex;
	return 0;
}

int storus_ranks_job(struct storus_ranks *ranks, struct torus_error *err)
{
	const char *shape = rank_list_need("TORUS_GEOMETRY", err);
	const char *coords = shape ? rank_list_need("TORUS_COORDS", err) : NULL;
	const char *list = coords ? rank_list_need("SLURM_JOB_NODELIST", err) :
				    NULL;
	struct naming x = { .ranks = ranks,
			    .coords = coords,
			    .slices = getenv("TORUS_SLICES") };
	struct torus_error why = { 0 };
	uint32_t count;

	*ranks = (struct storus_ranks){ 0 };
	if (!list || read_extents(ranks, "TORUS_GEOMETRY", shape, err))
		return -1;
	if (torus_hostlist_count(list, &count, &why))
		return torus_error_add(err, "SLURM_JOB_NODELIST: %s", why.text);
	x.region = ranks->nodes;
	ranks->slices = x.slices != NULL;
	if (read_unit(&x, count, err))
		return -1;
	if ((uint64_t)count * x.vertices != ranks->nodes)
		return torus_error_add(err,
				       "SLURM_JOB_NODELIST: got %u nodes, expected the %u of TORUS_GEOMETRY (%s)",
				       count, ranks->nodes, shape);
	ranks->rank = torus_alloc(ranks->nodes, sizeof(*ranks->rank));
	ranks->names = torus_alloc(count, HOSTLIST_NAME_SIZE);
	if (!ranks->rank || !ranks->names)
		return torus_error_add(err, "out of memory");
	if (torus_hostlist_each(list, name_node, &x) == 0)
		return 0;
	return torus_error_add(err,
			       "TORUS_COORDS: got \"%.60s\": expected one coordinate of %s for each of %u nodes",
			       coords, shape, count);
}
