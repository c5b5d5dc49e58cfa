/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explain why a request that fits the empty machine has no place now
 * (torus_state_explain()). O(words).
 */
#include <stdio.h>

#include "placement/state.h"

static void explain_name_ask(const struct torus_ask *ask, char *text,
			     size_t size)
{
	struct torus_shape count = { .axes = 1, .extent = { ask->count } };

	size_t used = (size_t)torus_shape_format(ask->by_count ? &count :
								 &ask->shape,
						 text, size);

	if (torus_ask_several(ask) && used < size)
		snprintf(text + used, size - used, "*%u", ask->regions);
}

/* Return how many links are dead for the ask. */
static uint32_t explain_dead_links(const struct torus_state *s,
				   const struct torus_ask *ask)
{
	const struct torus_link_list *links = torus_state_links(s);
	uint32_t dead = 0;

	for (uint32_t i = 0; i < links->count; i++)
		dead += links->link[i].health == TORUS_LINK_DOWN || !ask->weak;
	return dead;
}

void torus_state_explain(const struct torus_state *s,
			 const struct torus_ask *ask, struct torus_error *why)
{
	const struct torus_machine *m = torus_state_machine(s);
	const struct torus_pod *last = &m->pod[m->pods - 1];
	bool inner = last->outside &&
		     !ask->anywhere; /* the ask excludes the outside nodes */
	uint32_t words = inner ? last->first_word : m->words;
	uint32_t nodes = torus_bits_count_both(s->present, ask->allowed, words);
	uint32_t free = torus_bits_count_both(torus_state_free_map(s),
					      ask->allowed, words);
	uint32_t out = torus_bits_count_both(torus_state_out_map(s),
					     ask->allowed, words);
	uint64_t want = torus_ask_nodes(ask);
	char shape[TORUS_MAX_DIMS * 11 + 12];

	explain_name_ask(ask, shape, sizeof(shape));
	if (free < want)
		torus_error_add(why,
				"%s needs %llu nodes, %u are free (%u held by jobs, %u out of service)",
				shape, (unsigned long long)want, free,
				nodes - out - free, out);
	else if (explain_dead_links(s, ask))
		torus_error_add(why,
				"%u nodes are free, but no place for %s among them that avoids the links that are down (%u)",
				free, shape, explain_dead_links(s, ask));
	else
		torus_error_add(why,
				"fragmentation: %u nodes are free, but no place for %s among them",
				free, shape);
}
