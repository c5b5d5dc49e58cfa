/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The claims of Mao, Chen and Watson (mao_claims.c), for their figures (mao.c).
 */
#ifndef EXPERIMENT_MAO_H
#define EXPERIMENT_MAO_H

struct torus_lab;

void torus_mao_fig3_claims(struct torus_lab *lab);
void torus_mao_fig4_claims(struct torus_lab *lab);
void torus_mao_sdsc_claims(struct torus_lab *lab);
void torus_mao_fig6_claims(struct torus_lab *lab);
void torus_mao_fig7_claims(struct torus_lab *lab);

/* The system load of Fig. 7 at a factor c of the run times. */
double torus_mao_load(const struct torus_lab *lab, double c);

#endif
