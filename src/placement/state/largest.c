/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest box of usable nodes (free_boxes.h). */
#include "placement/state/free_boxes.h"

#include "placement/submesh/erode.h"
#include "placement/state/grid.h"
#include "placement/state/link_map.h"
#include "torus/alloc.h"

struct largest_search {
	const struct torus *t;
	struct torus_erode *erode;
	struct torus_link_map *links; /* NULL: none is dead */
	uint32_t words;
	uint64_t *level[TORUS_MAX_DIMS][2], *spare;
	uint64_t *start; /* usable cells; in the second pass without cells */
	uint64_t *memory;
	uint32_t extent[TORUS_MAX_DIMS]; /* extents chosen so far; 1 below */
	struct torus_region *best;
	uint32_t cells; /* size of the best box */
};

/* Lengthen the runs in `in` along d as torus_erode_runs() does; NULL if none is
 * left. */
static const uint64_t *largest_erode(struct largest_search *s, uint32_t d,
				     uint32_t have, uint32_t want,
				     const uint64_t *in)
{
	uint64_t *out = s->level[d][in == s->level[d][0]];

	return torus_erode_runs(s->erode, d, have, want, in, out, s->spare) ?
		       out :
		       NULL;
}

/* Keep the bases of our own map at which no link along these dimensions is
 * dead. */
static void largest_take_links(struct largest_search *s, uint32_t along,
			       uint64_t *map)
{
	const struct torus_link_box box = { .extent = s->extent,
					    .along = along };
	const uint64_t *live = torus_link_map_bases(s->links, &box);

	if (live)
		torus_bits_and(map, map, live, s->words);
}

/* Lengthen the boxes in `in` from have to want cells along d; NULL if none is
 * left. Dead links are removed when a box gets 2 cells, as in
 * submesh.c. */
static const uint64_t *largest_lengthen(struct largest_search *s, uint32_t d,
					uint32_t have, uint32_t want,
					const uint64_t *in)
{
	if (!s->links)
		return largest_erode(s, d, have, want, in);
	if (have == 1) {
		in = largest_erode(s, d, 1, 2, in);
		if (!in)
			return NULL;
		s->extent[d] = have = 2;
		largest_take_links(s, 1u << d,
				   s->level[d][in == s->level[d][1]]);
	}
	if (have < want)
		return largest_erode(s, d, have - 1, want - 1, in);
	return torus_bits_next(in, s->words, 0) == UINT32_MAX ? NULL : in;
}

/*
 * Find the longest run along dimension 0 from the bases in `in`: a length that is
 * better than the best box so far, then twice the step while it fits, then half of
 * what is left. (A shorter run fits wherever a longer one does.)
 */
static void largest_run(struct largest_search *s, const uint64_t *in,
			uint32_t volume)
{
	uint32_t have = 1, too_long = s->t->size[0] + 1, step = 1;
	uint32_t want = s->cells / volume + 1;
	bool found = want == 1;

	if (want >= too_long)
		return;
	while (in && have + 1 < too_long) {
		const uint64_t *longer;

		want = want > have ? want : have + step;
		if (want >= too_long)
			want = have + (too_long - have) / 2;
		longer = largest_lengthen(s, 0, have, want, in);
		if (!longer && !found)
			break;
		found = true;
		if (longer) {
			in = longer;
			have = want;
			step *= 2;
		} else {
			too_long = want;
			step = too_long; /* bisect from now on */
		}
	}
	s->extent[0] = have;
	if (found) {
		torus_region_whole(s->best, s->t);
		torus_coord(s->t, torus_bits_next(in, s->words, 0),
			    s->best->base);
		memcpy(s->best->extent, s->extent,
		       s->t->dims * sizeof(*s->extent));
		s->cells = volume * have;
	}
	s->extent[0] = 1;
}

/* Choose the extents of dimension d and below. The dimensions above have
 * `volume` cells, and `in` has the bases of the boxes that fit. */
static void largest_choose(struct largest_search *s, uint32_t d,
			   const uint64_t *in, uint32_t volume)
{
	uint32_t most = s->t->stride[d], have = 1;

	if (d == 0) {
		largest_run(s, in, volume);
		return;
	}
	for (uint32_t e = 1; in && e <= s->t->size[d]; e++) {
		/* even with full extents below, no larger box */
		if ((uint64_t)volume * e * most <= s->cells)
			continue;
		if (e > have)
			in = largest_lengthen(s, d, have, e, in);
		if (!in)
			break;
		have = e;
		s->extent[d] = e;
		largest_choose(s, d - 1, in, volume * e);
	}
	s->extent[d] = 1;
}

/* Set s->links to the unhealthy links of the pod. Return -1 with ENOMEM. */
static int largest_set_links(struct largest_search *s,
			     const struct torus_link_list *list, uint32_t p)
{
	uint32_t i = 0;

	while (i < list->count && list->link[i].pod != p)
		i++;
	if (i == list->count)
		return 0;
	s->links = torus_link_map_create(s->t);
	if (!s->links)
		return -1;
	torus_link_map_set(s->links, list, p);
	largest_take_links(s, 1u << s->t->dims, s->start);
	return 0;
}

int torus_largest_region(const struct torus_machine *m, uint32_t p,
			 const uint64_t *usable, struct torus_region *box,
			 uint32_t *nodes)
{
	const struct torus_pod *pod = &m->pod[p];
	struct largest_search s = { .best = box };
	int rc;

	s.t = &pod->grid;
	s.words = torus_bits_words(pod->grid.nodes);
	s.memory = torus_alloc((size_t)s.words * (2 * pod->grid.dims + 2),
			       sizeof(*s.memory));
	s.erode = torus_erode_create(&pod->grid);
	if (!s.memory || !s.erode) {
		rc = -1;
	} else {
		s.spare = s.memory;
		s.start = s.spare + s.words;
		for (uint32_t d = 0; d < pod->grid.dims; d++) {
			s.level[d][0] = s.memory + (2 * (size_t)d + 2) * s.words;
			s.level[d][1] = s.level[d][0] + s.words;
			s.extent[d] = 1;
		}

		rc = 0;
	}
	if (rc == 0) {
		if (pod->cell_nodes > 1)
			torus_grid_fold_all(pod, usable, s.start);
		else
			torus_bits_copy(s.start, usable, s.words);
		rc = largest_set_links(&s, &m->links, p);
	}
	if (rc == 0 && torus_bits_next(s.start, s.words, 0) != UINT32_MAX) {
		largest_choose(&s, s.t->dims - 1, s.start, 1);
		torus_grid_to_nodes(pod, box);
	}
	*nodes = s.cells * pod->cell_nodes;
	torus_link_map_destroy(s.links);
	torus_erode_destroy(s.erode);
	torus_free(s.memory);
	return rc;
}
