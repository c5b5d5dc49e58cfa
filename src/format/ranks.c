/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of a job (ranks.h). Its environment has the coordinates of its nodes in the
 * order of the node list.
 */
#include "format/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request/coords.h"
#include "config/hostlist.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/regions.h"

void torus_ranks_free(struct torus_ranks *ranks)
{
	torus_free(ranks->rank);
	torus_free(ranks->names);
	*ranks = (struct torus_ranks){ 0 };
}

/* A placement */

static void list_region(struct torus_ranks *ranks, const struct torus *t,
			const struct torus_placement *place)
{
	uint32_t k = t->per_vertex;

	ranks->axes = place->axes;
	for (uint32_t a = 0; a < place->axes; a++)
		ranks->extent[a] = ranks->unit[a] = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		int8_t a = place->orientation.axis[d];

		if (a < 0)
			continue;
		ranks->extent[a] *= place->region.extent[d] * t->unit[d];
		ranks->unit[a] *= t->unit[d];
	}
	ranks->closed = place->ring;
	for (uint32_t i = 0; i < ranks->nodes; i++) {
		struct torus_rank *rank = &ranks->rank[i];

		rank->index = i % k +
			      torus_region_rank_vertex(&place->region, t,
						       &place->orientation,
						       place->axes, i / k,
						       rank->coord);
		rank->host = rank->index;
		rank->of = 1;
		for (uint32_t a = 0; a < ranks->axes; a++) {
			rank->at = rank->at * ranks->unit[a] +
				   rank->coord[a] % ranks->unit[a];
			rank->of *= ranks->unit[a];
		}
	}
}

/* One region after the other. */
static int list_regions(struct torus_ranks *ranks,
			const struct torus_config *config,
			const struct torus_placement *place)
{
	const struct torus_machine *m = &config->machine;
	uint32_t n = 0;

	*ranks = (struct torus_ranks){ .slices = true };
	for (uint32_t i = 0; i < place->regions->count; i++) {
		struct torus_placement one = torus_regions_item(m, place, i);
		struct torus_ranks part;

		if (torus_ranks_place(&part, config, &one))
			return -1;
		if (TORUS_RESIZE(ranks->rank, n + part.nodes)) {
			torus_ranks_free(&part);
			return -1;
		}
		ranks->axes = part.axes;
		memcpy(ranks->extent, part.extent, sizeof(part.extent));
		memcpy(ranks->unit, part.unit, sizeof(part.unit));
		ranks->closed = i ? ranks->closed & part.closed : part.closed;
		for (uint32_t k = 0; k < part.nodes; k++) {
			ranks->rank[n] = part.rank[k];
			ranks->rank[n++].slice = i;
		}
		ranks->nodes = n;
		torus_ranks_free(&part);
	}
	return 0;
}

int torus_ranks_place(struct torus_ranks *ranks,
		      const struct torus_config *config,
		      const struct torus_placement *place)
{
	const struct torus *t = &config->machine.pod[place->pod].torus;
	char **names = config->names ? config->names[place->pod] : NULL;

	if (place->regions)
		return list_regions(ranks, config, place);
	*ranks = (struct torus_ranks){ .nodes = place->granted };
	if (!place->scattered) /* a rank for each vertex of a node */
		ranks->nodes *= torus_node_vertices(t);
	ranks->rank = torus_alloc(ranks->nodes, sizeof(*ranks->rank));
	if (!ranks->rank)
		return -1;
	if (place->scattered) {
		uint32_t words = torus_bits_words(t->nodes);
		uint32_t index = torus_bits_next(place->nodes, words, 0);

		/* scattered nodes are a line in the order of their numbers */
		ranks->axes = 1;
		ranks->extent[0] = ranks->nodes;
		ranks->unit[0] = 1;
		for (uint32_t k = 0; index != UINT32_MAX; k++) {
			ranks->rank[k].coord[0] = k;
			ranks->rank[k].index = ranks->rank[k].host = index;
			ranks->rank[k].of = 1;
			index = torus_bits_next(place->nodes, words, index + 1);
		}
	} else
		list_region(ranks, t, place);
	for (uint32_t k = 0; names && k < ranks->nodes; k++)
		ranks->rank[k].name = names[ranks->rank[k].index];
	return 0;
}

/* A job's environment */

struct rank_reader {
	struct torus_ranks *ranks;
	torus_ranks_variable variable;
	void *arg;
	struct torus_error *err;

	/* while the node list is read */
	struct torus_coords_reader coords;
	const char *slices; /* which of several regions; NULL: there is one */
	uint32_t run;       /* torus_counts_next() */
	uint32_t region;    /* ranks of one region */
	uint32_t n;
	uint32_t per_vertex; /* nodes */
	uint32_t units;      /* 1: all regions have the same */
	uint32_t unit[TORUS_MAX_REGIONS][TORUS_MAX_DIMS];
	uint32_t vertices[TORUS_MAX_REGIONS]; /* of a node */
};

static const char *rank_list_need(const struct rank_reader *x, const char *name)
{
	const char *value = x->variable(x->arg, name);

	if (value && *value)
		return value;
	torus_error_add(x->err,
			"%s is not set: this is not inside a job with a shape; give --torus with --region or --geometry",
			name);
	return NULL;
}

/* "4x2" */
static int read_extents(uint32_t *extent, uint32_t *axes, const char *name,
			const char *text, struct torus_error *err)
{
	const char *p = text;
	uint64_t nodes = 1;

	for (*axes = 0; *axes < TORUS_MAX_DIMS; p++) {
		uint64_t n;

		p = torus_number_scan_whole(p, TORUS_MAX_NODES, &n);
		if (!p || n == 0 || (nodes *= n) > TORUS_MAX_NODES) {
			p = "?";
			break;
		}
		extent[(*axes)++] = (uint32_t)n;
		if (*p != 'x')
			break;
	}
	if (*axes > 0 && *p == '\0')
		return (int)nodes;
	return torus_error_add(err,
			       "%s: got \"%.60s\": expected extents, for example 4x4x2",
			       name, text);
}

/* Each vertex of a node has its rank; the nodes of one vertex follow each
 * other. */
static int name_vertex(struct rank_reader *x, struct torus_rank made)
{
	const struct torus_ranks *ranks = x->ranks;
	const uint32_t *unit = x->unit[x->units > 1 ? made.slice : 0];
	uint32_t rank = 0, v = made.at, i;

	for (uint32_t a = ranks->axes; a-- > 0;) {
		made.coord[a] += v % unit[a];
		v /= unit[a];
	}
	for (uint32_t a = 0; a < ranks->axes; a++) {
		if (made.coord[a] >= ranks->extent[a])
			return -1;
		rank = rank * ranks->extent[a] + made.coord[a];
	}
	rank += made.slice * (x->region / x->per_vertex);
	i = rank * x->per_vertex;
	while (i < (rank + 1) * x->per_vertex && ranks->rank[i].name)
		i++;
	if (i == (rank + 1) * x->per_vertex)
		return -1;
	ranks->rank[i] = made;
	return 0;
}

static int name_node(void *arg, const char *name)
{
	struct rank_reader *x = arg;
	char *copy = x->ranks->names + (size_t)x->n * HOSTLIST_NAME_SIZE;
	struct torus_rank made = { .index = UINT32_MAX,
				   .name = copy,
				   .host = x->n++ };

	if (x->slices && (torus_counts_next(&x->slices, &x->run, &made.slice) ||
			  made.slice >= x->ranks->nodes / x->region))
		return -1;
	if (torus_coords_next(&x->coords, made.coord) != x->ranks->axes)
		return -1;
	snprintf(copy, HOSTLIST_NAME_SIZE, "%s", name);
	made.of = x->vertices[x->units > 1 ? made.slice : 0];
	for (made.at = 0; made.at < made.of; made.at++) {
		if (name_vertex(x, made))
			return -1;
	}
	return 0;
}

/* The number of regions is the highest number. */
static int read_slices(struct rank_reader *x, uint32_t nodes)
{
	const char *text = x->slices;
	uint32_t most = 0, slice, run = 0;

	for (uint32_t i = 0; i < nodes; i++) {
		if (torus_counts_next(&text, &run, &slice) ||
		    slice >= TORUS_MAX_REGIONS)
			return torus_error_add(x->err,
					       "TORUS_SLICES: got \"%.60s\": expected the region of each of %u nodes, for example 0(x4),1(x4)",
					       x->slices, nodes);
		most = slice > most ? slice : most;
	}
	x->ranks->nodes *= most + 1;
	return 0;
}

/* How many vertices a node has (TORUS_UNIT: 2x2, or 2x2/4x1 by region), or nodes a
 * vertex. */
static int read_unit(struct rank_reader *x, uint32_t nodes)
{
	const char *unit = x->variable(x->arg, "TORUS_UNIT");
	struct torus_ranks *ranks = x->ranks;
	char text[128];

	x->per_vertex = x->vertices[0] = x->units = 1;
	for (uint32_t a = 0; a < TORUS_MAX_DIMS; a++)
		x->unit[0][a] = 1;
	for (const char *p = unit; p; x->units++) {
		uint32_t box[TORUS_MAX_DIMS], axes;
		int vertices;

		snprintf(text, sizeof(text), "%.*s", (int)strcspn(p, "/"), p);
		vertices = read_extents(box, &axes, "TORUS_UNIT", text, x->err);
		if (vertices < 0)
			return -1;
		if (axes == ranks->axes) {
			memcpy(x->unit[x->units - 1], box, axes * sizeof(*box));
			x->vertices[x->units - 1] = (uint32_t)vertices;
		}
		p = strchr(p, '/');
		if (!p || x->units == TORUS_MAX_REGIONS)
			break;
		p++;
	}
	memcpy(ranks->unit, x->unit[0], sizeof(ranks->unit));
	if (x->slices && read_slices(x, nodes))
		return -1;
	if (x->units > 1 && x->units != ranks->nodes / x->region)
		return torus_error_add(x->err,
				       "TORUS_UNIT: got \"%.60s\": expected one unit, or one for each of %u regions",
				       unit, ranks->nodes / x->region);
	if (!unit && nodes > ranks->nodes && nodes % ranks->nodes == 0)
		x->per_vertex = nodes / ranks->nodes;
	x->region *= x->per_vertex;
	ranks->nodes *= x->per_vertex;
	return 0;
}

/* "TM/TT": an axis is closed if it is in every region. */
static void read_rings(struct rank_reader *x)
{
	const char *ring = x->variable(x->arg, "TORUS_RING");
	uint32_t all = (UINT32_C(1) << x->ranks->axes) - 1, a = 0;

	x->ranks->closed = ring && *ring ? all : 0;
	for (; ring && *ring; ring++) {
		if (*ring != 'T')
			x->ranks->closed &= ~(UINT32_C(1) << a % 32);
		a = *ring == '/' ? 0 : a + 1;
	}
}

int torus_ranks_job(struct torus_ranks *ranks, torus_ranks_variable variable,
		    void *arg, struct torus_error *err)
{
	struct rank_reader x = { .ranks = ranks,
				 .variable = variable,
				 .arg = arg,
				 .err = err,
				 .slices = variable(arg, "TORUS_SLICES") };
	const char *shape = rank_list_need(&x, "TORUS_GEOMETRY"), *list = NULL;
	struct torus_error why = { 0 };
	int nodes = -1;
	uint32_t count;

	*ranks = (struct torus_ranks){ 0 };
	if (shape)
		x.coords.text = rank_list_need(&x, "TORUS_COORDS");
	if (x.coords.text)
		list = variable(arg, "TORUS_NODELIST");
	if (x.coords.text && !list)
		list = rank_list_need(&x, "SLURM_JOB_NODELIST");
	if (list)
		nodes = read_extents(ranks->extent, &ranks->axes,
				     "TORUS_GEOMETRY", shape, err);
	if (nodes < 0)
		return -1;
	ranks->nodes = (uint32_t)nodes;
	if (torus_hostlist_count(list, &count, &why))
		return torus_error_add(err, "SLURM_JOB_NODELIST: %s", why.text);
	x.region = ranks->nodes;
	ranks->slices = x.slices != NULL;
	read_rings(&x);
	if (read_unit(&x, count))
		return -1;
	if (x.units == 1 && (uint64_t)count * x.vertices[0] != ranks->nodes)
		return torus_error_add(err,
				       "SLURM_JOB_NODELIST: got %u nodes, expected the %u of TORUS_GEOMETRY (%s)",
				       count, ranks->nodes, shape);
	ranks->rank = torus_alloc(ranks->nodes, sizeof(*ranks->rank));
	ranks->names = torus_alloc(count, HOSTLIST_NAME_SIZE);
	if (!ranks->rank || !ranks->names)
		return torus_error_add(err, "out of memory");
	shape = x.coords.text;
	nodes = torus_hostlist_each(list, name_node, &x);
	for (uint32_t k = 0; k < ranks->nodes; k++)
		nodes |= !ranks->rank[k].name;
	if (nodes == 0)
		return 0;
	return torus_error_add(err,
			       "TORUS_COORDS: got \"%.60s\": expected one coordinate of %s for each of %u nodes",
			       shape, variable(arg, "TORUS_GEOMETRY"), count);
}
