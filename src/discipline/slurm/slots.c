/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map of sched/backfill (slots.h), with its rules: times are cut to the
 * resolution by the caller; a run that begins in the last second of a slot belongs to
 * it; after a job was planned at most one pair of equal slots is joined.
 * O(slots x words) per call.
 */
#include "discipline/slurm/slots.h"

#include "torus/alloc.h"
#include "torus/bits.h"

int slurm_slots_init(struct slurm_slots *m, uint32_t most, uint32_t words,
		     int64_t resolution)
{
	m->room = most + 2; /* a planned job may add two slots */
	m->words = words;
	m->resolution = resolution;
	m->slot = torus_alloc(m->room, sizeof(*m->slot));
	m->memory = torus_alloc((size_t)m->room * words, sizeof(*m->memory));
	if (!m->slot || !m->memory)
		return -1;
	for (uint32_t i = 0; i < m->room; i++)
		m->slot[i].nodes = m->memory + (size_t)i * words;
	return 0;
}

void slurm_slots_free(struct slurm_slots *m)
{
	torus_free(m->slot);
	torus_free(m->memory);
}

void slurm_slots_begin(struct slurm_slots *m, int64_t now, int64_t until,
		       const uint64_t *nodes)
{
	m->used = 1;
	m->slot[0].begin = now / m->resolution * m->resolution;
	m->slot[0].end = until / m->resolution * m->resolution;
	m->slot[0].next = 0;
	torus_bits_copy(m->slot[0].nodes, nodes, m->words);
}

/* Return true if slot `next` has nodes, of those in `all`, that slot `one` lacks
 * among `now`. */
static bool slots_gain(const struct slurm_slots *m, uint32_t one, uint32_t next,
		       const uint64_t *now, const uint64_t *all)
{
	const uint64_t *a = m->slot[one].nodes, *b = m->slot[next].nodes;

	for (uint32_t w = 0; w < m->words; w++) {
		if (all[w] & b[w] & ~(now[w] & a[w]))
			return true;
	}
	return false;
}

int64_t slurm_slots_narrow(const struct slurm_slots *m, int64_t start,
			   int64_t end, uint64_t *nodes, uint64_t *scratch)
{
	const struct slurm_slot *s;
	int64_t later = 0;

	torus_bits_copy(scratch, nodes, m->words);
	for (uint32_t i = 0;; i = s->next) {
		s = &m->slot[i];
		if (s->end > start) {
			if (s->next && !later &&
			    slots_gain(m, i, s->next, nodes, scratch))
				later = s->end;
			if (s->begin > end)
				break;
			torus_bits_and(nodes, nodes, s->nodes, m->words);
		}
		if (!s->next)
			break;
	}
	return later;
}

bool slurm_slots_overlap(const struct slurm_slots *m, const uint64_t *nodes,
			 int64_t start, int64_t end)
{
	const struct slurm_slot *s;

	for (uint32_t i = 0;; i = s->next) {
		s = &m->slot[i];
		if (s->end > start && s->begin < end &&
		    !torus_bits_subset(nodes, s->nodes, m->words))
			return true;
		if (!s->next)
			return false;
	}
}

/* Divide slot i at `at`. */
static void slots_divide(struct slurm_slots *m, uint32_t i, int64_t at)
{
	uint32_t k = m->used++;
	struct slurm_slot *to = &m->slot[k], *from = &m->slot[i];

	to->begin = at;
	to->end = from->end;
	to->next = from->next;
	torus_bits_copy(to->nodes, from->nodes, m->words);
	from->end = at;
	from->next = k;
}

/* Join the first two slots with equal nodes from slot i to slot `last`. */
static void slots_join(struct slurm_slots *m, uint32_t i, uint32_t last)
{
	while (i != last && m->slot[i].next) {
		struct slurm_slot *a = &m->slot[i], *b = &m->slot[a->next];

		if (torus_bits_equal(a->nodes, b->nodes, m->words)) {
			a->end = b->end;
			a->next = b->next;
			return;
		}
		i = a->next;
	}
}

void slurm_slots_take(struct slurm_slots *m, const uint64_t *nodes,
		      int64_t start, int64_t end)
{
	uint32_t i = 0, before = 0, after = UINT32_MAX;

	if (m->used + 2 > m->room)
		return;
	if (start < m->slot[0].begin)
		start = m->slot[0].begin;
	if (end < start + m->resolution)
		end = start + m->resolution;
	while (m->slot[i].end < start) {
		before = i;
		i = m->slot[i].next;
		if (!i)
			return;
	}
	if (m->slot[i].end > start)
		slots_divide(m, i, start);
	for (i = m->slot[i].next; i; i = m->slot[i].next) {
		if (end < m->slot[i].end)
			slots_divide(m, i, end);
		torus_bits_andnot(m->slot[i].nodes, nodes, m->words);
		if (m->slot[i].end == end) {
			if (m->slot[i].next)
				after = m->slot[i].next;
			break;
		}
	}
	slots_join(m, before, after);
}
