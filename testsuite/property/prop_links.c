/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dead links, against brute force over vertices and links: every torus and mesh
 * of up to 64 vertices in up to 6 dimensions, with units, grain and several
 * nodes per vertex, with random busy nodes, links and asks. (Drawn at random; a
 * long run draws a million.)
 *
 * Brute force lists every place: each way to lay the axes along dimensions and
 * each base vertex, each vertex and each link between two neighbours looked up
 * by its coordinates. find() must say FITS exactly when that list is not empty
 * and give a member of it, with as many rings as any member has, and NEVER
 * exactly when the list is empty on the idle machine with all links up;
 * find_all() must be the list.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/state.h"
#include "random.h"

static struct random rnd;

#define DIMS TORUS_MAX_DIMS
#define MOST_VERTICES 64
#define MOST_PER_VERTEX 3
#define MOST_WORDS ((MOST_VERTICES * MOST_PER_VERTEX + 63) / 64)

struct problem {
	uint32_t dims, vertices;
	uint32_t size[DIMS], unit[DIMS], grain[DIMS], per_vertex;
	bool wrap[DIMS];
	uint64_t busy[MOST_WORDS];           /* nodes */
	uint8_t health[MOST_VERTICES][DIMS]; /* of links: enum torus_link_health */
	uint64_t required[MOST_WORDS];
	struct torus_ask ask;
	uint32_t granted; /* of a count: vertices */
};

/* A place, as a text to compare: orientation, base, extent. */
#define TEXT 160

struct places {
	char (*text)[TEXT];
	size_t n, room;
};

static void places_add(struct places *list, const struct problem *p,
		       const int *axis, const uint32_t *base,
		       const uint32_t *extent, uint32_t ring)
{
	char *text;
	int used = 0;

	if (list->n == list->room) {
		list->room = list->room ? 2 * list->room : 256;
		list->text = realloc(list->text, list->room * TEXT);
		assert_non_null(list->text);
	}
	text = list->text[list->n++];
	for (uint32_t d = 0; d < p->dims; d++)
		used += snprintf(text + used, TEXT - (size_t)used, "%d,%u+%u ",
				 axis[d], base[d], extent[d]);
	snprintf(text + used, TEXT - (size_t)used, "%u", ring);
}

static int compare_places(const void *a, const void *b)
{
	return strcmp(a, b);
}

static uint32_t vertex_node(const struct problem *p, const uint32_t *at)
{
	uint32_t node = 0, step = p->per_vertex;

	for (uint32_t d = 0; d < p->dims; d++) {
		node += at[d] / p->unit[d] * step;
		step *= p->size[d] / p->unit[d];
	}
	return node;
}

/* Is the vertex's node idle (all of them, if there are several)? */
static bool vertex_idle(const struct problem *p, const uint32_t *at)
{
	for (uint32_t k = 0; k < p->per_vertex; k++) {
		if (torus_bits_test(p->busy, vertex_node(p, at) + k))
			return false;
	}
	return true;
}

/* Are all vertices idle, and all required nodes among theirs? */
static bool box_idle(const struct problem *p, const uint32_t *base,
		     const uint32_t *extent)
{
	uint32_t at[DIMS], off[DIMS] = { 0 }, d;
	uint64_t left[MOST_WORDS];

	memcpy(left, p->required, sizeof(left));
	do {
		for (d = 0; d < p->dims; d++)
			at[d] = (base[d] + off[d]) % p->size[d];
		if (!vertex_idle(p, at))
			return false;
		for (uint32_t k = 0; k < p->per_vertex; k++)
			torus_bits_clear(left, vertex_node(p, at) + k);
		for (d = 0; d < p->dims && ++off[d] == extent[d]; d++)
			off[d] = 0;
	} while (d < p->dims);
	return !p->ask.required ||
	       torus_bits_next(left, MOST_WORDS, 0) == UINT32_MAX;
}

static bool covers(const struct problem *p, uint32_t d, const uint32_t *extent)
{
	return p->wrap[d] && extent[d] == p->size[d];
}

static bool ring_of(const struct problem *p, uint32_t d, uint32_t extent)
{
	return extent <= 2 || (p->wrap[d] && extent == p->size[d]);
}

/* The link from a vertex along d, for this ask. */
static bool link_dead(const struct problem *p, const uint32_t *at, uint32_t d)
{
	uint32_t index = 0, step = 1;
	uint8_t health;

	for (uint32_t e = 0; e < p->dims; e++) {
		index += at[e] * step;
		step *= p->size[e];
	}
	health = p->health[index][d];
	return health == TORUS_LINK_DOWN ||
	       (health == TORUS_LINK_WEAK && !p->ask.weak);
}

/*
 * Dimension d of a box: the coordinates of dead links between its vertices,
 * from its base on. *closing: one of the links from the last vertices to the
 * first ones is dead.
 */
static bool line_dead(const struct problem *p, uint32_t d, const uint32_t *base,
		      const uint32_t *extent, bool *closing)
{
	uint32_t at[DIMS], off[DIMS] = { 0 }, e;
	bool dead = false;

	*closing = false;
	do {
		for (e = 0; e < p->dims; e++)
			at[e] = (base[e] + off[e]) % p->size[e];
		if (off[d] + 1 < extent[d])
			dead |= link_dead(p, at, d);
		else if (covers(p, d, extent) && p->size[d] > 1)
			*closing |= link_dead(p, at, d);
		for (e = 0; e < p->dims && ++off[e] == extent[e]; e++)
			off[e] = 0;
	} while (e < p->dims);
	return dead;
}

/* May the box lie there, and which dimensions are rings then? */
static bool links_allow(const struct problem *p, const int *axis,
			const uint32_t *base, const uint32_t *extent,
			uint32_t *rings)
{
	*rings = 0;
	for (uint32_t d = 0; d < p->dims; d++) {
		bool closing, ring;

		if (line_dead(p, d, base, extent, &closing))
			return false;
		ring = ring_of(p, d, extent[d]) && !closing;
		if (covers(p, d, extent) && !closing && base[d] > 0)
			return false; /* the same place as at 0 */
		if (axis[d] < 0)
			continue;
		if (!ring && p->ask.connection[axis[d]] == TORUS_CONN_TORUS)
			return false;
		*rings |= (uint32_t)ring << axis[d];
	}
	return true;
}

/* Every base of a box; a ring has the one base 0. */
static void brute_bases(const struct problem *p, const int *axis,
			const uint32_t *extent, struct places *list)
{
	uint32_t base[DIMS] = { 0 }, d, rings;

	do {
		bool legal = true;

		for (d = 0; d < p->dims; d++)
			legal &= base[d] % p->grain[d] == 0 &&
				 (p->wrap[d] ||
				  base[d] + extent[d] <= p->size[d]);
		if (legal && box_idle(p, base, extent) &&
		    links_allow(p, axis, base, extent, &rings))
			places_add(list, p, axis, base, extent, rings);
		for (d = 0; d < p->dims && ++base[d] == p->size[d]; d++)
			base[d] = 0;
	} while (d < p->dims);
}

/* Lay axis a and those after it along unused dimensions. */
static void brute_axes(const struct problem *p, uint32_t a, int *axis,
		       struct places *list)
{
	const struct torus_ask *ask = &p->ask;
	uint32_t extent[DIMS];
	bool point = ask->rotate && ask->shape.axes == 1 &&
		     ask->shape.extent[0] == 1;

	if (a < ask->shape.axes && !point) {
		uint32_t from = 0;

		for (uint32_t b = 0; b < a && ask->rotate; b++) {
			if (ask->shape.extent[a] != ask->shape.extent[b] ||
			    ask->connection[a] != ask->connection[b])
				continue;
			for (uint32_t d = 0; d < p->dims; d++)
				from = axis[d] == (int)b ? d : from;
		}
		for (uint32_t d = from; d < p->dims; d++) {
			if (axis[d] >= 0 || (!ask->rotate && d != a) ||
			    ask->shape.extent[a] > p->size[d] ||
			    (ask->connection[a] == TORUS_CONN_TORUS &&
			     !ring_of(p, d, ask->shape.extent[a])))
				continue;
			axis[d] = (int)a;
			brute_axes(p, a + 1, axis, list);
			axis[d] = -1;
		}
		return;
	}
	for (uint32_t d = 0; d < p->dims; d++) {
		extent[d] = axis[d] < 0 ? 1 : ask->shape.extent[axis[d]];
		if (extent[d] % p->grain[d])
			return;
	}
	brute_bases(p, axis, extent, list);
}

/* The boxes of p->granted vertices for a count: every extent from d on. */
static void brute_count(const struct problem *p, uint32_t d, uint32_t vertices,
			uint32_t *extent, struct places *list)
{
	int axis[DIMS] = { 0 }, axes = 0;

	if (d < p->dims) {
		for (extent[d] = p->grain[d]; extent[d] <= p->size[d];
		     extent[d] += p->grain[d]) {
			if (p->granted % (vertices * extent[d]) == 0)
				brute_count(p, d + 1, vertices * extent[d],
					    extent, list);
		}
		return;
	}
	if (vertices != p->granted)
		return;
	for (d = 0; d < p->dims; d++) {
		axis[d] = extent[d] > 1 ? axes++ : -1;
		if (p->ask.connection[0] == TORUS_CONN_TORUS &&
		    !ring_of(p, d, extent[d]))
			return;
	}
	brute_bases(p, axis, extent, list);
}

static void brute_force(const struct problem *p, struct places *list)
{
	uint32_t extent[DIMS] = { 0 };
	int axis[DIMS];

	for (uint32_t d = 0; d < DIMS; d++)
		axis[d] = -1;
	list->n = 0;
	if (p->ask.by_count)
		brute_count(p, 0, 1, extent, list);
	else
		brute_axes(p, 0, axis, list);
	if (list->n)
		qsort(list->text, list->n, TEXT, compare_places);
}

/* The most rings on axes that had better be one, of the places in the list. */
static uint32_t most_rings(const struct places *list, const struct problem *p,
			   uint32_t of)
{
	uint32_t most = 0, pending = 0;

	for (uint32_t a = 0; a < p->ask.shape.axes; a++)
		pending |= (uint32_t)(p->ask.connection[a] == TORUS_CONN_NAV)
			   << a;
	if (p->ask.by_count)
		return 0; /* the most compact box is the better one */
	for (size_t i = 0; i < list->n && (of == UINT32_MAX || i == of); i++) {
		const char *rings = strrchr(list->text[i], ' ');
		uint32_t n = (uint32_t)__builtin_popcount(
			(uint32_t)strtoul(rings, NULL, 10) & pending);

		most = n > most ? n : most;
	}
	return most;
}

/* The project's answers */

struct listing {
	const struct problem *p;
	const struct torus *t;
	struct places *list;
};

static bool list_place(void *arg, const struct torus_placement *place)
{
	struct listing *l = arg;
	struct torus_region r = torus_region_scaled(&place->region, l->t);
	bool lies = false;
	int axis[DIMS];

	for (uint32_t d = 0; d < DIMS; d++)
		axis[d] = place->orientation.axis[d];
	for (uint32_t d = 0; d < DIMS; d++)
		lies |= axis[d] >= 0;
	/* one node: its axis of 1 lies nowhere, and is a ring */
	places_add(l->list, l->p, axis, r.base, r.extent,
		   lies ? place->ring : 0);
	return true;
}

static bool is_member(const struct places *list, const char *text)
{
	return list->n &&
	       bsearch(text, list->text, list->n, TEXT, compare_places);
}

static void show_problem(const struct problem *p, const char *what)
{
	char shape[96];

	torus_shape_format(&p->ask.shape, shape, sizeof(shape));
	print_error("%s: shape %s, rotate %d, per vertex %u:", what, shape,
		    p->ask.rotate, p->per_vertex);
	for (uint32_t d = 0; d < p->dims; d++)
		print_error(" %u%s/%u/%u", p->size[d], p->wrap[d] ? "T" : "M",
			    p->unit[d], p->grain[d]);
	if (p->ask.by_count)
		print_error(", count %u of %u vertices", p->ask.count,
			    p->granted);
	print_error(", %sconnections %u %u %u%s\n",
		    p->ask.required ? "nodes required, " : "",
		    p->ask.connection[0], p->ask.connection[1],
		    p->ask.connection[2], p->ask.weak ? ", weak" : "");
	for (uint32_t v = 0; v < p->vertices; v++) {
		for (uint32_t d = 0; d < p->dims; d++) {
			if (p->health[v][d])
				print_error(" %u/%u:%u", v, d, p->health[v][d]);
		}
	}
	print_error("\n");
}

static void must(bool holds, const struct problem *p, const char *what)
{
	if (!holds)
		show_problem(p, what);
	assert_true(holds);
}

/* The vertices times nodes that the placement's region has. */
static uint32_t nodes_wanted(const struct problem *p)
{
	uint32_t n = p->per_vertex, vertices = 1;

	if (p->ask.by_count) {
		for (uint32_t d = 0; d < p->dims; d++)
			vertices *= p->unit[d];
		return p->granted / vertices * n;
	}

	for (uint32_t d = 0; d < p->dims; d++)
		vertices *= p->unit[d];
	return n * (uint32_t)torus_shape_volume(&p->ask.shape) / vertices;
}

static void set_links(struct torus_state *s, const struct torus *t,
		      const struct problem *p)
{
	struct torus_link_list list = { 0 }, other = { 0 };
	struct torus_placement place;

	for (uint32_t v = 0; v < p->vertices; v++) {
		for (uint8_t d = 0; d < p->dims; d++) {
			struct torus_link l = { .vertex = v,
						.dim = d,
						.health = p->health[v][d] };
			uint32_t at[DIMS];

			torus_vertex_coord(t, v, at);
			assert_int_equal(torus_vertex_index(t, at), v);
			if (torus_link_exists(t, at, d))
				assert_int_equal(torus_link_list_set(&list, &l),
						 0);
		}
	}
	/* what is known of other links must be forgotten */
	assert_int_equal(torus_link_list_copy(&other, &list), 0);
	for (uint32_t i = 0; i < other.count; i++)
		other.link[i].dim = 0;
	assert_int_equal(torus_state_set_links(s, &other), 0);
	torus_state_find(s, &p->ask, &place, NULL);
	torus_link_list_free(&other);
	assert_int_equal(torus_state_set_links(s, &list), 0);
	assert_true(torus_link_list_equal(&list, torus_state_links(s)));
	torus_link_list_free(&list);
}

/* A count is granted what the idle machine with all links up would give. */
static uint32_t count_granted(const struct problem *p, const struct torus *t)
{
	struct torus_placement place;
	struct torus_machine m;
	struct torus_state *s;
	uint32_t vertices = 0;

	assert_int_equal(torus_machine_init(&m, t,
					    torus_strategy_find("submesh"),
					    NULL, NULL),
			 0);
	s = torus_state_create(&m);
	assert_non_null(s);
	if (torus_state_possible(s, &p->ask, &place, NULL) == TORUS_FITS)
		vertices = torus_region_vertices(&place.region, t);
	torus_state_destroy(s);
	torus_machine_free(&m);
	return vertices;
}

static void check_strategy(const struct problem *p, const struct torus *t,
			   const char *name, const struct places *now, bool ever)
{
	const struct torus_strategy *strategy = torus_strategy_find(name);
	struct places found = { 0 };
	struct listing l = { .p = p, .t = t, .list = &found };
	struct torus_placement place;
	struct torus_machine m;
	struct torus_state *s;
	enum torus_answer answer;

	if (torus_machine_init(&m, t, strategy, NULL, NULL))
		return; /* more than three dimensions */
	if (!strategy->links) {
		assert_int_equal(torus_machine_links(&m, 0, NULL), -1);
		torus_machine_free(&m);
		return;
	}
	assert_int_equal(torus_machine_links(&m, 0, NULL), 0);
	s = torus_state_create(&m);
	assert_non_null(s);
	set_links(s, t, p);
	assert_int_equal(state_list_boxes(s, 0), 0);
	torus_state_out(s, p->busy);
	answer = torus_state_find(s, &p->ask, &place, NULL);
	if (answer == TORUS_FITS) {
		list_place(&l, &place);
		must(is_member(now, found.text[0]), p, name);
		must(strcmp(name, "submesh") ||
			     most_rings(&found, p, 0) ==
				     most_rings(now, p, UINT32_MAX),
		     p, "rings");
		must(place.granted == nodes_wanted(p), p, "granted");
		must(torus_state_commit(s, &place, 1, NULL, 0, 1, NULL) !=
			     TORUS_NO_SLOT,
		     p, "commit");
		must(torus_state_check(s, NULL), p, "check");
		torus_state_release(s, torus_state_by_end(s, 0), NULL);
	}
	if (strategy->complete) {
		must((answer == TORUS_FITS) == (now->n > 0), p, name);
		must(p->ask.required || (answer == TORUS_NEVER) == !ever, p,
		     name);
	}
	if (strategy->find_all && !p->ask.required) {
		found.n = 0;
		torus_state_find_all(s, &p->ask, list_place, &l);
		if (found.n)
			qsort(found.text, found.n, TEXT, compare_places);
		must(found.n == now->n, p, "number of places");
		for (size_t i = 0; i < now->n; i++)
			must(strcmp(found.text[i], now->text[i]) == 0, p,
			     "places");
	}
	torus_state_destroy(s);
	torus_machine_free(&m);
	free(found.text);
}

/* Problems */

static uint32_t draw_divisor(uint32_t n)
{
	uint32_t k;

	do
		k = 1 + random_below(&rnd, n);
	while (n % k);
	return k;
}

static void draw_machine(struct problem *p)
{
	bool divided = random_below(&rnd, 2) > 0,
	     coarse = random_below(&rnd, 3) == 0;

	memset(p, 0, sizeof(*p));
	p->dims = 1 + random_below(&rnd, 6);
	p->vertices = 1;
	for (uint32_t d = 0; d < p->dims; d++) {
		uint32_t most = MOST_VERTICES / p->vertices;

		p->size[d] = 1 + random_below(&rnd, d + 1 < p->dims && most > 4 ?
							    4 :
							    most);
		p->wrap[d] = random_below(&rnd, 3) > 0;
		p->unit[d] = divided ? draw_divisor(p->size[d]) : 1;
		p->grain[d] = p->unit[d] *
			      (coarse ? draw_divisor(p->size[d] / p->unit[d]) :
					1);
		p->vertices *= p->size[d];
	}
	p->per_vertex = divided ? 1 : 1 + random_below(&rnd, MOST_PER_VERTEX);
}

/* Extents that are multiples of some dimension's grain, mostly. */
static void draw_ask(struct problem *p, uint32_t nodes)
{
	struct torus_ask *ask = &p->ask;

	memset(ask, 0, sizeof(*ask));
	ask->rotate = random_below(&rnd, 4) > 0;
	ask->end_us = INT64_MAX;
	ask->shape.axes = 1 + random_below(&rnd, p->dims);
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		uint32_t d = ask->rotate ? random_below(&rnd, p->dims) : a;
		uint32_t grain = random_below(&rnd, 8) ? p->grain[d] : 1;

		ask->shape.extent[a] =
			grain * (1 + random_below(&rnd, p->size[d] / grain));
		ask->connection[a] = random_below(&rnd, 4) ? TORUS_CONN_NAV :
							     TORUS_CONN_TORUS;
	}
	if (ask->rotate) {
		/* as the grammar does, so that connections stay in step */
		for (uint32_t a = 0; a < ask->shape.axes; a++)
			ask->connection[a] = ask->connection[0];
		torus_shape_squeeze(&ask->shape);
	}
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		static const uint8_t kinds[] = { TORUS_CONN_NAV, TORUS_CONN_NAV,
						 TORUS_CONN_TORUS,
						 TORUS_CONN_MESH };

		if (ask->rotate)
			ask->connection[a] = kinds[random_below(&rnd, 4)];
	}
	ask->weak = random_below(&rnd, 3) == 0;
	if (random_below(&rnd, 5) == 0) {
		ask->by_count = true;
		ask->rotate = true;
		ask->count = 1 + random_below(&rnd, nodes);
		memset(ask->connection, ask->connection[0],
		       sizeof(ask->connection));
	}
	if (random_below(&rnd, 5) == 0) {
		for (uint32_t i = random_below(&rnd, 3) + 1; i > 0; i--)
			torus_bits_set(p->required, random_below(&rnd, nodes));
		ask->required = p->required;
	}
}

static void draw_busy(struct problem *p, uint32_t nodes)
{
	uint32_t of = 2 + random_below(&rnd, 40);

	memset(p->busy, 0, sizeof(p->busy));
	for (uint32_t i = 0; i < nodes; i++) {
		if (random_below(&rnd, of) == 0)
			torus_bits_set(p->busy, i);
	}
}

/* From every other link to none. */
static void draw_links(struct problem *p)
{
	uint32_t of = 2 + random_below(&rnd, 60);

	memset(p->health, TORUS_LINK_UP, sizeof(p->health));
	for (uint32_t v = 0; v < p->vertices; v++) {
		for (uint32_t d = 0; d < p->dims; d++) {
			uint32_t r = random_below(&rnd, of);

			p->health[v][d] = r == 0 ? TORUS_LINK_DOWN :
					  r == 1 && random_below(&rnd, 2) ?
						   TORUS_LINK_WEAK :
						   TORUS_LINK_UP;
		}
	}
}

static void one_problem(struct places *now, struct places *ever)
{
	static const char *const names[] = { "submesh", "submesh-tff",
					     "submesh-ff", "submesh-tbl",
					     "submesh-bl" };
	struct problem p, idle;
	struct torus t;

	draw_machine(&p);
	assert_int_equal(torus_init(&t, "pod0", p.dims, p.size, p.wrap, NULL),
			 0);
	assert_int_equal(torus_divide(&t, p.per_vertex > 1 ? NULL : p.unit,
				      p.grain, p.per_vertex, NULL),
			 0);
	draw_ask(&p, t.nodes);
	if (p.ask.by_count)
		p.granted = count_granted(&p, &t);
	idle = p;
	idle.ask.required = NULL;
	if (p.granted || !p.ask.by_count)
		brute_force(&idle, ever);
	else
		ever->n = 0;
	draw_links(&p);
	draw_busy(&p, t.nodes);
	for (uint32_t w = 0; w < MOST_WORDS && p.ask.required; w++)
		p.busy[w] &= ~p.required[w];
	now->n = 0;
	if (ever->n)
		brute_force(&p, now);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		check_strategy(&p, &t, names[i], now, ever->n > 0);
}

static void links(void **state)
{
	uint32_t n = random_effort(4000, 250);
	struct places now = { 0 }, ever = { 0 };

	(void)state;
	for (uint32_t i = 0; i < n; i++)
		one_problem(&now, &ever);
	free(now.text);
	free(ever.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(links) };

	rnd.state = random_seed("prop_links");
	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
