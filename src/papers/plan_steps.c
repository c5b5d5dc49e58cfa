/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the offline schedulers do job by job (storus plan --steps), as lines and as
 * JSON, collected while they run:
 *
 *	cnp         the availability matrix when the job starts, the load on each free
 *	            entry (Gupta and Srimani, Definition 4 and section 2.4.2), and the
 *	            matrix with the job; an entry is (time left, dimension, job)
 *	preemptive  the profile with the job: intervals and when each is free, and the
 *	            step of the algorithm that placed it (section 3)
 *
 * Cost: O(side^2) per job of cnp, O(intervals) per job of preemptive; memory: the texts.
 */
#include "papers/plan.h"

#include <stdlib.h>

/* value / unit / 2^shift, minus `from` unless that is NULL. */
void storus_plan_time(struct torus_text *to, const struct torus_cnp *plan,
		      const struct torus_cnp_time *t,
		      const struct torus_cnp_time *from)
{
	mpz_t num, den;
	char *text;

	mpz_inits(num, den, NULL);
	mpz_set_si(den, plan->unit);
	mpz_mul_2exp(den, den, from ? from->shift : t->shift);
	mpz_set(num, t->value);
	if (from) {
		mpz_mul_2exp(num, num, from->shift - t->shift);
		mpz_sub(num, num, from->value);
	}
	text = torus_ratio_text(num, den);
	torus_text_add(to, "%s", text ? text : "?");
	free(text);
	mpz_clears(num, den, NULL);
}

void storus_plan_load(struct torus_text *to, const struct torus_cnp_matrix *a,
		      uint32_t entry)
{
	struct torus_cnp_time load = { .shift = a->now->shift };

	mpz_init(load.value);
	load.shift += (uint32_t)__builtin_ctz(a->side); /* over sigma */
	mpz_add(load.value, a->row[entry / a->side], a->col[entry % a->side]);
	storus_plan_time(to, a->plan, &load, NULL);
	mpz_clear(load.value);
}

static void steps_entry(struct storus_plan_steps *s,
			const struct torus_cnp_matrix *a, uint32_t e)
{
	const struct torus_cnp *plan = a->plan;
	uint32_t id = a->holder[e];
	const char *lead = e % a->side ? ", " : "";

	if (id == TORUS_CNP_FREE) {
		torus_text_add(&s->lines, " free");
		torus_text_add(&s->json, "%snull", lead);
		return;
	}
	torus_text_add(&s->lines, " (");
	storus_plan_time(&s->lines, plan, &plan->job[id].finish, a->now);
	torus_text_add(&s->lines, ",%u,%u)", plan->jobs->job[id].d, id + 1);
	torus_text_add(&s->json, "%s[\"", lead);
	storus_plan_time(&s->json, plan, &plan->job[id].finish, a->now);
	torus_text_add(&s->json, "\", %u, %u]", plan->jobs->job[id].d, id + 1);
}

static void steps_matrix(struct storus_plan_steps *s,
			 const struct torus_cnp_matrix *a)
{
	for (uint32_t e = 0; e < a->side * a->side; e++) {
		if (e % a->side == 0) {
			torus_text_add(&s->lines, "   ");
			torus_text_add(&s->json, e ? ", [" : "[");
		}
		steps_entry(s, a, e);
		if (e % a->side == a->side - 1) {
			torus_text_add(&s->lines, "\n");
			torus_text_add(&s->json, "]");
		}
	}
}

void storus_plan_cnp_step(void *arg, const struct torus_cnp_matrix *a,
			  uint32_t job)
{
	struct storus_plan_steps *s = arg;

	if (a->step == TORUS_CNP_EXPANDED)
		return;
	if (a->step == TORUS_CNP_READY) {
		const char *lead = "";

		torus_text_add(&s->lines, "job %u at ", job + 1);
		storus_plan_time(&s->lines, a->plan, a->now, NULL);
		torus_text_add(&s->lines, ", matrix of %u x %u:\n", a->side,
			       a->side);
		torus_text_add(&s->json, "%s    {\"job\": %u, \"time\": \"",
			       s->json.length ? ",\n" : "", job + 1);
		storus_plan_time(&s->json, a->plan, a->now, NULL);
		torus_text_add(&s->json, "\", \"matrix\": [");
		steps_matrix(s, a);
		torus_text_add(&s->lines, "  loads:");
		torus_text_add(&s->json, "], \"loads\": [");
		for (uint32_t e = 0; e < a->side * a->side; e++) {
			if (a->holder[e] != TORUS_CNP_FREE)
				continue;
			torus_text_add(&s->lines, "%s (%u,%u) ", lead,
				       e / a->side, e % a->side);
			storus_plan_load(&s->lines, a, e);
			torus_text_add(&s->json,
				       "%s{\"base\": [%u, %u], \"load\": \"",
				       lead, e / a->side, e % a->side);
			storus_plan_load(&s->json, a, e);
			torus_text_add(&s->json, "\"}");
			lead = ",";
		}
		torus_text_add(&s->lines, "\n");
		torus_text_add(&s->json, "]");
		return;
	}
	torus_text_add(&s->lines, "  at (%u,%u):\n", a->plan->job[job].row,
		       a->plan->job[job].col);
	torus_text_add(&s->json, ", \"after\": [");
	steps_matrix(s, a);
	torus_text_add(&s->json, "]}");
}

/* A time of a preemptive plan. */
static void steps_time(struct torus_text *to, const struct torus_preemptive *p,
		       torus_i128 value)
{
	mpz_t num, den;
	char *text;

	mpz_inits(num, den, NULL);
	torus_mpz_set_i128(num, value);
	mpz_set_si(den, p->jobs->unit);
	mpz_mul_si(den, den, p->scale);
	text = torus_ratio_text(num, den);
	torus_text_add(to, "%s", text ? text : "?");
	free(text);
	mpz_clears(num, den, NULL);
}

void storus_plan_preemptive_step(void *arg, const struct torus_preemptive *p,
				 uint32_t job, int step)
{
	struct storus_plan_steps *s = arg;
	const struct torus_stair *stair = p->profile.stair;

	torus_text_add(&s->lines, "job %u by step %d, profile:", job + 1, step);
	torus_text_add(&s->json,
		       "%s    {\"job\": %u, \"step\": %d, \"profile\": [",
		       s->json.length ? ",\n" : "", job + 1, step);
	for (uint32_t at = p->profile.front; at; at = stair[at].after) {
		uint32_t last = stair[at].first + stair[at].width - 1;
		torus_i128 free_at = p->deadline - stair[at].left;

		torus_text_add(&s->lines, " ([%u,%u], ", stair[at].first, last);
		steps_time(&s->lines, p, free_at);
		torus_text_add(&s->lines, ")");
		torus_text_add(&s->json,
			       "%s{\"interval\": [%u, %u], \"time\": \"",
			       at == p->profile.front ? "" : ", ",
			       stair[at].first, last);
		steps_time(&s->json, p, free_at);
		torus_text_add(&s->json, "\"}");
	}
	torus_text_add(&s->lines, "\n");
	torus_text_add(&s->json, "]}");
}

uint32_t storus_plan_preemptions(const struct torus_preemptive *p)
{
	uint32_t preempted = 0;

	for (uint32_t i = 0; i < p->jobs->n; i++)
		preempted += p->slice[i][0].start < p->slice[i][0].end &&
			     p->slice[i][1].start < p->slice[i][1].end;
	return preempted;
}
