/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pairs of cells (sweep.h). */
#include "storus/lab/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/summary.h"
#include "torus/alloc.h"

int sweep_pairs_init(struct sweep_pairs *p, uint32_t room)
{
	bool good = true;

	*p = (struct sweep_pairs){ .n = 0 };
	for (int i = 0; i < 2; i++) {
		p->row[i] = calloc(room + 1, sizeof(*p->row[i]));
		good &= p->row[i] != NULL;
	}
	for (int m = 0; m < TORUS_MEASURES; m++)
		for (int i = 0; i < 3; i++) {
			double **value = &p->measure[m].value[i];

			*value = calloc(room + 1, sizeof(**value));
			good &= *value != NULL;
		}
	return good ? 0 : -1;
}

void sweep_pairs_free(struct sweep_pairs *p)
{
	for (int i = 0; i < 2; i++)
		free(p->row[i]);
	for (int m = 0; m < TORUS_MEASURES; m++)
		for (int i = 0; i < 3; i++)
			free(p->measure[m].value[i]);
}

void sweep_pairs_clear(struct sweep_pairs *p)
{
	p->n = p->growing = 0;
	p->kind = SWEEP_SEEDS;
	p->log[0] = p->log[1] = NULL;
	for (int m = 0; m < TORUS_MEASURES; m++)
		for (int k = 0; k < 3; k++)
			p->own[m][k] = NAN;
	p->jobs = p->common = 0;
	p->refused = false;
	memset(p->count, 0, sizeof(p->count));
	for (int m = 0; m < TORUS_MEASURES; m++)
		p->measure[m].n = 0;
}

void sweep_pairs_add(struct sweep_pairs *p, const struct torus_results_row *a,
		     const struct torus_results_row *b)
{
	p->growing += a->growing || b->growing;
	if (torus_results_like(a))
		p->kind = SWEEP_RESAMPLES;
	if (torus_results_log(a)) {
		p->log[0] = a;
		p->log[1] = b;
		return;
	}
	p->row[0][p->n] = a;
	p->row[1][p->n++] = b;
	for (int n = 0; n < TORUS_COUNTS; n++) {
		p->count[0][n] += a->count[n];
		p->count[1][n] += b->count[n];
	}
}

static uint64_t sweep_pairs_in_both(const struct torus_results_row *row)
{
	return row->count[TORUS_COUNT_KEPT];
}

static uint64_t sweep_pairs_completed(const struct torus_results_row *row)
{
	return row->count[TORUS_COUNT_COMPLETED];
}

static bool sweep_pairs_complete(const struct torus_results_row *a,
				 const struct torus_results_row *b)
{
	return sweep_pairs_completed(a) == sweep_pairs_in_both(a) &&
	       sweep_pairs_completed(b) == sweep_pairs_in_both(b);
}

static void sweep_pairs_value_add(struct sweep_pairs *p, int m, double a,
				  double b)
{
	struct sweep_values *v = &p->measure[m];

	if (isnan(a) || isnan(b))
		return;
	v->value[0][v->n] = a;
	v->value[1][v->n] = b;
	v->value[2][v->n++] = a - b;
}

/* Find the cell of a row; false: the campaign has none. */
static bool cell_find(const struct torus_campaign *c,
		      const struct torus_results_row *row,
		      struct torus_cell *cell)
{
	for (int a = 0; a < TORUS_AXES; a++) {
		uint32_t i = 0;

		while (i < c->axis[a].n &&
		       strcmp(c->axis[a].value[i].word, row->word[a]) != 0)
			i++;
		if (i == c->axis[a].n)
			return false;
		cell->at[a] = i;
	}
	return true;
}

/* Return the row's choice of options, or the first. */
static uint32_t sweep_pairs_set(const struct torus_campaign *c,
				const struct torus_results_row *row)
{
	struct torus_cell cell;

	return cell_find(c, row, &cell) ? cell.at[TORUS_AXIS_OPTIONS] : 0;
}

struct accounts {
	struct torus_account *list;
	uint64_t jobs;
};

/* Replay the row's cell. The result must be the row's. */
static int sweep_pairs_again(const struct torus_campaign *c,
			     const struct torus_results_row *row,
			     struct accounts *accounts, struct torus_error *err)
{
	double value[TORUS_MEASURES];
	struct torus_cell cell;
	bool same = true;
	char *json;

	if (!cell_find(c, row, &cell))
		return torus_error_add(err,
				       "%s: has no cell of the result with trace %s, discipline %s and seed %s; name the campaign that the results are of",
				       c->path, row->word[TORUS_AXIS_TRACE],
				       row->word[TORUS_AXIS_DISCIPLINE],
				       row->word[TORUS_AXIS_SEED]);
	if (torus_cell_accounts(c, &cell, &json, &accounts->list,
				&accounts->jobs, err))
		return -1;
	torus_results_measures(json, value);
	free(json);
	for (int m = 0; m < TORUS_MEASURES; m++)
		same &= isnan(value[m]) ? isnan(row->value[m]) :
					  fabs(value[m] - row->value[m]) <=
						  1e-9 * fabs(value[m]);
	if (same)
		return 0;
	return torus_error_add(err,
			       "%s: the cell with trace %s, discipline %s and seed %s has a different result than before: a file or the build changed; run storus sweep %s first",
			       c->path, row->word[TORUS_AXIS_TRACE],
			       row->word[TORUS_AXIS_DISCIPLINE],
			       row->word[TORUS_AXIS_SEED], c->path);
}

/* Measures of the jobs that completed in both. Returns their number, or -1. */
static int64_t measures_of(const struct torus_campaign_set *set,
			   const struct accounts *of,
			   const struct accounts *other,
			   double value[TORUS_MEASURES])
{
	int64_t first_us = INT64_MAX, last_us = INT64_MIN, from_us, to_us;
	struct torus_summary summary = { .nodes = 1 };
	struct torus_metrics *metrics = torus_metrics_create();
	char *json = NULL;
	int64_t n = -1;
	size_t length;
	FILE *out = open_memstream(&json, &length);

	for (uint64_t i = 0; i < of->jobs; i++) {
		int64_t us = of->list[i].submit_us;

		first_us = us < first_us ? us : first_us;
		last_us = us > last_us ? us : last_us;
	}
	from_us = first_us;
	to_us = last_us;
	if (set->trimmed)
		torus_trim_window(&set->trim, first_us, last_us, &from_us,
				  &to_us);
	for (uint64_t i = 0; metrics && i < of->jobs && i < other->jobs; i++) {
		if (of->list[i].submit_us < from_us ||
		    of->list[i].submit_us > to_us)
			continue;
		if (of->list[i].outcome != TORUS_OUTCOME_COMPLETED ||
		    other->list[i].outcome != TORUS_OUTCOME_COMPLETED)
			continue;
		torus_metrics_submit(metrics, of->list[i].submit_us);
		torus_metrics_add(metrics, &of->list[i]);
	}
	summary.metrics = metrics;
	if (metrics && out && !torus_summary_json(&summary, out))
		n = (int64_t)metrics->jobs;
	if (out && fclose(out))
		n = -1;
	if (n >= 0)
		torus_results_measures(json, value);
	free(json);
	torus_metrics_destroy(metrics);
	return n;
}

/* The measures of a pair of which some jobs did not complete. */
static int common_add(struct sweep_pairs *p, uint32_t i,
		      const struct torus_campaign *c, struct torus_error *err)
{
	struct accounts a = { 0 }, b = { 0 };
	double of_a[TORUS_MEASURES], of_b[TORUS_MEASURES];
	int64_t n = 0;
	int rc = sweep_pairs_again(c, p->row[0][i], &a, err);

	if (!rc)
		rc = sweep_pairs_again(c, p->row[1][i], &b, err);
	if (!rc) {
		n = measures_of(&c->set[sweep_pairs_set(c, p->row[0][i])], &a,
				&b, of_a);
		if (n < 0 ||
		    measures_of(&c->set[sweep_pairs_set(c, p->row[1][i])], &b,
				&a, of_b) < 0)
			rc = torus_error_add(err, "out of memory");
	}
	for (int m = 0; !rc && m < TORUS_MEASURES; m++)
		if (torus_measures[m].kind != TORUS_MEASURE_MACHINE)
			sweep_pairs_value_add(p, m, of_a[m], of_b[m]);
	torus_free(a.list);
	torus_free(b.list);
	p->common += rc ? 0 : (uint64_t)n;
	return rc;
}

/* Return how many jobs can have completed in both, without a replay. */
static uint64_t common_at_most(const struct sweep_pairs *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t a = sweep_pairs_completed(p->row[0][i]);
		uint64_t b = sweep_pairs_completed(p->row[1][i]);

		sum += a < b ? a : b;
	}
	return sum;
}

static int pair_measure(struct sweep_pairs *p, uint32_t i,
			const struct torus_campaign *c, struct torus_error *err)
{
	const struct torus_results_row *a = p->row[0][i], *b = p->row[1][i];

	if (!sweep_pairs_complete(a, b))
		return common_add(p, i, c, err);
	p->common += sweep_pairs_in_both(a);
	for (int m = 0; m < TORUS_MEASURES; m++)
		if (torus_measures[m].kind != TORUS_MEASURE_MACHINE)
			sweep_pairs_value_add(p, m, a->value[m], b->value[m]);
	return 0;
}

static void sweep_pairs_machine(struct sweep_pairs *p, uint32_t i)
{
	for (int m = 0; m < TORUS_MEASURES; m++)
		if (torus_measures[m].kind == TORUS_MEASURE_MACHINE)
			sweep_pairs_value_add(p, m, p->row[0][i]->value[m],
					      p->row[1][i]->value[m]);
}

/* Measure the log itself as one more pair, and move its values to `own`. */
static int sweep_pairs_own(struct sweep_pairs *p, const struct torus_campaign *c,
			   struct torus_error *err)
{
	uint32_t before[TORUS_MEASURES], n = p->n;
	uint64_t common = p->common;
	int rc;

	for (int m = 0; m < TORUS_MEASURES; m++)
		before[m] = p->measure[m].n;
	p->row[0][n] = p->log[0];
	p->row[1][n] = p->log[1];
	sweep_pairs_machine(p, n);
	rc = p->refused ? 0 : pair_measure(p, n, c, err);
	p->common = common;
	for (int m = 0; m < TORUS_MEASURES; m++) {
		struct sweep_values *v = &p->measure[m];

		for (int k = 0; k < 3 && v->n > before[m]; k++)
			p->own[m][k] = v->value[k][before[m]];
		v->n = before[m];
	}
	return rc;
}

bool sweep_pairs_batched(const struct torus_results_row *a,
			 const struct torus_results_row *b)
{
	if (a->batches < 2 || a->batches != b->batches)
		return false;
	for (uint32_t i = 0; i < a->batches; i++)
		if (a->batch[i].jobs != b->batch[i].jobs)
			return false;
	return true;
}

/* Replace the means of one pair by those of its batches, if it has some and the same jobs
 * completed in both. */
static int sweep_pairs_batch(struct sweep_pairs *p)
{
	const struct torus_results_row *a = p->row[0][0], *b = p->row[1][0];

	if (p->n != 1 || !sweep_pairs_batched(a, b))
		return 0;
	for (int m = 0; m < TORUS_MEASURES; m++) {
		struct sweep_values *v = &p->measure[m];

		if (torus_measures[m].kind != TORUS_MEASURE_MEAN)
			continue;
		for (int k = 0; k < 3; k++) {
			double *more = realloc(v->value[k],
					       a->batches * sizeof(*more));

			if (!more)
				return -1;
			v->value[k] = more;
		}
		v->n = torus_results_batches(a, m, v->value[0]);
		torus_results_batches(b, m, v->value[1]);
		for (uint32_t i = 0; i < v->n; i++)
			v->value[2][i] = v->value[0][i] - v->value[1][i];
	}
	p->kind = SWEEP_BATCHES;
	return 0;
}

int sweep_pairs_measure(struct sweep_pairs *p, const struct torus_campaign *c,
			double least, struct torus_error *err)
{
	uint64_t most = common_at_most(p);
	int rc = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		p->jobs += sweep_pairs_in_both(p->row[0][i]);
		sweep_pairs_machine(p, i);
	}
	p->common = most;
	p->refused = (double)most < least * (double)p->jobs;
	if (!p->refused && most < p->jobs && !c)
		return torus_error_add(
			err,
			"not all jobs completed, so cells must be replayed to compare the others: name the campaign (CAMPAIGN.yaml), not its result file");
	if (!p->refused) {
		p->common = 0;
		for (uint32_t i = 0; i < p->n && !rc; i++)
			rc = pair_measure(p, i, c, err);
		p->refused = (double)p->common < least * (double)p->jobs;
	}
	if (!rc && p->log[0])
		rc = sweep_pairs_own(p, c, err);
	if (!rc && !p->refused && sweep_pairs_batch(p))
		rc = torus_error_add(err, "out of memory");
	return rc;
}
