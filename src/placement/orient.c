/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distinct orientations (orient.h), by depth-first choice per dimension. */
#include "placement/orient.h"
#include "placement/submesh/factor.h"

#include <stdio.h>
#include <string.h>

#include "placement/state/link_map.h"
#include "torus/state_text.h"

bool torus_orient_closed(const struct torus *t, uint32_t d, uint32_t extent)
{
	return extent * t->unit[d] <= 2 || (t->wrap[d] && extent == t->size[d]);
}

bool torus_orient_allows(const struct torus *t, const struct torus_ask *ask,
			 uint32_t a, uint32_t d)
{
	uint32_t extent = torus_orient_extent(t, ask, (int)a, d);

	if (extent == 0 || extent > t->size[d] || (!ask->rotate && a != d))
		return false;
	return ask->connection[a] != TORUS_CONN_TORUS ||
	       torus_orient_closed(t, d, extent);
}

uint32_t torus_orient_axes(const struct torus_ask *ask)
{
	return (ask->rotate && ask->shape.axes == 1 &&
		ask->shape.extent[0] == 1) ?
		       0 :
		       ask->shape.axes;
}

/* Return true if no unused lower axis equals a. `used` is a bit set of axes. */
static bool orient_first_of_equals(const struct torus_ask *ask, uint32_t a,
				   uint32_t used)
{
	for (uint32_t b = 0; b < a && ask->rotate; b++) {
		if (!(used >> b & 1) &&
		    ask->shape.extent[b] == ask->shape.extent[a] &&
		    ask->connection[b] == ask->connection[a])
			return false;
	}
	return true;
}

struct orient_choice {
	const struct torus *t;
	const struct torus_ask *ask;
	bool (*each)(void *arg, const struct torus_orientation *o);
	void *arg;
	uint32_t axes;
	struct torus_orientation o;
};

/* Choose for dimension d; the axes in `used` are placed already. */
static bool orient_choose(struct orient_choice *c, uint32_t d, uint32_t used)
{
	uint32_t left = c->axes - (uint32_t)__builtin_popcount(used);

	if (left > c->t->dims - d)
		return true;
	if (d == c->t->dims)
		return c->each(c->arg, &c->o);
	c->o.axis[d] = -1;
	if (left < c->t->dims - d && c->t->unit[d] == 1 &&
	    !orient_choose(c, d + 1, used))
		return false;
	for (uint32_t a = 0; a < c->axes; a++) {
		if (used >> a & 1 || !torus_orient_allows(c->t, c->ask, a, d) ||
		    !orient_first_of_equals(c->ask, a, used))
			continue;
		c->o.axis[d] = (int8_t)a;
		if (!orient_choose(c, d + 1, used | 1u << a))
			return false;
	}
	return true;
}

bool torus_orient_each(const struct torus *t, const struct torus_ask *ask,
		       bool (*each)(void *arg,
				    const struct torus_orientation *o),
		       void *arg)
{
	struct orient_choice c = { .t = t, .ask = ask, .each = each, .arg = arg };

	memset(c.o.axis, -1, sizeof(c.o.axis));
	c.axes = torus_orient_axes(ask);
	return orient_choose(&c, 0, 0);
}

static bool orient_stop(void *arg, const struct torus_orientation *o)
{
	(void)arg;
	(void)o;
	return false;
}

bool torus_orient_any(const struct torus *t, const struct torus_ask *ask)
{
	return !torus_orient_each(t, ask, orient_stop, NULL);
}

/* Write the shape with each axis that must be a ring as the next longer ring, and each
 * axis that is longer than all dimensions as the longest; "" if no orientation of that
 * has a place. */
static void orient_nearest_rings(const struct torus *t,
				 const struct torus_ask *ask, char *text,
				 size_t size)
{
	struct torus_ask like = *ask;
	uint64_t volume;

	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		uint32_t extent = ask->shape.extent[a], least = 0, most = 0;

		for (uint32_t d = 0; d < t->dims; d++) {
			uint32_t side = t->size[d] * t->unit[d];

			if (ask->connection[a] == TORUS_CONN_TORUS &&
			    !t->wrap[d])
				continue;
			most = side > most ? side : most;
			if (side >= extent && (!least || side < least))
				least = side;
		}
		if (extent > most)
			like.shape.extent[a] = most;
		else if (ask->connection[a] == TORUS_CONN_TORUS && extent > 2)
			like.shape.extent[a] = least;
		if (like.shape.extent[a] == 0)
			return;
	}
	if (!torus_orient_any(t, &like))
		return;
	torus_shape_format(&like.shape, text, size);
	volume = torus_shape_volume(&like.shape);
	if (volume != torus_shape_volume(&ask->shape))
		snprintf(text + strlen(text), size - strlen(text), " (%llu %s)",
			 (unsigned long long)volume,
			 torus_node_vertices(t) > 1 ? "vertices" : "nodes");
}

/* Write the most compact box of the shape's volume, or of the next that the torus
 * holds, as "4x4x2" with its nodes if these are more; "" if there is none. */
static const char *orient_nearest(const struct torus *t,
				  const struct torus_ask *ask, uint64_t volume,
				  char *text, size_t size)
{
	uint64_t cell = 1, cells;
	struct torus_ask like = { .by_count = true };
	struct torus_factor_box box = { 0 };
	struct torus_shape shape = { .axes = t->dims };
	uint32_t rings = 0, meshes = 0;

	for (uint32_t d = 0; d < t->dims; d++)
		cell *= t->unit[d];
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		rings += ask->connection[a] == TORUS_CONN_TORUS;
		meshes += ask->connection[a] == TORUS_CONN_MESH;
	}
	if (rings == ask->shape.axes)
		like.connection[0] = TORUS_CONN_TORUS;
	*text = '\0';
	if (rings > 0 && rings < ask->shape.axes) { /* by letters */
		orient_nearest_rings(t, ask, text, size);
		return text;
	}
	cells = (volume + cell - 1) / cell;
	if (cells <= UINT32_MAX)
		cells = torus_factor_next(t, (uint32_t)cells, &like);
	if (cells == 0 ||
	    !torus_factor_box_next(t, (uint32_t)cells, &like, &box))
		return text;
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t side = box.extent[d] * t->unit[d], i = d;

		for (; ask->rotate && i > 0 && shape.extent[i - 1] < side; i--)
			shape.extent[i] = shape.extent[i - 1];
		shape.extent[i] = side;
	}
	if (ask->rotate)
		torus_shape_squeeze(&shape);
	torus_shape_format(&shape, text, size);
	if (shape.axes == 1) /* a number alone is a count of nodes */
		strcat(text, "^1");
	if (cells * cell > volume)
		snprintf(text + strlen(text), size - strlen(text), " (%llu %s)",
			 (unsigned long long)(cells * cell),
			 cell > 1 ? "vertices" : "nodes");
	/* letters, one per axis, would not fit */
	if ((rings || meshes) && shape.axes != ask->shape.axes)
		snprintf(text + strlen(text), size - strlen(text),
			 " with --conn-type=%s", rings ? "torus" : "mesh");
	return text;
}

void torus_orient_explain(const struct torus *t, const struct torus_ask *ask,
			  struct torus_error *why)
{
	char nearest[160];
	char shape[96], machine[TORUS_STRING_SIZE];
	uint64_t volume = torus_shape_volume(&ask->shape);
	uint64_t room = (uint64_t)t->nodes * torus_node_vertices(t);
	uint64_t count = torus_ask_nodes(ask);
	const char *unit = count == volume ? "nodes" : "vertices";
	uint32_t axes = torus_orient_axes(ask);

	if (!why)
		return;
	torus_shape_format(&ask->shape, shape, sizeof(shape));
	if (ask->shape.axes == 1)
		strcat(shape, "^1");
	torus_format(t, machine, sizeof(machine));
	orient_nearest(t, ask, volume < room ? volume : room, nearest,
		       sizeof(nearest));
	if (volume > room) {
		torus_error_add(why, "%s needs %llu %s, %s (%s) has %llu%s%s",
				shape, (unsigned long long)volume, unit,
				t->name, machine, (unsigned long long)room,
				*nearest ? "; ask for " : "", nearest);
		return;
	}
	if (axes > t->dims) {
		torus_error_add(why,
				"%s has %u axes, %s (%s) has %u dimension%s; for %llu nodes in any shape ask for %llu%s%s",
				shape, axes, t->name, machine, t->dims,
				t->dims == 1 ? "" : "s",
				(unsigned long long)count,
				(unsigned long long)count,
				*nearest ? ", or for " : "", nearest);
		return;
	}
	for (uint32_t a = 0; a < axes; a++) {
		bool fits = false, ring = false;

		for (uint32_t d = 0; d < t->dims; d++) {
			if (!ask->rotate && d != a)
				continue;
			fits |= ask->shape.extent[a] <= t->size[d] * t->unit[d];
			ring |= torus_orient_allows(t, ask, a, d);
		}
		if (!fits) {
			torus_error_add(why,
					"%s does not fit %s (%s): axis %u of %u %s is longer than %s%s%s",
					shape, t->name, machine, a,
					ask->shape.extent[a], unit,
					ask->rotate ?
						"every dimension" :
						"its dimension (--no-rotate)",
					*nearest ? "; ask for " : "", nearest);
			return;
		}
		if (!ring) {
			torus_error_add(why,
					"%s on %s (%s): axis %u of %u %s cannot be a closed ring; that takes 1 or 2 %s, or the whole of a dimension that wraps%s%s",
					shape, t->name, machine, a,
					ask->shape.extent[a], unit, unit,
					*nearest ? "; ask for " : "", nearest);
			return;
		}
	}
	torus_error_add(why,
			"%s does not fit %s (%s) in any orientation; for %llu nodes in any shape ask for %llu%s%s",
			shape, t->name, machine, (unsigned long long)count,
			(unsigned long long)count, *nearest ? ", or for " : "",
			nearest);
}

const uint64_t *torus_orient_rings(const struct torus_ask *ask,
				   const struct torus_orientation *o,
				   const uint32_t *extent,
				   const uint64_t *bases, uint32_t *open)
{
	struct torus_link_box box = { .extent = extent, .weak = ask->weak };

	*open = 0;
	if (!ask->links || !torus_link_map_opens(ask->links, ask->weak, extent))
		return bases;
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		int a = o ? o->axis[d] : 0;

		if (a < 0 || ask->connection[a] == TORUS_CONN_MESH)
			continue;
		if (ask->connection[a] == TORUS_CONN_TORUS)
			box.must |= 1u << d;
		else
			box.prefer |= 1u << d;
	}
	return torus_link_map_rings(ask->links, &box, bases, open);
}

/* Return true if dimension d of a placement is a closed ring with the current
 * links. */
static bool orient_is_ring(const struct torus *t, const struct torus_ask *ask,
			   const struct torus_region *r, uint32_t d)
{
	return torus_region_closed(r, t, d) &&
	       (!ask->links || !torus_link_covers(t, r->extent, d) ||
		torus_link_map_closed(ask->links, ask->weak, r, d));
}

void torus_orient_finish(const struct torus *t, const struct torus_ask *ask,
			 struct torus_placement *place)
{
	uint32_t axes = ask->shape.axes;

	place->granted = torus_region_nodes(&place->region, t);
	place->axes = axes;
	place->ring = (uint8_t)((1u << axes) - 1);
	for (uint32_t d = 0; d < t->dims; d++) {
		int a = place->orientation.axis[d];

		if (a >= 0 && !orient_is_ring(t, ask, &place->region, d))
			place->ring &= (uint8_t) ~(1u << a);
	}
}

/* The places of one orientation, and the text of the next one. */
struct orient_listing {
	const struct torus *torus;
	char now[TORUS_ORIENTATION_SIZE], next[TORUS_ORIENTATION_SIZE];
	bool (*each)(void *arg, const struct torus_placement *place);
	void *arg;
};

static bool orient_list_place(void *arg, const struct torus_placement *place)
{
	struct orient_listing *l = arg;
	char text[TORUS_ORIENTATION_SIZE];
	int order;

	torus_orientation_format(&place->orientation, l->torus, text,
				 sizeof(text));
	order = strcmp(text, l->now);
	if (order > 0 && (!*l->next || strcmp(text, l->next) < 0))
		memcpy(l->next, text, sizeof(text));
	return order != 0 || l->each(l->arg, place);
}

void torus_orient_list(const struct torus_places *places,
		       bool (*each)(void *arg,
				    const struct torus_placement *place),
		       void *arg)
{
	const struct torus *t = places->torus;
	struct orient_listing l = { .torus = t, .each = each, .arg = arg };

	do {
		memcpy(l.now, l.next, sizeof(l.now));
		*l.next = '\0';
		for (uint32_t i = 0; i < t->nodes; i++) {
			uint32_t base[TORUS_MAX_DIMS] = { 0 }, left = i;

			for (uint32_t d = t->dims; d-- > 0;) {
				base[d] = left % t->size[d];
				left /= t->size[d];
			}
			if (!places->at(places->self, base, orient_list_place,
					&l))
				return;
		}
	} while (*l.next);
}
