/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of links (torus/links.h): sorted arrays. Setting a link is O(count). */
#include "torus/links.h"

#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"

uint32_t torus_vertex_index(const struct torus *t, const uint32_t *coord)
{
	uint32_t index = 0, step = 1;

	for (uint32_t d = 0; d < t->dims; d++) {
		index += coord[d] * step;
		step *= torus_vertices(t, d);
	}
	return index;
}

void torus_vertex_coord(const struct torus *t, uint32_t vertex, uint32_t *coord)
{
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		uint32_t n = d < t->dims ? torus_vertices(t, d) : 1;

		coord[d] = vertex % n;
		vertex /= n;
	}
}

bool torus_link_exists(const struct torus *t, const uint32_t *coord,
		       uint32_t dim)
{
	uint32_t n = torus_vertices(t, dim);

	return !t->flat && n > 1 && (t->wrap[dim] || coord[dim] + 1 < n);
}

int torus_link_compare(const struct torus_link *a, const struct torus_link *b)
{
	if (a->pod != b->pod)
		return a->pod < b->pod ? -1 : 1;
	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	return (int)a->dim - (int)b->dim;
}

/* Return the first entry that is not before the link. */
static uint32_t link_position(const struct torus_link_list *list,
			      const struct torus_link *link)
{
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (torus_link_compare(&list->link[middle], link) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct torus_link *torus_link_find(const struct torus_link_list *list,
					 const struct torus_link *link)
{
	uint32_t at = link_position(list, link);

	return at < list->count &&
			       torus_link_compare(&list->link[at], link) == 0 ?
		       &list->link[at] :
		       NULL;
}

int torus_link_list_set(struct torus_link_list *list,
			const struct torus_link *link)
{
	uint32_t at = link_position(list, link);
	bool known = at < list->count &&
		     torus_link_compare(&list->link[at], link) == 0;
	struct torus_link *entry;

	if (link->health == TORUS_LINK_UP) {
		if (known)
			memmove(list->link + at, list->link + at + 1,
				(--list->count - at) * sizeof(*list->link));
		return 0;
	}
	if (!known && TORUS_GROW(list->link, list->room, list->count + 1))
		return -1;
	entry = list->link + at;
	if (!known)
		memmove(entry + 1, entry, (list->count++ - at) * sizeof(*entry));
	*entry = *link;
	return 0;
}

int torus_link_list_copy(struct torus_link_list *to,
			 const struct torus_link_list *from)
{
	if (TORUS_GROW(to->link, to->room, from->count))
		return -1;
	if (from->count)
		memcpy(to->link, from->link, from->count * sizeof(*to->link));
	to->count = from->count;
	return 0;
}

bool torus_link_list_equal(const struct torus_link_list *a,
			   const struct torus_link_list *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		if (torus_link_compare(&a->link[i], &b->link[i]) ||
		    a->link[i].health != b->link[i].health)
			return false;
	}
	return true;
}

void torus_link_list_free(struct torus_link_list *list)
{
	torus_free(list->link);
	*list = (struct torus_link_list){ 0 };
}

int torus_link_format(const struct torus_link *link, const struct torus *t,
		      char *buffer, size_t size)
{
	char text[TORUS_LINK_SIZE];
	uint32_t coord[TORUS_MAX_DIMS];
	int used = snprintf(text, sizeof(text), "%s", t->name);

	torus_vertex_coord(t, link->vertex, coord);
	for (uint32_t d = 0; d < t->dims; d++)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "%c%u", d ? ',' : ':', coord[d]);
	return snprintf(buffer, size, "%s %u", text, link->dim);
}

const char *torus_link_health_name(enum torus_link_health health)
{
	static const char *const names[] = { "up", "weak", "down" };

	return names[health];
}
