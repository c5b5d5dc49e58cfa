/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must hold after every step (state_run.h): the state's free map, holds
 * and order by end follow from the test's own list; its self check passes;
 * what was undone is as it was, the answers to a set of questions included.
 */
#include "torus/placement.h"
#include "torus/state_find.h"
#include "state_run.h"

#include <stdio.h>
#include <string.h>

bool run_fault(struct run *r, const char *what)
{
	if (!r->fault[0])
		snprintf(r->fault, sizeof(r->fault), "%s", what);
	return false;
}

static uint64_t mix(uint64_t h, uint64_t value)
{
	struct random r = { h ^ value };

	return random_bits(&r);
}

/* Numbers that stand for a place. */
static uint64_t hash_place(const struct torus_machine *m,
			   const struct torus_placement *p)
{
	uint64_t nodes[MOST_WORDS] = { 0 };
	uint64_t h = mix(p->pod * 8 + p->strategy, p->granted);

	torus_placement_paint(m, p, nodes);
	for (uint32_t i = 0; i < m->words; i++)
		h = mix(h, nodes[i]);
	h = mix(h, p->ring | p->axes << 8 | (uint32_t)p->scattered << 16);
	for (int d = 0; d < TORUS_MAX_DIMS && !p->scattered; d++)
		h = mix(h, (uint64_t)(p->orientation.axis[d] + 1) << 32 |
				   p->region.base[d]);
	return h;
}

static uint64_t answer_to(struct run *r, struct torus_state *s, uint32_t probe)
{
	struct torus_placement out;
	enum torus_answer answer = torus_state_find(s, &r->probe[probe], &out,
						    NULL);

	return answer == TORUS_FITS ? hash_place(r->m, &out) : answer;
}

void snapshot_take(struct run *r, struct torus_state *s, struct snapshot *to,
		   bool probe)
{
	memset(to, 0, sizeof(*to));
	memcpy(to->free, torus_state_free_map(s), r->m->words * 8);
	to->generation = torus_state_generation(s);
	to->helds = torus_state_holds(s);
	for (uint32_t k = 0; k < to->helds; k++) {
		const struct torus_hold *h =
			torus_state_hold(s, torus_state_by_end(s, k));

		to->holds = mix(to->holds, h->job);
		to->holds = mix(to->holds, (uint64_t)h->end_us);
		to->holds = mix(to->holds, hash_place(r->m, &h->place));
	}
	to->probed = probe;
	for (uint32_t i = 0; probe && i < PROBES; i++)
		to->answer[i] = answer_to(r, s, i);
}

bool snapshot_same(struct run *r, struct torus_state *s,
		   const struct snapshot *want, const char *when)
{
	struct snapshot now;
	const char *what = NULL;

	snapshot_take(r, s, &now, want->probed);
	if (memcmp(now.answer, want->answer, sizeof(now.answer)) != 0)
		what = "other answers";
	if (now.helds != want->helds || now.holds != want->holds)
		what = "other holds";
	if (memcmp(now.free, want->free, sizeof(now.free)) != 0)
		what = "another free map";
	if (now.generation != want->generation && want->generation)
		what = "another generation";
	if (!what)
		return true;
	snprintf(r->fault, sizeof(r->fault), "%s: %s", when, what);
	return false;
}

/* Every hold in the list is the state's. */
static bool holds_agree(struct run *r)
{
	for (uint32_t i = 0; i < r->helds; i++) {
		const struct held *mine = &r->held[i];
		const struct torus_hold *h = torus_state_hold(r->s, mine->slot);
		uint64_t nodes[MOST_WORDS] = { 0 };

		torus_hold_paint(r->s, h, nodes);
		if (h->job != mine->job || h->end_us != mine->end_us ||
		    !torus_bits_equal(nodes, mine->nodes, r->m->words))
			return run_fault(r, "a hold is not what it was");
	}
	return true;
}

/* Is the state what the test's own list says? */
bool run_agrees(struct run *r, bool whole)
{
	struct torus_error err = { 0 };
	uint64_t free[MOST_WORDS] = { 0 }, held[MOST_WORDS] = { 0 };
	int64_t end = INT64_MIN;
	uint64_t job = 0; /* numbers ascend with the commits */
	uint32_t words = r->m->words;

	if (whole && !torus_state_check(r->s, &err))
		return run_fault(r, err.text);
	for (uint32_t p = 0; p < r->m->pods; p++) {
		const struct torus_pod *pod = &r->m->pod[p];

		for (uint32_t i = 0; i < pod->torus.nodes; i++) {
			if (!pod->present || torus_bits_test(pod->present, i))
				torus_bits_set(free,
					       torus_machine_bit(r->m, p, i));
		}
	}
	for (uint32_t i = 0; i < r->helds; i++) {
		if (torus_bits_meet(r->held[i].nodes, held, words))
			return run_fault(r, "two jobs on one node");
		torus_bits_or(held, r->held[i].nodes, words);
	}
	torus_bits_andnot(free, held, words);
	torus_bits_andnot(free, r->out, words);
	if (!torus_bits_equal(free, torus_state_free_map(r->s), words))
		return run_fault(r, "the free map is wrong");
	if (torus_state_free_nodes(r->s) != torus_bits_count(free, words))
		return run_fault(r, "the number of free nodes is wrong");
	if (torus_state_holds(r->s) != r->helds)
		return run_fault(r, "the number of holds is wrong");
	for (uint32_t k = 0; k < r->helds; k++) {
		const struct torus_hold *h =
			torus_state_hold(r->s, torus_state_by_end(r->s, k));

		if (h->end_us < end || (h->end_us == end && h->job <= job))
			return run_fault(r,
					 "holds are not in order of their ends");
		end = h->end_us;
		job = h->job;
	}
	return !whole || holds_agree(r);
}

/* Asking */

void run_random_ask(struct random *x, const struct torus_machine *m,
		    struct torus_ask *ask)
{
	const struct torus *t = &m->pod[random_below(x, m->pods)].torus;
	bool small = random_percent(x, 75);

	*ask = (struct torus_ask){ .rotate = random_percent(x, 80),
				   .end_us = INT64_MAX };
	ask->by_count = t->flat || random_percent(x, 60);
	if (random_percent(x, 15))
		ask->connection[0] = (uint8_t)random_below(x, 3);
	if (ask->by_count) {
		ask->anywhere = m->pods > 1 && random_percent(x, 50);
		ask->count =
			1 +
			random_below(x, 1 + random_below(x, ask->anywhere ?
								    m->nodes :
								    t->nodes) /
							(small ? 8 : 1));
		return;
	}
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t e = 1 + random_below(x, small && t->size[d] > 2 ?
							 2 :
							 t->size[d]);

		if (e > 1 || !ask->rotate)
			ask->shape.extent[ask->shape.axes++] = e;
	}
	if (ask->shape.axes == 0)
		ask->shape.extent[ask->shape.axes++] = 1;
}

/* A place found must be inside what is free and allowed, and big enough. */
bool run_good_place(struct run *r, const struct torus_ask *ask,
		    const uint64_t *allowed, const struct torus_placement *out,
		    uint64_t *nodes)
{
	uint64_t want = torus_ask_nodes(ask);

	memset(nodes, 0, MOST_WORDS * sizeof(*nodes));
	torus_placement_paint(r->m, out, nodes);
	if (out->pod >= r->m->pods)
		return run_fault(r, "a place in no pod");
	if (!torus_bits_subset(nodes, torus_state_free_map(r->s), r->m->words))
		return run_fault(r, "a place that is not free");
	if (allowed && !torus_bits_subset(nodes, allowed, r->m->words))
		return run_fault(r, "a place that is not allowed");
	if (torus_bits_count(nodes, r->m->words) != out->granted)
		return run_fault(r, "a place of another size than granted");
	if (ask->by_count ? out->granted < want : out->granted != want)
		return run_fault(r, "a place of the wrong size");
	return true;
}
