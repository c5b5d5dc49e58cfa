/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of equal asks (class.h): a hash table with chains, and one of the facts about
 * asks. If the ask has outages, jobs with different limits are in different classes, which
 * share the facts about windows; so are jobs of different shares (shares.h). A class
 * without jobs stays in the table for a while; once there are too many, the one that
 * was left first is reused.
 */
#include "torus/state_find.h"
#include "discipline/class.h"

#include "torus/alloc.h"

/* Fibonacci hashing of the fields that distinguish classes. */
static uint32_t class_hash(const struct torus_ask *ask, uint32_t share)
{
	uint64_t h = (uintptr_t)ask->allowed + (ask->by_count ? ask->count : 0);

	h += (uint64_t)share * 65537;
	if (ask->outages)
		h = h * 257 + (uintptr_t)ask->outages;
	if (torus_ask_several(ask))
		h = h * 257 + ask->regions;
	for (uint32_t a = 0; !ask->by_count && a < ask->shape.axes; a++) {
		h = h * 257 + ask->shape.extent[a];
		h = h * 5 + ask->connection[a];
	}
	h = (h * 2 + ask->rotate) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32) & (TORUS_CLASS_BUCKETS - 1);
}

static void unused_remove(struct torus_classes *all, struct torus_class *c)
{
	*(c->older ? &c->older->newer : &all->oldest) = c->newer;
	*(c->newer ? &c->newer->older : &all->newest) = c->older;
	all->unused--;
}

static void ask_facts_drop(struct torus_classes *all,
			   struct torus_ask_facts *facts)
{
	struct torus_ask_facts **link = &all->facts[class_hash(&facts->ask, 0)];

	if (--facts->classes)
		return;
	while (*link != facts)
		link = &(*link)->next;
	*link = facts->next;
	torus_free(facts->lane);
	torus_free(facts);
}

/* Return the facts about an ask, for one more class, or new empty ones; NULL with
 * ENOMEM. */
static struct torus_ask_facts *ask_facts_take(struct torus_classes *all,
					      const struct torus_ask *ask)
{
	struct torus_ask_facts **bucket = &all->facts[class_hash(ask, 0)];
	struct torus_ask_facts *facts = *bucket;

	while (facts && !torus_ask_same(&facts->ask, ask))
		facts = facts->next;
	if (!facts) {
		facts = torus_alloc(1, sizeof(*facts));
		if (!facts)
			return NULL;
		facts->ask = *ask;
		facts->next = *bucket;
		*bucket = facts;
	}
	facts->classes++;
	if (!TORUS_GROW(facts->lane, facts->room, facts->classes))
		return facts;
	ask_facts_drop(all, facts);
	return NULL;
}

/* Take the unused class that was left first out of the table; or NULL. */
static struct torus_class *class_recycle(struct torus_classes *all)
{
	struct torus_class *c = all->oldest, **link;

	if (!c)
		return NULL;
	unused_remove(all, c);
	link = &all->bucket[class_hash(&c->ask, c->share)];
	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	ask_facts_drop(all, c->facts);
	return c;
}

static struct torus_class *class_make(struct torus_classes *all,
				      struct torus_state *state,
				      const struct torus_job *job,
				      const struct torus_ask *ask,
				      struct torus_class **bucket)
{
	struct torus_ask_facts *facts = ask_facts_take(all, ask);
	struct torus_class *c = NULL;

	if (!facts)
		return NULL;
	if (all->unused < TORUS_CLASSES_UNUSED)
		c = torus_alloc(1, sizeof(*c));
	if (c)
		all->count++;
	else
		c = class_recycle(all);
	if (!c) {
		ask_facts_drop(all, facts);
		return NULL;
	}
	*c = (struct torus_class){ .ask = *ask,
				   .extents = torus_ask_extents(ask),
				   .limit_us = job->limit_us,
				   .share = job->share,
				   .facts = facts,
				   .next = *bucket };
	c->refusals = ask->outages ? &c->own : &facts->refusals;
	c->lane.class = c;
	c->possible = torus_state_possible(state, ask, NULL, NULL);
	c->pods = torus_state_possible_pods(state, ask);
	*bucket = c;
	return c;
}

struct torus_class *torus_class_take(struct torus_classes *all,
				     struct torus_state *state,
				     const struct torus_job *job, uint32_t k)
{
	const struct torus_ask *ask = &job->request.alternative[k].ask;
	struct torus_class **bucket = &all->bucket[class_hash(ask, job->share)];
	struct torus_class *c = *bucket;

	while (c && (c->share != job->share || !torus_ask_same(&c->ask, ask) ||
		     (ask->outages && c->limit_us != job->limit_us)))
		c = c->next;
	if (!c) {
		c = class_make(all, state, job, ask, bucket);
	} else if (!c->jobs) {
		unused_remove(all, c);
		/* the allowed nodes and the outages may have changed */
		c->own = (struct torus_refusals){ 0 };
	}
	if (!c)
		return NULL;
	/* while no job used the facts, nodes may have changed */
	for (uint32_t i = 0; i < TORUS_PLANS && c->facts->jobs == 0; i++)
		c->facts->cache[i].facts = 0;
	if (c->facts->jobs == 0 && ask->allowed)
		c->facts->refusals = (struct torus_refusals){ 0 };
	c->facts->jobs++;
	c->jobs++;
	return c;
}

void torus_class_drop(struct torus_classes *all, struct torus_class *c)
{
	if (!c)
		return;
	c->facts->jobs--;
	if (--c->jobs == 0) {
		c->newer = NULL;
		c->older = all->newest;
		*(c->older ? &c->older->newer : &all->oldest) = c;
		all->newest = c;
		all->unused++;
	}
}

void torus_classes_free(struct torus_classes *all)
{
	struct torus_class *next;

	for (uint32_t i = 0; i < TORUS_CLASS_BUCKETS; i++) {
		for (struct torus_class *c = all->bucket[i]; c; c = next) {
			next = c->next;
			ask_facts_drop(all, c->facts);
			torus_free(c);
		}
	}
}

/* Return true if axis a of the small shape fits along axis b of the large one.
 * An axis that must be a ring needs the same ring there, unless its extent makes
 * it a ring everywhere. */
static bool class_along(const struct torus_ask *large, uint32_t b,
			const struct torus_ask *small, uint32_t a)
{
	uint32_t want = small->shape.extent[a], have = large->shape.extent[b];

	if (want > have)
		return false;
	return small->connection[a] != TORUS_CONN_TORUS || want <= 2 ||
	       (want == have && large->connection[b] == TORUS_CONN_TORUS);
}

/* Match each axis of the small shape, from a on, with one of the large. */
static bool class_match(const struct torus_ask *large,
			const struct torus_ask *small, uint32_t a, uint32_t used)
{
	if (a == small->shape.axes)
		return true;
	if (small->shape.extent[a] == 1)
		return class_match(large, small, a + 1, used);
	for (uint32_t b = 0; b < large->shape.axes; b++) {
		if (!(used >> b & 1) && class_along(large, b, small, a) &&
		    class_match(large, small, a + 1, used | 1u << b))
			return true;
	}
	return false;
}

uint64_t torus_ask_extents(const struct torus_ask *ask)
{
	uint32_t extent[TORUS_MAX_DIMS];
	uint32_t n = ask->by_count ? 0 : ask->shape.axes;
	uint64_t packed = 0;

	for (uint32_t a = 0; a < n; a++) {
		uint32_t e = ask->shape.extent[a], i = a;

		for (; i > 0 && extent[i - 1] < e; i--)
			extent[i] = extent[i - 1];
		extent[i] = e;
	}
	for (uint32_t a = 0; a < n; a++)
		packed |= (uint64_t)(extent[a] < 127 ? extent[a] : 127)
			  << (8 * a);
	return packed;
}

bool torus_ask_contains(const struct torus_ask *large,
			const struct torus_ask *small, bool turned)
{
	if (large->by_count || small->by_count ||
	    small->shape.axes > large->shape.axes || /* the pod may have fewer */
	    torus_ask_nodes(small) > torus_ask_nodes(large))
		return false;
	if (torus_ask_several(small) || (large->rotate && !small->rotate) ||
	    (large->weak && !small->weak))
		return false; /* the search for several regions may be cut */
	if (turned && small->rotate)
		return class_match(large, small, 0, 0);
	for (uint32_t a = 0; a < small->shape.axes; a++) {
		if (small->shape.extent[a] > 1 &&
		    (a >= large->shape.axes || !class_along(large, a, small, a)))
			return false;
	}
	return true;
}
