/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least deadline of a set of jobs, exactly (Gupta and Srimani, section 4, where
 * a search is named and no more).
 *
 * Why a search ends with the exact answer. Let all dimensions be divided by the
 * smallest, d[n], and K = m / d[n]; times are integers (in 1/unit).
 *
 *  - With the deadline D left open, the time left of every step of the profile is
 *    s D - a with whole numbers a and s >= 1: it begins as D; beginning a job on a
 *    step (2) subtracts t; step 4 replaces r[j] and r[j+1], on d processors each,
 *    by r[j] + r[j+1] - t on d processors. So the sum of s * width over the
 *    profile stays m, and s <= m / d[n] = K.
 *  - Let D* be the least feasible deadline; all later ones are feasible. Just
 *    below D* the algorithm takes the same path for all D, without an equality
 *    (case 3 needs t = s D - a, which holds for one D only), and fails at some job
 *    with t > s D - a on the last step. As D rises to D* the profile tends to that
 *    of D* itself: where t = r[j] in the limit, case 4 tends to case 3. D* is
 *    feasible, so t <= s D* - a: D* = (t + a) / s.
 *
 * So D* is a fraction with a denominator of at most K, and two such fractions
 * differ by 1/K^2 or more. On a grid of step 1/G, G > K^2, bisection finds the cell
 * (k/G, (k+1)/G] of which only the right end is feasible; D* is the only fraction
 * in it with a denominator up to K.
 *
 * The search begins between the larger of the longest job and the area sum(d t) / m
 * and sum(t), one job after the other. (The paper's upper end, the area, can be
 * below the optimum.) The first guess is the lower end, nearly always the answer; a
 * failing pass gives the next one: the deadline at which its path would not have
 * failed. Guesses take turns with halving, so that there are at most
 * 3 log2(G sum(t)) passes of O(n log n); on random sets 1 to 9, 2.5 on average.
 */
#include "papers/offline/preemptive.h"

#include <errno.h>

struct least_search {
	struct torus_preemptive *p;
	struct torus_preemptive_pass *pass;
	torus_i128 lo, hi;   /* on the grid: lo is infeasible, hi is feasible */
	torus_i128 down, up; /* the guess lies in (down, up], up - down 1 */
	int64_t grid;        /* G */
	int64_t parts;       /* K */
};

/* Set the grid cell that contains at + num / den, both >= 0. */
static void guess_set(struct least_search *s, torus_i128 at, torus_i128 num,
		      torus_i128 den)
{
	s->up = at + (num + den - 1) / den;
	s->down = s->up - 1;
}

/* Test `at`, which lies between lo and hi, and set one of them to it. */
static void least_test(struct least_search *s, torus_i128 at)
{
	s->pass->deadline = at;
	s->pass->scale = s->grid;
	if (torus_preemptive_try(s->p, s->pass)) {
		s->hi = at;
		return;
	}
	s->lo = at;
	if (s->pass->slope)
		guess_set(s, at, s->pass->lacking, s->pass->slope);
}

/* Find the fraction with the smallest denominator in the final cell. */
static void fraction_find(struct least_search *s)
{
	for (int64_t den = 1; den <= s->parts; den++) {
		torus_i128 num = s->hi * den / s->grid;

		if (num * s->grid > s->lo * den) {
			s->pass->deadline = num;
			s->pass->scale = den;
			return;
		}
	}
}

/* Set the ends of the search. Return false if numbers would exceed 126 bits. */
static bool ends_set(struct least_search *s)
{
	const struct torus_offline_jobs *jobs = s->p->jobs;
	torus_i128 sum = 0, area = 0, longest = 0;
	const torus_i128 most = (torus_i128)1 << 126;

	for (uint32_t i = 0; i < jobs->n; i++) {
		torus_i128 t = jobs->job[i].t;

		sum += t;
		area += t * jobs->job[i].d;
		longest = t > longest ? t : longest;
	}
	/* (area + lo) and hi * den are the largest numbers of the search */
	if (sum > most / s->grid / s->parts || area > most / s->grid)
		return false;
	if (longest * s->p->m >= area)
		guess_set(s, 0, longest * s->grid, 1);
	else
		guess_set(s, 0, area * s->grid, s->p->m);
	s->lo = s->down;
	s->hi = sum * s->grid;
	return true;
}

int torus_preemptive_least(struct torus_preemptive *p,
			   struct torus_preemptive_pass *pass,
			   struct torus_error *err)
{
	const struct torus_offline_jobs *jobs = p->jobs;
	struct least_search s = { .p = p, .pass = pass, .grid = 2 };

	s.parts = p->m / jobs->job[p->order[jobs->n - 1]].d;
	while (s.grid <= s.parts * s.parts)
		s.grid *= 2;
	if (!ends_set(&s)) {
		torus_error_add(err,
				"the exact finish time would need numbers of more than 126 bits; use fewer decimals or a smaller torus");
		errno = EOVERFLOW;
		return -1;
	}
	while (s.hi - s.lo > 1) {
		if (s.up > s.lo && s.up < s.hi)
			least_test(&s, s.up);
		/* if `up` was feasible, the guess's cell still needs its lower end
		 * tested */
		if (s.down > s.lo && s.down < s.hi)
			least_test(&s, s.down);
		if (s.hi - s.lo > 1)
			least_test(&s, s.lo + (s.hi - s.lo) / 2);
	}
	fraction_find(&s);
	return 0;
}
