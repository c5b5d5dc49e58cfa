/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of mirror.h: chained hashing that doubles when it is full. */
#include "live/mirror/mirror.h"

#include "torus/alloc.h"

#define FIRST_BUCKETS 256

static uint32_t mirror_bucket_of(const struct mirror_table *t,
				 const struct cycle_name *name)
{
	uint64_t h = name->job;

	h = (h << 16 ^ name->part) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ name->copy) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32) & (t->buckets - 1);
}

int mirror_table_init(struct mirror_table *t)
{
	t->bucket = torus_alloc(FIRST_BUCKETS, sizeof(*t->bucket));
	t->buckets = FIRST_BUCKETS;
	return t->bucket ? 0 : -1;
}

void mirror_table_free(struct mirror_table *t,
		       void (*drop)(struct mirror_entry *e))
{
	struct mirror_entry *e, *next;

	for (e = t->first; e; e = next) {
		next = e->next;
		drop(e);
	}
	torus_free(t->bucket);
	*t = (struct mirror_table){ 0 };
}

struct mirror_entry *mirror_table_find(const struct mirror_table *t,
				       const struct cycle_name *name)
{
	struct mirror_entry *e = t->bucket[mirror_bucket_of(t, name)];

	while (e && !(e->name.job == name->job && e->name.part == name->part &&
		      e->name.copy == name->copy))
		e = e->chain;
	return e;
}

/* Double the buckets; without memory the chains stay longer. */
static void mirror_grow(struct mirror_table *t)
{
	struct mirror_entry **more = torus_alloc(2 * (size_t)t->buckets,
						 sizeof(*more));

	if (!more)
		return;
	torus_free(t->bucket);
	t->bucket = more;
	t->buckets *= 2;
	for (struct mirror_entry *e = t->first; e; e = e->next) {
		uint32_t b = mirror_bucket_of(t, &e->name);

		e->chain = more[b];
		more[b] = e;
	}
}

void mirror_table_add(struct mirror_table *t, struct mirror_entry *e)
{
	uint32_t b;

	if (t->entries >= t->buckets)
		mirror_grow(t);
	b = mirror_bucket_of(t, &e->name);
	e->chain = t->bucket[b];
	t->bucket[b] = e;
	e->prev = t->last;
	e->next = NULL;
	*(t->last ? &t->last->next : &t->first) = e;
	t->last = e;
	t->entries++;
}

void mirror_table_remove(struct mirror_table *t, struct mirror_entry *e)
{
	struct mirror_entry **link = &t->bucket[mirror_bucket_of(t, &e->name)];

	while (*link != e)
		link = &(*link)->chain;
	*link = e->chain;
	*(e->prev ? &e->prev->next : &t->first) = e->next;
	*(e->next ? &e->next->prev : &t->last) = e->prev;
	t->entries--;
}

void mirror_drop_pending(struct mirror_entry *e)
{
	if (e->pending)
		torus_free(e->pending->request.alternative);
	torus_free(e->pending);
	e->pending = NULL;
}

void mirror_entry_free(struct mirror_entry *e)
{
	if (e) {
		mirror_drop_pending(e);
		torus_free(e->request.alternative);
		torus_free(e->required);
		torus_free(e->outage_text);
		torus_free(e->allowed_before);
		torus_free(e->forecast_nodes);
		torus_free(e->change);
	}
	torus_free(e);
}
