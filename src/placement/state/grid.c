/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grids of cells (grid.h). */
#include "placement/state/grid.h"

#include "torus/alloc.h"

void torus_grid_torus(const struct torus *t, struct torus *grid)
{
	*grid = *t;
	grid->per_vertex = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		grid->size[d] = t->size[d] / (t->grain[d] / t->unit[d]);
		grid->unit[d] = t->grain[d];
	}
	torus_number(grid);
}

int torus_grid_init(struct torus_pod *pod)
{
	uint32_t words;
	const struct torus *t;

	torus_grid_torus(&pod->torus, &pod->grid);
	pod->cell_nodes = pod->torus.nodes / pod->grid.nodes;
	if (pod->cell_nodes == 1)
		return 0;
	words = torus_bits_words(pod->grid.nodes);
	pod->cell = torus_alloc(pod->torus.nodes, sizeof(*pod->cell));
	if (!pod->cell)
		return -1;
	/* Fill the cell index of each node. */
	t = &pod->torus;
	for (uint32_t i = 0; i < t->nodes; i++) {
		uint32_t at[TORUS_MAX_DIMS];

		torus_coord(t, i, at);
		for (uint32_t d = 0; d < t->dims; d++)
			at[d] /= t->grain[d] / t->unit[d];
		pod->cell[i] = torus_index(&pod->grid, at);
	}
	if (!pod->present)
		return 0;
	pod->cell_present = torus_alloc(words, sizeof(uint64_t));
	if (!pod->cell_present)
		return -1;
	torus_grid_fold_all(pod, pod->present, pod->cell_present);
	return 0;
}

void torus_grid_free(struct torus_pod *pod)
{
	torus_free(pod->cell);
	torus_free(pod->cell_present);
	pod->cell = NULL;
	pod->cell_present = NULL;
}

void torus_grid_fold_all(const struct torus_pod *pod, const uint64_t *nodes,
			 uint64_t *cells)
{
	uint32_t n = pod->torus.nodes;

	torus_bits_zero(cells, torus_bits_words(pod->grid.nodes));
	torus_bits_set_range(cells, 0, pod->grid.nodes);
	for (uint32_t w = 0; w < pod->words; w++) {
		uint64_t missing = ~nodes[w];

		if (w == n / 64)
			missing &= torus_bits_low(n % 64);
		for (; missing; missing &= missing - 1)
			torus_bits_clear(cells,
					 pod->cell[w * 64 +
						   (uint32_t)__builtin_ctzll(
							   missing)]);
	}
}

void torus_grid_fold_any(const struct torus_pod *pod, const uint64_t *nodes,
			 uint64_t *cells)
{
	uint32_t i = torus_bits_next(nodes, pod->words, 0);

	torus_bits_zero(cells, torus_bits_words(pod->grid.nodes));
	for (; i != UINT32_MAX; i = torus_bits_next(nodes, pod->words, i + 1))
		torus_bits_set(cells, pod->cell[i]);
}

bool torus_grid_ask(const struct torus_pod *pod, struct torus_ask *ask)
{
	uint32_t n = pod->cell_nodes;

	if (!ask->by_count)
		return true;
	if (ask->granted % n)
		return false;
	ask->count = ask->count / n + (ask->count % n != 0);
	ask->granted /= n;
	return true;
}

void torus_grid_to_nodes(const struct torus_pod *pod, struct torus_region *r)
{
	for (uint32_t d = 0; d < pod->torus.dims; d++) {
		uint32_t n = pod->torus.grain[d] / pod->torus.unit[d];

		r->base[d] *= n;
		r->extent[d] *= n;
	}
}

bool torus_grid_from_nodes(const struct torus_pod *pod, struct torus_region *r)
{
	for (uint32_t d = 0; d < pod->torus.dims; d++) {
		uint32_t n = pod->torus.grain[d] / pod->torus.unit[d];

		if (r->base[d] % n || r->extent[d] % n)
			return false;
		r->base[d] /= n;
		r->extent[d] /= n;
	}
	return true;
}

void torus_grid_cover(const struct torus_pod *pod, const struct torus_region *r,
		      struct torus_region *cover)
{
	*cover = *r;
	for (uint32_t d = 0; d < pod->torus.dims; d++) {
		uint32_t n = pod->torus.grain[d] / pod->torus.unit[d];
		uint32_t reach = (r->extent[d] - 1) * r->stride[d] + 1;
		uint32_t end = (r->base[d] + reach - 1) / n + 1;

		cover->base[d] = r->base[d] / n;
		cover->stride[d] = 1;
		cover->extent[d] = end - cover->base[d];
		if (cover->extent[d] > pod->grid.size[d])
			cover->extent[d] = pod->grid.size[d];
	}
}
