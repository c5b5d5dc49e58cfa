/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CNP_Alloc against a slow twin in rationals that keeps the paper's matrix of
 * times (Gupta and Srimani, Fig. 2, with the corrections of cnp.c): every
 * entry has its own time, loads are summed entry by entry for each candidate,
 * and dilations are propagated to all entries of a job.
 */
#include "../unit/unit.h"

#include "papers/offline/cnp.h"
#include "random.h"
#include "torus/alloc.h"

#define SIDE 16
#define JOBS 40

struct entry {
	mpq_t tm;
	uint32_t id; /* 0: none */
};

struct twin {
	struct entry a[SIDE][SIDE];
	mpq_t time, start[JOBS], finish[JOBS];
	uint32_t row[JOBS], col[JOBS], side;
};

static void twin_load(struct twin *w, uint32_t i, uint32_t j, const mpq_t t,
		      mpq_t load)
{
	mpq_t sigma;

	mpq_init(sigma);
	mpq_set_ui(load, 0, 1);
	for (uint32_t r = 0; r < w->side; r++) {
		const struct entry *e = &w->a[r][j];

		if (r != i)
			mpq_add(load, load, mpq_cmp(t, e->tm) < 0 ? t : e->tm);
		e = &w->a[i][r];
		if (r != j)
			mpq_add(load, load, mpq_cmp(t, e->tm) < 0 ? t : e->tm);
	}
	mpq_set_ui(sigma, w->side, 1);
	mpq_div(load, load, sigma);
	mpq_clear(sigma);
}

static void twin_expand(struct twin *w, uint32_t side)
{
	for (uint32_t i = 0; i < side; i++) {
		for (uint32_t j = 0; j < side; j++) {
			struct entry *from = &w->a[i % w->side][j % w->side];

			mpq_set(w->a[i][j].tm, from->tm);
			w->a[i][j].id = from->id;
		}
	}
	w->side = side;
}

/* All times relative to the first one at which something is free. */
static void twin_advance(struct twin *w)
{
	mpq_t least;

	mpq_init(least);
	mpq_set(least, w->a[0][0].tm);
	for (uint32_t e = 0; e < w->side * w->side; e++) {
		if (mpq_cmp(w->a[e / w->side][e % w->side].tm, least) < 0)
			mpq_set(least, w->a[e / w->side][e % w->side].tm);
	}
	mpq_add(w->time, w->time, least);
	for (uint32_t e = 0; e < w->side * w->side; e++) {
		struct entry *x = &w->a[e / w->side][e % w->side];

		mpq_sub(x->tm, x->tm, least);
		if (!mpq_sgn(x->tm))
			x->id = 0;
	}
	mpq_clear(least);
}

static void twin_disturb(struct twin *w, uint32_t id, const mpq_t t)
{
	mpq_t share, sigma;
	bool first = true;

	mpq_inits(share, sigma, NULL);
	mpq_set_ui(sigma, w->side, 1);
	for (uint32_t e = 0; e < w->side * w->side; e++) {
		struct entry *x = &w->a[e / w->side][e % w->side];

		if (x->id != id)
			continue;
		if (first) {
			mpq_set(share, mpq_cmp(t, x->tm) < 0 ? t : x->tm);
			mpq_div(share, share, sigma);
			mpq_add(w->finish[id - 1], w->finish[id - 1], share);
		}
		first = false;
		mpq_add(x->tm, x->tm, share);
	}
	mpq_clears(share, sigma, NULL);
}

static void twin_place(struct twin *w, uint32_t k, const mpq_t t)
{
	bool done[JOBS + 1] = { false }, any = false;
	uint32_t bi = 0, bj = 0;
	mpq_t load, best;

	mpq_inits(load, best, NULL);
	for (uint32_t i = 0; i < w->side; i++) {
		for (uint32_t j = 0; j < w->side; j++) {
			if (mpq_sgn(w->a[i][j].tm))
				continue;
			twin_load(w, i, j, t, load);
			if (any && mpq_cmp(load, best) >= 0)
				continue;
			any = true;
			mpq_set(best, load);
			bi = i;
			bj = j;
		}
	}
	done[0] = true;
	for (uint32_t r = 0; r < w->side; r++) {
		uint32_t id[2] = { w->a[bi][r].id, w->a[r][bj].id };

		for (int x = 0; x < 2; x++) {
			if (!done[id[x]])
				twin_disturb(w, id[x], t);
			done[id[x]] = true;
		}
	}
	mpq_add(w->a[bi][bj].tm, t, best);
	w->a[bi][bj].id = k + 1;
	mpq_set(w->start[k], w->time);
	mpq_add(w->finish[k], w->time, w->a[bi][bj].tm);
	w->row[k] = bi;
	w->col[k] = bj;
	mpq_clears(load, best, NULL);
}

static void twin_init(struct twin *w, bool yes)
{
	void (*f)(mpq_t) = yes ? mpq_init : mpq_clear;

	for (uint32_t e = 0; e < SIDE * SIDE; e++) {
		f(w->a[e / SIDE][e % SIDE].tm);
		w->a[e / SIDE][e % SIDE].id = 0;
	}
	for (uint32_t k = 0; k < JOBS; k++) {
		f(w->start[k]);
		f(w->finish[k]);
	}
	f(w->time);
	w->side = 1;
}

static bool same(const struct torus_cnp *plan, const struct torus_cnp_time *t,
		 const mpq_t expected)
{
	bool equal;
	mpq_t q;

	mpq_init(q);
	mpz_set(mpq_numref(q), t->value);
	mpz_set_si(mpq_denref(q), plan->unit);
	mpz_mul_2exp(mpq_denref(q), mpq_denref(q), t->shift);
	mpq_canonicalize(q);
	equal = mpq_equal(q, expected);
	mpq_clear(q);
	return equal;
}

static void jobs_random(struct random *r, struct torus_offline_jobs *jobs,
			uint32_t m)
{
	static const int64_t units[] = { 1, 3, 10, 1000 };
	uint32_t longest = 1 + random_below(r, 30);

	jobs->unit = units[random_below(r, 4)];
	for (uint32_t i = 0; i < jobs->n; i++) {
		jobs->job[i].t = 1 + random_below(r, longest);
		jobs->job[i].d = m >> random_below(r, 5);
		if (!jobs->job[i].d)
			jobs->job[i].d = 1;
	}
}

static void compare(struct twin *w, const struct torus_offline_jobs *jobs,
		    uint32_t m)
{
	uint32_t *order = torus_offline_order(jobs);
	struct torus_cnp *plan = torus_cnp_plan(jobs, m, -1, NULL, NULL, NULL);
	mpq_t t, last;

	assert_non_null(order);
	assert_non_null(plan);
	mpq_inits(t, last, NULL);
	twin_init(w, true);
	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct torus_offline_job *job = &jobs->job[order[i]];

		twin_expand(w, m / job->d);
		twin_advance(w);
		mpq_set_si(t, job->t, (unsigned long)jobs->unit);
		mpq_canonicalize(t);
		twin_place(w, order[i], t);
	}
	for (uint32_t i = 0; i < jobs->n; i++) {
		assert_int_equal(plan->job[i].row, w->row[i]);
		assert_int_equal(plan->job[i].col, w->col[i]);
		assert_true(same(plan, &plan->job[i].start, w->start[i]));
		assert_true(same(plan, &plan->job[i].finish, w->finish[i]));
		if (mpq_cmp(w->finish[i], last) > 0)
			mpq_set(last, w->finish[i]);
	}
	assert_true(same(plan, &plan->makespan, last));
	twin_init(w, false);
	mpq_clears(t, last, NULL);
	torus_cnp_destroy(plan);
	torus_free(order);
}

static void cnp_agrees_with_its_plain_twin(void **state)
{
	struct random r = { random_seed("cnp") };
	uint32_t sets = random_effort(400, 20);
	static struct torus_offline_job job[JOBS];
	struct torus_offline_jobs jobs = { .job = job };
	static struct twin w;

	(void)state;
	for (uint32_t i = 0; i < sets; i++) {
		uint32_t m = 1u << random_below(&r, 5);

		jobs.n = 1 + random_below(&r, JOBS);
		jobs_random(&r, &jobs, m);
		compare(&w, &jobs, m);
	}
}

/* Rounded loads: whole thousandths, and no job in less than its time. */
static void rounded_loads_are_never_too_small(void **state)
{
	struct random r = { random_seed("cnp rounded") };
	static struct torus_offline_job job[2000];
	struct torus_offline_jobs jobs = { .job = job, .n = 2000, .unit = 1 };

	(void)state;
	for (uint32_t round = 0; round < 10; round++) {
		struct torus_cnp *plan;

		for (uint32_t i = 0; i < jobs.n; i++) {
			job[i].d = 1u << random_below(&r, 4);
			job[i].t = 1 + random_below(&r, 100);
		}
		plan = torus_cnp_plan(&jobs, 8, 3, NULL, NULL, NULL);
		assert_non_null(plan);
		assert_int_equal(plan->unit, 1000);
		for (uint32_t i = 0; i < jobs.n; i++) {
			const struct torus_cnp_job *p = &plan->job[i];
			int64_t run = mpz_get_si(p->finish.value) -
				      mpz_get_si(p->start.value);

			assert_int_equal(p->finish.shift, 0);
			assert_true(run >= job[i].t * 1000);
		}
		torus_cnp_destroy(plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cnp_agrees_with_its_plain_twin),
		cmocka_unit_test(rounded_loads_are_never_too_small),
	};

	return UNIT_RUN(tests);
}
