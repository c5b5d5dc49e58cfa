/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the words of a user to a request (torus/request.h): combine the results of
 * the readers of single options, drop axes of 1 together with their letters, and
 * find the strategy. All errors are reported, one per option. O(length of the
 * words).
 */
#include "torus/request.h"

#include <stdio.h>
#include <string.h>

#include "request/parts.h"
#include "request/quote.h"
#include "torus/alloc.h"
#include "torus/strategy.h"

static bool request_has_word(const char *word)
{
	return word && *word;
}

static void start_ask(struct torus_ask *ask)
{
	memset(ask, 0, sizeof(*ask));
	ask->rotate = true;
	ask->end_us = INT64_MAX;
}

void torus_ask_drop_ones(struct torus_ask *ask)
{
	struct torus_shape *shape = &ask->shape;
	uint32_t typed = shape->axes, axes = 0;

	ask->ones = 0;
	for (uint32_t i = 0; i < typed; i++) {
		if (shape->extent[i] == 1) {
			ask->ones |= (uint8_t)(1u << i);
			continue;
		}
		shape->extent[axes] = shape->extent[i];
		ask->connection[axes++] = ask->connection[i];
	}
	if (axes == 0) { /* 1^1 is the same as 1x1, as it is written */
		ask->ones = typed == 1 ? 2 : ask->ones & (uint8_t)~1u;
		axes = 1;
	}
	shape->axes = axes;
	for (uint32_t i = axes; i < typed; i++) {
		shape->extent[i] = 0;
		ask->connection[i] = TORUS_CONN_NAV;
	}
}

static int request_fill(struct torus_alternative *alt, const struct geometry *g,
			const struct connection *c, bool rotate,
			struct torus_error *err)
{
	struct torus_ask *ask = &alt->ask;

	start_ask(ask);
	alt->after_us = g->after_us;
	if (torus_connection_apply(c, g, ask->connection, err))
		return -1;
	if (g->axes == 0) {
		ask->by_count = true;
		ask->count = g->count;
		ask->limits = g->limits;
		return 0;
	}
	ask->shape.axes = g->axes;
	memcpy(ask->shape.extent, g->extent, g->axes * sizeof(*g->extent));
	ask->regions = g->regions > 1 ? g->regions : 0;
	ask->rotate = rotate;
	if (rotate)
		torus_ask_drop_ones(ask);
	return 0;
}

static int find_strategy(const char *name, const char **found,
			 struct torus_error *err)
{
	const struct torus_strategy *strategy = torus_strategy_find(name);

	if (!strategy)
		return torus_unknown_strategy(err, "--placement", name);
	*found = strategy->name;
	return 0;
}

static int find_links(const char *word, bool *weak, struct torus_error *err)
{
	static const char *const valid[] = { "weak" };

	*weak = strcmp(word, valid[0]) == 0;
	return *weak ? 0 :
		       torus_unknown_word(err, "--links", "word", word, valid,
					  1);
}

const char *const torus_rank_order_name[TORUS_ORDERS] = {
	[TORUS_ORDER_UNASKED] = "",
	[TORUS_ORDER_ROW_MAJOR] = "row-major",
	[TORUS_ORDER_SNAKE] = "snake",
	[TORUS_ORDER_MORTON] = "morton",
	[TORUS_ORDER_HILBERT] = "hilbert",
};

int torus_rank_order_parse(const char *option, const char *word,
			   enum torus_rank_order *order, struct torus_error *err)
{
	for (uint32_t i = 1; i < TORUS_ORDERS; i++) {
		if (strcmp(word, torus_rank_order_name[i]) == 0) {
			*order = (enum torus_rank_order)i;
			return 0;
		}
	}
	return torus_unknown_word(err, option, "order", word,
				  torus_rank_order_name + 1, TORUS_ORDERS - 1);
}

static int no_geometry(const struct torus_request_words *words,
		       struct torus_error *err)
{
	const char *option = torus_request_word[TORUS_WORD_GEOMETRY].name;
	bool other = false;

	for (enum torus_word w = 0; w < TORUS_WORDS && !other; w++) {
		other = torus_request_words_get(words, w) != NULL;
		if (other)
			option = torus_request_word[w].name;
	}
	return torus_error_add(err,
			       "--%s: %s; write for example --geometry=4x4x2, --geometry=2^3 or --geometry=64",
			       option,
			       other ? "needs a --geometry" : "nothing given");
}

int torus_request_parse(struct torus_request *request,
			const struct torus_request_words *words,
			struct torus_error *err)
{
	struct geometry geometry[TORUS_MAX_ALTERNATIVES];
	struct torus_request r;
	struct connection connection;
	const char *strategy = NULL;
	int alternatives, wrong = 0;
	bool weak = false;

	r.rotate = !words->no_rotate;
	r.rank_order = TORUS_ORDER_UNASKED;
	alternatives = request_has_word(words->geometry) ?
			       torus_geometry_parse(words->geometry, geometry,
						    err) :
			       no_geometry(words, err);
	if (torus_connection_parse(words->conn_type, &connection, err))
		wrong = -1;
	for (int i = 0; i < alternatives && !wrong; i++)
		wrong = request_fill(&r.alternative[i], &geometry[i],
				     &connection, r.rotate, err);
	if (request_has_word(words->placement) &&
	    find_strategy(words->placement, &strategy, err))
		wrong = -1;
	if (request_has_word(words->links) &&
	    find_links(words->links, &weak, err))
		wrong = -1;
	if (request_has_word(words->rank_order) &&
	    torus_rank_order_parse("--rank-order", words->rank_order,
				   &r.rank_order, err))
		wrong = -1;
	if (wrong || alternatives < 0)
		return -1;
	r.alternatives = (uint32_t)alternatives;
	for (uint32_t i = 0; i < r.alternatives; i++) {
		r.alternative[i].ask.strategy = strategy;
		r.alternative[i].ask.weak = weak;
	}
	torus_request_copy(request, &r);
	return 0;
}

struct torus_job_request
torus_job_request_count(struct torus_alternative *alternative, uint32_t n)
{
	start_ask(&alternative->ask);
	alternative->after_us = 0;
	alternative->ask.by_count = true;
	alternative->ask.count = n;
	return (struct torus_job_request){ .alternative = alternative,
					   .alternatives = 1,
					   .rotate = true };
}

void torus_request_count(struct torus_request *request, uint32_t n)
{
	torus_job_request_count(request->alternative, n);
	request->alternatives = 1;
	request->rotate = true;
	request->rank_order = TORUS_ORDER_UNASKED;
}

void torus_request_range(struct torus_request *request, uint32_t least,
			 uint32_t most)
{
	uint32_t spread = most - least;
	uint32_t n = spread < TORUS_MAX_ALTERNATIVES ? spread + 1 :
						       TORUS_MAX_ALTERNATIVES;

	torus_request_count(request, most);
	for (uint32_t k = 1; k < n; k++) {
		request->alternative[k] = request->alternative[0];
		request->alternative[k].ask.count =
			(uint32_t)(most - (uint64_t)spread * k / (n - 1));
	}
	request->alternatives = n;
}

int torus_job_request_copy(struct torus_job_request *to,
			   const struct torus_job_request *from)
{
	struct torus_alternative *alternative =
		torus_alloc(from->alternatives, sizeof(*alternative));

	if (!alternative)
		return -1;
	*to = torus_job_request_put(alternative, from);
	return 0;
}

static int alternatives_format(const struct torus_alternative *alternative,
			       uint32_t alternatives, char *buffer, size_t size)
{
	char text[TORUS_GEOMETRY_SIZE] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < alternatives; i++) {
		const struct torus_alternative *alt = &alternative[i];

		if (i > 0)
			text[used++] = ',';
		used += (size_t)torus_geometry_format(&alt->ask, text + used,
						      sizeof(text) - used);
		if (alt->after_us == 0)
			continue;
		text[used++] = '@';
		used += (size_t)torus_duration_format(alt->after_us, text + used,
						      sizeof(text) - used);
	}
	return snprintf(buffer, size, "%s", text);
}

int torus_request_format(const struct torus_request *request, char *buffer,
			 size_t size)
{
	return alternatives_format(request->alternative, request->alternatives,
				   buffer, size);
}

int torus_job_request_format(const struct torus_job_request *request,
			     char *buffer, size_t size)
{
	return alternatives_format(request->alternative, request->alternatives,
				   buffer, size);
}

/* The columns of traces and journals (torus/request_words.h) */

/* A count without limits and alternatives is the column nodes. */
static int request_write_geometry(const struct torus_job_request *request,
				  char *buffer, size_t size)
{
	if (torus_job_request_is_number(request))
		return snprintf(buffer, size, "%s", "");
	return torus_job_request_format(request, buffer, size);
}

static int request_write_conn_type(const struct torus_job_request *request,
				   char *buffer, size_t size)
{
	char text[TORUS_CONNECTION_SIZE];

	torus_connection_format(request, text);
	return snprintf(buffer, size, "%s", text);
}

static int request_write_no_rotate(const struct torus_job_request *request,
				   char *buffer, size_t size)
{
	return snprintf(buffer, size, "%s", request->rotate ? "" : "no");
}

static int request_write_placement(const struct torus_job_request *request,
				   char *buffer, size_t size)
{
	const char *strategy = request->alternative[0].ask.strategy;

	return snprintf(buffer, size, "%s", strategy ? strategy : "");
}

static int request_write_links(const struct torus_job_request *request,
			       char *buffer, size_t size)
{
	return snprintf(buffer, size, "%s",
			request->alternative[0].ask.weak ? "weak" : "");
}

static int request_write_rank_order(const struct torus_job_request *request,
				    char *buffer, size_t size)
{
	return snprintf(buffer, size, "%s",
			torus_rank_order_name[request->rank_order]);
}

#define REQUEST_ROW(member, word_kind, word, end, field, placeholder, words,   \
		    text)                                                      \
	{ .kind = TORUS_KIND_##word_kind,                                      \
	  .name = word,                                                        \
	  .entry = TORUS_REQUEST_PREFIX #end,                                  \
	  .variable = #end,                                                    \
	  .column = #field,                                                    \
	  .value = placeholder,                                                \
	  .choices = words,                                                    \
	  .help = text,                                                        \
	  .at = offsetof(struct torus_request_words, member),                  \
	  .write = request_write_##member },

const struct torus_request_word torus_request_word[TORUS_WORDS] = {
	TORUS_REQUEST_WORDS(REQUEST_ROW)
};
