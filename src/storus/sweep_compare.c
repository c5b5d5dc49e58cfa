/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two policies of a campaign on the same jobs: each pair of cells that differ
 * in the policy alone gives a difference; over seeds, their mean and its 95 %
 * confidence interval (Student's t). Paired, because the jobs of a seed are a
 * larger source of spread than the policy.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/results.h"
#include "report/spread.h"
#include "storus/json.h"
#include "storus/sweep.h"

/* A policy's words, "submesh/easy", each of one axis. */
struct policy {
	const char *text;
	char word[TORUS_AXES][128]; /* "": the axis is free */
	uint32_t axes;
};

static bool is_value(const struct torus_results *r, int axis, const char *word)
{
	for (uint32_t i = 0; i < r->n; i++) {
		if (!strcmp(r->row[i].word[axis], word))
			return true;
	}
	return false;
}

static bool word_take(const struct torus_results *r, struct policy *p,
		      const char *word)
{
	/* the likeliest first */
	static const enum torus_axis order[] = {
		TORUS_AXIS_DISCIPLINE, TORUS_AXIS_STRATEGY, TORUS_AXIS_MACHINE,
		TORUS_AXIS_SCALE,      TORUS_AXIS_TRACE,
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
			struct policy *p)
{
	char copy[512], *rest = copy, *word;

	*p = (struct policy){ .text = text };
	snprintf(copy, sizeof(copy), "%s", text);
	/* a path of a machine file may hold '/' itself */
	if (is_value(r, TORUS_AXIS_MACHINE, text))
		return word_take(r, p, text);
	while ((word = strsep(&rest, "/,")))
		if (!word_take(r, p, word))
			return false;
	return true;
}

static bool suits(const struct policy *p, const struct torus_results_row *row)
{
	for (int a = 0; a < TORUS_AXES; a++) {
		if (p->axes & 1u << a && strcmp(p->word[a], row->word[a]))
			return false;
	}
	return true;
}

/* B's cell for the jobs of A's, or NULL. */
static const struct torus_results_row *
partner(const struct torus_results *r, const struct policy *b, uint32_t axes,
	const struct torus_results_row *row)
{
	for (uint32_t i = 0; i < r->n; i++) {
		if (suits(b, &r->row[i]) &&
		    torus_results_same(row, &r->row[i], axes))
			return &r->row[i];
	}
	return NULL;
}

struct pairs {
	struct torus_moments a, b, difference;
};

static void pair_add(struct pairs *p, double a, double b)
{
	if (isnan(a) || isnan(b))
		return;
	torus_moments_add(&p->a, a);
	torus_moments_add(&p->b, b);
	torus_moments_add(&p->difference, a - b);
}

/* All pairs whose first is as `first` but for the seed. */
static uint32_t gather(const struct torus_results *r, uint32_t first,
		       const struct policy *policy, uint32_t axes, bool *used,
		       struct pairs *pairs)
{
	uint32_t n = 0;

	memset(pairs, 0, TORUS_MEASURES * sizeof(*pairs));
	for (uint32_t i = first; i < r->n; i++) {
		const struct torus_results_row *b;

		if (used[i] || !suits(&policy[0], &r->row[i]) ||
		    !torus_results_same(&r->row[first], &r->row[i],
					1u << TORUS_AXIS_SEED))
			continue;
		used[i] = true;
		b = partner(r, &policy[1], axes, &r->row[i]);
		n += b != NULL;
		for (int m = 0; b && m < TORUS_MEASURES; m++)
			pair_add(&pairs[m], r->row[i].value[m], b->value[m]);
	}
	return n;
}

/* What the group has in common, policies aside. */
static void group_name(const struct torus_results *r,
		       const struct torus_results_row *row, uint32_t axes,
		       char *buffer, size_t size)
{
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
}

static void print_group(const struct pairs *pairs, uint32_t n, const char *name,
			const struct policy *policy)
{
	printf("%s (%u pair%s)\n  %-12s  %14s  %14s  %26s\n", name, n,
	       n == 1 ? "" : "s", "", policy[0].text, policy[1].text,
	       "difference");
	for (int m = 0; m < TORUS_MEASURES; m++) {
		const struct pairs *p = &pairs[m];
		int digits = torus_measures[m].decimals;
		double half = torus_moments_half_width(&p->difference);
		char text[64] = "";

		if (!p->a.n)
			continue;
		if (!isnan(half))
			snprintf(text, sizeof(text), " +-%.*f%s", digits, half,
				 fabs(p->difference.mean) > half ? " *" : "");
		printf("  %-12s  %14.*f  %14.*f  %+14.*f%s\n",
		       torus_measures[m].title, digits, p->a.mean, digits,
		       p->b.mean, digits, p->difference.mean, text);
	}
}

static json_t *group_json(const struct pairs *pairs, uint32_t n,
			  const char *name)
{
	json_t *o = json_pack("{s:s, s:I}", "group", name, "pairs",
			      (json_int_t)n);

	for (int m = 0; m < TORUS_MEASURES; m++) {
		const struct pairs *p = &pairs[m];

		if (p->a.n)
			json_object_set_new(
				o, torus_measures[m].key,
				json_pack("{s:o,s:o,s:o,s:o}", "a",
					  storus_json_real(p->a.mean), "b",
					  storus_json_real(p->b.mean),
					  "difference",
					  storus_json_real(p->difference.mean),
					  "half",
					  storus_json_real(
						  torus_moments_half_width(
							  &p->difference))));
	}
	return o;
}

static uint32_t print_all(const struct torus_results *r,
			  const struct policy *policy, bool *used, json_t *rows)
{
	uint32_t axes = policy[0].axes | policy[1].axes, total = 0;
	struct pairs pairs[TORUS_MEASURES];
	char name[512];

	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t n;

		if (used[i] || !suits(&policy[0], &r->row[i]))
			continue;
		n = gather(r, i, policy, axes, used, pairs);
		if (!n)
			continue;
		total += n;
		group_name(r, &r->row[i], axes, name, sizeof(name));
		if (rows)
			json_array_append_new(rows, group_json(pairs, n, name));
		else
			print_group(pairs, n, name, policy);
	}
	if (total && !rows)
		printf("\n* the 95 %% confidence interval of the paired difference does not hold 0\n");
	return total;
}

static int compare(const struct torus_results *r,
		   const struct sweep_given *given)
{
	json_t *rows = given->json ? json_array() : NULL;
	bool *used = calloc(r->n + 1, sizeof(*used));
	struct policy policy[2];
	uint32_t total = 0;
	int status = STORUS_USAGE;

	if (!used)
		return storus_say(&storus_sweep, STORUS_TROUBLE,
				  "out of memory");
	if (policy_read(r, given->policy[0], &policy[0]) &&
	    policy_read(r, given->policy[1], &policy[1])) {
		total = print_all(r, policy, used, rows);
		status = STORUS_DONE;
	}
	free(used);
	if (!status && !total)
		status = storus_say(&storus_sweep, STORUS_NO,
				    "--compare: no cell of %s has a partner of %s with all else equal",
				    given->policy[0], given->policy[1]);
	if (status || !rows) {
		json_decref(rows);
		return status;
	}
	rows = json_pack("{s:i, s:s, s:s, s:o}", "schema", 1, "a",
			 given->policy[0], "b", given->policy[1], "groups",
			 rows);
	return storus_json_write(&storus_sweep,
				 storus_json_origin(rows, given->command),
				 given->json);
}

int sweep_compare(struct torus_book *book, const struct sweep_given *given)
{
	struct torus_error err = { 0 };
	struct torus_results r;
	int status;

	if (torus_results_load(&r, book, &err))
		return storus_say_errors(&storus_sweep, STORUS_TROUBLE, &err);
	status = compare(&r, given);
	torus_results_free(&r);
	return status;
}
