/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several regions of one shape: their text (torus/regions.h), O(regions). */
#include "torus/state_text.h"
#include "torus/regions.h"

#include <stdio.h>
#include <string.h>

#include "torus/state.h"

/* Find the comma before the next region: a name and a colon follow it before
 * any other comma. Return NULL at the last region. */
static const char *regions_next(const char *text)
{
	const char *comma;

	while ((comma = strchr(text, ','))) {
		size_t word = strcspn(comma + 1, ",:");

		if (comma[1 + word] == ':')
			return comma;
		text = comma + 1;
	}
	return NULL;
}

bool torus_regions_several(const char *text)
{
	return !strchr(text, '{') && regions_next(text);
}

uint32_t torus_regions_count(const char *text)
{
	uint32_t count = 1;

	for (; !strchr(text, '{') && (text = regions_next(text)); text++)
		count++;
	return count;
}

static int regions_refuse(const char *text, const char *expected,
			  struct torus_error *err)
{
	return torus_error_add(err, "regions: got \"%.60s\": expected %s", text,
			       expected);
}

static int regions_read_one(const struct torus_machine *m, const char *text,
			    struct torus_region_item *item,
			    struct torus_error *err)
{
	bool scattered;

	*item = (struct torus_region_item){ .pod = torus_machine_prefix(m,
									text) };
	if (!strchr(text, ':'))
		return regions_refuse(text, "the name of a torus and a region",
				      err);
	if (item->pod == UINT32_MAX)
		return regions_refuse(text, "a torus of this machine", err);
	return torus_region_parse(&item->region, &scattered, NULL,
				  &m->pod[item->pod].torus, text, err);
}

/* Axis i is the i-th dimension that is longer than a vertex. */
static void regions_orient_plainly(const struct torus *t,
				   struct torus_region_item *item)
{
	int8_t axes = 0;

	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++)
		item->orientation.axis[d] =
			d < t->dims && item->region.extent[d] * t->unit[d] > 1 ?
				axes++ :
				-1;
}

/* Read the i-th of the orientations, or the one for all. */
static int regions_orient(const struct torus *t, const char *orientations,
			  uint32_t i, struct torus_region_item *item,
			  struct torus_error *err)
{
	char text[TORUS_ORIENTATION_SIZE];
	const char *at = orientations;
	size_t length;

	for (; i > 0 && strchr(at, '/'); i--)
		at = strchr(at, '/') + 1;
	length = strcspn(at, "/");
	if (length >= sizeof(text) || (i > 0 && at != orientations))
		return regions_refuse(orientations,
				      "an orientation for each region", err);
	memcpy(text, at, length);
	text[length] = '\0';
	return torus_orientation_parse(&item->orientation, t, text, err);
}

/* The extents of a region's shape in vertices: an entry per axis. */
static void regions_item_extents(const struct torus_machine *m,
				 const struct torus_region_item *item,
				 uint32_t axes, uint32_t *extent)
{
	const struct torus *t = &m->pod[item->pod].torus;

	for (uint32_t a = 0; a < axes; a++)
		extent[a] = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		int8_t a = item->orientation.axis[d];

		if (a >= 0 && (uint32_t)a < axes)
			extent[a] = item->region.extent[d] * t->unit[d];
	}
}

static uint32_t regions_axes(const struct torus_region_item *item)
{
	int axes = 0;

	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		if (item->orientation.axis[d] >= axes)
			axes = item->orientation.axis[d] + 1;
	}
	return (uint32_t)axes;
}

static void regions_sort(uint32_t *extent, uint32_t axes)
{
	for (uint32_t i = 1; i < axes; i++) {
		for (uint32_t k = i; k > 0 && extent[k - 1] > extent[k]; k--) {
			uint32_t swap = extent[k];

			extent[k] = extent[k - 1];
			extent[k - 1] = swap;
		}
	}
}

/* Check region i against those before it. */
static int regions_check(const struct torus_machine *m,
			 const struct torus_regions *r, bool turned,
			 const char *text, struct torus_error *err)
{
	const struct torus_region_item *last = &r->item[r->count - 1];
	uint32_t one[TORUS_MAX_DIMS], other[TORUS_MAX_DIMS];
	uint32_t axes;

	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		if (last->region.stride[d] != 1)
			return regions_refuse(text, "regions without a stride",
					      err);
	}
	if (last->orientation.folded)
		return regions_refuse(text, "regions of one shape", err);
	/* the same shape; rotations count as the same if the axes are unknown */
	axes = regions_axes(&r->item[0]);
	if (axes != regions_axes(last))
		return regions_refuse(text, "regions of one shape", err);
	regions_item_extents(m, &r->item[0], axes, one);
	regions_item_extents(m, last, axes, other);
	if (turned) {
		regions_sort(one, axes);
		regions_sort(other, axes);
	}
	if (memcmp(one, other, axes * sizeof(*one)) != 0)
		return regions_refuse(text, "regions of one shape", err);
	for (uint32_t i = 0; i + 1 < r->count; i++) {
		if (r->item[i].pod == last->pod &&
		    torus_region_overlaps(&r->item[i].region, &last->region,
					  &m->pod[last->pod].torus))
			return regions_refuse(text, "disjoint regions", err);
	}
	return 0;
}

int torus_regions_parse(const struct torus_machine *m, const char *text,
			const char *orientations, struct torus_regions *regions,
			struct torus_error *err)
{
	const char *at = text, *next;

	regions->count = 0;
	for (; at; at = next ? next + 1 : NULL) {
		struct torus_region_item *item = &regions->item[regions->count];
		char one[TORUS_REGION_SIZE];
		const struct torus *t;

		next = regions_next(at);
		if (regions->count == TORUS_MAX_REGIONS)
			return regions_refuse(text, "at most 64 regions", err);
		if (snprintf(one, sizeof(one), "%.*s",
			     next ? (int)(next - at) : (int)strlen(at),
			     at) >= (int)sizeof(one) ||
		    strchr(one, '{'))
			return regions_refuse(at, "a region", err);
		if (regions_read_one(m, one, item, err))
			return -1;
		t = &m->pod[item->pod].torus;
		if (!orientations || !*orientations)
			regions_orient_plainly(t, item);
		else if (regions_orient(t, orientations, regions->count, item,
					err))
			return -1;
		/* An axis without a dimension of its own is one vertex, which counts as a
		 * ring. */
		item->ring = UINT8_MAX;
		for (uint32_t d = 0; d < t->dims; d++) {
			if (item->orientation.axis[d] >= 0 &&
			    !torus_region_closed(&item->region, t, d))
				item->ring &= (uint8_t) ~(
					1u << item->orientation.axis[d]);
		}
		regions->count++;
		if (regions_check(m, regions, !orientations || !*orientations,
				  text, err))
			return -1;
	}
	return 0;
}

void torus_regions_paint(const struct torus_machine *m,
			 const struct torus_regions *regions, uint64_t *map)
{
	for (uint32_t i = 0; i < regions->count; i++) {
		const struct torus_region_item *item = &regions->item[i];
		const struct torus_pod *pod = &m->pod[item->pod];

		torus_region_paint(&item->region, &pod->torus,
				   map + pod->first_word);
	}
}

static uint32_t regions_nodes(const struct torus_machine *m,
			      const struct torus_regions *regions)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < regions->count; i++) {
		const struct torus_region_item *item = &regions->item[i];

		nodes += torus_region_nodes(&item->region,
					    &m->pod[item->pod].torus);
	}
	return nodes;
}

int torus_rings_parse(const char *letters, uint32_t regions, uint8_t *ring,
		      uint32_t *axes)
{
	uint32_t n = 0;

	for (bool more = true; more; letters++) {
		size_t length = strspn(letters, "TM");

		if (n == regions || n == TORUS_MAX_REGIONS || length == 0 ||
		    length > TORUS_MAX_DIMS || (n > 0 && length != *axes))
			return -1;
		*axes = (uint32_t)length;
		ring[n] = 0;
		for (uint32_t a = 0; a < length; a++)
			ring[n] |= (uint8_t)((letters[a] == 'T') << a);
		n++;
		letters += length;
		more = *letters == '/';
		if (*letters && !more)
			return -1;
	}
	if (regions > TORUS_MAX_REGIONS || (n != 1 && n != regions))
		return -1;
	memset(ring + n, ring[0], regions - n);
	return 0;
}

int torus_regions_rings(struct torus_regions *regions, const char *letters,
			uint32_t *axes)
{
	uint8_t ring[TORUS_MAX_REGIONS];

	if (torus_rings_parse(letters, regions->count, ring, axes) ||
	    *axes < regions_axes(&regions->item[0]))
		return -1;
	for (uint32_t i = 0; i < regions->count; i++)
		regions->item[i].ring = ring[i];
	return 0;
}

void torus_regions_axes(struct torus_regions *regions, uint32_t axes)
{
	for (uint32_t i = 0; i < regions->count; i++)
		regions->item[i].ring &= (uint8_t)((1u << axes) - 1);
}

struct torus_placement torus_regions_place(const struct torus_machine *m,
					   const struct torus_regions *regions,
					   uint64_t *nodes)
{
	uint32_t pod = regions->item[0].pod;
	bool spread = false;

	for (uint32_t i = 1; i < regions->count; i++)
		spread |= regions->item[i].pod != pod;
	torus_bits_zero(nodes, m->words);
	torus_regions_paint(m, regions, nodes);
	return (struct torus_placement){
		.pod = spread ? 0 : pod,
		.scattered = true,
		.spread = spread,
		.ring = regions->item[0].ring,
		.granted = regions_nodes(m, regions),
		.axes = regions_axes(&regions->item[0]),
		.nodes = spread ? nodes : nodes + m->pod[pod].first_word,
		.regions = regions,
	};
}

struct torus_placement torus_regions_item(const struct torus_machine *m,
					  const struct torus_placement *place,
					  uint32_t i)
{
	const struct torus_region_item *item = &place->regions->item[i];

	return (struct torus_placement){
		.pod = item->pod,
		.ring = item->ring,
		.granted = torus_region_nodes(&item->region,
					      &m->pod[item->pod].torus),
		.axes = place->axes,
		.region = item->region,
		.orientation = item->orientation,
	};
}

/* One region or several */

/* The torus that the text of a region names, or the only one. UINT32_MAX with
 * a line in err. */
static uint32_t regions_pod(const struct torus_machine *m, const char *region,
			    struct torus_error *err)
{
	const char *colon = strchr(region, ':');
	char name[TORUS_NAME_SIZE];
	uint32_t p;

	if (!colon && m->pods == 1)
		return 0;
	if (!colon) {
		torus_error_add(err,
				"region: got \"%s\": this machine has %u toruses, so its name must come first, for example %s:%s",
				region, m->pods, m->pod[0].torus.name, region);
		return UINT32_MAX;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(colon - region), region);
	p = torus_machine_named(m, name);
	if (p == UINT32_MAX)
		torus_error_add(err,
				"region: got \"%s\": there is no torus named \"%s\"%s%s",
				region, name,
				m->pods == 1 ? "; this one is " : "",
				m->pods == 1 ? m->pod[0].torus.name : "");
	return p;
}

int torus_regions_place_parse(const struct torus_machine *m, const char *region,
			      uint64_t *one, struct torus_placement *place,
			      struct torus_error *err)
{
	const struct torus_pod *pod;

	if (torus_regions_several(region)) {
		struct torus_regions regions;

		if (torus_regions_parse(m, region, NULL, &regions, err))
			return -1;
		*place = torus_regions_place(m, &regions, one);
		place->regions = NULL;
		return 0;
	}
	*place = (struct torus_placement){ .nodes = one };
	place->pod = regions_pod(m, region, err);
	if (place->pod == UINT32_MAX)
		return -1;
	pod = &m->pod[place->pod];
	if (torus_region_parse(&place->region, &place->scattered, one,
			       &pod->torus, region, err))
		return -1;
	place->granted = place->scattered ?
				 torus_bits_count(one, pod->words) :
				 torus_region_nodes(&place->region, &pod->torus);
	return 0;
}

/* Writing */

int torus_regions_format(const struct torus_machine *m,
			 const struct torus_regions *regions,
			 struct torus_text *text)
{
	char one[TORUS_REGION_SIZE];

	for (uint32_t i = 0; i < regions->count; i++) {
		const struct torus_region_item *item = &regions->item[i];

		torus_region_format(&item->region, &m->pod[item->pod].torus,
				    one, sizeof(one));
		if (torus_text_add(text, "%s%s", i ? "," : "", one))
			return -1;
	}
	return 0;
}

static bool regions_oriented_alike(const struct torus_regions *r)
{
	for (uint32_t i = 1; i < r->count; i++) {
		if (r->item[i].pod != r->item[0].pod ||
		    memcmp(&r->item[i].orientation, &r->item[0].orientation,
			   sizeof(r->item[0].orientation)) != 0)
			return false;
	}
	return true;
}

int torus_placement_orientation(const struct torus_machine *m,
				const struct torus_placement *place,
				struct torus_text *text)
{
	const struct torus_regions *r = place->regions;
	char one[TORUS_ORIENTATION_SIZE];

	if (!r && place->scattered)
		return 0;
	for (uint32_t i = 0; i < (r ? r->count : 1); i++) {
		torus_orientation_format(r ? &r->item[i].orientation :
					     &place->orientation,
					 &m->pod[r ? r->item[i].pod : place->pod]
						  .torus,
					 one, sizeof(one));
		if (torus_text_add(text, "%s%s", i ? "/" : "", one))
			return -1;
		if (r && regions_oriented_alike(r))
			break;
	}
	return 0;
}

static bool regions_ringed_alike(const struct torus_regions *r)
{
	for (uint32_t i = 1; i < r->count; i++) {
		if (r->item[i].ring != r->item[0].ring)
			return false;
	}
	return true;
}

int torus_placement_rings(const struct torus_placement *place,
			  struct torus_text *text)
{
	const struct torus_regions *r = place->regions;

	for (uint32_t i = 0; i < (r ? r->count : 1); i++) {
		uint8_t ring = r ? r->item[i].ring : place->ring;

		if (i && torus_text_add(text, "/"))
			return -1;
		for (uint32_t a = 0; a < place->axes; a++) {
			if (torus_text_add(text, "%c",
					   ring >> a & 1 ? 'T' : 'M'))
				return -1;
		}
		if (r && regions_ringed_alike(r))
			break;
	}
	return 0;
}
