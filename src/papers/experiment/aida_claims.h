/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The claims of Aida, Kasahara and Narita about their figures (aida.c) (aida_claims.c). */
#ifndef PAPERS_EXPERIMENT_AIDA_CLAIMS_H
#define PAPERS_EXPERIMENT_AIDA_CLAIMS_H

#include "papers/experiment/papers.h"

void torus_aida_fig2_claims(struct torus_lab *lab);
void torus_aida_fig3_claims(struct torus_lab *lab);
void torus_aida_fig4_claims(struct torus_lab *lab);
void torus_aida_fig5_claims(struct torus_lab *lab);
void torus_aida_fig6_claims(struct torus_lab *lab);
void torus_aida_table3_claims(struct torus_lab *lab);
void torus_aida_fig7_claims(struct torus_lab *lab);
void torus_aida_fig8_claims(struct torus_lab *lab);
void torus_aida_fig11_claims(struct torus_lab *lab);
void torus_aida_fig12_claims(struct torus_lab *lab);

/* aida_packing.c */
extern const struct torus_series torus_aida_packings[];
int torus_aida_packing(struct torus_lab *lab);
void torus_aida_packing_claims(struct torus_lab *lab);

#endif
