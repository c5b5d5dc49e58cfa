/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of a grid on hosts (rank_grid.h). For each cell that divides the grid,
 * the cells are a grid themselves, which is laid on the hosts' box
 *
 *	folded	each axis of the box lies along one axis of the cells; several
 *		along the same one are a snake or a ring
 *	by rank	cells in row-major or snake order on hosts in row-major, snake, ring
 *		or Hilbert order
 *
 * and the best is improved by exchanges of two cells (up to EXCHANGE_HOSTS hosts), or
 * replaced by the best of all permutations (up to EXHAUSTIVE_HOSTS).
 *
 * Cost: O(cells' shapes x (folds + exchanges) x hosts x axes).
 */
#include "storus/setup/rank_grid.h"

#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/number.h"

#define MOST_RANKS (2u << 20) /* 128 MB; a layout of more takes a minute */
#define EXHAUSTIVE_HOSTS 8
#define EXCHANGE_HOSTS 64
#define EXCHANGE_ROUNDS 20

struct grid_hops {
	uint64_t all;  /* the ends of an axis are neighbours */
	uint64_t open; /* they are not */
};

struct grid_search {
	const struct torus_ranks *hosts;
	const struct rank_grid *grid;
	struct grid_hops limit; /* of ranks in order */

	/* the cells */
	uint32_t cell[TORUS_MAX_DIMS];
	uint32_t extent[TORUS_MAX_DIMS]; /* in cells */
	uint64_t weight[TORUS_MAX_DIMS]; /* pairs of ranks across a face */

	uint32_t *at; /* host of each cell: this try */
	struct grid_hops least;
	uint32_t best_cell[TORUS_MAX_DIMS];
	uint32_t *best; /* host of each cell */
	bool found;
};

/* "8x4" */
static int grid_numbers(const char *name, const char *text, uint32_t *n,
			uint32_t *axes, struct torus_error *err)
{
	const char *p = text;

	for (*axes = 0; p && *axes < TORUS_MAX_DIMS; p++) {
		uint64_t value;

		p = torus_number_scan_whole(p, TORUS_MAX_NODES, &value);
		if (!p || value == 0)
			break;
		n[(*axes)++] = (uint32_t)value;
		if (*p == '\0')
			return 0;
		if (*p != 'x')
			break;
	}
	return torus_error_add(err,
			       "--%s: got \"%.40s\": expected extents, for example 8x4",
			       name, text);
}

int rank_grid_parse(struct rank_grid *grid, const char *extent,
		    const char *cell, struct torus_error *err)
{
	uint32_t axes;
	uint64_t ranks = 1;

	*grid = (struct rank_grid){ 0 };
	if (grid_numbers("grid", extent, grid->extent, &grid->axes, err))
		return -1;
	for (uint32_t i = 0; i < grid->axes; i++) {
		ranks *= grid->extent[i];
		if (ranks > MOST_RANKS)
			return torus_error_add(err,
					       "--grid: got \"%.40s\": more than %u ranks; lay out blocks of ranks: divide each extent by what a node holds along it",
					       extent, MOST_RANKS);
	}
	grid->ranks = (uint32_t)ranks;
	if (!cell)
		return 0;
	if (grid_numbers("cell", cell, grid->cell, &axes, err))
		return -1;
	for (uint32_t i = 0; i < grid->axes; i++) {
		if (axes != grid->axes || grid->extent[i] % grid->cell[i])
			return torus_error_add(err,
					       "--cell: got \"%.40s\": expected a divisor of each extent of --grid %.40s, for example %s",
					       cell, extent,
					       grid->axes == 2 ? "2x2" :
								 "2x2x1");
	}
	return 0;
}

static uint32_t hops_between(const struct torus_ranks *hosts, uint32_t a,
			     uint32_t b)
{
	const uint32_t *x = hosts->rank[a].coord, *y = hosts->rank[b].coord;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < hosts->axes; i++) {
		uint32_t d = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];

		if (hosts->closed >> i & 1 && hosts->extent[i] - d < d)
			d = hosts->extent[i] - d;
		sum += d;
	}
	return sum;
}

/* The neighbour of place k of a grid along an axis; *end: across its end. */
static uint32_t grid_next(const uint32_t *extent, uint32_t axes, uint32_t axis,
			  uint32_t k, bool *end)
{
	uint32_t stride = 1;

	for (uint32_t i = axes; --i > axis;)
		stride *= extent[i];
	*end = k / stride % extent[axis] == extent[axis] - 1;
	return *end ? k - (extent[axis] - 1) * stride : k + stride;
}

/* Keep the try if it is the best. */
static bool grid_judge(struct grid_search *s)
{
	struct grid_hops h;
	uint32_t cells;
	struct grid_hops sum = { 0 };

	cells = s->hosts->nodes;
	for (uint32_t i = 0; i < s->grid->axes; i++) {
		for (uint32_t c = 0; c < cells; c++) {
			bool end;
			uint32_t other = grid_next(s->extent, s->grid->axes, i,
						   c, &end);
			uint64_t d = s->weight[i] * hops_between(s->hosts,
								 s->at[c],
								 s->at[other]);

			sum.all += d;
			sum.open += end ? 0 : d;
		}
	}
	h = sum;
	if (h.all > s->limit.all || h.open > s->limit.open ||
	    (s->found && (h.all > s->least.all ||
			  (h.all == s->least.all && h.open >= s->least.open))))
		return false;
	s->found = true;
	s->least = h;
	memcpy(s->best, s->at, s->hosts->nodes * sizeof(*s->at));
	memcpy(s->best_cell, s->cell, sizeof(s->cell));
	return true;
}

/* Orders of a box */

/* List the places of a box in an order; coord of each, and its row-major number in
 * `index`. NULL with ENOMEM. */
static struct torus_rank *box_list(const uint32_t *extent, uint32_t axes,
				   uint32_t closed, uint32_t order)
{
	struct torus_ranks box = { .axes = axes, .nodes = 1, .closed = closed };

	for (uint32_t a = 0; a < axes; a++) {
		box.extent[a] = extent[a];
		box.nodes *= extent[a];
	}
	box.rank = torus_alloc(box.nodes, sizeof(*box.rank));
	for (uint32_t k = 0; box.rank && k < box.nodes; k++) {
		uint32_t rest = k;

		box.rank[k].index = k;
		for (uint32_t a = axes; a-- > 0; rest /= extent[a])
			box.rank[k].coord[a] = rest % extent[a];
	}
	if (box.rank && torus_ranks_sort(&box, order)) {
		torus_free(box.rank);
		return NULL;
	}
	return box.rank;
}

/* along[a]: the cells' axis along which the hosts' axis a lies. */
static int grid_fold(struct grid_search *s, const uint32_t *along,
		     uint32_t order)
{
	const struct torus_ranks *h = s->hosts;
	struct torus_rank *list[TORUS_MAX_DIMS] = { NULL };
	int rc = 0;

	for (uint32_t i = 0; i < s->grid->axes && rc == 0; i++) {
		uint32_t extent[TORUS_MAX_DIMS] = { 1 }, n = 0, closed = 0;

		for (uint32_t a = 0; a < h->axes; a++) {
			if (along[a] != i)
				continue;
			closed |= (h->closed >> a & 1) << n;
			extent[n++] = h->extent[a];
		}
		list[i] = box_list(extent, n ? n : 1, closed,
				   n > 1 ? order : TORUS_ORDER_ROW_MAJOR);
		rc = list[i] ? 0 : -1;
	}
	for (uint32_t c = 0; c < h->nodes && rc == 0; c++) {
		uint32_t coord[TORUS_MAX_DIMS], rest = c;
		uint32_t at[TORUS_MAX_DIMS] = { 0 };
		uint32_t used[TORUS_MAX_DIMS] = { 0 };
		uint32_t k = 0;

		for (uint32_t i = s->grid->axes; i-- > 0; rest /= s->extent[i])
			at[i] = rest % s->extent[i];
		for (uint32_t a = 0; a < h->axes; a++)
			coord[a] = list[along[a]][at[along[a]]]
					   .coord[used[along[a]]++];
		for (uint32_t a = 0; a < h->axes; a++)
			k = k * h->extent[a] + coord[a];
		s->at[c] = k;
	}
	for (uint32_t i = 0; i < s->grid->axes; i++)
		torus_free(list[i]);
	if (rc == 0)
		grid_judge(s);
	return rc;
}

/* Lay the hosts' axes from `a` on along axes of the cells; left[i]: what its extent
 * still needs. */
static int grid_try_folds(struct grid_search *s, uint32_t a, uint32_t *along,
			  uint32_t *left)
{
	const struct torus_ranks *h = s->hosts;
	int rc = 0;

	if (a == h->axes) {
		for (uint32_t i = 0; i < s->grid->axes; i++) {
			if (left[i] != 1)
				return 0;
		}
		return grid_fold(s, along, TORUS_ORDER_SNAKE) ||
				       grid_fold(s, along, TORUS_ORDER_RING) ?
			       -1 :
			       0;
	}
	for (uint32_t i = 0; i < s->grid->axes && rc == 0; i++) {
		if (left[i] % h->extent[a])
			continue;
		along[a] = i;
		left[i] /= h->extent[a];
		rc = grid_try_folds(s, a + 1, along, left);
		left[i] *= h->extent[a];
	}
	return rc;
}

/* Exchange the hosts of two cells while that helps; `at` is the best of this cell. */
static void grid_exchange(struct grid_search *s)
{
	uint32_t n = s->hosts->nodes;
	bool better = n <= EXCHANGE_HOSTS;

	for (uint32_t round = 0; better && round < EXCHANGE_ROUNDS; round++) {
		better = false;
		for (uint32_t a = 0; a < n; a++) {
			for (uint32_t b = a + 1; b < n; b++) {
				uint32_t host = s->at[a];

				s->at[a] = s->at[b];
				s->at[b] = host;
				if (grid_judge(s)) {
					better = true;
					continue;
				}
				s->at[b] = s->at[a];
				s->at[a] = host;
			}
		}
	}
}

/* All permutations, by exchanges (Heap's algorithm). */
static void grid_permute(struct grid_search *s, uint32_t n)
{
	if (n == 1) {
		grid_judge(s);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = n % 2 ? 0 : i, host;

		grid_permute(s, n - 1);
		host = s->at[j];
		s->at[j] = s->at[n - 1];
		s->at[n - 1] = host;
	}
}

/* Try all cells of n ranks, from axis i on. */
static int grid_try_cells(struct grid_search *s, uint32_t i, uint32_t n)
{
	int rc = 0;

	if (i == s->grid->axes) {
		uint32_t along[TORUS_MAX_DIMS], left[TORUS_MAX_DIMS];
		static const uint32_t cells[] = { TORUS_ORDER_ROW_MAJOR,
						  TORUS_ORDER_SNAKE };
		static const uint32_t hosts[] = { TORUS_ORDER_ROW_MAJOR,
						  TORUS_ORDER_SNAKE,
						  TORUS_ORDER_RING,
						  TORUS_ORDER_HILBERT };
		const struct torus_ranks *h = s->hosts;
		uint32_t count = s->grid->ranks / h->nodes;
		uint32_t per = h->nodes; /* hosts at one place of their box */

		if (n != 1)
			return 0;
		for (uint32_t j = 0; j < s->grid->axes; j++) {
			s->extent[j] = left[j] = s->grid->extent[j] / s->cell[j];
			s->weight[j] = s->extent[j] > 1 ? count / s->cell[j] : 0;
		}
		for (uint32_t a = 0; a < h->axes; a++)
			per /= h->extent[a];
		/* Cells in one order on hosts in another. */
		for (uint32_t m = 0; m < 8; m++) {
			struct torus_rank *from = box_list(s->extent,
							   s->grid->axes, 0,
							   cells[m / 4]);
			struct torus_rank *to = box_list(h->extent, h->axes,
							 h->closed,
							 hosts[m % 4]);

			for (uint32_t k = 0; from && to && k < h->nodes; k++)
				s->at[from[k].index] = to[k / per].index * per +
						       k % per;
			torus_free(from);
			torus_free(to);
			if (!from || !to)
				return -1;
			grid_judge(s);
		}
		if (per == 1 && grid_try_folds(s, 0, along, left))
			return -1;
		if (h->nodes <= EXHAUSTIVE_HOSTS) {
			grid_permute(s, h->nodes);
		} else if (s->found &&
			   !memcmp(s->best_cell, s->cell, sizeof(s->cell))) {
			memcpy(s->at, s->best, h->nodes * sizeof(*s->at));
			grid_exchange(s);
		}
		return 0;
	}
	for (uint32_t c = 1; c <= n && rc == 0; c++) {
		if (n % c || s->grid->extent[i] % c)
			continue;
		if (s->grid->cell[0] && s->grid->cell[i] != c)
			continue;
		s->cell[i] = c;
		rc = grid_try_cells(s, i + 1, n / c);
	}
	return rc;
}

/* The host of a rank: its cell's, or, without a better layout, that of ranks in order. */
static uint32_t host_of_rank(const struct grid_search *s, uint32_t rank)
{
	const struct rank_grid *grid = s->grid;
	uint32_t at[TORUS_MAX_DIMS], c = 0, rest = rank;

	if (!s->found)
		return rank / (grid->ranks / s->hosts->nodes);
	for (uint32_t i = grid->axes; i-- > 0; rest /= grid->extent[i])
		at[i] = rest % grid->extent[i];
	for (uint32_t i = 0; i < grid->axes; i++)
		c = c * (grid->extent[i] / s->best_cell[i]) +
		    at[i] / s->best_cell[i];
	return s->best[c];
}

int rank_grid_lay_out(struct torus_ranks *hosts, struct rank_grid *grid,
		      struct torus_error *err)
{
	struct grid_search s = { .hosts = hosts, .grid = grid };
	struct torus_rank *rank;
	uint32_t n = grid->ranks / hosts->nodes, cell = 1;
	int rc = -1;
	uint32_t count;
	struct grid_hops sum = { 0 };

	if (grid->ranks % hosts->nodes)
		return torus_error_add(err,
				       "--grid: %u ranks are no multiple of the %u nodes",
				       grid->ranks, hosts->nodes);
	for (uint32_t i = 0; grid->cell[0] && i < grid->axes; i++)
		cell *= grid->cell[i];
	if (grid->cell[0] && cell != n)
		return torus_error_add(err,
				       "--cell: %u ranks in a cell, expected the %u of a node",
				       cell, n);
	/* Hops of ranks in order: n on each host, one host after the other. */
	count = grid->ranks / hosts->nodes;
	for (uint32_t i = 0; i < grid->axes; i++) {
		for (uint32_t k = 0; k < grid->ranks; k++) {
			bool end;
			uint32_t other = grid_next(grid->extent, grid->axes, i,
						   k, &end);
			uint32_t d = hops_between(hosts, k / count,
						  other / count);

			sum.all += d;
			sum.open += end ? 0 : d;
		}
	}
	s.limit = sum;
	grid->hops_in_order = s.limit.all;
	if (grid->cell[0]) /* it is the user's choice */
		s.limit = (struct grid_hops){ UINT64_MAX, UINT64_MAX };
	s.at = torus_alloc(hosts->nodes, sizeof(*s.at));
	s.best = torus_alloc(hosts->nodes, sizeof(*s.best));
	rank = torus_alloc(grid->ranks, sizeof(*rank));
	if (s.at && s.best && rank)
		rc = grid_try_cells(&s, 0, n);
	for (uint32_t k = 0; rc == 0 && k < grid->ranks; k++)
		rank[k] = hosts->rank[host_of_rank(&s, k)];
	grid->hops = s.found ? s.least.all : grid->hops_in_order;
	memcpy(grid->cell, s.best_cell, sizeof(grid->cell));
	torus_free(s.at);
	torus_free(s.best);
	if (rc) {
		torus_free(rank);
		return torus_error_add(err, "out of memory");
	}
	torus_free(hosts->rank);
	hosts->rank = rank;
	hosts->nodes = grid->ranks;
	return 0;
}
