/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --conn-type: torus, mesh or nav for all axes, or a letter (T, M, N) for
 * each axis as typed. Words and letters may be small or capital.
 */
#include "request/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "request/quote.h"

static const char *const names[] = {
	[TORUS_CONN_NAV] = "nav",
	[TORUS_CONN_TORUS] = "torus",
	[TORUS_CONN_MESH] = "mesh",
};

#define NAMES (sizeof(names) / sizeof(names[0]))

static enum torus_connection connection_letter(char c)
{
	switch (toupper((unsigned char)c)) {
	case 'T':
		return TORUS_CONN_TORUS;
	case 'M':
		return TORUS_CONN_MESH;
	default:
		return TORUS_CONN_NAV;
	}
}

const char *torus_connection_word(const char *typed)
{
	static const struct {
		const char *typed;
		enum torus_connection meant;
	} words[] = {
		{ "torus", TORUS_CONN_TORUS },
		{ "mesh", TORUS_CONN_MESH },
		{ "ring", TORUS_CONN_TORUS },
		{ "rings", TORUS_CONN_TORUS },
		{ "wrap", TORUS_CONN_TORUS },
		{ "closed", TORUS_CONN_TORUS },
		{ "toroidal", TORUS_CONN_TORUS },
		{ "open", TORUS_CONN_MESH },
		{ "line", TORUS_CONN_MESH },
		{ "any", TORUS_CONN_NAV },
		{ "either", TORUS_CONN_NAV },
		{ "auto", TORUS_CONN_NAV },
		{ "none", TORUS_CONN_NAV },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcasecmp(typed, words[i].typed) == 0)
			return names[words[i].meant];
	}
	return NULL;
}

/* Write the letters of "T,T" or "T M". Return false if something else is in it. */
static bool connection_letters(const char *typed, char *out, size_t size)
{
	size_t n = 0;

	for (; *typed; typed++) {
		if (strchr("TMNtmn", *typed) && n + 1 < size)
			out[n++] = (char)toupper((unsigned char)*typed);
		else if (!strchr(", :;-_", *typed))
			return false;
	}
	out[n] = '\0';
	return n > 0;
}

int torus_connection_parse(const char *typed, struct connection *out,
			   struct torus_error *err)
{
	struct connection c = { typed, 0, TORUS_CONN_NAV };
	struct torus_quote q;
	char letters[TORUS_MAX_DIMS + 1];
	const char *close;
	size_t length;

	*out = c;
	if (!typed || !*typed)
		return 0;
	for (size_t i = 0; i < NAMES; i++) {
		if (strcasecmp(typed, names[i]) == 0) {
			out->word = (enum torus_connection)i;
			return 0;
		}
	}
	length = strlen(typed);
	if (strspn(typed, "TMNtmn") == length) {
		out->letters = length < 999 ? (uint32_t)length : 999;
		return 0;
	}
	close = torus_connection_word(typed);
	if (!close && connection_letters(typed, letters, sizeof(letters)))
		close = letters;
	if (close)
		return torus_error_add(err,
				       "--conn-type: got \"%s\": expected torus, mesh, nav or one letter (T, M or N) per axis; write %s",
				       torus_quote(&q, typed, length), close);
	close = torus_nearest(typed, names, NAMES);
	return torus_error_add(err,
			       "--conn-type: got \"%s\": expected torus, mesh, nav or one letter (T, M or N) per axis; write for example %s, or TTM for 4x4x2",
			       torus_quote(&q, typed, length),
			       close ? close : "torus");
}

int torus_connection_apply(const struct connection *c, const struct geometry *g,
			   uint8_t *out, struct torus_error *err)
{
	uint32_t n = g->axes ? g->axes : 1;

	if (c->letters && c->letters != g->axes) {
		char example[TORUS_MAX_DIMS + 1] = "";
		const char *word;
		struct torus_quote q;

		torus_quote(&q, c->typed, strlen(c->typed));
		word = c->letters == 1 ? names[connection_letter(*c->typed)] :
					 NULL;
		if (g->axes == 0)
			return torus_error_add(err,
					       "--conn-type: got \"%s\": letters belong to the axes of a shape, but the geometry is the count %u; write %s",
					       q.text, g->count,
					       word ? word :
						      "torus, mesh or nav");
		/* (axes is at most TORUS_MAX_DIMS, which link-time optimization does not see) */
		for (uint32_t i = 0; i < g->axes && i < TORUS_MAX_DIMS; i++)
			example[i] = i < c->letters ? c->typed[i] : 'N';
		if (word)
			return torus_error_add(err,
					       "--conn-type: got \"%s\": 1 letter for a geometry of %u axes; write %s for all axes, or one letter for each, for example %s",
					       q.text, g->axes, word, example);
		return torus_error_add(err,
				       "--conn-type: got \"%s\": %u letters for a geometry of %u %s; write one for each axis as typed, for example %s",
				       q.text, c->letters, g->axes,
				       g->axes == 1 ? "axis" : "axes", example);
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = c->letters ? connection_letter(c->typed[i]) : c->word;
	return 0;
}

void torus_connection_format(const struct torus_job_request *request,
			     char out[TORUS_CONNECTION_SIZE])
{
	static const char *const word[] = { "", "torus", "mesh" };
	static const char letter[] = { 'N', 'T', 'M' };
	uint8_t first = request->alternative[0].ask.connection[0];
	bool same = true;

	memset(out, '\0', TORUS_CONNECTION_SIZE);
	/* an axis of 1 has the letter of the first alternative that keeps the axis */
	for (uint32_t k = request->alternatives; k-- > 0;) {
		const struct torus_ask *ask = &request->alternative[k].ask;
		int8_t axis[TORUS_MAX_DIMS] = { 0 };
		uint32_t typed = ask->by_count ? 1 : torus_ask_typed(ask, axis);

		for (uint32_t i = 0; i < typed; i++) {
			if (axis[i] >= 0) {
				out[i] = letter[ask->connection[axis[i]] % 3];
				same &= ask->connection[axis[i]] == first;
			} else if (!out[i]) {
				out[i] = 'N';
			}
		}
	}
	if (same)
		snprintf(out, TORUS_CONNECTION_SIZE, "%s", word[first % 3]);
}
