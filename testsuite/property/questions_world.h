/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random machines of at most 36 nodes with jobs, for prop_questions.c, and
 * exhaustive search for places. */
#ifndef PROPERTY_QUESTIONS_WORLD_H
#define PROPERTY_QUESTIONS_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "questions/forward.h"
#include "questions/freeing.h"
#include "questions/packing.h"
#include "questions/places.h"
#include "random.h"

#define MOST_NODES 36
#define MOST_PLACES 4096
#define MOST_STEPS 3000000

struct world {
	struct snapshot *s;
	const struct torus *t;
	uint64_t free, out; /* nodes, as words */
	struct torus_ask ask;
	uint64_t place[MOST_PLACES];
	uint32_t places; /* of the machine without jobs, nodes out of service aside */
	uint64_t steps;
};

static void die(const char *what)
{
	fail_msg("%s", what);
}

/* A machine string of at most MOST_NODES nodes. */
static void draw_machine(struct random *r, char *text, size_t size)
{
	uint32_t dims = 1 + random_below(r, 4), left = MOST_NODES;
	char wraps[8] = ":";
	size_t used = 0;

	for (uint32_t d = 0; d < dims; d++) {
		uint32_t most = left < 9 ? left : 9;
		uint32_t n = 1 + random_below(r, most);

		left /= n;
		used += (size_t)snprintf(text + used, size - used, "%s%u",
					 d ? "x" : "", n);
		wraps[d + 1] = random_percent(r, 60) ? 'T' : 'M';
		wraps[d + 2] = '\0';
	}
	snprintf(text + used, size - used, "%s", wraps);
}

static void draw_shape(struct random *r, const struct torus *t, char *text,
		       size_t size)
{
	size_t used = 0;

	for (uint32_t a = 0; a < t->dims; a++)
		used += (size_t)snprintf(text + used, size - used, "%s%u",
					 a ? "x" : "",
					 1 + random_below(r, t->size[a] < 4 ?
								     t->size[a] :
								     4));
	if (t->dims == 1) /* a single number is a count */
		snprintf(text + used, size - used, "x1");
}

/* All places: extents e in every order along the dimensions, at all bases. */
static void list_places(struct world *w, uint32_t *e, uint32_t used)
{
	const struct torus *t = w->t;
	const struct torus_shape *shape = &w->ask.shape;
	uint32_t d = (uint32_t)e[TORUS_MAX_DIMS];

	if (d < t->dims) {
		for (uint32_t a = 0; a <= shape->axes; a++) {
			if (a < shape->axes && used >> a & 1)
				continue;
			e[d] = a < shape->axes ? shape->extent[a] : 1;
			e[TORUS_MAX_DIMS] = d + 1;
			if (e[d] <= t->size[d])
				list_places(w, e,
					    a < shape->axes ? used | 1u << a :
							      used);
			e[TORUS_MAX_DIMS] = d;
		}
		return;
	}
	if (used != (1u << shape->axes) - 1)
		return;
	for (uint32_t base = 0; base < t->nodes; base++) {
		struct torus_region region;
		uint64_t word[1] = { 0 };
		bool known = false;

		torus_region_whole(&region, t);
		torus_coord(t, base, region.base);
		memcpy(region.extent, e, t->dims * sizeof(*e));
		if (torus_region_check(&region, t, NULL))
			continue;
		torus_region_paint(&region, t, word);
		for (uint32_t i = 0; i < w->places; i++)
			known = known || w->place[i] == *word;
		if (known || *word & w->out)
			continue;
		if (w->places == MOST_PLACES)
			die("too many places");
		w->place[w->places++] = *word;
	}
}

/* The most disjoint places of those in `left`, from the i-th on. */
static uint32_t most_disjoint(struct world *w, uint32_t i, uint64_t left,
			      uint32_t volume)
{
	uint32_t best = 0;

	if (++w->steps > MOST_STEPS)
		return 0;
	for (; i < w->places; i++) {
		uint32_t n;

		if (w->place[i] & ~left)
			continue;
		n = 1 + most_disjoint(w, i + 1, left & ~w->place[i], volume);
		if (n > best)
			best = n;
		if (best >= torus_bits_ones(left) / volume)
			return best;
	}
	return best;
}

static void setup(struct world *w, struct random *r, const char *options)
{
	struct torus_request_words words = { 0 };
	struct torus_error err = { 0 };
	struct torus_request request;
	char machine[64], shape[64];
	uint32_t extents[TORUS_MAX_DIMS + 1] = { 0 };
	struct torus_config *config;

	memset(w, 0, sizeof(*w));
	draw_machine(r, machine, sizeof(machine));
	config = torus_config_string(machine, &err);
	if (!config)
		die(err.text);
	if (*options && torus_config_strategy(config, options, &err))
		torus_error_clear(&err); /* more dimensions than it serves */
	w->s = snapshot_create(config, NULL);
	w->t = &config->machine.pod[0].torus;
	draw_shape(r, w->t, shape, sizeof(shape));
	words.geometry = shape;
	if (torus_request_parse(&request, &words, false, &err))
		die(err.text);
	w->ask = request.alternative[0].ask;
	for (uint32_t i = 0; i < w->t->nodes; i++) {
		if (random_percent(r, 5))
			w->out |= UINT64_C(1) << i;
	}
	snapshot_add_out(w->s, &w->out, "x");
	w->free = torus_bits_low(w->t->nodes) & ~w->out;
	list_places(w, extents, 0);
}

/* Jobs on boxes of 1 to 2 nodes along each dimension, until `many` or no more
 * luck. */
static void draw_jobs(struct world *w, struct random *r, uint32_t many)
{
	for (uint32_t k = 0; k < many * 3 && w->s->jobs < many; k++) {
		struct torus_region region;
		uint64_t word[1] = { 0 };
		char id[16], place[TORUS_REGION_SIZE];
		struct snapshot_job job = { .running = true,
					    .id = id,
					    .place = place,
					    .start_us = 0,
					    .submit_us = 0,
					    .limit_us = SNAPSHOT_NO_TIME,
					    .end_us = 1000000 };

		torus_region_whole(&region, w->t);
		torus_coord(w->t, random_below(r, w->t->nodes), region.base);
		for (uint32_t d = 0; d < w->t->dims; d++)
			region.extent[d] = 1 + random_below(r, 3);
		if (torus_region_check(&region, w->t, NULL))
			continue;
		torus_region_paint(&region, w->t, word);
		if (*word & ~w->free)
			continue;
		w->free &= ~*word;
		snprintf(id, sizeof(id), "%u", w->s->jobs + 1);
		torus_region_format(&region, w->t, place, sizeof(place));
		if (snapshot_add_job(w->s, &job, word))
			die("no memory");
	}
}

#endif
