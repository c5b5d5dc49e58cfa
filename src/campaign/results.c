/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of a campaign in memory (results.h). */
#include "campaign/results.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"

const struct torus_measure torus_measures[TORUS_MEASURES] = {
	{ "utilization", "utilization", 4 },
	{ "mean_wait_s", "wait s", 1 },
	{ "mean_response_s", "response s", 1 },
	{ "mean_bounded_slowdown", "slowdown", 2 },
	{ "job_miss_ratio", "missed", 4 },
};

static double number(const json_t *summary, const char *key)
{
	const json_t *value = json_object_get(summary, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static struct torus_results_row *row_add(struct torus_results *r)
{
	if (r->n == r->room) {
		uint32_t room = r->room ? r->room * 2 : 64;
		void *more = torus_realloc(r->row, room, sizeof(*r->row));

		if (!more)
			return NULL;
		r->row = more;
		r->room = room;
	}
	return &r->row[r->n++];
}

struct loading {
	struct torus_results *results;
	struct torus_error *err;
};

static int take(void *arg, const struct torus_result *from)
{
	struct loading *l = arg;
	struct torus_results_row *to = row_add(l->results);
	json_t *summary;

	if (!to)
		return torus_error_add(l->err, "out of memory");
	summary = json_loads(from->summary, 0, NULL);
	for (int m = 0; m < TORUS_MEASURES; m++)
		to->value[m] = number(summary, torus_measures[m].key);
	json_decref(summary);
	to->options = torus_arena_text(&l->results->arena, from->options,
				       strlen(from->options));
	for (int a = 0; a < TORUS_AXES; a++) {
		to->word[a] = torus_arena_text(&l->results->arena, from->word[a],
					       strlen(from->word[a]));
		if (!to->word[a] || !to->options)
			return torus_error_add(l->err, "out of memory");
	}
	return 0;
}

int torus_results_load(struct torus_results *results, struct torus_book *book,
		       struct torus_error *err)
{
	struct loading l = { .results = results, .err = err };

	*results = (struct torus_results){ 0 };
	if (torus_book_each(book, take, &l, err) == 0)
		return 0;
	torus_results_free(results);
	return -1;
}

void torus_results_free(struct torus_results *results)
{
	torus_free(results->row);
	torus_arena_free(&results->arena);
	*results = (struct torus_results){ 0 };
}

bool torus_results_vary(const struct torus_results *results,
			enum torus_axis axis)
{
	for (uint32_t i = 1; i < results->n; i++) {
		if (strcmp(results->row[i].word[axis],
			   results->row[0].word[axis]))
			return true;
	}
	return false;
}

bool torus_results_same(const struct torus_results_row *a,
			const struct torus_results_row *b, uint32_t but)
{
	if (strcmp(a->options, b->options))
		return false;
	for (int x = 0; x < TORUS_AXES; x++) {
		if (!(but & 1u << x) && strcmp(a->word[x], b->word[x]))
			return false;
	}
	return true;
}
