/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of nodes, each stored once: most jobs of a partition may use the same
 * nodes, and the scheduler compares sets by their pointers. Jobs with -w or -x
 * add new sets all the time. So a sweep drops the sets that neither the latest
 * snapshot nor a job uses, when there are twice as many sets as the previous sweep
 * left. (A running job needs its set for the report of its end.)
 *
 * Cost: O(words) per set; a sweep O(sets + jobs).
 */
#include "live/base/hash.h"
#include "live/mirror/mirror.h"

#include <stddef.h>

#include "torus/alloc.h"

#define LEAST 32 /* no sweep below this number */

int node_sets_add(struct cycle *c, const uint64_t *map, const uint64_t **out)
{
	uint64_t hash = hash_map(map, c->m->words);
	struct node_set **bucket = &c->node_sets.bucket[hash % SET_BUCKETS];
	struct node_set *set = *bucket;

	while (set && (set->hash != hash ||
		       !torus_bits_equal(set->map, map, c->m->words)))
		set = set->chain;
	*out = NULL;
	if (torus_bits_subset(c->present, map, c->m->words))
		return 0;

	if (!set) {
		set = torus_alloc(1, sizeof(*set) + c->m->words * sizeof(*map));
		if (!set)
			return -1;
		set->hash = hash;
		torus_bits_copy(set->map, map, c->m->words);
		set->chain = *bucket;
		*bucket = set;
		c->node_sets.count++;
	}
	set->seen = c->number;
	*out = set->map;
	return 0;
}

static void note_use(const struct cycle *c, const uint64_t *map)
{
	struct node_set *set;

	if (!map)
		return;
	set = (struct node_set *)((uintptr_t)map -
				  offsetof(struct node_set, map));
	set->seen = c->number;
}

/* Note the nodes with which an entry's end will be reported. */
static void note_end_nodes(const struct cycle *c, const struct mirror_entry *e)
{
	note_use(c, e->submitted_allowed);
	for (uint32_t i = 0; i < e->allowed_changes; i++)
		note_use(c, e->allowed_before[i].nodes);
}

void node_sets_sweep(struct cycle *c)
{
	struct node_sets *s = &c->node_sets;

	if (s->count < LEAST || s->count < 2 * s->swept_count)
		return;
	for (const struct mirror_entry *e = c->waiting.first; e; e = e->next) {
		note_use(c, e->allowed);
		note_use(c, e->job.allowed);
		if (e->required) {
			note_use(c, e->required->nodes);
			note_use(c, e->required->candidates);
			note_use(c, e->required->place);
		}
		note_end_nodes(c, e);
	}
	for (const struct mirror_entry *e = c->running.first; e; e = e->next)
		note_end_nodes(c, e);
	for (uint32_t b = 0; b < SET_BUCKETS; b++) {
		struct node_set **link = &s->bucket[b];
		struct node_set *set;

		while ((set = *link)) {
			if (set->seen == c->number) {
				link = &set->chain;
				continue;
			}
			*link = set->chain;
			torus_free(set);
			c->node_sets.count--;
		}
	}
	s->swept_count = s->count;
}

void node_sets_free(struct cycle *c)
{
	for (uint32_t b = 0; b < SET_BUCKETS; b++) {
		struct node_set *set = c->node_sets.bucket[b], *next;

		for (; set; set = next) {
			next = set->chain;
			torus_free(set);
		}
	}
}
