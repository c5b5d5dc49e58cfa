/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of a campaign: per policy and load the means over seeds, with
 * 95 % confidence intervals where there are several. Axes that have one value
 * only are said once, above.
 */
#include <math.h>
#include <string.h>

#include "campaign/results.h"
#include "report/number.h"
#include "report/spread.h"
#include "storus/json.h"
#include "storus/sweep.h"

#define SEED_BIT (1u << TORUS_AXIS_SEED)

/* The rows that differ from row `first` in the seed only; each is marked. */
static uint32_t gather(const struct torus_results *r, uint32_t first,
		       bool *used, struct torus_moments *sum)
{
	uint32_t n = 0;

	memset(sum, 0, TORUS_MEASURES * sizeof(*sum));
	for (uint32_t i = first; i < r->n; i++) {
		if (used[i] ||
		    !torus_results_same(&r->row[first], &r->row[i], SEED_BIT))
			continue;
		used[i] = true;
		n++;
		for (int m = 0; m < TORUS_MEASURES; m++)
			if (!isnan(r->row[i].value[m]))
				torus_moments_add(&sum[m], r->row[i].value[m]);
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

/* Does any row have the measure? */
static bool measured(const struct torus_results *r, int m)
{
	for (uint32_t i = 0; i < r->n; i++) {
		if (!isnan(r->row[i].value[m]))
			return true;
	}
	return false;
}

static void print_head(const struct torus_results *r, const int *width)
{
	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		if (!width[a])
			printf("%s %s  ", torus_axis_names[a],
			       r->row[0].word[a]);
	printf("%s\n", r->row[0].options);
	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		if (width[a])
			printf("%-*s  ", width[a], torus_axis_names[a]);
	printf("seeds");
	for (int m = 0; m < TORUS_MEASURES; m++)
		if (measured(r, m))
			printf("  %20s", torus_measures[m].title);
	putchar('\n');
}

static void print_row(const struct torus_results *r, uint32_t i,
		      const int *width, uint32_t seeds,
		      const struct torus_moments *sum)
{
	const struct torus_results_row *row = &r->row[i];
	char text[64];

	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		if (width[a])
			printf("%-*s  ", width[a], row->word[a]);
	printf("%5u", seeds);
	for (int m = 0; m < TORUS_MEASURES; m++) {
		if (!measured(r, m))
			continue;
		cell_text(&sum[m], torus_measures[m].decimals, text,
			  sizeof(text));
		printf("  %20s", text);
	}
	putchar('\n');
}

static json_t *row_json(const struct torus_results_row *row, uint32_t seeds,
			const struct torus_moments *sum)
{
	json_t *o = json_object();

	for (int a = 0; a < TORUS_AXIS_SEED; a++)
		json_object_set_new(o, torus_axis_names[a],
				    json_string(row->word[a]));
	json_object_set_new(o, "options", json_string(row->options));
	json_object_set_new(o, "seeds", json_integer(seeds));
	for (int m = 0; m < TORUS_MEASURES; m++)
		json_object_set_new(o, torus_measures[m].key,
				    json_pack("{s:o, s:o}", "mean",
					      storus_json_real(
						      sum[m].n ? sum[m].mean :
								 NAN),
					      "half",
					      storus_json_real(
						      torus_moments_half_width(
							      &sum[m]))));
	return o;
}

static void print_all(const struct torus_results *r, bool *used, json_t *rows)
{
	struct torus_moments sum[TORUS_MEASURES];
	int width[TORUS_AXES];

	axis_widths(r, width);
	if (!rows)
		print_head(r, width);
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t seeds;

		if (used[i])
			continue;
		seeds = gather(r, i, used, sum);
		if (rows)
			json_array_append_new(rows,
					      row_json(&r->row[i], seeds, sum));
		else
			print_row(r, i, width, seeds, sum);
	}
}

int sweep_table(struct torus_book *book, const struct sweep_given *given)
{
	struct torus_error err = { 0 };
	struct torus_results r;
	json_t *rows = given->json ? json_array() : NULL;
	bool *used;

	if (torus_results_load(&r, book, &err))
		return storus_say_errors(&storus_sweep, STORUS_TROUBLE, &err);
	used = calloc(r.n + 1, sizeof(*used));
	if (!used) {
		torus_results_free(&r);
		return storus_say(&storus_sweep, STORUS_TROUBLE,
				  "out of memory");
	}
	if (r.n)
		print_all(&r, used, rows);
	free(used);
	torus_results_free(&r);
	if (!rows)
		return STORUS_DONE;
	rows = json_pack("{s:i, s:o}", "schema", 1, "rows", rows);
	return storus_json_write(&storus_sweep,
				 storus_json_origin(rows, given->command),
				 given->json);
}
