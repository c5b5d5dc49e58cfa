/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh` against brute force: random usable nodes and asks on every torus
 * and mesh with up to 3 dimensions of up to 4 nodes, and on some of other
 * sizes, chosen for how their dimensions lie in 64-bit words.
 *
 * Brute force lists every place: each way to lay the axes along dimensions,
 * each base, each node looked up by its coordinates. find() must say FITS
 * exactly when that list is not empty, NEVER exactly when it is empty on the
 * empty machine too, and give a member of the list; find_all() must be the
 * list. A failing case is shrunk before it is shown.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "torus/state_text.h"
#include "random.h"
#include "torus/strategy.h"

#define DIMS TORUS_MAX_DIMS
#define MOST_NODES 1024
#define MOST_WORDS (MOST_NODES / 64)

/* A place as brute force sees it. */
struct place {
	int axis[DIMS];
	uint32_t base[DIMS], extent[DIMS];
};

struct places {
	struct place *item;
	size_t n, room;
};

struct problem {
	struct torus t;
	struct torus_ask ask;
	bool partial; /* some cells have no node */
	uint64_t present[MOST_WORDS];
	uint64_t usable[MOST_WORDS];
};

static void add_place(struct places *list, const struct place *p)
{
	if (list->n == list->room) {
		list->room = list->room ? list->room * 2 : 1024;
		list->item = realloc(list->item,
				     list->room * sizeof(*list->item));
		assert_non_null(list->item);
	}
	list->item[list->n++] = *p;
}

/* Brute force */

static bool closed(const struct torus *t, uint32_t d, uint32_t extent)
{
	return extent == 1 || extent == 2 ||
	       (t->wrap[d] && extent == t->size[d]);
}

/* Is every node of the box in the map? From dimension d on. */
static bool all_in(const struct torus *t, const struct place *p,
		   const uint64_t *map, uint32_t d, uint32_t index,
		   uint32_t weight)
{
	if (d == t->dims)
		return map[index / 64] >> (index % 64) & 1;
	for (uint32_t k = 0; k < p->extent[d]; k++) {
		uint32_t c = (p->base[d] + k) % t->size[d];

		if (!all_in(t, p, map, d + 1, index + c * weight,
			    weight * t->size[d]))
			return false;
	}
	return true;
}

/* All bases of a box: those of a dimension covered whole are one and the
 * same; an open dimension must not be left. list NULL: is there one? */
static bool each_base(const struct torus *t, struct place *p,
		      const uint64_t *map, uint32_t d, struct places *list)
{
	bool any = false;

	if (d == t->dims) {
		if (!all_in(t, p, map, 0, 0, 1))
			return false;
		if (list)
			add_place(list, p);
		return true;
	}
	for (uint32_t b = 0; b < t->size[d] && (list || !any); b++) {
		if (p->extent[d] == t->size[d] && b > 0)
			continue;
		if (!t->wrap[d] && b + p->extent[d] > t->size[d])
			continue;
		p->base[d] = b;
		any |= each_base(t, p, map, d + 1, list);
	}
	return any;
}

/* May these axes lie as p->axis says? */
static bool lies_well(const struct torus *t, const struct torus_ask *ask,
		      struct place *p)
{
	uint32_t dim_of[DIMS], placed = 0, axes = ask->shape.axes;

	for (uint32_t d = 0; d < t->dims; d++) {
		int a = p->axis[d];

		p->extent[d] = 1;
		if (a < 0)
			continue;
		p->extent[d] = ask->shape.extent[a];
		dim_of[a] = d;
		placed++;
		if (p->extent[d] > t->size[d])
			return false;
		if (!ask->rotate && (uint32_t)a != d)
			return false;
		if (ask->connection[a] == TORUS_CONN_TORUS &&
		    !closed(t, d, p->extent[d]))
			return false;
	}
	if (ask->rotate && axes == 1 && ask->shape.extent[0] == 1)
		return placed == 0;
	if (placed != axes)
		return false;
	/* of axes that are alike, the lower lies in the lower dimension */
	for (uint32_t a = 0; a < axes && ask->rotate; a++) {
		for (uint32_t b = a + 1; b < axes; b++) {
			if (ask->shape.extent[a] == ask->shape.extent[b] &&
			    ask->connection[a] == ask->connection[b] &&
			    dim_of[a] > dim_of[b])
				return false;
		}
	}
	return true;
}

static bool each_orientation(const struct torus *t, const struct torus_ask *ask,
			     struct place *p, uint32_t d, const uint64_t *map,
			     struct places *list)
{
	bool any = false;

	if (d == t->dims)
		return lies_well(t, ask, p) && each_base(t, p, map, 0, list);
	for (int a = -1; a < (int)ask->shape.axes; a++) {
		bool used = false;

		for (uint32_t b = 0; b < d && a >= 0; b++)
			used |= p->axis[b] == a;
		if (used)
			continue;
		p->axis[d] = a;
		any |= each_orientation(t, ask, p, d + 1, map, list);
	}
	return any;
}

/* Boxes of `left` more nodes. */
static bool each_box(const struct torus *t, bool rings, struct place *p,
		     uint32_t d, uint32_t left, const uint64_t *map,
		     struct places *list)
{
	bool any = false;
	int axes = 0;

	if (d == t->dims) {
		if (left != 1)
			return false;
		for (uint32_t i = 0; i < t->dims; i++)
			p->axis[i] = p->extent[i] > 1 ? axes++ : -1;
		return each_base(t, p, map, 0, list);
	}
	for (uint32_t e = 1; e <= t->size[d]; e++) {
		if (left % e || (rings && !closed(t, d, e)))
			continue;
		p->extent[d] = e;
		any |= each_box(t, rings, p, d + 1, left / e, map, list);
	}
	return any;
}

/* The smallest box volume >= count that the empty machine holds; 0: none. */
static uint32_t realizable(const struct problem *q)
{
	struct place p = { 0 };
	bool rings = q->ask.connection[0] == TORUS_CONN_TORUS;

	for (uint32_t v = q->ask.count; v <= q->t.nodes; v++) {
		if (each_box(&q->t, rings, &p, 0, v, q->present, NULL))
			return v;
	}
	return 0;
}

/* Is there a place in the map? list NULL or all of them. */
static bool brute_force(const struct problem *q, uint32_t volume,
			const uint64_t *map, struct places *list)
{
	struct place p = { 0 };

	if (!q->ask.by_count)
		return each_orientation(&q->t, &q->ask, &p, 0, map, list);
	return volume &&
	       each_box(&q->t, q->ask.connection[0] == TORUS_CONN_TORUS, &p, 0,
			volume, map, list);
}

/* '-' before 0 before 1; then base, then extent. */
static int compare(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	for (int d = 0; d < DIMS; d++) {
		if (a->axis[d] != b->axis[d])
			return a->axis[d] < b->axis[d] ? -1 : 1;
	}
	for (int d = 0; d < DIMS; d++) {
		if (a->base[d] != b->base[d])
			return a->base[d] < b->base[d] ? -1 : 1;
	}
	for (int d = 0; d < DIMS; d++) {
		if (a->extent[d] != b->extent[d])
			return a->extent[d] < b->extent[d] ? -1 : 1;
	}
	return 0;
}

/* What makes one place better than another */

/* Axes with letter N that are rings. */
static int rings_of(const struct problem *q, const struct place *p)
{
	int rings = 0;

	for (uint32_t d = 0; d < q->t.dims; d++)
		rings += p->axis[d] >= 0 &&
			 q->ask.connection[p->axis[d]] == TORUS_CONN_NAV &&
			 closed(&q->t, d, p->extent[d]);
	return rings;
}

static double line_hops(uint32_t extent, bool ring)
{
	double sum = 0;

	for (uint32_t i = 0; i < extent; i++) {
		uint32_t away = ring && extent - i < i ? extent - i : i;

		sum += ring ? away : 2.0 * away * (extent - i) / extent;
	}
	return sum / extent;
}

/* Mean distance of two nodes of the box. */
static double hops_of(const struct torus *t, const struct place *p)
{
	double hops = 0;

	for (uint32_t d = 0; d < t->dims; d++)
		hops += line_hops(p->extent[d],
				  t->wrap[d] && p->extent[d] == t->size[d]);
	return hops;
}

static bool is_best(const struct problem *q, const struct places *list,
		    const struct place *got)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct place *p = &list->item[i];

		if (q->ask.by_count ?
			    hops_of(&q->t, p) < hops_of(&q->t, got) - 1e-4 :
			    rings_of(q, p) > rings_of(q, got))
			return false;
	}
	return true;
}

/* Judging the answers */

static struct place place_of(const struct torus *t,
			     const struct torus_placement *out)
{
	struct place p = { 0 };

	for (uint32_t d = 0; d < t->dims; d++) {
		p.axis[d] = out->orientation.axis[d];
		p.base[d] = out->region.base[d];
		p.extent[d] = out->region.extent[d];
	}
	return p;
}

static const char *judge_fields(const struct problem *q, uint32_t volume,
				const struct torus_placement *out)
{
	struct place p = place_of(&q->t, out);
	uint32_t ring = 0, axes = 0;

	for (uint32_t d = 0; d < DIMS; d++) {
		if (out->region.stride[d] != 1)
			return "the stride is not 1";
		if (d >= q->t.dims &&
		    (out->region.base[d] != 0 || out->region.extent[d] != 1))
			return "entries beyond the dimensions are not 0 and 1";
	}
	for (uint32_t d = 0; d < q->t.dims; d++) {
		if (p.axis[d] < 0)
			continue;
		axes++;
		if (closed(&q->t, d, p.extent[d]))
			ring |= 1u << p.axis[d];
	}
	if (axes == 0)
		axes = ring = 1;
	if (out->scattered || out->orientation.folded)
		return "scattered or folded";
	if (out->axes != axes)
		return "wrong number of axes";
	if (out->ring != ring)
		return "wrong rings";
	if (out->granted != volume)
		return "wrong number of nodes granted";
	return NULL;
}

static const struct torus_strategy *submesh;

static const char *judge_find(const struct problem *q, void *self,
			      const struct places *list, uint32_t volume)
{
	struct torus_placement out;
	struct torus_error why = { 0 };
	uint64_t usable[MOST_WORDS];
	enum torus_answer answer;
	struct place got;

	memcpy(usable, q->usable, sizeof(usable));
	answer = submesh->find(self, &q->ask, usable, &out, &why);
	if (memcmp(usable, q->usable, sizeof(usable)) != 0)
		return "find() wrote to the map";
	if (why.count != (answer == TORUS_NEVER))
		return "a reason must come with NEVER, and only then";
	if ((answer == TORUS_FITS) != (list->n > 0))
		return list->n > 0 ? "did not find the place there is" :
				     "found a place where there is none";
	if (answer == TORUS_FITS) {
		got = place_of(&q->t, &out);
		if (!bsearch(&got, list->item, list->n, sizeof(got), compare))
			return "the place is not one of the possible";
		if (!is_best(q, list, &got))
			return "there is a better place";
		return judge_fields(q, volume, &out);
	}
	if ((answer == TORUS_NEVER) == brute_force(q, volume, q->present, NULL))
		return answer == TORUS_NEVER ?
			       "NEVER, but the empty machine holds it" :
			       "NOT_NOW, but the empty machine does not hold it";
	return NULL;
}

struct listing {
	const struct problem *q;
	const struct places *list;
	uint32_t volume;
	size_t n;
	const char *fault;
};

static bool compare_next(void *arg, const struct torus_placement *place)
{
	struct listing *l = arg;
	struct place p = place_of(&l->q->t, place);

	if (l->n >= l->list->n)
		l->fault = "find_all() lists more than there are";
	else if (compare(&p, &l->list->item[l->n]) != 0)
		l->fault = "find_all() differs in place or order";
	else
		l->fault = judge_fields(l->q, l->volume, place);
	l->n++;
	return !l->fault;
}

/* What is wrong with the answers to this problem? NULL: nothing. */
static const char *judge(const struct problem *q, void *self)
{
	struct places list = { 0 };
	struct listing l = { .q = q, .list = &list };
	uint32_t volume = q->ask.by_count ? realizable(q) :
					    (uint32_t)torus_ask_nodes(&q->ask);
	const char *fault;

	brute_force(q, volume, q->usable, &list);
	if (list.n)
		qsort(list.item, list.n, sizeof(*list.item), compare);
	fault = judge_find(q, self, &list, volume);
	if (!fault) {
		l.volume = volume;
		submesh->find_all(self, &q->ask, q->usable, compare_next, &l);
		fault = l.fault;
		if (!fault && l.n < list.n)
			fault = "find_all() lists fewer than there are";
	}
	free(list.item);
	return fault;
}

static void *create(const struct problem *q)
{
	void *self = submesh->create(&q->t, q->partial ? q->present : NULL,
				     &(struct torus_options){ 0 });

	assert_non_null(self);
	return self;
}

static const char *judge_fresh(const struct problem *q)
{
	void *self = create(q);
	const char *fault = judge(q, self);

	submesh->destroy(self);
	return fault;
}

/* Showing a failure */

static void shrink(struct problem *q)
{
	bool again = true;

	while (again) {
		again = false;
		for (uint32_t i = 0; i < q->t.nodes; i++) {
			struct problem less = *q;

			torus_bits_clear(less.usable, i);
			if (torus_bits_test(q->usable, i) && judge_fresh(&less)) {
				*q = less;
				again = true;
			}
		}
	}
}

static void show(const struct problem *q, const char *fault)
{
	static const char letter[] = { 'N', 'T', 'M' };
	char machine[TORUS_STRING_SIZE], shape[96];
	struct torus_text usable = { 0 }, present = { 0 };
	char letters[DIMS + 1] = "";

	torus_format(&q->t, machine, sizeof(machine));
	torus_shape_format(&q->ask.shape, shape, sizeof(shape));
	if (q->ask.by_count)
		snprintf(shape, sizeof(shape), "%u nodes", q->ask.count);
	for (uint32_t a = 0; a < (q->ask.by_count ? 1 : q->ask.shape.axes); a++)
		letters[a] = letter[q->ask.connection[a]];
	torus_nodes_format(&usable, &q->t, q->usable);
	torus_nodes_format(&present, &q->t, q->present);
	print_error("%s: ask %s %s%s on %s, usable %s, present %s\n", fault,
		    shape, letters, q->ask.rotate ? "" : " pinned", machine,
		    usable.data, q->partial ? present.data : "all");
	torus_text_free(&usable);
	torus_text_free(&present);
}

/* Random problems */

static void random_ask(struct random *r, const struct torus *t,
		       struct torus_ask *ask)
{
	uint32_t most = 1, pinned, kept = 0;
	bool plain = random_percent(r, 50);

	for (uint32_t d = 0; d < t->dims; d++)
		most = t->size[d] > most ? t->size[d] : most;
	*ask = (struct torus_ask){ .rotate = true, .end_us = INT64_MAX };
	for (int a = 0; a < DIMS && !plain; a++)
		ask->connection[a] = (uint8_t)random_below(r, 3);
	ask->by_count = random_percent(r, 25);
	if (ask->by_count) {
		ask->count = 1 + random_below(r, random_percent(r, 50) ?
							 t->nodes + 2 :
							 most * 2);
		return;
	}
	pinned = random_percent(r, 25);
	ask->rotate = !pinned;
	ask->shape.axes = 1 + random_below(r, t->dims + !pinned);
	if (ask->shape.axes > DIMS)
		ask->shape.axes = DIMS;
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		uint32_t like = t->size[random_below(r, t->dims)];
		uint32_t e = random_percent(r, 20) ? like :
			     random_percent(r, 8)  ? like + 1 :
						     1 + random_below(r, like);

		if (random_percent(r, 30))
			e = 1 + random_below(r, 2);
		if (pinned || e > 1)
			ask->shape.extent[kept++] = e;
	}
	if (kept == 0)
		ask->shape.extent[kept++] = 1;
	ask->shape.axes = kept;
}

/* Busy nodes: single ones, or boxes as jobs leave them. */
static void random_usable(struct random *r, struct problem *q)
{
	static const uint32_t percent[] = { 0, 3, 10, 20, 35, 50, 70, 90, 100 };
	uint32_t p = percent[random_below(r, 9)];

	memcpy(q->usable, q->present, sizeof(q->usable));
	if (random_percent(r, 60)) {
		for (uint32_t i = 0; i < q->t.nodes; i++) {
			if (random_percent(r, p))
				torus_bits_clear(q->usable, i);
		}
		return;
	}
	for (uint32_t n = random_below(r, 6); n > 0; n--) {
		struct torus_region box;

		torus_region_whole(&box, &q->t);
		for (uint32_t d = 0; d < q->t.dims; d++) {
			uint32_t size = q->t.size[d];

			box.extent[d] = 1 + random_below(r, size);
			box.base[d] =
				random_below(r,
					     q->t.wrap[d] ?
						     size :
						     size - box.extent[d] + 1);
		}
		torus_region_erase(&box, &q->t, q->usable);
	}
}

static void random_present(struct random *r, struct problem *q)
{
	memset(q->present, 0, sizeof(q->present));
	torus_bits_set_range(q->present, 0, q->t.nodes);
	q->partial = random_percent(r, 25);
	for (uint32_t i = 0; i < q->t.nodes && q->partial; i++) {
		if (random_percent(r, 10))
			torus_bits_clear(q->present, i);
	}
}

static uint64_t problems;

static void try_machine(struct random *r, const struct torus *t, uint32_t rounds)
{
	struct problem q = { .t = *t };
	const char *fault;
	void *self;

	random_present(r, &q);
	self = create(&q);
	for (uint32_t i = 0; i < rounds; i++, problems++) {
		random_ask(r, t, &q.ask);
		random_usable(r, &q);
		fault = judge(&q, self);
		if (fault) {
			if (judge_fresh(&q)) {
				shrink(&q);
				fault = judge_fresh(&q);
			}
			show(&q, fault);
			fail();
		}
	}
	submesh->destroy(self);
}

/* Every size 1..4 in dims dimensions with every combination of wraps. */
static void every_small(void **state)
{
	struct random r = { *(uint64_t *)*state };
	uint32_t rounds = random_effort(60, 12);

	for (uint32_t dims = 1; dims <= 3; dims++) {
		for (uint32_t i = 0; i < 1u << 3 * dims; i++) {
			uint32_t size[3], code = i;
			bool wrap[3];
			struct torus t;

			for (uint32_t d = 0; d < dims; d++, code /= 8) {
				size[d] = 1 + code % 4;
				wrap[d] = code / 4 % 2;
			}
			assert_int_equal(torus_init(&t, "torus", dims, size,
						    wrap, NULL),
					 0);
			try_machine(&r, &t, rounds);
		}
	}
}

static void try_strings(struct random *r, const char *const *string, size_t n,
			uint32_t rounds)
{
	for (size_t i = 0; i < n; i++) {
		struct torus t;

		assert_int_equal(torus_parse(&t, string[i], NULL), 0);
		assert_true(t.nodes <= MOST_NODES);
		for (uint32_t wraps = 0; wraps < 1u << t.dims; wraps++) {
			for (uint32_t d = 0; d < t.dims; d++)
				t.wrap[d] = wraps >> d & 1;
			try_machine(r, &t, rounds);
		}
	}
}

static void issue_sizes(void **state)
{
	static const char *const string[] = { "3x5x2", "2x2x2x2x2" };
	struct random r = { *(uint64_t *)*state + 1 };

	try_strings(&r, string, 2, random_effort(300, 10));
}

/* How dimensions lie in words: whole words, parts of one, across words. */
static void word_layouts(void **state)
{
	static const char *const string[] = {
		"64x3",   "5x13x3", "65x2",    "128x3x2",  "16x8x4",
		"3x64x2", "7x9",    "63x2",    "32x2x3",   "2x32x3",
		"127",    "130",    "192x3",   "1x64x2x2", "4x16x5",
		"8x8x8",  "33x31",  "128x2",   "3x1x43x2", "2x1x3x2x1x2x2x2",
		"6x6x6",  "24x3x8", "12x16x3", "257x3",    "2x2x2x6x8",
		"11x11",  "1x1x1",  "64",      "96x2x2",
	};
	struct random r = { *(uint64_t *)*state + 2 };

	try_strings(&r, string, sizeof(string) / sizeof(*string),
		    random_effort(16, 10));
}

static int finish(void **state)
{
	(void)state;
	printf("# %llu problems\n", (unsigned long long)problems);
	return 0;
}

int main(void)
{
	uint64_t seed = random_seed("prop_submesh");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(every_small, &seed),
		cmocka_unit_test_prestate(issue_sizes, &seed),
		cmocka_unit_test_prestate(word_layouts, &seed),
	};

	submesh = torus_strategy_find("submesh");
	return cmocka_run_group_tests(tests, NULL, finish) ? EXIT_FAILURE :
							     EXIT_SUCCESS;
}
