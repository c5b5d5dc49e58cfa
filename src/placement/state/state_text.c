/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine state as text (torus/state.h). One line per pod and strategy
 * with the strategy's internal state ("-" if it has none), one line per hold in
 * the order of the commits, one line per pod with nodes out of service:
 *
 *   pod pod0 4x4 semitorus-nep (2@0:#..)
 *   hold 17 1000000 61000000 pod0 semitorus-nep 4 1 1 0,- pod0:0,0+4x1
 *   out pod0:{3,7}
 *
 * A hold has: job, start, expected end ("-" if unknown), pod, strategy, granted
 * nodes, axes, closed rings (bits; one number each for several regions that
 * differ: 7/5), orientation, region or nodes (for several pods: the first of
 * them, and the nodes of each). The host's owner pointers are not saved: a host
 * finds its jobs by their numbers.
 *
 * state_text_read.c restores it. Cost: O(text + holds log holds).
 */
#include "torus/state_text.h"
#include "torus/placement.h"
#include "placement/state/state.h"

#include <stdio.h>
#include <stdlib.h>

#include "torus/alloc.h"
#include "torus/regions.h"

uint32_t state_text_pods(const struct torus_machine *m)
{
	return m->pods - (m->pods > 0 && m->pod[m->pods - 1].outside);
}

/* Return true if the placement has no outside node. */
static bool is_inner(const struct torus_machine *m,
		     const struct torus_placement *place)
{
	const struct torus_pod *last = &m->pod[m->pods - 1];

	if (!last->outside)
		return true;
	return place->spread ? torus_bits_next(place->nodes + last->first_word,
					       last->words, 0) == UINT32_MAX :
			       place->pod < m->pods - 1;
}

/* Write the closed rings: extents do not show which rings dead links open. */
static int state_text_rings(const struct torus_placement *place,
			    struct torus_text *text)
{
	const struct torus_regions *all = place->regions;
	uint32_t n = 0;

	if (!all)
		return torus_text_add(text, "%u", place->ring);
	for (uint32_t i = 1; i < all->count && n == 0; i++)
		n = all->item[i].ring != all->item[0].ring ? all->count : 0;
	for (uint32_t i = 0; i < (n ? n : 1); i++) {
		if (torus_text_add(text, "%s%u", i ? "/" : "",
				   all->item[i].ring))
			return -1;
	}
	return 0;
}

/* Return the pod that a hold is filed under: the first with nodes of it. */
static const struct torus_pod *hold_pod(const struct torus_machine *m,
					const struct torus_placement *place)
{
	const struct torus_pod *pod = &m->pod[place->pod];

	while (place->spread && torus_bits_next(place->nodes + pod->first_word,
						pod->words, 0) == UINT32_MAX)
		pod++;
	return pod;
}

int torus_hold_format(const struct torus_machine *m, const struct torus_hold *h,
		      struct torus_text *text)
{
	const struct torus_placement *place = &h->place;
	bool none = place->scattered && !place->regions;
	const struct torus_pod *pod = hold_pod(m, place);
	const char *strategy =
		m->pod[place->pod].strategy[place->strategy]->name;
	char end[24] = "-";

	if (h->end_us != INT64_MAX)
		snprintf(end, sizeof(end), "%lld", (long long)h->end_us);
	if (torus_pod_strategy(pod, strategy) <
	    0) /* a spread hold's, which cannot occur here */
		strategy = pod->strategy[0]->name;
	if (torus_text_add(text, "%llu %lld %s %s %s %u %u ",
			   (unsigned long long)h->job, (long long)h->start_us,
			   end, pod->torus.name, strategy, place->granted,
			   place->axes) ||
	    state_text_rings(place, text) ||
	    torus_text_add(text, " %s", none ? "-" : "") ||
	    torus_placement_orientation(m, place, text) ||
	    torus_text_add(text, " ") || torus_placement_format(m, place, text))
		return -1;
	return 0;
}

static int save_compare(const void *a, const void *b)
{
	const struct slot *x = *(const struct slot *const *)a;
	const struct slot *y = *(const struct slot *const *)b;

	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Save the holds of the first `pods` pods in the order of their commits. */
static int save_holds(const struct torus_state *s, uint32_t pods,
		      struct torus_text *text)
{
	const struct torus_machine *m = s->machine;
	const struct slot **slot = torus_alloc(s->holds + 1, sizeof(*slot));
	int rc = slot ? 0 : -1;

	for (uint32_t k = 0; k < s->holds && !rc; k++)
		slot[k] = &s->slot[s->by_end[k].slot];
	if (!rc)
		qsort(slot, s->holds, sizeof(*slot), save_compare);
	for (uint32_t k = 0; k < s->holds && !rc; k++) {
		const struct torus_hold *h = &slot[k]->hold;

		if (pods == m->pods || is_inner(m, &h->place))
			rc = torus_text_add(text, "hold ") ||
					     torus_hold_format(s->machine, h,
							       text) ?
				     -1 :
				     torus_text_add(text, "\n");
	}
	torus_free(slot);
	return rc;
}

int state_text_save(const struct torus_state *s, uint32_t pods,
		    struct torus_text *text)
{
	const struct torus_machine *m = s->machine;

	for (uint32_t p = 0; p < pods; p++) {
		for (uint32_t i = 0; i < m->pod[p].strategies; i++) {
			const struct torus_pod *pod = &s->machine->pod[p];
			const struct torus_strategy *strategy = pod->strategy[i];
			char machine[TORUS_STRING_SIZE];

			torus_format(&pod->torus, machine, sizeof(machine));
			if (torus_text_add(text, "pod %s %s %s ",
					   pod->torus.name, machine,
					   strategy->name))
				return -1;
			if (strategy->save ?
				    strategy->save(state_instance(s, p, i),
						   text) :
				    torus_text_add(text, "-"))
				return -1;
			if (torus_text_add(text, "\n"))
				return -1;
		}
	}
	if (save_holds(s, pods, text))
		return -1;
	for (uint32_t p = 0; p < pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];
		const uint64_t *out = s->out + pod->first_word;

		if (torus_bits_next(out, pod->words, 0) != UINT32_MAX) {
			if (torus_text_add(text, "out ") ||
			    torus_nodes_format(text, &pod->torus, out) ||
			    torus_text_add(text, "\n"))
				return -1;
		}
	}
	return 0;
}

int torus_state_save(const struct torus_state *s, struct torus_text *text)
{
	return state_text_save(s, state_text_pods(s->machine), text);
}
