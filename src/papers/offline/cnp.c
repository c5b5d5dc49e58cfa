/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CNP_Alloc (cnp.h; Gupta and Srimani, section 2.4, Fig. 2).
 *
 * For jobs of dimension d an m x m torus has sigma x sigma interleaved subtori,
 * sigma = m / d; subtorus (i, j) has the nodes (i + x sigma, j + y sigma). A
 * job on (i, j) shares links with the jobs of row i and of column j:
 *
 * 	. c . .		load = sum over r and c of min(t, their remaining time)
 * 	r * r r			/ sigma
 * 	. c . .		and each of those jobs runs min(t, remaining) / sigma
 * 	. c . .		longer
 *
 * For jobs of a smaller dimension each subtorus is divided into four (or 16, ...):
 * entry (i, j) of the larger matrix is (i mod sigma, j mod sigma) of the smaller
 * one. A job then has several entries. Each of them adds to the load of a new job,
 * but the new job dilates it only once.
 *
 * Differences from Fig. 2, whose text has errors: "max" in the loads means min;
 * r = i and c = j are excluded; ranges end at sigma - 1; several levels are crossed
 * at once instead of by dummy jobs; finished jobs are not examined any more. Ties
 * go to the first entry in row-major order; jobs of equal dimension keep the order
 * of the file. Each job has one finish time, so that the update of all its entries
 * (lines 23-30) is one addition.
 *
 * Sums of rows and columns are computed once per job, so that a candidate's load is
 * one addition: O(side^2) per job. Numbers are GMP integers in units of
 * 1 / (unit * 2^shift); the shift grows if a division by sigma would have a
 * remainder.
 */
#include "papers/offline/cnp.h"

#include <errno.h>
#include <limits.h>

#include "torus/alloc.h"

struct cnp {
	struct torus_cnp *plan;
	uint32_t *order;
	uint32_t m, side, log2_side;
	uint32_t *holder; /* side x side */
	uint32_t *seen;   /* per job: number of the step that examined it
			     last */
	uint32_t turn;
	mpz_t *row, *col; /* sums of shared time */
	uint32_t sums;    /* number of initialised elements in row and in col */
	struct torus_cnp_time now;
	mpz_t t, least, load, left, share;
	torus_cnp_each *each; /* or NULL */
	void *arg;
};

int torus_cnp_check(const struct torus_offline_jobs *jobs, const char *name,
		    struct torus_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct torus_offline_job *job = &jobs->job[i];

		if (job->d & (job->d - 1))
			rc = torus_error_add(err,
					     "%s:%u: d: got \"%u\", expected a power of two",
					     name, job->line ? job->line : i + 1,
					     job->d);
	}
	return rc;
}

/* Make the unit finer by `bits` bits: scale the times of unfinished jobs. */
static void cnp_refine(struct cnp *c, uint32_t bits)
{
	uint32_t shift = c->now.shift + bits;

	mpz_mul_2exp(c->now.value, c->now.value, bits);
	mpz_mul_2exp(c->t, c->t, bits);
	c->now.shift = shift;
	for (uint32_t e = 0; e < c->side * c->side; e++) {
		struct torus_cnp_time *end;

		if (c->holder[e] == TORUS_CNP_FREE)
			continue;
		end = &c->plan->job[c->holder[e]].finish;
		mpz_mul_2exp(end->value, end->value, shift - end->shift);
		end->shift = shift;
	}
}

/* Expand the matrix for a smaller dimension (lines 5-10). 0, or -1 with
 * ENOMEM. */
static int cnp_expand(struct cnp *c, uint32_t d)
{
	uint32_t side = c->m / d;
	uint32_t *holder = torus_alloc((size_t)side * side, sizeof(*holder));

	if (!holder || TORUS_RESIZE(c->row, side) ||
	    TORUS_RESIZE(c->col, side)) {
		torus_free(holder);
		return -1;
	}
	for (; c->sums < side; c->sums++)
		mpz_inits(c->row[c->sums], c->col[c->sums], NULL);
	for (uint32_t e = 0; e < side * side; e++)
		holder[e] = c->side ? c->holder[e / side % c->side * c->side +
						e % side % c->side] :
				      TORUS_CNP_FREE;
	torus_free(c->holder);
	c->holder = holder;
	c->side = side;
	c->log2_side = (uint32_t)__builtin_ctz(side);
	return 0;
}

/* Advance to the first time at which an entry is free, and mark all entries
 * that are free then (lines 12-15). */
static void cnp_advance(struct cnp *c)
{
	const struct torus_cnp_job *job = c->plan->job;
	uint32_t entries = c->side * c->side, first = c->holder[0];

	for (uint32_t e = 0; e < entries; e++) {
		uint32_t holder = c->holder[e];

		if (holder == TORUS_CNP_FREE)
			return;
		if (mpz_cmp(job[holder].finish.value, job[first].finish.value) <
		    0)
			first = holder;
	}
	mpz_set(c->now.value, job[first].finish.value);
	for (uint32_t e = 0; e < entries; e++) {
		if (!mpz_cmp(job[c->holder[e]].finish.value, c->now.value))
			c->holder[e] = TORUS_CNP_FREE;
	}
}

/* Compute how long the new job and the job of an entry run at the same time:
 * share = min(t, remaining time), without the new dilation. */
static void cnp_overlap(struct cnp *c, uint32_t holder)
{
	mpz_sub(c->left, c->plan->job[holder].finish.value, c->now.value);
	mpz_set(c->share, mpz_cmp(c->t, c->left) < 0 ? c->t : c->left);
}

static void sums_make(struct cnp *c)
{
	for (uint32_t i = 0; i < c->side; i++) {
		mpz_set_ui(c->row[i], 0);
		mpz_set_ui(c->col[i], 0);
	}
	if (c->plan->jobs->alone)
		return;
	for (uint32_t i = 0, e = 0; i < c->side; i++) {
		for (uint32_t j = 0; j < c->side; j++, e++) {
			if (c->holder[e] == TORUS_CNP_FREE)
				continue;
			cnp_overlap(c, c->holder[e]);
			mpz_add(c->row[i], c->row[i], c->share);
			mpz_add(c->col[j], c->col[j], c->share);
		}
	}
}

/* Return the free entry with the least load; ties go to the first. `load` gets
 * its load times sigma. A free entry adds nothing to its own row and column. */
static uint32_t cnp_choose(struct cnp *c)
{
	uint32_t best = TORUS_CNP_FREE;

	for (uint32_t e = 0; e < c->side * c->side; e++) {
		if (c->holder[e] != TORUS_CNP_FREE)
			continue;
		mpz_add(c->load, c->row[e / c->side], c->col[e % c->side]);
		if (best != TORUS_CNP_FREE && mpz_cmp(c->load, c->least) >= 0)
			continue;
		mpz_swap(c->load, c->least);
		best = e;
	}
	mpz_swap(c->load, c->least);
	return best;
}

/* Return the k-th of the 2 sigma entries in the row and the column of `at`. */
static uint32_t cnp_beside(const struct cnp *c, uint32_t at, uint32_t k)
{
	return k < c->side ? at / c->side * c->side + k :
			     (k - c->side) * c->side + at % c->side;
}

/* Return how many bits the shift must grow so that sigma divides all shares.
 * The load is a sum of shares. */
static uint32_t bits_wanted(struct cnp *c, uint32_t at)
{
	uint32_t wanted = 0;

	for (uint32_t k = 0; k < 2 * c->side; k++) {
		uint32_t holder = c->holder[cnp_beside(c, at, k)], zeros;

		if (holder == TORUS_CNP_FREE)
			continue;
		cnp_overlap(c, holder);
		zeros = (uint32_t)mpz_scan1(c->share, 0);
		if (zeros < c->log2_side && c->log2_side - zeros > wanted)
			wanted = c->log2_side - zeros;
	}
	return wanted;
}

static void cnp_call_each(const struct cnp *c, enum torus_cnp_step step,
			  uint32_t index)
{
	const struct torus_cnp_matrix view = {
		.plan = c->plan,
		.step = step,
		.side = c->side,
		.holder = c->holder,
		.now = &c->now,
		.row = step == TORUS_CNP_READY ? c->row : NULL,
		.col = step == TORUS_CNP_READY ? c->col : NULL,
	};

	if (c->each)
		c->each(c->arg, &view, index);
}

/* Place a job. 0, or -1 with errno. */
static int cnp_schedule(struct cnp *c, uint32_t index, int64_t t)
{
	struct torus_cnp_job *job = &c->plan->job[index];
	uint32_t at, bits;

	mpz_set_si(c->t, t);
	mpz_mul_2exp(c->t, c->t, c->now.shift);
	cnp_advance(c);
	sums_make(c);
	cnp_call_each(c, TORUS_CNP_READY, index);
	at = cnp_choose(c);
	bits = c->plan->exact ? bits_wanted(c, at) : 0;
	if (bits + c->now.shift > TORUS_CNP_BITS) {
		errno = EOVERFLOW;
		return -1;
	}
	if (bits) {
		cnp_refine(c, bits);
		mpz_mul_2exp(c->load, c->load, bits);
	}
	if (!c->plan->jobs->alone) {
		/* Dilate every job in the row and the column once (lines 23-33). */
		c->turn++;
		for (uint32_t k = 0; k < 2 * c->side; k++) {
			uint32_t holder = c->holder[cnp_beside(c, at, k)];
			struct torus_cnp_time *end;

			if (holder == TORUS_CNP_FREE ||
			    c->seen[holder] == c->turn)
				continue;
			c->seen[holder] = c->turn;
			cnp_overlap(c, holder);
			mpz_cdiv_q_2exp(c->share, c->share, c->log2_side);
			end = &c->plan->job[holder].finish;
			mpz_add(end->value, end->value, c->share);
		}
	}
	mpz_cdiv_q_2exp(c->load, c->load, c->log2_side);
	job->row = at / c->side;
	job->col = at % c->side;
	mpz_set(job->start.value, c->now.value);
	mpz_add(job->finish.value, c->now.value, c->t);
	mpz_add(job->finish.value, job->finish.value, c->load);
	job->start.shift = job->finish.shift = c->now.shift;
	c->holder[at] = index;
	return 0;
}

/* Return true if a < b. The shifts may differ. */
static bool cnp_earlier(struct cnp *c, const struct torus_cnp_time *a,
			const struct torus_cnp_time *b)
{
	uint32_t shift = a->shift > b->shift ? a->shift : b->shift;

	mpz_mul_2exp(c->left, a->value, shift - a->shift);
	mpz_mul_2exp(c->share, b->value, shift - b->shift);
	return mpz_cmp(c->left, c->share) < 0;
}

static struct torus_cnp *plan_create(const struct torus_offline_jobs *jobs)
{
	struct torus_cnp *plan = torus_alloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->jobs = jobs;
	plan->unit = jobs->unit;
	plan->job = torus_alloc(jobs->n, sizeof(*plan->job));
	if (!plan->job) {
		torus_free(plan);
		return NULL;
	}
	mpz_init(plan->makespan.value);
	for (uint32_t i = 0; i < jobs->n; i++)
		mpz_inits(plan->job[i].start.value, plan->job[i].finish.value,
			  NULL);
	return plan;
}

void torus_cnp_destroy(struct torus_cnp *plan)
{
	int saved = errno;

	if (!plan)
		return;
	for (uint32_t i = 0; i < plan->jobs->n; i++)
		mpz_clears(plan->job[i].start.value, plan->job[i].finish.value,
			   NULL);
	mpz_clear(plan->makespan.value);
	torus_free(plan->job);
	torus_free(plan);
	errno = saved;
}

/* Choose a unit that can express `decimals` decimals; *times gets the factor
 * from the jobs' unit to it. -1: it does not fit. */
static int unit_set(struct torus_cnp *plan, int decimals, int64_t *times)
{
	int64_t unit = plan->unit, rest;

	*times = 1;
	if (decimals < 0) {
		plan->exact = true;
		return 0;
	}
	for (int factor = 2; factor <= 5; factor += 3) {
		int have = 0;

		for (rest = plan->unit; rest % factor == 0; rest /= factor)
			have++;
		for (; have < decimals; have++) {
			if (unit > TORUS_OFFLINE_TIME_MAX / factor)
				return -1;
			unit *= factor;
			*times *= factor;
		}
	}
	plan->unit = unit;
	return 0;
}

static int cnp_do_run(struct cnp *c, int64_t times, struct torus_error *err)
{
	const struct torus_offline_jobs *jobs = c->plan->jobs;
	struct torus_cnp *plan;
	uint32_t last = 0;

	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct torus_offline_job *job = &jobs->job[c->order[i]];
		int64_t t;

		if (__builtin_mul_overflow(job->t, times, &t))
			return torus_error_add(
				err,
				"times with so many decimals do not fit into 18 digits");
		if (c->m / job->d != c->side) {
			if (cnp_expand(c, job->d))
				return -1;
			cnp_call_each(c, TORUS_CNP_EXPANDED, c->order[i]);
		}
		if (cnp_schedule(c, c->order[i], t)) {
			torus_error_add(err,
					"job %u: its exact times need more than %u binary digits behind the point; --decimals 6 rounds loads up instead",
					c->order[i] + 1, TORUS_CNP_BITS);
			errno = EOVERFLOW;
			return -1;
		}
		cnp_call_each(c, TORUS_CNP_PLACED, c->order[i]);
	}
	plan = c->plan;
	for (uint32_t i = 1; i < plan->jobs->n; i++) {
		if (cnp_earlier(c, &plan->job[last].finish,
				&plan->job[i].finish))
			last = i;
	}
	mpz_set(plan->makespan.value, plan->job[last].finish.value);
	plan->makespan.shift = plan->job[last].finish.shift;
	return 0;
}

struct torus_cnp *torus_cnp_plan(const struct torus_offline_jobs *jobs,
				 uint32_t m, int decimals, torus_cnp_each *each,
				 void *arg, struct torus_error *err)
{
	struct cnp c = {
		.plan = plan_create(jobs), .m = m, .each = each, .arg = arg
	};
	struct torus_cnp *plan = c.plan;
	int64_t times;
	int rc = -1;

	if (!plan)
		return NULL;
	mpz_inits(c.now.value, c.t, c.least, c.load, c.left, c.share, NULL);
	c.order = torus_offline_order(jobs);
	c.seen = torus_alloc(jobs->n, sizeof(*c.seen));
	if (unit_set(plan, decimals, &times))
		torus_error_add(err,
				"--decimals: got \"%d\": with these times it does not fit into 18 digits",
				decimals);
	else if (c.order && c.seen)
		rc = cnp_do_run(&c, times, err);
	for (uint32_t i = 0; i < c.sums; i++)
		mpz_clears(c.row[i], c.col[i], NULL);
	mpz_clears(c.now.value, c.t, c.least, c.load, c.left, c.share, NULL);
	torus_free(c.order);
	torus_free(c.holder);
	torus_free(c.seen);
	torus_free(c.row);
	torus_free(c.col);
	if (!rc)
		return plan;
	torus_cnp_destroy(plan);
	return NULL;
}
