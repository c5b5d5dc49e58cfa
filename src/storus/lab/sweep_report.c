/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus sweep --report: a campaign as one self-contained HTML page, the means
 * of each policy by load and the paired differences of every two policies. The
 * numbers are those of the table and of --compare.
 */
#include <math.h>
#include <string.h>

#include "report/page.h"
#include "report/spread.h"
#include "storus/base/json.h"
#include "storus/base/output.h"
#include "storus/lab/sweep.h"
#include "torus_build.h"

#define NAME &storus_sweep
#define MOST_POLICIES 12 /* 66 pairs */

/* Policies by their words, as --compare takes them. */
struct report_policies {
	char word[MOST_POLICIES][256];
	uint32_t n;
	bool more; /* there are more than are compared */
};

static void report_policy_add(struct report_policies *p, const char *word)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if (!strcmp(p->word[i], word))
			return;
	}
	if (p->n == MOST_POLICIES) {
		p->more = true;
		return;
	}
	snprintf(p->word[p->n], sizeof(p->word[0]), "%s", word);
	p->n++;
}

static json_t *report_measures(void)
{
	json_t *list = json_array();

	for (int m = 0; m < TORUS_MEASURES; m++) {
		const struct torus_measure *is = &torus_measures[m];

		json_array_append_new(list,
				      json_pack("{s:s, s:s?, s:s, s:i}", "key",
						is->key, "part", is->part,
						"title", is->title, "decimals",
						is->decimals));
	}
	return list;
}

/* The differences of every two policies. NULL after an error message. */
static json_t *report_pairs(const struct torus_results *r,
			    const struct torus_campaign *c,
			    const struct sweep_options *opts)
{
	struct report_policies p = { .n = 0 };
	json_t *list = json_array();
	bool strategies = torus_results_vary(r, TORUS_AXIS_STRATEGY);
	bool disciplines = torus_results_vary(r, TORUS_AXIS_DISCIPLINE);
	char word[256];

	for (uint32_t i = 0; i < r->n; i++) {
		const struct torus_results_row *row = &r->row[i];

		snprintf(word, sizeof(word), "%s%s%s",
			 strategies ? row->word[TORUS_AXIS_STRATEGY] : "",
			 strategies && disciplines ? "/" : "",
			 disciplines ? row->word[TORUS_AXIS_DISCIPLINE] : "");
		if (*word)
			report_policy_add(&p, word);
	}
	for (uint32_t i = 0; i < p.n; i++) {
		for (uint32_t k = i + 1; k < p.n; k++) {
			struct sweep_options two = *opts;
			json_t *groups;

			two.policy[0] = p.word[i];
			two.policy[1] = p.word[k];
			if (sweep_compare_rows(r, c, &two, &groups)) {
				json_decref(list);
				return NULL;
			}
			if (json_array_size(groups))
				json_array_append_new(list,
						      json_pack("{s:s, s:s, s:O}",
								"a",
								two.policy[0],
								"b",
								two.policy[1],
								"groups",
								groups));
			json_decref(groups);
		}
	}
	if (p.more)
		storus_say(NAME, 0,
			   "notice: --report compares the first %d policies; --compare takes any two",
			   MOST_POLICIES);
	return list;
}

static json_t *report_verdict(const json_t *groups, const char *name, int m)
{
	const struct torus_measure *is = &torus_measures[m];
	const json_t *group;
	size_t i;

	json_array_foreach(groups, i, group)
	{
		json_t *of = json_object_get(group, is->key);

		if (!strcmp(json_string_value(json_object_get(group, "group")),
			    name))
			return is->part ? json_object_get(of, is->part) : of;
	}
	return NULL;
}

/* Adjust the p of a measure over the pairs of policies, in one group, by Holm. */
static void report_holm(json_t *pairs, const char *name, int m)
{
	double p[MOST_POLICIES * MOST_POLICIES / 2];
	size_t n = json_array_size(pairs);

	for (size_t i = 0; i < n; i++) {
		json_t *v =
			report_verdict(json_object_get(json_array_get(pairs, i),
						       "groups"),
				       name, m);
		const json_t *one = json_object_get(v, "p");

		p[i] = json_is_number(one) ? json_number_value(one) : NAN;
	}
	torus_holm(p, n);
	for (size_t i = 0; i < n; i++) {
		json_t *v =
			report_verdict(json_object_get(json_array_get(pairs, i),
						       "groups"),
				       name, m);

		if (!v || isnan(p[i]))
			continue;
		json_object_set_new(v, "p_holm", json_real(p[i]));
		if (!(p[i] < 0.05))
			json_object_set_new(v, "differ", json_false());
	}
}

static void report_holm_mark(json_t *pairs, const char *name)
{
	const json_t *pair;
	json_t *group;
	size_t i, k;

	json_array_foreach(pairs, i, pair)
	{
		json_array_foreach(json_object_get(pair, "groups"), k, group)
		{
			if (!strcmp(json_string_value(
					    json_object_get(group, "group")),
				    name))
				json_object_set_new(group, "holm", json_true());
		}
	}
}

static void report_adjust(json_t *pairs)
{
	const json_t *pair, *group;
	size_t i, k;

	json_array_foreach(pairs, i, pair)
	{
		const json_t *groups = json_object_get(pair, "groups");

		json_array_foreach(groups, k, group)
		{
			const char *name = json_string_value(
				json_object_get(group, "group"));

			/* each group once, where it is first seen */
			if (json_object_get(group, "holm"))
				continue;
			for (int m = 0; m < TORUS_MEASURES; m++)
				report_holm(pairs, name, m);
			report_holm_mark(pairs, name);
		}
	}
}

int sweep_report(const struct torus_results *r, const struct torus_campaign *c,
		 const struct sweep_options *opts)
{
	const char *slash = strrchr(opts->output, '/');
	json_t *pairs, *data;
	int status;

	if (!r->n)
		return storus_say(NAME, STORUS_NO,
				  "%s: no results yet; storus sweep CAMPAIGN.yaml computes them",
				  opts->output);
	pairs = report_pairs(r, c, opts);
	if (!pairs)
		return STORUS_USAGE;
	report_adjust(pairs);
	data = json_pack("{s:s, s:o, s:o, s:o}", "title",
			 slash ? slash + 1 : opts->output, "measures",
			 report_measures(), "rows", sweep_table_rows(r),
			 "pairs", pairs);
	data = storus_json_origin(data, opts->command);
	if (data) {
		const struct report_origin origin = {
			.version = PACKAGE_VERSION, .command = opts->command
		};

		status =
			storus_page_put_json(NAME, opts->report,
					     torus_report_sweep,
					     &(struct torus_report_page){
						     .title = json_string_value(
							     json_object_get(data,
									     "title")),
						     .origin = &origin },
					     data);
	} else
		status = storus_no_memory(NAME);
	json_decref(data);
	return status;
}
