/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several regions of one shape against brute force over vertices: one torus or
 * two of up to 216 vertices together, with units, grains and several nodes per
 * vertex, random busy nodes, dead links, shapes and numbers of regions.
 *
 * Brute force lists every box, each vertex and link looked up by its coordinates, and
 * searches all sets of disjoint ones: FITS exactly where there is such a set; on
 * one torus where one has it; NEVER exactly where the idle machine has none. On one
 * torus the regions are the nearest (torus/ask.h): for each of them, brute force
 * searches a complete set with those before it and a better one in its place.
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

#include "torus/state_text.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "format/admin_comment.h"
#include "placement/several/several.h"
#include "torus/regions.h"
#include "several_brute.h"

static struct random rnd;

static uint32_t bounded, given_up, fitted, refused, never, drawn;
static uint32_t near, second, not_nearest, not_compared; /* sets on one torus */

static void show_problem(const struct problem *x, const char *what)
{
	char shape[96];

	torus_shape_format(&x->ask.shape, shape, sizeof(shape));
	print_error("%s: %s*%u rotate %d T %d:", what, shape, x->ask.regions,
		    x->ask.rotate, x->ask.connection[0] == TORUS_CONN_TORUS);
	for (uint32_t p = 0; p < x->pods; p++) {
		const struct units_torus *pod = &x->pod[p].u;

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
	const struct torus_regions *a, *b;

	assert_non_null(other);
	assert_int_equal(torus_state_save(s, &text), 0);
	must(torus_state_restore(other, text.data, NULL) == 0, x, text.data);
	assert_int_equal(torus_state_save(other, &again), 0);
	must(strcmp(text.data, again.data) == 0, x, again.data);
	a = torus_state_hold(s, torus_state_by_end(s, 0))->place.regions;
	b = torus_state_hold(other, torus_state_by_end(other, 0))->place.regions;
	for (uint32_t i = 0; i < a->count; i++)
		must(a->item[i].ring == b->item[i].ring, x, text.data);
	torus_text_free(&text);
	torus_text_free(&again);
	torus_state_destroy(other);
}

static void check_rings(const struct problem *x,
			const struct torus_placement *place,
			struct torus_regions *read)
{
	struct torus_text rings = { 0 };
	uint32_t axes;

	assert_int_equal(torus_placement_rings(place, &rings), 0);
	must(torus_regions_rings(read, rings.data, &axes) == 0, x, rings.data);
	must(axes == place->axes, x, rings.data);
	for (uint32_t i = 0; i < read->count; i++)
		must(place->regions->item[i].ring == read->item[i].ring, x,
		     rings.data);
	torus_text_free(&rings);
}

/* The word in AdminComment, and back. */
static void check_comment(const struct problem *x, const struct torus_machine *m,
			  const struct torus_placement *place)
{
	struct torus_text text = { 0 }, again = { 0 };
	struct torus_placement read;
	struct torus_regions regions;
	struct set nodes;
	const struct torus_placement_room room = { .nodes = nodes.word,
						   .regions = &regions };

	assert_int_equal(admin_comment_write(m, place, &text), 0);
	must(admin_comment_read(text.data, m, &room, &read) == 0, x, text.data);
	assert_int_equal(admin_comment_write(m, &read, &again), 0);
	must(strcmp(text.data, again.data) == 0, x, again.data);
	must(read.granted == place->granted, x, text.data);
	for (uint32_t i = 0; i < regions.count; i++)
		must(place->regions->item[i].ring == regions.item[i].ring, x,
		     text.data);
	torus_text_free(&text);
	torus_text_free(&again);
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
	for (uint32_t i = 0; i < read.count; i++) /* dead links may open some */
		must((place->regions->item[i].ring & ~read.item[i].ring) == 0,
		     x, "rings");
	check_rings(x, place, &read);
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
	check_comment(x, torus_state_machine(s), place);
	must(torus_state_commit(s, place, 2, NULL, 0, 1, NULL) == TORUS_NO_SLOT,
	     x, "taken twice");
	torus_state_release(s, slot, NULL);
	must(torus_state_free_nodes(s) ==
		     torus_state_machine(s)->nodes -
			     torus_bits_count(x->busy.word, WORDS),
	     x, "free again");
}

/* Nearness */

/* Return twice the distance of the centres in vertices, along all dimensions. */
static uint32_t near_distance(const struct units_torus *u, const struct box *a,
			      const struct box *b)
{
	uint32_t sum = 0;

	for (uint32_t d = 0; d < u->dims; d++) {
		int at = (int)(2 * a->base[d] + a->extent[d]);
		int to = (int)(2 * b->base[d] + b->extent[d]);
		uint32_t best = UINT32_MAX;

		for (int turn = -1; turn <= 1; turn++) {
			uint32_t gap = (uint32_t)abs(
				at - to + turn * 2 * (int)u->size[d]);

			if ((turn == 0 || u->wrap[d]) && gap < best)
				best = gap;
		}
		sum += best;
	}
	return sum;
}

static bool near_idle(const struct box *box, const struct box *const *taken,
		      uint32_t n)
{
	while (n-- > 0) {
		if (torus_bits_meet(taken[n]->nodes.word, box->nodes.word,
				    WORDS))
			return false;
	}
	return true;
}

/* Return how good a box is after n others, less is better: most required nodes,
 * then most rings, then nearest to them. */
static uint64_t near_cost(const struct problem *x, const struct box *box,
			  const struct box *const *taken, uint32_t n)
{
	uint64_t others = WORDS * 64 - torus_bits_count_both(box->nodes.word,
							     x->required.word,
							     WORDS);
	uint64_t cost = others << 40 | (uint64_t)(DIMS - box->rings) << 32;

	while (n-- > 0)
		cost += near_distance(&x->pod[0].u, taken[n], box);
	return cost;
}

/* Return 1 if a box better than taken[n] and more boxes make a complete set with
 * the n boxes before it, 0 if there is none, -1 if brute force gives up. */
static int near_better(const struct problem *x, const struct box *const *taken,
		       uint32_t n)
{
	uint64_t cost = near_cost(x, taken[n], taken, n);
	struct set all = { { 0 } };

	for (uint32_t i = 0; i < n; i++)
		torus_bits_or(all.word, taken[i]->nodes.word, WORDS);
	brute_steps = 0;
	for (uint32_t i = 0; i < brute.n; i++) {
		struct set with = all;

		if (near_cost(x, &brute.box[i], taken, n) >= cost ||
		    !near_idle(&brute.box[i], taken, n))
			continue;
		torus_bits_or(with.word, brute.box[i].nodes.word, WORDS);
		if (brute_search(x, 0, x->ask.regions - n - 1, &with))
			return 1;
	}
	return brute_steps > STEPS ? -1 : 0;
}

/* Return the box of the brute force with these nodes. */
static const struct box *near_box(const struct torus_machine *m,
				  const struct torus_region_item *item)
{
	struct set nodes = { { 0 } };
	uint32_t k = 0;

	torus_region_paint(&item->region, &m->pod[0].torus, nodes.word);
	while (memcmp(&brute.box[k].nodes, &nodes, sizeof(nodes)))
		k++;
	return &brute.box[k];
}

/* As near_better() for the first box, before which the strategy's own choice
 * comes. */
static int near_first(const struct problem *x, struct torus_state *s,
		      const struct box *const *taken)
{
	struct torus_ask ask = x->ask;
	struct torus_placement one;
	const struct box *own;

	if (ask.required)
		return near_better(x, taken, 0);
	ask.regions = 0;
	assert_int_equal(torus_state_find(s, &ask, &one, NULL), TORUS_FITS);
	own = near_box(torus_state_machine(s),
		       &(struct torus_region_item){ .region = one.region });
	if (own == taken[0])
		return 0;
	second++;
	brute_steps = 0;
	if (brute_search(x, 0, ask.regions - 1, &own->nodes))
		return 1;
	return brute_steps > STEPS ? -1 : near_better(x, taken, 0);
}

/* Each region is the best of those with which there is a complete set. */
static void check_near(const struct problem *x, struct torus_state *s,
		       const struct torus_regions *all)
{
	const struct box *taken[TORUS_MAX_REGIONS];
	const struct torus_machine *m = torus_state_machine(s);
	bool nearest = !s->several->not_nearest;
	int better;

	for (uint32_t i = 0; i < all->count; i++)
		taken[i] = near_box(m, &all->item[i]);
	better = near_first(x, s, taken);
	for (uint32_t i = 1; i < all->count && better == 0; i++)
		better = near_better(x, taken, i);
	must(better <= 0 || !nearest, x, "nearer regions would do");
	near += nearest && better == 0;
	not_nearest += !nearest;
	not_compared += better < 0;
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
		if (x->pods == 1 && !brute.over)
			check_near(x, s, place.regions);
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

/* The reason is the same for an ask whose nodes are not known yet. */
static void check_unsettled(const struct problem *x, struct torus_state *s,
			    const struct torus_error *why)
{
	struct torus_ask ask = x->ask;
	struct torus_error other = { 0 };

	ask.shape_nodes = 0;
	torus_state_possible(s, &ask, NULL, &other);
	must(strcmp(other.text, why->text) == 0, x, other.text);
}

static void check_ever(const struct problem *x, struct torus_state *s)
{
	struct problem idle = *x;
	struct torus_error why = { 0 };
	enum torus_answer answer = torus_state_possible(s, &x->ask, NULL, &why);
	bool cut = s->several->bounded;
	int fits;

	memset(&idle.busy, 0, sizeof(idle.busy));
	for (uint32_t p = 0; p < x->pods; p++)
		memset(idle.pod[p].u.health, 0, sizeof(idle.pod[p].u.health));
	fits = brute_force(&idle, 2);
	must(answer != TORUS_NOT_NOW || cut, x, "possible");
	must((answer != TORUS_FITS) == (why.count > 0), x, "a reason");
	never += answer == TORUS_NEVER;
	if (answer == TORUS_NEVER && random_below(&rnd, 4) == 0)
		check_unsettled(x, s, &why);
	if (fits >= 0 && !cut)
		must((answer == TORUS_FITS) == (fits == 1), x, "possible");
}

/* Problems */

static void draw_ask(struct problem *x)
{
	units_draw_shape(&rnd, &x->pod[0].u,
			 random_below(&rnd, 4) ? 3 : UINT32_MAX, &x->ask);
	x->ask.weak = random_below(&rnd, 3) == 0;
}

/* As many regions as there may be, more or less. */
static void draw_regions(struct problem *x, uint32_t free)
{
	uint32_t most = free / (uint32_t)torus_ask_nodes(&x->ask);

	most = most > 24 ? 24 : most + 1;
	x->ask.regions = 2 + random_below(&rnd, most);
}

static void draw_torus(struct problem *x, uint32_t k)
{
	struct units_range range = { 4, MOST_VERTICES, 6, 25 };
	struct units_torus *u = &x->pod[k].u;

	range.vertices = (random_below(&rnd, 2) ? 64 : MOST_VERTICES) / x->pods;
	units_draw(&rnd, &range, u);
	if (k > 0) { /* nodes of a region must be as many */
		*u = random_below(&rnd, 2) ? x->pod[0].u : *u;
		u->per_vertex = x->pod[0].u.per_vertex;
	}
	for (uint32_t d = 0; d < DIMS && x->pods > 1; d++)
		u->unit[d] = u->grain[d] = 1;
	if (random_below(&rnd, 2))
		units_draw_links(&rnd, u);
}

static void draw_machine(struct problem *x, struct torus_machine *m)
{
	static const struct torus_options none;

	*m = (struct torus_machine){ 0 };
	x->pods = 1 + random_below(&rnd, 4) / 3;
	for (uint32_t k = 0; k < x->pods; k++) {
		struct torus t;

		draw_torus(x, k);
		assert_int_equal(units_init(&x->pod[k].u, k ? "pod1" : "pod0",
					    &t),
				 0);
		assert_int_equal(torus_machine_add(m, &t, NULL,
						   torus_strategy_find("submesh"),
						   &none, NULL),
				 0);
		assert_int_equal(torus_machine_links(m, k, NULL), 0);
		assert_int_equal(units_list_links(&x->pod[k].u, &t, k,
						  &m->links),
				 0);
		x->pod[k].first = m->pod[k].first_word * 64;
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

/* On one torus now and then up to three idle nodes that the regions must
 * hold. */
static void draw_required(struct problem *x, uint32_t nodes)
{
	memset(&x->required, 0, sizeof(x->required));
	if (x->pods > 1 || random_below(&rnd, 4) > 0)
		return;
	for (uint32_t i = random_below(&rnd, 3) + 1; i > 0; i--)
		torus_bits_set(x->required.word, random_below(&rnd, nodes));
	torus_bits_andnot(x->required.word, x->busy.word, WORDS);
	x->ask.required = x->required.word;
}

/* A strategy that places one region at a time refuses, and names those that
 * can. */
static void check_unable(const struct problem *x, const struct torus_machine *m)
{
	static const char *const names[] = { "submesh-ff", "submesh-bl", "flat",
					     "semitorus-nep", "subtorus" };
	const struct torus_strategy *strategy = torus_strategy_find(
		names[random_below(&rnd, 5)]);
	static const struct torus_options none;
	struct torus_placement place;
	struct torus_error why = { 0 };
	struct torus_machine other;
	struct torus_state *s;

	if (torus_machine_init(&other, &m->pod[0].torus, strategy, NULL, NULL))
		return;
	s = torus_state_create(&other);
	assert_non_null(s);
	must(torus_state_find(s, &x->ask, &place, &why) == TORUS_NEVER, x,
	     strategy->name);
	must(strstr(why.text, "take one of: submesh") != NULL, x, why.text);
	must(!strstr(why.text, "subcube-buddy") ||
		     torus_machine_able(torus_strategy_find("subcube-buddy"),
					&m->pod[0].torus, &none, NULL) == 0,
	     x, why.text);
	torus_state_destroy(s);
	torus_machine_free(&other);
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
	draw_required(&x, m.nodes);
	draw_regions(&x, m.nodes - torus_bits_count(x.busy.word, WORDS));
	s = torus_state_create(&m);
	assert_non_null(s);
	drawn++;
	check_now(&x, s);
	x.ask.required = NULL;
	memset(&x.required, 0, sizeof(x.required));
	check_ever(&x, s);
	if (random_below(&rnd, 4) == 0)
		check_unable(&x, &m);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void several_regions_agree_with_brute_force(void **state)
{
	uint32_t n = random_effort(3000, 100);

	(void)state;
	for (uint32_t i = 0; i < n; i++)
		one_problem();
	printf("# %u problems: %u fit, %u do not, %u never; brute force gave up on %u; the search ended at its bound in %u\n",
	       drawn, fitted, refused, never, given_up, bounded);
	printf("# on one torus %u nearest sets, %u without the strategy's own choice; the search for the nearest ended at its bound in %u, brute force gave up on %u\n",
	       near, second, not_nearest, not_compared);
	assert_true(near > 20 * not_nearest);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(
		several_regions_agree_with_brute_force) };

	rnd.state = random_seed("prop_several");
	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
