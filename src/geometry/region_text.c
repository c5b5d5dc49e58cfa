/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text forms of regions, node sets and orientations (torus/region.h).
 *
 *   pod0:2,0,4+4x4x2   pod0:1,0+4x4/2x2   pod0:{0-3,7}   2,-,0   0+1,2
 */
#include "torus/region.h"
#include "torus/state_text.h"
#include "torus/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Append a prefix and numbers, each multiplied by its unit (NULL: 1), with a
 * separator. Return the new length. */
static size_t put_list(char text[TORUS_REGION_SIZE], size_t used,
		       const char *lead, const char *separator,
		       const uint32_t *value, const uint32_t *unit, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, TORUS_REGION_SIZE - used,
					 "%s%u", i ? separator : lead,
					 value[i] * (unit ? unit[i] : 1));
	return used;
}

int torus_region_format(const struct torus_region *r, const struct torus *t,
			char *buffer, size_t size)
{
	char text[TORUS_REGION_SIZE];
	size_t used;
	bool strided = false;

	for (uint32_t d = 0; d < t->dims; d++)
		strided |= r->stride[d] != 1;
	used = (size_t)snprintf(text, sizeof(text), "%s", t->name);
	used = put_list(text, used, ":", ",", r->base, t->unit, t->dims);
	used = put_list(text, used, "+", "x", r->extent, t->unit, t->dims);
	if (strided)
		put_list(text, used, "/", "x", r->stride, NULL, t->dims);
	return snprintf(buffer, size, "%s", text);
}

/* Append the rings in order, each ring's dimensions joined by '+'. */
static int format_folded(const struct torus_orientation *o,
			 const struct torus *t, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int ring = 0; ring < TORUS_MAX_DIMS; ring++) {
		bool first = true;

		for (uint32_t d = 0; d < t->dims; d++) {
			if (o->axis[d] != ring)
				continue;
			used += (size_t)snprintf(text + used, size - used,
						 "%s%u",
						 !first ? "+" :
						 ring   ? "," :
							  "",
						 d);
			first = false;
		}
	}
	return (int)used;
}

int torus_orientation_format(const struct torus_orientation *o,
			     const struct torus *t, char *buffer, size_t size)
{
	char text[TORUS_ORIENTATION_SIZE];
	size_t used = 0;

	if (o->folded) {
		format_folded(o, t, text, sizeof(text));
		return snprintf(buffer, size, "%s", text);
	}
	for (uint32_t d = 0; d < t->dims; d++) {
		if (d)
			text[used++] = ',';
		text[used++] = o->axis[d] < 0 ? '-' : (char)('0' + o->axis[d]);
	}
	text[used] = '\0';
	return snprintf(buffer, size, "%s", text);
}

int torus_nodes_format(struct torus_text *text, const struct torus *t,
		       const uint64_t *map)
{
	uint32_t words = torus_bits_words(t->nodes);
	uint32_t first = torus_bits_next(map, words, 0), last;
	const char *comma = "";

	if (torus_text_add(text, "%s:{", t->name))
		return -1;
	for (; first != UINT32_MAX;
	     first = torus_bits_next(map, words, last + 1)) {
		last = first;
		while (last + 1 < t->nodes && torus_bits_test(map, last + 1))
			last++;
		if (torus_text_add(text, first == last ? "%s%u" : "%s%u-%u",
				   comma, first, last))
			return -1;
		comma = ",";
	}
	return torus_text_add(text, "}");
}

static bool get_list(const char **p, char separator, uint32_t *value, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && *(*p)++ != separator)
			return false;
		if (!torus_text_number(p, &value[i]))
			return false;
	}
	return true;
}

static int region_text_refuse(const char *string, const struct torus *t,
			      const char *what, struct torus_error *err)
{
	return torus_error_add(err,
			       "region: got \"%.200s\": %s; expected base+extent[/stride] with %u number%s each, for example %s, or {0-3,7}",
			       string, what, t->dims, t->dims == 1 ? "" : "s",
			       t->dims == 1 ? "0+4" :
			       t->dims == 2 ? "0,0+2x2" :
			       t->dims == 3 ? "0,0,0+2x2x1" :
					      "0,0,..+2x2x..");
}

static int get_nodes(const char *p, uint64_t *nodes, const struct torus *t,
		     const char *string, struct torus_error *err)
{
	torus_bits_zero(nodes, torus_bits_words(t->nodes));
	do {
		uint32_t first, last;

		p++;
		if (!torus_text_number(&p, &first))
			return region_text_refuse(string, t,
						  "a node index is missing",
						  err);
		last = first;
		if (*p == '-' && (p++, !torus_text_number(&p, &last)))
			return region_text_refuse(string, t,
						  "the end of a range is missing",
						  err);
		if (first >= t->nodes || last >= t->nodes)
			return region_text_refuse(string, t,
						  "a node index is outside the machine",
						  err);
		if (last < first)
			return region_text_refuse(string, t,
						  "a range runs backwards", err);
		if (torus_bits_any_range(nodes, first, last - first + 1))
			return region_text_refuse(string, t,
						  "a node is named twice", err);
		torus_bits_set_range(nodes, first, last - first + 1);
	} while (*p == ',');
	if (strcmp(p, "}") != 0)
		return region_text_refuse(string, t, "\"}\" must end the nodes",
					  err);
	return 0;
}

int torus_region_parse(struct torus_region *r, bool *scattered, uint64_t *nodes,
		       const struct torus *t, const char *string,
		       struct torus_error *err)
{
	const char *p = string;
	const char *colon = strchr(p, ':');

	/* Read the part before ':', if any: the torus's name. */
	if (colon) {
		if ((size_t)(colon - p) != strlen(t->name) ||
		    strncmp(p, t->name, strlen(t->name)) != 0)
			return torus_error_add(err,
					       "region: got \"%.200s\": this torus is named \"%s\"",
					       string, t->name);
		p = colon + 1;
	}
	*scattered = *p == '{';
	if (*scattered)
		return get_nodes(p, nodes, t, string, err);
	torus_region_whole(r, t);
	if (!get_list(&p, ',', r->base, t->dims))
		return region_text_refuse(string, t, "the base is wrong", err);
	if (!*p)
		return region_text_refuse(string, t, "the extent is missing",
					  err);
	if (*p++ != '+' || !get_list(&p, 'x', r->extent, t->dims))
		return region_text_refuse(string, t, "the extent is wrong", err);
	if (*p == '/') {
		p++;
		if (!get_list(&p, 'x', r->stride, t->dims))
			return region_text_refuse(string, t,
						  "the stride is wrong", err);
	}
	if (*p)
		return region_text_refuse(string, t,
					  "unexpected characters at its end",
					  err);
	/* Convert from vertices, as in the text, to cells. */
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t u = t->unit[d];

		if (r->base[d] % u || r->extent[d] % u ||
		    (u > 1 && r->stride[d] != 1))
			return torus_error_add(err,
					       "region: got \"%.200s\": dimension %u: expected a base and an extent that are multiples of %u, the size of a node there",
					       string, d, u);
		r->base[d] /= u;
		r->extent[d] /= u;
	}
	return torus_region_check(r, t, err);
}

/* Read each ring's dimensions, joined by '+': each dimension at most once. */
static bool parse_folded(struct torus_orientation *o, const struct torus *t,
			 const char *p)
{
	int8_t ring = 0;

	for (;; p++) {
		uint32_t d;

		if (!torus_text_number(&p, &d) || d >= t->dims ||
		    o->axis[d] >= 0)
			return false;
		o->axis[d] = ring;
		if (*p == '\0')
			return true;
		if (*p == ',')
			ring++;
		else if (*p != '+')
			return false;
	}
}

/* Read an axis or '-' per dimension, each axis at most once. */
static bool parse_plain(struct torus_orientation *o, const struct torus *t,
			const char *p)
{
	uint32_t used = 0;

	for (uint32_t d = 0; d < t->dims; d++, p++) {
		if (d > 0 && *p++ != ',')
			return false;
		if (*p == '-')
			continue;
		if (*p < '0' || *p >= '0' + TORUS_MAX_DIMS ||
		    used >> (*p - '0') & 1)
			return false;
		o->axis[d] = (int8_t)(*p - '0');
		used |= 1u << o->axis[d];
	}
	return *p == '\0';
}

int torus_orientation_parse(struct torus_orientation *o, const struct torus *t,
			    const char *string, struct torus_error *err)
{
	memset(o->axis, -1, sizeof(o->axis));
	o->folded = strchr(string, '+') != NULL;
	if (o->folded ? parse_folded(o, t, string) : parse_plain(o, t, string))
		return 0;
	return torus_error_add(err,
			       "orientation: got \"%.40s\": expected an axis or \"-\" for each of %u dimensions, for example 2,-,0, or the dimensions of folded rings, for example 0+1,2",
			       string, t->dims);
}
