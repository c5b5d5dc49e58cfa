/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A strategy in a shared object, the lowest free nodes of any machine:
 *
 *	gcc -shared -fPIC -o first_nodes.so first_nodes.c $(pkg-config --cflags libtorus)
 *
 * Scattered nodes have no shape: use it to begin with, not on a torus in production.
 */
#include <stdlib.h>
#include <torus/policy.h>

struct first_nodes {
	uint32_t present, words;
	uint64_t nodes[];
};

static void *first_create(const struct torus *t, const uint64_t *present,
			  const struct torus_options *options)
{
	uint32_t words = torus_bits_words(t->nodes);
	struct first_nodes *f = calloc(1, sizeof(*f) + words * sizeof(uint64_t));

	(void)options;
	if (!f)
		return NULL;
	f->words = words;
	f->present = t->nodes;
	for (uint32_t i = 0; present && i < t->nodes; i++)
		f->present -= !(present[i / 64] >> i % 64 & 1);
	return f;
}

static enum torus_answer first_find(void *self, const struct torus_ask *ask,
				    const uint64_t *usable,
				    struct torus_placement *out,
				    struct torus_error *why)
{
	struct first_nodes *f = self;
	uint64_t want = torus_ask_nodes(ask), got = 0;

	(void)why;
	if (want > f->present)
		return TORUS_NEVER;
	for (uint32_t w = 0; w < f->words; w++) {
		f->nodes[w] = ask->required ? ask->required[w] : 0;
		got += (uint64_t)__builtin_popcountll(f->nodes[w]);
	}
	for (uint32_t i = 0; i < f->words * 64 && got < want; i++) {
		uint64_t bit = UINT64_C(1) << i % 64;

		if (usable[i / 64] & bit & ~f->nodes[i / 64]) {
			f->nodes[i / 64] |= bit;
			got++;
		}
	}
	if (got != want)
		return TORUS_NOT_NOW;
	*out = (struct torus_placement){ .scattered = true,
					 .granted = (uint32_t)got,
					 .nodes = f->nodes };
	return TORUS_FITS;
}

static const struct torus_strategy mine = {
	.name = "first-nodes",
	.scatters = true,
	.create = first_create,
	.destroy = free,
	.find = first_find,
};
TORUS_POLICY_STRATEGY(mine);
