/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live links of a grid (link_map.h). */
#include "placement/state/link_map.h"

#include "placement/submesh/erode.h"
#include "torus/alloc.h"

#define KEPT_BYTES (UINT32_C(1) << 20)
#define KEPT_LEAST 8
#define KEPT_MOST 1024

#define LINK_ALL UINT32_MAX

/* The box that a cache entry belongs to. */
struct link_entry {
	uint64_t stamp; /* version of the links; 0: empty entry */
	uint32_t extent[TORUS_MAX_DIMS];
	uint32_t along; /* as in struct torus_link_box, but LINK_ALL for all */
	uint32_t must;
	bool weak, none; /* none: no base is left */
};

/* The links as a job sees them; whether weak links are dead depends on the job. */
struct link_view {
	uint32_t dead; /* bit d: some link along d; bit dims: some cell */
	uint64_t *live[TORUS_MAX_DIMS + 1]; /* [dims]: cells without a dead link
					       inside */
};

struct torus_link_map {
	const struct torus *grid;
	uint32_t words;
	struct torus_erode *erode;
	bool has_weak;
	uint64_t stamp;
	struct link_view view[2]; /* [0]: weak links are dead; [1]: they are up */
	uint64_t *spare[3];
	uint64_t *narrowed;
	uint64_t *memory;
	uint32_t entries; /* a power of two */
	struct link_entry *key;
	uint64_t *bases; /* of entry k: from bases + k * words on */
};

struct torus_link_map *torus_link_map_create(const struct torus *grid)
{
	struct torus_link_map *m = torus_alloc(1, sizeof(*m));
	size_t maps;
	uint32_t n = KEPT_MOST;
	uint64_t *next;

	if (!m)
		return NULL;
	m->grid = grid;
	m->words = torus_bits_words(grid->nodes);
	while (n > KEPT_LEAST && (uint64_t)n * m->words * 8 > KEPT_BYTES)
		n /= 2;
	m->entries = n;
	maps = 2 * ((size_t)grid->dims + 1) + 4 + m->entries;
	m->erode = torus_erode_create(grid);
	m->key = torus_alloc(m->entries, sizeof(*m->key));
	m->memory = torus_alloc(maps * m->words, sizeof(*m->memory));
	if (!m->erode || !m->key || !m->memory) {
		torus_link_map_destroy(m);
		return NULL;
	}
	/* Divide the memory into the bitmaps. */
	next = m->memory;
	for (uint32_t w = 0; w < 2; w++) {
		for (uint32_t d = 0; d <= m->grid->dims; d++) {
			m->view[w].live[d] = next;
			next += m->words;
		}
	}
	for (uint32_t i = 0; i < 3; i++) {
		m->spare[i] = next;
		next += m->words;
	}
	m->narrowed = next;
	m->bases = next + m->words;
	torus_link_map_set(m, &(struct torus_link_list){ 0 }, 0);
	return m;
}

void torus_link_map_destroy(struct torus_link_map *m)
{
	if (!m)
		return;
	torus_erode_destroy(m->erode);
	torus_free(m->key);
	torus_free(m->memory);
	torus_free(m);
}

static void link_map_kill(struct torus_link_map *m, const struct torus_link *l)
{
	const struct torus *t = m->grid;
	uint32_t at[TORUS_MAX_DIMS], d = l->dim, cell;
	bool inside;

	torus_vertex_coord(t, l->vertex, at);
	inside = (at[d] + 1) % t->unit[d] != 0;
	for (uint32_t i = 0; i < t->dims; i++)
		at[i] /= t->unit[i];
	cell = torus_index(t, at);
	if (inside)
		d = t->dims;
	for (uint32_t w = 0; w < 2; w++) {
		if (w == 1 && l->health == TORUS_LINK_WEAK)
			continue;
		m->view[w].dead |= 1u << d;
		torus_bits_clear(m->view[w].live[d], cell);
	}
	m->has_weak |= l->health == TORUS_LINK_WEAK;
}

void torus_link_map_set(struct torus_link_map *m,
			const struct torus_link_list *list, uint32_t pod)
{
	for (uint32_t w = 0; w < 2; w++) {
		m->view[w].dead = 0;
		for (uint32_t d = 0; d <= m->grid->dims; d++)
			torus_bits_set_range(m->view[w].live[d], 0,
					     m->grid->nodes);
	}
	m->has_weak = false;
	m->stamp++;
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->link[i].pod == pod)
			link_map_kill(m, &list->link[i]);
	}
}

bool torus_link_map_any(const struct torus_link_map *m, bool weak)
{
	return m->view[weak].dead != 0;
}

/* Erode `in` by a box of these extents into m->spare[0]. Return whether any bit
 * is left; if not, the result is undefined. */
static bool link_map_erode(struct torus_link_map *m, const uint64_t *in,
			   const uint32_t *extent)
{
	bool any = false;

	for (uint32_t d = 0; d < m->grid->dims; d++) {
		uint64_t *out = m->spare[1];

		if (extent[d] == 1)
			continue;
		if (!torus_erode_runs(m->erode, d, 1, extent[d], in, out,
				      m->spare[2]))
			return false;
		m->spare[1] = m->spare[0];
		m->spare[0] = out;
		in = out;
		any = true;
	}
	if (!any)
		torus_bits_copy(m->spare[0], in, m->words);
	return true;
}

/* Remove the bases at which the box has a dead link, dimension by dimension.
 * Return false if none is left. */
static bool link_map_make(struct torus_link_map *m,
			  const struct link_entry *box, uint64_t *bases)
{
	const struct link_view *v = &m->view[box->weak];
	uint32_t dims = m->grid->dims, extent[TORUS_MAX_DIMS];

	for (uint32_t d = 0; d <= dims; d++) {
		bool ring = box->must >> d & 1;

		if (!(v->dead & box->along & 1u << d) ||
		    (d < dims && box->extent[d] == 1 && !ring))
			continue;
		memcpy(extent, box->extent, sizeof(extent));
		if (d < dims && !ring)
			extent[d]--;
		if (!link_map_erode(m, v->live[d], extent))
			return false;
		torus_bits_and(bases, bases, m->spare[0], m->words);
	}
	return torus_bits_next(bases, m->words, 0) != UINT32_MAX;
}

static const uint64_t *link_map_lookup(struct torus_link_map *m,
				       const struct link_entry *box, bool *none);

/* Compute the bases of an uncached box into `bases`; false if there are none. A
 * longer box starts from the bases of its corner of at most 2 cells. */
static bool link_map_extend(struct torus_link_map *m,
			    const struct link_entry *box, uint64_t *bases)
{
	struct link_entry corner = *box, rings = *box;
	uint32_t longer[TORUS_MAX_DIMS];
	const uint64_t *in;
	bool extends = false, none;

	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		bool more = d < m->grid->dims && box->extent[d] > 2;

		corner.extent[d] = more ? 2 : box->extent[d];
		longer[d] = more ? box->extent[d] - 1 : 1;
		extends |= more;
	}
	if (!extends || box->along != LINK_ALL) {
		torus_bits_zero(bases, m->words);
		torus_bits_set_range(bases, 0, m->grid->nodes);
		return link_map_make(m, box, bases);
	}
	corner.must = 0;
	in = link_map_lookup(m, &corner, &none);
	if (none || !link_map_erode(m, in, longer))
		return false;
	torus_bits_copy(bases, m->spare[0], m->words);
	rings.along = box->must;
	return link_map_make(m, &rings, bases);
}

uint32_t torus_link_map_opens(const struct torus_link_map *m, bool weak,
			      const uint32_t *extent)
{
	uint32_t covered = 0;

	for (uint32_t d = 0; d < m->grid->dims; d++)
		covered |= (uint32_t)torus_link_covers(m->grid, extent, d) << d;
	return covered & m->view[weak].dead;
}

/* Return the cache index of the box (Fibonacci hashing). */
static uint32_t link_map_slot(const struct torus_link_map *m,
			      const struct link_entry *box)
{
	uint64_t h = (box->along * UINT64_C(257) + box->must) * 2 + box->weak;

	for (uint32_t d = 0; d < m->grid->dims; d++)
		h = h * 257 + box->extent[d];
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32) & (m->entries - 1);
}

/* Return the bases of a box from the cache or compute them. *none: there is
 * none. */
static const uint64_t *link_map_lookup(struct torus_link_map *m,
				       const struct link_entry *box, bool *none)
{
	uint32_t slot = link_map_slot(m, box);
	struct link_entry *key = &m->key[slot];
	uint64_t *bases = m->bases + (size_t)slot * m->words;
	bool same = key->stamp == box->stamp && key->along == box->along &&
		    key->must == box->must && key->weak == box->weak;

	for (uint32_t d = 0; d < m->grid->dims; d++)
		same &= key->extent[d] == box->extent[d];
	if (!same) {
		bool any = link_map_extend(m, box, bases);

		*key = *box;
		key->none = !any;
		if (!any)
			torus_bits_zero(bases, m->words);
	}
	*none = key->none;
	return bases;
}

/* Return the cache key of the box with these required rings. */
static struct link_entry link_map_key(const struct torus_link_map *m,
				      const struct torus_link_box *box,
				      bool weak, uint32_t rings)
{
	struct link_entry key = { .stamp = m->stamp,
				  .along = LINK_ALL,
				  .must = rings,
				  .weak = weak };

	if (box->along && m->view[weak].dead & ~box->along)
		key.along = box->along;
	for (uint32_t d = 0; d < m->grid->dims; d++)
		key.extent[d] = box->extent[d];
	return key;
}

const uint64_t *torus_link_map_bases(struct torus_link_map *m,
				     const struct torus_link_box *box)
{
	bool weak = box->weak && m->has_weak, none;
	struct link_entry key;
	uint32_t must = 0;

	if (!(m->view[weak].dead & (box->along ? box->along : LINK_ALL)))
		return NULL;
	if (box->must)
		must = box->must & torus_link_map_opens(m, weak, box->extent);
	key = link_map_key(m, box, weak, must);
	return link_map_lookup(m, &key, &none);
}

/* Set m->narrowed to `bases` AND the box's own with these rings. Return whether
 * any is left. */
static bool link_map_try(struct torus_link_map *m,
			 const struct torus_link_box *box, bool weak,
			 uint32_t rings, const uint64_t *bases)
{
	struct link_entry key = link_map_key(m, box, weak, rings);
	const uint64_t *own;
	bool none;

	own = link_map_lookup(m, &key, &none);
	return !none && torus_erode_and(m->erode, bases, own, m->narrowed);
}

const uint64_t *torus_link_map_rings(struct torus_link_map *m,
				     const struct torus_link_box *box,
				     const uint64_t *bases, uint32_t *open)
{
	bool weak = box->weak && m->has_weak;
	struct torus_link_box all = *box;
	uint32_t opens = torus_link_map_opens(m, weak, box->extent);
	uint32_t must = opens & box->must, prefer = opens & box->prefer;
	uint32_t preferred;

	*open = 0;
	if (!(must | prefer))
		return bases;
	all.along = 0;
	preferred = (uint32_t)__builtin_popcount(prefer);
	/* every subset of the preferred rings, the larger ones first */
	for (; *open <= preferred; ++*open) {
		for (uint32_t some = prefer;; some = (some - 1) & prefer) {
			if ((uint32_t)__builtin_popcount(some) ==
				    preferred - *open &&
			    link_map_try(m, &all, weak, must | some, bases))
				return m->narrowed;
			if (some == 0)
				break;
		}
	}
	return NULL;
}

bool torus_link_map_closed(const struct torus_link_map *m, bool weak,
			   const struct torus_region *r, uint32_t d)
{
	const struct link_view *v = &m->view[weak];
	struct torus_region last = *r;

	if (!(v->dead >> d & 1))
		return true;
	last.extent[d] = 1;
	last.base[d] = (r->base[d] + m->grid->size[d] - 1) % m->grid->size[d];
	return torus_region_inside(&last, m->grid, v->live[d]);
}
