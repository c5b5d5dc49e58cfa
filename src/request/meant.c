/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a refused --geometry meant: the text with the separators of other systems
 * replaced by ours, if the grammar takes that. O(length).
 *
 *   4*4*4  4X4X4  4:4:4  4 x 4 x 4  [4,4,4]  node=4x4x4   ->  4x4x4
 *   4,4,4 (equal alternatives)                            ->  4x4x4
 *   4x4x3/4x4x2 (Moab)                                    ->  4x4x3,4x4x2
 *   tpu7x:2x2x4 (slurm-gcp)          ->  2x2x4
 *   4x6x16:torus (PJM), 4x4:TM       ->  4x6x16 --conn-type=torus, 4x4 --conn-type=TM
 *   4by4, +4x-4                      ->  4x4
 *   2*4x4                            ->  4x4*2
 *   v4:4x4x8  tpu7x:4x4x8  v5p-4x4x8 (TPU slices)  ->  4x4x8
 *   2^9                              ->  4x4x4x4x2: a ring of 4 is a square
 */
#include "request/parts.h"
#include "torus/number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MEANT_LONGEST 100

/* Return true if the text has only these characters. */
static bool meant_only(const char *text, const char *characters)
{
	return text[strspn(text, characters)] == '\0';
}

/* Copy in lower case without blanks, quotes and brackets. Blanks between numbers
 * separate them, commas in brackets too. */
static void meant_clean(const char *from, char *to)
{
	bool list = *from == '[' || *from == '(' || *from == '{';
	bool blank = false;

	for (; *from; from++) {
		unsigned char c = (unsigned char)*from;

		if (isspace(c)) {
			blank = true;
			continue;
		}
		if (strchr("\"'[](){}", c))
			continue;
		if (blank && isdigit(c) && to[-1] && isdigit(to[-1]))
			*to++ = 'x';
		blank = false;
		if (c == 0xc3 && (unsigned char)from[1] ==
					 0x97) { /* the multiplication sign */
			from++;
			c = 'x';
		} else if (c == '*' && from[1] == '*') {
			from++;
			c = '^';
		}
		*to++ = list && c == ',' ? 'x' : (char)tolower(c);
	}
	*to = '\0';
}

/* Remove what stands before "=", as in node=4x4x4, the type of a machine before its
 * shape, as in tpu7x:4x4x4, and a unit: 64nodes. */
static void meant_strip(char *text)
{
	static const char *const units[] = { "nodes", "node", "n" };
	size_t word = strcspn(text, "=0123456789"), length;
	const char *shape = NULL;

	if (text[word] == '=')
		memmove(text, text + word + 1, strlen(text + word));
	for (const char *p = text; isalpha((unsigned char)*text) && *p; p++) {
		size_t digits = strspn(p + 1, "0123456789");

		if (*p == ':' || (*p == '-' && digits && p[1 + digits] == 'x'))
			shape = p + 1;
	}
	if (shape)
		memmove(text, shape, strlen(shape) + 1);
	length = strlen(text);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i]);

		if (length > n && isdigit((unsigned char)text[length - n - 1]) &&
		    strcmp(text + length - n, units[i]) == 0)
			text[length - n] = '\0';
	}
}

/* Return the connection at the end ("4x6x16:torus") and cut it off; or NULL. */
static const char *meant_connection(char *text)
{
	char *colon = strrchr(text, ':'), *word = colon ? colon + 1 : NULL;
	const char *known = word ? torus_connection_word(word) : NULL;

	if (!word || (!known && (!*word || !meant_only(word, "tmn"))))
		return NULL;
	*colon = '\0';
	for (char *p = word; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return known ? known : word;
}

/* Replace separators between numbers by x, in one alternative. A single "." or "-" is
 * part of a number or of a range. */
static void meant_separate(char *text, size_t length)
{
	bool shape = memchr(text, 'x', length) || memchr(text, '^', length);
	uint32_t separators = 0;

	for (size_t i = 0; i < length; i++)
		separators += strchr(".-_;:*", text[i]) != NULL;
	for (size_t i = 1; i + 2 < length; i++) { /* 4by4 */
		if (text[i] == 'b' && text[i + 1] == 'y' &&
		    isdigit((unsigned char)text[i - 1])) {
			text[i] = 'x';
			text[i + 1] = '0';
		}
	}
	for (size_t i = 1; i + 1 < length; i++) {
		bool between = isdigit((unsigned char)text[i - 1]) &&
			       isdigit((unsigned char)text[i + 1]);

		if (between && ((text[i] == '*' && !shape) || text[i] == ':' ||
				(separators > 1 && strchr(".-_;", text[i]))))
			text[i] = 'x';
	}
}

/* Drop leading zeros, and signs of numbers. */
static void meant_drop_zeros(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool begins = from == text || !isdigit((unsigned char)from[-1]);

		if (begins && (*from == '+' || *from == '-') &&
		    isdigit((unsigned char)from[1]))
			from++;
		while (begins && *from == '0' && isdigit((unsigned char)from[1]))
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

/* 2*4x4: two regions of 4x4 are 4x4*2. */
static void meant_turn_regions(char *text)
{
	size_t digits = strspn(text, "0123456789");
	char regions[16];
	char *shape = text + digits + 1;

	if (digits == 0 || digits + 2 > sizeof(regions) || text[digits] != '*' ||
	    !strpbrk(shape, "x^") || strpbrk(shape, "*,@"))
		return;
	snprintf(regions, sizeof(regions), "*%.*s", (int)digits, text);
	memmove(text, shape, strlen(shape) + 1);
	strcat(text, regions);
}

static void meant_sort(const struct geometry *g, uint32_t *extent)
{
	memset(extent, 0, TORUS_MAX_DIMS * sizeof(*extent));
	for (uint32_t a = 0; a < g->axes; a++) {
		uint32_t i = a;

		for (; i > 0 && extent[i - 1] < g->extent[a]; i--)
			extent[i] = extent[i - 1];
		extent[i] = g->extent[a];
	}
}

/* Keep the first alternative if the others are turns of it. */
static void meant_drop_turns(char *text, const struct geometry *g, int n)
{
	uint32_t first[TORUS_MAX_DIMS], other[TORUS_MAX_DIMS];

	meant_sort(&g[0], first);
	for (int k = 1; k < n; k++) {
		meant_sort(&g[k], other);
		if (g[0].axes == 0 || memcmp(first, other, sizeof(first)))
			return;
	}
	text[strcspn(text, ",")] = '\0';
}

bool torus_geometry_meant(const char *spec, char out[TORUS_MEANT_SIZE])
{
	struct geometry g[TORUS_MAX_ALTERNATIVES];
	char room[TORUS_MEANT_SIZE] = "", *text = room + 1;
	const char *connection;
	bool several;
	int n;
	size_t size;
	uint64_t axes;
	size_t used = 0;

	if (strlen(spec) > MEANT_LONGEST)
		return false;
	meant_clean(spec, text);
	meant_strip(text);
	connection = meant_connection(text);
	several = strchr(text, '/') != NULL;
	for (char *p = text; *p; p += strcspn(p, ",/"), p += *p != '\0')
		meant_separate(p, strcspn(p, ",/@"));
	for (char *p = text; (p = strchr(p, '/'));)
		*p = ',';
	meant_drop_zeros(text);
	meant_turn_regions(text);
	/* 2^9: a ring of 4 holds a square, so axes of 4 stand for two of 2. */
	size = sizeof(room) - 1;
	if (strncmp(text, "2^", 2) == 0 &&
	    torus_number_whole(text + 2, TORUS_MAX_DIMS + 1, 99, &axes)) {
		for (; axes > 0 && used<size; axes -= axes> 1 ? 2 : 1)
			used += (size_t)snprintf(text + used, size - used,
						 "%s%c", used ? "x" : "",
						 axes > 1 ? '4' : '2');
	}
	n = torus_geometry_parse(text, g, NULL);
	if (n < 0 && meant_only(text, "0123456789,")) {
		for (char *p = text; (p = strchr(p, ','));)
			*p = 'x';
		n = torus_geometry_parse(text, g, NULL);
	}
	if (n < 1 || (!connection && strcmp(text, spec) == 0))
		return false;
	if (several)
		meant_drop_turns(text, g, n);
	return snprintf(out, TORUS_MEANT_SIZE, "%s%s%s", text,
			connection ? " --conn-type=" : "",
			connection ? connection : "") < TORUS_MEANT_SIZE;
}
