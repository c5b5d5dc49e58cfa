/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `flat`: any free nodes, lowest index first. The baseline for topology-aware
 * strategies. It ignores topology; a shape counts only by its volume.
 *
 * The loop is compiled twice, for processors that count bits and for any.
 *
 * Cost: O(words from the first usable node to the last one taken). The answer
 * says between which words its nodes lie, so that commit and release cost no
 * more. Memory: one bitmap.
 */
#include <stdio.h>

#include "placement/strategies.h"
#include "torus/alloc.h"

#define BLOCK 4 /* words */

struct flat {
	const struct torus *torus;
	/* flat_take() for the current processor */
	bool (*take)(struct flat *f, const struct torus_ask *ask,
		     const uint64_t *usable, uint32_t want);
	uint32_t words;
	uint32_t present;  /* nodes that exist */
	uint32_t from, to; /* words of the latest answer; all others are 0 */
	uint64_t nodes[];
};

/* Return the first word with a usable node, from word i on. */
static uint32_t flat_first(const struct flat *f, const uint64_t *usable,
			   uint32_t i)
{
	while (i < f->words && !usable[i])
		i++;
	return i;
}

/* Return the lowest n set bits of a word. */
static uint64_t flat_lowest(uint64_t word, uint32_t n)
{
	uint64_t low = 0;

	for (; n > 0; n--, word &= word - 1)
		low |= word & -word;
	return low;
}

/* Return the number of set bits. counts: the processor counts bits. */
static inline uint32_t flat_ones(uint64_t word, bool counts)
{
	return counts ? (uint32_t)__builtin_popcountll(word) :
			torus_bits_ones(word);
}

/* Take blocks of words from word i on while all their nodes are wanted. Return
 * the word after them. */
static inline __attribute__((always_inline)) uint32_t
flat_take_blocks(struct flat *f, const uint64_t *usable, uint32_t i,
		 uint32_t *want, bool counts)
{
	for (; i + BLOCK <= f->words; i += BLOCK) {
		uint32_t here = 0;

		for (uint32_t k = i; k < i + BLOCK; k++)
			here += flat_ones(usable[k], counts);
		if (here >= *want)
			break;
		torus_bits_copy(f->nodes + i, usable + i, BLOCK);
		*want -= here;
	}
	return i;
}

/* Take the required nodes and the lowest other usable nodes, `want` in total.
 * Return false if there are fewer, or if a required node is not usable. */
static inline __attribute__((always_inline)) bool
flat_take(struct flat *f, const struct torus_ask *ask, const uint64_t *usable,
	  uint32_t want, bool counts)
{
	const uint64_t *required = ask->required;
	uint32_t i = flat_first(f, usable, ask->first_word), from;

	if (required && !torus_bits_subset(required, usable, f->words))
		return false;
	if (required)
		want -= torus_bits_count(required, f->words);
	from = i;
	if (!required)
		i = flat_take_blocks(f, usable, i, &want, counts);
	for (; want > 0 && i < f->words; i++) {
		uint64_t word = usable[i] & ~(required ? required[i] : 0);
		uint32_t here = flat_ones(word, counts);

		f->nodes[i] = here > want ? flat_lowest(word, want) : word;
		want -= here > want ? want : here;
	}
	torus_bits_zero_beside(f->nodes, f->from, f->to, from, i);
	f->from = from;
	f->to = i;
	if (required) {
		torus_bits_or(f->nodes, required, f->words);
		f->from = 0;
		f->to = f->words;
	}
	return want == 0;
}

static bool take_plain(struct flat *f, const struct torus_ask *ask,
		       const uint64_t *usable, uint32_t want)
{
	return flat_take(f, ask, usable, want, false);
}

#ifdef __x86_64__
__attribute__((target("popcnt"))) static bool
take_popcnt(struct flat *f, const struct torus_ask *ask, const uint64_t *usable,
	    uint32_t want)
{
	return flat_take(f, ask, usable, want, true);
}
#endif

static void *flat_create(const struct torus *t, const uint64_t *present,
			 const struct torus_options *options)
{
	uint32_t words = torus_bits_words(t->nodes);
	struct flat *f = torus_alloc(1, sizeof(*f) + words * sizeof(uint64_t));

	(void)options;
	if (!f)
		return NULL;
	f->torus = t;
	f->words = words;
	f->take = take_plain;
#ifdef __x86_64__
	if (__builtin_cpu_supports("popcnt"))
		f->take = take_popcnt;
#endif
	f->present = present ? torus_bits_count(present, words) : t->nodes;
	return f;
}

static enum torus_answer flat_find(void *self, const struct torus_ask *ask,
				   const uint64_t *usable,
				   struct torus_placement *out,
				   struct torus_error *why)
{
	struct flat *f = self;
	uint64_t want = torus_ask_nodes(ask);
	uint32_t axes = ask->by_count ? 1 : ask->shape.axes;

	/* flat has no rings */
	for (uint32_t a = 0; a < axes; a++) {
		if (ask->connection[a] == TORUS_CONN_TORUS &&
		    (ask->by_count ? ask->count : ask->shape.extent[a]) > 2) {
			torus_error_add(why,
					"%s has no topology, so no axis can be a closed ring; ask without --conn-type",
					f->torus->name);
			return TORUS_NEVER;
		}
	}
	if (want > f->present) {
		torus_error_add(why,
				"%s has only %u nodes, the job asks for %llu",
				f->torus->name, f->present,
				(unsigned long long)want);
		return TORUS_NEVER;
	}
	if (ask->required && torus_bits_count(ask->required, f->words) > want)
		return TORUS_NEVER;
	if (!f->take(f, ask, usable, (uint32_t)want))
		return TORUS_NOT_NOW;
	*out = (struct torus_placement){
		.scattered = true,
		.granted = (uint32_t)want,
		.axes = 1,
		.nodes = f->nodes,
		.from_word = f->from,
		.to_word = f->to,
	};
	return TORUS_FITS;
}

const struct torus_strategy torus_strategy_flat = {
	.name = "flat",
	.summary = "any free nodes, lowest index first (no topology)",
	.source = "baseline",
	.occupancy_only = true,
	.scatters = true,
	.complete = true,
	.links = true,
	.units = true,
	.create = flat_create,
	.destroy = torus_free,
	.find = flat_find,
};
