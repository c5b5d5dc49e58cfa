/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several regions of one shape against brute force over vertices: one torus or
 * two of up to 216 vertices together, with units, grains and several nodes per
 * vertex, random busy nodes, shapes and numbers of regions.
 *
 * Brute force lists every box, each vertex looked up by its coordinates, and
 * searches all sets of disjoint ones: FITS exactly where there is such a set; on
 * one torus where one has it; NEVER exactly where the idle machine has none.
 * What the library's bound ends is counted and printed, and so is what brute
 * force gives up on.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/several.h"
#include "random.h"
#include "torus/regions.h"

static struct random rnd;

#define DIMS TORUS_MAX_DIMS
#define MOST_VERTICES 216
#define WORDS 14 /* two toruses, up to three nodes per vertex */
#define BOXES 20000
#define STEPS 400000

struct pod {
	uint32_t dims, first; /* machine bit of its first node */
	uint32_t size[DIMS], unit[DIMS], grain[DIMS], per_vertex;
	bool wrap[DIMS];
};

struct set {
	uint64_t word[WORDS];
};

struct box {
	struct set nodes;
	uint32_t low, pod;
};

struct problem {
	uint32_t pods;
	struct pod pod[2];
	struct torus_ask ask;
	struct set busy;
};

static struct {
	struct box box[BOXES];
	uint32_t n;
	bool over;
} brute;

static uint32_t brute_steps;
static uint32_t bounded, given_up, fitted, refused, never, drawn;

static void set_vertex(const struct pod *p, const uint32_t *at, struct set *set)
{
	uint32_t node = 0, step = p->per_vertex;

	for (uint32_t d = 0; d < p->dims; d++) {
		node += at[d] / p->unit[d] * step;
		step *= p->size[d] / p->unit[d];
	}
	for (uint32_t k = 0; k < p->per_vertex; k++)
		torus_bits_set(set->word, p->first + node + k);
}

static void brute_add(const struct problem *x, uint32_t pod,
		      const uint32_t *base, const uint32_t *extent)
{
	const struct pod *p = &x->pod[pod];
	struct box box = { .pod = pod };
	uint32_t at[DIMS], off[DIMS] = { 0 }, d;

	do {
		for (d = 0; d < p->dims; d++)
			at[d] = (base[d] + off[d]) % p->size[d];
		set_vertex(p, at, &box.nodes);
		for (d = 0; d < p->dims && ++off[d] == extent[d]; d++)
			off[d] = 0;
	} while (d < p->dims);
	if (torus_bits_meet(box.nodes.word, x->busy.word, WORDS))
		return;
	if (brute.n == BOXES) {
		brute.over = true;
		return;
	}
	box.low = torus_bits_next(box.nodes.word, WORDS, 0);
	brute.box[brute.n++] = box;
}

static bool ring_of(const struct pod *p, uint32_t d, uint32_t extent)
{
	return extent <= 2 || (p->wrap[d] && extent == p->size[d]);
}

static void brute_bases(const struct problem *x, uint32_t pod,
			const uint32_t *extent)
{
	const struct pod *p = &x->pod[pod];
	uint32_t base[DIMS] = { 0 }, d;

	do {
		bool legal = true;

		for (d = 0; d < p->dims; d++)
			legal &= base[d] % p->grain[d] == 0 &&
				 (extent[d] < p->size[d] || base[d] == 0) &&
				 (p->wrap[d] ||
				  base[d] + extent[d] <= p->size[d]);
		if (legal)
			brute_add(x, pod, base, extent);
		for (d = 0; d < p->dims && ++base[d] == p->size[d]; d++)
			base[d] = 0;
	} while (d < p->dims);
}

/* Lay axis a and those after it along unused dimensions, equal boxes more than
 * once. */
static void brute_axes(const struct problem *x, uint32_t pod, uint32_t a,
		       uint32_t used, uint32_t *extent)
{
	const struct pod *p = &x->pod[pod];
	const struct torus_ask *ask = &x->ask;

	if (a == ask->shape.axes || (ask->rotate && ask->shape.axes == 1 &&
				     ask->shape.extent[0] == 1)) {
		for (uint32_t d = 0; d < p->dims; d++) {
			if (extent[d] % p->grain[d])
				return;
		}
		brute_bases(x, pod, extent);
		return;
	}
	for (uint32_t d = 0; d < p->dims; d++) {
		if (used >> d & 1 || (!ask->rotate && d != a) ||
		    ask->shape.extent[a] > p->size[d] ||
		    (ask->connection[a] == TORUS_CONN_TORUS &&
		     !ring_of(p, d, ask->shape.extent[a])))
			continue;
		extent[d] = ask->shape.extent[a];
		brute_axes(x, pod, a + 1, used | 1u << d, extent);
		extent[d] = 1;
	}
}

static int box_compare(const void *a, const void *b)
{
	const struct box *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return memcmp(&x->nodes, &y->nodes, sizeof(x->nodes));
}

/* The boxes of one pod (2: of all), sorted, each set of nodes once. */
static void brute_list(const struct problem *x, uint32_t pod)
{
	uint32_t n = 0;

	brute.n = 0;
	brute.over = false;
	for (uint32_t p = 0; p < x->pods; p++) {
		uint32_t extent[DIMS];

		for (uint32_t d = 0; d < DIMS; d++)
			extent[d] = 1;
		if (pod == 2 || pod == p)
			brute_axes(x, p, 0, 0, extent);
	}
	if (brute.n)
		qsort(brute.box, brute.n, sizeof(*brute.box), box_compare);
	for (uint32_t i = 0; i < brute.n; i++) {
		if (n == 0 || memcmp(&brute.box[n - 1].nodes,
				     &brute.box[i].nodes, sizeof(struct set)))
			brute.box[n++] = brute.box[i];
	}
	brute.n = n;
}

/* A set of `need` disjoint boxes from `at` on, clear of `taken`. */
static bool brute_search(uint32_t at, uint32_t need, const struct set *taken)
{
	uint32_t size;

	if (need == 0)
		return true;
	if (brute.n == 0)
		return false;
	size = torus_bits_count(brute.box[0].nodes.word, WORDS);
	for (uint32_t low = UINT32_MAX; at < brute.n; at++) {
		const struct box *box = &brute.box[at];
		struct set next;

		if (box->low != low) {
			struct set free = { { 0 } };

			low = box->low;
			for (uint32_t i = at; i < brute.n; i++) {
				if (!torus_bits_meet(brute.box[i].nodes.word,
						     taken->word, WORDS))
					torus_bits_or(free.word,
						      brute.box[i].nodes.word,
						      WORDS);
			}
			if (torus_bits_count(free.word, WORDS) / size < need)
				return false;
		}
		if (++brute_steps > STEPS)
			return false;
		if (torus_bits_meet(box->nodes.word, taken->word, WORDS))
			continue;
		next = *taken;
		torus_bits_or(next.word, box->nodes.word, WORDS);
		if (brute_search(at + 1, need - 1, &next))
			return true;
	}
	return false;
}

/* 1: there are k disjoint boxes; 0: there are not; -1: given up. */
static int brute_force(const struct problem *x, uint32_t pod)
{
	const struct set none = { { 0 } };
	bool found;

	brute_list(x, pod);
	brute_steps = 0;
	found = brute_search(0, x->ask.regions, &none);
	return !found && (brute.over || brute_steps > STEPS) ? -1 : found;
}

static void show_problem(const struct problem *x, const char *what)
{
	char shape[96];

	torus_shape_format(&x->ask.shape, shape, sizeof(shape));
	print_error("%s: %s*%u rotate %d T %d:", what, shape, x->ask.regions,
		    x->ask.rotate, x->ask.connection[0] == TORUS_CONN_TORUS);
	for (uint32_t p = 0; p < x->pods; p++) {
		const struct pod *pod = &x->pod[p];

		for (uint32_t d = 0; d < pod->dims; d++)
			print_error(" %u%s/%u/%u", pod->size[d],
				    pod->wrap[d] ? "T" : "M", pod->unit[d],
				    pod->grain[d]);
		print_error(" x%u;", pod->per_vertex);
	}
	for (uint32_t i = 0; i < WORDS; i++)
		print_error(" %llx", (unsigned long long)x->busy.word[i]);
	print_error("\n");
}

static void must(bool holds, const struct problem *x, const char *what)
{
	if (!holds)
		show_problem(x, what);
	assert_true(holds);
}

static bool one_torus(const struct torus_regions *all)
{
	for (uint32_t i = 1; i < all->count; i++) {
		if (all->item[i].pod != all->item[0].pod)
			return false;
	}
	return true;
}

/* Each region is a legal idle box, they are disjoint, and all there is. */
static void check_place(const struct problem *x, struct torus_state *s,
			const struct torus_placement *place)
{
	const struct torus_machine *m = torus_state_machine(s);
	const struct torus_regions *all = place->regions;
	struct set seen = { { 0 } };

	must(all && all->count == x->ask.regions, x, "number of regions");
	must(place->scattered && place->spread == !one_torus(all), x, "spread");
	for (uint32_t i = 0; i < all->count; i++) {
		const struct torus_region_item *item = &all->item[i];
		struct box box = { .pod = item->pod };
		uint32_t k = 0;

		torus_region_paint(&item->region, &m->pod[item->pod].torus,
				   box.nodes.word +
					   m->pod[item->pod].first_word);
		while (k < brute.n && memcmp(&brute.box[k].nodes, &box.nodes,
					     sizeof(box.nodes)))
			k++;
		must(k < brute.n, x, "not one of the boxes");
		must(!torus_bits_meet(seen.word, box.nodes.word, WORDS), x,
		     "not disjoint");
		torus_bits_or(seen.word, box.nodes.word, WORDS);
	}
	must(torus_bits_equal(place->spread ?
				      seen.word :
				      seen.word + m->pod[place->pod].first_word,
			      place->nodes, torus_placement_words(m, place)),
	     x, "nodes");
	must(place->granted == torus_bits_count(seen.word, WORDS), x, "granted");
	must(place->granted == torus_ask_nodes(&x->ask), x, "nodes asked for");
}

/* The state with the job as text, and back. */
static void check_text(const struct problem *x, struct torus_state *s)
{
	const struct torus_machine *m = torus_state_machine(s);
	struct torus_state *other = torus_state_create(m);
	struct torus_text text = { 0 }, again = { 0 };

	assert_non_null(other);
	assert_int_equal(torus_state_save(s, &text), 0);
	must(torus_state_restore(other, text.data, NULL) == 0, x, text.data);
	assert_int_equal(torus_state_save(other, &again), 0);
	must(strcmp(text.data, again.data) == 0, x, again.data);
	torus_text_free(&text);
	torus_text_free(&again);
	torus_state_destroy(other);
}

/* The regions as text, and back with their orientations and without. */
static void check_regions(const struct problem *x, const struct torus_machine *m,
			  const struct torus_placement *place)
{
	struct torus_text text = { 0 }, turns = { 0 }, again = { 0 };
	struct torus_regions read;
	struct torus_error err = { 0 };
	struct torus_placement copy;
	struct set nodes;

	assert_int_equal(torus_placement_format(m, place, &text), 0);
	assert_int_equal(torus_placement_orientation(m, place, &turns), 0);
	must(torus_regions_several(text.data), x, text.data);
	must(torus_regions_parse(m, text.data, NULL, &read, &err) == 0, x,
	     err.text);
	must(torus_regions_parse(m, text.data, turns.data, &read, &err) == 0, x,
	     err.text);
	torus_regions_axes(&read, place->axes);
	copy = torus_regions_place(m, &read, nodes.word);
	must(torus_bits_equal(copy.nodes, place->nodes,
			      torus_placement_words(m, place)),
	     x, text.data);
	must(copy.granted == place->granted, x, text.data);
	for (uint32_t i = 0; i < read.count; i++)
		must(read.item[i].ring == place->regions->item[i].ring, x,
		     "rings");
	copy.axes = place->axes;
	assert_int_equal(torus_placement_orientation(m, &copy, &again), 0);
	must(strcmp(turns.data, again.data) == 0, x, turns.data);
	torus_text_free(&text);
	torus_text_free(&turns);
	torus_text_free(&again);
}

static void check_commit(const struct problem *x, struct torus_state *s,
			 const struct torus_placement *place)
{
	uint32_t slot = torus_state_commit(s, place, 1, NULL, 0, 1, NULL);
	const struct torus_hold *h;

	must(slot != TORUS_NO_SLOT, x, "commit");
	h = torus_state_hold(s, slot);
	must(h->place.regions && h->place.regions != place->regions &&
		     h->place.regions->count == x->ask.regions,
	     x, "the hold's regions");
	must(torus_state_check(s, NULL), x, "check");
	check_text(x, s);
	check_regions(x, torus_state_machine(s), place);
	must(torus_state_commit(s, place, 2, NULL, 0, 1, NULL) == TORUS_NO_SLOT,
	     x, "taken twice");
	torus_state_release(s, slot, NULL);
	must(torus_state_free_nodes(s) ==
		     torus_state_machine(s)->nodes -
			     torus_bits_count(x->busy.word, WORDS),
	     x, "free again");
}

static void check_now(const struct problem *x, struct torus_state *s)
{
	struct torus_placement place;
	enum torus_answer answer;
	int fits;

	torus_state_out(s, x->busy.word);
	answer = torus_state_find(s, &x->ask, &place, NULL);
	for (uint32_t p = 0; p < x->pods && answer == TORUS_FITS; p++) {
		if (x->pods > 1 && !one_torus(place.regions))
			must(brute_force(x, p) != 1, x, "one torus would do");
	}
	fits = brute_force(x, 2);
	if (answer == TORUS_FITS) {
		fitted++;
		check_place(x, s, &place);
		check_commit(x, s, &place);
	} else if (fits < 0) {
		given_up++;
	} else if (fits > 0) {
		must(s->several->bounded, x, "a set of places was not found");
		bounded++;
	} else {
		refused++;
		bounded += s->several->bounded;
	}
}

static void check_ever(const struct problem *x, struct torus_state *s)
{
	struct problem idle = *x;
	struct torus_error why = { 0 };
	enum torus_answer answer = torus_state_possible(s, &x->ask, NULL, &why);
	bool cut = s->several->bounded;
	int fits;

	memset(&idle.busy, 0, sizeof(idle.busy));
	fits = brute_force(&idle, 2);
	must(answer != TORUS_NOT_NOW, x, "possible");
	must((answer == TORUS_NEVER) == (why.count > 0), x, "a reason");
	never += answer == TORUS_NEVER;
	if (fits >= 0 && !cut)
		must((answer == TORUS_FITS) == (fits == 1), x, "possible");
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

static void draw_pod(struct pod *p, uint32_t most_vertices)
{
	bool divided = random_below(&rnd, 4) == 0,
	     coarse = random_below(&rnd, 4) == 0;
	uint32_t vertices = 1;

	memset(p, 0, sizeof(*p));
	p->dims = 1 + random_below(&rnd, 4);
	for (uint32_t d = 0; d < p->dims; d++) {
		uint32_t most = most_vertices / vertices;

		p->size[d] = 1 + random_below(&rnd, d + 1 < p->dims && most > 6 ?
							    6 :
							    most);
		p->wrap[d] = random_below(&rnd, 2) > 0;
		p->unit[d] = divided ? draw_divisor(p->size[d]) : 1;
		p->grain[d] = p->unit[d] *
			      (coarse ? draw_divisor(p->size[d] / p->unit[d]) :
					1);
		vertices *= p->size[d];
	}
	p->per_vertex = divided ? 1 : 1 + random_below(&rnd, 6) / 4;
}

static void draw_ask(struct problem *x)
{
	const struct pod *p = &x->pod[0];
	struct torus_ask *ask = &x->ask;

	memset(ask, 0, sizeof(*ask));
	ask->rotate = random_below(&rnd, 4) > 0;
	ask->end_us = INT64_MAX;
	ask->shape.axes = 1 + random_below(&rnd, p->dims);
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		uint32_t d = ask->rotate ? random_below(&rnd, p->dims) : a;
		uint32_t grain = random_below(&rnd, 8) ? p->grain[d] : 1;
		uint32_t most = p->size[d] / grain;

		if (most > 3 && random_below(&rnd, 4))
			most = 3;
		ask->shape.extent[a] = grain * (1 + random_below(&rnd, most));
		ask->connection[a] = random_below(&rnd, 6) ? TORUS_CONN_NAV :
							     TORUS_CONN_TORUS;
	}
	if (ask->rotate) {
		for (uint32_t a = 0; a < ask->shape.axes; a++)
			ask->connection[a] = ask->connection[0];
		torus_shape_squeeze(&ask->shape);
	}
}

/* As many regions as there may be, more or less. */
static void draw_regions(struct problem *x, uint32_t free)
{
	uint32_t most = free / (uint32_t)torus_ask_nodes(&x->ask);

	most = most > 24 ? 24 : most + 1;
	x->ask.regions = 2 + random_below(&rnd, most);
}

static void draw_machine(struct problem *x, struct torus_machine *m)
{
	static const struct torus_options none;

	*m = (struct torus_machine){ 0 };
	x->pods = 1 + random_below(&rnd, 4) / 3;
	for (uint32_t k = 0; k < x->pods; k++) {
		struct pod *p = &x->pod[k];

		draw_pod(p, (random_below(&rnd, 2) ? 64 : MOST_VERTICES) /
				    x->pods);
		if (k > 0) { /* nodes of a region must be as many */
			memcpy(p->unit, x->pod[0].unit, sizeof(p->unit));
			*p = random_below(&rnd, 2) ? x->pod[0] : *p;
			p->per_vertex = x->pod[0].per_vertex;
			for (uint32_t d = 0; d < p->dims; d++)
				p->unit[d] = p->grain[d] = 1;
			for (uint32_t d = 0; d < x->pod[0].dims; d++)
				x->pod[0].unit[d] = x->pod[0].grain[d] = 1;
		}
	}
	for (uint32_t k = 0; k < x->pods; k++) {
		struct pod *p = &x->pod[k];
		struct torus t;

		assert_int_equal(torus_init(&t, k ? "pod1" : "pod0", p->dims,
					    p->size, p->wrap, NULL),
				 0);
		assert_int_equal(torus_divide(&t,
					      p->per_vertex > 1 ? NULL : p->unit,
					      p->grain, p->per_vertex, NULL),
				 0);
		assert_int_equal(torus_machine_add(m, &t, NULL,
						   torus_strategy_find("submesh"),
						   &none, NULL),
				 0);
		p->first = m->pod[k].first_word * 64;
	}
	assert_true(m->words <= WORDS);
}

static void draw_busy(struct problem *x, const struct torus_machine *m)
{
	uint32_t of = 2 + random_below(&rnd, 20);

	memset(&x->busy, 0, sizeof(x->busy));
	for (uint32_t p = 0; p < x->pods; p++) {
		for (uint32_t i = 0; i < m->pod[p].torus.nodes; i++) {
			if (random_below(&rnd, of) == 0)
				torus_bits_set(x->busy.word,
					       x->pod[p].first + i);
		}
	}
}

static void one_problem(void)
{
	struct torus_machine m;
	struct torus_state *s;
	struct problem x;

	draw_machine(&x, &m);
	draw_ask(&x);
	draw_busy(&x, &m);
	torus_machine_settle(&m, &x.ask);
	draw_regions(&x, m.nodes - torus_bits_count(x.busy.word, WORDS));
	s = torus_state_create(&m);
	assert_non_null(s);
	drawn++;
	check_now(&x, s);
	check_ever(&x, s);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void several(void **state)
{
	uint32_t n = random_effort(3000, 100);

	(void)state;
	for (uint32_t i = 0; i < n; i++)
		one_problem();
	printf("# %u problems: %u fit, %u do not, %u never; brute force gave up on %u; the search ended at its bound in %u\n",
	       drawn, fitted, refused, never, given_up, bounded);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(several) };

	rnd.state = random_seed("prop_several");
	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
