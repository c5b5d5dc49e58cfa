/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preemptive scheduler against an exact linear program that knows nothing
 * of profiles: a schedule is a mix of sets of jobs that fit on the machine
 * side by side, so the least finish time is
 *
 *	min sum x[S]  with  sum of x[S] over S with j in S >= t[j]
 *
 * and by duality max t y with sum of y over S <= 1 for every set S that fits.
 * Every schedule is checked by a judge that sees nothing but its parts.
 */
#include "../unit/unit.h"

#include "papers/offline/preemptive.h"
#include "random.h"
#include "simplex.h"

#define JOBS 6

static struct torus_offline_jobs *jobs_make(uint32_t n)
{
	static struct torus_offline_job job[256];
	static struct torus_offline_jobs jobs;

	assert_true(n <= 256);
	jobs = (struct torus_offline_jobs){ .job = job, .n = n, .unit = 1 };
	memset(job, 0, sizeof(job));
	return &jobs;
}

/* A random set whose dimensions divide each other; times up to `longest`. */
static uint32_t jobs_random(struct random *r, struct torus_offline_jobs *jobs,
			    uint32_t longest)
{
	static const uint32_t chain[][4] = { { 1, 1, 2, 4 },  { 1, 2, 4, 8 },
					     { 1, 3, 3, 9 },  { 1, 2, 6, 12 },
					     { 2, 4, 4, 12 }, { 1, 1, 1, 1 },
					     { 1, 2, 2, 2 },  { 1, 1, 5, 5 } };
	static const uint32_t side[] = { 4, 8, 9, 12, 24, 3, 6, 5 };
	uint32_t which = random_below(r, 8);

	for (uint32_t i = 0; i < jobs->n; i++) {
		jobs->job[i].d = chain[which][random_below(r, 4)];
		jobs->job[i].t = 1 + random_below(r, longest);
	}
	return side[which];
}

static bool fits(const struct torus_offline_jobs *jobs, uint32_t set, uint32_t m)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < jobs->n; i++)
		sum += set >> i & 1 ? jobs->job[i].d : 0;
	return sum <= m;
}

static void lp_optimum(const struct torus_offline_jobs *jobs, uint32_t m,
		       mpq_t optimum)
{
	static struct simplex s;
	uint32_t rows = 0;

	simplex_init(&s, (1u << jobs->n) - 1, jobs->n);
	for (uint32_t set = 1; set < 1u << jobs->n; set++) {
		if (!fits(jobs, set, m))
			continue;
		for (uint32_t j = 0; j < jobs->n; j++)
			mpq_set_ui(s.cell[rows][j], set >> j & 1, 1);
		rows++;
	}
	/* rows of sets that do not fit stay 0 y <= 1 */
	for (uint32_t j = 0; j < jobs->n; j++)
		mpq_set_si(s.cell[s.rows][j], jobs->job[j].t, 1);
	assert_true(simplex_maximize(&s, optimum));
	simplex_free(&s);
}

static bool meet(const struct torus_slice *a, uint32_t da,
		 const struct torus_slice *b, uint32_t db)
{
	return a->start < b->end && b->start < a->end &&
	       a->first < b->first + db && b->first < a->first + da;
}

/* Every part where and when it may be, every job done, nothing twice. */
static void judge(const struct torus_preemptive *p)
{
	const struct torus_offline_jobs *jobs = p->jobs;
	torus_i128 last = 0;

	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct torus_slice *s = p->slice[i];
		uint32_t d = jobs->job[i].d;
		torus_i128 sum = s[0].end - s[0].start + s[1].end - s[1].start;

		assert_true(sum == (torus_i128)jobs->job[i].t * p->scale);
		for (int k = 0; k < 2; k++) {
			assert_true(s[k].start >= 0 && s[k].start <= s[k].end);
			assert_true(s[k].end <= p->deadline);
			assert_true(s[k].first % d == 0);
			assert_true(s[k].first + d <= p->m);
			last = s[k].end > last ? s[k].end : last;
		}
		/* in order, and never on two places at once */
		assert_true(s[1].start == s[1].end || s[0].end <= s[1].start);
		for (uint32_t o = 0; o < i; o++) {
			for (int k = 0; k < 4; k++)
				assert_false(meet(&s[k / 2], d,
						  &p->slice[o][k % 2],
						  jobs->job[o].d));
		}
	}
	assert_true(last == p->makespan);
}

static void show(const struct torus_offline_jobs *jobs, uint32_t m)
{
	printf("# m=%u jobs:", m);
	for (uint32_t i = 0; i < jobs->n; i++)
		printf(" (%u,%lld)", jobs->job[i].d, (long long)jobs->job[i].t);
	printf("\n");
}

static int64_t ceiling(const struct torus_preemptive *p)
{
	return (int64_t)((p->deadline + p->scale - 1) / p->scale);
}

/* Exactly the program's optimum, whatever the set; feasible there and above,
 * infeasible below. */
static void the_least_finish_time_is_the_optimum(void **state)
{
	struct random r = { random_seed("preemptive optimum") };
	uint32_t sets = random_effort(1500, 20), fractions = 0;
	mpq_t best, got;

	(void)state;
	mpq_inits(best, got, NULL);
	for (uint32_t i = 0; i < sets; i++) {
		struct torus_offline_jobs *jobs = jobs_make(
			1 + random_below(&r, JOBS));
		uint32_t m = jobs_random(&r, jobs, 1 + random_below(&r, 12));
		struct torus_preemptive *p, *q;
		struct torus_ratio at;

		lp_optimum(jobs, m, best);
		p = torus_preemptive_plan(jobs, m, NULL, NULL, NULL, NULL);
		assert_non_null(p);
		torus_mpz_set_i128(mpq_numref(got), p->deadline);
		mpz_set_si(mpq_denref(got), p->scale);
		mpq_canonicalize(got);
		if (!mpq_equal(best, got)) {
			show(jobs, m);
			gmp_printf("# optimum %Qd, got %Qd\n", best, got);
			fail();
		}
		assert_true(p->feasible && p->makespan == p->deadline);
		judge(p);
		fractions += p->scale > 1;
		at = (struct torus_ratio){ ceiling(p) + random_below(&r, 3), 1 };
		q = torus_preemptive_plan(jobs, m, &at, NULL, NULL, NULL);
		assert_true(q && q->feasible);
		judge(q);
		torus_preemptive_destroy(q);
		/* just below: D - 1/1000 */
		at = (struct torus_ratio){
			(int64_t)p->deadline * 1000 - p->scale, p->scale * 1000
		};
		q = torus_preemptive_plan(jobs, m, &at, NULL, NULL, NULL);
		assert_true(q && !q->feasible);
		torus_preemptive_destroy(q);
		torus_preemptive_destroy(p);
	}
	printf("# %u sets, %u with a fraction as the answer\n", sets, fractions);
	mpq_clears(best, got, NULL);
}

/* Larger sets: the judge, and that the answer is the least one by the
 * algorithm's own feasibility. */
static void large_sets_have_the_least_feasible_time(void **state)
{
	struct random r = { random_seed("preemptive large") };
	uint32_t sets = random_effort(60, 20);

	(void)state;
	for (uint32_t i = 0; i < sets; i++) {
		struct torus_offline_jobs *jobs = jobs_make(
			50 + random_below(&r, 200));
		uint32_t m = jobs_random(&r, jobs, 1u << random_below(&r, 20));
		struct torus_preemptive *p =
			torus_preemptive_plan(jobs, m, NULL, NULL, NULL, NULL);
		struct torus_ratio at;

		assert_non_null(p);
		assert_true(p->feasible && p->makespan == p->deadline);
		judge(p);
		at = (struct torus_ratio){ (int64_t)p->deadline * 1000 - 1,
					   p->scale * 1000 };
		torus_preemptive_destroy(p);
		p = torus_preemptive_plan(jobs, m, &at, NULL, NULL, NULL);
		assert_true(p && !p->feasible);
		torus_preemptive_destroy(p);
	}
}

/* The tree of the profile is a tree, a heap and a list at once. */
static uint32_t tree_check(const struct torus_stairs *s, uint32_t at)
{
	const struct torus_stair *x = &s->stair[at];

	if (!at)
		return 0;
	if (x->smaller)
		assert_true(s->stair[x->smaller].left < x->left &&
			    s->stair[x->smaller].priority <= x->priority);
	if (x->larger)
		assert_true(s->stair[x->larger].left > x->left &&
			    s->stair[x->larger].priority <= x->priority);
	return 1 + tree_check(s, x->smaller) + tree_check(s, x->larger);
}

static void stairs_agree_with_a_plain_list(void **state)
{
	struct random r = { random_seed("stairs") };
	struct torus_stairs s;

	(void)state;
	assert_int_equal(torus_stairs_init(&s, 64), 0);
	for (uint32_t run = 0; run < 20; run++) {
		uint32_t steps = 1, count;

		torus_stairs_reset(&s, 1, 1000000);
		for (uint32_t i = 0; i < 2000; i++) {
			torus_i128 key = 1 + random_below(&r, 200), left = 0;
			uint32_t at = torus_stairs_floor(&s, key);

			if (at && s.stair[at].left == key) {
				torus_stairs_take(&s, at, 1);
				steps--;
			} else if (steps < 64) {
				torus_stairs_add(&s, key, i, 1, 1);
				steps++;
			}
			count = 0;
			for (at = s.front; at; at = s.stair[at].after) {
				assert_true(s.stair[at].left > left);
				left = s.stair[at].left;
				assert_true(torus_stairs_floor(&s, left) == at);
				count++;
			}
			assert_int_equal(count, steps);
			assert_int_equal(tree_check(&s, s.root), steps);
		}
	}
	torus_stairs_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stairs_agree_with_a_plain_list),
		cmocka_unit_test(the_least_finish_time_is_the_optimum),
		cmocka_unit_test(large_sets_have_the_least_feasible_time),
	};

	return UNIT_RUN(tests);
}
