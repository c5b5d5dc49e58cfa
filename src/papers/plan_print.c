/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan as a table and as JSON. JSON is written job by job: a million jobs as
 * a tree in memory would take a gigabyte.
 */
#include "papers/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "format/stream.h"
#include "storus/base/output.h"
#include "storus/storus.h"
#include "torus_build.h"

#define SHOWN 20 /* longest exact number in the table */

/* A writer of numbers: its text is valid until the next one. */
struct writer {
	const struct storus_plan_result *r;
	FILE *to;
	mpz_t num, den;
	char *text;
	bool failed;
};

static void writer_begin(struct writer *w, const struct storus_plan_result *r,
			 FILE *to)
{
	*w = (struct writer){ .r = r, .to = to };
	mpz_inits(w->num, w->den, NULL);
}

static int writer_end(struct writer *w)
{
	mpz_clears(w->num, w->den, NULL);
	free(w->text);
	return w->failed || stream_failed(w->to) ? -1 : 0;
}

/* num / den of the writer. */
static const char *text_of(struct writer *w)
{
	free(w->text);
	w->text = torus_ratio_text(w->num, w->den);
	if (w->text)
		return w->text;
	w->failed = true;
	errno = ENOMEM;
	return "?";
}

static const char *plan_print_cnp_text(struct writer *w,
				       const struct torus_cnp_time *t)
{
	mpz_set(w->num, t->value);
	mpz_set_si(w->den, w->r->cnp->unit);
	mpz_mul_2exp(w->den, w->den, t->shift);
	return text_of(w);
}

static const char *slice_text(struct writer *w, torus_i128 value)
{
	torus_mpz_set_i128(w->num, value);
	mpz_set_si(w->den, w->r->jobs->unit);
	mpz_mul_si(w->den, w->den, w->r->preemptive->scale);
	return text_of(w);
}

/* In a table: few digits. */
static const char *plan_print_brief(struct writer *w, const char *exact,
				    char buffer[64])
{
	mpq_t q;

	if (strlen(exact) <= SHOWN)
		return exact;
	mpq_init(q);
	mpq_set_num(q, w->num);
	mpq_set_den(q, w->den);
	snprintf(buffer, 64, "~%.6f", mpq_get_d(q));
	mpq_clear(q);
	return buffer;
}

static void input_columns(struct writer *w, uint32_t i)
{
	const struct torus_offline_job *job = &w->r->jobs->job[i];
	char buffer[64];

	mpz_set_si(w->num, job->t);
	mpz_set_si(w->den, w->r->jobs->unit);
	fprintf(w->to, "%6u %5u %12s", i + 1, job->d,
		plan_print_brief(w, text_of(w), buffer));
}

static void cnp_row(struct writer *w, uint32_t i)
{
	const struct torus_cnp_job *job = &w->r->cnp->job[i];
	char buffer[64];

	input_columns(w, i);
	fprintf(w->to, " %12s",
		plan_print_brief(w, plan_print_cnp_text(w, &job->start),
				 buffer));
	fprintf(w->to, " %12s  %u,%u\n",
		plan_print_brief(w, plan_print_cnp_text(w, &job->finish),
				 buffer),
		job->row, job->col);
}

/* From the first to the last moment of a job. */
static void plan_print_span(const struct torus_preemptive *p, uint32_t i,
			    torus_i128 *start, torus_i128 *end)
{
	const struct torus_slice *s = p->slice[i];
	bool two = s[1].end > s[1].start;

	*start = two && s[1].start < s[0].start ? s[1].start : s[0].start;
	*end = two && s[1].end > s[0].end ? s[1].end : s[0].end;
}

static void preemptive_row(struct writer *w, uint32_t i)
{
	const struct torus_preemptive *p = w->r->preemptive;
	uint32_t d = w->r->jobs->job[i].d;
	torus_i128 start, end;
	char buffer[64];

	plan_print_span(p, i, &start, &end);
	input_columns(w, i);
	fprintf(w->to, " %12s",
		plan_print_brief(w, slice_text(w, start), buffer));
	fprintf(w->to, " %12s ",
		plan_print_brief(w, slice_text(w, end), buffer));
	for (int k = 0; k < 2; k++) {
		const struct torus_slice *s = &p->slice[i][k];

		if (s->start == s->end)
			continue;
		fprintf(w->to, " [%u,%u] %s", s->first, s->first + d - 1,
			plan_print_brief(w, slice_text(w, s->start), buffer));
		fprintf(w->to, " to %s%s",
			plan_print_brief(w, slice_text(w, s->end), buffer),
			!k && p->slice[i][1].start < p->slice[i][1].end ? "," :
									  "");
	}
	fputc('\n', w->to);
}

/* The number after "by": the deadline as it was typed. */
static void infeasible_say(const struct storus_plan_result *r)
{
	uint32_t i = r->preemptive->failed;

	printf("infeasible: not all jobs can finish by %s (job %u, d %u, does not fit);\nwithout --deadline the least finish time is found\n",
	       r->deadline, i + 1, r->jobs->job[i].d);
}

int storus_plan_table(const struct storus_plan_result *r)
{
	const struct torus_preemptive *p = r->preemptive;
	const char *makespan;
	struct writer w;

	if (r->steps && r->steps->lines.length)
		fputs(r->steps->lines.data, stdout);
	if (p && !p->feasible) {
		infeasible_say(r);
		return fflush(stdout) ? -1 : 0;
	}
	writer_begin(&w, r, stdout);
	printf("%6s %5s %12s %12s %12s  %s\n", "job", "d", "t", "start",
	       "finish", p ? "parts" : "base");
	for (uint32_t i = 0; i < r->jobs->n; i++) {
		if (p)
			preemptive_row(&w, i);
		else
			cnp_row(&w, i);
	}
	makespan = p ? slice_text(&w, p->makespan) :
		       plan_print_cnp_text(&w, &r->cnp->makespan);
	if (strlen(makespan) <= SHOWN) {
		printf("%s %s\n",
		       p && !r->deadline ? "least finish time" : "makespan",
		       makespan);
	} else {
		char buffer[64];

		printf("makespan %s (--json has it exactly)\n",
		       plan_print_brief(&w, makespan, buffer));
	}
	if (p)
		printf("preemptions %u\n", storus_plan_preemptions(p));
	if (fflush(stdout))
		w.failed = true;
	return writer_end(&w);
}

static void cnp_json(struct writer *w, uint32_t i)
{
	const struct torus_cnp_job *job = &w->r->cnp->job[i];

	fprintf(w->to, "    {\"id\": %u, \"start\": \"%s\"", i + 1,
		plan_print_cnp_text(w, &job->start));
	fprintf(w->to, ", \"finish\": \"%s\", \"base\": [%u, %u]}",
		plan_print_cnp_text(w, &job->finish), job->row, job->col);
}

static void preemptive_json(struct writer *w, uint32_t i)
{
	const struct torus_preemptive *p = w->r->preemptive;
	uint32_t d = w->r->jobs->job[i].d;
	torus_i128 start, end;

	plan_print_span(p, i, &start, &end);
	fprintf(w->to, "    {\"id\": %u, \"start\": \"%s\"", i + 1,
		slice_text(w, start));
	fprintf(w->to, ", \"finish\": \"%s\", \"slices\": [",
		slice_text(w, end));
	for (int k = 0; k < 2; k++) {
		const struct torus_slice *s = &p->slice[i][k];

		if (s->start == s->end)
			continue;
		fprintf(w->to, "%s{\"interval\": [%u, %u], \"start\": \"%s\"",
			k ? ", " : "", s->first, s->first + d - 1,
			slice_text(w, s->start));
		fprintf(w->to, ", \"end\": \"%s\"}", slice_text(w, s->end));
	}
	fputs("]}", w->to);
}

/* A string as JSON writes it. */
static void string_json(struct writer *w, const char *key, const char *value)
{
	json_t *string = json_string(value);

	fprintf(w->to, "  \"%s\": ", key);
	if (string)
		json_dumpf(string, w->to, JSON_ENCODE_ANY);
	else /* no UTF-8, or no memory */
		fputs("null", w->to);
	fputs(",\n", w->to);
	json_decref(string);
}

static void object_json(struct writer *w)
{
	const struct storus_plan_result *r = w->r;
	const struct torus_preemptive *p = r->preemptive;
	bool feasible = !p || p->feasible;

	fputs("{\n  \"schema\": 1,\n", w->to);
	fprintf(w->to, "  \"feasible\": %s,\n", feasible ? "true" : "false");
	if (feasible)
		string_json(w, "makespan",
			    p ? slice_text(w, p->makespan) :
				plan_print_cnp_text(w, &r->cnp->makespan));
	else
		fputs("  \"makespan\": null,\n", w->to);
	fputs("  \"jobs\": [", w->to);
	for (uint32_t i = 0; feasible && i < r->jobs->n; i++) {
		fputs(i ? ",\n" : "\n", w->to);
		if (p)
			preemptive_json(w, i);
		else
			cnp_json(w, i);
	}
	fputs("\n  ],\n", w->to);
	if (p && feasible)
		fprintf(w->to, "  \"preemptions\": %u,\n",
			storus_plan_preemptions(p));
	if (r->steps)
		fprintf(w->to, "  \"steps\": [\n%s\n  ],\n",
			r->steps->json.length ? r->steps->json.data : "");
	string_json(w, "version", PACKAGE_VERSION);
	string_json(w, "command", r->command);
	fprintf(w->to, "  \"trace_sha256\": \"%s\"\n}\n", r->jobs->digest);
}

int storus_plan_json(const struct storus_plan_result *r, const char *path)
{
	struct storus_output out = { 0 };
	struct writer w;
	int rc;

	errno = 0;
	rc = storus_output_open(&out, path ? path : "-");
	if (!rc) {
		writer_begin(&w, r, out.stream);
		object_json(&w);
		rc = writer_end(&w);
	}
	if (!rc)
		rc = storus_output_commit(&out);
	if (rc)
		storus_output_failed(&storus_plan, path);
	storus_output_discard(&out);
	return rc ? STORUS_TROUBLE : STORUS_DONE;
}
