/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs to end if any nodes suffice (freeing.h): for each torus, the jobs that
 * free at least the wanted number of nodes at the least cost. A table has the
 * least cost for each number of nodes and its jobs. If the table would be too
 * large, the jobs with the least cost per node are taken, and the fractional
 * solution is the bound.
 *
 * The jobs on required nodes are among them in any case. A node that several jobs share
 * counts for none of them.
 */
#include <stdlib.h>
#include <string.h>

#include "questions/freeing_search.h"
#include "torus/alloc.h"

#define TABLE (16 * 1024 * 1024) /* entries */

struct freeing_item {
	uint64_t cost;
	uint32_t job, nodes;
};

/* List the jobs by how many nodes of the torus they would free; return the
 * number of idle nodes. */
static uint32_t freeing_items(const struct freeing_search *s,
			      const struct torus_pod *pod,
			      const uint64_t *available,
			      struct freeing_item *item, uint32_t *idle)
{
	const struct snapshot *snap = s->q->s;
	uint32_t from = pod->first_word * 64, count = 0;

	*idle = 0;
	for (uint32_t b = from; b < from + pod->torus.nodes; b++)
		*idle += torus_bits_test(available, b) &&
			 (!pod->present ||
			  torus_bits_test(pod->present, b - from)) &&
			 s->first[b] == s->first[b + 1];
	for (uint32_t j = 0; j < snap->jobs; j++) {
		uint32_t nodes = 0;

		for (uint32_t i = 0; i < snap->job[j].nodes; i++) {
			uint32_t b = snap->job[j].node[i];

			nodes += b >= from && b < from + pod->torus.nodes &&
				 torus_bits_test(available, b) &&
				 s->first[b + 1] - s->first[b] == 1;
		}
		if (nodes && snap->job[j].running &&
		    !(s->q->keep && s->q->keep[j]))
			item[count++] = (struct freeing_item){ s->q->cost[j], j,
							       nodes };
	}
	return count;
}

/* Sort by cost per node, ties by size, the larger first. */
static int freeing_nodes_by_price(const void *a, const void *b)
{
	const struct freeing_item *x = a, *y = b;
	long double p = (long double)x->cost * y->nodes;
	long double q = (long double)y->cost * x->nodes;

	if (p < q || p > q)
		return p > q ? 1 : -1;
	return (x->nodes < y->nodes) - (x->nodes > y->nodes);
}

static int freeing_nodes_by_cost(const void *a, const void *b)
{
	const struct freeing_item *x = a, *y = b;

	return (x->cost > y->cost) - (x->cost < y->cost);
}

/* Take items in order until there are enough nodes; then drop those not needed,
 * the last first. Return false if all together are too few. */
static bool freeing_take(struct freeing_search *s, struct freeing_item *item,
			 uint32_t count, uint32_t need, uint32_t *taken,
			 uint64_t *cost)
{
	uint32_t nodes = 0, n = 0;

	while (n < count && nodes < need)
		nodes += item[n++].nodes;
	if (nodes < need)
		return false;
	*taken = 0;
	*cost = 0;
	for (uint32_t i = n; i-- > 0;) {
		if (nodes - item[i].nodes >= need) {
			nodes -= item[i].nodes;
			continue;
		}
		s->set[(*taken)++] = item[i].job;
		*cost = freeing_cost_sum(s, *cost, item[i].cost);
	}
	return true;
}

/* Fill least[k], the least cost of at least k nodes with the items so far; took
 * has a bit per item and k. */
static bool freeing_table(struct freeing_search *s,
			  const struct freeing_item *item, uint32_t count,
			  uint32_t need, uint32_t *taken, uint64_t *cost)
{
	uint64_t *least = torus_alloc((size_t)need + 1, sizeof(*least));
	uint8_t *took = torus_alloc((size_t)count * (need + 1), 1);

	*taken = 0;
	for (uint32_t k = 1; least && k <= need; k++)
		least[k] = UINT64_MAX;
	for (uint32_t i = 0; least && took && i < count; i++) {
		for (uint32_t k = need; k > 0; k--) {
			uint32_t remaining = k > item[i].nodes ?
						     k - item[i].nodes :
						     0;
			uint64_t sum;

			if (least[remaining] == UINT64_MAX)
				continue;
			sum = freeing_cost_sum(s, least[remaining],
					       item[i].cost);
			if (sum >= least[k])
				continue;
			least[k] = sum;
			took[(size_t)i * (need + 1) + k] = 1;
		}
	}
	*cost = least && took ? least[need] : UINT64_MAX;
	for (uint32_t i = count, k = need; *cost < UINT64_MAX && i-- > 0 && k;) {
		if (!took[(size_t)i * (need + 1) + k])
			continue;
		s->set[(*taken)++] = item[i].job;
		k = k > item[i].nodes ? k - item[i].nodes : 0;
	}
	torus_free(least);
	torus_free(took);
	return *cost < UINT64_MAX;
}

/* Return true if the torus has all required nodes, idle or with jobs that may be ended. */
static bool freeing_has_required(const struct freeing_search *s,
				 const struct torus_pod *pod,
				 const uint64_t *available,
				 const struct freeing_item *item, uint32_t must)
{
	const uint64_t *required = s->q->ask->required;
	uint32_t from = pod->first_word * 64, words = s->m->words;
	uint32_t b = required ? torus_bits_next(required, words, 0) : UINT32_MAX;

	for (; b != UINT32_MAX; b = torus_bits_next(required, words, b + 1)) {
		bool held = s->first[b] != s->first[b + 1], ends = false;

		for (uint32_t i = 0; held && i < must && !ends; i++) {
			const struct snapshot_job *job =
				&s->q->s->job[item[i].job];

			for (uint32_t n = 0; n < job->nodes; n++)
				ends |= job->node[n] == b;
		}
		if (b < from || b >= from + pod->torus.nodes ||
		    !torus_bits_test(available, b) || (held && !ends))
			return false;
	}
	return true;
}

static int freeing_pod(struct freeing_search *s, uint32_t p,
		       const uint64_t *available, struct freeing_item *item)
{
	const struct torus_pod *pod = &s->m->pod[p];
	struct torus_placement place = { .pod = p, .scattered = true };
	uint64_t nodes = torus_ask_nodes(s->q->ask), cost, bound;
	uint32_t idle, taken, need;
	uint32_t count = freeing_items(s, pod, available, item, &idle), must;
	const struct freeing_item *first = item;
	bool small, found;
	uint32_t begin = 0;

	/* Move the jobs on required nodes to the front: `begin` of them. */
	for (uint32_t i = 0; s->q->ask->required && i < count; i++) {
		const struct snapshot_job *job = &s->q->s->job[item[i].job];
		struct freeing_item swap = item[begin];
		bool on = false;

		for (uint32_t n = 0; n < job->nodes; n++)
			on |= torus_bits_test(s->q->ask->required, job->node[n]);
		if (!on)
			continue;
		item[begin++] = item[i];
		item[i] = swap;
	}
	must = begin;
	if (!freeing_has_required(s, pod, available, item, must))
		return 0;
	for (uint32_t i = 0; i < must; i++)
		idle += item[i].nodes;
	item += must;
	count -= must;
	need = nodes > idle ? (uint32_t)(nodes - idle) : 0;
	small = (uint64_t)count * (need + 1) <= TABLE && !s->latest;
	if (count > 1)
		qsort(item, count, sizeof(*item),
		      s->latest ? freeing_nodes_by_cost :
				  freeing_nodes_by_price);
	found = small ? freeing_table(s, item, count, need, &taken, &cost) :
			freeing_take(s, item, count, need, &taken, &cost);
	for (uint32_t i = 0; found && i < must; i++) {
		s->set[taken++] = first[i].job;
		cost = freeing_cost_sum(s, cost, first[i].cost);
	}
	if (!found || (s->f->answer == TORUS_FITS && cost >= s->f->cost))
		return 0;
	place.granted = (uint32_t)nodes;
	if (small || s->latest || must)
		bound = cost;
	else {
		/* the least cost of freeing this many nodes if jobs were divisible */
		long double price = 0;

		for (; need > item->nodes; item++) {
			price += (long double)item->cost;
			need -= item->nodes;
		}
		price += (long double)item->cost * need / item->nodes;
		bound = price < (long double)(UINT64_MAX / 2) ?
				(uint64_t)price :
				0;
	}
	if (freeing_keep(s, taken, cost, &place))
		return -1;
	s->f->at_least = bound;
	return 0;
}

int freeing_nodes(struct freeing_search *s, const uint64_t *available)
{
	struct freeing_item *item = torus_alloc(s->q->s->jobs, sizeof(*item));
	int rc = item ? 0 : -1;

	for (uint32_t p = 0; rc == 0 && p < s->m->pods; p++) {
		if (!s->m->pod[p].outside)
			rc = freeing_pod(s, p, available, item);
	}
	torus_free(item);
	return rc;
}
