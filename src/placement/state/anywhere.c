/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Place a node count that no single torus can hold: scattered nodes of several
 * toruses, for strategies that place scattered nodes.
 *
 * Pods without topology come first, because no shape needs their nodes. Then
 * come the toruses, the one with the fewest usable nodes first. Each pod
 * contributes all its usable nodes until the count is reached. So at most one
 * torus is used in part, and the emptiest toruses stay as they are. Whether a
 * place exists depends on the number of usable nodes alone, and on whether the
 * required ones are among them; these are taken first.
 *
 * Cost: O(words + pods^2). No state is kept between calls.
 */
#include "placement/state/state.h"

/* Return true if the pod can contribute scattered nodes to an ask for this
 * strategy. */
static bool anywhere_can_serve(const struct torus_pod *pod, const char *strategy)
{
	int i = torus_pod_strategy(pod, strategy);

	return i >= 0 && pod->strategy[i]->scatters;
}

/* Fill s->share with the usable nodes of each pod and return their sum.
 * *present gets the number of nodes that these pods have. */
static uint64_t count_shares(struct torus_state *s, const char *strategy,
			     const uint64_t *usable, uint64_t *present)
{
	uint64_t sum = 0;

	*present = 0;
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];

		s->share[p] = 0;
		if (!anywhere_can_serve(pod, strategy))
			continue;
		*present += pod->present_nodes;
		s->share[p] = torus_bits_count(usable + pod->first_word,
					       pod->words);
		sum += s->share[p];
	}
	return sum;
}

/* Return true if pod a contributes its nodes before pod b. */
static bool anywhere_is_sooner(const struct torus_state *s, uint32_t a,
			       uint32_t b)
{
	const struct torus_pod *pod = s->machine->pod;

	if (pod[a].torus.flat != pod[b].torus.flat)
		return pod[a].torus.flat;
	return s->share[a] != s->share[b] ? s->share[a] < s->share[b] : a < b;
}

static uint32_t next_pod(const struct torus_state *s)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t p = 0; p < s->machine->pods; p++) {
		if (s->share[p] > 0 &&
		    (best == UINT32_MAX || anywhere_is_sooner(s, p, best)))
			best = p;
	}
	return best;
}

/* Take the first n usable nodes of the pod that are not taken yet. */
static void anywhere_take(struct torus_state *s, const struct torus_pod *pod,
			  const uint64_t *usable, uint32_t n)
{
	uint64_t *to = s->spread + pod->first_word;
	uint32_t bit = 0;

	usable += pod->first_word;
	for (; n > 0; bit++) {
		bit = torus_bits_next(usable, pod->words, bit);
		n -= !torus_bits_test(to, bit);
		torus_bits_set(to, bit);
	}
}

/* Take the required nodes, all of them usable, and return their number. */
static uint32_t anywhere_take_required(struct torus_state *s,
				       const uint64_t *required)
{
	uint32_t sum = 0;

	torus_bits_copy(s->spread, required, s->machine->words);
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];
		uint32_t n = torus_bits_count(required + pod->first_word,
					      pod->words);

		s->share[p] -= n;
		sum += n;
	}
	return sum;
}

/* Return true if strategies that can serve the ask have all required nodes. */
static bool anywhere_has(const struct torus_state *s,
			 const struct torus_ask *ask)
{
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];

		if (!anywhere_can_serve(pod, ask->strategy) &&
		    torus_bits_count(ask->required + pod->first_word,
				     pod->words) > 0)
			return false;
	}
	return torus_bits_count(ask->required, s->machine->words) <= ask->count;
}

enum torus_answer state_spread(struct torus_state *s,
			       const struct torus_ask *ask,
			       const uint64_t *usable,
			       struct torus_placement *out)
{
	uint64_t present,
		have = count_shares(s, ask->strategy, usable, &present);
	int first = torus_pod_strategy(&s->machine->pod[0], ask->strategy);
	uint32_t want = ask->count;

	if (!ask->by_count || torus_ask_limited(ask) || present < want ||
	    (ask->granted && ask->granted != want) ||
	    (ask->connection[0] == TORUS_CONN_TORUS && want > 2))
		return TORUS_NEVER; /* scattered nodes form no ring */
	if (ask->required && !anywhere_has(s, ask))
		return TORUS_NEVER;
	if (have < want ||
	    (ask->required &&
	     !torus_bits_subset(ask->required, usable, s->machine->words)))
		return TORUS_NOT_NOW;
	if (ask->required)
		want -= anywhere_take_required(s, ask->required);
	else
		torus_bits_zero(s->spread, s->machine->words);
	while (want > 0) {
		uint32_t p = next_pod(s);
		uint32_t n = s->share[p] < want ? s->share[p] : want;

		anywhere_take(s, &s->machine->pod[p], usable, n);
		s->share[p] = 0;
		want -= n;
	}
	*out = (struct torus_placement){
		.scattered = true,
		.spread = true,
		.strategy = first > 0 ? (uint8_t)first : 0,
		.granted = ask->count,
		.axes = 1,
		.nodes = s->spread,
	};
	return TORUS_FITS;
}
