/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explain why a request that fits the empty machine has no place now
 * (torus_state_explain()). O(words).
 */
#include <stdio.h>
#include <string.h>

#include "torus/placement.h"
#include "torus/state_find.h"
#include "placement/state/state.h"

#define LINKS_NAMED 2
#define LINKS_TEXT_SIZE 112

/* Write "4x4x2*3", of one axis "4^1", or of a count "12 nodes". */
static void explain_name_ask(const struct torus_ask *ask, char *text,
			     size_t size)
{
	size_t used;

	if (ask->by_count) {
		snprintf(text, size, "%u node%s", ask->count,
			 ask->count == 1 ? "" : "s");
		return;
	}
	used = (size_t)torus_shape_format(&ask->shape, text, size);
	if (ask->shape.axes == 1 && used + 3 < size)
		used += (size_t)snprintf(text + used, size - used, "^1");
	if (torus_ask_several(ask) && used < size)
		snprintf(text + used, size - used, "*%u", ask->regions);
}

/* Return the link if the ask must avoid it. */
static const struct torus_link *explain_link(const struct torus_link_list *list,
					     const struct torus_ask *ask,
					     uint32_t i)
{
	const struct torus_link *l = &list->link[i];

	return l->health == TORUS_LINK_DOWN ||
			       (l->health == TORUS_LINK_WEAK && !ask->weak) ?
		       l :
		       NULL;
}

bool torus_links_name(const struct torus_state *s, const struct torus_ask *ask,
		      char *text, size_t size)
{
	const struct torus_link_list *list = torus_state_links(s);
	const struct torus_machine *m = torus_state_machine(s);
	uint32_t links = 0, named = 0;
	char link[TORUS_LINK_SIZE];
	size_t used;

	for (uint32_t i = 0; i < list->count; i++)
		links += explain_link(list, ask, i) != NULL;
	used = (size_t)snprintf(text, size, "link%s", links == 1 ? "" : "s");
	for (uint32_t i = 0; i < list->count && named < LINKS_NAMED; i++) {
		const struct torus_link *l = explain_link(list, ask, i);

		if (!l)
			continue;
		torus_link_format(l, &m->pod[l->pod].torus, link, sizeof(link));
		if (used + strlen(link) + 32 > size)
			break;
		used += (size_t)snprintf(text + used, size - used, "%s%s (%s)",
					 named++ ? ", " : " ", link,
					 torus_link_health_name(l->health));
	}
	if (!named)
		snprintf(text, size, "%u links that are not up", links);
	else if (links > named)
		snprintf(text + used, size - used, " and %u more",
			 links - named);
	return links > 0;
}

bool torus_state_explain(const struct torus_state *s,
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
	char shape[TORUS_MAX_DIMS * 11 + 12], links[LINKS_TEXT_SIZE];
	const char *what = ask->by_count ? "the job" : shape;

	explain_name_ask(ask, shape, sizeof(shape));
	if (nodes < want)
		torus_error_add(why,
				"%s needs %llu node%s, but may use only %u (by its partition, reservation, -x or -C)",
				what, (unsigned long long)want,
				want == 1 ? "" : "s", nodes);
	else if (free < want)
		torus_error_add(why,
				"%s needs %llu node%s, %u are free (%u held by jobs, %u out of service)",
				what, (unsigned long long)want,
				want == 1 ? "" : "s", free, nodes - out - free,
				out);
	else if (torus_links_name(s, ask, links, sizeof(links)))
		torus_error_add(why,
				"%u nodes are free, but no place for %s among them that avoids the %s",
				free, shape, links);
	else
		torus_error_add(why,
				"fragmentation: %u nodes are free, but no place for %s among them",
				free, shape);
	return free >= want;
}
