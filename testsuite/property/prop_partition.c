/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Non-Equal Partition against a model of its own: pieces as (offset, size)
 * with their siblings, no geometry. Whether there is a place must agree. And
 * find_all() of all partitions lists a box exactly if find() gives it when only its
 * nodes are allowed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "state_machines.h"
#include "torus/state.h"
#include "torus/state_find.h"

struct piece {
	uint32_t offset, size;
	int parent;
	enum {
		FREE,
		SPLIT,
		TAKEN,
		GONE
	} use;
};

struct model {
	struct piece piece[4096];
	int pieces;
};

/* Smallest free piece that holds it, lowest first; -1: none. */
static int model_find(const struct model *o, uint32_t size)
{
	int best = -1;

	for (int i = 0; i < o->pieces; i++) {
		const struct piece *p = &o->piece[i];
		const struct piece *b = &o->piece[best < 0 ? i : best];

		if (p->use == FREE && p->size >= size &&
		    (best < 0 || p->size < b->size ||
		     (p->size == b->size && p->offset < b->offset)))
			best = i;
	}
	return best;
}

static int model_new(struct model *o, uint32_t offset, uint32_t size, int parent)
{
	assert_true(o->pieces < 4096);
	o->piece[o->pieces] = (struct piece){ offset, size, parent, FREE };
	return o->pieces++;
}

/* Into the job's part, then m, 2m, 4m ... */
static int model_take(struct model *o, int id, uint32_t size)
{
	uint32_t offset = o->piece[id].offset, whole = o->piece[id].size;
	int job = id;

	if (whole > size) {
		o->piece[id].use = SPLIT;
		job = model_new(o, offset, size, id);
		for (uint32_t s = size; s < whole; s *= 2)
			model_new(o, offset + s, s, id);
	}
	o->piece[job].use = TAKEN;
	return job;
}

static void model_release(struct model *o, int id)
{
	o->piece[id].use = FREE;
	for (int up = o->piece[id].parent; up >= 0; up = o->piece[up].parent) {
		for (int i = 0; i < o->pieces; i++) {
			if (o->piece[i].parent == up &&
			    o->piece[i].use != FREE && o->piece[i].use != GONE)
				return;
		}
		for (int i = 0; i < o->pieces; i++) {
			if (o->piece[i].parent == up)
				o->piece[i].use = GONE;
		}
		o->piece[up].use = FREE;
	}
}

/* The roots: the odd dimension cut into powers of two, largest first. */
static void model_create(struct model *o, const struct torus *t)
{
	uint32_t odd = 0, rest, offset = 0;

	o->pieces = 0;
	for (uint32_t d = 0; d < t->dims; d++) {
		if (t->size[d] & (t->size[d] - 1))
			odd = d;
	}
	rest = t->nodes / t->size[odd];
	for (int b = 31; b >= 0; b--) {
		if (t->size[odd] >> b & 1) {
			model_new(o, offset, rest << b, -1);
			offset += rest << b;
		}
	}
}

static void compare_with_model(struct random *x, const char *machine)
{
	struct torus_machine m;
	struct model *o = malloc(sizeof(*o));
	struct pod_text pod[MOST_PODS] = { { machine, { "semitorus-nep" }, 0 } };
	struct torus_state *s;
	int piece[512];
	uint32_t slot[512], jobs = 0, roots_nodes = 0;

	assert_non_null(o);
	machine_build(&m, pod);
	s = torus_state_create(&m);
	assert_non_null(s);
	model_create(o, &m.pod[0].torus);
	for (int i = 0; i < o->pieces; i++)
		roots_nodes += o->piece[i].size;
	assert_int_equal(roots_nodes, m.nodes);
	for (int step = 0; step < 300; step++) {
		if (random_percent(x, 55)) {
			uint32_t log = random_below(x, 8), n = 1u << log;
			int id = model_find(o, n);
			struct torus_ask ask = {
				.by_count = true,
				.rotate = true,
				.count = n - random_below(x, n / 2 + 1),
				.end_us = INT64_MAX
			};
			struct torus_placement out;

			if (ask.count == n / 2 && n > 1)
				ask.count++;
			if ((torus_state_find(s, &ask, &out, NULL) ==
			     TORUS_FITS) != (id >= 0))
				fail_msg("%s: %u nodes at step %d: expected %s",
					 machine, ask.count, step,
					 id >= 0 ? "a place" : "none");
			if (id < 0 || jobs == 512)
				continue;
			assert_int_equal(out.granted, n);
			piece[jobs] = model_take(o, id, n);
			slot[jobs] = torus_state_commit(s, &out, 1, NULL, 0, 1,
							NULL);
			assert_int_not_equal(slot[jobs++], TORUS_NO_SLOT);
		} else if (jobs > 0) {
			uint32_t i = random_below(x, jobs);

			torus_state_release(s, slot[i], NULL);
			model_release(o, piece[i]);
			jobs--;
			piece[i] = piece[jobs];
			slot[i] = slot[jobs];
		}
		assert_true(torus_state_check(s, NULL));
	}
	torus_state_destroy(s);
	torus_machine_free(&m);
	free(o);
}

static void partition_model(void **state)
{
	static const char *const machine[] = {
		"2x4x4x8", "4x4x4", "2x2x2x6x8", "128", "7x8", "2^7",
	};
	struct random x = { *(uint64_t *)*state + 1 };
	uint32_t rounds = random_effort(40, 20);

	for (uint32_t i = 0; i < rounds; i++) {
		for (size_t k = 0; k < sizeof(machine) / sizeof(*machine); k++)
			compare_with_model(&x, machine[k]);
	}
}

/* The places of find_all(), by index of the base; their boxes are alike or not. */
struct listed {
	const struct torus *t;
	struct torus_region region[128];
	uint32_t count;
};

static bool list_place(void *arg, const struct torus_placement *place)
{
	struct listed *l = arg;

	assert_true(l->count < 128);
	l->region[l->count++] = place->region;
	return true;
}

/* The next box of 2^log nodes with sides that are powers of two; *k counts. */
static bool box_next(const struct torus *t, uint32_t nodes, uint32_t *k,
		     struct torus_region *r)
{
	for (; *k < t->nodes * 125; ++*k) {
		uint32_t left = *k / t->nodes;

		torus_region_whole(r, t);
		torus_coord(t, *k % t->nodes, r->base);
		for (uint32_t d = 0; d < t->dims; d++) {
			r->extent[d] = 1u << left % 5;
			left /= 5;
		}
		if (left == 0 && torus_region_check(r, t, NULL) == 0 &&
		    torus_region_nodes(r, t) == nodes) {
			++*k;
			return true;
		}
	}
	return false;
}

static void list_and_ask(struct torus_state *s, const struct torus *t,
			 uint32_t nodes)
{
	struct torus_ask ask = { .by_count = true,
				 .count = nodes,
				 .rotate = true,
				 .end_us = INT64_MAX };
	struct listed l = { .t = t };
	struct torus_region r;
	uint32_t given = 0, k = 0;

	torus_state_find_all(s, &ask, list_place, &l);
	while (box_next(t, nodes, &k, &r)) {
		uint64_t allowed[2] = { 0 };
		struct torus_placement out;
		bool listed = false, fits;

		torus_region_paint(&r, t, allowed);
		ask.allowed = allowed;
		fits = torus_state_find(s, &ask, &out, NULL) == TORUS_FITS &&
		       torus_region_equal(&out.region, &r, t);
		for (uint32_t i = 0; i < l.count; i++)
			listed |= torus_region_equal(&l.region[i], &r, t);
		assert_int_equal(fits, listed);
		given += fits;
	}
	assert_true(given >= l.count || l.count == 0);
}

static void each_place_that_may_be_given_is_listed(void **state)
{
	static const char *const names[] = { "semitorus-ep", "semitorus-nep",
					     "semitorus-buddy" };
	static const char *const machines[] = { "4x4x2", "4x6", "2x8:MT" };
	struct random x = { *(uint64_t *)*state };

	for (uint32_t i = 0; i < 9; i++) {
		struct torus_machine m = { 0 };
		struct torus_state *s;
		struct torus t;

		assert_int_equal(torus_parse(&t, machines[i / 3], NULL), 0);
		assert_int_equal(torus_machine_init(&m, &t,
						    torus_strategy_find(
							    names[i % 3]),
						    NULL, NULL),
				 0);
		s = torus_state_create(&m);
		assert_non_null(s);
		for (uint32_t k = 0; k < random_effort(6, 20); k++) {
			struct torus_ask ask = { .by_count = true,
						 .count = 1 +
							  random_below(&x, 6),
						 .rotate = true,
						 .end_us = INT64_MAX };
			struct torus_placement out;

			if (torus_state_find(s, &ask, &out, NULL) == TORUS_FITS)
				torus_state_commit(s, &out, k, NULL, 0,
						   1 + random_below(&x, 9),
						   NULL);
			if (torus_state_holds(s) > 2)
				torus_state_release(s, torus_state_by_end(s, 0),
						    NULL);
			list_and_ask(s, &m.pod[0].torus,
				     1u << random_below(&x, 4));
		}
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

int main(void)
{
	uint64_t seed = random_seed("prop_partition");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(partition_model, &seed),
		cmocka_unit_test_prestate(each_place_that_may_be_given_is_listed,
					  &seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
