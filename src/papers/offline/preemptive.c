/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The feasibility algorithm (preemptive.h; Gupta and Srimani, section 3): jobs
 * are placed by non-increasing dimension, each on the profile of the jobs
 * before it. r[1] < r[2] < ... are the remaining times of the profile's steps.
 * A job (d, t) gets the first d processors of
 *
 *	2. step 1, from its beginning on                      if t < r[1]
 *	3. step j, for all of its remaining time              if t = r[j]
 *	4. step j, for all of its remaining time, and step    if r[j] < t < r[j+1]
 *	   j+1, for t - r[j] from its beginning on: one
 *	   preemption
 *	1. none: there is no schedule                         if t > r[last]
 *
 *	  deadline -  . . . . . . . .      J runs on B first, then on A, never on
 *	              | A |                both at a time, because t < r[j+1]
 *	              |JJJ|   | B |
 *	              |JJJ|   |   |
 *	              +---+   |JJJ|
 *	              | f[j]  +---+ f[j+1]
 *
 * In case 4 the paper deletes step j as a whole; here the other processors of
 * the step stay (otherwise the algorithm can refuse a feasible set). The
 * remaining width of every step is a multiple of every later dimension, because
 * each dimension divides the one before it; so no processors are wasted.
 *
 * O(n log min(n, m)) after sorting. Times are integers in 1/(unit * scale), at
 * most 126 bits: nothing is rounded.
 */
#include "papers/offline/preemptive.h"

#include <errno.h>
#include <stdlib.h>

#include "torus/alloc.h"

static void slice_keep(struct torus_preemptive *p, uint32_t job, int which,
		       uint32_t first, torus_i128 start, torus_i128 length)
{
	if (start + length > p->makespan)
		p->makespan = start + length;
	if (p->slice)
		p->slice[job][which] = (struct torus_slice){
			.start = start, .end = start + length, .first = first
		};
}

/* Run the job on the first d processors of a step for `time` from its beginning
 * on. The remaining time of these processors is a new step with this slope. */
static void begin_on(struct torus_preemptive *p, uint32_t job, uint32_t at,
		     torus_i128 time, uint32_t slope)
{
	const struct torus_stair *stair = &p->profile.stair[at];
	torus_i128 left = stair->left - time;
	uint32_t d = p->jobs->job[job].d, first = stair->first;

	slice_keep(p, job, 0, first, p->deadline - stair->left, time);
	torus_stairs_take(&p->profile, at, d);
	torus_stairs_add(&p->profile, left, first, d, slope);
}

/* Run the job on the step until the deadline. */
static void preemptive_fill(struct torus_preemptive *p, uint32_t job, int which,
			    uint32_t at)
{
	const struct torus_stair *stair = &p->profile.stair[at];

	slice_keep(p, job, which, stair->first, p->deadline - stair->left,
		   stair->left);
	torus_stairs_take(&p->profile, at, p->jobs->job[job].d);
}

/* Place the job. Return the case of the paper that placed it; 1: none. */
static int preemptive_place(struct torus_preemptive *p,
			    struct torus_preemptive_pass *pass, uint32_t job)
{
	torus_i128 t = (torus_i128)p->jobs->job[job].t * p->scale;
	uint32_t j = torus_stairs_floor(&p->profile, t);
	const struct torus_stair *stair = &p->profile.stair[j];
	uint32_t next = j ? stair->after : p->profile.front;
	torus_i128 left = stair->left;

	if (!j && next) {
		begin_on(p, job, next, t, p->profile.stair[next].slope);
		return 2;
	}
	if (j && left == t) {
		preemptive_fill(p, job, 0, j);
		return 3;
	}
	if (!next) {
		pass->lacking = j ? t - left : 0;
		pass->slope = j ? stair->slope : 0;
		return 1;
	}
	begin_on(p, job, next, t - left,
		 stair->slope + p->profile.stair[next].slope);
	preemptive_fill(p, job, 1, j);
	return 4;
}

bool torus_preemptive_try(struct torus_preemptive *p,
			  struct torus_preemptive_pass *pass)
{
	p->scale = pass->scale;
	p->deadline = pass->deadline;
	p->makespan = 0;
	p->feasible = false;
	torus_stairs_reset(&p->profile, p->m, p->deadline);
	for (uint32_t i = 0; i < p->jobs->n; i++) {
		int step = preemptive_place(p, pass, p->order[i]);

		if (step == 1) {
			p->failed = p->order[i];
			return false;
		}
		if (pass->each)
			pass->each(pass->arg, p, p->order[i], step);
	}
	p->feasible = true;
	return true;
}

static struct torus_preemptive *
preemptive_create(const struct torus_offline_jobs *jobs, uint32_t m)
{
	struct torus_preemptive *p = torus_alloc(1, sizeof(*p));
	/* A job adds at most one step, and each step has at least one
	 * processor. */
	uint32_t room = jobs->n < m ? jobs->n + 1 : m;

	if (!p)
		return NULL;
	p->jobs = jobs;
	p->m = m;
	p->order = torus_offline_order(jobs);
	if (!p->order || torus_stairs_init(&p->profile, room)) {
		torus_preemptive_destroy(p);
		errno = ENOMEM;
		return NULL;
	}
	return p;
}

struct torus_preemptive *
torus_preemptive_plan(const struct torus_offline_jobs *jobs, uint32_t m,
		      const struct torus_ratio *deadline,
		      torus_preemptive_each *each, void *arg,
		      struct torus_error *err)
{
	struct torus_preemptive *p = preemptive_create(jobs, m);
	struct torus_preemptive_pass pass = { 0 };

	if (!p)
		return NULL;
	if (deadline) {
		/* The deadline need not be a multiple of the unit. No product exceeds
		 * 126 bits: num, unit and each t are below 2^62, den below 2^30. */
		pass.scale = deadline->den;
		pass.deadline = (torus_i128)deadline->num * p->jobs->unit;
	} else if (torus_preemptive_least(p, &pass, err))
		goto error;
	p->slice = torus_alloc(jobs->n, sizeof(*p->slice));
	if (!p->slice)
		goto error;
	pass.each = each;
	pass.arg = arg;
	torus_preemptive_try(p, &pass);
	return p;
error:
	torus_preemptive_destroy(p);
	return NULL;
}

void torus_preemptive_destroy(struct torus_preemptive *p)
{
	if (!p)
		return;
	torus_stairs_free(&p->profile);
	torus_free(p->order);
	torus_free(p->slice);
	torus_free(p);
}
