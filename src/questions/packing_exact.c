/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exact search of a small torus (packing.h): sets of nodes as words,
 * results in a table with open addressing. Nodes in no place are removed first.
 */
#include <string.h>

#include "questions/packing.h"
#include "torus/alloc.h"
#include "torus/bits.h"

struct packing_exact {
	uint64_t *place;    /* sorted by the lowest node */
	uint32_t first[65]; /* index of the first place with each lowest node */
	uint32_t least;     /* nodes of the smallest place */
	uint64_t *key;      /* 0: empty */
	uint8_t *value;
	uint64_t room, used, steps;
	bool lacking, over;
};

static uint64_t packing_exact_slot(const struct packing_exact *e, uint64_t key)
{
	uint64_t i = key * UINT64_C(0x9e3779b97f4a7c15);

	for (i = (i ^ i >> 32) & (e->room - 1); e->key[i] && e->key[i] != key;)
		i = (i + 1) & (e->room - 1);
	return i;
}

static bool packing_exact_grow(struct packing_exact *e)
{
	struct packing_exact old = *e;

	e->room = e->room ? e->room * 4 : 4096;
	e->key = torus_alloc(e->room, sizeof(*e->key));
	e->value = torus_alloc(e->room, sizeof(*e->value));
	e->lacking = !e->key || !e->value;
	for (uint64_t i = 0; !e->lacking && i < old.room; i++) {
		uint64_t slot = packing_exact_slot(e, old.key[i]);

		if (!old.key[i])
			continue;
		e->key[slot] = old.key[i];
		e->value[slot] = old.value[i];
	}
	torus_free(old.key);
	torus_free(old.value);
	return !e->lacking;
}

static uint32_t packing_exact_most(struct packing_exact *e, uint64_t left)
{
	uint32_t bound = torus_bits_ones(left) / e->least, most = 0, low;
	uint64_t slot;
	uint64_t at;

	if (bound == 0 || e->lacking || e->over)
		return 0;
	slot = packing_exact_slot(e, left);
	if (e->key[slot])
		return e->value[slot];
	e->over = ++e->steps > PACKING_STEPS;
	low = (uint32_t)__builtin_ctzll(left);
	for (uint32_t p = e->first[low]; p < e->first[low + 1] && most < bound;
	     p++) {
		uint32_t count;

		if (e->place[p] & ~left)
			continue;
		count = 1 + packing_exact_most(e, left & ~e->place[p]);
		if (count > most)
			most = count;
	}
	if (most < bound) {
		uint32_t count = packing_exact_most(e, left & (left - 1));

		if (count > most)
			most = count;
	}
	if (e->used * 2 < e->room || packing_exact_grow(e)) {
		at = packing_exact_slot(e, left);
		e->used += e->key[at] == 0;
		e->key[at] = left;
		e->value[at] = (uint8_t)most;
	}
	return most;
}

/* Convert the places to words, sorted by their lowest nodes. */
static uint64_t packing_exact_sort(struct packing_exact *e,
				   const struct packing_lists *l)
{
	uint64_t all = 0, *word = e->place + l->places;
	uint32_t at[65] = { 0 };

	e->least = 64;
	for (uint32_t p = 0; p < l->places; p++) {
		word[p] = 0;
		for (uint32_t i = l->first[p]; i < l->first[p + 1]; i++)
			word[p] |= UINT64_C(1) << l->node[i];
		if (torus_bits_ones(word[p]) < e->least)
			e->least = torus_bits_ones(word[p]);
		e->first[__builtin_ctzll(word[p]) + 1]++;
		all |= word[p];
	}
	for (int i = 0; i < 64; i++)
		e->first[i + 1] += e->first[i];
	memcpy(at, e->first, sizeof(at));
	for (uint32_t p = 0; p < l->places; p++)
		e->place[at[__builtin_ctzll(word[p])]++] = word[p];
	return all;
}

int packing_exact(const struct packing_lists *l, uint32_t *most)
{
	struct packing_exact e = {
		.place = torus_alloc(2 * (size_t)l->places + 1, sizeof(*e.place))
	};

	*most = 0;
	if (!e.place || !packing_exact_grow(&e))
		e.lacking = true;
	else if (l->places > 0)
		*most = packing_exact_most(&e, packing_exact_sort(&e, l));
	torus_free(e.place);
	torus_free(e.key);
	torus_free(e.value);
	return e.lacking ? -1 : !e.over;
}
