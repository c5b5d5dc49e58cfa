/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brute force for several regions: every box of a problem, each vertex and link
 * looked up by its coordinates, and all sets of disjoint ones.
 */
#ifndef SEVERAL_BRUTE_H
#define SEVERAL_BRUTE_H

#include <stdlib.h>
#include <string.h>

#include "torus/bits.h"
#include "torus/regions.h"
#include "units_problem.h"

#define WORDS 14 /* two toruses, up to three nodes per vertex */
#define BOXES 20000
#define STEPS 400000

struct pod {
	struct units_torus u;
	uint32_t first; /* machine bit of its first node */
};

struct set {
	uint64_t word[WORDS];
};

struct box {
	struct set nodes;
	uint32_t low, pod, rings; /* rings that are preferred */
	uint32_t base[DIMS], extent[DIMS];
};

struct problem {
	uint32_t pods;
	struct pod pod[2];
	struct torus_ask ask; /* its required nodes: */
	struct set busy, required;
};

static struct {
	struct box box[BOXES];
	uint32_t n;
	bool over;
} brute;

static uint32_t brute_steps;

static void brute_add(const struct problem *x, uint32_t pod,
		      const uint32_t *base, const uint32_t *extent,
		      uint32_t rings)
{
	const struct units_torus *u = &x->pod[pod].u;
	struct box box = { .pod = pod, .rings = rings };
	uint32_t at[DIMS], off[DIMS] = { 0 };

	memcpy(box.base, base, u->dims * sizeof(*base));
	memcpy(box.extent, extent, u->dims * sizeof(*extent));
	do {
		for (uint32_t d = 0; d < u->dims; d++)
			at[d] = (base[d] + off[d]) % u->size[d];
		for (uint32_t k = 0; k < u->per_vertex; k++)
			torus_bits_set(box.nodes.word,
				       x->pod[pod].first + units_node(u, at) +
					       k);
	} while (units_step(u, off, extent));
	if (torus_bits_meet(box.nodes.word, x->busy.word, WORDS))
		return;
	if (brute.n == BOXES) {
		brute.over = true;
		return;
	}
	box.low = torus_bits_next(box.nodes.word, WORDS, 0);
	brute.box[brute.n++] = box;
}

/* must: dimensions that have to be rings, a bit each; used: those with an
 * axis. */
static void brute_bases(const struct problem *x, uint32_t pod,
			const uint32_t *extent, uint32_t must, uint32_t used)
{
	const struct units_torus *u = &x->pod[pod].u;
	uint32_t base[DIMS] = { 0 };
	bool ring[DIMS];

	do {
		bool legal = units_base(u, x->ask.weak, base, extent, ring);

		uint32_t rings = 0;

		for (uint32_t d = 0; d < u->dims && legal; d++) {
			legal = ring[d] || !(must >> d & 1);
			rings += ring[d] && (used & ~must) >> d & 1;
		}
		if (legal)
			brute_add(x, pod, base, extent, rings);
	} while (units_step(u, base, u->size));
}

/* Lay axis a and those after it along unused dimensions, equal boxes more than
 * once. */
static void brute_axes(const struct problem *x, uint32_t pod, uint32_t a,
		       uint32_t used, uint32_t *extent)
{
	const struct units_torus *u = &x->pod[pod].u;
	const struct torus_ask *ask = &x->ask;
	bool ring = ask->connection[0] == TORUS_CONN_TORUS; /* of all axes, or */

	if (a == ask->shape.axes || (ask->rotate && ask->shape.axes == 1 &&
				     ask->shape.extent[0] == 1)) {
		uint32_t must = 0;

		for (uint32_t d = 0; d < u->dims; d++) {
			if (extent[d] % u->grain[d])
				return;
			if (!ask->rotate)
				ring = d < ask->shape.axes &&
				       ask->connection[d] == TORUS_CONN_TORUS;
			must |= (uint32_t)(ring && used >> d & 1) << d;
		}
		brute_bases(x, pod, extent, must, used);
		return;
	}
	for (uint32_t d = 0; d < u->dims; d++) {
		if (used >> d & 1 || (!ask->rotate && d != a) ||
		    ask->shape.extent[a] > u->size[d] ||
		    (ask->connection[a] == TORUS_CONN_TORUS &&
		     !units_ring(u, d, ask->shape.extent[a])))
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

/* A set of `need` disjoint boxes from `at` on, clear of `taken`, that with them
 * holds all required nodes. */
static bool brute_search(const struct problem *x, uint32_t at, uint32_t need,
			 const struct set *taken)
{
	uint32_t size;

	if (need == 0)
		return torus_bits_subset(x->required.word, taken->word, WORDS);
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
		if (brute_search(x, at + 1, need - 1, &next))
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
	found = brute_search(x, 0, x->ask.regions, &none);
	return !found && (brute.over || brute_steps > STEPS) ? -1 : found;
}

#endif
