/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of a campaign: per policy and load the means over seeds, with
 * 95 % confidence intervals where there are several. Axes that have one value
 * only are said once, above.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/spread.h"
#include "storus/base/json.h"
#include "storus/lab/sweep.h"

#define SEED_BIT (1u << TORUS_AXIS_SEED)

/* A measure, and its intervals. */
#define MEASURE(key, title, digits)                                            \
	{ key, 0, title, .width = 5, .decimals = digits },                     \
		{ key ".half", 0, "+-", .width = 5, .more = true },            \
		{ key ".low", 0, "low", .width = 5, .more = true },            \
		{ key ".high", 0, "high", .width = 5, .more = true },
#define PART(key, part, title, digits) MEASURE(key "." part, title, digits)

/* The axes in their order, then `seeds`, the counts, the measures. */
#define SEEDS TORUS_AXIS_SEED
#define COUNTS (SEEDS + 1)
#define GROWING (COUNTS + TORUS_COUNTS)
#define MEASURES (GROWING + 1)

const struct storus_column sweep_columns[] = {
	{ "trace", 't', "trace", .width = -5 },
	{ "machine", 'm', "machine", .width = -7 },
	{ "strategy", 's', "strategy", .width = -8 },
	{ "discipline", 'd', "discipline", .width = -10 },
	{ "scale", 'l', "scale", .width = -5 },
	{ "options", 'o', "options", .width = -8 },
	{ "seeds", 'n', "seeds", .width = 5 },
	{ "kept", 0, "kept", .width = 9 },
	{ "completed", 0, "completed", .width = 9 },
	{ "rejected", 0, "rejected", .width = 8 },
	{ "missed", 0, "missed", .width = 6 },
	{ "unfinished", 0, "unfinished", .width = 10 },
	{ "growing", 0, "growing", .width = 7 },
	TORUS_MEASURE_LIST(MEASURE, MEASURE, PART){ "build", 0, "build",
						    .width = -8, .more = true },
	{ 0 },
};

/* Rows that differ in the seed only. */
struct group {
	struct torus_moments sum[TORUS_MEASURES];
	double *value[TORUS_MEASURES]; /* sum[].n of them */
	uint64_t count[TORUS_COUNTS];  /* over the seeds */
	uint32_t growing;              /* seeds whose queue grows to the end */
	const struct torus_results_row *log; /* of resamples: the log's own, or NULL */
};

static bool group_init(struct group *g, uint32_t room)
{
	bool good = true;

	for (int m = 0; m < TORUS_MEASURES; m++) {
		g->value[m] = calloc(room + 1, sizeof(*g->value[m]));
		good &= g->value[m] != NULL;
	}
	return good;
}

/* The rows that differ from row `first` in the seed only; each is marked. */
static uint32_t sweep_table_gather(const struct torus_results *r,
				   uint32_t first, bool *used, struct group *g)
{
	uint32_t n = 0;

	memset(g->sum, 0, sizeof(g->sum));
	memset(g->count, 0, sizeof(g->count));
	g->growing = 0;
	g->log = NULL;
	for (uint32_t i = first; i < r->n; i++) {
		if (used[i] ||
		    !torus_results_same(&r->row[first], &r->row[i], SEED_BIT))
			continue;
		used[i] = true;
		if (torus_results_log(&r->row[i])) {
			g->log = &r->row[i];
			g->growing += g->log->growing;
			continue;
		}
		n++;
		for (int m = 0; m < TORUS_MEASURES; m++)
			if (!isnan(r->row[i].value[m])) {
				g->value[m][g->sum[m].n] = r->row[i].value[m];
				torus_moments_add(&g->sum[m],
						  r->row[i].value[m]);
			}
		for (int k = 0; k < TORUS_COUNTS; k++)
			g->count[k] += r->row[i].count[k];
		g->growing += r->row[i].growing;
	}
	return n;
}

/* Return true if the measure is shown and any row has it. */
static bool sweep_table_measured(const struct torus_results *r, int m,
				 bool percentiles)
{
	enum torus_measure_kind kind = torus_measures[m].kind;

	if (percentiles ? kind != TORUS_MEASURE_PERCENTILE :
			  kind == TORUS_MEASURE_PERCENTILE)
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		if (!isnan(r->row[i].value[m]))
			return true;
	}
	return false;
}

/* Return true unless all jobs completed in all rows. */
static bool sweep_table_incomplete(const struct torus_results *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->row[i].count[TORUS_COUNT_COMPLETED] <
		    r->row[i].count[TORUS_COUNT_KEPT])
			return true;
	return false;
}

/* Choose the axes that vary, the counts if jobs did not complete, the measures that
 * are shown; print the other axes in a line. */
static void sweep_table_choose(const struct torus_results *r, bool percentiles,
			       struct storus_table *t)
{
	struct torus_text same = { 0 };
	uint8_t *field = t->field;

	for (uint32_t a = 0; r->n && a < TORUS_AXIS_SEED; a++) {
		if (torus_results_vary(r, (enum torus_axis)a))
			field[t->fields++] = (uint8_t)a;
		else if (a != TORUS_AXIS_OPTIONS)
			torus_text_add(&same, "%s %s  ", torus_axis_names[a],
				       r->row[0].word[a]);
		else
			torus_text_add(&same, "%s", r->row[0].word[a]);
	}
	if (r->n && same.length)
		storus_table_fold(same.data, 0);
	torus_text_free(&same);
	t->lead = t->fields;
	field[t->fields++] = SEEDS;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->row[i].growing) {
			field[t->fields++] = GROWING;
			break;
		}
	for (uint32_t n = TORUS_COUNT_COMPLETED;
	     sweep_table_incomplete(r) && n < TORUS_COUNTS; n++)
		field[t->fields++] = (uint8_t)(COUNTS + n);
	for (uint32_t m = 0; m < TORUS_MEASURES; m++) {
		if (sweep_table_measured(r, (int)m, percentiles))
			field[t->fields++] = (uint8_t)(MEASURES + 4 * m);
	}
}

void sweep_measure_set(json_t *o, int m, json_t *value)
{
	const struct torus_measure *is = &torus_measures[m];

	if (is->part && !json_object_get(o, is->key))
		json_object_set_new(o, is->key, json_object());
	if (is->part)
		json_object_set_new(json_object_get(o, is->key), is->part,
				    value);
	else
		json_object_set_new(o, is->key, value);
}

/*
 * The mean over seeds; of resamples the log's own value, their interval around it, and
 * their mean. interval: that of seeds, too.
 */
static json_t *mean_json(const struct group *g, int m, bool interval)
{
	const struct torus_moments *sum = &g->sum[m];
	struct torus_interval is = { NAN, NAN };
	double mean = sum->n ? sum->mean : NAN;
	double half = torus_moments_half_width(sum), resampled = NAN;

	if (g->log) {
		resampled = mean;
		mean = g->log->value[m];
		half = NAN;
		double *day = calloc(g->log->batches + 1, sizeof(*day));

		is = torus_resample_interval(mean, g->value[m], sum->n,
					     torus_results_pieces(g->log), day,
					     day ? torus_results_batches(g->log,
									 m, day) :
						   0);
		free(day);
	} else if (interval) {
		is = torus_mean_interval(g->value[m], sum->n);
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "mean",
			 storus_json_real(mean), "half", storus_json_real(half),
			 "low", storus_json_real(is.low), "high",
			 storus_json_real(is.high), "resampled",
			 storus_json_real(resampled));
}

/* The rows; interval: with the intervals of seeds. NULL: no memory. */
static json_t *sweep_table_all(const struct torus_results *r, bool interval)
{
	bool *used = calloc(r->n + 1, sizeof(*used));
	struct group group = { .count = { 0 } };
	bool good = group_init(&group, r->n) && used;
	json_t *rows = good ? json_array() : NULL;

	for (uint32_t i = 0; good && i < r->n; i++) {
		uint32_t seeds;
		json_t *o;

		if (used[i])
			continue;
		seeds = sweep_table_gather(r, i, used, &group);
		o = json_object();
		for (int a = 0; a < TORUS_AXIS_SEED; a++)
			json_object_set_new(o, torus_axis_names[a],
					    json_string(r->row[i].word[a]));
		json_object_set_new(o, "build", json_string(r->row[i].build));
		json_object_set_new(o, "seeds", json_integer(seeds));
		json_object_set_new(o, "growing", json_integer(group.growing));
		if (group.log)
			json_object_set_new(o, "of",
					    json_sprintf("%u resamples of one log of %.3g days",
							 seeds,
							 torus_results_days(
								 group.log)));
		for (int n = 0; n < TORUS_COUNTS; n++)
			json_object_set_new(o, torus_count_names[n],
					    json_integer(
						    (json_int_t)group.count[n]));
		for (int m = 0; m < TORUS_MEASURES; m++)
			sweep_measure_set(o, m, mean_json(&group, m, interval));
		json_array_append_new(rows, o);
	}
	free(used);
	for (int m = 0; m < TORUS_MEASURES; m++)
		free(group.value[m]);
	return rows;
}

json_t *sweep_table_rows(const struct torus_results *r)
{
	return sweep_table_all(r, true);
}

/* Append what a row is: its trace and discipline, and what else differs between rows. */
static int sweep_row_name(const struct torus_results *r, const json_t *row,
			  struct torus_text *name)
{
	int rc = 0;

	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		if (a == TORUS_AXIS_TRACE || a == TORUS_AXIS_DISCIPLINE ||
		    torus_results_vary(r, (enum torus_axis)a))
			rc |= torus_text_add(name, "%s%s",
					     name->length ? ", " : "",
					     json_string_value(json_object_get(
						     row, torus_axis_names[a])));
	return rc;
}

/* Print what the rows of resamples are, and how far these lie from the log. */
static void sweep_table_print_notes(const struct torus_results *r,
				    const json_t *rows)
{
	struct torus_text line = { 0 };
	bool growing = false;
	size_t i;
	const json_t *row;

	json_array_foreach(rows, i, row)
	{
		const json_t *wait = json_object_get(row, "mean_wait_s");
		double own = json_number_value(json_object_get(wait, "mean"));
		double drawn = json_number_value(
			json_object_get(wait, "resampled"));

		growing |= json_integer_value(json_object_get(row, "growing")) >
			   0;
		if (!json_object_get(row, "of"))
			continue;
		if (!sweep_row_name(r, row, &line) &&
		    !torus_text_add(&line,
				    ": values are the log's own; %s, whose mean wait is %.0f s, the log's %.0f s (%+.0f %%)",
				    json_string_value(json_object_get(row, "of")),
				    drawn, own,
				    own > 0 ? 100 * (drawn - own) / own : 0))
			storus_table_fold(line.data, 0);
		torus_text_free(&line);
	}
	if (growing)
		storus_table_fold("growing: seeds whose queue grows to the end of the trace; waits depend on its length",
				  0);
}

int sweep_table(const struct torus_results *r, struct sweep_options *opts)
{
	struct storus_table *t = &opts->table;
	size_t i;
	json_t *rows = sweep_table_all(r, t->json || t->csv || t->format);

	if (!rows)
		return storus_no_memory(&storus_sweep);
	if (t->json) {
		rows = json_pack("{s:i, s:o}", "schema", 1, "rows", rows);
		return storus_json_write(&storus_sweep,
					 storus_json_origin(rows, opts->command),
					 t->json);
	}
	if (!storus_table_asked(t))
		sweep_table_choose(r, opts->percentiles, t);
	t->gap = 2;
	t->narrow = true;
	for (i = 0; i < json_array_size(rows); i++)
		storus_table_row(t, json_incref(json_array_get(rows, i)));
	i = storus_table_end(&storus_sweep, t);
	if (!t->csv && !t->format)
		sweep_table_print_notes(r, rows);
	json_decref(rows);
	return (int)i;
}
