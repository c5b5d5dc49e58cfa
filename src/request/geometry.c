/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar of --geometry (torus/request.h), by recursive descent: O(length).
 * The first error ends the reading. Its message has the text that was read, the
 * position of the error and a correct example.
 *
 *   SPEC := ALT{,ALT}   ALT := WHAT[@DUR]   WHAT := SHAPE[*N] | COUNT
 *   SHAPE := E{xE} | E^K
 */
#include "request/parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "request/quote.h"

#define EXAMPLE "write for example 4x4x2, 2^3 or 64"

struct scan {
	const char *spec;
	const char *p;
	struct torus_error *err;
};

__attribute__((format(printf, 2, 3))) static int
geometry_refuse(struct scan *s, const char *format, ...)
{
	struct torus_quote q;
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return torus_error_add(s->err, "--geometry: got \"%s\": %s; " EXAMPLE,
			       torus_quote(&q, s->spec, strlen(s->spec)), what);
}

/* Describe a position: `after "4x"`, or `at its start`. */
static const char *geometry_where(const struct scan *s, char *buffer,
				  size_t size)
{
	struct torus_quote q;

	if (s->p == s->spec)
		return "at its start";
	snprintf(buffer, size, "after \"%s\"",
		 torus_quote_end(&q, s->spec, (size_t)(s->p - s->spec)));
	return buffer;
}

static int geometry_unexpected(struct scan *s)
{
	char room[128];
	const char *place = geometry_where(s, room, sizeof(room));

	if (*s->p == 'X')
		return geometry_refuse(s, "\"X\" %s must be a lowercase x",
				       place);
	return geometry_refuse(s, "unexpected \"%.*s\" %s",
			       (int)torus_character(s->p), s->p, place);
}

static int geometry_missing(struct scan *s, const char *what)
{
	char room[128];
	const char *place = geometry_where(s, room, sizeof(room));

	if (*s->p == '-' || *s->p == '+')
		return geometry_refuse(s, "a number with a sign (\"%c\") %s",
				       *s->p, place);
	if (*s->p != '\0' && !strchr("x^,@*", *s->p))
		return geometry_unexpected(s);
	return geometry_refuse(s, "%s is missing %s", what, place);
}

/* Read a whole number from 1 to TORUS_MAX_NODES. */
static int geometry_scan_number(struct scan *s, const char *what,
				uint32_t *value)
{
	const char *start = s->p;
	char room[128];
	const char *place = geometry_where(s, room, sizeof(room));
	uint64_t n = 0;

	if (!isdigit((unsigned char)*start))
		return geometry_missing(s, what);
	for (; isdigit((unsigned char)*s->p); s->p++) {
		if (n <= TORUS_MAX_NODES)
			n = n * 10 + (uint64_t)(*s->p - '0');
	}
	if (*start == '0' && s->p - start > 1)
		return geometry_refuse(s, "a number with a leading zero %s",
				       place);
	if (n == 0)
		return geometry_refuse(s, "%s of 0 %s, expected at least 1",
				       what, place);
	if (n > TORUS_MAX_NODES)
		return geometry_refuse(s,
				       "%s above %u %s: no torus has more nodes",
				       what, TORUS_MAX_NODES, place);
	*value = (uint32_t)n;
	return 0;
}

static int check_volume(struct scan *s, const struct geometry *g)
{
	uint64_t volume = 1;

	for (uint32_t i = 0; i < g->axes; i++) {
		volume *= g->extent[i];
		if (volume > TORUS_MAX_NODES)
			return geometry_refuse(s,
					       "the product of the extents is above %u: no torus has more nodes",
					       TORUS_MAX_NODES);
	}
	return 0;
}

/* Read the K of E^K. */
static int scan_power(struct scan *s, struct geometry *g)
{
	uint32_t k;

	s->p++;
	if (geometry_scan_number(s, "the number of axes", &k))
		return -1;
	if (k > TORUS_MAX_DIMS)
		return geometry_refuse(s, "%u axes, expected at most %d", k,
				       TORUS_MAX_DIMS);
	for (g->axes = 1; g->axes < k; g->axes++)
		g->extent[g->axes] = g->extent[0];
	if (*s->p == 'x' || *s->p == '^')
		return geometry_refuse(s, "\"^\" cannot be combined with \"%c\"",
				       *s->p);
	return check_volume(s, g);
}

static int scan_extents(struct scan *s, struct geometry *g)
{
	for (g->axes = 1; *s->p == 'x'; g->axes++) {
		s->p++;
		if (g->axes == TORUS_MAX_DIMS)
			return geometry_refuse(s, "more than %d axes",
					       TORUS_MAX_DIMS);
		if (geometry_scan_number(s, "an extent", &g->extent[g->axes]))
			return -1;
	}
	if (*s->p == '^')
		return geometry_refuse(s, "\"^\" cannot be combined with \"x\"");
	return check_volume(s, g);
}

/* Read the N of SHAPE*N. */
static int scan_regions(struct scan *s, struct geometry *g)
{
	uint64_t volume = 1;

	if (g->axes == 0)
		return geometry_refuse(s,
				       "\"*\" repeats a shape, and \"%u\" is a count; for lines write %u^1*N",
				       g->count, g->count);
	s->p++;
	if (geometry_scan_number(s, "the number of regions", &g->regions))
		return -1;
	if (g->regions > TORUS_MAX_REGIONS)
		return geometry_refuse(s, "%u regions, expected at most %d",
				       g->regions, TORUS_MAX_REGIONS);
	for (uint32_t i = 0; i < g->axes; i++)
		volume *= g->extent[i];
	if (volume * g->regions > TORUS_MAX_NODES)
		return geometry_refuse(s,
				       "all regions together have more than %u nodes: no torus has more",
				       TORUS_MAX_NODES);
	return 0;
}

/* Read a SHAPE[*N] or a COUNT. */
static int scan_what(struct scan *s, struct geometry *g)
{
	int rc = 0;

	memset(g, 0, sizeof(*g));
	if (geometry_scan_number(s, "an extent", &g->extent[0]))
		return -1;
	if (*s->p == '^')
		rc = scan_power(s, g);
	else if (*s->p == 'x')
		rc = scan_extents(s, g);
	else
		g->count = g->extent[0];
	return rc == 0 && *s->p == '*' ? scan_regions(s, g) : rc;
}

/* Read @DUR up to the next ',' or the end. */
static int scan_wait(struct scan *s, struct geometry *g)
{
	struct torus_error why = { 0 };
	char text[32];
	size_t n;

	s->p++;
	n = strcspn(s->p, ",");
	snprintf(text, sizeof(text), "%.*s", (int)n, s->p);
	if (n >= sizeof(text))
		return geometry_refuse(s, "the wait \"%s...\" is too long",
				       text);
	if (torus_duration_parse(text, &g->after_us, &why))
		return torus_error_add(s->err, "--geometry: wait: %s", why.text);
	s->p += n;
	return 0;
}

static int check_text(struct scan *s)
{
	size_t n = strcspn(s->spec, " \t\r\n\v\f");
	char room[128];

	if (strlen(s->spec) >= TORUS_GEOMETRY_SIZE)
		return geometry_refuse(s, "longer than %d characters",
				       TORUS_GEOMETRY_SIZE - 1);
	s->p = s->spec + n;
	if (*s->p)
		return geometry_refuse(s, "a space %s",
				       geometry_where(s, room, sizeof(room)));
	s->p = s->spec;
	return 0;
}

int torus_geometry_parse(const char *spec,
			 struct geometry out[TORUS_MAX_ALTERNATIVES],
			 struct torus_error *err)
{
	struct scan s = { spec, spec, err };
	int n = 0;

	if (check_text(&s))
		return -1;
	for (;; s.p++) {
		if (n == TORUS_MAX_ALTERNATIVES)
			return geometry_refuse(&s, "more than %d alternatives",
					       TORUS_MAX_ALTERNATIVES);
		if (scan_what(&s, &out[n]) ||
		    (*s.p == '@' && scan_wait(&s, &out[n])))
			return -1;
		if (n > 0 && out[n].after_us < out[n - 1].after_us)
			return geometry_refuse(&s,
					       "alternative %d has a shorter wait than the one before it; waits must not decrease",
					       n + 1);
		n++;
		if (*s.p == '\0')
			return n;
		if (*s.p != ',')
			return geometry_unexpected(&s);
	}
}

static int geometry_format_shape(const struct torus_ask *ask, char *buffer,
				 size_t size)
{
	struct torus_shape typed;
	int8_t axis[TORUS_MAX_DIMS];

	typed.axes = torus_ask_typed(ask, axis);
	for (uint32_t i = 0; i < typed.axes; i++)
		typed.extent[i] = axis[i] < 0 ? 1 : ask->shape.extent[axis[i]];
	/* "1" alone would be read as a count */
	if (typed.axes == 1 && typed.extent[0] == 1)
		return snprintf(buffer, size, "1x1");
	if (typed.axes == 1)
		return snprintf(buffer, size, "%u^1", typed.extent[0]);
	return torus_shape_format(&typed, buffer, size);
}

int torus_geometry_format(const struct torus_ask *ask, char *buffer, size_t size)
{
	int used;

	if (ask->by_count)
		return snprintf(buffer, size, "%u", ask->count);
	used = geometry_format_shape(ask, buffer, size);
	if (!torus_ask_several(ask) || (size_t)used >= size)
		return used;
	return used + snprintf(buffer + used, size - (size_t)used, "*%u",
			       ask->regions);
}
