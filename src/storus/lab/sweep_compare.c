/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compare two policies of a campaign on the same jobs: two cells that differ only in
 * the policy make a pair and a difference (sweep.h). Pairs, because the jobs
 * of a seed vary more than the policy's effect. The differences are skewed, so the
 * interval of their mean is adjusted for that, and printed beside a signed-rank test
 * (report/spread.h). The policies differ if both say so.
 *
 * Resamples of one log are no independent runs: more of them tell no more about the log's
 * process. Their interval is around the log's own value, without a test. Of the batches of
 * one log only the independent ones count. A queue that grows to the end of a trace gives no
 * answer about other lengths. The response differs by what the wait does, so it is not
 * tested a second time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/spread.h"
#include "storus/base/json.h"
#include "storus/lab/sweep.h"

#define COMPARE_WAIT 1        /* mean_wait_s, of torus_measures */
#define COMPARE_PAIRS_LEAST 6 /* of a signed-rank test with p < 0.05 */

/* A policy's words, "submesh/easy", each of one axis. */
struct sweep_policy {
	const char *text;
	char word[TORUS_AXES][128]; /* "": the axis is free */
	uint32_t axes;
};

/* Return true if the word is the row's value, or of options one of them. */
static bool sweep_compare_is(const struct torus_results_row *row, int axis,
			     const char *word)
{
	const char *is = row->word[axis];
	size_t n = strlen(word);

	if (axis != TORUS_AXIS_OPTIONS || !strcmp(is, word))
		return !strcmp(is, word);
	for (const char *p = is; n && (p = strstr(p, word)); p += n)
		if ((p == is || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

/* Write the options without the one that the policy names. */
static void sweep_compare_rest(const char *options, const char *word,
			       char *rest, size_t size)
{
	const char *p = options;
	size_t n = strlen(word), used = 0;

	rest[0] = '\0';
	while (*p && used < size) {
		size_t length = strcspn(p, " ");

		if (length != n || strncmp(p, word, n) != 0)
			used += (size_t)snprintf(rest + used, size - used,
						 "%s%.*s", used ? " " : "",
						 (int)length, p);
		p += length + (p[length] == ' ');
	}
}

static bool is_value(const struct torus_results *r, int axis, const char *word)
{
	for (uint32_t i = 0; i < r->n; i++) {
		if (sweep_compare_is(&r->row[i], axis, word))
			return true;
	}
	return false;
}

static bool sweep_compare_word_take(const struct torus_results *r,
				    struct sweep_policy *p, const char *word)
{
	/* the likeliest first */
	static const enum torus_axis order[] = {
		TORUS_AXIS_DISCIPLINE, TORUS_AXIS_STRATEGY, TORUS_AXIS_MACHINE,
		TORUS_AXIS_SCALE,      TORUS_AXIS_OPTIONS,  TORUS_AXIS_TRACE,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		enum torus_axis a = order[i];

		if (p->axes & 1u << a || !is_value(r, a, word))
			continue;
		snprintf(p->word[a], sizeof(p->word[a]), "%s", word);
		p->axes |= 1u << a;
		return true;
	}
	storus_say(&storus_sweep, 0,
		   "--compare: got \"%s\": no result has the strategy, discipline, machine or scale \"%s\"; --show lists them",
		   p->text, word);
	return false;
}

static bool policy_read(const struct torus_results *r, const char *text,
			struct sweep_policy *p)
{
	char copy[512], *next = copy, *word;

	*p = (struct sweep_policy){ .text = text };
	snprintf(copy, sizeof(copy), "%s", text);
	/* a path of a machine file may hold '/' itself */
	if (is_value(r, TORUS_AXIS_MACHINE, text))
		return sweep_compare_word_take(r, p, text);
	while ((word = strsep(&next, "/,")))
		if (!sweep_compare_word_take(r, p, word))
			return false;
	return true;
}

static bool sweep_compare_suits(const struct sweep_policy *p,
				const struct torus_results_row *row)
{
	for (int a = 0; a < TORUS_AXES; a++) {
		if (p->axes & 1u << a && !sweep_compare_is(row, a, p->word[a]))
			return false;
	}
	return true;
}

/*
 * Check that a policy leaves no choice on the axes that are compared: the other one names a
 * value there. Else name those that exist.
 */
static bool sweep_compare_is_one(const struct torus_results *r,
				 const struct sweep_policy *p, uint32_t axes)
{
	for (int a = 0; a < TORUS_AXES; a++) {
		struct torus_text names = { 0 };
		uint32_t found = 0;

		for (uint32_t i = 0; axes & ~p->axes & 1u << a && i < r->n;
		     i++) {
			bool first = sweep_compare_suits(p, &r->row[i]);

			for (uint32_t k = 0; k < i && first; k++)
				first = !sweep_compare_suits(p, &r->row[k]) ||
					strcmp(r->row[k].word[a],
					       r->row[i].word[a]);
			if (!first)
				continue;
			torus_text_add(&names, "%s%s/%s", found++ ? ", " : "",
				       p->text, r->row[i].word[a]);
		}
		if (found > 1)
			storus_say(&storus_sweep, 0,
				   "--compare: \"%s\" has several results, of each %s; name one of them: %s",
				   p->text, torus_axis_names[a], names.data);
		torus_text_free(&names);
		if (found > 1)
			return false;
	}
	return true;
}

/* Return B's cell for the same jobs, or NULL. */
static const struct torus_results_row *
sweep_compare_partner(const struct torus_results *r,
		      const struct sweep_policy *a, const struct sweep_policy *b,
		      uint32_t axes, const struct torus_results_row *row)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const struct torus_results_row *other = &r->row[i];
		char rest[2][1024];

		if (!sweep_compare_suits(b, other) ||
		    !torus_results_same(row, other, axes))
			continue;
		sweep_compare_rest(row->word[TORUS_AXIS_OPTIONS],
				   a->word[TORUS_AXIS_OPTIONS], rest[0],
				   sizeof(rest[0]));
		sweep_compare_rest(other->word[TORUS_AXIS_OPTIONS],
				   b->word[TORUS_AXIS_OPTIONS], rest[1],
				   sizeof(rest[1]));
		if (!(axes & 1u << TORUS_AXIS_OPTIONS) ||
		    !strcmp(rest[0], rest[1]))
			return other;
	}
	return NULL;
}

/* Write what the rows of a group have in common besides the policies. */
static void group_name(const struct torus_results *r,
		       const struct torus_results_row *row,
		       const struct sweep_policy *policy, uint32_t axes,
		       char *buffer, size_t size)
{
	const char *word = policy->word[TORUS_AXIS_OPTIONS];
	char rest[1024];
	size_t used = 0;

	buffer[0] = '\0';
	for (int a = 0; a < TORUS_AXIS_SEED && used < size; a++) {
		if (axes & 1u << a ||
		    (!torus_results_vary(r, (enum torus_axis)a) &&
		     a != TORUS_AXIS_TRACE))
			continue;
		used += (size_t)snprintf(buffer + used, size - used, "%s%s %s",
					 used ? ", " : "", torus_axis_names[a],
					 row->word[a]);
	}
	if (!(axes & 1u << TORUS_AXIS_OPTIONS) || used >= size)
		return;
	sweep_compare_rest(row->word[TORUS_AXIS_OPTIONS], word, rest,
			   sizeof(rest));
	snprintf(buffer + used, size - used, "%s%.300s", *rest ? ", " : "",
		 rest);
}

/* The comparison of a measure over all pairs. */
struct verdict {
	double a, b, difference;
	struct torus_interval interval; /* of the difference */
	double p;                       /* of the signed-rank test */
	bool differ;                    /* both say so */
	double resampled;               /* mean of the resamples; NAN: none */
};

/* The response differs by what the wait does. */
static bool sweep_compare_untested(int m)
{
	return !strcmp(torus_measures[m].key, "mean_response_s") ||
	       !strcmp(torus_measures[m].key, "response_s");
}

/* Return true if the queue grows to the end in half of the pairs or more: then it is no
 * chance of a few seeds. */
static bool compare_grows(const struct sweep_pairs *p)
{
	return p->growing && 2 * p->growing >= p->n + (p->log[0] != NULL);
}

/* Resamples of one log, around its own value. */
static void judge_resamples(const struct sweep_pairs *p, int m,
			    struct verdict *is)
{
	const struct sweep_values *v = &p->measure[m];
	const double *own = p->own[m];
	double *day[2] = { NULL, NULL };
	uint32_t days = 0;

	is->p = NAN;
	is->resampled = is->difference;
	is->interval = (struct torus_interval){ NAN, NAN };
	if (isnan(own[2]))
		return;
	for (int k = 0; k < 2 && sweep_pairs_batched(p->log[0], p->log[1]);
	     k++) {
		day[k] = calloc(p->log[k]->batches, sizeof(*day[k]));
		days = day[k] ? torus_results_batches(p->log[k], m, day[k]) : 0;
	}
	for (uint32_t i = 0; day[0] && i < days; i++)
		day[0][i] -= day[1][i];
	is->a = own[0];
	is->b = own[1];
	is->difference = own[2];
	is->interval = torus_resample_interval(own[2], v->value[2], v->n,
					       torus_results_pieces(p->log[0]),
					       day[0], day[0] ? days : 0);
	is->differ = is->interval.low > 0 || is->interval.high < 0;
	free(day[0]);
	free(day[1]);
}

static struct verdict sweep_compare_judge(const struct sweep_pairs *p, int m)
{
	const struct sweep_values *v = &p->measure[m];
	struct torus_moments sum[3] = { { 0 } };
	double independent;
	struct verdict is;

	for (int k = 0; k < 3; k++)
		for (uint32_t i = 0; i < v->n; i++)
			torus_moments_add(&sum[k], v->value[k][i]);
	is.a = sum[0].mean;
	is.b = sum[1].mean;
	is.difference = sum[2].mean;
	is.resampled = NAN;
	is.interval = p->kind == SWEEP_BATCHES ?
			      torus_batch_interval(v->value[2], v->n,
						   &independent) :
			      torus_mean_interval(v->value[2], v->n);
	is.p = v->n > 1 && !sweep_compare_untested(m) ?
		       torus_signed_rank(v->value[2], v->n) :
		       NAN;
	is.differ = is.p < 0.05 && (is.interval.low > 0 || is.interval.high < 0);
	if (p->kind == SWEEP_RESAMPLES)
		judge_resamples(p, m, &is);
	is.differ &= !compare_grows(p) && !sweep_compare_untested(m);
	return is;
}

/* A measure as texts, for people. */
static json_t *measure_row(const struct sweep_pairs *pairs, int measure)
{
	const struct torus_measure *m = &torus_measures[measure];
	struct verdict is = sweep_compare_judge(pairs, measure);
	char interval[64], p[16] = "-";

	if (isnan(is.interval.low))
		snprintf(interval, sizeof(interval), "-");
	else
		snprintf(interval, sizeof(interval), "%+.*f..%+.*f", m->decimals,
			 is.interval.low, m->decimals, is.interval.high);
	if (is.p < 0.0001)
		snprintf(p, sizeof(p), "<.0001%s", is.differ ? "*" : "");
	else if (!isnan(is.p))
		snprintf(p, sizeof(p), "%.4f%s", is.p, is.differ ? "*" : "");
	else if (is.differ)
		snprintf(p, sizeof(p), "*");
	return json_pack("{s:s, s:o, s:o, s:o, s:s, s:s}", "measure", m->title,
			 "a", json_sprintf("%.*f", m->decimals, is.a), "b",
			 json_sprintf("%.*f", m->decimals, is.b), "difference",
			 json_sprintf("%+.*f", m->decimals, is.difference),
			 "interval", interval, "p", p);
}

/* Return true if the measure is compared, in a table if it is one of those shown. */
static bool sweep_compare_shown(const struct sweep_pairs *pairs, int m,
				const struct sweep_options *opts)
{
	enum torus_measure_kind kind = torus_measures[m].kind;

	return pairs->measure[m].n &&
	       (opts->table.csv || kind == TORUS_MEASURE_MACHINE ||
		(kind == TORUS_MEASURE_PERCENTILE) == opts->percentiles);
}

/* Write "5 pairs", "40 resamples of one log of 28 days", "26 batches of 7 days". */
static void compare_of_what(const struct sweep_pairs *p, struct torus_text *text)
{
	if (p->kind == SWEEP_RESAMPLES && p->log[0])
		torus_text_add(text, "%u resamples of one log of %.3g days",
			       p->n, torus_results_days(p->log[0]));
	else if (p->kind == SWEEP_RESAMPLES)
		torus_text_add(text, "%u resamples of one log", p->n);
	else if (p->kind == SWEEP_BATCHES)
		torus_text_add(text,
			       "batch means of %u pieces of %.3g days of one log",
			       p->row[0][0]->batches,
			       p->row[0][0]->batch_s / 86400);
	else
		torus_text_add(text, "%u pair%s", p->n, p->n == 1 ? "" : "s");
}

/* Print why a group cannot have a *, and what its intervals are. */
static void compare_print_notes(const struct sweep_pairs *p)
{
	const struct sweep_values *wait = &p->measure[COMPARE_WAIT];
	uint32_t n = wait->n;

	if (p->growing)
		storus_table_words("growing: in %u of %u the queue grows to the end of the trace: waits depend on its length%s",
				   p->growing, p->n + (p->log[0] != NULL),
				   compare_grows(p) ?
					   ", and no difference gets a *" :
					   "");
	if (p->kind == SWEEP_SEEDS && n > 1 && n < COMPARE_PAIRS_LEAST)
		storus_table_words("%u pairs can never get a *: the least p of the signed-rank test is %.4g",
				   n, pow(2, 1 - (double)n));
	if (p->kind == SWEEP_BATCHES) {
		double independent;
		struct torus_interval i = torus_batch_interval(wait->value[2],
							       n, &independent);

		storus_table_words("the waits' differences of %u pieces tell as much as %.0f independent ones",
				   n, independent);
		if (isnan(i.low))
			storus_table_words("undecided: an answer needs %d pieces and %d independent ones; take a longer log, or pieces of another length",
					   TORUS_BATCHES_LEAST,
					   TORUS_BATCHES_INDEPENDENT);
	}
	if (p->kind == SWEEP_RESAMPLES && !p->log[0])
		storus_table_words(
			"the log itself is not computed: no interval; storus sweep CAMPAIGN.yaml computes it");
	else if (p->kind == SWEEP_RESAMPLES && n < TORUS_RESAMPLES_LEAST)
		storus_table_words("%u resamples are too few for an interval: at least %d seeds",
				   n, TORUS_RESAMPLES_LEAST);
	for (int k = 0; k < 2 && p->kind == SWEEP_RESAMPLES && p->log[0] && n;
	     k++) {
		double sum = 0, own = p->own[COMPARE_WAIT][k];

		for (uint32_t i = 0; i < n; i++)
			sum += wait->value[k][i] / n;
		storus_table_words("%s: the resamples' mean wait is %.0f s, the log's own %.0f s (%+.0f %%)",
				   k ? "second" : "first", sum, own,
				   own > 0 ? 100 * (sum - own) / own : 0);
	}
}

static int print_group(const struct sweep_pairs *pairs, const char *name,
		       const struct sweep_policy *policy,
		       const struct sweep_options *opts)
{
	const struct storus_column columns[] = {
		{ "measure", 0, "", .width = -13 },
		{ "a", 0, policy[0].text, .width = 8 },
		{ "b", 0, policy[1].text, .width = 8 },
		{ "difference", 0, "difference", .width = 8 },
		{ "p", 0, "p", .width = -7 },
		{ "interval", 0, "95 %", .width = 9 },
		{ 0 },
	};
	struct storus_table t = { .column = columns, .narrow = true };
	struct torus_text head = { 0 };
	int status;

	torus_text_add(&head, "%s (", name);
	compare_of_what(pairs, &head);
	if (pairs->common < pairs->jobs)
		torus_text_add(&head,
			       "; %s%llu of %llu jobs completed under both",
			       pairs->refused ? "at most " : "",
			       (unsigned long long)pairs->common,
			       (unsigned long long)pairs->jobs);
	if (torus_text_add(&head, ")") == 0)
		storus_table_fold(head.data, 0);
	torus_text_free(&head);
	for (int n = TORUS_COUNT_REJECTED; n < TORUS_COUNTS; n++) {
		uint64_t a = pairs->count[0][n], b = pairs->count[1][n];

		if (a || b)
			storus_table_row(&t,
					 json_pack("{s:s, s:I, s:I, s:s, s:s, s:s}",
						   "measure",
						   torus_count_names[n], "a",
						   (json_int_t)a, "b",
						   (json_int_t)b, "difference",
						   "jobs", "interval", "", "p",
						   ""));
	}
	for (int m = 0; m < TORUS_MEASURES; m++) {
		if (sweep_compare_shown(pairs, m, opts))
			storus_table_row(&t, measure_row(pairs, m));
	}
	status = storus_table_end(&storus_sweep, &t);
	compare_print_notes(pairs);
	if (pairs->refused) {
		storus_table_words("wait, response and slowdown are not compared: fewer than %g %% of the jobs completed under both (--common)",
				   opts->common);
	}
	return status;
}

static json_t *verdict_json(const struct sweep_pairs *pairs, int m)
{
	struct verdict is = sweep_compare_judge(pairs, m);

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:o}", "a",
			 storus_json_real(is.a), "b", storus_json_real(is.b),
			 "difference", storus_json_real(is.difference), "half",
			 storus_json_real((is.interval.high - is.interval.low) /
					  2),
			 "low", storus_json_real(is.interval.low), "high",
			 storus_json_real(is.interval.high), "p",
			 storus_json_real(is.p), "differ", is.differ,
			 "resampled", storus_json_real(is.resampled));
}

static const struct storus_column csv_columns[] = {
	{ "group", 0, "GROUP", .width = -20 },
	{ "measure", 0, "MEASURE", .width = -13 },
	{ "a", 0, "A", .width = 8 },
	{ "b", 0, "B", .width = 8 },
	{ "difference", 0, "DIFFERENCE", .width = 10 },
	{ "half", 0, "HALF", .width = 8 },
	{ "low", 0, "LOW", .width = 8 },
	{ "high", 0, "HIGH", .width = 8 },
	{ "p", 0, "P", .width = 6 },
	{ "differ", 0, "DIFFER", .width = -6 },
	{ 0 },
};

/* A row of numbers for each measure. */
static void write_group(const struct sweep_pairs *pairs, const char *name,
			struct sweep_options *opts)
{
	for (int m = 0; m < TORUS_MEASURES; m++) {
		const struct torus_measure *is = &torus_measures[m];
		json_t *o;

		if (!sweep_compare_shown(pairs, m, opts))
			continue;
		o = verdict_json(pairs, m);
		json_object_set_new(o, "group", json_string(name));
		json_object_set_new(o, "measure",
				    json_sprintf("%s%s%s", is->key,
						 is->part ? "." : "",
						 is->part ? is->part : ""));
		storus_table_row(&opts->table, o);
	}
}

static json_t *group_json(const struct sweep_pairs *pairs, const char *name)
{
	static const char *const kinds[] = { "seeds", "resamples", "batches" };
	struct torus_text what = { 0 };
	json_t *o;

	compare_of_what(pairs, &what);
	o = json_pack("{s:s, s:I, s:I, s:I, s:b, s:s, s:s?, s:b}", "group",
		      name, "pairs", (json_int_t)pairs->n, "jobs",
		      (json_int_t)pairs->jobs, "completed_in_both",
		      (json_int_t)pairs->common, "refused", pairs->refused,
		      "kind", kinds[pairs->kind], "of", what.data, "growing",
		      compare_grows(pairs));
	torus_text_free(&what);

	for (int n = TORUS_COUNT_COMPLETED; n < TORUS_COUNTS; n++)
		json_object_set_new(o, torus_count_names[n],
				    json_pack("{s:I,s:I}", "a",
					      (json_int_t)pairs->count[0][n],
					      "b",
					      (json_int_t)pairs->count[1][n]));
	for (int m = 0; m < TORUS_MEASURES; m++)
		if (pairs->measure[m].n)
			sweep_measure_set(o, m, verdict_json(pairs, m));
	return o;
}

/* Print what a * means. */
static void compare_print_star(const struct torus_results *r)
{
	bool resamples = false, others = false;
	uint32_t policies = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		bool first = true;

		resamples |= torus_results_like(&r->row[i]);
		others |= !torus_results_like(&r->row[i]);
		for (uint32_t k = 0; k < i && first; k++)
			first = strcmp(r->row[i].word[TORUS_AXIS_STRATEGY],
				       r->row[k].word[TORUS_AXIS_STRATEGY]) ||
				strcmp(r->row[i].word[TORUS_AXIS_DISCIPLINE],
				       r->row[k].word[TORUS_AXIS_DISCIPLINE]);
		policies += first;
	}
	if (others || resamples)
		putchar('\n');
	if (others)
		storus_table_words(
			"* of the mean paired difference the 95 %% interval (Student's t, adjusted for skewness) does not hold 0, and Wilcoxon's signed-rank test has p < 0.05");
	if (resamples)
		storus_table_words(
			"* of resamples of a log: the 95 %% interval by their deviation, around the log's own value, wider for a log of few weeks, does not hold 0");
	if (policies > 2)
		storus_table_words("p is of this pair alone; the %u policies have %u pairs: --report adjusts by Holm",
				   policies, policies * (policies - 1) / 2);
}

/* Print every group. Return the number of pairs, or -1 after an error
 * message. */
static int64_t sweep_compare_print_all(const struct torus_results *r,
				       const struct sweep_policy *policy,
				       const struct torus_campaign *c,
				       struct sweep_options *opts, bool *used,
				       struct sweep_pairs *pairs, json_t *rows)
{
	uint32_t axes = policy[0].axes | policy[1].axes;
	struct torus_error err = { 0 };
	int64_t total = 0;
	char name[512];

	for (uint32_t i = 0; i < r->n; i++) {
		if (used[i] || !sweep_compare_suits(&policy[0], &r->row[i]))
			continue;
		/* Gather the pairs of row i and of the rows that differ from it in the seed
		 * only. */
		sweep_pairs_clear(pairs);
		for (uint32_t j = i; j < r->n; j++) {
			const struct torus_results_row *b;

			if (used[j] ||
			    !sweep_compare_suits(&policy[0], &r->row[j]) ||
			    !torus_results_same(&r->row[i], &r->row[j],
						1u << TORUS_AXIS_SEED))
				continue;
			used[j] = true;
			b = sweep_compare_partner(r, &policy[0], &policy[1],
						  axes, &r->row[j]);
			if (b)
				sweep_pairs_add(pairs, &r->row[j], b);
		}
		if (!pairs->n)
			continue;
		if (sweep_pairs_measure(pairs, c, opts->common / 100, &err))
			return storus_say_errors(&storus_sweep, -1, &err);
		total += pairs->n;
		group_name(r, &r->row[i], policy, axes, name, sizeof(name));
		if (rows)
			json_array_append_new(rows, group_json(pairs, name));
		else if (opts->table.csv)
			write_group(pairs, name, opts);
		else if (print_group(pairs, name, policy, opts))
			return -1;
	}
	if (total && !rows && !opts->table.csv)
		compare_print_star(r);
	return total;
}

/* Print all groups, or append them to rows. Exit status; *total: pairs. */
static int sweep_compare_run(const struct torus_results *r,
			     const struct torus_campaign *c,
			     struct sweep_options *opts, json_t *rows,
			     int64_t *total)
{
	bool *used = calloc(r->n + 1, sizeof(*used));
	struct sweep_pairs pairs;
	struct sweep_policy policy[2];

	*total = -1;
	if (sweep_pairs_init(&pairs, r->n) || !used)
		storus_no_memory(&storus_sweep);
	else if (policy_read(r, opts->policy[0], &policy[0]) &&
		 policy_read(r, opts->policy[1], &policy[1]) &&
		 sweep_compare_is_one(r, &policy[0],
				      policy[0].axes | policy[1].axes) &&
		 sweep_compare_is_one(r, &policy[1],
				      policy[0].axes | policy[1].axes))
		*total = sweep_compare_print_all(r, policy, c, opts, used,
						 &pairs, rows);
	free(used);
	sweep_pairs_free(&pairs);
	return *total < 0 ? STORUS_USAGE : STORUS_DONE;
}

int sweep_compare_rows(const struct torus_results *r,
		       const struct torus_campaign *c,
		       const struct sweep_options *opts, json_t **groups)
{
	struct sweep_options all = *opts;
	int64_t total;
	int status;

	*groups = json_array();
	status = sweep_compare_run(r, c, &all, *groups, &total);
	if (!status)
		return status;
	json_decref(*groups);
	*groups = NULL;
	return status;
}

int sweep_compare(const struct torus_results *r, const struct torus_campaign *c,
		  struct sweep_options *opts)
{
	json_t *rows = opts->table.json ? json_array() : NULL;
	int64_t total;
	int status;

	opts->table.column = csv_columns;
	status = sweep_compare_run(r, c, opts, rows, &total);
	if (status == STORUS_DONE && !total)
		status = storus_say(&storus_sweep, STORUS_NO,
				    "--compare: no cell of %s has a partner of %s with all else equal",
				    opts->policy[0], opts->policy[1]);
	if (status || !rows) {
		json_decref(rows);
		return status ? status :
		       opts->table.csv ?
				storus_table_end(&storus_sweep, &opts->table) :
				STORUS_DONE;
	}
	rows = json_pack("{s:i, s:s, s:s, s:o}", "schema", 1, "a",
			 opts->policy[0], "b", opts->policy[1], "groups", rows);
	return storus_json_write(&storus_sweep,
				 storus_json_origin(rows, opts->command),
				 opts->table.json);
}
