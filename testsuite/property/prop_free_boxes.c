/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maximal free boxes (placement/state/free_boxes.h) on random machines of 1 to 4
 * dimensions while boxes are taken and released: a box of any extents may be
 * there iff going through all bases finds one (or, of a list that is not exact,
 * if it does). And a search that uses them gives the same answer and place as
 * the plain one, also with nodes out of service and on allowed nodes; on larger
 * machines too, where it takes the bases from them.
 */
#include "torus/state_find.h"
#include "placement/state/free_boxes.h"
#include "placement/state/state.h"
#include "workload.h"

#define BUSY 12
#define MOST_WORDS 64 /* of a machine's bitmap */

struct boxes_case {
	struct torus t;
	struct torus_free_boxes *f;
	struct torus_region busy[BUSY];
	uint32_t n;
	uint64_t free[WORKLOAD_WORDS];
};

static void draw_box(struct random *r, const struct torus *t,
		     struct torus_region *box)
{
	torus_region_whole(box, t);
	for (uint32_t d = 0; d < t->dims; d++) {
		box->extent[d] = 1 + random_below(r, (t->size[d] + 1) / 2);
		box->base[d] =
			random_below(r, t->wrap[d] ?
						t->size[d] :
						t->size[d] - box->extent[d] + 1);
		if (box->extent[d] == t->size[d])
			box->base[d] = 0;
	}
}

/* Go through all bases. */
static bool box_exists(const struct boxes_case *c, const uint32_t *extent)
{
	struct torus_region box;

	torus_region_whole(&box, &c->t);
	memcpy(box.extent, extent, c->t.dims * sizeof(*extent));
	for (uint32_t i = 0; i < c->t.nodes; i++) {
		bool inside = true;

		torus_coord(&c->t, i, box.base);
		for (uint32_t d = 0; d < c->t.dims; d++)
			inside &= c->t.wrap[d] ||
				  box.base[d] + extent[d] <= c->t.size[d];
		if (inside && torus_region_inside(&box, &c->t, c->free))
			return true;
	}
	return false;
}

/* Every turn of the extents, from dimension d on. */
static bool turned_exists(const struct boxes_case *c, uint32_t *extent,
			  uint32_t d)
{
	bool found = d == c->t.dims && box_exists(c, extent);

	for (uint32_t i = d; i < c->t.dims && !found; i++) {
		uint32_t e = extent[d];

		extent[d] = extent[i];
		extent[i] = e;
		found = extent[d] <= c->t.size[d] &&
			turned_exists(c, extent, d + 1);
		extent[i] = extent[d];
		extent[d] = e;
	}
	return found;
}

static void compare(const struct boxes_case *c, uint32_t *extent)
{
	struct torus_shape shape = { .axes = c->t.dims };
	bool exact = torus_free_boxes_exact(c->f), there, held;

	there = box_exists(c, extent);
	held = torus_free_boxes_hold(c->f, extent, c->t.dims, 1);
	assert_true(held || !there);
	assert_true(there || !held || !exact);
	memcpy(shape.extent, extent, c->t.dims * sizeof(*extent));
	there = turned_exists(c, extent, 0);
	held = torus_free_boxes_hold_turned(c->f, &shape);
	assert_true(held || !there);
	assert_true(there || !held || !exact);
}

/* All extents, dimension by dimension. */
static void compare_all(const struct boxes_case *c, uint32_t *extent, uint32_t d)
{
	if (d == c->t.dims) {
		compare(c, extent);
		return;
	}
	for (extent[d] = 1; extent[d] <= c->t.size[d]; extent[d]++)
		compare_all(c, extent, d + 1);
}

static void release_one(struct boxes_case *c, uint32_t i, bool known)
{
	struct torus_region gone = c->busy[i];

	torus_region_paint(&gone, &c->t, c->free);
	c->busy[i] = c->busy[--c->n];
	torus_free_boxes_begin(c->f, known ? &gone : NULL);
	for (uint32_t k = 0; k < c->n; k++)
		torus_free_boxes_cut(c->f, &c->busy[k]);
	torus_free_boxes_finish(c->f);
}

static void boxes_step(struct random *r, struct boxes_case *c)
{
	struct torus_region box;

	if (c->n == BUSY || (c->n > 0 && random_percent(r, 40))) {
		release_one(c, random_below(r, c->n), random_percent(r, 80));
		return;
	}
	draw_box(r, &c->t, &box);
	if (!torus_region_inside(&box, &c->t, c->free))
		return;
	torus_region_erase(&box, &c->t, c->free);
	torus_free_boxes_cut(c->f, &box);
	c->busy[c->n++] = box;
}

static void free_boxes_agree_with_brute_force(void **state)
{
	struct random r = { random_seed("prop_free_boxes") };
	uint32_t cases = random_effort(150, 100), extent[TORUS_MAX_DIMS];

	(void)state;
	for (uint32_t i = 0; i < cases; i++) {
		struct boxes_case c = { 0 };

		workload_draw_torus(&r, &c.t);
		torus_bits_set_range(c.free, 0, c.t.nodes);
		c.f = torus_free_boxes_create(&c.t, 1, UINT32_MAX);
		assert_non_null(c.f);
		for (int k = 0; k < 30; k++) {
			boxes_step(&r, &c);
			compare_all(&c, extent, 0);
		}
		torus_free_boxes_destroy(c.f);
	}
}

/* The state's search with boxes against the one that knows of none. Start what
 * fits, now and then. */
static void ask_both(struct random *r, struct torus_state *s,
		     const struct torus_machine *m)
{
	struct torus_ask ask = workload_ask(r, m);
	struct torus_placement with, without;
	uint64_t usable[MOST_WORDS], allowed[MOST_WORDS];
	enum torus_answer answer;

	workload_nodes(r, m, 80, allowed);
	memcpy(usable, torus_state_free_map(s), m->words * sizeof(*usable));
	if (random_percent(r, 30)) {
		ask.allowed = allowed;
		torus_bits_and(usable, usable, allowed, m->words);
	}
	answer = torus_state_find_in(s, &ask, usable, &without);
	assert_int_equal(torus_state_find(s, &ask, &with, NULL), answer);
	if (answer != TORUS_FITS)
		return;
	assert_int_equal(with.scattered, without.scattered);
	assert_int_equal(with.pod, without.pod);
	if (!with.scattered) {
		assert_memory_equal(&with.region, &without.region,
				    sizeof(with.region));
		assert_memory_equal(&with.orientation, &without.orientation,
				    sizeof(with.orientation));
	}
	if (random_percent(r, 60))
		assert_true(torus_state_commit(s, &with, 1, NULL, 0,
					       random_below(r, 100),
					       NULL) != TORUS_NO_SLOT);
}

/* Release some, finally or for as long as one question takes. */
static void release_some(struct random *r, struct torus_state *s,
			 const struct torus_machine *m)
{
	struct torus_undo undo;
	uint32_t k;

	for (uint32_t n = random_below(r, 4); n > 0 && torus_state_holds(s) > 0;
	     n--) {
		k = torus_state_by_end(s, random_below(r, torus_state_holds(s)));
		if (random_percent(r, 70)) {
			torus_state_release(s, k, NULL);
			continue;
		}
		torus_state_release(s, k, &undo);
		torus_state_undo(s, &undo);
		ask_both(r, s, m);
	}
}

static void run_searches(const char *machine,
			 const struct torus_strategy *strategy, uint64_t seed)
{
	struct random r = { seed };
	uint64_t out[WORKLOAD_WORDS];
	struct torus_machine m;
	struct torus_state *s;

	if (!strategy->complete || !workload_machine(&m, machine, strategy))
		return;
	s = torus_state_create(&m);
	assert_non_null(s);
	assert_int_equal(state_list_boxes(s, 0), 0);
	for (int i = 0; i < 40; i++) {
		if (i == 20 && random_percent(&r, 40)) {
			workload_nodes(&r, &m, 15, out);
			torus_state_out(s, out);
		}
		ask_both(&r, s, &m);
		release_some(&r, s, &m);
	}
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void free_boxes_change_no_answer(void **state)
{
	(void)state;
	workload_each(random_seed("prop_free_boxes"), random_effort(20, 600),
		      run_searches);
}

/* Machines on which the boxes themselves say where the bases are
 * (submesh_box_bases()). */
static const char *const large_machines[] = {
	"16x16x8", "12x12x12:TMT", "48x32:MT",        "65x20:MM",
	"64x4x6",  "7x7x7x4",      "8x8x8x3:TMTM",    "4x4x4x4x2x4",
	"1100",    "5x13x17:MTM",  "2x2x2x2x4x4x4x2",
};

/* Releases are as frequent as starts; at times nodes go out of service. */
static void run_large(const char *machine, uint64_t seed)
{
	struct torus_options none = { 0 };
	struct random r = { seed };
	uint64_t out[MOST_WORDS];
	struct torus_machine m;
	struct torus_state *s;
	struct torus t;

	assert_int_equal(torus_parse(&t, machine, NULL), 0);
	assert_int_equal(torus_machine_init(&m, &t,
					    torus_strategy_find("submesh"),
					    &none, NULL),
			 0);
	assert_true(m.words <= MOST_WORDS);
	s = torus_state_create(&m);
	assert_non_null(s);
	for (int i = 0; i < 100; i++) {
		if (i % 25 == 24) {
			workload_nodes(&r, &m, 1, out);
			torus_state_out(s, random_percent(&r, 30) ? out : NULL);
		}
		ask_both(&r, s, &m);
		release_some(&r, s, &m);
	}
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void free_boxes_agree_on_large_machines(void **state)
{
	uint64_t seed = random_seed("prop_free_boxes");
	uint32_t cases = random_effort(8, 1200);
	size_t n = sizeof(large_machines) / sizeof(large_machines[0]);

	(void)state;
	for (uint32_t i = 0; i < cases; i++) {
		for (size_t k = 0; k < n; k++)
			run_large(large_machines[k], seed + i * n + k);
	}
}

/* A job of that node alone. */
static void start_on(struct torus_state *s, const struct torus_machine *m,
		     uint32_t node)
{
	struct torus_request request = { 0 };
	struct torus_placement place;
	uint64_t one[MOST_WORDS] = { 0 };
	struct torus_ask ask;

	torus_request_count(&request, 1);
	torus_machine_settle(m, &request.alternative[0].ask);
	torus_bits_set(one, node);
	ask = torus_ask_among(&request.alternative[0].ask, one);
	assert_int_equal(torus_state_find(s, &ask, &place, NULL), TORUS_FITS);
	assert_true(torus_state_commit(s, &place, node + 1, NULL, 0, node,
				       NULL) != TORUS_NO_SLOT);
}

/* The next releases, up to that after which there is a list. */
static uint32_t releases_until_listed(struct torus_state *s)
{
	uint32_t n = 0;

	do {
		assert_true(torus_state_holds(s) > 0);
		torus_state_release(s, torus_state_by_end(s, 0), NULL);
		n++;
	} while (!state_boxes(s, 0));
	return n;
}

/* While lists overflow the pauses between them double, up to STATE_BOXES_IDLE
 * releases; a list that is exact ends the pauses. */
static void pauses_double_while_lists_overflow(void **state)
{
	static const uint32_t pauses[] = {
		1, 1, 3, 7, 15, 31, 63, 127, 255, 255
	};
	struct random r = { random_seed("prop_free_boxes") };
	struct torus_options none = { 0 };
	struct torus_machine m;
	struct torus_state *s;
	struct torus t;

	(void)state;
	assert_int_equal(torus_parse(&t, "16x16x16", NULL), 0);
	assert_int_equal(torus_machine_init(&m, &t,
					    torus_strategy_find("submesh"),
					    &none, NULL),
			 0);
	s = torus_state_create(&m);
	assert_non_null(s);
	assert_int_equal(state_list_boxes(s, 0), 0);
	for (uint32_t n = 0; n < m.nodes; n++) {
		if (random_percent(&r, 50))
			start_on(s, &m, n);
	}
	assert_int_equal(releases_until_listed(s), 1);
	for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++) {
		assert_false(torus_free_boxes_exact(s->boxes[0].list));
		assert_int_equal(releases_until_listed(s), pauses[i]);
	}
	while (torus_state_holds(s) > 0)
		torus_state_release(s, torus_state_by_end(s, 0), NULL);
	/* the last pause ends, then each release is followed by a list */
	for (int i = 0; i < STATE_BOXES_IDLE + 10; i++) {
		const struct torus_free_boxes *f;

		start_on(s, &m, 5);
		torus_state_release(s, torus_state_by_end(s, 0), NULL);
		f = state_boxes(s, 0);
		assert_true(i < STATE_BOXES_IDLE ||
			    (f && torus_free_boxes_exact(f)));
	}
	torus_state_destroy(s);
	torus_machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_boxes_agree_with_brute_force),
		cmocka_unit_test(free_boxes_change_no_answer),
		cmocka_unit_test(free_boxes_agree_on_large_machines),
		cmocka_unit_test(pauses_double_while_lists_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
