/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "torus/bits.h"
#include "live/mirror/mirror.h"
#include "live/claims.h"

#include "torus/alloc.h"

int claims_open(struct claims *s, uint32_t words)
{
	struct claims made = {
		.maps = torus_alloc((size_t)CLAIMS * words, sizeof(*made.maps)),
		.regions = torus_alloc(CLAIMS, sizeof(*made.regions)),
		.words = words,
	};

	if (!made.maps || !made.regions) {
		claims_close(&made);
		return -1;
	}
	for (uint32_t i = 0; i < CLAIMS; i++) {
		made.claim[i].nodes = made.maps + (size_t)i * words;
		made.claim[i].regions = made.regions + i;
	}
	claims_close(s);
	*s = made;
	return 0;
}

void claims_close(struct claims *s)
{
	torus_free(s->maps);
	torus_free(s->regions);
	*s = (struct claims){ 0 };
}

bool claims_has(const struct claims *s, uint32_t job)
{
	for (uint32_t i = 0; i < CLAIMS; i++) {
		if (s->claim[i].job == job)
			return true;
	}
	return false;
}

bool claims_any(const struct claims *s)
{
	for (uint32_t i = 0; i < CLAIMS; i++) {
		if (s->claim[i].job)
			return true;
	}
	return false;
}

/* Return the first claim on one of the nodes, or NULL. */
static const struct claim *claims_on(const struct claims *s,
				     const uint64_t *nodes)
{
	for (uint32_t i = 0; i < CLAIMS; i++) {
		const struct claim *c = &s->claim[i];

		if (c->job && torus_bits_meet(c->nodes, nodes, s->words))
			return c;
	}
	return NULL;
}

bool claims_meet(const struct claims *s, const uint64_t *nodes)
{
	return claims_on(s, nodes) != NULL;
}

void claims_exclude(const struct claims *s, uint32_t job,
		    bool (*may_preempt)(void *arg, uint32_t claimer), void *arg,
		    uint64_t *nodes)
{
	for (uint32_t i = 0; i < CLAIMS; i++) {
		const struct claim *c = &s->claim[i];

		if (c->job && c->job != job &&
		    !(may_preempt && may_preempt(arg, c->job)))
			torus_bits_andnot(nodes, c->nodes, s->words);
	}
}

bool claims_until(const struct claims *s, const uint64_t *nodes, int64_t *end_us)
{
	bool whole = true;

	for (uint32_t i = 0; i < CLAIMS; i++) {
		const struct claim *c = &s->claim[i];

		if (!c->job || *end_us >= c->used_until_us ||
		    !torus_bits_meet(c->nodes, nodes, s->words))
			continue;
		if (torus_bits_subset(nodes, c->nodes, s->words))
			*end_us = c->used_until_us;
		else
			whole = false;
	}
	return whole;
}

void claims_withhold(const struct claims *s, struct cycle *c)
{
	for (uint32_t i = 0; i < CLAIMS; i++) {
		if (s->claim[i].job)
			untracked_add(c, s->claim[i].nodes,
				      s->claim[i].used_until_us);
	}
}

struct claim *claims_unused(struct claims *s)
{
	for (uint32_t i = 0; i < CLAIMS; i++) {
		if (!s->claim[i].job)
			return &s->claim[i];
	}
	return NULL;
}

void claims_store(struct claims *s, struct claim *unused,
		  const struct claim *claim)
{
	struct torus_regions *regions = unused->regions;
	uint64_t *nodes = unused->nodes;

	*unused = *claim;
	unused->nodes = nodes;
	torus_bits_copy(nodes, claim->nodes, s->words);
	unused->regions = regions;
	if (claim->place.regions) {
		torus_regions_copy(regions, claim->place.regions);
		unused->place.regions = regions;
	}
}

uint32_t claims_end_one(struct claims *s, const uint64_t *nodes)
{
	struct claim *c = (struct claim *)claims_on(s, nodes);
	uint32_t job = c ? c->job : 0;

	if (c)
		claims_drop(c);
	return job;
}

void claims_drop(struct claim *c)
{
	*c = (struct claim){ .nodes = c->nodes, .regions = c->regions };
}

void claims_drop_all(struct claims *s)
{
	for (uint32_t i = 0; i < CLAIMS; i++)
		claims_drop(&s->claim[i]);
}
