/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The experiments of each paper, and the claims that have files of their own. */
#ifndef EXPERIMENT_PAPERS_H
#define EXPERIMENT_PAPERS_H

#include "papers/experiment/experiment.h"

/* A row of a paper's table; PAPER: authors and year. */
#define EXPERIMENT(its_name, its_number, its_title, ...)                       \
	{                                                                      \
		.name = its_name, .paper = PAPER, .number = its_number,        \
		.title = its_title, __VA_ARGS__                                \
	}

/* Each ended by name NULL. */
extern const struct torus_experiment torus_gupta_cnp[];
extern const struct torus_experiment torus_gupta_preemptive[];
extern const struct torus_experiment torus_gupta_theorems[];
extern const struct torus_experiment torus_gupta_drawn[], torus_mao_drawn[];
extern const struct torus_experiment torus_bani_drawn[], torus_mohapatra_drawn[];
extern const struct torus_experiment torus_mao_experiments[];
extern const struct torus_experiment torus_aida_experiments[];
extern const struct torus_experiment torus_bani_experiments[];
extern const struct torus_experiment torus_mohapatra_experiments[];

/* mao_claims.c; the system load of Fig. 7 at a factor c of the run times. */
void torus_mao_fig3_claims(struct torus_lab *lab);
void torus_mao_fig4_claims(struct torus_lab *lab);
void torus_mao_sdsc_claims(struct torus_lab *lab);
void torus_mao_fig6_claims(struct torus_lab *lab);
void torus_mao_fig7_claims(struct torus_lab *lab);
double torus_mao_load(const struct torus_lab *lab, double c);

/* bani_times.c: the mean times of searches by the rate of jobs, and by the side of the
 * mesh. 0, or -1 with errno. */
int torus_bani_times(struct torus_lab *lab);
int torus_bani_growth(struct torus_lab *lab);

/* mohapatra_claims.c; work: of the work miss ratio. */
void torus_mohapatra_work_claims(struct torus_lab *lab);
void torus_mohapatra_load_claims(struct torus_lab *lab);
void torus_mohapatra_laxity_claims(struct torus_lab *lab);
void torus_mohapatra_geometric_claims(struct torus_lab *lab);
void torus_mohapatra_cube_claims(struct torus_lab *lab);
void torus_mohapatra_overhead_claims(struct torus_lab *lab);
void torus_mohapatra_hold_claims(struct torus_lab *lab);
void torus_mohapatra_effort_claims(struct torus_lab *lab);
void torus_mohapatra_complexity_claims(struct torus_lab *lab);
void torus_mohapatra_sizes_claims(struct torus_lab *lab);

struct torus_drawn_region {
	const char *label, *region;
};

/* drawn.c: draw these regions, ended by label NULL, of the first torus of a torus.yaml. 0, or -1
 * with errno. */
int torus_drawn_regions(const struct torus_lab *lab, const char *yaml,
			const struct torus_drawn_region *region);

#endif
