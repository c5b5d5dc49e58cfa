/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine as a list of pods (torus/machine.h). */
#include "torus/machine.h"

#include <errno.h>
#include <stdio.h>

#include "placement/state/grid.h"
#include "torus/alloc.h"
#include "torus/weights.h"

/* Returns -1, for callers that fail. */
static int machine_drop_pod(struct torus_pod *pod)
{
	torus_grid_free(pod);
	torus_free(pod->present);
	return -1;
}

/* Like torus_machine_able(), but without naming the strategies that can. */
static int machine_serves(const struct torus_strategy *strategy,
			  const struct torus *t,
			  const struct torus_options *options,
			  struct torus_error *why)
{
	struct torus grid = *t;

	if (!strategy->scatters)
		torus_grid_torus(t, &grid);
	if (!torus_plain(&grid) && !strategy->units)
		return torus_error_add(why,
				       "%s: %s has a unit or a grain of several vertices",
				       strategy->name, t->name);
	return torus_strategy_supports(strategy, &grid, options, why);
}

/* Return the names of the strategies that can serve the torus; with `links`,
 * only those that avoid its dead links. */
static const char *machine_list_able(const struct torus *t, bool links,
				     char *list, size_t size)
{
	const struct torus_strategy *const *all = torus_strategies();
	static const struct torus_options none;
	size_t used = 0;

	for (*list = '\0'; *all && used < size; all++) {
		struct torus_error why = { 0 };

		if (machine_serves(*all, t, &none, &why) == 0 &&
		    (!links || ((*all)->links && !(*all)->scatters)))
			used += (size_t)snprintf(list + used, size - used,
						 "%s%s", used ? ", " : "",
						 (*all)->name);
	}
	return list;
}

int torus_machine_able(const struct torus_strategy *strategy,
		       const struct torus *t,
		       const struct torus_options *options,
		       struct torus_error *why)
{
	static const struct torus_options none;
	struct torus_error reason = { 0 };
	char able[256];

	if (machine_serves(strategy, t, options, &reason) == 0)
		return 0;
	if (machine_serves(strategy, t, &none, NULL) == 0)
		return torus_error_add(why, "%s", reason.text); /* an option */
	return torus_error_add(why, "%s; these can: %s", reason.text,
			       machine_list_able(t, false, able, sizeof(able)));
}

int torus_machine_add(struct torus_machine *m, const struct torus *t,
		      const uint64_t *present,
		      const struct torus_strategy *strategy,
		      const struct torus_options *options,
		      struct torus_error *err)
{
	struct torus_pod pod = { .torus = *t, .first_word = m->words };
	static const struct torus_options none;

	pod.words = torus_bits_words(t->nodes);
	pod.options = options ? *options : none;
	pod.strategies = 1;
	pod.strategy[0] = strategy;
	if (torus_machine_able(strategy, t, &pod.options, err))
		return -1;
	pod.present_nodes = t->nodes;
	if (present) {
		pod.present = torus_alloc(pod.words, sizeof(*present));
		if (!pod.present)
			return -1;
		torus_bits_copy(pod.present, present, pod.words);
		pod.present_nodes = torus_bits_count(present, pod.words);
	}
	if (torus_grid_init(&pod))
		return machine_drop_pod(&pod);
	if (m->nodes + (uint64_t)pod.present_nodes > TORUS_MAX_NODES) {
		torus_error_add(err, "machine: more than %u nodes",
				TORUS_MAX_NODES);
		return machine_drop_pod(&pod);
	}
	if (TORUS_RESIZE(m->pod, m->pods + 1) ||
	    (m->weights &&
	     torus_weights_extend(&m->weights, m->words + pod.words)))
		return machine_drop_pod(&pod);
	m->pod[m->pods++] = pod;
	m->words += pod.words;
	m->nodes += pod.present_nodes;
	return 0;
}

int torus_machine_init(struct torus_machine *m, const struct torus *t,
		       const struct torus_strategy *strategy,
		       const struct torus_options *options,
		       struct torus_error *err)
{
	*m = (struct torus_machine){ 0 };
	return torus_machine_add(m, t, NULL, strategy, options, err);
}

void torus_machine_free(struct torus_machine *m)
{
	for (uint32_t p = 0; p < m->pods; p++)
		machine_drop_pod(&m->pod[p]);
	torus_free(m->pod);
	torus_link_list_free(&m->links);
	torus_weights_destroy(m->weights);
	*m = (struct torus_machine){ 0 };
}

int torus_machine_allow(struct torus_machine *m, uint32_t p,
			const struct torus_strategy *strategy,
			struct torus_error *err)
{
	struct torus_pod *pod = &m->pod[p];
	static const struct torus_options none;

	for (uint32_t i = 0; i < pod->strategies; i++) {
		if (pod->strategy[i] == strategy)
			return 0;
	}
	if (pod->strategies == TORUS_POD_STRATEGIES)
		return torus_error_add(err, "%s: more than %d strategies",
				       pod->torus.name, TORUS_POD_STRATEGIES);
	if (torus_machine_able(strategy, &pod->torus, &none, err) ||
	    (pod->links && torus_machine_links_able(strategy, &pod->torus, err)))
		return -1;
	pod->strategy[pod->strategies++] = strategy;
	return 0;
}

int torus_machine_links_able(const struct torus_strategy *strategy,
			     const struct torus *t, struct torus_error *why)
{
	char able[256];

	if (t->flat)
		return torus_error_add(why, "%s has no links (flat)", t->name);
	if (strategy->links)
		return 0;
	return torus_error_add(why,
			       "%s does not go around links that are down; these do: %s",
			       strategy->name,
			       machine_list_able(t, true, able, sizeof(able)));
}

int torus_machine_links(struct torus_machine *m, uint32_t p,
			struct torus_error *err)
{
	struct torus_pod *pod = &m->pod[p];

	for (uint32_t i = 0; i < pod->strategies; i++) {
		if (torus_machine_links_able(pod->strategy[i], &pod->torus, err))
			return -1;
	}
	pod->links = true;
	return 0;
}

uint32_t torus_machine_pod(const struct torus_machine *m, uint32_t bit,
			   uint32_t *index)
{
	uint32_t low = 0, high = m->pods;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (m->pod[middle].first_word * 64 <= bit)
			low = middle;
		else
			high = middle;
	}
	*index = bit - m->pod[low].first_word * 64;
	return low;
}

uint32_t torus_machine_named(const struct torus_machine *m, const char *name)
{
	for (uint32_t p = 0; p < m->pods; p++) {
		if (strcmp(m->pod[p].torus.name, name) == 0)
			return p;
	}
	return UINT32_MAX;
}

uint32_t torus_machine_prefix(const struct torus_machine *m, const char *text)
{
	size_t length = strcspn(text, ":");

	for (uint32_t p = 0; text[length] && p < m->pods; p++) {
		const char *name = m->pod[p].torus.name;

		if (strlen(name) == length && strncmp(name, text, length) == 0)
			return p;
	}
	return UINT32_MAX;
}

int torus_pod_strategy(const struct torus_pod *pod, const char *name)
{
	if (!name)
		return 0;
	for (uint32_t i = 0; i < pod->strategies; i++) {
		const char *alias = pod->strategy[i]->alias;

		if (strcmp(pod->strategy[i]->name, name) == 0 ||
		    (alias && strcmp(alias, name) == 0))
			return (int)i;
	}
	return -1;
}

uint32_t torus_pod_shape_nodes(const struct torus_pod *pod,
			       const struct torus_ask *ask)
{
	uint64_t volume = torus_shape_volume(&ask->shape);
	uint64_t vertices = torus_node_vertices(&pod->torus), nodes;

	nodes = volume / vertices + (volume % vertices != 0);
	if (__builtin_mul_overflow(nodes, pod->torus.per_vertex, &nodes) ||
	    nodes > UINT32_MAX)
		return UINT32_MAX;
	return (uint32_t)nodes;
}

void torus_machine_settle(const struct torus_machine *m, struct torus_ask *ask)
{
	uint32_t least = UINT32_MAX;

	ask->shape_nodes = 0;
	for (uint32_t p = 0; p < m->pods && !ask->by_count; p++) {
		uint32_t nodes = torus_pod_shape_nodes(&m->pod[p], ask);

		if (!m->pod[p].outside && nodes < least)
			least = nodes;
	}
	if (least != UINT32_MAX)
		ask->shape_nodes = least;
}
