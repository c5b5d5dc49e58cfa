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

/* Write which links the ask has to avoid: "down (2) or weak (1)". Return false if
 * there are none. */
static bool explain_name_links(const struct torus_state *s,
			       const struct torus_ask *ask, char *text,
			       size_t size)
{
	const struct torus_link_list *links = torus_state_links(s);
	uint32_t down = 0, weak = 0;
	size_t used = 0;

	for (uint32_t i = 0; i < links->count; i++) {
		down += links->link[i].health == TORUS_LINK_DOWN;
		weak += links->link[i].health == TORUS_LINK_WEAK && !ask->weak;
	}
	if (down)
		used = (size_t)snprintf(text, size, "down (%u)", down);
	if (weak)
		snprintf(text + used, size - used, "%sweak (%u)",
			 down ? " or " : "", weak);
	return down || weak;
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
	char shape[TORUS_MAX_DIMS * 11 + 12], links[48];

	explain_name_ask(ask, shape, sizeof(shape));
	if (nodes < want)
		torus_error_add(why,
				"%s needs %llu nodes, but may use %u (its partition, reservation, -x)",
				shape, (unsigned long long)want, nodes);
	else if (free < want)
		torus_error_add(why,
				"%s needs %llu nodes, %u are free (%u held by jobs, %u out of service)",
				shape, (unsigned long long)want, free,
				nodes - out - free, out);
	else if (explain_name_links(s, ask, links, sizeof(links)))
		torus_error_add(why,
				"%u nodes are free, but no place for %s among them that avoids the links that are %s",
				free, shape, links);
	else
		torus_error_add(why,
				"fragmentation: %u nodes are free, but no place for %s among them",
				free, shape);
}
