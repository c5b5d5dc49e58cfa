/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan as rows: a table, CSV, JSON. Each row is made, written and freed: a million
 * jobs as a tree in memory would take a gigabyte.
 */
#include "papers/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "storus/base/output.h"
#include "storus/storus.h"
#include "torus_build.h"

#define SHOWN 20 /* longest exact number in the table */

/* A writer of a plan: `num` / `den` is the number that goes into a row next. */
struct writer {
	const struct storus_plan_result *r;
	mpz_t num, den;
	bool failed; /* memory ran out */
};

/* num / den as a new string. */
static json_t *plan_number(struct writer *w)
{
	char *text = torus_ratio_text(w->num, w->den);
	json_t *string = text ? json_string(text) : NULL;

	free(text);
	if (!string)
		w->failed = true;
	return string;
}

static json_t *plan_cnp_number(struct writer *w, const struct torus_cnp_time *t)
{
	mpz_set(w->num, t->value);
	mpz_set_si(w->den, w->r->cnp->unit);
	mpz_mul_2exp(w->den, w->den, t->shift);
	return plan_number(w);
}

static json_t *plan_slice_number(struct writer *w, torus_i128 value)
{
	torus_mpz_set_i128(w->num, value);
	mpz_set_si(w->den, w->r->jobs->unit);
	mpz_mul_si(w->den, w->den, w->r->preemptive->scale);
	return plan_number(w);
}

static json_t *plan_makespan(struct writer *w)
{
	return w->r->cnp ? plan_cnp_number(w, &w->r->cnp->makespan) :
			   plan_slice_number(w, w->r->preemptive->makespan);
}

/* The row of a job, for every form. */
static json_t *plan_row(struct writer *w, uint32_t i)
{
	const struct torus_offline_job *job = &w->r->jobs->job[i];
	json_t *row = json_pack("{s:i, s:i}", "id", i + 1, "d", job->d);

	mpz_set_si(w->num, job->t);
	mpz_set_si(w->den, w->r->jobs->unit);
	json_object_set_new(row, "t", plan_number(w));
	if (w->r->cnp) {
		const struct torus_cnp_job *c = &w->r->cnp->job[i];

		json_object_set_new(row, "start", plan_cnp_number(w, &c->start));
		json_object_set_new(row, "finish",
				    plan_cnp_number(w, &c->finish));
		json_object_set_new(row, "base",
				    json_pack("[ii]", c->row, c->col));
	} else {
		const struct torus_slice *s = w->r->preemptive->slice[i];
		bool two = s[1].end > s[1].start;
		torus_i128 start = two && s[1].start < s[0].start ? s[1].start :
								    s[0].start;
		torus_i128 end = two && s[1].end > s[0].end ? s[1].end :
							      s[0].end;
		uint32_t d = w->r->jobs->job[i].d;
		json_t *slices = json_array();

		/* Add when a job runs, and on which rows and columns in each of its parts. */
		json_object_set_new(row, "start", plan_slice_number(w, start));
		json_object_set_new(row, "finish", plan_slice_number(w, end));
		for (int k = 0; k < 2; k++) {
			json_t *slice;

			if (s[k].start == s[k].end)
				continue;
			slice = json_pack("{s:[ii]}", "interval", s[k].first,
					  s[k].first + d - 1);
			json_object_set_new(slice, "start",
					    plan_slice_number(w, s[k].start));
			json_object_set_new(slice, "end",
					    plan_slice_number(w, s[k].end));
			json_array_append_new(slices, slice);
		}
		json_object_set_new(row, "slices", slices);
	}
	return row;
}

/* Columns */

/* A number in few digits, for a table. */
static const char *plan_brief(const char *exact, char buffer[64])
{
	double value = 0;
	mpq_t q;

	if (strlen(exact) <= SHOWN)
		return exact;
	mpq_init(q);
	if (strchr(exact, '/') && mpq_set_str(q, exact, 10) == 0)
		value = mpq_get_d(q);
	else
		torus_number_decimal(exact, &value);
	snprintf(buffer, 64, "~%.6f", value);
	mpq_clear(q);
	return buffer;
}

static json_t *plan_brief_member(const json_t *row, const char *key, bool csv)
{
	const char *exact = json_string_value(json_object_get(row, key));
	char buffer[64];

	return json_string(csv ? exact : plan_brief(exact, buffer));
}

static json_t *plan_t(const json_t *row, bool csv)
{
	return plan_brief_member(row, "t", csv);
}

static json_t *plan_start(const json_t *row, bool csv)
{
	return plan_brief_member(row, "start", csv);
}

static json_t *plan_finish(const json_t *row, bool csv)
{
	return plan_brief_member(row, "finish", csv);
}

/* "[0,3] 0 to 2, [4,7] 2 to 5/2" */
static json_t *plan_parts(const json_t *row, bool csv)
{
	const json_t *slices = json_object_get(row, "slices");
	struct torus_text text = { 0 };
	json_t *parts;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < json_array_size(slices); k++) {
		const json_t *s = json_array_get(slices, k);
		const json_t *interval = json_object_get(s, "interval");
		const char *from = json_string_value(
			json_object_get(s, "start"));
		const char *to = json_string_value(json_object_get(s, "end"));
		char buffer[2][64];

		rc = torus_text_add(&text, "%s[%d,%d] %s to %s", k ? ", " : "",
				    (int)json_integer_value(
					    json_array_get(interval, 0)),
				    (int)json_integer_value(
					    json_array_get(interval, 1)),
				    csv ? from : plan_brief(from, buffer[0]),
				    csv ? to : plan_brief(to, buffer[1]));
	}
	parts = text.data ? json_string(text.data) : NULL;
	torus_text_free(&text);
	return parts;
}

const struct storus_column storus_plan_columns[] = {
	{ "id", 'i', "job", .width = 6 },
	{ "d", 'd', "d", .width = 5 },
	{ "t", 't', "t", .width = 12, .value = plan_t },
	{ "start", 'S', "start", .width = 12, .value = plan_start },
	{ "finish", 'E', "finish", .width = 12, .value = plan_finish },
	{ "base", 'b', "base", .width = -1 },
	{ "parts", 'p', "parts", .width = -1, .value = plan_parts },
	{ 0 },
};

/* The rows, and what a reader of a table wants to know of all of them. */
static int plan_table(struct writer *w, struct storus_table *t)
{
	static const uint8_t shown[] = { 0, 1, 2, 3, 4, 5 };
	const struct storus_plan_result *r = w->r;
	const struct torus_preemptive *p = r->preemptive;
	bool plain = !storus_table_asked(t);
	const char *makespan;
	char buffer[64];
	json_t *total;
	int status;

	if (r->steps && r->steps->lines.length)
		fputs(r->steps->lines.data, stdout);
	if (p && !p->feasible) /* the deadline is said as it was typed */
		fprintf(plain ? stdout : stderr,
			"infeasible: not all jobs can finish by %s (job %u, d %u, does not fit);\nwithout --deadline the least finish time is found\n",
			r->deadline, p->failed + 1, r->jobs->job[p->failed].d);
	if (p && !p->feasible && plain)
		return STORUS_DONE;
	if (!t->fields) {
		memcpy(t->field, shown, sizeof(shown));
		t->field[5] = p ? 6 : 5;
		t->fields = 6;
	}
	for (uint32_t i = 0; (!p || p->feasible) && i < r->jobs->n; i++)
		storus_table_row(t, plan_row(w, i));
	status = storus_table_end(&storus_plan, t);
	if (status || !plain)
		return status;
	total = plan_makespan(w);
	if (!total)
		return storus_no_memory(&storus_plan);
	makespan = json_string_value(total);
	if (strlen(makespan) <= SHOWN)
		printf("%s %s\n",
		       p && !r->deadline ? "least finish time" : "makespan",
		       makespan);
	else
		printf("makespan %s (--json has it exactly)\n",
		       plan_brief(makespan, buffer));
	json_decref(total);
	if (p)
		printf("preemptions %u\n", storus_plan_preemptions(p));
	return STORUS_DONE; /* main() reports what cannot be written */
}

/* A member of the object; takes the reference: NULL: no UTF-8, or no memory. */
static void plan_put(FILE *to, const char *key, json_t *value)
{
	fprintf(to, "  \"%s\": ", key);
	if (value)
		json_dumpf(value, to, JSON_ENCODE_ANY);
	else
		fputs("null", to);
	fputs(",\n", to);
	json_decref(value);
}

static void plan_put_object(struct writer *w, FILE *to)
{
	const struct storus_plan_result *r = w->r;
	const struct torus_preemptive *p = r->preemptive;
	bool feasible = !p || p->feasible;

	fputs("{\n  \"schema\": 1,\n", to);
	plan_put(to, "feasible", json_boolean(feasible));
	plan_put(to, "makespan", feasible ? plan_makespan(w) : json_null());
	fputs("  \"jobs\": [", to);
	for (uint32_t i = 0; feasible && i < r->jobs->n; i++) {
		json_t *row = plan_row(w, i);

		fputs(i ? ",\n    " : "\n    ", to);
		json_dumpf(row, to, 0);
		json_decref(row);
	}
	fputs("\n  ],\n", to);
	if (p && feasible)
		plan_put(to, "preemptions",
			 json_integer(storus_plan_preemptions(p)));
	if (r->steps)
		fprintf(to, "  \"steps\": [\n%s\n  ],\n",
			r->steps->json.length ? r->steps->json.data : "");
	plan_put(to, "version", json_string(PACKAGE_VERSION));
	plan_put(to, "command", json_string(r->command));
	fprintf(to, "  \"trace_sha256\": \"%s\"\n}\n", r->jobs->digest);
}

int storus_plan_print(const struct storus_plan_result *r,
		      struct storus_table *table)
{
	struct writer w = { .r = r };
	const char *json = table->json;
	int status = STORUS_DONE;

	mpz_inits(w.num, w.den, NULL);
	if (json) {
		struct storus_output out = { 0 };

		status = STORUS_DONE;
		errno = 0;
		if (!storus_output_open(&out, json))
			plan_put_object(&w, out.stream);
		if (w.failed)
			status = storus_no_memory(&storus_plan);
		else if (!out.stream || storus_output_commit(&out))
			status = storus_output_failed(&storus_plan, json);
		storus_output_discard(&out);
	}
	/* Print no table to a standard output that gets the JSON. */
	table->json = NULL;
	if (!status && !(json && !strcmp(json, "-")))
		status = plan_table(&w, table);
	mpz_clears(w.num, w.den, NULL);
	return status;
}
