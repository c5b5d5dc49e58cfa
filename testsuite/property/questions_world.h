/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines of at most 36 nodes for questions: each plain torus and mesh in turn, and
 * random ones with units, grains, several nodes per vertex and links that fail; a shape,
 * or several regions of one; and, by brute force over vertices and links, the sets of
 * nodes that the shape could take.
 */
#ifndef TESTSUITE_QUESTIONS_WORLD_H
#define TESTSUITE_QUESTIONS_WORLD_H

#include <string.h>

#include "torus/state_text.h"
#include "questions/occupancy.h"
#include "snapshot_text.h"
#include "units_problem.h"

#define MOST_NODES 36
#define MOST_PLACES 4096
#define MOST_STEPS 3000000
#define MOST_TORUSES 2048

struct world {
	struct units_torus u;
	struct snapshot *s;
	const struct torus *t;
	uint64_t free, out; /* nodes, as words */
	struct torus_ask ask;
	char geometry[128], connection[DIMS + 1]; /* the ask in words */
	uint64_t place[MOST_PLACES];
	uint32_t places; /* of the machine without jobs, nodes out of service aside */
	uint64_t steps;
};

static void world_fail(const char *what)
{
	fail_msg("%s", what);
}

/* Every torus and mesh: dimensions in ascending order, each with a wrap or without. */
struct world_toruses {
	struct units_torus torus[MOST_TORUSES];
	uint32_t count;
};

RANDOM_HELPER void world_list(struct world_toruses *list,
			      const struct units_torus *so_far)
{
	uint32_t least = so_far->dims ? so_far->size[so_far->dims - 1] : 1;

	if (so_far->dims) {
		if (list->count == MOST_TORUSES)
			world_fail("too many toruses");
		list->torus[list->count++] = *so_far;
		least = least < 2 ? MOST_NODES + 1 : least;
	}
	for (uint32_t n = least; n * so_far->vertices <= MOST_NODES; n++) {
		for (int wrap = 0; wrap < 2; wrap++) {
			struct units_torus u = *so_far;

			u.size[u.dims] = n;
			u.wrap[u.dims] = wrap;
			u.unit[u.dims] = u.grain[u.dims] = 1;
			u.vertices *= n;
			u.dims++;
			world_list(list, &u);
		}
	}
}

RANDOM_HELPER uint32_t world_nodes(const struct units_torus *u)
{
	return units_nodes(u, u->vertices);
}

/* The k-th plain machine, or for odd k a random one. */
RANDOM_HELPER void world_draw_machine(struct world *w, struct random *r,
				      uint32_t k)
{
	static const struct units_range range = {
		.dims = 4, .vertices = 144, .side = 9, .divided = 50
	};
	static struct world_toruses list;

	if (!list.count)
		world_list(&list, &(struct units_torus){ .vertices = 1,
							 .per_vertex = 1 });
	w->u = list.torus[k / 2 % list.count];
	if (k % 2 == 0)
		return;
	do
		units_draw(r, &range, &w->u);
	while (world_nodes(&w->u) > MOST_NODES);
	if (random_percent(r, 40))
		units_draw_links(r, &w->u);
}

static void world_numbers(struct torus_text *text, const char *key,
			  const uint32_t *number, uint32_t count)
{
	torus_text_add(text, "|   %s: [", key);
	for (uint32_t i = 0; i < count; i++)
		torus_text_add(text, "%s%u", i ? ", " : "", number[i]);
	torus_text_add(text, "]\n");
}

static void world_links(struct torus_text *text, const struct units_torus *u)
{
	struct torus_link_list list = { 0 };
	struct torus t;
	char link[TORUS_LINK_SIZE];

	if (units_init(u, "torus", &t) || units_list_links(u, &t, 0, &list))
		world_fail("no memory");
	for (uint32_t i = 0; i < list.count; i++) {
		torus_link_format(&list.link[i], &t, link, sizeof(link));
		torus_text_add(text, "link %s %s\n", link,
			       torus_link_health_name(list.link[i].health));
	}
	torus_link_list_free(&list);
}

/* A snapshot of the idle machine, through its text. */
RANDOM_HELPER struct snapshot *world_snapshot(const struct units_torus *u)
{
	uint32_t wrap[DIMS], nodes = world_nodes(u);
	struct torus_text text = { 0 };
	struct snapshot *s;

	for (uint32_t d = 0; d < u->dims; d++)
		wrap[d] = u->wrap[d];
	torus_text_add(&text, "torus-snapshot 1\ntime 0\nmachine torus.yaml\n"
			      "| toruses:\n| - name: torus\n");
	world_numbers(&text, "dims", u->size, u->dims);
	torus_text_add(&text, "|   wrap: ");
	for (uint32_t d = 0; d < u->dims; d++)
		torus_text_add(&text, "%c", wrap[d] ? 'T' : 'M');
	torus_text_add(&text, "\n");
	if (u->per_vertex > 1)
		torus_text_add(&text, "|   per_vertex: %u\n", u->per_vertex);
	else
		world_numbers(&text, "unit", u->unit, u->dims);
	world_numbers(&text, "grain", u->grain, u->dims);
	torus_text_add(&text, "|   nodes: n[%0*d-%u]\n", nodes > 10 ? 2 : 1, 0,
		       nodes - 1);
	world_links(&text, u);
	s = snapshot_of_text(&text);
	torus_text_free(&text);
	return s;
}

/* The nodes of a box. */
RANDOM_HELPER uint64_t world_box(const struct units_torus *u,
				 const uint32_t *base, const uint32_t *extent)
{
	uint32_t off[DIMS] = { 0 }, at[DIMS];
	uint64_t nodes = 0;

	do {
		for (uint32_t d = 0; d < u->dims; d++)
			at[d] = (base[d] + off[d]) % u->size[d];
		for (uint32_t k = 0; k < u->per_vertex; k++)
			nodes |= UINT64_C(1) << (units_node(u, at) + k);
	} while (units_step(u, off, extent));
	return nodes;
}

/* All bases of a box with these extents; axis of each dimension or -1. */
static void world_bases(struct world *w, const int *axis, const uint32_t *extent)
{
	const struct units_torus *u = &w->u;
	uint32_t base[DIMS] = { 0 };
	bool ring[DIMS];

	do {
		bool fits = units_base(u, w->ask.weak, base, extent, ring);
		uint64_t nodes = fits ? world_box(u, base, extent) : 0;

		for (uint32_t d = 0; d < u->dims; d++)
			fits = fits &&
			       (axis[d] < 0 || ring[d] ||
				w->ask.connection[axis[d]] != TORUS_CONN_TORUS);
		for (uint32_t i = 0; fits && i < w->places; i++)
			fits = w->place[i] != nodes;
		if (!fits || nodes & w->out)
			continue;
		if (w->places == MOST_PLACES)
			world_fail("too many places");
		w->place[w->places++] = nodes;
	} while (units_step(u, base, u->size));
}

/* All places: the axes that are not `used` in every order along the dimensions from
 * d on. */
static void world_places(struct world *w, uint32_t d, uint32_t used, int *axis,
			 uint32_t *extent)
{
	const struct torus_shape *shape = &w->ask.shape;
	const struct units_torus *u = &w->u;

	if (d == u->dims) {
		if (used == (1u << shape->axes) - 1)
			world_bases(w, axis, extent);
		return;
	}
	for (uint32_t a = 0; a <= shape->axes; a++) {
		if (a < shape->axes &&
		    (used >> a & 1 || (!w->ask.rotate && a != d)))
			continue;
		axis[d] = a < shape->axes ? (int)a : -1;
		extent[d] = a < shape->axes ? shape->extent[a] : 1;
		/* a single node lies nowhere */
		if (extent[d] <= u->size[d] && extent[d] % u->grain[d] == 0)
			world_places(w, d + 1,
				     a < shape->axes ? used | 1u << a : used,
				     axis, extent);
	}
}

/* What a user would type for the ask. */
static void world_words(struct world *w)
{
	const struct torus_shape *shape = &w->ask.shape;
	size_t used;

	torus_shape_format(shape, w->geometry, sizeof(w->geometry));
	used = strlen(w->geometry);
	if (shape->axes == 1) /* a single number is a count */
		used += (size_t)sprintf(w->geometry + used, "^1");
	if (torus_ask_several(&w->ask))
		sprintf(w->geometry + used, "*%u", w->ask.regions);
	for (uint32_t a = 0; a < shape->axes; a++)
		w->connection[a] = w->ask.connection[a] == TORUS_CONN_TORUS ?
					   'T' :
					   'N';
}

/* A machine without jobs, and a question; in a quarter several regions if `several`. */
RANDOM_HELPER void world_create(struct world *w, struct random *r, uint32_t k,
				const char *strategy, bool several)
{
	struct torus_request_words words = { 0 };
	struct torus_error err = { 0 };
	struct torus_request request;
	uint32_t extent[DIMS] = { 0 };
	int axis[DIMS];

	memset(w, 0, sizeof(*w));
	world_draw_machine(w, r, k);
	w->s = world_snapshot(&w->u);
	if (*strategy && torus_config_strategy(w->s->config, strategy, &err))
		torus_error_clear(&err); /* more dimensions than it serves */
	w->t = &w->s->config->machine.pod[0].torus;
	units_draw_shape(r, &w->u, 4, &w->ask);
	w->ask.weak = random_percent(r, 20);
	w->ask.regions = several && random_percent(r, 25) ?
				 2 + random_below(r, 2) :
				 0;
	world_words(w);
	words = (struct torus_request_words){ .geometry = w->geometry,
					      .conn_type = w->connection,
					      .links = w->ask.weak ? "weak" : "",
					      .no_rotate = !w->ask.rotate };
	if (torus_request_parse(&request, &words, &err))
		world_fail(err.text);
	w->ask = request.alternative[0].ask;
	torus_machine_settle(&w->s->config->machine, &w->ask);
	for (uint32_t i = 0; i < w->t->nodes; i++) {
		if (random_percent(r, 5))
			w->out |= UINT64_C(1) << i;
	}
	snapshot_add_out(w->s, &w->out, "x");
	w->free = torus_bits_low(w->t->nodes) & ~w->out;
	world_places(w, 0, 0, axis, extent);
}

/* A job on a box of up to 3 cells along each dimension, or on a few single nodes. */
static uint64_t world_draw_job(const struct world *w, struct random *r,
			       char *place)
{
	struct torus_text text = { 0 };
	struct torus_region region;
	uint64_t word[1] = { 0 };

	if (random_percent(r, 20)) {
		for (uint32_t i = 1 + random_below(r, 2); i > 0; i--)
			*word |= UINT64_C(1) << random_below(r, w->t->nodes);
		torus_nodes_format(&text, w->t, word);
		strcpy(place, text.data);
		torus_text_free(&text);
		return *word;
	}
	torus_region_whole(&region, w->t);
	torus_coord(w->t, random_below(r, w->t->nodes), region.base);
	for (uint32_t d = 0; d < w->t->dims; d++)
		region.extent[d] = 1 + random_below(r, 3);
	if (torus_region_check(&region, w->t, NULL))
		return 0;
	torus_region_paint(&region, w->t, word);
	torus_region_format(&region, w->t, place, TORUS_REGION_SIZE);
	return *word;
}

/* Jobs, until there are `many` or no more luck. */
RANDOM_HELPER void world_draw_jobs(struct world *w, struct random *r,
				   uint32_t many)
{
	for (uint32_t k = 0; k < many * 3 && w->s->jobs < many; k++) {
		char id[16], place[TORUS_REGION_SIZE];
		struct snapshot_job job = { .running = true,
					    .id = id,
					    .place = place,
					    .limit_us = SNAPSHOT_NO_TIME,
					    .end_us = 1000000 };
		uint64_t word[1] = { world_draw_job(w, r, place) };

		if (!*word || *word & ~w->free)
			continue;
		w->free &= ~*word;
		snprintf(id, sizeof(id), "%u", w->s->jobs + 1);
		if (snapshot_add_job(w->s, &job, word))
			world_fail("no memory");
	}
}

/* The most disjoint places of those in `left`, from the i-th on; no more than
 * `enough`. */
RANDOM_HELPER uint32_t world_disjoint(struct world *w, uint32_t i,
				      uint64_t left, uint32_t enough)
{
	uint32_t best = 0;

	if (++w->steps > MOST_STEPS)
		return 0;
	for (; i < w->places; i++) {
		uint32_t n, bound = torus_bits_ones(left) /
				    torus_bits_ones(w->place[i]);

		if (best >= bound || best >= enough)
			return best;
		if (w->place[i] & ~left)
			continue;
		n = 1 +
		    world_disjoint(w, i + 1, left & ~w->place[i], enough - 1);
		best = n > best ? n : best;
	}
	return best;
}

/* Does the ask have its place, or places, among these nodes? */
RANDOM_HELPER bool world_fits(struct world *w, uint64_t free)
{
	uint32_t regions = torus_ask_several(&w->ask) ? w->ask.regions : 1;

	w->steps = 0;
	return world_disjoint(w, 0, free, regions) >= regions;
}

#endif
