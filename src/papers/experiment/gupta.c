/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gupta, Srimani (1997), section 2: the worked example of CNP_Alloc with its
 * availability matrices (2.4.4), and Fig. 4's loads. All exact.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/state_text.h"
#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"
#include "papers/experiment/papers.h"
#include "papers/experiment/plot.h"
#include "papers/plan.h"
#include "torus/contention.h"

#define PAPER "Gupta, Srimani 1997"

/* Write a time of a plan, minus `from` unless that is NULL, into a buffer. */
static const char *gupta_cnp_text(const struct torus_cnp *plan,
				  const struct torus_cnp_time *t,
				  const struct torus_cnp_time *from,
				  char buffer[64])
{
	struct torus_text text = { 0 };

	storus_plan_time(&text, plan, t, from);
	snprintf(buffer, 64, "%s", text.data ? text.data : "?");
	torus_text_free(&text);
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

/* Rows of (tm,sz,id) at a step of a job (from 0). */
static const struct {
	uint32_t job;
	enum torus_cnp_step step;
	const char *when, *text;
} paper_matrix[] = {
	{ 2, TORUS_CNP_PLACED, "after J3", "(2,4,2) free; free (4,4,3)" },
	{ 3, TORUS_CNP_PLACED, "after J4", "(3,4,2) (7,4,4); free (6,4,3)" },
	{ 4, TORUS_CNP_PLACED, "after J5",
	  "(3.5,4,2) (7,4,4); (2,4,5) (6.5,4,3)" },
	{ 5, TORUS_CNP_EXPANDED, "expanded for J6",
	  "(3.5,4,2) (7,4,4) (3.5,4,2) (7,4,4); "
	  "(2,4,5) (6.5,4,3) (2,4,5) (6.5,4,3); "
	  "(3.5,4,2) (7,4,4) (3.5,4,2) (7,4,4); "
	  "(2,4,5) (6.5,4,3) (2,4,5) (6.5,4,3)" },
	{ 5, TORUS_CNP_READY, "at time 4",
	  "(1.5,4,2) (5,4,4) (1.5,4,2) (5,4,4); "
	  "free (4.5,4,3) free (4.5,4,3); "
	  "(1.5,4,2) (5,4,4) (1.5,4,2) (5,4,4); "
	  "free (4.5,4,3) free (4.5,4,3)" },
	{ 5, TORUS_CNP_PLACED, "after J6",
	  "(1.875,4,2) (5,4,4) (1.875,4,2) (5,4,4); "
	  "(6.75,2,6) (5.5,4,3) free (5.5,4,3); "
	  "(1.875,4,2) (5,4,4) (1.875,4,2) (5,4,4); "
	  "free (5.5,4,3) free (5.5,4,3)" },
};

#define MIN_FOR_MAX                                                            \
	"the printed sums are not divided by sigma = 2: with Definition 5 they are 1, 1 and 0; the choice is the same"
#define SET_B                                                                  \
	"in the paper's matrix row 2 is taken and row 3 is free: (3,0) and (3,2) are meant"

/* Set B with the loads of J. */
static const struct {
	uint32_t job;
	const char *text, *why;
} paper_loads[] = {
	{ 2, "(0,1) 2, (1,0) 2, (1,1) 0", MIN_FOR_MAX },
	{ 3, "(0,1) 3, (1,0) 3", NULL },
	{ 5, "(1,0) 2.75, (1,2) 2.75, (2,0) 2.75, (2,2) 2.75", SET_B },
};

struct matrices {
	FILE *out;
	char text[6][TORUS_CNP_PLACED + 1][512]; /* by job and step */
	char loads[6][256];                      /* set B, as above */
};

/* "J4,2,0,1,7,4,4": after J4 is placed entry (0,1) is (7, 4, 4). */
static void matrix_row(void *arg, const struct torus_cnp_matrix *a, uint32_t job)
{
	struct matrices *m = arg;
	char *text = m->text[job][a->step], entry[96];
	size_t used = 0, size = sizeof(m->text[job][a->step]);

	if (a->step == TORUS_CNP_READY) {
		struct torus_text loads = { 0 };

		/* Write the free entries and the load on each. */
		for (uint32_t e = 0; e < a->side * a->side; e++) {
			if (a->holder[e] != TORUS_CNP_FREE)
				continue;
			torus_text_add(&loads, "%s(%u,%u) ",
				       loads.length ? ", " : "", e / a->side,
				       e % a->side);
			storus_plan_load(&loads, a, e);
		}
		snprintf(m->loads[job], sizeof(m->loads[job]), "%s",
			 loads.data ? loads.data : "");
		torus_text_free(&loads);
	}
	for (uint32_t e = 0; e < a->side * a->side && used < size; e++) {
		uint32_t id = a->holder[e];
		char left[64];

		/* "7,4,4": time left, dimension, job; "": free. */
		*entry = '\0';
		if (id != TORUS_CNP_FREE)
			snprintf(entry, sizeof(entry), "%s,%u,%u",
				 gupta_cnp_text(a->plan,
						&a->plan->job[id].finish,
						a->now, left),
				 a->plan->jobs->job[id].d, id + 1);
		fprintf(m->out, "J%u,%d,%u,%u,%s\n", job + 1, (int)a->step,
			e / a->side, e % a->side, *entry ? entry : "0,*,*");
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
	char says[512];

	for (size_t i = 0; i < sizeof(paper_matrix) / sizeof(*paper_matrix);
	     i++) {
		const char *text =
			m->text[paper_matrix[i].job][paper_matrix[i].step];

		snprintf(says, sizeof(says), "the matrix %s: %s",
			 paper_matrix[i].when, paper_matrix[i].text);
		torus_lab_claim(lab,
				torus_lab_exactly(
					!strcmp(text, paper_matrix[i].text)),
				NULL, says, "every entry is the same", "%s",
				text);
	}
	for (size_t i = 0; i < sizeof(paper_loads) / sizeof(*paper_loads); i++) {
		const char *text = m->loads[paper_loads[i].job];

		snprintf(says, sizeof(says), "set B and its loads for J%u: %s",
			 paper_loads[i].job + 1, paper_loads[i].text);
		torus_lab_claim(lab,
				torus_lab_exactly(
					!strcmp(text, paper_loads[i].text)),
				paper_loads[i].why, says,
				"every entry and load is the same", "%s", text);
	}
}

/* The same jobs scheduled without contention. */
static int undilated_claim(struct torus_lab *lab)
{
	struct torus_offline_jobs jobs = {
		.job = example, .n = 6, .unit = 1, .alone = true
	};
	struct torus_cnp *plan = torus_cnp_plan(&jobs, 8, -1, NULL, NULL, NULL);
	char length[64], start[64];

	if (!plan)
		return -1;
	gupta_cnp_text(plan, &plan->makespan, NULL, length);
	gupta_cnp_text(plan, &plan->job[5].start, NULL, start);
	torus_lab_claim(lab, torus_lab_exactly(!strcmp(length, "10")),
			"no start and run time of the paper's table add up to 10; without contention J5 ends at 3 and J6 begins then",
			"without the dilations its length would be 10",
			"the schedule of the same jobs without contention has that length",
			"%s: J6 from %s on", length, start);
	torus_cnp_destroy(plan);
	return 0;
}

static int cnp_draw(const struct torus_lab *lab, const struct torus_cnp *plan)
{
	FILE *out = torus_plot_begin(lab);
	char text[64];

	if (!out)
		return -1;
	fprintf(out, "set xlabel \"time (the paper's units)\" offset 0,0.3\n"
		     "set xrange [0:11.5]\nset yrange [6.6:0.4]\n"
		     "set ytics (0)\n"); /* each job adds its own tick */
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
		fprintf(out, "set ytics add (\"J%u, %ux%u at (%u,%u)\" %u)\n",
			i + 1, example[i].d, example[i].d, j->row, j->col,
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
	static const char *const says[] = {
		"J1 (8,2): 0 to 2 at (0,0)",   "J2 (4,2): 2 to 5.875 at (0,0)",
		"J3 (4,4): 2 to 8.5 at (1,1)", "J4 (4,4): 2 to 9 at (0,1)",
		"J5 (4,1): 2 to 4 at (1,0)",   "J6 (2,4): 4 to 10.75 at (1,0)",
	};

	if (!m.out)
		return -1;
	fprintf(m.out, "job,step,row,col,tm,sz,id\n");
	plan = torus_cnp_plan(&jobs, 8, -1, matrix_row, &m, NULL);
	if (torus_lab_close(m.out) || !plan)
		goto out;
	matrices_compare(lab, &m);
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
		torus_lab_claim(lab, torus_lab_exactly(same),
				i == 2 ?
					"the paper's own matrices give 9.5: 5.5 left at time 4" :
					NULL,
				says[i], "start, finish and place are the same",
				"%s to %s at (%s)", start, finish, place);
	}
	gupta_cnp_text(plan, &plan->makespan, NULL, text);
	torus_lab_claim(lab, torus_lab_exactly(!strcmp(text, "10.75")), NULL,
			"the schedule length is 10.75", "it is the same", "%s",
			text);
	if (!undilated_claim(lab))
		rc = cnp_draw(lab, plan) < 0 ? -1 : 0;
out:
	torus_cnp_destroy(plan);
	return rc;
}

/*
 * Fig. 4: the 4x4 at (0,0) and the 2x2 at (0,1), alone on T8x8, together for a
 * time D = 8. The model counts the sub-jobs that share a link with the small
 * job (torus/contention.h).
 */
static int fig4_exact(struct torus_lab *lab)
{
	struct torus_region large, small;
	uint64_t nodes[1];
	int64_t of_large, of_small;
	bool scattered;
	struct torus t;
	FILE *out;
	int d;

	if (torus_parse(&t, "8x8", NULL) ||
	    torus_region_parse(&large, &scattered, nodes, &t, "0,0+4x4/2x2",
			       NULL) ||
	    torus_region_parse(&small, &scattered, nodes, &t, "0,1+2x2/4x4",
			       NULL))
		return -1;
	out = torus_lab_open(lab, "csv");
	if (!out)
		return -1;
	d = torus_contention_along(&t, &large, &small);
	of_large = d < 0 ? 0 : torus_contention_load(&t, &small, d, 8);
	of_small = d < 0 ? 0 : torus_contention_load(&t, &large, d, 8);
	fprintf(out,
		"job,time together,dilation\n4x4 at (0,0),8,%lld\n2x2 at (0,1),8,%lld\n",
		(long long)of_large, (long long)of_small);
	torus_lab_claim(lab, torus_lab_exactly(of_large == 2), NULL,
			"the 4x4 at (0,0) is dilated by D/4",
			"of D = 8 together it is 2", "%lld",
			(long long)of_large);
	torus_lab_claim(lab, torus_lab_exactly(of_small == 4), NULL,
			"the 2x2 at (0,1) is dilated by D/2",
			"of D = 8 together it is 4", "%lld",
			(long long)of_small);
	if (torus_lab_close(out))
		return -1;
	return torus_drawn_regions(lab,
				   "toruses:\n- {name: torus, dims: [8, 8]}\n",
				   (const struct torus_drawn_region[]){
					   { "4x4 at (0,0)", "0,0+4x4/2x2" },
					   { "2x2 at (0,1)", "0,1+2x2/4x4" },
					   { NULL, NULL } });
}

const struct torus_experiment torus_gupta_cnp[] = {
	EXPERIMENT("gupta-example", "section 2.4.4",
		   "the worked example of CNP_Alloc",
		   .verdicts = "rrrrrrnrnrrnrrrrn", .exact = cnp_exact),
	EXPERIMENT("gupta-fig4", "Fig. 4",
		   "dilation of jobs of different dimension",
		   .exact = fig4_exact),
	{ .name = NULL },
};
