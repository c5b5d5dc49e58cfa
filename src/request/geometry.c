/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar of --geometry (torus/request.h), by recursive descent: O(length).
 * The first error ends the reading. Its message has the text that was read, the
 * position of the error, and what the text meant (meant.c) or a correct example.
 *
 *   SPEC := ALT{,ALT}   ALT := WHAT[@DUR]   WHAT := SHAPE[*N] | COUNT{:LIMIT}
 *   SHAPE := E{xE} | E^K   LIMIT := aspect=R | bisection=N
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
	char what[512], meant[TORUS_MEANT_SIZE];
	struct torus_quote q;
	va_list args;
	bool known;

	if (!s->err)
		return torus_error_add(NULL, "%s", format);
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	known = torus_geometry_meant(s->spec, meant);
	return torus_error_add(s->err, "--geometry: got \"%s\": %s; %s%s",
			       torus_quote(&q, s->spec, strlen(s->spec)), what,
			       known ? "write " : EXAMPLE, known ? meant : "");
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
		return geometry_refuse(s,
				       "%u axes, but %d dimensions are the most%s",
				       k, TORUS_MAX_DIMS,
				       g->extent[0] == 2 ?
					       " (4x4x4x4x4 is a 10-cube)" :
					       "");
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

/* Read the R of aspect=R, in thousandths. */
static int scan_aspect(struct scan *s, struct geometry *g)
{
	uint32_t digit = 100;

	if (s->p[0] == '0' && s->p[1] == '.')
		return geometry_refuse(s,
				       "a ratio below 1, expected at least 1");
	if (geometry_scan_number(s, "a ratio", &g->limits.aspect))
		return -1;
	if (g->limits.aspect > TORUS_MAX_NODES / 1000)
		return geometry_refuse(s, "a ratio above %u",
				       TORUS_MAX_NODES / 1000);
	g->limits.aspect *= 1000;
	if (*s->p != '.' || !isdigit((unsigned char)s->p[1]))
		return 0;
	for (s->p++; digit > 0 && isdigit((unsigned char)*s->p); digit /= 10)
		g->limits.aspect += digit * (uint32_t)(*s->p++ - '0');
	return 0;
}

/* Read the limits of a COUNT, each at most once. */
static int scan_limits(struct scan *s, struct geometry *g)
{
	static const char aspect[] = ":aspect=", bisection[] = ":bisection=";
	int rc = 0;

	while (rc == 0 && *s->p == ':') {
		if (g->axes)
			return geometry_refuse(s,
					       "\":\" limits a count, and this is a shape");
		if (!g->limits.aspect &&
		    strncmp(s->p, aspect, sizeof(aspect) - 1) == 0) {
			s->p += sizeof(aspect) - 1;
			rc = scan_aspect(s, g);
		} else if (!g->limits.bisection &&
			   strncmp(s->p, bisection, sizeof(bisection) - 1) == 0) {
			s->p += sizeof(bisection) - 1;
			rc = geometry_scan_number(s, "a number of links",
						  &g->limits.bisection);
		} else {
			return geometry_refuse(
				s,
				"\":\" after a count must begin :aspect=2 or :bisection=16, each at most once");
		}
	}
	return rc;
}

/* Read a SHAPE[*N] or a COUNT with its limits. */
static int scan_what(struct scan *s, struct geometry *g)
{
	int rc = 0;
	uint64_t volume = 1;

	memset(g, 0, sizeof(*g));
	if (geometry_scan_number(s, "an extent", &g->extent[0]))
		return -1;
	if (*s->p == '^')
		rc = scan_power(s, g);
	else if (*s->p == 'x')
		rc = scan_extents(s, g);
	else
		g->count = g->extent[0];
	if (rc == 0 && *s->p == ':')
		return scan_limits(s, g);
	if (rc != 0 || *s->p != '*')
		return rc;
	/* Read the N of SHAPE*N. */
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

/* Read @DUR up to the next ',' or the end. */
static int scan_wait(struct scan *s, struct geometry *g)
{
	struct torus_error why = { 0 };
	char text[32];
	size_t n;

	s->p++;
	n = strcspn(s->p, ",");
	if (n == 0)
		return geometry_missing(s, "a wait such as 2h");
	snprintf(text, sizeof(text), "%.*s", (int)n, s->p);
	if (n >= sizeof(text))
		return geometry_refuse(s, "the wait \"%s...\" is too long",
				       text);
	if (torus_duration_parse(text, &g->after_us, &why))
		return torus_error_add(s->err, "--geometry: wait: %s", why.text);
	s->p += n;
	return 0;
}

static bool geometry_same(const struct geometry *a, const struct geometry *b)
{
	uint32_t i = 0, j = 0;

	if (!a->axes != !b->axes || a->count != b->count ||
	    memcmp(&a->limits, &b->limits, sizeof(a->limits)) ||
	    (a->regions ? a->regions : 1) != (b->regions ? b->regions : 1))
		return false;
	for (;; i++, j++) { /* axes of 1 do not count */
		while (i < a->axes && a->extent[i] == 1)
			i++;
		while (j < b->axes && b->extent[j] == 1)
			j++;
		if (i == a->axes || j == b->axes)
			return i == a->axes && j == b->axes;
		if (a->extent[i] != b->extent[j])
			return false;
	}
}

/* Refuse an alternative that is equal to one before it: it adds nothing, and what was
 * meant is another request. */
static int check_repeated(struct scan *s, const struct geometry *g, int last)
{
	char shape[96] = "";
	struct torus_shape typed = { .axes = g[last].axes };
	struct torus_quote q;

	for (int k = 0; k < last; k++) {
		if (!geometry_same(&g[k], &g[last]))
			continue;
		if (g[last].axes == 0)
			return geometry_refuse(s,
					       "\",\" separates alternatives, of which a job gets one, and alternatives %d and %d are equal",
					       k + 1, last + 1);
		memcpy(typed.extent, g[last].extent, sizeof(typed.extent));
		torus_shape_format(&typed, shape, sizeof(shape));
		return torus_error_add(s->err,
				       "--geometry: got \"%s\": \",\" separates alternatives, of which a job gets one, and alternatives %d and %d are equal; write one of them%s%s%s",
				       torus_quote(&q, s->spec, strlen(s->spec)),
				       k + 1, last + 1,
				       g[last].regions ? "" : ", or ",
				       g[last].regions ? "" : shape,
				       g[last].regions ? "" :
							 "*2 for two regions");
	}
	return 0;
}

int torus_geometry_parse(const char *spec,
			 struct geometry out[TORUS_MAX_ALTERNATIVES],
			 struct torus_error *err)
{
	struct scan s = { spec, spec, err };
	int n = 0;
	size_t count = strcspn(s.spec, " \t\r\n\v\f");
	char room[128];

	if (strlen(s.spec) >= TORUS_GEOMETRY_SIZE)
		return geometry_refuse(&s, "longer than %d characters",
				       TORUS_GEOMETRY_SIZE - 1);
	s.p = s.spec + count;
	if (*s.p)
		return geometry_refuse(&s, "a space %s",
				       geometry_where(&s, room, sizeof(room)));
	s.p = s.spec;
	for (;; s.p++) {
		if (n == TORUS_MAX_ALTERNATIVES)
			return geometry_refuse(&s, "more than %d alternatives",
					       TORUS_MAX_ALTERNATIVES);
		if (scan_what(&s, &out[n]) ||
		    (*s.p == '@' && scan_wait(&s, &out[n])))
			return -1;
		if (n > 0 && out[n].after_us < out[n - 1].after_us) {
			struct torus_quote q;
			char wait[32];

			torus_duration_format(out[n - 1].after_us, wait,
					      sizeof(wait));
			return torus_error_add(s.err,
					       "--geometry: got \"%s\": alternative %d has a shorter wait than the one before it; waits must not decrease; write @%s or longer behind it",
					       torus_quote(&q, s.spec,
							   strlen(s.spec)),
					       n + 1, wait);
		}
		if (check_repeated(&s, out, n))
			return -1;
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

	if (ask->by_count) {
		const struct torus_box_limits *l = &ask->limits;
		char aspect[32] = "", bisection[32] = "";
		size_t end;

		if (l->aspect) {
			snprintf(aspect, sizeof(aspect), ":aspect=%u.%03u",
				 l->aspect / 1000, l->aspect % 1000);
			for (end = strlen(aspect); aspect[end - 1] == '0'; end--)
				aspect[end - 1] = '\0';
			if (aspect[end - 1] == '.')
				aspect[end - 1] = '\0';
		}
		if (l->bisection)
			snprintf(bisection, sizeof(bisection), ":bisection=%u",
				 l->bisection);
		return snprintf(buffer, size, "%u%s%s", ask->count, aspect,
				bisection);
	}
	used = geometry_format_shape(ask, buffer, size);
	if (!torus_ask_several(ask) || (size_t)used >= size)
		return used;
	return used + snprintf(buffer + used, size - (size_t)used, "*%u",
			       ask->regions);
}
