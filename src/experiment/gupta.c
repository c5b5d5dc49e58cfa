/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gupta, Srimani (1997), section 2: the worked example of CNP_Alloc with its
 * availability matrices (2.4.4), and Fig. 4's loads. All exact.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/lab.h"
#include "experiment/papers.h"
#include "experiment/plot.h"
#include "offline/cnp.h"

#define PAPER "Gupta, Srimani 1997"

/* A time of a plan, minus `from` if that is not NULL, into a buffer. */
static const char *gupta_cnp_text(const struct torus_cnp *plan,
				  const struct torus_cnp_time *t,
				  const struct torus_cnp_time *from,
				  char buffer[64])
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

static double gupta_number(const char *text)
{
	const char *slash = strchr(text, '/');

	return slash ? atof(text) / atof(slash + 1) : atof(text);
}

/*
 * Section 2.4.4
 */

static struct torus_offline_job example[] = {
	{ 8, 0, 2 }, { 4, 0, 2 }, { 4, 0, 4 },
	{ 4, 0, 4 }, { 4, 0, 1 }, { 2, 0, 4 },
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
			 gupta_cnp_text(a->plan, &a->plan->job[id].finish,
					a->now, left),
			 a->plan->jobs->job[id].d, id + 1);
}

/* "J4,0,1,7,4,4": after J4 entry (0,1) is (7, 4, 4). */
static void matrix_row(void *arg, const struct torus_cnp_matrix *a, uint32_t job)
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
					 !e          ? "" :
					 e % a->side ? " " :
						       "; ",
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
		torus_lab_claim(lab,
				!strcmp(text, paper_matrix[i].text) ?
					TORUS_CLAIM_REPRODUCED :
					TORUS_CLAIM_NOT,
				NULL, says, "%s", text);
	}
}

static void cnp_compare(struct torus_lab *lab, const struct torus_cnp *plan)
{
	static const char *const says[] = {
		"J1 (8,2): 0 to 2 at (0,0)",   "J2 (4,2): 2 to 5.875 at (0,0)",
		"J3 (4,4): 2 to 8.5 at (1,1)", "J4 (4,4): 2 to 9 at (0,1)",
		"J5 (4,1): 2 to 4 at (1,0)",   "J6 (2,4): 4 to 10.75 at (1,0)",
	};

	for (uint32_t i = 0; i < 6; i++) {
		const struct torus_cnp_job *j = &plan->job[i];
		char start[64], finish[64], place[32];
		bool same;

		gupta_cnp_text(plan, &j->start, NULL, start);
		gupta_cnp_text(plan, &j->finish, NULL, finish);
		snprintf(place, sizeof(place), "%u,%u", j->row, j->col);
		same = !strcmp(start, paper_start[i]) &&
		       !strcmp(finish, paper_finish[i]) &&
		       !strcmp(place, paper_place[i]);
		torus_lab_claim(lab,
				same ? TORUS_CLAIM_REPRODUCED : TORUS_CLAIM_NOT,
				i == 2 ?
					"the paper's own matrices give 9.5: 5.5 left at time 4" :
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
		double start = gupta_number(
			gupta_cnp_text(plan, &plan->job[i].start, NULL, text));

		if (start + (double)example[i].t > last)
			last = start + (double)example[i].t;
	}
	torus_lab_claim(lab,
			last == 10 ? TORUS_CLAIM_REPRODUCED : TORUS_CLAIM_NOT,
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
	fprintf(out,
		"set xlabel \"time\"\nset ylabel \"job\"\n"
		"set xrange [0:11.5]\nset yrange [6.6:0.4]\nset key inside right top\n"
		"set ytics 1\n");
	for (uint32_t i = 0; i < 6; i++) {
		const struct torus_cnp_job *j = &plan->job[i];
		double start = gupta_number(
			gupta_cnp_text(plan, &j->start, NULL, text));
		double end = gupta_number(
			gupta_cnp_text(plan, &j->finish, NULL, text));
		double alone = start + (double)example[i].t;

		fprintf(out,
			"set object rect from %g,%g to %g,%g fc rgb '#9cc3e6' lw 1\n",
			start, i + 0.7, alone, i + 1.3);
		if (end > alone)
			fprintf(out,
				"set object rect from %g,%g to %g,%g fc rgb '#f2b8a8' lw 1\n",
				alone, i + 0.7, end, i + 1.3);
		fprintf(out, "set label '%ux%u (%u,%u)' at %g,%u\n",
			example[i].d, example[i].d, j->row, j->col, start + 0.1,
			i + 1);
	}
	fprintf(out,
		"set style fill solid border lc black\n"
		"plot -1 with boxes fc rgb '#9cc3e6' title 'alone', "
		"-1 with boxes fc rgb '#f2b8a8' title 'added by contention'\n");
	return torus_plot_end(lab, out);
}

static int cnp_exact(struct torus_lab *lab)
{
	struct torus_offline_jobs jobs = { .job = example, .n = 6, .unit = 1 };
	struct matrices m = { .out = torus_lab_open(lab, "csv") };
	struct torus_cnp *plan;
	char text[64];
	int rc = -1;

	if (!m.out)
		return -1;
	fprintf(m.out, "after,row,col,tm,sz,id\n");
	plan = torus_cnp_plan(&jobs, 8, -1, matrix_row, &m, NULL);
	if (torus_lab_close(m.out) || !plan)
		goto out;
	matrices_compare(lab, &m);
	cnp_compare(lab, plan);
	gupta_cnp_text(plan, &plan->makespan, NULL, text);
	torus_lab_claim(lab,
			!strcmp(text, "10.75") ? TORUS_CLAIM_REPRODUCED :
						 TORUS_CLAIM_NOT,
			NULL, "the schedule length is 10.75", "%s", text);
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
	struct torus_offline_job job[] = { { 4, 0, 100 },
					   { 4, 0, 100 },
					   { 4, 0, 10 },
					   { 4, 0, 100 },
					   { 2, 0, 8 } };
	struct torus_offline_jobs all = { .job = job, .n = 5, .unit = 1 };
	struct torus_offline_jobs before = { .job = job, .n = 4, .unit = 1 };
	struct torus_cnp *a = torus_cnp_plan(&before, 8, -1, NULL, NULL, NULL);
	struct torus_cnp *b = torus_cnp_plan(&all, 8, -1, NULL, NULL, NULL);
	FILE *out = a && b ? torus_lab_open(lab, "csv") : NULL;
	char text[64];
	double large, small;
	int rc = -1;

	if (!out)
		goto out;
	large = gupta_number(gupta_cnp_text(b, &b->job[0].finish, NULL, text));
	large -= gupta_number(gupta_cnp_text(a, &a->job[0].finish, NULL, text));
	small = gupta_number(gupta_cnp_text(b, &b->job[4].finish, NULL, text));
	small -= gupta_number(gupta_cnp_text(b, &b->job[4].start, NULL, text)) +
		 8;
	fprintf(out,
		"job,time together,dilation\n4x4 at (0,0),8,%g\n"
		"2x2 at (%u,%u),8,%g\n",
		large, b->job[4].row, b->job[4].col, small);
	rc = torus_lab_close(out);
	torus_lab_claim(lab,
			large == 2 ? TORUS_CLAIM_REPRODUCED : TORUS_CLAIM_NOT,
			NULL, "the 4x4 is dilated by D/4", "%g of D = 8", large);
	torus_lab_claim(lab,
			small == 8 ? TORUS_CLAIM_REPRODUCED : TORUS_CLAIM_NOT,
			NULL,
			"the 2x2 is dilated by D/2 for each 4x4 whose links it shares (here one in its rows, one in its columns)",
			"%g of D = 8", small);
out:
	torus_cnp_destroy(a);
	torus_cnp_destroy(b);
	return rc;
}

const struct torus_experiment torus_gupta_cnp = {
	.name = "gupta-example",
	.paper = PAPER,
	.number = "section 2.4.4",
	.title = "the worked example of CNP_Alloc",
	.exact = cnp_exact,
};
const struct torus_experiment torus_gupta_fig4 = {
	.name = "gupta-fig4",
	.paper = PAPER,
	.number = "Fig. 4",
	.title = "dilation of jobs of different dimension",
	.exact = fig4_exact,
};
