/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of a search for several regions, its packed places and the regions
 * that it has taken (state_find.h). */
#include "placement/several/several.h"

#include "placement/orient.h"
#include "torus/alloc.h"
#include "torus/regions.h"

void state_several_destroy(struct several *v)
{
	if (!v)
		return;
	torus_free(v->memory);
	torus_free(v->place);
	torus_free(v);
}

struct several *state_several_create(const struct torus_machine *m)
{
	struct several *v = torus_alloc(1, sizeof(*v));
	uint64_t most = 0;

	if (!v)
		return NULL;
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus *t = &m->pod[p].torus;
		uint64_t places = t->nodes;

		for (uint32_t d = 2; d <= t->dims && !t->flat; d++)
			places *= d; /* rotations of a shape */
		if (!t->flat && places > most)
			most = places;
	}
	v->room = most < SEVERAL_LISTED ? (uint32_t)most : SEVERAL_LISTED;
	v->place = torus_alloc(v->room + 1, sizeof(*v->place));
	v->memory = torus_alloc((size_t)m->words * 3 + 1, sizeof(*v->memory));
	if (!v->place || !v->memory) {
		state_several_destroy(v);
		return NULL;
	}
	v->work_pool = UINT32_MAX;
	v->usable = v->memory;
	v->left = v->memory + m->words;
	v->cover = v->memory + 2 * (size_t)m->words;
	return v;
}

const struct torus_pod *several_pod(const struct several_search *x)
{
	return &x->q->s->machine->pod[x->pod];
}

struct several_place several_pack(const struct several_search *x,
				  const struct torus_placement *place)
{
	const struct torus *t = &several_pod(x)->torus;
	const struct torus_region *r = &place->region;
	struct several_place packed = { .base = torus_index(t, r->base),
					.ring = place->ring };

	for (uint32_t d = 0; d < t->dims; d++) {
		bool crosses = r->base[d] + r->extent[d] > t->size[d];

		packed.axes |= (uint32_t)(place->orientation.axis[d] + 1)
			       << 4 * d;
		packed.low += crosses ? 0 : r->base[d] * t->stride[d];
	}
	return packed;
}

struct torus_region_item several_unpack(const struct several_search *x,
					const struct several_place *place)
{
	const struct torus *t = &several_pod(x)->torus;
	struct torus_region_item item = { .pod = x->pod,
					  .ring = (uint8_t)place->ring };

	torus_region_whole(&item.region, t);
	torus_coord(t, place->base, item.region.base);
	memset(item.orientation.axis, -1, sizeof(item.orientation.axis));
	for (uint32_t d = 0; d < t->dims; d++) {
		int axis = (int)(place->axes >> 4 * d & 15) - 1;

		item.orientation.axis[d] = (int8_t)axis;
		item.region.extent[d] = torus_orient_extent(t, x->q->ask, axis,
							    d);
	}
	return item;
}

struct torus_region_item several_item(const struct torus_placement *place)
{
	return (struct torus_region_item){ .pod = place->pod,
					   .ring = place->ring,
					   .region = place->region,
					   .orientation = place->orientation };
}

void several_take(struct several_search *x, const struct torus_region_item *item)
{
	const struct torus_pod *pod = several_pod(x);
	struct several *v = x->v;

	torus_region_erase(&item->region, &pod->torus,
			   v->left + pod->first_word);
	v->answer.item[v->answer.count++] = *item;
}

void several_undo(struct several_search *x, uint32_t n)
{
	const struct torus_pod *pod = several_pod(x);
	struct several *v = x->v;

	while (v->answer.count > x->from + n)
		torus_region_paint(&v->answer.item[--v->answer.count].region,
				   &pod->torus, v->left + pod->first_word);
}

bool several_complete(const struct several_search *x)
{
	const struct torus_pod *pod = several_pod(x);

	return x->v->answer.count - x->from == x->want &&
	       !(x->required &&
		 torus_bits_meet(x->required, x->v->left + pod->first_word,
				 pod->words));
}
