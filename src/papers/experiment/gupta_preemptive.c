/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gupta, Srimani (1997), sections 3 and 4: the feasibility example with its
 * profiles and Fig. 5, and the bounds of the search for the least deadline. All
 * exact; only the last claim uses random sets.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"
#include "papers/experiment/papers.h"
#include "papers/experiment/plot.h"
#include "papers/offline/preemptive.h"
#include "trace/models/random.h"

#define PAPER "Gupta, Srimani 1997"

/*
 * Section 3
 */

/* In halves. */
static struct torus_offline_job feasible[] = {
	{ 8, 0, 4 }, { 4, 0, 8 }, { 4, 0, 6 }, { 2, 0, 4 }, { 2, 0, 5 },
};

#define STEP_4                                                                 \
	"Step 4 as printed drops the rest of entry j, which Lemma 2 needs; it is kept here"
#define AFTER_4 "what Step 4 left of J3's entry is used"

static const struct {
	const char *text, *why;
} paper_profile[] = {
	{ "([0,7],2) ([8,15],0)", NULL },
	{ "([0,7],2) ([12,15],0)", NULL },
	{ "([12,15],1)", STEP_4 },
	{ "([12,13],3) ([14,15],1)", AFTER_4 },
	{ "([14,15],1.5)", STEP_4 },
};

struct profiles {
	FILE *out;
	char text[5][256]; /* after each job, as above */
};

static void profile_row(void *arg, const struct torus_preemptive *p,
			uint32_t job, int step)
{
	const struct torus_stairs *s = &p->profile;
	struct profiles *profiles = arg;
	char *text = profiles->text[job], *to = text;

	for (uint32_t at = s->front; at; at = s->stair[at].after) {
		const struct torus_stair *stair = &s->stair[at];
		uint32_t last = stair->first + stair->width - 1;
		double f = (double)(p->deadline - stair->left) /
			   (double)(p->jobs->unit * p->scale);

		fprintf(profiles->out, "J%u,%d,%u,%u,%g\n", job + 1, step,
			stair->first, last, f);
		to += sprintf(to, "%s([%u,%u],%g)", to == text ? "" : " ",
			      stair->first, last, f);
	}
}

static int fig5_draw(const struct torus_lab *lab,
		     const struct torus_preemptive *p)
{
	static const char *const colour[] = { "#9cc3e6", "#f2b8a8", "#b5d8a6",
					      "#d7b5e0", "#f3dc9b" };
	double unit = (double)(p->jobs->unit * p->scale);
	FILE *out = torus_plot_begin(lab);

	if (!out)
		return -1;
	fprintf(out,
		"set xlabel \"rows and columns of the torus\"\n"
		"set ylabel \"time (the paper's units)\"\nset xrange [0:16]\nset yrange [0:4]\n"
		"set xtics 2\nset ytics 1\nunset key\n");
	for (uint32_t i = 0; i < p->jobs->n; i++) {
		for (int k = 0; k < 2; k++) {
			const struct torus_slice *s = &p->slice[i][k];
			double low = (double)s->start / unit;
			double high = (double)s->end / unit;
			uint32_t d = p->jobs->job[i].d;

			if (s->start == s->end)
				continue;
			fprintf(out,
				"set object rect from %u,%g to %u,%g fc rgb '%s' lw 1\n"
				"set label 'J%u' at %g,%g center\n",
				s->first, low, s->first + d, high, colour[i],
				i + 1, s->first + d / 2.0, (low + high) / 2);
		}
	}
	fprintf(out, "plot -1 notitle\n");
	return torus_plot_end(lab, out);
}

static int fig5_exact(struct torus_lab *lab)
{
	struct torus_offline_jobs jobs = { .job = feasible, .n = 5, .unit = 2 };
	static const struct torus_ratio four = { 4, 1 };
	struct profiles profiles = { .out = torus_lab_open(lab, "csv") };
	struct torus_preemptive *p, *least = NULL;
	int rc = -1;

	if (!profiles.out)
		return -1;
	fprintf(profiles.out, "after,step,first,last,f\n");
	p = torus_preemptive_plan(&jobs, 16, &four, profile_row, &profiles,
				  NULL);
	least = torus_preemptive_plan(&jobs, 16, NULL, NULL, NULL, NULL);
	if (torus_lab_close(profiles.out) || !p || !least)
		goto out;
	torus_lab_claim(lab, torus_lab_exactly(p->feasible), NULL,
			"the five jobs can be done by T = 4",
			"the test finds a schedule", "%s",
			p->feasible ? "feasible" : "infeasible");
	for (uint32_t i = 0; i < 5; i++) {
		char says[128];

		snprintf(says, sizeof(says), "the profile after J%u is %s",
			 i + 1, paper_profile[i].text);
		torus_lab_claim(lab,
				torus_lab_exactly(!strcmp(profiles.text[i],
							  paper_profile[i].text)),
				paper_profile[i].why, says,
				"every step is the same", "%s",
				profiles.text[i]);
	}
	torus_lab_claim(lab,
			torus_lab_exactly(least->deadline == 8 * least->scale),
			NULL,
			"T = 4 is the least deadline (the figure has no idle time but in one corner)",
			"the search for the least deadline ends at 4", "%g",
			(double)least->deadline / (2.0 * (double)least->scale));
	rc = fig5_draw(lab, p) < 0 ? -1 : 0;
out:
	torus_preemptive_destroy(p);
	torus_preemptive_destroy(least);
	return rc;
}

/*
 * Sections 3 and 4, random sets: is the least deadline within [t_max, sum(d^2 t) /
 * m^2], at least both (the necessary conditions), and are there at most n - 1
 * preemptions (Theorem 2)?
 */

#define SETS 1500
#define MOST 12

struct least {
	uint32_t above, below, preempted;
};

static int least_one(struct torus_random *random, FILE *out, uint32_t set,
		     struct least *sum)
{
	struct torus_offline_job job[MOST];
	struct torus_offline_jobs jobs = { .job = job, .unit = 1 };
	double longest = 0, area = 0, least;
	struct torus_preemptive *p;
	uint32_t preemptions = 0;

	jobs.n = 1 + torus_random_below(random, MOST);
	for (uint32_t i = 0; i < jobs.n; i++) {
		uint32_t d = 1u << torus_random_below(random, 4);

		job[i] = (struct torus_offline_job){
			d, 0, 1 + torus_random_below(random, 20)
		};
		area += (double)job[i].t * d * d / 64;
		longest = (double)job[i].t > longest ? (double)job[i].t :
						       longest;
	}
	p = torus_preemptive_plan(&jobs, 8, NULL, NULL, NULL, NULL);
	if (!p)
		return -1;
	least = (double)p->deadline / (double)p->scale;
	for (uint32_t i = 0; i < jobs.n; i++)
		preemptions += p->slice[i][0].start < p->slice[i][0].end &&
			       p->slice[i][1].start < p->slice[i][1].end;
	sum->above += least > area + 1e-9;
	sum->below += least < fmax(longest, area) - 1e-9;
	sum->preempted += preemptions > jobs.n - 1;
	fprintf(out, "%u,%u,%.10g,%.10g,%.10g,%u\n", set, jobs.n, longest, area,
		least, preemptions);
	torus_preemptive_destroy(p);
	return 0;
}

static int least_exact(struct torus_lab *lab)
{
	struct torus_random random;
	FILE *out = torus_lab_open(lab, "csv");
	struct least sum = { 0 };
	int rc = 0;

	if (!out)
		return -1;
	fprintf(out,
		"# seed 1\nset,jobs,t_max,sum(d^2 t)/m^2,least deadline,preemptions\n");
	torus_random_init(&random, 1, 0, TORUS_PURPOSE_TIMES);
	for (uint32_t i = 0; i < SETS && !rc; i++)
		rc = least_one(&random, out, i + 1, &sum);
	if (torus_lab_close(out))
		rc = -1;
	torus_lab_claim(lab, torus_lab_exactly(!sum.above),
			"subtori on the diagonal leave the other nodes idle, so that the area of a job is d m; the search goes up to sum(t)",
			"the least finish time is found between t_max and sum(d^2 t) / m^2",
			"it is in every one of the random sets",
			"above the upper end in %u of %u random sets (m = 8)",
			sum.above, SETS);
	torus_lab_claim(lab, torus_lab_exactly(!sum.below), NULL,
			"section 3: a feasible deadline is at least t_max and sum(d^2 t) / m^2",
			"the least deadline of every random set is",
			"below one of them in %u of %u random sets", sum.below,
			SETS);
	torus_lab_claim(lab, torus_lab_exactly(!sum.preempted), NULL,
			"Theorem 2: a feasible schedule has at most n - 1 preemptions",
			"the schedule of every random set has",
			"more in %u of %u random sets", sum.preempted, SETS);
	return rc;
}

const struct torus_experiment torus_gupta_preemptive[] = {
	EXPERIMENT("gupta-fig5", "Fig. 5",
		   "profiles and schedule of the feasibility example",
		   .verdicts = "rrrnnnr", .exact = fig5_exact),
	EXPERIMENT("gupta-least", "section 4",
		   "where the least finish time lies", .verdicts = "nrr",
		   .exact = least_exact),
	{ .name = NULL },
};
