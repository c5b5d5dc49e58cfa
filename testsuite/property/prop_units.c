/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines whose vertices are not nodes and whose links fail, against brute force
 * over vertices and links: every torus and mesh of up to 216 vertices with all
 * links up, of up to 64 vertices in up to 6 dimensions with dead ones; every
 * unit that divides it, every grain above that or several nodes per vertex,
 * cells without a node, random busy nodes, shapes and node counts. (Drawn at
 * random; a long run draws three million.)
 *
 * Brute force lists every place: each way to lay the axes along dimensions and
 * each base vertex, each vertex and each link between two neighbours looked up
 * by its coordinates. find() must say FITS exactly when that list is not empty
 * and give a member of it, with as many rings as any member has, and NEVER
 * exactly when the list is empty on the idle machine with all links up;
 * find_all() must be the list. A strategy that cannot says which ones can.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "torus/placement.h"
#include "torus/state_find.h"
#include "placement/state/free_boxes.h"
#include "placement/state/state.h"
#include "units_problem.h"

static struct random rnd;

#define MOST_WORDS ((MOST_VERTICES * MOST_PER_VERTEX + 63) / 64)

struct problem {
	struct units_torus u;
	uint64_t present[MOST_WORDS]; /* nodes */
	uint64_t busy[MOST_WORDS];    /* or absent */
	uint64_t required[MOST_WORDS];
	bool absent; /* some nodes are */
	struct torus_ask ask;
	uint32_t granted; /* of a count: vertices */
};

/* A place, as a text to compare: orientation, base, extent, rings. */
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
	for (uint32_t d = 0; d < p->u.dims; d++)
		used += snprintf(text + used, TEXT - (size_t)used, "%d,%u+%u ",
				 axis[d], base[d], extent[d]);
	snprintf(text + used, TEXT - (size_t)used, "%u", ring);
}

static int compare_places(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Are all vertices idle, and all required nodes among theirs? */
static bool box_idle(const struct problem *p, const uint32_t *base,
		     const uint32_t *extent)
{
	uint32_t at[DIMS], off[DIMS] = { 0 };
	uint64_t left[MOST_WORDS];

	memcpy(left, p->required, sizeof(left));
	do {
		uint32_t node;

		for (uint32_t d = 0; d < p->u.dims; d++)
			at[d] = (base[d] + off[d]) % p->u.size[d];
		node = units_node(&p->u, at);
		for (uint32_t k = 0; k < p->u.per_vertex; k++) {
			if (torus_bits_test(p->busy, node + k))
				return false;
			torus_bits_clear(left, node + k);
		}
	} while (units_step(&p->u, off, extent));
	return !p->ask.required ||
	       torus_bits_next(left, MOST_WORDS, 0) == UINT32_MAX;
}

/* The rings that the axes get; false: one that must be (T) is none. */
static bool axis_rings(const struct problem *p, const int *axis,
		       const bool *ring, uint32_t *rings)
{
	*rings = 0;
	for (uint32_t d = 0; d < p->u.dims; d++) {
		if (axis[d] < 0)
			continue;
		if (!ring[d] && p->ask.connection[axis[d]] == TORUS_CONN_TORUS)
			return false;
		*rings |= (uint32_t)ring[d] << axis[d];
	}
	return true;
}

static void brute_bases(const struct problem *p, const int *axis,
			const uint32_t *extent, struct places *list)
{
	uint32_t base[DIMS] = { 0 }, rings;
	bool ring[DIMS];

	do {
		if (units_base(&p->u, p->ask.weak, base, extent, ring) &&
		    box_idle(p, base, extent) &&
		    axis_rings(p, axis, ring, &rings))
			places_add(list, p, axis, base, extent, rings);
	} while (units_step(&p->u, base, p->u.size));
}

/* Axis a may lie along d, whose equals before it lie below `from`. */
static bool brute_allows(const struct problem *p, uint32_t a, uint32_t d)
{
	const struct torus_ask *ask = &p->ask;

	return (ask->rotate || d == a) &&
	       ask->shape.extent[a] <= p->u.size[d] &&
	       (ask->connection[a] != TORUS_CONN_TORUS ||
		units_ring(&p->u, d, ask->shape.extent[a]));
}

/* Equal axes lie in order: the lowest dimension that is left for axis a. */
static uint32_t brute_from(const struct problem *p, uint32_t a, const int *axis)
{
	const struct torus_ask *ask = &p->ask;
	uint32_t from = 0;

	for (uint32_t b = 0; b < a && ask->rotate; b++) {
		if (ask->shape.extent[a] != ask->shape.extent[b] ||
		    ask->connection[a] != ask->connection[b])
			continue;
		for (uint32_t d = 0; d < p->u.dims; d++)
			from = axis[d] == (int)b ? d : from;
	}
	return from;
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
		for (uint32_t d = brute_from(p, a, axis); d < p->u.dims; d++) {
			if (axis[d] >= 0 || !brute_allows(p, a, d))
				continue;
			axis[d] = (int)a;
			brute_axes(p, a + 1, axis, list);
			axis[d] = -1;
		}
		return;
	}
	for (uint32_t d = 0; d < p->u.dims; d++) {
		extent[d] = axis[d] < 0 ? 1 : ask->shape.extent[axis[d]];
		if (extent[d] % p->u.grain[d])
			return;
	}
	brute_bases(p, axis, extent, list);
}

/* The boxes of p->granted vertices for a count: every extent from d on. */
static void brute_count(const struct problem *p, uint32_t d, uint32_t vertices,
			uint32_t *extent, struct places *list)
{
	int axis[DIMS] = { 0 }, axes = 0;

	if (d < p->u.dims) {
		for (extent[d] = p->u.grain[d]; extent[d] <= p->u.size[d];
		     extent[d] += p->u.grain[d]) {
			if (p->granted % (vertices * extent[d]) == 0)
				brute_count(p, d + 1, vertices * extent[d],
					    extent, list);
		}
		return;
	}
	if (vertices != p->granted)
		return;
	for (d = 0; d < p->u.dims; d++) {
		axis[d] = extent[d] > 1 ? axes++ : -1;
		if (p->ask.connection[0] == TORUS_CONN_TORUS &&
		    !units_ring(&p->u, d, extent[d]))
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
static uint32_t most_rings(const struct places *list, const struct problem *p)
{
	uint32_t most = 0, wanted = 0;

	for (uint32_t a = 0; a < p->ask.shape.axes; a++)
		wanted |= (uint32_t)(p->ask.connection[a] == TORUS_CONN_NAV)
			  << a;
	for (size_t i = 0; i < list->n && !p->ask.by_count; i++) {
		const char *rings = strrchr(list->text[i], ' ');
		uint32_t n = (uint32_t)__builtin_popcount(
			(uint32_t)strtoul(rings, NULL, 10) & wanted);

		most = n > most ? n : most;
	}
	return most;
}

/* Vertices of the largest idle box on the grain without a dead link. */
static uint32_t brute_largest(const struct problem *p)
{
	uint32_t base[DIMS] = { 0 }, size[DIMS] = { 0 }, most = 0;
	struct problem any = *p;
	bool ring[DIMS];

	any.ask.required = NULL;
	do {
		uint32_t extent[DIMS], vertices = 1;

		for (uint32_t d = 0; d < p->u.dims; d++) {
			extent[d] = size[d] + 1;
			vertices *= extent[d] % p->u.grain[d] ? 0 : extent[d];
		}
		if (vertices <= most)
			continue;
		memset(base, 0, sizeof(base));
		do {
			if (units_base(&p->u, false, base, extent, ring) &&
			    box_idle(&any, base, extent)) {
				most = vertices;
				break;
			}
		} while (units_step(&p->u, base, p->u.size));
	} while (units_step(&p->u, size, p->u.size));
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
		    p->ask.rotate, p->u.per_vertex);
	for (uint32_t d = 0; d < p->u.dims; d++)
		print_error(" %u%s/%u/%u", p->u.size[d],
			    p->u.wrap[d] ? "T" : "M", p->u.unit[d],
			    p->u.grain[d]);
	if (p->ask.by_count)
		print_error(", count %u of %u vertices", p->ask.count,
			    p->granted);
	print_error(", %s%sconnections %u %u %u%s\n",
		    p->ask.required ? "nodes required, " : "",
		    p->absent ? "some absent, " : "", p->ask.connection[0],
		    p->ask.connection[1], p->ask.connection[2],
		    p->ask.weak ? ", weak" : "");
	for (uint32_t v = 0; v < p->u.vertices; v++) {
		for (uint32_t d = 0; d < p->u.dims; d++) {
			if (p->u.health[v][d])
				print_error(" %u/%u:%u", v, d,
					    p->u.health[v][d]);
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

static uint32_t nodes_wanted(const struct problem *p)
{
	return units_nodes(&p->u,
			   p->ask.by_count ?
				   p->granted :
				   (uint32_t)torus_shape_volume(&p->ask.shape));
}

static void set_links(struct torus_state *s, const struct problem *p,
		      const struct torus_link_list *list)
{
	struct torus_link_list other = { 0 };
	struct torus_placement place;

	/* what is known of other links must be forgotten */
	assert_int_equal(torus_link_list_copy(&other, list), 0);
	for (uint32_t i = 0; i < other.count; i++)
		other.link[i].dim = 0;
	assert_int_equal(torus_state_set_links(s, &other), 0);
	torus_state_find(s, &p->ask, &place, NULL);
	torus_link_list_free(&other);
	assert_int_equal(torus_state_set_links(s, list), 0);
	assert_true(torus_link_list_equal(list, torus_state_links(s)));
}

/* The problem's machine; -1 with the reason: the strategy cannot serve it. */
static int machine_init(const struct problem *p, const struct torus *t,
			const struct torus_strategy *strategy,
			struct torus_machine *m, struct torus_error *why)
{
	static const struct torus_options none;

	*m = (struct torus_machine){ 0 };
	return torus_machine_add(m, t, p->absent ? p->present : NULL, strategy,
				 &none, why);
}

/* List the boxes for a count on the idle machine with all links up: those of
 * the smallest volume that holds it and has any. */
static void brute_grant(struct problem *p, struct places *list)
{
	list->n = 0;
	for (p->granted = 1; p->granted <= p->u.vertices; p->granted++) {
		if (units_nodes(&p->u, p->granted) >= p->ask.count)
			brute_force(p, list);
		if (list->n)
			return;
	}
	p->granted = 0;
}

static void check_place(const struct problem *p, struct torus_state *s,
			const struct places *now, struct listing *l,
			const struct torus_placement *place)
{
	const char *name = torus_state_machine(s)->pod[0].strategy[0]->name;

	list_place(l, place);
	must(is_member(now, l->list->text[0]), p, name);
	must(strcmp(name, "submesh") ||
		     most_rings(l->list, p) == most_rings(now, p),
	     p, "rings");
	must(place->granted == nodes_wanted(p), p, "granted");
	must(torus_state_commit(s, place, 1, NULL, 0, 1, NULL) != TORUS_NO_SLOT,
	     p, "commit");
	must(torus_state_check(s, NULL), p, "check");
	torus_state_release(s, torus_state_by_end(s, 0), NULL);
}

static void check_list(const struct problem *p, struct torus_state *s,
		       const struct places *now, struct listing *l)
{
	struct places *found = l->list;

	found->n = 0;
	torus_state_find_all(s, &p->ask, list_place, l);
	if (torus_state_machine(s)->pod[0].strategy[0]->lists_only) {
		/* (not every place: some do not turn shapes) */
		for (size_t i = 0; i < found->n; i++)
			must(is_member(now, found->text[i]), p, "places");
		return;
	}
	if (found->n)
		qsort(found->text, found->n, TEXT, compare_places);
	must(found->n == now->n, p, "number of places");
	for (size_t i = 0; i < now->n; i++)
		must(strcmp(found->text[i], now->text[i]) == 0, p, "places");
}

/* Any nodes: as many as the shape or the count has; no rings. */
static void check_flat(const struct problem *p, struct torus_state *s)
{
	const struct torus_machine *m = torus_state_machine(s);
	uint32_t nodes = p->ask.by_count ?
				 p->ask.count :
				 torus_pod_shape_nodes(&m->pod[0], &p->ask);
	bool never = nodes > m->pod[0].present_nodes;
	struct torus_placement place;
	enum torus_answer answer;

	for (uint32_t a = 0; a < (p->ask.by_count ? 1 : p->ask.shape.axes); a++)
		never |= p->ask.connection[a] == TORUS_CONN_TORUS &&
			 (p->ask.by_count ? nodes : p->ask.shape.extent[a]) > 2;
	answer = torus_state_find(s, &p->ask, &place, NULL);
	must((answer == TORUS_NEVER) == never, p, "flat");
	must((answer == TORUS_FITS) ==
		     (!never && nodes <= torus_state_free_nodes(s)),
	     p, "flat");
	if (answer == TORUS_FITS)
		must(place.scattered && place.granted == nodes &&
			     torus_bits_count(place.nodes, m->words) == nodes &&
			     !torus_bits_meet(place.nodes, p->busy, m->words),
		     p, "flat");
}

static void check_largest(const struct problem *p, struct torus_machine *m,
			  const struct torus_link_list *links)
{
	uint64_t usable[MOST_WORDS] = { 0 };
	struct torus_region box, v;
	uint32_t nodes;
	bool ring[DIMS];

	for (uint32_t i = 0; i < m->pod[0].torus.nodes; i++) {
		if (!torus_bits_test(p->busy, i))
			torus_bits_set(usable, i);
	}
	assert_int_equal(torus_link_list_copy(&m->links, links), 0);
	assert_int_equal(torus_largest_region(m, 0, usable, &box, &nodes), 0);
	must(nodes == units_nodes(&p->u, brute_largest(p)), p, "largest");
	if (nodes == 0)
		return;
	must(torus_region_nodes(&box, &m->pod[0].torus) == nodes, p, "largest");
	v = torus_region_scaled(&box, &m->pod[0].torus);
	must(units_base(&p->u, false, v.base, v.extent, ring) &&
		     torus_region_inside(&box, &m->pod[0].torus, usable),
	     p, "largest");
}

/* Does a refusal name those that can? flat serves every torus, but does not go around
 * dead links. */
static bool names_able(const struct torus_error *why, bool links)
{
	return strstr(why->text, links ? "these do: submesh" :
					 "these can: flat, submesh") != NULL;
}

static void check_answers(const struct problem *p, struct torus_state *s,
			  const struct places *now, bool ever)
{
	const struct torus_machine *m = torus_state_machine(s);
	const struct torus_strategy *strategy = m->pod[0].strategy[0];
	bool explains = !p->absent || p->ask.by_count ||
			strcmp(strategy->name, "submesh") == 0;
	struct places found = { 0 };
	struct listing l = { .p = p, .t = &m->pod[0].torus, .list = &found };
	struct torus_placement place;
	enum torus_answer answer = torus_state_find(s, &p->ask, &place, NULL);

	if (answer == TORUS_FITS)
		check_place(p, s, now, &l, &place);
	/* the others do not turn shapes; counts have no axes to turn */
	if (strategy->complete || p->ask.by_count ||
	    strcmp(strategy->name, "submesh-tbl") == 0) {
		must((answer == TORUS_FITS) == (now->n > 0), p, strategy->name);
		must(p->ask.required || !explains ||
			     (answer == TORUS_NEVER) == !ever,
		     p, strategy->name);
	}
	if (strategy->find_all && !p->ask.required)
		check_list(p, s, now, &l);
	free(found.text);
}

static void check_strategy(const struct problem *p, const struct torus *t,
			   const struct torus_strategy *strategy,
			   const struct places *now, bool ever)
{
	struct torus_link_list links = { 0 };
	struct torus_error why = { 0 };
	struct torus_machine m;
	struct torus_state *s;

	if (machine_init(p, t, strategy, &m, &why))
		return must(strategy->units || names_able(&why, false) ||
				    torus_plain(t),
			    p, strategy->name);
	assert_int_equal(units_list_links(&p->u, t, 0, &links), 0);
	if (links.count && torus_machine_links(&m, 0, &why)) {
		must(!strategy->links && names_able(&why, true), p,
		     strategy->name);
		goto done;
	}
	if (!strategy->units)
		goto done; /* its places are others */
	s = torus_state_create(&m);
	assert_non_null(s);
	set_links(s, p, &links);
	assert_int_equal(state_list_boxes(s, 0), 0);
	torus_state_out(s, p->busy);
	if (!strategy->scatters)
		check_answers(p, s, now, ever);
	else if (!p->ask.required)
		check_flat(p, s);
	torus_state_destroy(s);
	if (links.count && strcmp(strategy->name, "submesh") == 0)
		check_largest(p, &m, &links);
done:
	torus_link_list_free(&links);
	torus_machine_free(&m);
}

/* Problems */

static void draw_ask(struct problem *p, uint32_t nodes)
{
	static const uint8_t kinds[] = { TORUS_CONN_NAV, TORUS_CONN_NAV,
					 TORUS_CONN_TORUS, TORUS_CONN_MESH };
	struct torus_ask *ask = &p->ask;

	units_draw_shape(&rnd, &p->u, UINT32_MAX, ask);
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
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

static void draw_set(uint64_t *set, uint32_t nodes, uint32_t of)
{
	for (uint32_t i = 0; i < nodes; i++) {
		if (random_below(&rnd, of) == 0)
			torus_bits_set(set, i);
	}
}

/* Now and then some cells have no node. They count as busy. */
static void draw_absent(struct problem *p, uint32_t nodes)
{
	p->absent = random_below(&rnd, 8) == 0;
	if (p->absent)
		draw_set(p->busy, nodes, 4 + random_below(&rnd, 40));
	for (uint32_t i = 0; i < nodes; i++) {
		if (!torus_bits_test(p->busy, i))
			torus_bits_set(p->present, i);
	}
	p->absent = p->absent &&
		    torus_bits_next(p->busy, MOST_WORDS, 0) != UINT32_MAX;
}

static void one_problem(const struct units_range *range, bool links,
			struct places *now, struct places *ever)
{
	const struct torus_strategy *const *all = torus_strategies();
	struct problem p = { .absent = false }, idle;
	struct torus t;

	units_draw(&rnd, range, &p.u);
	assert_int_equal(units_init(&p.u, "pod0", &t), 0);
	draw_absent(&p, t.nodes);
	if (torus_bits_next(p.present, MOST_WORDS, 0) == UINT32_MAX)
		return;
	draw_ask(&p, t.nodes);
	idle = p;
	idle.ask.required = NULL;
	if (p.ask.by_count)
		brute_grant(&idle, ever);
	else
		brute_force(&idle, ever);
	p.granted = idle.granted;
	if (links)
		units_draw_links(&rnd, &p.u);
	draw_set(p.busy, t.nodes, 2 + random_below(&rnd, 40));
	for (uint32_t w = 0; w < MOST_WORDS && p.ask.required; w++)
		p.busy[w] &= ~(p.required[w] & p.present[w]);
	now->n = 0;
	if (ever->n)
		brute_force(&p, now);
	for (; *all; all++)
		check_strategy(&p, &t, *all, now, ever->n > 0);
}

static void problems(const struct units_range *range, bool links)
{
	uint32_t n = random_effort(4000, 250);
	struct places now = { 0 }, ever = { 0 };

	for (uint32_t i = 0; i < n; i++)
		one_problem(range, links, &now, &ever);
	printf("# %u problems\n", n);
	free(now.text);
	free(ever.text);
}

static void machines_with_units_agree_with_brute_force(void **state)
{
	const struct units_range range = { 4, MOST_VERTICES, 8, 75 };

	(void)state;
	problems(&range, false);
}

static void machines_with_links_agree_with_brute_force(void **state)
{
	const struct units_range range = { 6, 64, 4, 50 };

	(void)state;
	problems(&range, true);
}

static void long_lines(void **state)
{
	const struct units_range range = { 3, 90, 8, 30 };

	(void)state;
	problems(&range, true);
}

/* prop_units [TEST]: one of them alone. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_with_units_agree_with_brute_force),
		cmocka_unit_test(machines_with_links_agree_with_brute_force),
		cmocka_unit_test(long_lines)
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	rnd.state = random_seed("prop_units");
	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
