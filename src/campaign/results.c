/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of a campaign in memory (results.h). */
#include "campaign/results.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "torus/alloc.h"

#define ALL(key, title, decimals)                                              \
	{ key, NULL, title, decimals, TORUS_MEASURE_MACHINE },
#define MEAN(key, title, decimals)                                             \
	{ key, NULL, title, decimals, TORUS_MEASURE_MEAN },
#define PART(key, part, title, decimals)                                       \
	{ key, part, title, decimals, TORUS_MEASURE_PERCENTILE },

const struct torus_measure torus_measures[TORUS_MEASURES] = {
	TORUS_MEASURE_LIST(ALL, MEAN, PART)
};

const char *const torus_count_names[TORUS_COUNTS] = {
	"kept", "completed", "rejected", "missed", "unfinished",
};

static void measures_read(const json_t *summary, double value[TORUS_MEASURES])
{
	for (int m = 0; m < TORUS_MEASURES; m++) {
		const struct torus_measure *is = &torus_measures[m];
		const json_t *of = json_object_get(summary, is->key);

		if (is->part)
			of = json_object_get(of, is->part);
		value[m] = json_is_number(of) ? json_number_value(of) : NAN;
	}
}

void torus_results_measures(const char *summary, double value[TORUS_MEASURES])
{
	json_t *read = json_loads(summary, 0, NULL);

	measures_read(read, value);
	json_decref(read);
}

static struct torus_results_row *results_row_add(struct torus_results *r)
{
	return TORUS_GROW(r->row, r->room, r->n + 1) ? NULL : &r->row[r->n++];
}

struct loading {
	struct torus_results *results;
	struct torus_error *err;
};

/* Keep a text of the file, which may have been changed by others, for tables. */
static const char *results_text(struct loading *l, const char *text)
{
	char *copy = torus_arena_text(&l->results->arena, text, strlen(text));

	if (copy)
		torus_error_plain(copy);
	return copy;
}

double torus_results_days(const struct torus_results_row *log)
{
	return log->last_submit_s / 86400;
}

uint32_t torus_results_pieces(const struct torus_results_row *log)
{
	const char *by = strstr(log->word[TORUS_AXIS_TRACE], " by=");
	double days = torus_results_days(log);

	if (isnan(days) || (by && !strncmp(by, " by=users", 9)))
		return 0;
	if (by ? !strncmp(by, " by=weeks", 9) : days >= 7 * TORUS_LIKE_LEAST)
		return (uint32_t)(days / 7);
	return by || days >= TORUS_LIKE_LEAST ? (uint32_t)days : 0;
}

uint32_t torus_results_batches(const struct torus_results_row *row, int measure,
			       double *value)
{
	const char *key = torus_measures[measure].key;
	double jobs = 0;

	for (uint32_t i = 0; i < row->batches; i++)
		jobs += (double)row->batch[i].jobs / row->batches;
	if (torus_measures[measure].kind != TORUS_MEASURE_MEAN || !(jobs > 0))
		return 0;
	for (uint32_t i = 0; i < row->batches; i++) {
		const struct torus_ledger_batch *b = &row->batch[i];

		value[i] = (!strcmp(key, "mean_wait_s")     ? b->wait_s :
			    !strcmp(key, "mean_response_s") ? b->response_s :
							      b->slowdown) /
			   jobs;
	}
	return row->batches;
}

/* Copy the batches of a summary into the arena. -1 without memory. */
static int batches_take(struct loading *l, const json_t *summary,
			struct torus_results_row *to)
{
	const json_t *of = json_object_get(summary, "batches");
	const json_t *list = json_object_get(of, "jobs_wait_response_slowdown");
	size_t n = json_array_size(list);
	struct torus_ledger_batch *batch;

	to->batches = (uint32_t)n;
	to->batch_s = json_number_value(json_object_get(of, "length_s"));
	if (!n)
		return 0;
	batch = torus_arena_alloc(&l->results->arena, n * sizeof(*batch));
	if (!batch)
		return -1;
	to->batch = batch;
	for (size_t i = 0; i < n; i++) {
		const json_t *b = json_array_get(list, i);

		batch[i] = (struct torus_ledger_batch){
			(uint64_t)json_integer_value(json_array_get(b, 0)),
			json_number_value(json_array_get(b, 1)),
			json_number_value(json_array_get(b, 2)),
			json_number_value(json_array_get(b, 3)),
		};
	}
	return 0;
}

/* Copy the outages that were never in effect into the arena. -1 without memory. */
static int unmet_take(struct loading *l, const json_t *summary,
		      struct torus_results_row *to)
{
	const json_t *list = json_object_get(summary, "outages_unmet");
	size_t n = json_array_size(list);

	to->unmets = (uint32_t)n;
	if (!n)
		return 0;
	to->unmet = torus_arena_alloc(&l->results->arena,
				      n * sizeof(*to->unmet));
	for (size_t i = 0; to->unmet && i < n; i++) {
		const char *rule = json_string_value(json_array_get(list, i));

		to->unmet[i] = results_text(l, rule ? rule : "");
		if (!to->unmet[i])
			return -1;
	}
	return to->unmet ? 0 : -1;
}

static int results_take(void *arg, const struct torus_result *from)
{
	struct loading *l = arg;
	struct torus_results_row *to = results_row_add(l->results);
	const char *build;
	json_t *summary;

	if (!to)
		return torus_error_add(l->err, "out of memory");
	summary = json_loads(from->summary, 0, NULL);
	measures_read(summary, to->value);
	for (int n = 0; n < TORUS_COUNTS; n++)
		to->count[n] = (uint64_t)json_integer_value(
			json_object_get(summary, torus_count_names[n]));
	to->last_submit_s = NAN;
	if (json_is_number(json_object_get(summary, "last_submit_s")))
		to->last_submit_s = json_number_value(
			json_object_get(summary, "last_submit_s"));
	if (batches_take(l, summary, to) || unmet_take(l, summary, to)) {
		json_decref(summary);
		return torus_error_add(l->err, "out of memory");
	}
	to->growing = json_is_true(json_object_get(summary, "growing"));
	build = json_string_value(json_object_get(summary, "build"));
	to->build = results_text(l, build ? build : "");
	json_decref(summary);
	for (int a = 0; a < TORUS_AXES; a++) {
		to->word[a] = results_text(l, from->word[a]);
		if (!to->word[a] || !to->build)
			return torus_error_add(l->err, "out of memory");
	}
	return 0;
}

int torus_results_load(struct torus_results *results,
		       struct torus_result_file *file, struct torus_error *err)
{
	struct loading l = { .results = results, .err = err };

	*results = (struct torus_results){ 0 };
	if (torus_result_file_each(file, results_take, &l, err) == 0)
		return 0;
	torus_results_free(results);
	return -1;
}

static int results_compare(const void *a, const void *b)
{
	const struct torus_results_row *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

void torus_results_order(struct torus_results *results,
			 const struct torus_campaign *c)
{
	for (uint32_t i = 0; i < results->n; i++) {
		struct torus_results_row *row = &results->row[i];

		row->order = 0;
		for (int a = 0; a < TORUS_AXIS_SEED; a++) {
			uint32_t k = 0;

			while (k < c->axis[a].n &&
			       strcmp(c->axis[a].value[k].word, row->word[a]))
				k++;
			row->order = row->order * (c->axis[a].n + 1) + k;
		}
		row->order = row->order * results->n + i; /* seeds as before */
	}
	if (results->n)
		qsort(results->row, results->n, sizeof(*results->row),
		      results_compare);
}

void torus_results_free(struct torus_results *results)
{
	torus_free(results->row);
	torus_arena_free(&results->arena);
	*results = (struct torus_results){ 0 };
}

bool torus_results_mixed(const struct torus_results *results)
{
	for (uint32_t i = 1; i < results->n; i++)
		if (strcmp(results->row[i].build, results->row[0].build) != 0)
			return true;
	return false;
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
	for (int x = 0; x < TORUS_AXES; x++) {
		if (!(but & 1u << x) && strcmp(a->word[x], b->word[x]))
			return false;
	}
	return true;
}
