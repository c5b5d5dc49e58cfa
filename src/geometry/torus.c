/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Toruses and machine strings (torus/torus.h). Everything is O(dimensions).
 */
#include "torus/torus.h"
#include "torus/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define EXAMPLES "write for example 8x8x8, 8x8x8:TTM, 2^8, 16 or flat:128"

bool torus_name_ok(const char *name)
{
	if (!isalnum((unsigned char)name[0]))
		return false;
	for (const char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("_-.", *p))
			return false;
	}
	return strlen(name) < TORUS_NAME_SIZE;
}

void torus_number(struct torus *t)
{
	t->nodes = t->per_vertex;
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		t->stride[d] = t->nodes;
		t->nodes *= t->size[d];
	}
}

int torus_init(struct torus *t, const char *name, uint32_t dims,
	       const uint32_t *size, const bool *wrap, struct torus_error *err)
{
	uint64_t nodes = 1;
	struct torus made;

	if (!torus_name_ok(name)) {
		return torus_error_add(err,
				       "torus name: got \"%s\": expected letters, digits, '_', '-' or '.', at most %d, the first a letter or digit",
				       name, TORUS_NAME_SIZE - 1);
	}
	if (dims < 1 || dims > TORUS_MAX_DIMS)
		return torus_error_add(err,
				       "dimensions: got %u of them: expected 1 to %d",
				       dims, TORUS_MAX_DIMS);
	memset(&made, 0, sizeof(made));
	snprintf(made.name, sizeof(made.name), "%s", name);
	made.dims = dims;
	made.per_vertex = 1;
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++)
		made.size[d] = made.unit[d] = made.grain[d] = 1;
	for (uint32_t d = 0; d < dims; d++) {
		if (size[d] < 1)
			return torus_error_add(err,
					       "dimension %u: got size 0: every dimension must be at least 1",
					       d);
		made.size[d] = size[d];
		made.wrap[d] = wrap ? wrap[d] : true;
		nodes *= size[d];
		if (nodes > TORUS_MAX_NODES)
			return torus_error_add(err,
					       "dimensions: their product is above %u nodes, the most this program takes",
					       TORUS_MAX_NODES);
	}
	torus_number(&made);
	*t = made;
	return 0;
}

int torus_init_flat(struct torus *t, const char *name, uint32_t nodes,
		    struct torus_error *err)
{
	const bool open = false;

	if (torus_init(t, name, 1, &nodes, &open, err))
		return -1;
	t->flat = true;
	return 0;
}

static int check_division(const struct torus *t, uint32_t d, const char *key,
			  uint32_t part, struct torus_error *err)
{
	if (part > 0 && t->size[d] % part == 0)
		return 0;
	return torus_error_add(err,
			       "%s: got %u in dimension %u: expected a divisor of its size %u",
			       key, part, d, t->size[d]);
}

int torus_divide(struct torus *t, const uint32_t *unit, const uint32_t *grain,
		 uint32_t per_vertex, struct torus_error *err)
{
	int rc = 0;

	if (t->flat && (unit || grain || per_vertex != 1))
		return torus_error_add(err, "%s: a flat machine has no vertices",
				       unit  ? "unit" :
				       grain ? "grain" :
					       "per_vertex");
	if (unit && per_vertex != 1)
		rc = torus_error_add(
			err,
			"per_vertex: cannot be combined with unit: a node is several vertices, or a vertex several nodes");
	if (per_vertex < 1 || (uint64_t)t->nodes * per_vertex > TORUS_MAX_NODES)
		rc = torus_error_add(err,
				     "per_vertex: got %u: expected at least 1, and at most %u nodes in all",
				     per_vertex, TORUS_MAX_NODES);
	for (uint32_t d = 0; d < t->dims; d++) {
		if (unit && check_division(t, d, "unit", unit[d], err))
			rc = -1;
		if (grain && check_division(t, d, "grain", grain[d], err))
			rc = -1;
		else if (grain && unit && unit[d] && grain[d] % unit[d])
			rc = torus_error_add(err,
					     "grain: got %u in dimension %u: expected a multiple of the unit's %u",
					     grain[d], d, unit[d]);
	}
	if (rc)
		return -1;
	t->per_vertex = per_vertex;
	for (uint32_t d = 0; d < t->dims; d++) {
		t->unit[d] = unit ? unit[d] : 1;
		t->grain[d] = grain ? grain[d] : t->unit[d];
		t->size[d] /= t->unit[d];
	}
	torus_number(t);
	return 0;
}

bool torus_plain(const struct torus *t)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		if (t->grain[d] != 1)
			return false;
	}
	return t->per_vertex == 1;
}

uint32_t torus_node_vertices(const struct torus *t)
{
	uint32_t n = 1;

	for (uint32_t d = 0; d < t->dims; d++)
		n *= t->unit[d];
	return n;
}

/* Return true if a number has more digits than torus_text_number() takes. */
static bool too_large(const char *p)
{
	for (; *p; p++) {
		size_t digits = strspn(p, "0123456789");

		if (digits > 9)
			return true;
		p += digits ? digits - 1 : 0;
	}
	return false;
}

static int torus_refuse(const char *string, const char *what,
			struct torus_error *err)
{
	return torus_error_add(err, "machine: got \"%.200s\": %s; " EXAMPLES,
			       string, what);
}

/* Read SIZE{xSIZE} or SIZE^K. */
static const char *scan_sizes(const char *p, uint32_t *size, uint32_t *dims)
{
	*dims = 0;
	for (;;) {
		uint32_t n;

		if (*dims == TORUS_MAX_DIMS || !torus_text_number(&p, &n))
			return NULL;
		size[(*dims)++] = n;
		if (*p == '^' && *dims == 1) {
			p++;
			if (!torus_text_number(&p, dims) || *dims < 1 ||
			    *dims > TORUS_MAX_DIMS)
				return NULL;
			for (uint32_t d = 1; d < *dims; d++)
				size[d] = n;
			return p;
		}
		if (*p != 'x')
			return p;
		p++;
	}
}

/* Read the letters after ':', one per dimension. */
static bool scan_wrap(const char *p, uint32_t dims, bool *wrap)
{
	if (strlen(p) != dims)
		return false;
	for (uint32_t d = 0; d < dims; d++) {
		if (p[d] != 'T' && p[d] != 'M')
			return false;
		wrap[d] = p[d] == 'T';
	}
	return true;
}

/* Return true if it has more than 8 dimensions, and what to write instead: a ring
 * of 4 has the links of a square. */
static bool too_many_dims(const char *string, char *text, size_t size)
{
	uint32_t base, dims = 1;
	const char *p = string;
	size_t used;

	if (!torus_text_number(&p, &base))
		return false;
	if (*p == '^' && p++ && !torus_text_number(&p, &dims))
		return false;
	for (; *p == 'x' && p[1] >= '0' && p[1] <= '9'; dims++)
		p += 1 + strspn(p + 1, "0123456789");
	if (dims <= TORUS_MAX_DIMS || (*p && *p != ':'))
		return false;
	used = (size_t)snprintf(text, size, "%u dimensions, but %d are the most",
				dims, TORUS_MAX_DIMS);
	if (base != 2 || !strchr(string, '^') || dims > 2 * TORUS_MAX_DIMS)
		return true;
	used += (size_t)snprintf(text + used, size - used,
				 "; a ring of 4 has the links of a square: ");
	for (; dims; dims -= dims > 1 ? 2 : 1)
		used += (size_t)snprintf(text + used, size - used, "%c%s",
					 dims > 1 ? '4' : '2',
					 dims > 2 ? "x" : "");
	return true;
}

int torus_parse(struct torus *t, const char *string, struct torus_error *err)
{
	uint32_t size[TORUS_MAX_DIMS], dims;
	bool wrap[TORUS_MAX_DIMS];
	const char *p = string;
	char most[128];

	if (too_large(string)) {
		snprintf(most, sizeof(most), "a machine has at most %u nodes",
			 TORUS_MAX_NODES);
		return torus_refuse(string, most, err);
	}
	memset(wrap, true, sizeof(wrap));
	if (strncmp(p, "flat:", 5) == 0) {
		p += 5;
		if (!torus_text_number(&p, &size[0]) || *p)
			return torus_refuse(string,
					    "a node count must follow \"flat:\"",
					    err);
		return torus_init_flat(t, "torus", size[0], err);
	}
	p = scan_sizes(p, size, &dims);
	if (!p && too_many_dims(string, most, sizeof(most)))
		return torus_refuse(string, most, err);
	if (!p)
		return torus_refuse(string,
				    "expected 1 to 8 sizes joined by 'x', or SIZE^DIMENSIONS",
				    err);
	if (*p == ':' && !scan_wrap(p + 1, dims, wrap))
		return torus_refuse(string,
				    "one letter per dimension must follow ':', T (wraps) or M (does not)",
				    err);
	if (*p && *p != ':')
		return torus_refuse(string, "unexpected characters at its end",
				    err);
	return torus_init(t, "torus", dims, size, wrap, err);
}

int torus_format(const struct torus *t, char *buffer, size_t size)
{
	char text[TORUS_STRING_SIZE];
	int used = 0;
	bool open = false;

	if (t->flat)
		return snprintf(buffer, size, "flat:%u", t->nodes);
	for (uint32_t d = 0; d < t->dims; d++) {
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "%s%u", d ? "x" : "", t->size[d] * t->unit[d]);
		open |= !t->wrap[d];
	}
	if (open) {
		text[used++] = ':';
		for (uint32_t d = 0; d < t->dims; d++)
			text[used++] = t->wrap[d] ? 'T' : 'M';
		text[used] = '\0';
	}
	return snprintf(buffer, size, "%s", text);
}

uint32_t torus_index(const struct torus *t, const uint32_t *coord)
{
	uint32_t index = 0;

	for (uint32_t d = 0; d < t->dims; d++)
		index += coord[d] * t->stride[d];
	return index;
}

void torus_coord(const struct torus *t, uint32_t index, uint32_t *coord)
{
	if (t->per_vertex > 1)
		index /= t->per_vertex;
	for (uint32_t d = 0; d < t->dims; d++) {
		coord[d] = index % t->size[d];
		index /= t->size[d];
	}
	for (uint32_t d = t->dims; d < TORUS_MAX_DIMS; d++)
		coord[d] = 0;
}
