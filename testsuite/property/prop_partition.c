/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Non-Equal Partition against a model of its own: pieces as (offset, size)
 * with their siblings, no geometry. Whether there is a place must agree.
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

int main(void)
{
	uint64_t seed = random_seed("prop_partition");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(partition_model, &seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
