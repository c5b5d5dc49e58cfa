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

/* Rows that differ in the seed only. */
struct group {
	struct torus_moments sum[TORUS_MEASURES];
	double *value[TORUS_MEASURES]; /* sum[].n of them */
	uint64_t count[TORUS_COUNTS];  /* over the seeds */
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

static void group_free(struct group *g)
{
	for (int m = 0; m < TORUS_MEASURES; m++)
		free(g->value[m]);
}

static void sweep_table_row_add(struct group *g,
				const struct torus_results_row *row)
{
	for (int m = 0; m < TORUS_MEASURES; m++)
		if (!isnan(row->value[m])) {
			g->value[m][g->sum[m].n] = row->value[m];
			torus_moments_add(&g->sum[m], row->value[m]);
		}
	for (int n = 0; n < TORUS_COUNTS; n++)
		g->count[n] += row->count[n];
}

/* The rows that differ from row `first` in the seed only; each is marked. */
static uint32_t sweep_table_gather(const struct torus_results *r,
				   uint32_t first, bool *used, struct group *g)
{
	uint32_t n = 0;

	memset(g->sum, 0, sizeof(g->sum));
	memset(g->count, 0, sizeof(g->count));
	for (uint32_t i = first; i < r->n; i++) {
		if (used[i] ||
		    !torus_results_same(&r->row[first], &r->row[i], SEED_BIT))
			continue;
		used[i] = true;
		n++;
		sweep_table_row_add(g, &r->row[i]);
	}
	return n;
}

static void cell_text(const struct torus_moments *sum, int decimals,
		      char *buffer, size_t size)
{
	double half = torus_moments_half_width(sum);

	if (sum->n == 0)
		snprintf(buffer, size, "-");
	else if (isnan(half))
		snprintf(buffer, size, "%.*f", decimals, sum->mean);
	else
		snprintf(buffer, size, "%.*f +-%.*f", decimals, sum->mean,
			 decimals, half);
}

/* Widths of the axes' columns; 0: the axis has one value. */
static void axis_widths(const struct torus_results *r, int *width)
{
	for (int a = 0; a < TORUS_AXES; a++) {
		width[a] = 0;
		if (a == TORUS_AXIS_SEED ||
		    !torus_results_vary(r, (enum torus_axis)a))
			continue;
		width[a] = (int)strlen(torus_axis_names[a]);
		for (uint32_t i = 0; i < r->n; i++) {
			int n = (int)strlen(r->row[i].word[a]);

			width[a] = n > width[a] ? n : width[a];
		}
	}
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

/* A table being printed. */
struct sweep_columns {
	const struct torus_results *r;
	int width[TORUS_AXES];
	bool percentiles, counts;
};

static void sweep_table_print_head(const struct sweep_columns *t)
{
	const struct torus_results *r = t->r;

	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		if (!t->width[a])
			printf("%s %s  ", torus_axis_names[a],
			       r->row[0].word[a]);
	printf("%s\n", r->row[0].options);
	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		if (t->width[a])
			printf("%-*s  ", t->width[a], torus_axis_names[a]);
	printf("seeds");
	for (int n = TORUS_COUNT_COMPLETED; t->counts && n < TORUS_COUNTS; n++)
		printf("  %10s", torus_count_names[n]);
	for (int m = 0; m < TORUS_MEASURES; m++)
		if (sweep_table_measured(r, m, t->percentiles))
			printf("  %20s", torus_measures[m].title);
	putchar('\n');
}

static void sweep_table_print_row(const struct sweep_columns *t, uint32_t i,
				  uint32_t seeds, const struct group *g)
{
	const struct torus_results_row *row = &t->r->row[i];
	char text[64];

	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		if (t->width[a])
			printf("%-*s  ", t->width[a], row->word[a]);
	printf("%5u", seeds);
	for (int n = TORUS_COUNT_COMPLETED; t->counts && n < TORUS_COUNTS; n++)
		printf("  %10llu", (unsigned long long)g->count[n]);
	for (int m = 0; m < TORUS_MEASURES; m++) {
		if (!sweep_table_measured(t->r, m, t->percentiles))
			continue;
		cell_text(&g->sum[m], torus_measures[m].decimals, text,
			  sizeof(text));
		printf("  %20s", text);
	}
	putchar('\n');
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

static json_t *mean_json(const struct torus_moments *sum, const double *value)
{
	struct torus_interval bca = torus_bootstrap_mean(value, sum->n);

	return json_pack("{s:o, s:o, s:o, s:o}", "mean",
			 storus_json_real(sum->n ? sum->mean : NAN), "half",
			 storus_json_real(torus_moments_half_width(sum)), "low",
			 storus_json_real(bca.low), "high",
			 storus_json_real(bca.high));
}

static json_t *sweep_table_row_json(const struct torus_results_row *row,
				    uint32_t seeds, const struct group *g)
{
	json_t *o = json_object();

	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		json_object_set_new(o, torus_axis_names[a],
				    json_string(row->word[a]));
	json_object_set_new(o, "options", json_string(row->options));
	json_object_set_new(o, "build", json_string(row->build));
	json_object_set_new(o, "seeds", json_integer(seeds));
	for (int n = 0; n < TORUS_COUNTS; n++)
		json_object_set_new(o, torus_count_names[n],
				    json_integer((json_int_t)g->count[n]));
	for (int m = 0; m < TORUS_MEASURES; m++)
		sweep_measure_set(o, m, mean_json(&g->sum[m], g->value[m]));
	return o;
}

static void sweep_table_print_all(struct sweep_columns *t, bool *used,
				  struct group *g, json_t *rows)
{
	axis_widths(t->r, t->width);
	t->counts = sweep_table_incomplete(t->r);
	if (!rows)
		sweep_table_print_head(t);
	for (uint32_t i = 0; i < t->r->n; i++) {
		uint32_t seeds;

		if (used[i])
			continue;
		seeds = sweep_table_gather(t->r, i, used, g);
		if (rows)
			json_array_append_new(rows,
					      sweep_table_row_json(&t->r->row[i],
								   seeds, g));
		else
			sweep_table_print_row(t, i, seeds, g);
	}
}

/* Append to rows, or print (NULL). -1: no memory. */
static int sweep_table_run(const struct torus_results *r,
			   const struct sweep_options *opts, json_t *rows)
{
	struct sweep_columns table = { .r = r,
				       .percentiles = opts->percentiles };
	bool *used = calloc(r->n + 1, sizeof(*used));
	struct group group = { .count = { 0 } };
	bool good = group_init(&group, r->n) && used;

	if (good && r->n)
		sweep_table_print_all(&table, used, &group, rows);
	free(used);
	group_free(&group);
	return good ? 0 : -1;
}

json_t *sweep_table_rows(const struct torus_results *r,
			 const struct sweep_options *opts)
{
	json_t *rows = json_array();

	if (!sweep_table_run(r, opts, rows))
		return rows;
	json_decref(rows);
	return NULL;
}

int sweep_table(const struct torus_results *r, const struct sweep_options *opts)
{
	json_t *rows = opts->json ? json_array() : NULL;

	if (sweep_table_run(r, opts, rows)) {
		json_decref(rows);
		return storus_no_memory(&storus_sweep);
	}
	if (!rows)
		return STORUS_DONE;
	rows = json_pack("{s:i, s:o}", "schema", 1, "rows", rows);
	return storus_json_write(&storus_sweep,
				 storus_json_origin(rows, opts->command),
				 opts->json);
}
