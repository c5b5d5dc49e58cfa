/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gupta, Srimani (1997): the worked example of CNP_Alloc with its availability
 * matrices (section 2.4.4), Fig. 4's loads, the feasibility example with its
 * profiles and Fig. 5, and the ends of the search for the least deadline
 * (section 4). All exact; chance enters only into the random sets of the last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/lab.h"
#include "experiment/papers.h"
#include "experiment/plot.h"
#include "offline/cnp.h"
#include "offline/preemptive.h"
#include "trace/random.h"

#define PAPER "Gupta, Srimani 1997"

static FILE *data_begin(const struct torus_lab *lab)
{
	char *path = torus_lab_path(lab, "csv");
	FILE *out = path ? fopen(path, "we") : NULL;

	free(path);
	if (out)
		torus_lab_provenance(lab, out);
	return out;
}

static int file_end(FILE *out)
{
	bool bad = ferror(out);

	return fclose(out) || bad ? -1 : 0;
}

/* A time of a plan, minus `from` if that is not NULL, into a buffer. */
static const char *cnp_text(const struct torus_cnp *plan,
			    const struct torus_cnp_time *t,
			    const struct torus_cnp_time *from, char buffer[64])
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
	snprintf(buffer, 64, "%s", text ? text : "?");
	free(text);
	mpz_clears(num, den, NULL);
	return buffer;
}

static double number(const char *text)
{
	const char *slash = strchr(text, '/');

	return slash ? atof(text) / atof(slash + 1) : atof(text);
}

/*
 * Section 2.4.4
 */

static struct torus_offline_job example[] = {
	{ 8, 0, 2 }, { 4, 0, 2 }, { 4, 0, 4 }, { 4, 0, 4 }, { 4, 0, 1 },
	{ 2, 0, 4 },
};
static const char *const paper_start[] = { "0", "2", "2", "2", "2", "4" };
static const char *const paper_finish[] = { "2", "5.875", "8.5",
					    "9", "4",     "10.75" };
static const char *const paper_place[] = { "0,0", "0,0", "1,1",
					   "0,1", "1,0", "1,0" };

/* After the job (from 0), rows of (tm,sz,id). */
static const struct {
	uint32_t job;
	const char *text;
} paper_matrix[] = {
	{ 2, "(2,4,2) free; free (4,4,3)" },
	{ 3, "(3,4,2) (7,4,4); free (6,4,3)" },
	{ 4, "(3.5,4,2) (7,4,4); (2,4,5) (6.5,4,3)" },
	{ 5, "(1.875,4,2) (5,4,4) (1.875,4,2) (5,4,4); "
	  "(6.75,2,6) (5.5,4,3) free (5.5,4,3); "
	  "(1.875,4,2) (5,4,4) (1.875,4,2) (5,4,4); "
	  "free (5.5,4,3) free (5.5,4,3)" },
};

struct matrices {
	FILE *out;
	char text[6][512]; /* after each job, as above */
};

/* "7,4,4": time left, dimension, job; "": free. */
static void entry_text(const struct torus_cnp_matrix *a, uint32_t e,
		       char buffer[96])
{
	uint32_t id = a->holder[e];
	char left[64];

	*buffer = '\0';
	if (id != TORUS_CNP_FREE)
		snprintf(buffer, 96, "%s,%u,%u",
			 cnp_text(a->plan, &a->plan->job[id].finish, a->now,
				  left),
			 a->plan->jobs->job[id].d, id + 1);
}

/* "J4,0,1,7,4,4": after J4 entry (0,1) is (7, 4, 4). */
static void matrix_row(void *arg, const struct torus_cnp_matrix *a,
		       uint32_t job)
{
	struct matrices *m = arg;
	char *text = m->text[job], entry[96];
	size_t used = 0, size = sizeof(m->text[job]);

	for (uint32_t e = 0; e < a->side * a->side && used < size; e++) {
		entry_text(a, e, entry);
		fprintf(m->out, "J%u,%u,%u,%s\n", job + 1, e / a->side,
			e % a->side, *entry ? entry : "0,*,*");
		used += (size_t)snprintf(text + used, size - used,
					 *entry ? "%s(%s)" : "%sfree",
					 !e ? "" : e % a->side ? " " : "; ",
					 entry);
	}
}

static void matrices_compare(struct torus_lab *lab, const struct matrices *m)
{
	for (size_t i = 0; i < sizeof(paper_matrix) / sizeof(*paper_matrix);
	     i++) {
		const char *text = m->text[paper_matrix[i].job];
		char says[512];

		snprintf(says, sizeof(says), "the matrix after J%u: %s",
			 paper_matrix[i].job + 1, paper_matrix[i].text);
		torus_lab_claim(lab, !strcmp(text, paper_matrix[i].text) ?
				TORUS_CLAIM_REPRODUCED : TORUS_CLAIM_NOT,
				NULL, says, "%s", text);
	}
}

static void cnp_compare(struct torus_lab *lab, const struct torus_cnp *plan)
{
	static const char *const says[] = {
		"J1 (8,2): 0 to 2 at (0,0)", "J2 (4,2): 2 to 5.875 at (0,0)",
		"J3 (4,4): 2 to 8.5 at (1,1)", "J4 (4,4): 2 to 9 at (0,1)",
		"J5 (4,1): 2 to 4 at (1,0)", "J6 (2,4): 4 to 10.75 at (1,0)",
	};

	for (uint32_t i = 0; i < 6; i++) {
		const struct torus_cnp_job *j = &plan->job[i];
		char start[64], finish[64], place[32];
		bool same;

		cnp_text(plan, &j->start, NULL, start);
		cnp_text(plan, &j->finish, NULL, finish);
		snprintf(place, sizeof(place), "%u,%u", j->row, j->col);
		same = !strcmp(start, paper_start[i]) &&
		       !strcmp(finish, paper_finish[i]) &&
		       !strcmp(place, paper_place[i]);
		torus_lab_claim(lab, same ? TORUS_CLAIM_REPRODUCED :
					    TORUS_CLAIM_NOT,
				i == 2 ? "the paper's own matrices give 9.5: 5.5 left at time 4" :
					 NULL,
				says[i], "%s to %s at (%s)", start, finish,
				place);
	}
}

static void undilated_claim(struct torus_lab *lab, const struct torus_cnp *plan)
{
	double last = 0;
	char text[64];

	for (uint32_t i = 0; i < 6; i++) {
		double start = number(cnp_text(plan, &plan->job[i].start, NULL,
					       text));

		if (start + (double)example[i].t > last)
			last = start + (double)example[i].t;
	}
	torus_lab_claim(lab, last == 10 ? TORUS_CLAIM_REPRODUCED :
					  TORUS_CLAIM_NOT,
			"no start and time of the paper's own table add up to 10",
			"without the dilations its length would be 10",
			"%g: J6 from 4 on", last);
}

static int cnp_draw(const struct torus_lab *lab, const struct torus_cnp *plan)
{
	FILE *out = torus_plot_begin(lab);
	char text[64];

	if (!out)
		return -1;
	fprintf(out, "set xlabel \"time\"\nset ylabel \"job\"\n"
		"set xrange [0:11.5]\nset yrange [6.6:0.4]\nset key inside right top\n"
		"set ytics 1\n");
	for (uint32_t i = 0; i < 6; i++) {
		const struct torus_cnp_job *j = &plan->job[i];
		double start = number(cnp_text(plan, &j->start, NULL, text));
		double end = number(cnp_text(plan, &j->finish, NULL, text));
		double alone = start + (double)example[i].t;

		fprintf(out, "set object rect from %g,%g to %g,%g fc rgb '#9cc3e6' lw 1\n",
			start, i + 0.7, alone, i + 1.3);
		if (end > alone)
			fprintf(out, "set object rect from %g,%g to %g,%g fc rgb '#f2b8a8' lw 1\n",
				alone, i + 0.7, end, i + 1.3);
		fprintf(out, "set label '%ux%u (%u,%u)' at %g,%u\n",
			example[i].d, example[i].d, j->row, j->col,
			start + 0.1, i + 1);
	}
	fprintf(out, "set style fill solid border lc black\n"
		"plot -1 with boxes fc rgb '#9cc3e6' title 'alone', "
		"-1 with boxes fc rgb '#f2b8a8' title 'added by contention'\n");
	return torus_plot_end(lab, out);
}

static int cnp_exact(struct torus_lab *lab)
{
	struct torus_offline_jobs jobs = { .job = example, .n = 6, .unit = 1 };
	struct matrices m = { .out = data_begin(lab) };
	struct torus_cnp *plan;
	char text[64];
	int rc = -1;

	if (!m.out)
		return -1;
	fprintf(m.out, "after,row,col,tm,sz,id\n");
	plan = torus_cnp_plan(&jobs, 8, -1, matrix_row, &m, NULL);
	if (file_end(m.out) || !plan)
		goto out;
	matrices_compare(lab, &m);
	cnp_compare(lab, plan);
	cnp_text(plan, &plan->makespan, NULL, text);
	torus_lab_claim(lab, !strcmp(text, "10.75") ? TORUS_CLAIM_REPRODUCED :
						      TORUS_CLAIM_NOT, NULL,
			"the schedule length is 10.75", "%s", text);
	undilated_claim(lab, plan);
	rc = cnp_draw(lab, plan) < 0 ? -1 : 0;
out:
	torus_cnp_destroy(plan);
	return rc;
}

/*
 * Fig. 4: what a 2x2 job at (0,1) adds to the 4x4 at (0,0), and the reverse.
 * The other 4x4 subtori are held by jobs that are as long with it as without.
 */
static int fig4_exact(struct torus_lab *lab)
{
	struct torus_offline_job job[] = { { 4, 0, 100 }, { 4, 0, 100 },
					   { 4, 0, 10 },  { 4, 0, 100 },
					   { 2, 0, 8 } };
	struct torus_offline_jobs all = { .job = job, .n = 5, .unit = 1 };
	struct torus_offline_jobs before = { .job = job, .n = 4, .unit = 1 };
	struct torus_cnp *a = torus_cnp_plan(&before, 8, -1, NULL, NULL, NULL);
	struct torus_cnp *b = torus_cnp_plan(&all, 8, -1, NULL, NULL, NULL);
	FILE *out = a && b ? data_begin(lab) : NULL;
	char text[64];
	double large, small;
	int rc = -1;

	if (!out)
		goto out;
	large = number(cnp_text(b, &b->job[0].finish, NULL, text));
	large -= number(cnp_text(a, &a->job[0].finish, NULL, text));
	small = number(cnp_text(b, &b->job[4].finish, NULL, text));
	small -= number(cnp_text(b, &b->job[4].start, NULL, text)) + 8;
	fprintf(out, "job,time together,dilation\n4x4 at (0,0),8,%g\n"
		"2x2 at (%u,%u),8,%g\n", large, b->job[4].row, b->job[4].col,
		small);
	rc = file_end(out);
	torus_lab_claim(lab, large == 2 ? TORUS_CLAIM_REPRODUCED :
					  TORUS_CLAIM_NOT, NULL,
			"the 4x4 is dilated by D/4", "%g of D = 8", large);
	torus_lab_claim(lab, small == 8 ? TORUS_CLAIM_REPRODUCED :
					  TORUS_CLAIM_NOT, NULL,
			"the 2x2 is dilated by D/2 for each 4x4 whose links it shares (here one in its rows, one in its columns)",
			"%g of D = 8", small);
out:
	torus_cnp_destroy(a);
	torus_cnp_destroy(b);
	return rc;
}

/*
 * Section 3
 */

/* In halves. */
static struct torus_offline_job feasible[] = {
	{ 8, 0, 4 }, { 4, 0, 8 }, { 4, 0, 6 }, { 2, 0, 4 }, { 2, 0, 5 },
};

#define STEP_4 "Step 4 as printed drops the rest of entry j, which Lemma 2 needs; it is kept here"
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

static void profiles_compare(struct torus_lab *lab, const struct profiles *p)
{
	for (uint32_t i = 0; i < 5; i++) {
		char says[128];

		snprintf(says, sizeof(says), "the profile after J%u is %s",
			 i + 1, paper_profile[i].text);
		torus_lab_claim(lab,
				!strcmp(p->text[i], paper_profile[i].text) ?
				TORUS_CLAIM_REPRODUCED : TORUS_CLAIM_NOT,
				paper_profile[i].why, says, "%s", p->text[i]);
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
	fprintf(out, "set xlabel \"rows and columns of the torus\"\n"
		"set ylabel \"time\"\nset xrange [0:16]\nset yrange [0:4]\n"
		"set xtics 2\nset ytics 1\nunset key\n");
	for (uint32_t i = 0; i < p->jobs->n; i++) {
		for (int k = 0; k < 2; k++) {
			const struct torus_slice *s = &p->slice[i][k];
			double low = (double)s->start / unit;
			double high = (double)s->end / unit;
			uint32_t d = p->jobs->job[i].d;

			if (s->start == s->end)
				continue;
			fprintf(out, "set object rect from %u,%g to %u,%g fc rgb '%s' lw 1\n"
				"set label 'J%u' at %g,%g center\n", s->first,
				low, s->first + d, high, colour[i], i + 1,
				s->first + d / 2.0, (low + high) / 2);
		}
	}
	fprintf(out, "plot -1 notitle\n");
	return torus_plot_end(lab, out);
}

static int fig5_exact(struct torus_lab *lab)
{
	struct torus_offline_jobs jobs = { .job = feasible, .n = 5,
					   .unit = 2 };
	static const struct torus_ratio four = { 4, 1 };
	struct profiles profiles = { .out = data_begin(lab) };
	struct torus_preemptive *p, *least = NULL;
	int rc = -1;

	if (!profiles.out)
		return -1;
	fprintf(profiles.out, "after,step,first,last,f\n");
	p = torus_preemptive_plan(&jobs, 16, &four, profile_row, &profiles,
				  NULL);
	least = torus_preemptive_plan(&jobs, 16, NULL, NULL, NULL, NULL);
	if (file_end(profiles.out) || !p || !least)
		goto out;
	torus_lab_claim(lab, p->feasible ? TORUS_CLAIM_REPRODUCED :
					   TORUS_CLAIM_NOT, NULL,
			"the five jobs can be done by T = 4", "%s",
			p->feasible ? "feasible" : "infeasible");
	profiles_compare(lab, &profiles);
	torus_lab_claim(lab, least->deadline == 8 * least->scale ?
				     TORUS_CLAIM_REPRODUCED : TORUS_CLAIM_NOT,
			NULL, "T = 4 is the least deadline (the figure has no idle time but in one corner)",
			"%g", (double)least->deadline /
				      (2.0 * (double)least->scale));
	rc = fig5_draw(lab, p) < 0 ? -1 : 0;
out:
	torus_preemptive_destroy(p);
	torus_preemptive_destroy(least);
	return rc;
}

/*
 * Section 4: is the least deadline within [t_max, sum(d^2 t) / m^2]?
 */

#define SETS 1500
#define MOST 12

static int least_one(struct torus_random *random, FILE *out, uint32_t set,
		     uint32_t *above)
{
	struct torus_offline_job job[MOST];
	struct torus_offline_jobs jobs = { .job = job, .unit = 1 };
	double longest = 0, area = 0, least;
	struct torus_preemptive *p;

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
	*above += least > area + 1e-9;
	fprintf(out, "%u,%u,%.10g,%.10g,%.10g\n", set, jobs.n, longest, area,
		least);
	torus_preemptive_destroy(p);
	return 0;
}

static int least_exact(struct torus_lab *lab)
{
	struct torus_random random;
	FILE *out = data_begin(lab);
	uint32_t above = 0;
	int rc = 0;

	if (!out)
		return -1;
	fprintf(out, "# seed 1\nset,jobs,t_max,sum(d^2 t)/m^2,least deadline\n");
	torus_random_init(&random, 1, 0, TORUS_PURPOSE_TIMES);
	for (uint32_t i = 0; i < SETS && !rc; i++)
		rc = least_one(&random, out, i + 1, &above);
	if (file_end(out))
		rc = -1;
	torus_lab_claim(lab, above ? TORUS_CLAIM_NOT : TORUS_CLAIM_REPRODUCED,
			"subtori on the diagonal leave the other nodes idle, so that the area of a job is d m; the search goes up to sum(t)",
			"the least finish time is found between t_max and sum(d^2 t) / m^2",
			"above the upper end in %u of %u random sets (m = 8)", above,
			SETS);
	return rc;
}

const struct torus_experiment torus_gupta_cnp = {
	.name = "gupta-example", .paper = PAPER, .number = "section 2.4.4",
	.title = "the worked example of CNP_Alloc", .exact = cnp_exact,
};
const struct torus_experiment torus_gupta_fig4 = {
	.name = "gupta-fig4", .paper = PAPER, .number = "Fig. 4",
	.title = "dilation of jobs of different dimension",
	.exact = fig4_exact,
};
const struct torus_experiment torus_gupta_fig5 = {
	.name = "gupta-fig5", .paper = PAPER, .number = "Fig. 5",
	.title = "profiles and schedule of the feasibility example",
	.exact = fig5_exact,
};
const struct torus_experiment torus_gupta_least = {
	.name = "gupta-least", .paper = PAPER, .number = "section 4",
	.title = "where the least finish time lies", .exact = least_exact,
};
