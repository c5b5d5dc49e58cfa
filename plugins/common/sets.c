/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of nodes, each kept once: most jobs of a partition may use the same
 * nodes, and the scheduler knows them as equal by their pointer. They are kept
 * as long as the scheduler is: when many have gathered that nobody uses any
 * more (-w and -x make ever new ones), another cycle takes its place.
 */
#include "common/mirror.h"

#include "torus/alloc.h"

static uint64_t hash_of(const uint64_t *map, uint32_t words)
{
	uint64_t h = words;

	for (uint32_t i = 0; i < words; i++) {
		h = (h ^ map[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h;
}

int sets_get(struct sets *s, const uint64_t *map, const uint64_t **out)
{
	uint64_t hash = hash_of(map, s->words);
	struct set **bucket = &s->bucket[hash % SET_BUCKETS], *set;

	for (set = *bucket; set; set = set->chain) {
		if (set->hash == hash &&
		    torus_bits_equal(set->map, map, s->words)) {
			*out = set->map;
			return 0;
		}
	}
	set = torus_alloc(1, sizeof(*set) + s->words * sizeof(uint64_t));
	if (!set)
		return -1;
	set->hash = hash;
	torus_bits_copy(set->map, map, s->words);
	set->chain = *bucket;
	*bucket = set;
	s->count++;
	*out = set->map;
	return 0;
}

void sets_free(struct sets *s)
{
	for (uint32_t b = 0; b < SET_BUCKETS; b++) {
		struct set *set = s->bucket[b], *next;

		for (; set; set = next) {
			next = set->chain;
			torus_free(set);
		}
		s->bucket[b] = NULL;
	}
	s->count = 0;
}

bool cycle_worn(const struct cycle *c)
{
	return c->sets.count >= CYCLE_SETS &&
	       c->sets.count / 4 > c->waiting.entries;
}
