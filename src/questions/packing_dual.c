/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dual bound (packing.h): if every place weighs at least 1, at most as many
 * places are disjoint as all nodes weigh. Any weights are valid after division
 * by the weight of the lightest place. Each round increases the weights of the
 * nodes in the lightest places.
 */
#include "questions/packing.h"

#include "torus/alloc.h"

#define ROUNDS 300
#define STEP 0.3 /* step of the first round; later steps decrease */
#define SLACK 1e-9

struct dual {
	const struct packing_lists *l;
	double *weight, *hits; /* per node */
	double *load;          /* per place */
};

static double dual_lightest(const struct dual *d)
{
	double least = 0;

	for (uint32_t p = 0; p < d->l->places; p++) {
		double sum = 0;

		for (uint32_t i = d->l->first[p]; i < d->l->first[p + 1]; i++)
			sum += d->weight[d->l->node[i]];
		d->load[p] = sum;
		if (p == 0 || sum < least)
			least = sum;
	}
	return least;
}

/* Increase the weight of nodes by how many of the nearly lightest places
 * contain them. */
static void dual_raise(struct dual *d, double least, double step)
{
	double most = 1;

	for (uint32_t i = 0; i < d->l->nodes; i++)
		d->hits[i] = 0;
	for (uint32_t p = 0; p < d->l->places; p++) {
		if (d->load[p] > least * (1 + step))
			continue;
		for (uint32_t i = d->l->first[p]; i < d->l->first[p + 1]; i++) {
			double *hits = &d->hits[d->l->node[i]];

			if (++*hits > most)
				most = *hits;
		}
	}
	for (uint32_t i = 0; i < d->l->nodes; i++)
		d->weight[i] *= 1 + step * d->hits[i] / most;
}

static void dual_rounds(struct dual *d, uint32_t disjoint, double *best)
{
	uint64_t entries = d->l->first[d->l->places] + 1;
	uint64_t rounds = PACKING_WORK / entries;

	for (uint64_t r = 0; r < rounds && r < ROUNDS; r++) {
		double least = dual_lightest(d), total = 0;
		double step = STEP / (1 + (double)r / 10);

		for (uint32_t i = 0; i < d->l->nodes; i++)
			total += d->weight[i];
		if (total / least < *best)
			*best = total / least;
		if (*best < disjoint + 1.0 - SLACK)
			return;
		dual_raise(d, least, step);
		for (uint32_t i = 0; i < d->l->nodes; i++)
			d->weight[i] /= total; /* so that none overflows */
	}
}

int packing_dual(const struct packing_lists *l, uint32_t bound,
		 uint32_t disjoint, uint32_t *at_most)
{
	struct dual d = { .l = l,
			  .weight = torus_alloc(l->nodes, sizeof(double)),
			  .hits = torus_alloc(l->nodes, sizeof(double)),
			  .load = torus_alloc(l->places, sizeof(double)) };
	double best = bound;
	int rc = d.weight && d.hits && d.load ? 0 : -1;

	*at_most = bound;
	for (uint32_t i = 0; rc == 0 && i < l->first[l->places]; i++)
		d.weight[l->node[i]] = 1;
	if (rc == 0 && l->places > 0)
		dual_rounds(&d, disjoint, &best);
	if (best + SLACK < bound)
		*at_most = (uint32_t)(best * (1 + SLACK) + SLACK);
	torus_free(d.weight);
	torus_free(d.hits);
	torus_free(d.load);
	return rc;
}
