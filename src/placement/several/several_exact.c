/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact search for several regions (state_find.h). No allocation. */
#include "placement/several/several.h"

/* Return the bits of a bitmap from `low` on. */
static uint32_t exact_bits_from(const uint64_t *map, uint32_t words,
				uint32_t low)
{
	uint32_t w = low / 64;

	return torus_bits_ones(map[w] >> low % 64) +
	       torus_bits_count(map + w + 1, words - w - 1);
}

/* Return true if every required node below `low` is in a region. */
static bool exact_held(const struct several_search *x, uint32_t low)
{
	const struct torus_pod *pod = several_pod(x);
	const uint64_t *left = x->v->left + pod->first_word;
	uint32_t bit = x->required ?
			       torus_bits_next(x->required, pod->words, 0) :
			       UINT32_MAX;

	while (bit < low && !torus_bits_test(left, bit))
		bit = torus_bits_next(x->required, pod->words, bit + 1);
	return bit >= low;
}

/* Return the cache entry of the nodes from `low` on, whose key goes to *key;
 * NULL: none. With all required nodes below `low` in regions, the key says which
 * ones are missing. */
static struct several_failed *exact_memory(const struct several_search *x,
					   uint32_t low,
					   struct several_failed *key)
{
	const struct torus_pod *pod = several_pod(x);
	const uint64_t *left = x->v->left + pod->first_word;
	uint64_t hash = low;

	if (pod->words > SEVERAL_FAILED_WORDS || !exact_held(x, low))
		return NULL;
	memset(key, 0, sizeof(*key));
	for (uint32_t w = low / 64; w < pod->words; w++) {
		key->left[w] = left[w];
		if (w == low / 64)
			key->left[w] &= ~torus_bits_low(low % 64);
		hash = (hash ^ key->left[w]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return &x->v->failed[hash % SEVERAL_FAILED];
}

/* More regions fail as well, unless they could hold more required nodes. */
static bool exact_has_failed(const struct several_search *x,
			     const struct several_failed *entry,
			     const struct several_failed *key, uint32_t need)
{
	return entry && entry->need && entry->need <= need &&
	       (entry->need == need || !x->required) &&
	       memcmp(entry->left, key->left, sizeof(key->left)) == 0;
}

static bool exact_walk(struct several_search *x, uint32_t at);

/* Take a region and search the others among the places from `at` on. */
static bool exact_take(struct several_search *x,
		       const struct torus_region_item *item, uint32_t at)
{
	struct several *v = x->v;
	const struct torus_pod *pod = several_pod(x);

	if (!torus_region_inside(&item->region, &pod->torus,
				 v->left + pod->first_word))
		return false;
	several_take(x, item);
	if (exact_walk(x, at))
		return true;
	several_undo(x, v->answer.count - 1 - x->from);
	return false;
}

/* Check the bounds at a new lowest node: can `need` more regions still
 * follow? */
static bool exact_may_follow(const struct several_search *x, uint32_t low,
			     uint32_t need)
{
	const struct torus_pod *pod = several_pod(x);

	return exact_bits_from(x->v->left + pod->first_word, pod->words, low) /
			       x->nodes >=
		       need &&
	       exact_held(x, low);
}

/*
 * Choose x->want regions among the places from `at` on. Taking one leaves the
 * later places that are disjoint from it.
 */
static bool exact_walk(struct several_search *x, uint32_t at)
{
	struct several *v = x->v;
	uint32_t need = x->want - (v->answer.count - x->from);
	struct several_failed key, *entry = NULL;
	uint32_t low = UINT32_MAX;
	struct torus_region_item item;

	if (need == 0)
		return several_complete(x);
	if (at < v->places)
		entry = exact_memory(x, v->place[at].low, &key);
	if (exact_has_failed(x, entry, &key, need))
		return false;
	for (; at < v->places && !v->bounded; at++) {
		if (v->place[at].low != low &&
		    !exact_may_follow(x, low = v->place[at].low, need))
			break;
		v->bounded = ++x->steps > SEVERAL_STEPS || several_spend(x, 40);
		item = several_unpack(x, &v->place[at]);
		if (exact_take(x, &item, at + 1))
			return true;
	}
	if (entry && !v->bounded) {
		*entry = key;
		entry->need = need;
	}
	return false;
}

void several_exact_begin(struct several_search *x)
{
	struct several *v = x->v;
	const struct torus_pod *pod = several_pod(x);
	uint64_t *left = v->left + pod->first_word;
	uint64_t *outside = v->usable + pod->first_word;
	const uint64_t *cover = v->cover + pod->first_word;

	torus_bits_copy(outside, left, pod->words);
	torus_bits_andnot(outside, cover, pod->words);
	torus_bits_and(left, left, cover, pod->words);
}

void several_exact_end(struct several_search *x)
{
	const struct torus_pod *pod = several_pod(x);

	torus_bits_or(x->v->left + pod->first_word,
		      x->v->usable + pod->first_word, pod->words);
}

bool several_exact_with(struct several_search *x,
			const struct torus_region_item *item)
{
	return exact_take(x, item, 0);
}

bool several_exact(struct several_search *x)
{
	struct several *v = x->v;
	bool found;

	memset(v->failed, 0, sizeof(v->failed));
	/* Sort by the lowest node: a Shell sort, which allocates nothing. */
	for (uint32_t gap = v->places / 2; gap > 0; gap /= 2) {
		for (uint32_t i = gap; i < v->places; i++) {
			struct several_place here = v->place[i];
			uint32_t at = i;

			for (; at >= gap && v->place[at - gap].low > here.low;
			     at -= gap)
				v->place[at] = v->place[at - gap];
			v->place[at] = here;
		}
	}
	several_exact_begin(x);
	found = exact_walk(x, 0);
	several_exact_end(x);
	return found;
}
